"""Draws a graph in ranks from above downwards: each edge goes from one rank to a lower one, or back up.

Within a rank nodes are ordered by the mean place of their neighbours, sweep after sweep, and stand as near to it as
their widths allow (isotonic regression). Edges that pass ranks take a place in each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean as mean

from aesmith.drawing.lanes import CHARACTER, LEADING, PAD, SIZE, WIDTH, heading
from aesmith.drawing.svg import FAINT, INK, KINDS, WIRE, document, path, rect, text

HEIGHT, HALF = 20.0, 10.0
_SWEEPS = 24
_GAP, _PASSING, _MIDDLE = 12.0, 16.0, 4.2


Room = tuple[float, float]
"""From where to where shapes may stand."""


@dataclass(frozen=True)
class Node:
    """A shape with words in it, in the colour of a kind, or words alone; of several lines if they have line ends.

    A register has corners, and without words the mark of its clock.
    """

    key: str
    words: str
    kind: int | None = None
    register: bool = False

    @property
    def width(self) -> float:
        """Pixels it takes."""
        return max(HEIGHT, _length(self.words) + 8)

    @property
    def height(self) -> float:
        """Likewise."""
        return HEIGHT + LEADING * self.words.count("\n")


@dataclass(frozen=True)
class Rank:
    """Nodes side by side, with `words` before them; one of registers has a line across."""

    nodes: tuple[Node, ...]
    words: str = ""

    @property
    def height(self) -> float:
        """Pixels it takes."""
        return max([HEIGHT + LEADING * self.words.count("\n"), *(node.height for node in self.nodes)])


def _length(words: str) -> float:
    return CHARACTER * SIZE * max(map(len, words.split("\n")))


def draw_ranks(
    title: str, note: str, description: str, ranks: Sequence[Rank], edges: Sequence[tuple[str, str]], *, gap: float
) -> str:
    """The SVG text; ranks are `gap` pixels apart. Edges are pairs of keys, the source first.

    Those that do not lead downwards have heads, and go back along the right margin. A rank that is wider than the
    drawing is a mistake of the caller: AssertionError.
    """
    drawn, top = heading(title, note)
    columns, ways = _with_passages(ranks, edges)
    back = len(edges) - len(ways)
    before = max(_length(rank.words) for rank in ranks)
    places = _places(columns, ways, (PAD + before, WIDTH - PAD - 12 * bool(back)))
    level, y = dict[str, float](), top + HALF
    half = {node.key: node.height / 2 for rank in ranks for node in rank.nodes}
    for rank, row in zip(ranks, columns, strict=True):
        level |= dict.fromkeys(row, y + rank.height / 2)
        y += rank.height + gap
    for upper, lower in (each for way in ways for each in pairwise(way)):
        begin, end = level[upper] + half.get(upper, 0), level[lower] - half.get(lower, 0)
        drawn.append(_curve(places[upper], begin, places[lower], end, WIRE))
    for source, target in edges:
        if level[source] >= level[target]:
            drawn += _back(places[source], level[source], places[target], level[target])
    for rank in ranks:
        line = level[rank.nodes[0].key]
        if any(node.register for node in rank.nodes):
            begin = PAD + _length(rank.words)
            drawn.append(path("M", begin, line, "H", WIDTH - PAD, stroke=FAINT, dash="4 3"))
        if rank.words:
            drawn += _lines(rank.words, PAD, line, "start", FAINT)
        for node in rank.nodes:
            drawn += _shape(node, places[node.key], line)
    return document(WIDTH, y - gap + HALF + 18 * bool(back), title, drawn, description)


def _curve(x: float, y: float, to_x: float, to_y: float, stroke: str) -> str:
    middle = (y + to_y) / 2
    return path("M", x, y, "C", x, middle, to_x, middle, to_x, to_y, stroke=stroke, line=1)


def _back(x: float, y: float, to_x: float, to_y: float) -> list[str]:
    """An edge within a rank, or up to another one."""
    head = path("M", to_x, to_y + HALF, "l", -3, 6, "h", 6, "z", fill=FAINT)
    if x == to_x and y == to_y:
        loop = path("M", x + 4, y + HALF, "c", 4, 14, -12, 14, -4, 5, stroke=FAINT, line=1)
        return [loop, path("M", x - 5, y + HALF, "l", -3, 6, "h", 6, "z", fill=FAINT)]
    if y == to_y:
        dip = y + HALF + 16
        return [path("M", x, y + HALF, "C", x, dip, to_x, dip, to_x, y + HALF + 5, stroke=FAINT, line=1), head]
    lane, dip, rise = WIDTH - PAD, y + 2 * HALF + 6, to_y + 2 * HALF + 6
    parts: tuple[str | float, ...] = ("M", x, y + HALF, "C", x, dip, x, dip, x + 12, dip, "H", lane - 8)
    parts += ("Q", lane, dip, lane, dip - 8, "V", rise + 8, "Q", lane, rise, lane - 8, rise, "H", to_x + 8)
    parts += ("Q", to_x, rise, to_x, to_y + HALF + 5)
    return [path(*parts, stroke=FAINT, line=1), head]


def _shape(node: Node, x: float, y: float) -> list[str]:
    fill, stroke = KINDS[node.kind] if node.kind is not None else ("", "")
    shape, half = [], node.height / 2
    if fill:
        radius = 2 if node.register else HALF
        shape = [rect(x - node.width / 2, y - half, node.width, node.height, radius=radius, fill=fill, stroke=stroke)]
    if node.register and not node.words:
        shape.append(path("M", x - 4, y + half, "l", 4, -6, "l", 4, 6, stroke=stroke, line=1))
    return [*shape, *_lines(node.words, x, y, "middle", INK)]


def _lines(words: str, x: float, y: float, anchor: str, color: str) -> list[str]:
    lines = words.split("\n")
    first = y + _MIDDLE - LEADING * (len(lines) - 1) / 2
    return [
        text(x, first + LEADING * number, line, SIZE, anchor=anchor, color=color) for number, line in enumerate(lines)
    ]


def _with_passages(
    ranks: Sequence[Rank], edges: Sequence[tuple[str, str]]
) -> tuple[list[dict[str, float]], list[list[str]]]:
    """The widths of all that stands in each rank, and of each edge the keys that it goes through.

    Edges from one node pass ranks together; those that do not lead downwards pass none and have no way.
    """
    columns = [{node.key: node.width for node in rank.nodes} for rank in ranks]
    rank_of = {key: number for number, column in enumerate(columns) for key in column}
    ways = []
    for upper, lower in (edge for edge in edges if rank_of[edge[0]] < rank_of[edge[1]]):
        passed = [f"\t{upper}\t{number}" for number in range(rank_of[upper] + 1, rank_of[lower])]
        for number, key in enumerate(passed, rank_of[upper] + 1):
            columns[number][key] = _PASSING - _GAP
        ways.append([upper, *passed, lower])
    return columns, ways


def _places(columns: list[dict[str, float]], ways: Sequence[Sequence[str]], room: Room) -> dict[str, float]:
    """The middle of each shape; each rank has its own mean in the middle of the room."""
    above: dict[str, set[str]] = {key: set() for column in columns for key in column}
    below: dict[str, set[str]] = {key: set() for key in above}
    for upper, lower in (each for way in ways for each in pairwise(way)):
        above[lower].add(upper)
        below[upper].add(lower)
    places = {
        key: place for column in columns for key, place in _spread(dict.fromkeys(column, 0.0), column, room).items()
    }
    for sweep in range(_SWEEPS):
        near, far = (above, below) if sweep % 2 == 0 else (below, above)
        both = sweep > _SWEEPS // 2
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            wanted = {}
            for key in column:
                others = sorted(near[key]) + sorted(far[key]) * (both or not near[key])
                wanted[key] = mean(places[other] for other in others) if others else places[key]
            places |= _spread(wanted, column, room)
    return places


def _spread(wanted: Mapping[str, float], widths: Mapping[str, float], room: Room) -> dict[str, float]:
    """Places as near to the wanted ones as the widths allow, in their order, round the middle of the room."""
    order = sorted(wanted, key=lambda key: wanted[key])
    offsets, total = {}, 0.0
    for key in order:
        offsets[key] = total + widths[key] / 2
        total += widths[key] + _GAP
    left, right = room
    free = right - left - (total - _GAP)
    assert free >= 0, f"a rank is {-free:.0f} pixels too wide"
    shift = (left + right) / 2 - mean(wanted.values())
    pools: list[tuple[float, int]] = []
    for key in order:
        start, count = wanted[key] + shift - offsets[key], 1
        while pools and pools[-1][0] > start:
            other, others = pools.pop()
            start, count = (start * count + other * others) / (count + others), count + others
        pools.append((start, count))
    starts = [min(max(start, left), left + free) for start, count in pools for _ in range(count)]
    return {key: start + offsets[key] for key, start in zip(order, starts, strict=True)}
