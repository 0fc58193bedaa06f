from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.timing.netlist import CONSTANT_0, CONSTANT_1
from aesmith.timing.verilog import parse_netlist, read_netlist

TEXT = r"""
/* Generated */
(* top = 1 *)
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
  (* src = "x" *)
  NAND2 _3_ ( .A(a[0]), .B(\odd.name ), .Z(_0_) );
  DFF \q.reg[0]  (
    .CK(clk), // the clock
    .D(inner[1]),
    .Q(y[1]),
    .QN()
  );
  INV _4_ (.A(1'h1), .Z(inner[1]));
  INV _5_ (.A(a[3]), .Z(_1_));
  assign y[0] = _0_;
  assign z = a[2];
  assign k = 1'b0;
  assign { up[4], up[5] } = a[2:1];
  assign inner[0] = _1_;
endmodule
"""


def test_ports_are_vectors_of_nets() -> None:
    netlist = parse_netlist(TEXT)
    assert netlist.name == "top"
    assert [port.name for port in netlist.inputs] == ["clk", "a", "odd.name"]
    assert [port.name for port in netlist.outputs] == ["y", "z", "k", "up"]
    assert [netlist.nets[net] for net in netlist.ports["a"].nets] == ["a[0]", "a[1]", "a[2]", "a[3]"]
    assert netlist.ports["y"].bit_name(1) == "y[1]"
    assert netlist.ports["z"].bit_name(0) == "z"
    assert [netlist.ports["up"].bit_name(bit) for bit in range(2)] == ["up[4]", "up[5]"]


def test_instances_have_their_pins_by_name() -> None:
    netlist = parse_netlist(TEXT)
    gates = {instance.name: instance for instance in netlist.instances}
    assert list(gates) == ["_3_", "q.reg[0]", "_4_", "_5_"]
    assert gates["_3_"].cell == "NAND2"
    ports = netlist.ports
    assert gates["_3_"].pins == {"A": ports["a"].nets[0], "B": ports["odd.name"].nets[0], "Z": ports["y"].nets[0]}
    assert set(gates["q.reg[0]"].pins) == {"CK", "D", "Q"}
    assert gates["q.reg[0]"].pins["D"] == gates["_4_"].pins["Z"]
    assert gates["_4_"].pins["A"] == CONSTANT_1


def test_assigned_nets_are_one() -> None:
    netlist = parse_netlist(TEXT)
    ports = netlist.ports
    assert ports["k"].nets == (CONSTANT_0,)
    assert ports["z"].nets == (ports["a"].nets[2],)
    assert ports["up"].nets == (ports["a"].nets[2], ports["a"].nets[1])
    assert netlist.nets[ports["y"].nets[0]] == "y[0]", "a port's name is preferred"


def test_one_module_of_several_is_asked_for() -> None:
    text = TEXT + "module other(a); input a; endmodule\n"
    assert parse_netlist(text, top="other").name == "other"
    with pytest.raises(RequestError, match="holds the modules top, other"):
        parse_netlist(text)
    with pytest.raises(RequestError, match="holds no module third, only top, other"):
        parse_netlist(text, top="third")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("endmodule", "", "ends before 'endmodule'"),
        ("module", "", "holds no Verilog module"),
        ("wire _0_", "reg _0_", "line 12: 'reg' has no place in a mapped netlist"),
        ("NAND2 _3_", "NAND2 #(2) _3_", "NAND2 has parameters"),
        ("(.A(a[3]), .Z(_1_))", "(a[3], _1_)", "line 23: expected '\\.'"),
        (".A(a[0])", ".A(a[4])", r"line 15: a\[4\] is outside a\[3:0\]"),
        (".A(a[0])", ".A(a)", "pin A of _3_ .* is tied to 4 bits"),
        (".A(1'h1)", ".A(1'hx)", "pin A of _4_ .* undefined value"),
        ("assign z = a[2]", "assign z = a", "line 25: an assignment of 4 bits to 1"),
        ("assign z = a[2]", "assign z = a[2] & a[1]", "line 25: not netlist Verilog at '& a.1.;'"),
        ("output z, k", "inout z; output k", "port z is inout"),
    ],
)
def test_other_verilog_is_refused_with_its_line(old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(RequestError, match=says):
        parse_netlist(TEXT.replace(old, new, 1))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"none\.v cannot be read"):
        read_netlist(tmp_path / "none.v")
