"""The page of the compact front is what its table says, and its table is of cores that there are."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aesmith.explore.outline import outline

ROOT = Path(__file__).parents[2]
ANEW = "write it anew: python scripts/compact_page.py"


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "compact_page.py"))


def test_tables_and_picture_are_what_was_measured(page: dict[str, Any]) -> None:
    text = page["PAGE"].read_text(encoding="utf-8")
    assert page["written"](text) == text, ANEW
    assert page["picture"]() == page["PICTURE"].read_text(encoding="utf-8"), ANEW


def test_a_stale_figure_is_found(page: dict[str, Any]) -> None:
    text = page["PAGE"].read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if "`serial-shared-small-enc`" in line)
    assert page["written"](text.replace(row, row.replace("256", "257"))) == text


def test_every_front_is_that_of_looking_at_all_pairs(page: dict[str, Any]) -> None:
    found = page["points"]()
    assert set(found["library"]) <= set(page["LIBRARIES"])
    for _, rows in found.groupby(["library", "of_class"]):
        pairs = list(zip(rows["area_ge"], rows["efficiency_kbps_per_ge"], strict=True))
        best = [
            (area, speed)
            for area, speed in pairs
            if not any(a <= area and s >= speed and (a, s) != (area, speed) for a, s in pairs)
        ]
        front = page["front"](rows)
        assert list(zip(front["area_ge"], front["efficiency_kbps_per_ge"], strict=True)) == sorted(best)


@pytest.mark.parametrize(
    ("preset", "width"),
    [
        ("serial-shared16-gated-enc", "16 bits"),
        ("serial-shared16-keyed-gated-enc", "16 bits"),
        ("serial-shared-gated-enc", "8 bits"),
        ("wang2010-s4-enc", "8 bits, others' data paths"),
        ("serial-bit-enc", "a bit"),
        ("column-beat32-gated-enc", "32 bits"),
    ],
)
def test_a_core_is_of_the_width_of_its_data_path(page: dict[str, Any], preset: str, width: str) -> None:
    core = outline({"preset": preset})
    row = {"family": core.family, "block_width": core.block_width, "design": preset}
    assert page["_width"](row) == width
    assert width in page["FAMILIES"]


def test_every_library_has_the_same_cores_by_both_recipes(page: dict[str, Any]) -> None:
    """But for clock gates, which a library may lack."""
    every = pd.read_csv(page["POINTS"])
    for library, rows in every.groupby("library"):
        assert rows.groupby("design")["recipe"].nunique().eq(2).all(), library
        gated = rows["clock_gates"].any()
        plain = every[~every["clock_gates"]]
        assert gated or set(plain.loc[plain["library"].ne(library), "design"]) <= set(rows["design"])


def test_both_corners_of_nangate_have_the_same_cores_on_their_fronts_in_the_same_order(page: dict[str, Any]) -> None:
    """As the page says."""
    found = page["points"]()
    fronts = [
        [page["front"](rows)[["design", "recipe"]].to_numpy().tolist() for _, rows in corner.groupby("of_class")]
        for _, corner in found[found["library"].str.startswith("nangate45-")].groupby("library")
    ]
    assert len(fronts) == 2
    assert fronts[0] == fronts[1]
