"""What gates cost: delay and area of each kind under a named model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit, Op
from aesmith.errors import RequestError


@dataclass(frozen=True)
class CostModel:
    """Delay and area of each gate kind, in the model's own units.

    A register bit costs `register_area`, and `register_delay` (clock to output, and setup) of every period.
    """

    name: str
    delay: Mapping[Op, float]
    area: Mapping[Op, float]
    register_area: float
    delay_unit: str
    area_unit: str
    register_delay: float = 0.0


_FREE = {Op.ZERO: 0.0, Op.ONE: 0.0, Op.NOT: 0.0}
_GATES = [op for op in Op if op not in _FREE]

UNIT = CostModel(
    "unit",
    delay=_FREE | dict.fromkeys(_GATES, 1.0),
    area=_FREE | dict.fromkeys(_GATES, 1.0),
    register_area=1.0,
    delay_unit="levels",
    area_unit="gates",
)
"""Every gate is one level and one gate; inverters are free."""

LEVELS = CostModel(
    "levels",
    delay=UNIT.delay,
    area={
        Op.ZERO: 0.0,
        Op.ONE: 0.0,
        Op.NOT: 2 / 3,
        Op.NAND: 1.0,
        Op.NOR: 1.0,
        Op.AND: 4 / 3,
        Op.OR: 4 / 3,
        Op.XOR: 2.0,
        Op.XNOR: 2.0,
        Op.MUX: 7 / 3,
        Op.NAND3: 4 / 3,
        Op.NOR3: 4 / 3,
        Op.AND3: 5 / 3,
        Op.OR3: 5 / 3,
        Op.XOR3: 4.0,
    },
    register_area=16 / 3,
    delay_unit="levels",
    area_unit="GE",
)
"""Every gate is one level, inverters are none; areas are a usual standard-cell library's, in gate equivalents."""

XOR_LEVELS = CostModel(
    "xor levels",
    delay=_FREE | dict.fromkeys(_GATES, 0.0) | {Op.XOR: 1.0, Op.XNOR: 1.0, Op.XOR3: 2.0},
    area=_FREE | dict.fromkeys(_GATES, 0.0) | {Op.XOR: 1.0, Op.XNOR: 1.0, Op.XOR3: 2.0},
    register_area=0.0,
    delay_unit="T_XOR",
    area_unit="XOR",
)
"""Only XOR gates count: the measure of linear circuits (T_XOR, XOR count)."""


def arrivals(circuit: Circuit, model: CostModel, inputs: Sequence[float] | None = None) -> list[float]:
    """Time at which each node is stable, node by node; `inputs` are the input bits' times in flat order (default 0)."""
    times = list(inputs) if inputs is not None else [0.0] * circuit.input_width
    if len(times) != circuit.input_width:
        raise RequestError(f"{circuit.name}: needs {circuit.input_width} arrival times, not {len(times)}")
    for gate in circuit.gates:
        times.append(max((times[arg] for arg in gate.args), default=0.0) + model.delay[gate.op])
    return times


def depth(circuit: Circuit, model: CostModel = UNIT) -> float:
    """Longest path from an input to an output."""
    times = arrivals(circuit, model)
    return max((times[node] for node in circuit.output_nodes), default=0.0)


def area(circuit: Circuit, model: CostModel = UNIT) -> float:
    """Total area of the gates."""
    return sum(model.area[gate.op] for gate in circuit.gates)
