"""Ports of designs that are not cores of this project, and modules that have them."""

from __future__ import annotations

from aesmith.cores.ports import ByteOrder, Channel, Line, Meaning, Payload, PayloadKind, PortDirection, Ports, Reset
from aesmith.cores.wrapper import declarations

IN, OUT = PortDirection.INPUT, PortDirection.OUTPUT
CONTROL = PayloadKind.CONTROL


def stream(name: str, direction: PortDirection, prefix: str, width: int) -> Channel:
    """An AXI4-Stream channel with all that goes beside its data."""
    return Channel(
        name,
        direction,
        (
            Payload(f"{prefix}_tdata", width, Meaning.STREAM),
            Payload(f"{prefix}_tkeep", width // 8, Meaning.KEEP, CONTROL),
            Payload(f"{prefix}_tlast", 1, Meaning.LAST, CONTROL),
            Payload(f"{prefix}_tuser", 2, Meaning.USER, CONTROL),
        ),
        Line(f"{prefix}_tvalid"),
        Line(f"{prefix}_tready"),
        ByteOrder.FIRST_BYTE_LOW,
        "beat",
    )


RANDOM = Channel(
    "random",
    IN,
    (Payload("random_i", 68, Meaning.RANDOM, PayloadKind.RANDOM),),
    Line("random_valid_i"),
    Line("random_ready_o"),
    item="word of random bits",
)
CLEAR = Channel("clear", IN, (Payload("clear_i", 1, Meaning.CLEAR, CONTROL),))
ENGINE = Ports(
    "clk_i",
    Reset("rst_ni"),
    (
        Channel(
            "key",
            IN,
            (Payload("key_i", 128, Meaning.KEY, PayloadKind.SHARE, shares=3),),
            Line("key_valid_i"),
            Line("key_ready_o"),
        ),
        RANDOM,
        stream("text", IN, "s_axis", 64),
        stream("answer", OUT, "m_axis", 64),
        CLEAR,
    ),
)
"""A masked engine on a stream: shares, random bits, what goes beside the data, and a side input."""

STROBES = Ports(
    "clk",
    Reset("reset", active=1, synchronous=True),
    (
        Channel("block", IN, (Payload("din", 128, Meaning.BLOCK),), Line("start"), Line("busy", active=0)),
        Channel("result", OUT, (Payload("dout", 128, Meaning.RESULT),), Line("done")),
    ),
)
"""A design of somebody else's: a start that counts while it is not busy, and the end of its work as a strobe."""


def empty_module(name: str, ports: Ports, *, verilog: bool = False) -> str:
    """A module with these ports that does nothing."""
    outputs = [f"  assign {port.name} = 1'b0;" for port in ports if port.direction is OUT]
    return "\n".join([f"module {name} (", declarations(ports, verilog=verilog), ");", *outputs, "endmodule"]) + "\n"
