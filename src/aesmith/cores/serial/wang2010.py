"""`wang2010-s1-enc` to `wang2010-s5-enc`: one pipelined S-box for data and key, on bytes (Wang and Heys, 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.cores.design import CoreDesign, Direction, PublishedFigures, SourceFile, Sources
from aesmith.cores.narrow import sbox_source
from aesmith.cores.ports import Ports, block_interface
from aesmith.cores.sources import PackagedCore, packaged_sources
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.publications import Publication, PublishedRow

CORE = "serial_wang2010_core"
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
    CORE,
)

PUBLICATION = Publication(
    "wang2010",
    "C. Wang, H. M. Heys",
    "Using a Pipelined S-Box in Compact AES Hardware Implementations",
    "IEEE NEWCAS 2010",
    2010,
)

CONDITIONS = (
    "minimum area, TSMC 0.18 µm, without control logic; latency and efficiency follow from clocks and throughput"
)

PROPOSED = PublishedRow(
    PUBLICATION, "table 3", "Proposed", {"area": 2749, "fmax": 233, "clocks": 243, "throughput": 117.6}
)
"""Area in GE, frequency in MHz, throughput in Mbps."""


def latency_cycles(stages: int, key_bits: int = 128) -> int:
    """Clocks from the first byte of a block to the last of its result: 16 of loading, and rounds of 19 + stages.

    With less than four stages the result waits in MixColumns until the last bytes of the state have passed the adder.
    """
    return 16 + aes.rounds(key_bits) * (19 + stages) + max(0, 4 - stages)


def published_figures(row: PublishedRow, latency: int) -> PublishedFigures:
    """A row of table 3 for a core with this latency in clocks."""
    shown = ("area", "fmax", "throughput")
    area, fmax, throughput = (row.stated[figure] for figure in shown)
    return PublishedFigures(row.citation(*shown), CONDITIONS, area, 1e3 * latency / fmax, fmax, 1e3 * throughput / area)


@dataclass(frozen=True)
class Wang2010Enc:
    """The core with an S-box of the catalogue in 1 to 5 stages. `clock_gates` freezes registers by gated clocks.
    Keys have 128 bits, with 4 stages also 192 or 256.

    Raises RequestError for a number of stages that the architecture or the S-box does not have.
    """

    stages: int
    sbox: str = "boyar2012-derived"
    clock_gates: bool = False
    key_bits: int = 128

    def __post_init__(self) -> None:
        if self.stages not in STAGES:
            raise RequestError(
                "stages: must be 1 to 5 (with more, the key bytes that turn would meet bytes 12 to 15), "
                f"not {self.stages}"
            )
        if self.key_bits != 128 and self.stages != 4:
            raise RequestError(
                f"key_bits: must be 128 with {self.stages} stages; keys of 192 and 256 bits are for 4 stages, "
                f"not {self.key_bits}"
            )

    @property
    def ports(self) -> Ports:
        """Those of the block interface."""
        return block_interface((self.key_bits,), (Direction.ENCRYPT,), 8)

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        sbox = sbox_source(name, self.sbox, self.stages)
        modules = ("clock_gate", *_MODULES) if self.clock_gates else _MODULES
        parameters = {"SboxStages": self.stages, "KeyBytes": self.key_bits // 8, "ClockGates": self.clock_gates}
        about = f"AES-{self.key_bits} encryption on bytes with one S-box: after Wang and Heys, 2010."
        core = PackagedCore(CORE, parameters)
        return (sbox, *packaged_sources(name, modules), core.top(name, self.ports, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        latency = latency_cycles(self.stages, self.key_bits)
        stages = f"{self.stages} stage{'s' if self.stages > 1 else ''}"
        return CoreDesign(
            name=name,
            preset=preset,
            title=f"AES-{self.key_bits} encryption on bytes, one S-box in {stages}",
            sources=Sources(partial(self.sources, name)),
            key_bits=(self.key_bits,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=latency - OVERLAP,
            latency_cycles=latency,
            latency_spread=1,
            parameters={
                "key_bits": self.key_bits,
                "stages": self.stages,
                "sbox": self.sbox,
                "clock_gates": self.clock_gates,
            },
            publication=PUBLICATION,
        )
