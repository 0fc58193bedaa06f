"""Draws along a scale that runs downwards: what several units do, in clocks or gates on a path; how often values are.

A drawing is as narrow as a page on a telephone, where its text is still legible.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aesmith.drawing.svg import FAINT, INK, KINDS, LINE, document, path, rect, text

WIDTH, PAD, SIZE, LEADING = 400.0, 12.0, 12.0, 15.0
"""Of a drawing: its width, its margin, its text and the distance of two lines of that."""
CHARACTER = 0.6
"""Width of a character in sizes of the text, on the average."""
_SCALE = 28.0
_MIDDLE = 4.2


@dataclass(frozen=True)
class Span:
    """From `first` to `end` on the scale, where the next one may begin: what is done there, in the colour of a kind."""

    first: float
    end: float
    words: str
    kind: int


@dataclass(frozen=True)
class Lane:
    """A unit, and what it does."""

    name: str
    spans: tuple[Span, ...]


def lines_of(words: str, width: float, size: float = SIZE) -> list[str]:
    """The words in lines that are not longer than so many pixels."""
    return textwrap.wrap(words, int(width / (CHARACTER * size)), break_long_words=False)


def heading(title: str, note: str) -> tuple[list[str], float]:
    """The title and what is said below it, and where they end."""
    room = WIDTH - 2 * PAD
    y, drawn = PAD, []
    for words, size, weight, color in ((title, 15.0, 600, INK), (note, SIZE, 400, INK)):
        for line in lines_of(words, room, size):
            y += size + 4
            drawn.append(text(PAD, y, line, size, weight=weight, color=color))
        y += 3
    return drawn, y


def draw_lanes(
    title: str, note: str, description: str, lanes: Sequence[Lane], *, unit: float, step: int, scale: str
) -> str:
    """The SVG text: `unit` pixels of height each, a number every `step`, `scale` says of what.

    Words that have no room in their span are a mistake of the caller: AssertionError.
    """
    drawn, y = heading(title, note)
    room = (WIDTH - 2 * PAD - _SCALE) / len(lanes)
    last = max(span.end for lane in lanes for span in lane.spans)
    top = y + 36
    drawn.append(text(PAD, y + 14, scale, SIZE, color=FAINT))
    for number in range(0, int(last) + 1, step):
        level = top + unit * number
        drawn.append(path("M", PAD + _SCALE - 4, level, "H", WIDTH - PAD, stroke=LINE, line=1))
        drawn.append(text(PAD + _SCALE - 7, level + _MIDDLE, str(number), SIZE, anchor="end", color=FAINT))
    for place, lane in enumerate(lanes):
        left = PAD + _SCALE + room * place
        drawn.append(text(left + room / 2, y + 31, lane.name, SIZE, anchor="middle", weight=600))
        for span in lane.spans:
            drawn += _span(span, left + 2, top + unit * span.first, room - 4, unit * (span.end - span.first))
    return document(WIDTH, top + unit * last + PAD + 4, title, drawn, description)


@dataclass(frozen=True)
class Bar:
    """A row of a histogram: its name, how many of each kind, and what is said of it."""

    name: str
    counts: Mapping[int, int]
    words: str = ""


def draw_bars(title: str, note: str, description: str, bars: Sequence[Bar], *, scale: str) -> str:
    """The SVG text of a histogram, a row each bar; `scale` says of what the names are, and the lengths."""
    drawn, y = heading(title, note)
    left = PAD + CHARACTER * SIZE * max(len(bar.name) for bar in bars) + 6
    after = CHARACTER * SIZE * max(len(bar.words) for bar in bars) + 6
    unit = (WIDTH - PAD - left - after) / max(sum(bar.counts.values()) for bar in bars)
    drawn.append(text(PAD, y + 14, scale, SIZE, color=FAINT))
    for number, bar in enumerate(bars):
        level, x = y + 24 + LEADING * number, left
        drawn.append(text(left - 6, level + LEADING - 4, bar.name, SIZE, anchor="end", color=FAINT))
        for kind, count in bar.counts.items():
            fill, stroke = KINDS[kind]
            if count:
                drawn.append(rect(x, level + 1, unit * count, LEADING - 2, radius=1, fill=fill, stroke=stroke, line=1))
            x += unit * count
        if bar.words:
            drawn.append(text(x + 6, level + LEADING - 4, bar.words, SIZE))
    return document(WIDTH, y + 24 + LEADING * len(bars) + PAD, title, drawn, description)


def _span(span: Span, left: float, top: float, width: float, height: float) -> Iterable[str]:
    fill, stroke = KINDS[span.kind]
    yield rect(left, top + 0.7, width, height - 1.4, radius=3, fill=fill, stroke=stroke, line=1)
    lines = lines_of(span.words, width - 6)
    assert len(lines) * (LEADING - 1) <= height, f"no room for {span.words!r}"
    y = top + height / 2 - LEADING * (len(lines) - 1) / 2 + _MIDDLE
    for number, line in enumerate(lines):
        yield text(left + width / 2, y + LEADING * number, line, SIZE, anchor="middle")
