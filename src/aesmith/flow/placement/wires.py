"""The wires of a placed netlist: a tree a net, with resistance and capacitance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aesmith.flow.placement.place import CellPlacement
from aesmith.flow.placement.steiner import SteinerTree, steiner_tree
from aesmith.technology.cell import Cell
from aesmith.timing.binding import BoundNetlist
from aesmith.timing.graph import FALL, RISE
from aesmith.timing.wires import Wires

Pin = tuple[int, str]
"""A pin of an instance by its number; of a port, -1 and the name of the bit."""


@dataclass(frozen=True)
class Route:
    """A net: its driver, its sinks, and the tree over them: first the driver, then the sinks in order."""

    net: int
    driver: Pin
    sinks: tuple[Pin, ...]
    tree: SteinerTree


def routes(bound: BoundNetlist, placement: CellPlacement) -> tuple[Route, ...]:
    """The trees of all nets but the clock's and those that never change."""
    netlist = bound.netlist
    drivers: dict[int, Pin] = {}
    sinks: dict[int, list[Pin]] = {}
    places: dict[Pin, tuple[float, float]] = {}
    for port in netlist.ports.values():
        for index, (net, bit) in enumerate(zip(port.nets, port.bits, strict=True)):
            places[-1, bit] = placement.ports[port.name, index]
            if port.output:
                sinks.setdefault(net, []).append((-1, bit))
            else:
                drivers[net] = (-1, bit)
    for i, (instance, cell) in enumerate(zip(netlist.instances, bound.cells, strict=True)):
        centre = placement.centre(i)
        for pin, net in instance.pins.items():
            places[i, pin] = centre
            if pin in cell.outputs:
                drivers[net] = (i, pin)
            else:
                sinks.setdefault(net, []).append((i, pin))
    still = {*bound.constants, bound.clock}
    return tuple(
        Route(net, driver, tuple(sinks[net]), steiner_tree([places[pin] for pin in (driver, *sinks[net])]))
        for net, driver in drivers.items()
        if net in sinks and net not in still
    )


def wires(bound: BoundNetlist, placement: CellPlacement, laid: tuple[Route, ...], output_load_ff: float) -> Wires:
    """What these trees add to the netlist's timing; output ports drive `output_load_ff`."""
    technology = placement.technology
    # ohm × fF is a millionth of a nanosecond.
    resistance, capacitance = 1e-6 * technology.resistance_ohm_per_um, technology.capacitance_ff_per_um
    nets = len(bound.netlist.nets)
    total, rho, far = np.zeros(nets), np.zeros(2 * nets), np.zeros(2 * nets)
    elmore: dict[Pin, tuple[float, float]] = {}
    for route in laid:
        total[route.net] = capacitance * route.tree.length
        both = []
        for edge in (RISE, FALL):
            loads = [0.0, *(load_of(bound.cells, sink, output_load_ff, edge) for sink in route.sinks)]
            both.append(route.tree.elmore(loads, resistance, capacitance)[1:])
            node = 2 * route.net + edge
            rho[node], far[node] = route.tree.pi(loads, resistance, capacitance)
        elmore |= dict(zip(route.sinks, zip(*both, strict=True), strict=False))
    return Wires(total, elmore, rho, far)


def load_of(cells: tuple[Cell, ...], sink: Pin, output_load_ff: float, edge: int | None = None) -> float:
    """What a sink loads its driver with (fF), an output port with `output_load_ff`; without `edge` the mean of both."""
    instance, name = sink
    if instance < 0:
        return output_load_ff
    pin = cells[instance].pins[name]
    return (pin.rise + pin.fall) / 2 if edge is None else (pin.rise, pin.fall)[edge]


def length_um(laid: tuple[Route, ...]) -> float:
    """Length of all wires in micrometres."""
    return sum(route.tree.length for route in laid)


def half_perimeter_um(laid: tuple[Route, ...]) -> float:
    """Sum over the nets of half the perimeter of the box around their pins: no tree is shorter."""
    total = 0.0
    for route in laid:
        xs, ys = zip(*route.tree.points, strict=True)
        total += max(xs) - min(xs) + max(ys) - min(ys)
    return total
