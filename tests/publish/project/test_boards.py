"""Projects for boards: what is asked for, the pins, the scripts; and that the self-test tells right from wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from aesmith.api import core, without_clock_gates
from aesmith.assurance.standalone import standalone_testbench
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import Line
from aesmith.cores.wrapper import attach, declarations
from aesmith.errors import RequestError
from aesmith.flow.verilog2005 import verilog2005
from aesmith.publish.acceptance import CheckOutcome, accept
from aesmith.publish.descriptions import Evidence, read_build
from aesmith.publish.package import package_files, write_files
from aesmith.publish.project.boards import BOARDS, CLOCK, CONSOLE, FAIL, PASS, Flow, board_for
from aesmith.publish.project.files import PACKING, boards_in, project_files, project_folder, selftest_cases

SMALLEST = "serial-small-enc"
BOTH = "ueno2020-encdec-selectable"
PORTS = (CLOCK, PASS, FAIL, CONSOLE)
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
tcl = pytest.mark.skipif(shutil.which("tclsh") is None, reason="Tcl (tclsh) is not installed")


def design_of(preset: str) -> CoreDesign:
    design = core(preset).design
    assert isinstance(design, CoreDesign)
    return design


@pytest.mark.parametrize(
    ("board", "project", "message"),
    [
        ("icebraker", None, r"board: must be one of arty-a7, .*, not 'icebraker'.*icebreaker"),
        (
            "icebreaker",
            "vivado",
            r"project: must be icestorm for icebreaker, not vivado, whose boards are arty-a7, cw305",
        ),
        (None, "trellis", r"project: needs --board: ulx3s, ecp5-evn for trellis"),
        ("ulx3s", "ise", r"project: must be one of vivado, quartus, .*, not 'ise'"),
    ],
)
def test_boards_and_tools_that_there_are_not_are_refused_with_those_there_are(
    board: str | None, project: str | None, message: str
) -> None:
    with pytest.raises(RequestError, match=message):
        board_for(board, project)


def test_each_kind_of_tools_has_a_board_which_is_the_default_of_none() -> None:
    assert {board.flow for board in BOARDS.values()} == set(Flow)
    for board in BOARDS.values():
        assert board_for(board.name, None) is board_for(board.name, board.flow) is board


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_has_a_pin_of_its_own_for_each_port_and_says_where_they_are_from(name: str) -> None:
    board = BOARDS[name]
    assert tuple(board.pins) == tuple(board.standards) == PORTS
    assert len(set(board.pins.values())) == len(PORTS)
    assert "github.com/" in board.source
    assert "{bitstream}" in board.load
    assert (board.flow in PACKING) == bool(board.device)
    # Receivers take a bit that is 2 % too long; one clock of this is lost or won a bit.
    bit = 1e6 * board.core_mhz / 115_200
    assert abs(round(bit) / bit - 1) < 0.02


@pytest.mark.parametrize(
    ("preset", "message"),
    [
        ("masked-round-enc", r"cannot be tested on ulx3s: its ports are not those of the block interface"),
        ("serial-shared-keyed-enc", r"cannot be tested on ulx3s: its ports are not those of the block interface"),
        ("ueno2020-gated-enc", r"has clock gates, .* give --clock-gates off"),
    ],
)
def test_cores_that_no_self_test_drives_are_refused(preset: str, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        project_files(design_of(preset), BOARDS["ulx3s"])


def test_known_answers_are_those_of_fips_197_and_random_ones_in_each_direction_and_size() -> None:
    cases = selftest_cases(design_of(BOTH))
    c1 = "69c4e0d86a7b0430d8cdb78070b4c55a"
    plain = "00112233445566778899aabbccddeeff"
    assert any((case.block, case.result, case.decrypt) == (plain, c1, False) for case in cases)
    assert any((case.block, case.result, case.decrypt) == (c1, plain, True) for case in cases)
    assert sum(case.source.startswith("random") for case in cases) >= 4
    assert cases == selftest_cases(design_of(BOTH))


@dataclass(frozen=True)
class Wrong:
    """A core that is wrong: what goes before and behind the right one's results, and what the console then says."""

    wires: str
    result: str
    valid: str
    right_lines: int


WRONG = {
    "a bit of each result": Wrong("", "right ^ 1'b1", "offered", 0),
    "one result": Wrong(
        "  reg [5:0] taken = 6'd0;\n  always @(posedge clk_i) if (offered && block_ready_i) taken <= taken + 6'd1;\n",
        "right ^ (taken == 6'd20)",
        "offered",
        3,
    ),
    "no answer": Wrong("", "right", "1'b0", 0),
}


def wrong_core(design: CoreDesign, wrong: Wrong) -> str:
    """A module in the place of the core: the right one, under another name, with its results spoilt."""
    ports = design.ports
    signals: dict[str, str | Line] = {port.role: Line(port.name, port.active) for port in ports}
    signals |= {"result.result": "right", "result.valid": "offered"}
    width = ports.role("result.result").width
    return "\n".join(
        [
            f"module {design.name} (",
            declarations(ports, verilog=True),
            ");",
            f"  wire [{width - 1}:0] right;",
            "  wire offered;",
            attach(f"{design.name}_right", ports, signals, verilog=True),
            wrong.wires,
            f"  assign block_o = {wrong.result};",
            f"  assign block_valid_o = {wrong.valid};",
            "endmodule\n",
        ]
    )


def simulated(folder: Path, design: CoreDesign, board: str, verilog: str) -> str:
    """What the package's own bench prints of a project around the core in `verilog`."""
    write_files({f"{design.name}.v": verilog, **project_files(design, BOARDS[board])}, folder)
    here = folder / project_folder(BOARDS[board])
    sources = ["tb_selftest.v", "selftest.v", f"../../{design.name}.v"]
    subprocess.run(["iverilog", "-g2005", "-Wall", "-Wno-timescale", "-o", "bench.vvp", *sources], cwd=here, check=True)
    return subprocess.run(["vvp", "-n", "bench.vvp"], cwd=here, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def smallest_verilog(tmp_path_factory: pytest.TempPathFactory) -> str:
    return verilog2005(design_of(SMALLEST), "The smallest core.\n", tmp_path_factory.mktemp("smallest"))


@icarus
def test_the_led_is_lit_and_the_console_says_ok_for_a_right_core(smallest_verilog: str, tmp_path: Path) -> None:
    said = simulated(tmp_path, design_of(SMALLEST), "icebreaker", smallest_verilog).splitlines()
    assert said[1] == "e 69c4e0d86a7b0430d8cdb78070b4c55a OK"
    assert said[-2:] == ["self-test OK", "PASS: 4 known answers, LED lit"]


@icarus
@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=pytest.mark.thorough if what == "no answer" else ()) for what in WRONG]
)
def test_the_led_stays_dark_and_the_console_says_fail_for_a_wrong_core(
    what: str, smallest_verilog: str, tmp_path: Path
) -> None:
    design, wrong = design_of(SMALLEST), WRONG[what]
    # Results of the smallest core are bytes, 16 a block: the 21st is in the second.
    renamed = re.sub(rf"\bmodule {design.name}\b", f"module {design.name}_right", smallest_verilog)
    assert renamed != smallest_verilog
    said = simulated(tmp_path, design, "icebreaker", renamed + wrong_core(design, wrong)).splitlines()
    lines = said[:-2]
    assert sum(line.endswith(" OK") for line in lines) == wrong.right_lines
    assert sum(line.endswith(" FAIL") for line in lines) == 4 - wrong.right_lines
    assert said[-2] == "self-test FAIL"
    assert said[-1] == f"FAIL: {wrong.right_lines} of 5 lines say OK, pass LED dark, fail LED lit"


@icarus
@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("preset", "board"),
    [
        ("ueno2020-enc", "ulx3s"),
        (BOTH, "arty-a7"),
        ("serial-shared-dec", "tang-nano-20k"),
        ("serial-shared16-gated-enc", "de10-nano"),
        ("column-beat32-gated-encdec-selectable", "cw305"),
        ("zhang2004-r3-enc-selectable", "ecp5-evn"),
    ],
)
def test_the_self_test_passes_with_cores_of_all_kinds(preset: str, board: str, tmp_path: Path) -> None:
    design = core(preset, **without_clock_gates(preset)).design
    said = simulated(tmp_path, design, board, verilog2005(design, f"{preset}.\n", tmp_path / "work"))
    assert said.splitlines()[-1] == f"PASS: {len(selftest_cases(design))} known answers, LED lit"


def test_a_package_says_which_boards_it_has_projects_for() -> None:
    paths = ["rtl/core.sv", "project/ulx3s/selftest.v", "project/ulx3s/Makefile", "project/arty-a7/build.tcl"]
    assert [board.name for board in boards_in([*paths, "project/own/file", "project/note.txt"])] == ["ulx3s", "arty-a7"]


def test_check_package_makes_projects_again_and_finds_a_pin_that_was_moved(tiny: CoreDesign, tmp_path: Path) -> None:
    board = BOARDS["ulx3s"]
    files = package_files(tiny, standalone_testbench(tiny), Evidence(), tmp_path / "work", boards=(board,))
    assert {f"project/ulx3s/{name}" for name in ("Makefile", "selftest.v", "ulx3s.lpf")} <= files.keys()
    write_files(files, tmp_path / "package")
    only = "what follows from the sources"
    (check,) = accept(read_build(tmp_path / "package"), tmp_path / "first", only=(only,))
    assert check.outcome is CheckOutcome.PASSED, check.detail
    pins = tmp_path / "package" / "project" / "ulx3s" / "ulx3s.lpf"
    pins.write_text(pins.read_text().replace('"G2"', '"G3"'))
    (check,) = accept(read_build(tmp_path / "package"), tmp_path / "second", only=(only,))
    assert check.outcome is CheckOutcome.FAILED
    assert "project/ulx3s/ulx3s.lpf" in check.detail


VENDOR = {
    Flow.VIVADO: "read_verilog read_xdc synth_design opt_design place_design phys_opt_design route_design "
    "report_utilization report_timing_summary get_timing_paths get_property write_bitstream",
    Flow.QUARTUS: "project_new set_global_assignment set_location_assignment set_instance_assignment "
    "export_assignments execute_flow project_close",
    Flow.RADIANT: "prj_create prj_add_source prj_set_impl_opt prj_save prj_run prj_close",
    Flow.GOWIN: "set_device add_file set_option run",
}
"""The commands of each vendor's shell that a script may call: others are errors."""

CONSTRAINTS = {
    "xdc": "set_property create_clock create_generated_clock set_false_path current_design get_pins",
    "sdc": "create_clock create_generated_clock set_false_path get_registers derive_clock_uncertainty",
    "pdc": "ldc_set_location ldc_set_port create_clock set_false_path",
}

STUBS = """
proc stub {names} { foreach name $names { proc $name args "lappend ::calls \\[list $name {*}\\$args\\]; return {}" } }
set ::calls {}
proc get_ports names {
  foreach name $names { if {$name ni {%s}} { error "there is no port $name" } }
  return $names
}
rename package real_package
proc package args { if {[lindex $args 0] ne "require"} { real_package {*}$args } }
proc exit args { error "exit" }
stub {%s}
source {%s}
foreach call $::calls { puts $call }
"""


def sourced(script: Path, commands: str) -> list[str]:
    """What a script calls, each call a Tcl list, in a shell that has these commands and no others."""
    text = STUBS % (" ".join(PORTS), commands, script)
    ran = subprocess.run(["tclsh"], input=text, capture_output=True, text=True, check=False, cwd=script.parent)
    if ran.stderr:
        raise ValueError(ran.stderr)
    return ran.stdout.splitlines()


@tcl
@pytest.mark.parametrize("name", [name for name, board in BOARDS.items() if board.flow in VENDOR])
def test_a_vendor_s_script_runs_in_a_shell_with_that_vendor_s_commands_and_reads_files_that_there_are(
    name: str, tmp_path: Path
) -> None:
    design, board = design_of(SMALLEST), BOARDS[name]
    write_files({f"{design.name}.v": "", **project_files(design, board)}, tmp_path)
    here = tmp_path / project_folder(board)
    script = (here / "build.tcl").read_text()
    assert re.search(r"not run in (Vivado|Quartus|Radiant|Gowin's tools) when aesmith made it", script)
    calls = sourced(here / "build.tcl", VENDOR[board.flow])
    assert any(board.part in call for call in calls)
    assert any(f"{design.name}_selftest" in call for call in calls)
    read = {
        Path(here, word).resolve() for call in calls for word in call.split() if re.search(r"\.(v|[xsp]dc|cst)$", word)
    }
    constraints = {file for file in here.iterdir() if file.suffix in (".xdc", ".sdc", ".pdc", ".cst")}
    assert read == {tmp_path / f"{design.name}.v", here / "selftest.v", *constraints}
    for file in constraints:
        if file.suffix[1:] in CONSTRAINTS:
            assert sourced(file, CONSTRAINTS[file.suffix[1:]])


@tcl
@pytest.mark.parametrize(
    ("wrong", "says"),
    [("read_verilog [file join a", "missing close-bracket"), ("synthesise top", "invalid command name"),
     ("set_false_path -to [get_ports led_o]", "there is no port led_o")],
)  # fmt: skip
def test_a_script_that_is_no_tcl_or_calls_what_there_is_not_is_found(wrong: str, says: str, tmp_path: Path) -> None:
    script = tmp_path / "build.tcl"
    script.write_text(f"read_verilog a.v\n{wrong}\n")
    with pytest.raises(ValueError, match=says):
        sourced(script, f"read_verilog set_false_path {VENDOR[Flow.VIVADO]}")


@pytest.mark.parametrize("name", BOARDS)
def test_each_port_is_at_the_board_s_pin_once(name: str) -> None:
    design, board = design_of(SMALLEST), BOARDS[name]
    files = project_files(design, board)
    where = [text for path, text in files.items() if path.endswith((".xdc", ".lpf", ".pcf", ".cst", ".pdc", ".tcl"))]
    for port, pin in board.pins.items():
        lines = [line for text in where for line in text.splitlines() if re.search(rf"\b{port}\b", line)]
        placing = [line for line in lines if re.search(rf"(?<![\w.])(PIN_)?{pin}(?![\w.])", line)]
        assert len(placing) == 1, (port, lines)


def test_frequencies_are_those_of_the_board_in_constraints_and_make_files() -> None:
    design = design_of(SMALLEST)
    arty = project_files(design, BOARDS["arty-a7"])["project/arty-a7/arty-a7.xdc"]
    assert "create_clock -name board_clk -period 10.000" in arty
    assert "-divide_by 4 [get_pins {divider_q_reg[1]/Q}]" in arty
    assert "--freq 25 " in project_files(design, BOARDS["ulx3s"])["project/ulx3s/Makefile"]
    assert "BIT_CLOCKS = 217," in project_files(design, BOARDS["arty-a7"])["project/arty-a7/selftest.v"]
