"""Our static timing against OpenSTA's, on mapped circuits in several libraries."""

import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aesmith.errors import RequestError, ToolError
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.testing import opensta
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.static import TimingConditions, TimingReport, analyse

FIGURES = ("period_ns", "input_to_register_ns", "register_to_output_ns", "input_to_output_ns")

needs_opensta = pytest.mark.skipif(shutil.which("sta") is None, reason="OpenSTA is not installed (apt install opensta)")

SMALL = """
module small(input clk, rst_n, input [3:0] a, b, input sel, output reg [3:0] y, output [3:0] z, output one);
  reg [3:0] held;
  always @(posedge clk or negedge rst_n) if (!rst_n) held <= 0; else held <= sel ? a : held ^ b;
  always @(posedge clk) y <= held + a;
  assign z = (a + b) ^ held;
  assign one = 1'b1;
endmodule
"""


def _mid() -> str:
    """Six random 8-bit tables between registers, and a 10-bit multiplier beside them."""
    rng = random.Random(1)
    tables = []
    for number in range(6):
        table = list(range(256))
        rng.shuffle(table)
        cases = " ".join(f"8'd{index}: s{number} = 8'd{value};" for index, value in enumerate(table))
        tables.append(
            f"reg [7:0] s{number}; always @(*) case (x[{8 * number} +: 8]) {cases} default: s{number} = 0; endcase"
        )
    return f"""
module mid(input clk, input [47:0] d, input load, output reg [47:0] y, output [19:0] p, output f);
  reg [47:0] x;
  {" ".join(tables)}
  reg [19:0] product;
  always @(posedge clk) begin
    x <= load ? d : y;
    y <= {{s0 ^ s1, s1, s2 ^ s5, s3, s4 ^ s0, s5}};
    product <= x[9:0] * y[19:10];
  end
  assign p = product;
  assign f = ^d;
endmodule
"""


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Library, str, str], Path]:
    folder = tmp_path_factory.mktemp("netlists")

    def netlist(library: Library, top: str, source: str) -> Path:
        file = folder / f"{library.title}_{top}.v"
        if not file.exists():
            (folder / f"{top}.sv").write_text(source)
            script = Path(__file__).parent / "synthesise.py"
            command = [sys.executable, str(script), str(library.path), str(folder / f"{top}.sv"), top, str(file)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return file

    return netlist


def _assert_equal(ours: TimingReport, theirs: opensta.OpenStaReport) -> None:
    for figure in FIGURES:
        expected = getattr(theirs, figure)
        assert getattr(ours, figure) == (expected and pytest.approx(expected, rel=1e-4)), figure


@pytest.mark.thorough
@needs_opensta
@pytest.mark.parametrize("name", ["nangate45_slow", "nangate45_typ", "nangate45_fast", "ihp_sg13g2_stdcell_typ"])
def test_a_real_library_times_as_in_opensta(
    name: str, pdk_library: Callable[[str], Library], mapped: Callable[[Library, str, str], Path]
) -> None:
    library = pdk_library(name)
    netlist = mapped(library, "small", SMALL)
    report = analyse(netlist.with_suffix(".json"), library)
    assert None not in [getattr(report, figure) for figure in FIGURES]
    _assert_equal(report, opensta.analyse(netlist, library, "small", "clk"))


@pytest.mark.thorough
@needs_opensta
@pytest.mark.slow
@pytest.mark.parametrize("name", ["nangate45_slow", "sky130hd_tt"])
def test_a_large_netlist_times_as_in_opensta(
    name: str, pdk_library: Callable[[str], Library], mapped: Callable[[Library, str, str], Path]
) -> None:
    library = pdk_library(name)
    netlist = mapped(library, "mid", _mid())
    report = analyse(netlist.with_suffix(".json"), library)
    assert len(report.graph.bound.netlist.instances) > 1500
    _assert_equal(report, opensta.analyse(netlist, library, "mid", "clk"))


@needs_opensta
def test_the_embedded_library_times_as_in_opensta(mapped: Callable[[Library, str, str], Path]) -> None:
    library = library_by("generic45")
    netlist = mapped(library, "mid", _mid())
    conditions = TimingConditions(input_slew_ns=0.1, output_load_ff=20.0)
    _assert_equal(
        analyse(netlist.with_suffix(".json"), library, conditions),
        opensta.analyse(netlist, library, "mid", "clk", conditions),
    )


@needs_opensta
def test_a_changed_library_is_noticed(mapped: Callable[[Library, str, str], Path], tmp_path: Path) -> None:
    """The comparison can fail: one figure of one table is enough."""
    library = library_by("generic45")
    netlist = mapped(library, "small", SMALL)
    text = library.path.read_text()
    start = text.index("cell (DFFR_X1)")
    at = text.index("cell_rise", start)
    end = text.index(");", at)
    (tmp_path / "slow.lib").write_text(
        text[:at] + text[at:end].replace('"0.0', '"0.1').replace(", 0.0", ", 0.1") + text[end:]
    )
    with pytest.raises(AssertionError, match="period_ns"):
        _assert_equal(
            analyse(netlist.with_suffix(".json"), library_by(tmp_path / "slow.lib")),
            opensta.analyse(netlist, library, "small", "clk"),
        )


@needs_opensta
def test_a_netlist_without_clock_is_timed(tmp_path: Path) -> None:
    file = tmp_path / "gate.v"
    file.write_text("module gate(a, y); input a; output y; INV_X1 g (.A(a), .Z(y)); endmodule\n")
    library = library_by("generic45")
    report = opensta.analyse(file, library, "gate", None)
    assert report.period_ns is None
    _assert_equal(analyse(parse_netlist(file.read_text(), library), library), report)


def test_a_missing_opensta_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="apt install opensta"):
        opensta.version()


@needs_opensta
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("module top(; endmodule", "Error: netlist.v, line 1 syntax error"),
        ("module other(a); input a; endmodule", "Error: top is not a verilog module"),
        ("module top(a, y); input a; output y; GATE g (.A(a), .Z(y)); endmodule", "module GATE not found"),
    ],
)
def test_what_opensta_complains_of_is_an_error(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "bad.v").write_text(text + "\n")
    with pytest.raises(ToolError, match=says):
        opensta.analyse(tmp_path / "bad.v", library_by("generic45"), "top", None)


@needs_opensta
def test_a_name_that_is_no_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="top: must be a plain Verilog name"):
        opensta.analyse(tmp_path / "x.v", library_by("generic45"), "a; exec ls", "clk")
