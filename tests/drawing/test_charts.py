"""Scatter drawings: labels that can be read, and curves through the points that are one's own."""

from __future__ import annotations

from xml.etree import ElementTree

from aesmith.drawing.charts import Curve, Mark, front_curves, label_heights, scatter

SVG = "{http://www.w3.org/2000/svg}"


def test_labels_touch_neither_labels_nor_other_marks() -> None:
    """Three marks in a heap, and one to the right of them that a label at the height of its own mark would cover."""
    marks, labels = (
        [(100.0, 50.0), (104.0, 52.0), (101.0, 55.0), (160.0, 51.0)],
        ["first one", "second one", "third", "far"],
    )
    heights = label_heights(marks, labels)
    near = heights[:3]
    assert all(abs(a - b) >= 13 for i, a in enumerate(near) for b in near[:i])
    assert all(abs(height - 51.0) > 6.5 for height in near)
    assert max(abs(height - y) for height, (_, y) in zip(heights, marks, strict=True)) < 40


def test_each_panel_has_its_own_frame_and_an_empty_one_says_so() -> None:
    own, other = Mark(10e3, 20.0, "own <&>", own=True), Mark(12e3, 21.0, "other", own=False)
    root = ElementTree.fromstring(scatter("title", "note", {"published": (), "measured": (own, other)}))
    assert {"title", "note", "none", "published", "measured", "own <&>"} <= {t.text for t in root.iter(f"{SVG}text")}
    assert len(root.findall(f".//{SVG}circle")) == 2
    curves = [curve for curve in root.iter(f"{SVG}path") if curve.get("stroke-dasharray")]
    assert len(curves) == 1, "a curve of equal area × latency for the point that is one's own"


def test_no_two_fronts_look_alike() -> None:
    """There are eight colours, and tables of ten rows."""
    curves = [
        Curve(f"row {row}", False, [(1e4 + row, 30.0), (2e4, 20.0 - row)], [True, False], ["", ""]) for row in range(10)
    ]
    root = ElementTree.fromstring(front_curves("title", "note", curves))
    steps = [path for path in root.iter(f"{SVG}path") if path.get("stroke-width") == "1.2"]
    assert len({(path.get("stroke"), path.get("stroke-dasharray")) for path in steps}) == len(steps) == 10
