"""`aesmith measure`: area and speed of a core in a library."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api.measuring import (
    FOR_AREA,
    FOR_SPEED,
    MOST_REWIRED,
    MOST_REWIRED_THOROUGHLY,
    STANDS,
    UTILISATION,
    Measuring,
    Obtained,
    PlacementPlan,
    chosen_plan,
    key_size_figures,
    placing,
)
from aesmith.commands.console import Display
from aesmith.commands.power import (
    BlockList,
    Clock,
    Picture,
    Power,
    PowerOptions,
    Precision,
    StimulusChoice,
    TextBlocks,
    ZeroDelay,
    add_power,
    show_power,
)
from aesmith.commands.request import (
    ClockGates,
    Condition,
    Format,
    Gating,
    Jobs,
    Json,
    LibertyFiles,
    LibraryName,
    NoStore,
    Refresh,
    SpecificationOrBuild,
    StoreLocation,
    check_vectors,
    foreign_source,
    gathering,
    read_named_library,
    read_request,
    result_store,
)
from aesmith.commands.verify import (
    DEFAULT_SECONDS,
    ProofFolder,
    ProofSeconds,
    Prove,
    check_proof,
    proof_folder,
    run_proof,
    show_proof,
)
from aesmith.cores.design import CoreDesign, Direction
from aesmith.errors import RequestError
from aesmith.flow.measurement import PERIOD, PERIOD_WITH_PORTS, Measurement, Optimise, PlacedFigures
from aesmith.foreign.description import ForeignSource
from aesmith.modes.engine import StreamEngine
from aesmith.publish.datasheet import figure_rows
from aesmith.scratch import check_place, work_folder
from aesmith.technology.library import Library
from aesmith.timing.power.figures import DirectionPower


@gathering(foreign_source)
def command(
    spec: SpecificationOrBuild = None,
    *,
    theirs: ForeignSource | None,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    optimise: Condition = Optimise.AREA,
    rewire: Annotated[
        bool,
        typer.Option(
            "--rewire",
            help=f"Also rewire the {MOST_REWIRED} best netlists by local moves, and prove them equal. Takes minutes.",
        ),
    ] = False,
    moves: Annotated[
        int | None,
        typer.Option(
            "--moves",
            metavar="N",
            min=1,
            help="With --rewire: moves tried per cell. More moves give better netlists and take proportionally longer. "
            f"[default: {FOR_SPEED}; for area {FOR_AREA}]",
        ),
    ] = None,
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="Try every recipe with several targets, not only the condition's plan; with --rewire the "
            f"{MOST_REWIRED_THOROUGHLY} best netlists, by all kinds of moves.",
        ),
    ] = False,
    clock_gates: ClockGates = None,
    power: Power = False,
    clock: Clock = None,
    stimulus: StimulusChoice = None,
    blocks: BlockList = None,
    precision: Precision = None,
    zero_delay: ZeroDelay = False,
    text_blocks: TextBlocks = None,
    power_picture: Picture = None,
    placed: Annotated[
        bool,
        typer.Option("--placed", help="Also place the cells, size them again with wires, and measure the result."),
    ] = False,
    utilisation: Annotated[
        float | None,
        typer.Option("--utilisation", metavar="SHARE", help=f"Cells over core area. [default: {UTILISATION:g}]"),
    ] = None,
    aspect: Annotated[
        float | None, typer.Option("--aspect", metavar="RATIO", help="Height over width of the core. [default: 1]")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the placer. [default: 1]")] = None,
    technology: Annotated[
        Path | None,
        typer.Option("--technology", metavar="FILE", help="Rows and wires of the process, if the library has none."),
    ] = None,
    lef: Annotated[
        list[Path] | None,
        typer.Option("--lef", metavar="FILE", help="LEF of the process or its cells: site, widths, R and C of wires."),
    ] = None,
    repeaters: Annotated[
        bool, typer.Option("--repeaters", help="With --placed: also insert repeaters into late nets.")
    ] = False,
    placement_dir: Annotated[
        Path | None,
        typer.Option("--placement-dir", metavar="DIR", help="Write the placement: Verilog, DEF, SPEF, and a picture."),
    ] = None,
    proof: Prove = False,
    proof_dir: ProofFolder = None,
    proof_seconds: ProofSeconds = DEFAULT_SECONDS,
    jobs: Jobs = None,
    store: StoreLocation = None,
    no_store: NoStore = False,
    refresh: Refresh = False,
    form: Format = None,
    as_json: Json = False,
) -> None:
    """Synthesise a core or an engine and measure area and speed, with --power also power.

    --prove proves the core and the measured netlist. --placed places the netlist and adds figures with wires. A
    third-party design, given by --rtl and --top or by a file that describes it, must first pass the published vectors.

    The default library is the embedded generic45, a model of a 45-nm class process: good for comparing designs, not
    for signing off a chip. Every figure comes with its conditions. Results are stored, and read when sources and
    conditions are exactly the same; a note says so.

    Example: aesmith measure ueno2020-enc --liberty my.lib.gz --optimise area-speed
    """
    display = Display(as_json=as_json, form=form)
    gated = clock_gates is Gating.ON
    synthesis = chosen_plan(optimise, rewire=rewire, clock_gates=gated, moves=moves, thorough=thorough)
    if proof_dir is not None and not proof:
        raise RequestError("--proof-dir: nothing is proved; give --prove too, or leave it out")
    request = read_request(spec, theirs, display, clock_gates)
    plan = PowerOptions(power, clock, stimulus, blocks, precision, zero_delay, text_blocks, power_picture).plan(
        request.design
    )
    if proof:
        request.core("--prove")
    if request.design.inner is not None and (plan is not None or proof):
        what = "--power" if plan is not None else "--prove"
        raise RequestError(f"{what}: for a third-party design only area and speed are measured; leave it out")
    check_place(power_picture, "power-picture")
    if not placed and any((utilisation is not None, aspect is not None, seed is not None, technology, lef, repeaters,
                           placement_dir)):  # fmt: skip
        raise RequestError("placed: the options for placement need --placed")
    cells = read_named_library(library, liberty, display)
    where = None
    if placed:
        placement = PlacementPlan(
            UTILISATION if utilisation is None else utilisation,
            1.0 if aspect is None else aspect,
            1 if seed is None else seed,
            repeaters,
        )
        where = placing(cells, placement, technology, lef or ())
    with result_store(store, display, no_store=no_store, refresh=refresh) as kept, work_folder() as folder:
        work = Measuring(request.design, cells, optimise, folder, kept, refresh, synthesis, jobs)
        check_vectors(request.design, folder / "vectors", display)
        with display.progress(title(cells, optimise)) as steps:
            obtained = work.area_and_speed(progress=steps.done)
        note_known(request.design, obtained, display)
        measurement = obtained.measurement
        work.report(measurement)
        if plan is not None:
            measurement = add_power(work, measurement, plan, display, power_picture)
        wired_power = dict[Direction, DirectionPower]()
        if where is not None and plan is None and placement_dir is None:
            with display.progress(f"placement in {cells.name}") as steps:
                measurement = work.placed(measurement, where, steps.done)
        elif where is not None:
            with display.progress(f"placement in {cells.name}") as steps:
                laid = work.placement(measurement, where, steps.done)
            measurement = laid.measurement
            if plan is not None:
                directions = request.design.directions
                with display.progress(f"power with wires in {cells.name}") as steps:
                    for number, (direction, found) in enumerate(laid.power(plan), 1):
                        wired_power[direction] = found
                        steps.done(f"simulation, {direction}", number, len(directions))
            if placement_dir is not None:
                laid.write(placement_dir)
                display.note(f"wrote {placement_dir}/{request.design.name}.v, .def, .spef and .svg")
        proved = None
        if proof:
            proved = run_proof(request.core("--prove"), proof_dir, proof_seconds, display, work.netlist(measurement))
    published = [vars(figures) for figures in request.design.published]
    value = measurement.to_json() | {"published": published, "from_store": obtained.from_store}
    if sizes := key_size_figures(request.design, measurement):
        value |= {"key_sizes": sizes}
    if measurement.placed is not None and wired_power:
        value["placed"] = asdict(measurement.placed) | {
            figure: {direction: getattr(found, figure) for direction, found in wired_power.items()}
            for figure in ("power_uw_at_100mhz", "glitch_fraction", "energy_pj_per_block")
        }
    display.value(value if proved is None else value | {"proof": proved.as_json()})
    for changed in request.changed:
        display.note(f"note: {changed} was edited since the build; the edited file was measured")
    show(measurement, display)
    if measurement.placed is not None:
        _show_placed(measurement, measurement.placed, wired_power, display)
    show_key_sizes(request.design, measurement, display)
    show_published(request.design, display)
    if proved is not None:
        show_proof(proved, proof_folder(request.core("--prove"), proof_dir), display)
        check_proof(proved)


def _show_placed(
    measurement: Measurement,
    placed: PlacedFigures,
    power: dict[Direction, DirectionPower],
    display: Display,
) -> None:
    """Prints the figures with wires beside those without."""

    def words(value: float | None, digits: int) -> str:
        return "–" if value is None else f"{value:,.{digits}f}"

    rows = [
        (label, words(before, digits), words(after, digits))
        for label, before, after, digits in (
            ("area (GE)", measurement.area_ge, placed.area_ge, 0),
            (f"{PERIOD} (ns)", measurement.period_ns, placed.period_ns, 3),
            (f"{PERIOD_WITH_PORTS} (ns)", measurement.period_with_ports_ns, placed.period_with_ports_ns, 3),
            ("throughput (Gbit/s)", measurement.throughput_gbps, placed.throughput_gbps, 3),
            ("throughput per area (Kbit/s/GE)", measurement.efficiency_kbps_per_ge, placed.efficiency_kbps_per_ge, 1),
        )
    ]
    before_wires = {found.direction: found for found in measurement.power}
    for direction, found in power.items():
        for label, figure, digits in (
            ("power at 100 MHz (µW)", "power_uw_at_100mhz", 1),
            ("glitches", "glitch_fraction", 3),
        ):
            bare = before_wires[direction]
            rows.append(
                (f"{label}, {direction}", words(getattr(bare, figure), digits), words(getattr(found, figure), digits))
            )
    display.table(f"{measurement.design}, placed", ("figure", ">no wires", ">placed"), rows)
    stands = "" if placed.stands else f"; the period still moved by more than {STANDS:.0%} a turn"
    tree = (
        f"clock tree, estimated, in no figure above: {placed.clock_buffers} buffers of {placed.clock_area_ge:,.0f} GE, "
        f"{placed.clock_wire_mm:.1f} mm, {placed.clock_power_uw_at_100mhz:.0f} µW at 100 MHz for its capacitance"
        if placed.clock_buffers is not None
        else "no clock"
    )
    for line in (
        f"core {placed.core_width_um:.1f} × {placed.core_height_um:.1f} µm, {placed.utilisation:.0%} of it cells; "
        f"{placed.wire_mm:.1f} mm of wires ({placed.half_perimeter_mm:.1f} mm at least)",
        f"{placed.turns} turns of placing and sizing, seed {placed.seed}{stands}"
        + f"; {placed.repeaters} repeaters" * bool(placed.repeaters)
        + (f"; {placed.wired_period_ns:.3f} ns before gates were sized again" * (placed.wired_period_ns is not None)),
        f"rows and wires: {placed.source}",
        tree,
        "placed, not routed: wires are Steiner trees over the middles of cells; the clock is ideal",
    ):
        display.line(line, style="dim")


def title(library: Library, optimise: Optimise) -> str:
    """What stands beside the progress bar of a measurement."""
    return f"measuring in {library.name} ({optimise})"


def note_known(design: CoreDesign | StreamEngine, obtained: Obtained, display: Display) -> None:
    """Says so if the measurement of a design was read from the store."""
    if obtained.from_store:
        condition = obtained.measurement.optimise
        display.note(f"note: {design.name}, {condition}: measured before, figures are from the result store")


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
    show_power(measurement, display)


def show_key_sizes(design: CoreDesign | StreamEngine, measurement: Measurement, display: Display) -> None:
    """Prints a row a key size of a core with several."""
    forms = ("g", ",.3f", ",.1f")
    rows = [
        (str(bits), *("–" if v is None else format(v, form) for v, form in zip(of.values(), forms, strict=True)))
        for bits, of in key_size_figures(design, measurement).items()
    ]
    if rows:
        display.table(
            f"{measurement.design}, by key size", (">key bits", ">cycles per block", ">Gbit/s", ">Kbps/GE"), rows
        )


def show_published(design: CoreDesign | StreamEngine, display: Display) -> None:
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
