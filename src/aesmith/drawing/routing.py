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
_BELOW = 1e3

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
    """Upper left corner of a box, and the heights at which trunks enter and leave it (name of the trunk -> y)."""

    x: float
    y: float
    entries: Mapping[str, float]
    exits: Mapping[str, float]


@dataclass(frozen=True)
class Trunk:
    """All wires from one outlet of a box: horizontal and vertical segments, and the points where they branch."""

    name: str
    segments: tuple[tuple[float, float, float, float], ...]
    branches: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Layout:
    """Where everything is; the drawing takes `width` × `height` pixels from (0, 0)."""

    places: Mapping[str, Place]
    trunks: tuple[Trunk, ...]
    width: float
    height: float


# An item of a column: a box, or the point where the trunk of a box passes forwards (">") or backwards ("<").
Item = tuple[str, str]


@dataclass
class Net:
    """The part of a trunk inside one channel: the items it meets on the channel's left and right side."""

    trunk: str
    left: list[Item] = field(default_factory=list)
    right: list[Item] = field(default_factory=list)


def trunk_name(source: str, outlet: int) -> str:
    """The name of the trunk that leaves a box at one of its outlets."""
    return f"{source}\t{outlet}"


def extent(item: Item, sizes: Mapping[str, Size]) -> float:
    return 0.0 if item[1] else sizes[item[0]].height


def pin_offsets(
    rows: Sequence[Sequence[Item]], channels: Mapping[int, Mapping[str, Net]], sizes: Mapping[str, Size]
) -> tuple[dict[Item, dict[str, float]], dict[Item, dict[str, float]]]:
    """For each box, how far below its upper edge each trunk enters and leaves it: in the order in which they arrive."""
    place = {item: float(index) for row in rows for index, item in enumerate(row)}
    entries: dict[Item, list[tuple[float, str]]] = defaultdict(list)
    exits: dict[Item, list[tuple[float, str]]] = defaultdict(list)
    for nets in channels.values():
        for net in nets.values():
            for box in (item for item in net.right if not item[1]):
                below = not net.left and any(place[item] > place[box] for item in net.right)
                entries[box].append(
                    (_BELOW if below else min(map(place.__getitem__, net.left or net.right)), net.trunk)
                )
            for box in (item for item in net.left if not item[1]):
                others = net.right or [item for item in net.left if item != box]
                exits[box].append((min(map(place.__getitem__, others), default=0.0), net.trunk))
    return _spaced(entries, sizes), _spaced(exits, sizes)


def _spaced(
    pins: Mapping[Item, Sequence[tuple[float, str]]], sizes: Mapping[str, Size]
) -> dict[Item, dict[str, float]]:
    return {
        box: {
            trunk: sizes[box[0]].body * (index + 1) / (len(found) + 1) for index, (_, trunk) in enumerate(sorted(found))
        }
        for box, found in pins.items()
    }


def draw(
    rows: Sequence[Sequence[Item]],
    channels: Mapping[int, Mapping[str, Net]],
    sizes: Mapping[str, Size],
    y: Mapping[Item, float],
) -> Layout:
    entries, exits = pin_offsets(rows, channels, sizes)

    def level(item: Item, trunk: str, *, entering: bool) -> float:
        return y[item] if item[1] else y[item] + (entries if entering else exits)[item][trunk]

    pins = {
        channel: {
            net.trunk: (
                [level(item, net.trunk, entering=False) for item in net.left],
                [level(item, net.trunk, entering=True) for item in net.right],
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
            places[item[0]] = Place(
                left,
                y[item],
                {trunk: y[item] + offset for trunk, offset in entries.get(item, {}).items()},
                {trunk: y[item] + offset for trunk, offset in exits.get(item, {}).items()},
            )
            edge[item] = left
        for trunk, net in nets.items():
            lane = first + LANE * lanes.index(trunk) if trunk in lanes else first
            left_pins, right_pins = pins[index][trunk]
            ends = [*left_pins, *right_pins]
            for item, pin in zip(net.left, left_pins, strict=True):
                begin = previous_edge.get(item, start if index else 0.0)
                segments[trunk].append((begin, pin, lane, pin))
            for item, pin in zip(net.right, right_pins, strict=True):
                segments[trunk].append((lane, pin, edge.get(item, x), pin))
            if max(ends) > min(ends):
                segments[trunk].append((lane, min(ends), lane, max(ends)))
                branches[trunk] += [(lane, pin) for pin in sorted(set(ends)) if min(ends) < pin < max(ends)]
                doubled = {pin for pin in left_pins if pin in right_pins}
                branches[trunk] += [(lane, pin) for pin in doubled & {min(ends), max(ends)}]
        for item in row:
            if item[1]:
                segments[item[0]].append((x, y[item], x + breadth, y[item]))
        previous_edge = {item: edge[item] + sizes[item[0]].width if not item[1] else x + breadth for item in row}
        x += breadth
    height = max((y[item] + extent(item, sizes) for row in rows for item in row), default=0.0)
    trunks = tuple(Trunk(name, tuple(parts), tuple(branches[name])) for name, parts in sorted(segments.items()))
    return Layout(places, trunks, x, height)


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
