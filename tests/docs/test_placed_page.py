"""docs/evidence/placement.md: its tables are those of the rows that were measured, and what it says of them is so."""

from __future__ import annotations

import csv
from pathlib import Path
from types import ModuleType

import pytest

from aesmith.tables.designs import core_of

from .scripts import script as script_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "evidence" / "placement.md").read_text(encoding="utf-8")
with (ROOT / "docs" / "tables" / "placed.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
ENDS = ("opensta_period", "opensta_worst")


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    return script_of("placed_cores")


def test_the_tables_are_those_of_the_rows(benchmark: ModuleType) -> None:
    assert benchmark.page(PAGE, benchmark.kept_rows()) == PAGE, "write it: python benchmarks/placed_cores.py --page"
    wrong = [dict(row) for row in benchmark.kept_rows()]
    wrong[0]["placed_period_ns"] = "9.999"
    assert benchmark.page(PAGE, wrong) != PAGE


def test_each_core_is_there_in_the_libraries_that_are_said(benchmark: ModuleType) -> None:
    there = {library: [row["core"] for row in ROWS if row["library"] == library] for library in benchmark.TITLES}
    assert there["nangate45-slow"] == list(benchmark.CORES)
    assert there["sky130hd-tt"] == list(benchmark.CORES)
    assert there["generic45"] == list(benchmark.CORES)
    assert all(set(cores) <= set(benchmark.CORES) for cores in there.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['library']}/{row['core']}")
def test_the_figures_of_a_row_go_together(row: dict[str, str]) -> None:
    value = {name: float(text) for name, text in row.items() if name not in ("library", "core") and text}
    clocks = core_of(row["core"]).cycles_per_block
    for kind in ("", "placed_"):
        expected = 128e6 / (clocks * value[f"{kind}period_ns"] * value[f"{kind}area_ge"])
        assert value[f"{kind}kbps_per_ge"] == pytest.approx(expected, rel=1e-3)
    assert value["least_period_ns"] <= value["placed_period_ns"] <= value["most_period_ns"]
    assert value["period_ns"] < value["placed_period_ns"] < value["wired_period_ns"]
    assert value["opensta_period"] <= value["opensta_worst"]


def test_what_the_page_says_of_the_rows() -> None:
    def of(library: str, core: str, name: str) -> float:
        return float(next(row[name] for row in ROWS if (row["library"], row["core"]) == (library, core)))

    def cost(library: str) -> str:
        rows = [row for row in ROWS if row["library"] == library]
        shares = [float(row["placed_period_ns"]) / float(row["period_ns"]) - 1 for row in rows]
        return f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"

    def ratios(library: str, other: str) -> tuple[str, str]:
        names = ("kbps_per_ge", "placed_kbps_per_ge")
        before, after = (of(library, "ueno2020-enc", name) / of(library, other, name) for name in names)
        return f"{before:.2f}", f"{after:.2f}"

    nangate, skywater = "nangate45-slow", "sky130hd-tt"
    words = " ".join(PAGE.split())
    assert f"Wires cost {cost(nangate)} of the period in NanGate's library, {cost(skywater)} in SkyWater's" in words
    for library, called in ((nangate, "NanGate"), (skywater, "SkyWater")):
        others = ("sasebo-table-enc", "gueron2016-mapped-enc", "maximov2019-enc")
        cells = " | ".join(", ".join(ratios(library, other)) for other in others)
        assert f"| {called} | {cells} |" in PAGE
    kept = [
        (wired - placed) / (wired - bare)
        for row in ROWS
        if row["library"] == nangate
        for bare, placed, wired in [[float(row[f"{n}period_ns"]) for n in ("", "placed_", "wired_")]]
    ]
    assert f"Sizing recovers {100 * min(kept):.0f} to {100 * max(kept):.0f} % of what they took" in words
    most = {
        name: [max(float(row[column]) for row in ROWS if row["library"] == name) for column in ENDS]
        for name in (nangate, skywater, "generic45")
    }
    periods, paths = zip(*(most[name] for name in (nangate, skywater, "generic45")), strict=True)
    for said, (first, second, third) in (
        ("periods differ by at most", periods),
        ("the worst path of all the difference is", paths),
    ):
        expected = f"{first:.2f} % in NanGate's library, {second:.2f} % in SkyWater's and {third:.2f} % in `generic45`"
        assert f"{said} {expected}" in words


def test_periods_are_within_one_per_cent_of_opensta_s() -> None:
    assert all(float(row["opensta_period"]) <= 1 for row in ROWS)
