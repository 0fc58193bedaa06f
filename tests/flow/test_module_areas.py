"""Areas by module: counted once a module, added up over the hierarchy."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign
from aesmith.flow.module_areas import module_areas
from aesmith.technology.registry import library_by


def test_areas_add_up_over_the_hierarchy(toy: CoreDesign, tmp_path: Path) -> None:
    areas = {area.name: area for area in module_areas(toy, library_by("generic45"), tmp_path)}
    assert {name: area.instances for name, area in areas.items()} == {
        "toy": 1,
        "toy_layer": 1,
        "toy_layer_2": 1,
        "toy_leaf": 3,
    }
    leaf, layer, top = areas["toy_leaf"], areas["toy_layer"], areas["toy"]
    assert leaf.area_ge == leaf.own_area_ge > 8
    assert layer.area_ge == pytest.approx(2 * leaf.area_ge)
    assert layer.own_area_ge == 0
    assert top.area_ge == pytest.approx(sum(area.instances * area.own_area_ge for area in areas.values()))
    assert (top.flip_flops, leaf.flip_flops) == (30, 0)


def test_the_top_module_comes_first(toy: CoreDesign, tmp_path: Path) -> None:
    assert module_areas(toy, library_by("generic45"), tmp_path)[0].name == "toy"
