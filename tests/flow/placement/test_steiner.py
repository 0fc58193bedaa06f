"""Trees over points: never longer than a spanning tree, hardly longer than the shortest, and their delays."""

import random
from itertools import combinations, product
from statistics import mean

import numpy as np
import pytest

from aesmith.flow.placement.steiner import Point, steiner_tree


def _distance(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _spanning_length(points: list[Point]) -> float:
    reached, length = {0}, 0.0
    while len(reached) < len(points):
        far, new = min((_distance(points[a], points[b]), b) for a in reached for b in set(range(len(points))) - reached)
        reached.add(new)
        length += far
    return length


def _shortest(points: list[Point]) -> float:
    """The shortest Steiner tree: some n - 2 points of Hanan's grid suffice (Hanan, 1966)."""
    grid = [place for place in product({x for x, _ in points}, {y for _, y in points}) if place not in points]
    return min(
        _spanning_length([*points, *more]) for count in range(len(points) - 1) for more in combinations(grid, count)
    )


def _random_points(rng: random.Random, count: int) -> list[Point]:
    return [(float(rng.randrange(100)), float(rng.randrange(100))) for _ in range(count)]


@pytest.mark.parametrize(("count", "most"), [(2, 0.0), (3, 0.0), (4, 0.01), (5, 0.02)])
def test_trees_are_hardly_longer_than_the_shortest(count: int, most: float) -> None:
    rng = random.Random(count)
    excess = []
    for _ in range(25 if count == 5 else 100):
        points = _random_points(rng, count)
        ours, best = steiner_tree(points).length, _shortest(points)
        assert ours >= best - 1e-6
        excess.append(ours / best - 1 if best else 0.0)
    assert mean(excess) <= most + 1e-9


@pytest.mark.parametrize("count", [1, 2, 7, 30, 120])
def test_trees_join_all_pins_and_are_no_longer_than_spanning_trees(count: int) -> None:
    points = _random_points(random.Random(count), count)
    tree = steiner_tree(points)
    assert list(tree.points[:count]) == points
    assert sorted(tree.order) == list(range(len(tree.points)))
    assert [k for k, before in enumerate(tree.before) if before < 0] == [0]
    placed = {k: n for n, k in enumerate(tree.order)}
    assert all(placed[before] < placed[k] for k, before in enumerate(tree.before) if before >= 0)
    spanning = _spanning_length(points)
    assert tree.length <= spanning + 1e-6
    if count >= 30:
        assert tree.length < 0.95 * spanning  # Steiner points are found, and save about a tenth


def test_pins_at_one_place_cost_nothing() -> None:
    tree = steiner_tree([(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)])
    assert tree.length == 0
    assert tree.elmore([0.0, 5.0, 5.0], 3.0, 0.1) == [0.0, 0.0, 0.0]


def test_the_delay_of_a_line_is_that_of_the_formula() -> None:
    # Two pins 10 apart: R (C / 2 + load).
    tree = steiner_tree([(0.0, 0.0), (10.0, 0.0)])
    assert tree.elmore([0.0, 7.0], 2.0, 0.5)[1] == pytest.approx(20.0 * (2.5 + 7.0))


def test_the_delay_of_a_branch_counts_what_hangs_on_the_way() -> None:
    # From (0, 0) to a meeting at (4, 0), on to (10, 0) and (4, 3): by hand.
    tree = steiner_tree([(0.0, 0.0), (10.0, 0.0), (4.0, 3.0)])
    assert tree.length == 13.0
    r, c = 2.0, 1.0
    first = r * 4 * (2.0 + 6.0 + 5.0 + 3.0 + 1.0)  # half its own, both branches, both loads
    delays = tree.elmore([0.0, 5.0, 1.0], r, c)
    assert delays[1] == pytest.approx(first + r * 6 * (3.0 + 5.0))
    assert delays[2] == pytest.approx(first + r * 3 * (1.5 + 1.0))


def test_the_pi_has_the_moments_of_the_tree() -> None:
    """Against nodal analysis: the first three moments of the current into the root of a random tree."""
    rng = random.Random(3)
    for _ in range(20):
        points = [(rng.uniform(0, 50), rng.uniform(0, 50)) for _ in range(rng.randint(2, 8))]
        tree, r, c = steiner_tree(points), 2.0, 0.1
        loads = [0.0, *(rng.uniform(1, 9) for _ in points[1:])]
        size = len(tree.points)
        held, conducts = np.zeros(size), np.zeros((size, size))
        held[: len(loads)] += loads
        for k in tree.order[1:]:
            for a, b in ((k, tree.before[k]), (tree.before[k], k)):
                held[a] += c * tree.edge(k) / 2
                conducts[a, a] += 1 / (r * max(tree.edge(k), 1e-12))
                conducts[a, b] -= 1 / (r * max(tree.edge(k), 1e-12))
        voltage, moments = np.ones(size), []
        for _ in range(3):
            moments.append(float((held * voltage).sum()))
            behind = np.linalg.solve(conducts[1:, 1:], -(held * voltage)[1:])
            voltage = np.array([0.0, *behind])
        resistance, far = tree.pi(loads, r, c)
        assert 0 < far < moments[0]
        assert -resistance * far**2 == pytest.approx(moments[1], rel=1e-6)
        assert resistance**2 * far**3 == pytest.approx(moments[2], rel=1e-6)


def test_no_wire_is_no_pi() -> None:
    assert steiner_tree([(0.0, 0.0), (0.0, 0.0)]).pi([0.0, 5.0], 3.0, 0.1) == (0.0, 0.0)
