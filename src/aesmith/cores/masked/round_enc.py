"""`masked-round-enc`: round-based encryption on shares, the state in the registers of its masked S-boxes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from aesmith.circuits.linear import linear_map
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign, Direction, SourceFile, Sources
from aesmith.cores.masked.generator import NOT_INSIDE
from aesmith.cores.ports import (
    Channel,
    Line,
    Meaning,
    Payload,
    PayloadKind,
    PortDirection,
    Ports,
    block_interface,
)
from aesmith.cores.sources import PackagedCore, leaf_source, packaged_sources
from aesmith.fields import aes
from aesmith.masking.sbox import masked_sbox
from aesmith.masking.sharing import MaskedCircuit
from aesmith.publications import Publication

CORE = "masked_round_core"
SBOXES = 20
"""16 for the state, four for the key."""

PUBLICATION = Publication(
    "knichel2022",
    "D. Knichel, A. Moradi",
    "Low-Latency Hardware Private Circuits",
    "ACM CCS 2022",
    2022,
)
"""The gadget, HPC3; S-box and core are our own."""


@dataclass(frozen=True)
class MaskedRoundEnc:
    """The core at an order of protection, with S-boxes of 3 or 4 clocks."""

    order: int = 1
    clocks: int = 4
    clock_gates: bool = True

    @property
    def shares(self) -> int:
        """Shares of each value."""
        return self.order + 1

    @property
    def fresh_bits(self) -> int:
        """Bits that an S-box takes in each clock: every stage has a block of its own."""
        return (30 if self.clocks == 4 else 40) * self.order * self.shares // 2

    @property
    def ports(self) -> Ports:
        """Those of the block interface in shares, and the channel of fresh bits."""
        plain = block_interface((128,), (Direction.ENCRYPT,))
        shared = (
            replace(
                channel,
                payloads=tuple(replace(p, kind=PayloadKind.SHARE, shares=self.shares) for p in channel.payloads),
            )
            for channel in plain.channels
        )
        word = Payload("random_i", SBOXES * self.fresh_bits, Meaning.RANDOM, PayloadKind.RANDOM)
        offered, taken = Line("random_valid_i"), Line("random_ready_o")
        random = Channel("random", PortDirection.INPUT, (word,), offered, taken, item="word of fresh bits")
        return replace(plain, channels=(*shared, random))

    def sources(self, name: str, title: str) -> tuple[SourceFile, ...]:
        """All files under the build's name, in compile order."""
        masked = masked_sbox(self.order, self.clocks)
        inner = f"{name}_sbox_shares"
        text = staged_systemverilog(
            masked.staged, f"Masked S-box of {self.shares} shares.", inner, enable=not self.clock_gates
        )
        mix_columns = linear_map(aes.column_matrix(aes.MIX_COLUMNS)).circuit("mix_columns")
        modules = ("masked_round_sequencer", "masked_round_share", CORE)
        control = ("clock_gate", "serial_clock_enable") if self.clock_gates else ("serial_clock_enable",)
        parameters = {
            "Shares": self.shares,
            "Clocks": self.clocks,
            "Fresh": self.fresh_bits,
            "ClockGates": self.clock_gates,
        }
        return (
            SourceFile(f"{inner}.sv", text),
            SourceFile(f"{name}_masked_sbox.sv", _in_arrays(masked, name, inner, self.clock_gates)),
            leaf_source(name, "mix_columns", mix_columns, "MixColumns of a column (FIPS-197), byte 0 lowest."),
            *packaged_sources(name, (*control, *modules)),
            PackagedCore(CORE, parameters).top(name, self.ports, title),
        )

    def design(self, name: str, preset: str) -> CoreDesign:
        """The whole core under the build's name."""
        title = f"AES-128 encryption masked at order {self.order}, {self.clocks} clocks a round"
        return CoreDesign(
            name=name,
            preset=preset,
            title=title,
            sources=Sources(partial(self.sources, name, title)),
            key_bits=(128,),
            directions=(Direction.ENCRYPT,),
            ports=self.ports,
            cycles_per_block=10 * self.clocks,
            latency_cycles=10 * self.clocks + 1,
            parameters={
                "key_bits": 128,
                "order": self.order,
                "clocks": self.clocks,
                "clock_gates": self.clock_gates,
            },
            publication=PUBLICATION,
            remarks=(
                f"Masked at order {self.order} with HPC3 gadgets: keys, blocks and results in {self.shares} shares. "
                f"In each of the {10 * self.clocks} clocks of a block it takes {SBOXES * self.fresh_bits} fresh random "
                "bits, and waits while none are offered.",
                NOT_INSIDE,
                "The stored key keeps the sharing in which it came, for all its blocks.",
            ),
        )


def _in_arrays(masked: MaskedCircuit, name: str, inner: str, clock_gates: bool) -> str:
    """Module `<name>_masked_sbox`: the S-box with its shares, and the fresh bits of all stages, in arrays."""
    shares = range(masked.shares)
    pins = [".clk_i"] if clock_gates else [".clk_i", ".enable_i"]
    pins += [f".x_{i}_i(x_i[{i}])" for i in shares]
    low = 0
    for port in masked.staged.circuit.inputs:
        if port.name.startswith("random"):
            pins.append(f".{port.name}_i(random_i[{low + port.width - 1}:{low}])")
            low += port.width
    pins += [f".y_{i}_o(y_o[{i}])" for i in shares]
    unused = ["  logic unused_enable;", "  assign unused_enable = enable_i;"] if clock_gates else []
    lines = [
        "// The masked S-box with its shares in arrays, share 0 first; fresh bits of its first stage lowest.",
        f"module {name}_masked_sbox (",
        "  input  logic clk_i,",
        "  input  logic enable_i,",
        f"  input  logic [{masked.shares - 1}:0][7:0] x_i,",
        f"  input  logic [{low - 1}:0] random_i,",
        f"  output logic [{masked.shares - 1}:0][7:0] y_o",
        ");",
        *unused,
        f"  {inner} u_shares (",
        ",\n".join(f"    {pin}" for pin in pins),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"
