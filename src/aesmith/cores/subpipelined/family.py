"""The family of sub-pipelined cores: fields of its one architecture, and presets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.family import Family, NameWord, Specification
from aesmith.cores.subpipelined.core import Subpipelined
from aesmith.cores.subpipelined.tables import SBoxForm
from aesmith.fields import aes

AllKeySizes = Annotated[tuple[Literal[128], Literal[192], Literal[256]], Field(strict=False)]
"""The key size is chosen with each key, by a port."""


class SubpipelinedSpecification(Specification):
    """Fields of the `subpipelined` architecture."""

    architecture: Literal["subpipelined"] = "subpipelined"
    directions: tuple[Literal["encrypt", "decrypt"], ...] = Field(
        default=("encrypt",), min_length=1, max_length=2, strict=False
    )
    key_bits: Literal[128, 192, 256] | AllKeySizes = Field(
        default=128, description="the key size; or all three, and it is chosen with each key"
    )
    # A pipeline already buffers its results: a register after the buffer is neither offered nor proved.
    output: Literal["quiet", "bare"] = Field(
        default="quiet",
        description="the value of block_o while no result is offered: 0, or whatever leaves the pipeline",
    )
    stages: int = Field(default=3, ge=1, le=10, description="pipeline stages of a round")
    rounds_in_loop: int | None = Field(
        default=None, ge=1, description="round units; a divisor of the number of rounds, by default all of them"
    )
    sbox: str = Field(default="zhang2004", description="an S-box of the catalogue with the functions it needs")
    sbox_form: SBoxForm = Field(
        default=SBoxForm.GATES,
        strict=False,
        description="what the data path's S-boxes are made of: gates, or tables in an FPGA's LUTs or memories",
    )
    cuts: Literal["pipeliner", "luts", "paper"] = Field(
        default="pipeliner",
        description="where the registers are: found by the pipeliner, by levels of gates or, for FPGAs, of LUTs; or "
        "as in the publication, the S-box's own if that has cuts",
    )

    key_agile: bool = Field(default=False, description="a new key may come with each block, without draining")
    skid_entries: int = Field(
        default=1,
        ge=1,
        le=4,
        description="results that find room while the pipeline stops: the clocks from that decision to its effect",
    )

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for a combination of values that no core has."""
        return self.core().design(name, preset)

    def core(self) -> Subpipelined:
        """The core's parameters, the directions in order and without repetition."""
        directions = tuple(direction for direction in Direction if direction.value in self.directions)
        selectable = isinstance(self.key_bits, tuple)
        key_bits = max(self.key_bits) if isinstance(self.key_bits, tuple) else self.key_bits
        units = self.rounds_in_loop or aes.rounds(key_bits)
        return Subpipelined(
            self.stages,
            units,
            key_bits,
            directions,
            self.sbox,
            self.cuts == "paper",
            self.key_agile,
            self.sbox_form,
            self.cuts == "luts",
            self.skid_entries,
            selectable,
        )


def _rounds_in_loop(design: CoreDesign) -> int:
    return int(str(design.parameters["rounds_in_loop"]))


PRESETS: dict[str, SubpipelinedSpecification] = {
    "zhang2004-r3-enc": SubpipelinedSpecification(stages=3, cuts="paper"),
    "zhang2004-r7-enc": SubpipelinedSpecification(stages=7, cuts="paper"),
    "zhang2004-r7-encdec": SubpipelinedSpecification(stages=7, cuts="paper", directions=("encrypt", "decrypt")),
    "zhang2004-r7-enc-192": SubpipelinedSpecification(stages=7, cuts="paper", key_bits=192),
    "zhang2004-r7-enc-256": SubpipelinedSpecification(stages=7, cuts="paper", key_bits=256),
    "lin2023-r9-encdec": SubpipelinedSpecification(
        stages=9, cuts="paper", sbox="lin2023", directions=("encrypt", "decrypt")
    ),
    "zhang2004-r3-enc-selectable": SubpipelinedSpecification(stages=3, cuts="paper", key_bits=(128, 192, 256)),
}

FAMILY = Family(
    name="sub-pipelined",
    title="any number of stages a round, and of rounds in the loop",
    specifications=(SubpipelinedSpecification,),
    presets=PRESETS,
    rounds_in_hardware=_rounds_in_loop,
    words={
        "stages": NameWord("r", always=True),
        "rounds_in_loop": NameWord("u", lambda rounds: "all" if rounds is None else str(rounds), always=True),
        "cuts": NameWord(""),
        "key_agile": NameWord("agile", lambda _: ""),
        "skid_entries": NameWord("skid"),
    },
)
