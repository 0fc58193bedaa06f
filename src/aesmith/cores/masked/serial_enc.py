"""`masked-serial-enc`: encryption on shares of bytes around one masked S-box, in rounds of 20 clocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.masked.parts import PUBLICATION, fresh_bits, in_shares, masked_remarks, masked_sbox_sources
from aesmith.cores.narrow import round_constants_source, with_block
from aesmith.cores.ports import Ports, block_interface
from aesmith.cores.sources import PackagedCore, packaged_sources

PASS = 20
"""Clocks of a round: 16 bytes of state and the four ranks of the S-box turn once."""
CLOCKS = 4
"""Those of the S-box."""

_NUMBERS = (3, 5, 14, 2, 6, 11, 12, 4, 13, 7)
"""What the core numbers round keys by: the powers 4, 8 … 40 of x modulo x^4 + x^3 + 1."""

_MODULES = (
    "serial_clock_enable",
    "masked_serial_sequencer",
    "masked_serial_share",
    "masked_serial_ring",
)


@dataclass(frozen=True)
class MaskedSerialEnc:
    """The core at an order of protection. `clock_gates` holds registers by gated clocks.

    Its key is kept until the next, or comes with each block, a byte with each of its bytes.
    """

    order: int = 1
    clock_gates: bool = True
    key_kept: bool = True

    @property
    def shares(self) -> int:
        """Shares of each value."""
        return self.order + 1

    @property
    def ports(self) -> Ports:
        """Those of the block interface, of bytes in shares, and the channel of fresh bits."""
        plain = block_interface((128,), (Direction.ENCRYPT,), 8)
        if not self.key_kept:
            plain = with_block(plain, 8)
        return in_shares(plain, self.shares, fresh_bits(self.order, CLOCKS))

    def sources(self, name: str, title: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        gates = ("clock_gate",) if self.clock_gates else ()
        keys = ("masked_serial_key_share",) if self.key_kept else ()
        core = "masked_serial_core" if self.key_kept else "masked_serial_keyed_core"
        parameters = {
            "Shares": self.shares,
            "Fresh": fresh_bits(self.order, CLOCKS),
            "ClockGates": self.clock_gates,
        }
        return (
            *masked_sbox_sources(name, self.order, CLOCKS, clock_gates=self.clock_gates),
            round_constants_source(name, [_NUMBERS.index(x) + 1 if x in _NUMBERS else 0 for x in range(16)]),
            *packaged_sources(name, (*gates, *_MODULES, *keys, core)),
            PackagedCore(core, parameters).top(name, self.ports, title),
        )

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        key = "" if self.key_kept else ", the key with each block"
        title = f"AES-128 encryption on bytes masked at order {self.order}, one S-box, {PASS} clocks a round{key}"
        clocks = 16 + 10 * PASS
        kept = ("The stored key keeps the sharing in which it came, for all its blocks.",) if self.key_kept else ()
        return CoreDesign(
            name=name,
            preset=preset,
            title=title,
            sources=Sources(partial(self.sources, name, title)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=clocks,
            latency_cycles=clocks,
            parameters={
                "key_bits": 128,
                "order": self.order,
                "key": "kept" if self.key_kept else "with-block",
                "clock_gates": self.clock_gates,
            },
            publication=PUBLICATION,
            remarks=(
                *masked_remarks(self.order, clocks, fresh_bits(self.order, CLOCKS)),
                *kept,
            ),
        )
