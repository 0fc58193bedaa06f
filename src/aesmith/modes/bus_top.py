"""The top module of an engine with registers on a bus: adapter, registers, and behind them the engine with a stream of
32 bits; wires only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from aesmith.cores.ports import CLEAR, Channel, Meaning, Payload, PayloadKind, PortDeclaration, PortDirection, Ports
from aesmith.cores.wrapper import bit_ranges, declarations
from aesmith.modes.buses import Bus
from aesmith.modes.clear_top import CLEARED

FRONT = "register_front"
"""The module of the registers."""
BEHIND = "u_engine"
"""The instance of the engine behind them."""
WORD_BITS = 32

_SIGNALS = Channel(
    "signals",
    PortDirection.OUTPUT,
    tuple(
        Payload(port, 1, Meaning.VALUE, PayloadKind.CONTROL, about=about)
        for port, about in (
            ("irq_o", "interrupt: a level"),
            ("dma_in_o", "a word may be written to DATA_IN"),
            ("dma_out_o", "a word may be read from DATA_OUT"),
        )
    ),
)
_FRONT_PINS = {
    "key_valid_i": "key_valid_o",
    "key_ready_o": "key_ready_i",
    "key_i": "key_o",
    **{
        f"s_axis_cmd_t{line}": f"command_{pin}"
        for line, pin in (("valid", "valid_o"), ("ready", "ready_i"), ("data", "o"))
    },
    **{
        f"s_axis_t{line}": f"in_{line}_{'i' if line == 'ready' else 'o'}"
        for line in ("valid", "ready", "data", "keep", "user", "last")
    },
    **{
        f"m_axis_t{line}": f"out_{line}_{'o' if line == 'ready' else 'i'}"
        for line in ("valid", "ready", "data", "keep", "user", "last")
    },
    "error_o": "code_i",
}
"""Ports of the engine that go to the registers, and the pins there."""
_REQUEST = (("request", 1), ("write", 1), ("address", 7), ("data", 32), ("strobe", 4))
_ANSWER = (("ack", 1), ("error", 1), ("read_data", 32))


def bus_interface(bus: Bus, behind: Ports) -> Ports:
    """The ports of an engine with registers on a bus; what of the engine's own is neither key nor message stays one."""
    own = [channel for channel in behind.channels if all(port.name not in _FRONT_PINS for port in channel)]
    kept = [channel for channel in own if channel.name not in (CLEAR.name, CLEARED.name)]
    clear = [channel for channel in own if channel not in kept]
    return replace(behind, channels=(*bus.channels, _SIGNALS, *clear, *kept))


def _bits(port: PortDeclaration) -> str:
    return f"  logic {bit_ranges(port)}engine_{port.name};"


def bus_top(
    name: str, *, title: str, bus: Bus, ports: Ports, behind: str, behind_ports: Ports, front: Mapping[str, int | str]
) -> str:
    """The module `name` with these ports around the engine `behind`, whose registers have the parameters `front`."""
    slots = any(port.role == f"key.{Meaning.SLOT}" for port in behind_ports)
    moved = [port for port in behind_ports if port.name in _FRONT_PINS]
    lines = [
        f"// {title}, with registers on {bus.standard}.",
        f"module {name} (",
        declarations(ports),
        ");",
        *(f"  logic {f'[{bits - 1}:0] ' * (bits > 1)}{line};" for line, bits in (*_REQUEST, *_ANSWER)),
        *map(_bits, moved),
        "  logic [7:0] key_slot;",
        "  logic clear;",
        *_unused(slots=slots, clears=behind_ports.clearable, port=behind_ports),
        "",
        f"  {name}_{bus.adapter} u_bus (",
        ",\n".join(_bus_pins(bus)),
        "  );",
        "",
        f"  {name}_{FRONT} #(",
        ",\n".join(f"    .{parameter}({value})" for parameter, value in front.items()),
        "  ) u_registers (",
        ",\n".join(_front_pins(clears=behind_ports.clearable)),
        "  );",
        "",
        f"  {behind} {BEHIND} (",
        ",\n".join(f"    .{port.name}{_signal(port)}" for port in behind_ports),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def _signal(port: PortDeclaration) -> str:
    """What is at a port of the engine."""
    if port.name in _FRONT_PINS:
        return f"(engine_{port.name})"
    if port.role == f"key.{Meaning.SLOT}":
        return f"(key_slot[{port.width - 1}:0])" if port.width > 1 else "(key_slot[0])"
    return "(clear)" if port.name == "clear_i" else ""


def _unused(*, slots: bool, clears: bool, port: Ports) -> Iterator[str]:
    spare = [] if clears else ["clear"]
    width = next((each.width for each in port if each.role == f"key.{Meaning.SLOT}"), 0)
    spare.append(f"key_slot[7:{width}]" if slots else "key_slot")
    yield "  logic unused;"
    yield f"  assign unused = ^{{{', '.join(spare)}}};"


def _bus_pins(bus: Bus) -> Iterator[str]:
    yield from ("    .clk_i", "    .rst_ni")
    yield from (f"    .{port}" for port in bus.port_names)
    yield from (f"    .{line}_o({line})" for line, _ in _REQUEST)
    yield from ("    .ack_i(ack)", "    .error_i(error)", "    .data_i(read_data)")


def _front_pins(*, clears: bool) -> Iterator[str]:
    yield from ("    .clk_i", "    .rst_ni")
    yield from (f"    .{line}_i({line})" for line, _ in _REQUEST)
    yield from ("    .ack_o(ack)", "    .error_o(error)", "    .data_o(read_data)")
    yield from ("    .irq_o", "    .dma_in_o", "    .dma_out_o")
    yield from (f"    .clear_i({'clear_i' if clears else _ZERO})", "    .clear_o(clear)")
    yield f"    .cleared_i({'cleared_o' if clears else _ZERO})"
    yield "    .key_slot_o(key_slot)"
    yield from (f"    .{pin}(engine_{port})" for port, pin in _FRONT_PINS.items())


_ZERO = "1'b0"
