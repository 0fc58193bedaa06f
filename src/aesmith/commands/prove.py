"""`aesmith verify --prove`: is the core AES, for every key, block and pattern of stalls that there is?"""

from __future__ import annotations

from pathlib import Path

from aesmith.assurance.proof.explore import Limits
from aesmith.assurance.proof.prove import Mapped, prove
from aesmith.assurance.proof.report import ProofReport
from aesmith.commands.console import Display
from aesmith.commands.request import Request
from aesmith.errors import CheckError, RequestError
from aesmith.flow.yosys import require_yosys


def run_proof(
    request: Request, folder: Path | None, seconds: float, display: Display, mapped: Mapped | None = None
) -> None:
    """Proves the core of a request, and that `mapped` is the core, and prints the report.

    Raises CheckError if any part is not proved, RequestError if the folder cannot be written or there is no such
    netlist, ToolError without Yosys.
    """
    require_yosys()
    if mapped is not None and not mapped.netlist.is_file():
        raise RequestError(f"netlist: there is no file {mapped.netlist}")
    design = request.design
    kept = folder or Path(f"{design.name}-proof")
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"proof-dir: {kept} cannot be made ({error.strerror or error})") from error
    with display.progress(f"proving {design.name}") as steps:
        report = prove(design, kept, Limits(seconds=seconds), steps.done, mapped=mapped)
    display.value(report.as_json() | {"folder": str(kept), "changed_files": list(request.changed)})
    for changed in request.changed:
        display.note(f"note: {changed} was edited since the build; the edited file was examined")
    show(report, kept, display)
    check(report)


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
