"""`aesmith reproduce`: the tables of the publications, measured on one flow."""

from __future__ import annotations

from typing import Annotated

import typer

from aesmith.commands.console import Display
from aesmith.commands.options import Jobs, Json, LibertyFile, LibraryName, NoStore, Refresh, StoreLocation
from aesmith.commands.request import read_named_library, result_store, work_folder
from aesmith.errors import RequestError
from aesmith.flow.measurement import Optimise
from aesmith.flow.yosys import require_yosys
from aesmith.tables.catalogue import table_by_name
from aesmith.tables.render import footnotes, grids, json_values, markdown
from aesmith.tables.reproduce import conditions_for, reproduce, with_power


def command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A published table (see `aesmith list tables`).")],
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
    jobs: Jobs = None,
    store: StoreLocation = None,
    no_store: NoStore = False,
    refresh: Refresh = False,
    as_json: Json = False,
) -> None:
    """Measure every row of a published table; print published and measured figures side by side.

    Absolute figures differ from the papers', which used other libraries and a commercial synthesiser: compare the
    ratios between rows. Slips in the published figures are corrected, and said to be. What was measured before is read
    from the store, so an interrupted run goes on where it was.

    Example: aesmith reproduce lin-table4 --liberty my.lib.gz
    """
    display = Display(as_json=as_json)
    if as_markdown and as_json:
        raise RequestError("markdown: give --markdown or --json, not both")
    wanted = table_by_name(table)
    conditions_for(wanted, optimise)
    with_power(wanted, power)
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
    display.value(json_values(found))
    if found.from_store:
        display.note(f"note: {found.from_store} of {found.measured} measurements are from the result store")
    if as_markdown:
        print(markdown(found), end="")
        return
    for grid in grids(found):
        display.table(grid.title, grid.columns, grid.rows)
    for line in footnotes(found):
        display.line(line, style="dim")
