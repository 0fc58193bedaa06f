"""Recipes are data: named, with what they are good for, and free of any library's names."""

from __future__ import annotations

import pytest

from aesmith.errors import RequestError
from aesmith.flow.recipes import (
    KEEP,
    KEEP_SIZED,
    RECIPES,
    Recipe,
    Rewiring,
    SynthesisPlan,
    one_recipe,
    recipe_by_name,
    rewired_recipe,
)
from aesmith.technology.registry import library_by


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_every_recipe_buffers_and_says_what_it_is(recipe: Recipe) -> None:
    assert "buffer" in recipe.script
    assert recipe.purpose
    assert recipe.source
    assert ("{D}" in recipe.script or (recipe.timed and recipe.growth is None)) == recipe.targets


def test_a_target_goes_into_the_script() -> None:
    assert "upsize -D 1200; dnsize -D 1200" in KEEP_SIZED.abc_script(1200)
    assert KEEP_SIZED.label(1200) == "keep-sized@1200"


def test_without_a_target_nothing_of_it_is_left() -> None:
    assert "upsize; dnsize;" in KEEP_SIZED.abc_script(None)
    assert KEEP_SIZED.label(None) == "keep-sized"


@pytest.mark.parametrize(
    ("recipe", "target", "rule"), [(KEEP, 900, "keep sizes for no target"), (KEEP_SIZED, 0, "positive")]
)
def test_a_target_that_cannot_be_is_refused(recipe: Recipe, target: float, rule: str) -> None:
    with pytest.raises(RequestError, match=rule):
        recipe.abc_script(target)


def test_xor2_is_forbidden_by_function() -> None:
    library = library_by("generic45")
    extra = set(recipe_by_name("keep+noxor2").forbidden_cells(library)) - set(KEEP.forbidden_cells(library))
    assert extra == {cell.name for cell in library.cells_computing("a ^ b")} != set()


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_every_recipe_can_be_by_modules(recipe: Recipe) -> None:
    by_modules = recipe.by_modules()
    assert by_modules.hierarchical
    assert recipe_by_name(by_modules.name).script == recipe.script
    assert by_modules.by_modules() == by_modules
    assert recipe.without_xor2().by_modules().name == recipe_by_name(f"{by_modules.name}+noxor2").name


@pytest.mark.parametrize("how", [Rewiring(), Rewiring(1000), Rewiring(all_kinds=True), Rewiring(7, all_kinds=True)])
def test_a_name_says_how_its_netlist_was_rewired(how: Rewiring) -> None:
    assert rewired_recipe(f"delay-timed+noxor2{how.suffix}") == ("delay-timed+noxor2", how)
    assert one_recipe(f"keep{how.suffix}") == SynthesisPlan((KEEP,), rewired=1, rewiring=how)


def test_a_name_that_says_nothing_of_rewiring_is_left_alone() -> None:
    for name in ("keep", "keep-all", "keep+rewired-none", "keep+rewired07", "keep+rewired-all7"):
        assert rewired_recipe(name) == (name, None)


def test_an_unknown_recipe_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(RequestError, match=r"unknown 'speed'; valid are: keep, .*noxor2"):
        recipe_by_name("speed")
