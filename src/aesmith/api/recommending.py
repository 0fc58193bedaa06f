"""The answer to a requirement, from points that are there or from points that are measured for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, default_name, parse_specification
from aesmith.explore.points import condition_of, how_to_make, points_by, quiet_core
from aesmith.explore.recommend.choice import Option, Recommendation, recommend
from aesmith.explore.recommend.needed import Outlook, measure_in_time, points_in
from aesmith.explore.recommend.requirement import Requirement
from aesmith.explore.recommend.words import point_count, searched
from aesmith.explore.store import Store
from aesmith.flow.measure import Progress
from aesmith.flow.measurement import Optimise
from aesmith.technology.library import Library

__all__ = ["Answer", "Outlook", "answer_among", "answer_measuring", "how_to_build", "to_build"]


@dataclass(frozen=True)
class Answer:
    """What was chosen and why; how many points were `measured` for it, and of those that were left how many for which
    reason; `searched` says in words which points there were."""

    found: Recommendation
    searched: str
    measured: int = 0
    unmeasured: Mapping[str, int] = field(default_factory=dict)


def answer_among(wanted: Requirement, among: str, library: str | None = None) -> Answer:
    """The best of the points of a file or an export by name, of one `library`. Nothing is measured.

    Raises RequestError if there are none of that library.
    """
    frame = points_in(points_by(among), library)
    return Answer(recommend(frame, wanted), searched(frame, among))


def answer_measuring(
    wanted: Requirement,
    library: Library,
    store: Store,
    folder: Path,
    *,
    seconds: float,
    jobs: int | None = None,
    progress: Progress | None = None,
    begin: Callable[[Outlook], None] | None = None,
) -> Answer:
    """The best of what the store has of a library and of what is measured now, the most promising first.

    Nothing new is begun after `seconds`. `begin` is told what is to be expected, `progress` what is measured. Raises
    ToolError without Yosys, if anything is to be measured.
    """
    needed = measure_in_time(wanted, library, store, folder, seconds=seconds, jobs=jobs, progress=progress, begin=begin)
    told = f"searched: {point_count(len(needed.points))} measured in {library.name}"
    return Answer(recommend(needed.points, wanted), told, needed.measured, needed.unmeasured)


def how_to_build(chosen: Option) -> str:
    """In words, how to get what was chosen."""
    return how_to_make(*quiet_core(chosen.design, str(chosen.row["specification"])))


def to_build(chosen: Option) -> tuple[CoreDesign, Optimise, bool]:
    """What is built of a choice, its output quiet as by default; the condition its figures hold under; and whether
    they are the best of the whole set of recipes, as a package states them."""
    name, text = quiet_core(chosen.design, str(chosen.row["specification"]))
    condition = condition_of(chosen.row)
    design = build_design(parse_specification(json.loads(text)), default_name(name), name)
    return design, condition.optimise, condition.recipe is None
