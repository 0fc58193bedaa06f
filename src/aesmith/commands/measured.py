"""Where verbs take measured points from: the result store, or a file that was exported from one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from aesmith.commands.console import Display
from aesmith.errors import RequestError
from aesmith.explore.point_files import points_by
from aesmith.explore.points import points
from aesmith.explore.store import open_store

if TYPE_CHECKING:
    import pandas as pd

PointsFile = Annotated[
    str | None,
    typer.Option(
        "--points",
        metavar="FILE|NAME",
        help="Points exported from a store (CSV or Parquet), or an export that comes with aesmith, instead of a store.",
    ),
]
Space = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Only points of the last sweep of this design space.")
]
Run = Annotated[str | None, typer.Option("--run", metavar="NAME", help="Only points of this sweep.")]


def measured_points(
    display: Display,
    *,
    file: str | None,
    store: str | None,
    space: str | None,
    run: str | None,
) -> pd.DataFrame:
    """The points that the options name. Raises RequestError for options that contradict each other, and none at all."""
    if file is not None:
        others = {"--store": store, "--run": run}
        if used := [option for option, value in others.items() if value is not None]:
            raise RequestError(f"points: give --points FILE or {used[0]}, not both")
        frame = points_by(file)
        return frame if space is None else frame[frame["space"].eq(space)]
    with open_store(store, existing=True) as opened:
        display.note(f"note: points of {opened.where}")
        return points(opened, space=space, run=run)
