"""Clock gates as libraries describe them: which are told, how their test pins are tied, and that they gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.assurance.clock_gate import GATE, with_gates

from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import RequestError
from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise, chosen_plan
from aesmith.publish.descriptions import constraints
from aesmith.technology.cell import CellKind
from aesmith.technology.library import ClockGate, Library
from aesmith.technology.reader import read_library
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.power.program import compile_netlist
from aesmith.timing.static import analyse

HEAD = """
  cell (ICG) {
    area : 5;
"""
CLOCK = """
    pin (CP) { direction : input; clock : true; clock_gate_clock_pin : true; capacitance : 1.5; }
"""
ENABLE = """
    pin (EN) {
      direction : input; clock_gate_enable_pin : true; capacitance : 1;
      timing () { related_pin : "CP"; timing_type : setup_rising; }
    }
"""
TEST = """
    pin (TE) {
      direction : input; clock_gate_test_pin : true; capacitance : 1;
      timing () { related_pin : "CP"; timing_type : setup_rising; }
    }
"""
OUT = """
    pin (Q) {
      direction : output; clock_gate_out_pin : true; FUNCTION
      timing () { related_pin : "CP"; timing_sense : positive_unate; }
      timing () { related_pin : "TE"; timing_sense : positive_unate; }
    }
"""
OBS = """
    pin (OBS) {
      direction : output; clock_gate_obs_pin : true; function : "EN";
      timing () { related_pin : "EN"; timing_sense : positive_unate; }
    }
"""
NODE = '    pin (N) { direction : internal; internal_node : "IQ"; }\n'
TABLE = '    statetable ("CP EN TE", "IQ") { table : "L L L : - : L, L - H : - : H, L H - : - : H, H - - : - : N"; }\n'
BARE = '    statetable ("CP EN", "IQ") { table : "L L/H : - : L/H, H - : - : N"; }\n'
LOW = '    statetable ("CP EN TN", "IQ") { table : "L L H : - : L, L - L : - : H, L H - : - : H, H - - : - : N"; }\n'


def attribute(kind: str) -> str:
    return f'    clock_gating_integrated_cell : "{kind}";\n'


def out(function: str) -> str:
    return OUT.replace("FUNCTION", f'state_function : "{function}";')


FORMS = {
    "before the latch, by a statetable": [
        *(attribute("latch_posedge_precontrol"), TABLE, NODE, CLOCK, ENABLE, TEST, out("CP & N"))
    ],
    "after the latch, by a statetable": [
        *(attribute("latch_posedge_postcontrol"), BARE, NODE, CLOCK, ENABLE, TEST, out("CP * (N + TE)"))
    ],
    "before the latch, by its attribute": [
        *(attribute("latch_posedge_precontrol"), CLOCK, ENABLE, TEST, OUT.replace("FUNCTION", ""))
    ],
    "after the latch, by its attribute": [
        *(attribute("latch_posedge_postcontrol"), CLOCK, ENABLE, TEST, OUT.replace("FUNCTION", ""))
    ],
    "observed": [
        *(attribute("latch_posedge_precontrol_obs"), TABLE, NODE, CLOCK, ENABLE, TEST, out("CP & N"), OBS)
    ],
    "a latch and a function, no attribute": [
        '    latch ("IQ", "IQN") { enable : "!CP"; data_in : "EN | TE"; }\n',
        *(CLOCK, ENABLE, TEST, OUT.replace("FUNCTION", 'function : "!(!CP | IQN)";')),
    ],
    "of pins without marks": [
        *(attribute("generic"), TABLE, NODE, CLOCK),
        *(text.replace("clock_gate_enable_pin : true;", "").replace("clock_gate_test_pin : true;", "")
          for text in (ENABLE, TEST)),
        out("CP & N"),
    ],
    "with a test pin that is active low": [
        *(attribute("latch_posedge_precontrol"), LOW, NODE, CLOCK, ENABLE, TEST.replace("TE", "TN")),
        out("CP & N").replace("TE", "TN"),
    ],
}  # fmt: skip
NO_FORMS = {
    "for the falling edge": [attribute("latch_negedge_precontrol"), CLOCK, ENABLE, TEST, OUT.replace("FUNCTION", "")],
    "without a latch": [attribute("none_posedge_control"), CLOCK, ENABLE, TEST, OUT.replace("FUNCTION", "")],
    "an OR behind the latch": [
        *(attribute("latch_posedge_precontrol"), TABLE, NODE, CLOCK, ENABLE, TEST, out("CP | N"))
    ],
    "a latch that is open while the clock is high": [
        '    latch ("IQ", "IQN") { enable : "CP"; data_in : "EN | TE"; }\n',
        *(attribute("latch_posedge_precontrol"), CLOCK, ENABLE, TEST, OUT.replace("FUNCTION", 'function : "CP & IQ";')),
    ],
    "an enable that is active low": [
        '    latch ("IQ", "IQN") { enable : "!CP"; data_in : "!EN & !TE"; }\n',
        *(attribute("latch_posedge_precontrol"), CLOCK, ENABLE, TEST, OUT.replace("FUNCTION", 'function : "CP & IQ";')),
    ],
}
TOY = """
module gated (
  input logic clk_i, input logic rst_ni, input logic load_i, input logic [7:0] data_i, output logic [7:0] held_o
);
  always_ff @(posedge clk_i) if (load_i) held_o <= held_o ^ data_i;
endmodule
"""


def _library(folder: Path, *gates: str) -> Library:
    (folder / "gates.lib").write_text(with_gates(*gates))
    return read_library(folder / "gates.lib", "icg45")


def _cell(lines: list[str]) -> str:
    return "".join([HEAD, *lines, "  }\n"])


@pytest.fixture(scope="module")
def toy() -> CoreDesign:
    core = build_design(parse_specification({"preset": "ueno2020-enc"}), "gated", "ueno2020-enc")
    return replace(core, sources=(SourceFile("gated.sv", TOY),))


@pytest.mark.parametrize("form", FORMS)
def test_a_gate_with_a_test_pin_is_used_with_the_pin_tied(form: str, tmp_path: Path) -> None:
    library = _library(tmp_path, _cell(FORMS[form]))
    found = library.clock_gate
    assert library.cell("ICG").kind is CellKind.CLOCK_GATE
    assert found is not None
    ties = {"TN": 1} if "low" in form else {"TE": 0}
    assert (found.cell.name, found.clock, found.enable, found.output, found.ties) == ("ICG", "CP", "EN", "Q", ties)


@pytest.mark.parametrize("form", NO_FORMS)
def test_what_would_not_gate_is_not_used(form: str, tmp_path: Path) -> None:
    assert _library(tmp_path, _cell(NO_FORMS[form])).clock_gate is None


def test_a_gate_without_a_test_pin_is_preferred(tmp_path: Path) -> None:
    larger = GATE.replace("area : 4", "area : 40")
    found = _library(tmp_path, _cell(FORMS["observed"]), larger).clock_gate
    assert isinstance(found, ClockGate)
    assert (found.cell.name, found.ties) == ("CLKGATE_X1", {})


@pytest.mark.thorough(but=3)
@pytest.mark.parametrize("form", FORMS)
def test_its_netlist_is_measured_and_proved(form: str, toy: CoreDesign, tmp_path: Path) -> None:
    """And that with the pin at its other level is refuted."""
    library = _library(tmp_path, _cell(FORMS[form]))
    plan = replace(chosen_plan(Optimise.AREA, clock_gates=True, recipe=None), finalists=0, aimed=())
    plan = replace(plan, first=plan.first[:1])
    found = measure(toy, library, Optimise.AREA, tmp_path / "made", plan=plan)
    pin, level = ("TN", 1) if "low" in form else ("TE", 0)
    said = f"test pins of clock gates are tied: of ICG {pin} to {level}; a scan flow has to connect them"
    assert said in found.conditions
    assert f"# In that netlist {said}.\n" in constraints(toy, found)
    [netlist] = (tmp_path / "made").glob("*/netlist.v")
    assert prove_mapped(toy, library, netlist, tmp_path / "right").verdict is Verdict.PROVED
    ties = ("TIELO_X1", "TIEHI_X1")
    text = netlist.read_text()
    wrong = tmp_path / "wrong.v"
    wrong.write_text(text.replace(ties[level], ties[1 - level]))
    assert wrong.read_text() != text
    assert prove_mapped(toy, library, wrong, tmp_path / "wrong").verdict is not Verdict.PROVED


@pytest.mark.parametrize("form", FORMS)
def test_power_takes_it_and_refuses_a_bypass_that_is_not_tied(form: str, tmp_path: Path) -> None:
    library = _library(tmp_path, _cell(FORMS[form]))
    pin = "TN" if "low" in form else "TE"
    text = f"""
module one(clk, e, t, d, q); input clk, e, t, d; output q; wire g;
  DFF_X1 held (.CK(g), .D(d), .Q(q));
  ICG gate (.CP(clk), .EN(e), .{pin}(LEVEL), .Q(g));
endmodule
"""
    tied = analyse(parse_netlist(text.replace("LEVEL", "1'b1" if pin == "TN" else "1'b0"), library), library)
    assert compile_netlist(tied.graph, tied.state).bound.clock_gates
    free = analyse(parse_netlist(text.replace("LEVEL", "t"), library), library)
    if "after" in form:
        with pytest.raises(RequestError, match="clock gate gate can be bypassed: its test pins must be tied; they are"):
            compile_netlist(free.graph, free.state)
    else:
        compile_netlist(free.graph, free.state)
