from dataclasses import replace

import pytest

from aesmith.errors import CheckError, RequestError
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.binding import bind
from aesmith.timing.netlist import Instance

GOOD = """
module top(clk, a, y);
  input clk; input a; output y;
  wire d, q, r, h, n;
  TIEHI_X1 hi (.Z(h));
  NAND2_X1 gate (.A(a), .B(q), .Z(n));
  AND2_X1 held (.A(n), .B(h), .Z(d));
  DFF_X1 first (.CK(clk), .D(d), .Q(q));
  DFFR_X1 second (.CK(clk), .D(q), .RN(h), .Q(r));
  INV_X1 out (.A(r), .Z(y));
endmodule
"""


@pytest.fixture(scope="module")
def library() -> Library:
    return read_library(embedded_path())


def test_instances_come_after_what_drives_them(library: Library) -> None:
    bound = bind(parse_netlist(GOOD, library), library)
    names = [bound.netlist.instances[index].name for index in bound.order]
    assert sorted(names) == ["first", "gate", "held", "hi", "out", "second"]
    assert names.index("gate") < names.index("held")
    assert names.index("second") < names.index("out")
    assert bound.clock == bound.netlist.ports["clk"].nets[0]
    assert bound.rising


def test_constants_are_followed_through_gates(library: Library) -> None:
    text = GOOD.replace("AND2_X1 held (.A(n), .B(h)", "AND2_X1 held (.A(n), .B(low)").replace(
        "  INV_X1", "  INV_X1 low_gate (.A(h), .Z(low));\n  INV_X1"
    )
    bound = bind(parse_netlist(text, library), library)
    values = {bound.netlist.nets[net]: value for net, value in bound.constants.items()}
    assert values == {"1'b0": False, "1'b1": True, "h": True, "low": False, "d": False}


@pytest.mark.parametrize(
    ("old", "new", "error", "says"),
    [
        (".B(q), ", "", CheckError, r"input B of gate \(NAND2_X1\) is not connected"),
        (".B(q)", ".B(nowhere)", CheckError, "input B of gate .* is on net nowhere, which nothing drives"),
        (".Z(y)", ".Z()", CheckError, "nothing drives the output y"),
        (".Z(n)", ".Z(d)", CheckError, "d has two drivers, one is held/Z"),
        (".Z(n)", ".Z(a)", CheckError, "a has two drivers, one is gate/Z"),
        (".A(a)", ".A(d)", CheckError, "combinational loop: (gate -> held -> gate|held -> gate -> held)"),
        (".CK(clk), .D(q)", ".CK(n), .D(q)", RequestError, "the clock of second is n; it must be an input port"),
        (
            ".CK(clk), .D(q)",
            ".CK(a), .D(q)",
            RequestError,
            r"one clock edge, not several: clk .*\(first\), a .*\(second\)",
        ),
    ],
)
def test_a_netlist_that_cannot_be_timed_is_refused(
    library: Library, old: str, new: str, error: type[Exception], says: str
) -> None:
    assert old in GOOD
    with pytest.raises(error, match=says):
        bind(parse_netlist(GOOD.replace(old, new, 1), library), library)


@pytest.mark.parametrize(
    ("cell", "pins", "says"),
    [
        ("NAND9_X1", ("A", "B", "Z"), "instance gate is of cell NAND9_X1, which library generic45"),
        ("NAND2_X1", ("A", "C", "Z"), "instance gate: cell NAND2_X1 has no pin C; its pins are A, B, Z"),
    ],
)
def test_what_another_library_mapped_is_refused(library: Library, cell: str, pins: tuple[str, ...], says: str) -> None:
    netlist = parse_netlist(GOOD, library)
    instances = tuple(
        Instance("gate", cell, dict(zip(pins, instance.pins.values(), strict=True)))
        if instance.name == "gate"
        else instance
        for instance in netlist.instances
    )
    with pytest.raises(RequestError, match=says):
        bind(replace(netlist, instances=instances), library)
