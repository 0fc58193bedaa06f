"""Figures that several tables have: how they are found in measurements and counted in circuits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aesmith.circuits.circuit import Circuit, Op
from aesmith.cores.design import Direction
from aesmith.flow.measurement import Measurement
from aesmith.tables.model import DESIGN, Figure, Gap, Row, TableFindings, Value
from aesmith.timing.power.figures import FLIP_FLOPS, REFERENCE_MHZ, DirectionPower

_XOR, _AND = {Op.XOR, Op.XNOR}, {Op.AND, Op.NAND, Op.OR, Op.NOR}


def measured(name: str, part: str = DESIGN, scale: float = 1.0) -> Callable[[TableFindings, Row], Value]:
    """A field of the measurement under the table's condition, `scale` times."""

    def find(findings: TableFindings, row: Row) -> Value:
        measurement = findings.measurement(row, part)
        return measurement if isinstance(measurement, Gap) else field_of(measurement, name, scale)

    return find


def field_of(measurement: Measurement, name: str, scale: float = 1.0) -> Value:
    """A field of a measurement, `scale` times, or the reason why there is none."""
    value = getattr(measurement, name)
    return Gap(measurement.gaps[name]) if value is None else value * scale


Measured = Callable[[TableFindings, Row], Measurement | Gap]
"""Finds the measurement that a row's figures are of."""


def of_part(part: str) -> Measured:
    """The measurement of a part of the row, under the table's condition."""
    return lambda findings, row: findings.measurement(row, part)


OWN = of_part(DESIGN)
"""The measurement of a row that has only one part."""


def power(
    name: str, direction: Direction | None, measurement_of: Measured = OWN
) -> Callable[[TableFindings, Row], Value]:
    """A field of the power measured in one direction of a core, or of a leaf circuit, which has none."""

    def find(findings: TableFindings, row: Row) -> Value:
        found = _power_of(findings, row, direction, measurement_of)
        if isinstance(found, Gap):
            return found
        value = getattr(found, name)
        return Gap(f"there is no {name}") if value is None else float(value)

    return find


def power_at(
    mhz: Callable[[TableFindings, Row], Value],
    scale: float,
    measurement_of: Measured = OWN,
    *,
    direction: Direction | None = None,
) -> Callable[[TableFindings, Row], Value]:
    """Power in µW, `scale` times, at a frequency: the same energy a clock, and the leakage.

    Of a core in one direction, or of a leaf circuit, which has none.
    """

    def find(findings: TableFindings, row: Row) -> Value:
        found = _power_of(findings, row, direction, measurement_of)
        frequency = mhz(findings, row)
        if isinstance(found, Gap) or isinstance(frequency, Gap):
            return found if isinstance(found, Gap) else frequency
        dynamic = found.power_uw_at_100mhz - found.leakage_uw
        return (dynamic * frequency / REFERENCE_MHZ + found.leakage_uw) * scale

    return find


def power_of_cells_at(
    mhz: Callable[[TableFindings, Row], Value], scale: float, measurement_of: Measured = OWN, *, registers: bool
) -> Callable[[TableFindings, Row], Value]:
    """The part of `power_at` that the flip-flops of a leaf circuit take, or all its other cells; neither has the nets
    of clock and inputs, which are driven from outside."""

    def find(findings: TableFindings, row: Row) -> Value:
        found = _power_of(findings, row, None, measurement_of)
        frequency = mhz(findings, row)
        if isinstance(found, Gap) or isinstance(frequency, Gap):
            return found if isinstance(found, Gap) else frequency
        shares = [share for share in found.by_depth if (share.name == FLIP_FLOPS) is registers]
        dynamic = sum(share.functional_uw + share.glitch_uw for share in shares)
        return (dynamic * frequency / REFERENCE_MHZ + sum(share.leakage_uw for share in shares)) * scale

    return find


def _power_of(
    findings: TableFindings, row: Row, direction: Direction | None, measurement_of: Measured
) -> DirectionPower | Gap:
    measurement = measurement_of(findings, row)
    if isinstance(measurement, Gap):
        return measurement
    missing = Gap(f"power to {direction} was not measured" if direction else "power was not measured")
    return next((found for found in measurement.power if found.direction is direction), missing)


def power_figures(
    direction: Direction | None,
    *,
    suffix: str = "",
    what: str = "",
    of: str = "",
    digits: int = 0,
    ratio: bool = True,
    group: str = "power",
    measurement_of: Measured = OWN,
) -> tuple[Figure, ...]:
    """Power at 100 MHz, its product with the latency, and energy a block: names with `suffix`, titles with `of` before
    and `what` behind them. A leaf circuit takes a word for a block, and bare has a delay for a latency."""

    def figure(name: str, title: str, field: str, digits: int, *, ratio: bool) -> Figure:
        find = power(field, direction, measurement_of)
        what = f"{of}{title}"
        return Figure(f"{name}{suffix}", what, digits, find, ratio=ratio, best="least", power=True, group=group)

    block, latency = ("block", "latency") if direction else ("word", "delay")
    return (
        figure("power", f"power at 100 MHz{what} (µW)", "power_uw_at_100mhz", digits, ratio=ratio),
        figure("power_latency", f"power × {latency}{what} (fJ)", "power_latency_product", digits, ratio=ratio),
        figure("energy", f"energy a {block}{what} (pJ)", "energy_pj_per_block", digits + bool(digits), ratio=False),
    )


def grouped(group: str, *figures: Figure) -> tuple[Figure, ...]:
    """The figures, to be shown together under this name."""
    return tuple(replace(figure, group=group) for figure in figures)


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


def count(ops: set[Op]) -> Callable[[TableFindings, Row], Value]:
    """The number of gates of these kinds in the row's circuit."""

    def find(_findings: TableFindings, row: Row) -> Value:
        if row.circuit is None:
            return Gap("no circuit")
        return float(sum(gate.op in ops for gate in row.circuit().gates))

    return find


def on_path(ops: set[Op]) -> Callable[[TableFindings, Row], Value]:
    """The number of gates of these kinds on the row's critical path: the path with most XOR and AND together.

    Of several such paths, the one with most XOR, which are the slower.
    """

    def find(_findings: TableFindings, row: Row) -> Value:
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
