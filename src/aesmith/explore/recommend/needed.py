"""Measure in a library what a requirement needs: the most promising first, until nothing promising is left.

What is promising is told by a point's figures elsewhere, to scale: areas in gate equivalents, and periods relative to
each other, differ little between libraries, and what has been measured of both tells the factor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aesmith.explore.points import frame, synthesis_of
from aesmith.explore.recommend.choice import best_point
from aesmith.explore.recommend.requirement import Requirement
from aesmith.explore.recommend.serving import BLOCK_BITS, margins, serve
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

_SCALED = ("area_ge", "period_ns", *(f"{figure}_{way}" for figure in ("power_uw_at_100mhz", "energy_pj_per_block")
           for way in ("encrypt", "decrypt")))  # fmt: skip

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


def identity(points: pd.DataFrame) -> pd.MultiIndex:
    """Which point each row is, whatever the library: specification, and what was asked of synthesis."""
    return pd.MultiIndex.from_arrays([points["specification"], synthesis_of(points)])


def expected(elsewhere: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """The points of `elsewhere` that are not among `measured`, their figures scaled by what both have.

    Both frames have the columns of `points`; `measured` is of one library, `elsewhere` of others. Of points measured
    in several libraries the one in the library with most points in common counts, and gives way to the next in what it
    lacks. Where nothing is in common, figures are as they were there: good for order among themselves.
    """
    done = measured[measured["status"].eq("done")]
    done = done.set_axis(identity(done))
    done = done[~done.index.duplicated()]
    parts = []
    for _, part in elsewhere[elsewhere["status"].eq("done")].groupby("library", sort=True):
        there = part.set_axis(identity(part))
        there = there[~there.index.duplicated()]
        common = done.index.intersection(there.index)
        scaled = {name: there[name] * _factor(done.loc[common, name], there.loc[common, name]) for name in _SCALED}
        parts.append((len(common), _consistent(there.assign(**scaled))))
    if not parts:
        return elsewhere.head(0)
    parts.sort(key=lambda part: -part[0])
    every = parts[0][1]
    for _, part in parts[1:]:
        every = every.combine_first(part)
    return every[~every.index.isin(identity(measured))].reset_index(drop=True)[list(elsewhere.columns)]


def _factor(here: pd.Series, there: pd.Series) -> float:
    """The geometric mean of the ratios; 1 if there are none."""
    ratios = (here.astype("Float64") / there.astype("Float64")).dropna()
    return float(np.exp(np.log(ratios.to_numpy(dtype=np.float64)).mean())) if len(ratios) else 1.0


def _consistent(frame: pd.DataFrame) -> pd.DataFrame:
    """With what follows from area and period."""
    fmax = 1e3 / frame["period_ns"]
    gbps = fmax * BLOCK_BITS / 1e3 / frame["cycles_per_block"]
    return frame.assign(
        fmax_mhz=fmax,
        latency_ns=frame["latency_cycles"] * frame["period_ns"],
        throughput_gbps=gbps,
        efficiency_kbps_per_ge=gbps * 1e6 / frame["area_ge"],
    )
