"""`aesmith reproduce`: the tables of the publications, measured on one flow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from aesmith.commands.console import Display
from aesmith.commands.request import (
    Format,
    Jobs,
    Json,
    LibertyFiles,
    LibraryName,
    NoStore,
    Refresh,
    StoreLocation,
    completing,
    read_named_library,
    result_store,
)
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError, RequestError, not_one_of
from aesmith.explore.obtain import obtain
from aesmith.explore.store import Store
from aesmith.flow.fpga.devices import device_named
from aesmith.flow.fpga.measure import DEFAULT_SEEDS
from aesmith.flow.measurement import MOST_REWIRED, Measurement, Optimise
from aesmith.flow.placement.place import check_placer
from aesmith.flow.placement.technology import technology_of
from aesmith.flow.recipes import one_recipe
from aesmith.flow.yosys import require_yosys
from aesmith.foreign.peer_table import PEER_COLUMNS, best_first, peer_row, rated
from aesmith.foreign.peers import GROUPS, check_peer, ours, peer_of, read_peer, recipe_of, recipes_in
from aesmith.scratch import check_place, work_folder, write_whole
from aesmith.tables.catalogue import FPGA_TABLES, TABLES, table_by_name
from aesmith.tables.fpga import FpgaTable, fpga_footnotes, fpga_grids, fpga_json, fpga_markdown, reproduce_on
from aesmith.tables.render import (
    Grid,
    check_drawable,
    footnotes,
    grids,
    json_values,
    latency_over_area,
    markdown,
    markdown_rows,
)
from aesmith.tables.reproduce import check_placeable, conditions_for, conditions_of_fronts, reproduce, with_power
from aesmith.tables.ways import (
    front_drawing,
    front_footnotes,
    front_grid,
    front_json,
    front_markdown,
    placed_grid,
    placed_json,
    rewired_grid,
    rewired_json,
    rewired_markdown,
)
from aesmith.technology.library import Library

DEFAULT_DEVICE = "ecp5-85k"
PEERS = "peers"
RECIPES = Path("benchmarks/peers")


def command(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            autocompletion=completing(lambda: [*TABLES, *FPGA_TABLES, PEERS]),
            help="A published table (see `aesmith list tables`), or peers: public cores, from their clones.",
        ),
    ],
    *,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    optimise: Annotated[
        Optimise | None,
        typer.Option("--optimise", help="Use this condition instead of the table's own."),
    ] = None,
    power: Annotated[
        bool, typer.Option("--power", help="Also simulate power, glitches included, if the table has it. Slow.")
    ] = False,
    placed: Annotated[
        bool,
        typer.Option("--placed", help="Also place every row, and add ratios with wires. Slow."),
    ] = False,
    rewire: Annotated[
        bool,
        typer.Option(
            "--rewire",
            help=f"Also rewire the {MOST_REWIRED} best netlists of every row, with the same number of moves per cell, "
            "and show figures before and after. Takes minutes per row.",
        ),
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
            "--seeds", metavar="N", min=1, max=1000, help="For tables of FPGAs: placements per row. [default: 3]"
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
            help="Measure both with the hierarchy kept and restructured, and draw the Pareto front of area and latency "
            "of every row as an SVG file.",
        ),
    ] = None,
    clones: Annotated[
        Path | None,
        typer.Option("--clones", metavar="DIR", help="For peers: the folder of clones, each in a folder OWNER+NAME."),
    ] = None,
    recipes: Annotated[
        list[Path] | None,
        typer.Option(
            "--recipes",
            metavar="DIR",
            help=f"For peers: folder of recipes; repeatable. [default: {RECIPES}]",
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option("--leave-out", metavar="NAME", help="For peers: a group or core to leave out; repeatable."),
    ] = None,
    jobs: Jobs = None,
    store: StoreLocation = None,
    no_store: NoStore = False,
    refresh: Refresh = False,
    form: Format = None,
    as_json: Json = False,
) -> None:
    """Measure every row of a published table; print published and measured figures side by side.

    Absolute figures differ from the papers', which used other libraries and a commercial synthesiser: compare ratios
    between rows. Errors in published figures are corrected and marked. Stored results are reused, so an interrupted
    run resumes.

    With peers, public cores are read from clones of their repositories, each at the commit that its recipe names. They
    are verified and measured next to ours, group by group. The exit status is 1 if one of them is not AES.

    Example: aesmith reproduce lin-table4 --liberty my.lib.gz
    """
    display = Display(as_json=as_json, form=form)
    if as_markdown and as_json:
        raise RequestError("markdown: give --markdown or --json, not both")
    if as_markdown and form is not None:
        raise RequestError("markdown: give --markdown or --format, not both")
    of_peers: dict[str, object] = {"clones": clones, "recipes": recipes, "leave-out": leave_out}
    if table == PEERS:
        others: dict[str, object] = {"power": power or None, "placed": placed or None, "rewire": rewire or None}
        others |= {"plot": plot, "front": front}
        others |= {"device": device, "speed": speed, "seeds": seeds}
        if given := [name for name, value in others.items() if value]:
            raise RequestError(f"{given[0]}: {PEERS} are measured in a cell library, without --{given[0]}")
        if clones is None:
            raise RequestError("clones: give --clones DIR, the folder with a clone of each repository as OWNER+NAME")
        cells = read_named_library(library, liberty, display)
        require_yosys()
        with result_store(store, display, no_store=no_store, refresh=refresh) as kept:
            _reproduce_peers(
                recipes_in(recipes or [RECIPES]),
                clones,
                display,
                cells,
                optimise=optimise or Optimise.AREA_SPEED,
                kept=kept,
                leave_out=leave_out or (),
                jobs=jobs,
                refresh=refresh,
                as_markdown=as_markdown,
            )
        return
    wanted = table_by_name(table)
    if given := [name for name, value in of_peers.items() if value]:
        raise RequestError(f"{given[0]}: {wanted.name} is a table of a publication; --{given[0]} is of {PEERS}")
    placement = {"device": device, "speed": speed, "seeds": seeds}
    synthesis: dict[str, object] = {"library": library, "liberty": liberty, "optimise": optimise}
    synthesis |= {"power": power or None, "placed": placed or None, "rewire": rewire or None, "plot": plot}
    synthesis |= {"front": front, "jobs": jobs}
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
    if placed:
        check_placeable(wanted)
    both: tuple[Optimise, ...] = ()
    if front is not None:
        if optimise is not None:
            raise RequestError("front: it is drawn over two conditions, so give no --optimise")
        if rewire:
            raise RequestError("front: it is drawn of netlists that are not rewired, so give no --rewire")
        both = conditions_of_fronts(wanted)
    check_place(plot, "plot")
    check_place(front, "front")
    cells = read_named_library(library, liberty, display)
    if placed:
        technology_of(cells)
        check_placer()
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
            placed=placed,
            rewire=rewire,
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
    added: dict[str, object] = {"fronts": front_json(kept_or_not)} if both else {}
    added |= {"placed": placed_json(found)} if placed else {}
    added |= {"rewired": rewired_json(found)} if rewire else {}
    display.value(json_values(found) | added)
    if found.from_store:
        display.note(f"note: {found.from_store} of {found.measured} measurements are from the result store")
    if as_markdown:
        print((rewired_markdown if rewire else markdown)(found), end="")
        if placed:
            grid = placed_grid(found)
            print("\n".join(("", f"{grid.title}:", "", *markdown_rows(grid))))
        if both:
            print(f"\n{front_markdown(kept_or_not)}", end="")
        return
    for grid in (
        *grids(found),
        *([placed_grid(found)] if placed else []),
        *([rewired_grid(found)] if rewire else []),
        *([front_grid(kept_or_not)] if both else []),
    ):
        display.table(grid.title, grid.columns, grid.rows, in_turn=True)
    for line in (*footnotes(found), *(front_footnotes(kept_or_not)[:3] if both else [])):
        display.line(line, style="dim")


def _reproduce_peers(
    recipes: Sequence[Path],
    clones: Path,
    display: Display,
    library: Library,
    *,
    optimise: Optimise,
    kept: Store | None,
    leave_out: Sequence[str],
    jobs: int | None,
    refresh: bool,
    as_markdown: bool,
) -> None:
    """Verify and measure peers, and ours beside them, and print a table a group, the best by throughput an area first.

    Raises RequestError for a name to leave out that there is not, and what measuring raises; at the end CheckError,
    with the names, if there were peers that are not AES, could not be read, or whose clone is not the one.
    """
    named = {recipe: peer_of(recipe)[0] for recipe in recipes}
    known = {name for peer in named.values() for name in (peer.name, peer.group)}
    if unknown := [name for name in leave_out if name not in known]:
        raise not_one_of("leave-out", unknown[0], sorted(known))
    wanted = {r: p for r, p in named.items() if p.name not in leave_out and p.group not in leave_out}
    refused: dict[str, str] = {}
    rows: dict[str, list[tuple[Measurement, tuple[str, ...]]]] = {}
    with work_folder() as folder, display.progress(f"public cores in {library.name}") as steps:
        designs: list[tuple[str, str, str, CoreDesign]] = []
        for number, (recipe, peer) in enumerate(wanted.items()):
            steps.done(f"{peer.name}: verification", number, 2 * len(wanted))
            try:
                _, design = read_peer(recipe, clones)
                check_peer(design, folder / recipe.stem)
            except (RequestError, CheckError) as error:
                refused[peer.name] = str(error)
                continue
            designs.append((peer.group, peer.name, f"[{peer.author}]({peer.repository})", design))
        groups = [group for group in GROUPS if any(group == found[0] for found in designs)]
        groups += dict.fromkeys(found[0] for found in designs if found[0] not in GROUPS)
        for group in groups:
            designs += [(group, f"**{design.preset}**", "ours", design) for design in ours(group)]
        for number, (group, name, whose, design) in enumerate(designs, len(designs)):
            steps.done(f"{name}: measurement", number, 2 * len(designs))
            place = folder / f"measure-{design.name}"
            alone = recipe_of(group, optimise)
            plan = None if alone is None else one_recipe(alone)
            found = obtain(
                design.measured, library, optimise, place, kept, plan=plan, refresh=refresh, jobs=jobs
            ).measurement
            for bits in design.key_bits:
                sized = rated(found, design.measured_clocks(bits))
                rows.setdefault(group, []).append((sized, peer_row(name, whose, design, bits, sized)))
    by_one = {group: alone for group in groups if (alone := recipe_of(group, optimise))}
    grids = {
        group: Grid(group.capitalize(), PEER_COLUMNS, tuple(row for _, row in sorted(rows[group], key=best_first)))
        for group in groups
    }
    titles = [column.removeprefix(">") for column in PEER_COLUMNS]
    values = {group: [dict(zip(titles, row, strict=True)) for row in grid.rows] for group, grid in grids.items()}
    display.value({
        "library": library.name, "optimise": optimise, "by_one_recipe": by_one, "groups": values, "refused": refused
    })  # fmt: skip
    for name, why in refused.items():
        display.note(f"note: {name} is in no table: {why}")
    if as_markdown:
        but = "".join(f"; {group}: recipe `{alone}` alone" for group, alone in by_one.items())
        print(f"{library.name} ({library.corner.name}); condition `{optimise}`{but}.\n")
        print("\n\n".join("\n".join((f"### {grid.title}", "", *markdown_rows(grid))) for grid in grids.values()))
    else:
        for grid in grids.values():
            display.table(grid.title, grid.columns, grid.rows, in_turn=True)
        for group, alone in by_one.items():
            display.note(f"note: {group}: measured by the recipe {alone} alone")
    if refused:
        raise CheckError(f"peers: {len(refused)} of {len(wanted)} are in no table: {', '.join(refused)}")


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
