"""The top module of an engine that can be cleared: the engine inside, all of whose registers a clear takes to what they
are after reset or to 0, and what keeps streams whole where messages are cut; wires only.
"""

from __future__ import annotations

from dataclasses import replace

from aesmith.cores.ports import CLEAR, Channel, Meaning, Payload, PayloadKind, PortDirection, Ports
from aesmith.cores.wrapper import bit_ranges, declarations

FRAME = "stream_clear"
"""The module that stands around the engine inside."""
INSIDE = "u_engine"
"""The instance of that engine."""
CLEARED = Channel("cleared", PortDirection.OUTPUT, (Payload("cleared_o", 1, Meaning.CLEARED, PayloadKind.CONTROL),))
"""The side output of an engine that can be cleared."""

_MOVED = {
    "key_ready_o": "inside_key_ready",
    **{f"s_axis_cmd_{line}": f"inside_cmd_{line}" for line in ("tvalid", "tready")},
    **{f"s_axis_{line}": f"inside_s_{line}" for line in ("tvalid", "tready")},
    **{f"m_axis_{line}": f"inside_m_{line}" for line in ("tvalid", "tready", "tdata", "tkeep", "tuser", "tlast")},
}
"""Ports of the engine inside that are not those of the top, and the lines that they are at."""
_SEEN = ("clk_i", "rst_ni", "clear_i", "cleared_o", "key_valid_i", "s_axis_tlast")
"""Ports of the top that its frame looks at or drives beside those."""


def clearable_interface(ports: Ports, *, inside: bool) -> Ports:
    """An engine's ports with those of its clear; `inside` another one it is cleared, and does not say so."""
    return replace(ports, channels=(CLEAR, *ports.channels, *[CLEARED] * (not inside)))


def clear_top(name: str, *, title: str, ports: Ports, inside: str, inside_ports: Ports) -> str:
    """The module `name` with these ports around the engine `inside`, which has the same but for `cleared_o`."""
    word, user = (ports.channel("stream out").find(meaning) for meaning in (Meaning.STREAM, Meaning.USER))
    assert word is not None
    assert user is not None
    lines = [
        f"// {title}, which can be cleared.",
        f"module {name} (",
        declarations(ports),
        ");",
        *(f"  logic {bit_ranges(inside_ports.port(port))}{line};" for port, line in _MOVED.items()),
        "",
        f"  {inside} {INSIDE} (",
        ",\n".join(f"    .{p.name}{f'({_MOVED[p.name]})' if p.name in _MOVED else ''}" for p in inside_ports),
        "  );",
        "",
        f"  {name}_{FRAME} #(",
        f"    .WordBits({word.width}),",
        f"    .UserBits({user.width})",
        "  ) u_frame (",
        ",\n".join(f"    .{pin}" for pin in (*_SEEN, *_MOVED, *_MOVED.values())),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"
