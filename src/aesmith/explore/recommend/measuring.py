"""One point for a recommendation: the core measured in the library, and kept in the store as a sweep's point is."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from aesmith.errors import AesmithError
from aesmith.explore.measuring import obtain, obtain_power
from aesmith.explore.outline import outline
from aesmith.explore.points import condition_of
from aesmith.explore.runs import DONE, FAILED, begin_run, put_point
from aesmith.explore.store import Store
from aesmith.explore.task import Effort, NamedLibrary, figures, point_key, request_key, row_of
from aesmith.explore.verifying import Extent, Verifier
from aesmith.flow.measure import one_recipe
from aesmith.flow.yosys import Cancelled
from aesmith.technology.library import Library
from aesmith.timing.power.plan import PowerPlan

SPACE = "recommend"
"""What the store says the points were swept in."""

Progress = Callable[[str, int, int], None]


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
