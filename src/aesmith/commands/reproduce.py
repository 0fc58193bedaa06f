"""`aesmith reproduce`: the tables of the publications, measured on one flow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aesmith.commands.console import Display
from aesmith.commands.request import (
    Jobs,
    Json,
    LibertyFile,
    LibraryName,
    NoStore,
    Refresh,
    StoreLocation,
    completing,
    read_named_library,
    result_store,
)
from aesmith.errors import RequestError
from aesmith.explore.store import Store
from aesmith.flow.fpga.measure import DEFAULT_SEEDS
from aesmith.flow.fpga.synthesis import device_named
from aesmith.flow.measurement import Optimise
from aesmith.flow.yosys import require_yosys
from aesmith.scratch import check_place, work_folder, write_whole
from aesmith.tables.catalogue import FPGA_TABLES, TABLES, table_by_name
from aesmith.tables.fpga import FpgaTable, fpga_footnotes, fpga_grids, fpga_json, fpga_markdown, reproduce_on
from aesmith.tables.render import (
    check_drawable,
    footnotes,
    front_drawing,
    front_footnotes,
    front_grid,
    front_json,
    front_markdown,
    grids,
    json_values,
    latency_over_area,
    markdown,
)
from aesmith.tables.reproduce import conditions_for, conditions_of_fronts, reproduce, with_power

DEFAULT_DEVICE = "ecp5-85k"


def command(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            autocompletion=completing(lambda: [*TABLES, *FPGA_TABLES]),
            help="A published table (see `aesmith list tables`).",
        ),
    ],
    *,
    library: LibraryName = None,
    liberty: LibertyFile = None,
    optimise: Annotated[
        Optimise | None,
        typer.Option("--optimise", help="Measure under this condition instead of the table's own."),
    ] = None,
    power: Annotated[
        bool, typer.Option("--power", help="Also measure power, glitches included, where the table has it. Slow.")
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table as a section of a Markdown page.")
    ] = False,
    device: Annotated[
        str | None,
        typer.Option("--device", metavar="NAME", help="For tables of FPGAs: the device. [default: ecp5-85k]"),
    ] = None,
    speed: Annotated[
        str | None,
        typer.Option("--speed", metavar="GRADE", help="For tables of FPGAs: the speed grade. [default: the fastest]"),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds", metavar="N", min=1, max=1000, help="For tables of FPGAs: placements a row. [default: 3]"
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw latency over area, published and measured, as an SVG file."),
    ] = None,
    front: Annotated[
        Path | None,
        typer.Option(
            "--front",
            metavar="FILE",
            help="Measure with the hierarchy kept and restructured, and draw for every row the netlists tried that no "
            "other beats in area and latency, as an SVG file.",
        ),
    ] = None,
    jobs: Jobs = None,
    store: StoreLocation = None,
    no_store: NoStore = False,
    refresh: Refresh = False,
    as_json: Json = False,
) -> None:
    """Measure every row of a published table; print published and measured figures side by side.

    Absolute figures differ from the papers', which used other libraries and a commercial synthesiser: compare the
    ratios between rows. Slips in the published figures are corrected, and marked. What was measured before is read
    from the store, so an interrupted run goes on where it was.

    Example: aesmith reproduce lin-table4 --liberty my.lib.gz
    """
    display = Display(as_json=as_json)
    if as_markdown and as_json:
        raise RequestError("markdown: give --markdown or --json, not both")
    wanted = table_by_name(table)
    placement = {"device": device, "speed": speed, "seeds": seeds}
    synthesis: dict[str, object] = {"library": library, "liberty": liberty, "optimise": optimise}
    synthesis |= {"power": power or None, "plot": plot, "front": front, "jobs": jobs}
    given = [name for name, value in (synthesis if isinstance(wanted, FpgaTable) else placement).items() if value]
    if given:
        where = "placed on an FPGA" if isinstance(wanted, FpgaTable) else "measured in a cell library"
        raise RequestError(f"{given[0]}: {wanted.name} is {where}, which has no --{given[0]}")
    if isinstance(wanted, FpgaTable):
        with result_store(store, display, no_store=no_store, refresh=refresh) as kept, work_folder() as folder:
            _reproduce_on_fpga(
                wanted,
                display,
                folder,
                kept,
                device=device,
                speed=speed,
                seeds=seeds,
                refresh=refresh,
                as_markdown=as_markdown,
            )
        return
    conditions_for(wanted, optimise)
    if plot is not None:
        check_drawable(wanted)
    with_power(wanted, power)
    both: tuple[Optimise, ...] = ()
    if front is not None:
        if optimise is not None:
            raise RequestError("front: it is drawn over two conditions, so give no --optimise")
        both = conditions_of_fronts(wanted)
    check_place(plot, "plot")
    check_place(front, "front")
    cells = read_named_library(library, liberty)
    require_yosys()
    with (
        result_store(store, display, no_store=no_store, refresh=refresh) as kept,
        work_folder() as folder,
        display.progress(f"{wanted.name} in {cells.name}") as steps,
    ):
        found = reproduce(
            wanted,
            cells,
            folder,
            kept,
            optimise=optimise,
            power=power,
            refresh=refresh,
            progress=steps.done,
            jobs=jobs,
        )
        kept_or_not = [
            found
            if condition in found.findings.optimise
            else reproduce(
                wanted, cells, folder, kept, optimise=condition, refresh=refresh, progress=steps.done, jobs=jobs
            )
            for condition in both
        ]
    if front is not None:
        write_whole(front, front_drawing(kept_or_not), "front")
    if plot is not None:
        write_whole(plot, latency_over_area(found), "plot")
    display.value(json_values(found) | ({"fronts": front_json(kept_or_not)} if both else {}))
    if found.from_store:
        display.note(f"note: {found.from_store} of {found.measured} measurements are from the result store")
    if as_markdown:
        print(markdown(found), end="")
        if both:
            print(f"\n{front_markdown(kept_or_not)}", end="")
        return
    for grid in (*grids(found), *([front_grid(kept_or_not)] if both else [])):
        display.table(grid.title, grid.columns, grid.rows, in_turn=True)
    for line in (*footnotes(found), *(front_footnotes(kept_or_not)[:3] if both else [])):
        display.line(line, style="dim")


def _reproduce_on_fpga(
    table: FpgaTable,
    display: Display,
    folder: Path,
    kept: Store | None,
    *,
    device: str | None,
    speed: str | None,
    seeds: int | None,
    refresh: bool,
    as_markdown: bool,
) -> None:
    """Place the rows of `table` and print them beside what was published; by default on the fastest grade.

    Raises what `reproduce_on` raises.
    """
    chosen = device_named(device or DEFAULT_DEVICE)
    with display.progress(f"{table.name} on {chosen.name}: runs take minutes") as steps:
        found = reproduce_on(
            table,
            chosen,
            folder,
            kept,
            seeds=seeds or DEFAULT_SEEDS,
            speed=speed or (chosen.speeds[-1] if chosen.speeds else None),
            refresh=refresh,
            progress=steps.done,
        )
    display.value(fpga_json(found))
    if found.from_store:
        display.note(f"note: {found.from_store} of {found.steps} steps are from the result store")
    if as_markdown:
        print(fpga_markdown(found), end="")
        return
    for grid in fpga_grids(found):
        display.table(grid.title, grid.columns, grid.rows, in_turn=True)
    for line in fpga_footnotes(found):
        display.line(line, style="dim")
