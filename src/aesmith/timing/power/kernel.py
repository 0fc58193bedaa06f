"""The compiled simulation: with delays, events on a wheel of ticks; without, 64 lanes a word.

When the logic of a gate changes value, an event is put on the wheel, after the delay from the variable that changed to
the edge the output makes (the shortest, if several changed at once). An event brings the output to the value the logic
has *by then*: a pulse that is over before the output would have followed its beginning is swallowed. That is inertial
delay as Icarus Verilog's module paths have it. All of a tick's events are carried out before any gate is evaluated.

With delays the lanes go one after the other. Lanes of a word would have to share events to gain anything by going
together, and transitions meet in the same picosecond too rarely behind the first gates: 1.5 lanes an event, measured
on a round-based core. Without delays, and in reading and driving ports, a word does what 64 lanes would.

Kernels that call one another live in one file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aesmith.lazy import compiled, compiled_with_arrays
from aesmith.timing.power.arrays import (
    ALL_LANES,
    CHANGED,
    COUNTS,
    DELAYS,
    DIRTY,
    EVALUATED,
    FIRST_FOLLOWER,
    FREE,
    INPUT_CLASSES,
    INPUT_COUNTS,
    INVERTED,
    KIND,
    LANE,
    LANE_TIME,
    LANES,
    LAST_FOLLOWER,
    LAST_LITERAL,
    LITERALS,
    NETS,
    NO_EVENT,
    OUT,
    OUTPUT,
    OUTPUT_CLASSES,
    PARITY,
    PENDING,
    TABLE,
    TARGET,
    TIME,
    VARIABLES,
    WEIGHT,
    Bytes,
    Flags,
    Ints,
    Longs,
    Program,
    Run,
    Shorts,
    Words,
)

Number = int | np.integer[Any]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FIVES, _THREES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_TWO, _FOUR, _TOP_BYTE = np.uint64(2), np.uint64(4), np.uint64(56)
_NEXT, _CAUSE = np.uint64(0xFFFFFFFF), np.uint64(15)
_TO_CAUSE, _TO_GATE = np.uint64(32), np.uint64(36)


@compiled
def count_ones(word: np.uint64) -> int:
    """Number of ones in a word."""
    word = word - ((word >> _ONE) & _FIVES)
    word = (word & _THREES) + ((word >> _TWO) & _THREES)
    word = (word + (word >> _FOUR)) & _NIBBLES
    return np.int64((word * _BYTES) >> _TOP_BYTE)  # type: ignore[return-value]


@compiled
def _evaluate(code: Shorts, first: Number, last: Number, kind: Number, value: Words) -> np.uint64:
    """The logic of a gate, whose literals are code[first:last], in all lanes."""
    result = _ZERO
    if kind & PARITY:
        for k in range(first, last):
            result ^= value[code[k] >> 2]
    else:
        product = ALL_LANES
        for k in range(first, last):
            literal = code[k]
            product &= value[literal >> 2] ^ (_ZERO - np.uint64((literal >> 1) & 1))
            if literal & 1:
                result |= product
                product = ALL_LANES
    return ~result if kind & INVERTED else result


@compiled
def _state(value: Words, nets: Shorts, first: Number, last: Number, lane: np.uint64) -> Number:
    """The values of nets[first:last] in one lane, as a number."""
    state = np.int64(0)
    for k in range(first, last):
        state |= np.int64((value[nets[k]] >> lane) & _ONE) << (k - first)
    return state


@compiled
def _touch(  # noqa: PLR0917 - compiled code takes no keyword arguments
    first: Number,
    last: Number,
    follower: Shorts,
    value: Words,
    change: Words,
    changed: Shorts,
    dirty: Shorts,
    is_dirty: Flags,
    numbers: Ints,
    net: Number,
    lanes: np.uint64,
) -> None:
    """Change a net in these lanes; its followers, follower[first:last], are to be evaluated."""
    value[net] ^= lanes
    if change[net] == _ZERO:
        changed[numbers[CHANGED]] = net
        numbers[CHANGED] += 1
    change[net] |= lanes
    for k in range(first, last):
        gate = follower[k] >> 9
        if follower[k] & EVALUATED and not is_dirty[gate]:
            is_dirty[gate] = True
            dirty[numbers[DIRTY]] = gate
            numbers[DIRTY] += 1


@compiled
def _forget_changes(change: Words, changed: Shorts, numbers: Ints) -> None:
    """The tick is over."""
    for k in range(numbers[CHANGED]):
        change[changed[k]] = _ZERO
    numbers[CHANGED] = 0


@compiled
def _tell(  # noqa: PLR0917 - compiled code takes no keyword arguments
    follower: Shorts,
    first: Number,
    last: Number,
    state: np.ndarray[Any, np.dtype[np.uint16]],
    moved: Bytes,
    dirty: Shorts,
    count: int,
) -> int:
    """The followers of a net learn that it has changed in a lane; the new number of gates to be evaluated."""
    for k in range(first, last):
        entry = follower[k]
        gate = entry >> 9
        variables = entry & 255
        state[gate] ^= np.uint16(variables)
        if entry & EVALUATED:
            if moved[gate] == 0:
                dirty[count] = gate
                count += 1
            moved[gate] |= np.uint8(variables)
    return count


@compiled
def _count_inputs(  # noqa: PLR0917 - compiled code takes no keyword arguments
    variables: Number, base: Number, counted: Number, classes: Shorts, counts: Longs, moved: Number, state: Number
) -> None:
    """Count the changes of a gate's variables that take energy of their own."""
    for k in range(variables):
        if (moved >> k) & 1:
            found = classes[base + ((k << variables) | state)]
            if found >= 0:
                counts[counted + found] += np.uint32(1)


@compiled
def advance(program: Program, run: Run, until: int, counted_lanes: np.uint64) -> int:
    """Carry out everything up to time `until`, that tick included, in all lanes; transitions count in `counted_lanes`.

    Returns 0 when done. Returns 1, to be called again with the same time, if there may be too few free events to go on:
    the caller has to provide more.
    """
    # Arrays by name: to reach into a tuple of arrays in the loop would cost more than the loop.
    row, table, delays, follower = program.gate, program.table, program.delay, program.follower
    output_class, input_class, net_follower = program.output_class, program.input_class, program.net_follower
    value, change, changed, numbers = run.value, run.change, run.changed, run.numbers
    events, dirty, moved, counts, input_counts = run.event, run.dirty, run.moved, run.counts, run.input_counts
    mask = run.head.shape[1] - 1
    lane_pending = run.lane_pending
    pending, free, start = numbers[PENDING], numbers[FREE], numbers[TIME]
    most = len(row)
    for k in range(numbers[DIRTY]):
        run.is_dirty[dirty[k]] = False
    numbers[DIRTY] = 0
    for lane in range(numbers[LANE], LANES):
        bit = _ONE << np.uint64(lane)
        counted = (counted_lanes & bit) != _ZERO
        state, head = run.state[lane], run.head[lane]
        weight = np.int64(0)
        dirty_count = 0
        time = max(start, numbers[LANE_TIME])
        if numbers[LANE_TIME] < 0:
            for k in range(numbers[CHANGED]):
                net = changed[k]
                if change[net] & bit:
                    dirty_count = _tell(
                        follower, net_follower[net], net_follower[net + 1], state, moved, dirty, dirty_count
                    )
        numbers[LANE_TIME] = -1
        here = lane_pending[lane]
        others = pending - here
        full_up = False
        while True:
            for k in range(dirty_count):
                gate = np.int64(dirty[k])
                which = np.int64(moved[gate])
                moved[gate] = 0
                variables = np.int64(row[gate, VARIABLES])
                full = np.int64(state[gate])
                now = full & 255
                if counted and row[gate, INPUT_CLASSES] >= 0:
                    _count_inputs(
                        variables, row[gate, INPUT_CLASSES], row[gate, INPUT_COUNTS], input_class, input_counts, which,
                        now,
                    )  # fmt: skip
                high = np.int64(table[row[gate, TABLE] + now])
                if high == (full >> 9) & 1:
                    continue
                state[gate] = np.uint16(full ^ TARGET)
                at = row[gate, DELAYS] + (1 - high) * variables
                cause = np.int64(0)
                while not (which >> cause) & 1:
                    cause += 1
                wait = np.int64(delays[at + cause])
                for other in range(cause + 1, variables):
                    if (which >> other) & 1 and delays[at + other] < wait:
                        cause = np.int64(other)
                        wait = np.int64(delays[at + other])
                slot = (time + wait) & mask
                event = free
                free = np.int64(events[event] & _NEXT)
                events[event] = (np.uint64((gate << 4) | cause) << _TO_CAUSE) | np.uint64(head[slot])
                head[slot] = np.uint32(event)
                here += 1
            dirty_count = 0
            if here == 0:
                break
            if len(events) - others - here < most:
                full_up = True
                break
            time += 1
            while time <= until and head[time & mask] == NO_EVENT:
                time += 1
            if time > until:
                break
            event = np.int64(head[time & mask])
            head[time & mask] = np.uint32(NO_EVENT)
            while event != NO_EVENT:
                link = events[event]
                gate = np.int64(link >> _TO_GATE)
                events[event] = np.uint64(free)
                free = event
                here -= 1
                event = np.int64(link & _NEXT)
                full = np.int64(state[gate])
                if ((full >> 8) ^ (full >> 9)) & 1:
                    full ^= OUTPUT
                    state[gate] = np.uint16(full)
                    value[row[gate, OUT]] ^= bit
                    if counted:
                        variables = np.int64(row[gate, VARIABLES])
                        cause = np.int64((link >> _TO_CAUSE) & _CAUSE)
                        fell = 1 - ((full >> 8) & 1)
                        transition = ((fell * variables + cause) << variables) | (full & 255)
                        found = row[gate, COUNTS] + output_class[row[gate, OUTPUT_CLASSES] + transition]
                        counts[found] += np.uint32(1)
                        weight += row[gate, WEIGHT]
                    dirty_count = _tell(
                        follower, row[gate, FIRST_FOLLOWER], row[gate, LAST_FOLLOWER], state, moved, dirty, dirty_count
                    )
        pending = others + here
        lane_pending[lane] = here
        run.lane_weights[lane] += weight
        if full_up:
            numbers[PENDING], numbers[FREE], numbers[LANE], numbers[LANE_TIME] = pending, free, lane, time
            return 1
    numbers[LANE] = 0
    _forget_changes(change, changed, numbers)
    numbers[PENDING], numbers[FREE], numbers[TIME] = pending, free, max(until, start)
    return 0


@compiled
def drive(program: Program, run: Run, nets: Ints, values: Words, counted_lanes: np.uint64) -> None:
    """Set nets that no gate drives, now."""
    for k in range(len(nets)):
        net = nets[k]
        lanes = run.value[net] ^ values[k]
        if lanes:
            run.net_counts[net] += count_ones(lanes & counted_lanes)
            _touch(
                program.net_follower[net], program.net_follower[net + 1], program.follower, run.value, run.change,
                run.changed, run.dirty, run.is_dirty, run.numbers, net, lanes,
            )  # fmt: skip


@compiled
def clock_registers(program: Program, run: Run, delays: bool) -> None:
    """Every flip-flop takes its next state, now; with `delays` every lane learns of it."""
    row, code, value = program.gate, program.code, run.value
    both = np.uint16(OUTPUT | TARGET)
    for f in range(len(program.register)):
        update, gate = program.next_state[f], program.register[f]
        found = _evaluate(code, row[update, LITERALS], row[update, LAST_LITERAL], row[update, KIND], value)
        net = row[gate, OUT]
        lanes = found ^ value[net]
        if lanes:
            _touch(
                row[gate, FIRST_FOLLOWER], row[gate, LAST_FOLLOWER], program.follower, value, run.change, run.changed,
                run.dirty, run.is_dirty, run.numbers, net, lanes,
            )  # fmt: skip
            for lane in range(LANES if delays else 0):
                if (lanes >> np.uint64(lane)) & _ONE:
                    high = (found >> np.uint64(lane)) & _ONE
                    state = run.state[lane, gate]
                    run.state[lane, gate] = state | both if high else state & ~both


@compiled
def load_lanes(program: Program, run: Run) -> None:
    """Begin to simulate with delays: every gate learns the state it is in, in every lane."""
    row, code, value, table = program.gate, program.code, run.value, program.table
    for lane in range(LANES):
        shift = np.uint64(lane)
        for gate in range(run.state.shape[1]):
            first = row[gate, NETS]
            state = _state(value, code, first, first + row[gate, VARIABLES], shift)
            high = np.int64((value[row[gate, OUT]] >> shift) & _ONE)
            target = np.int64(table[row[gate, TABLE] + state])
            run.state[lane, gate] = np.uint16(state | (high * OUTPUT) | (target * TARGET))


@compiled
def sweep(program: Program, run: Run, counted_lanes: np.uint64) -> int:
    """Let everything settle without delay: each gate is evaluated once, in order, if a net of it has changed.

    Returns the number of gates to be evaluated again: those after registers that were cleared or preset.
    """
    row, code, value, change, numbers = program.gate, program.code, run.value, run.change, run.numbers
    order, follower, delays = program.sweep, program.follower, program.delay
    counts, input_counts, changed, dirty, is_dirty = run.counts, run.input_counts, run.changed, run.dirty, run.is_dirty
    for k in range(len(order)):
        gate = np.int64(order[k])
        if not is_dirty[gate]:
            continue
        is_dirty[gate] = False
        first, variables = np.int64(row[gate, NETS]), np.int64(row[gate, VARIABLES])
        last = first + variables
        if row[gate, INPUT_CLASSES] >= 0 and counted_lanes:
            for lane in range(LANES):
                bit = _ONE << np.uint64(lane)
                if not counted_lanes & bit:
                    continue
                which = _state(change, code, first, last, np.uint64(lane))
                if which:
                    _count_inputs(
                        variables, row[gate, INPUT_CLASSES], row[gate, INPUT_COUNTS], program.input_class, input_counts,
                        which, _state(value, code, first, last, np.uint64(lane)),
                    )  # fmt: skip
        net = row[gate, OUT]
        target = _evaluate(code, row[gate, LITERALS], row[gate, LAST_LITERAL], row[gate, KIND], value)
        lanes = target ^ value[net]
        if lanes == _ZERO:
            continue
        _touch(
            row[gate, FIRST_FOLLOWER], row[gate, LAST_FOLLOWER], follower, value, change, changed, dirty, is_dirty,
            numbers, net, lanes,
        )  # fmt: skip
        lanes &= counted_lanes
        for lane in range(LANES):
            if not (lanes >> np.uint64(lane)) & _ONE:
                continue
            run.lane_weights[lane] += row[gate, WEIGHT]
            which = _state(change, code, first, last, np.uint64(lane))
            fell = 1 - np.int64((target >> np.uint64(lane)) & _ONE)
            at = row[gate, DELAYS] + fell * variables
            cause = np.int64(-1)
            for variable in range(variables):
                if (which >> variable) & 1 and (cause < 0 or delays[at + variable] < delays[at + cause]):
                    cause = np.int64(variable)
            state = _state(value, code, first, last, np.uint64(lane))
            transition = ((fell * variables + cause) << variables) | state
            counts[row[gate, COUNTS] + program.output_class[row[gate, OUTPUT_CLASSES] + transition]] += np.uint32(1)
    left = 0
    for k in range(numbers[DIRTY]):
        if is_dirty[dirty[k]]:
            dirty[left] = dirty[k]
            left += 1
    numbers[DIRTY] = left
    _forget_changes(change, changed, numbers)
    return left


@compiled_with_arrays
def begin_period(run: Run) -> None:
    """Remember all values, to tell at the end of the period what has changed for good."""
    run.before[:] = run.value


@compiled
def end_period(program: Program, run: Run, counted_lanes: np.uint64) -> None:
    """Count what changed over the period, and the states of all instances."""
    value, before, functional, states, row = run.value, run.before, run.functional, run.states, program.gate
    instance_base, instance_net, state_base = program.instance_base, program.instance_net, program.state_base
    for gate in range(len(functional)):
        net = row[gate, OUT]
        functional[gate] += count_ones((value[net] ^ before[net]) & counted_lanes)
    for instance in range(len(state_base)):
        first, last = instance_base[instance], instance_base[instance + 1]
        for k in range(LANES):
            lane = np.uint64(k)
            if (counted_lanes >> lane) & _ONE:
                states[state_base[instance] + _state(value, instance_net, first, last, lane)] += 1
