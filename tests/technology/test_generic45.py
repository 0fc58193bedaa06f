from itertools import pairwise

import pytest

from aesmith.technology.cell import chain_transition, input_capacitance, mean_delay
from aesmith.technology.generic45 import liberty_text
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path


@pytest.fixture(scope="module")
def library() -> Library:
    return read_library(embedded_path())


def test_the_file_is_what_the_figures_give() -> None:
    assert embedded_path().read_bytes() == liberty_text().encode()


def test_the_file_says_that_it_is_a_model() -> None:
    assert "a model of a 45-nm class process, not a foundry's" in liberty_text().splitlines()[0]


def test_it_has_all_that_synthesis_needs(library: Library) -> None:
    library.check_for_synthesis()
    assert library.not_for_synthesis == tuple(f"CLKGATE_X{drive}" for drive in (1, 2, 4, 8))
    assert library.tie_high is not None
    assert library.tie_low is not None


@pytest.mark.parametrize(
    ("cell", "area"), [("NAND2_X1", 1), ("INV_X1", 0.67), ("XOR2_X1", 2), ("DFF_X1", 5.67), ("INV_X8", 3)]
)
def test_areas_are_in_gate_equivalents(library: Library, cell: str, area: float) -> None:
    assert library.area_ge(cell) == pytest.approx(area, abs=0.01)


def test_a_fan_out_of_four_takes_25_to_30_ps(library: Library) -> None:
    inverter = library.cell("INV_X1")
    load = 4 * input_capacitance(inverter)
    assert 0.025 < mean_delay(inverter, chain_transition(inverter, load), load) < 0.030


def test_more_load_and_slower_inputs_never_make_a_gate_faster(library: Library) -> None:
    for cell in library.cells.values():
        for arc in cell.arcs:
            for table in (arc.cell_rise, arc.cell_fall, arc.rise_transition, arc.fall_transition):
                if table is not None:
                    assert (table.values[1:] > table.values[:-1]).all()
                    assert (table.values[:, 1:] > table.values[:, :-1]).all()
                    assert (table.values > 0).all()


def test_a_stronger_cell_is_larger_and_faster_under_load(library: Library) -> None:
    for function in ("!a", "a", "!(a & b)", "a ^ b", "(s & b) | (!s & a)"):
        for weak, strong in pairwise(library.cells_computing(function)):
            assert strong.area > weak.area
            assert mean_delay(strong, 0.02, 50) < mean_delay(weak, 0.02, 50)


def test_every_state_of_every_gate_leaks(library: Library) -> None:
    for cell in library.cells.values():
        assert cell.cell_leakage is not None
        assert cell.cell_leakage > 0
        if cell.function is not None and cell.inputs and cell.register is None:
            assert len(cell.leakage) == 2 ** len(cell.inputs)
            mean = sum(state.nanowatts for state in cell.leakage) / len(cell.leakage)
            assert mean == pytest.approx(cell.cell_leakage, rel=1e-4)


def test_every_arc_of_every_gate_has_its_energy(library: Library) -> None:
    for cell in library.cells.values():
        timed = {arc.related_pin for arc in cell.arcs if arc.type in ("combinational", "rising_edge")}
        powered = {power.related_pin for power in cell.internal_power if power.pin in cell.outputs}
        assert timed == powered
