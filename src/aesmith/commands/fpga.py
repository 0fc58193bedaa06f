"""`aesmith fpga`: a core placed and routed on an FPGA."""

from __future__ import annotations

from typing import Annotated

import typer

from aesmith.commands.console import Display
from aesmith.commands.request import (
    Gating,
    Json,
    NoStore,
    Refresh,
    Request,
    SpecificationOrBuild,
    StoreLocation,
    check_vectors,
    completing,
    foreign_source,
    gathering,
    read_request,
    result_store,
)
from aesmith.errors import RequestError
from aesmith.flow.fpga.devices import DEVICES, device_named
from aesmith.flow.fpga.measure import (
    DEFAULT_PLACER,
    DEFAULT_SEEDS,
    DEFAULT_TARGET_MHZ,
    DEFAULT_TIMING_WEIGHT,
    FpgaMeasurement,
    check_request,
    measure_on,
)
from aesmith.foreign.description import ForeignSource
from aesmith.scratch import work_folder


@gathering(foreign_source)
def command(
    spec: SpecificationOrBuild = None,
    *,
    theirs: ForeignSource | None,
    device: Annotated[
        str,
        typer.Option(
            "--device",
            metavar="NAME",
            autocompletion=completing(lambda: DEVICES),
            help="A device by name (see `aesmith list devices`).",
        ),
    ],
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            metavar="N",
            min=1,
            max=1000,
            help="Number of placements; all are listed, and the best is reported.",
        ),
    ] = DEFAULT_SEEDS,
    speed: Annotated[
        str | None,
        typer.Option(
            "--speed",
            metavar="GRADE",
            help="Speed grade, if the device has several. [default: the slowest]",
        ),
    ] = None,
    target: Annotated[
        float, typer.Option("--target", metavar="MHZ", min=1.0, help="Target frequency of placement.")
    ] = DEFAULT_TARGET_MHZ,
    timing_weight: Annotated[
        int,
        typer.Option(
            "--timing-weight",
            metavar="N",
            min=0,
            help="Weight of critical paths against short wires; more takes longer.",
        ),
    ] = DEFAULT_TIMING_WEIGHT,
    placer: Annotated[
        str,
        typer.Option(
            "--placer", metavar="NAME", help="nextpnr's placer: heap, or static on an ECP5, for large designs."
        ),
    ] = DEFAULT_PLACER,
    no_wide_luts: Annotated[
        bool,
        typer.Option(
            "--no-wide-luts",
            help="Use no wide LUTs on ECP5, Gowin or AMD: more levels and fewer wires, for congested designs.",
        ),
    ] = False,
    no_lut_memories: Annotated[
        bool,
        typer.Option(
            "--no-lut-memories",
            help="On ECP5, Gowin, Nexus or AMD, use block memories instead of LUT memories: fewer LUTs.",
        ),
    ] = False,
    memories_first: Annotated[
        bool,
        typer.Option(
            "--memories-first",
            help="Place block memories first, each near the logic it feeds, on an ecp5-85k.",
        ),
    ] = False,
    router_margin: Annotated[
        int | None,
        typer.Option(
            "--router-margin",
            metavar="N",
            min=1,
            max=128,
            help="Tiles by which a route may leave its pins' bounding box, on an ECP5. [default: nextpnr's own, 3]",
        ),
    ] = None,
    route_target: Annotated[
        float | None,
        typer.Option(
            "--route-target",
            metavar="MHZ",
            min=1.0,
            help="Target frequency of routing, on an ECP5. [default: that of placement]",
        ),
    ] = None,
    store: StoreLocation = None,
    no_store: NoStore = False,
    refresh: Refresh = False,
    as_json: Json = False,
) -> None:
    """Synthesise a core for an FPGA, place and route it, and report frequency, throughput, LUTs and Mbps per LUT.

    The core's ports are connected to shift registers, so the device's pins do not limit it. Devices without open place
    and route get counts only (see `aesmith list devices`). A nextpnr on the search path is preferred to the one that
    pip installs. Every placement is stored when it ends, so an interrupted run resumes.

    Example: aesmith fpga zhang2004-r7-enc --device ecp5-85k --seeds 5
    """
    display = Display(as_json=as_json)
    chosen = device_named(device)
    if no_wide_luts:
        chosen = chosen.without_wide_luts()
    if no_lut_memories:
        chosen = chosen.without_lut_memories()
    if memories_first:
        chosen = chosen.with_memories_first()
    if router_margin is not None:
        chosen = chosen.with_router_margin(router_margin)
    if route_target is not None:
        chosen = chosen.with_route_target(route_target)
    request = _without_gates(spec, read_request(spec, theirs, display), display)
    check_request(chosen, seeds, speed, placer)
    with (
        result_store(store, display, no_store=no_store, refresh=refresh) as kept,
        work_folder() as folder,
        display.progress(f"{request.design.name} on {chosen.name}: runs take minutes") as steps,
    ):
        check_vectors(request.design, folder / "vectors", display)
        measurement = measure_on(
            request.design.measured,
            chosen,
            folder,
            seeds=seeds,
            speed=speed,
            target_mhz=target,
            timing_weight=timing_weight,
            placer=placer,
            kept=kept,
            refresh=refresh,
            progress=steps.done,
        )
    display.value(measurement.to_json())
    if measurement.from_store:
        display.note(f"note: {measurement.from_store} of {measurement.steps} steps are from the result store")
    for changed in request.changed:
        display.note(f"note: {changed} was edited since the build; the edited file was measured")
    show(measurement, display)


def _without_gates(spec: str | None, request: Request, display: Display) -> Request:
    """The request with clock enables in the place of its clock gates: an FPGA has no cells for them.

    Raises RequestError for a build that has them.
    """
    if spec is None or request.design.inner is not None or not request.package.has_clock_gates:
        return request
    if request.build is not None:
        raise RequestError(f"{spec}: has clock gates, which an FPGA has no cells for; build it with --clock-gates off")
    display.note(f"note: {request.design.name}: clock enables instead of clock gates, which an FPGA has no cells for")
    return read_request(spec, gating=Gating.OFF)


def show(measurement: FpgaMeasurement, display: Display) -> None:
    """Prints the figures with their conditions."""
    grade = f", speed grade {measurement.speed_grade}" if measurement.speed_grade else ""
    rows = [
        ("LUTs", f"{measurement.luts:,}"),
        ("of these carries", f"{measurement.carry_luts:,}"),
        ("of these memories", f"{measurement.memory_luts:,}"),
        ("flip-flops", f"{measurement.flip_flops:,}"),
        ("block memories", f"{measurement.memories:,}"),
        ("cycles per block", f"{measurement.cycles_per_block}"),
        ("latency, clocks", f"{measurement.latency_cycles}"),
        ("fmax, MHz (best)", _number(measurement.fmax_mhz, 1)),
        ("fmax, MHz (median)", _number(measurement.median_fmax_mhz, 1)),
        ("throughput, Mbit/s", _number(measurement.throughput_mbps, 0)),
        ("Mbps/LUT", _number(measurement.mbps_per_lut, 3)),
    ]
    display.table(f"{measurement.design} on {measurement.device}{grade}", ("figure", ">value"), rows)
    if measurement.runs:
        seeds = [
            (run.seed, f"{run.fmax_mhz:.1f}", f"{run.used:,} of {run.available:,}", f"{run.seconds:.0f}")
            for run in measurement.runs
        ]
        display.table("Placements, wrapper included", (">seed", ">fmax MHz", ">logic cells", ">seconds"), seeds)
    for gap in measurement.gaps.values():
        display.line(gap)
    tools = ", ".join(f"{tool} {version}" for tool, version in sorted(measurement.tool_versions.items()))
    display.line("; ".join((*measurement.conditions, tools)), style="dim")


def _number(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:,.{digits}f}"
