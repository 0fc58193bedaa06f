"""`aesmith explore`: design spaces, sweeps through them, and the live table of a sweep."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Annotated

import typer
from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from aesmith.commands.console import Display
from aesmith.commands.explore_results import diff_command, export_command, show_command
from aesmith.commands.request import Json, StoreLocation, completing, read_named_library
from aesmith.errors import CheckError
from aesmith.explore.design_space import DesignSpace, SpaceDesigns, enumerate_designs, load_space, shipped_spaces
from aesmith.explore.runs import DONE, FAILED, SweepRun, runs
from aesmith.explore.store import Store, default_location, is_there, open_store
from aesmith.explore.sweep import Status, SweepPlan, Swept, plan_sweep, sweep
from aesmith.explore.task import Effort
from aesmith.explore.verifying import Extent, verifier
from aesmith.flow.yosys import require_yosys
from aesmith.technology.library import Library
from aesmith.timing.power.figures import PowerPlan

app = typer.Typer(no_args_is_help=True, help="Sweep design spaces: every core or engine is measured once and stored.")
app.command("show", short_help="Print the points of a store.")(show_command)
app.command("export", short_help="Write the points of a store as CSV or Parquet.")(export_command)
app.command("diff", short_help="Compare two sweeps, or two stores.")(diff_command)

_NOTE_EVERY_S = 60.0

Space = Annotated[
    str,
    typer.Argument(
        metavar="SPACE",
        autocompletion=completing(shipped_spaces),
        help="A space by name (see `aesmith explore list`), or a TOML file.",
    ),
]
Libraries = Annotated[
    list[str] | None,
    typer.Option("--library", metavar="NAME", help="A library by name; repeatable."),
]
LibertyFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--liberty",
        metavar="FILE",
        help="A Liberty file, plain or gzip, as a separate library; repeatable. Register a library of several files "
        "with `aesmith library add`.",
    ),
]


@app.command("list")
def list_command(store: StoreLocation = None, as_json: Json = False) -> None:
    """List the design spaces that come with aesmith, and the sweeps in the store."""
    display = Display(as_json=as_json)
    spaces = [load_space(name) for name in shipped_spaces()]
    swept: tuple[SweepRun, ...] = ()
    if store is not None or is_there(default_location()):
        with open_store(store, existing=True) as kept:
            swept = runs(kept)
    display.value(
        {
            "spaces": [{"name": space.name, "title": space.title} for space in spaces],
            "runs": [vars(run) for run in swept],
        }
    )
    display.table("Design spaces", ("space", "what it is"), [(space.name, space.title) for space in spaces])
    rows = [
        (run.name, time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started)), run.size, run.done, run.failed)
        for run in swept
    ]
    display.table("Sweeps in the store", ("run", "began", ">points", ">done", ">failed"), rows)
    display.line(
        "Count a space's points with `aesmith explore points SPACE`, sweep it with `aesmith explore run SPACE`."
    )


@app.command("points")
def points_command(space: Space, *, store: StoreLocation = None, as_json: Json = False) -> None:
    """Count the points of a space before any work, and those that the designs' rules refuse."""
    display = Display(as_json=as_json)
    wanted = load_space(space)
    with open_store(store) as kept:
        found = _enumerate(wanted, kept, display)
    cores = sum(design.core is None for design in found.designs)
    display.value(
        {
            "space": wanted.name,
            "combinations": found.combinations,
            "cores": cores,
            "engines": len(found.designs) - cores,
            "points": found.points,
            "repeated": found.repeated,
            "refused": dict(found.refused),
            "designs": {
                design.design: [condition.label for condition in conditions]
                for design, conditions in found.designs.items()
            },
        }
    )
    _show_count(found, display)


@app.command("run")
def run_command(
    space: Space,
    *,
    library: Libraries = None,
    liberty: LibertyFiles = None,
    verify: Annotated[
        Extent,
        typer.Option(
            "--verify", help="short: simulate all scenarios with fewer cases; full: simulate; prove: prove; none: skip."
        ),
    ] = Extent.SHORT,
    power: Annotated[bool, typer.Option("--power", help="Also simulate the power of every point.")] = False,
    precision: Annotated[
        float, typer.Option("--precision", metavar="PERCENT", help="Half width of the 95 % interval of power.")
    ] = 1.0,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=1, help="Local worker processes. [default: one per processor core]"),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="A dask cluster instead, as tcp://HOST:8786."),
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Retry points that failed before.")] = False,
    store: StoreLocation = None,
    as_json: Json = False,
) -> None:
    """Measure every point of a space that the store does not have: verify, synthesise, time, and with --power simulate.

    Every point is stored as soon as it is measured. You may interrupt the command at any time; repeated, it resumes
    without losing or repeating anything. A failed point is stored with its error and does not stop the others; the
    exit status is then 1.

    Example: aesmith explore run families --library nangate45-typ --workers 2
    """
    display = Display(as_json=as_json)
    wanted = load_space(space)
    libraries = _libraries(wanted, library or [], liberty or [], display)
    plan_of_power = PowerPlan(precision=precision / 100) if power else None
    require_yosys()
    effort = Effort(verifier(verify), plan_of_power)
    with open_store(store) as kept:
        found = _enumerate(wanted, kept, display)
        plan = plan_sweep(found, libraries, effort, kept, retry=retry)
        _show_count(found, display)
        display.note(f"{len(plan.points)} points, {len(plan.points) - len(plan.waiting)} of them in {kept.where}")
        with SweepTable(display) as table:
            swept = sweep(plan, kept, scheduler=scheduler, workers=workers, watch=table.show)
        _show_result(plan, swept, kept, display)
    if swept.failed:
        raise CheckError(
            f"{swept.run}: {swept.failed} of {swept.points} points failed; `aesmith explore show` says why"
        )


def _enumerate(space: DesignSpace, store: Store, display: Display) -> SpaceDesigns:
    with display.progress(f"designs of {space.name}") as steps:
        return enumerate_designs(space, store, lambda done, total: steps.done("", done, total))


def _libraries(space: DesignSpace, names: list[str], files: list[Path], display: Display) -> list[Library]:
    """The libraries of the options, else those of the space, else the embedded one."""

    def read(name: str | None, files: list[Path] | None = None) -> Library:
        return read_named_library(name, files, display)

    given = [read(name) for name in names] + [read(None, [file]) for file in files]
    return given or [read(name) for name in space.libraries] or [read(None)]


def _show_count(found: SpaceDesigns, display: Display) -> None:
    by_family: Counter[tuple[str, str]] = Counter()
    points: Counter[tuple[str, str]] = Counter()
    for design, conditions in found.designs.items():
        by_family[design.family, design.architecture] += 1
        points[design.family, design.architecture] += len(conditions)
    engines = any(design.core is not None for design in found.designs)
    family, what = ("family or mode", "design") if engines else ("family", "core")
    rows = [(of, name, count, points[of, name]) for (of, name), count in by_family.items()]
    rows.append(("all", "", len(found.designs), found.points))
    display.table(f"{found.space.name}: points in one library", (family, "architecture", f">{what}s", ">points"), rows)
    if found.refused:
        refused = sum(found.refused.values())
        display.table(
            f"Left out: {refused} of {found.combinations} combinations, which no {what} has",
            (">how many", "rule"),
            [(count, rule) for rule, count in found.refused.items()],
        )
    if found.repeated:
        display.line(f"{found.repeated} combinations give a {what} again and are counted once", style="dim")


def _show_result(plan: SweepPlan, swept: Swept, store: Store, display: Display) -> None:
    display.value(vars(swept))
    display.line(
        f"{swept.run}: {swept.done} of {swept.points} points done, {swept.failed} {FAILED}, {swept.from_store} of them "
        f"in the store before; {swept.seconds:.1f} s"
    )
    if plan.points:
        display.line(
            f"`aesmith explore show --run {swept.run}` prints them; they are kept in {store.where}", style="dim"
        )


class SweepTable:
    """On a terminal a table that is drawn again and again, elsewhere a line a minute; nothing for machines."""

    def __init__(self, display: Display) -> None:
        self._display = display
        console = Console(stderr=True, highlight=False)
        shown = console.is_terminal and not display.as_json
        self._live = Live(console=console, transient=True, auto_refresh=False) if shown else None
        self._noted = 0.0

    def __enter__(self) -> SweepTable:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, status: Status) -> None:
        """Draw what there is to see now."""
        if self._live is not None:
            self._live.update(drawn(status), refresh=True)
        elif status.now - self._noted >= _NOTE_EVERY_S:
            self._noted = status.now
            self._display.note(_line(status) + _longest(status))


def drawn(status: Status) -> Group:
    """The table for one moment."""
    bar = ProgressBar(total=len(status.plan.points), completed=len(status.states), width=60)
    table = Table(box=box.SIMPLE_HEAD, title_justify="left")
    for column, justify in (("worker", "left"), ("point", "left"), ("does", "left"), ("s", "right")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for number, (point, state, since) in enumerate(status.workers.values(), 1):
        table.add_row(str(number), point.label, state, f"{status.now - since:.0f}")
    for point, state, seconds in reversed(status.latest):
        table.add_row("", Text(point.label, style="dim"), Text(state, style="red" if state == FAILED else "dim"),
                      Text(f"{seconds:.0f}", style="dim"))  # fmt: skip
    return Group(Text(_line(status)), bar, table)


def _line(status: Status) -> str:
    count, left = status.count, status.left_s()
    words = [
        f"{len(status.states)} of {len(status.plan.points)} points",
        f"{count[DONE]} done",
        *([f"{count[FAILED]} failed"] if count[FAILED] else []),
        f"{_clock(status.now - status.began)} so far",
        f"about {_clock(left)} left" if left is not None else "time left not known yet",
    ]
    return ", ".join(words)


def _longest(status: Status) -> str:
    """What the worker is at whose point takes longest; nothing while none has one."""
    if not status.workers:
        return ""
    point, state, since = min(status.workers.values(), key=lambda doing: doing[2])
    others = f", and {len(status.workers) - 1} more" * (len(status.workers) > 1)
    return f"; {point.label}: {state}, {status.now - since:.0f} s{others}"


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    return time.strftime("%H:%M:%S", time.gmtime(seconds)) if seconds < 86400 else f"{seconds / 3600:.0f} h"
