"""What the ports of a core do, clock by clock, while it takes a key and three blocks: a simulation of its own RTL.

Yosys simulates the sources together with a small driver that obeys the handshake rules of the block interface: one key,
after a rest three blocks as fast as the core takes them, and a receiver that lets the last result wait for two clocks.
From that trace come the table of what happens in each clock of a block, and the check of the clocks that a core states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from aesmith.assurance.probing.bench import with_surroundings
from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import (
    BLOCK_BITS,
    SIZE_CODES,
    ByteOrder,
    Channel,
    Line,
    PortDirection,
    Ports,
)
from aesmith.cores.wrapper import attach
from aesmith.drawing.waveform import Signal, Trace
from aesmith.errors import CheckError, ToolError
from aesmith.publish.driven import INSTANCE, WAVES, cut, driver_ports, registers_of, simulate_driven
from aesmith.publish.output import render

BLOCKS = 3
STALL_CLOCKS = 2
REST_CLOCKS = 4
"""From the key to the first block, and as many more as a block has beats, where it has several: latency is stated of a
core at rest."""
DRIVEN = ("clock", "reset", "key.valid", "key.key", "block.valid", "block.block", "result.ready")
"""What the driver moves; other inputs stay as they are."""
KEY = bytes(range(32))
PLAINTEXTS = tuple(bytes(17 * i ^ 85 * block for i in range(16)) for block in range(BLOCKS))
MANY_REGISTERS = 8
"""With more registers than this in one clock, those that differ in the indices of their instances alone are one."""

_INDEX = re.compile(r"\[\d+\]")


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
    """Simulates `design` in `work_dir`, which is made. Beside registers, wires of these names are recorded.

    Raises RequestError for a design without clock and reset, ToolError if the core does not deliver its results.
    """
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
    return trace


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
    per_block, latency = design.clocks(max(design.key_bits), design.directions[0])
    facts = [("latency_cycles", latency, given[0] - taken[0] + 1)]
    # Blocks that share a loop may enter one after another; only their mean over a whole loop is as stated.
    together = 1 if per_block == 1 else max(1, latency // per_block)
    # The first block met a core at rest; from the second on they come back to back, if there are so many.
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
        yield "block taken" if trace.beats == 1 else "byte of a block taken"
    if trace.offered("result", clock):
        yield "result delivered" if trace.beats == 1 else "byte of a result delivered"


def _moving(trace: Trace, clock: int) -> tuple[str, ...]:
    """The registers whose value after this clock's edge is another one."""
    if clock + 1 >= trace.clocks:
        return ()
    names = tuple(name for name, values in trace.registers.items() if values[clock] != values[clock + 1])
    if len(names) <= MANY_REGISTERS:
        return names
    return tuple(dict.fromkeys(_INDEX.sub("[…]", name) for name in names))
