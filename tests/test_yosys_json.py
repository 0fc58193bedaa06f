"""The reader of Yosys' JSON, on what Yosys writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.yosys import run_script
from aesmith.yosys_json import FLOATING, ONE, UNDEFINED, ZERO, Driver, JsonDesign, parse_json, read_json

SOURCE = r"""
module inner (input [1:0] a, output y);
  assign y = ^a;
endmodule
module good (input clk, input [3:0] a, input [4:5] up, output [9:8] y, output k, output z, output x);
  reg [1:0] held;
  inner u_inner (.a(a[1:0]), .y(y[8]));
  always @(posedge clk) held <= a[3:2];
  assign y[9] = held[1];
  assign k = 1'b1;
  assign z = 1'bz;
  assign x = 1'bx;
endmodule
module twice (input a, input b, output y);
  assign y = ~a;
  assign y = ~b;
endmodule
module fixed (input a, output y);
  wire w;
  assign w = ~a;
  assign w = 1'b0;
  assign y = w;
endmodule
module driven (input a, input b);
  inner u_inner (.a({a, b}), .y(a));
endmodule
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("json")
    (folder / "source.v").write_text(SOURCE)
    run_script(["read_verilog source.v", "proc", "write_json netlist.json"], folder / "yosys.log")
    return folder / "netlist.json"


@pytest.fixture(scope="module")
def design(written: Path) -> JsonDesign:
    return read_json(written)


def test_ports_cells_and_names_are_those_of_the_source(design: JsonDesign) -> None:
    good = design.module("good")
    assert [(port.name, port.direction, port.width, port.lsb, port.upto) for port in good.ports.values()] == [
        ("clk", "input", 1, 0, False),
        ("a", "input", 4, 0, False),
        ("up", "input", 2, 4, True),
        ("y", "output", 2, 8, False),
        ("k", "output", 1, 0, False),
        ("z", "output", 1, 0, False),
        ("x", "output", 1, 0, False),
    ]
    inner = good.cells["u_inner"]
    assert inner.type == "inner"
    assert inner.nets("input") == good.ports["a"].nets[:2]
    assert inner.nets("output") == good.ports["y"].nets[:1]
    register = next(cell for cell in good.cells.values() if cell.type == "$dff")
    assert register.number("WIDTH") == 2
    assert good.names["held"].nets == register.pins["Q"]
    assert good.label(register.pins["Q"][0]) == "held[0]"
    assert [good.ports[name].nets for name in "kzx"] == [(ONE,), (FLOATING,), (UNDEFINED,)]


def test_each_net_has_its_driver(design: JsonDesign) -> None:
    good = design.module("good")
    drivers = good.drivers()
    assert drivers[good.ports["a"].nets[3]] == Driver(None, "a", 3)
    assert drivers[good.ports["y"].nets[0]] == Driver("u_inner", "y", 0)
    assert not {ZERO, ONE, UNDEFINED, FLOATING} & drivers.keys()


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("twice", r"twice: y has two drivers, .*Y\[0\] and .*Y\[0\]"),
        ("fixed", r"fixed: .* has two drivers, the constant 0 and .*Y\[0\]"),
        ("driven", r"driven: a has two drivers, input a\[0\] and u_inner.y\[0\]"),
    ],
)
def test_a_second_driver_is_refused_by_name(design: JsonDesign, module: str, says: str) -> None:
    with pytest.raises(CheckError, match=says):
        design.module(module).drivers()


def test_a_missing_module_is_refused_by_name(design: JsonDesign, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"holds no module other, only inner, good, twice|only .*good"):
        design.module("other")
    (tmp_path / "source.v").write_text("module top (input a, output y);\n  strange u_one (.A(a), .Y(y));\nendmodule\n")
    run_script(["read_verilog source.v", "write_json netlist.json"], tmp_path / "yosys.log")
    with pytest.raises(RequestError, match=r"top: u_one is an instance of strange, which is neither"):
        read_json(tmp_path / "netlist.json")


def test_cells_of_a_library_have_directions_and_are_no_modules(tmp_path: Path) -> None:
    (tmp_path / "source.v").write_text("module top (input a, output y);\n  INV u_one (.A(a), .Y(y));\nendmodule\n")
    (tmp_path / "cells.v").write_text("(* blackbox *) module INV (input A, output Y);\nendmodule\n")
    run_script(["read_verilog cells.v source.v", "write_json netlist.json"], tmp_path / "yosys.log")
    read = read_json(tmp_path / "netlist.json")
    assert list(read.modules) == ["top"]
    assert read.module("top").cells["u_one"].directions == {"A": "input", "Y": "output"}


def test_what_yosys_did_not_write_is_refused(written: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"none\.json cannot be read"):
        read_json(tmp_path / "none.json")
    for text in ("", "[]", '{"modules": {"a": {"ports": {}}}}', json.dumps({"modules": {"a": 1}})):
        with pytest.raises(ToolError, match="is no JSON of Yosys"):
            parse_json(text)
    doubled = written.read_text().replace('"held":', '"y":')
    with pytest.raises(ToolError, match="y appears twice"):
        parse_json(doubled)
