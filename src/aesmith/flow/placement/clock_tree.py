"""An estimate of the clock tree of a placed netlist: its buffers, its wires, and what it takes to switch them.

Sinks are halved by their places, across and up in turn, until a buffer can drive what is left over the shortest
spanning tree; the buffers stand in the middle of their sinks and are the sinks of the next level, until one is left. It
is an estimate of size and power, not of skew: periods stay those of an ideal clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from aesmith.flow.placement.place import CellPlacement
from aesmith.flow.placement.steiner import Point, spanning_length
from aesmith.technology.cell import Cell
from aesmith.technology.library import Library
from aesmith.timing.binding import BoundNetlist

LOADED, FANOUT = 0.5, 20.0
"""A buffer of the tree drives at most this share of its greatest load, and so many times its own input: edges stay
steep."""

Sink = tuple[Point, float]
"""Where a pin is, and its capacitance (fF)."""


@dataclass(frozen=True)
class ClockTree:
    """`levels` of `buffers` of `area_ge` in all; `wire_um` of wire; `capacitance_ff` of pins, buffers and wires, which
    rises and falls each clock: `power_uw_at_100mhz` is the energy of that, without what buffers lose inside."""

    levels: int
    buffers: int
    area_ge: float
    wire_um: float
    capacitance_ff: float
    power_uw_at_100mhz: float


def clock_tree(bound: BoundNetlist, placement: CellPlacement, library: Library) -> ClockTree | None:
    """The tree for the clock of a placed netlist; None if it has no clock, or the library no buffer."""
    if bound.clock is None or not library.buffers:
        return None
    sinks: list[Sink] = [
        (placement.centre(i), (cell.pins[pin].rise + cell.pins[pin].fall) / 2)
        for i, (instance, cell) in enumerate(zip(bound.netlist.instances, bound.cells, strict=True))
        for pin, net in instance.pins.items()
        if net == bound.clock and pin not in cell.outputs
    ]
    if not sinks:
        return None
    buffer = min(library.buffers, key=lambda cell: cell.area / _load(cell))
    pin = next(pin for name, pin in buffer.pins.items() if name not in buffer.outputs and pin.capacitance)
    per_um = placement.technology.capacitance_ff_per_um
    levels, buffers, wire, pins = 0, 0, 0.0, sum(load for _, load in sinks)
    while True:
        groups = _divided(sinks, _load(buffer), per_um)
        levels, buffers = levels + 1, buffers + len(groups)
        wire += sum(spanning_length([_middle(group), *(place for place, _ in group)]) for group in groups)
        if len(groups) == 1:
            break
        sinks = [(_middle(group), pin.capacitance) for group in groups]
    capacitance = pins + buffers * pin.capacitance + per_um * wire
    # fF × V² × 100 MHz are tenths of a microwatt.
    power = 0.1 * capacitance * library.corner.voltage**2
    return ClockTree(levels, buffers, buffers * library.area_ge(buffer), wire, capacitance, power)


def _load(buffer: Cell) -> float:
    """What a buffer of the tree may drive (fF)."""
    stated = buffer.pins[buffer.outputs[0]].max_capacitance
    own = FANOUT * sum(pin.capacitance for name, pin in buffer.pins.items() if name not in buffer.outputs)
    return own if stated is None else min(own, LOADED * stated)


def _middle(group: list[Sink]) -> Point:
    xs, ys = [place[0] for place, _ in group], [place[1] for place, _ in group]
    return sum(xs) / len(xs), sum(ys) / len(ys)


def _divided(sinks: list[Sink], load: float, per_um: float) -> list[list[Sink]]:
    """Groups that a buffer can drive: halved as often as the load asks for, then where wires ask for it. Two sinks stay
    together, however far apart."""
    whole = sum(held for _, held in sinks)
    halvings = max(0, int(log2(max(1.0, whole / load))))

    def divide(group: list[Sink], depth: int) -> list[list[Sink]]:
        if len(group) <= 2:
            return [group]
        driven = sum(held for _, held in group)
        if depth >= halvings:
            driven += per_um * spanning_length([_middle(group), *(place for place, _ in group)])
            if driven <= load:
                return [group]
        group = sorted(group, key=lambda sink: sink[0][depth % 2])
        half = len(group) // 2
        return [*divide(group[:half], depth + 1), *divide(group[half:], depth + 1)]

    return divide(sinks, 0)
