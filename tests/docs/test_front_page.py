"""README's picture and table are what the points in the repository say, and its links lead somewhere."""

from __future__ import annotations

import json
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


def test_a_figure_of_a_quiet_output_is_marked_and_one_of_a_bare_output_is_not(page: dict[str, Any]) -> None:
    points = page["shipped"]("presets").query("recipe == 'compress' and library == 'generic45'")
    points = points.set_index("design").loc[list(page["FIVE"])]
    outputs = points["specification"].map(lambda text: json.loads(text)["output"])
    marked = {name for name in page["FIVE"] if re.search(rf"^\| `{name}` .*\(quiet\)", page["table"](), re.MULTILINE)}
    assert marked == set(outputs.index[outputs.eq("quiet")]) == {"ueno2020-enc", "ueno2020-encdec"}


def test_what_verifies_a_core_in_any_library_verifies_its_point(page: dict[str, Any]) -> None:
    """`proved` says what `aesmith recommend` says: of a quiet output that it was verified with a bare one."""
    verified = page["shipped"]("presets").set_index("design")["verified"]
    assert set(verified.loc[["ueno2020-enc"]]) == {
        "proof and simulation of 2006 blocks",
        "proof and simulation of 2006 blocks with a bare output",
    }


def test_a_core_that_is_not_proved_is_no_core_of_the_table(
    page: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = page["shipped"]
    table = page["table"]
    monkeypatch.setitem(table.__globals__, "shipped", lambda name: shipped(name).assign(verified="simulation"))
    with pytest.raises(AssertionError, match="serial-small-enc"):
        table()


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
    # The cores of the table have no clock gates.
    points = points[[not getattr(presets()[name], "clock_gates", False) for name in points.index]]
    rounds = points[points["family"].eq("round-based") & points["key_bits"].eq(128)]
    assert points["area_ge"].idxmin() == "serial-small-enc"
    assert rounds["area_ge"].idxmin() == "boyar2010-enc"
    # The most throughput per area is had from another core in each library: the words have to name the library.
    most = {"families": "ueno2020-enc", "presets": "maximov2019-enc"}
    assert rounds["efficiency_kbps_per_ge"].idxmax() == most[library]
    assert page["FIVE"]["ueno2020-enc"].endswith("the most throughput per area in NanGate 45 nm")
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
