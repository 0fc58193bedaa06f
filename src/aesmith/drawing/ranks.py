"""Draws a graph in ranks from above downwards: each edge goes from one rank to a lower one, or back up.

Within a rank nodes are ordered by the mean place of their neighbours, sweep after sweep, and stand as near to it as
their widths allow (isotonic regression). Edges that pass ranks take a place in each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aesmith.drawing.lanes import CHARACTER, PAD, SIZE, WIDTH, heading
from aesmith.drawing.svg import FAINT, INK, KINDS, WIRE, document, path, rect, text

HEIGHT = 20.0
_SWEEPS = 24
_GAP, _PASSING, _MIDDLE = 12.0, 16.0, 4.2


@dataclass(frozen=True)
class Node:
    """A shape with a word in it, in the colour of a kind, or a word alone. A register has the mark of its clock."""

    key: str
    words: str
    kind: int | None = None
    register: bool = False

    @property
    def width(self) -> float:
        """Pixels it takes."""
        return max(HEIGHT, CHARACTER * SIZE * len(self.words) + 8)


@dataclass(frozen=True)
class Rank:
    """Nodes side by side; a rank with `words` has a line across, with these at its end."""

    nodes: tuple[Node, ...]
    words: str = ""


def draw_ranks(
    title: str, note: str, description: str, ranks: Sequence[Rank], edges: Sequence[tuple[str, str]], *, pitch: float
) -> str:
    """The SVG text; ranks are `pitch` pixels apart. Edges are pairs of keys, the upper node first.

    A rank that is wider than the drawing is a mistake of the caller: AssertionError.
    """
    drawn, top = heading(title, note)
    columns, ways = _with_passages(ranks, edges)
    places = _places(columns, ways)
    level, y = dict[str, float](), top + HEIGHT
    for row in columns:
        level |= dict.fromkeys(row, y)
        y += pitch
    for upper, lower in (each for way in ways for each in pairwise(way)):
        begin, end = level[upper] + HEIGHT / 2 * (upper[0] != "\t"), level[lower] - HEIGHT / 2 * (lower[0] != "\t")
        middle = (begin + end) / 2
        drawn.append(
            path("M", places[upper], begin, "C", places[upper], middle, places[lower], middle, places[lower], end,
                 stroke=WIRE, line=1)
        )  # fmt: skip
    for rank in ranks:
        if rank.words:
            line, end = level[rank.nodes[0].key], WIDTH - PAD
            drawn.append(path("M", PAD, line, "H", end - CHARACTER * SIZE * len(rank.words), stroke=FAINT, dash="4 3"))
            drawn.append(text(end, line + _MIDDLE, rank.words, SIZE, anchor="end", color=FAINT))
        for node in rank.nodes:
            drawn += _shape(node, places[node.key], level[node.key])
    return document(WIDTH, y - pitch + HEIGHT, title, drawn, description)


def _shape(node: Node, x: float, y: float) -> list[str]:
    fill, stroke = KINDS[node.kind] if node.kind is not None else ("", "")
    shape = []
    if fill:
        radius = 2 if node.register else HEIGHT / 2
        shape = [rect(x - node.width / 2, y - HEIGHT / 2, node.width, HEIGHT, radius=radius, fill=fill, stroke=stroke)]
    if node.register:
        shape.append(path("M", x - 4, y + HEIGHT / 2, "l", 4, -6, "l", 4, 6, stroke=stroke, line=1))
    return [*shape, text(x, y + _MIDDLE, node.words, SIZE, anchor="middle", color=INK)]


def _with_passages(
    ranks: Sequence[Rank], edges: Sequence[tuple[str, str]]
) -> tuple[list[dict[str, float]], list[list[str]]]:
    """The widths of all that stands in each rank, and of each edge the keys that it goes through.

    Edges from one node pass ranks together.
    """
    columns = [{node.key: node.width for node in rank.nodes} for rank in ranks]
    rank_of = {key: number for number, column in enumerate(columns) for key in column}
    ways = []
    for upper, lower in edges:
        passed = [f"\t{upper}\t{number}" for number in range(rank_of[upper] + 1, rank_of[lower])]
        for number, key in enumerate(passed, rank_of[upper] + 1):
            columns[number][key] = _PASSING - _GAP
        ways.append([upper, *passed, lower])
    return columns, ways


def _places(columns: list[dict[str, float]], ways: Sequence[Sequence[str]]) -> dict[str, float]:
    """The middle of each shape."""
    above: dict[str, set[str]] = {key: set() for column in columns for key in column}
    below: dict[str, set[str]] = {key: set() for key in above}
    for upper, lower in (each for way in ways for each in pairwise(way)):
        above[lower].add(upper)
        below[upper].add(lower)
    middle = WIDTH / 2
    places = {key: middle for column in columns for key in column}
    for column in columns:
        places |= _spread(dict.fromkeys(column, middle), column)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        sides: Sequence[Mapping[str, set[str]]] = (above, below) if downwards else (below, above)
        for column in columns if downwards else columns[::-1]:
            wanted = {}
            for key in column:
                near = sorted(sides[0][key]) + (
                    sorted(sides[1][key]) if sweep > _SWEEPS // 2 or not sides[0][key] else []
                )
                wanted[key] = sum(places[other] for other in near) / len(near) if near else places[key]
            places |= _spread(wanted, column)
    return places


def _spread(wanted: Mapping[str, float], widths: Mapping[str, float]) -> dict[str, float]:
    """Places as near to the wanted ones as the widths allow, in their order, within the drawing."""
    order = sorted(wanted, key=lambda key: wanted[key])
    offsets, total = {}, 0.0
    for key in order:
        offsets[key] = total + widths[key] / 2
        total += widths[key] + _GAP
    room = WIDTH - 2 * PAD - (total - _GAP)
    assert room >= 0, f"a rank is {-room:.0f} pixels too wide"
    pools: list[tuple[float, int]] = []
    for key in order:
        mean, count = wanted[key] - offsets[key], 1
        while pools and pools[-1][0] > mean:
            other, others = pools.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        pools.append((mean, count))
    starts = [min(max(mean, PAD), PAD + room) for mean, count in pools for _ in range(count)]
    return {key: start + offsets[key] for key, start in zip(order, starts, strict=True)}
