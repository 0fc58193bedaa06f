"""What changed between two sweeps: the same requests, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aesmith.explore.runs import DONE
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

REQUEST = ("design", "specification", "library", "optimise", "asked")
"""What makes two points the same request; `asked` is the recipe, where one was asked for."""

FIGURES = ("area_ge", "period_ns", "latency_ns", "throughput_gbps", "efficiency_kbps_per_ge",
           "power_uw_at_100mhz_encrypt", "power_uw_at_100mhz_decrypt")  # fmt: skip
"""What is compared."""

SAME, CHANGED, ONLY_BEFORE, ONLY_AFTER = "same", "changed", "only before", "only after"


def diff(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Compare two frames of points: a row a request, the columns of `REQUEST`, `what` (`same`, `changed`, `only
    before`, `only after`), and for each of `FIGURES` its value `_before` and `_after` and the relative `_change`.

    A point that failed has no figures. The change is after / before - 1, so -0.02 is two per cent less.
    """
    left, right = _figures(before), _figures(after)
    joined = left.merge(
        right, on=list(REQUEST), how="outer", suffixes=("_before", "_after"), indicator=True, sort=False
    )
    result = joined[list(REQUEST)].copy()
    changed = pd.Series(False, index=joined.index)
    for figure in FIGURES:
        old, new = joined[f"{figure}_before"], joined[f"{figure}_after"]
        result[f"{figure}_before"], result[f"{figure}_after"] = old, new
        result[f"{figure}_change"] = new / old - 1
        changed |= (old != new).fillna(False) | (old.isna() ^ new.isna())
    only = joined["_merge"].map({"left_only": ONLY_BEFORE, "right_only": ONLY_AFTER, "both": ""}).astype("string")
    what = pd.Series(CHANGED, index=joined.index, dtype="string").where(changed, SAME)
    result.insert(len(REQUEST), "what", only.where(only != "", what))
    return result


def _figures(frame: pd.DataFrame) -> pd.DataFrame:
    done = frame.copy()
    done["asked"] = done["recipe"].where(done["optimise"] == "recipe", "").astype("string")
    done.loc[done["status"] != DONE, list(FIGURES)] = pd.NA
    return done[[*REQUEST, *FIGURES]]
