"""The core or engine that serves a requirement best among measured points, why, and what the others would cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aesmith.explore.points import PROOF
from aesmith.explore.recommend.requirement import (
    DEVICE_FIGURES,
    FIGURES,
    OF_LIBRARIES,
    Criterion,
    Limit,
    Requirement,
)
from aesmith.explore.recommend.serving import Served, margins, meets, serve
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

ALTERNATIVES = 2
NEAR = 0.1
"""A design that misses one limit by no more than this part of it is near."""

TIE = 0.02
"""Of points that differ by no more than this part in the figure that decides, one that is proved is better."""

TIES = (("area_ge", True), ("served_gbps", False), ("served_latency_ns", True))
"""Columns that order points alike in the figure that decides, each with whether less is better."""

NAMES = ("design", "optimise", "recipe", "key")
"""Columns that order what is alike in all figures."""


@dataclass(frozen=True)
class Option:
    """A point as it would serve: its row of the frame, and its figures by name, None where not measured."""

    row: Mapping[str, object]
    figures: Mapping[str, float | None]

    @property
    def design(self) -> str:
        """The name of its core."""
        return str(self.row["design"])

    @property
    def proved(self) -> bool:
        """Whether its core was proved."""
        return str(self.row["verified"] or "").startswith(PROOF)

    def margin(self, limit: Limit) -> float | None:
        """How far it is on the good side of a limit, as a fraction of the limit; None if it was not measured."""
        value = self.figures[limit.figure.name]
        return None if value is None else limit.margin(value)

    def change(self, figure: Criterion, base: Option) -> float | None:
        """A figure relative to that of another option: 0.1 is a tenth more."""
        value, reference = self.figures[figure.name], base.figures[figure.name]
        return None if value is None or not reference else value / reference - 1


@dataclass(frozen=True)
class Binding:
    """A limit without which `better` would have been chosen."""

    limit: Limit
    better: Option


@dataclass(frozen=True)
class Miss:
    """A limit that a design misses; `margin` is below zero, None if the figure was not measured."""

    limit: Limit
    margin: float | None


@dataclass(frozen=True)
class Near:
    """A design that would be better, and the one limit it misses by little."""

    option: Option
    miss: Miss


@dataclass(frozen=True)
class Recommendation:
    """The answer to a requirement from `points` points of `designs` designs.

    If something meets it: `chosen`, the `alternatives` next best by the objective, other designs all, the limits that
    bind, and what is `near`; `unproved` is better than the choice by no more than a tie, and was not proved. If nothing
    does: `closest`, the point that misses its worst limit by least, with its `misses`, and for each limit that no point
    reaches alone the best there is, `not_reached`. If nothing that was measured fits mode, keys and ports, whether
    something meets it is not known: all are empty but `nearest`, a point of the mode that `lacks` as little as any.
    """

    requirement: Requirement
    points: int
    designs: int
    left_out: Mapping[str, int]
    chosen: Option | None
    alternatives: tuple[Option, ...] = ()
    binding: tuple[Binding, ...] = ()
    near: Near | None = None
    unproved: Option | None = None
    closest: Option | None = None
    misses: tuple[Miss, ...] = ()
    not_reached: tuple[tuple[Miss, Option], ...] = ()
    nearest: Option | None = None
    lacks: str = ""

    @property
    def unknown(self) -> bool:
        """Whether nothing that was measured fits, or none of it has the figure that decides or is limited."""
        return self.chosen is None and (self.closest is None or not self.misses or any(
            miss.margin is None for miss in self.misses))  # fmt: skip


@dataclass(frozen=True)
class Outlook:
    """What is expected before anything is measured: the best by figures of other libraries, the points that are worth
    measuring, and what they took there, in seconds of one processor."""

    option: Option | None
    points: int
    seconds: float


def recommend(points: pd.DataFrame, requirement: Requirement) -> Recommendation:
    """The best of measured points for a requirement; columns of the frame as in `points`, all of one library."""
    served = serve(points, requirement)
    best = ranked(served.frame, requirement, requirement.bounds)
    about = (requirement, len(points), points["design"].nunique(), served.left_out)
    if best.empty:
        closest, misses = _closest(served, requirement)
        nearest, lacks = _nearest(served, requirement) if closest is None else (None, "")
        return Recommendation(
            *about,
            None,
            closest=closest,
            misses=misses,
            not_reached=_not_reached(served, requirement),
            nearest=nearest,
            lacks=lacks,
        )
    first = _option(best.iloc[0])
    chosen = _preferred(best, requirement)
    others = best[best["design"].ne(chosen.design)].drop_duplicates("design").head(ALTERNATIVES)
    return Recommendation(
        *about,
        chosen,
        alternatives=tuple(_option(row) for _, row in others.iterrows()),
        binding=_binding(served, requirement, first),
        near=_near(served, requirement, first),
        unproved=None if chosen.proved == first.proved else first,
    )


def best_point(points: pd.DataFrame, requirement: Requirement) -> Option | None:
    """The best by its figures alone, whatever is proved."""
    best = ranked(serve(points, requirement).frame, requirement, requirement.bounds)
    return None if best.empty else _option(best.iloc[0])


def ranked(frame: pd.DataFrame, requirement: Requirement, limits: tuple[Limit, ...]) -> pd.DataFrame:
    """The rows of a served frame that meet these limits and have the figure that decides, best first.

    Of equal ones the smaller is better, then the one with more throughput, then the one with less latency.
    """
    column = requirement.objective.figure.column
    kept = frame[frame[column].notna()]
    for limit in limits:
        kept = kept[meets(kept, limit)]
    ties = [(name, ascending) for name, ascending in TIES if name != column]
    keys = [(column, requirement.objective.least), *ties, *((name, True) for name in NAMES)]
    return kept.sort_values([name for name, _ in keys], ascending=[ascending for _, ascending in keys], kind="stable")


def _preferred(best: pd.DataFrame, requirement: Requirement) -> Option:
    """The first of ranked rows, or the first that is proved, if the figure that decides is as good but for a tie."""
    values = best[requirement.objective.figure.column].astype("Float64")
    tied = best[((values / values.iloc[0] - 1).abs() <= TIE).fillna(False).astype(bool)]
    proved = tied[tied["verified"].fillna("").str.startswith(PROOF)]
    return _option((best if proved.empty else proved).iloc[0])


def _option(row: pd.Series) -> Option:
    values: dict[str, Any] = {str(name): None if pd.isna(value) else value for name, value in row.items()}
    on_device = "luts" in values
    found = {name: None if on_device and name in OF_LIBRARIES else values[f.column] for name, f in FIGURES.items()}
    if on_device:
        found |= {name: values[figure.column] for name, figure in DEVICE_FIGURES.items()}
    return Option(values, {name: None if value is None else float(value) for name, value in found.items()})


def _better(requirement: Requirement, one: Option, other: Option) -> bool:
    figure = requirement.objective.figure.name
    mine, its = one.figures[figure], other.figures[figure]
    assert mine is not None
    assert its is not None
    return mine < its if requirement.objective.least else mine > its


def _binding(served: Served, requirement: Requirement, best: Option) -> tuple[Binding, ...]:
    """Each limit without which the best would be better by the figure that decides."""
    found = []
    for limit in requirement.bounds:
        others = tuple(other for other in requirement.bounds if other is not limit)
        free = _option(ranked(served.frame, requirement, others).iloc[0])
        if _better(requirement, free, best):
            found.append(Binding(limit, free))
    return tuple(found)


def _near(served: Served, requirement: Requirement, best: Option) -> Near | None:
    """The best of the points that are better than the best that meets all limits, and miss one, by little."""
    figure, least = requirement.objective.figure, requirement.objective.least
    value = best.figures[figure.name]
    found = []
    for limit in requirement.bounds:
        others = tuple(other for other in requirement.bounds if other is not limit)
        rows = ranked(served.frame, requirement, others)
        better = rows[figure.column].lt(value) if least else rows[figure.column].gt(value)
        rows = rows[better & margins(rows, limit).ge(-NEAR)]
        if not rows.empty:
            option = _option(rows.iloc[0])
            found.append(Near(option, Miss(limit, option.margin(limit))))
    sign = 1 if least else -1
    return min(found, key=lambda near: sign * (near.option.figures[figure.name] or 0.0), default=None)


def _closest(served: Served, requirement: Requirement) -> tuple[Option | None, tuple[Miss, ...]]:
    """The point whose worst miss is the least; one where a figure of a limit was not measured is behind all others."""
    frame = served.frame
    if frame.empty:
        return None, ()
    closest = _option(frame.loc[_by_misses(frame, requirement).index[0]])
    every = [Miss(limit, closest.margin(limit)) for limit in requirement.bounds]
    return closest, tuple(miss for miss in every if miss.margin is None or miss.margin < 0)


def _nearest(served: Served, requirement: Requirement) -> tuple[Option | None, str]:
    """Of the points that do not fit the one that lacks least, and of these the one that misses its worst limit by least
    and is best by the figure that decides; and what it lacks."""
    frame = served.unlike
    if frame.empty:
        return None, ""
    frame = frame[frame["lacking"].eq(frame["lacking"].min())]
    best = ranked(frame, requirement, requirement.bounds)
    row = best.iloc[0] if not best.empty else frame.loc[_by_misses(frame, requirement).index[0]]
    return _option(row), str(row["lacks"])


def _by_misses(frame: pd.DataFrame, requirement: Requirement) -> pd.DataFrame:
    """The rows of a served frame, those whose worst miss is the least first."""
    by_limit = [margins(frame, limit) for limit in requirement.bounds]
    unknown = sum((margin.isna().astype(int) for margin in by_limit), start=frame["area_ge"].isna().astype(int))
    worst = frame["area_ge"] * 0.0
    for margin in by_limit:
        worst = worst.where(worst.le(margin.fillna(0.0)), margin.fillna(0.0))
    return frame.assign(_unknown=unknown, _worst=-worst).sort_values(["_unknown", "_worst", "design"], kind="stable")


def _not_reached(served: Served, requirement: Requirement) -> tuple[tuple[Miss, Option], ...]:
    """Limits that no point reaches by itself, each with the point that comes closest to it."""
    found = []
    for limit in requirement.bounds:
        values = served.frame[served.frame[limit.figure.column].notna()]
        if values.empty or meets(values, limit).any():
            continue
        ordered = values.sort_values(limit.figure.column, ascending=limit.figure.least_is_best, kind="stable")
        best = _option(ordered.iloc[0])
        found.append((Miss(limit, best.margin(limit)), best))
    return tuple(found)
