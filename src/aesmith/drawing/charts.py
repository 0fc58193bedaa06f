"""Figures of designs as pictures: latency over area, power by module and by depth, t over the clocks of traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np

from aesmith.assurance.leakage.plan import BYTES, THRESHOLD, AttackReport, LeakageReport
from aesmith.assurance.leakage.statistics import Floats
from aesmith.drawing.svg import FAINT, INK, document, group, number, path, rect, text
from aesmith.timing.power.figures import DirectionPower, PowerShare

_PANEL, _WIDE_PANEL, _HEIGHT, _LEFT, _TOP = 430.0, 700.0, 330.0, 62.0, 78.0
_GAP, _BELOW, _TICKS = 86.0, 58.0, 5
_LABEL, _TALL = 11.0, 13.0
_RADIUS, _SMALL, _AWAY = 4.5, 3.2, 10.0
_COLOURS = {"published": "#b45309", "measured": "#1d5fa8"}
_EIGHT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56a0d0", "#6a3d9a", "#444444")
"""Colours that are told apart by whoever does not see all of them."""
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


@dataclass(frozen=True)
class _Frame:
    """Axes of area (GE) and latency (ns): where they begin and end, and how wide the drawing is between."""

    width: float
    right: float = 0.0
    top: float = 0.0
    left: float = 0.0
    bottom: float = 0.0

    def place(self, area: float, latency: float) -> tuple[float, float]:
        """The coordinates of a point."""
        x = self.width * (area - self.left) / (self.right - self.left)
        return x, _HEIGHT * (self.top - latency) / (self.top - self.bottom)

    def axes(self) -> Iterator[str]:
        """The axes with their ticks; there are none where they do not end."""
        yield path("M", 0, 0, "V", _HEIGHT, "H", self.width, stroke=INK, line=1)
        yield text(self.width / 2, _HEIGHT + 40, "area (GE)", _LABEL, anchor="middle")
        yield text(-_LEFT + 18, -6, "latency (ns)", _LABEL)
        for value in _ticks(self.left, self.right):
            x, _ = self.place(value, 0)
            yield path("M", x, _HEIGHT, "v", 4, stroke=INK, line=1)
            yield text(x, _HEIGHT + 18, f"{value:,.0f}", _LABEL, anchor="middle")
        for value in _ticks(self.bottom, self.top):
            _, y = self.place(0, value)
            yield path("M", 0, y, "h", -4, stroke=INK, line=1)
            yield text(-8, y + 4, f"{value:g}", _LABEL, anchor="end")

    def equal(self, product: float) -> str:
        """The curve of all points with this product of area and latency."""
        first = max(self.left, product / self.top)
        last = min(self.right, product / self.bottom) if self.bottom else self.right
        areas = [first + (last - first) * step / 40 for step in range(41)]
        parts = [part for area in areas for part in ("L", *self.place(area, product / area))]
        return path("M", *parts[1:], stroke=FAINT, line=0.7, dash="3 4")


def _panel(designs: Sequence[Mark], kind: str) -> Iterator[str]:
    colour = _COLOURS[kind]
    yield text(_PANEL, -6, kind, 12, anchor="end", color=colour, weight=600)
    if not designs:
        yield from _Frame(_PANEL).axes()
        yield text(_PANEL / 2, _HEIGHT / 2, "none", _LABEL, anchor="middle", color=FAINT)
        return
    right = max(1.45 * max(p.x for p in designs), *(_end(p.x, p.label, _PANEL) for p in designs))
    frame = _Frame(_PANEL, right, 1.15 * max(p.y for p in designs))
    yield from frame.axes()
    yield from map(frame.equal, {p.x * p.y for p in designs if p.own})
    marks = [frame.place(p.x, p.y) for p in designs]
    heights = label_heights(marks, [p.label for p in designs])
    for design, (x, y), height in zip(designs, marks, heights, strict=True):
        said = f"{design.label}: {design.x:,.0f} GE, {design.y:.2f} ns"
        yield _circle(x, y, radius=_RADIUS, colour=colour, full=design.own, said=said)
        yield from _label(design.label, (x, y), height, own=design.own)


def _label(label: str, mark: tuple[float, float], height: float, *, own: bool, colour: str = INK) -> Iterator[str]:
    """A label beside its mark, joined to it where it stands higher or lower."""
    x, y = mark
    if abs(height - y) > 1:
        yield path("M", x + 5, y, "L", x + 9, height, stroke=FAINT, line=0.6)
    yield text(x + _AWAY, height + 4, label, _LABEL, color=colour, weight=600 if own else 400)


def _end(x: float, label: str, width: float, left: float = 0.0) -> float:
    """Where an axis of this width has to end at least, so that there is room for the label of a mark at x."""
    return left + (x - left) * width / max(width - _AWAY - _wide(label), width / 4)


def _circle(x: float, y: float, *, radius: float, colour: str, full: bool, said: str) -> str:
    """A mark, which says so much when it is pointed at."""
    return (
        f'<circle cx="{number(x)}" cy="{number(y)}" r="{radius}" fill="{colour if full else "#ffffff"}" '
        f'stroke="{colour}" stroke-width="1.6"><title>{escape(said)}</title></circle>'
    )


@dataclass(frozen=True)
class Curve:
    """The front of one design: its points of area (GE) and latency (ns), each with what is said of it.

    Points are full where `full` says so. A curve that is `own` is drawn bold.
    """

    label: str
    own: bool
    points: Sequence[tuple[float, float]]
    full: Sequence[bool]
    said: Sequence[str]


def front_curves(title: str, note: str, curves: Sequence[Curve]) -> str:
    """The text of an SVG file under `title` and `note`: the fronts of designs in one frame, as steps.

    The axes begin where the fronts do, not at 0. From the ninth on, whose colours come again, curves are dashed.
    """
    content: list[str] = []
    if curves:
        areas, latencies = zip(*(point for curve in curves for point in curve.points), strict=True)
        left = 0.9 * min(areas)
        right = max(1.05 * max(areas), *(_end(c.points[-1][0], c.label, _WIDE_PANEL, left) for c in curves))
        frame = _Frame(_WIDE_PANEL, right, 1.05 * max(latencies), left, 0.8 * min(latencies))
        content += frame.axes()
        content += map(frame.equal, {min(x * y for x, y in curve.points) for curve in curves if curve.own})
        places = [[frame.place(*point) for point in curve.points] for curve in curves]
        heights = label_heights([marks[-1] for marks in places], [curve.label for curve in curves])
        for place, (curve, marks, height) in enumerate(zip(curves, places, heights, strict=True)):
            colour = _EIGHT[place % len(_EIGHT)]
            steps = [part for x, y in marks[1:] for part in ("H", x, "V", y)]
            dash = "5 3" if place >= len(_EIGHT) else ""
            content.append(path("M", *marks[0], *steps, stroke=colour, line=2.4 if curve.own else 1.2, dash=dash))
            for (x, y), full, said in zip(marks, curve.full, curve.said, strict=True):
                content.append(_circle(x, y, radius=_SMALL, colour=colour, full=full, said=f"{curve.label}: {said}"))
            content += _label(curve.label, marks[-1], height, own=curve.own, colour=colour)
    head = [text(24, 28, title, 15, weight=600), text(24, 46, note, 11, color=FAINT)]
    return document(_LEFT + _WIDE_PANEL + 24, _TOP + _HEIGHT + _BELOW, title, [*head, *group(_LEFT, _TOP, content)])


def _ticks(begin: float, end: float) -> list[float]:
    """Round values above where an axis begins, at most about `_TICKS`; none if it has no end."""
    if not end:
        return []
    rough = (end - begin) / _TICKS
    power = 10.0 ** (len(f"{rough:.0f}") - 1)
    step = next(power * factor for factor in _ROUND if power * factor >= rough)
    return [step * i for i in range(int(begin / step) + 1, int(end / step) + 1)]


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


FUNCTIONAL, GLITCH, LEAKAGE = "#3d6ea5", "#d9772b", "#b8c2cc"
_KINDS = (("functional", FUNCTIONAL), ("glitch", GLITCH), ("leakage", LEAKAGE))
_WIDTH, _MARGIN, _LABELS = 780.0, 24.0, 215.0
_ROW, _BAR = 24.0, 15.0
_DEPTH_HEIGHT = 170.0
_MOST_MODULES = 14
_REGISTERS = "0"
"""The depth of flip-flops."""


def power_picture(design: str, power: DirectionPower, library: str) -> str:
    """An SVG of one direction's power. Modules are left out where they were not measured."""
    title = f"{design}: {power.power_uw_at_100mhz:,.0f} µW at 100 MHz"
    lines = [
        text(_MARGIN, 34, title, 17, weight=600),
        text(_MARGIN, 54, f"{power.label}; {library}", 11.5, color=FAINT),
        *_legend(_MARGIN, 74),
    ]
    top = 108.0
    if power.by_module:
        shares = _largest(power.by_module)
        lines += _bars(shares, top)
        top += len(shares) * _ROW + 34
    lines += _depth(power.by_depth, top)
    return document(_WIDTH, top + _DEPTH_HEIGHT + 62, title, lines)


def _legend(x: float, y: float) -> list[str]:
    lines = []
    for name, color in _KINDS:
        lines += [rect(x, y - 9, 11, 11, radius=2, fill=color), text(x + 16, y, name, 11.5)]
        x += 34 + 7 * len(name)
    return lines


def _largest(shares: Sequence[PowerShare]) -> list[PowerShare]:
    """The shares, the smallest of many as one."""
    if len(shares) <= _MOST_MODULES:
        return list(shares)
    rest = shares[_MOST_MODULES - 1 :]
    sums = (sum(getattr(share, name) for share in rest) for name in ("functional_uw", "glitch_uw", "leakage_uw"))
    return [
        *shares[: _MOST_MODULES - 1],
        PowerShare(f"{len(rest)} others", sum(share.cells for share in rest), *sums),
    ]


def _parts(share: PowerShare) -> tuple[tuple[float, str], ...]:
    # Internal energies of single transitions may be negative; a bar may not.
    values = (share.functional_uw, share.glitch_uw, share.leakage_uw)
    return tuple((max(value, 0.0), color) for value, (_, color) in zip(values, _KINDS, strict=True))


def _bars(shares: Sequence[PowerShare], top: float) -> list[str]:
    lines = [text(_MARGIN, top, "by module, each mapped by itself (µW)", 12.5, weight=600)]
    most = max((share.total_uw for share in shares), default=1.0) or 1.0
    room = _WIDTH - _LABELS - 2 * _MARGIN - 60
    for row, share in enumerate(shares):
        y = top + 12 + row * _ROW
        x = _MARGIN + _LABELS
        lines.append(text(x - 8, y + _BAR - 3, share.name, 11.5, anchor="end"))
        for value, color in _parts(share):
            width = room * value / most
            lines.append(rect(x, y, width, _BAR, radius=0, fill=color))
            x += width
        lines.append(text(x + 6, y + _BAR - 3, f"{share.total_uw:,.0f}", 11, color=FAINT))
    return lines


def _depth(shares: Sequence[PowerShare], top: float) -> list[str]:
    # Registers, whose clock pins take energy in every clock, would leave the logic no height.
    registers = sum(share.total_uw for share in shares if share.name == _REGISTERS)
    shares = [share for share in shares if share.name != _REGISTERS]
    title = "logic by its depth in cells after registers and inputs (µW)"
    lines = [
        text(_MARGIN, top, title, 12.5, weight=600),
        text(_WIDTH - _MARGIN, top, f"registers: {registers:,.0f}", 11, anchor="end", color=FAINT),
    ]
    most = max((share.total_uw for share in shares), default=1.0) or 1.0
    left, base = _MARGIN + 46, top + 16 + _DEPTH_HEIGHT
    step = (_WIDTH - left - _MARGIN) / max(len(shares), 1)
    for k in range(3):
        value = most * k / 2
        y = base - _DEPTH_HEIGHT * k / 2
        lines += [
            f'<path d="M {number(left)} {number(y)} H {number(_WIDTH - _MARGIN)}" stroke="#e4e7eb"/>',
            text(left - 6, y + 4, f"{value:,.0f}", 10.5, anchor="end", color=FAINT),
        ]
    for k, share in enumerate(shares):
        y = base
        for value, color in _parts(share):
            height = _DEPTH_HEIGHT * value / most
            y -= height
            lines.append(rect(left + k * step + 1, y, max(step - 2, 1), height, radius=0, fill=color))
        if k % max(1, len(shares) // 12) == 0:
            lines.append(text(left + (k + 0.5) * step, base + 15, share.name, 10.5, anchor="middle", color=INK))
    return lines


_T_WIDTH, _T_HEIGHT, _T_LEFT, _T_TOP, _T_GAP, _T_BELOW = 720.0, 190.0, 58.0, 100.0, 62.0, 46.0
_T_LIMIT, _T_BAND, _T_LINE = "#b42318", "#fdecea", "#e4e7eb"
_T_LEAST = 6.0
"""What an axis shows at least, so that both thresholds are in sight."""
_T_MOST = 1e4
"""What is drawn at most: an infinite t is as high as the frame."""
_CLOCKS_NAMED = 16


def t_plot(report: LeakageReport) -> str:
    """The text of an SVG file. Lines are the first half, dots the second; what is shaded lies beyond the threshold."""
    title = f"{report.target}: {report.verdict}"
    beside = f"{report.traces:,} traces, Welch's t of fixed against random"
    lines = [text(24, 30, title, 15, weight=600), text(24, 49, beside, 11, color=FAINT), *_t_legend(report)]
    for row, (order, classes) in enumerate(report.t.items()):
        judged = order in report.judged
        content = _t_frame(report, order, classes, judged=judged)
        lines += group(_T_LEFT, _T_TOP + row * (_T_HEIGHT + _T_GAP), content)
    height = _T_TOP + len(report.t) * (_T_HEIGHT + _T_GAP) - _T_GAP + _T_BELOW
    return document(_T_LEFT + _T_WIDTH + 24, height, title, lines)


def _t_legend(report: LeakageReport) -> Iterator[str]:
    x = 24.0
    for k, name in enumerate(next(iter(report.t.values()))):
        colour = _EIGHT[k % len(_EIGHT)]
        yield path("M", x, 68, "h", 16, stroke=colour, line=1.8)
        yield text(x + 21, 72, name, 11)
        x += 40 + 6.4 * len(name)
    yield text(_T_LEFT + _T_WIDTH, 72, "line: first half, dots: second", 11, anchor="end", color=FAINT)


def _t_frame(report: LeakageReport, order: int, classes: dict[str, Floats], *, judged: bool) -> Iterator[str]:
    finite = [abs(t)[np.isfinite(t)] for t in classes.values()]
    top = min(max(_T_LEAST, 1.08 * max((float(t.max()) for t in finite if t.size), default=0.0)), _T_MOST)

    def height(value: float) -> float:
        return _T_HEIGHT * (1 - min(max(value / top, -1.0), 1.0)) / 2

    what = "" if judged else ", above the order of protection: shown, not judged"
    yield text(0, -8, f"order {order}{what}", 12, weight=600)
    for edge in (0.0, height(-THRESHOLD)):
        yield rect(0, edge, _T_WIDTH, height(THRESHOLD), radius=0, fill=_T_BAND)
    for value in _t_ticks(top):
        yield path("M", 0, height(value), "h", _T_WIDTH, stroke=_T_LINE, line=0.8)
        yield text(-8, height(value) + 4, f"{value:g}", 10.5, anchor="end", color=FAINT)
    for value in (THRESHOLD, -THRESHOLD):
        yield path("M", 0, height(value), "h", _T_WIDTH, stroke=_T_LIMIT, line=1, dash="5 3")
        yield text(_T_WIDTH + 4, height(value) + 4, f"{value:g}", 9.5, color=_T_LIMIT)
    points = report.clocks * report.parts
    step = _T_WIDTH / points
    yield from _clocks(report, step)
    for k, halves in enumerate(classes.values()):
        colour = _EIGHT[k % len(_EIGHT)]
        places = [((point + 0.5) * step, height(float(halves[0, point]))) for point in range(points)]
        yield path("M", *places[0], *(part for place in places[1:] for part in ("L", *place)), stroke=colour, line=1.6)
        for point in range(points):
            x, y = (point + 0.5) * step, height(float(halves[1, point]))
            yield f'<circle cx="{number(x)}" cy="{number(y)}" r="2.6" fill="{colour}"/>'
    yield path("M", 0, 0, "V", _T_HEIGHT, "H", _T_WIDTH, stroke=INK, line=1)


def _clocks(report: LeakageReport, step: float) -> Iterator[str]:
    """The axis of clocks, and where rounds of a core begin."""
    every = -(-report.clocks // _CLOCKS_NAMED)
    for clock in range(0, report.clocks, every):
        yield text((clock + 0.5) * step * report.parts, _T_HEIGHT + 15, str(clock), 10.5, anchor="middle")
    yield text(_T_WIDTH / 2, _T_HEIGHT + 31, "clock", 11, anchor="middle")
    if report.rounds is not None:
        round_number = 1
        while report.rounds * round_number < report.clocks:
            x = report.rounds * round_number * step * report.parts
            yield path("M", x, 0, "V", _T_HEIGHT, stroke=FAINT, line=0.7, dash="2 4")
            round_number += 1


def _t_ticks(top: float) -> list[float]:
    rough = top / 3
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(float(power * factor) for factor in _ROUND if power * factor >= rough)
    return [k * step for k in range(-int(top / step), int(top / step) + 1)]


def rank_plot(report: AttackReport) -> str:
    """The text of an SVG file: the rank of each right key byte, by its better model, over the traces."""
    title = f"{report.target}: {report.found} of {BYTES} key bytes found"
    beside = f"{report.traces:,} traces, rank of the right byte among 256 by correlation"
    lines = [text(24, 30, title, 15, weight=600), text(24, 49, beside, 11, color=FAINT)]
    step = _T_WIDTH / max(1, len(report.looks) - 1)
    frame = []
    for rank in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        y = _T_HEIGHT * np.log2(rank) / 8
        frame += [path("M", 0, y, "h", _T_WIDTH, stroke=_T_LINE, line=0.8)]
        frame += [text(-8, y + 4, str(rank), 10.5, anchor="end", color=FAINT)]
    for k, traces in enumerate(report.looks):
        frame.append(text(k * step, _T_HEIGHT + 18, f"{traces:,}", 10.5, anchor="middle"))
    frame.append(text(_T_WIDTH / 2, _T_HEIGHT + 36, "traces", 11, anchor="middle"))
    for byte in range(BYTES):
        best = [min(ranks[model][byte] for model in ranks) for ranks in report.ranks]
        places = [(k * step, _T_HEIGHT * np.log2(rank) / 8) for k, rank in enumerate(best)]
        colour = _EIGHT[byte % len(_EIGHT)]
        for first, second in pairwise(places):
            frame.append(path("M", *first, "L", *second, stroke=colour, line=1.4))
        frame += [f'<circle cx="{number(x)}" cy="{number(y)}" r="2.6" fill="{colour}"/>' for x, y in places]
    lines += group(_T_LEFT, 80.0, frame)
    return document(_T_LEFT + _T_WIDTH + 40, 80.0 + _T_HEIGHT + _T_BELOW, title, lines)
