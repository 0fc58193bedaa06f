"""What sweeps found: `aesmith explore show`, `export` and `diff`, and `aesmith report`, all of it as a page."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aesmith.commands.console import Display
from aesmith.commands.request import Format, Jobs, Json, PointsFile, RunName, SpaceName, StoreLocation, measured_points
from aesmith.errors import CheckError, RequestError, meant, not_one_of
from aesmith.explore.points import check_export, export, placements
from aesmith.explore.points import points as points_of
from aesmith.explore.runs import CHANGED, FIGURES, ONLY_AFTER, ONLY_BEFORE, diff, runs
from aesmith.explore.store import open_store
from aesmith.lazy import LazyModule
from aesmith.scratch import write_whole

if TYPE_CHECKING:
    import pandas as pd

    from aesmith.publish.report import page as report_page
    from aesmith.serve import server as report_server
    from aesmith.serve import tasks as serve_tasks
else:
    report_page = LazyModule("aesmith.publish.report.page")
    report_server = LazyModule("aesmith.serve.server")
    serve_tasks = LazyModule("aesmith.serve.tasks")

SpaceOption = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Only the points of the last sweep of this space.")
]
RunOption = Annotated[str | None, typer.Option("--run", metavar="RUN", help="Only the points of this sweep.")]
LibraryOption = Annotated[str | None, typer.Option("--library", metavar="NAME", help="Only the points of a library.")]
_SHOWN = (
    ("design", "design", ""),
    ("library", "library", ""),
    ("recipe", "recipe", ""),
    (">area GE", "area_ge", ",.0f"),
    (">period ns", "period_ns", ".3f"),
    (">with ports", "period_with_ports_ns", ".3f"),
    (">Gbit/s", "throughput_gbps", ".3f"),
    (">latency ns", "latency_ns", ".2f"),
    (">Kbps/GE", "efficiency_kbps_per_ge", ",.0f"),
    (">µW enc", "power_uw_at_100mhz_encrypt", ",.0f"),
    (">µW dec", "power_uw_at_100mhz_decrypt", ",.0f"),
    ("verified", "verified", ""),
    ("status", "status", ""),
    ("error", "error", ""),
)


def show_command(
    *,
    space: SpaceOption = None,
    run: RunOption = None,
    library: LibraryOption = None,
    sort: Annotated[str, typer.Option("--sort", metavar="COLUMN", help="Sort by this column, smallest first.")] = "",
    store: StoreLocation = None,
    form: Format = None,
    as_json: Json = False,
) -> None:
    """Print the points of a store: parameters, figures, and the error of those that failed.

    Example: aesmith explore show --space families --sort area_ge
    """
    display = Display(as_json=as_json, form=form)
    frame = _points(store, space, run, library)
    if sort:
        if sort not in frame.columns:
            raise not_one_of("sort", sort, frame.columns)
        frame = frame.sort_values(sort, kind="stable", na_position="last")
    display.value(json.loads(frame.to_json(orient="records")))
    columns = [(title, name, form) for title, name, form in _SHOWN if frame[name].notna().any()]
    rows = [
        ["" if (value := row[name]) is None else f"{value:{form}}" for _, name, form in columns]
        for row in frame.astype(object).where(frame.notna(), None).to_dict("records")
    ]
    display.table(f"{len(frame)} points", [title for title, _, _ in columns], rows)


def export_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .csv or .parquet.")],
    *,
    space: SpaceOption = None,
    run: RunOption = None,
    library: LibraryOption = None,
    store: StoreLocation = None,
    as_json: Json = False,
) -> None:
    """Write the points of a store to a CSV or Parquet file, one row per point.

    Example: aesmith explore export points.parquet --space families
    """
    display = Display(as_json=as_json)
    check_export(file)
    frame = _points(store, space, run, library)
    export(frame, file)
    display.value({"file": str(file), "points": len(frame)})
    display.line(f"{len(frame)} points written to {file}")


def diff_command(
    before: Annotated[str, typer.Argument(metavar="A", help="A run, a store, or a run in a store: STORE#RUN.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The run or store to compare with.")],
    *,
    figure: Annotated[
        str, typer.Option("--figure", metavar="COLUMN", help=f"The figure to compare: {', '.join(FIGURES)}.")
    ] = "area_ge",
    limit: Annotated[
        float | None,
        typer.Option("--limit", metavar="PERCENT", help="Exit with status 1 if the figure of any point grew by more."),
    ] = None,
    store: StoreLocation = None,
    form: Format = None,
    as_json: Json = False,
) -> None:
    """Compare two sweeps: figures that changed, and points of one sweep only.

    Points match by core, library and condition, whatever version of the code made them.

    Example: aesmith explore diff families-1 families-2 --figure area_ge --limit 1
    """
    display = Display(as_json=as_json, form=form)
    if figure not in FIGURES:
        raise not_one_of("figure", figure, FIGURES)
    found = diff(_named(before, store), _named(after, store))
    display.value(json.loads(found.to_json(orient="records")))
    old, new, ratio = (f"{figure}_{what}" for what in ("before", "after", "change"))
    both = found[found[ratio].notna()]
    moved = both[both[ratio] != 0].sort_values(ratio, kind="stable")
    rows = [
        (row.design, row.library, row.asked or row.optimise, f"{getattr(row, old):,.4g}", f"{getattr(row, new):,.4g}",
         f"{100 * getattr(row, ratio):+.2f} %")
        for row in moved.itertuples()
    ]  # fmt: skip
    if rows:
        display.table(f"{figure}, where it changed", ("design", "library", "condition", ">A", ">B", ">change"), rows)
    counts = found["what"].value_counts()
    mean = f", on the mean {100 * float(both[ratio].mean()):+.2f} %" if len(both) else ""
    display.line(
        f"{figure}: {int((both[ratio] < 0).sum())} points less, {int((both[ratio] > 0).sum())} more, "
        f"{int((both[ratio] == 0).sum())} equal{mean}; {int(counts.get(CHANGED, 0))} points changed in any figure; "
        f"{int(counts.get(ONLY_BEFORE, 0))} only in {before}, {int(counts.get(ONLY_AFTER, 0))} only in {after}"
    )
    worst = float(both[ratio].max()) if len(both) else 0.0
    if limit is not None and worst > limit / 100:
        raise CheckError(f"{figure}: grew by up to {100 * worst:.2f} %, more than the limit of {limit:g} %")


def _points(store: str | None, space: str | None, run: str | None, library: str | None) -> pd.DataFrame:
    if space is not None and run is not None:
        raise RequestError("run: give --run or --space, not both")
    with open_store(store, existing=True) as kept:
        return points_of(kept, space=space, run=run, library=library)


def _named(name: str, store: str | None) -> pd.DataFrame:
    """The points of a run of the store, of another store, or of a run in another store."""
    place, _, run = name.partition("#")
    if "://" not in place and not Path(place).is_file():
        with open_store(store, existing=True) as kept:
            known = [run.name for run in runs(kept)]
            if name not in known:
                raise RequestError(
                    f"diff: {name!r} is neither a run ({', '.join(known) or 'there are none'}) nor a "
                    f"store's file{meant(name, known)}"
                )
        return _points(store, None, name, None)
    return _points(place, None, run or None, None)


def report_command(
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The HTML file to write.")] = Path("report.html"),
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="The title of the page.")
    ] = "AES cores, measured",
    library: Annotated[
        list[str] | None,
        typer.Option("--library", metavar="NAME", help="Only points in this library; repeatable."),
    ] = None,
    points: PointsFile = None,
    space: SpaceName = None,
    run: RunName = None,
    store: StoreLocation = None,
    as_json: Json = False,
) -> None:
    """Write all measured points as one HTML page: scatter with Pareto front, filters, datasheets, comparison.

    The page is self-contained and works offline. It also marks the published figures of the papers. Points come from
    sweeps (`aesmith explore`), in the result store or an export of it.

    Example: aesmith report --points sweep.csv --out report.html
    """
    display = Display(as_json=as_json)
    _check_page(out)
    frame = measured_points(display, file=points, store=store, space=space, run=run)
    if library:
        known = sorted(frame["library"].dropna().unique())
        if unknown := [name for name in library if name not in known]:
            raise RequestError(f"library: there are points in {', '.join(known) or 'none'}, not in {unknown[0]!r}")
        frame = frame[frame["library"].isin(library)]
    placed = None
    if points is None:
        with open_store(store, existing=True) as kept:
            placed = placements(kept, frame)
    further = report_page.further_sets(frame)
    page = report_page.report_html(frame, title, points, placed=placed, further=further)
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


def serve_command(
    *,
    port: Annotated[int, typer.Option("--port", metavar="N", help="The port; 0: any free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="The title of the page.")
    ] = "AES cores, measured",
    points: PointsFile = None,
    jobs: Jobs = None,
    store: StoreLocation = None,
    as_json: Json = False,
) -> None:
    """Open the report with a local server: choose a core, measure it, download its package.

    The page is that of `aesmith report`. It also measures missing points for a requirement, and builds and measures
    any core, with progress and a zip file at the end. Only this machine can reach it, under a new address each time.
    Without --points it shows the result store, or the presets if that is empty. Ctrl-C ends it and all jobs.

    Example: aesmith serve --points families
    """
    display = Display(as_json=as_json)

    def opened(url: str) -> None:
        display.value({"address": url})
        display.line(f"{url}\nCtrl-C ends it.")
        sys.stdout.flush()
        if not no_browser and not report_server.open_browser(url):
            display.note("note: there is no browser to open it in; open the address above on this machine")

    shown = serve_tasks.points_to_show(points, store)
    report_server.serve(shown, title=title, store=store, jobs=jobs, port=port, opened=opened)


def _check_page(out: Path) -> None:
    if out.is_dir() or not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        reason = "is a folder" if out.is_dir() else "is in no folder that can be written"
        raise RequestError(f"out: {out} {reason}; choose another with --out")
