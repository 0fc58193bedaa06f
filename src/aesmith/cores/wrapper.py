"""Ports as SystemVerilog text: how a module declares them, an instance connects them, a wrapper changes them.

Whatever has a design inside (a test bench, a harness, a wrapper for a device, a core seen as another) gets its instance
from here, by what ports do (`PortDeclaration.role`) and never by their names:

    attach("my_core", design.ports, {"clock": "clk", "reset": Line("run", active=0), "key.valid": "offered", ...})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import SIZE_CODES, ByteOrder, Line, PortDeclaration, PortDirection, Ports
from aesmith.errors import RequestError

OPEN = ""
"""The signal of an output that is connected to nothing."""


def bit_ranges(port: PortDeclaration, *, verilog: bool = False) -> str:
    """The packed ranges of a port, `[2:0][127:0] ` with shares; one range of all bits for Verilog-2005."""
    if port.shares > 1 and not verilog:
        return f"[{port.shares - 1}:0][{port.width - 1}:0] "
    return f"[{port.bits - 1}:0] " if port.bits > 1 else ""


def declarations(ports: Ports, *, verilog: bool = False) -> str:
    """The ports between the brackets of a module's head, channels set apart; `verilog` for Verilog-2005."""
    kind = "wire" if verilog else "logic"
    declared = list(ports)
    lines = []
    for number, (channel, group) in enumerate(groupby(declared, key=lambda port: port.role.rpartition(".")[0])):
        lines += [""] * (number > 0 and bool(channel))
        for port in group:
            comma = "," * (port is not declared[-1])
            lines.append(f"  {port.direction:<6} {kind} {bit_ranges(port, verilog=verilog)}{port.name}{comma}")
    return "\n".join(lines)


def attach(
    module: str,
    ports: Ports,
    signals: Mapping[str, str | Line],
    *,
    instance: str = "u_core",
    parameters: Mapping[str, int | bool] | None = None,
    verilog: bool = False,
) -> str:
    """An instance of `module`, each of its ports at the signal that `signals` gives for its role.

    A signal is an expression, of an output a net, or OPEN. A `Line` is one with the level at which it means what its
    role says; where the port has the other level it is inverted on the way. Raises RequestError for a port without a
    signal, and for a signal that no port has the role of. A parameter that is a bool is one bit.
    """
    missing = [port.name for port in ports if port.role not in signals]
    spare = signals.keys() - {port.role for port in ports}
    if missing:
        raise RequestError(f"{module}: nothing is connected to {', '.join(missing)}")
    if spare:
        raise RequestError(f"{module}: has no port that is {', '.join(sorted(spare))}")
    before, after, pins = [], [], {}
    for port in ports:
        given = signals[port.role]
        signal = Line(given) if isinstance(given, str) else given
        if signal.active == port.active or signal.port == OPEN:
            pins[port.name] = signal.port
        elif port.direction is PortDirection.INPUT:
            pins[port.name] = f"!{signal.port}"
        else:
            pins[port.name] = f"{instance}_{port.name}"
            before.append(f"  wire {pins[port.name]};")
            after.append(f"  assign {signal.port} = !{pins[port.name]};")
    values = {
        name: f"1'b{value:d}" if isinstance(value, bool) else str(value) for name, value in (parameters or {}).items()
    }
    head = f"#(\n{_pins(values, verilog=verilog)}\n  ) " if values else ""
    lines = [f"  {module} {head}{instance} (", _pins(pins, verilog=verilog), "  );"]
    return "\n".join([*before, *lines, *after])


def _pins(pins: Mapping[str, str], *, verilog: bool) -> str:
    """One connection a line; a pin at a signal of its own name is written once."""
    written = {pin: signal for pin, signal in pins.items() if signal != pin or verilog}
    width = max(map(len, written), default=0)
    return ",\n".join(f"    .{pin:<{width}}({written[pin]})" if pin in written else f"    .{pin}" for pin in pins)


def wrapper(
    header: str,
    name: str,
    ports: Ports,
    module: str,
    inner: Ports,
    *,
    tied: Mapping[str, str] | None = None,
    parameters: Mapping[str, int | bool] | None = None,
) -> str:
    """Module `name` with `ports` around an instance of `module` with `inner`, as SystemVerilog, under `header`.

    Ports with the same role are connected, under other names, levels and byte orders if need be; a payload narrower
    than the inner one stands at the end of it where byte 0 is. `tied` gives inner ports, by role, a constant, or OPEN.
    Raises RequestError for a port on either side that has no counterpart, and for widths or shares that do not fit.
    """
    tied = tied or {}
    outside = {port.role: port for port in ports}
    signals: dict[str, str | Line] = {}
    nets, turns = [], []
    for port in inner:
        if port.role in tied:
            signals[port.role] = Line(tied[port.role], port.active)
            continue
        if port.role not in outside:
            raise RequestError(f"{name}: nothing is connected to {port.name} of {module}")
        other = outside.pop(port.role)
        _check_fit(name, other, port)
        turned = other.byte_order is not port.byte_order and port.width > 8
        if port.direction is PortDirection.INPUT:
            signals[port.role] = Line(_widened(other, port, turned=turned), other.active)
        elif turned:
            net = f"{port.name}_turned"
            nets.append(f"  logic {bit_ranges(port)}{net};")
            turns.append(f"  assign {other.name} = {_bytes_turned(net, port.width)};")
            signals[port.role] = net
        else:
            signals[port.role] = Line(other.name, other.active)
    if outside:
        unused = ", ".join(port.name for port in outside.values())
        raise RequestError(f"{name}: {unused} has no counterpart in {module}")
    lines = [
        *(f"// {line}".rstrip() for line in header.strip().splitlines()),
        f"module {name} (",
        declarations(ports),
        ");",
        *nets,
        attach(module, inner, signals, parameters=parameters),
        *turns,
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def behind_block_interface(design: CoreDesign, name: str) -> tuple[str, Ports, str]:
    """What has the block interface: module, ports, and the text of an adapter `name` if the design has other ports.

    Raises RequestError for a design whose ports have no counterpart in the block interface.
    """
    ports = design.block_interface
    if design.ports == ports:
        return design.top, ports, ""
    return name, ports, wrapper(f"{design.top} with the block interface.", name, ports, design.top, design.ports)


def with_one_key_size(design: CoreDesign, key_bits: int) -> CoreDesign:
    """The design for one of its key sizes, under the name `<name>_<key_bits>`, with its clocks.

    Tests and measurements of cores with one size then serve this one too. Raises RequestError for a size that the
    design does not have.
    """
    if key_bits not in design.key_bits:
        raise RequestError(f"key_bits: must be one of {', '.join(map(str, design.key_bits))}, not {key_bits}")
    if len(design.key_bits) == 1:
        return design
    name = f"{design.name}_{key_bits}"
    key = design.ports.channel("key")
    whole = key.beats(max(design.key_bits)) == 1
    narrow = replace(key, payloads=(replace(key.data, width=key_bits) if whole else key.data,))
    channels = tuple(narrow if channel is key else channel for channel in design.ports.channels)
    ports = replace(design.ports, channels=channels)
    header = f"{design.name} with keys of {key_bits} bits only: the size is tied, and the key begins at byte 0."
    size = {"key.key size": f"2'd{SIZE_CODES[key_bits]}"}
    text = wrapper(header, name, ports, design.top, design.ports, tied=size)
    clocks = design.slowest_clocks(key_bits)
    return replace(
        design,
        name=name,
        sources=(*design.sources, SourceFile(f"{name}.sv", text)),
        key_bits=(key_bits,),
        ports=ports,
        cycles_per_block=clocks.per_block,
        latency_cycles=clocks.first,
        latency_spread=clocks.spread,
    )


def _check_fit(name: str, outer: PortDeclaration, inner: PortDeclaration) -> None:
    where = f"{name}: {outer.name} ({outer.direction}, {outer.bits} bits) does not fit {inner.name}"
    if outer.direction is not inner.direction:
        raise RequestError(f"{where}: it is an {inner.direction}")
    if outer.shares != inner.shares:
        raise RequestError(f"{where}: it has {inner.shares} shares, not {outer.shares}")
    same_size = outer.width == inner.width
    if not same_size and (inner.direction is PortDirection.OUTPUT or inner.shares > 1 or outer.width > inner.width):
        raise RequestError(f"{where}: it has {inner.bits} bits")
    if outer.byte_order is not inner.byte_order and inner.width > 8 and (inner.shares > 1 or outer.width % 8):
        raise RequestError(f"{where}: its bytes are in the opposite order")


def _widened(outer: PortDeclaration, inner: PortDeclaration, *, turned: bool) -> str:
    """The outer payload as the inner one expects it."""
    value = _bytes_turned(outer.name, outer.width) if turned else outer.name
    rest = inner.width - outer.width
    if not rest:
        return value
    high = inner.byte_order is ByteOrder.FIRST_BYTE_HIGH
    return f"{{{value}, {rest}'b0}}" if high else f"{{{rest}'b0, {value}}}"


def _bytes_turned(name: str, width: int) -> str:
    """The bytes of a vector in the other order."""
    return f"{{{', '.join(f'{name}[{low + 7}:{low}]' for low in range(0, width, 8))}}}"
