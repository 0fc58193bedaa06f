"""What tools may read in two ways, or no gate does, is refused by name; what sources leave undefined is free.

Around a core without any logic, for all this is decided before anybody looks at what a core does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Netlist
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import load_specification
from aesmith.cores.wrapper import declarations
from aesmith.errors import CheckError

from .cases import flips, register
from .test_attacks import PLAIN, SHELL

INNER = """\
module inner (
{ports}
);
  logic seen_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) seen_q <= 1'b0;
    else seen_q <= block_valid_i ^ key_valid_i ^ block_ready_i;
  assign {{key_ready_o, block_ready_o, block_valid_o}} = {{2'b11, seen_q}};
  assign block_o = key_i ^ block_i;
endmodule
"""


@dataclass(frozen=True)
class Reading:
    """Text of a shell, a net that flips its result, what the refusal says, and the same text read in one way."""

    text: str
    net: str
    says: str
    twin: str
    before: str = ""
    twin_before: str = ""


PLACE = register("place_q", "place_q + 2'd1", "2'd0", 2)
ODD = "  logic odd;\n"
PROPERTY = "  assume property (@(posedge clk_i) key_i[7:0] != 8'h5a);\n"
BOX = "module box (output logic o);\n{}endmodule\n"

REFUSED = {
    "an assumption": Reading(PROPERTY, "key_i[0]", "assume|core", ""),
    "a primitive of a table": Reading(
        ODD + "  strange u_odd (odd, key_valid_i);\n",
        "odd",
        "primitive",
        ODD + "  strange u_odd (odd, key_valid_i);\n",
        "primitive strange (output o, input a);\n table\n 0 : 0;\n 1 : 1;\n endtable\nendprimitive\n",
        "module strange (output logic o, input logic a);\n  assign o = a;\nendmodule\n",
    ),
    "a pull": Reading("  wire odd;\n  pulldown (odd);\n", "odd", "pulldown", "  wire odd;\n  assign odd = 1'b0;\n"),
    "strengths": Reading(
        "  wire odd;\n  assign (highz0, strong1) odd = key_valid_i;\n",
        "odd",
        "highz0",
        "  wire odd;\n  assign odd = 1'b1;\n",
    ),
    "a module twice": Reading(
        ODD + "  box u_box (.o(odd));\n",
        "odd",
        "",
        ODD + "  box u_box (.o(odd));\n",
        BOX.format("  assign o = 1'b0;\n") + BOX.format("  assign o = 1'b1;\n"),
        BOX.format("  assign o = 1'b0;\n"),
    ),
    "a module of which only the ports are there": Reading(
        ODD + "  box u_box (.o(odd));\n",
        "odd",
        "",
        ODD + "  box u_box (.o(odd));\n",
        "(* blackbox *) " + BOX.format(""),
        BOX.format("  assign o = 1'b0;\n"),
    ),
    "a net written from above": Reading(
        "  always_ff @(posedge clk_i) u_inner.seen_q <= 1'b0;\n", "1'b0", "", "  always_ff @(posedge clk_i) ;\n"
    ),
    "a port without connection pulled up": Reading(
        ODD + "  low u_low (.a_i(), .o(odd));\n",
        "odd",
        "unconnected_drive",
        ODD + "  low u_low (.a_i(1'b1), .o(odd));\n",
        "`unconnected_drive pull1\nmodule low (input wire a_i, output wire o);\n assign o = a_i;\nendmodule\n",
        "module low (input wire a_i, output wire o);\n assign o = a_i;\nendmodule\n",
    ),
    "a line that says it is elsewhere": Reading("", "1'b0", "line", "", '`line 1 "other.sv" 1\n'),
    "a number of reals": Reading(
        "  real r;\n  always_comb r = key_valid_i ? 1.5 : 0.0;\n", "(r > 1.0)", "", ODD + "  assign odd = 1'b0;\n"
    ),
    "the level of a clock before": Reading(
        "",
        "$past(key_valid_i)",
        "past",
        register("past_q", "key_valid_i"),
    ),
    "both edges": Reading(
        ODD + "  always_ff @(edge clk_i) odd <= ~odd;\n", "odd", "", ODD + "  always_ff @(posedge clk_i) odd <= ~odd;\n"
    ),
    "two resets": Reading(
        ODD + "  always_ff @(posedge clk_i or negedge rst_ni or posedge key_valid_i)\n"
        "    if (!rst_ni) odd <= 1'b0;\n    else if (key_valid_i) odd <= 1'b1;\n    else odd <= odd;\n",
        "odd",
        "",
        ODD + "  always_ff @(posedge clk_i or negedge rst_ni)\n"
        "    if (!rst_ni) odd <= 1'b0;\n    else if (key_valid_i) odd <= 1'b1;\n    else odd <= odd;\n",
    ),
    "a latch of two gates": Reading(
        "  logic a, b;\n  assign a = ~(b | key_taken);\n  assign b = ~(a | taken);\n",
        "a",
        "",
        "  logic a, b;\n  assign a = ~(b | key_taken);\n  assign b = ~taken;\n",
    ),
    "a task that keeps its variables": Reading(
        ODD + "  task t(input logic a);\n    odd = a;\n  endtask\n  always_comb t(1'b0);\n",
        "odd",
        "automatic",
        ODD + "  always_comb odd = key_valid_i;\n",
    ),
    "what stands behind a string in an attribute": Reading(
        '  (* keep = "*)" *) logic odd;\n`ifdef SYNTHESIS\n  assign odd = 1\'b0;\n'
        "`else\n  assign odd = 1'b1;\n`endif\n"
        '  (* keep = "a" *) logic other;\n',
        "odd",
        "ifdef",
        '  (* keep = "*)" *) logic odd;\n  assign odd = 1\'b0;\n  (* keep = "a" *) logic other;\n',
    ),
    "what stands behind a comment in an attribute": Reading(
        ODD + "  always_comb (* keep, /**/ full_case *) case (key_valid_i) 1'b0: odd = 1'b0; default: ; endcase\n",
        "odd",
        "full_case",
        ODD + "  always_comb (* keep /* , it */ *) case (key_valid_i) 1'b0: odd = 1'b0; default: odd = 1'b1; endcase\n",
    ),
    "what stands between two lists of all": Reading(
        ODD + "  always @(*/**/) odd = taken;\n  initial begin end\n  logic even;\n  always @(*) even = taken;\n",
        "odd",
        "initial",
        ODD + "  always @(*/**/) odd = taken;\n  logic even;\n  always @(*) even = taken;\n",
    ),
    "a line that ends for some tools": Reading(
        ODD + "  // no code\r  assign odd = 1'b1;\n",
        "odd",
        "carriage return.*some tools end a line",
        ODD + "  // code\r\n  assign odd = 1'b1;\n",
    ),
    "a delay in brackets": Reading(
        "  wire #(3) odd = key_valid_i;\n",
        "odd",
        "a delay",
        "  wire odd;\n  box #(1) u_box (.o(odd));\n",
        twin_before="module box #(parameter int A = 0) (output logic o);\n  assign o = 1'(A);\nendmodule\n",
    ),
    "a delay of a gate": Reading(
        ODD + "  and # /* of */ (3) u_and (odd, key_valid_i, block_valid_i);\n",
        "odd",
        "a delay",
        ODD + "  and u_and (odd, key_valid_i, block_valid_i);\n",
    ),
    "a net that a function knows of": Reading(
        ODD + "  function automatic logic f(logic a);\n    return a ^ block_valid_i;\n  endfunction\n"
        "  assign odd = f(key_valid_i);\n",
        "odd",
        "block_valid_i.*not called again",
        ODD
        + "  localparam bit One = 1'b1;\n  function automatic logic f(logic a, logic block_valid_i);\n    logic b;\n"
        "    b = a ^ One;\n    return b ^ block_valid_i;\n  endfunction\n"
        "  assign odd = f(key_valid_i, block_valid_i);\n",
    ),
    "a race through a task": Reading(
        ODD + "  logic late;\n  task automatic t(output logic a, input logic b);\n    a = b;\n  endtask\n"
        "  always_ff @(posedge clk_i) t(odd, key_valid_i);\n  always_ff @(posedge clk_i) late <= odd;\n",
        "late",
        "a task assigns",
        ODD + "  logic late;\n  function automatic logic t(input logic b);\n    t = b;\n  endfunction\n"
        "  always_ff @(posedge clk_i) odd <= t(key_valid_i);\n  always_ff @(posedge clk_i) late <= odd;\n",
    ),
    "a constant beside modules": Reading(
        "",
        "ODD",
        "outside of modules",
        "",
        "localparam bit ODD = 1'b1;\n",
        "package odd;\nendpackage\nimport odd::*;\n",
    ),
    "a variable that begins with a value": Reading(
        "  logic odd = 1'b1;\n", "odd", "an initial value", "  wire odd = 1'b1;\n  localparam logic One = 1'b1;\n"
    ),
    "a pragma of two words": Reading(
        "  // rtl_synthesis off\n", "1'b0", "obey this comment", "  // The synthesis of it is off the path.\n"
    ),
    "a pragma that puts an operator in place": Reading(
        "  // synopsys map_to_operator ADD_UNS_OP\n", "1'b0", "obey this comment", "  // As tools of Synopsys do.\n"
    ),
    "a time": Reading(ODD + "  assign odd = 1.4ns > 1.2ns;\n", "odd", "timescale", ODD + "  assign odd = 1'b1;\n"),
    "a function that calls itself": Reading(
        "  function automatic logic f(input logic a);\n    return a ? f(1'b0) : a;\n  endfunction\n",
        "f(key_valid_i)",
        "'f' is refused .*calls itself",
        "  function automatic logic f(input logic a);\n    return a ? (a) : a;\n  endfunction\n"
        "  function automatic logic g(input logic a);\n    g = f(a);\n  endfunction\n",
    ),
    "what the front end has no hardware for": Reading(
        "  sequence later;\n    key_valid_i;\n  endsequence\n",
        "1'b0",
        r"core\.sv, line \d+: 'sequence later; .*not part of the SystemVerilog",
        "",
    ),
    "a cover point": Reading(
        "  cover property (@(posedge clk_i) key_i[0]);\n",
        "1'b0",
        r"core\.sv, line \d+: 'cover property .*not part of the SystemVerilog",
        "",
    ),
    "a name that nobody declared": Reading(
        ODD + "  assign odd = other;\n",
        "odd",
        "'other' is refused .*nowhere declared",
        ODD + "  assign odd = 1'b0;\n",
    ),
    "a loop of so many turns": Reading(
        ODD + "  always_comb begin\n    odd = 1'b0;\n    repeat (key_i[3:0]) odd = ~odd;\n  end\n",
        "odd",
        "how often it turns may depend on levels",
        "  logic [3:0] odd;\n  always_comb\n    foreach (odd[i]) odd[i] = key_i[i];\n",
    ),
}
"""Refused by name."""

UNDEFINED = {
    "a place beyond a vector": (PLACE + "  logic [2:0] three;\n  assign three = 3'd0;\n", "three[place_q]", ""),
    "a place beyond an array": (
        PLACE + "  logic [7:0] three [3];\n  for (genvar i = 0; i < 3; i++) assign three[i] = 8'd0;\n",
        "three[place_q][0]",
        "",
    ),
    "a place beyond a memory": (
        PLACE + "  logic [7:0] three [3];\n  always_ff @(posedge clk_i) three[place_q] <= 8'd0;\n",
        "three[place_q][0]",
        "",
    ),
    "a part that begins within a vector": (
        PLACE + "  logic [7:0] part;\n  assign part = key_i[8*{place_q, 3'd0} +: 8];\n",
        "part[0]",
        "a part of a vector that may lie beyond its end",
    ),
    "a choice of which no arm is right": (
        ODD + "  always_comb\n    unique case (1'b1)\n      key_valid_i: odd = 1'b0;\n"
        "      block_valid_i: odd = 1'b0;\n    endcase\n",
        "odd",
        "",
    ),
    "a priority of which no arm is right": (
        ODD + "  always_comb\n    priority case (1'b1)\n      key_valid_i: odd = 1'b0;\n"
        "      block_valid_i: odd = 1'b0;\n    endcase\n",
        "odd",
        "",
    ),
}
"""What simulators see as x, or some of them: free in each clock, or refused."""


@pytest.fixture(scope="module")
def inner() -> CoreDesign:
    design = load_specification("boyar2010-enc").design("core", "boyar2010-enc")
    text = INNER.format(ports=declarations(design.ports))
    return replace(design, sources=(SourceFile("inner.sv", text),))


def read(inner: CoreDesign, text: str, net: str, before: str, folder: Path) -> Netlist:
    assigns = "".join(f"  assign {name} = {value};\n" for name, value in {**PLAIN, **flips(net)}.items())
    whole = before + SHELL.format(text=text, assigns=assigns)
    return elaborate(replace(inner, sources=(*inner.sources, SourceFile("core.sv", whole))), folder)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_read_in_two_ways_is_refused(name: str, inner: CoreDesign, tmp_path: Path) -> None:
    case = REFUSED[name]
    with pytest.raises(CheckError) as refusal:
        read(inner, case.text, case.net, case.before, tmp_path / "wrong")
    assert re.search(case.says, str(refusal.value))
    read(inner, case.twin, "1'b0", case.twin_before, tmp_path / "right")


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_is_undefined_is_free_or_refused(name: str, inner: CoreDesign, tmp_path: Path) -> None:
    text, net, refused = UNDEFINED[name]
    if refused:
        with pytest.raises(CheckError, match=refused):
            read(inner, text, net, "", tmp_path)
        return
    netlist = read(inner, text, net, "", tmp_path)
    assert not netlist.reached.isdisjoint(netlist.free)
