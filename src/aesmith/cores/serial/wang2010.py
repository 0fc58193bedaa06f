"""`wang2010-s1-enc` to `wang2010-s5-enc`: one pipelined S-box for data and key, on bytes (Wang and Heys, 2010)."""

from __future__ import annotations

from dataclasses import dataclass

from aesmith.cores.design import CoreDesign, Direction, PublishedFigures, SourceFile
from aesmith.cores.serial.parts import round_constants_source, sbox_source, with_parameters
from aesmith.cores.sources import rtl_source
from aesmith.errors import RequestError
from aesmith.publications import PUBLICATIONS

TOP = "serial_wang2010_enc"
STAGES = range(1, 6)
OVERLAP = 3
"""Clocks in which one block leaves while the next comes in (section III.E)."""

_MODULES = (
    "serial_clock_enable",
    "serial_key_store",
    "serial_column_shift",
    "serial_shift_rows",
    "serial_mix_columns",
    "serial_wang2010_key_expansion",
    "serial_wang2010_data_path",
    "serial_wang2010_sequencer",
    TOP,
)

PUBLISHED = PublishedFigures(
    "table 3, row “Proposed”",
    "minimum area, TSMC 0.18 µm, without control logic; latency and efficiency follow from its clocks and throughput",
    2749,
    246 / 0.233,
    233,
    117.6e3 / 2749,
)


def latency_cycles(stages: int) -> int:
    """Clocks from the first byte of a block to the last of its result: 16 of loading, and 10 rounds of 19 + stages.

    With less than four stages the result waits in MixColumns until the last bytes of the state have passed the adder.
    """
    return 16 + 10 * (19 + stages) + max(0, 4 - stages)


@dataclass(frozen=True)
class Wang2010Enc:
    """The core with an S-box of the catalogue in 1 to 5 stages. `clock_gates` freezes registers by gated clocks.

    Raises RequestError for a number of stages that the architecture or the S-box does not have.
    """

    stages: int
    sbox: str = "canright2005"
    clock_gates: bool = False

    def __post_init__(self) -> None:
        if self.stages not in STAGES:
            raise RequestError(
                "stages: must be 1 to 5 (with more, the key bytes that turn would meet bytes 12 to 15), "
                f"not {self.stages}"
            )

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        leaves = (round_constants_source(name, range(1, 11)), sbox_source(name, self.sbox, self.stages))
        modules = ("clock_gate", *_MODULES) if self.clock_gates else _MODULES
        files = {module: rtl_source(name, module, TOP) for module in modules}
        files[TOP] = with_parameters(files[TOP], {"SboxStages": self.stages, "ClockGates": int(self.clock_gates)})
        return leaves + tuple(files.values())

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        latency = latency_cycles(self.stages)
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-128 encryption on bytes, one S-box in {self.stages} stage{'s' if self.stages > 1 else ''}",
            sources=self.sources(name),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            block_width=8,
            cycles_per_block=latency - OVERLAP,
            latency_cycles=latency,
            parameters={
                "key_bits": 128,
                "stages": self.stages,
                "sbox": self.sbox,
                "clock_gates": self.clock_gates,
            },
            publication=PUBLICATIONS["wang2010"],
            published=(PUBLISHED,) if self.stages == 4 else (),
        )
