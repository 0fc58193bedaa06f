"""A layout has no overlaps, loses no wire, and draws nothing but right angles."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise, product
from random import Random

import pytest

from aesmith.drawing import layering
from aesmith.drawing.layering import lay_out
from aesmith.drawing.routing import Item, Layout, Net, Size, trunk_name

Wires = list[tuple[str, str, int]]

GRAPHS: dict[str, Wires] = {
    "chain": [("a", "b", 0), ("b", "c", 0)],
    "loop": [("a", "b", 0), ("b", "c", 0), ("c", "b", 0), ("c", "d", 0)],
    "fan": [("a", "b", 0), ("a", "c", 0), ("a", "d", 0), ("b", "e", 0), ("c", "e", 0), ("d", "e", 0)],
    "skip": [("a", "b", 0), ("b", "c", 0), ("c", "d", 0), ("a", "d", 0), ("b", "d", 0)],
    "outlets": [("a", "b", 0), ("a", "c", 1), ("c", "a", 0)],
    "two loops": [("a", "b", 0), ("b", "c", 0), ("c", "a", 0), ("c", "d", 0), ("d", "b", 0)],
}


def boxes(wires: Wires) -> dict[str, Size]:
    return {name: Size(60, 50, 40) for name in sorted({end for wire in wires for end in wire[:2]})}


def reached(layout: Layout, trunk: str) -> set[tuple[float, float]]:
    """All points that the wires of a trunk connect with its first segment."""
    segments = list(next(t for t in layout.trunks if t.name == trunk).segments)
    todo, seen = [segments.pop(0)], []
    while todo:
        one = todo.pop()
        seen.append(one)
        touching = [other for other in segments if meet(one, other)]
        segments = [other for other in segments if other not in touching]
        todo += touching
    return {point for a, b, c, d in seen for point in ((round(a, 1), round(b, 1)), (round(c, 1), round(d, 1)))}


def meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    def spans(s: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        return min(s[0], s[2]), max(s[0], s[2]), min(s[1], s[3]), max(s[1], s[3])

    a, b = spans(one), spans(other)
    return a[0] <= b[1] + 0.2 and b[0] <= a[1] + 0.2 and a[2] <= b[3] + 0.2 and b[2] <= a[3] + 0.2


@pytest.mark.parametrize("name", GRAPHS)
def test_boxes_do_not_overlap(name: str) -> None:
    layout = lay_out(boxes(GRAPHS[name]), GRAPHS[name])
    for one, other in combinations(layout.places.values(), 2):
        assert abs(one.x - other.x) >= 60 or abs(one.y - other.y) >= 50


@pytest.mark.parametrize("name", GRAPHS)
def test_every_wire_arrives(name: str) -> None:
    layout = lay_out(boxes(GRAPHS[name]), GRAPHS[name])
    for source, target, outlet in GRAPHS[name]:
        trunk = trunk_name(source, outlet)
        start = (round(layout.places[source].x + 60, 1), round(layout.places[source].exits[trunk], 1))
        end = (round(layout.places[target].x, 1), round(layout.places[target].entries[trunk], 1))
        assert {start, end} <= reached(layout, trunk)


@pytest.mark.parametrize("name", GRAPHS)
def test_wires_are_horizontal_or_vertical(name: str) -> None:
    for trunk in lay_out(boxes(GRAPHS[name]), GRAPHS[name]).trunks:
        assert all(a == c or b == d for a, b, c, d in trunk.segments)


def test_data_runs_to_the_right() -> None:
    layout = lay_out(boxes(GRAPHS["skip"]), GRAPHS["skip"])
    order = sorted(layout.places, key=lambda name: layout.places[name].x)
    assert order == ["a", "b", "c", "d"]


def test_outputs_stand_in_the_last_column() -> None:
    sizes = boxes(GRAPHS["fan"]) | {"b": Size(60, 50, 40, last=True)}
    wires = [wire for wire in GRAPHS["fan"] if wire[0] != "b"]
    places = lay_out(sizes, wires).places
    assert places["b"].x > places["e"].x


def test_an_empty_graph_has_an_empty_layout() -> None:
    assert lay_out({}, []).places == {}


def cost(rows: Sequence[Sequence[Item]], channels: Mapping[int, Mapping[str, Net]]) -> float:
    """Of an order of the columns as a whole: crossings, and a little for what is not straight or not together."""
    place = {item: index for row in rows for index, item in enumerate(row)}
    middle = {item: (len(row) - 1) / 2 for row in rows for item in row}
    total = 0.4 * sum(len(row) - place[item] - 1 for row in rows for item in row if item[1].startswith("<"))
    for nets in channels.values():
        wires = [(one, other, net.trunk) for net in nets.values() for one, other in product(net.left, net.right)]
        for (a, b, trunk), (c, d, other) in combinations(wires, 2):
            total += trunk != other and (place[a] - place[c]) * (place[b] - place[d]) < 0
        total += sum(0.1 * abs(place[a] - middle[a] - place[b] + middle[b]) for a, b, _ in wires)
        for net in nets.values():
            total += 0.3 * sum(abs(place[a] - place[b]) for side in (net.left, net.right) for a, b in pairwise(side))
    return total


@pytest.mark.parametrize("seed", range(8))
def test_no_item_would_stand_better_elsewhere_in_its_column(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a move costs is reckoned from two neighbours at a time: it must be what the whole order costs more."""
    ordered = []
    order = layering._order
    monkeypatch.setattr(layering, "_order", lambda *given: ordered.append((order(*given), given[1])) or ordered[-1][0])
    random = Random(seed)
    names = [f"box{number}" for number in range(8)]
    lay_out(
        dict.fromkeys(names, Size(60, 50, 40)), [(*random.sample(names, 2), random.randrange(2)) for _ in range(14)]
    )
    ((rows, channels),) = ordered
    least = cost(rows, channels)
    moves = 0
    for row in rows:
        for item, place in product(list(row), range(len(row))):
            before = list(row)
            row.remove(item)
            row.insert(place, item)
            assert cost(rows, channels) > least - 1e-9
            moves += row != before
            row[:] = before
    assert moves
