"""The table of multipliers: what its circuits take at most, and that it would say so if they took more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.docs.scripts import script as script_of

from aesmith.circuits.multipliers.field_128 import product_circuit
from aesmith.tables.catalogue import TABLES
from aesmith.tables.model import Gap, Row, Table
from aesmith.tables.reproduce import Reproduction, reproduce
from aesmith.technology.registry import library_by

TABLE = TABLES["ghash-multipliers"]
SMALL = ("digit-1", "digit-8")


def counted(table: Table, folder: Path) -> Reproduction:
    """The table with its gates only."""
    rows = tuple(replace(row, parts={}, gap="not now") for row in table.rows)
    return reproduce(replace(table, rows=rows), library_by("generic45"), folder, None)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    return counted(TABLE, tmp_path_factory.mktemp("table"))


def more(found: Reproduction, row: Row) -> list[str]:
    """The figures that are more than those stated."""
    cells = found.cells[row.name]
    stated = {name: cell for name, cell in cells.items() if cell.published is not None and cell.measured is not None}
    assert stated
    return [name for name, cell in stated.items() if (cell.measured or 0) > (cell.published or 0)]


MORE = {"obbbb": ["gates", "levels"]}
"""Three gates and a level more than the prototype's: its reduction is another."""


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.name)
def test_no_form_but_one_takes_more_gates_or_levels_than_stated(row: Row, found: Reproduction) -> None:
    assert [name for name in more(found, row) if name != "xor"] == MORE.get(row.name, [])


def test_the_smallest_form_the_shallow_one_and_four_lanes(found: Reproduction) -> None:
    gates = {name: cells["gates"].measured for name, cells in found.cells.items()}
    levels = {name: cells["levels"].measured for name, cells in found.cells.items()}
    assert (gates["bbbbb"] or 0) <= 12_128
    assert (gates["ooooo"] or 0) <= 12_857
    assert levels["ooooo"] == 15
    assert (gates["lanes-4-ooooo"] or 0) <= 41_377


def test_products_have_the_gates_that_are_published(found: Reproduction) -> None:
    products = [cells["gates"] for name, cells in found.cells.items() if name.startswith("product-")]
    assert [cell.measured for cell in products] == [cell.published for cell in products] == [14_287, 12_343, 11_620]


def test_a_form_that_takes_more_is_found(tmp_path: Path) -> None:
    row = replace(TABLE.row("product-bbbbb"), circuit=lambda: product_circuit("kkkkk"))
    table = replace(TABLE, rows=(*(row if each.name == row.name else each for each in TABLE.rows if each.parts == {}),
                                 TABLE.row("schoolbook")))  # fmt: skip
    assert more(counted(table, tmp_path), row) == ["gates"]


@pytest.mark.thorough
def test_the_area_by_the_recipe_of_the_prototypes_is_of_that_recipe(tmp_path: Path) -> None:
    rows = tuple(TABLE.row(name) for name in SMALL)
    small = reproduce(replace(TABLE, rows=rows, base=SMALL[:1]), library_by("generic45"), tmp_path, None, jobs=1)
    figure = TABLE.figure("area_keep").measured
    assert figure is not None
    for row in rows:
        measurement = small.findings.measurement(row)
        assert not isinstance(measurement, Gap)
        (kept,) = (tried.area_ge for tried in measurement.candidates if tried.label == "keep")
        assert small.cells[row.name]["area_keep"].measured == kept
        assert (kept or 0) >= (small.cells[row.name]["area"].measured or 0) * 0.98
        without = {**small.findings.measurements, row.name: {}}
        assert isinstance(figure(replace(small.findings, measurements=without), row), Gap)


def test_measured_areas_are_within_5_percent_of_those_stated() -> None:
    sections = [each for each in script_of("measured_pages").measured_sections() if each.table == TABLE.name]
    (section,) = (each for each in sections if each.library == "nangate45-typ")
    compared = 0
    for row in TABLE.rows:
        stated = row.stated("area_keep")
        if stated is not None:
            cell = section.rows[row.label]["area by keep (GE), measured"]
            assert float(cell.replace(",", "")) == pytest.approx(stated, rel=0.05), row.label
            compared += 1
    assert compared == 11
