"""The top module of an engine whose stream is narrower than a block: the engine of whole beats between two converters,
wires only.

Which of the engine's ports are lines of its streams their names say; all others go straight through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aesmith.cores.ports import Meaning, PortDeclaration, Ports
from aesmith.cores.wrapper import bit_ranges, declarations

CONVERTERS = ("stream_widen", "stream_narrow")
"""The modules that make beats of words, and words of beats."""
WIDE = "u_engine"
"""The instance of the engine between them."""
_STREAM = re.compile(r"([sm])_axis_t")
_WIRE = "wide_"
"""What the names of lines between the engine and the converters begin with."""


def is_of_stream(port: PortDeclaration) -> bool:
    """Whether a port is a line of one of the streams, whose beats are converted."""
    return _STREAM.match(port.name) is not None


def narrow_top(name: str, *, title: str, ports: Ports, wide: str, wide_ports: Ports) -> str:
    """The module `name` with these ports around the engine `wide`, which has the same ports but for their widths."""
    width = ports.payload(Meaning.STREAM).width
    lines = [
        f"// {title}, in words of {width} bits.",
        f"module {name} (",
        declarations(ports),
        ");",
        *(f"  logic {bit_ranges(port)}{_WIRE}{port.name};" for port in wide_ports if is_of_stream(port)),
        "",
        f"  {wide} {WIDE} (",
        ",\n".join(f"    .{port.name}{f'({_WIRE}{port.name})' * is_of_stream(port)}" for port in wide_ports),
        "  );",
        *_converter(name, CONVERTERS[0], width, ports, into="s"),
        *_converter(name, CONVERTERS[1], width, ports, into="m"),
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def _converter(name: str, module: str, width: int, ports: Ports, into: str) -> Iterator[str]:
    """The converter of the stream whose lines begin with `into`, which has words on that side."""
    lines = [port.name[1:] for port in ports if is_of_stream(port) and port.name[0] == into]
    pins = ["    .clk_i", "    .rst_ni"]
    for side in ("s", "m"):
        pins += [f"    .{side}{line}{f'({_WIRE}{into}{line})' * (side != into)}" for line in lines]
    yield from ("", f"  {name}_{module} #(", f"    .WordBits({width})", f"  ) u_{module.removeprefix('stream_')} (")
    yield from (",\n".join(pins), "  );")
