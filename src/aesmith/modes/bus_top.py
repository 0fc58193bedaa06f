"""The top module of an engine with registers on a bus: adapter, registers, and behind them the engine with a stream of
32 bits; wires only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from aesmith.cores.ports import (
    CLEAR,
    Channel,
    Line,
    Meaning,
    Payload,
    PayloadKind,
    PortDeclaration,
    PortDirection,
    Ports,
)
from aesmith.cores.wrapper import bit_ranges, declarations
from aesmith.modes.buses import Bus
from aesmith.modes.clear_top import CLEARED
from aesmith.modes.narrow_top import is_of_stream
from aesmith.modes.self_test import ROM, SELF_TEST

FRONT = "register_front"
"""The module of the registers."""
FIFO = "data_fifo"
"""The module of the room for words between registers and engine."""
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
_BROKEN = Payload(
    "self_test_failed_o", 1, Meaning.VALUE, PayloadKind.CONTROL, about="a self-test has failed; stays until reset"
)
_ALARM = Channel(
    "alarm",
    PortDirection.INPUT,
    (
        Payload("alarm_i", 1, Meaning.VALUE, PayloadKind.CONTROL, about="wipes all, and keeps it so until reset"),
        Payload("debug_i", 1, Meaning.VALUE, PayloadKind.CONTROL, about="wipes all while it is 1"),
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
_TESTED = ("own", "locked", "running", "passed", "failed")
"""Lines from the self-test to the registers."""
_REQUEST = (("request", 1), ("write", 1), ("address", 7), ("data", 32), ("strobe", 4))
_ANSWER = (("ack", 1), ("error", 1), ("read_data", 32))


def _sideload(behind: Ports) -> Channel:
    """Keys of a vault, as the engine takes them."""
    key, *slots = behind.channel("key").payloads
    about = "key of a vault, its byte 0 the highest"
    payloads = [Payload("sideload_key_i", key.bits, Meaning.VALUE, PayloadKind.DATA, about=about)]
    payloads += [
        Payload("sideload_slot_i", slot.bits, Meaning.VALUE, PayloadKind.CONTROL, about="the slot that it is for")
        for slot in slots
    ]
    lines = Line("sideload_valid_i"), Line("sideload_ready_o")
    return Channel("sideload", PortDirection.INPUT, tuple(payloads), *lines)


def _streams(behind: Ports) -> tuple[Channel, ...]:
    """The engine's streams, beside the registers."""
    return tuple(
        replace(
            channel,
            payloads=tuple(
                replace(each, meaning=Meaning.VALUE, about=f"{each.meaning} of the engine's stream")
                for each in channel.payloads
            ),
            quiet=False,
        )
        for channel in (behind.channel("stream in"), behind.channel("stream out"))
    )


def bus_interface(
    bus: Bus,
    behind: Ports,
    *,
    self_test: bool = False,
    alarm: bool = False,
    sideload: bool = False,
    streams: bool = False,
) -> Ports:
    """The ports of an engine with registers on a bus; what of the engine's own is neither key nor message stays one."""
    signals = _SIGNALS
    if self_test:
        signals = replace(signals, payloads=(*signals.payloads, _BROKEN))
    own = [channel for channel in behind.channels if all(port.name not in _FRONT_PINS for port in channel)]
    kept = [channel for channel in own if channel.name not in (CLEAR.name, CLEARED.name)]
    clear = [*[_ALARM] * alarm, *(channel for channel in own if channel not in kept)]
    clear += [*[_sideload(behind)] * sideload, *(_streams(behind) if streams else ())]
    return replace(behind, channels=(*bus.channels, signals, *clear, *kept))


def _bits(port: PortDeclaration) -> str:
    return f"  logic {bit_ranges(port)}engine_{port.name};"


def bus_top(
    name: str,
    *,
    title: str,
    bus: Bus,
    ports: Ports,
    behind: str,
    behind_ports: Ports,
    front: Mapping[str, int | str],
    self_test: Mapping[str, int | str] | None = None,
    fifo: bool = False,
) -> str:
    """The module `name` with these ports around the engine `behind`, whose registers have the parameters `front`, and
    the self-test before them these, if there is one. With `fifo` there is room for words between them."""
    tested = self_test is not None
    slots = any(port.role == f"key.{Meaning.SLOT}" for port in behind_ports)
    moved = [port for port in behind_ports if port.name in _FRONT_PINS]
    lines = [
        f"// {title}, with registers on {bus.standard}.",
        f"module {name} (",
        declarations(ports),
        ");",
        *(f"  logic {f'[{bits - 1}:0] ' * (bits > 1)}{line};" for line, bits in (*_REQUEST, *_ANSWER)),
        *map(_bits, moved),
        *(f"  logic {bit_ranges(port)}fifo_{port.name};" for port in behind_ports if fifo and is_of_stream(port)),
        "  logic [7:0] key_slot;",
        "  logic clear;",
        *(_self_test_lines(self_test) if self_test is not None else ()),
        *_unused(ports, slots=slots, clears=behind_ports.clearable, port=behind_ports, tested=tested),
        *(_answers() if "s_axis_tdata" in {port.name for port in ports} else ()),
        "",
        f"  {name}_{bus.adapter} u_bus (",
        ",\n".join(_bus_pins(bus, tested=tested)),
        "  );",
        *(_self_test(name, self_test) if self_test is not None else ()),
        "",
        f"  {name}_{FRONT} #(",
        ",\n".join(f"    .{parameter}({value})" for parameter, value in front.items()),
        "  ) u_registers (",
        ",\n".join(_front_pins(ports, clears=behind_ports.clearable, tested=tested)),
        "  );",
        *(_fifos(name, behind_ports) if fifo else ()),
        "",
        f"  {behind} {BEHIND} (",
        ",\n".join(f"    .{port.name}{_signal(port, fifo=fifo)}" for port in behind_ports),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


_CONTROL = ("keep", "user", "last")


def _fifos(name: str, behind: Ports) -> Iterator[str]:
    """Room for a block on its way in, and for two words on their way out."""
    for stream, entries, flush, valid, ready in (
        ("s_axis", 4, 0, "engine_{}", "fifo_{}"),
        ("m_axis", 2, 1, "fifo_{}", "engine_{}"),
    ):
        given, taken = (
            [side.format(f"{stream}_t{line}") for line in ("valid", "ready", "data")] for side in (valid, ready)
        )
        controls = [
            f"{{{', '.join(side.format(f'{stream}_t{line}') for line in _CONTROL)}}}" for side in (valid, ready)
        ]
        bits = sum(port.bits for port in behind if port.name in [f"{stream}_t{line}" for line in _CONTROL])
        pins = ["    .clk_i", "    .rst_ni", "    .clear_i(clear)"]
        pins += [f"    .valid_i({given[0]})", f"    .ready_o({given[1]})", f"    .data_i({given[2]})"]
        pins += [f"    .control_i({controls[0]})", f"    .valid_o({taken[0]})", f"    .ready_i({taken[1]})"]
        pins += [f"    .data_o({taken[2]})", f"    .control_o({controls[1]})"]
        yield from ("", f"  {name}_{FIFO} #(", f"    .Entries({entries}),", f"    .ControlBits({bits}),")
        yield from (f"    .Flush(1'b{flush})", f"  ) u_{stream[0]}_fifo (", ",\n".join(pins), "  );")


def _signal(port: PortDeclaration, *, fifo: bool) -> str:
    """What is at a port of the engine."""
    if fifo and is_of_stream(port):
        return f"(fifo_{port.name})"
    if port.name in _FRONT_PINS:
        return f"(engine_{port.name})"
    if port.role == f"key.{Meaning.SLOT}":
        return f"(key_slot[{port.width - 1}:0])" if port.width > 1 else "(key_slot[0])"
    return "(clear)" if port.name == "clear_i" else ""


def _unused(ports: Ports, *, slots: bool, clears: bool, port: Ports, tested: bool) -> Iterator[str]:
    names = {each.name for each in ports}
    spare = [] if clears or tested else ["clear"]
    width = next((each.width for each in port if each.role == f"key.{Meaning.SLOT}"), 0)
    spare.append(f"key_slot[7:{width}]" if slots else "key_slot")
    spare += [] if tested else ["start", "shown"]
    for has, lines in (("sideload_key_i", ["vault_ready"]), ("s_axis_tdata", ["stream_ready", "answer_valid"])):
        if has not in names:
            spare += lines
            yield f"  logic {', '.join(lines)};"
    yield from () if tested else ("  logic start, shown;",)
    yield "  logic unused;"
    yield f"  assign unused = ^{{{', '.join(spare)}}};"


def _answers() -> Iterator[str]:
    """What the stream of answers shows: nothing while it has no word."""
    for line, bits in (("data", 32), ("keep", 4), ("user", 4), ("last", 1)):
        mask = f"{{{bits}{{m_axis_tvalid}}}}" if bits > 1 else "m_axis_tvalid"
        yield f"  assign m_axis_t{line} = engine_m_axis_t{line} & {mask};"


def _bus_pins(bus: Bus, *, tested: bool) -> Iterator[str]:
    of = "bus_" if tested else ""
    yield from ("    .clk_i", "    .rst_ni")
    yield from (f"    .{port}" for port in bus.port_names)
    yield from (f"    .{line}_o({of}{line})" for line, _ in _REQUEST)
    yield from (f"    .ack_i({of}ack)", "    .error_i(error)", "    .data_i(read_data)")


def _bits_of(bits: int) -> str:
    return f"[{bits - 1}:0] " * (bits > 1)


def _self_test_lines(parameters: Mapping[str, int | str]) -> Iterator[str]:
    yield from (f"  logic {_bits_of(bits)}bus_{line};" for line, bits in _REQUEST)
    yield f"  logic bus_ack, start, shown, {', '.join(_TESTED)}, step_write;"
    yield f"  logic [{int(parameters['Steps']).bit_length() - 1}:0] step;"
    yield f"  logic [{int(parameters['Answers']).bit_length() - 1}:0] answer;"
    yield "  logic [6:0] step_address;"
    yield "  logic [31:0] step_data, answer_data;"
    yield "  assign self_test_failed_o = failed;"


_ROM = ("step", "answer"), ("step_write", "step_address", "step_data", "answer_data")
"""Lines of the self-test to its ROM, and back."""


def _self_test(name: str, parameters: Mapping[str, int | str]) -> Iterator[str]:
    yield from ("", f"  {name}_{SELF_TEST} #(")
    yield ",\n".join(f"    .{parameter}({value})" for parameter, value in parameters.items())
    pins = ["    .clk_i", "    .rst_ni", *(f"    .{line}_i(bus_{line})" for line, _ in _REQUEST), "    .ack_o(bus_ack)"]
    pins += [f"    .{line}_o({line})" for line, _ in _REQUEST]
    pins += ["    .ack_i(ack)", "    .error_i(error)", "    .read_data_i(read_data)"]
    pins += [
        "    .start_i(start)",
        "    .wipe_i(clear)",
        "    .shown_i(shown)",
        *(f"    .{line}_o({line})" for line in _TESTED),
    ]
    pins += [*(f"    .{line}_o({line})" for line in _ROM[0]), *(f"    .{line}_i({line})" for line in _ROM[1])]
    yield from ("  ) u_self_test (", ",\n".join(pins), "  );", "", f"  {name}_{ROM} u_rom (")
    pins = [*(f"    .{line}_i({line})" for line in _ROM[0]), *(f"    .{line}_o({line})" for line in _ROM[1])]
    yield from (",\n".join(pins), "  );")


def _front_pins(ports: Ports, *, clears: bool, tested: bool) -> Iterator[str]:
    yield from ("    .clk_i", "    .rst_ni")
    yield from (f"    .{line}_i({line})" for line, _ in _REQUEST)
    yield from ("    .ack_o(ack)", "    .error_o(error)", "    .data_o(read_data)")
    yield from ("    .irq_o", "    .dma_in_o", "    .dma_out_o")
    yield from (f"    .clear_i({'clear_i' if clears else _ZERO})", "    .clear_o(clear)")
    vault = {port.name: port for port in ports if port.name.startswith("sideload")}
    if vault:
        yield from ("    .sideload_valid_i", "    .sideload_ready_o", "    .sideload_key_i")
    else:
        yield from (f"    .sideload_valid_i({_ZERO})", "    .sideload_ready_o(vault_ready)", "    .sideload_key_i('0)")
    streams = any(port.name == "s_axis_tdata" for port in ports)
    lines = {f"stream_{line}_i": f"s_axis_t{line}" for line in ("valid", "data", "keep", "user", "last")}
    yield from (f"    .{pin}({port if streams else _NONE})" for pin, port in lines.items())
    yield f"    .stream_ready_o({'s_axis_tready' if streams else 'stream_ready'})"
    yield f"    .answer_valid_o({'m_axis_tvalid' if streams else 'answer_valid'})"
    yield f"    .answer_ready_i({'m_axis_tready' if streams else _ZERO})"
    slot = vault.get("sideload_slot_i")
    yield f"    .sideload_slot_i({_NONE if slot is None else _widened(slot)})"
    alarm = any(port.name == "alarm_i" for port in ports)
    yield from (f"    .{pin}({pin if alarm else _ZERO})" for pin in ("alarm_i", "debug_i"))
    yield f"    .cleared_i({'cleared_o' if clears else _ZERO})"
    yield from (f"    .{line}_i({line if tested else _ZERO})" for line in _TESTED)
    yield from ("    .start_o(start)", "    .shown_o(shown)")
    yield "    .key_slot_o(key_slot)"
    yield from (f"    .{pin}(engine_{port})" for port, pin in _FRONT_PINS.items())


def _widened(slot: PortDeclaration) -> str:
    """The slot of a key in eight bits."""
    return f"{{{8 - slot.width}'d0, {slot.name}}}"


_ZERO, _NONE = "1'b0", "'0"
