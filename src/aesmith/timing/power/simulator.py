"""A running simulation of a compiled netlist, 64 stimuli at a time."""

from __future__ import annotations

import numpy as np

from aesmith.errors import RequestError
from aesmith.timing.power.arrays import (
    ALL_LANES,
    CHANGED,
    DIRTY,
    LANES,
    NO_EVENT,
    PENDING,
    TIME,
    Drive,
    Ints,
    Run,
    Words,
)
from aesmith.timing.power.kernel import advance, begin_period, clock_registers, drive, end_period, load_lanes, sweep
from aesmith.timing.power.program import PowerProgram, initial_values

_EVENTS_A_GATE, _MORE_EVENTS = 4, 1024


class Simulator:
    """One run. All registers begin at 0, all inputs at 0. Lane l of a port is bit l of its words.

    `zero_delay` leaves all delays out: then nothing glitches. With `record`, `recording` has all that was driven.
    """

    def __init__(self, program: PowerProgram, *, zero_delay: bool = False, record: bool = False) -> None:
        self.program = program
        self._zero_delay = zero_delay
        self.recording: list[Drive] | None = [] if record else None
        self.counted_lanes = np.uint64(0)
        self._ports = {port.name: np.array(port.nets, dtype=np.int64) for port in program.bound.netlist.ports.values()}
        clock = program.bound.clock
        self._clock = None if clock is None else np.array([clock], dtype=np.int64)
        gates, nets = len(program.gates), program.nets
        slots = 1 << (program.longest_delay + 1).bit_length()
        self.run = Run(
            value=initial_values(program),
            change=np.zeros(nets, dtype=np.uint64),
            before=np.zeros(nets, dtype=np.uint64),
            state=np.zeros((LANES, gates), dtype=np.uint16),
            head=np.full((LANES, slots), NO_EVENT, dtype=np.uint32),
            event=_free_events(0, _EVENTS_A_GATE * gates + _MORE_EVENTS),
            lane_pending=np.zeros(LANES, dtype=np.int64),
            dirty=np.zeros(2 * gates + 1, dtype=np.int32),
            is_dirty=np.zeros(gates, dtype=np.bool_),
            changed=np.zeros(nets, dtype=np.int32),
            moved=np.zeros(gates, dtype=np.uint8),
            counts=np.zeros(program.counts, dtype=np.uint32),
            input_counts=np.zeros(program.input_counts, dtype=np.uint32),
            net_counts=np.zeros(nets, dtype=np.int64),
            functional=np.zeros(gates, dtype=np.int64),
            states=np.zeros(program.states, dtype=np.int64),
            lane_weights=np.zeros(LANES, dtype=np.int64),
            numbers=np.array([0, 0, 0, 0, 0, 0, -1], dtype=np.int64),
        )
        if self._clock is not None and not program.bound.rising:
            self.run.value[self._clock] = ALL_LANES
        self._settle(everything=True)
        load_lanes(program.arrays, self.run)

    @property
    def zero_delay(self) -> bool:
        """Whether delays are left out. May be changed while nothing is under way."""
        return self._zero_delay

    @zero_delay.setter
    def zero_delay(self, wanted: bool) -> None:
        if self._zero_delay and not wanted:
            load_lanes(self.program.arrays, self.run)
        self._zero_delay = wanted

    @property
    def time(self) -> int:
        """Ticks since the beginning."""
        return int(self.run.numbers[TIME])

    @property
    def quiet(self) -> bool:
        """Whether nothing is under way."""
        return not self.run.numbers[PENDING] and not self.run.numbers[CHANGED]

    def port(self, name: str) -> Words:
        """The values of a port now, a word a bit."""
        return self.run.value[self._nets(name)]

    def drive(self, name: str, words: Words) -> None:
        """Set an input port now; `words[b]` are the lanes of bit b."""
        self._drive(self._nets(name), words.astype(np.uint64))

    def advance(self, ticks: int) -> None:
        """Let time pass."""
        if self.zero_delay:
            self._settle()
            self.run.numbers[TIME] += ticks
            return
        until = self.time + ticks
        while advance(self.program.arrays, self.run, until, self.counted_lanes):
            self._more_events()

    def clock_edge(self, *, active: bool) -> None:
        """The edge of the clock that the registers take their next states at (`active`), or the other one."""
        if self._clock is None:
            return
        high = self.program.bound.rising == active
        if active:
            clock_registers(self.program.arrays, self.run, not self._zero_delay)
        words = np.array([ALL_LANES if high else 0], dtype=np.uint64)
        self._drive(self._clock, words)

    def begin_period(self) -> None:
        """A clock period begins: what changes from now on is either back at its end, or functional."""
        begin_period(self.run)

    def end_period(self) -> None:
        """A clock period has ended."""
        if self.counted_lanes:
            end_period(self.program.arrays, self.run, self.counted_lanes)

    def clear_counts(self) -> None:
        """Set all counts to zero."""
        run = self.run
        for counts in (run.counts, run.input_counts, run.net_counts, run.functional, run.states):
            counts[:] = 0
        run.lane_weights[:] = 0

    def lane_weights(self) -> Ints:
        """The sum of the weights of the counted transitions, lane by lane."""
        return self.run.lane_weights.copy()

    def net_toggles(self) -> tuple[Words, Words]:
        """Counted transitions of every net of the netlist, and those of them that were functional."""
        total = self.run.net_counts.copy()
        functional = self.run.net_counts.copy()
        for number, gate in enumerate(self.program.gates):
            if gate.classes is not None:
                size = len(gate.classes.classes) + 2
                total[gate.net] += self.run.counts[gate.count_base : gate.count_base + size].sum()
                functional[gate.net] += self.run.functional[number]
        nets = len(self.program.bound.netlist.nets)
        return total[:nets].astype(np.uint64), functional[:nets].astype(np.uint64)

    def _nets(self, name: str) -> Ints:
        if name not in self._ports:
            raise RequestError(f"port: the netlist has {', '.join(self._ports)}, not {name}")
        return self._ports[name]

    def _drive(self, nets: Ints, words: Words) -> None:
        if self.recording is not None:
            self.recording.append(Drive(self.time, nets, words))
        drive(self.program.arrays, self.run, nets, words, self.counted_lanes)

    def _settle(self, *, everything: bool = False) -> None:
        run = self.run
        if everything:
            run.is_dirty[:] = True
            run.dirty[: len(run.is_dirty)] = np.arange(len(run.is_dirty))
            run.numbers[DIRTY] = len(run.is_dirty)
        while sweep(self.program.arrays, run, self.counted_lanes):
            pass

    def _more_events(self) -> None:
        """Double the room for events. Arrays of a run are fixed, so the run is made anew around them."""
        run = self.run
        old = len(run.event)
        # The chain of free events ends at `old`, which is where the new ones begin.
        self.run = run._replace(event=np.concatenate([run.event, _free_events(old, old)]))


def _free_events(first: int, count: int) -> Words:
    """Events by the numbers from `first` on, each followed by the next."""
    return np.arange(first + 1, first + count + 1, dtype=np.uint64)
