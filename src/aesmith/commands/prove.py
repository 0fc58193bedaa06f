"""`aesmith verify --prove`: is the core AES, for every key, block and pattern of stalls that there is?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from aesmith.assurance.proof.prove import Mapped, prove
from aesmith.assurance.proof.report import Limits, ProofReport
from aesmith.commands.console import Display
from aesmith.commands.request import Request
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError, RequestError
from aesmith.flow.measurement import Measurement
from aesmith.flow.recipes import recipe_by_name
from aesmith.flow.synthesis import synthesise
from aesmith.flow.yosys import require_yosys
from aesmith.technology.library import Library

DEFAULT_SECONDS = Limits().seconds

ProofFolder = Annotated[
    Path | None,
    typer.Option("--proof-dir", metavar="DIR", help="Keep the files of the proof there. [default: NAME-proof]"),
]
ProofSeconds = Annotated[
    float,
    typer.Option("--proof-seconds", metavar="S", min=1, help="A proof that takes longer is given up: not proved."),
]


def prove_request(
    request: Request, folder: Path | None, seconds: float, display: Display, mapped: Mapped | None = None
) -> None:
    """Proves the core of a request, and that `mapped` is the core, and prints the report.

    Raises CheckError if any part is not proved, and what `run_proof` raises.
    """
    report = run_proof(request.design, folder, seconds, display, mapped, one_file=request.one_file)
    kept = proof_folder(request.design, folder)
    display.value(report.as_json() | {"folder": str(kept), "changed_files": list(request.changed)})
    for changed in request.changed:
        examined = "the edited file was examined" if Path(changed).name in report.files else "no proof looks at it"
        display.note(f"note: {changed} was edited since the build; {examined}")
    show(report, kept, display)
    check(report)


def run_proof(
    design: CoreDesign,
    folder: Path | None,
    seconds: float,
    display: Display,
    mapped: Mapped | None = None,
    *,
    one_file: Path | None = None,
) -> ProofReport:
    """Proves a core under a progress bar, and that `mapped` is the core, and the Verilog `one_file`.

    Raises RequestError if the folder cannot be written or there is no such netlist, ToolError without Yosys.
    """
    require_yosys()
    if mapped is not None and not mapped.netlist.is_file():
        raise RequestError(f"netlist: there is no file {mapped.netlist}")
    kept = proof_folder(design, folder)
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"proof-dir: {kept} cannot be made ({error.strerror or error})") from error
    with display.progress(f"proving {design.name}") as steps:
        return prove(design, kept, Limits(seconds=seconds), steps.done, mapped=mapped, one_file=one_file)


def proof_folder(design: CoreDesign, folder: Path | None) -> Path:
    """Where the files of a proof are kept."""
    return folder or Path(f"{design.name}-proof")


def measured_netlist(design: CoreDesign, library: Library, measurement: Measurement, made: Path, again: Path) -> Path:
    """The netlist that was measured in `made`; if the measurement is from the store, made once more in `again`.

    Raises ToolError if Yosys fails.
    """
    netlist = made / re.sub(r"[^\w.+@-]", "_", measurement.recipe) / "netlist.v"
    if netlist.is_file():
        return netlist
    recipe, _, target = measurement.recipe.partition("@")
    return synthesise(design, library, recipe_by_name(recipe), float(target) if target else None, again).netlist


def show(report: ProofReport, folder: Path, display: Display) -> None:
    """Prints the report, a line a part."""
    title = f"{report.design}: {'proved' if report.proved else 'NOT proved'}, {report.seconds:.0f} s"
    rows = [(part.name, part.verdict, part.engine, f"{part.seconds:.1f}", part.detail) for part in report.parts]
    display.table(title, ("part", "verdict", "engine", ">seconds", "what was looked at"), rows)
    display.line(f"report and files: {folder}/report.md")
    if report.counterexample is not None:
        shown = report.counterexample
        display.line(f"counterexample: {shown.waveform}, clock {shown.clocks - 1}: {shown.rule}", style="bold red")


def check(report: ProofReport) -> None:
    """Raises CheckError, naming the parts left open or refuted, unless all are proved."""
    if not report.proved:
        parts = "; ".join(f"{part.name}: {part.verdict} ({part.detail})" for part in report.failing)
        raise CheckError(f"{report.design}: is not proved; {parts}")
