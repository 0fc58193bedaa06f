"""All small structures of a library's cells on up to four leaves, and windows of a netlist that become one of them.

A structure is a tree of one to three cells. They are enumerated from the truth tables of the library's own cells, with
pins that may be exchanged in one order only; a structure is kept unless it is much larger than the smallest of its
function, or does not use all of its leaves. A window is a gate with up to two of those that drive it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aesmith.flow.rewiring.cell_arrays import PINS, CellArrays, CellNumbers, Floats, Indices
from aesmith.flow.rewiring.edit_kernel import (
    FANIN,
    HEAD,
    NEXT,
    READERS,
    VARIANT,
    WEIGHT,
    NetlistArrays,
    attach,
    below,
    detach,
    draw,
    exchange,
    family_of,
    is_gate,
    make,
    move,
    small_variant,
    sweep,
    takes_inverse,
    variant_alike,
    want_inverse,
)
from aesmith.flow.rewiring.signatures import LEVELS_OF_LEAVES, evaluated, known
from aesmith.lazy import compiled, compiled_with_arrays

LEAVES = 4
MOST_CELLS = 3
CELL_COLUMNS = 1 + LEAVES
"""Columns of a structure for each cell: its family (-1: none) and what its pins read: leaf 0 to 3, or 4 + cell."""

_LEAF = np.array([0xAAAA, 0xCCCC, 0xF0F0, 0xFF00], dtype=np.int64)
_ALL = 0xFFFF
_SLACK_GE, _INNER_SLACK_GE = 1.4, 0.7
"""How much larger than the smallest of its function a structure may be, and one that a third cell reads."""
_MOST_OF_A_FUNCTION = 96
_WORTH_NS = 0.15
"""What a window may win at most on a path, for all that is known before it is tried."""


class StructureArrays(NamedTuple):
    """`rows[first[t] : first[t + 1]]` are the structures of the truth table t on four leaves, in order of area (GE),
    inner cells before those that read them; `leaves` is the set of leaves each one uses, as bits."""

    first: Indices
    areas: NDArray[np.float64]
    leaves: Indices
    rows: NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class _Trees:
    """Trees with the same cells at the root's far end: truth tables, areas, and rows as in `StructureArrays`."""

    tables: Indices
    areas: NDArray[np.float64]
    rows: NDArray[np.int16]

    def chosen(self, which: NDArray[np.bool_] | Indices) -> _Trees:
        return _Trees(self.tables[which], self.areas[which], self.rows[which])


def structures(numbers: CellNumbers) -> StructureArrays:
    """The table for a library. Takes a few seconds."""
    arrays = numbers.arrays
    cells = [
        _RootCell(f, len(cell.inputs), int(arrays.function[f]), float(area), tuple(arrays.alike[f].tolist()))
        for f, cell in enumerate(numbers.families)
        if cell is not None and len(cell.inputs) <= LEAVES and f != arrays.buffer
        for area in [arrays.areas[arrays.members[arrays.member_first[f]]]]
    ]
    none = _Trees(np.zeros(1, dtype=np.int64), np.zeros(1), np.zeros((1, 0), dtype=np.int16))
    best = np.full(_ALL + 1, np.inf)
    single = _joined([tree for cell in cells for tree in _rooted(cell, none, 0, best, np.inf)])
    best = _smallest(single, best)
    small = _within(single, best, _INNER_SLACK_GE)
    double = _joined([tree for cell in cells for tree in _rooted(cell, small, 1, best, np.inf)])
    best = _smallest(double, best)
    double = _within(double, best, _SLACK_GE)
    middle = _within(double, best, _INNER_SLACK_GE)
    narrow = [cell for cell in cells if cell.inputs < LEAVES]
    triple = [tree for cell in narrow for tree in _rooted(cell, middle, 2, best, _SLACK_GE)]
    triple += [tree for cell in narrow for tree in _paired(cell, small, best)]
    every = _joined([_padded(tree) for tree in (single, double, *triple)])
    return _by_function(_within(every, _smallest(every, best), _SLACK_GE))


@dataclass(frozen=True)
class _RootCell:
    family: int
    inputs: int
    table: int
    area: float
    alike: tuple[int, ...]

    def orders(self, sources: list[int], must: set[int]) -> Iterator[tuple[int, ...]]:
        """Every way to put different sources on the pins, of ways that are one function only one; `must` are used."""
        for order in permutations(sources, self.inputs):
            if must <= set(order) and all(
                order[self.alike[p]] <= order[p] for p in range(self.inputs) if self.alike[p] != p
            ):
                yield order

    def over(self, values: list[Indices | int]) -> Indices:
        """Truth tables on the leaves, from those of what the pins read."""
        found: Indices = np.zeros(1, dtype=np.int64)
        for row in range(1 << self.inputs):
            if self.table >> row & 1:
                term: Indices | int = _ALL
                for p in range(self.inputs):
                    term = term & (values[p] if row >> p & 1 else ~np.asarray(values[p]))
                found = found | term
        return found & _ALL


def _rooted(cell: _RootCell, inner: _Trees, count: int, best: NDArray[np.float64], slack: float) -> Iterator[_Trees]:
    """The cell on leaves and, if there are some, on the last of the `count` cells of each inner tree."""
    sources = [*range(LEAVES), *([LEAVES + count - 1] if count else [])]
    areas = inner.areas + cell.area
    for order in cell.orders(sources, {LEAVES + count - 1} if count else set()):
        values: list[Indices | int] = [inner.tables if at >= LEAVES else int(_LEAF[at]) for at in order]
        tables = np.broadcast_to(cell.over(values), inner.tables.shape)
        kept = np.flatnonzero(areas <= best[tables] + slack)
        rows = np.hstack([inner.rows[kept], _rows(cell, order, len(kept))])
        yield _only_whole(_Trees(tables[kept], areas[kept], rows))


def _paired(cell: _RootCell, small: _Trees, best: NDArray[np.float64]) -> Iterator[_Trees]:
    """The cell on two trees of one cell each, and on leaves."""
    count = len(small.tables)
    first, second = np.divmod(np.arange(count * count), count)
    areas = small.areas[first] + small.areas[second] + cell.area
    for order in cell.orders([*range(LEAVES), LEAVES, LEAVES + 1], {LEAVES, LEAVES + 1}):
        values: list[Indices | int] = [
            small.tables[first] if at == LEAVES else small.tables[second] if at > LEAVES else int(_LEAF[at])
            for at in order
        ]
        tables = cell.over(values)
        kept = np.flatnonzero(areas <= best[tables] + _SLACK_GE)
        inner = [small.rows[first[kept]], small.rows[second[kept]]]
        yield _only_whole(_Trees(tables[kept], areas[kept], np.hstack([*inner, _rows(cell, order, len(kept))])))


def _rows(cell: _RootCell, order: tuple[int, ...], count: int) -> NDArray[np.int16]:
    row = [cell.family, *order, *([-1] * (LEAVES - len(order)))]
    return np.tile(np.array(row, dtype=np.int16), (count, 1))


def _joined(trees: list[_Trees]) -> _Trees:
    return _Trees(
        np.concatenate([tree.tables for tree in trees]),
        np.concatenate([tree.areas for tree in trees]),
        np.concatenate([tree.rows for tree in trees]),
    )


def _smallest(trees: _Trees, best: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each function the area of its smallest tree, of these and those known before."""
    found = best.copy()
    np.minimum.at(found, trees.tables, trees.areas)
    return found


def _within(trees: _Trees, best: NDArray[np.float64], slack: float) -> _Trees:
    return trees.chosen(trees.areas <= best[trees.tables] + slack)


def _only_whole(trees: _Trees) -> _Trees:
    """Those whose function depends on all leaves that they read."""
    return trees.chosen(_support(trees.tables) == _read(trees.rows))


def _support(tables: Indices) -> Indices:
    found = np.zeros(len(tables), dtype=np.int64)
    for leaf in range(LEAVES):
        high = (tables & _LEAF[leaf]) >> (1 << leaf)
        found |= (high != (tables & ~_LEAF[leaf])).astype(np.int64) << leaf
    return found


def _read(rows: NDArray[np.int16]) -> Indices:
    pins = rows.reshape(len(rows), -1, CELL_COLUMNS)[:, :, 1:]
    found = np.zeros(len(rows), dtype=np.int64)
    for leaf in range(LEAVES):
        found |= (pins == leaf).any(axis=(1, 2)).astype(np.int64) << leaf
    return found


def _padded(trees: _Trees) -> _Trees:
    missing = MOST_CELLS * CELL_COLUMNS - trees.rows.shape[1]
    return _Trees(trees.tables, trees.areas, np.pad(trees.rows, ((0, 0), (0, missing)), constant_values=-1))


def _by_function(trees: _Trees) -> StructureArrays:
    ordered = trees.chosen(np.lexsort((trees.areas, trees.tables)))
    first = np.searchsorted(ordered.tables, np.arange(_ALL + 2))
    chosen = ordered.chosen(np.arange(len(ordered.tables)) - first[ordered.tables] < _MOST_OF_A_FUNCTION)
    first = np.searchsorted(chosen.tables, np.arange(_ALL + 2))
    return StructureArrays(first.astype(np.int64), chosen.areas, _read(chosen.rows), np.ascontiguousarray(chosen.rows))


@compiled_with_arrays
def flip_readers(cells: CellArrays, net: NetlistArrays, wire: int) -> None:
    """The net has become its inverse: all its readers follow, those that cannot behind an inverter."""
    count = net.nets[wire, READERS]
    readers = np.empty(count, dtype=np.int64)
    pin = net.nets[wire, HEAD]
    for k in range(count):
        readers[k] = pin
        pin = net.pins[pin, NEXT]
    inverter = -1
    for k in range(count):
        pin, slot = readers[k], readers[k] // PINS
        if is_gate(net, slot) and family_of(cells, net, slot) == cells.inverter:
            while net.nets[2 * slot, HEAD] >= 0:
                move(cells, net, net.nets[2 * slot, HEAD], wire)
            sweep(cells, net, slot)
        elif takes_inverse(cells, net, pin):
            want_inverse(cells, net, pin)
        else:
            if inverter < 0:
                inverter = make(cells, net, small_variant(cells, net, cells.inverter))
                net.waves[2 * inverter, WEIGHT] = net.waves[wire, WEIGHT]
            move(cells, net, pin, 2 * inverter)
    if inverter >= 0:
        attach(cells, net, inverter * PINS, wire)


@compiled
def may_flip(cells: CellArrays, net: NetlistArrays, wire: int) -> bool:
    """Whether most readers of a net can take its inverse."""
    pin, stuck = net.nets[wire, HEAD], 0
    while pin >= 0:
        stuck += not takes_inverse(cells, net, pin)
        pin = net.pins[pin, NEXT]
    return stuck == 0 or (2 * stuck <= net.nets[wire, READERS] and draw(net) < 0.1)


@compiled
def leaves_of(net: NetlistArrays, window: Indices, count: int, leaves: Indices) -> int:
    """The nets that a window reads from outside, and how many; one more than there is room for if there are more."""
    found = 0
    for i in range(count):
        for p in range(PINS):
            wire = net.slots[window[i], FANIN + p]
            if wire < 0:
                break
            there = False
            for k in range(1, count):
                there = there or wire == 2 * window[k]
            for k in range(found):
                there = there or wire == leaves[k]
            if not there:
                if found == leaves.size:
                    return found + 1
                leaves[found] = wire
                found += 1
    return found


@compiled_with_arrays
def function_of(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays, net: NetlistArrays, window: Indices, count: int, leaves: Indices, leaf_count: int
) -> np.uint64:
    """The truth table of a window's root on six leaves, the first ones its own; 0 if its gates are in a ring."""
    tables, done = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.bool_)
    inputs = np.zeros(PINS, dtype=np.uint64)
    for _ in range(count):
        for i in range(count):
            ready = not done[i]
            width = cells.variants[net.slots[window[i], VARIANT], 1]
            for p in range(width):
                wire = net.slots[window[i], FANIN + p]
                found = False
                for k in range(1, count):
                    if wire == 2 * window[k]:
                        found, inputs[p] = bool(done[k]), tables[k]
                for k in range(leaf_count):
                    if wire == leaves[k]:
                        found, inputs[p] = True, LEVELS_OF_LEAVES[k]
                ready = ready and found
            if ready:
                tables[i] = evaluated(cells.function[family_of(cells, net, window[i])], inputs, width)
                done[i] = True
    return np.uint64(tables[0])


@compiled
def freed(cells: CellArrays, net: NetlistArrays, window: Indices, count: int) -> float:
    """What goes with a window's root: it, and what only it and the others of the window read."""
    area = cells.areas[net.slots[window[0], VARIANT]]
    for i in range(1, count):
        pin, inside = net.nets[2 * window[i], HEAD], True
        while pin >= 0:
            reader = False
            for k in range(count):
                reader = reader or pin // PINS == window[k]
            inside = inside and reader
            pin = net.pins[pin, NEXT]
        if inside:
            area += cells.areas[net.slots[window[i], VARIANT]]
    return float(area)


@compiled
def in_window(cells: CellArrays, net: NetlistArrays, slot: int, leaves: int) -> bool:
    """Whether a gate may be in a window of that many leaves: one known output, no more inputs, no buffer."""
    narrow = cells.variants[net.slots[slot, VARIANT], 1] <= leaves
    return bool(narrow and known(cells, net, slot) and family_of(cells, net, slot) != cells.buffer)


@compiled
def gathered(cells: CellArrays, net: NetlistArrays, window: Indices, leaves: Indices, tries: int) -> tuple[int, int]:
    """Gates that drive the first one of a window, directly or not, drawn so many times, as far as there is room for
    them and for their leaves: how many gates and leaves there are."""
    count = 1
    for _ in range(tries):
        at = window[below(net, count)]
        wire = net.slots[at, FANIN + below(net, cells.variants[net.slots[at, VARIANT], 1])]
        taken = not in_window(cells, net, wire >> 1, leaves.size)
        for k in range(count):
            taken = taken or wire >> 1 == window[k]
        if not taken and count < window.size:
            window[count] = wire >> 1
            if leaves_of(net, window, count + 1, leaves) <= leaves.size:
                count += 1
    return count, leaves_of(net, window, count, leaves)


@compiled_with_arrays
def try_window(cells: CellArrays, table: StructureArrays, net: NetlistArrays, slot: int, noise: float) -> bool:
    """Make a gate, with up to two of those that drive it, another structure; whether one was made."""
    if not in_window(cells, net, slot, LEAVES):
        return False
    window, leaves = np.empty(MOST_CELLS, dtype=np.int64), np.empty(LEAVES, dtype=np.int64)
    window[0] = slot
    count, leaf_count = gathered(cells, net, window, leaves, below(net, 4))
    if leaf_count > LEAVES:
        return False
    function = int(function_of(cells, net, window, count, leaves, leaf_count)) & _ALL
    if function == 0:
        return False
    flip = draw(net) < 0.25 and may_flip(cells, net, 2 * slot)
    if flip:
        function ^= _ALL
    limit = most_area(cells, net, window[:count], noise, flip)
    chosen = chosen_within(net, table.areas, table.first[function], table.first[function + 1], limit)
    if chosen < 0 or table.leaves[chosen] >= 1 << leaf_count:
        return False
    rebuild(cells, net, slot, table.rows[chosen], leaves)
    if flip:
        flip_readers(cells, net, 2 * slot)
    return True


@compiled
def most_area(cells: CellArrays, net: NetlistArrays, window: Indices, noise: float, flip: bool) -> float:
    """The most area that what takes the place of a window may have, for all that is known before it is tried (GE)."""
    worth = min(2.0, _WORTH_NS * net.waves[2 * window[0], WEIGHT])
    return float(freed(cells, net, window, window.size) + 4 * noise + worth + (1.0 if flip else 0.0))


@compiled
def chosen_within(net: NetlistArrays, areas: Floats, first: int, last: int, limit: float) -> int:
    """One of the places from `first` to below `last` whose areas, which ascend, are at most the limit; -1: none is."""
    if first == last or areas[first] > limit:
        return -1
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if areas[middle] > limit:
            high = middle
        else:
            low = middle
    return int(first + below(net, high - first))


@compiled_with_arrays
def rebuild(cells: CellArrays, net: NetlistArrays, slot: int, row: NDArray[np.int16], leaves: Indices) -> None:
    """Put a structure in the place of a gate, and remove what is no longer read.

    For each cell the row has its family, -1 where there is no more, and what its pins read: a place of `leaves`, or
    their number + the cell.
    """
    old = np.full(PINS, -1, dtype=np.int64)
    for p in range(cells.variants[net.slots[slot, VARIANT], 1]):
        old[p] = net.slots[slot, FANIN + p]
        detach(cells, net, slot * PINS + p)
    columns = 1 + leaves.size
    cell_count = 0
    while cell_count < row.size // columns and row[columns * cell_count] >= 0:
        cell_count += 1
    made = np.empty(cell_count, dtype=np.int64)
    for i in range(cell_count):
        family = int(row[columns * i])
        if i < cell_count - 1:
            made[i] = make(cells, net, small_variant(cells, net, family))
            net.waves[2 * made[i], WEIGHT] = net.waves[2 * slot, WEIGHT]
        else:
            made[i] = slot
            same = draw(net) < 0.5
            exchange(
                cells, net, slot, variant_alike(cells, net, slot, family) if same else small_variant(cells, net, family)
            )
        width = cells.variants[net.slots[made[i], VARIANT], 1]
        # Pins that may be exchanged are, half the time: they are not equally fast.
        p, q = below(net, width), 0
        q = cells.alike[family, p]
        swap = q != p and draw(net) < 0.5
        for k in range(width):
            source = int(row[columns * i + 1 + (q if swap and k == p else p if swap and k == q else k)])
            wire = leaves[source] if source < leaves.size else 2 * made[source - leaves.size]
            attach(cells, net, made[i] * PINS + k, wire)
    for p in range(PINS):
        if old[p] >= 0:
            sweep(cells, net, old[p] >> 1)
