"""The Python interface to design spaces: functions that take names or paths, and give data frames.

    from aesmith.explore import api
    frame = api.sweep("my_space.toml", library="generic45")
    frame.sort_values("area_ge")[["design", "area_ge", "period_ns"]]

Each is a piece that can be used without the others; what they are made of is in the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from aesmith.explore.design_space import DesignSpace, enumerate_designs, load_space, parse_space
from aesmith.explore.points import COLUMNS, export, frame
from aesmith.explore.points import points as points_of
from aesmith.explore.runs import diff
from aesmith.explore.store import Store, open_store
from aesmith.explore.sweep import Watch, plan_sweep
from aesmith.explore.sweep import sweep as run_sweep
from aesmith.explore.task import Effort, NamedLibrary, row_of
from aesmith.explore.verifying import Extent, verifier
from aesmith.technology.library import Library
from aesmith.technology.registry import EMBEDDED, library_by
from aesmith.timing.power.figures import PowerPlan

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "candidates", "diff", "export", "points", "sweep"]

Place = Store | str | Path | None
"""A store that is open, its path or URL, or None for the default one."""


def candidates(space: str | Path | dict[str, object], *, store: Place = None) -> pd.DataFrame:
    """The points of a space before any work, without library and figures: columns as `points` has them.

    `space` is a name, a TOML file, or its content as a dictionary. Raises RequestError for one that will not do.
    """
    with ExitStack() as stack:
        found = enumerate_designs(_space(space), _store(store, stack))
    nowhere = NamedLibrary("", (), "")
    return frame(
        row_of(design, nowhere, condition) | {"library": None, "library_digest": None}
        for design, conditions in found.designs.items()
        for condition in conditions
    )


def sweep(
    space: str | Path | dict[str, object],
    *,
    library: str | Path | Sequence[str | Path] | None = None,
    store: Place = None,
    verify: Extent | str = Extent.SHORT,
    power: PowerPlan | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    retry: bool = False,
    watch: Watch | None = None,
) -> pd.DataFrame:
    """Measure what the store does not have of a space, and return all its points: one row each, failed ones included.

    `library` is a name or file, or several; by default the space's own, or the embedded one. `workers` processes run
    here, or the dask cluster at `scheduler` does the work. In a script, call it under `if __name__ == "__main__":`,
    because worker processes import the script. Raises what `plan_sweep` and `sweep` of `aesmith.explore.sweep` raise.
    """
    wanted = _space(space)
    with ExitStack() as stack:
        kept = _store(store, stack)
        effort = Effort(verifier(Extent(verify)), power)
        plan = plan_sweep(enumerate_designs(wanted, kept), _libraries(library, wanted), effort, kept, retry=retry)
        swept = run_sweep(plan, kept, scheduler=scheduler, workers=workers, watch=watch)
        return points_of(kept, run=swept.run)


def points(
    store: Place = None, *, space: str | None = None, run: str | None = None, library: str | None = None
) -> pd.DataFrame:
    """The points of a store; see `aesmith.explore.points`."""
    with ExitStack() as stack:
        return points_of(_store(store, stack), space=space, run=run, library=library)


def _space(given: str | Path | dict[str, object]) -> DesignSpace:
    return parse_space(given, "unnamed") if isinstance(given, dict) else load_space(str(given))


def _store(given: Place, stack: ExitStack) -> Store:
    return given if isinstance(given, Store) else stack.enter_context(open_store(given))


def _libraries(given: str | Path | Sequence[str | Path] | None, space: DesignSpace) -> list[Library]:
    if given is None:
        names: Sequence[str | Path] = space.libraries or (EMBEDDED,)
    else:
        names = [given] if isinstance(given, str | Path) else given
    return [library_by(name) for name in names]
