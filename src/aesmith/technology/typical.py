"""Typical loads, transitions and delays of cells, for cost models and default conditions."""

from __future__ import annotations

from aesmith.technology.cell import Cell, TimingArc
from aesmith.technology.tables import Table

ASYNCHRONOUS = ("clear", "preset")
"""Timing types of the arcs from asynchronous clear and preset to the output."""


def input_capacitance(cell: Cell) -> float:
    """Mean capacitance (fF) of the cell's input pins."""
    return sum(cell.pins[name].capacitance for name in cell.inputs) / max(len(cell.inputs), 1)


def mean_delay(cell: Cell, slew: float, load: float) -> float:
    """Mean delay (ns) over arcs and edges, asynchronous ones apart, at this input transition (ns) and load (fF)."""
    return _mean([table for arc in _synchronous(cell) for table in (arc.cell_rise, arc.cell_fall)], slew, load)


def mean_transition(cell: Cell, slew: float, load: float) -> float:
    """Mean output transition (ns) over arcs and edges at this input transition (ns) and load (fF)."""
    return _mean(
        [table for arc in _synchronous(cell) for table in (arc.rise_transition, arc.fall_transition)], slew, load
    )


def chain_transition(cell: Cell, load: float) -> float:
    """The output transition (ns) in a long chain of such cells, each with this load (fF)."""
    slew = 0.0
    for _ in range(4):
        slew = mean_transition(cell, slew, load)
    return slew


def intrinsic_delay(cell: Cell) -> float:
    """Mean delay (ns) with no input transition to speak of and four of the cell's own inputs as load."""
    return mean_delay(cell, 0.0, 4 * input_capacitance(cell))


def _synchronous(cell: Cell) -> list[TimingArc]:
    return [arc for arc in cell.arcs if arc.type not in ASYNCHRONOUS]


def _mean(tables: list[Table | None], slew: float, load: float) -> float:
    values = [table.at(slew, load) for table in tables if table is not None]
    return sum(values) / max(len(values), 1)
