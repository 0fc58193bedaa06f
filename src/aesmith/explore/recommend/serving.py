"""What each measured point would give in the service that a requirement describes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from aesmith.cores.ports import Meaning
from aesmith.cores.specification import build_design, families, parse_specification
from aesmith.explore.points import FOREIGN
from aesmith.explore.recommend.requirement import Limit, Requirement, clocks_per_block
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

BLOCK_BITS = 128


@dataclass(frozen=True)
class Served:
    """The points that fit, with what they give; of the others, how many points were left out for which reason.

    `frame` has the columns of `points` and further `clock_mhz` (the clock it runs at), `served_gbps`,
    `served_latency_ns`, `served_kbps_per_ge`, `served_power_uw` and `served_energy_pj`. A point that lacks several
    things is counted under the first.
    """

    frame: pd.DataFrame
    left_out: Mapping[str, int]


def serve(points: pd.DataFrame, requirement: Requirement) -> Served:
    """The points of a frame (columns as in `points`) that fit a requirement's mode, keys, ports and clock."""
    reasons = {
        "failed": points["status"].ne("done") | points["fmax_mhz"].isna(),
        "of somebody else": points["family"].eq(FOREIGN),
        "of engines": points["core"].notna(),
        f"without {' and '.join(sorted(requirement.core_directions, reverse=True))}": ~_has_directions(
            points, requirement
        ),
        f"without keys of {' and '.join(map(str, requirement.key_bits))} bits": ~_has_keys(points, requirement),
    }
    if requirement.order:
        reasons |= {
            f"not protected at order {requirement.order}": ~_is_protected(points, requirement),
            "synthesised across the borders of S-boxes": ~points["recipe"].fillna("").str.contains("-modules"),
        }
    if requirement.block_width is not None:
        reasons[f"without ports of {requirement.block_width} bits"] = points["block_width"].ne(requirement.block_width)
    out = pd.Series(False, index=points.index)
    counts = {}
    for reason, holds in reasons.items():
        new = holds.fillna(True).astype(bool) & ~out
        counts[reason] = int(new.sum())
        out |= new
    return Served(_with_service(points[~out], requirement), {reason: n for reason, n in counts.items() if n})


def meets(frame: pd.DataFrame, limit: Limit) -> pd.Series:
    """Which rows of a served frame reach a limit; one whose figure was not measured does not."""
    values = frame[limit.figure.column]
    reached = values.le(limit.bound) if limit.figure.least_is_best else values.ge(limit.bound)
    return reached.fillna(False).astype(bool)


def margins(frame: pd.DataFrame, limit: Limit) -> pd.Series:
    """How far each row of a served frame is on the good side of a limit, as a fraction of it."""
    values = frame[limit.figure.column].astype("Float64")
    return (limit.bound - values if limit.figure.least_is_best else values - limit.bound) / limit.bound


@cache
def keys_of(specification: str) -> frozenset[int]:
    """The key sizes of a specification in JSON."""
    given = json.loads(specification).get("key_bits", 128)
    return frozenset(given if isinstance(given, list) else [given])


@dataclass(frozen=True)
class Protection:
    """What a core's shares give: the order at which `aesmith verify --probing` has something to show of it, 0 if none;
    the fresh bits it takes in a clock of work; and whether it makes them inside, from a seed."""

    order: int
    random_bits: int
    seeded: bool


@cache
def protection_of(specification: str) -> Protection:
    """The protection of a specification in JSON: that of its ports.

    Of S-boxes that clock enables hold nothing is shown above order 1 (rule R6).
    """
    fields = json.loads(specification)
    if fields.get("architecture") not in _with_an_order():
        return Protection(0, 0, seeded=False)
    design = build_design(parse_specification(fields), "core", "")
    order = min((load.shares for load in design.ports.payloads if load.shares > 1), default=1) - 1
    fresh = (design.within or design).ports.find(Meaning.RANDOM)
    if order > 1 and not design.parameters.get("clock_gates"):
        order = 0
    return Protection(order, 0 if fresh is None else fresh.bits, seeded=design.within is not None)


@cache
def _with_an_order() -> frozenset[str]:
    """The architectures that have an order of protection."""
    return frozenset(
        str(each.model_fields["architecture"].default)
        for family in families().values()
        for each in family.specifications
        if "order" in each.model_fields
    )


def _is_protected(points: pd.DataFrame, requirement: Requirement) -> pd.Series:
    return points["specification"].map(lambda text: protection_of(str(text)).order >= requirement.order).astype(bool)


def _has_directions(points: pd.DataFrame, requirement: Requirement) -> pd.Series:
    wanted = {str(direction) for direction in requirement.core_directions}
    return points["directions"].map(lambda text: wanted <= set(str(text).split("+"))).astype(bool)


def _has_keys(points: pd.DataFrame, requirement: Requirement) -> pd.Series:
    wanted = set(requirement.key_bits)
    return points["specification"].map(lambda text: wanted <= keys_of(str(text))).astype(bool)


def _with_service(points: pd.DataFrame, requirement: Requirement) -> pd.DataFrame:
    cycles = points["cycles_per_block"].to_numpy(dtype=np.float64)
    latency = points["latency_cycles"].to_numpy(dtype=np.float64)
    clocks = clocks_per_block(requirement.mode, requirement.directions, cycles, latency, requirement.streams)
    clock = points["fmax_mhz"] if requirement.clock_mhz is None else points["fmax_mhz"] * 0 + requirement.clock_mhz
    gbps = clock * BLOCK_BITS / 1e3 / clocks
    # Power is simulated with blocks back to back: a pipeline that a chained stream leaves half empty is another thing.
    idle = requirement.chained & points["blocks_in_flight"].gt(requirement.streams)
    return points.assign(
        clock_mhz=clock,
        served_gbps=gbps,
        served_latency_ns=latency * 1e3 / clock,
        served_kbps_per_ge=gbps * 1e6 / points["area_ge"],
        served_power_uw=_worst(points, requirement, "power_uw_at_100mhz").mask(idle),
        served_energy_pj=requirement.mode.calls * _worst(points, requirement, "energy_pj_per_block").mask(idle),
    )


def _worst(points: pd.DataFrame, requirement: Requirement, figure: str) -> pd.Series:
    """The greatest over the directions in use; missing if it is missing in one."""
    columns = [f"{figure}_{direction}" for direction in requirement.core_directions]
    return points[columns].max(axis=1, skipna=False)
