"""The answer to a requirement, from points that are there or from points that are measured for it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aesmith.api.measuring import Measuring
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, default_name, parse_specification
from aesmith.errors import RequestError
from aesmith.explore.points import condition_of, how_to_make, points_by, quiet_core
from aesmith.explore.recommend.choice import Option, Recommendation, recommend
from aesmith.explore.recommend.engines import (
    MARGIN,
    EngineCandidate,
    Load,
    PacketRequirement,
    candidates,
    least_packet,
    packet_requirement,
)
from aesmith.explore.recommend.needed import Outlook, measure_in_time, points_in
from aesmith.explore.recommend.requirement import Requirement
from aesmith.explore.recommend.words import point_count, searched
from aesmith.explore.store import Store
from aesmith.flow.measure import Progress
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.modes.engine import StreamEngine
from aesmith.technology.library import Library

__all__ = [
    "Answer",
    "EngineAnswer",
    "Load",
    "MeasuredEngine",
    "Outlook",
    "PacketRequirement",
    "answer_among",
    "answer_engine",
    "answer_measuring",
    "how_to_build",
    "least_packet",
    "packet_requirement",
    "to_build",
]


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


ENGINE_POINTS = "families"
"""The points whose cores engines are made of, where none are named."""
CONDITIONS = (Optimise.AREA, Optimise.AREA_SPEED, Optimise.SPEED)
"""The conditions under which an engine is measured: until one meets the clock."""


@dataclass(frozen=True)
class MeasuredEngine:
    """A candidate with its figures under the first condition that meets the clock, or else the last one."""

    candidate: EngineCandidate
    measurement: Measurement

    def meets(self, wanted: PacketRequirement) -> bool:
        """Whether it is as fast as its clock."""
        return (self.measurement.fmax_mhz or 0.0) >= wanted.clock_mhz


@dataclass(frozen=True)
class EngineAnswer:
    """The smallest measured engine that meets a requirement (None: none does), all that were `measured`, and of how
    many `candidates` that keep up with the packets; `late` of them were not measured for want of time."""

    wanted: PacketRequirement
    chosen: MeasuredEngine | None
    measured: tuple[MeasuredEngine, ...]
    candidates: int
    late: int = 0

    def engine(self, name: str) -> StreamEngine:
        """What was chosen, under a build's name. Raises RequestError if nothing was."""
        if self.chosen is None:
            raise RequestError("engine: nothing was chosen")
        return self.chosen.candidate.engine(name)


def answer_engine(
    wanted: PacketRequirement,
    library: Library,
    store: Store | None,
    folder: Path,
    *,
    points: str = ENGINE_POINTS,
    seconds: float,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> EngineAnswer:
    """The smallest engine of a mode that keeps up with packets and meets the clock in `library`, by measuring.

    Candidates have cores of `points`, a file or an export by name. They are measured in the order of their expected
    area until the next one is expected to be larger by a tenth than the best; at least one is, and no other is begun
    after `seconds`. Raises RequestError for points that there are not, ToolError without Yosys.
    """
    found = candidates(wanted, points_by(points), library.digest, gated=library.clock_gate is not None)
    measured: list[MeasuredEngine] = []
    until, late = time.monotonic() + seconds, 0
    for number, candidate in enumerate(found):
        best = _smallest(measured, wanted)
        if best is not None and candidate.expected_ge > best.candidate.expected_ge * (1 + MARGIN):
            break
        if measured and time.monotonic() > until:
            late += 1
            continue
        for condition in CONDITIONS:
            work = Measuring(candidate.engine("engine"), library, condition, folder / str(number), store, jobs=jobs)
            each = MeasuredEngine(candidate, work.area_and_speed(progress=progress).measurement)
            if each.meets(wanted):
                break
        measured.append(each)
    return EngineAnswer(wanted, _smallest(measured, wanted), tuple(measured), len(found), late)


def _smallest(measured: list[MeasuredEngine], wanted: PacketRequirement) -> MeasuredEngine | None:
    meeting = [each for each in measured if each.meets(wanted)]
    return min(meeting, key=lambda each: each.measurement.area_ge, default=None)
