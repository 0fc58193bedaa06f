"""Drawings of latency over area: every design that has both figures, published and measured apart."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from aesmith.errors import RequestError
from aesmith.tables.catalogue import table_by_name
from aesmith.tables.model import TableFindings
from aesmith.tables.render import check_drawable, latency_over_area, scatter_points
from aesmith.tables.reproduce import Reproduction, TableCell
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
