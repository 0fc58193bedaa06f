"""A netlist is the core, or is shown not to be."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import build_design, load_specification
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import library_by

Attack = tuple[str, Verdict, str, tuple[tuple[str, str], ...]]

COUNTER = """
module counter (
  input logic clk_i, input logic rst_ni, input logic [3:0] data_i, output logic [3:0] sum_o, output logic full_o
);
  logic [3:0] sum_q;
  logic [1:0] count_q;
  always_ff @(posedge clk_i) sum_q <= sum_q ^ data_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= 2'd2;
    else count_q <= count_q + 2'd1;
  end
  assign sum_o = sum_q;
  assign full_o = count_q == 2'd3;
endmodule
"""


@pytest.fixture(scope="module")
def small() -> CoreDesign:
    design = build_design(load_specification("ueno2020-enc"), "counter", "ueno2020-enc")
    return replace(design, sources=(SourceFile("counter.sv", COUNTER),))


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def netlist(small: CoreDesign, library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthesise(small, library, KEEP, None, tmp_path_factory.mktemp("synthesis")).netlist


def test_a_netlist_is_proved(small: CoreDesign, library: Library, netlist: Path, tmp_path: Path) -> None:
    part = prove_mapped(small, library, netlist, tmp_path)
    assert part.verdict is Verdict.PROVED, part.detail
    assert all((tmp_path / name).is_file() for name in part.files)


REFUTED, REFUSED, OPEN = Verdict.REFUTED, Verdict.REFUSED, Verdict.OPEN

ATTACKS: list[Attack] = [
    ("another function", REFUTED, "differs", (("  XOR2_X1 ", "  XNOR2_X1 "),)),
    (
        "two registers swapped",
        REFUTED,
        "differs",
        ((".Q(sum_o[1])", ".Q(sum_o[9])"), (".Q(sum_o[0])", ".Q(sum_o[1])"), (".Q(sum_o[9])", ".Q(sum_o[0])")),
    ),
    ("a clock from data", REFUSED, "clocked by something else", ((".CK(clk_i)", ".CK(data_i[0])"),)),
    ("a clock that is tied", REFUSED, "clocked by something else", ((".CK(clk_i)", ".CK(1'b0)"),)),
    (
        "an inverted clock",
        REFUSED,
        "clocked by something else",
        ((".CK(clk_i)", ".CK(odd)"), ("endmodule", "  wire odd;\n  INV_X1 odd_i (.A(clk_i), .Z(odd));\nendmodule")),
    ),
    ("a reset that is tied", REFUTED, "differs", ((".RN(rst_ni)", ".RN(1'b1)"),)),
    ("a reset from data", REFUSED, "reset by something else", ((".RN(rst_ni)", ".RN(data_i[0])"),)),
    (
        "a reset inverted",
        REFUSED,
        "reset by something else",
        ((".RN(rst_ni)", ".RN(odd)"), ("endmodule", "  wire odd;\n  INV_X1 odd_i (.A(rst_ni), .Z(odd));\nendmodule")),
    ),
    (
        "a register that holds what it had at first",
        REFUTED,
        "differs",
        (
            ("output full_o", "output full_o; wire odd, real_full"),
            (".Z(full_o)", ".Z(real_full)"),
            (
                "endmodule",
                "  DFF_X1 odd_r (.CK(clk_i), .D(odd), .Q(odd));\n  XOR2_X1 odd_x (.A(odd), .B(real_full), "
                ".Z(full_o));\nendmodule",
            ),
        ),
    ),
    ("a cell that no library has", REFUSED, "", (("  XOR2_X1 ", "  MAGIC_X1 "),)),
    ("two drivers", REFUSED, "", (("endmodule", "  INV_X1 odd_i (.A(data_i[0]), .Z(sum_o[0]));\nendmodule"),)),
    ("a net that nothing drives", REFUSED, "no driver", ((".B(data_i[3])", ".B(odd)"),)),
    ("text that tools read in two ways", REFUSED, "refused", (("endmodule", "`ifdef ODD\n`endif\nendmodule"),)),
    (
        "a module that is called like a cell",
        REFUSED,
        "has a module XOR2_X1, which is a cell of the library",
        (
            (
                "endmodule",
                "endmodule\nmodule XOR2_X1 (A, B, Z);\n  input A, B;\n  output Z;\n  assign Z = A;\nendmodule",
            ),
        ),
    ),
    ("text in no UTF-8", REFUSED, "changed.v: is no text in UTF-8", (("endmodule", "// caf\udce9\nendmodule"),)),
    (
        "another output",
        REFUSED,
        "outputs",
        (("full_o);", "full_o, spy_o);\n  output spy_o;\n  assign spy_o = data_i[0];"),),
    ),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack[0].replace(" ", "-"))
def test_a_netlist_that_is_not_the_core_gets_its_verdict(
    attack: Attack, small: CoreDesign, library: Library, netlist: Path, tmp_path: Path
) -> None:
    _, verdict, says, changes = attack
    text = netlist.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    (tmp_path / "changed.v").write_bytes(os.fsencode(text))
    part = prove_mapped(small, library, tmp_path / "changed.v", tmp_path / "proof")
    assert part.verdict is verdict, part.detail
    assert says in part.detail


def test_a_complemented_register_is_no_difference(
    small: CoreDesign, library: Library, netlist: Path, tmp_path: Path
) -> None:
    # The register keeps the complement of sum_o[1]: an inverter before it and one after it.
    text = netlist.read_text().replace(".Q(sum_o[1])", ".Q(kept)")
    data = re.search(r"\.D\((\w+)\),\s*\.Q\(kept\)", text)
    assert data is not None
    text = text.replace(data[0], data[0].replace(data[1], "turned"))
    cells = f"  wire kept, turned;\n  INV_X1 a (.A({data[1]}), .Z(turned));\n"
    cells += "  INV_X1 b (.A(kept), .Z(sum_o[1]));\nendmodule"
    (tmp_path / "changed.v").write_text(text.replace("endmodule", cells))
    part = prove_mapped(small, library, tmp_path / "changed.v", tmp_path / "proof")
    assert part.verdict is Verdict.PROVED, part.detail


def test_both_outputs_of_a_flip_flop_are_one_register(
    small: CoreDesign, library: Library, netlist: Path, tmp_path: Path
) -> None:
    text = read_text(library.path)
    begin = text.index("cell (DFF_X1)")
    end = text.index("cell (", begin + 1)
    output = text[text.index("pin (Q)", begin) : text.rindex("}", begin, end)]
    inverse = output.replace("pin (Q)", "pin (QN)").replace('"IQ"', '"IQN"')
    (tmp_path / "both.lib").write_text(text[:begin] + text[begin:end].replace(output, output + inverse) + text[end:])
    both = read_library(tmp_path / "both.lib")
    # sum_o[1] is kept as its complement, and both levels are read.
    mapped = netlist.read_text().replace(".Q(sum_o[1])", ".Q(kept),\n    .QN(sum_o[1])")
    data = re.search(r"\.D\((\w+)\),\s*\.Q\(kept\)", mapped)
    assert data is not None
    mapped = mapped.replace(data[0], data[0].replace(data[1], "turned"))
    for cell, verdict in (("INV_X1", Verdict.PROVED), ("BUF_X1", Verdict.REFUTED)):
        cells = f"  wire kept, turned;\n  {cell} a (.A({data[1]}), .Z(turned));\nendmodule"
        (tmp_path / "changed.v").write_text(mapped.replace("endmodule", cells))
        part = prove_mapped(small, both, tmp_path / "changed.v", tmp_path / cell)
        assert part.verdict is verdict, part.detail


# Sources, and in each case what a netlist makes of them: registers merged, removed and copied, rightly or wrongly.
REGISTERS = """
module counter (
  input logic clk_i, input logic rst_ni, input logic [3:0] data_i, output logic [3:0] sum_o, output logic full_o
);
  logic [15:0] clocks_q;
  logic [2:0] first_q, second_q, held_q;
  logic armed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clocks_q <= 16'd0;
      first_q <= 3'd1;
      second_q <= 3'd1;
      armed_q <= 1'b0;
    end else begin
      clocks_q <= clocks_q + 16'd1;
      first_q <= data_i[2:0] + first_q;
      second_q <= SECOND;
      armed_q <= ARMED;
    end
  end
  always_ff @(posedge clk_i) if (data_i[3]) held_q <= data_i[2:0];
  assign sum_o = {armed_q, first_q ^ {second_q[0], second_q[2:1]}};
  assign full_o = ^held_q;
endmodule
"""
ALIKE, NEVER = "data_i[2:0] + second_q", "armed_q"
MERGED = REGISTERS.replace("second_q <= SECOND;", "").replace(
    "^ {second_q[0], second_q[2:1]}", "^ {first_q[0], first_q[2:1]}"
)
FEWER = MERGED.replace("second_q <= 3'd1;", "").replace(", second_q", "").replace("ARMED", NEVER)

PAIRS = {
    "registers that always agree are merged, one that never changes is removed": (ALIKE, NEVER, FEWER, Verdict.PROVED),
    "two registers are merged that agree for 40,000 clocks": (
        "clocks_q == 16'd40000 ? 3'd0 : data_i[2:0] + second_q",
        NEVER,
        FEWER,
        OPEN,
    ),
    "two registers are merged that differ after one state": (
        "data_i[2:0] + second_q + 3'((first_q == 3'd5) & (clocks_q == 16'd9999))",
        NEVER,
        FEWER,
        OPEN,
    ),
    "two registers are merged that agree for legal inputs": (
        "data_i == 4'd13 ? 3'd0 : data_i[2:0] + second_q",
        NEVER,
        FEWER,
        REFUTED,
    ),
    "a register is removed that changes after 50,000 clocks": (ALIKE, "armed_q | clocks_q == 16'd50000", FEWER, OPEN),
    "a control register begins at another level": (
        ALIKE,
        NEVER,
        FEWER.replace("first_q <= 3'd1", "first_q <= 3'd3"),
        REFUTED,
    ),
    "a register that nothing but the last state of a counter tells from its own complement": (
        ALIKE,
        NEVER,
        FEWER.replace("data_i[2:0] + first_q", "first_q + data_i[2:0] + {2'd0, &clocks_q}"),
        OPEN,
    ),
}


@pytest.mark.thorough(but=3)
@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case.replace(" ", "-"))
def test_registers_are_equal_only_if_reset_makes_them_and_every_clock_keeps_them(
    case: str, small: CoreDesign, library: Library, tmp_path: Path
) -> None:
    second, armed, made, verdict = PAIRS[case]
    sources = REGISTERS.replace("SECOND", second).replace("ARMED", armed)
    design = replace(small, sources=(SourceFile("counter.sv", sources),))
    other = replace(small, sources=(SourceFile("counter.sv", made),))
    mapped = synthesise(other, library, KEEP, None, tmp_path / "synthesis").netlist
    part = prove_mapped(design, library, mapped, tmp_path / "proof")
    assert part.verdict is verdict, part.detail


COPY = """
module counter (
  input logic clk_i, input logic rst_ni, input logic [3:0] data_i, output logic [3:0] sum_o, output logic full_o
);
  logic one_q;
  always_ff @(posedge clk_i) one_q <= LOADS;
  assign sum_o = {3'd0, one_q};
  assign full_o = one_q;
endmodule
"""
MAPPED_COPY = """
module counter (clk_i, rst_ni, data_i, sum_o, full_o);
  input clk_i, rst_ni;
  input [3:0] data_i;
  output [3:0] sum_o;
  output full_o;
  wire first, second;
  assign sum_o[3:1] = 3'b000;
  CELL_X1 first_d (.A(FIRST), .B(rst_ni), .S(data_i[1]), .Z(first));
  CELL_X1 second_d (.A(SECOND), .B(rst_ni), .S(data_i[1]), .Z(second));
  DFF_X1 first_r (.CK(clk_i), .D(first), .Q(sum_o[0]));
  DFF_X1 second_r (.CK(clk_i), .D(second), .Q(full_o));
endmodule
"""
AND, MUX = "data_i[0] & data_i[2]", "data_i[1] ? data_i[0] : one_q"

# A register without reset that the netlist has twice: what it loads, the cells before both, and the verdict.
COPIES = {
    "that loads in every clock": (
        AND,
        "AND2_X1 first_d (.A(data_i[0]), .B(data_i[2]), .Z(first))",
        "AND2_X1 second_d (.A(data_i[2]), .B(data_i[0]), .Z(second))",
        Verdict.PROVED,
        "at least 1 clock",
    ),
    "that may hold what it had": (
        MUX,
        "MUX2_X1 first_d (.A(sum_o[0]), .B(data_i[0]), .S(data_i[1]), .Z(first))",
        "MUX2_X1 second_d (.A(full_o), .B(data_i[0]), .S(data_i[1]), .Z(second))",
        OPEN,
        "or never",
    ),
    "while reset is read as data": (
        "data_i[0] & rst_ni",
        "AND2_X1 first_d (.A(data_i[0]), .B(rst_ni), .Z(first))",
        "AND2_X1 second_d (.A(rst_ni), .B(data_i[0]), .Z(second))",
        OPEN,
        "read as data",
    ),
}


@pytest.mark.parametrize("case", COPIES, ids=lambda case: case.replace(" ", "-"))
def test_a_copy_of_a_register_agrees_with_it_after_clocks_of_reset_that_are_stated(
    case: str, small: CoreDesign, library: Library, tmp_path: Path
) -> None:
    loads, first, second, verdict, says = COPIES[case]
    design = replace(small, sources=(SourceFile("counter.sv", COPY.replace("LOADS", loads)),))
    mapped = re.sub(r"CELL_X1 first.*", f"{first};", MAPPED_COPY)
    (tmp_path / "mapped.v").write_text(re.sub(r"CELL_X1 second.*", f"{second};", mapped))
    part = prove_mapped(design, library, tmp_path / "mapped.v", tmp_path / "proof")
    assert part.verdict is verdict, part.detail
    assert says in part.detail
