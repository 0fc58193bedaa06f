"""Netlists of cells as Yosys writes them: ports, nets and instances by number, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.netlist import CONSTANT_0, CONSTANT_1, CellNetlist, read_netlist

TEXT = r"""
module \top (clk, a, \odd.name , y, z, k, up);
  input clk; wire clk;
  input [3:0] a; wire [3:0] a;
  input \odd.name ;
  output [1:0] y;
  wire [1:0] y;
  output z, k;
  output [4:5] up;
  wire _0_, _1_;
  wire [1:0] inner;
  NAND2_X1 _3_ ( .A(a[0]), .B(\odd.name ), .Z(_0_) );
  DFF_X1 \q.reg[0]  (
    .CK(clk), // the clock
    .D(inner[1]),
    .Q(y[1])
  );
  INV_X1 _4_ (.A(1'h1), .Z(inner[1]));
  INV_X1 _5_ (.A(a[3]), .Z(_1_));
  assign y[0] = _0_;
  assign z = a[2];
  assign k = 1'b0;
  assign { up[4], up[5] } = a[2:1];
  assign inner[0] = _1_;
endmodule
"""


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def netlist(library: Library) -> CellNetlist:
    return parse_netlist(TEXT, library)


def test_ports_are_vectors_of_nets(netlist: CellNetlist) -> None:
    assert netlist.name == "top"
    assert [port.name for port in netlist.inputs] == ["clk", "a", "odd.name"]
    assert [port.name for port in netlist.outputs] == ["y", "z", "k", "up"]
    assert [netlist.nets[net] for net in netlist.ports["a"].nets] == ["a[0]", "a[1]", "a[2]", "a[3]"]
    assert netlist.ports["y"].bits == ("y[0]", "y[1]")
    assert netlist.ports["z"].bits == ("z",)
    assert netlist.ports["up"].bits == ("up[5]", "up[4]")


def test_instances_have_their_pins_by_name(netlist: CellNetlist) -> None:
    gates = {instance.name: instance for instance in netlist.instances}
    assert set(gates) == {"_3_", "q.reg[0]", "_4_", "_5_"}
    assert gates["_3_"].cell == "NAND2_X1"
    ports = netlist.ports
    assert gates["_3_"].pins == {"A": ports["a"].nets[0], "B": ports["odd.name"].nets[0], "Z": ports["y"].nets[0]}
    assert set(gates["q.reg[0]"].pins) == {"CK", "D", "Q"}
    assert gates["q.reg[0]"].pins["D"] == gates["_4_"].pins["Z"]
    assert gates["_4_"].pins["A"] == CONSTANT_1


def test_assigned_nets_are_one(netlist: CellNetlist) -> None:
    ports = netlist.ports
    assert ports["k"].nets == (CONSTANT_0,)
    assert ports["z"].nets == (ports["a"].nets[2],)
    assert ports["up"].nets == (ports["a"].nets[1], ports["a"].nets[2])
    assert netlist.nets[ports["y"].nets[0]] == "y[0]", "a port's name is preferred"


def test_one_module_of_several_is_asked_for(library: Library) -> None:
    text = TEXT + "module other(a, y); input a; output y; assign y = a; endmodule\n"
    assert parse_netlist(text, library, "other").name == "other"
    with pytest.raises(RequestError, match=r"holds the modules (top, other|other, top): flatten it"):
        parse_netlist(text, library)
    with pytest.raises(RequestError, match="holds no module third, only"):
        parse_netlist(text, library, "third")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("assign z = a[2]", "assign z = a[2] & a[1]", "is no cell of a library: the netlist is not mapped"),
        (".A(a[0])", ".A(a)", r"_3_ \(NAND2_X1\): pin A is tied to 4 bits"),
        (".A(1'h1)", ".A(1'hx)", r"_4_ \(INV_X1\): pin A is tied to an undefined value"),
        ("output z, k", "inout z; output k", "port z is inout"),
        ("NAND2_X1 _3_", "STRANGE _3_", "_3_ is an instance of STRANGE, which is neither"),
    ],
)
def test_what_is_no_netlist_of_cells_is_refused(library: Library, old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(RequestError, match=says):
        parse_netlist(TEXT.replace(old, new, 1), library)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"none\.json cannot be read"):
        read_netlist(tmp_path / "none.json")
