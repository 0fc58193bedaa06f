"""Delays in ticks for every way an output can change, from a static timing of the netlist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aesmith.timing.graph import RISE, TimingGraph
from aesmith.timing.static import TimingState

TICKS_PER_NS = 1000
"""A tick is a picosecond."""


class PinDelays(NamedTuple):
    """Ticks until an output rises or falls."""

    rise: int
    fall: int


@dataclass(frozen=True, eq=False)
class Annotation:
    """`delays[instance, pin, variable]` is the delay from a variable of the cell (an input by its place, a register's
    state as the one after its inputs) to an output: the mean over the arcs, conditions and input edges that give the
    output edge, at least one tick. Of the `total` nets that are driven by a cell and can change, `annotated` have
    both delays from every variable they depend on; `missing` are the names of the others."""

    delays: Mapping[tuple[int, str, int], PinDelays]
    total: int
    annotated: int
    missing: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Annotated part of the nets, 0 to 1."""
        return self.annotated / self.total if self.total else 1.0


def annotate(graph: TimingGraph, timing: TimingState) -> Annotation:
    """The delays of `timing`, whose edges are those of `graph`."""
    bound = graph.bound
    sums: dict[tuple[int, str, int], tuple[list[float], list[float]]] = {}
    places = {cell.name: {name: k for k, name in enumerate(cell.inputs)} for cell in bound.cells}
    for edge in range(len(graph.source)):
        index = int(graph.instance[edge])
        arc = graph.arcs[int(graph.arc[edge])]
        cell = bound.cells[index]
        # A flip-flop's clock reaches its outputs by way of its state.
        variable = len(cell.inputs) if graph.launch[edge] else places[cell.name][arc.related_pin]
        rises, falls = sums.setdefault((index, arc.pin, variable), ([], []))
        (rises if int(graph.target[edge]) & 1 == RISE else falls).append(float(timing.delay[edge]))
    delays = {key: PinDelays(_ticks(rises), _ticks(falls)) for key, (rises, falls) in sums.items() if rises and falls}
    missing = []
    total = 0
    for index, instance in enumerate(bound.netlist.instances):
        cell = bound.cells[index]
        for pin in cell.outputs:
            net = instance.pins.get(pin)
            if net is None or net in bound.constants:
                continue
            total += 1
            if any((index, pin, k) not in delays for k in _variables(graph, index, pin)):
                missing.append(bound.netlist.nets[net])
    return Annotation(delays, total, total - len(missing), tuple(missing))


def _variables(graph: TimingGraph, index: int, pin: str) -> list[int]:
    """The variables on which an output depends, beside inputs that never change."""
    bound = graph.bound
    cell, pins = bound.cells[index], bound.netlist.instances[index].pins
    if bound.is_register(index):
        return [len(cell.inputs)]
    function = cell.pins[pin].function
    if function is None:
        return []
    known = {name: bound.constants[pins[name]] for name in cell.inputs if pins[name] in bound.constants}
    support = function.given(known).support
    return [k for k, name in enumerate(cell.inputs) if name in support]


def _ticks(delays: list[float]) -> int:
    return max(1, int(np.rint(sum(delays) / len(delays) * TICKS_PER_NS)))
