"""The proof that the one-file Verilog is the sources: the right text passes, each planted difference is named."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.leaf import LeafDesign
from aesmith.cores.ports import Channel, Meaning, Payload, PortDirection, Ports
from aesmith.cores.specification import build_design, parse_specification, presets
from aesmith.errors import CheckError, ToolError
from aesmith.flow.equality import prove_equal
from aesmith.flow.verilator import find_verilator
from aesmith.flow.verilog2005 import verilog2005

FAMILIES = ("ueno2020-enc", "serial-small-enc", "serial-encdec", "wang2010-s1-enc", "zhang2004-r3-enc")
"""A preset of each family, and those whose text once had a cell in it that only Yosys knows."""


@pytest.fixture(scope="module")
def text(toy: CoreDesign, tmp_path_factory: pytest.TempPathFactory) -> str:
    return verilog2005(toy, "", tmp_path_factory.mktemp("toy"))


def test_the_text_is_proved(toy: CoreDesign, text: str, tmp_path: Path) -> None:
    prove_equal(toy, text, tmp_path)


@pytest.mark.parametrize(
    "planted",
    [
        ("8'h63", "8'h62", "module toy_leaf is not the sources': y_o"),
        ("8'h1b", "8'h1d", r"module toy is not the sources': D of constant_q\[.\]"),
        ("== 4'h9", "== 4'h8", "module toy is not the sources'"),
        ("state_q <= 2'h1", "state_q <= 2'h2", r"register state_q\[.\] is of kind"),
        ("(posedge clk_i)", "(negedge clk_i)", "C of"),
        ("(posedge clk_i)", "(posedge block_valid_i)", "C of"),
        (".x_i(data_q),", ".x_i({ data_q[0], data_q[15:1] }),", r"u_layer\.x_i\["),
        ("toy_layer_2 u_spare", "toy_layer_2 u_other", "instance u_other is not in the sources"),
        ("  output block_valid_o,", "  output reg [1:0] block_valid_o,", "its ports are not those of the sources"),
        ("assign block_o = data_q;", "assign block_o = 16'hxxxx;", "is not driven, or undefined"),
        ("assign block_o = data_q;", "assign block_o = data_q;\n  initial data_q = 0;", "data_q has an initial value"),
        ("module toy (", "`define LATER\nmodule toy (", "has '`', which tools read in different ways"),
        ("module toy (", "// synopsys translate_off\nmodule toy (", "'translate_off'"),
    ],
)
def test_a_planted_difference_is_named(
    toy: CoreDesign, text: str, tmp_path: Path, planted: tuple[str, str, str]
) -> None:
    old, new, says = planted
    assert old in text
    with pytest.raises(CheckError, match=says):
        prove_equal(toy, text.replace(old, new, 1), tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("toy_leaf gen_bytes_0", "bwmux_ gen_bytes_0"),
        ("assign block_o = data_q;", "assign block_o = data_q;\n  assign block_o = ~data_q;"),
        ("endmodule", ""),
        ("assign block_o = data_q;", ""),
        ("if (!rst_ni) state_q <= 2'h1;\n    else ", ""),
    ],
)
def test_what_yosys_refuses_is_refused(toy: CoreDesign, text: str, tmp_path: Path, old: str, new: str) -> None:
    assert old in text
    with pytest.raises((CheckError, ToolError)):
        prove_equal(toy, text.replace(old, new, 1), tmp_path)


PORTS = Ports(
    None,
    None,
    (
        Channel("operand", PortDirection.INPUT, (Payload("x_i", 4, Meaning.VALUE),)),
        Channel("value", PortDirection.OUTPUT, (Payload("y_o", 1, Meaning.VALUE),)),
    ),
)


def leaf(expression: str) -> LeafDesign:
    text = f"module leaf (input logic [3:0] x_i, output logic y_o);\n  assign y_o = {expression};\nendmodule\n"
    return LeafDesign("leaf", (SourceFile("leaf.sv", text),), PORTS, 4, 1)


def test_a_table_of_constants_is_gates_on_both_sides(tmp_path: Path) -> None:
    """Yosys makes a memory of a case statement of 16 constants, as a self-test's ROM is, unless it is told not to."""
    words = [(37 * number + 11) % 256 for number in range(16)]
    rows = "".join(f"      4'd{number}: row = 8'h{word:02x};\n" for number, word in enumerate(words))
    text = (
        "module leaf (input logic [3:0] x_i, output logic y_o);\n  logic [7:0] row;\n  assign y_o = row[5];\n"
        f"  always_comb\n    unique case (x_i)\n{rows}      default: row = '0;\n    endcase\nendmodule\n"
    )
    design = LeafDesign("leaf", (SourceFile("leaf.sv", text),), PORTS, 4, 1)
    made = verilog2005(design, "", tmp_path / "made")
    prove_equal(design, made, tmp_path / "right")
    other = LeafDesign("leaf", (SourceFile("leaf.sv", text.replace("8'h30", "8'h10", 1)),), PORTS, 4, 1)
    with pytest.raises(CheckError, match="module leaf is not the sources': y_o"):
        prove_equal(other, made, tmp_path / "wrong")


@pytest.mark.parametrize("other", ["(x_i[0] & x_i[1]) ^ (x_i[0] & x_i[2])", "x_i[0] ? x_i[1] ^ x_i[2] : 1'b0"])
def test_another_structure_is_left_to_abc(other: str, tmp_path: Path) -> None:
    design = leaf("x_i[0] & (x_i[1] ^ x_i[2])")
    text = f"module leaf (x_i, y_o);\n  input [3:0] x_i;\n  output y_o;\n  assign y_o = {other};\nendmodule\n"
    prove_equal(design, text, tmp_path / "right")
    with pytest.raises(CheckError, match=r"module leaf is not the sources': y_o\[0\]"):
        prove_equal(design, text.replace("x_i[2]", "x_i[3]"), tmp_path / "wrong")


@pytest.mark.parametrize(
    ("chosen", "right"),
    [
        ("x_i[3] ? x_i[2] : x_i[2] ? x_i[1] : x_i[0]", False),
        ("x_i[3] ? x_i[2] ? x_i[0] : 1'b1 : x_i[2] ? x_i[1] : x_i[0]", True),
        ("x_i[3] ? x_i[2] ? ~x_i[0] & x_i[1] : 1'b1 : x_i[2] ? x_i[1] : x_i[0]", True),
        ("x_i[3] ? x_i[2] ? ~x_i[0] & x_i[1] : 1'b1 : x_i[2] ? x_i[0] : x_i[0]", False),
        ("x_i[3] ? x_i[2] ? 1'b0 : x_i[0] : x_i[2] ? x_i[1] : x_i[0]", False),
    ],
)
def test_what_is_undefined_in_the_sources_may_be_anything_in_the_file(chosen: str, right: bool, tmp_path: Path) -> None:
    """Of the four values of an index three choose: x_i[0], x_i[1], 1; the fourth is outside the array."""
    body = "  logic [2:0] of_three;\n  assign of_three = {1'b1, x_i[1:0]};\n  assign y_o = of_three[x_i[3:2]];\n"
    source = f"module leaf (input logic [3:0] x_i, output logic y_o);\n{body}endmodule\n"
    design = LeafDesign("leaf", (SourceFile("leaf.sv", source),), PORTS, 4, 1)
    text = f"module leaf (x_i, y_o);\n  input [3:0] x_i;\n  output y_o;\n  assign y_o = {chosen};\nendmodule\n"
    if right:
        prove_equal(design, text, tmp_path)
    else:
        with pytest.raises(CheckError, match="is not the sources'"):
            prove_equal(design, text, tmp_path)


@pytest.mark.parametrize(
    "write",
    [
        "words_q[x_i[1:0]] <= x_i[2];",
        "begin words_q[0] <= x_i[0]; for (int i = 1; i < 4; i++) words_q[i] <= words_q[i-1]; end",
    ],
    ids=["at an index", "in a loop"],
)
def test_an_unpacked_array_is_registers(write: str, tmp_path: Path) -> None:
    """As another's core may have one: the front end would make a memory of it, of which Verilog-2005 is not proved."""
    body = f"  logic words_q [4];\n  always_ff @(posedge clk_i) {write}\n  assign y_o = words_q[x_i[3:2]];\n"
    source = f"module core (input logic clk_i, input logic [3:0] x_i, output logic y_o);\n{body}endmodule\n"
    design = LeafDesign("core", (SourceFile("core.sv", source),), PORTS, 4, 1)
    text = verilog2005(design, "", tmp_path / "text")
    prove_equal(design, text, tmp_path / "right")
    assert "assign y_o = " in text
    with pytest.raises(CheckError, match="is not the sources'"):
        prove_equal(design, text.replace("assign y_o = ", "assign y_o = ~ "), tmp_path / "wrong")
    (tmp_path / "core.v").write_text(text)
    if shutil.which("iverilog"):
        subprocess.run(["iverilog", "-g2005", "-o", tmp_path / "core.vvp", tmp_path / "core.v"], check=True)
    lint(text, tmp_path)


@pytest.mark.thorough(but=3)
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "body",
    [
        "y_o = x_i[2*at+:1];",
        "y_o = x_i[3-at-:1];",
        "y_o = x_i[at];",
        "begin held = x_i; held[2*at+:2] = x_i[1:0]; y_o = ^held[3:1]; end",
        "begin held = x_i; held[2*at+1-:2] = x_i[3:2]; y_o = held[2]; end",
        "begin held = x_i; held[3-at] = x_i[2]; y_o = held[x_i[1:0]]; end",
        "y_o = -at + 3 > at - 2;",
        "y_o = 1'((at - 3) >>> 1);",
        "y_o = 1'((at - 3) * (2 - at) / 2);",
        "y_o = 1'((2 - at) % 3);",
    ],
)
def test_what_is_written_with_an_int_has_no_system_function(body: str, tmp_path: Path) -> None:
    """An int is signed, and Verilog-2005 has signed part selects and shifts only by `$signed`."""
    declared = "  logic [3:0] held;\n  int at;\n  assign at = int'(x_i[0]);\n"
    process = f"  always_comb begin\n    held = '0;\n    {body}\n  end\n"
    source = f"module core (input logic [3:0] x_i, output logic y_o);\n{declared}{process}endmodule\n"
    design = LeafDesign("core", (SourceFile("core.sv", source),), PORTS, 4, 1)
    text = verilog2005(design, "", tmp_path / "text")
    assert "$" not in text
    prove_equal(design, text, tmp_path / "right")
    lint(text, tmp_path)


def lint(text: str, folder: Path) -> None:
    """Verilator reads it as Verilog-2005 without a complaint."""
    (folder / "core.v").write_text(text)
    verilator = find_verilator()
    command = [verilator.command, "--lint-only", "--language", "1364-2005", "--top-module", "core", folder / "core.v"]
    subprocess.run(command, env=verilator.environment(), check=True)


@pytest.mark.thorough(but=1)
@pytest.mark.one_in(2)
@pytest.mark.parametrize("preset", FAMILIES)
def test_a_preset_of_each_family_is_proved_and_legal(preset: str, tmp_path: Path) -> None:
    design = build_design(presets()[preset], "core", preset)
    text = verilog2005(design, "", tmp_path / "text")
    prove_equal(design, text, tmp_path / "proof")
    lint(text, tmp_path)
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")
    subprocess.run(["iverilog", "-g2005", "-Wall", "-o", tmp_path / "core", tmp_path / "core.v"], check=True)


def test_the_latch_of_a_clock_gate_is_there_on_purpose(tmp_path: Path) -> None:
    gated = parse_specification({"preset": "hamalainen2006-enc", "clock_gates": True})
    lint(verilog2005(build_design(gated, "core", "gated"), "", tmp_path / "text"), tmp_path)
