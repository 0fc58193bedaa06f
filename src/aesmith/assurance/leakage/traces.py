"""A simulation that gives power traces: 64 stimuli at a time, the energy of each in each part of a clock period.

What the netlist computes is simulated without delays; in recorded periods the waves of all its nets give the energy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from aesmith.assurance.leakage.waves import SCRATCH, WaveProgram, trace_period
from aesmith.errors import CheckError
from aesmith.timing.power.arrays import DELAYS, DIRTY, LANES, NETS, OUT, TABLE, TIME, VARIABLES, Ints, Words
from aesmith.timing.power.program import PowerProgram
from aesmith.timing.power.report import energies
from aesmith.timing.power.simulator import Simulator

Samples = NDArray[np.int64]
"""Energies in aJ, (lanes, parts of a period)."""

_TRANSITIONS_A_NET = 8
_AJ_IN_FJ = 1000


class WaveNetlist:
    """A compiled netlist prepared for traces. `weights[g]` is the mean energy of a transition of gate g, in aJ.

    Of energies, those of nets that cells drive and of cells whose output moves are in it; those of ports, of the clock
    and of inputs that move no output are not.
    """

    def __init__(self, program: PowerProgram) -> None:
        self.program = program
        self.weights = _weights(program)
        self.registers = program.arrays.gate[program.arrays.register, OUT].astype(np.int64)
        self.waves = self._waves()

    def _waves(self) -> WaveProgram:
        arrays = self.program.arrays
        held = set(arrays.register.tolist())
        driver = {int(arrays.gate[g, OUT]): g for g in range(len(self.program.gates)) if g not in held}
        inputs = {g: self._inputs(g) for g in driver.values()}
        roots = [net for row in arrays.next_state for net in self._nets(int(row))]
        order = list(_in_order(driver, inputs, [*roots, *driver]))
        sources = sorted({net for g in order for net, _ in inputs[g]} - driver.keys())
        nets = [*sources, *(int(arrays.gate[g, OUT]) for g in order)]
        slot = {net: k for k, net in enumerate(nets)}
        code: list[int] = []
        tables: list[int] = []
        bases: dict[tuple[int, ...], int] = {}
        for g in order:
            row = arrays.gate[g]
            values = self._values(g, [k for _, k in inputs[g]])
            if values not in bases:
                bases[values] = len(tables)
                tables += values
            own = sum(1 << k for k, (net, _) in enumerate(inputs[g]) if net == row[OUT])
            code += [int(self.weights[g]), bases[values], own, len(inputs[g])]
            for net, k in inputs[g]:
                code += [slot[net], *(int(arrays.delay[row[DELAYS] + edge * row[VARIABLES] + k]) for edge in (0, 1))]
        return WaveProgram(
            np.array(code, dtype=np.int32),
            np.array(tables, dtype=np.uint8),
            np.array(nets, dtype=np.int64),
            len(sources),
        )

    def _nets(self, gate: int) -> list[int]:
        """The nets of a gate's variables."""
        row = self.program.arrays.gate[gate]
        return [int(net) for net in self.program.arrays.code[row[NETS] : row[NETS] + row[VARIABLES]]]

    def _inputs(self, gate: int) -> list[tuple[int, int]]:
        """Net and number of the variables that can change a gate's output."""
        nets, constant = self._nets(gate), self.program.constant
        known = tuple((k, constant[net]) for k, net in enumerate(nets) if net in constant)
        support = _support(self._table(gate), known)
        return [(net, k) for k, net in enumerate(nets) if k in support]

    def _values(self, gate: int, variables: Sequence[int]) -> tuple[int, ...]:
        """The values of a gate's output over these of its variables."""
        table = self._table(gate)
        others = sum(1 << k for k, net in enumerate(self._nets(gate)) if self.program.constant.get(net))
        ways = range(1 << len(variables))
        return tuple(table[others + sum((way >> k & 1) << v for k, v in enumerate(variables))] for way in ways)

    def _table(self, gate: int) -> bytes:
        """The values of a gate's output over all its variables."""
        row = self.program.arrays.gate[gate]
        return self.program.arrays.table[row[TABLE] : row[TABLE] + (1 << int(row[VARIABLES]))].tobytes()


@cache
def _support(table: bytes, known: tuple[tuple[int, bool], ...]) -> frozenset[int]:
    """The variables that a function depends on where some are known."""
    possible = [state for state in range(len(table)) if all(state >> k & 1 == high for k, high in known)]
    free = set(range(len(table).bit_length() - 1)) - {k for k, _ in known}
    return frozenset(k for k in free if any(table[state] != table[state ^ 1 << k] for state in possible))


def _weights(program: PowerProgram) -> Ints:
    costs = energies(program)
    energy = costs.switching + costs.internal
    weights = np.zeros(len(program.gates), dtype=np.int64)
    for g, gate in enumerate(program.gates):
        if gate.classes is not None:
            counters = len(gate.classes.classes) or 2
            mean = energy[gate.count_base : gate.count_base + counters].mean()
            weights[g] = round(_AJ_IN_FJ * float(mean))
    return weights


def _in_order(
    driver: Mapping[int, int], inputs: Mapping[int, Sequence[tuple[int, int]]], roots: Sequence[int]
) -> Iterator[int]:
    """Gates behind those they read, and as near to them as may be: depth first from one root after the other."""
    seen: set[int] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            net, ready = stack.pop()
            gate = driver.get(net)
            if gate is None:
                continue
            if ready:
                yield gate
            elif net not in seen:
                seen.add(net)
                stack.append((net, True))
                stack += [(read, False) for read, _ in reversed(inputs[gate]) if read not in seen]


class TraceSimulator(Simulator):
    """A simulation whose periods give samples while `tracing`: one row a lane, `parts` columns a period.

    `samples` has an array for each period recorded. Between periods all is quiet: a period in which anything still
    moves at its end raises CheckError.
    """

    def __init__(self, netlist: WaveNetlist, parts: int = 1) -> None:
        super().__init__(netlist.program, zero_delay=True)
        self.tracing = False
        self.samples: list[Samples] = []
        self._netlist = netlist
        self._parts = parts
        self._now = 0
        self._stimuli: list[tuple[int, Ints, Words]] = []
        waves = netlist.waves
        self._source = np.full(netlist.program.nets, -1, dtype=np.int64)
        self._source[waves.net[: waves.sources]] = np.arange(waves.sources)
        self._begun = np.zeros(len(waves.net), dtype=np.uint64)
        self._times = np.zeros(_TRANSITIONS_A_NET * len(waves.net) + 1024, dtype=np.int32)
        self._start = np.zeros(len(waves.net) + 1, dtype=np.int32)
        self._level = np.zeros(len(waves.net), dtype=np.uint8)

    @property
    def zero_delay(self) -> bool:
        """Whether nothing is recorded."""
        return not self.tracing

    @zero_delay.setter
    def zero_delay(self, wanted: bool) -> None:
        self.tracing = not wanted

    def begin_period(self) -> None:
        """A clock period begins."""
        self._now = 0
        if self.tracing:
            self._stimuli = []
            self._begun = self.run.value[self._netlist.waves.net]

    def advance(self, ticks: int) -> None:
        """Let time pass. What the netlist makes of what was driven is found when somebody asks."""
        self.run.numbers[TIME] += ticks
        self._now += ticks

    def clock_edge(self, *, active: bool) -> None:
        """The edge of the clock that the registers take their next states at (`active`), or the other one."""
        self._settle()
        registers = self._netlist.registers
        before = self.run.value[registers]
        super().clock_edge(active=active)
        self._stimulus(registers, before ^ self.run.value[registers])

    def end_period(self) -> None:
        """A clock period has ended; its samples are taken."""
        self._settle()
        if not self.tracing:
            return
        first, time, lanes = self._sorted()
        waves = self._netlist.waves
        sums = np.zeros((LANES, self._parts), dtype=np.int64)
        width = max(1, -(-self._now // self._parts))
        scratch = np.zeros(SCRATCH + len(self._times), dtype=np.int32)
        while (
            last := trace_period(
                waves.code, waves.table, first, time, lanes, self._begun, self._start, self._times, scratch,
                self._level, width, sums,
            )
        ) < 0:  # fmt: skip
            self._times = np.zeros(2 * len(self._times), dtype=np.int32)
            scratch = np.zeros(SCRATCH + len(self._times), dtype=np.int32)
            sums[:] = 0
        if last >= self._now:
            raise CheckError(
                f"traces of {self.program.bound.netlist.name}: after {last} ps something still moves; the clock period "
                f"of {self._now} ps is too short for traces"
            )
        self.samples.append(sums)

    def port(self, name: str) -> Words:
        """The values of a port now, a word a bit."""
        self._settle()
        return super().port(name)

    def _settle(self, *, everything: bool = False) -> None:
        if everything or self.run.numbers[DIRTY]:
            super()._settle(everything=everything)

    def _drive(self, nets: Ints, words: Words) -> None:
        before = self.run.value[nets]
        super()._drive(nets, words)
        self._stimulus(nets, before ^ words)

    def _stimulus(self, nets: Ints, lanes: Words) -> None:
        if self.tracing:
            moved = np.flatnonzero(lanes)
            if len(moved):
                self._stimuli.append((self._now, nets[moved], lanes[moved]))

    def _sorted(self) -> tuple[NDArray[np.int32], NDArray[np.int32], Words]:
        """The stimuli of the period by source and time: where those of a source begin, times, lanes that change."""
        sources = self._netlist.waves.sources
        slot = np.concatenate([self._source[nets] for _, nets, _ in self._stimuli] or [np.zeros(0, dtype=np.int64)])
        time = np.concatenate(
            [np.full(len(nets), now) for now, nets, _ in self._stimuli] or [np.zeros(0, dtype=np.int64)]
        )
        lanes = np.concatenate([words for *_, words in self._stimuli] or [np.zeros(0, dtype=np.uint64)])
        known = slot >= 0
        slot, time, lanes = slot[known], time[known], lanes[known]
        order = np.lexsort((time, slot))
        first = np.searchsorted(slot[order], np.arange(sources + 1)).astype(np.int32)
        return first, time[order].astype(np.int32), lanes[order]
