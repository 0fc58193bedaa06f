"""The top module of an engine with a register for a beat before it and one for an answer behind it; wires only.

An engine of whole beats that takes them one after the other holds a beat at its input until the answer leaves. Where
the beat comes in words, and leaves in words, they do so while the core works on another one.
"""

from __future__ import annotations

from aesmith.cores.ports import Ports
from aesmith.cores.wrapper import bit_ranges, declarations
from aesmith.modes.narrow_top import is_of_stream

BEAT_REGISTERS = ("beat_registers",)
"""The module of both registers."""
DIRECT = "u_engine"
"""The instance of the engine between them."""
CODE = "error_o"
_INNER = {"s": "beat", "m": "answer"}


def _line_of(name: str) -> str:
    """What a line between the engine and the registers is called."""
    return "answer_code" if name == CODE else f"{_INNER[name[0]]}{name.removeprefix(f'{name[0]}_axis')}"


def beats_top(name: str, *, title: str, ports: Ports, direct: str, direct_ports: Ports) -> str:
    """The module `name` around the engine `direct`, which has the same ports."""
    moved = [port for port in direct_ports if is_of_stream(port) or port.name == CODE]
    lines_of = {port.name: _line_of(port.name) for port in moved}
    pins = ["    .clk_i", "    .rst_ni", *(f"    .{pin}" for pin in (*lines_of, *lines_of.values()))]
    lines = [
        f"// {title}, between registers for beats.",
        f"module {name} (",
        declarations(ports),
        ");",
        *(f"  logic {bit_ranges(port)}{lines_of[port.name]};" for port in moved),
        "",
        f"  {direct} {DIRECT} (",
        ",\n".join(
            f"    .{port.name}" + (f"({lines_of[port.name]})" if port in moved else "") for port in direct_ports
        ),
        "  );",
        "",
        f"  {name}_{BEAT_REGISTERS[0]} u_beats (",
        ",\n".join(pins),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"
