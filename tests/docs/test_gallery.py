"""docs/gallery.md has a card for each family and each kind of engine, with figures of the points in the repository."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from aesmith.cores.specification import families
from aesmith.modes.specification import engine_presets

ROOT = Path(__file__).parents[2]
ANEW = "write it anew: python scripts/gallery.py"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "gallery.py"))


def test_page_and_pictures_are_what_the_points_say(script: dict[str, Any]) -> None:
    page = script["PAGE"].read_text(encoding="utf-8")
    assert script["written"](page) == page, ANEW
    cards = script["cards"]()
    for card in cards:
        assert (script["PICTURES"] / f"{card.key}.svg").read_text(encoding="utf-8") == script["picture"](card), ANEW
    assert {path.stem for path in script["PICTURES"].iterdir()} == {card.key for card in cards}


def test_a_stale_figure_is_found(script: dict[str, Any]) -> None:
    page = script["PAGE"].read_text(encoding="utf-8")
    stale = page.replace("| `gcm-small` | 11 |", "| `gcm-small` | 12 |")
    assert stale != page
    assert script["written"](stale) == page


def test_every_family_and_every_engine_is_on_one_card(script: dict[str, Any]) -> None:
    cards = script["cards"]()
    shown = [name for card in cards if card.kind == "engine" for name in card.designs]
    assert sorted(shown) == sorted(engine_presets())
    for name, family in families().items():
        (card,) = [card for card in cards if card.key == name]
        assert sorted(card.designs) == sorted(family.presets)


def test_a_card_of_engines_shows_each_of_them_or_says_what_lacks(script: dict[str, Any]) -> None:
    for card in script["cards"]():
        text = script["markdown"](card)
        assert f"]({card.page})" in text
        assert (ROOT / "docs" / card.page).is_file()
        if card.every:
            for name in card.designs:
                assert f"`{name}`" in text, name


def test_only_masked_cores_are_said_to_be_masked(script: dict[str, Any]) -> None:
    said = {card.key: script["facts"](card) for card in script["cards"]()}
    assert [key for key, facts in said.items() if "not masked" not in facts] == ["masked"]
    assert "masked at order 1 to 5" in said["masked"]


def test_what_is_proved_is_counted(script: dict[str, Any]) -> None:
    for card in script["cards"]():
        proofs = sum(name in script["FRONT"]["proved"]() for name in card.designs)
        (words,) = re.findall(r"(\w+) proved", script["facts"](card))
        assert words == ("all" if proofs == len(card.designs) > 1 else str(proofs or "none"))
