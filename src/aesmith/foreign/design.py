"""A third-party design as one of ours, twice: what is measured, and what is verified.

Measured is the core alone, under a wrapper of wires that sets its parameters: `ForeignCore`. Verified is the core
behind `aesmith_foreign_adapter`, which has the block interface: a `CoreDesign` like any other, whose `inner` is the
first. Verbs that look at what a core does take the one, verbs that look at its size the other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from aesmith.assurance.proof.scan import code_of
from aesmith.cores.design import Clocks, CoreDesign, Direction, SourceFile, hash_of
from aesmith.cores.ports import (
    BLOCK_BITS,
    SIZE_CODES,
    ByteOrder,
    Channel,
    Line,
    Meaning,
    Payload,
    PortDirection,
    Ports,
    Reset,
    block_interface,
)
from aesmith.cores.sources import packaged_sources
from aesmith.cores.wrapper import attach, declarations
from aesmith.errors import RequestError
from aesmith.foreign.description import DataPins, ForeignDescription, KeySizePins, read_description
from aesmith.foreign.reading import ReadSource, check_port, read_sources
from aesmith.publications import Publication
from aesmith.scratch import work_folder
from aesmith.yosys_json import ModulePort

ADAPTER = "foreign_adapter"
ADAPTER_CLOCKS = 2
"""What the adapter adds to the latency of a block: a clock to keep it, and one to keep its result."""


@dataclass(frozen=True)
class ForeignCore:
    """The core alone, under a top module of wires. `ports` are its own, as operands and results; clocks are those of
    the slower direction with the longest key."""

    name: str
    top: str
    sources: tuple[SourceFile, ...]
    ports: Ports
    cycles_per_block: float
    latency_cycles: int
    key_kept: bool
    block_bits: int = BLOCK_BITS
    enum_ports: bool = True

    @property
    def source_hash(self) -> str:
        """SHA-256 (hex) of every source file."""
        return hash_of(self.sources)


def read_foreign(path: Path, name: str) -> CoreDesign:
    """The design that a TOML file describes, under a build's name; see `foreign_design`."""
    return foreign_design(read_description(path), name)


def foreign_design(description: ForeignDescription, name: str) -> CoreDesign:
    """The core behind the block interface; its `inner` is the core alone.

    Its name gets an ending where the sources have a module of that name.

    Raises RequestError for sources that cannot be read, for ports that are not there or have other widths, and for what
    no core of one clock has; ToolError for a missing tool.
    """
    with work_folder("foreign") as folder:
        read = read_sources(
            description.files,
            description.top,
            folder,
            include=[(description.folder / path).resolve() for path in description.include],
            defines=description.defines,
            parameters=description.parameters,
            language=description.language,
            clock=description.ports.clock,
        )
    description = description.renamed(read.names)
    name = _free(name, set(re.findall(r"\bmodule\s+(\w+)", code_of(read.text))))
    used, widths = _check_ports(description, read.ports)
    _check_clocks(description, widths)
    text = SourceFile(f"{name}_foreign.v", read.text)
    sizes, longest = description.key_sizes, max(description.key_sizes)
    directions = tuple(Direction(direction) for direction in dict.fromkeys(description.directions))
    origin = description.origin or description.top
    remarks = (
        f"A third-party design ({origin}), verified in an adapter that adds {ADAPTER_CLOCKS} cycles per "
        "block and is not measured. The key is "
        + ("kept inside." if description.key_kept else "given with each block: registers for it are not counted."),
    )
    clocks: dict[tuple[int, Direction], Clocks] = {}
    for bits in sizes:
        for direction in directions:
            latency = description.latency(bits, direction) + ADAPTER_CLOCKS
            per_block = max(latency, math.ceil(description.clocks(bits, direction)))
            clocks[bits, direction] = Clocks(per_block, first=latency, worst=None)
    slowest = reduce(Clocks.slower, (clocks[longest, direction] for direction in directions))
    return CoreDesign(
        name=name,
        preset=origin,
        title=f"AES-{'/'.join(map(str, sizes))}, {description.top} of {origin}",
        sources=(text, *packaged_sources(name, (ADAPTER,)), _verified(description, read, widths, name)),
        key_bits=sizes,
        directions=directions,
        ports=block_interface(sizes, directions),
        cycles_per_block=slowest.per_block,
        latency_cycles=slowest.first,
        parameters={"top": description.top, "origin": origin, **description.parameters},
        publication=Publication("foreign", origin, description.top, "third-party sources", 0),
        remarks=remarks,
        other_clocks=clocks,
        inner=_measured(description, read, text, name, used),
        inner_clocks={bits: _slowest(description, bits) for bits in sizes},
    )


def _slowest(description: ForeignDescription, key_bits: int) -> float:
    """Clocks per block of the slower direction."""
    return max(description.clocks(key_bits, direction) for direction in description.directions)


def _free(name: str, taken: set[str]) -> str:
    """The name, or one that begins with it, under which no module of the sources is."""
    while {name, f"{name}_measured", f"{name}_{ADAPTER}"} & taken:
        name += "_design"
    return name


def _check_ports(description: ForeignDescription, ports: Mapping[str, ModulePort]) -> tuple[set[str], dict[str, int]]:
    """The ports that the description names, and the bits of a beat of key, block and result.

    Raises RequestError for any port that does not fit, or is left out.
    """
    named = description.ports
    used: set[str] = {named.clock}
    longest = max(description.key_sizes)
    check_port(ports, named.clock, PortDirection.INPUT, "ports.clock")
    inputs = ("reset", "decrypt", "key.start", "block.start", "key.valid", "block.valid", "result.ready")
    for what, line in named.lines.items():
        inward = what in inputs
        port = check_port(ports, line.port, PortDirection.INPUT if inward else PortDirection.OUTPUT, f"ports.{what}")
        if port.width != 1:
            raise RequestError(f"ports.{what}: port {line.port} has {port.width} bits, not one")
        used.add(line.port)
    widths = {}
    for where, data, direction, bits in (
        ("key", named.key, PortDirection.INPUT, longest),
        ("block", named.block, PortDirection.INPUT, BLOCK_BITS),
        ("result", named.result, PortDirection.OUTPUT, BLOCK_BITS),
    ):
        width = sum(check_port(ports, name, direction, f"ports.{where}.data").width for name in data.names)
        wider = where == "key" and width > bits
        if not wider and (width % 8 or bits % width):
            raise RequestError(
                f"ports.{where}.data: {', '.join(data.names)} has {width} bits, not {bits}, nor whole bytes that "
                f"divide the {where} into beats"
            )
        if where == "key" and width < bits and len(description.key_sizes) > 1:
            raise RequestError(
                f"ports.key.data: {', '.join(data.names)} has {width} bits; of several key sizes the longest, {bits} "
                "bits, must go in at once"
            )
        widths[where] = min(width, bits)
        used.update(data.names)
    if named.key_size is not None:
        _check_values(
            named.key_size, check_port(ports, named.key_size.port, PortDirection.INPUT, "ports.key_size.port")
        )
        used.add(named.key_size.port)
    for name in named.tied:
        check_port(ports, name, PortDirection.INPUT, "ports.tied")
        used.add(name)
    left = [port.name for port in ports.values() if port.direction == "input" and port.name not in used]
    if left:
        raise RequestError(
            f"ports: nothing is stated for input {left[0]}; give it a value under ports.tied if it is constant"
        )
    return used, widths


def _check_values(size: KeySizePins, port: ModulePort) -> None:
    """Raise RequestError for values that the port does not hold, or that do not tell the sizes apart."""
    for bits, value in size.values.items():
        if not 0 <= value < 1 << port.width:
            raise RequestError(
                f"ports.key_size.values: {bits}: must fit the {port.width} bits of {port.name}, not {value}"
            )
    if len(set(size.values.values())) < len(size.values):
        raise RequestError("ports.key_size.values: must differ from size to size")


def _check_clocks(description: ForeignDescription, widths: Mapping[str, int]) -> None:
    """Raise RequestError for clocks that contradict each other, or the beats."""
    key, block, result = description.ports.key, description.ports.block, description.ports.result
    beats = {"key": max(description.key_sizes) // widths["key"], "block": BLOCK_BITS // widths["block"]}
    sent = {"key": beats["key"], "block": beats["block"] if key.sent else max(beats.values())}
    for where, pins, clocks in (("key", key, key.clocks), ("block", block, result.clocks)):
        steps = max(0, -pins.start_beat) + max(sent[where], pins.start_beat + 1)
        if clocks is not None and clocks < steps:
            what = "key" if where == "key" else "result"
            raise RequestError(
                f"ports.{what}.clocks: must be at least {steps}, in which the {where} goes in, not {clocks}"
            )
    # With a key that is sent anew each time the latency begins with the key, which may take as long as it likes.
    if result.clocks is not None and not key.each_block:
        last = result.clocks + BLOCK_BITS // widths["result"]
        for choice in description.choices:
            if (stated := description.latency(*choice)) != last:
                raise RequestError(
                    f"latency_cycles: must be ports.result.clocks + {last - result.clocks} = {last}, not {stated}"
                )


def _instance(description: ForeignDescription, read: ReadSource, pins: Mapping[str, str]) -> str:
    """The core with an expression at each pin; arrays are taken apart and put together element by element."""
    lines, pins = [], dict(pins)
    for name, array in read.arrays.items():
        width, inward = read.ports[name].width // len(array.indices), read.ports[name].direction == "input"
        net, whole = f"elements_{name}", pins[name]
        lines.append(f"  logic {_range(width)}{net} {array.ranges};")
        if inward:
            lines += [f"  logic [{read.ports[name].width - 1}:0] whole_{name};", f"  assign whole_{name} = {whole};"]
        for place, index in enumerate(reversed(array.indices)):
            bits = f"[{place * width + width - 1}:{place * width}]"
            if inward:
                lines.append(f"  assign {net}{index} = whole_{name}{bits};")
            elif whole:
                lines.append(f"  assign {whole}{bits} = {net}{index};")
        pins[name] = net
    parameters = ", ".join(f".{name}({value})" for name, value in description.parameters.items())
    connected = ",\n".join(f"    .{port}({signal})" for port, signal in pins.items())
    lines.append(f"  {description.top} {f'#({parameters}) ' if parameters else ''}u_core (\n{connected}\n  );")
    return "\n".join(lines)


def _measured(
    description: ForeignDescription, read: ReadSource, text: SourceFile, name: str, used: set[str]
) -> ForeignCore:
    """The core alone; outputs that the description does not name are left open, and what makes only them goes."""
    reset = description.ports.lines.get("reset")
    control = {description.ports.clock} | ({reset.port} if reset else set())

    def channel(title: str, direction: PortDirection) -> Channel:
        found = (p for p in read.ports.values() if p.direction == direction and p.name in used - control)
        return Channel(title, direction, tuple(Payload(p.name, p.width, Meaning.VALUE) for p in found))

    ports = Ports(
        description.ports.clock,
        Reset(reset.port, reset.active) if reset else None,
        (channel("operands", PortDirection.INPUT), channel("results", PortDirection.OUTPUT)),
    )
    top = f"{name}_measured"
    pins = {port: port if port in used else "" for port in read.ports}
    lines = [
        f"// {description.top} as it is measured: its ports, its parameters, and nothing added.",
        f"module {top} (",
        declarations(ports),
        ");",
        _instance(description, read, pins),
        "endmodule",
    ]
    wires = SourceFile(f"{top}.sv", "\n".join(lines) + "\n")
    longest = max(description.key_sizes)
    latency = max(description.latency(longest, direction) for direction in description.directions)
    clocks = _slowest(description, longest)
    return ForeignCore(name, top, (text, wires), ports, clocks, latency, description.key_kept)


def _verified(description: ForeignDescription, read: ReadSource, widths: Mapping[str, int], name: str) -> SourceFile:
    """The top module with the block interface: adapter and core."""
    named, lines_of = description.ports, description.ports.lines
    both = len(set(description.directions)) > 1
    sizes, longest = description.key_sizes, max(description.key_sizes)
    ports = block_interface(sizes, description.directions)
    nets = {"key_start": 1, "key_valid": 1, "key": widths["key"], "start": 1, "valid": 1, "block": widths["block"]}
    nets |= {"key_bits": 2, "decrypt": 1, "result_ready": 1}
    adapter = Ports(
        "clk_i",
        Reset("rst_ni"),
        (
            *block_interface((longest, *SIZE_CODES), tuple(Direction), key_width=max(SIZE_CODES)).channels,
            Channel(
                "core",
                PortDirection.INPUT,
                tuple(
                    Payload(f"core_{port}_i", width, Meaning.VALUE)
                    for port, width in (
                        ("ready", 1),
                        ("key_ready", 1),
                        ("key_done", 1),
                        ("block_ready", 1),
                        ("done", 1),
                        ("result", widths["result"]),
                    )
                ),
            ),
            Channel(
                "to_core",
                PortDirection.OUTPUT,
                tuple(Payload(f"core_{net}_o", width, Meaning.VALUE) for net, width in nets.items()),
            ),
        ),
    )

    def level(what: str) -> str:
        line = lines_of.get(what)
        return "1'b1" if line is None else f"{'' if line.active else '!'}own_{line.port}"

    signals: dict[str, str | Line] = {port.role: Line(port.name, port.active) for port in ports}
    if not both:
        signals["block.direction"] = "1'b0"
    if len(sizes) == 1:
        signals["key.key size"] = f"2'd{SIZE_CODES[longest]}"
    signals |= {f"to_core.core_{net}_o": net for net in nets}
    signals |= {
        "core.core_ready_i": level("ready"),
        "core.core_key_ready_i": level("key.ready"),
        "core.core_key_done_i": level("key.done"),
        "core.core_block_ready_i": level("block.ready"),
        "core.core_done_i": level("result.done" if named.result.valid is None else "result.valid"),
        "core.core_result_i": _joined(named.result, "own_{}", widths["result"]),
    }
    parameters: dict[str, int | bool] = {
        "KeyBits": longest,
        "KeyWidth": widths["key"],
        "BlockWidth": widths["block"],
        "ResultWidth": widths["result"],
        "KeyStarts": named.key.sent,
        "KeyAgain": named.key.each_block,
        "KeyStartBeat": named.key.start_beat,
        "BlockStartBeat": named.block.start_beat,
        "BlockHeld": named.block.held,
        "KeyLastFirst": named.key.last_first,
        "BlockLastFirst": named.block.last_first,
        "ResultLastFirst": named.result.last_first,
        "ResultValid": named.result.valid is not None,
        "KeyClocks": named.key.clocks or 0,
        "BlockClocks": named.result.clocks or 0,
    }
    pins = {port: f"own_{port}" if found.direction == "output" else "'0" for port, found in read.ports.items()}
    pins |= {port: f"{read.ports[port].width}'d{value}" for port, value in named.tied.items()}
    pins[named.clock] = "clk_i"
    if named.key_size is not None:
        pins[named.key_size.port] = _size_driven(named.key_size, read.ports[named.key_size.port].width)
    pins |= _lines_driven(lines_of)
    for where, data in (("key", named.key), ("block", named.block)):
        pins |= _divided(data, where, widths[where], read.ports)
    outputs = [port for port in read.ports.values() if port.direction == "output"]
    lines = [
        f"// {description.top} with the block interface.",
        f"module {name} (",
        declarations(ports),
        ");",
        *(f"  logic {_range(width)}{net};" for net, width in nets.items()),
        *(f"  logic {_range(port.width)}own_{port.name};" for port in outputs),
        "",
        attach(f"{name}_{ADAPTER}", adapter, signals, instance="u_adapter", parameters=parameters),
        _instance(description, read, pins),
        "endmodule",
    ]
    return SourceFile(f"{name}.sv", "\n".join(lines) + "\n")


_DRIVEN = {
    "reset": "!rst_ni",
    "decrypt": "decrypt",
    "key.start": "key_start",
    "key.valid": "key_valid",
    "block.start": "start",
    "block.valid": "valid",
    "result.ready": "result_ready",
}
"""What the adapter drives each line of a core with."""


def _lines_driven(lines: Mapping[str, Line]) -> dict[str, str]:
    """What goes into each line that is an input: a port that is several lines is active when one of them is."""
    nets: dict[Line, list[str]] = {}
    for what, net in _DRIVEN.items():
        if what in lines:
            nets.setdefault(lines[what], []).append(net)
    return {
        line.port: " | ".join(driven) if line.active else f"~({' | '.join(driven)})" for line, driven in nets.items()
    }


def _size_driven(size: KeySizePins, width: int) -> str:
    """What goes into the port that says how long a key is."""
    *others, last = (f"{width}'d{value}" for _, value in sorted(size.values.items()))
    codes = [SIZE_CODES[int(bits)] for bits in sorted(size.values)]
    chosen = (f"key_bits == 2'd{code} ? {value} : " for code, value in zip(codes, others, strict=False))
    return f"{''.join(chosen)}{last}"


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _turned(net: str, bits: int) -> str:
    """The bytes of a net in the other order."""
    return f"{{{', '.join(f'{net}[{low + 7}:{low}]' for low in range(0, bits, 8))}}}"


def _joined(data: DataPins, net: str, bits: int) -> str:
    """What comes out of the ports, byte 0 in the highest bits."""
    high = data.byte_order == ByteOrder.FIRST_BYTE_HIGH
    nets = [net.format(name) for name in (data.names if high else reversed(data.names))]
    whole = nets[0] if len(nets) == 1 else f"{{{', '.join(nets)}}}"
    if high:
        return whole
    if len(nets) > 1:
        raise RequestError("ports.result.data: of several ports the byte order must be first byte high")
    return _turned(whole, bits)


def _divided(data: DataPins, net: str, bits: int, ports: Mapping[str, ModulePort]) -> dict[str, str]:
    """What goes into each port, of a net with byte 0 in its highest bits; what is wider gets zeros behind it."""
    widths = [ports[name].width for name in data.names]
    rest = sum(widths) - bits
    if data.byte_order == ByteOrder.FIRST_BYTE_LOW:
        if len(widths) > 1:
            raise RequestError("ports: of several ports the byte order must be first byte high")
        turned = _turned(net, bits)
        return {data.names[0]: f"{{{rest}'d0, {turned}}}" if rest else turned}
    if len(widths) == 1:
        return {data.names[0]: f"{{{net}, {rest}'d0}}" if rest else net}
    return _slices(data.names, widths, net, bits)


def _slices(names: Sequence[str], widths: Sequence[int], net: str, bits: int) -> dict[str, str]:
    found, at = {}, bits
    for name, width in zip(names, widths, strict=True):
        if at >= width:
            found[name] = f"{net}[{at - 1}:{at - width}]"
        elif at > 0:
            found[name] = f"{{{net}[{at - 1}:0], {width - at}'d0}}"
        else:
            found[name] = "'0"
        at -= width
    return found
