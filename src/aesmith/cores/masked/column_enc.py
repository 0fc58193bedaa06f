"""`masked-column-enc`: encryption on shares a column at a time, four masked S-boxes for state and key.

A round is four columns and three slots more, in which the last of them is in the S-boxes, and a word of the key enters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.masked.parts import PUBLICATION, fresh_bits, in_shares, masked_remarks, masked_sbox_sources
from aesmith.cores.narrow import mix_columns_source
from aesmith.cores.ports import Ports, block_interface
from aesmith.cores.sources import PackagedCore, packaged_sources

CORE = "masked_column_core"
SBOXES = 4
ROUNDS = 10
WORD = 32
WORDS = 4
"""Words of a key, a block and a result."""


@dataclass(frozen=True)
class MaskedColumnEnc:
    """The core at an order of protection, with S-boxes of 3 or 4 clocks, and channels of 32 bits in each share."""

    order: int = 1
    clocks: int = 4
    clock_gates: bool = True

    @property
    def shares(self) -> int:
        """Shares of each value."""
        return self.order + 1

    @property
    def random_bits(self) -> int:
        """Bits of a word of fresh bits: every stage of every S-box has a block of its own."""
        return SBOXES * fresh_bits(self.order, self.clocks)

    @property
    def ports(self) -> Ports:
        """Those of the block interface with words of 32 bits, in shares, and the channel of fresh bits."""
        return in_shares(block_interface((128,), (Direction.ENCRYPT,), WORD), self.shares, self.random_bits)

    def sources(self, name: str, title: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        gates = ("clock_gate",) if self.clock_gates else ()
        parts = ("masked_column_sequencer", "masked_column_share", CORE)
        parameters = {
            "Shares": self.shares,
            "Clocks": self.clocks,
            "Fresh": fresh_bits(self.order, self.clocks),
            "ClockGates": self.clock_gates,
        }
        return (
            *masked_sbox_sources(name, self.order, self.clocks, clock_gates=self.clock_gates),
            mix_columns_source(name),
            *packaged_sources(name, (*gates, "serial_clock_enable", *parts)),
            PackagedCore(CORE, parameters).top(name, self.ports, title),
        )

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        clocks = ROUNDS * (self.clocks + 3)
        title = f"AES-128 encryption on columns masked at order {self.order}, four S-boxes, {clocks} clocks a block"
        return CoreDesign(
            name=name,
            preset=preset,
            title=title,
            sources=Sources(partial(self.sources, name, title)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=clocks,
            latency_cycles=clocks + WORDS,
            parameters={
                "key_bits": 128,
                "order": self.order,
                "clocks": self.clocks,
                "clock_gates": self.clock_gates,
            },
            publication=PUBLICATION,
            remarks=(
                *masked_remarks(self.order, clocks, self.random_bits),
                "The stored key keeps the sharing in which it came, for all its blocks.",
            ),
        )
