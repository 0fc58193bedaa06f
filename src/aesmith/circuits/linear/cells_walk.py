"""Programs of two- and three-input XOR cells by simulated annealing, compiled.

The state is a program: every form that is no input has two or three operands. A move adds the sum of two or three
random forms, or takes out a form that is neither input nor target, or both; forms that used it get new operands, two
if there are such, and a form with three gets two if the added form makes that possible. A move that raises the cost is
kept with a probability that falls with the rise and, over the run, with the temperature.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aesmith.circuits.linear.heuristics import check_cell_cost
from aesmith.circuits.linear.program import LinearProgram
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.lazy import compiled, compiled_with_arrays

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

ROUND = 300_000
"""Moves of one anneal in `search_cells`: a few seconds for a map of 32 inputs."""

_HOT, _COLD = 0.35, 0.06
_ROOM = 64
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class _Cells(NamedTuple):
    """Forms by slot: `operands[s, :arity[s]]` are slots, `order[:count]` the slots in use, operands before users.

    `fixed` marks inputs (arity 0) and targets. `numbers` are the count of slots in use and of free ones.
    """

    form: Words
    fixed: Ints
    operands: Ints
    arity: Ints
    order: Ints
    free: Ints
    numbers: Ints
    table: Ints


def anneal_cells(start: LinearProgram, matrix: BitMatrix, xor3_cost: float, steps: int, seed: int = 0) -> LinearProgram:
    """The cheapest program seen in `steps` moves from `start`, never dearer than it; no depth bound.

    Deterministic for a seed. Raises RequestError for more than 64 inputs, a start that computes something else, or a
    cost of three-input cells that is not above 1 and at most 2.
    """
    check_cell_cost(xor3_cost)
    if matrix.width > 64:
        raise RequestError(f"matrix: the search takes at most 64 columns, not {matrix.width}")
    if start.matrix != matrix:
        raise RequestError("linear program: it does not compute the matrix")
    state = _state(start, matrix)
    source = np.array([random.Random(seed).randrange(1, 1 << 64)], np.uint64)
    best = _state(start, matrix)
    _anneal(state, best, source, xor3_cost, steps)
    found = _program(best, matrix)
    return found if found.cost(xor3_cost) < start.cost(xor3_cost) else start


def search_cells(
    start: LinearProgram,
    matrix: BitMatrix,
    xor3_cost: float,
    *,
    rounds: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[int, LinearProgram], None] | None = None,
) -> LinearProgram:
    """The cheapest program of `rounds` anneals of `ROUND` moves, or of as many as `seconds` allow, each from the best.

    KeyboardInterrupt ends it with the best so far. `progress` is called with the number of rounds done and the best.
    Raises RequestError for what `anneal_cells` refuses, and if neither limit is given.
    """
    if rounds is None and seconds is None:
        raise RequestError("search_cells: rounds or seconds must be given")
    best = anneal_cells(start, matrix, xor3_cost, 0, seed)
    begun = time.monotonic()
    done = 0
    try:
        while (rounds is None or done < rounds) and (seconds is None or time.monotonic() - begun < seconds):
            best = anneal_cells(best, matrix, xor3_cost, ROUND, seed + done)
            done += 1
            if progress is not None:
                progress(done, best)
    except KeyboardInterrupt:
        pass
    return best


def _state(start: LinearProgram, matrix: BitMatrix) -> _Cells:
    forms = start.forms
    first: dict[int, int] = {}
    for signal, form in enumerate(forms):
        first.setdefault(form, signal)
    capacity = len(forms) + _ROOM
    state = _Cells(
        form=np.zeros(capacity, np.uint64),
        fixed=np.zeros(capacity, np.int64),
        operands=np.full((capacity, 3), -1, np.int64),
        arity=np.zeros(capacity, np.int64),
        order=np.zeros(capacity, np.int64),
        free=np.arange(capacity - 1, -1, -1, dtype=np.int64),
        numbers=np.array([0, capacity], np.int64),
        table=np.full(1 << (8 * capacity - 1).bit_length(), -1, np.int64),
    )
    targets = {row for row in matrix.rows if row}
    slots: dict[int, int] = {}
    for signal, form in enumerate(forms):
        if first[form] != signal or not form:
            continue
        operands = () if signal < start.width else start.sums[signal - start.width]
        used = np.array([slots[forms[operand]] for operand in operands], np.int64)
        fixed = 1 if signal < start.width or form in targets else 0
        slots[form] = _enter(state, np.uint64(form), used, len(used))
        state.fixed[slots[form]] = fixed
    return state


def _program(state: _Cells, matrix: BitMatrix) -> LinearProgram:
    signal: dict[int, int] = {}
    slot_of = {int(state.form[slot]): int(slot) for slot in state.order[: state.numbers[0]]}
    for j in range(matrix.width):
        signal[slot_of[1 << j]] = j
    sums: list[tuple[int, ...]] = []
    for slot in state.order[: state.numbers[0]]:
        if state.arity[slot]:
            signal[int(slot)] = matrix.width + len(sums)
            sums.append(tuple(signal[int(s)] for s in state.operands[slot, : state.arity[slot]]))
    return LinearProgram(matrix.width, tuple(sums), tuple(signal[slot_of[row]] if row else None for row in matrix.rows))


@compiled
def _below(source: Words, limit: int) -> int:
    word = source[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    source[0] = word
    return np.int64((word >> np.uint64(33)) * np.uint64(limit) >> np.uint64(31))  # type: ignore[return-value]


@compiled
def _find(state: _Cells, form: np.uint64) -> int:
    mask = state.table.size - 1
    place = np.int64((form * _HASH_FACTOR) >> np.uint64(32)) & mask
    while True:
        slot = state.table[place]
        if slot < 0 or state.form[slot] == form:
            return slot  # type: ignore[no-any-return]
        place = (place + 1) & mask


@compiled
def _rehash(state: _Cells) -> None:
    state.table[:] = -1
    mask = state.table.size - 1
    for i in range(state.numbers[0]):
        slot = state.order[i]
        place = np.int64((state.form[slot] * _HASH_FACTOR) >> np.uint64(32)) & mask
        while state.table[place] >= 0:
            place = (place + 1) & mask
        state.table[place] = slot


@compiled
def _enter(state: _Cells, form: np.uint64, operands: Ints, arity: int) -> int:
    """A new last form of these operands."""
    state.numbers[1] -= 1
    slot = state.free[state.numbers[1]]
    state.form[slot] = form
    state.fixed[slot] = 0
    state.arity[slot] = arity
    for k in range(arity):
        state.operands[slot, k] = operands[k]
    state.order[state.numbers[0]] = slot
    state.numbers[0] += 1
    mask = state.table.size - 1
    place = np.int64((form * _HASH_FACTOR) >> np.uint64(32)) & mask
    while state.table[place] >= 0:
        place = (place + 1) & mask
    state.table[place] = slot
    return slot  # type: ignore[no-any-return]


@compiled
def _mark_users(state: _Cells, slot: int, marks: Ints) -> None:
    """Mark a form and all that depend on it."""
    for i in range(state.numbers[0]):
        s = state.order[i]
        marks[s] = 0
        if s == slot:
            marks[s] = 1
        for k in range(state.arity[s]):
            if marks[state.operands[s, k]]:
                marks[s] = 1


@compiled
def _derive(state: _Cells, slot: int, marks: Ints, source: Words, longest: int) -> bool:
    """New operands for a form, none of them marked: two, or else three if `longest` is 3. False if there are none."""
    count = state.numbers[0]
    form = state.form[slot]
    begin = _below(source, count)
    for i in range(count):
        a = state.order[(begin + i) % count]
        if marks[a]:
            continue
        b = _find(state, form ^ state.form[a])
        if b >= 0 and not marks[b]:
            state.arity[slot] = 2
            state.operands[slot, 0] = a
            state.operands[slot, 1] = b
            return True
    if longest < 3:
        return False
    for i in range(count):
        a = state.order[(begin + i) % count]
        if marks[a]:
            continue
        rest = form ^ state.form[a]
        for j in range(i + 1, count):
            b = state.order[(begin + j) % count]
            if marks[b]:
                continue
            c = _find(state, rest ^ state.form[b])
            if c >= 0 and not marks[c]:
                state.arity[slot] = 3
                state.operands[slot, 0] = a
                state.operands[slot, 1] = b
                state.operands[slot, 2] = c
                return True
    return False


@compiled
def _sort(state: _Cells, placed: Ints, waiting: Ints) -> None:
    """Put operands before users again."""
    count = state.numbers[0]
    for i in range(count):
        placed[state.order[i]] = 0
        waiting[i] = state.order[i]
    done, left = 0, count
    while left > 0:
        kept = 0
        for i in range(left):
            slot = waiting[i]
            ready = True
            for k in range(state.arity[slot]):
                if not placed[state.operands[slot, k]]:
                    ready = False
            if ready:
                placed[slot] = 1
                state.order[done] = slot
                done += 1
            else:
                waiting[kept] = slot
                kept += 1
        left = kept


@compiled_with_arrays
def _take_out(state: _Cells, slot: int, source: Words, marks: Ints, placed: Ints, waiting: Ints) -> bool:  # noqa: PLR0917
    """Remove a form, its users given other operands. False, with the state spoiled, if one has none."""
    for i in range(state.numbers[0]):
        user = state.order[i]
        uses = False
        for k in range(state.arity[user]):
            uses = uses or state.operands[user, k] == slot
        if uses:
            waiting[i] = 1
        else:
            waiting[i] = 0
    users = np.empty(state.numbers[0], np.int64)
    found = 0
    for i in range(state.numbers[0]):
        if waiting[i]:
            users[found] = state.order[i]
            found += 1
    for u in range(found):
        _mark_users(state, users[u], marks)
        marks[slot] = 1
        if not _derive(state, users[u], marks, source, 3):
            return False
        _sort(state, placed, waiting)
    last = 0
    for i in range(state.numbers[0]):
        if state.order[i] != slot:
            state.order[last] = state.order[i]
            last += 1
    state.numbers[0] = last
    state.free[state.numbers[1]] = slot
    state.numbers[1] += 1
    _rehash(state)
    return True


@compiled
def _cost(state: _Cells, xor3_cost: float) -> float:
    total = 0.0
    for i in range(state.numbers[0]):
        arity = state.arity[state.order[i]]
        total += xor3_cost if arity == 3 else 1.0 if arity == 2 else 0.0
    return total


@compiled_with_arrays
def _copy(source: _Cells, target: _Cells) -> None:
    target.form[:] = source.form
    target.fixed[:] = source.fixed
    target.operands[:] = source.operands
    target.arity[:] = source.arity
    target.order[:] = source.order
    target.free[:] = source.free
    target.numbers[:] = source.numbers


@compiled_with_arrays
def _duplicate(state: _Cells) -> _Cells:
    """A copy that shares the hash table."""
    return _Cells(
        state.form.copy(),
        state.fixed.copy(),
        state.operands.copy(),
        state.arity.copy(),
        state.order.copy(),
        state.free.copy(),
        state.numbers.copy(),
        state.table,
    )


@compiled_with_arrays
def _add_random(state: _Cells, source: Words, marks: Ints, placed: Ints, waiting: Ints) -> int:
    """Add the sum of two or three random forms; forms that can have two operands with it get them. -1 if it is no new
    form or there is no room."""
    count = state.numbers[0]
    if state.numbers[1] == 0:
        return -1
    operands = np.empty(3, np.int64)
    arity = 2 + _below(source, 2)
    form = np.uint64(0)
    for k in range(arity):
        operands[k] = state.order[_below(source, count)]
        form ^= state.form[operands[k]]
        for other in range(k):
            if operands[other] == operands[k]:
                return -1
    if form == np.uint64(0) or _find(state, form) >= 0:
        return -1
    added = _enter(state, form, operands, arity)
    if arity == 3:
        marks[:] = 0
        marks[added] = 1
        _derive(state, added, marks, source, 2)
        _sort(state, placed, waiting)
    for slot in state.order[:count].copy():
        if state.arity[slot] != 3:
            continue
        other = _find(state, state.form[slot] ^ form)
        if other < 0:
            continue
        _mark_users(state, slot, marks)
        if not marks[added] and not marks[other]:
            state.arity[slot] = 2
            state.operands[slot, 0] = added
            state.operands[slot, 1] = other
            _sort(state, placed, waiting)
    return added


@compiled_with_arrays
def _anneal(state: _Cells, best: _Cells, source: Words, xor3_cost: float, steps: int) -> None:
    capacity = state.form.size
    marks, placed, waiting = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
    before = _duplicate(state)
    cost = _cost(state, xor3_cost)
    least = cost
    for step in range(steps):
        temperature = _HOT * (_COLD / _HOT) ** (step / steps)
        _copy(state, before)
        kind = _below(source, 4)
        valid = True
        added = -1
        if kind > 0:
            added = _add_random(state, source, marks, placed, waiting)
            if added < 0:
                continue
        if kind < 3:
            slot = state.order[_below(source, state.numbers[0])]
            valid = state.fixed[slot] == 0 and slot != added
            if valid:
                valid = _take_out(state, slot, source, marks, placed, waiting)
        changed = _cost(state, xor3_cost) if valid else cost
        rise = changed - cost
        if valid and (rise <= 0 or _below(source, 1 << 30) < np.exp(-rise / temperature) * (1 << 30)):
            cost = changed
            if cost < least - 1e-9:
                least = cost
                _copy(state, best)
        else:
            _copy(before, state)
            _rehash(state)
