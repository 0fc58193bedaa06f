"""Repeaters: buffers in the wires of a placed netlist, where they make its worst paths shorter.

A buffer takes over one branch of a net's tree. If late sinks are behind it, it is a repeater in the classical sense: it
divides a long wire, whose delay grows with the square of its length. If they are before it, it takes the load of all
others off their driver. Both are one move, tried at every branch of every net that a late path goes through, and told
by the delays of the library's tables and the Elmore delays of the two new trees. What is won by the worst sink of a net
counts; the net's other sinks may get later by what they have to spare.

The estimate leaves transitions as they are. Whether the netlist gets better is for who times, sizes and places it again
(`placed.place_and_size`, which keeps the best turn).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from aesmith.errors import CheckError
from aesmith.flow.placement.place import CellPlacement
from aesmith.flow.placement.steiner import Point, SteinerTree, steiner_tree
from aesmith.flow.placement.wires import Pin, Route, load_of
from aesmith.technology.cell import Cell, mean_delay
from aesmith.technology.library import Library
from aesmith.timing.graph import Floats
from aesmith.timing.netlist import CellNetlist, Instance
from aesmith.timing.static import TimingReport

LATE = 0.03
"""A sink is late if it has less than this share of the longest path to spare."""
LEAST = 0.002
"""A buffer must win this share of the longest path."""
_MOST_BRANCHES = 24
"""Of a net with more branches those with the most load behind them are tried."""
NAME = "repeater_"
"""What the names of new instances begin with."""


@dataclass(frozen=True)
class _Repeater:
    """A buffer in a net: at a place, for some of its sinks. The worst sink of the net has `spare_ns` to spare, and wins
    `gain_ns`."""

    spare_ns: float
    gain_ns: float
    net: int
    cell: Cell
    place: Point
    sinks: tuple[Pin, ...]


def with_repeaters(
    netlist: CellNetlist,
    placement: CellPlacement,
    laid: Iterable[Route],
    timing: TimingReport,
    *,
    most_area: float = float("inf"),
) -> tuple[CellNetlist, CellPlacement]:
    """A netlist, placed and timed, with buffers where its late nets gain by them: the latest and best first, while its
    area is at most `most_area`.

    Each stands, not yet legally, where its branch begins: the placement is for `place` to begin with. The same for the
    same netlist.
    """
    spare, longest = _spare(timing)
    found = sorted(
        (best for route in laid if (best := _best(placement, route, timing, spare, longest)) is not None),
        key=lambda repeater: (repeater.spare_ns - repeater.gain_ns, repeater.net),
    )
    area, chosen = sum(cell.area for cell in timing.graph.bound.cells), []
    for repeater in found:
        if area + repeater.cell.area <= most_area:
            area += repeater.cell.area
            chosen.append(repeater)
    return _inserted(netlist, chosen), _extended(placement, chosen)


def _spare(timing: TimingReport) -> tuple[dict[Pin, float], float]:
    """What every sink has to spare to the longest path of all (ns), and that path's length."""
    graph, state = timing.graph, timing.state
    arrival = state.arrival.max(axis=0)
    required = np.full(graph.nodes, np.inf)
    ends = [(2 * net + edge, bit) for port in graph.bound.netlist.outputs
            for net, bit in zip(port.nets, port.bits, strict=True) for edge in (0, 1)]  # fmt: skip
    lengths = [arrival[node] + state.to_output[node] for node, _ in ends]
    lengths += list(arrival[graph.check_node] + state.setup)
    longest = float(max(lengths))
    spare: dict[Pin, float] = {}

    def told(pin: Pin, slack: float) -> None:
        if slack < spare.get(pin, np.inf):
            spare[pin] = slack

    for node, bit in ends:
        required[node] = min(required[node], longest - state.to_output[node])
        told((-1, bit), float(longest - state.to_output[node] - arrival[node]))
    for c, node in enumerate(graph.check_node):
        required[node] = min(required[node], longest - state.setup[c])
        pin = graph.check_pins[int(graph.check_pin[c])]
        told((int(graph.check_instance[c]), pin), float(longest - state.setup[c] - arrival[node]))
    for level in reversed(graph.levels):
        source, target = graph.source[level], graph.target[level]
        np.minimum.at(required, source, required[target] - state.delay[level])
    slack = required[graph.target] - state.delay - arrival[graph.source]
    pins = [arc.related_pin for arc in graph.arcs]
    for e in np.flatnonzero(~graph.launch & np.isfinite(slack)):
        told((int(graph.instance[e]), pins[graph.arc[e]]), float(slack[e]))
    return spare, longest


def _best(
    placement: CellPlacement,
    route: Route,
    timing: TimingReport,
    spare: Mapping[Pin, float],
    longest: float,
) -> _Repeater | None:
    """The buffer that wins the worst sink of a net most, if it wins enough."""
    bound, (index, _) = timing.graph.bound, route.driver
    now = [spare.get(sink, np.inf) for sink in route.sinks]
    if index < 0 or min(now) > LATE * longest:
        return None
    technology, state = placement.technology, timing.state
    resistance, per_um = 1e-6 * technology.resistance_ohm_per_um, technology.capacitance_ff_per_um
    pins = [0.0, *(load_of(bound.cells, sink, timing.conditions.output_load_ff) for sink in route.sinks)]
    driver, edge = bound.cells[index], state.slew[2 * route.net : 2 * route.net + 2]
    inputs = [net for name, net in bound.netlist.instances[index].pins.items() if name not in driver.outputs]
    slew = float(np.mean([state.slew[2 * net : 2 * net + 2].mean() for net in inputs])) if inputs else 0.0

    def delays(tree: SteinerTree, loads: list[float], by: Cell, before: float) -> list[float]:
        through = mean_delay(by, before, sum(loads) + per_um * tree.length)
        return [through + elmore for elmore in tree.elmore(loads, resistance, per_um)]

    usual = delays(route.tree, pins, driver, slew)
    best: _Repeater | None = None
    for place, behind in _branches(route, pins):
        near = [k for k in range(1, len(pins)) if k not in behind]
        spots = route.tree.points
        nearer = steiner_tree([spots[0], *(spots[k] for k in near), place])
        farther = steiner_tree([place, *(spots[k] for k in sorted(behind))])
        for cell in bound.library.buffers:
            own = next(pin.capacitance for name, pin in cell.pins.items() if name not in cell.outputs)
            first = delays(nearer, [0.0, *(pins[k] for k in near), own], driver, slew)
            second = delays(farther, [0.0, *(pins[k] for k in sorted(behind))], cell, float(edge.mean()))
            after = dict(zip(near, first[1:], strict=False))
            start = first[len(near) + 1]
            after |= {k: start + second[n] for n, k in enumerate(sorted(behind), 1)}
            left = min(now[k - 1] - (after[k] - usual[k]) for k in range(1, len(pins)))
            gain = left - min(now)
            if gain > max(LEAST * longest, 0.0 if best is None else best.gain_ns):
                best = _Repeater(
                    min(now), gain, route.net, cell, place, tuple(route.sinks[k - 1] for k in sorted(behind))
                )
    return best


def _branches(route: Route, pins: list[float]) -> Iterator[tuple[Point, set[int]]]:
    """Where each branch of a tree begins, in its middle too where it is an edge, and the sinks behind it by number."""
    tree = route.tree
    behind: list[set[int]] = [{k} if 0 < k < len(pins) else set() for k in range(len(tree.points))]
    for k in reversed(tree.order):
        if tree.before[k] >= 0:
            behind[tree.before[k]] |= behind[k]
    branches = [k for k in tree.order if tree.before[k] >= 0]
    branches.sort(key=lambda k: (-sum(pins[n] for n in behind[k]), k))
    for k in branches[:_MOST_BRANCHES]:
        start, end = tree.points[tree.before[k]], tree.points[k]
        yield start, behind[k]
        if tree.edge(k) > 0:
            yield ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), behind[k]


def _inserted(netlist: CellNetlist, repeaters: list[_Repeater]) -> CellNetlist:
    nets, instances = list(netlist.nets), [dict(instance.pins) for instance in netlist.instances]
    ports = {port.name: list(port.nets) for port in netlist.outputs}
    bits = {bit: (port.name, k) for port in netlist.outputs for k, bit in enumerate(port.bits)}
    taken = {instance.name for instance in netlist.instances}
    added, number = [], 0
    for repeater in repeaters:
        while (name := f"{NAME}{number}") in taken:
            number += 1
        taken.add(name)
        new = len(nets)
        nets.append(name)
        inner = next(pin for pin in repeater.cell.pins if pin not in repeater.cell.outputs)
        added.append(Instance(name, repeater.cell.name, {inner: repeater.net, repeater.cell.outputs[0]: new}))
        for index, pin in repeater.sinks:
            if index < 0:
                port, bit = bits[pin]
                ports[port][bit] = new
            else:
                instances[index][pin] = new
    joined = {
        name: replace(port, nets=tuple(ports[name])) if port.output else port for name, port in netlist.ports.items()
    }
    old = (replace(i, pins=pins) for i, pins in zip(netlist.instances, instances, strict=True))
    return replace(netlist, ports=joined, nets=tuple(nets), instances=(*old, *added))


def _extended(placement: CellPlacement, repeaters: list[_Repeater]) -> CellPlacement:
    technology = placement.technology
    width = [technology.sites(repeater.cell) * technology.site_um for repeater in repeaters]
    left = [repeater.place[0] - wide / 2 for repeater, wide in zip(repeaters, width, strict=True)]
    bottom = [repeater.place[1] - technology.row_height_um / 2 for repeater in repeaters]

    def longer(array: Floats, more: list[float]) -> Floats:
        return np.concatenate([array, np.array(more, dtype=np.float64)])

    return replace(
        placement,
        left=longer(placement.left, left),
        bottom=longer(placement.bottom, bottom),
        width=longer(placement.width, width),
    )


def check_only_repeaters(before: CellNetlist, after: CellNetlist, library: Library) -> int:
    """How many buffers `after` has that `before` has not. Raises CheckError if there is any other difference, sizes of
    cells apart: every old instance must have the same function, and each of its pins and of the output ports the net it
    had, through new buffers or none."""
    old = {instance.name: instance for instance in before.instances}
    new = [instance for instance in after.instances if instance.name not in old]
    buffers = {cell.name for cell in library.buffers}
    through: dict[int, int] = {}
    for instance in new:
        cell = library.cell(instance.cell)
        if instance.cell not in buffers:
            raise CheckError(f"netlist {after.name}: {instance.name} is new, and a {instance.cell}, which is no buffer")
        inner = next(pin for pin in cell.pins if pin not in cell.outputs)
        through[instance.pins[cell.outputs[0]]] = instance.pins[inner]

    def origin(net: int) -> int:
        seen = set()
        while net in through and net not in seen:
            seen.add(net)
            net = through[net]
        return net

    def functions(cell: Cell) -> list[tuple[str, str]]:
        return sorted((name, str(pin.function)) for name, pin in cell.pins.items())

    kept = {instance.name: instance for instance in after.instances if instance.name in old}
    for name, instance in old.items():
        if name not in kept:
            raise CheckError(f"netlist {after.name}: {name} is gone")
        other = kept[name]
        if functions(library.cell(instance.cell)) != functions(library.cell(other.cell)):
            raise CheckError(f"netlist {after.name}: {name} is another function: {other.cell}, not {instance.cell}")
        for pin, net in instance.pins.items():
            if pin not in other.pins or origin(other.pins[pin]) != net:
                raise CheckError(f"netlist {after.name}: {name}/{pin} is not on net {before.nets[net]} any more")
    for port_name, port in before.ports.items():
        if tuple(map(origin, after.ports[port_name].nets)) != port.nets:
            raise CheckError(f"netlist {after.name}: port {port_name} is on other nets")
    return len(new)
