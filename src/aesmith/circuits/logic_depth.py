"""Logic depth as publications state it: how many XOR gates, other gates and selectors stand on the longest path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit, Op

_XOR = {Op.XOR: 1, Op.XNOR: 1, Op.XOR3: 2}
_FREE = (Op.ZERO, Op.ONE, Op.NOT)


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
