"""`column-enc`: four S-boxes for state and key, a column of the state a clock, 50 clocks a block.

The next round key is made behind the word that is added, so its last word passes the S-boxes in the slot after the
columns, and their answer meets the first word in the next round's slot 0. With two stages a round is five slots, and
the S-boxes are idle in none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.narrow import AroundSbox, mix_columns_source, sbox_source
from aesmith.cores.ports import block_interface
from aesmith.cores.sources import PackagedCore, packaged_sources
from aesmith.errors import RequestError
from aesmith.publications import FIPS_197

STAGES = range(2, 5)
"""Stages of the S-box: with one, the answer to the key's word would come before the word it is added to."""

ROUNDS = 10
COLUMNS_OF_STATE = 4

_CORE = "column_core"
_MODULES = ("serial_clock_enable", "column_sequencer", "column_data_path", _CORE)
_PORTS = block_interface((128,), (Direction.ENCRYPT,))


def slots(stages: int) -> int:
    """Clocks of a round: four columns pass S-boxes of so many stages, and the last has left before the first enters."""
    return COLUMNS_OF_STATE + stages - 1


@dataclass(frozen=True)
class ColumnEnc:
    """The core with an S-box of the catalogue in 2 to 4 stages, cut at `before` (see `narrow.AroundSbox`).
    `clock_gates` holds registers by gated clocks.

    Raises RequestError for a number of stages that the architecture does not have.
    """

    stages: int
    sbox: str
    clock_gates: bool
    surroundings: AroundSbox

    def __post_init__(self) -> None:
        if self.stages not in STAGES:
            raise RequestError(
                f"stages: must be 2 to 4 (with one, a word of the key would have to be held), not {self.stages}"
            )

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        sbox = sbox_source(name, self.sbox, self.stages, surroundings=self.surroundings)
        gates = ("clock_gate",) if self.clock_gates else ()
        core = PackagedCore(_CORE, {"SboxStages": self.stages, "ClockGates": self.clock_gates})
        about = f"AES-128 encryption a column at a time, four S-boxes, {slots(self.stages)} clocks a round."
        rtl = packaged_sources(name, (*gates, *_MODULES))
        return (sbox, mix_columns_source(name), *rtl, core.top(name, _PORTS, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        clocks = ROUNDS * slots(self.stages)
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-128 encryption on columns, four S-boxes in {self.stages} stages, {clocks} clocks a block",
            sources=Sources(partial(self.sources, name)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=_PORTS,
            cycles_per_block=clocks,
            latency_cycles=clocks + 1,
            parameters={
                "key_bits": 128,
                "stages": self.stages,
                "sbox": self.sbox,
                "cut": self.surroundings.before,
                "clock_gates": self.clock_gates,
            },
            publication=FIPS_197,
        )
