"""Places boxes in columns and finds right-angled routes between them: Sugiyama's layered layout for small graphs.

Data runs from left to right; connections that close a loop run back underneath what they pass. All connections from one
box share a trunk. Lengths are in pixels, y grows downwards. The result depends on nothing but the arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from aesmith.drawing.routing import GAP, LANE, Item, Layout, Net, Size, draw, extent, pin_offsets, trunk_name
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    from scipy import optimize
else:
    optimize = LazyModule("scipy.optimize")


def lay_out(sizes: Mapping[str, Size], wires: Iterable[tuple[str, str, int]]) -> Layout:
    """Places boxes of the given `sizes`, connected by `wires` (source, target, outlet of the source).

    Every end of a wire must have a size. Wires from one outlet share a trunk.
    """
    ends = {(source, target): outlet for source, target, outlet in wires if source != target}
    links = list(ends)
    back = _back_edges(list(sizes), links)
    column = _columns(sizes, [edge for edge in links if edge not in back])
    channels = _channels(column, ends)
    rows = _order(_rows(column, channels), channels)
    heights = _heights(rows, channels, sizes)
    return draw(rows, channels, sizes, heights)


def _back_edges(nodes: Sequence[str], links: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """The edges that close a loop when the graph is walked depth first from its sources."""
    after: dict[str, list[str]] = {node: [] for node in nodes}
    targets = {target for _, target in links}
    for source, target in links:
        after[source].append(target)
    back: set[tuple[str, str]] = set()
    done: set[str] = set()
    active: set[str] = set()

    def walk(node: str) -> None:
        active.add(node)
        for target in after[node]:
            if target in active:
                back.add((node, target))
            elif target not in done:
                walk(target)
        active.remove(node)
        done.add(node)

    for node in sorted(nodes, key=lambda node: node in targets):
        if node not in done:
            walk(node)
    return back


def _columns(sizes: Mapping[str, Size], links: Sequence[tuple[str, str]]) -> dict[str, int]:
    """A column for each box: every edge goes right, the wires are as short as moving single boxes can make them."""
    before: dict[str, list[str]] = {node: [] for node in sizes}
    after: dict[str, list[str]] = {node: [] for node in sizes}
    for source, target in links:
        after[source].append(target)
        before[target].append(source)
    column = dict.fromkeys(sizes, 0)
    for _ in sizes:
        for source, target in links:
            column[target] = max(column[target], column[source] + 1)
    rightmost = max((place + (not sizes[node].last) for node, place in column.items()), default=0)
    for node, size in sizes.items():
        if size.last:
            column[node] = rightmost
    for _ in range(len(sizes) * 2):
        for node, size in sizes.items():
            if size.first or size.last:
                continue
            low = max((column[source] + 1 for source in before[node]), default=0)
            high = min((column[target] - 1 for target in after[node]), default=column[node])
            pull = len(after[node]) - len(before[node])
            column[node] = high if pull > 0 or not before[node] else low if pull < 0 else column[node]
    used = sorted(set(column.values()))
    return {node: used.index(place) for node, place in column.items()}


def _channels(column: Mapping[str, int], ends: Mapping[tuple[str, str], int]) -> dict[int, dict[str, Net]]:
    """The nets of every channel; channel c lies left of column c."""
    channels: dict[int, dict[str, Net]] = defaultdict(dict)

    def meet(channel: int, side: str, trunk: str, item: Item) -> None:
        items = getattr(channels[channel].setdefault(trunk, Net(trunk)), side)
        if item not in items:
            items.append(item)

    for (source, target), outlet in ends.items():
        start, end, trunk = column[source], column[target], trunk_name(source, outlet)
        meet(start + 1, "left", trunk, (source, ""))
        meet(end, "right", trunk, (target, ""))
        if end > start:
            for passed in range(start + 1, end):
                meet(passed, "right", trunk, (trunk, f">{passed}"))
                meet(passed + 1, "left", trunk, (trunk, f">{passed}"))
        else:
            for passed in range(end, start + 1):
                meet(passed, "right", trunk, (trunk, f"<{passed}"))
                meet(passed + 1, "left", trunk, (trunk, f"<{passed}"))
    return channels


def _rows(column: Mapping[str, int], channels: Mapping[int, Mapping[str, Net]]) -> list[list[Item]]:
    rows: list[list[Item]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for node, place in column.items():
        rows[place].append((node, ""))
    for channel, nets in sorted(channels.items()):
        for net in nets.values():
            for item in net.right:
                if item[1] and item not in rows[channel]:
                    rows[channel].append(item)
    return [sorted(row, key=lambda item: item[1].startswith("<")) for row in rows]


class _Columns:
    """The order of the items in every column, and what it costs, in twentieths of a crossing.

    Beside crossings there is a little for every wire that does not run straight and for items of one net that stand
    apart; loops are kept low by a little more.
    """

    CROSSING, BEND, APART, HIGH_LOOP = 20, 1, 6, 8

    def __init__(self, rows: list[list[Item]], channels: Mapping[int, Mapping[str, Net]]) -> None:
        self._place = {item: place for row in rows for place, item in enumerate(row)}
        self._last = {item: len(row) - 1 for row in rows for item in row}
        # What an item is wired to on its left and on its right, with the trunk; and its neighbours in a net.
        self._wires: dict[Item, tuple[list[tuple[Item, str]], list[tuple[Item, str]]]]
        self._wires = {item: ([], []) for item in self._place}
        self._beside: dict[Item, list[Item]] = {item: [] for item in self._place}
        for net in (net for nets in channels.values() for net in nets.values()):
            for one, other in product(net.left, net.right):
                self._wires[one][1].append((other, net.trunk))
                self._wires[other][0].append((one, net.trunk))
            for one, other in (*pairwise(net.left), *pairwise(net.right)):
                self._beside[one].append(other)
                self._beside[other].append(one)

    def move_to_best(self, item: Item, row: list[Item]) -> bool:
        """Moves an item to the first of the cheapest places in its column; whether it is cheaper than where it was."""
        start = row.index(item)
        costs = [sum(self._swap(row, place) for place in reversed(range(start)))]
        for place in range(len(row) - 1):
            costs.append(costs[-1] + self._swap(row, place))
        best = costs.index(min(costs)) if min(costs) < 0 else start
        for place in reversed(range(best, len(row) - 1)):
            self._swap(row, place)
        return best != start

    def _swap(self, row: list[Item], place: int) -> int:
        """Swaps the item at `place` with the next one; what the cost grows by."""
        upper, lower = row[place : place + 2]
        before = self._cost(upper, lower)
        row[place : place + 2] = lower, upper
        self._place[upper], self._place[lower] = place + 1, place
        return self._cost(lower, upper) - before

    def _cost(self, upper: Item, lower: Item) -> int:
        """What of the cost depends on which of two neighbours stands above the other."""
        place = self._place
        crossings = sum(
            trunk != other and place[end] > place[other_end]
            for side, other_side in zip(self._wires[upper], self._wires[lower], strict=True)
            for end, trunk in side
            for other_end, other in other_side
        )
        cost = self.CROSSING * crossings + self.HIGH_LOOP * upper[1].startswith("<")
        for item in (upper, lower):
            level = 2 * place[item] - self._last[item]
            for end, _ in chain.from_iterable(self._wires[item]):
                cost += self.BEND * abs(level - 2 * place[end] + self._last[end])
            cost += self.APART * sum(abs(place[item] - place[other]) for other in self._beside[item])
        return cost


def _order(rows: list[list[Item]], channels: Mapping[int, Mapping[str, Net]]) -> list[list[Item]]:
    """Moves single items within their columns as long as that lowers the cost."""
    columns = _Columns(rows, channels)
    improved = True
    while improved:
        improved = False
        for row in rows:
            for item in list(row):
                improved |= columns.move_to_best(item, row)
    return rows


def _heights(
    rows: Sequence[Sequence[Item]], channels: Mapping[int, Mapping[str, Net]], sizes: Mapping[str, Size]
) -> dict[Item, float]:
    """The y of every item's upper edge: the least bending of wires that the order of the columns leaves, by an LP.

    The variables are the heights and one bend a wire; a slight pull upwards, different for each item, settles ties.
    """
    entries, exits = pin_offsets(rows, channels, sizes)
    items = [item for row in rows for item in row]
    place = {item: index for index, item in enumerate(items)}
    bends: list[tuple[int, int, float, float]] = []
    for nets in channels.values():
        for net in nets.values():
            for one in net.left:
                start = 0.0 if one[1] else exits[one][net.trunk]
                for other in net.right:
                    end = 0.0 if other[1] else entries[other][net.trunk]
                    weight = 1.0 + 3.0 * bool(one[1]) * bool(other[1]) + 0.5 * (len(net.left) + len(net.right) == 2)
                    bends.append((place[one], place[other], start - end, weight))
    count = len(items)
    cost = np.concatenate([0.01 + 1e-4 * np.arange(count), [weight for *_, weight in bends]])
    bound_rows, bounds = [], []

    def at_most(terms: Mapping[int, float], bound: float) -> None:
        line = np.zeros(len(cost))
        for variable, factor in terms.items():
            line[variable] = factor
        bound_rows.append(line)
        bounds.append(bound)

    for bend, (start_place, end_place, shift, _) in enumerate(bends):
        at_most({start_place: 1.0, end_place: -1.0, count + bend: -1.0}, -shift)
        at_most({start_place: -1.0, end_place: 1.0, count + bend: -1.0}, shift)
    for row in rows:
        for above, below in pairwise(row):
            at_most({place[above]: 1.0, place[below]: -1.0}, -extent(above, sizes) - _gap(above, below))
    if not bound_rows:
        return dict.fromkeys(items, 0.0)
    solution = optimize.linprog(
        cost, A_ub=np.array(bound_rows), b_ub=np.array(bounds), bounds=(0, None), method="highs"
    ).x
    return {item: round(float(solution[index]), 1) for index, item in enumerate(items)}


def _gap(above: Item, below: Item) -> float:
    if above[1] and below[1]:
        return LANE
    return 0.7 * GAP if above[1] or below[1] else GAP
