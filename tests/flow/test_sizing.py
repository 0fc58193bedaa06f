"""Sizing on the library's timing: shorter paths for little area, the same function, and figures that static timing
confirms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from aesmith.cores.specification import build_design, load_specification
from aesmith.flow.recipes import KEEP
from aesmith.flow.sizing import Sized, json_with_cells, size
from aesmith.flow.synthesis import synthesise
from aesmith.technology.cell import Cell, CellKind
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.netlist import read_netlist
from aesmith.timing.static import analyse


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def netlist(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The byte-serial core of two S-boxes: small, with registers, enables and outputs of every kind."""
    design = build_design(load_specification("hamalainen2006-enc"), "core", "hamalainen2006-enc")
    return synthesise(design, library, KEEP, None, tmp_path_factory.mktemp("sizing")).json


@pytest.fixture(scope="module")
def sized(netlist: Path, library: Library) -> Sized:
    return size(netlist, library, merit=lambda step: step.area * step.delay_ns)


def function(cell: Cell) -> Mapping[str, object]:
    return {name: pin.function.signature for name, pin in cell.pins.items() if pin.function is not None}


def test_paths_get_shorter_for_less_area_than_they_gain(sized: Sized) -> None:
    start = sized.steps[0]
    assert sized.delay_ns < 0.95 * start.delay_ns
    assert sized.area * sized.delay_ns < start.area * start.delay_ns
    assert [step.delay_ns for step in sized.steps] == sorted((s.delay_ns for s in sized.steps), reverse=True)


def test_static_timing_finds_the_same_longest_path(
    sized: Sized, netlist: Path, library: Library, tmp_path: Path
) -> None:
    path = tmp_path / "sized.json"
    path.write_text(json_with_cells(netlist.read_text(), read_netlist(netlist).name, sized.cells))
    timing = analyse(read_netlist(path), library)
    paths = (timing.period_ns, timing.input_to_register_ns, timing.register_to_output_ns, timing.input_to_output_ns)
    assert max(delay for delay in paths if delay is not None) == pytest.approx(sized.delay_ns, rel=1e-9)
    cells = [library.cell(instance.cell) for instance in read_netlist(path).instances]
    assert sum(cell.area for cell in cells) == pytest.approx(sized.area)


def test_a_gate_is_only_exchanged_for_one_of_the_same_function(sized: Sized, netlist: Path, library: Library) -> None:
    exchanged = 0
    for instance in read_netlist(netlist).instances:
        before, after = library.cell(instance.cell), library.cell(sized.cells[instance.name])
        exchanged += before is not after
        assert (before.kind, function(before), set(before.pins)) == (after.kind, function(after), set(after.pins))
        assert after.kind in (CellKind.LOGIC, CellKind.FLIP_FLOP, CellKind.TIE)
    assert exchanged > 10


def test_the_merit_decides_which_state_is_chosen(netlist: Path, sized: Sized, library: Library) -> None:
    smallest = size(netlist, library, merit=lambda step: step.area)
    fastest = size(netlist, library, merit=lambda step: step.delay_ns)
    assert (smallest.area, smallest.delay_ns) == (sized.steps[0].area, sized.steps[0].delay_ns)
    assert fastest.delay_ns == min(step.delay_ns for step in sized.steps)


def test_sized_again_it_is_the_same(netlist: Path, sized: Sized, library: Library) -> None:
    assert size(netlist, library, merit=lambda step: step.area * step.delay_ns) == sized
