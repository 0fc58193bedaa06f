"""`aesmith build`: the package of a core or an engine; `aesmith check-package`: all that it offers, for who receives
it; `aesmith demo`: all steps once, for whoever sees it for the first time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api.measuring import Measuring, Placing, check_cells, chosen_plan, placing
from aesmith.assurance.plan import SimulationReport
from aesmith.assurance.proof.certificate import CERTIFICATE
from aesmith.assurance.proof.report import Limits
from aesmith.commands import measure, verify
from aesmith.commands.console import Display
from aesmith.commands.request import (
    BusName,
    ClockGates,
    DataStreams,
    Gating,
    Jobs,
    Json,
    LibertyFiles,
    LibraryName,
    NoStore,
    Refresh,
    Request,
    SelfTestName,
    Specification,
    StoreLocation,
    completing,
    named_folder,
    read_named_library,
    read_specification,
    register_fields,
    result_store,
)
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.explore.store import Store
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.yosys import require_yosys
from aesmith.publish.acceptance import Check, CheckOutcome, accept, failing
from aesmith.publish.datasheet import cases_of, picture_of, report_json, verification_text
from aesmith.publish.descriptions import Evidence, read_build
from aesmith.publish.output import output_folder
from aesmith.publish.package import STEPS, write_files
from aesmith.publish.project.boards import BOARDS, Board, Flow, board_for
from aesmith.publish.project.files import check_project, project_folder
from aesmith.scratch import work_folder
from aesmith.technology.library import Library

DEMO = "ueno2020-enc"


@dataclass(frozen=True)
class BuildPlan:
    """What to do for a build beside writing it: measure in `library` if there is one, place as `placed` says what was
    measured, verify it.

    What `store` has is not measured again, unless to `refresh` it.
    """

    library: Library | None
    optimise: tuple[Optimise, ...] = (Optimise.AREA,)
    jobs: int | None = None
    verify: bool = False
    store: Store | None = None
    refresh: bool = False
    placed: Placing | None = None
    clock_gates: bool = False
    """Whether the netlists that are measured have clock gates in the place of enables."""
    boards: tuple[Board, ...] = ()
    """The boards that the package has projects for."""


@dataclass(frozen=True)
class Built:
    """A finished build and what was found on the way."""

    folder: Path
    files: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    report: SimulationReport | None
    projects: tuple[str, ...] = ()


def command(
    spec: Specification,
    *,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the top module and prefix of all others."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", parser=named_folder, help="Folder of the build. [default: the name]"),
    ] = None,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    clock_gates: ClockGates = None,
    bus: BusName = None,
    self_test: SelfTestName = None,
    data_streams: DataStreams = False,
    no_measure: Annotated[bool, typer.Option("--no-measure", help="Skip the measured figures.")] = False,
    placed: Annotated[
        bool,
        typer.Option("--placed", help="Also place the netlist: the datasheet has the figures and a picture."),
    ] = False,
    with_verification: Annotated[
        bool, typer.Option("--verify", help="Verify first, and record it in the datasheet.")
    ] = False,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            metavar="TOOLS",
            autocompletion=completing(lambda: Flow),
            help=f"Add a self-test project for a board, for these tools: {', '.join(Flow)}.",
        ),
    ] = None,
    board: Annotated[
        str | None,
        typer.Option(
            "--board",
            metavar="NAME",
            autocompletion=completing(lambda: BOARDS),
            help="The board of the project (see `aesmith list boards`); it sets the default of --project.",
        ),
    ] = None,
    jobs: Jobs = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an earlier build even if its files were edited.")
    ] = False,
    store: StoreLocation = None,
    no_store: NoStore = False,
    refresh: Refresh = False,
    as_json: Json = False,
) -> None:
    """Write the package of a core or an engine: SystemVerilog, one-file Verilog-2005, constraints, bench, datasheet.

    The datasheet has figures measured in the embedded library, or the one you name. The same request gives
    byte-identical files. An unchanged earlier build in the folder is replaced; other files never are.

    With --bus an engine gets bus registers, a header and a C driver. With --board the package of a core has a
    self-test project for that board: a top with known answers, pins, and a build script.

    Example: aesmith build ueno2020-enc --name my_core --out my_core
    """
    display = Display(as_json=as_json)
    for_measuring = {
        "--library": library is not None,
        "--liberty": bool(liberty),
        "--store": store is not None,
        "--refresh": refresh,
        "--clock-gates on": clock_gates is Gating.ON,
        "--placed": placed,
    }
    if no_measure and any(for_measuring.values()):
        useless = next(option for option, given in for_measuring.items() if given)
        raise RequestError(f"no-measure: there is nothing to use {useless} for; leave one of them out")
    request = read_specification(spec, name, clock_gates, register_fields(bus, self_test, data_streams=data_streams))
    boards: tuple[Board, ...] = ()
    if project is not None or board is not None:
        boards = (board_for(board, project),)
        check_project(request.core("board"), boards[0])
    cells = None if no_measure else read_named_library(library, liberty, display)
    where = placing(cells) if placed and cells is not None else None
    with result_store(store, display, no_store=no_store or no_measure, refresh=refresh) as kept:
        plan = BuildPlan(
            library=cells,
            placed=where,
            jobs=jobs,
            verify=with_verification,
            store=kept,
            refresh=refresh,
            clock_gates=clock_gates is Gating.ON,
            boards=boards,
        )
        built = run(request, out or Path(request.design.name), plan, display, force=force)
    display.value(as_values(built))
    show(request, built, display)


def demo_command(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", parser=named_folder, help="Folder of the build.")] = Path(
        "ueno2020_enc"
    ),
    as_json: Json = False,
) -> None:
    """Build the core ueno2020-enc, verify it, and measure it with the embedded library."""
    display = Display(as_json=as_json)
    request = read_specification(DEMO)
    plan = BuildPlan(read_named_library(None, None, display), verify=True)
    built = run(request, out, plan, display)
    display.value(as_values(built))
    show(request, built, display)


def run(request: Request, out: Path, plan: BuildPlan, display: Display, *, force: bool = False) -> Built:
    """Verifies and measures as planned, then writes the package; nothing is written unless all of it succeeds."""
    design, package = request.design, request.package
    require_yosys()
    if plan.library is not None:
        check_cells(design.measured, plan.library, chosen_plan(Optimise.AREA, clock_gates=plan.clock_gates))
    if plan.verify:
        package.check_simulator()
    with output_folder(out, force=force) as folder, work_folder() as work:
        report = None
        if plan.verify:
            with display.progress(f"verifying {design.name}") as steps:
                report = package.verify(folder=work / "verify", progress=steps.done)
            verify.check(report)
        measurements: tuple[Measurement, ...] = ()
        pictures: dict[str, str] = {}
        for optimise in plan.optimise if plan.library is not None else ():
            assert plan.library is not None
            with display.progress(measure.title(plan.library, optimise)) as steps:
                synthesis = chosen_plan(optimise, clock_gates=plan.clock_gates)
                measuring = Measuring(
                    design, plan.library, optimise, work, plan.store, plan.refresh, synthesis, plan.jobs
                )
                obtained = measuring.area_and_speed(progress=steps.done)
            measure.note_known(design, obtained, display)
            measurement = obtained.measurement
            if plan.placed is not None:
                with display.progress(f"placement in {plan.library.name}") as steps:
                    laid = measuring.placement(measurement, plan.placed, steps.done)
                measurement = laid.measurement
                pictures[picture_of(measurement)] = laid.picture
            measurements += (measurement,)
        found = "" if report is None else verification_text(report, cases_of(design))
        evidence = Evidence(measurements, found, pictures)
        with display.progress(f"writing {design.name}") as steps:
            files = package.files(
                evidence,
                work,
                lambda step: steps.done(step, STEPS.index(step) if step in STEPS else 0, len(STEPS)),
                plan.boards,
            )
        write_files(files, folder)
    return Built(out, tuple(sorted(files)), measurements, report, tuple(map(project_folder, plan.boards)))


def as_values(built: Built) -> dict[str, object]:
    """What a build made, as plain JSON values."""
    return {
        "folder": str(built.folder.resolve()),
        "datasheet": str((built.folder / "datasheet.md").resolve()),
        "manifest": str((built.folder / "manifest.json").resolve()),
        "files": list(built.files),
        "projects": list(built.projects),
        "measurements": [measurement.to_json() for measurement in built.measurements],
        "verification": report_json(built.report) if built.report is not None else None,
    }


def show(request: Request, built: Built, display: Display) -> None:
    """Prints what was found, and where everything is."""
    if built.report is not None:
        verify.show_report(request.design, built.report, display)
    for measurement in built.measurements:
        measure.show(measurement, display)
    if built.measurements and isinstance(request.design, CoreDesign):
        measure.show_published(request.design, display)
    if not isinstance(request.design, CoreDesign):
        for limit in request.design.limits:
            display.note(f"note: {request.design.name}: {limit}")
    folder = built.folder
    figures = "in the datasheet, with their conditions" if built.measurements else "none measured"
    display.table(
        "",
        ("", "where"),
        (
            ("package", f"{folder}/"),
            ("datasheet", folder / "datasheet.md"),
            ("figures", figures),
            ("testbench", folder / "tb"),
            ("manifest", folder / "manifest.json"),
            *(("project", folder / project) for project in built.projects),
        ),
    )


def package_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a core package.")],
    *,
    proof: verify.Prove = False,
    proof_seconds: verify.ProofSeconds = verify.DEFAULT_SECONDS,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="DIR", help="Folder of a proof of the package: check its certificate."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Acceptance-test a core package.

    Checks: hashes, equality of sources and one-file Verilog, generated files, lint, elaboration, the package's own test
    bench, FuseSoC, constraints and a simulation; with --prove a proof and its certificate. A check whose tool is not
    installed is skipped, with the reason. The exit status is 1 if a check fails, 3 if a tool fails.

    Example: aesmith check-package my_core --prove
    """
    display = Display(as_json=as_json)
    require_yosys()
    build = read_build(folder)
    if certificate is not None and not (certificate / CERTIFICATE).is_file():
        raise RequestError(f"certificate: there is no {certificate / CERTIFICATE}")
    name, limits = build.design.name, Limits(seconds=proof_seconds) if proof else None
    with work_folder() as work, display.progress(f"examining {name}") as steps:
        checks = accept(build, work, certificate=certificate, proof=limits, progress=steps.done)
    passed = all(check.outcome in (CheckOutcome.PASSED, CheckOutcome.SKIPPED) for check in checks)
    display.value({"name": name, "made_by": build.version, "passed": passed, "checks": [vars(c) for c in checks]})
    show_checks(name, checks, display)
    if failed := list(failing(checks)):
        raise CheckError(
            f"{name}: fails {len(failed)} of {len(checks)} checks; first {failed[0].name}: {failed[0].detail}"
        )
    for check in checks:
        if check.outcome is CheckOutcome.STOPPED:
            raise ToolError(f"{name}: {check.name}: {check.detail}")


def show_checks(name: str, checks: Sequence[Check], display: Display) -> None:
    """Prints a line a check."""
    counts = {outcome: sum(check.outcome is outcome for check in checks) for outcome in CheckOutcome}
    verdict = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
    rows = [(check.name, check.outcome, f"{check.seconds:.1f}", check.detail) for check in checks]
    display.table(f"{name}: {verdict}", ("check", "result", ">seconds", "what was looked at"), rows)
