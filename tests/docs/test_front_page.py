"""README's picture and table are what the points in the repository say, and its links lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from aesmith.cores.specification import presets

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES = 70
ANEW = "write them anew: python scripts/front_page.py"


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "front_page.py"))


def test_the_picture_is_what_the_points_draw(page: dict[str, Any]) -> None:
    assert page["picture"]() == page["PICTURE"].read_text(encoding="utf-8"), ANEW


def test_the_table_is_what_the_points_say(page: dict[str, Any]) -> None:
    assert page["written"](README) == README, ANEW
    assert len(page["FIVE"]) == 5
    assert len(re.findall(r"^\| `[\w-]+` \|.* yes \|$", README, re.MULTILINE)) == 5


def test_a_stale_figure_is_found(page: dict[str, Any]) -> None:
    row = next(line for line in README.splitlines() if line.startswith("| `serial-small-enc`"))
    figure = re.findall(r"\d[\d,.]*", row)[-1]
    assert page["written"](README.replace(row, row.replace(figure, "9.99"))) == README


def test_the_range_in_its_words_is_that_of_the_table() -> None:
    areas = re.findall(r"^\| `[\w-]+` \| [^|]* \| \d+ \| ([\d,]+) \|", README, re.MULTILINE)
    (said,) = re.findall(r"range from ([\d,]+) gates", README)
    assert int(said.replace(",", "")) == round(int(areas[0].replace(",", "")), -2)
    assert re.search(r"^\| `zhang2004-r3-enc` \| [^|]* \| 1 \|", README, re.MULTILINE)


@pytest.mark.parametrize("library", ["families", "presets"])
def test_what_the_table_says_of_a_core_is_so_among_the_presets(page: dict[str, Any], library: str) -> None:
    points = page["shipped"](library).query("recipe == 'compress'").set_index("design")
    points = points[points.index.isin(presets())]
    rounds = points[points["family"].eq("round-based") & points["key_bits"].eq(128)]
    gated = [getattr(presets()[name], "clock_gates", False) for name in points.index]
    assert points[[not each for each in gated]]["area_ge"].idxmin() == "serial-small-enc"
    assert rounds["area_ge"].idxmin() == "boyar2010-enc"
    assert rounds["efficiency_kbps_per_ge"].idxmax() == "ueno2020-enc"
    both = rounds[rounds["directions"].eq("encrypt+decrypt")]
    assert both["efficiency_kbps_per_ge"].idxmax() in {"ueno2020-encdec", "ueno2020-encdec-p2"}


def test_the_front_is_of_our_points_only_and_no_point_beats_it(page: dict[str, Any]) -> None:
    front, every = page["front"](), page["ours"]()
    assert set(front["design"]) <= set(every["design"])
    for best in front.itertuples():
        better = (every["area_ge"] <= best.area_ge) & (every["throughput_gbps"] > best.throughput_gbps)
        assert not better.any(), best.design
    assert set(page["NAMED"]) <= set(front["design"])


def test_all_points_of_the_picture_are_of_one_library_and_the_same_recipes(page: dict[str, Any]) -> None:
    shipped, beside = page["shipped"]("families"), page["beside"]()
    assert set(shipped["library"]) == set(beside["library"]) == {"nangate45-typ"}
    for _, points in beside.query("whose != 'ours'").groupby("design"):
        assert set(points["recipe"]) == set(shipped["recipe"])


def test_it_is_one_screen_and_its_links_lead_somewhere() -> None:
    assert len(README.splitlines()) <= MOST_LINES
    for path in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / path).exists(), path
