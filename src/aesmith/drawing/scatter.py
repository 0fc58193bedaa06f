"""Latency over area of designs as a drawing, like figures 6 and 11 of Ueno et al. (TC 2020).

Figures from different flows have frames and scales of their own: to be compared is where the designs lie among each
other. Curves join points of equal area × latency.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from aesmith.drawing.svg import FAINT, INK, document, group, number, path, text

_PANEL, _HEIGHT, _LEFT, _TOP = 430.0, 330.0, 62.0, 78.0
_GAP, _BELOW, _TICKS = 86.0, 58.0, 5
_LABEL, _TALL = 11.0, 13.0
_RADIUS, _AWAY = 4.5, 10.0
_COLOURS = {"published": "#b45309", "measured": "#1d5fa8"}
_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Mark:
    """One design: area (GE), latency (ns), and its label. Those that are `own` are drawn full."""

    x: float
    y: float
    label: str
    own: bool


def scatter(title: str, note: str, panels: Mapping[str, Sequence[Mark]]) -> str:
    """The text of an SVG file under `title` and `note`: a frame for each panel's points, left to right.

    The panels are named as they are to be read, "published" and "measured" in colours of their own.
    """
    content: list[str] = []
    width = _LEFT
    for kind, designs in panels.items():
        content += group(width, _TOP, _panel(designs, kind))
        width += _PANEL + _GAP
    head = [text(24, 28, title, 15, weight=600), text(24, 46, note, 11, color=FAINT)]
    return document(width - _GAP + 24, _TOP + _HEIGHT + _BELOW, title, [*head, *content])


def _panel(designs: Sequence[Mark], kind: str) -> Iterator[str]:
    colour = _COLOURS[kind]
    yield path("M", 0, 0, "V", _HEIGHT, "H", _PANEL, stroke=INK, line=1)
    yield text(_PANEL, -6, kind, 12, anchor="end", color=colour, weight=600)
    yield text(_PANEL / 2, _HEIGHT + 40, "area (GE)", _LABEL, anchor="middle")
    yield text(-_LEFT + 18, -6, "latency (ns)", _LABEL)
    if not designs:
        yield text(_PANEL / 2, _HEIGHT / 2, "none", _LABEL, anchor="middle", color=FAINT)
        return
    right, top = (1.45 * max(p.x for p in designs), 1.15 * max(p.y for p in designs))
    for value in _ticks(right):
        x = _PANEL * value / right
        yield path("M", x, _HEIGHT, "v", 4, stroke=INK, line=1)
        yield text(x, _HEIGHT + 18, f"{value:,.0f}", _LABEL, anchor="middle")
    for value in _ticks(top):
        y = _HEIGHT * (1 - value / top)
        yield path("M", 0, y, "h", -4, stroke=INK, line=1)
        yield text(-8, y + 4, f"{value:g}", _LABEL, anchor="end")
    for product in {p.x * p.y for p in designs if p.own}:
        yield path(*_equal(product, right, top), stroke=FAINT, line=0.7, dash="3 4")
    marks = [(_PANEL * p.x / right, _HEIGHT * (1 - p.y / top)) for p in designs]
    heights = label_heights(marks, [p.label for p in designs])
    for design, (x, y), height in zip(designs, marks, heights, strict=True):
        fill = colour if design.own else "#ffffff"
        yield (
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{_RADIUS}" fill="{fill}" stroke="{colour}" '
            f'stroke-width="1.6">'
            f"<title>{escape(design.label)}: {design.x:,.0f} GE, {design.y:.2f} ns</title></circle>"
        )
        if abs(height - y) > 1:
            yield path("M", x + 5, y, "L", x + 9, height, stroke=FAINT, line=0.6)
        yield text(x + _AWAY, height + 4, design.label, _LABEL, weight=600 if design.own else 400)


def _equal(product: float, right: float, top: float) -> Iterator[str | float]:
    """The path of all points with this product of area and latency."""
    first = product / top
    for step in range(41):
        x = first + (right - first) * step / 40
        yield "M" if step == 0 else "L"
        yield _PANEL * x / right
        yield _HEIGHT * (1 - product / x / top)


def _ticks(end: float) -> list[float]:
    """Round values above 0, at most about `_TICKS`."""
    rough = end / _TICKS
    power = 10.0 ** (len(f"{rough:.0f}") - 1)
    step = next(power * factor for factor in _ROUND if power * factor >= rough)
    return [step * i for i in range(1, int(end / step) + 1)]


def label_heights(marks: Sequence[tuple[float, float]], labels: Sequence[str]) -> list[float]:
    """Where each label stands beside its mark: as near to it as it can without touching a label or another mark."""
    placed: dict[int, float] = {}
    for index in sorted(range(len(marks)), key=lambda i: marks[i][1]):
        x, y = marks[index]
        heights = (y + sign * step for step in range(int(_HEIGHT)) for sign in (1, -1))
        placed[index] = next(
            (
                height
                for height in heights
                if 0 <= height <= _HEIGHT
                and not any(
                    abs(height - other) < _TALL and _meet(x, labels[index], marks[i][0], labels[i])
                    for i, other in placed.items()
                )
                and not any(
                    abs(height - v) < _TALL / 2 + _RADIUS and x + _AWAY - _RADIUS < u < x + _AWAY + _wide(labels[index])
                    for i, (u, v) in enumerate(marks)
                    if i != index
                )
            ),
            y,
        )
    return [placed[index] for index in range(len(marks))]


def _wide(label: str) -> float:
    return 0.58 * _LABEL * len(label)


def _meet(x: float, label: str, other_x: float, other: str) -> bool:
    """Whether labels of marks at these places would touch if they stood at one height."""
    return x < other_x + _wide(other) and other_x < x + _wide(label)
