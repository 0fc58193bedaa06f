"""Drawings of latency over area: of designs, published and measured apart, and of all netlists that were tried."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from aesmith.errors import RequestError
from aesmith.flow.measurement import Candidate, Optimise
from aesmith.tables.catalogue import table_by_name
from aesmith.tables.model import DESIGN, TableFindings
from aesmith.tables.render import check_drawable, latency_over_area, scatter_points
from aesmith.tables.reproduce import Reproduction, TableCell, conditions_of_fronts, fronts
from aesmith.tables.ways import front_drawing, front_grid
from aesmith.technology.registry import library_by


def reproduction() -> Reproduction:
    """Table 1 as if the measured areas were half of the published ones; the baselines have none published."""
    table = table_by_name("ueno-table1")

    def cell(row: str, figure: str) -> TableCell:
        stated = table.row(row).stated(figure)
        half = 0.5 if figure == "area" else 1.0
        return TableCell(
            stated, None, half * (stated or 30.0 if figure == "latency" else stated or 16e3), "", None, None
        )

    cells = {row.name: {f.name: cell(row.name, f.name) for f in table.figures} for row in table.rows}
    findings = TableFindings(table, library_by("generic45"), table.optimise, {}, {}, {})
    return Reproduction(table, findings, cells, (None, None), {}, 0, 0)


def test_every_design_with_both_figures_is_a_point() -> None:
    found = reproduction()
    published, measured = scatter_points(found, "published"), scatter_points(found, "measured")
    assert len(published) == 6
    assert len(measured) == len(found.table.rows)
    assert measured[0].x == 0.5 * published[0].x
    assert [point.label for point in measured if point.own] == ["Previous version (2016)", "This work (2020)"]


def test_the_drawing_is_svg_with_a_mark_and_a_label_for_each() -> None:
    found = reproduction()
    text = latency_over_area(found)
    root = ElementTree.fromstring(text)
    marks = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(marks) == 6 + len(found.table.rows)
    assert "16,418 GE, 19.25 ns" in text
    frames = re.findall(r"translate\(([\d.]+) ", text)
    assert len(set(frames)) == 2
    heights = [float(label.get("y") or 0) for label in root.findall(".//{http://www.w3.org/2000/svg}text")]
    assert all(-20 <= height <= 400 for height in heights)


def test_a_table_without_area_and_latency_is_refused() -> None:
    with pytest.raises(RequestError, match="plot: ueno-inverters has no figures of latency to draw"):
        check_drawable(table_by_name("ueno-inverters"))


OURS, BEST, OTHER = "ueno2020-enc", "sasebo-tower-enc", "sasebo-table-enc"


def way(optimise: Optimise, tried: dict[str, list[tuple[float, float]]]) -> Reproduction:
    """Table 3 under a condition: of the netlists tried, areas in GE and periods in ns, the first is the row's."""
    table = table_by_name("ueno-table3")
    table = replace(table, rows=tuple(row for row in table.rows if row.name in tried), base=(BEST, OTHER))
    measurements, cells = {}, {}
    for row, figures in tried.items():
        candidates = [Candidate(f"way{place}", None, *pair, None, 0.0) for place, pair in enumerate(figures)]
        failed = Candidate("failed", None, None, None, None, 0.0, "it failed")
        (area, period), *_ = figures
        measured = SimpleNamespace(
            area_ge=area, period_ns=period, latency_cycles=11, optimise=optimise, candidates=[*candidates, failed]
        )
        measurements[row] = {DESIGN: {optimise: measured}}
        cells[row] = {"efficiency": TableCell(None, None, 1e6 * 12.8 / (area * period), "", None, None)}
    findings = TableFindings(table, library_by("generic45"), (optimise,), {}, measurements, {})  # type: ignore[arg-type]
    return Reproduction(table, findings, cells, (None, None), {}, 0, 0)


def both_ways() -> list[Reproduction]:
    kept = way(Optimise.AREA_KEPT, {OTHER: [(20e3, 2.0)], BEST: [(10e3, 6.0)], OURS: [(12e3, 3.0), (11e3, 4.0)]})
    flat = way(
        Optimise.AREA,
        {OTHER: [(19e3, 3.0)], BEST: [(9e3, 6.0), (10e3, 5.0)], OURS: [(12e3, 3.5), (14e3, 2.5), (12e3, 2.9)]},
    )
    return [kept, flat]


def test_a_front_has_the_netlists_of_all_ways_that_none_beats() -> None:
    found = fronts(both_ways())
    assert [(p.area_ge, p.latency_ns / 11) for p in found[OURS]] == [(11e3, 4.0), (12e3, 2.9), (14e3, 2.5)]
    assert [p.optimise for p in found[OURS]] == [Optimise.AREA_KEPT, Optimise.AREA, Optimise.AREA]
    assert [p.efficiency for p in found[BEST]] == pytest.approx([12.8e6 / 54e3, 12.8e6 / 50e3])


def test_ratios_stand_by_each_way_and_over_the_front() -> None:
    """The best conventional core is SASEBO's with tables if kept (20,000 × 2), restructured the other one."""
    grid = front_grid(both_ways())
    assert grid.columns[1:5] == (">published", ">area-kept", ">area", ">front")
    cells = {row[0]: row[1:] for row in grid.rows}
    assert cells["This work (2020)"] == ("1.67", "1.11", "1.29", "1.15", "12,000", "31.90", "way2")
    assert cells["SASEBO IP, tower field (today's circuits)"][1:4] == ("0.67", "1.00", "0.80")
    assert cells["SASEBO IP, table (today's circuits)"][1:4] == ("1.00", "0.95", "1.00")


def test_fronts_are_drawn_in_one_frame_with_a_mark_for_each_netlist() -> None:
    root = ElementTree.fromstring(front_drawing(both_ways()))
    svg = "{http://www.w3.org/2000/svg}"
    marks = root.findall(f".//{svg}circle")
    assert len(marks) == 2 + 2 + 3
    assert [mark.get("fill") for mark in marks].count("#ffffff") == 5, "full where the hierarchy was kept"
    assert any("12,000 GE, 31.90 ns, way2 (area)" in (title.text or "") for title in root.iter(f"{svg}title"))
    labels = {text.text for text in root.iter(f"{svg}text")}
    assert {
        "SASEBO IP, table (today's circuits)",
        "SASEBO IP, tower field (today's circuits)",
        "This work (2020)",
    } <= labels


def test_fronts_are_of_tables_whose_condition_can_keep_the_hierarchy() -> None:
    assert conditions_of_fronts(table_by_name("ueno-table2")) == (Optimise.AREA_SPEED_KEPT, Optimise.AREA_SPEED)  # type: ignore[arg-type]
    for name in ("lin-table1", "lin-table4", "wang-table4"):
        with pytest.raises(RequestError, match=f"front: {name} does not compare throughput per area"):
            conditions_of_fronts(table_by_name(name))  # type: ignore[arg-type]
