"""The family of cores of 32 bits: its core, fields of its architecture, and presets.

Four S-boxes are shared by state and key, and a column of the state enters them in a clock.
The next round key is made behind the word that is added, so its last word passes the S-boxes in the slot after the
columns, and their answer meets the first word in the next round's slot 0. With two stages a round is five slots, and
the S-boxes are idle in none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from pydantic import Field, Strict

from aesmith.cores.column.two_way import CUT, ColumnEncdec
from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.family import Family, NameWord, Specification
from aesmith.cores.narrow import COLUMNS, AroundSbox, mix_columns_source, sbox_source
from aesmith.cores.ports import Ports, block_interface
from aesmith.cores.sources import PackagedCore, packaged_sources
from aesmith.errors import RequestError
from aesmith.publications import FIPS_197

STAGES = range(2, 5)
"""Stages of the S-box: with one, the answer to the key's word would come before the word it is added to."""

ROUNDS = 10
COLUMNS_OF_STATE = 4

WORD = 32
_CORES = {128: "column", WORD: "column_beat"}
"""The cores by the width of their channels: what the names of their modules begin with."""
_PARTS = ("sequencer", "data_path", "core")


def slots(stages: int) -> int:
    """Clocks of a round: four columns pass S-boxes of so many stages, and the last has left before the first enters."""
    return COLUMNS_OF_STATE + stages - 1


@dataclass(frozen=True)
class ColumnEnc:
    """The core with an S-box of the catalogue in 2 to 4 stages, cut at `before` (see `narrow.AroundSbox`).
    `clock_gates` holds registers by gated clocks. Keys, blocks and results come and go in beats of `beat` bits.

    Raises RequestError for a number of stages or a beat that the architecture does not have.
    """

    stages: int
    sbox: str
    clock_gates: bool
    surroundings: AroundSbox
    beat: int = 128

    @property
    def ports(self) -> Ports:
        """Those of the block interface, all channels as wide as a beat."""
        return block_interface((128,), (Direction.ENCRYPT,), self.beat)

    def __post_init__(self) -> None:
        if self.stages not in STAGES:
            raise RequestError(
                f"stages: must be 2 to 4 (with one, a word of the key would have to be held), not {self.stages}"
            )
        if self.beat not in _CORES:
            raise RequestError(f"beat: must be {' or '.join(map(str, sorted(_CORES)))} bits, not {self.beat}")

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        sbox = sbox_source(name, self.sbox, self.stages, surroundings=self.surroundings)
        gates = ("clock_gate",) if self.clock_gates else ()
        module = _CORES[self.beat]
        core = PackagedCore(f"{module}_core", {"SboxStages": self.stages, "ClockGates": self.clock_gates})
        about = f"AES-128 encryption a column at a time, four S-boxes, {slots(self.stages)} clocks a round."
        rtl = packaged_sources(name, (*gates, "serial_clock_enable", *(f"{module}_{part}" for part in _PARTS)))
        return (sbox, mix_columns_source(name), *rtl, core.top(name, self.ports, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        clocks = ROUNDS * slots(self.stages)
        beats = "" if self.beat == 128 else f", in beats of {self.beat} bits"
        title = f"AES-128 encryption on columns, four S-boxes in {self.stages} stages, {clocks} clocks a block{beats}"
        return CoreDesign(
            name=name,
            preset=preset,
            title=title,
            sources=Sources(partial(self.sources, name)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=clocks,
            latency_cycles=clocks + 128 // self.beat,
            parameters={
                "key_bits": 128,
                "stages": self.stages,
                "sbox": self.sbox,
                "cut": self.surroundings.before,
                "beat": self.beat,
                "clock_gates": self.clock_gates,
            },
            publication=FIPS_197,
            key_cycles=self.stages,
        )


class ColumnEncSpecification(Specification):
    """Fields of the `column-enc` architecture: four S-boxes for state and key."""

    architecture: Literal["column-enc"] = "column-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    stages: int = Field(default=2, ge=2, le=4, description="stages of the S-boxes")
    sbox: str = Field(default="boyar2012-derived", description="an S-box of the catalogue with a forward function")
    cut: int = Field(
        default=COLUMNS.before,
        ge=0,
        le=40,
        description="where the S-boxes are cut: how late their input comes, in delays of an AND gate",
    )
    beat: Literal[32, 128] = Field(
        default=128, description="bits of a beat: keys, blocks and results whole, or in words"
    )
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that has not so many stages, and for a bare
        output: state + round key stand there, and where the state is known, as after `clear_i`, that is the key.
        """
        if self.output == "bare":
            raise RequestError("output: must be 'quiet' or 'registered' (bare, it would show round keys), not 'bare'")
        surroundings = AroundSbox(self.cut, COLUMNS.after)
        return ColumnEnc(self.stages, self.sbox, self.clock_gates, surroundings, self.beat).design(name, preset)


class ColumnEncdecSpecification(Specification):
    """Fields of the `column-encdec` architecture: four S-boxes for state and key in both directions."""

    architecture: Literal["column-encdec"] = "column-encdec"
    directions: tuple[Literal["encrypt"], Literal["decrypt"]] = Field(default=("encrypt", "decrypt"), strict=False)
    key_bits: Literal[128, 192, 256] | Annotated[tuple[Literal[128], Literal[192], Literal[256]], Strict(False)] = (
        Field(default=128, description="size of the key, or all three, of which each key says its own")
    )
    sbox: str = Field(default="maximov2019", description="an S-box of the catalogue with a combined function")
    cut: int = Field(
        default=CUT,
        ge=0,
        le=40,
        description="where the S-boxes are cut: how late their input comes, in delays of an AND gate",
    )
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that does not do both."""
        surroundings = AroundSbox(self.cut, COLUMNS.after)
        sizes = self.key_bits if isinstance(self.key_bits, tuple) else (self.key_bits,)
        return ColumnEncdec(sizes, self.sbox, self.clock_gates, surroundings).design(name, preset)


FAMILY = Family(
    name="column",
    title="32-bit data path, four S-boxes for state and key",
    specifications=(ColumnEncSpecification, ColumnEncdecSpecification),
    presets={
        "column-enc": ColumnEncSpecification(),
        "column-gated-enc": ColumnEncSpecification(clock_gates=True),
        "column-beat32-enc": ColumnEncSpecification(beat=32),
        "column-beat32-gated-enc": ColumnEncSpecification(beat=32, clock_gates=True),
        "column-beat32-encdec": ColumnEncdecSpecification(),
        "column-beat32-gated-encdec": ColumnEncdecSpecification(clock_gates=True),
        "column-beat32-gated-encdec-192": ColumnEncdecSpecification(key_bits=192, clock_gates=True),
        "column-beat32-gated-encdec-256": ColumnEncdecSpecification(key_bits=256, clock_gates=True),
        "column-beat32-gated-encdec-selectable": ColumnEncdecSpecification(key_bits=(128, 192, 256), clock_gates=True),
    },
    rounds_in_hardware=None,
    stages_of="of the S-boxes",
    words={
        "stages": NameWord("r", always=True),
        "cut": NameWord("cut"),
        "beat": NameWord("beat"),
        "clock_gates": NameWord("gated", lambda _: ""),
    },
)
