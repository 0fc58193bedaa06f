"""What happens in each clock of a block, read from a trace of the core."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from aesmith.cores.design import CoreDesign
from aesmith.drawing.waveform import Trace
from aesmith.errors import CheckError

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
    facts = [("latency_cycles", design.latency_cycles, given[0] - taken[0] + 1)]
    # Blocks that share a loop may enter one after another; only their mean over a whole loop is as stated.
    together = 1 if design.cycles_per_block == 1 else max(1, design.latency_cycles // design.cycles_per_block)
    # The first block met a core at rest; from the second on they come back to back, if there are so many.
    first = 1 if together + 1 < len(taken) else 0
    if first + together < len(taken):
        seen_cycles = (taken[first + together] - taken[first]) // together
        facts.append(("cycles_per_block", design.cycles_per_block, seen_cycles))
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
