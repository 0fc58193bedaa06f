"""What the ports of a core or an engine do, clock by clock: a simulation of its own RTL, by Yosys, with a driver.

A driver is a small module with all ports of the design, clock and reset as inputs, the others as outputs, and one
instance of it, INSTANCE. That of a core obeys the handshake rules of the block interface: one key, after a rest three
blocks as fast as the core takes them, and a receiver that lets the last result wait for two clocks. From that trace
come the table of what happens in each clock of a block, and the check of the clocks that a core states. To an engine
go a key and a few messages: the first is a block of text, which comes some clocks after its command, so that the
latency is seen; the others come behind it as fast as the engine takes them. What leaves is compared with its model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from aesmith.assurance.probing.bench import with_surroundings
from aesmith.assurance.streams.channels import Transfer
from aesmith.assurance.streams.check import compare, expected, offers_of
from aesmith.cores.design import CoreDesign, Design, Direction, SourceFile
from aesmith.cores.narrow import with_key_kept
from aesmith.cores.ports import (
    BLOCK_BITS,
    SIZE_CODES,
    ByteOrder,
    Channel,
    Line,
    Meaning,
    PortDirection,
    Ports,
)
from aesmith.cores.wrapper import attach, bit_ranges
from aesmith.drawing.waveform import Signal, Trace
from aesmith.errors import CheckError, ToolError
from aesmith.flow.yosys import run_script, write_sources
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, StreamEngine
from aesmith.modes.message import BLOCK, Cipher
from aesmith.modes.stream import Section, StreamedMessage
from aesmith.modes.traffic import Keyed
from aesmith.publish.output import render

BLOCKS = 3
STALL_CLOCKS = 2
REST_CLOCKS = 4
"""From the key to the first block, and as many more as a block has beats, where it has several: latency is stated of a
core at rest."""
DRIVEN = ("clock", "reset", "key.valid", "key.key", "block.valid", "block.block", "result.ready")
"""What the driver moves; other inputs stay as they are."""
KEY = bytes(range(64))
PLAINTEXTS = tuple(bytes(17 * i ^ 85 * block for i in range(16)) for block in range(BLOCKS))
MANY_REGISTERS = 8
"""With more registers than this in one clock, those that differ in the indices of their instances alone are one."""

_INDEX = re.compile(r"\[\d+\]")
INSTANCE = "dut"
RESET_CLOCKS = 2
WAVES = "trace.vcd"
"""The file in the work folder that the simulation leaves."""
TEXT_BLOCKS = (1, 3, 2)
"""Blocks of text of the messages; the second has a block of header where the mode knows one."""
_REST = 16
"""Clocks from the key to the first command, and from there to the first beat, beside those of two blocks: what depends
on the key alone, and on the command alone, is made by then."""


@dataclass(frozen=True)
class Step:
    """Clocks `first` to `last`, counted from 1 at the clock in which the block is taken.

    `ports` says what is seen at the ports in each of them, `registers` which registers take a new value at its end.
    """

    first: int
    last: int
    ports: str
    registers: tuple[str, ...]


def trace_core(design: CoreDesign, work_dir: Path, wires: Sequence[str] = ()) -> Trace:
    """Simulates `design` in `work_dir`, which is made. Beside registers, wires of these names are recorded: those of
    the core itself, by their paths in it.

    Raises RequestError for a design without clock and reset, ToolError if the core does not deliver its results.
    """
    own = _place(design)
    design = with_surroundings(design)
    ports = design.ports
    beats = ports.channel("block").beats(BLOCK_BITS)
    clocks = (BLOCKS + 2) * (design.latency_cycles + 2 * beats + max(design.key_bits)) + 40
    found = simulate_driven(design, _driver(design), clocks, work_dir, wires)
    trace = _shortened(ports, found, beats)
    if trace is None:
        raise ToolError(
            f"waveform: {design.name} did not deliver {BLOCKS} blocks within {clocks} clocks; "
            f"see {work_dir / WAVES}, and `aesmith verify` for what is wrong with the core"
        )
    registers = {name.removeprefix(own): values for name, values in trace.registers.items() if name.startswith(own)}
    return replace(trace, registers=registers)


def _place(design: CoreDesign) -> str:
    """What the paths of a core's own registers begin with, behind its surroundings: one instance for each of them."""
    kept = with_key_kept(design)
    return "u_core." * ((kept is not design) + (with_surroundings(kept) is not kept))


def _driver(design: CoreDesign) -> SourceFile:
    name, ports = f"{design.name}_waveform", design.ports
    key, block = ports.channel("key"), ports.channel("block")
    beats = block.beats(BLOCK_BITS)
    text = render(
        "waveform_driver.sv",
        name=name,
        design=design,
        signals=driver_ports(ports),
        instance=attach(
            design.top, ports, {port.role: Line(port.name, port.active) for port in ports}, instance=INSTANCE
        ),
        port={port.role: port.name for port in ports},
        active={port.role: port.name if port.active else f"!{port.name}" for port in ports},
        level={port.role: "" if port.active else "!" for port in ports},
        reset_edge="posedge" if ports.role("reset").active else "negedge",
        tied=dict(_tied(design)),
        key=_hex(key, KEY[: max(design.key_bits) // 8]),
        key_bits=max(design.key_bits),
        key_beats=key.beats(max(design.key_bits)),
        key_width=key.data.width,
        width=block.data.width,
        beats=beats,
        blocks=_hex(block, b"".join(PLAINTEXTS)),
        block_count=BLOCKS,
        rest=REST_CLOCKS + (beats if beats > 1 else 0),
        stall=STALL_CLOCKS,
    )
    return SourceFile(f"{name}.sv", text)


def _tied(design: CoreDesign) -> Iterator[tuple[str, str]]:
    """Inputs that stay as they are, with their values: every other line is active, every other payload 0."""
    chosen = {
        "key.key size": SIZE_CODES[max(design.key_bits)],
        "block.direction": int(design.directions[0] is Direction.DECRYPT),
    }
    lines = {line.port: line.active for line in design.ports.lines}
    for port in design.ports:
        if port.direction is PortDirection.INPUT and port.role not in DRIVEN:
            yield port.name, f"{port.bits}'d{chosen.get(port.role, lines.get(port.name, 0))}"


def _hex(channel: Channel, value: bytes) -> str:
    """The beats of a value, the first in the most significant bits, each as it stands in the channel's payload."""
    size = channel.data.width // 8
    low = channel.byte_order is ByteOrder.FIRST_BYTE_LOW
    beats = (value[first : first + size] for first in range(0, len(value), size))
    return "".join((beat[::-1] if low else beat).hex() for beat in beats)


def _shortened(ports: Ports, found: Mapping[str, Signal], beats: int) -> Trace | None:
    """The trace up to two clocks after the last result; None if there are fewer results."""
    signals = {port.name: found[port.name] for port in ports}
    done = Trace(ports, signals, {}, beats).transfers("result")
    if len(done) < BLOCKS * beats:
        return None
    end = done[BLOCKS * beats - 1] + 3
    return cut(Trace(ports, signals, registers_of(found), beats), end)


def cycle_table(trace: Trace) -> tuple[Step, ...]:
    """The clocks from the one that takes the first block to the one that delivers its result; equal ones together."""
    begin = trace.transfers("block")[0]
    end = trace.transfers("result")[trace.beats - 1]
    rows = [(clock, _ports(trace, clock), _moving(trace, clock)) for clock in range(begin, end + 1)]
    steps = []
    for (ports, registers), group in groupby(rows, key=lambda row: row[1:]):
        clocks = [row[0] for row in group]
        steps.append(Step(clocks[0] - begin + 1, clocks[-1] - begin + 1, ports, registers))
    return tuple(steps)


def check_schedule(design: CoreDesign, trace: Trace) -> None:
    """Raises CheckError if the core's cycles are not those that `design` states."""
    taken = trace.transfers("block")[:: trace.beats]
    given = trace.transfers("result")[trace.beats - 1 :: trace.beats]
    clocks = design.clocks(max(design.key_bits), design.directions[0])
    per_block, latency = clocks.per_block, clocks.first
    facts = [("latency_cycles", latency, given[0] - taken[0] + 1)]
    # Blocks that share a loop may enter one after another; only their mean over a whole loop is as stated.
    together = 1 if per_block == 1 else max(1, latency // per_block)
    # The first block met an idle core; later ones come back to back, if there are so many.
    first = 1 if together + 1 < len(taken) else 0
    if first + together < len(taken):
        seen_cycles = (taken[first + together] - taken[first]) // together
        facts.append(("cycles_per_block", per_block, seen_cycles))
    for field, stated, seen in facts:
        if stated != seen:
            raise CheckError(f"{design.name}: {field} is stated as {stated}, but the core takes {seen} in simulation")


def _ports(trace: Trace, clock: int) -> str:
    return "; ".join(_events(trace, clock)) or "busy"


def _events(trace: Trace, clock: int) -> Iterator[str]:
    if clock in trace.transfers("key"):
        yield "key taken"
    if clock in trace.transfers("block"):
        yield f"{_part(trace)}block taken"
    if trace.offered("result", clock):
        yield f"{_part(trace)}result delivered"


def _part(trace: Trace) -> str:
    """What of a block a beat is."""
    return {1: "", BLOCK: "byte of a ", BLOCK_BITS: "bit of a "}.get(trace.beats, "beat of a ")


def _moving(trace: Trace, clock: int) -> tuple[str, ...]:
    """The registers whose value after this clock's edge is another one."""
    if clock + 1 >= trace.clocks:
        return ()
    names = tuple(name for name, values in trace.registers.items() if values[clock] != values[clock + 1])
    if len(names) <= MANY_REGISTERS:
        return names
    return tuple(dict.fromkeys(_INDEX.sub("[…]", name) for name in names))


def traced_messages(engine: StreamEngine) -> list[Keyed]:
    """The messages of the trace, encrypted if the engine does, each byte of them another, under one key."""
    key = KEY[: engine.rated_key_bits // 8]
    made: list[Keyed] = []
    for number, texts in enumerate(TEXT_BLOCKS):
        plain = engine.plain(_headers(engine) if number == 1 else 0, texts, encrypt=_encrypts(engine))
        filled = _filled(plain, BLOCK * sum(TEXT_BLOCKS[:number]))
        made.append((key, filled if _encrypts(engine) else engine.righted(filled, Cipher(key))))
    return made


def _encrypts(engine: StreamEngine) -> bool:
    return Direction.ENCRYPT in engine.directions


def _headers(engine: StreamEngine) -> int:
    """A block of header, if the mode knows one."""
    return int(any(headers for headers, _, _ in engine.kinds()))


def _filled(message: StreamedMessage, first: int) -> StreamedMessage:
    """The message with whole beats, or words, of header and text that count on from a byte."""
    size = len(message.beats[0].data)
    beats = [
        replace(beat, data=bytes((first + size * place + byte) % 256 for byte in range(size)))
        if beat.section in (Section.HEADER, Section.TEXT) and beat.keep == (1 << size) - 1
        else beat
        for place, beat in enumerate(message.beats)
    ]
    return replace(message, beats=tuple(beats))


def trace_engine(engine: StreamEngine, work_dir: Path) -> Trace:
    """Simulates an engine in `work_dir`, which is made.

    Raises ToolError if it does not deliver its answers, CheckError if they are not the model's.
    """
    sent = traced_messages(engine)
    answers = len(list(expected(engine, sent)))
    beats = sum(len(message.beats) for _, message in sent)
    way = _encrypts(engine)
    lasting = max(engine.message_cycles(_headers(engine), max(TEXT_BLOCKS), encrypt=way), beats + answers)
    clocks = math.ceil(len(sent) * lasting + 2 * _rest(engine) + 8 * engine.latency_cycles + 20)
    found = simulate_driven(engine, _stream_driver(engine, sent, answers), clocks, work_dir)
    whole = Trace(engine.ports, {port.name: found[port.name] for port in engine.ports}, {}, 1)
    done = whole.transfers(OUTPUT)
    if len(done) < answers:
        raise ToolError(
            f"waveform: {engine.name} gave {len(done)} of {answers} beats within {clocks} clocks; "
            f"see {work_dir / WAVES}, and `aesmith verify` for what is wrong with the engine"
        )
    trace = cut(whole, done[answers - 1] + 3)
    payloads = [payload.port for payload in engine.ports.channel(OUTPUT).payloads]
    code = engine.ports.role("error.code").name
    transfers = [
        Transfer(clock, tuple(trace.at(port, clock) or 0 for port in payloads), (trace.at(code, clock + 1) or 0,))
        for clock in trace.transfers(OUTPUT)
    ]
    compare(engine, sent, transfers)
    return trace


def _rest(engine: StreamEngine) -> int:
    return _REST + engine.opening_cycles + 2 * max(place.core.latency_cycles for place in engine.core_places)


def _stream_driver(engine: StreamEngine, sent: list[Keyed], answers: int) -> SourceFile:
    name, ports = f"{engine.name}_waveform", engine.ports
    room, user_bits = max(BLOCK_BITS, engine.stream_bits), 2 * engine.lanes
    beat_bits = 4 * -(-(room + room // 8 + user_bits + 1) // 4)
    beats = [
        ((last << user_bits | user) << 9 * room // 8 | keep << room | data)
        for data, keep, user, last in (offer.payloads for offer in offers_of(sent)[INPUT])
    ]
    text = render(
        "stream_driver.sv",
        name=name,
        design=engine,
        signals=driver_ports(ports),
        instance=attach(
            engine.top, ports, {port.role: Line(port.name, port.active) for port in ports}, instance=INSTANCE
        ),
        port={port.role: port.name for port in ports},
        key=KEY[: engine.rated_key_bits // 8].hex(),
        key_bits=engine.rated_key_bits,
        key_size=SIZE_CODES.get(engine.rated_key_bits),
        commands="".join(f"{message.command.word:064x}" for _, message in sent),
        command_count=len(sent),
        beats="".join(f"{beat:0{beat_bits // 4}x}" for beat in beats),
        beat_bits=beat_bits,
        room=room,
        beat_count=len(beats),
        answer_count=answers,
        rest=_rest(engine),
        stall=STALL_CLOCKS,
    )
    return SourceFile(f"{name}.sv", text)


def check_latency(engine: StreamEngine, trace: Trace) -> None:
    """Raises CheckError unless the first message, of a block, is answered after the clocks that the engine states, from
    the one on in which its beat, or the last word of it, is offered."""
    begins = [-1, *trace.transfers(INPUT)][engine.stream_words - 1] + 1
    offered = next(clock for clock in range(begins, trace.clocks) if trace.offered(INPUT, clock))
    seen = trace.transfers(OUTPUT)[0] - offered + 1
    if seen != engine.first_answer_cycles:
        raise CheckError(
            f"{engine.name}: first_answer_cycles is stated as {engine.first_answer_cycles}, but it takes {seen} in "
            "simulation"
        )


def message_table(trace: Trace) -> tuple[Step, ...]:
    """The clocks from the one that takes the first command to the end of the last answer; equal ones together."""
    begin, end = trace.transfers(COMMAND)[0], trace.transfers(OUTPUT)[-1]
    rows = [(clock, "; ".join(_stream_events(trace, clock)) or "busy") for clock in range(begin, end + 1)]
    steps = []
    for ports, group in groupby(rows, key=lambda row: row[1]):
        clocks = [row[0] for row in group]
        steps.append(Step(clocks[0] - begin + 1, clocks[-1] - begin + 1, ports, ()))
    return tuple(steps)


def _stream_events(trace: Trace, clock: int) -> Iterator[str]:
    if clock in trace.transfers(COMMAND):
        yield "command taken"
    what = "beat" if trace.ports.payload(Meaning.STREAM).width >= BLOCK_BITS else "word"
    for channel, moved in ((INPUT, "taken"), (OUTPUT, "delivered")):
        if clock in trace.transfers(channel):
            last = next(p.port for p in trace.ports.channel(channel).payloads if str(p.meaning) == "last")
            yield f"{'last ' if trace.at(last, clock) else ''}{what} {moved}"


def driver_ports(ports: Ports) -> list[str]:
    """The ports of a driver, as its module's head declares them."""
    return [
        f"{'input ' if port.role in ('clock', 'reset') else 'output'} logic {bit_ranges(port)}{port.name}"
        for port in ports
    ]


def simulate_driven(
    design: Design, driver: SourceFile, clocks: int, work_dir: Path, wires: Sequence[str] = ()
) -> dict[str, Signal]:
    """So many clocks of `design` under a driver, whose file is named as its module, in `work_dir`, which is made.

    What is found are ports, and registers as `INSTANCE.path`, each as rising clock edges sample it; beside registers
    wires of these names. Raises RequestError for a design without clock and reset, ToolError if Yosys fails.
    """
    work_dir.mkdir(parents=True, exist_ok=True)
    (work_dir / driver.name).write_text(driver.text)
    clock, reset = design.ports.role("clock").name, design.ports.role("reset")
    resetting = f"{'-reset' if reset.active else '-resetn'} {reset.name}"
    top = driver.name.removesuffix(".sv")
    run_script(
        [
            f"read_slang --top {top} {' '.join([*write_sources(design, work_dir), driver.name])}",
            f"hierarchy -check -top {top}",
            "proc",
            "flatten",
            "memory -nomap",
            "opt_clean",
            f"rename -hide w:*.* w:*_q %d {' '.join(f'w:*.{wire} %d' for wire in wires)}",
            f"sim -q -clock {clock} {resetting} -rstlen {RESET_CLOCKS} -n {clocks} -vcd {WAVES} {top}",
        ],
        work_dir / "trace.log",
    )
    return dict(_read_vcd((work_dir / WAVES).read_text(), clock))


def registers_of(found: Mapping[str, Signal]) -> dict[str, tuple[int | None, ...]]:
    """The values of the registers inside the design, named by their path in it."""
    inside = f"{INSTANCE}."
    return {
        name.removeprefix(inside): signal.values for name, signal in sorted(found.items()) if name.startswith(inside)
    }


def cut(trace: Trace, end: int) -> Trace:
    """The trace up to clock edge `end`, which is not in it."""
    signals = {name: Signal(name, signal.width, signal.values[:end]) for name, signal in trace.signals.items()}
    registers = {name: values[:end] for name, values in trace.registers.items()}
    return Trace(trace.ports, signals, registers, trace.beats)


def _read_vcd(text: str, clock_name: str) -> Iterator[tuple[str, Signal]]:
    """The signals, named by their path below the outermost scope, sampled just before each rising edge of the clock."""
    codes: dict[str, tuple[str, int]] = {}
    scopes: list[str] = []
    current: dict[str, int | None] = {}
    samples: dict[str, list[int | None]] = {}
    header, _, body = text.partition("$enddefinitions $end")
    for line in header.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2].lstrip("\\"))
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            codes[words[3]] = (".".join([*scopes[1:], words[4].lstrip("\\")]), int(words[2]))
    clock = next(code for code, (name, _) in codes.items() if name == clock_name)
    for moment in _changes(body):
        if moment.get(clock) == 1 and current.get(clock) == 0:
            for code in codes:
                samples.setdefault(code, []).append(current.get(code))
        current.update(moment)
    for code, (name, width) in codes.items():
        yield name, Signal(name, width, tuple(samples.get(code, ())))


def _changes(body: str) -> Iterator[dict[str, int | None]]:
    """The value changes of each time step; a value with any undefined bit is None."""
    changes: dict[str, int | None] = {}
    for line in body.splitlines():
        if line.startswith("#"):
            yield changes
            changes = {}
        elif line.startswith("b"):
            digits, code = line[1:].split()
            changes[code] = int(digits, 2) if set(digits) <= {"0", "1"} else None
        elif line and line[0] in "01xzXZ":
            changes[line[1:]] = int(line[0]) if line[0] in "01" else None
    yield changes
