"""The family of masked cores: fields of its architectures, and presets."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign
from aesmith.cores.family import Family, NameWord, Specification
from aesmith.cores.masked.column_enc import MaskedColumnEnc
from aesmith.cores.masked.generator import MaskedSpecification
from aesmith.cores.masked.round_enc import MaskedRoundEnc
from aesmith.cores.masked.round_encdec import MaskedRoundEncdec
from aesmith.cores.masked.serial_enc import MaskedSerialEnc
from aesmith.errors import RequestError


class MaskedRoundEncSpecification(MaskedSpecification):
    """Fields of the `masked-round-enc` architecture: 20 masked S-boxes whose registers are the state."""

    architecture: Literal["masked-round-enc"] = "masked-round-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    order: int = Field(default=1, ge=1, le=5, description="order of protection: one less than shares")
    clocks: Literal[3, 4] = Field(default=4, description="clocks of a round; in 3 it takes more gates and fresh bits")
    blocks: Literal["one", "ring"] = Field(
        default="one", description="blocks at a time: one, or one in each rank of the S-boxes, all under one key"
    )
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core."""
        return MaskedRoundEnc(self.order, self.clocks, self.clock_gates, self.blocks == "ring").design(name, preset)


class MaskedRoundEncdecSpecification(MaskedSpecification):
    """Fields of the `masked-round-encdec` architecture: 20 masked inverters between maps of both directions."""

    architecture: Literal["masked-round-encdec"] = "masked-round-encdec"
    directions: tuple[Literal["encrypt"], Literal["decrypt"]] = Field(default=("encrypt", "decrypt"), strict=False)
    key_bits: Literal[128] = 128
    order: int = Field(default=1, ge=1, le=5, description="order of protection: one less than shares")
    clocks: Literal[3, 4] = Field(default=4, description="clocks of a round; in 3 it takes more gates and fresh bits")
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")
    gamma: int = Field(default=0x4F, ge=1, le=255, description="multiplicative offset of state and key; 1 is none")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core."""
        return MaskedRoundEncdec(self.order, self.clocks, self.clock_gates, self.gamma).design(name, preset)


class MaskedSerialEncSpecification(MaskedSpecification):
    """Fields of the `masked-serial-enc` architecture: one masked S-box for state and key, on bytes."""

    architecture: Literal["masked-serial-enc"] = "masked-serial-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    order: int = Field(default=1, ge=1, le=5, description="order of protection: one less than shares")
    key: Literal["kept", "with-block"] = Field(
        default="kept", description="kept until the next key, or with each block: a byte with each of its bytes"
    )
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core."""
        return MaskedSerialEnc(self.order, self.clock_gates, self.key == "kept").design(name, preset)


class MaskedColumnEncSpecification(MaskedSpecification):
    """Fields of the `masked-column-enc` architecture: four masked S-boxes for state and key, a column in a clock."""

    architecture: Literal["masked-column-enc"] = "masked-column-enc"
    directions: tuple[Literal["encrypt"]] = Field(default=("encrypt",), strict=False)
    key_bits: Literal[128] = 128
    order: int = Field(default=1, ge=1, le=5, description="order of protection: one less than shares")
    clocks: Literal[3, 4] = Field(
        default=4, description="clocks of the S-boxes; a round has three more; in 3 it takes more gates and fresh bits"
    )
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for a bare output: state + round key stand there, in shares."""
        if self.output == "bare":
            raise RequestError("output: must be 'quiet' or 'registered' (bare, it would show round keys), not 'bare'")
        return MaskedColumnEnc(self.order, self.clocks, self.clock_gates).design(name, preset)


PRESETS: dict[str, Specification] = {
    "masked-round-enc": MaskedRoundEncSpecification(),
    "masked-round-gated-enc": MaskedRoundEncSpecification(clock_gates=True),
    "masked-round-3-gated-enc": MaskedRoundEncSpecification(clocks=3, clock_gates=True),
    "masked-round-gated-trivium-enc": MaskedRoundEncSpecification(clock_gates=True, prng="trivium"),
    "masked-loop-enc": MaskedRoundEncSpecification(blocks="ring"),
    "masked-loop-gated-enc": MaskedRoundEncSpecification(blocks="ring", clock_gates=True),
    "masked-loop-3-gated-enc": MaskedRoundEncSpecification(blocks="ring", clocks=3, clock_gates=True),
    "masked-round-encdec": MaskedRoundEncdecSpecification(),
    "masked-round-gated-encdec": MaskedRoundEncdecSpecification(clock_gates=True),
    "masked-round-3-gated-encdec": MaskedRoundEncdecSpecification(clocks=3, clock_gates=True),
    "masked-serial-enc": MaskedSerialEncSpecification(),
    "masked-serial-gated-enc": MaskedSerialEncSpecification(clock_gates=True),
    "masked-serial-keyed-gated-enc": MaskedSerialEncSpecification(key="with-block", clock_gates=True),
    "masked-column-enc": MaskedColumnEncSpecification(),
    "masked-column-gated-enc": MaskedColumnEncSpecification(clock_gates=True),
    "masked-column-3-gated-enc": MaskedColumnEncSpecification(clocks=3, clock_gates=True),
}

FAMILY = Family(
    name="masked",
    title="shares at all ports, masked S-boxes, randomness by a channel",
    specifications=(
        MaskedRoundEncSpecification,
        MaskedRoundEncdecSpecification,
        MaskedSerialEncSpecification,
        MaskedColumnEncSpecification,
    ),
    presets=PRESETS,
    words={
        "order": NameWord("d", always=True),
        "clocks": NameWord("c", always=True),
        "blocks": NameWord("", lambda _: "loop"),
        "gamma": NameWord("g"),
        "key": NameWord("keyed", lambda _: ""),
        "clock_gates": NameWord("gated", lambda _: ""),
        "prng": NameWord(""),
        "prng_steps": NameWord("p"),
        "unmasked_ports": NameWord("plain"),
    },
)
