"""Right-angled routes between boxes in columns: wires from one box share a trunk, parallel wires get a lane each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

LANE = 12.0
"""Distance between two parallel wires in a channel."""
MARGIN = 28.0
"""Room left and right of the wires of a channel, for arrow heads and labels."""
GAP = 26.0
"""Least distance between two boxes of a column."""
MANY = 6
"""More nets than this in one channel are ordered by insertion instead of by trying all orders."""


@dataclass(frozen=True)
class Size:
    """What a box takes up: `width` × `height`, of which only the upper `body` pixels are the shape that wires end on.

    `first` and `last` ask for a place in the leftmost or rightmost column.
    """

    width: float
    height: float
    body: float
    first: bool = False
    last: bool = False


@dataclass(frozen=True)
class Place:
    """Upper left corner of a box, and the heights at which wires enter it (source -> y) and leave it."""

    x: float
    y: float
    entries: Mapping[str, float]
    exit: float


@dataclass(frozen=True)
class Trunk:
    """All wires from one source: horizontal and vertical segments, and the points where they branch."""

    source: str
    segments: tuple[tuple[float, float, float, float], ...]
    branches: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Layout:
    """Where everything is; the drawing takes `width` × `height` pixels from (0, 0)."""

    places: Mapping[str, Place]
    trunks: tuple[Trunk, ...]
    width: float
    height: float


# What stands in a column: a box, or the point where the trunk of a box passes forwards (">") or backwards ("<").
Item = tuple[str, str]


@dataclass
class Net:
    """The part of a trunk inside one channel: the items it meets on the channel's left and right side."""

    source: str
    left: list[Item] = field(default_factory=list)
    right: list[Item] = field(default_factory=list)


def extent(item: Item, sizes: Mapping[str, Size]) -> float:
    return 0.0 if item[1] else sizes[item[0]].height


def entry_offsets(
    rows: Sequence[Sequence[Item]], channels: Mapping[int, Mapping[str, Net]], sizes: Mapping[str, Size]
) -> dict[Item, dict[str, float]]:
    """For each box, how far below its upper edge the wire of each source enters: in the order the wires arrive in."""
    place = {item: index for row in rows for index, item in enumerate(row)}
    arrivals: dict[Item, list[tuple[float, str]]] = defaultdict(list)
    for nets in channels.values():
        for net in nets.values():
            boxes = [item for item in net.right if not item[1]]
            for box in boxes:
                origins = [float(place[item]) for item in net.left] or [
                    place[item] + 0.5 for item in net.right if item[1].startswith("<")
                ]
                below = not net.left and any(place[item] > place[box] for item in net.right)
                arrivals[box].append((1e3 if below else min(origins), net.source))
    offsets: dict[Item, dict[str, float]] = {}
    for box, found in arrivals.items():
        body = sizes[box[0]].body
        offsets[box] = {
            source: body * (index + 1) / (len(found) + 1) for index, (_, source) in enumerate(sorted(found))
        }
    return offsets


def draw(
    rows: Sequence[Sequence[Item]],
    channels: Mapping[int, Mapping[str, Net]],
    sizes: Mapping[str, Size],
    y: Mapping[Item, float],
) -> Layout:
    offsets = entry_offsets(rows, channels, sizes)

    def level(item: Item, source: str, *, entering: bool) -> float:
        if item[1]:
            return y[item]
        return y[item] + (offsets[item][source] if entering else sizes[item[0]].body / 2)

    pins = {
        channel: {
            net.source: (
                [level(item, net.source, entering=False) for item in net.left],
                [level(item, net.source, entering=True) for item in net.right],
            )
            for net in nets.values()
        }
        for channel, nets in channels.items()
    }
    x = 0.0
    places: dict[str, Place] = {}
    segments: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
    branches: dict[str, list[tuple[float, float]]] = defaultdict(list)
    previous_edge: dict[Item, float] = {}
    for index in range(len(rows) + 1):
        nets = channels.get(index, {})
        lanes = _lanes(pins.get(index, {}))
        if nets or 0 < index < len(rows):
            start = x
            x += 2 * MARGIN + LANE * max(len(lanes) - 1, 0) if 0 < index < len(rows) else LANE * len(lanes) + MARGIN
            first = start + (MARGIN if index else LANE / 2)
        row = rows[index] if index < len(rows) else []
        breadth = max((sizes[item[0]].width for item in row if not item[1]), default=0.0)
        edge: dict[Item, float] = {}
        for item in row:
            if item[1]:
                continue
            size = sizes[item[0]]
            left = x if size.first else x + breadth - size.width if size.last else x + (breadth - size.width) / 2
            places[item[0]] = Place(left, y[item], {s: y[item] + o for s, o in offsets.get(item, {}).items()}, 0.0)
            edge[item] = left
        for source, net in nets.items():
            lane = first + LANE * lanes.index(source) if source in lanes else first
            left_pins, right_pins = pins[index][source]
            ends = [*left_pins, *right_pins]
            for item, pin in zip(net.left, left_pins, strict=True):
                begin = previous_edge.get(item, start if index else 0.0)
                segments[source].append((begin, pin, lane, pin))
            for item, pin in zip(net.right, right_pins, strict=True):
                segments[source].append((lane, pin, edge.get(item, x), pin))
            if max(ends) > min(ends):
                segments[source].append((lane, min(ends), lane, max(ends)))
                branches[source] += [(lane, pin) for pin in sorted(set(ends)) if min(ends) < pin < max(ends)]
                doubled = {pin for pin in left_pins if pin in right_pins}
                branches[source] += [(lane, pin) for pin in doubled & {min(ends), max(ends)}]
        for item in row:
            if item[1]:
                segments[item[0]].append((x, y[item], x + breadth, y[item]))
        previous_edge = {item: edge[item] + sizes[item[0]].width if not item[1] else x + breadth for item in row}
        x += breadth
    placed = {
        node: Place(place.x, place.y, place.entries, place.y + sizes[node].body / 2) for node, place in places.items()
    }
    height = max((y[item] + extent(item, sizes) for row in rows for item in row), default=0.0)
    trunks = tuple(
        Trunk(source, tuple(segments[source]), tuple(branches[source])) for source in sizes if source in segments
    )
    return Layout(placed, trunks, x, height)


def _lanes(pins: Mapping[str, tuple[list[float], list[float]]]) -> list[str]:
    """The order of a channel's vertical wires from left to right that crosses least; straight wires need no lane."""
    bent = [source for source, (left, right) in pins.items() if max([*left, *right]) > min([*left, *right])]

    def cost(lanes: Iterable[str]) -> float:
        order, total = list(lanes), 0.0
        for index, near in enumerate(order):
            for far in order[index + 1 :]:
                total += _conflicts(pins[near], pins[far])
        return total

    if len(bent) <= MANY:
        return list(min(permutations(bent), key=cost))
    order: list[str] = []
    for source in bent:
        order = min(([*order[:place], source, *order[place:]] for place in range(len(order) + 1)), key=cost)
    return order


def _conflicts(near: tuple[list[float], list[float]], far: tuple[list[float], list[float]]) -> float:
    """Crossings, and much more for overlaps, if the first net's vertical wire is left of the second's."""
    total = 0.0
    near_span, far_span = [*near[0], *near[1]], [*far[0], *far[1]]
    for pin in near[1]:
        total += min(far_span) <= pin <= max(far_span)
        total += 100 * any(abs(pin - other) < 1 for other in far[0])
    for pin in far[0]:
        total += min(near_span) <= pin <= max(near_span)
    return total
