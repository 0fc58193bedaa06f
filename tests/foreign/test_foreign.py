"""A design of somebody else's, by the file that describes it: right ones are verified and measured, others refused."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.commands.request import read_specification
from aesmith.errors import RequestError
from aesmith.flow.fpga.synthesis import wrapper_source
from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import KEEP, SynthesisPlan
from aesmith.foreign.description import parse_description, read_description
from aesmith.foreign.design import foreign_design, read_foreign
from aesmith.foreign.proposal import propose
from aesmith.foreign.reading import without_delays
from aesmith.technology.registry import EMBEDDED, library_by

from .standins import DESCRIPTION, write_standin

PLAN = SimulationPlan(random_pairs=20, scenarios=("known-answers", "timing", "random-pairs"))


@pytest.fixture
def standin(tmp_path: Path) -> Path:
    return write_standin(tmp_path / "standin")


def test_it_is_verified_behind_an_adapter_and_measured_without(standin: Path, tmp_path: Path) -> None:
    design = read_foreign(standin, "theirs")
    plan = replace(PLAN, scenarios=(*PLAN.scenarios, "random-stalls", "reset-in-mid-block"))
    report = simulate(design, tmp_path / "simulation", plan)
    assert report.passed, report.failures
    assert [timing.latency_cycles for timing in report.timing] == [12 + 2]
    found = measure(
        design.measured, library_by(EMBEDDED), Optimise.AREA, tmp_path / "measure", plan=SynthesisPlan((KEEP,))
    )
    assert found.flip_flops == 128 + 128 + 8 + 4 + 1, "state, round key, constant, counter, done; none of the adapter"
    assert found.cycles_per_block == 11.05
    assert found.throughput_gbps == pytest.approx(128 / (11.05 * (found.period_ns or 0)))


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("74_dd_e8_c6", "74_dd_e9_c6"),
        ("round_key <= #`TD key;", "round_key <= #`TD {key[127:72], 72'h0004f0e0d0c0b0a090};"),
        ("constant  <= #1.5 8'h01;", "constant  <= #1.5 8'h02;"),
    ],
)
def test_a_core_that_is_not_aes_fails(before: str, after: str, tmp_path: Path) -> None:
    design = read_foreign(write_standin(tmp_path / "wrong", (before, after)), "theirs")
    assert not simulate(design, tmp_path / "simulation", PLAN).passed


@pytest.mark.parametrize(
    ("stated", "told"),
    [("latency_cycles = 12", "latency_cycles: the design says 13, encryption took 14"), ('start = "ld"', "deadlock")],
)
def test_a_description_that_is_wrong_is_found_when_the_core_runs(stated: str, told: str, tmp_path: Path) -> None:
    wrong = {"latency_cycles = 12": "latency_cycles = 11", 'start = "ld"': 'start = "!ld"'}[stated]
    path = write_standin(tmp_path / "standin", description=DESCRIPTION.replace(stated, wrong))
    report = simulate(read_foreign(path, "theirs"), tmp_path / "simulation", replace(PLAN, scenarios=("timing",)))
    assert not report.passed
    if told != "deadlock":
        assert told in report.failures[0].failure


REFUSED = [
    ("assign #`TD final = state;", "assign final = final ^ state;", "has a combinational loop"),
    ("always @(posedge clk)", "always @(posedge ld)", "register .* has the clock ld, not clk"),
    ("always @(posedge clk)", "always @(negedge clk)", "register .* has the falling edge of clk"),
    ("input    [3:0] unused;", "inout    [3:0] unused;", "port unused is inout"),
    (
        "assign #`TD final = state;",
        "reg [127:0] held; always @* if (ld) held = state; assign final = held;",
        r"(held|final_)\[\d+\] is a latch .*incomplete case",
    ),
    ("always @(posedge clk)", "wire none = 1'b0; always @(posedge none)", "the clock of register .* is constant"),
    (
        "always @(posedge clk)",
        "wire off = 1'b0; reg odd; assign unused = odd; always @(posedge off or posedge rst or posedge ld) "
        "if (rst) odd <= 0; else if (ld) odd <= 1; else odd <= done; always @(posedge clk)",
        "multiple asynchronous loads unsupported .*wire off = 1.b0; reg odd",
    ),
    ("wire   [127:0] made    =", "assign made = 0; wire [127:0] made =", "driver|made"),
    ("module strobe", "module stroke", "top: there is no module strobe; the files have stroke"),
    ("endmodule", "always #5 done = 0;\nendmodule", "rtl: "),
    ('`include "sbox.vh"', '`include "sbux.vh"', "rtl: cannot be read: .*sbux.vh"),
]


@pytest.mark.parametrize(("before", "after", "told"), REFUSED)
def test_what_is_no_core_of_one_clock_is_refused_by_name(before: str, after: str, told: str, tmp_path: Path) -> None:
    path = write_standin(tmp_path / "standin", (before, after))
    with pytest.raises(RequestError, match=told):
        read_foreign(path, "theirs")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('clock = "clk"', 'clock = "klc"', "ports.clock: there is no port klc; the ports are "),
        ('start = "ld"', 'start = "done"', "ports.block.start: port done is an output, not an input"),
        ('data = "final"', 'data = "done"', "ports.result.data: done has 1 bits, not 128"),
        ("tied = { unused = 0 }", "", "ports: nothing is stated for input unused"),
        ('done = "done"', "", "ports.result: must have either done or clocks"),
        ('done = "done"', "clocks = 11\ndone = 'done'", "ports.result: must have either done or clocks"),
        ('done = "done"', "clocks = 12", "latency_cycles: must be ports.result.clocks \\+ 1 = 13, not 12"),
        ('start = "ld"', "", "ports.block: without a start the result must have clocks"),
        ('data = "key"', 'data = "key"\ndone = "done"', "ports.key: done and clocks are of a key that has a start"),
        ('top = "strobe"', "", "top: Field required"),
        ('top = "strobe"', 'top = "strobe"\ntpo = 1', "tpo: Extra inputs are not permitted"),
        ("latency_cycles = 12", "latency_cycles = 0", "latency_cycles: Input should be greater than or equal to 1"),
        ("latency_cycles = 12", 'latency_cycles = 12\ndirections = ["encrypt", "decrypt"]', "ports.decrypt: a core of"),
        ('rtl = ["strobe.v"]', 'rtl = ["gone.v"]', "rtl: there is no file .*gone.v"),
        ('rtl = ["strobe.v"]', 'rtl = ["aes.vhd"]', "rtl: aes.vhd is VHDL, which is not read; `ghdl synth"),
        ('language = "verilog-2005"', "", "rtl: strobe cannot be read as systemverilog"),
        ("ROUNDS = 10", "ROUNDZ = 10", "parameters: strobe has no parameter ROUNDZ"),
    ],
)
def test_a_description_that_does_not_fit_is_refused(before: str, after: str, told: str, tmp_path: Path) -> None:
    assert before in DESCRIPTION
    path = write_standin(tmp_path / "standin", description=DESCRIPTION.replace(before, after, 1))
    with pytest.raises(RequestError, match=told):
        read_foreign(path, "theirs")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("q <= #1 d;", "q <=   d;"),
        ("q <= # 1.5ns d;", "q <=    d;"),
        ("q = #(T+1) d;", "q =   d;"),
        ("assign #TD q = d;", "assign   q = d;"),
        ("if (a <= b) m #(3) u (x);", None),
        ("a == #1", None),
        ('// q <= #1 d;\n$display("q <= #1 d");', None),
        ("#5 q = d;", None),
    ],
)
def test_only_delays_of_assignments_go(text: str, left: str | None) -> None:
    assert " ".join(without_delays(text).split()) == " ".join((left or text).split())


def test_a_proposal_is_right_but_for_what_no_name_tells(standin: Path) -> None:
    folder = standin.parent
    text = propose(
        [folder / "strobe.v"],
        "strobe",
        include=[folder / "include"],
        parameters={"ROUNDS": 10},
        language="verilog-2005",
    )
    fields: dict[str, Any] = tomllib.loads(text)
    proposed, right = parse_description(fields, folder, "proposal"), read_description(standin)
    assert proposed.ports == right.ports
    assert text.count("FIXME") == 3, "whose it is, its clocks, the inputs that were not understood"
    assert foreign_design(proposed, "theirs").sources == foreign_design(right, "theirs").sources


@pytest.mark.thorough
def test_payloads_stand_where_the_description_says(standin: Path, tmp_path: Path) -> None:
    """Low bytes first, a key port that is too wide, and a block in two ports: by a wrapper, the stand-in again."""
    outer = """
module outer (input clk, rst, ld, output done, input [255:0] key, input [63:0] high, low, output [127:0] out);
  genvar i;
  wire [127:0] final;
  generate for (i = 0; i < 16; i = i + 1) begin : turn assign out[8*i +: 8] = final[120 - 8*i +: 8]; end endgenerate
  strobe #(10) u (clk, rst, ld, done, key[255:128], {high, low}, final, 4'd0);
endmodule
"""
    (standin.parent / "outer.v").write_text(outer)
    edits = (
        ('rtl = ["strobe.v"]', 'rtl = ["strobe.v", "outer.v"]'),
        ('top = "strobe"', 'top = "outer"'),
        ("parameters = { ROUNDS = 10 }", ""),
        ("tied = { unused = 0 }", ""),
        ('data = "do"', 'data = ["high", "low"]'),
        ('data = "final"', 'data = "out"\nbyte_order = "first byte low"'),
    )
    text = DESCRIPTION
    for before, after in edits:
        text = text.replace(before, after)
    standin.write_text(text)
    assert simulate(read_foreign(standin, "theirs"), tmp_path / "right", PLAN).passed
    standin.write_text(text.replace('["high", "low"]', '["low", "high"]'))
    assert not simulate(read_foreign(standin, "theirs"), tmp_path / "wrong", PLAN).passed


ARRAYS = """
module outer (input clk, input rst, input ld, output done, input logic [7:0] key [0:15],
              input logic [31:0] words [1:0][2],
              output logic [7:0] out [15:0]);
  wire [127:0] final_;
  wire [127:0] whole;
  genvar i;
  generate
    for (i = 0; i < 16; i = i + 1) begin : g
      assign whole[120 - 8*i +: 8] = key[i];
      assign out[i] = final_[120 - 8*i +: 8];
    end
  endgenerate
  strobe #(10) u (clk, rst, ld, done, whole, {words[1][0], words[1][1], words[0][0], words[0][1]}, final_, 4'd0);
endmodule
"""


@pytest.mark.thorough
def test_an_array_port_is_a_vector_with_its_leftmost_element_highest(standin: Path, tmp_path: Path) -> None:
    source = standin.parent / "strobe.v"
    text = re.sub(r"\b(do|final)\b", r"\1_", source.read_text())
    source.write_text(text + ARRAYS)
    edits = (
        ('top = "strobe"', 'top = "outer"'),
        ("parameters = { ROUNDS = 10 }", ""),
        ('language = "verilog-2005"', ""),
        ("tied = { unused = 0 }", ""),
        ('data = "do"', 'data = "words"'),
        ('data = "final"', 'data = "out"\nbyte_order = "first byte low"'),
    )
    description = DESCRIPTION
    for before, after in edits:
        description = description.replace(before, after)
    standin.write_text(description)
    design = read_foreign(standin, "theirs")
    assert [port.bits for port in design.measured.ports if port.name in ("key", "words", "out")] == [128, 128, 128]
    assert simulate(design, tmp_path / "right", PLAN).passed
    found = measure(
        design.measured, library_by(EMBEDDED), Optimise.AREA, tmp_path / "measure", plan=SynthesisPlan((KEEP,))
    )
    assert found.flip_flops == 128 + 128 + 8 + 4 + 1
    standin.write_text(description.replace('byte_order = "first byte low"', ""))
    assert not simulate(read_foreign(standin, "theirs"), tmp_path / "wrong", PLAN).passed


def test_it_is_placed_without_its_adapter_and_not_built(standin: Path) -> None:
    design = read_foreign(standin, "theirs")
    wrapped = wrapper_source(design.measured)
    assert "theirs_measured" in wrapped
    assert "foreign_adapter" not in wrapped
    with pytest.raises(RequestError, match="describes a third-party design: verify or measure it"):
        read_specification(str(standin))
