"""`hamalainen2006-enc`: two S-boxes, one for data and one for key, on bytes (Hämäläinen et al., 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.narrow import round_constants_source, sbox_source
from aesmith.cores.ports import block_interface
from aesmith.cores.serial import wang2010
from aesmith.cores.sources import PackagedCore, packaged_sources
from aesmith.publications import Publication, PublishedRow

CORE = "serial_hamalainen2006_core"
CYCLES_PER_BLOCK = 160
LATENCY_CYCLES = 176
"""16 clocks of loading, nine rounds of 16, and 16 of unloading, which is the loading of the next block."""

_PORTS = block_interface((128,), (Direction.ENCRYPT,), 8)
_MODULES = (
    "serial_clock_enable",
    "serial_key_store",
    "serial_column_shift",
    "serial_shift_rows",
    "serial_mix_columns",
    "serial_hamalainen2006_key_expansion",
    "serial_hamalainen2006_data_path",
    "serial_hamalainen2006_sequencer",
    CORE,
)

PUBLICATION = Publication(
    "hamalainen2006",
    "P. Hämäläinen, T. Alho, M. Hännikäinen, T. D. Hämäläinen",
    "Design and Implementation of Low-Area and Low-Power AES Encryption Hardware Core",
    "9th EUROMICRO Conference on Digital System Design (DSD)",
    2006,
)

REFERENCE = PublishedRow(
    wang2010.PUBLICATION,
    "table 3",
    "Reference design",
    {"area": 2815, "fmax": 69, "clocks": CYCLES_PER_BLOCK, "throughput": 55.6},
)
"""Area in GE, frequency in MHz, throughput in Mbps."""


@dataclass(frozen=True)
class Hamalainen2006Enc:
    """The core with an S-box of the catalogue, unpipelined. `clock_gates` freezes registers by gated clocks."""

    sbox: str = "canright2005"
    clock_gates: bool = False

    def sources(self, name: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        # The last round of a block is the one in which the next block's key schedule begins.
        leaves = (round_constants_source(name, (*range(1, 11), 1)), sbox_source(name, self.sbox, 1))
        modules = ("clock_gate", *_MODULES) if self.clock_gates else _MODULES
        about = "AES-128 encryption on bytes with two S-boxes: after Hamalainen et al., DSD 2006."
        core = PackagedCore(CORE, {"ClockGates": self.clock_gates})
        return (*leaves, *packaged_sources(name, modules), core.top(name, _PORTS, about))

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        return CoreDesign(
            name=name,
            preset=preset,
            title="AES-128 encryption on bytes, two S-boxes, 16 cycles per round",
            sources=Sources(partial(self.sources, name)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=_PORTS,
            cycles_per_block=CYCLES_PER_BLOCK,
            latency_cycles=LATENCY_CYCLES,
            parameters={"key_bits": 128, "sbox": self.sbox, "clock_gates": self.clock_gates},
            publication=PUBLICATION,
        )
