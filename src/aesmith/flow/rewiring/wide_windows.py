"""Windows of five and six leaves, and what takes their place: one or two of a library's cells, of up to six inputs.

Moves of four leaves neither see nor make cells of five and six inputs (OAI221, AOI222). All trees of two cells that
read five or six leaves once each are enumerated from the truth tables of the library's own cells, in every order of the
leaves. A window is a gate with up to three of those that drive it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aesmith.flow.rewiring.cell_arrays import CellArrays, CellNumbers, Floats, Indices
from aesmith.flow.rewiring.edit_kernel import NetlistArrays, Words, draw
from aesmith.flow.rewiring.windows import (
    chosen_within,
    flip_readers,
    function_of,
    gathered,
    in_window,
    may_flip,
    most_area,
    rebuild,
)
from aesmith.lazy import compiled, compiled_with_arrays

WIDE_LEAVES = 6
_FEWEST_LEAVES = 5
_MOST_GATES = 4
_MOST_CELLS = 2
_COLUMNS = 1 + WIDE_LEAVES
_INNER = WIDE_LEAVES
"""What a pin that reads the inner cell has in a row: the cell's number behind all leaves."""
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SLACK_GE = 1.4
"""How much larger than the smallest of its function a structure may be."""


class WideArrays(NamedTuple):
    """`rows[first[i] : first[i + 1]]` are the structures of `functions[i]`, in order of area (GE).

    Functions are truth tables on six leaves, ascending; those of five do not depend on the last. A row has the inner
    cell, if there is one, before the root: its family, and what its pins read, as `rebuild` takes it.
    """

    functions: Words
    first: Indices
    areas: Floats
    rows: NDArray[np.int16]


NO_WIDE_STRUCTURES = WideArrays(
    np.zeros(0, dtype=np.uint64),
    np.zeros(1, dtype=np.int64),
    np.zeros(0),
    np.zeros((0, _MOST_CELLS * _COLUMNS), dtype=np.int16),
)


class _Cell(NamedTuple):
    family: int
    inputs: int
    table: int
    area: float
    pins: tuple[int, ...]
    """One of each set of pins that may be exchanged."""


def wide_structures(numbers: CellNumbers) -> WideArrays:
    """The table for a library. Takes some seconds."""
    arrays = numbers.arrays
    cells = [
        _Cell(f, len(cell.inputs), int(arrays.function[f]), float(arrays.areas[arrays.members[first]]), pins)
        for f, cell in enumerate(numbers.families)
        if cell is not None and 1 <= len(cell.inputs) <= WIDE_LEAVES and f != arrays.buffer
        for first in [arrays.member_first[f]]
        for pins in [tuple(p for p in range(len(cell.inputs)) if arrays.alike[f, p] == p)]
    ]
    found = [_in_all_orders(*shape) for shape in _shapes(cells)]
    tables = np.concatenate([np.zeros(0, dtype=np.uint64), *(tables for tables, _, _ in found)])
    areas = np.concatenate([np.zeros(0), *(np.full(len(tables), area) for tables, area, _ in found)])
    width = _MOST_CELLS * _COLUMNS
    rows = np.concatenate([np.zeros((0, width), dtype=np.int16), *(rows for _, _, rows in found)])
    order = np.lexsort((areas, tables))
    tables, areas, rows = tables[order], areas[order], rows[order]
    functions, starts, which = np.unique(tables, return_index=True, return_inverse=True)
    kept = areas <= areas[starts][which] + _SLACK_GE
    first = np.searchsorted(tables[kept], functions)
    return WideArrays(functions, np.append(first, kept.sum()).astype(np.int64), areas[kept], rows[kept])


def _shapes(cells: list[_Cell]) -> Iterator[tuple[int, list[int], float, list[int]]]:
    """Trees on leaves in one order: how many leaves, levels of the root in all cases, area (GE) and row."""
    for root in cells:
        if root.inputs >= _FEWEST_LEAVES:
            leaves = [*range(root.inputs)]
            yield root.inputs, _levels(root, [_leaf(k, root.inputs) for k in leaves]), root.area, _row(root, leaves)
        for inner in cells:
            count = root.inputs + inner.inputs - 1
            if not _FEWEST_LEAVES <= count <= WIDE_LEAVES:
                continue
            below = [*range(inner.inputs)]
            middle = _levels(inner, [_leaf(k, count) for k in below])
            for pin in root.pins:
                others = iter(range(inner.inputs, count))
                sources = [_INNER if p == pin else next(others) for p in range(root.inputs)]
                levels = _levels(root, [middle if at == _INNER else _leaf(at, count) for at in sources])
                yield count, levels, inner.area + root.area, [*_row(inner, below), *_row(root, sources)]


def _leaf(leaf: int, count: int) -> list[int]:
    return [case >> leaf & 1 for case in range(1 << count)]


def _levels(cell: _Cell, inputs: list[list[int]]) -> list[int]:
    """A cell's levels, from those on its pins."""
    return [cell.table >> sum(level << p for p, level in enumerate(case)) & 1 for case in zip(*inputs, strict=True)]


def _row(cell: _Cell, sources: list[int]) -> list[int]:
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
    rows = np.tile(row + [-1] * (_MOST_CELLS * _COLUMNS - len(row)), (len(chosen), 1))
    for column, source in enumerate(row):
        if column % _COLUMNS and 0 <= source < count:
            rows[:, column] = orders[chosen, source]
    return tables.astype(np.uint64), area, rows.astype(np.int16)


@compiled
def _place_of(functions: Words, function: np.uint64) -> int:
    """Where a function is among those that ascend; -1 if it is not."""
    low, high = 0, functions.size
    while low < high:
        middle = (low + high) // 2
        if functions[middle] < function:
            low = middle + 1
        else:
            high = middle
    return low if low < functions.size and functions[low] == function else -1


@compiled_with_arrays
def try_wide_window(cells: CellArrays, table: WideArrays, net: NetlistArrays, slot: int, noise: float) -> bool:
    """Make a gate, with up to three of those that drive it, one or two cells on five or six leaves; whether it was."""
    if not in_window(cells, net, slot, WIDE_LEAVES):
        return False
    window, leaves = np.empty(_MOST_GATES, dtype=np.int64), np.empty(WIDE_LEAVES, dtype=np.int64)
    window[0] = slot
    count, leaf_count = gathered(cells, net, window, leaves, 2 * _MOST_GATES)
    if leaf_count < _FEWEST_LEAVES or leaf_count > WIDE_LEAVES:
        return False
    function = function_of(cells, net, window, count, leaves, leaf_count)
    flip = draw(net) < 0.25 and may_flip(cells, net, 2 * slot)
    place = _place_of(table.functions, function ^ _ALL if flip else function)
    if place < 0:
        return False
    limit = most_area(cells, net, window[:count], noise, flip)
    chosen = chosen_within(net, table.areas, table.first[place], table.first[place + 1], limit)
    if chosen < 0:
        return False
    rebuild(cells, net, slot, table.rows[chosen], leaves)
    if flip:
        flip_readers(cells, net, 2 * slot)
    return True
