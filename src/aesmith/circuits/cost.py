"""What gates cost: delay and area of each kind under a named model, and logic depth as publications state it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
_XOR = {Op.XOR: 1, Op.XNOR: 1, Op.XOR3: 2}
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
    delay=_FREE | dict.fromkeys(_GATES, 0.0) | _XOR,
    area=_FREE | dict.fromkeys(_GATES, 0.0) | _XOR,
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


@dataclass(frozen=True)
class LogicDepth:
    """A path: T_XOR for XOR and XNOR, T_AND for all other gates of two or three inputs, T_SEL for 2:1 selectors.

    Inverters count for nothing.
    """

    xor: int = 0
    and_: int = 0
    select: int = 0

    @property
    def weight(self) -> int:
        """What paths are compared by: T_XOR and T_SEL count for two T_AND, as in usual standard cells."""
        return 2 * self.xor + self.and_ + 2 * self.select

    def __str__(self) -> str:
        """As a formula: `11 T_XOR + 5 T_AND`."""
        terms = ((self.xor, "T_XOR"), (self.and_, "T_AND"), (self.select, "T_SEL"))
        return " + ".join(f"{count} {name}" for count, name in terms if count) or "0"

    def through(self, op: Op) -> LogicDepth:
        """The path and one more gate."""
        if op in _FREE:
            return self
        if op in _XOR:
            return LogicDepth(self.xor + _XOR[op], self.and_, self.select)
        if op is Op.MUX:
            return LogicDepth(self.xor, self.and_, self.select + 1)
        return LogicDepth(self.xor, self.and_ + 1, self.select)


def longest_path(circuit: Circuit, starts: Iterable[int], ends: Iterable[int]) -> LogicDepth:
    """The longest path from any of the nodes `starts`, which are inputs, to any of `ends`; nothing if there is none."""
    depths: list[LogicDepth | None] = [None] * circuit.input_width
    for start in starts:
        depths[start] = LogicDepth()
    for gate in circuit.gates:
        before = [depth for arg in gate.args if (depth := depths[arg]) is not None]
        depths.append(max(before, key=lambda depth: depth.weight).through(gate.op) if before else None)
    reached = [depth for end in ends if (depth := depths[end]) is not None]
    return max(reached, key=lambda depth: depth.weight, default=LogicDepth())
