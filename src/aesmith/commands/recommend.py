"""`aesmith recommend`: the core that serves a requirement best; with `--packets` the engine that keeps up with them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api.recommending import (
    ENGINE_POINTS,
    Answer,
    EngineAnswer,
    Load,
    MeasuredEngine,
    Outlook,
    PacketRequirement,
    answer_among,
    answer_engine,
    answer_measuring,
    how_to_build,
    least_packet,
    packet_requirement,
    to_build,
)
from aesmith.commands import build
from aesmith.commands.console import Display
from aesmith.commands.request import (
    Format,
    Jobs,
    Json,
    LibertyFiles,
    LibraryName,
    PointsFile,
    Request,
    StoreLocation,
    name_for,
    named_folder,
    read_named_library,
    result_store,
)
from aesmith.errors import CheckError, RequestError
from aesmith.explore.recommend.choice import Option, Recommendation
from aesmith.explore.recommend.requirement import AREA, DURATION, FIGURES, MODES, Requirement, requirement, written
from aesmith.explore.recommend.words import as_values, failures, options_table, point_count, reasons
from aesmith.explore.store import open_store
from aesmith.flow.measurement import Optimise
from aesmith.modes.engine import MOST_CORES
from aesmith.scratch import work_folder

BUDGET = "10min"
NAME = "engine"
"""What an engine is called that is built where no folder gives it a name."""
_FIGURE = f"One of {', '.join(FIGURES)}."


def command(
    *,
    mode: Annotated[str, typer.Option("--mode", metavar="MODE", help=f"One of {', '.join(MODES)}.")] = "ecb",
    directions: Annotated[
        str, typer.Option("--directions", metavar="enc|dec|encdec", help="What is done in that mode.")
    ] = "enc",
    key: Annotated[
        list[int] | None, typer.Option("--key", metavar="BITS", help="Key size; repeat it for a core of several.")
    ] = None,
    min_throughput: Annotated[str | None, typer.Option("--min-throughput", metavar="10Gbps")] = None,
    max_area: Annotated[str | None, typer.Option("--max-area", metavar="12kGE")] = None,
    max_latency: Annotated[
        str | None, typer.Option("--max-latency", metavar="25ns|11cycles", help="Of one block through the core.")
    ] = None,
    max_power: Annotated[str | None, typer.Option("--max-power", metavar="2mW", help="At 100 MHz.")] = None,
    max_energy: Annotated[str | None, typer.Option("--max-energy", metavar="40pJ", help="Of one block.")] = None,
    min_fmax: Annotated[str | None, typer.Option("--min-fmax", metavar="500MHz")] = None,
    min_efficiency: Annotated[str | None, typer.Option("--min-efficiency", metavar="400Kbps/GE")] = None,
    clock: Annotated[
        str | None,
        typer.Option("--clock", metavar="500MHz", help="The clock it will have. [default: each core's highest]"),
    ] = None,
    block_width: Annotated[
        int | None, typer.Option("--block-width", metavar="8|16|32|128", help="Bits of the ports.")
    ] = None,
    streams: Annotated[
        int, typer.Option("--streams", metavar="N", help="Independent streams that take turns in a chained mode.")
    ] = 1,
    packets: Annotated[
        str | None,
        typer.Option(
            "--packets", metavar="64..1500", help="Bytes of text of messages: an engine that keeps up with all of them."
        ),
    ] = None,
    header: Annotated[
        str, typer.Option("--header", metavar="0..28", help="Of an engine: bytes of header of each message.")
    ] = "0",
    line_overhead: Annotated[
        int,
        typer.Option("--line-overhead", metavar="BYTES", help="Of an engine: further bytes of a packet on the line."),
    ] = 0,
    release: Annotated[
        str | None,
        typer.Option(
            "--release",
            metavar="verified|cut-through",
            help="Of an engine: when decrypted text leaves. [default: verified]",
        ),
    ] = None,
    protected: Annotated[
        str | None, typer.Option("--protected", metavar="order=D", help="Masked cores alone, of that order or above.")
    ] = None,
    minimise: Annotated[str | None, typer.Option("--minimise", metavar="FIGURE", help=_FIGURE)] = None,
    maximise: Annotated[str | None, typer.Option("--maximise", metavar="FIGURE", help=_FIGURE)] = None,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    points_file: PointsFile = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="TIME", help=f"For measuring what is not known; 0: none. [default: {BUDGET}]"),
    ] = None,
    build_folder: Annotated[
        Path | None, typer.Option("--build", metavar="DIR", parser=named_folder, help="Build the core in this folder.")
    ] = None,
    jobs: Jobs = None,
    store: StoreLocation = None,
    form: Format = None,
    as_json: Json = False,
) -> None:
    """Answer with the core that meets all limits and is best by one figure, why it is, and what the others would cost.

    The answer is from measured points of the library: those in the result store, and those that are measured now, the
    most promising first, until none is left that could be better or the time is up. A chained mode, such as CBC
    encryption, gets one block per latency. If no core meets the requirement, the limit that is missed is named, and by
    how much; the exit status is then 1.

    With --packets the answer is an engine of the mode, with all that it needs beside cores: one that keeps up with
    messages of these sizes, back to back, in both directions, at --clock.

    Example: aesmith recommend --mode cbc --directions encdec --min-throughput 1Gbps --minimise area

    Example: aesmith recommend --mode gcm --min-throughput 10Gbps --clock 500MHz --packets 64..1500
    """
    display = Display(as_json=as_json, form=form)
    seconds = 0.0 if budget == "0" else DURATION.parse(budget or BUDGET, "budget")
    if packets is not None:
        _refuse_beside_packets(
            {"--directions": directions != "enc", "--streams": streams != 1, "--maximise": maximise}
            | {"--max-area": max_area, "--max-latency": max_latency, "--max-power": max_power}
            | {"--max-energy": max_energy, "--min-fmax": min_fmax, "--min-efficiency": min_efficiency}
            | {
                "--protected": protected,
                "--block-width": block_width,
                "--minimise": minimise not in (None, "area"),
                "--key": len(key or ()) > 1,
            }
        )
        packet = asked(
            mode, key, min_throughput, clock, packets=packets, header=header, overhead=line_overhead, release=release
        )
        cells = read_named_library(library, liberty, display)
        with result_store(store, display) as results:
            plan = build.BuildPlan(cells, jobs=jobs, store=results)
            run_packets(packet, plan, points_file, seconds, folder=build_folder, display=display)
        return
    of_engines = {"--header": header != "0", "--line-overhead": line_overhead != 0, "--release": release is not None}
    for option, value in of_engines.items():
        if value:
            raise RequestError(f"{option}: is of an engine; give --packets too, or leave it out")
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
        max_latency=max_latency,
        min_throughput=min_throughput,
        max_area=max_area,
        max_power=max_power,
        max_energy=max_energy,
        min_fmax=min_fmax,
        min_efficiency=min_efficiency,
    )
    if points_file is not None:
        _refuse_beside_points({"--liberty": liberty or None, "--store": store, "--budget": budget})
        answer(answer_among(wanted, points_file, library), build.BuildPlan(None), build_folder, display)
        return
    cells = read_named_library(library, liberty, display)
    with open_store(store) as kept, work_folder() as folder:

        def begin(outlook: Outlook) -> None:
            if outlook.points and seconds:
                _tell_outlook(outlook, wanted, seconds, display)

        with display.progress(f"measuring in {cells.name} what is needed") as steps:
            found = answer_measuring(
                wanted, cells, kept, folder, seconds=seconds, jobs=jobs, progress=steps.done, begin=begin
            )
        answer(found, build.BuildPlan(cells, jobs=jobs, store=kept), build_folder, display)


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


def _refuse_beside_points(options: Mapping[str, object]) -> None:
    if used := [option for option, value in options.items() if value is not None]:
        raise RequestError(f"points: with --points nothing is measured; leave {used[0]} out")


def _refuse_beside_packets(options: Mapping[str, object]) -> None:
    if used := [option for option, value in options.items() if value]:
        raise RequestError(
            f"packets: the answer is the smallest engine, for both directions and one key size; leave {used[0]} out"
        )


def answer(given: Answer, plan: build.BuildPlan, folder: Path | None, display: Display) -> None:
    """Prints the answer, and builds the core if a folder is named for it. Raises CheckError if nothing was chosen."""
    found, measured, unmeasured = given.found, given.measured, dict(given.unmeasured)
    values = as_values(found) | {"measured_now": measured, "unmeasured": unmeasured, "searched": given.searched}
    if measured:
        points_were = "point was" if measured == 1 else "points were"
        display.note(f"note: {measured} {points_were} measured now, and kept in the store")
    display.line(f"Required: {found.requirement}")
    show(found, unmeasured, display)
    if found.chosen is None:
        display.value(values)
        lines = ("no core that was searched meets the requirement", *failures(found), given.searched)
        raise CheckError("\n".join(lines))
    if folder is not None:
        values |= {"built": build.as_values(made(found.chosen, plan, folder, display))}
    display.value(values)


def show(found: Recommendation, unmeasured: Mapping[str, int], display: Display) -> None:
    """Prints the choice beside its alternatives, why it was chosen, and what was not looked at."""
    if found.chosen is not None:
        columns, rows = options_table(found)
        display.table(f"Recommended: {found.chosen.design}", columns, rows, in_turn=True)
        for line in reasons(found):
            display.line(f"- {line}")
    for reason, count in unmeasured.items():
        display.line(f"- not measured: {count} {'point' if count == 1 else 'points'}, {reason}")
    if found.chosen is not None:
        display.line()
        display.line(how_to_build(found.chosen))


def made(chosen: Option, plan: build.BuildPlan, folder: Path, display: Display) -> build.Built:
    """Builds the core; its datasheet has its figures, if the plan has a library."""
    design, optimise, whole_set = to_build(chosen)
    # A package states what the whole set of recipes gives: of one recipe asked for by itself it would say too little.
    planned = replace(plan, library=plan.library if whole_set else None, optimise=(optimise,))
    built = build.run(Request(design), folder, planned, display)
    display.line(f"Built in {built.folder}/; the datasheet is {built.folder / 'datasheet.md'}.")
    return built


def asked(
    mode: str,
    key: list[int] | None,
    min_throughput: str | None,
    clock: str | None,
    *,
    packets: str,
    header: str,
    overhead: int,
    release: str | None,
) -> PacketRequirement:
    """What the options ask for. Raises RequestError for what is lacking, and for what cannot be."""
    if min_throughput is None or clock is None:
        raise RequestError("packets: an engine is asked for; give --min-throughput and --clock too")
    return packet_requirement(
        mode,
        key[0] if key else 128,
        min_throughput=min_throughput,
        clock=clock,
        packets=packets,
        header=header,
        line_overhead=overhead,
        release=release or "verified",
    )


def run_packets(
    wanted: PacketRequirement,
    plan: build.BuildPlan,
    points: str | None,
    seconds: float,
    *,
    folder: Path | None,
    display: Display,
) -> None:
    """Measures engines in the library of a plan, prints the answer, and builds it if a folder is named.

    Raises CheckError if no engine meets the requirement.
    """
    assert plan.library is not None
    with work_folder() as work, display.progress(f"measuring engines in {plan.library.name}") as steps:
        found = answer_engine(
            wanted,
            plan.library,
            plan.store,
            work,
            points=points or ENGINE_POINTS,
            seconds=seconds,
            jobs=plan.jobs,
            progress=steps.done,
        )
    answer_packets(found, plan, folder, display)


def answer_packets(given: EngineAnswer, plan: build.BuildPlan, folder: Path | None, display: Display) -> None:
    """Prints the answer, and builds the engine if a folder is named for it. Raises CheckError if nothing was chosen."""
    display.line(f"Required: {given.wanted}")
    values = engine_values(given)
    if given.chosen is None:
        display.value(values)
        raise CheckError("\n".join(("no engine that was measured meets the requirement", *_why_not(given))))
    _show_engines(given, given.chosen, display)
    if folder is not None:
        optimise = Optimise(given.chosen.measurement.optimise)
        built = build.run(
            Request(given.engine(name_for(folder, NAME))), folder, replace(plan, optimise=(optimise,)), display
        )
        display.line(f"Built in {built.folder}/; the datasheet is {built.folder / 'datasheet.md'}.")
        values |= {"built": build.as_values(built)}
    display.value(values)


def engine_values(given: EngineAnswer) -> dict[str, object]:
    """The answer as plain JSON values."""
    chosen = given.chosen
    return {
        "requirement": asdict(given.wanted),
        "candidates": given.candidates,
        "late": given.late,
        "measured": [_values(each) for each in given.measured],
        "chosen": None if chosen is None else _values(chosen),
    }


def _values(each: MeasuredEngine) -> dict[str, object]:
    busy = each.candidate.load
    return {
        "specification": dict(each.candidate.fields),
        "load": asdict(busy) | {"share": busy.share, "binding": busy.binding},
        "area_ge": each.measurement.area_ge,
        "fmax_mhz": each.measurement.fmax_mhz,
        "optimise": each.measurement.optimise,
    }


def _show_engines(given: EngineAnswer, chosen: MeasuredEngine, display: Display) -> None:
    wanted = given.wanted
    rows = []
    for each in sorted(given.measured, key=lambda each: (not each.meets(wanted), each.measurement.area_ge)):
        busy = each.candidate.load
        rows.append(
            (
                each.candidate.engine(NAME).title,
                AREA.text(each.measurement.area_ge),
                written(each.measurement.fmax_mhz or 0.0, "MHz"),
                f"{busy.share:.0%} {busy.binding}",
                "" if each.meets(wanted) else "misses the clock",
            )
        )
    display.table("Recommended: the first", ("engine", ">area", ">fmax", ">busiest part", ""), rows, in_turn=True)
    for line in _engine_reasons(given, chosen):
        display.line(f"- {line}")
    display.line()
    display.line("As a specification:")
    for name, value in chosen.candidate.fields.items():
        display.line(f"  {name} = {_toml(value)}")


def _engine_reasons(given: EngineAnswer, chosen: MeasuredEngine) -> list[str]:
    wanted, busy = given.wanted, chosen.candidate.load
    engine = chosen.candidate.engine(NAME)
    least = least_packet(engine, wanted)
    packets = "packets of whole blocks" if engine.clocks_of_whole_blocks else "packets"
    reasons = [
        f"the packet that binds has {_packet(busy)}: of {busy.budget:.1f} clocks to the next one "
        + ", ".join(f"{part} needs {clocks:g} ({clocks / busy.budget:.0%})" for part, clocks in busy.demands.items()),
        f"{given.candidates} engines of {MOST_CORES} cores at most keep up with all packets, of each kind the one "
        f"with the fewest cores; measured, those expected to be smallest: {len(given.measured)}",
    ]
    if least is not None and least < wanted.packets[0]:
        reasons.append(f"it keeps up with {packets} from {least} bytes on")
    elif least is not None:
        reasons.append(f"it does not keep up with {packets} shorter than {least} bytes")
    if given.late:
        reasons.append(_late(given))
    return reasons


def _late(given: EngineAnswer) -> str:
    return f"not measured, for the time was up (--budget): {given.late}"


def _packet(busy: Load) -> str:
    header = f", {busy.header_blocks} of header" if busy.header_blocks else ""
    return f"{busy.text_blocks} blocks of text{header}"


def _why_not(given: EngineAnswer) -> list[str]:
    if not given.candidates:
        return [
            f"no engine of a core that is as fast as the clock, of at most {MOST_CORES} cores, keeps up with the "
            "packets: ask for a higher clock, longer packets or less throughput"
        ]
    slow = [
        f"{each.candidate.engine(NAME).title}: {written(each.measurement.fmax_mhz or 0.0, 'MHz')} of "
        f"{written(given.wanted.clock_mhz, 'MHz')}"
        for each in given.measured
    ]
    return [*slow, *([_late(given)] if given.late else [])]


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        given = {name: item for name, item in value.items() if item is not None}
        return "{ " + ", ".join(f"{name} = {_toml(item)}" for name, item in given.items()) + " }"
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value)
