"""Power traces: the energy of each lane's transitions in every part of a clock period, and nothing else of them.

For a trace nobody asks which transition took the energy. So no wheel of events is kept, no count and no state between
periods: in each period every net has its *wave*, the times of its transitions, and a gate makes its wave of those of
its inputs, once all of these are there. Gates go in an order in which they follow one another in the netlist: what one
writes the next one reads, and memory is passed through from one end to the other.

The waves are those of `aesmith.timing.power.kernel`, to the tick: an event brings the output to the value that the
logic has by then. What a net is at the end of a period comes from the simulation without delays, 64 lanes at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aesmith.lazy import compiled
from aesmith.timing.power.arrays import Bytes, Ints, Shorts, Words

NEVER = np.int64(0x7FFFFFFF)
"""A time after all others."""

SCRATCH = 24
"""Room to work in beside that for events under way."""

HEADER, INPUT = 4, 3
"""Places of a gate in `WaveProgram.code` before its inputs, and for each of them."""

_ONE = np.uint64(1)


class WaveProgram(NamedTuple):
    """A netlist for waves. Slots are nets: first the `sources`, which nothing computes, then one for each gate.

    `code` has a gate after the other: its weight, the place of its values in `table`, the mask of the variable that is
    its own output (a latch has one), the number of variables, and for each its slot and the ticks until the output has
    risen and fallen. `net[s]` is the net of slot s.
    """

    code: Shorts
    table: Bytes
    net: Ints
    sources: int


@compiled
def _trace_lane(  # noqa: PLR0917 - compiled code takes no keyword arguments
    code: Shorts,
    table: Bytes,
    first: Shorts,
    time: Shorts,
    lanes: Words,
    before: Words,
    start: Shorts,
    times: Shorts,
    scratch: Shorts,
    level: Bytes,
    shift: np.uint64,
    width: int,
    sums: Ints,
) -> int:
    """The waves of one lane: the last time, or -1 without room for them."""
    sources, slots, room, parts = len(first) - 1, len(before), len(times), len(sums)
    for s in range(slots):
        level[s] = (before[s] >> shift) & _ONE
    used, latest = np.int64(0), np.int64(0)
    if len(time) > room:
        return -1
    for s in range(sources):
        start[s] = used
        for k in range(first[s], first[s + 1]):
            if (lanes[k] >> shift) & _ONE:
                times[used] = time[k]
                used += 1
    start[sources] = used
    position, at, end, pending = scratch[:8], scratch[8:16], scratch[16:SCRATCH], scratch[SCRATCH:]
    place = np.int64(0)
    for slot in range(sources, slots):
        weight, base, count = np.int64(code[place]), np.int64(code[place + 1]), np.int64(code[place + 3])
        opening = used
        if count == 2 and code[place + 2] == 0:
            # Most gates have two inputs: the same as below, without loops over them.
            a, b = np.int64(code[place + HEADER]), np.int64(code[place + HEADER + INPUT])
            at_a, end_a = np.int64(start[a]), np.int64(start[a + 1])
            at_b, end_b = np.int64(start[b]), np.int64(start[b + 1])
            moves = end_a - at_a + end_b - at_b
            if moves == 0:
                place += HEADER + 2 * INPUT
                start[slot + 1] = used
                continue
            if used + moves > room:
                return -1
            truth = table[base] | table[base + 1] << 1 | table[base + 2] << 2 | table[base + 3] << 3
            state = np.int64(level[a]) | np.int64(level[b]) << 1
            value = (truth >> state) & 1
            target = value
            time_a = np.int64(times[at_a]) if at_a < end_a else NEVER
            time_b = np.int64(times[at_b]) if at_b < end_b else NEVER
            # Of the events under way `soonest` is the first; the others are in `pending`.
            waiting = np.int64(0)
            soonest = NEVER
            while True:
                now = min(time_a, time_b)
                while soonest <= now and waiting > 0:
                    if value != target:
                        value = target
                        times[used] = soonest
                        used += 1
                    waiting -= 1
                    if waiting == 0:
                        soonest = NEVER
                    elif waiting == 1:
                        soonest = np.int64(pending[0])
                    else:
                        least = 0
                        for e in range(1, waiting):
                            if pending[e] < pending[least]:
                                least = e
                        soonest = np.int64(pending[least])
                        pending[least] = pending[waiting - 1]
                if now == NEVER:
                    break
                # A branch for each way the inputs move: what guesses branches is what takes the time here.
                if time_a == time_b:
                    state ^= 3
                    at_a += 1
                    at_b += 1
                    time_a = np.int64(times[at_a]) if at_a < end_a else NEVER
                    time_b = np.int64(times[at_b]) if at_b < end_b else NEVER
                    high = (truth >> state) & 1
                    if high == target:
                        continue
                    wait = min(code[place + HEADER + 2 - high], code[place + HEADER + INPUT + 2 - high])
                elif time_a < time_b:
                    state ^= 1
                    at_a += 1
                    time_a = np.int64(times[at_a]) if at_a < end_a else NEVER
                    high = (truth >> state) & 1
                    if high == target:
                        continue
                    wait = code[place + HEADER + 2 - high]
                else:
                    state ^= 2
                    at_b += 1
                    time_b = np.int64(times[at_b]) if at_b < end_b else NEVER
                    high = (truth >> state) & 1
                    if high == target:
                        continue
                    wait = code[place + HEADER + INPUT + 2 - high]
                target = high
                then = now + np.int64(wait)
                if waiting == 0:
                    soonest = then
                elif then < soonest:
                    pending[waiting - 1] = soonest
                    soonest = then
                else:
                    pending[waiting - 1] = then
                waiting += 1
            place += HEADER + 2 * INPUT
        else:
            own, inputs = np.int64(code[place + 2]), place + HEADER
            place = inputs + INPUT * count
            state, moves = np.int64(0), np.int64(0)
            for k in range(count):
                read = code[inputs + INPUT * k]
                state |= np.int64(level[read]) << k
                position[k] = start[read]
                end[k] = start[read + 1] if read != slot else start[read]
                moves += end[k] - position[k]
            if moves == 0:
                start[slot + 1] = used
                continue
            if used + moves > room:
                return -1
            for k in range(count):
                at[k] = times[position[k]] if position[k] < end[k] else NEVER
            value = np.int64(level[slot])
            target = value
            waiting = np.int64(0)
            while True:
                now_any = at[0]
                for k in range(1, count):
                    now_any = min(now_any, at[k])
                while waiting > 0:
                    least = 0
                    for e in range(1, waiting):
                        if pending[e] < pending[least]:
                            least = e
                    first_due = pending[least]
                    if first_due > now_any:
                        break
                    waiting -= 1
                    pending[least] = pending[waiting]
                    if value != target:
                        value = target
                        state ^= own
                        times[used] = first_due
                        used += 1
                if now_any == NEVER:
                    break
                moved = np.int64(0)
                for k in range(count):
                    if at[k] == now_any:
                        moved |= 1 << k
                        state ^= 1 << k
                        position[k] += 1
                        at[k] = times[position[k]] if position[k] < end[k] else NEVER
                high = np.int64(table[base + state])
                if high != target:
                    target = high
                    shortest = NEVER
                    for k in range(count):
                        if (moved >> k) & 1:
                            shortest = min(shortest, code[inputs + INPUT * k + 2 - high])
                    pending[waiting] = now_any + shortest
                    waiting += 1
        start[slot + 1] = used
        if used > opening:
            latest = max(latest, np.int64(times[used - 1]))
            if parts == 1:
                sums[0] += weight * (used - opening)
            else:
                for e in range(opening, used):
                    sums[min(times[e] // width, parts - 1)] += weight
    return int(latest)


@compiled
def trace_period(  # noqa: PLR0917 - compiled code takes no keyword arguments
    code: Shorts,
    table: Bytes,
    first: Shorts,
    time: Shorts,
    lanes: Words,
    before: Words,
    start: Shorts,
    times: Shorts,
    scratch: Shorts,
    level: Bytes,
    width: int,
    sums: Ints,
) -> int:
    """Add the weights of the transitions in a period to `sums[lane]`, one for each `width` ticks, the last for the
    rest.

    `before` are the words of all slots before the period; `start`, `times`, `scratch` and `level` are room to work in,
    for slots + 1 places, transitions, events under way, and levels. Returns the time of the last transition, or -1 if
    there is too little room for transitions.
    """
    latest = 0
    for lane in range(len(sums)):
        last = _trace_lane(
            code, table, first, time, lanes, before, start, times, scratch, level, np.uint64(lane), width, sums[lane]
        )
        if last < 0:
            return -1
        latest = max(latest, last)
    return latest
