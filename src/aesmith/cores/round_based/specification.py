"""Fields of the round-based architectures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from aesmith.cores.design import Clocks, CoreDesign
from aesmith.cores.family import Specification
from aesmith.cores.round_based.assembly import (
    BOTH,
    ENCRYPT,
    TWO_STAGES,
    Facts,
    Parts,
    core_design,
    two_way_key_schedule,
)
from aesmith.cores.round_based.conventional import (
    AES,
    CHAINED_KEY_SCHEDULE,
    encryption_parts,
    lutz_parts,
    tower_field,
    unified_parts,
)
from aesmith.cores.round_based.maps import Levels, TowerSboxes, catalogue_about, catalogue_both
from aesmith.cores.round_based.publications import GUERON2016, LIU2009, LUTZ2002, MATHEW2011, SASEBO, UENO2016, UENO2020
from aesmith.cores.round_based.ueno import UenoTower
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.sboxes.satoh2001 import PUBLICATION as SATOH2001

_ALPHA = "α, generates GF(2^8) over GF(2^4); element of the AES field"
_BETA = "β, element of order 5 in the AES field"
_GAMMA = "γ, the multiplicative offset; element of the AES field"
_SELECTION = (
    "`key_bits_i` goes with the key: 0, 1 or 2 for 128, 192 or 256 bits. A key shorter than 256 bits occupies the "
    "most significant bits of `key_i`. A block takes 10, 12 or 14 cycles; the figures are those of 256 bits."
)
_UNROLLED = "rounds in a row that a block takes a clock: a divisor of their number, below it"
_IN_FLIGHT = "blocks in flight, each with its round key, by as many stages of a round"
_PACE = "{slots} blocks in flight through a round of {slots} stages"
_EACH_KEY = (
    "A key may come in any clock: blocks in flight have round keys of their own. An idle core takes {slots} blocks in "
    "a row."
)
_LEVELS = "XOR levels that MixColumns may have; none for the fewest gates"


_GATES = "hold registers by clock gates instead of selectors"
_CIRCUITS = "what S-boxes, MixColumns and selectors are: today's best, or what is known of the publication's own"

_NO_PARAMETERS = {"architecture", "directions", "output", "clear", "scan_enable"}
"""Fields that stand elsewhere in a design, or are no family's own."""


def _gated(parts: Callable[[], Parts]) -> Parts:
    return parts().gated()


class _InFlight(BaseModel):
    """The field of architectures with any number of blocks in flight."""

    blocks_in_flight: int = Field(default=1, ge=1, le=8, description=_IN_FLIGHT)

    def _check_in_flight(self, *only: tuple[str, object]) -> None:
        """Raises RequestError for fields that have another value than their only one with several blocks in flight."""
        for field, must in only:
            if (given := getattr(self, field)) != must:
                hint = " (measure with clock gates on puts them in)" if field == "clock_gates" else ""
                texts = [str(value).lower() for value in (must, given)]
                raise RequestError(
                    f"{field}: must be {texts[0]} with {self.blocks_in_flight} blocks in flight, not {texts[1]}{hint}"
                )


class _RoundBased(Specification):
    """Fields of architectures with one size of key and one block at a time."""

    key_bits: Literal[128, 192, 256] = 128
    clock_gates: bool = Field(default=False, description=_GATES)

    def _core(
        self, facts: Facts, parts: Callable[[], Parts], name: str, preset: str, rounds_per_clock: int = 1
    ) -> CoreDesign:
        if self.clock_gates:
            parts = partial(_gated, parts)
        if self.key_bits != 128 or rounds_per_clock > 1:
            clocks = aes.rounds(self.key_bits) // rounds_per_clock
            facts = replace(facts, cycles_per_block=clocks, latency_cycles=clocks + 1)
        return core_design(facts, parts, name, preset, self.model_dump(exclude=_NO_PARAMETERS))


class _Encryption(_RoundBased):
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)


class _BothDirections(_RoundBased):
    directions: tuple[Literal["encrypt"], Literal["decrypt"]] = Field(default=("encrypt", "decrypt"), strict=False)


class Ueno2020EncSpecification(_InFlight, _Encryption):
    """Fields of the `ueno2020-enc` architecture."""

    architecture: Literal["ueno2020-enc"] = "ueno2020-enc"
    alpha: int = Field(default=0x09, ge=2, le=255, description=_ALPHA)
    beta: int = Field(default=0x50, ge=2, le=255, description=_BETA)
    gamma: int = Field(default=0x69, ge=1, le=255, description=_GAMMA)
    rounds_per_clock: int = Field(default=1, ge=1, le=7, description=_UNROLLED)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for a tower that the inverter does not fit, for a number that is no divisor,
        and for fields that do not go together."""
        if self.clock_gates and self.rounds_per_clock > 1:
            raise RequestError(
                "clock_gates: must be false, not true, with several rounds per clock, whose registers multiplexers hold"
            )
        tower, together = UenoTower(self.alpha, self.beta, self.gamma), self.rounds_per_clock
        if self.blocks_in_flight > 1:
            return self._in_flight(tower, name, preset)
        parts = partial(tower.encryption_parts, self.key_bits, together)
        pace = f"{together} rounds a clock" if together > 1 else Facts.pace
        facts = Facts("in a tower field with multiplicative offset", UENO2020, ENCRYPT, pace=pace)
        return self._core(facts, parts, name, preset, together)

    def _in_flight(self, tower: UenoTower, name: str, preset: str) -> CoreDesign:
        """The core with several blocks in flight. Raises RequestError for what there is with one only."""
        slots, rounds = self.blocks_in_flight, aes.rounds(self.key_bits)
        self._check_in_flight(("rounds_per_clock", 1), ("clock_gates", False))
        facts = Facts(
            "in a tower field with multiplicative offset",
            UENO2020,
            ENCRYPT,
            cycles_per_block=rounds,
            latency_cycles=rounds * slots + 1,
            pace=_PACE.format(slots=slots),
            remarks=(_EACH_KEY.format(slots=slots),),
        )
        parts = partial(tower.slot_parts, slots, self.key_bits)
        return core_design(facts, parts, name, preset, self.model_dump(exclude=_NO_PARAMETERS))


def _two_way_slots(
    fields: Ueno2020EncdecSpecification | Ueno2020EncdecSelectableSpecification,
    key_bits: tuple[int, ...],
    name: str,
    preset: str,
) -> CoreDesign:
    """The core for both directions with several blocks in flight."""
    slots, rounds = fields.blocks_in_flight, aes.rounds(max(key_bits))
    tower = UenoTower(fields.alpha, fields.beta, fields.gamma)
    several = len(key_bits) > 1
    facts = Facts(
        "both paths behind one set of inverters" + (", key size chosen with each key" if several else ""),
        UENO2020,
        BOTH,
        cycles_per_block=rounds,
        latency_cycles=rounds * slots + 1,
        pace=_PACE.format(slots=slots),
        remarks=(_EACH_KEY.format(slots=slots), *((_SELECTION,) if several else ())),
        slots=slots,
        ends=2,
    )
    parts = partial(tower.two_way_slot_parts, slots, key_bits)
    design = core_design(facts, parts, name, preset, fields.model_dump(exclude=_NO_PARAMETERS))
    clocks = {
        (bits, direction): Clocks.steady(aes.rounds(bits), slots * aes.rounds(bits) + 1)
        for bits in key_bits[:-1]
        for direction in BOTH
    }
    return replace(design, key_cycles=2 if slots == 2 else 3, other_clocks=clocks)


class Ueno2020EncdecSpecification(_InFlight, _BothDirections):
    """Fields of the `ueno2020-encdec` architecture. γ = 1 is the version of 2016."""

    architecture: Literal["ueno2020-encdec"] = "ueno2020-encdec"
    alpha: int = Field(default=0xAA, ge=2, le=255, description=_ALPHA)
    beta: int = Field(default=0xED, ge=2, le=255, description=_BETA)
    gamma: int = Field(default=0x98, ge=1, le=255, description=_GAMMA)
    demultiplexer: bool = Field(default=True, description="whether the path that is not in use is held still")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for a tower that the inverter does not fit."""
        if self.blocks_in_flight > 1:
            self._check_in_flight(("demultiplexer", True), ("clock_gates", False))
            return _two_way_slots(self, (self.key_bits,), name, preset)
        one_inverter = "both paths behind one set of inverters in a tower field"
        facts = (
            Facts(f"{one_inverter} with multiplicative offset", UENO2020, BOTH)
            if self.gamma != 1
            else Facts(one_inverter, UENO2016, BOTH)
        )
        tower = UenoTower(self.alpha, self.beta, self.gamma)
        parts = partial(tower.parts, self.key_bits, demultiplexer=self.demultiplexer)
        return self._core(facts, parts, name, preset)


class Ueno2020EncdecSelectableSpecification(_InFlight, Specification):
    """Fields of the `ueno2020-encdec-selectable` architecture: the key size is chosen with each key, by a port."""

    architecture: Literal["ueno2020-encdec-selectable"] = "ueno2020-encdec-selectable"
    directions: tuple[Literal["encrypt"], Literal["decrypt"]] = Field(default=("encrypt", "decrypt"), strict=False)
    key_bits: tuple[Literal[128], Literal[192], Literal[256]] = Field(default=(128, 192, 256), strict=False)
    clock_gates: bool = Field(default=False, description=_GATES)
    alpha: int = Field(default=0xAA, ge=2, le=255, description=_ALPHA)
    beta: int = Field(default=0xED, ge=2, le=255, description=_BETA)
    gamma: int = Field(default=0x98, ge=1, le=255, description=_GAMMA)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core; its figures are those of the longest key. Raises RequestError for a tower that does not fit, and
        for fields that do not go together."""
        if self.blocks_in_flight > 1:
            self._check_in_flight(("clock_gates", False))
            return _two_way_slots(self, self.key_bits, name, preset)
        parts = UenoTower(self.alpha, self.beta, self.gamma).selectable_parts
        if self.clock_gates:
            parts = partial(_gated, parts)
        title = "both paths behind one set of inverters, key size chosen with each key"
        facts = Facts(title, UENO2020, BOTH, 14, 15, remarks=(_SELECTION,))
        return core_design(facts, parts, name, preset, self.model_dump(exclude=_NO_PARAMETERS))


class Ueno2020EncdecP2Specification(Specification):
    """Fields of the `ueno2020-encdec-p2` architecture: two blocks in flight, a register at the inverter output."""

    architecture: Literal["ueno2020-encdec-p2"] = "ueno2020-encdec-p2"
    directions: tuple[Literal["encrypt"], Literal["decrypt"]] = Field(default=("encrypt", "decrypt"), strict=False)
    key_bits: Literal[128] = 128
    alpha: int = Field(default=0xAA, ge=2, le=255, description=_ALPHA)
    beta: int = Field(default=0xED, ge=2, le=255, description=_BETA)
    gamma: int = Field(default=0x98, ge=1, le=255, description=_GAMMA)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for a tower that the inverter does not fit."""
        parts = UenoTower(self.alpha, self.beta, self.gamma).two_slot_parts
        facts = Facts("both paths behind one set of inverters", UENO2020, BOTH, 10, 21, TWO_STAGES, slots=2)
        return core_design(facts, parts, name, preset, self.model_dump(exclude=_NO_PARAMETERS))


class Ueno2020EncP2Specification(Specification):
    """Fields of the `ueno2020-enc-p2` architecture: two blocks in flight, a register at the inverter output."""

    architecture: Literal["ueno2020-enc-p2"] = "ueno2020-enc-p2"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    alpha: int = Field(default=0x09, ge=2, le=255, description=_ALPHA)
    beta: int = Field(default=0x50, ge=2, le=255, description=_BETA)
    gamma: int = Field(default=0x69, ge=1, le=255, description=_GAMMA)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for a tower that the inverter does not fit."""
        parts = UenoTower(self.alpha, self.beta, self.gamma).two_slot_encryption_parts
        facts = Facts("in a tower field with multiplicative offset", UENO2020, ENCRYPT, 10, 21, TWO_STAGES)
        return core_design(facts, parts, name, preset, self.model_dump(exclude=_NO_PARAMETERS))


class StandardEncSpecification(_Encryption):
    """Fields of the `standard-enc` architecture: the standard's order in the AES field, any S-box of the catalogue."""

    architecture: Literal["standard-enc"] = "standard-enc"
    sbox: str = Field(default="boyar2010-derived", description="an S-box of the catalogue with a forward function")
    mix_columns_levels: int | None = Field(default=3, ge=3, description=_LEVELS)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not."""
        circuit, about = sbox(self.sbox).circuit(Function.FORWARD), catalogue_about(self.sbox)
        parts = partial(encryption_parts, AES, circuit, about, levels=self.mix_columns_levels, key_bits=self.key_bits)
        publication = sbox(self.sbox).publication
        return self._core(
            Facts(f"in the AES field with the S-box {self.sbox}", publication, ENCRYPT), parts, name, preset
        )


_SATOHS_OWN = {"zhang2004": "satoh2001", "satoh2001": "satoh2001"}
"""Zhang and Parhi's S-box is in Satoh et al.'s tower."""


class _Circuits(BaseModel):
    """Fields of cores whose blocks may be the publication's own.

    `published_sboxes` says of a value of `sbox` which entry of the catalogue has the publication's gates.
    """

    published_sboxes: ClassVar[Mapping[str, str]]

    circuits: Literal["today", "as-published"] = Field(default="today", description=_CIRCUITS)
    sbox: str
    mix_columns_levels: int | None = Field(default=3, ge=3, description=_LEVELS)

    @property
    def _published(self) -> bool:
        return self.circuits == "as-published"

    def _made_of(self) -> tuple[str, Levels]:
        """The S-box, and what MixColumns is made of. Raises RequestError for what the publication does not have."""
        if not self._published:
            return self.sbox, self.mix_columns_levels
        if self.sbox not in self.published_sboxes:
            known = ", ".join(self.published_sboxes)
            raise RequestError(f"sbox: must be {known} for circuits as published, not {self.sbox}")
        if self.mix_columns_levels != 3:
            raise RequestError(
                f"mix_columns_levels: must be left at 3 for circuits as published, not {self.mix_columns_levels}"
            )
        return self.published_sboxes[self.sbox], "factored"


class _Unified(_BothDirections):
    """Fields of cores with unified operations in the AES field."""

    sbox: str = Field(default="boyar2010-derived", description="an S-box of the catalogue for both directions")
    mix_columns_levels: int | None = Field(default=3, ge=3, description=_LEVELS)

    def _made_of(self) -> tuple[str, Levels]:
        return self.sbox, self.mix_columns_levels

    def _parts(
        self, data_path: str, key_schedule: tuple[str, ...], *, mixes_keys: bool = False, merged: bool = True
    ) -> Parts:
        name, levels = self._made_of()
        return unified_parts(
            AES,
            (catalogue_both(name), sbox(name).circuit(Function.FORWARD)),
            catalogue_about(name),
            levels=levels,
            data_path=data_path,
            key_schedule=key_schedule,
            key_bits=self.key_bits,
            mixes_keys=mixes_keys,
            key_levels=levels if levels == "factored" else None,
            merged=merged,
        )


class StandardEncdecSpecification(_Unified):
    """Fields of the `standard-encdec` architecture: unified operations in the AES field, any S-box of the catalogue."""

    architecture: Literal["standard-encdec"] = "standard-encdec"

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that does not decrypt."""
        parts = partial(self._parts, "liu2009_data_path", two_way_key_schedule(self.key_bits))
        publication = sbox(self.sbox).publication
        facts = Facts(f"unified operations in the AES field with the S-box {self.sbox}", publication, BOTH)
        return self._core(facts, parts, name, preset)


class SaseboEncSpecification(_Circuits, _Encryption):
    """Fields of the `sasebo-enc` architecture: ten rounds through the register, the result is the register."""

    published_sboxes = _SATOHS_OWN | {"table": "table"}

    architecture: Literal["sasebo-enc"] = "sasebo-enc"
    key_bits: Literal[128] = 128
    sbox: str = Field(default="table", description="an S-box of the catalogue with a forward function")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that is not the publication's."""
        entry, levels = self._made_of()
        parts = partial(
            encryption_parts,
            AES,
            sbox(entry).circuit(Function.FORWARD),
            catalogue_about(entry),
            levels=levels,
            data_path="sasebo_data_path",
            key_schedule="chained_key_schedule",
            last=11,
        )
        facts = Facts(f"ten rounds through one register, S-box {entry}", SASEBO, ENCRYPT, 11, 12)
        return self._core(facts, parts, name, preset)


class _TowerFields(BaseModel):
    ground: Literal[0x13, 0x19, 0x1F] = Field(default=0x13, description="irreducible quartic of GF(2^4), as bits")
    linear: int = Field(default=0x9, ge=1, le=15, description="coefficient α of x^2 + α·x + β, in GF(2^4)")
    constant: int = Field(default=0x2, ge=1, le=15, description="coefficient β of x^2 + α·x + β, in GF(2^4)")
    image: int = Field(default=0x42, ge=2, le=255, description="word of the tower that 0x02 of the AES field goes to")
    mix_columns_levels: int | None = Field(default=4, ge=3, description=_LEVELS)

    def _sboxes(self) -> TowerSboxes:
        return TowerSboxes(self.ground, self.linear, self.constant, self.image)


class Gueron2016MappedEncSpecification(_TowerFields, _Encryption):
    """Fields of the `gueron2016-mapped-enc` architecture: each S-box maps to a tower and back."""

    architecture: Literal["gueron2016-mapped-enc"] = "gueron2016-mapped-enc"

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for polynomials that give no field, or an isomorphism that there is not."""
        sboxes = self._sboxes()
        about = f"S-box of the AES field by {sboxes.text()}:\nGueron and Mathew, ARITH 2016, “mapped”."

        def parts() -> Parts:
            return encryption_parts(AES, sboxes.mapped(), about, levels=self.mix_columns_levels, key_bits=self.key_bits)

        facts = Facts("in the AES field with tower S-boxes", GUERON2016, ENCRYPT)
        return self._core(facts, parts, name, preset)


class Gueron2016NativeEncSpecification(_TowerFields, _Encryption):
    """Fields of the `gueron2016-native-enc` architecture: data and keys stay in a tower."""

    architecture: Literal["gueron2016-native-enc"] = "gueron2016-native-enc"

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for polynomials that give no field, or an isomorphism that there is not."""
        sboxes = self._sboxes()
        about = f"S-box in {sboxes.text()}:\nGueron and Mathew, ARITH 2016, “native”."

        def parts() -> Parts:
            field, levels = tower_field(sboxes), self.mix_columns_levels
            return encryption_parts(field, sboxes.native(), about, levels=levels, key_bits=self.key_bits)

        facts = Facts("in a tower field throughout", GUERON2016, ENCRYPT)
        return self._core(facts, parts, name, preset)


class Satoh2001EncdecSpecification(_Circuits, _Unified):
    """Fields of the `satoh2001-encdec` architecture: decryption in the order of encryption, round keys mixed."""

    published_sboxes = _SATOHS_OWN

    architecture: Literal["satoh2001-encdec"] = "satoh2001-encdec"
    key_bits: Literal[128] = 128
    # The publication's tower, with fewer gates in series.
    sbox: str = Field(default="zhang2004", description="an S-box of the catalogue for both directions")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that does not decrypt."""
        parts = partial(self._parts, "satoh2001_data_path", CHAINED_KEY_SCHEDULE, mixes_keys=True)
        facts = Facts("unified operations, decryption reordered", SATOH2001, BOTH)
        return self._core(facts, parts, name, preset)


class Liu2009EncdecSpecification(_Circuits, _Unified):
    """Fields of the `liu2009-encdec` architecture: unified operations, decryption in the standard's order."""

    # Of the publication's own gates nothing is known but the selectors.
    published_sboxes = {"canright2005": "canright2005"}

    architecture: Literal["liu2009-encdec"] = "liu2009-encdec"
    key_bits: Literal[128] = 128
    sbox: str = Field(default="canright2005", description="an S-box of the catalogue for both directions")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that does not decrypt."""
        data_path = "liu2009_selected_data_path" if self._published else "liu2009_data_path"
        parts = partial(self._parts, data_path, CHAINED_KEY_SCHEDULE, merged=not self._published)
        facts = Facts("unified operations, decryption in the standard's order", LIU2009, BOTH)
        return self._core(facts, parts, name, preset)


class Mathew2011EncdecSpecification(_TowerFields, _BothDirections):
    """Fields of the `mathew2011-encdec` architecture: unified operations in a tower throughout."""

    architecture: Literal["mathew2011-encdec"] = "mathew2011-encdec"
    key_bits: Literal[128] = 128

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for polynomials that give no field, or an isomorphism that there is not."""
        sboxes = self._sboxes()

        def parts() -> Parts:
            return unified_parts(
                tower_field(sboxes),
                (sboxes.native_both(), sboxes.native()),
                f"S-box in {sboxes.text()}:\nMathew et al., JSSC 2011.",
                levels=self.mix_columns_levels,
                data_path="satoh2001_data_path",
                key_schedule=two_way_key_schedule(128),
                mixes_keys=True,
                key_levels=12,
            )

        facts = Facts("unified operations in a tower field throughout", MATHEW2011, BOTH)
        return self._core(facts, parts, name, preset)


class Lutz2002EncdecSpecification(_BothDirections):
    """Fields of the `lutz2002-encdec` architecture: two paths around shared inversion tables."""

    architecture: Literal["lutz2002-encdec"] = "lutz2002-encdec"
    key_bits: Literal[128] = 128
    mix_columns_levels: int | None = Field(default=3, ge=3, description=_LEVELS)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core."""
        facts = Facts("two paths around inversion tables", LUTZ2002, BOTH, 10, 10)
        return self._core(facts, partial(lutz_parts, self.mix_columns_levels), name, preset)
