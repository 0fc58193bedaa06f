"""The moves of the node-set walk, compiled: add one sum to a set of linear forms, drop what became redundant.

A program without order is the set of the linear forms that it computes, inputs included: every other form is the sum
of two forms of the set (a triangle, u + v + w = 0), in an order without circles. The state of a walk is such a set
with the list of all its triangles. A move adds the sum of a random pair if it closes two triangles or more, then drops
any form, neither input nor target, without which the inputs still reach every other one within the depth bound; it is
kept while the set is at most `SLACK` larger than the smallest one seen. The best set is the smallest one, and of
equally small ones the least deep.

Forms live in slots; `ids[:count]` are the slots in use. All of a walk's future is determined by the order of `ids`,
the forms in them, the best size and level, and the state of the random source: that makes a walk resumable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aesmith.lazy import compiled, compiled_with_arrays

Ints = NDArray[np.int64]
Slots = NDArray[np.int16]
Words = NDArray[np.uint64]

INPUT, TARGET, INTERMEDIATE = 1, 2, 3
SLACK = 1
UNCOUNTED = 1 << 30
"""Level of a best set that no move has led to."""

COUNT, FREE, BEST, LEVEL = 0, 1, 2, 3
_NONE = -1
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class NodeSet(NamedTuple):
    """The arrays of one walk. `numbers` are: forms in use, free slots, and size and level of the best set, `best`.

    Row s of `first` and `second` lists the other two slots of the `degree[s]` triangles of slot s. `inputs` are the
    slots of the inputs in order of their level, `arrivals` those levels. `table` finds a form's slot by hashing.
    """

    form: Words
    kind: Ints
    ids: Ints
    position: Ints
    free: Ints
    numbers: Ints
    table: Slots
    first: Slots
    second: Slots
    degree: Ints
    inputs: Ints
    arrivals: Ints
    source: Words
    best: Words

    @property
    def forms(self) -> list[int]:
        """The forms in use, in the order of `ids`."""
        return [int(self.form[slot]) for slot in self.ids[: self.numbers[COUNT]]]

    @property
    def best_size(self) -> int:
        """Number of forms, inputs included, of the best set seen."""
        return int(self.numbers[BEST])

    @property
    def best_level(self) -> int:
        """XOR level of the latest form of the best set seen."""
        return int(self.numbers[LEVEL])

    @property
    def best_forms(self) -> list[int]:
        """The best set seen."""
        return [int(form) for form in self.best[: self.best_size]]


def node_set(
    forms: list[int], targets: frozenset[int], arrivals: tuple[int, ...], source: int, room: int = 48
) -> NodeSet:
    """A walk's state from distinct forms of at most 64 inputs (every unit form among them) and a random source.

    `arrivals` are the inputs' levels; `source` is a 64-bit state other than 0; `room` is how many forms the set may
    grow by.
    """
    capacity = len(forms) + room
    order = np.argsort(np.array(arrivals, np.int64), kind="stable")
    state = NodeSet(
        form=np.zeros(capacity, np.uint64),
        kind=np.zeros(capacity, np.int64),
        ids=np.zeros(capacity, np.int64),
        position=np.zeros(capacity, np.int64),
        free=np.arange(capacity - 1, -1, -1, dtype=np.int64),
        numbers=np.array([0, capacity, len(forms), UNCOUNTED], np.int64),
        table=np.full(1 << max(8, (8 * capacity - 1).bit_length()), -1, np.int16),
        first=np.zeros((capacity, capacity), np.int16),
        second=np.zeros((capacity, capacity), np.int16),
        degree=np.zeros(capacity, np.int64),
        inputs=np.zeros(len(arrivals), np.int64),
        arrivals=np.array(arrivals, np.int64)[order],
        source=np.array([source], np.uint64),
        best=np.zeros(capacity, np.uint64),
    )
    pairs = np.zeros(2 * capacity, np.int64)
    slots = {}
    for form in forms:
        kind = INPUT if form.bit_count() == 1 else TARGET if form in targets else INTERMEDIATE
        slots[form] = _insert(state, np.uint64(form), kind, pairs)
    state.inputs[:] = [slots[1 << int(j)] for j in order]
    state.best[: len(forms)] = np.array(forms, np.uint64)
    return state


def resume_walk(state: NodeSet, best: list[int], level: int) -> None:
    """Make `best` the best set of a walk, its latest form at that level as the walk has counted it."""
    state.numbers[BEST], state.numbers[LEVEL] = len(best), level
    state.best[: len(best)] = np.array(best, np.uint64)


@compiled_with_arrays
def advance_walk(state: NodeSet, depth: int, steps: int) -> None:
    """Propose `steps` random moves; no form may come to need more than `depth` levels."""
    capacity = state.form.size
    mark = np.zeros(capacity, np.int64)
    level = np.zeros(capacity, np.int64)
    queue = np.zeros(capacity, np.int64)
    candidates = np.zeros(capacity, np.int64)
    pairs = np.zeros(2 * capacity, np.int64)
    numbers = state.numbers
    stamp = 1
    for _ in range(steps):
        a = state.ids[below(state.source, numbers[COUNT])]
        b = state.ids[below(state.source, numbers[COUNT])]
        form = state.form[a] ^ state.form[b]
        if a == b or _find(state, form) >= 0:
            continue
        found = _closed_triangles(state, form, pairs)
        if found < 2:
            continue
        added = _add(state, form, INTERMEDIATE, pairs, found)
        changed = False
        while True:
            waiting = 0
            for i in range(numbers[COUNT]):
                slot = state.ids[i]
                removable = state.kind[slot] == INTERMEDIATE and (changed or slot != added)
                if removable and not _is_last_way(state, slot):
                    candidates[waiting] = slot
                    waiting += 1
            dropped = False
            while waiting > 0 and not dropped:
                i = below(state.source, waiting)
                slot = candidates[i]
                waiting -= 1
                candidates[i] = candidates[waiting]
                stamp += 3
                if _latest(state, depth, slot, mark, stamp, level, queue) >= 0:
                    _remove(state, slot)
                    dropped = True
            if not dropped:
                break
            changed = True
        if numbers[COUNT] > numbers[BEST] + SLACK:
            _remove(state, added)
        if not changed or numbers[COUNT] > numbers[BEST]:
            continue
        stamp += 3
        latest = _latest(state, depth, _NONE, mark, stamp, level, queue)
        if numbers[COUNT] < numbers[BEST] or latest < numbers[LEVEL]:
            numbers[BEST] = numbers[COUNT]
            numbers[LEVEL] = latest
            for i in range(numbers[COUNT]):
                state.best[i] = state.form[state.ids[i]]


@compiled
def below(source: Words, limit: int) -> int:
    """A random number below `limit` (xorshift64, Marsaglia 2003)."""
    word = source[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    source[0] = word
    return np.int64((word >> np.uint64(33)) * np.uint64(limit) >> np.uint64(31))  # type: ignore[return-value]


@compiled
def _home(form: np.uint64, size: int) -> int:
    return np.int64((form * _HASH_FACTOR) >> np.uint64(32)) & (size - 1)  # type: ignore[return-value]


@compiled
def _find(state: NodeSet, form: np.uint64) -> int:
    """The slot of a form, or -1."""
    table = state.table
    place = _home(form, table.size)
    while True:
        slot = table[place]
        if slot < 0 or state.form[slot] == form:
            return slot  # type: ignore[no-any-return]
        place = (place + 1) & (table.size - 1)


@compiled
def _enter(state: NodeSet, slot: int) -> None:
    table = state.table
    place = _home(state.form[slot], table.size)
    while table[place] >= 0:
        place = (place + 1) & (table.size - 1)
    table[place] = slot


@compiled
def _leave(state: NodeSet, slot: int) -> None:
    """Take a slot out of the table, moving later entries back into the hole (linear probing without tombstones)."""
    table = state.table
    mask = table.size - 1
    hole = _home(state.form[slot], table.size)
    while table[hole] != slot:
        hole = (hole + 1) & mask
    table[hole] = -1
    place = hole
    while True:
        place = (place + 1) & mask
        moved = table[place]
        if moved < 0:
            return
        if ((place - _home(state.form[moved], table.size)) & mask) >= ((place - hole) & mask):
            table[hole] = moved
            table[place] = -1
            hole = place


@compiled
def _closed_triangles(state: NodeSet, form: np.uint64, pairs: Ints) -> int:
    """The pairs of slots whose forms add up to `form`, written to `pairs`; returns their number."""
    found = 0
    for i in range(state.numbers[COUNT]):
        a = state.ids[i]
        b = _find(state, state.form[a] ^ form)
        if b > a:
            pairs[2 * found] = a
            pairs[2 * found + 1] = b
            found += 1
    return found


@compiled
def _link(state: NodeSet, slot: int, a: int, b: int) -> None:
    state.first[slot, state.degree[slot]] = a
    state.second[slot, state.degree[slot]] = b
    state.degree[slot] += 1


@compiled
def _unlink(state: NodeSet, slot: int, gone: int) -> None:
    last = state.degree[slot] - 1
    for t in range(last + 1):
        if state.first[slot, t] == gone or state.second[slot, t] == gone:
            state.first[slot, t] = state.first[slot, last]
            state.second[slot, t] = state.second[slot, last]
            state.degree[slot] = last
            return


@compiled
def _add(state: NodeSet, form: np.uint64, kind: int, pairs: Ints, found: int) -> int:
    count = state.numbers[COUNT]
    state.numbers[FREE] -= 1
    slot = state.free[state.numbers[FREE]]
    state.form[slot] = form
    state.kind[slot] = kind
    state.ids[count] = slot
    state.position[slot] = count
    state.numbers[COUNT] = count + 1
    state.degree[slot] = 0
    _enter(state, slot)
    for t in range(found):
        a = pairs[2 * t]
        b = pairs[2 * t + 1]
        _link(state, slot, a, b)
        _link(state, a, slot, b)
        _link(state, b, slot, a)
    return slot  # type: ignore[no-any-return]


@compiled
def _insert(state: NodeSet, form: np.uint64, kind: int, pairs: Ints) -> int:
    return _add(state, form, kind, pairs, _closed_triangles(state, form, pairs))


@compiled
def _remove(state: NodeSet, slot: int) -> None:
    for t in range(state.degree[slot]):
        _unlink(state, state.first[slot, t], slot)
        _unlink(state, state.second[slot, t], slot)
    _leave(state, slot)
    last = state.numbers[COUNT] - 1
    moved = state.ids[last]
    state.ids[state.position[slot]] = moved
    state.position[moved] = state.position[slot]
    state.numbers[COUNT] = last
    state.kind[slot] = 0
    state.free[state.numbers[FREE]] = slot
    state.numbers[FREE] += 1


@compiled
def _is_last_way(state: NodeSet, slot: int) -> bool:
    """Whether some form has no triangle but one with this slot, and so cannot lose it."""
    for t in range(state.degree[slot]):
        a = state.first[slot, t]
        b = state.second[slot, t]
        if state.kind[a] != INPUT and state.degree[a] < 2:
            return True
        if state.kind[b] != INPUT and state.degree[b] < 2:
            return True
    return False


@compiled
def _latest(  # noqa: PLR0917 - compiled code takes no keyword arguments
    state: NodeSet, depth: int, without: int, mark: Ints, stamp: int, level: Ints, queue: Ints
) -> int:
    """The level of the latest form if every one but that of slot `without` (`_NONE`: every one) is reached from the
    inputs in at most `depth` levels, else -1.

    Slots are taken in order of level: one marked `stamp` is reached, one marked `stamp + 1` is taken, and a triangle
    with two taken slots reaches its third one level above the later of them.
    """
    inputs, arrivals = state.inputs, state.arrivals
    reached = inputs.size
    for i in range(inputs.size):
        mark[inputs[i]] = stamp
    if without != _NONE:
        mark[without] = stamp + 2
        reached += 1
    head, tail, entered = 0, 0, 0
    while entered < inputs.size or head < tail:
        if entered < inputs.size and (head == tail or arrivals[entered] <= level[queue[head]]):
            slot = inputs[entered]
            at = arrivals[entered]
            entered += 1
        else:
            slot = queue[head]
            at = level[slot]
            head += 1
        mark[slot] = stamp + 1
        if at >= depth:
            continue
        for t in range(state.degree[slot]):
            a = state.first[slot, t]
            b = state.second[slot, t]
            if mark[a] < stamp:
                a, b = b, a
            if mark[a] == stamp + 1 and mark[b] < stamp:
                mark[b] = stamp
                level[b] = at + 1
                queue[tail] = b
                tail += 1
                reached += 1
    if without != _NONE:
        mark[without] = 0
    if reached < state.numbers[COUNT]:
        return -1
    return level[queue[tail - 1]] if tail > 0 else 0
