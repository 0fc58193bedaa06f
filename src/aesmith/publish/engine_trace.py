"""What the ports of an engine do, clock by clock, while it takes a key and a few messages: a simulation of its own RTL.

The first message is a block of text, which comes some clocks after its command, so that the latency is seen; the others
come behind it as fast as the engine takes them. What leaves is compared with the engine's model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from aesmith.assurance.streams.channels import Transfer
from aesmith.assurance.streams.check import compare, expected, offers_of
from aesmith.cores.design import Direction, SourceFile
from aesmith.cores.ports import Line
from aesmith.cores.wrapper import attach
from aesmith.drawing.waveform import Trace
from aesmith.errors import CheckError, ToolError
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, StreamEngine
from aesmith.modes.message import BLOCK
from aesmith.modes.stream import Section, StreamedMessage
from aesmith.modes.traffic import Keyed
from aesmith.publish.driven import INSTANCE, WAVES, cut, driver_ports, simulate_driven
from aesmith.publish.output import render
from aesmith.publish.trace import KEY, STALL_CLOCKS, Step

TEXT_BLOCKS = (1, 3, 2)
"""Blocks of text of the messages; the second has a block of header where the mode knows one."""
_REST = 16
"""Clocks from the key to the first command, and from there to the first beat, beside those of two blocks: what depends
on the key alone, and on the command alone, is made by then."""


def traced_messages(engine: StreamEngine) -> list[Keyed]:
    """The messages of the trace, encrypted if the engine does, each byte of them another, under one key."""
    key = KEY[: engine.key_bits[0] // 8]
    made: list[Keyed] = []
    for number, texts in enumerate(TEXT_BLOCKS):
        plain = engine.plain(
            _headers(engine) if number == 1 else 0, texts, encrypt=Direction.ENCRYPT in engine.directions
        )
        made.append((key, _filled(plain, BLOCK * sum(TEXT_BLOCKS[:number]))))
    return made


def _encrypts(engine: StreamEngine) -> bool:
    return Direction.ENCRYPT in engine.directions


def _headers(engine: StreamEngine) -> int:
    """A block of header, if the mode knows one."""
    return int(any(headers for headers, _, _ in engine.kinds()))


def _filled(message: StreamedMessage, first: int) -> StreamedMessage:
    """The message with whole beats of header and text that count on from a byte."""
    beats = [
        replace(beat, data=bytes((first + BLOCK * place + byte) % 256 for byte in range(BLOCK)))
        if beat.section in (Section.HEADER, Section.TEXT) and beat.keep == (1 << BLOCK) - 1
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
    found = simulate_driven(engine, _driver(engine, sent, answers), clocks, work_dir)
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
    return _REST + 2 * engine.core.latency_cycles


def _driver(engine: StreamEngine, sent: list[Keyed], answers: int) -> SourceFile:
    name, ports = f"{engine.name}_waveform", engine.ports
    beats = [
        f"{last << 2 | user:x}{keep:04x}{data:032x}"
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
        key=KEY[: engine.key_bits[0] // 8].hex(),
        key_bits=engine.key_bits[0],
        commands="".join(f"{message.command.word:064x}" for _, message in sent),
        command_count=len(sent),
        beats="".join(beats),
        beat_count=len(beats),
        answer_count=answers,
        rest=_rest(engine),
        stall=STALL_CLOCKS,
    )
    return SourceFile(f"{name}.sv", text)


def check_latency(engine: StreamEngine, trace: Trace) -> None:
    """Raises CheckError unless the first message, of a block, is answered after the clocks that the engine states."""
    seen = trace.transfers(OUTPUT)[0] - trace.transfers(INPUT)[0] + 1
    if seen != engine.latency_cycles:
        raise CheckError(
            f"{engine.name}: latency_cycles is stated as {engine.latency_cycles}, but it takes {seen} in simulation"
        )


def message_table(trace: Trace) -> tuple[Step, ...]:
    """The clocks from the one that takes the first command to the end of the last answer; equal ones together."""
    begin, end = trace.transfers(COMMAND)[0], trace.transfers(OUTPUT)[-1]
    rows = [(clock, "; ".join(_events(trace, clock)) or "busy") for clock in range(begin, end + 1)]
    steps = []
    for ports, group in groupby(rows, key=lambda row: row[1]):
        clocks = [row[0] for row in group]
        steps.append(Step(clocks[0] - begin + 1, clocks[-1] - begin + 1, ports, ()))
    return tuple(steps)


def _events(trace: Trace, clock: int) -> Iterator[str]:
    if clock in trace.transfers(COMMAND):
        yield "command taken"
    for channel, word in ((INPUT, "taken"), (OUTPUT, "delivered")):
        if clock in trace.transfers(channel):
            last = next(p.port for p in trace.ports.channel(channel).payloads if str(p.meaning) == "last")
            yield f"{'last beat' if trace.at(last, clock) else 'beat'} {word}"
