"""Pareto fronts: the points of a data frame that no other point is better than in every figure at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from aesmith.errors import RequestError
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")


def on_front(frame: pd.DataFrame, *, minimise: Sequence[str] = (), maximise: Sequence[str] = ()) -> pd.Series:
    """Which rows are on the Pareto front: a boolean series with the frame's index.

    A row is on the front if no other row is at least as good in every figure and better in one. Rows that are equal in
    every figure are on it together or not at all; a row that lacks a figure is not on it, and beats nobody.
    Raises RequestError for no figure at all, one that is named twice, or one that is no column of numbers.
    """
    figures = (*minimise, *maximise)
    if not figures or len(set(figures)) != len(figures):
        raise RequestError(
            f"Pareto front: needs one figure or more, each named once, not {', '.join(figures) or 'none'}"
        )
    costs = np.column_stack(
        [_numbers(frame, name) for name in minimise] + [-_numbers(frame, name) for name in maximise]
    )
    known = ~np.isnan(costs).any(axis=1)
    front = np.zeros(len(frame), dtype=bool)
    front[known] = _undominated(costs[known])
    return pd.Series(front, index=frame.index, name="on_front")


def pareto_front(frame: pd.DataFrame, *, minimise: Sequence[str] = (), maximise: Sequence[str] = ()) -> pd.DataFrame:
    """The rows on the Pareto front, best first by the first figure. Raises as `on_front` does."""
    rows = frame[on_front(frame, minimise=minimise, maximise=maximise)]
    first = (*minimise, *maximise)[0]
    return rows.sort_values(first, ascending=first in minimise, kind="stable")


def _numbers(frame: pd.DataFrame, name: str) -> npt.NDArray[np.float64]:
    if name not in frame.columns or not pd.api.types.is_numeric_dtype(frame[name]):
        numeric = [str(column) for column in frame.columns if pd.api.types.is_numeric_dtype(frame[column])]
        raise RequestError(f"Pareto front: {name!r} is not a figure of these points; they have {', '.join(numeric)}")
    numbers: npt.NDArray[np.float64] = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def _undominated(costs: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Rows (points) of costs (columns, all to be minimised) that no other row dominates.

    In lexicographic order a row can be dominated only by one before it, so each is held against the front so far.
    """
    order = np.lexsort(costs.T[::-1])
    front: list[int] = []
    for row in order:
        kept = costs[front]
        dominates = (kept <= costs[row]).all(axis=1) & (kept < costs[row]).any(axis=1)
        if not dominates.any():
            front.append(int(row))
    result = np.zeros(len(costs), dtype=bool)
    result[front] = True
    return result
