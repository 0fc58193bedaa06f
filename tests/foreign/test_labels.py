"""Masked circuits of somebody else's: labels say what their inputs are, and every set of probes is looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.probing.check import ProbingResult, ProbingVerdict, Surroundings, check_probing
from aesmith.assurance.probing.labelled import check_labelled
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cli import run
from aesmith.cores.design import SourceFile
from aesmith.cores.leaf import LeafDesign, circuit_ports
from aesmith.errors import CheckError, RequestError
from aesmith.flow.recipes import RECIPES
from aesmith.flow.synthesis import synthesise
from aesmith.foreign.description import ForeignSource
from aesmith.foreign.labels import LabelsFile, labelled_netlist, read_labels
from aesmith.masking.gadgets import AND, Scheme, masked_product
from aesmith.masking.sbox import masked_sbox
from aesmith.masking.sharing import MaskedCircuit
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by

SECURE, LEAKS, NOT_SHOWN = ProbingVerdict

DOM = """\
module box(input clk, input [1:0] a, input [1:0] b, input r, output [1:0] c);
  reg p00, p01, p10, p11;
  always @(posedge clk) begin
    p00 <= a[0] & b[0];
    p01 <= (a[0] & b[1]) ^ r;
    p10 <= (a[1] & b[0]) ^ r;
    p11 <= a[1] & b[1];
  end
  assign c = {p10 ^ p11, p00 ^ p01};
endmodule
"""
"""The product of two bits by Groß, Mangard and Korak (TIS 2016), of two shares."""

TRICHINA = """\
module box(input clk, input [1:0] a, input [1:0] b, input r, output [1:0] c);
  assign c = {r, (((r ^ a[0] & b[0]) ^ a[0] & b[1]) ^ a[1] & b[0]) ^ a[1] & b[1]};
endmodule
"""
"""The product by Trichina (ePrint 2003/236), safe without glitches only: Mangard, Popp and Gammel (CT-RSA 2005)."""

UNCLOCKED = DOM.replace("always @(posedge clk)", "always @*").replace("<=", "=")

SHARES: dict[str, list[str | list[str]]] = {"a": ["a[0]", "a[1]"], "b": ["b[0]", "b[1]"]}
OF_DOM = LabelsFile(clock="clk", shares=SHARES, random=["r"], results={"c": ["c[0]", "c[1]"]})


def checked(
    folder: Path, text: str, labels: LabelsFile, library: Library | None = None, top: str = "box", **wanted: Any
) -> ProbingResult:
    """What is found of Verilog."""
    (folder / "box.v").write_text(text)
    source = ForeignSource((folder / "box.v",), top)
    return check_labelled(*labelled_netlist(source, labels, folder / "work", library), **wanted)


def of_ours(masked: MaskedCircuit, **settings: Any) -> LabelsFile:
    """Labels of a masked circuit of this project."""
    return LabelsFile(
        clock="clk_i",
        shares={port.name: [f"{port.name}_{i}_i" for i in range(masked.shares)] for port in masked.operands},
        results={port.name: [f"{port.name}_{i}_o" for i in range(masked.shares)] for port in masked.results},
        random=[f"{port.name}_i" for port in masked.staged.circuit.inputs if port.name.startswith("random")],
        **settings,
    )


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("masked", "order", "transitions"),
    [
        (masked_product(Scheme.DOM, AND, 1), 1, False),
        (masked_product(Scheme.HPC3, AND, 1), 1, True),
        (masked_product(Scheme.HPC3, AND, 1), 2, False),
        (masked_product(Scheme.HPC2, AND, 2), 2, False),
        (masked_sbox(1, 4), 1, False),
        (masked_sbox(1, 3), 1, True),
    ],
    ids=["dom", "hpc3-two-clocks", "hpc3-two-probes", "hpc2-order-2", "sbox", "sbox-two-clocks"],
)
def test_verilog_is_judged_as_the_circuit_it_was_written_from(
    masked: MaskedCircuit, order: int, transitions: bool, tmp_path: Path
) -> None:
    text = staged_systemverilog(masked.staged, "Ours, as somebody else's.", "box")
    found = checked(tmp_path, text, of_ours(masked, held=transitions), order=order, transitions=transitions)
    around = Surroundings(held=transitions)
    assert found.verdict is check_probing(masked, order, transitions=transitions, around=around).verdict
    assert found.verdict is (LEAKS if order > masked.order else SECURE)


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("text", "change", "read"),
    [
        (TRICHINA, {"clock": None}, {"a[0]", "a[1]", "b[0]", "b[1]", "r"}),
        (DOM.replace("a[0] & b[1]) ^ r", "a[0] & b[1])"), {}, set()),
        (DOM.replace("a[1] & b[0]) ^ r", "a[1] & b[0])"), {}, set()),
        (UNCLOCKED, {"clock": None}, {"a[0]", "b[0]", "b[1]", "r"}),
        (DOM, {"random": [], "constant": {"r": 1}}, set()),
        (DOM, {"random": [], "public": ["r"]}, set()),
        (DOM.replace("p11 <= a[1] & b[1]", "p11 <= a[1] & (b[1] | a[0])"), {}, {"a[0]", "a[1]", "b[1]"}),
    ],
    ids=["trichina", "no-mask-01", "no-mask-10", "no-registers", "tied", "known", "a-share-too-many"],
)
def test_what_leaks_is_named(text: str, change: dict[str, Any], read: set[str], tmp_path: Path) -> None:
    assert checked(tmp_path, DOM, OF_DOM).verdict is SECURE
    found = checked(tmp_path, text, OF_DOM.model_copy(update={"clock": "clk", **change, **_unclocked(change)}))
    assert found.verdict is LEAKS
    assert not read or {name.removesuffix("_i") for name in found.read} == read


def _unclocked(change: dict[str, Any]) -> dict[str, Any]:
    """A circuit without registers has its clock as any input."""
    return {"constant": {"clk": 0}} if "clock" in change else {}


def test_a_leak_in_one_clock_of_a_counter_is_found(tmp_path: Path) -> None:
    text = """\
module box(input clk, input rst, input [1:0] a, output q);
  reg [1:0] count; reg x;
  always @(posedge clk) if (rst) count <= 0; else count <= count + 1;
  always @(posedge clk) x <= count == 3 ? a[0] ^ a[1] : a[0];
  assign q = x;
endmodule
"""
    labels = LabelsFile(clock="clk", reset="rst", shares={"a": ["a[0]", "a[1]"]})
    asynchronous = text.replace("posedge clk) if", "posedge clk or posedge rst) if")
    with pytest.raises(
        CheckError, match="still changes after 64 clocks; say how many are to be looked at, as clocks = N"
    ):
        checked(tmp_path, asynchronous, labels)
    found = checked(tmp_path, asynchronous, labels.model_copy(update={"clocks": 6}))
    assert found.verdict is LEAKS
    glitches = checked(tmp_path, asynchronous, labels.model_copy(update={"clocks": 2}))
    assert glitches.verdict is LEAKS, "a glitch of the multiplexer shows both shares whatever the count"
    apart = asynchronous.replace("count == 3 ? a[0] ^ a[1] : a[0]", "a[0] ^ y").replace("reg x", "reg x, y")
    apart = apart.replace("assign q", "always @(posedge clk) y <= count == 2 ? x : 0;\n  assign q")
    held = labels.model_copy(update={"clocks": 6, "held": True})
    assert checked(tmp_path, apart, held).verdict is SECURE
    turned = apart.replace("? x : 0", "? a[1] : 0")
    assert checked(tmp_path, turned, held.model_copy(update={"clocks": 3})).verdict is SECURE
    found = checked(tmp_path, turned, held)
    assert found.verdict is LEAKS
    assert found.probed == ("what q takes in clock 3",)


def test_masks_that_come_late_leave_the_first_operands_bare(tmp_path: Path) -> None:
    late = DOM.replace("reg p00", "reg s; always @(posedge clk) s <= r;\n  reg p00").replace("^ r", "^ s")
    assert checked(tmp_path, late, OF_DOM).probed == ("share 0 of c in clock 1",)
    assert checked(tmp_path, late, OF_DOM.model_copy(update={"first": 1})).verdict is SECURE
    without = OF_DOM.model_copy(update={"first": 1, "random": [], "public": ["r"]})
    assert checked(tmp_path, late, without).verdict is LEAKS


def test_a_register_that_holds_shows_what_it_had(tmp_path: Path) -> None:
    enabled = DOM.replace("input r,", "input r, input en,").replace("begin", "if (en) begin")
    labels = OF_DOM.model_copy(update={"constant": {"en": 1}})
    assert checked(tmp_path, enabled, labels).verdict is SECURE
    summed = enabled.replace("assign c", "reg s; always @(posedge clk) s <= a[0];\n  assign c").replace(
        "p00 <= a[0] & b[0]", "p00 <= a[1]"
    )
    summed = summed.replace("p00 ^ p01}", "p00 ^ s}")
    assert checked(tmp_path, summed, labels).verdict is LEAKS


def test_operands_that_are_held_meet_in_two_clocks(tmp_path: Path) -> None:
    text = """\
module box(input clk, input en, input [1:0] a, output q);
  reg x;
  always @(posedge clk) x <= en ? a[0] : a[1];
  assign q = x;
endmodule
"""
    turns = LabelsFile(clock="clk", shares={"a": ["a[0]", "a[1]"]}, public=["en"])
    one = text.replace("en ? a[0] : a[1]", "a[0]")
    assert checked(tmp_path, one, turns, order=1, transitions=True).verdict is SECURE
    assert checked(tmp_path, text, turns).verdict is LEAKS
    shifted = one.replace("assign q = x", "reg y; always @(posedge clk) y <= a[1] ;\n assign q = x")
    assert checked(tmp_path, shifted, turns, order=1).verdict is SECURE


def test_a_netlist_of_cells_is_judged_by_what_its_cells_are(tmp_path: Path) -> None:
    masked, library = masked_sbox(1, 4), library_by("generic45")
    text = staged_systemverilog(masked.staged, "Ours.", "box")
    design = LeafDesign("box", (SourceFile("box.sv", text),), circuit_ports(masked.staged.circuit, "clk_i"), 8, 5)
    made = synthesise(design, library, RECIPES["shrink"], None, tmp_path / "made")
    cells = made.netlist.read_text()
    assert checked(tmp_path, cells, of_ours(masked), library).verdict is SECURE
    random = [f"{port.name}_i" for port in masked.staged.circuit.inputs if port.name.startswith("random")]
    tied = of_ours(masked).model_copy(update={"random": random[1:], "constant": {random[0]: 0}})
    assert checked(tmp_path, cells, tied, library).verdict is LEAKS
    with pytest.raises(RequestError, match="top: there is no module bix; the file has box"):
        checked(tmp_path, cells, of_ours(masked), library, top="bix")


GATED = """\
module box(input clk, input [1:0] a, input en, output q);
  wire gated;
  CLKGATE_X1 u_gate (.CK(clk), .E(en), .GCK(gated));
  DFF_X1 u_register (.CK(gated), .D(a[0]), .Q(q));
endmodule
"""


def test_a_clock_gate_is_a_wire_that_is_probed(tmp_path: Path) -> None:
    library = library_by("generic45")
    labels = LabelsFile(clock="clk", shares={"a": ["a[0]", "a[1]"]}, public=["en"], clocks=4)
    assert checked(tmp_path, GATED, labels, library).verdict is SECURE
    summed = GATED.replace("wire gated;", "wire gated, both; AND2_X1 u_and (.A(a[0]), .B(a[1]), .Z(both));")
    found = checked(tmp_path, summed.replace(".E(en)", ".E(both)"), labels, library)
    assert found.verdict is LEAKS
    assert found.read == ("a[0]", "a[1]")


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"random": []}, "r\\[0\\] has none: each input is a share, a fresh bit, constant or public"),
        ({"public": ["r"]}, "r\\[0\\] has two labels"),
        ({"random": ["r", "r"]}, "r\\[0\\] has two labels"),
        ({"random": ["r[1]"]}, "r\\[1\\]: r has bits \\[0:0\\]"),
        ({"random": ["r", "s"]}, "there is no port s; the ports are"),
        ({"random": ["r", "c"]}, "port c is an output, not an input"),
        ({"random": ["r-1"]}, "'r-1' is no port, nor bits of one, as x, x\\[3\\] or x\\[7:0\\]"),
        ({"shares": {**SHARES, "b": ["b"]}}, "b: must be two shares or more, of as many bits each"),
        ({"shares": {}}, "there are no shares, so nothing is secret"),
        ({"random": [], "constant": {"r": 2}}, "constant: r has 1 bits, and cannot be 2"),
        ({"results": {"c": ["c[0]", "c[0]"]}}, "c\\[0\\] has two labels"),
        ({"reset": "a"}, "a has 2 bits; a clock or reset has one"),
    ],
)
def test_labels_that_do_not_fit_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=message):
        checked(tmp_path, DOM, OF_DOM.model_copy(update=change))


def test_the_verb_says_what_leaks_and_ends_with_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("box.v").write_text(DOM)
    Path("labels.toml").write_text(
        'clock = "clk"\nrandom = ["r"]\n[shares]\na = ["a[0]", "a[1]"]\nb = ["b[0]", "b[1]"]\n'
    )
    call = ["probe", "box.v", "--top", "box", "--labels", "labels.toml", "--json"]
    assert run(call) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["order"], found["registers"]) == ("secure", 1, 4)
    Path("box.v").write_text(TRICHINA)
    assert run(call[:-1]) == 1
    assert "leaks" in capsys.readouterr().err
    Path("labels.toml").write_text('[shares]\na = "a"\nclck = 3\n')
    with pytest.raises(RequestError, match=r"shares\.a: Input should be a valid list"):
        read_labels(Path("labels.toml"))


LABELLED = """\
package p;
  function automatic logic inv(logic a);
    return ~a;
  endfunction : inv
  parameter int W = 1;
  function automatic logic [W-1:0] same(logic [W-1:0] a);
    return a;
  endfunction : same
endpackage : p
module box (input logic clk_i, a0, a1, output logic y0, y1);
  always_ff @(posedge clk_i) begin : keep_them y0 <= p::same(a0); y1 <= a1; end : keep_them
endmodule : box
"""
TYPED = """\
typedef enum logic {A, B} e_t;
typedef struct packed {logic v;} s_t;
module box (input logic clk_i, input s_t a0, input e_t a1, output logic y0, output s_t y1);
  always_ff @(posedge clk_i) begin y0 <= a0.v; y1 <= s_t'(a1); end
endmodule
"""


@pytest.mark.parametrize("text", [LABELLED, TYPED], ids=["end labels", "ports of types beside modules"])
def test_systemverilog_of_others_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "box.sv").write_text(text)
    file = LabelsFile(clock="clk_i", shares={"a": ["a0", "a1"]})
    netlist, _ = labelled_netlist(ForeignSource((tmp_path / "box.sv",), "box"), file, tmp_path / "read")
    assert len(netlist.registers) == 2
