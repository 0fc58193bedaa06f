"""`aesmith measure`: area and speed of a core in a library."""

from __future__ import annotations

from pathlib import Path

from aesmith.commands.console import Display
from aesmith.commands.options import Condition, Jobs, Json, LibertyFile, LibraryName, SpecificationOrBuild
from aesmith.commands.request import read_named_library, read_request, work_folder
from aesmith.cores.design import CoreDesign
from aesmith.flow.measure import measure
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.yosys import require_yosys
from aesmith.publish.datasheet import figure_rows
from aesmith.technology.library import Library


def command(
    spec: SpecificationOrBuild,
    *,
    library: LibraryName = None,
    liberty: LibertyFile = None,
    optimise: Condition = Optimise.AREA,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Synthesise a core and measure its area and speed.

    Without --library or --liberty the embedded generic45 is used, a model of a 45-nm class process: good for comparing
    designs, not for signing off a chip. Every figure comes with the conditions it holds under.

    Example: aesmith measure ueno2020-enc --liberty my.lib.gz --optimise area-speed
    """
    display = Display(as_json=as_json)
    request = read_request(spec)
    cells = read_named_library(library, liberty)
    require_yosys()
    with work_folder() as folder:
        measurement = run(request.design, cells, optimise, folder, display, jobs=jobs)
    display.value(measurement.to_json() | {"published": [vars(figures) for figures in request.design.published]})
    for changed in request.changed:
        display.note(f"note: {changed} was edited since the build; the edited file was measured")
    show(measurement, display)
    show_published(request.design, display)


def run(
    design: CoreDesign, library: Library, optimise: Optimise, folder: Path, display: Display, *, jobs: int | None = None
) -> Measurement:
    """Measures under a progress bar."""
    with display.progress(f"measuring in {library.name} ({optimise})") as steps:
        return measure(design, library, optimise, folder / f"measure-{optimise}", progress=steps.done, jobs=jobs)


def show(measurement: Measurement, display: Display) -> None:
    """Prints the figures with their conditions."""
    rows = [(row.label, row.value) for row in figure_rows(measurement)]
    display.table(
        f"{measurement.design}, measured: {measurement.library}, {measurement.optimise}", ("figure", ">value"), rows
    )
    tools = ", ".join(f"{tool} {version}" for tool, version in sorted(measurement.tool_versions.items()))
    display.line(f"corner {measurement.corner}; recipe {measurement.recipe}; {tools}", style="dim")
    for condition in measurement.conditions:
        display.line(condition, style="dim")


def show_published(design: CoreDesign, display: Display) -> None:
    """Prints what the publication states, in a table of its own."""
    if not design.published:
        return
    rows = [
        (
            figures.source,
            figures.conditions,
            f"{figures.area_ge:,.0f}",
            f"{figures.latency_ns:.2f}",
            f"{figures.fmax_mhz:.1f}",
            f"{figures.efficiency_kbps_per_ge:.1f}",
        )
        for figures in design.published
    ]
    columns = ("source", "conditions", ">area GE", ">latency ns", ">fmax MHz", ">Kbps/GE")
    display.table(f"Published ({design.publication.key}), with another synthesiser", columns, rows)
