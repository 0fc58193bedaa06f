"""Characterisation tables: values over one or two axes, bilinear between the points and beyond them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Table:
    """values[i, j] at rows[i], columns[j]; an axis of length 1 means that the value does not depend on it.

    Delay, transition and power tables: rows = input transition (ns), columns = output load (fF).
    Constraint tables: rows = transition of the related (clock) pin (ns), columns = of the constrained pin (ns).
    Values are ns, or fJ in power tables.
    """

    rows: Values
    columns: Values
    values: Values

    def at(self, row: float, column: float) -> float:
        """The value at a point, linear within the nearest cell of the table and beyond its edges."""
        i, x = _cell(self.rows, row)
        j, y = _cell(self.columns, column)
        near = self.values[i : i + 2, j : j + 2]
        across = near[:, 0] if near.shape[1] == 1 else near[:, 0] + (near[:, 1] - near[:, 0]) * y
        return float(across[0] if len(across) == 1 else across[0] + (across[1] - across[0]) * x)


def _cell(axis: Values, value: float) -> tuple[int, float]:
    """Index of the table cell a value falls in, and how far into it (0 to 1; outside beyond the edges)."""
    if len(axis) == 1:
        return 0, 0.0
    index = min(max(int(np.searchsorted(axis, value, side="right")) - 1, 0), len(axis) - 2)
    return index, float((value - axis[index]) / (axis[index + 1] - axis[index]))
