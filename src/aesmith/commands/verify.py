"""`aesmith verify`: is the core AES, under every pattern of keys, blocks and stalls that is tried?

With `--prove`: for every key, block and pattern of stalls that there is. And the verb of who receives one:
`aesmith check-proof` of a proof.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aesmith.api import Core, Engine
from aesmith.api.measuring import Mapped
from aesmith.assurance.plan import SCENARIOS, SimulationPlan, SimulationReport
from aesmith.assurance.probing.sampling_plan import SamplingPlan
from aesmith.assurance.proof.certificate import CERTIFICATE
from aesmith.assurance.proof.report import Limits, ProofReport
from aesmith.check_proof import check_certificate
from aesmith.commands.console import Display
from aesmith.commands.power import probe_request, sample_request
from aesmith.commands.request import (
    Json,
    LibertyFiles,
    LibraryName,
    RandomPairs,
    Request,
    Seed,
    SpecificationOrBuild,
    foreign_source,
    gathering,
    named_folder,
    read_named_library,
    read_request,
)
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError, RequestError, explained
from aesmith.flow.yosys import SOURCE_FOLDER, require_yosys
from aesmith.foreign.description import ForeignSource
from aesmith.lazy import LazyModule
from aesmith.publish.datasheet import cases_of, report_json
from aesmith.publish.output import MANIFEST
from aesmith.publish.package import NOT_EXAMINED, ShippedFile, examine_files
from aesmith.scratch import work_folder, write_whole

if TYPE_CHECKING:
    from aesmith.assurance.streams import check as streams
    from aesmith.modes.engine import StreamEngine
else:
    streams = LazyModule("aesmith.assurance.streams.check")

DEFAULT = SimulationPlan()
DEFAULT_SECONDS = Limits().seconds

Prove = Annotated[
    bool, typer.Option("--prove", help="Prove the core or engine for all keys, blocks or messages, and stalls.")
]
ProofFolder = Annotated[
    Path | None,
    typer.Option(
        "--proof-dir",
        metavar="DIR",
        parser=named_folder,
        help="Folder for the files of the proof. [default: NAME-proof]",
    ),
]
ProofSeconds = Annotated[
    float,
    typer.Option("--proof-seconds", metavar="S", min=1, max=1e6, help="Give up a proof after this many seconds."),
]


@gathering(foreign_source)
def command(
    spec: SpecificationOrBuild = None,
    *,
    theirs: ForeignSource | None,
    seed: Seed = DEFAULT.seed,
    random_pairs: RandomPairs = DEFAULT.random_pairs,
    waves: Annotated[
        bool,
        typer.Option("--waves", help="Record the first failing scenario as NAME-SCENARIO.vcd in this folder."),
    ] = False,
    proof: Prove = False,
    proof_dir: ProofFolder = None,
    proof_seconds: ProofSeconds = DEFAULT_SECONDS,
    netlist: Annotated[
        Path | None,
        typer.Option(
            "--netlist",
            metavar="FILE",
            help="Also prove this netlist of library cells equal to the core; with --probing, that it leaks no more.",
        ),
    ] = None,
    library: LibraryName = None,
    liberty: LibertyFiles = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="DIR",
            parser=named_folder,
            help="Folder for exports of the core and its rules for model checkers.",
        ),
    ] = None,
    probing: Annotated[bool, typer.Option("--probing", help="Check the probing security of a masked core.")] = False,
    order: Annotated[
        int | None,
        typer.Option("--order", metavar="D", help="Number of simultaneous probes. [default: one less than shares]"),
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="BLOCKS",
            help="With --probing: sample probes of the whole core over this many blocks, fixed against random.",
        ),
    ] = None,
    transitions: Annotated[
        bool, typer.Option("--transitions", help="With --sample: each probe reads two consecutive cycles.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Verify a core against the standard's vectors and a golden model, or an engine against the model of its mode.

    A core is simulated through its block interface; an engine receives --random messages of each kind, and published
    ones. --prove proves the design instead. --probing checks a masked core in the robust probing model, by structure
    and exact checks of its parts. With --sample a G-test of sampled probes looks for leaks, and proves nothing; Ctrl-C
    reports the state so far.

    Give the folder of a build to verify its present sources, edited or not. Its one-file Verilog is proved equal to
    them and its test bench compared; files that are not examined are listed. The exit status is 1 if the design
    violates AES, its mode or its interface, or a file differs.

    Example: aesmith verify my_core --seed 7
    """
    display = Display(as_json=as_json)
    plan = SimulationPlan(seed=seed, random_pairs=random_pairs, waves=waves)
    of_netlists = {"--netlist": netlist, "--library": library, "--liberty": liberty}
    of_proofs = {"--proof-dir": proof_dir} | ({} if probing else of_netlists)
    of_simulation = {"--waves": waves, "--random": random_pairs != DEFAULT.random_pairs}
    of_simulation |= {"--seed": seed != DEFAULT.seed and blocks is None}
    if proof and (useless := [option for option, given in of_simulation.items() if given]):
        raise RequestError(f"prove: a proof has no use for {useless[0]}; leave one of them out")
    if not proof and (useless := [option for option, given in of_proofs.items() if given is not None]):
        with_it = "--prove or --probing" if useless[0] in of_netlists else "--prove"
        raise RequestError(f"{useless[0]}: a simulation has no use for it; give {with_it} too, or leave it out")
    if order is not None and not probing:
        raise RequestError("--order: is of probes; give --probing too, or leave it out")
    if probing and (useless := [option for option, given in of_simulation.items() if given]):
        raise RequestError(f"probing: it has no use for {useless[0]}; leave one of them out")
    if probing and (proof or export is not None):
        raise RequestError(f"probing: it has no use for {'--prove' if proof else '--export'}; leave one of them out")
    if not probing and (blocks is not None or transitions):
        raise RequestError(f"{'--transitions' if blocks is None else '--sample'}: is of probes; give --probing too")
    if transitions and blocks is None:
        raise RequestError("--transitions: is of sampled probes; give --sample too, or leave it out")
    if blocks is not None and order is not None:
        raise RequestError("--order: sampled is one probe at a time; leave it or --sample out")
    request = read_request(spec, theirs, display)
    mapped = Mapped(netlist, read_named_library(library, liberty, display)) if netlist else None
    if probing:
        require_yosys()
    if blocks is not None:
        sampled = SamplingPlan(blocks, seed, transitions)
        sample_request(request.core("--sample"), sampled, display, mapped)
        return
    if probing:
        probe_request(request.core("--probing"), order, display, mapped)
        return
    if proof:
        if export is not None:
            request.core("--export")
        prove_request(request, proof_dir, proof_seconds, display, mapped)
        if export is not None:
            kept_proof = proof_folder(request.core("--prove"), proof_dir) / CERTIFICATE
            export_request(request.core("--export"), export, display, kept_proof)
        return
    if export is not None:
        export_request(request.core("--export"), export, display)
        return
    package = request.package
    package.check_simulator()
    with work_folder() as folder, display.progress(f"verifying {request.design.name}") as steps:
        if isinstance(package, Core):
            report = package.verify(plan, folder=folder / "verify", progress=steps.done)
        elif waves:
            raise RequestError("--waves: for cores only; a wrong beat is reported with its message and cycle")
        else:
            of_messages = streams.StreamPlan(seed=seed, messages=random_pairs, vectors=random_pairs)
            report = package.verify(of_messages, folder=folder / "verify", progress=steps.done)
        kept = keep_waveform(report)
    with work_folder() as folder:
        files = examine(request, folder, display, "simulated")
    display.value(
        report_json(report)
        | {"changed_files": list(request.changed), "waveform": kept and str(kept), "files": [vars(f) for f in files]}
    )
    show_report(request.design, report, display)
    show_files(files, display)
    if kept:
        display.line(f"waveform: {kept}, the failure is at {report.waveform.failure_ns if report.waveform else 0} ns")
    check(report)
    check_files(request, files)


def examine(
    request: Request, folder: Path, display: Display, sources: str, one_file: str | None = None
) -> list[ShippedFile]:
    """What is known of each file of a build; of a specification nothing is shipped."""
    if request.build is None:
        return []
    with display.progress(f"comparing files of {request.design.name}"):
        return examine_files(request.build, folder, sources=sources, one_file=one_file)


def show_files(files: Sequence[ShippedFile], display: Display) -> None:
    """Prints a line a file of a build."""
    if files:
        rows = [
            (f.path, "edited" if f.edited else "", f"WRONG: {f.path} {f.wrong}" if f.wrong else f.examined)
            for f in files
        ]
        display.table("Files of the build", ("file", "since", "what was checked"), rows)
    for file in files:
        if file.edited and not file.wrong:
            display.note(f"note: {file.path} was edited since the build; {_of_edited(file)}")


def _of_edited(file: ShippedFile) -> str:
    return "it was not examined" if file.examined.startswith(NOT_EXAMINED) else "the edited file was examined"


def check_files(request: Request, files: Sequence[ShippedFile]) -> None:
    """Raises CheckError for the first file of a build that is not what it must be."""
    for file in files:
        if file.wrong:
            raise CheckError(f"{request.design.name}: {file.path} {file.wrong}")


def run(design: CoreDesign, plan: SimulationPlan, folder: Path, display: Display) -> SimulationReport:
    """Simulates under a progress bar."""
    with display.progress(f"verifying {design.name}") as steps:
        return Core(design).verify(plan, folder=folder / "verify", progress=steps.done)


def show(
    report: SimulationReport, display: Display, scenarios: Mapping[str, str] = SCENARIOS, cases: str = "blocks"
) -> None:
    """Prints the report, a line a scenario, what each does, and what its cases are."""
    rows = [
        (
            s.name,
            f"{s.cases:,}",
            f"{s.cycles:,}",
            "passed" if s.passed else "FAILED",
            s.note or scenarios.get(s.name.partition(",")[0], ""),
        )
        for s in report.scenarios
    ]
    title = f"{report.design}: {'verified' if report.passed else 'NOT verified'} by simulation, seed {report.seed}"
    display.table(title, ("scenario", f">{cases}", ">clocks", "result", "what it does"), rows)
    for scenario in report.failures:
        display.line(f"{scenario.name}: {scenario.failure}", style="bold red")


def show_report(design: CoreDesign | StreamEngine, report: SimulationReport, display: Display) -> None:
    """Prints the report of a core or an engine."""
    scenarios = SCENARIOS if isinstance(design, CoreDesign) else streams.SCENARIOS
    show(report, display, scenarios, cases_of(design))


def check(report: SimulationReport) -> None:
    """Raises CheckError if a scenario failed."""
    if not report.passed:
        first, count = report.failures[0], f"{len(report.failures)} of {len(report.scenarios)} scenarios"
        raise CheckError(f"{report.design}: fails {count}; first {first.name}: {first.failure}")


def keep_waveform(report: SimulationReport) -> Path | None:
    """Writes the waveform of the first failing scenario into the present folder, if one was recorded; returns where."""
    if report.waveform is None:
        return None
    target = Path(report.waveform.path.name)
    write_whole(target, report.waveform.path.read_bytes(), "waves")
    return target


def prove_request(
    request: Request, folder: Path | None, seconds: float, display: Display, mapped: Mapped | None = None
) -> None:
    """Proves the core of a request, and that `mapped` is the core, or its engine, and prints the report.

    Raises CheckError if any part is not proved, and what `run_proof` raises.
    """
    design = request.design if mapped is None else request.core("--netlist")
    report = run_proof(design, folder, seconds, display, mapped, one_file=request.one_file)
    kept = proof_folder(design, folder)
    verdict = "proved" if report.proved else "looked at by the proof"
    of_one_file = f"{verdict}, as the part one file says" if isinstance(design, CoreDesign) else None
    files = examine(request, kept, display, verdict, of_one_file)
    changed = {"changed_files": list(request.changed), "shipped": [vars(file) for file in files]}
    display.value(report.as_json() | {"folder": str(kept)} | changed)
    show_proof(report, kept, display)
    show_files(files, display)
    check_proof(report)
    check_files(request, files)


def export_request(design: CoreDesign, folder: Path, display: Display, certificate: Path | None = None) -> None:
    """Writes a core and its rules for model checkers, with the bounds of a certificate if there is one.

    Raises RequestError if the folder cannot be written, ToolError if its disk is full, and without Yosys.
    """
    require_yosys()
    bounds = {}
    if certificate is not None and certificate.is_file():
        bounds = json.loads(certificate.read_text(encoding="utf-8"))["bounds"]
    try:
        files = Core(design).export(folder, bounds)
    except OSError as error:
        raise explained(error, f"export: {folder} cannot be written") from error
    if certificate is None:
        display.value({"files": list(map(str, files)), "bounds": bounds})
    display.line(f"for model checkers: {', '.join(map(str, files))}")
    if not bounds:
        display.note("note: no wait is bounded in them; bounds come from a proof (--prove) that leaves a certificate")


def run_proof(
    design: CoreDesign | StreamEngine,
    folder: Path | None,
    seconds: float,
    display: Display,
    mapped: Mapped | None = None,
    *,
    one_file: Path | None = None,
) -> ProofReport:
    """Proves a core or engine under a progress bar, and that `mapped` is the core, and the Verilog `one_file`.

    Raises RequestError if the folder cannot be written or there is no such netlist, or for an engine of a mode that no
    proof is there for; ToolError without Yosys or if its disk is full; then a folder that was made for the proof is
    gone.
    """
    require_yosys()
    if not isinstance(design, CoreDesign):
        Engine(design).check_provable()
    if mapped is not None and not mapped.netlist.is_file():
        raise RequestError(f"netlist: there is no file {mapped.netlist}")
    kept = proof_folder(design, folder)
    made = not kept.exists()
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explained(error, f"proof-dir: {kept} cannot be made") from error
    try:
        with display.progress(f"proving {design.name}") as steps:
            limits = Limits(seconds=seconds)
            if not isinstance(design, CoreDesign):
                return Engine(design).prove(kept, limits, progress=steps.done)
            return Core(design).prove(kept, limits, netlist=mapped, one_file=one_file, progress=steps.done)
    except OSError as error:
        if made:
            shutil.rmtree(kept, ignore_errors=True)
        raise explained(error, f"proof-dir: {kept} cannot be written") from error


def proof_folder(design: CoreDesign | StreamEngine, folder: Path | None) -> Path:
    """Where the files of a proof are kept."""
    return folder or Path(f"{design.name}-proof")


def show_proof(report: ProofReport, folder: Path, display: Display) -> None:
    """Prints the report, a line a part."""
    title = f"{report.design}: {'proved' if report.proved else 'NOT proved'}, {report.seconds:.0f} s"
    rows = [(part.name, str(part.verdict), part.engine, f"{part.seconds:.1f}", part.detail) for part in report.parts]
    rows += [(found.name, "not claimed", "", "", found.finding) for found in report.properties]
    display.table(title, ("part", "verdict", "engine", ">seconds", "what was looked at"), rows)
    display.line(report.of_text)
    display.line(f"report and files: {folder}/report.md")
    if (folder / CERTIFICATE).is_file():
        display.line(f"certificate: {folder / CERTIFICATE}, for `aesmith check-proof {folder}`")
    if report.counterexample is not None:
        shown = report.counterexample
        display.line(f"counterexample: {shown.waveform}, clock {shown.clocks - 1}: {shown.rule}", style="bold red")


def check_proof(report: ProofReport) -> None:
    """Raises CheckError, naming the parts left open or refuted, unless all are proved."""
    if not report.proved:
        parts = "; ".join(f"{part.name}: {part.verdict} ({part.detail})" for part in report.failing)
        raise CheckError(f"{report.design}: is not proved; {parts}")


def check_command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of a proof, with certificate.json and the sources in rtl.")
    ],
    *,
    rtl: Annotated[
        Path | None,
        typer.Option("--rtl", metavar="DIR", help="The sources to check it against. [default: those in the proof]"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check the certificate of a proof with a small program that shares no code with the prover.

    The sources are elaborated again. The exit status is 1 if the certificate does not prove its claims about them.

    Example: aesmith check-proof first-proof
    """
    display = Display(as_json=as_json)
    if not (folder / CERTIFICATE).exists() and (folder / MANIFEST).is_file():
        raise RequestError(
            f"DIR: {folder} is a package, and has no {CERTIFICATE}; `aesmith verify {folder} --prove` makes a proof, "
            "and says where"
        )
    require_yosys()
    with display.progress(f"checking {folder}"):
        found = check_certificate(folder / CERTIFICATE, rtl or folder / SOURCE_FOLDER)
    claim = found.claim
    display.value(
        {
            "accepted": True,
            "name": found.name,
            "key_bits": claim.key_bits,
            "directions": claim.directions,
            "block_width": claim.width,
            "clear": claim.clear,
            "states": found.states,
            "clocks": found.clocks,
            "bounds": found.bounds,
        }
    )
    sizes = ", ".join(map(str, claim.key_bits))
    title = f"{found.name}: the certificate holds: AES with keys of {sizes} bits, {' and '.join(claim.directions)}"
    title += ", and a clear that leaves nothing of them" if claim.clear else ""
    rows = [("states listed, and clocks that leave them", f"{found.states:,}; {found.clocks:,}")]
    display.table(
        title, ("what was checked", ">"), rows + [(f"clocks at most: {k}", f"{v:,}") for k, v in found.bounds.items()]
    )
