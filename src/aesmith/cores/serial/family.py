"""The family of byte-serial cores: fields of its architectures, and presets."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.family import Family, NameWord, Specification
from aesmith.cores.serial import hamalainen2006, wang2010
from aesmith.cores.serial.hamalainen2006 import Hamalainen2006Enc
from aesmith.cores.serial.memory import Memory
from aesmith.cores.serial.shared import SharedEnc, SharedPair, SharedSmall
from aesmith.cores.serial.small import BitSerial, Small
from aesmith.cores.serial.wang2010 import STAGES, Wang2010Enc
from aesmith.errors import RequestError


class Wang2010EncSpecification(Specification):
    """Fields of the `wang2010-enc` architecture: one pipelined S-box for data and key."""

    architecture: Literal["wang2010-enc"] = "wang2010-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128, 192, 256] = Field(default=128, description="192 and 256 with 4 stages only")
    stages: int = Field(default=4, ge=1, le=5, description="stages of the S-box")
    sbox: str = Field(default="boyar2012-derived", description="an S-box of the catalogue with a forward function")
    clock_gates: bool = Field(default=False, description="freeze registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that has not so many stages."""
        return Wang2010Enc(self.stages, self.sbox, self.clock_gates, self.key_bits).design(name, preset)


class Hamalainen2006EncSpecification(Specification):
    """Fields of the `hamalainen2006-enc` architecture: an S-box for data and another for the key."""

    architecture: Literal["hamalainen2006-enc"] = "hamalainen2006-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    sbox: str = Field(default="canright2005", description="an S-box of the catalogue with a forward function")
    clock_gates: bool = Field(default=False, description="freeze registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not."""
        return Hamalainen2006Enc(self.sbox, self.clock_gates).design(name, preset)


class SerialSharedEncSpecification(Specification):
    """Fields of the `serial-shared-enc` architecture: one S-box for state and key in a ring of 20 bytes."""

    architecture: Literal["serial-shared-enc"] = "serial-shared-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128, 192, 256] = 128
    stages: int = Field(default=4, ge=1, le=4, description="stages of the S-box")
    sbox: str = Field(default="boyar2012-derived", description="an S-box of the catalogue with a forward function")
    key: Literal["kept", "with-block"] = Field(
        default="kept",
        description="kept until the next key, or with each block: a byte with each of its bytes, two of a longer key",
    )
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that has not so many stages."""
        return SharedEnc(self.stages, self.sbox, self.clock_gates, self.key == "kept", self.key_bits).design(
            name, preset
        )


class SerialShared16EncSpecification(Specification):
    """Fields of the `serial-shared16-enc` architecture: two S-boxes for state and key in a ring of pairs."""

    architecture: Literal["serial-shared16-enc"] = "serial-shared16-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    stages: int = Field(default=2, ge=1, le=2, description="stages of the S-boxes")
    sbox: str = Field(default="boyar2012-derived", description="an S-box of the catalogue with a forward function")
    key: Literal["kept", "with-block"] = Field(
        default="kept", description="kept until the next key, or with each block: a pair of bytes with each pair"
    )
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that has not so many stages."""
        return SharedPair(self.stages, self.sbox, self.clock_gates, self.key == "kept").design(name, preset)


class SerialSharedSmallEncSpecification(Specification):
    """Fields of the `serial-shared-small-enc` architecture: rounds of 20 clocks in few gates, held by clock gates."""

    architecture: Literal["serial-shared-small-enc"] = "serial-shared-small-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    sbox: str = Field(default="reyhani2018", description="an S-box of the catalogue with a forward function")
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not."""
        return SharedSmall(self.sbox, self.clock_gates).design(name, preset)


class SerialSharedEncdecSpecification(Specification):
    """Fields of the `serial-shared-encdec` architecture: decryption in rounds of 20 clocks and few gates, or both."""

    architecture: Literal["serial-shared-encdec"] = "serial-shared-encdec"
    directions: tuple[Literal["encrypt", "decrypt"], ...] = Field(
        default=("encrypt", "decrypt"), min_length=1, strict=False, description="both, or decryption alone"
    )
    key_bits: Literal[128] = 128
    sbox: str = Field(default="reyhani2018", description="an S-box of the catalogue with a combined function")
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that has no combined function, and for
        encryption alone.
        """
        directions = tuple(direction for direction in Direction if direction.value in self.directions)
        if Direction.DECRYPT not in directions:
            raise RequestError(
                "directions: must have decrypt in it (architecture serial-shared-small-enc encrypts alone), "
                f"not {list(self.directions)}"
            )
        return SharedSmall(self.sbox, self.clock_gates, directions).design(name, preset)


class SerialBitEncSpecification(Specification):
    """Fields of the `serial-bit-enc` architecture: a bit of state and key in a clock, held by clock gates."""

    architecture: Literal["serial-bit-enc"] = "serial-bit-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    sbox: str = Field(default="reyhani2018", description="an S-box of the catalogue with a forward function")
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not."""
        return BitSerial(self.sbox, self.clock_gates).design(name, preset)


class SerialSmallEncSpecification(Specification):
    """Fields of the `serial-small-enc` architecture: encryption in as few gates as the project can."""

    architecture: Literal["serial-small-enc"] = "serial-small-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    sbox: str = Field(default="reyhani2018", description="an S-box of the catalogue with a forward function")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not."""
        return Small(False, self.sbox).design(name, preset)


class SerialMemoryEncSpecification(Specification):
    """Fields of the `serial-memory-enc` architecture: state and keys in a memory, for FPGAs."""

    architecture: Literal["serial-memory-enc"] = "serial-memory-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    sbox: str = Field(default="table", description="with gates: an S-box of the catalogue with a forward function")
    multiples: Literal["table", "gates"] = Field(
        default="table",
        description="S-box and MixColumns' factors: a table of 1,024 bytes, which may be a block memory, or gates",
    )

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that has no forward function."""
        return Memory(self.sbox, self.multiples == "gates").design(name, preset)


class SerialEncdecSpecification(Specification):
    """Fields of the `serial-encdec` architecture: both directions in as few gates as the project can."""

    architecture: Literal["serial-encdec"] = "serial-encdec"
    directions: tuple[Literal["encrypt"], Literal["decrypt"]] = Field(default=("encrypt", "decrypt"), strict=False)
    key_bits: Literal[128] = 128
    sbox: str = Field(default="reyhani2018", description="an S-box of the catalogue with a combined function")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that has no combined function."""
        return Small(True, self.sbox).design(name, preset)


PRESETS: dict[str, Specification] = {
    **{f"wang2010-s{stages}-enc": Wang2010EncSpecification(stages=stages) for stages in STAGES},
    **{f"wang2010-s4-enc-{bits}": Wang2010EncSpecification(key_bits=bits) for bits in (192, 256)},
    "hamalainen2006-enc": Hamalainen2006EncSpecification(),
    "serial-shared-enc": SerialSharedEncSpecification(),
    "serial-shared-gated-enc": SerialSharedEncSpecification(clock_gates=True),
    **{
        f"serial-shared-gated-enc-{bits}": SerialSharedEncSpecification(clock_gates=True, key_bits=bits)
        for bits in (192, 256)
    },
    "serial-shared-keyed-enc": SerialSharedEncSpecification(key="with-block"),
    "serial-shared-keyed-gated-enc": SerialSharedEncSpecification(key="with-block", clock_gates=True),
    **{
        f"serial-shared-keyed-gated-enc-{bits}": SerialSharedEncSpecification(
            key="with-block", clock_gates=True, key_bits=bits
        )
        for bits in (192, 256)
    },
    "serial-shared16-gated-enc": SerialShared16EncSpecification(clock_gates=True),
    "serial-shared16-keyed-gated-enc": SerialShared16EncSpecification(key="with-block", clock_gates=True),
    "serial-shared-small-enc": SerialSharedSmallEncSpecification(clock_gates=True),
    "serial-shared-encdec": SerialSharedEncdecSpecification(clock_gates=True),
    "serial-shared-dec": SerialSharedEncdecSpecification(directions=("decrypt",), clock_gates=True),
    "serial-bit-enc": SerialBitEncSpecification(clock_gates=True),
    "serial-small-enc": SerialSmallEncSpecification(),
    "serial-encdec": SerialEncdecSpecification(),
    "serial-memory-enc": SerialMemoryEncSpecification(),
}

FAMILY = Family(
    name="byte-serial",
    title="8-bit or 16-bit channels, a data path of two bytes, a byte or a bit, one or two S-boxes",
    specifications=(
        Wang2010EncSpecification,
        Hamalainen2006EncSpecification,
        SerialSharedEncSpecification,
        SerialShared16EncSpecification,
        SerialSharedSmallEncSpecification,
        SerialSharedEncdecSpecification,
        SerialBitEncSpecification,
        SerialSmallEncSpecification,
        SerialEncdecSpecification,
        SerialMemoryEncSpecification,
    ),
    presets=PRESETS,
    rounds_in_hardware=None,
    stages_of="of the S-box",
    words={
        "stages": NameWord("r", always=True),
        "key": NameWord("keyed", lambda _: ""),
        "clock_gates": NameWord("gated", lambda _: ""),
        "multiples": NameWord("gates", lambda _: ""),
    },
    published={
        "hamalainen2006-enc": (wang2010.published_figures(hamalainen2006.REFERENCE, hamalainen2006.LATENCY_CYCLES),),
    },
)
