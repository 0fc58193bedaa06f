"""Many characterisation tables looked up at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aesmith.technology.cell import CellTable

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class TableBank:
    """Tables by number. Between the points and beyond the edges of its axes a table is bilinear, which is what OpenSTA
    does: the cell of the table nearest to the point is extended."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._tables: list[CellTable] = []
        self._packed: tuple[Floats, Floats, Floats, Indices, Indices] | None = None

    def add(self, table: CellTable) -> int:
        """The number of this table, given when it first comes."""
        number = self._numbers.setdefault(id(table), len(self._tables))
        if number == len(self._tables):
            self._tables.append(table)
            self._packed = None
        return number

    def packed(self) -> tuple[Floats, Floats, Floats, Indices, Indices]:
        """All tables in arrays: row axes, column axes, values (table, row, column), and the lengths of both axes."""
        if self._packed is None:
            self._packed = _pack(self._tables)
        return self._packed

    def look_up(self, numbers: Indices, rows: Floats, columns: Floats) -> Floats:
        """Element by element: the value of table numbers[k] at (rows[k], columns[k])."""
        row_axes, column_axes, values, row_sizes, column_sizes = self.packed()
        i, x = _cells(row_axes[numbers], row_sizes[numbers], rows)
        j, y = _cells(column_axes[numbers], column_sizes[numbers], columns)
        low = values[numbers, i, j] * (1 - y) + values[numbers, i, j + 1] * y
        high = values[numbers, i + 1, j] * (1 - y) + values[numbers, i + 1, j + 1] * y
        return np.asarray(low * (1 - x) + high * x)


def _cells(axes: Floats, sizes: Indices, at: Floats) -> tuple[Indices, Floats]:
    """For each lookup, the cell of its axis and how far into it."""
    index = np.clip((axes <= at[:, None]).sum(axis=1) - 1, 0, sizes - 2)
    which = np.arange(len(at))
    left = axes[which, index]
    return index, (at - left) / (axes[which, index + 1] - left)


def _pack(tables: list[CellTable]) -> tuple[Floats, Floats, Floats, Indices, Indices]:
    """All tables in arrays of one shape; an axis of length 1 becomes two equal points."""
    widened = [_widen(table) for table in tables]
    count = len(widened)
    height = max((len(rows) for rows, _, _ in widened), default=2)
    width = max((len(columns) for _, columns, _ in widened), default=2)
    row_axes = np.full((count, height), np.inf)
    column_axes = np.full((count, width), np.inf)
    values = np.zeros((count, height, width))
    for k, (rows, columns, grid) in enumerate(widened):
        row_axes[k, : len(rows)] = rows
        column_axes[k, : len(columns)] = columns
        values[k, : len(rows), : len(columns)] = grid
    row_sizes = np.array([len(rows) for rows, _, _ in widened], dtype=np.int64)
    column_sizes = np.array([len(columns) for _, columns, _ in widened], dtype=np.int64)
    return row_axes, column_axes, values, row_sizes, column_sizes


def _widen(table: CellTable) -> tuple[Floats, Floats, Floats]:
    rows, columns, values = table.rows, table.columns, table.values
    if len(rows) == 1:
        rows, values = np.array([rows[0], rows[0] + 1]), np.repeat(values, 2, axis=0)
    if len(columns) == 1:
        columns, values = np.array([columns[0], columns[0] + 1]), np.repeat(values, 2, axis=1)
    return rows, columns, values
