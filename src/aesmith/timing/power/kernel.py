"""The compiled simulation: events on a wheel of ticks, 64 lanes a word.

When the logic of a gate changes value in some lanes, an event is put on the wheel for them, after the delay from the
variable that changed to the edge the output makes (the shortest, if several changed at once). An event brings the
output to the value the logic has *by then*: a pulse that is over before the output would have followed its beginning
is swallowed. That is inertial delay as Icarus Verilog's module paths have it.

All of a tick's events are carried out before any gate is evaluated. Kernels that call one another live in one file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aesmith.compiled import compiled
from aesmith.timing.power.arrays import (
    ALL_LANES,
    BEFORE,
    BY_STATE,
    CHANGE,
    CHANGED,
    CODE,
    COUNTS,
    DIRTY,
    FIRST_FOLLOWER,
    FREE,
    INPUT_CLASSES,
    INPUT_COUNTS,
    INVERTED,
    KIND,
    LANES,
    LAST_FOLLOWER,
    LITERALS,
    OUT,
    OUTPUT_CLASSES,
    PARITY,
    PENDING,
    TARGET,
    TIME,
    VALUE,
    VARIABLES,
    WEIGHT,
    Flags,
    Ints,
    Program,
    Run,
    Shorts,
    Words,
)

Number = int | np.integer[Any]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FIVES, _THREES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_TWO, _FOUR, _TOP_BYTE, _TOP_SIX = np.uint64(2), np.uint64(4), np.uint64(56), np.uint64(58)
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_LANE = np.zeros(64, np.int64)
for _k in range(64):
    _LANE[((int(_DE_BRUIJN) << _k) & (1 << 64) - 1) >> 58] = _k


@compiled
def count_ones(word: np.uint64) -> int:
    """Number of ones in a word."""
    word = word - ((word >> _ONE) & _FIVES)
    word = (word & _THREES) + ((word >> _TWO) & _THREES)
    word = (word + (word >> _FOUR)) & _NIBBLES
    return np.int64((word * _BYTES) >> _TOP_BYTE)  # type: ignore[return-value]


@compiled
def _evaluate(
    code: Shorts,
    first: Number,
    last: Number,
    kind: Number,
    word: Words,
) -> np.uint64:
    """The logic of a gate, whose literals are code[first:last], on the present values of its nets."""
    result = _ZERO
    if kind & PARITY:
        for k in range(first, last):
            result ^= word[code[k] >> 2, VALUE]
    else:
        product = ALL_LANES
        for k in range(first, last):
            literal = code[k]
            product &= word[literal >> 2, VALUE] ^ (_ZERO - np.uint64((literal >> 1) & 1))
            if literal & 1:
                result |= product
                product = ALL_LANES
    return ~result if kind & INVERTED else result


@compiled
def _touch(  # noqa: PLR0917 - compiled code takes no keyword arguments
    first: Number,
    last: Number,
    follower: Shorts,
    word: Words,
    changed: Shorts,
    dirty: Shorts,
    is_dirty: Flags,
    numbers: Ints,
    net: Number,
    lanes: np.uint64,
) -> None:
    """Change a net in these lanes; its followers, follower[first:last], are to be evaluated."""
    word[net, VALUE] ^= lanes
    if word[net, CHANGE] == _ZERO:
        changed[numbers[CHANGED]] = net
        numbers[CHANGED] += 1
    word[net, CHANGE] |= lanes
    count = numbers[DIRTY]
    for k in range(first, last):
        gate = follower[k]
        if not is_dirty[gate]:
            is_dirty[gate] = True
            dirty[count] = gate
            count += 1
    numbers[DIRTY] = count


@compiled
def _state(
    word: Words,
    code: Shorts,
    first: Number,
    last: Number,
    lane: np.uint64,
) -> Number:
    """The variables code[first:last] in one lane, as a number."""
    state = np.int64(0)
    for k in range(first, last):
        state |= np.int64((word[code[k], VALUE] >> lane) & _ONE) << (k - first)
    return state


@compiled
def _count_output(  # noqa: PLR0917 - compiled code takes no keyword arguments
    word: Words,
    code: Shorts,
    classes: Shorts,
    counts: Ints,
    gate: Number,
    row: Shorts,
    cause: Number,
    lanes: np.uint64,
) -> None:
    """Count transitions that the output of a gate has just made, because of variable `cause`."""
    first, variables = row[gate, CODE], np.int64(row[gate, VARIABLES])
    base, counted = row[gate, OUTPUT_CLASSES], row[gate, COUNTS]
    now = word[row[gate, OUT], VALUE]
    if not row[gate, KIND] & BY_STATE:
        risen = count_ones(lanes & now)
        fallen = count_ones(lanes & ~now)
        if risen:
            counts[counted + classes[base + (cause << variables)]] += risen
        if fallen:
            counts[counted + classes[base + ((variables + cause) << variables)]] += fallen
        return
    while lanes:
        lowest = lanes & (_ZERO - lanes)
        lanes ^= lowest
        lane = np.uint64(_LANE[(lowest * _DE_BRUIJN) >> _TOP_SIX])
        fell = 1 - np.int64((now >> lane) & _ONE)
        transition = ((fell * variables + cause) << variables) | _state(word, code, first, first + variables, lane)
        counts[counted + classes[base + transition]] += 1


@compiled
def _count_inputs(  # noqa: PLR0917 - compiled code takes no keyword arguments
    word: Words,
    code: Shorts,
    classes: Shorts,
    counts: Ints,
    gate: Number,
    row: Shorts,
    counted_lanes: np.uint64,
) -> None:
    """Count the changes of a gate's variables in this tick that take energy of their own."""
    first, variables = row[gate, CODE], np.int64(row[gate, VARIABLES])
    base, counted = row[gate, INPUT_CLASSES], row[gate, INPUT_COUNTS]
    for k in range(variables):
        lanes = word[code[first + k], CHANGE] & counted_lanes
        while lanes:
            lowest = lanes & (_ZERO - lanes)
            lanes ^= lowest
            lane = np.uint64(_LANE[(lowest * _DE_BRUIJN) >> _TOP_SIX])
            found = classes[base + ((k << variables) | _state(word, code, first, first + variables, lane))]
            if found >= 0:
                counts[counted + found] += 1


@compiled
def _add_weights(sums: Words, lanes: np.uint64, weight: Number) -> None:
    """Add a weight to the sums of these lanes: binary addition, all lanes at once."""
    bit = 0
    while weight:
        if weight & 1:
            carry = lanes
            place = bit
            while carry:
                both = sums[place] & carry
                sums[place] ^= carry
                carry = both
                place += 1
        weight >>= 1
        bit += 1


@compiled
def _clear_changes(word: Words, changed: Shorts, numbers: Ints) -> None:
    """The tick is over."""
    for k in range(numbers[CHANGED]):
        word[changed[k], CHANGE] = _ZERO
    numbers[CHANGED] = 0


@compiled
def advance(program: Program, run: Run, until: int, counted_lanes: np.uint64, reserve: int) -> int:
    """Carry out everything up to time `until`, that tick included; transitions count in `counted_lanes`.

    Returns 0 when done. Returns 1, to be called again, if fewer free events than `reserve` a gate to be evaluated are
    left: the caller has to provide more.
    """
    # Arrays by name: to reach into a tuple of arrays in the loop would cost more than the loop.
    row, code, follower = program.gate, program.code, program.follower
    output_class, input_class = program.output_class, program.input_class
    word, head = run.word, run.head
    event_source, event_next, event_lanes = run.event_source, run.event_next, run.event_lanes
    dirty, is_dirty, changed, numbers = run.dirty, run.is_dirty, run.changed, run.numbers
    counts, input_counts, lane_weights = run.counts, run.input_counts, run.lane_weights
    mask = len(head) - 1
    pending, free, time = numbers[PENDING], numbers[FREE], numbers[TIME]
    status = 0
    while True:
        if pending + (numbers[DIRTY] + 1) * reserve > len(event_next):
            status = 1
            break
        for k in range(numbers[DIRTY]):
            gate = np.int64(dirty[k])
            is_dirty[gate] = False
            if row[gate, INPUT_CLASSES] >= 0:
                _count_inputs(word, code, input_class, input_counts, gate, row, counted_lanes)
            first, variables = np.int64(row[gate, CODE]), np.int64(row[gate, VARIABLES])
            literals = first + 3 * variables
            target = _evaluate(code, literals, literals + row[gate, LITERALS], row[gate, KIND], word)
            net = row[gate, OUT]
            moving = target ^ word[net, TARGET]
            if moving == _ZERO:
                continue
            word[net, TARGET] = target
            for edge in range(1, 3):
                lanes = moving & target if edge == 1 else moving & ~target
                at = first + edge * variables
                while lanes:
                    path = code[at]
                    caused = lanes & word[code[first + (path & 15)], CHANGE]
                    if caused:
                        lanes ^= caused
                        slot = (time + (path >> 4)) & mask
                        event = free
                        free = np.int64(event_next[event])
                        event_source[event] = (gate << 4) | (path & 15)
                        event_lanes[event] = caused
                        event_next[event] = head[slot]
                        head[slot] = event
                        pending += 1
                    at += 1
        numbers[DIRTY] = 0
        _clear_changes(word, changed, numbers)
        if pending == 0:
            time = max(until, time)
            break
        following = time + 1
        while following <= until and head[following & mask] < 0:
            following += 1
        if following > until:
            time = max(until, time)
            break
        time = following
        event = np.int64(head[time & mask])
        head[time & mask] = -1
        while event >= 0:
            later = np.int64(event_next[event])
            source = np.int64(event_source[event])
            gate = source >> 4
            net = row[gate, OUT]
            lanes = (word[net, VALUE] ^ word[net, TARGET]) & event_lanes[event]
            event_next[event] = free
            free = event
            pending -= 1
            if lanes:
                _touch(
                    row[gate, FIRST_FOLLOWER], row[gate, LAST_FOLLOWER], follower, word, changed, dirty, is_dirty,
                    numbers, net, lanes,
                )  # fmt: skip
                lanes &= counted_lanes
                if lanes:
                    _count_output(word, code, output_class, counts, gate, row, source & 15, lanes)
                    _add_weights(lane_weights, lanes, row[gate, WEIGHT])
            event = later
    numbers[PENDING], numbers[FREE], numbers[TIME] = pending, free, time
    return status


@compiled
def drive(program: Program, run: Run, nets: Ints, values: Words, counted_lanes: np.uint64) -> None:
    """Set nets that no gate drives, now."""
    word, follower, net_follower = run.word, program.follower, program.net_follower
    for k in range(len(nets)):
        net = nets[k]
        lanes = word[net, VALUE] ^ values[k]
        if lanes:
            run.net_counts[net] += count_ones(lanes & counted_lanes)
            _touch(
                net_follower[net], net_follower[net + 1], follower, word, run.changed, run.dirty, run.is_dirty,
                run.numbers, net, lanes,
            )  # fmt: skip


@compiled
def clock_registers(program: Program, run: Run) -> None:
    """Every flip-flop takes its next state, now."""
    row, code, word, follower = program.gate, program.code, run.word, program.follower
    for f in range(len(program.register)):
        update = program.next_state[f]
        literals = row[update, CODE] + 3 * row[update, VARIABLES]
        target = _evaluate(code, literals, literals + row[update, LITERALS], row[update, KIND], word)
        gate = program.register[f]
        net = row[gate, OUT]
        lanes = target ^ word[net, VALUE]
        word[net, TARGET] = target
        if lanes:
            _touch(
                row[gate, FIRST_FOLLOWER], row[gate, LAST_FOLLOWER], follower, word, run.changed, run.dirty,
                run.is_dirty, run.numbers, net, lanes,
            )  # fmt: skip


@compiled
def sweep(program: Program, run: Run, counted_lanes: np.uint64) -> int:
    """Let everything settle without delay: each gate is evaluated once, in order, if a net of it has changed.

    Returns the number of gates to be evaluated again: those after registers that were cleared or preset.
    """
    row, code, word, numbers = program.gate, program.code, run.word, run.numbers
    output_class, input_class, order = program.output_class, program.input_class, program.sweep
    follower, counts, input_counts = program.follower, run.counts, run.input_counts
    changed, dirty, is_dirty = run.changed, run.dirty, run.is_dirty
    for k in range(len(order)):
        gate = np.int64(order[k])
        if not is_dirty[gate]:
            continue
        is_dirty[gate] = False
        if row[gate, INPUT_CLASSES] >= 0:
            _count_inputs(word, code, input_class, input_counts, gate, row, counted_lanes)
        first, variables = np.int64(row[gate, CODE]), np.int64(row[gate, VARIABLES])
        literals = first + 3 * variables
        target = _evaluate(code, literals, literals + row[gate, LITERALS], row[gate, KIND], word)
        net = row[gate, OUT]
        lanes = target ^ word[net, VALUE]
        word[net, TARGET] = target
        if lanes:
            _touch(
                row[gate, FIRST_FOLLOWER], row[gate, LAST_FOLLOWER], follower, word, changed, dirty, is_dirty,
                numbers, net, lanes,
            )  # fmt: skip
            lanes &= counted_lanes
            _add_weights(run.lane_weights, lanes, row[gate, WEIGHT])
            for at in range(first + variables, first + 2 * variables):
                variable = np.int64(code[at]) & 15
                caused = lanes & word[code[first + variable], CHANGE]
                if caused:
                    lanes ^= caused
                    _count_output(word, code, output_class, counts, gate, row, variable, caused)
    left = 0
    for k in range(numbers[DIRTY]):
        if is_dirty[dirty[k]]:
            dirty[left] = dirty[k]
            left += 1
    numbers[DIRTY] = left
    _clear_changes(word, changed, numbers)
    return left


@compiled
def begin_period(run: Run) -> None:
    """Remember all values, to tell at the end of the period what has changed for good."""
    run.word[:, BEFORE] = run.word[:, VALUE]


@compiled
def end_period(program: Program, run: Run, counted_lanes: np.uint64) -> None:
    """Count what changed over the period, and the states of all instances."""
    word, functional, states, row = run.word, run.functional, run.states, program.gate
    instance_base, instance_net, state_base = program.instance_base, program.instance_net, program.state_base
    for gate in range(len(functional)):
        net = row[gate, OUT]
        functional[gate] += count_ones((word[net, VALUE] ^ word[net, BEFORE]) & counted_lanes)
    for instance in range(len(state_base)):
        first, last = instance_base[instance], instance_base[instance + 1]
        for k in range(LANES):
            lane = np.uint64(k)
            if (counted_lanes >> lane) & _ONE:
                states[state_base[instance] + _state(word, instance_net, first, last, lane)] += 1
