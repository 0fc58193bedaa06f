"""What masked cores have in common: their ports, and their S-box with its shares and fresh bits in arrays."""

from __future__ import annotations

from dataclasses import replace

from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import SourceFile
from aesmith.cores.masked.generator import NOT_INSIDE
from aesmith.cores.ports import Channel, Line, Meaning, Payload, PayloadKind, PortDirection, Ports
from aesmith.masking.sbox import masked_inverter, masked_sbox
from aesmith.masking.sharing import MaskedCircuit
from aesmith.publications import Publication

PUBLICATION = Publication(
    "knichel2022",
    "D. Knichel, A. Moradi",
    "Low-Latency Hardware Private Circuits",
    "ACM CCS 2022",
    2022,
)
"""The gadget, HPC3; S-box and cores are our own."""


def masked_remarks(order: int, clocks: int, random_width: int) -> tuple[str, ...]:
    """Sentences for the datasheet of a core at an order, whose block takes so many clocks, and each of these a word of
    fresh bits."""
    return (
        f"Masked at order {order} with HPC3 gadgets: keys, blocks and results in {order + 1} shares. In each of the "
        f"{clocks} clocks of a block it takes {random_width} fresh random bits, and waits while none are offered.",
        NOT_INSIDE,
    )


def fresh_bits(order: int, clocks: int) -> int:
    """Bits that an S-box takes in each clock: every stage has a block of its own."""
    return (30 if clocks == 4 else 40) * order * (order + 1) // 2


def in_shares(plain: Ports, shares: int, random_width: int) -> Ports:
    """The ports with keys, blocks and results in shares, and a channel of fresh bits."""
    channels = (
        replace(
            channel,
            payloads=tuple(
                replace(load, kind=PayloadKind.SHARE, shares=shares) if load.kind is PayloadKind.DATA else load
                for load in channel.payloads
            ),
        )
        for channel in plain.channels
    )
    word = Payload("random_i", random_width, Meaning.RANDOM, PayloadKind.RANDOM)
    offered, taken = Line("random_valid_i"), Line("random_ready_o")
    random = Channel("random", PortDirection.INPUT, (word,), offered, taken, item="word of fresh bits")
    return replace(plain, channels=(*channels, random))


def masked_sbox_sources(name: str, order: int, clocks: int, *, clock_gates: bool) -> tuple[SourceFile, ...]:
    """Modules `<name>_sbox_shares` and, around it, `<name>_masked_sbox`."""
    return _sources(masked_sbox(order, clocks), name, "sbox", "S-box", clock_gates=clock_gates)


def masked_inverter_sources(name: str, order: int, clocks: int, *, clock_gates: bool) -> tuple[SourceFile, ...]:
    """Modules `<name>_inverter_shares` and, around it, `<name>_masked_inverter`."""
    return _sources(masked_inverter(order, clocks), name, "inverter", "inverter", clock_gates=clock_gates)


def _sources(masked: MaskedCircuit, name: str, word: str, what: str, *, clock_gates: bool) -> tuple[SourceFile, ...]:
    inner, outer = f"{name}_{word}_shares", f"{name}_masked_{word}"
    header = f"Masked {what} of {masked.shares} shares."
    text = staged_systemverilog(masked.staged, header, inner, enable=not clock_gates)
    around = _in_arrays(masked, outer, inner, what, clock_gates=clock_gates)
    return SourceFile(f"{inner}.sv", text), SourceFile(f"{outer}.sv", around)


def _in_arrays(masked: MaskedCircuit, name: str, inner: str, what: str, *, clock_gates: bool) -> str:
    """Module `name`: the S-box with its shares, and the fresh bits of all stages, in arrays."""
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
        f"// The masked {what} with its shares in arrays, share 0 first; fresh bits of its first stage lowest.",
        f"module {name} (",
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
