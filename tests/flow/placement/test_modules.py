"""Where placed cells come from: modules of their own, and registers they lead to, in picture and DEF."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.drawing.placement import REST, coloured
from aesmith.flow.placement.modules import modules_of
from aesmith.flow.yosys import run_script
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.binding import BoundNetlist, bind
from aesmith.timing.netlist import read_netlist

NETLIST = """
module top(clk, a, b, y, z, w);
  input clk, a, b; output y, z, w;
  wire k, s, nk, ns, t, u;
  NAND2_X1 near_key (.A(k), .B(t), .Z(nk));
  INV_X1 between (.A(u), .Z(t));
  XOR2_X1 shared (.A(a), .B(b), .Z(u));
  NOR2_X1 near_state (.A(s), .B(u), .Z(ns));
  DFF_X1 key_register (.CK(clk), .D(nk), .Q(k));
  DFF_X1 state_register (.CK(clk), .D(ns), .Q(s));
  BUF_X1 given (.A(k), .Z(y));
  BUF_X1 alone (.A(a), .Z(z));
  INV_X1 inner (.A(b), .Z(w));
endmodule
"""


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


def _bound(library: Library, origins: dict[str, str]) -> BoundNetlist:
    netlist = parse_netlist(NETLIST, library)
    named = {netlist.nets.index(net): tuple(path.split(".")) for net, path in origins.items()}
    return bind(replace(netlist, origins=named), library)


def _of(library: Library, origins: dict[str, str]) -> dict[str, str]:
    bound = _bound(library, origins)
    names = [instance.name for instance in bound.netlist.instances]
    return dict(zip(names, modules_of(bound), strict=True))


def test_a_gate_belongs_to_what_it_leads_to_over_the_fewest_gates(library: Library) -> None:
    found = _of(library, {"nk": "u_keys.key_d", "ns": "u_state[3].next", "k": "u_keys.key_q", "y": "y", "w": "w"})
    assert found == {
        "near_key": "u_keys.key_d",
        "between": "u_keys.key_d",
        "shared": "u_state[*].next",
        "near_state": "u_state[*].next",
        "key_register": "u_keys.key_d",
        "state_register": "u_state[*].next",
        "given": "y",
        "alone": "z",
        "inner": "w",
    }


def test_a_net_inside_a_module_names_the_module(library: Library) -> None:
    found = _of(library, {"u": "u_core.gen_byte[7].u_sbox.n12", "nk": "u_keys.key_d"})
    assert found["shared"] == "u_core.gen_byte[*].u_sbox"
    assert found["near_key"] == "u_keys.key_d"
    assert found["state_register"] == ""


def test_names_survive_in_what_yosys_writes(tmp_path: Path) -> None:
    (tmp_path / "design.sv").write_text(
        "module half(input x, output y); wire inner = ~x; assign y = inner; endmodule\n"
        "module top(input clk, d, output reg q); wire n; half u_half(.x(d), .y(n));\n"
        "always_ff @(posedge clk) q <= n; endmodule\n"
    )
    commands = ["read_slang design.sv --top top", "synth -top top -noabc -flatten", "write_json netlist.json"]
    run_script(commands, tmp_path / "log")
    text = (tmp_path / "netlist.json").read_text().replace("$_NOT_", "INV").replace("$_DFF_P_", "DFF")
    (tmp_path / "netlist.json").write_text(text)
    netlist = read_netlist(tmp_path / "netlist.json", "top")
    assert set(netlist.origins.values()) >= {("u_half", "y"), ("q",)}


def test_the_largest_modules_have_colours_of_their_own(library: Library) -> None:
    bound = _bound(library, {"nk": "u_keys.key_d", "ns": "u_state.next"})
    labels, legend = coloured(modules_of(bound), bound.cells)
    assert labels == list(modules_of(bound))
    assert len({colour for colour, _ in legend.values()}) == len(legend)
    assert sum(share for _, share in legend.values()) == pytest.approx(1)
    assert [*legend][:2] == ["u_state.next", "u_keys.key_d"]
    many = [f"module {k}" for k in range(len(bound.cells) - 1)] + [""]
    labels, legend = coloured(many, bound.cells)
    assert labels.count(REST) == 2
    assert len(legend) == 8
    assert re.fullmatch("#[0-9a-f]{6}", legend[REST][0])
