"""Figures that several tables have: how they are found in measurements and counted in circuits."""

from __future__ import annotations

from collections.abc import Callable

from aesmith.circuits.circuit import Circuit, Op
from aesmith.cores.design import Direction
from aesmith.flow.measurement import Measurement
from aesmith.tables.model import DESIGN, Findings, Gap, Row, Value

_XOR, _AND = {Op.XOR, Op.XNOR}, {Op.AND, Op.NAND, Op.OR, Op.NOR}


def measured(name: str, part: str = DESIGN, scale: float = 1.0) -> Callable[[Findings, Row], Value]:
    """A field of the measurement under the table's condition, `scale` times."""

    def find(findings: Findings, row: Row) -> Value:
        measurement = findings.measurement(row, part)
        return measurement if isinstance(measurement, Gap) else field_of(measurement, name, scale)

    return find


def field_of(measurement: Measurement, name: str, scale: float = 1.0) -> Value:
    """A field of a measurement, `scale` times, or the reason why there is none."""
    value = getattr(measurement, name)
    return Gap(measurement.gaps[name]) if value is None else value * scale


def power(name: str, direction: Direction) -> Callable[[Findings, Row], Value]:
    """A field of the power measured in one direction of a core."""

    def find(findings: Findings, row: Row) -> Value:
        measurement = findings.measurement(row)
        if isinstance(measurement, Gap):
            return measurement
        for found in measurement.power:
            if found.direction is direction and (value := getattr(found, name)) is not None:
                return float(value)
        return Gap(f"power to {direction} was not measured")

    return find


def quotient(upper: Value, lower: Value) -> Value:
    """One figure over another; a gap if either is."""
    if isinstance(upper, Gap):
        return upper
    return lower if isinstance(lower, Gap) else upper / lower


def product(one: Value, other: Value) -> Value:
    """One figure times another; a gap if either is."""
    if isinstance(one, Gap):
        return one
    return other if isinstance(other, Gap) else one * other


def count(ops: set[Op]) -> Callable[[Findings, Row], Value]:
    """The number of gates of these kinds in the row's circuit."""

    def find(_findings: Findings, row: Row) -> Value:
        if row.circuit is None:
            return Gap("no circuit")
        return float(sum(gate.op in ops for gate in row.circuit().gates))

    return find


def on_path(ops: set[Op]) -> Callable[[Findings, Row], Value]:
    """The number of gates of these kinds on the row's critical path: the path with most XOR and AND together.

    Of several such paths, the one with most XOR, which are the slower.
    """

    def find(_findings: Findings, row: Row) -> Value:
        if row.circuit is None:
            return Gap("no circuit")
        xors, ands = critical_path(row.circuit())
        return float(xors * (Op.XOR in ops) + ands * (Op.AND in ops))

    return find


def critical_path(circuit: Circuit) -> tuple[int, int]:
    """XOR and AND gates in series on the longest path."""
    longest = [(0, 0)] * circuit.input_width
    for gate in circuit.gates:
        gates, xors = max((longest[node] for node in gate.args), default=(0, 0))
        longest.append((gates + (gate.op in _XOR | _AND), xors + (gate.op in _XOR)))
    gates, xors = max(longest[node] for node in circuit.output_nodes)
    return xors, gates - xors


XORS = count(_XOR)
ANDS = count(_AND)
PATH_XORS = on_path(_XOR)
PATH_ANDS = on_path(_AND)
