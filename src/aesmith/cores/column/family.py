"""The family of cores of 32 bits: fields of its architectures, and presets."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aesmith.cores.column.encryption import ColumnEnc
from aesmith.cores.design import CoreDesign
from aesmith.cores.family import Family, NameWord, Specification
from aesmith.cores.narrow import COLUMNS, AroundSbox
from aesmith.errors import RequestError


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
    clock_gates: bool = Field(default=False, description="hold registers by clock gates instead of clock enables")

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for an S-box that there is not, or that has not so many stages, and for a bare
        output: state + round key stand there, and where the state is known, as after `clear_i`, that is the key.
        """
        if self.output == "bare":
            raise RequestError("output: must be 'quiet' or 'registered' (bare, it would show round keys), not 'bare'")
        surroundings = AroundSbox(self.cut, COLUMNS.after)
        return ColumnEnc(self.stages, self.sbox, self.clock_gates, surroundings).design(name, preset)


FAMILY = Family(
    name="column",
    title="32-bit data path, four S-boxes for state and key",
    specifications=(ColumnEncSpecification,),
    presets={
        "column-enc": ColumnEncSpecification(),
        "column-gated-enc": ColumnEncSpecification(clock_gates=True),
    },
    rounds_in_hardware=None,
    stages_of="of the S-boxes",
    words={
        "stages": NameWord("r", always=True),
        "cut": NameWord("cut"),
        "clock_gates": NameWord("gated", lambda _: ""),
    },
)
