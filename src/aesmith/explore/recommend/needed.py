"""Measure in a library what a requirement needs: the most promising first, until nothing promising is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aesmith.explore.points import frame
from aesmith.explore.recommend.choice import best_point
from aesmith.explore.recommend.expectation import expected, identity
from aesmith.explore.recommend.requirement import Requirement
from aesmith.explore.recommend.serving import margins, serve
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

MARGIN = 0.15
"""A point that is expected to be worse than the best found by more than this part is not measured."""

SLACK = 0.3
"""Nor is one that is expected to miss a limit by more than this part of it."""

AT_LEAST = 2
"""Points that are measured in any case, if they fit: what stands in the way is then said with figures."""

MeasurePoint = Callable[[Mapping[str, object]], Mapping[str, object] | None]
"""Measures the point of an expected row and gives its row; None if the time was up before it was done."""


@dataclass(frozen=True)
class Needed:
    """`points` are all there are of the library now, of which `measured` are new; of the rest that would fit mode, keys
    and ports, `unmeasured` says how many were left for which reason."""

    points: pd.DataFrame
    measured: int
    unmeasured: Mapping[str, int]


def measure_needed(
    requirement: Requirement,
    known: pd.DataFrame,
    elsewhere: pd.DataFrame,
    measure: MeasurePoint,
    *,
    in_time: Callable[[], bool],
) -> Needed:
    """Measure points of `elsewhere` in the library of `known`, one after the other, as long as one is promising.

    What is promising is found anew after each, for each tells how figures here are to those elsewhere. Nothing is begun
    once `in_time` says no.
    """
    points, lacking = _without_power(requirement, known)
    elsewhere = pd.concat([elsewhere, lacking], ignore_index=True)
    measured = 0
    while True:
        waiting = _promising(requirement, points, elsewhere)
        promising = waiting[waiting["promising"]]
        out_of_time = not promising.empty and not in_time()
        if promising.empty or out_of_time:
            break
        row = measure({str(name): value for name, value in promising.iloc[0].items()})
        if row is None:
            out_of_time = True
            break
        measured += 1
        points = pd.concat([points, frame([row])], ignore_index=True)
        # An export of another version may write the same specification differently: it must not come up again.
        elsewhere = elsewhere[~identity(elsewhere).isin(identity(promising.head(1)))]
    left = {
        "promising, but the time was up": int(promising.shape[0]) if out_of_time else 0,
        f"expected to be worse by more than {MARGIN:.0%}": int((~waiting["promising"] & waiting["within"]).sum()),
        f"expected to miss a limit by more than {SLACK:.0%}": int((~waiting["promising"] & ~waiting["within"]).sum()),
    }
    return Needed(points, measured, {reason: count for reason, count in left.items() if count})


def _without_power(requirement: Requirement, known: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The known points, and of those the ones to be measured again because power is asked for and they have none."""
    if not requirement.needs_power:
        return known, known.head(0)
    columns = [f"power_uw_at_100mhz_{direction}" for direction in requirement.core_directions]
    lacking = known["status"].eq("done") & known[columns].isna().any(axis=1)
    return known[~lacking], known[lacking]


def _promising(requirement: Requirement, points: pd.DataFrame, elsewhere: pd.DataFrame) -> pd.DataFrame:
    """The points still to be measured, most promising first, with `promising` and `within` (of all limits' slack)."""
    objective = requirement.objective
    column, least = objective.figure.column, objective.least
    waiting = serve(expected(elsewhere, points), requirement).frame
    shortfall = pd.Series(0.0, index=waiting.index)
    for limit in requirement.bounds:
        shortfall = np.maximum(shortfall, -margins(waiting, limit).fillna(0.0).astype(float))
    chosen = best_point(points, requirement)
    worth = waiting[column].astype("Float64") * (1 if least else -1)
    within = shortfall.le(SLACK)
    if chosen is not None:
        best = chosen.figures[objective.figure.name]
        assert best is not None
        good_enough = worth.le(best * (1 + MARGIN) if least else -best * (1 - MARGIN)).fillna(True).astype(bool)
        promising = within & good_enough
    else:
        fitting = len(serve(points, requirement).frame)
        promising = (
            within if fitting >= AT_LEAST else shortfall.le(max(SLACK, shortfall.min() if len(shortfall) else 0))
        )
    order = pd.DataFrame(
        {
            "shortfall": shortfall.where(~within, 0.0),
            "worth": worth,
            "area": waiting["area_ge"],
            "name": waiting["design"],
        }
    ).sort_values(["shortfall", "worth", "area", "name"], kind="stable", na_position="last")
    return waiting.assign(promising=promising, within=within).loc[order.index]
