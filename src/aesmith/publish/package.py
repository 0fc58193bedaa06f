"""Makes the core package: everything the user takes home, the same bytes for the same request.

And says of a package that stands somewhere what of it was checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesmith import __version__
from aesmith.assurance.cocotb_test import cocotb_files
from aesmith.assurance.engines.clears import check_engine_clear
from aesmith.assurance.engines.open_gates import check_scan_enable
from aesmith.assurance.engines.prove import check_claimed
from aesmith.assurance.proof.prove import check_clear
from aesmith.assurance.proof.scan import refuse_ambiguous
from aesmith.assurance.standalone import standalone_testbench
from aesmith.assurance.streams.standalone import stream_testbench
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.drawing.diagram import draw_diagram
from aesmith.drawing.waveform import Trace, draw_waveform
from aesmith.errors import CheckError, RequestError, ToolError, explained
from aesmith.flow.equality import prove_equal
from aesmith.flow.verilog2005 import verilog2005
from aesmith.modes.engine import StreamEngine
from aesmith.peripheral.bench import peripheral_testbench
from aesmith.peripheral.files import peripheral_files
from aesmith.publish.datasheet import datasheet
from aesmith.publish.descriptions import Build, Evidence, constraints, core_description, manifest_text
from aesmith.publish.flows import flow_files
from aesmith.publish.output import MANIFEST
from aesmith.publish.project.boards import Board
from aesmith.publish.project.files import boards_in, project_files
from aesmith.publish.readable import readable
from aesmith.publish.structure import check_ports, elaborate, module_uses, structure
from aesmith.publish.trace import (
    Step,
    check_latency,
    check_schedule,
    cycle_table,
    message_table,
    trace_core,
    trace_engine,
)

STEPS = ("Verilog-2005", "proof that it is the sources", "block diagram", "waveform", "datasheet")
"""What making a package consists of; `progress` is called with each before it begins."""

CLEAR_STEP = "proof that clear_i clears each register"
SCAN_STEP = "proof that scan_enable_i opens each clock gate"
"""And before them, for a design that has one."""

TESTBENCH_FOLDER = "tb"


def testbench_of(design: CoreDesign | StreamEngine) -> tuple[SourceFile, ...]:
    """The testbench that travels with a design. Raises RequestError for a core that can't be simulated."""
    if isinstance(design, CoreDesign):
        return standalone_testbench(design)
    return peripheral_testbench(design) if design.bus else stream_testbench(design)


def _beside(design: CoreDesign | StreamEngine, boards: Sequence[Board]) -> dict[str, str]:
    """What stands beside the core, by path: projects for boards, what software and tools read of registers, and a test
    by cocotb."""
    if not isinstance(design, CoreDesign):
        return peripheral_files(design) | cocotb_files(design)
    projects = {path: text for board in boards for path, text in project_files(design, board).items()}
    return projects | cocotb_files(design)


def package_files(
    design: CoreDesign | StreamEngine,
    testbench: Sequence[SourceFile],
    evidence: Evidence,
    work_dir: Path,
    progress: Callable[[str], None] = lambda _: None,
    *,
    boards: Sequence[Board] = (),
) -> dict[str, str]:
    """All files of the build (path -> text), manifest included, with a project for each of `boards`.

    Raises RequestError for a core that has no project for a board (`check_project`), ToolError if a tool fails,
    CheckError if the one-file Verilog is not proved equal to the sources, or these do
    not have the ports or keep the cycles that `design` states, or have a register that their `clear_i` does not clear
    or a clock gate that their `scan_enable_i` does not open.
    """
    if design.ports.clearable:
        progress(CLEAR_STEP)
        if isinstance(design, CoreDesign):
            check_clear(design, work_dir / "clear")
        else:
            check_engine_clear(design.behind_bus, work_dir / "clear")
    if design.ports.scan_enable is not None:
        progress(SCAN_STEP)
        check_scan_enable(design, work_dir / "scan_enable")
    progress(STEPS[0])
    one_file = readable(verilog2005(design, _header(design), work_dir / "verilog2005"), design.sources)
    progress(STEPS[1])
    prove_equal(design, one_file, work_dir / "equality")
    progress(STEPS[2])
    netlist = elaborate(design, work_dir / "netlist")
    check_ports(design, netlist)
    diagram = draw_diagram(structure(design, netlist), f"{design.name}: block diagram")
    progress(STEPS[3])
    trace, steps, shown = _traced(design, work_dir / "waveform")
    progress(STEPS[4])
    benches = {f"{TESTBENCH_FOLDER}/{source.name}": source.text for source in testbench}
    measured = next(iter(evidence.measurements), None)
    bench_sources = [path for path in benches if path.endswith((".sv", ".v"))]
    files = {
        **{f"rtl/{source.name}": source.text for source in design.sources},
        f"{design.name}.v": one_file,
        f"{design.name}.sdc": constraints(design, measured),
        **flow_files(design, bench_sources, measured),
        **benches,
        **_beside(design, boards),
        "diagram.svg": diagram,
        "waveform.svg": draw_waveform(trace, f"{design.name}: {shown}"),
        **evidence.pictures,
        "datasheet.md": datasheet(
            design,
            modules=module_uses(netlist),
            steps=steps,
            measurements=evidence.measurements,
            pictures=tuple(evidence.pictures),
            verification=evidence.verification,
            testbench=bool(benches),
        ),
    }
    file = f"{design.name}.core"
    files[file] = core_description(
        design,
        bench_sources,
        [path for path in benches if path.endswith(".hex")],
        Path(bench_sources[-1]).stem if bench_sources else "",
        [*files, file, MANIFEST] if _provable(design) else (),
    )
    return {**files, MANIFEST: manifest_text(design, testbench, evidence, files)}


def _provable(design: CoreDesign | StreamEngine) -> bool:
    """Whether `aesmith verify --prove` takes it."""
    if isinstance(design, CoreDesign):
        return True
    try:
        check_claimed(design)
    except RequestError:
        return False
    return True


def _traced(design: CoreDesign | StreamEngine, work_dir: Path) -> tuple[Trace, tuple[Step, ...], str]:
    """A trace whose clocks are those that the design states, what happens in them, and what is shown, in words."""
    if isinstance(design, CoreDesign):
        trace = trace_core(design, work_dir)
        check_schedule(design, trace)
        return trace, cycle_table(trace), "one key, three blocks, a stall"
    # Of an engine with registers, the streams inside them are shown.
    trace = trace_engine(design.behind_bus, work_dir)
    check_latency(design.behind_bus, trace)
    return trace, message_table(trace), "one key, three messages, a stall"


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Writes `files` into `folder`, which exists. Raises ToolError if there is no room for one, else RequestError."""
    for path, text in files.items():
        try:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise explained(error, f"output folder: {path} cannot be written") from error


@dataclass(frozen=True)
class ShippedFile:
    """What is known of one file of a build: whether it was edited since, what it was compared with, and what is wrong
    with it in words, empty if nothing is."""

    path: str
    edited: bool
    examined: str
    wrong: str = ""


NOT_EXAMINED = "not examined"


def examine_files(build: Build, work_dir: Path, *, sources: str, one_file: str | None = None) -> list[ShippedFile]:
    """What a check of a build's sources, which is told in `sources`, says of each file that the build ships.

    The one-file Verilog is proved to be the sources, unless `one_file` says that it was, and the test bench compared
    with the one that the core is given. Raises ToolError if Yosys fails.
    """
    design = build.design
    own = {f"rtl/{source.name}" for source in design.sources}
    benches = {f"{TESTBENCH_FOLDER}/{source.name}": source.text for source in testbench_of(design)}
    beside = _beside(design, boards_in(build.listed))
    verilog = f"{design.name}.v"
    found = []
    for path in dict.fromkeys([MANIFEST, *build.listed, verilog, *benches, *beside, *build.further]):
        file, examined, wrong = build.folder / path, NOT_EXAMINED, ""
        if path in own:
            examined = sources
        elif path == MANIFEST:
            examined = "read: its ports, key sizes and directions are what was asked for"
        elif not file.is_file():
            wrong = "is missing"
        elif path == verilog:
            examined = one_file or "proved equal to the sources"
            wrong = "" if one_file else _unlike_sources(design, file, work_dir / "equality")
        elif path in benches:
            examined = "compared with the test bench of such a design"
            if file.read_bytes() != benches[path].encode():
                wrong = "is not the test bench that a design with these ports, sizes and cycles is given"
        elif path in beside:
            examined = "compared with what is made of such a design"
            if file.read_bytes() != beside[path].encode():
                wrong = "is not what such a design is given"
        elif path in build.further:
            examined = f"{NOT_EXAMINED}: no file of the build"
        found.append(ShippedFile(path, path in build.changed, examined, wrong))
    return found


def _unlike_sources(design: CoreDesign | StreamEngine, file: Path, work_dir: Path) -> str:
    try:
        text = file.read_bytes().decode()
        refuse_ambiguous([SourceFile(file.name, text)])
        prove_equal(design, text, work_dir)
    except (CheckError, UnicodeDecodeError) as error:
        return f"is not shown to be the sources: {error}"
    except ToolError as error:
        return f"is not read by Yosys as Verilog-2005: {error}"
    return ""


def _header(design: CoreDesign | StreamEngine) -> str:
    return (
        f"{design.name}: {design.title}.\n"
        f"After {design.publication}.\n"
        f"Generated by aesmith {__version__}. Generated cores belong to whoever generates them.\n"
    )
