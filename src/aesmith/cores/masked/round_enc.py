"""`masked-round-enc`: round-based encryption on shares, the state in the registers of its masked S-boxes.

One block goes round in their ranks, or one in each of them: then all are in the same round, of the same key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.circuits.linear import linear_map
from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.masked.parts import PUBLICATION, fresh_bits, in_shares, masked_remarks, masked_sbox_sources
from aesmith.cores.ports import Ports, block_interface
from aesmith.cores.sources import PackagedCore, leaf_source, packaged_sources
from aesmith.fields import aes

SBOXES = 20
"""16 for the state, four for the key."""


@dataclass(frozen=True)
class MaskedRoundEnc:
    """The core at an order of protection, with S-boxes of 3 or 4 clocks; with `ring` a block in each of their ranks."""

    order: int = 1
    clocks: int = 4
    clock_gates: bool = True
    ring: bool = False

    @property
    def shares(self) -> int:
        """Shares of each value."""
        return self.order + 1

    @property
    def fresh_bits(self) -> int:
        """Bits that an S-box takes in each clock: every stage has a block of its own."""
        return fresh_bits(self.order, self.clocks)

    @property
    def ports(self) -> Ports:
        """Those of the block interface in shares, and the channel of fresh bits."""
        return in_shares(block_interface((128,), (Direction.ENCRYPT,)), self.shares, SBOXES * self.fresh_bits)

    def sources(self, name: str, title: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        mix_columns = linear_map(aes.column_matrix(aes.MIX_COLUMNS)).circuit("mix_columns")
        kind = "masked_loop" if self.ring else "masked_round"
        modules = (f"{kind}_sequencer", f"{kind}_share", "masked_sboxes", f"{kind}_core")
        control = ("clock_gate", "serial_clock_enable") if self.clock_gates else ("serial_clock_enable",)
        parameters = {
            "Shares": self.shares,
            "Clocks": self.clocks,
            "Fresh": self.fresh_bits,
            "ClockGates": self.clock_gates,
        }
        return (
            *masked_sbox_sources(name, self.order, self.clocks, clock_gates=self.clock_gates),
            leaf_source(name, "mix_columns", mix_columns, "MixColumns of a column (FIPS-197), byte 0 lowest."),
            *packaged_sources(name, (*control, *modules)),
            PackagedCore(modules[-1], parameters).top(name, self.ports, title),
        )

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        together = f", {self.clocks} blocks at a time" if self.ring else ""
        title = f"AES-128 encryption masked at order {self.order}, {self.clocks} clocks a round{together}"
        return CoreDesign(
            name=name,
            preset=preset,
            title=title,
            sources=Sources(partial(self.sources, name, title)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=10 if self.ring else 10 * self.clocks,
            latency_cycles=10 * self.clocks + 1,
            parameters={
                "key_bits": 128,
                "order": self.order,
                "clocks": self.clocks,
                "blocks": "ring" if self.ring else "one",
                "clock_gates": self.clock_gates,
            },
            publication=PUBLICATION,
            remarks=(
                *masked_remarks(self.order, 10 * self.clocks, SBOXES * self.fresh_bits),
                "The stored key keeps the sharing in which it came, for all its blocks.",
                *([_TURNS.format(self.clocks)] if self.ring else []),
            ),
        )


_TURNS = (
    "{0} blocks go round together: they are taken in {0} clocks one after the other, while the results of the last {0} "
    "leave, and none for nine rounds after that. A key is taken in these, or while there is no block."
)
