"""Structures: what a library's cells make of four leaves, and of five and six; windows become one of these.

On up to four leaves these are all trees of one to three cells, enumerated from the truth tables of the library's own
cells, with pins that may be exchanged in one order only; a structure is kept unless it is much larger than the smallest
of its function, or does not use all of its leaves. On five and six leaves they are the trees of one or two cells, of up
to six inputs, that read each leaf once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aesmith.flow.rewiring.cell_arrays import CellNumbers, Indices
from aesmith.flow.rewiring.edit_kernel import Words

LEAVES, WIDE_LEAVES = 4, 6
"""Most leaves of a structure, and of a wide one."""
FEWEST_WIDE_LEAVES = LEAVES + 1
MOST_CELLS = 3
_MOST_WIDE_CELLS = 2
_CELL_COLUMNS, _WIDE_COLUMNS = 1 + LEAVES, 1 + WIDE_LEAVES
_INNER = WIDE_LEAVES
"""What a pin that reads the inner cell has in a row: the cell's number behind all leaves."""
_LEAF = np.array([0xAAAA, 0xCCCC, 0xF0F0, 0xFF00], dtype=np.int64)
_ALL = 0xFFFF
_SLACK_GE, _INNER_SLACK_GE = 1.4, 0.7
"""How much larger than the smallest of its function a structure may be, and one that a third cell reads."""
_MOST_OF_A_FUNCTION = 96


class StructureArrays(NamedTuple):
    """`rows[first[f] : first[f + 1]]` are the structures of function f, in order of area (GE), inner cells before those
    that read them; `leaves` is the set of leaves each one uses, as bits.

    A row has for each cell its family, -1 where there is no more, and what its pins read: a leaf, or the number of
    leaves + a cell. Of structures on four leaves the function's number is its truth table, bit i of which is for the
    levels of leaves k = bit k of i.
    """

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
    cells = _root_cells(numbers, LEAVES)
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

    @property
    def pins(self) -> list[int]:
        """One of each set of pins that may be exchanged."""
        return [p for p in range(self.inputs) if self.alike[p] == p]

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


def _root_cells(numbers: CellNumbers, most: int) -> list[_RootCell]:
    """The smallest cell of each function of at most so many inputs, but buffers."""
    arrays = numbers.arrays
    return [
        _RootCell(f, len(cell.inputs), int(arrays.function[f]), float(area), tuple(arrays.alike[f].tolist()))
        for f, cell in enumerate(numbers.families)
        if cell is not None and len(cell.inputs) <= most and f != arrays.buffer
        for area in [arrays.areas[arrays.members[arrays.member_first[f]]]]
    ]


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
    return trees.chosen(_support(trees.tables) == _leaves_read(trees.rows))


def _support(tables: Indices) -> Indices:
    found = np.zeros(len(tables), dtype=np.int64)
    for leaf in range(LEAVES):
        high = (tables & _LEAF[leaf]) >> (1 << leaf)
        found |= (high != (tables & ~_LEAF[leaf])).astype(np.int64) << leaf
    return found


def _leaves_read(rows: NDArray[np.int16], leaves: int = LEAVES) -> Indices:
    """The set of leaves that each row of structures on so many leaves reads, as bits."""
    pins = rows.reshape(len(rows), -1, 1 + leaves)[:, :, 1:]
    found = np.zeros(len(rows), dtype=np.int64)
    for leaf in range(leaves):
        found |= (pins == leaf).any(axis=(1, 2)).astype(np.int64) << leaf
    return found


def _padded(trees: _Trees) -> _Trees:
    missing = MOST_CELLS * _CELL_COLUMNS - trees.rows.shape[1]
    return _Trees(trees.tables, trees.areas, np.pad(trees.rows, ((0, 0), (0, missing)), constant_values=-1))


def _by_function(trees: _Trees) -> StructureArrays:
    ordered = trees.chosen(np.lexsort((trees.areas, trees.tables)))
    first = np.searchsorted(ordered.tables, np.arange(_ALL + 2))
    chosen = ordered.chosen(np.arange(len(ordered.tables)) - first[ordered.tables] < _MOST_OF_A_FUNCTION)
    first = np.searchsorted(chosen.tables, np.arange(_ALL + 2))
    return StructureArrays(
        first.astype(np.int64), chosen.areas, _leaves_read(chosen.rows), np.ascontiguousarray(chosen.rows)
    )


class WideArrays(NamedTuple):
    """`structures` of function i have the truth table `functions[i]` on six leaves, bit c for the levels of leaves k =
    bit k of c. These ascend; those of five leaves do not depend on the last."""

    functions: Words
    structures: StructureArrays


NO_WIDE_STRUCTURES = WideArrays(
    np.zeros(0, dtype=np.uint64),
    StructureArrays(
        np.zeros(1, dtype=np.int64),
        np.zeros(0),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, _MOST_WIDE_CELLS * _WIDE_COLUMNS), dtype=np.int16),
    ),
)


def wide_structures(numbers: CellNumbers) -> WideArrays:
    """The table for a library. Takes up to some seconds, most where cells are of many functions."""
    cells = _root_cells(numbers, WIDE_LEAVES)
    found = [_in_all_orders(*shape) for shape in _shapes(cells)]
    tables = np.concatenate([np.zeros(0, dtype=np.uint64), *(tables for tables, _, _ in found)])
    areas = np.concatenate([np.zeros(0), *(np.full(len(tables), area) for tables, area, _ in found)])
    width = _MOST_WIDE_CELLS * _WIDE_COLUMNS
    rows = np.concatenate([np.zeros((0, width), dtype=np.int16), *(rows for _, _, rows in found)])
    order = np.lexsort((areas, tables))
    tables, areas, rows = tables[order], areas[order], rows[order]
    functions, starts, which = np.unique(tables, return_index=True, return_inverse=True)
    kept = areas <= areas[starts][which] + _SLACK_GE
    first = np.append(np.searchsorted(tables[kept], functions), kept.sum()).astype(np.int64)
    rows = np.ascontiguousarray(rows[kept])
    return WideArrays(functions, StructureArrays(first, areas[kept], _leaves_read(rows, WIDE_LEAVES), rows))


def _shapes(cells: list[_RootCell]) -> Iterator[tuple[int, list[int], float, list[int]]]:
    """Trees on leaves in one order: how many leaves, levels of the root in all cases, area (GE) and row."""
    for root in cells:
        if root.inputs >= FEWEST_WIDE_LEAVES:
            leaves = [*range(root.inputs)]
            yield (
                root.inputs,
                _levels(root, [_levels_of_leaf(k, root.inputs) for k in leaves]),
                root.area,
                _wide_row(root, leaves),
            )
        for inner in cells:
            count = root.inputs + inner.inputs - 1
            if not FEWEST_WIDE_LEAVES <= count <= WIDE_LEAVES:
                continue
            below = [*range(inner.inputs)]
            middle = _levels(inner, [_levels_of_leaf(k, count) for k in below])
            for pin in root.pins:
                others = iter(range(inner.inputs, count))
                sources = [_INNER if p == pin else next(others) for p in range(root.inputs)]
                levels = _levels(root, [middle if at == _INNER else _levels_of_leaf(at, count) for at in sources])
                yield count, levels, inner.area + root.area, [*_wide_row(inner, below), *_wide_row(root, sources)]


def _levels_of_leaf(leaf: int, count: int) -> list[int]:
    return [case >> leaf & 1 for case in range(1 << count)]


def _levels(cell: _RootCell, inputs: list[list[int]]) -> list[int]:
    """A cell's levels, from those on its pins."""
    return [cell.table >> sum(level << p for p, level in enumerate(case)) & 1 for case in zip(*inputs, strict=True)]


def _wide_row(cell: _RootCell, sources: list[int]) -> list[int]:
    return [cell.family, *sources, *([-1] * (WIDE_LEAVES - len(sources)))]


def _in_all_orders(
    count: int, levels: list[int], area: float, row: list[int]
) -> tuple[Words, float, NDArray[np.int16]]:
    """A tree with its leaves in every order that is another function: truth tables, area (GE) and rows."""
    orders = np.array([*permutations(range(count))])
    cases = np.arange(1 << WIDE_LEAVES)
    # Leaf k of the tree is leaf order[k] of the window.
    sources = sum(((cases >> orders[:, k, None]) & 1) << k for k in range(count))
    bits = np.array(levels, dtype=np.uint8)[sources]
    packed = np.ascontiguousarray(np.packbits(bits, axis=1, bitorder="little"))
    tables, chosen = np.unique(packed.view("<u8").ravel(), return_index=True)
    rows = np.tile(row + [-1] * (_MOST_WIDE_CELLS * _WIDE_COLUMNS - len(row)), (len(chosen), 1))
    for column, source in enumerate(row):
        if column % _WIDE_COLUMNS and 0 <= source < count:
            rows[:, column] = orders[chosen, source]
    return tables.astype(np.uint64), area, rows.astype(np.int16)
