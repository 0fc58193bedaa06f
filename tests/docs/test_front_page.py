"""README's picture and table are what the points in the repository say, and its links lead somewhere."""

from __future__ import annotations

import csv
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.engines.claims import structure_of
from aesmith.cores.specification import presets
from aesmith.errors import RequestError
from aesmith.modes.specification import build_engine, engine_presets

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES, MOST_COLUMNS = 75, 80
ANEW = "write them anew: python scripts/front_page.py"
ROW = re.compile(r"^\| ([^|]+) \| `([\w-]+)` \| ([\d,]+) \| ([\d,]+)(\\\*)? \| ([\d.]+) \| (\w+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "front_page.py"))


def test_the_picture_is_what_the_points_draw(page: dict[str, Any]) -> None:
    assert page["picture"]() == page["PICTURE"].read_text(encoding="utf-8"), ANEW


def test_the_table_is_what_the_points_say(page: dict[str, Any]) -> None:
    assert page["written"](README) == README, ANEW
    assert [(words, name) for words, name, *_ in ROW.findall(README)] == [(v, k) for k, v in page["ROWS"].items()]


def test_a_stale_figure_is_found(page: dict[str, Any]) -> None:
    row = next(line for line in README.splitlines() if "`serial-bit-enc`" in line)
    figure = re.findall(r"\d[\d,.]*", row)[-1]
    assert page["written"](README.replace(row, row.replace(figure, "9.99"))) == README


def test_a_star_marks_a_bare_output_and_no_other(page: dict[str, Any]) -> None:
    outputs = {name: json.loads(page["shown"](name)["specification"]).get("output") for name in page["ROWS"]}
    starred = {name for _, name, _, _, star, *_ in ROW.findall(README) if star}
    assert starred == {name for name, output in outputs.items() if output == "bare"}
    assert "ueno2020-enc" in starred
    assert "serial-bit-enc" not in starred


def test_a_row_says_proof_of_what_is_proved_only(page: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    said = {name: how for _, name, *_, how in ROW.findall(README)}
    assert said == {name: "proof" if name in page["proved"]() else "simulation" for name in page["ROWS"]}
    monkeypatch.setitem(page["verdict"].__globals__, "proved", lambda: frozenset({"boyar2010-enc"}))
    assert [how for *_, how in ROW.findall(page["table"]())].count("proof") == 1


def test_what_is_listed_as_proved_is_there_and_so_is_what_proves_it(page: dict[str, Any]) -> None:
    with page["PROVED"].open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    known = {*presets(), *engine_presets()}
    for row in rows:
        assert row["design"] in known, row
        assert (ROOT / row["by"]).is_file(), row
        if row["design"] in presets():
            # By such a test its preset is proved as it is.
            text = (ROOT / row["by"]).read_text(encoding="utf-8")
            assert f'"{row["design"]}"' in text, row
            assert "def test_it_is_proved" in text, row


def test_an_engine_that_the_prover_refuses_is_not_listed_as_proved(page: dict[str, Any]) -> None:
    refused = set()
    for name, specification in engine_presets().items():
        try:
            structure_of(build_engine(specification, "engine", name))
        except RequestError:
            refused.add(name)
    assert refused
    assert not refused & page["proved"]()


@pytest.mark.parametrize("library", ["families", "presets"])
def test_what_the_table_says_of_a_core_is_so_among_the_presets(page: dict[str, Any], library: str) -> None:
    points = page["shipped"](library).query("recipe == 'compress'").set_index("design")
    points = points[points.index.isin(presets())]
    # But for the two smallest, the cores of the table have no clock gates.
    points = points[[not getattr(presets()[name], "clock_gates", False) for name in points.index]]
    rounds = points[points["family"].eq("round-based") & points["key_bits"].eq(128)]
    assert rounds["area_ge"].idxmin() == "boyar2010-enc"
    both = rounds[rounds["directions"].eq("encrypt+decrypt")]
    assert both["efficiency_kbps_per_ge"].idxmax() in {"ueno2020-encdec", "ueno2020-encdec-p2"}


def test_what_the_table_says_of_its_library_is_so(page: dict[str, Any]) -> None:
    points = page["ours"]()
    points = points[points["design"].isin(presets())].set_index("design")
    assert points["area_ge"].idxmin() == "serial-bit-enc"
    rounds = points[points["family"].eq("round-based") & points["key_bits"].eq(128)]
    alone = rounds[rounds["blocks_in_flight"].eq(1)]
    assert alone["efficiency_kbps_per_ge"].idxmax() == "ueno2020-enc"
    assert rounds["efficiency_kbps_per_ge"].idxmax() == "ueno2020-enc-p4"
    cycles = {name: float(clocks.replace(",", "")) for _, name, clocks, *_ in ROW.findall(README)}
    assert cycles["zhang2004-r3-enc"] == cycles["ctr-ahead"] == 1


def test_the_first_row_is_the_first_point_of_the_picture(page: dict[str, Any]) -> None:
    first = page["front"]().iloc[0]
    words, name, _, area, *_ = ROW.findall(README)[0]
    assert (words, name) == ("fewest gates", first["design"])
    assert area == f"{first['area_ge']:,.0f}"


def test_the_front_is_of_our_points_only_and_no_point_beats_it(page: dict[str, Any]) -> None:
    front, every = page["front"](), page["ours"]()
    assert set(front["design"]) <= set(every["design"])
    for best in front.itertuples():
        better = (every["area_ge"] <= best.area_ge) & (every["throughput_gbps"] > best.throughput_gbps)
        assert not better.any(), best.design
    assert set(page["NAMED"]) <= set(front["design"])


def test_all_points_of_the_picture_are_of_one_library_and_the_same_recipes(page: dict[str, Any]) -> None:
    shipped, public = page["known"](), page["public_points"]()
    assert set(shipped["library"]) == set(public["library"]) == {"nangate45-typ"}
    for _, points in public.groupby("design"):
        assert set(points["recipe"]) == set(page["ours"]()["recipe"])


def test_names_are_written_at_points_that_are_drawn(page: dict[str, Any]) -> None:
    assert set(page["OTHERS"]) <= set(page["known"]().query("kind != 'core'")["design"])
    for name in (*page["NAMED"].values(), *page["OTHERS"]):
        assert f">{name}</text>" in page["PICTURE"].read_text(encoding="utf-8")


def test_it_is_one_screen_and_its_links_lead_somewhere() -> None:
    assert len(README.splitlines()) <= MOST_LINES
    assert max(map(len, README.splitlines())) <= MOST_COLUMNS
    for path in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / path).exists(), path
