"""Logic depth of circuits whose longest path is known."""

from __future__ import annotations

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.circuits.cost import LogicDepth, longest_path


def test_the_longest_path_is_counted_by_kind_of_gate() -> None:
    builder = CircuitBuilder("path")
    a, b, c = builder.input("x", 3)
    deep = builder.mux(c, builder.xor(builder.not_(builder.nand(a, b)), c), a)
    builder.output("y", [deep, builder.or_(a, b)])
    circuit = builder.build()
    assert longest_path(circuit, (0, 1), circuit.output_nodes) == LogicDepth(xor=1, and_=1, select=1)
    assert str(LogicDepth(xor=1, and_=1, select=1)) == "1 T_XOR + 1 T_AND + 1 T_SEL"
    assert longest_path(circuit, (2,), circuit.output_nodes) == LogicDepth(xor=1, select=1)
    assert longest_path(circuit, (2,), circuit.output_nodes[1:]) == LogicDepth()
