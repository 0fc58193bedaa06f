"""`aesmith recommend`: the engine or the core that serves a requirement best."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aesmith.api.recommending import (
    Answer,
    Outlook,
    answer_among,
    answer_known,
    answer_measuring,
    answer_on_device,
    check_packets,
    how_to_build,
    to_build,
)
from aesmith.commands.console import Display
from aesmith.commands.request import (
    BusName,
    DataStreams,
    Format,
    Jobs,
    Json,
    LibertyFiles,
    LibraryName,
    PointsFile,
    Request,
    SelfTestName,
    StoreLocation,
    named_folder,
    read_named_library,
    register_fields,
    result_store,
)
from aesmith.errors import CheckError, RequestError, UndecidedError
from aesmith.explore.recommend.choice import Recommendation
from aesmith.explore.recommend.requirement import (
    DURATION,
    FIGURES,
    MODES,
    Packets,
    Requirement,
    byte_range,
    requirement,
)
from aesmith.explore.recommend.words import as_values, brief, failures, options_table, point_count, reasons
from aesmith.lazy import LazyModule
from aesmith.scratch import work_folder

if TYPE_CHECKING:
    from aesmith.commands import build
    from aesmith.explore import store as stores
    from aesmith.technology.library import Library
else:
    build = LazyModule("aesmith.commands.build")
    stores = LazyModule("aesmith.explore.store")

BUDGET = "10min"
_FIGURE = f"One of {', '.join(FIGURES)}."


def command(
    *,
    mode: Annotated[str, typer.Option("--mode", metavar="MODE", help=f"One of {', '.join(MODES)}.")] = "ecb",
    core: Annotated[bool, typer.Option("--core", help="Only the AES core, even if the mode has engines.")] = False,
    directions: Annotated[
        str, typer.Option("--directions", metavar="enc|dec|encdec", help="Directions in that mode.")
    ] = "enc",
    key: Annotated[list[int] | None, typer.Option("--key", metavar="BITS", help="Key size; repeatable.")] = None,
    min_throughput: Annotated[str | None, typer.Option("--min-throughput", metavar="10Gbps")] = None,
    max_area: Annotated[str | None, typer.Option("--max-area", metavar="12kGE")] = None,
    max_latency: Annotated[
        str | None, typer.Option("--max-latency", metavar="25ns|11cycles", help="Latency of one block.")
    ] = None,
    max_power: Annotated[str | None, typer.Option("--max-power", metavar="2mW", help="At 100 MHz.")] = None,
    max_energy: Annotated[str | None, typer.Option("--max-energy", metavar="40pJ", help="Of one block.")] = None,
    min_fmax: Annotated[str | None, typer.Option("--min-fmax", metavar="500MHz")] = None,
    min_efficiency: Annotated[str | None, typer.Option("--min-efficiency", metavar="400Kbps/GE")] = None,
    clock: Annotated[
        str | None,
        typer.Option("--clock", metavar="500MHz", help="Clock of your system. [default: each design's maximum]"),
    ] = None,
    block_width: Annotated[
        int | None, typer.Option("--block-width", metavar="8|16|32|128", help="Width of the ports in bits.")
    ] = None,
    streams: Annotated[
        int,
        typer.Option(
            "--streams", metavar="N", help="For a core: independent streams that take turns in a chained mode."
        ),
    ] = 1,
    packets: Annotated[
        str | None,
        typer.Option(
            "--packets",
            metavar="64..1500",
            help="For an engine: text bytes per message. [default: long messages]",
        ),
    ] = None,
    header: Annotated[
        str, typer.Option("--header", metavar="0..28", help="For an engine: header bytes per message.")
    ] = "0",
    line_overhead: Annotated[
        int,
        typer.Option("--line-overhead", metavar="BYTES", help="For an engine: further bytes per packet on the line."),
    ] = 0,
    release: Annotated[
        str | None,
        typer.Option(
            "--release",
            metavar="verified|cut-through",
            help="For an engine: when decrypted text is released. [default: either]",
        ),
    ] = None,
    bus: BusName = None,
    self_test: SelfTestName = None,
    data_streams: DataStreams = False,
    protected: Annotated[
        str | None, typer.Option("--protected", metavar="order=D", help="Only masked cores of at least this order.")
    ] = None,
    device: Annotated[
        str | None,
        typer.Option("--device", metavar="NAME", help="An FPGA instead of a library; the fewest LUTs win."),
    ] = None,
    max_luts: Annotated[str | None, typer.Option("--max-luts", metavar="400", help="With --device.")] = None,
    max_memories: Annotated[
        str | None, typer.Option("--max-memories", metavar="3", help="With --device: block memories.")
    ] = None,
    minimise: Annotated[str | None, typer.Option("--minimise", metavar="FIGURE", help=_FIGURE)] = None,
    maximise: Annotated[str | None, typer.Option("--maximise", metavar="FIGURE", help=_FIGURE)] = None,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    points_file: PointsFile = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure promising candidates that have no figures yet.")
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget", metavar="TIME", help=f"Time for --measure, which it implies; 0: none. [default: {BUDGET}]"
        ),
    ] = None,
    build_folder: Annotated[
        Path | None,
        typer.Option("--build", metavar="DIR", parser=named_folder, help="Build the answer in this folder."),
    ] = None,
    jobs: Jobs = None,
    store: StoreLocation = None,
    form: Format = None,
    as_json: Json = False,
) -> None:
    """Find the engine or core that meets all limits and is best by one figure.

    The answer gives the reason and the cost of the alternatives. A mode such as gcm is answered with a complete
    engine; with --core, and for ecb, with an AES core. Candidates are measured and verified points of the library:
    those shipped with aesmith and those in the result store. --measure also measures promising candidates, until the
    --budget is used up.

    If no point meets the requirement, the answer names the missed limit and the gap; the exit status is then 1. It is
    4 if no measured point has the mode, keys and ports.

    Example: aesmith recommend --mode gcm --min-throughput 5Gbps

    Example: aesmith recommend --mode gcm --min-throughput 5Gbps --clock 500MHz --packets 64..1500

    With --bus an engine gets registers, and --build ends in a package with its driver.

    Example: aesmith recommend --mode gcm --directions encdec --bus axi4-lite --build my_aes

    With --device the candidates are the FPGA points shipped with aesmith: LUTs, block memories and clock.

    Example: aesmith recommend --device ecp5-25k --min-throughput 20Mbps --max-luts 330

    Example: aesmith recommend --core --mode cbc --directions encdec --min-throughput 1Gbps --measure --budget 5min
    """
    display = Display(as_json=as_json, form=form)
    of_packets = {"--header": header != "0", "--line-overhead": line_overhead != 0, "--release": release is not None}
    if packets is None and (used := [option for option, value in of_packets.items() if value]):
        raise RequestError(f"{used[0]}: is of packets; give --packets too, or leave it out")
    wanted = requirement(
        mode,
        directions,
        tuple(key) if key else 128,
        minimise=minimise,
        maximise=maximise,
        clock=clock,
        block_width=block_width,
        streams=streams,
        protected=protected,
        core=core,
        packets=None
        if packets is None
        else Packets(byte_range(packets, "packets"), byte_range(header, "header"), line_overhead, release),
        registers=register_fields(bus, self_test, data_streams=data_streams),
        max_latency=max_latency,
        min_throughput=min_throughput,
        max_area=max_area,
        max_power=max_power,
        max_energy=max_energy,
        min_fmax=min_fmax,
        min_efficiency=min_efficiency,
        device=device,
        max_luts=max_luts,
        max_memories=max_memories,
    )
    check_packets(wanted)
    if device is not None:
        _refuse_on_device(
            {"--library": library, "--liberty": liberty or None, "--points": points_file, "--build": build_folder}
            | {"--store": store, "--budget": budget, "--measure": measure or None}
        )
        answer(answer_on_device(wanted), Making(None), display)
        return
    seconds = _seconds(budget, measure=measure)
    if points_file is not None:
        _refuse_beside_points(
            {"--liberty": liberty or None, "--store": store, "--budget": budget, "--measure": measure or None}
        )
        answer(answer_among(wanted, points_file, library), Making(build_folder, jobs=jobs), display)
        return
    making = Making(build_folder, lambda: read_named_library(library, liberty, display), store, jobs)
    if not seconds:
        if library is not None and liberty:
            raise RequestError("library: give --library NAME or --liberty FILE, not both")
        given = read_named_library(None, liberty, display) if liberty else library
        answer(answer_known(wanted, given, store), making, display)
        return
    cells = read_named_library(library, liberty, display)
    with stores.open_store(store) as kept, work_folder() as folder:

        def begin(outlook: Outlook) -> None:
            _tell_outlook(outlook, wanted, seconds, display)

        with display.progress(f"measuring in {cells.name} what is needed") as steps:
            found = answer_measuring(
                wanted, cells, kept, folder, seconds=seconds, jobs=jobs, progress=steps.done, begin=begin
            )
    answer(found, making, display)


@dataclass(frozen=True)
class Making:
    """Where the choice is built, if anywhere; the library its datasheet has figures of, and what measures them."""

    folder: Path | None
    library: Callable[[], Library] | None = None
    store: str | None = None
    jobs: int | None = None


def _seconds(budget: str | None, *, measure: bool) -> float:
    """The time for measuring; 0 if none is to be."""
    if budget is None:
        return DURATION.parse(BUDGET, "budget") if measure else 0.0
    return 0.0 if re.fullmatch(r"\s*0+\s*(s|min|m|h)?\s*", budget) else DURATION.parse(budget, "budget")


def _tell_outlook(outlook: Outlook, wanted: Requirement, seconds: float, display: Display) -> None:
    """Says what other libraries let expect, and how long it may take to find out."""
    figure = wanted.objective.figure
    value = None if outlook.option is None else outlook.option.figures[figure.name]
    core = "no core" if outlook.option is None else outlook.option.design
    about = "" if value is None else f", {figure.name} about {figure.text(value)}"
    took = f"{max(1, round(outlook.seconds / 60))} min" if outlook.seconds >= 60 else f"{outlook.seconds:.0f} s"
    display.tell(
        "expected",
        {
            "design": None if outlook.option is None else outlook.option.design,
            "figure": figure.name,
            "value": value,
            "points": outlook.points,
            "processor_seconds": outlook.seconds,
            "budget_seconds": seconds,
        },
        f"expected by points of other libraries: {core}{about}; up to {point_count(outlook.points)} to measure, "
        f"which took {took} of one processor there, and more in a larger library; at most {seconds / 60:g} min here "
        "(--budget)",
    )


def _refuse_on_device(options: Mapping[str, object]) -> None:
    if used := [option for option, value in options.items() if value is not None]:
        raise RequestError(f"device: the points of devices that come with aesmith answer; leave {used[0]} out")


def _refuse_beside_points(options: Mapping[str, object]) -> None:
    if used := [option for option, value in options.items() if value is not None]:
        raise RequestError(f"points: with --points nothing is measured; leave {used[0]} out")


def answer(given: Answer, making: Making, display: Display) -> None:
    """Prints the answer, and builds what was chosen if a folder is named for it.

    Raises CheckError if no measured point meets the requirement, UndecidedError if none that was measured fits it.
    """
    found, measured, unmeasured = given.found, given.measured, dict(given.unmeasured)
    values = as_values(found) | {"measured_now": measured, "unmeasured": unmeasured, "searched": given.searched}
    values |= {"unknown": given.unknown, "presets_not_measured": list(given.unheard)}
    if measured:
        points_were = "point was" if measured == 1 else "points were"
        display.note(f"note: {measured} {points_were} measured now, and kept in the store")
    display.line(f"Required: {found.requirement}")
    show(given, display)
    if found.chosen is None:
        display.value(values)
        what = "engine" if found.requirement.engine else "core"
        more = ON_DEVICE if found.requirement.device else MEASURE
        lines = [*failures(found), *_not_measured(given), *_elsewhere(given), given.searched, more]
        if given.unknown:
            first = f"not known: no {what} that was measured meets the requirement, and not all were measured"
            raise UndecidedError("\n".join((first, *lines)))
        raise CheckError("\n".join((f"no {what} that was measured meets the requirement", *lines)))
    if making.folder is not None:
        values |= {"built": build.as_values(made(found, making, making.folder, display))}
    display.value(values)


MEASURE = "--measure measures what may, in the time that --budget gives"
ON_DEVICE = "`aesmith fpga` measures other designs and devices"


def _not_measured(given: Answer) -> list[str]:
    lines = [f"not measured: {point_count(count)}, {reason}" for reason, count in given.unmeasured.items()]
    if given.unheard:
        shown = ", ".join(given.unheard[:MOST_NAMED]) + (", …" if len(given.unheard) > MOST_NAMED else "")
        presets = "1 preset" if len(given.unheard) == 1 else f"{len(given.unheard)} presets"
        lines.append(f"not measured or not verified in this library: {presets} that may fit: {shown}")
    return lines


def _elsewhere(given: Answer) -> list[str]:
    """What would be chosen in other libraries."""
    return [f"in {library}: {brief(option)}" for library, option in given.elsewhere.items()]


MOST_NAMED = 4
"""Presets that are named, where many were not measured."""


def show(given: Answer, display: Display) -> None:
    """Prints the choice beside its alternatives, why it was chosen, and what was not looked at."""
    found = given.found
    if found.chosen is not None:
        columns, rows = options_table(found)
        display.table(f"Recommended: {found.chosen.design}", columns, rows, in_turn=True)
        for line in (*reasons(found), *_not_measured(given)):
            display.line(f"- {line}")
        display.line()
        display.line(how_to_build(found))


def made(found: Recommendation, making: Making, folder: Path, display: Display) -> build.Built:
    """Builds what was chosen in a folder; its datasheet has its figures, if its library is at hand."""
    design, optimise, whole_set = to_build(found)
    # A package states what the whole set of recipes gives: of one recipe asked for by itself it would say too little.
    cells = making.library() if whole_set and making.library is not None else None
    with result_store(making.store, display) as results:
        plan = build.BuildPlan(cells, optimise=(optimise,), jobs=making.jobs, store=results)
        built = build.run(Request(design), folder, plan, display)
    display.line(f"Built in {built.folder}/; the datasheet is {built.folder / 'datasheet.md'}.")
    return built
