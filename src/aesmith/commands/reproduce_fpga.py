"""`aesmith reproduce` for a table of FPGA implementations."""

from __future__ import annotations

from pathlib import Path

from aesmith.commands.console import Display
from aesmith.explore.store import Store
from aesmith.flow.fpga.devices import device_named
from aesmith.flow.fpga.measure import DEFAULT_SEEDS
from aesmith.tables.fpga import FpgaTable, fpga_footnotes, fpga_grids, fpga_json, fpga_markdown, reproduce_on

DEFAULT_DEVICE = "ecp5-85k"


def reproduce_on_fpga(
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
        display.table(grid.title, grid.columns, grid.rows)
    for line in fpga_footnotes(found):
        display.line(line, style="dim")
