"""The t-plot of a leakage assessment: t of every fixed class over the clocks of a trace, a frame for each order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aesmith.assurance.leakage.plan import THRESHOLD, LeakageReport
from aesmith.assurance.leakage.statistics import Floats
from aesmith.drawing.svg import FAINT, INK, document, group, number, path, rect, text

_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP, _BELOW = 720.0, 190.0, 58.0, 100.0, 62.0, 46.0
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56a0d0", "#6a3d9a", "#444444")
_LIMIT, _BAND, _LINE = "#b42318", "#fdecea", "#e4e7eb"
_LEAST = 6.0
"""What an axis shows at least, so that both thresholds are in sight."""
_MOST = 1e4
"""What is drawn at most: an infinite t is as high as the frame."""
_STEPS = (1, 2, 2.5, 5, 10)
_CLOCKS_NAMED = 16


def t_plot(report: LeakageReport) -> str:
    """The text of an SVG file. Lines are the first half, dots the second; what is shaded lies beyond the threshold."""
    title = f"{report.target}: {report.verdict}"
    beside = f"{report.traces:,} traces, Welch's t of fixed against random"
    lines = [text(24, 30, title, 15, weight=600), text(24, 49, beside, 11, color=FAINT), *_legend(report)]
    for row, (order, classes) in enumerate(report.t.items()):
        judged = order in report.judged
        content = _frame(report, order, classes, judged=judged)
        lines += group(_LEFT, _TOP + row * (_HEIGHT + _GAP), content)
    height = _TOP + len(report.t) * (_HEIGHT + _GAP) - _GAP + _BELOW
    return document(_LEFT + _WIDTH + 24, height, title, lines)


def _legend(report: LeakageReport) -> Iterator[str]:
    x = 24.0
    for k, name in enumerate(next(iter(report.t.values()))):
        colour = _COLOURS[k % len(_COLOURS)]
        yield path("M", x, 68, "h", 16, stroke=colour, line=1.8)
        yield text(x + 21, 72, name, 11)
        x += 40 + 6.4 * len(name)
    yield text(_LEFT + _WIDTH, 72, "line: first half, dots: second", 11, anchor="end", color=FAINT)


def _frame(report: LeakageReport, order: int, classes: dict[str, Floats], *, judged: bool) -> Iterator[str]:
    finite = [abs(t)[np.isfinite(t)] for t in classes.values()]
    top = min(max(_LEAST, 1.08 * max((float(t.max()) for t in finite if t.size), default=0.0)), _MOST)

    def height(value: float) -> float:
        return _HEIGHT * (1 - min(max(value / top, -1.0), 1.0)) / 2

    what = "" if judged else ", above the order of protection: shown, not judged"
    yield text(0, -8, f"order {order}{what}", 12, weight=600)
    for edge in (0.0, height(-THRESHOLD)):
        yield rect(0, edge, _WIDTH, height(THRESHOLD), radius=0, fill=_BAND)
    for value in _ticks(top):
        yield path("M", 0, height(value), "h", _WIDTH, stroke=_LINE, line=0.8)
        yield text(-8, height(value) + 4, f"{value:g}", 10.5, anchor="end", color=FAINT)
    for value in (THRESHOLD, -THRESHOLD):
        yield path("M", 0, height(value), "h", _WIDTH, stroke=_LIMIT, line=1, dash="5 3")
        yield text(_WIDTH + 4, height(value) + 4, f"{value:g}", 9.5, color=_LIMIT)
    points = report.clocks * report.parts
    step = _WIDTH / points
    yield from _clocks(report, step)
    for k, halves in enumerate(classes.values()):
        colour = _COLOURS[k % len(_COLOURS)]
        places = [((point + 0.5) * step, height(float(halves[0, point]))) for point in range(points)]
        yield path("M", *places[0], *(part for place in places[1:] for part in ("L", *place)), stroke=colour, line=1.6)
        for point in range(points):
            x, y = (point + 0.5) * step, height(float(halves[1, point]))
            yield f'<circle cx="{number(x)}" cy="{number(y)}" r="2.6" fill="{colour}"/>'
    yield path("M", 0, 0, "V", _HEIGHT, "H", _WIDTH, stroke=INK, line=1)


def _clocks(report: LeakageReport, step: float) -> Iterator[str]:
    """The axis of clocks, and where rounds of a core begin."""
    every = -(-report.clocks // _CLOCKS_NAMED)
    for clock in range(0, report.clocks, every):
        yield text((clock + 0.5) * step * report.parts, _HEIGHT + 15, str(clock), 10.5, anchor="middle")
    yield text(_WIDTH / 2, _HEIGHT + 31, "clock", 11, anchor="middle")
    if report.rounds is not None:
        round_number = 1
        while report.rounds * round_number < report.clocks:
            x = report.rounds * round_number * step * report.parts
            yield path("M", x, 0, "V", _HEIGHT, stroke=FAINT, line=0.7, dash="2 4")
            round_number += 1


def _ticks(top: float) -> list[float]:
    rough = top / 3
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(float(power * factor) for factor in _STEPS if power * factor >= rough)
    return [k * step for k in range(-int(top / step), int(top / step) + 1)]
