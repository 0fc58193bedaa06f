"""What a recommendation measures: the points it needs, in the time there is, each kept in the store as a sweep's is."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesmith.cores.specification import presets
from aesmith.errors import AesmithError, RequestError
from aesmith.explore.obtain import obtain, obtain_power
from aesmith.explore.outline import outline
from aesmith.explore.points import condition_of, points, points_by, quiet_core, shipped_points, with_marks
from aesmith.explore.recommend.needed import Needed, measure_needed
from aesmith.explore.recommend.requirement import Requirement
from aesmith.explore.runs import DONE, FAILED, begin_run, put_point
from aesmith.explore.store import Store
from aesmith.explore.task import Effort, NamedLibrary, figures, point_key, request_key, row_of
from aesmith.explore.verifying import Extent, Verifier
from aesmith.flow.measure import one_recipe
from aesmith.flow.yosys import require_yosys
from aesmith.lazy import LazyModule
from aesmith.processes import Cancelled
from aesmith.technology.library import Library
from aesmith.timing.power.figures import PowerPlan

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

SPACE = "recommend"
"""What the store says the points were swept in."""

Progress = Callable[[str, int, int], None]


def measure_in_time(
    requirement: Requirement,
    library: Library,
    store: Store,
    folder: Path,
    *,
    seconds: float,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Needed:
    """What is known of a library, and what a requirement needs measured of it, within `seconds` from the first.

    Elsewhere, from which figures are expected, are the store's other libraries and the exports that come with aesmith,
    of whose cores those with a quiet output are measured; these exports also say which cores were verified.
    Raises ToolError without Yosys, if anything is to be measured.
    """
    every = points(store)
    shipped = pd.concat([points_by(name) for name in shipped_points()], ignore_index=True)
    here = every["library_digest"].eq(library.digest).fillna(False).astype(bool)
    known, elsewhere = every[here], pd.concat([every[~here], _of_quiet_cores(shipped)], ignore_index=True)
    end = time.monotonic() + seconds
    up = threading.Event()
    clock = threading.Timer(seconds, up.set)
    clock.daemon = True

    def measure(row: Mapping[str, object]) -> Mapping[str, Any] | None:
        def tell(step: str, done: int, of: int) -> None:
            if progress is not None:
                left = max(0.0, end - time.monotonic()) / 60
                progress(f"{row['design']}, {condition_of(row).label}: {step} ({left:.0f} min left)", done, of)

        require_yosys()
        if not clock.is_alive():
            clock.start()
        power = PowerPlan() if requirement.needs_power else None
        return measure_point(row, library, store, folder, power=power, jobs=jobs, cancel=up, progress=tell)

    try:
        found = measure_needed(requirement, known, elsewhere, measure, in_time=lambda: time.monotonic() < end)
    finally:
        clock.cancel()
    found = replace(found, points=with_marks(found.points, shipped))
    heard_of = set(found.points["design"]) | set(elsewhere["design"])
    if unknown := len(set(presets()) - heard_of):
        told = dict(found.unmeasured) | {"of presets that were measured in no library": unknown}
        return replace(found, unmeasured=told)
    return found


def _of_quiet_cores(points: pd.DataFrame) -> pd.DataFrame:
    """What is expected of cores with a quiet output by figures of bare ones, which are a gate a bit smaller."""
    cores = [quiet_core(*core) for core in zip(points["design"], points["specification"], strict=True)]
    return points.assign(design=[name for name, _ in cores], specification=[text for _, text in cores])


def points_in(points: pd.DataFrame, library: str | None) -> pd.DataFrame:
    """The points of one library, which needs no name if there is only one. Raises RequestError for another name."""
    known = sorted(points["library"].dropna().unique())
    if library is None and len(known) == 1:
        return points
    if library not in known:
        raise RequestError(
            f"library: must be one of {', '.join(known) or 'none'}, which these points are in, not {library!r}"
        )
    return points[points["library"].eq(library)]


def measure_point(
    wanted: Mapping[str, object],
    library: Library,
    store: Store,
    folder: Path,
    *,
    power: PowerPlan | None = None,
    jobs: int | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
) -> Mapping[str, Any] | None:
    """Measure the point of a row, its core and what was asked of synthesis, in a library; power if there is a plan.

    Gives its row of points; one that fails has its error. None if `cancel` was set before it was done.
    """
    core = outline(json.loads(str(wanted["specification"])))
    condition = condition_of(wanted)
    plan = None if condition.recipe is None else one_recipe(condition.recipe)
    effort = Effort(Verifier(Extent.NONE, ()), power)
    key = point_key(core, library, condition, effort)
    row = row_of(core, NamedLibrary.of(library), condition) | {"key": key, "space": SPACE}
    work = folder / f"{core.name}-{condition.label}"
    try:
        design = core.build()
        measurement = obtain(
            design, library, condition.optimise, work, store, plan=plan, progress=progress, jobs=jobs, cancel=cancel
        ).measurement
        if power is not None:
            measurement = obtain_power(
                design,
                library,
                measurement,
                plan=power,
                work_dir=work / "power",
                store=store,
                modules=False,
                synthesis=plan,
                cancel=cancel,
            ).measurement
        row |= figures(measurement) | {"status": DONE}
    except Cancelled:
        return None
    except AesmithError as error:
        if str(error).startswith("store:"):
            raise
        row |= {"status": FAILED, "error": str(error)}
    put_point(store, key, row)
    begin_run(store, SPACE, [(key, request_key(core, library, condition))])
    return row
