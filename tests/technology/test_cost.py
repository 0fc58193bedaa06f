from collections.abc import Callable
from pathlib import Path

import pytest

from aesmith.circuits.circuit import Op
from aesmith.technology.cost import cost_model
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path


@pytest.mark.parametrize("name", ["nangate45_slow", "sky130hd_tt", "ihp_sg13g2_stdcell_typ"])
def test_every_gate_has_its_price(name: str, pdk_library: Callable[[str], Library]) -> None:
    model = cost_model(pdk_library(name))
    gates = [op for op in Op if op.arity]
    assert all(model.delay[op] > 0 and model.area[op] > 0 for op in gates)
    assert model.delay[Op.ZERO] == model.area[Op.ONE] == 0
    assert model.area[Op.NAND] == 1
    assert model.delay[Op.NAND] < model.delay[Op.AND]
    assert model.register_area > 4
    assert (model.delay_unit, model.area_unit) == ("ps", "GE")


def test_prices_are_those_of_the_smallest_cells() -> None:
    library = read_library(embedded_path())
    model = cost_model(library)
    assert model.name == "generic45"
    for op, cell in ((Op.XOR, "XOR2_X1"), (Op.MUX, "MUX2_X1"), (Op.NOR3, "NOR3_X1"), (Op.NOT, "INV_X1")):
        assert model.area[op] == library.area_ge(cell)
    assert model.register_area == library.area_ge("DFF_X1")
    assert model.area[Op.AND3] == pytest.approx(2 * model.area[Op.AND]), "it has no AND3"


def test_a_gate_the_library_lacks_costs_its_parts(tmp_path: Path) -> None:
    text = read_text(embedded_path())
    for name in ("AND2", "OR2", "NOR2", "MUX2", "XOR2"):
        text = text.replace(f"  cell ({name}", f"  model ({name}")
    (tmp_path / "less.lib").write_text(text)
    model = cost_model(read_library(tmp_path / "less.lib"))
    assert model.area[Op.AND] == model.area[Op.NAND] + model.area[Op.NOT]
    assert model.area[Op.OR] == model.area[Op.NAND] + 2 * model.area[Op.NOT]
    assert model.area[Op.NOR] == model.area[Op.OR] + model.area[Op.NOT]
    assert model.area[Op.XOR] == model.area[Op.XNOR] + model.area[Op.NOT]
    assert model.area[Op.MUX] == 3 * model.area[Op.NAND] + model.area[Op.NOT]
    assert model.delay[Op.MUX] == 2 * model.delay[Op.NAND] + model.delay[Op.NOT]
