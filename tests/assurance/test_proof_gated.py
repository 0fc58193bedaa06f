"""A netlist with clock gates is the core if a register's clock rises in just the clocks in which it loads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.assurance.clock_gate import GATE, with_gates

from aesmith.assurance.proof import mapped
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.cell import LatchedGate
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

PROVED, REFUTED, REFUSED = Verdict.PROVED, Verdict.REFUTED, Verdict.REFUSED

TESTED = GATE.replace("CLKGATE_X1", "CLKGATETST_X1").replace('"CK E"', '"CK E SE"')
TESTED = TESTED.replace("H - :", "H - - :").replace("L L :", "L L L :").replace("L H :", "L H - : - : H, L L H :")
TESTED = TESTED.replace("    pin (E)", "    pin (SE) { direction : input; capacitance : 0.001; }\n    pin (E)")
"""One with a pin that opens it in tests."""

WRONG_GATES = {
    "LATE_X1": ('"L L : - : L, L H : - : H, H - : - : N"', '"H L : - : L, H H : - : H, L - : - : N"'),
    "OR_X1": ("IQ & CK", "IQ | CK"),
    "LOW_X1": ("IQ & CK", "IQ & !CK"),
    "BARE_X1": ("L L : - : L, L H : - : H, H - : - : N", "- L : - : L, - H : - : H"),
    "HELD_X1": ("L L : - : L", "L L : H : L"),
}

SOURCES = """
module gated (
  input logic clk_i, input logic rst_ni, input logic [3:0] data_i, output logic [1:0] sum_o, output logic other_o
);
  logic load_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) load_q <= 1'b0;
    else load_q <= data_i[3];
  always_ff @(posedge clk_i) if (load_q & data_i[2]) sum_o <= sum_o ^ data_i[1:0];
  always_ff @(posedge clk_i) if (data_i[2]) other_o <= data_i[0];
endmodule
"""
NETLIST = """
module gated (clk_i, rst_ni, data_i, sum_o, other_o);
  input clk_i, rst_ni;
  input [3:0] data_i;
  output [1:0] sum_o;
  output other_o;
  wire load, open, clock, other_clock, d0, d1;
  DFFR_X1 load_r (.CK(clk_i), .D(data_i[3]), .RN(rst_ni), .Q(load));
  AND2_X1 open_i (.A(load), .B(data_i[2]), .Z(open));
  CLKGATE_X1 gate (.CK(clk_i), .E(open), .GCK(clock));
  CLKGATE_X1 other_gate (.CK(clk_i), .E(data_i[2]), .GCK(other_clock));
  XOR2_X1 d0_i (.A(sum_o[0]), .B(data_i[0]), .Z(d0));
  XOR2_X1 d1_i (.A(sum_o[1]), .B(data_i[1]), .Z(d1));
  DFF_X1 sum0_r (.CK(clock), .D(d0), .Q(sum_o[0]));
  DFF_X1 sum1_r (.CK(clock), .D(d1), .Q(sum_o[1]));
  DFF_X1 other_r (.CK(other_clock), .D(data_i[0]), .Q(other_o));
endmodule
"""
ON = "CLKGATE_X1 gate (.CK(clk_i), .E(open), .GCK(clock));"
MORE = "endmodule"
INVERTED = ("  wire odd;\n  INV_X1 odd_i (.A({}), .Z(odd));\n" + MORE).format

CASES: dict[str, tuple[Verdict, str, list[tuple[str, str]]]] = {
    "as it is": (PROVED, "4 registers and 3 outputs", []),
    "a gate for each register": (
        PROVED,
        "",
        [
            ("sum1_r (.CK(clock)", "sum1_r (.CK(odd)"),
            (MORE, f"  wire odd;\n  CLKGATE_X1 two (.CK(clk_i), .E(open), .GCK(odd));\n{MORE}"),
        ],
    ),
    "no gate, and a register that holds": (
        PROVED,
        "",
        [
            ("other_r (.CK(other_clock), .D(data_i[0])", "other_r (.CK(clk_i), .D(odd)"),
            (MORE, f"  wire odd;\n  MUX2_X1 m (.A(other_o), .B(data_i[0]), .S(data_i[2]), .Z(odd));\n{MORE}"),
        ],
    ),
    "a test pin that is 0": (PROVED, "", [(ON, ON.replace("GATE_X1", "GATETST_X1").replace(".E", ".SE(1'b0), .E"))]),
    "a test pin that is 1": (
        REFUTED,
        "sum_o",
        [(ON, ON.replace("GATE_X1", "GATETST_X1").replace(".E", ".SE(1'b1), .E"))],
    ),
    "the enable of another register": (REFUTED, "differs", [(".E(open)", ".E(data_i[2])")]),
    "the other gate's clock": (REFUTED, "differs", [("sum1_r (.CK(clock)", "sum1_r (.CK(other_clock)")]),
    "an inverted enable": (REFUTED, "differs", [(".E(open)", ".E(odd)"), (MORE, INVERTED("open"))]),
    "an enable a clock late": (
        REFUTED,
        "differs",
        [(".E(open)", ".E(odd)"), (MORE, f"  wire odd;\n  DFF_X1 odd_r (.CK(clk_i), .D(open), .Q(odd));\n{MORE}")],
    ),
    "an enable that is tied": (REFUTED, "differs", [(".E(open)", ".E(1'b1)")]),
    "the reset as part of an enable": (
        PROVED,
        "",
        [
            ("(.A(load), .B(data_i[2])", "(.A(load), .B(odd)"),
            (MORE, f"  wire odd;\n  AND2_X1 r (.A(data_i[2]), .B(rst_ni), .Z(odd));\n{MORE}"),
        ],
    ),
    "no gate at all": (REFUTED, "differs", [("sum1_r (.CK(clock)", "sum1_r (.CK(clk_i)")]),
    "an AND without a latch": (
        REFUSED,
        "clocked by something else",
        [(ON, "AND2_X1 gate (.A(clk_i), .B(open), .Z(clock));")],
    ),
    "a gate of the falling clock": (
        REFUSED,
        "gate.held is a latch that is no clock gate of clk_i",
        [("gate (.CK(clk_i)", "gate (.CK(odd)"), (MORE, INVERTED("clk_i"))],
    ),
    "the clock inverted behind a gate": (
        REFUSED,
        "clocked by something else",
        [("sum1_r (.CK(clock)", "sum1_r (.CK(odd)"), (MORE, INVERTED("clock"))],
    ),
    "a gate of a gated clock": (
        REFUSED,
        "other_gate.held is a latch",
        [("other_gate (.CK(clk_i)", "other_gate (.CK(clock)")],
    ),
    "a gate of a level of data": (REFUSED, "gate.held is a latch", [("gate (.CK(clk_i)", "gate (.CK(load)")]),
    "a gated clock that is read": (REFUSED, "as data, but it is a clock", [(".D(data_i[0])", ".D(clock)")]),
    **{
        f"a gate {name}": (REFUSED, f"{name} is a clock gate, and its statetable is not", [("CLKGATE_X1", name)])
        for name in WRONG_GATES
    },
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    wrong = [
        GATE.replace("CLKGATE_X1", name).replace("area : 4", "area : 9").replace(*change)
        for name, change in WRONG_GATES.items()
    ]
    assert GATE not in wrong
    file = tmp_path_factory.mktemp("library") / "gates.lib"
    file.write_text(with_gates(GATE, TESTED, *wrong))
    return read_library(file)


@pytest.fixture(scope="module")
def design() -> CoreDesign:
    core = build_design(load_specification("ueno2020-enc"), "gated", "ueno2020-enc")
    return replace(core, sources=(SourceFile("gated.sv", SOURCES),))


@pytest.fixture(scope="module")
def sources(design: CoreDesign, tmp_path_factory: pytest.TempPathFactory) -> Netlist:
    return elaborate(design, tmp_path_factory.mktemp("sources"))


@pytest.fixture
def elaborated(sources: Netlist, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sources are elaborated once for all netlists."""
    monkeypatch.setattr(mapped, "elaborate", lambda *_: sources)


@pytest.mark.usefixtures("elaborated")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.replace(" ", "-"))
def test_a_gated_netlist_gets_its_verdict(case: str, design: CoreDesign, library: Library, tmp_path: Path) -> None:
    verdict, says, changes = CASES[case]
    text = NETLIST
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    (tmp_path / "mapped.v").write_text(text)
    part = prove_mapped(design, library, tmp_path / "mapped.v", tmp_path / "proof")
    assert part.verdict is verdict, part.detail
    assert says in part.detail


def test_a_gate_is_known_by_its_statetable(library: Library) -> None:
    gate = LatchedGate("CK", "GCK", ("E",), frozenset({(1,)}), enable="E")
    assert library.cell("CLKGATE_X1").gate == gate
    several = frozenset({(0, 1), (1, 0), (1, 1)})
    assert library.cell("CLKGATETST_X1").gate == replace(gate, inputs=("SE", "E"), enables=several)
    assert [name for name in WRONG_GATES if library.cell(name).gate is not None] == []


@pytest.mark.slow
def test_a_core_with_clock_gates_is_proved_of_its_netlist(library: Library, tmp_path: Path) -> None:
    core = build_design(parse_specification({"preset": "hamalainen2006-enc", "clock_gates": True}), "core", "core")
    netlist = synthesise(core, library, KEEP, None, tmp_path / "synthesis").netlist
    assert netlist.read_text().count("CLKGATE_X1") == 16
    part = prove_mapped(core, library, netlist, tmp_path / "proof")
    assert part.verdict is Verdict.PROVED, part.detail
