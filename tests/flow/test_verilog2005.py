"""The one-file Verilog-2005 of a design: equal to its sources, legal for old tools, readable, always the same text."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.leaf import LeafDesign
from aesmith.cores.ports import Channel, Meaning, Payload, PortDirection, Ports
from aesmith.errors import ToolError
from aesmith.flow.verilator import find_verilator
from aesmith.flow.verilog2005 import tidy, verilog2005
from aesmith.flow.yosys import read_commands, run_script, write_sources


@pytest.fixture
def text(toy: CoreDesign, tmp_path: Path) -> str:
    return verilog2005(toy, "toy: a design\nof two lines", tmp_path / "first")


def prove_equal(design: CoreDesign, verilog: str, work: Path) -> None:
    """Raise ToolError unless `verilog` behaves as the sources of `design` from any common state."""
    work.mkdir(exist_ok=True)
    (work / "one.v").write_text(verilog)
    prepare = ["flatten", "async2sync", "opt_clean"]
    run_script(
        [
            *read_commands(design, write_sources(design, work), keep_hierarchy=False),
            *prepare,
            "rename -top gold",
            "design -stash gold",
            "read_verilog one.v",
            f"hierarchy -check -top {design.top}",
            "proc",
            *prepare,
            "rename -top gate",
            "design -stash gate",
            "design -copy-from gold gold",
            "design -copy-from gate gate",
            "equiv_make gold gate equal",
            "hierarchy -top equal",
            "equiv_simple -undef",
            "equiv_induct -undef",
            "equiv_status -assert",
        ],
        work / "equal.log",
    )


def test_it_behaves_as_the_sources(toy: CoreDesign, text: str, tmp_path: Path) -> None:
    prove_equal(toy, text, tmp_path / "proof")


@pytest.mark.parametrize(
    ("right", "wrong"), [("8'h63", "8'h62"), ("8'h1b", "8'h1d"), ("== 4'h9", "== 4'h8"), ("4'h1)", "4'h2)")]
)
def test_the_proof_catches_a_changed_text(toy: CoreDesign, text: str, tmp_path: Path, right: str, wrong: str) -> None:
    assert right in text
    with pytest.raises(ToolError, match="unproven"):
        prove_equal(toy, text.replace(right, wrong), tmp_path / "proof")


def test_it_is_always_the_same_text(toy: CoreDesign, text: str, tmp_path: Path) -> None:
    assert verilog2005(toy, "toy: a design\nof two lines", tmp_path / "elsewhere") == text


def test_it_has_the_header_and_nothing_of_tools_or_folders(text: str, tmp_path: Path) -> None:
    assert text.startswith("// toy: a design\n// of two lines\n\nmodule ")
    assert not re.search(rf"yosys|\(\*|\.sv|{tmp_path}|\$", text, re.IGNORECASE)


def test_modules_are_shared_by_their_instances_and_keep_their_names(text: str) -> None:
    assert re.findall(r"^module (\w+)", text, re.MULTILINE) == ["toy_leaf", "toy_layer", "toy_layer_2", "toy"]
    assert len(re.findall(r"^  toy_leaf gen_bytes_\d_u_leaf", text, re.MULTILINE)) == 3


def test_ports_and_registers_keep_their_names(text: str) -> None:
    top = text[text.index("module toy (") :]
    assert "  input [15:0] block_i,\n" in top
    assert "  reg [15:0] data_q;\n" in top
    assert re.search(r"always @\(posedge clk_i\)\n    data_q <= data_d;", top)
    assert re.search(r"if \(!rst_ni\) state_q <= 2'h1;", top)


def test_icarus_accepts_it_as_verilog_2005(text: str, tmp_path: Path) -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")
    (tmp_path / "toy.v").write_text(text)
    subprocess.run(["iverilog", "-g2005", "-Wall", "-o", "/dev/null", tmp_path / "toy.v"], check=True)


def test_verilator_accepts_it_as_verilog_2005(text: str, tmp_path: Path) -> None:
    (tmp_path / "toy.v").write_text(text)
    verilator = find_verilator()
    command = [verilator.command, "--lint-only", "--language", "1364-2005", "--top-module", "toy", tmp_path / "toy.v"]
    subprocess.run(command, env=verilator.environment(), check=True)


def test_different_escaped_names_stay_different() -> None:
    text = tidy(
        "module top(a, y);\n  input a;\n  output y;\n  wire \\g[0].x ;\n  wire \\g_0_x ;\n  wire g_0_x;\n"
        "  assign \\g[0].x  = a;\n  assign g_0_x = \\g[0].x ;\n  assign y = g_0_x;\nendmodule\n"
    )
    assert "assign g_0_x_ = a;" in text
    assert "assign g_0_x = g_0_x_;" in text


def test_an_expression_moves_only_where_widths_agree() -> None:
    text = tidy(
        "module top(a, s, y);\n  input [3:0] a;\n  input s;\n  output [4:0] y;\n  wire [3:0] _0_;\n"
        "  assign _0_ = a + 4'h1;\n  assign y = s ? _0_ : 5'h00;\nendmodule\n"
    )
    assert "assign y = s ? _0_ : 5'h00;" in text


def test_a_module_of_many_ports_is_kept(tmp_path: Path) -> None:
    # Yosys breaks the port list of such a module into lines.
    ports = [f"p{k}_i" for k in range(45)]
    names = ", ".join(ports)
    inner = f"module many_inner (input logic {names}, output logic y_o);\n  assign y_o = ^{{{names}}};\nendmodule\n"
    pins = ", ".join(f".{port}(x_i[{k}])" for k, port in enumerate(ports))
    outer = (
        f"module many (input logic [44:0] x_i, output logic y_o);\n  many_inner u_inner ({pins}, .y_o);\nendmodule\n"
    )
    inputs, output = Payload("x_i", 45, Meaning.VALUE), Payload("y_o", 1, Meaning.VALUE)
    channels = (Channel("x", PortDirection.INPUT, (inputs,)), Channel("y", PortDirection.OUTPUT, (output,)))
    modules = (SourceFile("many_inner.sv", inner), SourceFile("many.sv", outer))
    design = LeafDesign("many", modules, Ports(None, None, channels), 45, 1)
    text = verilog2005(design, "", tmp_path)
    assert re.findall(r"^module (\w+)", text, re.MULTILINE) == ["many_inner", "many"]
    assert re.findall(r"p\d+_i", text.partition(");")[0]) == ports


def _tables(first: str, second: str, value: str) -> str:
    """Two instances of a table that Yosys made, with the names that it gave to the contents of each."""
    module = (
        "module \\{module} (a, y);\n  input a;\n  output y;\n  reg [1:0] {name} [1:0];\n"
        "  initial {name}[0] = {value};\n  assign y = {name}[a];\nendmodule\n"
    )
    modules = module.format(module="box$top.u_a ", name=first, value="2'h1")
    modules += module.format(module="box$top.u_b ", name=second, value=value)
    return modules + (
        "module top(a, y);\n  input a;\n  output [1:0] y;\n  \\box$top.u_a  u_a (\n    .a(a),\n    .y(y[0])\n  );\n"
        "  \\box$top.u_b  u_b (\n    .a(a),\n    .y(y[1])\n  );\nendmodule\n"
    )


def test_numbers_in_names_that_yosys_made_up_keep_no_modules_apart() -> None:
    """As of tables written as `case`: else each of hundreds of equal S-boxes would be mapped by itself."""
    made_up = [f"auto_proc_rom_cc_155_do_switch_{number}" for number in (1370, 1374)]
    shared = tidy(_tables(*made_up, "2'h1"))
    assert re.findall(r"(?m)^module (\w+)", shared) == ["box", "top"]
    assert shared.count(made_up[0]) == 3
    assert made_up[1] not in shared
    assert re.findall(r"(?m)^module (\w+)", tidy(_tables(*made_up, "2'h2"))) == ["box", "box_2", "top"]
    named = tidy(_tables("contents", "other", "2'h1"))
    assert re.findall(r"(?m)^module (\w+)", named) == ["box", "box_2", "top"], "names of the sources are not made up"
