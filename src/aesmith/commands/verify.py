"""`aesmith verify`: is the core AES, under every pattern of keys, blocks and stalls that is tried?"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from aesmith.assurance.plan import SCENARIOS, SimulationPlan, facts_of
from aesmith.assurance.proof.prove import Mapped
from aesmith.assurance.report import SimulationReport
from aesmith.assurance.simulation import simulate
from aesmith.assurance.simulator import find_tools
from aesmith.commands.console import Display
from aesmith.commands.options import Json, LibertyFile, LibraryName, RandomPairs, Seed, SpecificationOrBuild
from aesmith.commands.prove import DEFAULT_SECONDS, ProofFolder, ProofSeconds, prove_request
from aesmith.commands.request import read_named_library, read_request, work_folder
from aesmith.cores.design import CoreDesign
from aesmith.cores.wrapper import with_one_key_size
from aesmith.errors import CheckError, RequestError
from aesmith.publish.datasheet import report_json

DEFAULT = SimulationPlan()


def command(
    spec: SpecificationOrBuild,
    *,
    seed: Seed = DEFAULT.seed,
    random_pairs: RandomPairs = DEFAULT.random_pairs,
    waves: Annotated[
        bool,
        typer.Option("--waves", help="If the core fails, record the failing scenario as NAME-SCENARIO.vcd, here."),
    ] = False,
    proof: Annotated[
        bool,
        typer.Option("--prove", help="Prove the core for all keys, blocks and stalls, instead of simulating it."),
    ] = False,
    proof_dir: ProofFolder = None,
    proof_seconds: ProofSeconds = DEFAULT_SECONDS,
    netlist: Annotated[
        Path | None,
        typer.Option("--netlist", metavar="FILE", help="Prove also that this netlist of library cells is the core."),
    ] = None,
    library: LibraryName = None,
    liberty: LibertyFile = None,
    as_json: Json = False,
) -> None:
    """Simulate a core against the standard's vectors and a golden model, through its block interface.

    Give the folder of a build to verify the sources that are in it now, edited or not. The exit status is 1 if the
    core does anything that AES or the block interface does not allow.

    Example: aesmith verify my_core --seed 7
    """
    display = Display(as_json=as_json)
    plan = SimulationPlan(seed=seed, random_pairs=random_pairs, waves=waves)
    request = read_request(spec)
    if proof:
        mapped = Mapped(netlist, read_named_library(library, liberty)) if netlist else None
        prove_request(request, proof_dir, proof_seconds, display, mapped)
        return
    for bits in request.design.key_bits:
        facts_of(with_one_key_size(request.design, bits))
    find_tools()
    with work_folder() as folder:
        report = run(request.design, plan, folder, display)
        kept = _keep_waveform(report)
    display.value(report_json(report) | {"changed_files": list(request.changed), "waveform": kept and str(kept)})
    for changed in request.changed:
        display.note(f"note: {changed} was edited since the build; the edited file was verified")
    show(report, display)
    if kept:
        display.line(f"waveform: {kept}, the failure is at {report.waveform.failure_ns if report.waveform else 0} ns")
    check(report)


def run(design: CoreDesign, plan: SimulationPlan, folder: Path, display: Display) -> SimulationReport:
    """Simulates under a progress bar."""
    with display.progress(f"verifying {design.name}") as steps:
        return simulate(design, folder / "verify", plan, steps.done)


def show(report: SimulationReport, display: Display) -> None:
    """Prints the report, a line a scenario."""
    rows = [
        (
            s.name,
            f"{s.cases:,}",
            f"{s.cycles:,}",
            "passed" if s.passed else "FAILED",
            s.note or SCENARIOS.get(s.name.partition(",")[0], ""),
        )
        for s in report.scenarios
    ]
    title = f"{report.design}: {'verified' if report.passed else 'NOT verified'} by simulation, seed {report.seed}"
    display.table(title, ("scenario", ">blocks", ">clocks", "result", "what it does"), rows)
    for scenario in report.failures:
        display.line(f"{scenario.name}: {scenario.failure}", style="bold red")


def check(report: SimulationReport) -> None:
    """Raises CheckError if a scenario failed."""
    if not report.passed:
        first, count = report.failures[0], f"{len(report.failures)} of {len(report.scenarios)} scenarios"
        raise CheckError(f"{report.design}: fails {count}; first {first.name}: {first.failure}")


def _keep_waveform(report: SimulationReport) -> Path | None:
    if report.waveform is None:
        return None
    target = Path(report.waveform.path.name)
    try:
        shutil.copyfile(report.waveform.path, target)
    except OSError as error:
        raise RequestError(f"waves: {target.resolve()} cannot be written ({error.strerror or error})") from error
    return target
