"""A graph in ranks: nothing overlaps, nothing leaves the drawing, and neighbours stand below one another."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest

from aesmith.drawing import ranks
from aesmith.drawing.ranks import Node, Rank, draw_ranks

RANKS = [Rank(tuple(Node(f"{rank} {place}", "xor", 1) for place in range(5))) for rank in range(4)]

ROOM = (20.0, 340.0)


def random_edges(seed: int) -> list[tuple[str, str]]:
    """Each node has two sources, in any ranks above its own."""
    chance = Random(seed)
    return [
        (f"{chance.randrange(rank)} {chance.randrange(5)}", f"{rank} {place}")
        for rank, place, _ in product(range(1, 4), range(5), range(2))
    ]


@pytest.mark.parametrize("seed", range(8))
def test_shapes_stand_apart_within_the_drawing(seed: int) -> None:
    columns, ways = ranks._with_passages(RANKS, random_edges(seed))
    places = ranks._places(columns, ways, ROOM)
    for column in columns:
        shapes = sorted((places[key], width) for key, width in column.items())
        assert shapes[0][0] - shapes[0][1] / 2 >= ROOM[0] - 1e-9
        assert shapes[-1][0] + shapes[-1][1] / 2 <= ROOM[1] + 1e-9
        for (left, width), (right, other) in pairwise(shapes):
            assert right - left >= (width + other) / 2 + ranks._GAP - 1e-9


def test_an_edge_that_passes_ranks_has_a_place_in_each() -> None:
    columns, ways = ranks._with_passages(RANKS, [("0 0", "3 0"), ("0 0", "2 1")])
    assert [len(way) for way in ways] == [4, 3]
    assert [len(column) for column in columns] == [5, 6, 6, 5], "edges from one node pass a rank together"


def test_ladders_are_straight() -> None:
    edges = [(f"{rank} {place}", f"{rank + 1} {4 - place}") for rank in range(3) for place in range(5)]
    places = ranks._places(*ranks._with_passages(RANKS, edges), ROOM)
    assert all(places[upper] == pytest.approx(places[lower]) for upper, lower in edges)


def test_what_is_too_wide_is_refused() -> None:
    wide = Rank(tuple(Node(str(place), "nand", 1) for place in range(10)))
    with pytest.raises(AssertionError, match="pixels too wide"):
        draw_ranks("title", "note", "", [wide], [], gap=20)
