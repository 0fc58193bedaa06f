"""Repeaters: they make long wires faster, and change no function."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aesmith.cores.design import SourceFile
from aesmith.errors import CheckError
from aesmith.flow.equality import prove_equal
from aesmith.flow.placement.place import CellPlacement
from aesmith.flow.placement.repeaters import NAME, check_only_repeaters, with_repeaters
from aesmith.flow.placement.technology import technology_of
from aesmith.flow.placement.wires import routes, wires
from aesmith.technology.cell import CellKind
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.binding import bind
from aesmith.timing.netlist import CellNetlist, Instance, NetlistPort
from aesmith.timing.static import TimingReport, analyse, default_conditions

FAR_UM = 2500.0
CLK, D, A, FAR, NEAR, Q, Z = range(2, 9)
NETLIST = CellNetlist(
    "long",
    {
        "clk": NetlistPort("clk", False, (CLK,), ("clk",)),
        "d": NetlistPort("d", False, (D,), ("d",)),
        "q": NetlistPort("q", True, (Q,), ("q",)),
        "z": NetlistPort("z", True, (Z,), ("z",)),
    },
    ("1'b0", "1'b1", "clk", "d", "a", "far", "near", "q", "z"),
    (
        Instance("first", "DFF_X1", {"D": D, "CK": CLK, "Q": A}),
        Instance("far", "INV_X1", {"A": A, "Z": FAR}),
        Instance("near", "XOR2_X1", {"A": A, "B": D, "Z": NEAR}),
        Instance("second", "DFF_X1", {"D": FAR, "CK": CLK, "Q": Q}),
        Instance("third", "DFF_X1", {"D": NEAR, "CK": CLK, "Q": Z}),
    ),
)


def _placement(library: Library, far_um: float) -> CellPlacement:
    """`far` and `second` stand so far from the others."""
    technology = technology_of(library)
    width = [technology.sites(library.cell(i.cell)) * technology.site_um for i in NETLIST.instances]
    left = [0.0, far_um, 3.0, far_um + 3.0, 6.0]
    ports = {(name, 0): (0.0, 0.0) for name in ("clk", "d", "z")} | {("q", 0): (far_um + 3.0, 0.0)}
    core = far_um + 10.0
    return CellPlacement(technology, core, 1.4, np.array(left), np.zeros(5), np.array(width), ports)


def _timed(netlist: CellNetlist, placement: CellPlacement, library: Library) -> tuple[TimingReport, Any]:
    bound = bind(netlist, library)
    laid = routes(bound, placement)
    conditions = default_conditions(library)
    return analyse(netlist, library, conditions, wires(bound, placement, laid, conditions.output_load_ff)), laid


def test_a_long_wire_gets_faster_and_a_short_one_nothing() -> None:
    library = library_by("generic45")
    placement = _placement(library, FAR_UM)
    before, laid = _timed(NETLIST, placement, library)
    netlist, longer = with_repeaters(NETLIST, placement, laid, before)
    after, laid = _timed(netlist, longer, library)
    assert before.period_ns is not None
    assert after.period_ns is not None
    assert after.period_ns < 0.8 * before.period_ns
    assert check_only_repeaters(NETLIST, netlist, library) == 1
    again, longer = with_repeaters(netlist, longer, laid, after)
    twice, _ = _timed(again, longer, library)
    assert twice.period_ns is not None
    assert twice.period_ns < after.period_ns

    near = _placement(library, 5.0)
    alone = replace(
        NETLIST,
        instances=tuple(replace(i, pins={**i.pins, "A": D}) if i.name == "near" else i for i in NETLIST.instances),
    )
    timing, laid = _timed(alone, near, library)
    assert with_repeaters(alone, near, laid, timing)[0].instances == alone.instances
    no_room = sum(library.cell(i.cell).area for i in NETLIST.instances)
    timing, laid = _timed(NETLIST, placement, library)
    unchanged, _ = with_repeaters(NETLIST, placement, laid, timing, most_area=no_room)
    assert unchanged.instances == NETLIST.instances


def _verilog(netlist: CellNetlist, library: Library) -> str:
    """A netlist as assignments and registers, which the proof of equality reads."""
    lines = [f"module {netlist.name} ({', '.join(netlist.ports)});"]
    lines += [f"  {'output' if port.output else 'input'} {port.name};" for port in netlist.ports.values()]
    lines += [f"  wire n{net};" for net in range(2, len(netlist.nets))]
    for port in netlist.ports.values():
        ends = (port.name, f"n{port.nets[0]}")
        lines.append("  assign {} = {};".format(*(ends if port.output else ends[::-1])))
    for instance in netlist.instances:
        cell, pins = library.cell(instance.cell), {pin: f"n{net}" for pin, net in instance.pins.items()}
        if cell.kind is CellKind.FLIP_FLOP:
            lines.append(f"  reg {instance.name}_q; always @(posedge {pins['CK']}) {instance.name}_q <= {pins['D']};")
            lines.append(f"  assign {pins['Q']} = {instance.name}_q;")
            continue
        inputs = ", ".join(cell.inputs)
        function = str(cell.function.text if cell.function else "")
        for name in cell.inputs:
            function = function.replace(name, f"\0{pins[name]}")
        assert inputs
        lines.append(f"  assign {pins[cell.outputs[0]]} = {function};".replace("\0", ""))
    return "\n".join([*lines, "endmodule", ""])


def test_the_function_is_proved_to_stay(tmp_path: Path) -> None:
    library = library_by("generic45")
    placement = _placement(library, FAR_UM)
    before, laid = _timed(NETLIST, placement, library)
    netlist, _ = with_repeaters(NETLIST, placement, laid, before)
    design: Any = SimpleNamespace(
        name="long", top="long", sources=(SourceFile("long.sv", _verilog(NETLIST, library)),), parameters={}
    )
    prove_equal(design, _verilog(netlist, library), tmp_path / "right")
    repeater = next(i for i in netlist.instances if i.name.startswith(NAME))
    wrong = replace(
        netlist, instances=tuple(replace(i, cell="INV_X1") if i is repeater else i for i in netlist.instances)
    )
    with pytest.raises(CheckError, match="module long is not the sources'"):
        prove_equal(design, _verilog(wrong, library), tmp_path / "wrong")


@pytest.mark.parametrize(
    ("name", "cell", "pins", "told"),
    [
        ("near", "XNOR2_X1", {}, "near is another function: XNOR2_X1, not XOR2_X1"),
        ("near", "XOR2_X1", {"A": D}, "near/A is not on net a any more"),
        ("third", "DFF_X1", {"Q": FAR}, "third/Q is not on net z any more"),
        (f"{NAME}0", "INV_X1", {}, f"{NAME}0 is new, and a INV_X1, which is no buffer"),
        (f"{NAME}0", "BUF_X1", {"A": D}, "far/A is not on net a any more"),
    ],
)
def test_any_other_difference_is_named(name: str, cell: str, pins: dict[str, int], told: str) -> None:
    library = library_by("generic45")
    placement = _placement(library, FAR_UM)
    before, laid = _timed(NETLIST, placement, library)
    netlist, _ = with_repeaters(NETLIST, placement, laid, before)
    assert check_only_repeaters(NETLIST, netlist, library) == 1
    instances = tuple(
        replace(i, cell=cell, pins={**i.pins, **pins}) if i.name == name else i for i in netlist.instances
    )
    with pytest.raises(CheckError, match=told):
        check_only_repeaters(NETLIST, replace(netlist, instances=instances), library)
    with pytest.raises(CheckError, match="far is gone"):
        check_only_repeaters(NETLIST, replace(netlist, instances=netlist.instances[:1]), library)
