"""Rectilinear Steiner trees of placed nets, their length, and the delays along them.

A spanning tree of least length (Prim), in which two edges that meet are led together as long as that saves length: of a
point and two of its neighbours the median is the best place to meet. Exact for three points; how much longer trees of
more points are than the shortest ones is stated by the tests, which compare them with all trees on Hanan's grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

Point = tuple[float, float]


@dataclass(frozen=True)
class SteinerTree:
    """A tree over `points`: the pins in order, then the points where branches meet. `before[k]` is the point on the way
    from point k to the root, point 0; -1 for the root itself. `order` has every point behind the one before it."""

    points: tuple[Point, ...]
    before: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def length(self) -> float:
        """Sum of the lengths of all edges."""
        return sum(self.edge(k) for k in self.order)

    def edge(self, k: int) -> float:
        """Length of the edge from point k towards the root."""
        return 0.0 if self.before[k] < 0 else _distance(self.points[k], self.points[self.before[k]])

    def elmore(self, loads: list[float], resistance: float, capacitance: float) -> list[float]:
        """Elmore delay from the root to every point: `loads` are the capacitances at the pins, resistance and
        capacitance are a unit of length's; half of an edge's capacitance is at each of its ends."""
        behind = self._held(loads, capacitance)
        for k in reversed(self.order[1:]):
            behind[self.before[k]] += behind[k]
        delay = [0.0] * len(self.points)
        for k in self.order[1:]:
            delay[k] = delay[self.before[k]] + resistance * self.edge(k) * behind[k]
        return delay

    def pi(self, loads: list[float], resistance: float, capacitance: float) -> tuple[float, float]:
        """Resistance and far capacitance of the pi with the first three moments of what the root sees; the rest of the
        capacitance is near. 0 and 0 where there is no resistance. The arguments are those of `elmore`."""
        first = self._held(loads, capacitance)
        second, third = [0.0] * len(first), [0.0] * len(first)
        for k in reversed(self.order[1:]):
            r, parent, y1, y2 = resistance * self.edge(k), self.before[k], first[k], second[k]
            first[parent] += y1
            second[parent] += y2 - r * y1 * y1
            third[parent] += third[k] - 2 * r * y1 * y2 + r * r * y1**3
        if not third[0]:
            return 0.0, 0.0
        return -(third[0] ** 2) / second[0] ** 3, second[0] ** 2 / third[0]

    def _held(self, loads: list[float], capacitance: float) -> list[float]:
        """The capacitance at each point."""
        held = [*loads, *[0.0] * (len(self.points) - len(loads))]
        for k in self.order[1:]:
            half = capacitance * self.edge(k) / 2
            held[k] += half
            held[self.before[k]] += half
        return held


def steiner_tree(pins: list[Point]) -> SteinerTree:
    """A short tree over these points, of which there is at least one; the first is its root."""
    points = list(pins)
    joined = _spanning(points)
    while (better := _merge(points, joined)) is not None:
        middle, ends, point = better
        points.append(point)
        joined.append(set())
        for end in ends:
            joined[middle].discard(end)
            joined[end].discard(middle)
        for end in (middle, *ends):
            joined[end].add(len(points) - 1)
            joined[-1].add(end)
    before, order = [-1] * len(points), [0]
    for k in order:
        for neighbour in sorted(joined[k]):
            if neighbour != before[k]:
                before[neighbour] = k
                order.append(neighbour)
    return SteinerTree(tuple(points), tuple(before), tuple(order))


def spanning_length(points: list[Point]) -> float:
    """Length of a shortest spanning tree over these points, of which there is at least one."""
    joined = _spanning(points)
    return sum(_distance(points[a], points[b]) for a, others in enumerate(joined) for b in others) / 2


def _distance(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _spanning(points: list[Point]) -> list[set[int]]:
    """The neighbours of each point in a spanning tree of least length."""
    joined: list[set[int]] = [set() for _ in points]
    nearest = {k: (_distance(points[0], points[k]), 0) for k in range(1, len(points))}
    while nearest:
        new = min(nearest, key=lambda k: nearest[k])
        other = nearest.pop(new)[1]
        joined[new].add(other)
        joined[other].add(new)
        for k, (far, _) in nearest.items():
            distance = _distance(points[new], points[k])
            if distance < far:
                nearest[k] = distance, new
    return joined


_LEAST = 1e-9


def _merge(points: list[Point], joined: list[set[int]]) -> tuple[int, tuple[int, int], Point] | None:
    """A point and two of its neighbours that are led together with the most gain, and where they meet."""
    best: tuple[int, tuple[int, int], Point] | None = None
    most = _LEAST
    for middle, neighbours in enumerate(joined):
        for a, b in combinations(sorted(neighbours), 2):
            three = points[middle], points[a], points[b]
            meeting = _median([p[0] for p in three]), _median([p[1] for p in three])
            gain = _distance(three[0], meeting)
            if gain > most:
                most, best = gain, (middle, (a, b), meeting)
    return best


def _median(values: list[float]) -> float:
    return sorted(values)[1]
