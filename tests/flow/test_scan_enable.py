"""A scan enable in netlists: at the test pin of each clock gate, or beside its enable; no path that is timed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.assurance.clock_gate import GATE, with_gates

from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import RequestError
from aesmith.flow.measurement import Optimise, chosen_plan
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import MappedNetlist, check_cells, synthesise
from aesmith.publish.descriptions import constraints
from aesmith.technology.cell import CellKind
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import library_by
from aesmith.timing.netlist import read_netlist
from aesmith.timing.static import analyse

TESTED = GATE.replace("CLKGATE_X1", "CLKGATETST_X1").replace('"CK E"', '"CK E SE"')
TESTED = TESTED.replace("H - :", "H - - :").replace("L L :", "L L L :").replace("L H :", "L H - : - : H, L L H :")
TESTED = TESTED.replace("    pin (E)", "    pin (SE) { direction : input; capacitance : 0.001; }\n    pin (E)")
"""A clock gate that its pin SE opens before the latch."""
LOW = TESTED.replace("CLKGATETST_X1", "CLKGATELOW_X1").replace("SE", "SN")
LOW = LOW.replace("L L L :", "L L H :").replace("L L H : - : H", "L L L : - : H")
"""The same, opened by a 0 at SN."""


@pytest.fixture(scope="module")
def core() -> CoreDesign:
    return build_design(parse_specification({"preset": "ueno2020-gated-enc", "scan_enable": True}), "core", "core")


def library_with(folder: Path, *gates: str) -> Library:
    (folder / "gates.lib").write_text(with_gates(*gates))
    return read_library(folder / "gates.lib")


def gates_of(mapped: MappedNetlist, library: Library) -> list[dict[str, str]]:
    """What is at the pins of each clock gate of a netlist, by the names of nets."""
    netlist = read_netlist(mapped.json, "core")
    return [
        {pin: netlist.nets[net] for pin, net in instance.pins.items()}
        for instance in netlist.instances
        if library.cell(instance.cell).kind is CellKind.CLOCK_GATE
    ]


@pytest.fixture(scope="module")
def mapped(core: CoreDesign, tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, MappedNetlist]:
    folder = tmp_path_factory.mktemp("scan")
    library = library_with(folder, GATE, TESTED)
    return library, synthesise(core, library, KEEP, None, folder / "work")


def test_it_is_at_the_test_pin_of_each_gate(mapped: tuple[Library, MappedNetlist]) -> None:
    library, netlist = mapped
    assert library.clock_gate is not None
    assert library.clock_gate.cell.name == "CLKGATE_X1"
    gates = gates_of(netlist, library)
    assert len(gates) == 3
    assert all(gate["SE"] == "scan_enable_i" for gate in gates)


@pytest.mark.thorough
def test_the_netlist_is_proved_and_one_with_a_pin_tied_off_is_not(
    core: CoreDesign, mapped: tuple[Library, MappedNetlist], tmp_path: Path
) -> None:
    library, netlist = mapped
    right = prove_mapped(core, library, netlist.netlist, tmp_path / "right")
    assert right.verdict is Verdict.PROVED, right.detail
    text = netlist.netlist.read_text()
    tied = tmp_path / "tied.v"
    tied.write_text(re.sub(r"\.SE\(scan_enable_i\)", ".SE(1'b0)", text, count=1))
    wrong = prove_mapped(core, library, tied, tmp_path / "tied")
    assert wrong.verdict is Verdict.OPEN
    assert "may be kept by a clock gate while scan_enable_i is 1" in wrong.detail
    inverted = tmp_path / "inverted.v"
    odd = "  wire odd;\n  INV_X1 odd_i (.A(scan_enable_i), .Z(odd));\nendmodule"
    inverted.write_text(text.replace(".SE(scan_enable_i)", ".SE(odd)").replace("endmodule", odd))
    assert prove_mapped(core, library, inverted, tmp_path / "inverted").verdict is not Verdict.PROVED


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("gates", "at"), [((GATE, LOW), ("CLKGATELOW_X1", "SN")), ((GATE,), ("CLKGATE_X1", "E"))], ids=["low", "none"]
)
def test_other_gates_get_its_inverse_or_have_it_beside_their_enable(
    core: CoreDesign, gates: tuple[str, ...], at: tuple[str, str], tmp_path: Path
) -> None:
    library = library_with(tmp_path, *gates)
    netlist = synthesise(core, library, KEEP, None, tmp_path / "work")
    assert netlist.cells[at[0]] == 3
    part = prove_mapped(core, library, netlist.netlist, tmp_path / "proof")
    assert part.verdict is Verdict.PROVED, part.detail


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "cell", "pin"),
    [
        ("nangate45_typ", "CLKGATETST_X1", "SE"),
        ("sky130hd_tt", "sky130_fd_sc_hd__sdlclkp_1", "SCE"),
        ("ihp_sg13g2_stdcell_typ", "sg13g2_slgcp_1", "SCE"),
    ],
)
def test_libraries_have_a_gate_with_such_a_pin(
    name: str, cell: str, pin: str, pdk_library: Callable[[str], Library]
) -> None:
    gate = pdk_library(name).scan_clock_gate
    assert gate is not None
    assert (gate.cell.name, gate.scan) == (cell, pin)


def test_no_path_from_it_is_timed(mapped: tuple[Library, MappedNetlist]) -> None:
    library, netlist = mapped
    timing = analyse(read_netlist(netlist.json, "core"), library)
    assert "scan_enable_i" not in {port.name for port in timing.graph.data_inputs()}
    assert timing.input_to_register is not None
    assert timing.input_to_register.points[0].instance != "scan_enable_i"


def test_gates_that_synthesis_puts_in_are_refused_beside_it(core: CoreDesign) -> None:
    plan = chosen_plan(Optimise.AREA, clock_gates=True)
    with pytest.raises(RequestError, match="clock-gates: scan_enable_i does not reach clock gates that synthesis"):
        check_cells(core, library_by("generic45"), plan)
    check_cells(core, library_by("generic45"), chosen_plan(Optimise.AREA))


def test_constraints_hold_it_at_a_level_that_stands_at_their_top(core: CoreDesign) -> None:
    text = constraints(core, None)
    assert "\nset scan_enable 0\n" in text
    assert "\nset_case_analysis $scan_enable [get_ports scan_enable_i]\n" in text
    plain = build_design(parse_specification({"preset": "ueno2020-gated-enc"}), "core", "core")
    assert "scan" not in constraints(plain, None)
