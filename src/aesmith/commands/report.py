"""`aesmith report`: all measured designs in one HTML file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from aesmith.commands.console import Display
from aesmith.commands.request import Json, PointsFile, RunName, SpaceName, StoreLocation, measured_points
from aesmith.errors import RequestError
from aesmith.publish.report.page import report_html
from aesmith.scratch import write_whole


def command(
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The HTML file to write.")] = Path("report.html"),
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="The title of the page.")
    ] = "AES cores, measured",
    library: Annotated[
        list[str] | None,
        typer.Option("--library", metavar="NAME", help="Only points in this library; may be repeated."),
    ] = None,
    points: PointsFile = None,
    space: SpaceName = None,
    run: RunName = None,
    store: StoreLocation = None,
    as_json: Json = False,
) -> None:
    """Write all measured points as one HTML page: scatter with Pareto front, filters, datasheets, comparison.

    The page has everything in itself and works offline. Published figures of the papers stand in it as marks of their
    own. The points are those of sweeps (`aesmith explore`), from the result store or from an export of it.

    Example: aesmith report --points sweep.csv --out report.html
    """
    display = Display(as_json=as_json)
    _check(out)
    frame = measured_points(display, file=points, store=store, space=space, run=run)
    if library:
        known = sorted(frame["library"].dropna().unique())
        if unknown := [name for name in library if name not in known]:
            raise RequestError(f"library: there are points in {', '.join(known) or 'none'}, not in {unknown[0]!r}")
        frame = frame[frame["library"].isin(library)]
    page = report_html(frame, title)
    write_whole(out, page, "out")
    done = int(frame["status"].eq("done").sum())
    display.value(
        {
            "file": str(out.resolve()),
            "bytes": len(page.encode()),
            "points": done,
            "designs": int(frame.loc[frame["status"].eq("done"), "design"].nunique()),
            "failed": len(frame) - done,
        }
    )
    failed = f"; {len(frame) - done} that failed are left out" if done < len(frame) else ""
    display.line(f"{out}: {done} points, {len(page.encode()) / 1e3:,.0f} kB; open it in a browser{failed}")


def _check(out: Path) -> None:
    if out.is_dir() or not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        reason = "is a folder" if out.is_dir() else "is in no folder that can be written"
        raise RequestError(f"out: {out} {reason}; choose another with --out")
