"""What a point is expected to give in a library before it is measured there: its figures elsewhere, to scale.

Areas in gate equivalents, and periods relative to each other, differ little between libraries: what has been measured
of both tells the factor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aesmith.explore.making import synthesis_of
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

_SCALED = ("area_ge", "period_ns", *(f"{figure}_{way}" for figure in ("power_uw_at_100mhz", "energy_pj_per_block")
           for way in ("encrypt", "decrypt")))  # fmt: skip
BLOCK_BITS = 128


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
