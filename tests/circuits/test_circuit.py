"""Circuits: what a gate computes, how words are laid out, and what the builder keeps."""

from __future__ import annotations

import numpy as np
import pytest

from aesmith.circuits.circuit import CircuitBuilder, Op
from aesmith.circuits.cost import UNIT, XOR_LEVELS, area, arrivals, depth
from aesmith.errors import RequestError

TRUTH = {
    Op.ZERO: lambda: 0,
    Op.ONE: lambda: 1,
    Op.NOT: lambda a: 1 - a,
    Op.AND: lambda a, b: a & b,
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
    Op.NAND: lambda a, b: 1 - (a & b),
    Op.NOR: lambda a, b: 1 - (a | b),
    Op.XNOR: lambda a, b: 1 - (a ^ b),
    Op.MUX: lambda s, a, b: b if s else a,
    Op.AND3: lambda a, b, c: a & b & c,
    Op.OR3: lambda a, b, c: a | b | c,
    Op.NAND3: lambda a, b, c: 1 - (a & b & c),
    Op.NOR3: lambda a, b, c: 1 - (a | b | c),
    Op.XOR3: lambda a, b, c: a ^ b ^ c,
}


@pytest.mark.parametrize("op", list(Op))
def test_every_gate_computes_its_truth_table(op: Op) -> None:
    builder = CircuitBuilder("gate")
    x = builder.input("x", 3)
    builder.output("y", [builder.gate(op, *x[: op.arity])])
    for word, output in enumerate(builder.build().table()):
        bits = [word >> i & 1 for i in range(op.arity)]
        assert output == TRUTH[op](*bits)


def test_flat_words_and_named_ports_agree() -> None:
    builder = CircuitBuilder("adder")
    a, b = builder.input("a", 2), builder.input("b", 1)
    builder.output("sum", [builder.xor(a[0], b[0])])
    builder.output("rest", [builder.and_(a[0], b[0]), a[1]])
    circuit = builder.build()
    assert circuit(a=0b11, b=1) == {"sum": 0, "rest": 0b11}
    assert circuit.evaluate_ints([0b1_11]) == [0b11_0]


def test_more_than_64_cases_keep_their_order() -> None:
    builder = CircuitBuilder("reverse")
    x = builder.input("x", 8)
    builder.output("y", list(reversed(x)))
    assert builder.build().table() == [int(f"{word:08b}"[::-1], 2) for word in range(256)]


def test_a_fanout_counts_gate_inputs_and_output_bits() -> None:
    """An input that nothing reads has none; a gate that reads a node, and the output that is it, each count."""
    builder = CircuitBuilder("fanout")
    x = builder.input("x", 3)
    product = builder.and_(x[0], x[1])
    builder.output("y", [product, builder.xor(product, x[0])])
    builder.output("z", [product])
    assert builder.build().fanout() == [2, 1, 0, 3, 1]


def test_equal_gates_are_made_once_and_dead_ones_are_dropped() -> None:
    builder = CircuitBuilder("shared")
    x = builder.input("x", 3)
    first = builder.xor(x[0], x[1])
    assert builder.xor(x[1], x[0]) == first
    builder.and_(x[1], x[2])
    builder.output("y", [first])
    assert builder.build().count() == {Op.XOR: 1}


def test_a_multiplexer_is_not_symmetric() -> None:
    builder = CircuitBuilder("muxes")
    x = builder.input("x", 3)
    assert builder.mux(x[0], x[1], x[2]) != builder.mux(x[0], x[2], x[1])


def test_an_instance_computes_what_the_circuit_computes() -> None:
    inner = CircuitBuilder("majority")
    x = inner.input("x", 3)
    pairs = [inner.nand(x[0], x[1]), inner.nand(x[0], x[2]), inner.nand(x[1], x[2])]
    inner.output("y", [inner.gate(Op.NAND3, *pairs)])
    outer = CircuitBuilder("inverted")
    wires = outer.input("x", 3)
    majority = outer.instance(inner.build(), x=list(reversed(wires)))["y"]
    outer.output("y", [outer.not_(majority[0])])
    assert outer.build().table() == [1 - (word.bit_count() >= 2) for word in range(8)]


def test_depth_and_area_follow_the_model() -> None:
    builder = CircuitBuilder("chain")
    x = builder.input("x", 3)
    builder.output("y", [builder.not_(builder.and_(builder.xor(x[0], x[1]), x[2]))])
    circuit = builder.build()
    assert (depth(circuit, UNIT), area(circuit, UNIT)) == (2, 2)
    assert (depth(circuit, XOR_LEVELS), area(circuit, XOR_LEVELS)) == (1, 1)
    assert max(arrivals(circuit, UNIT, [0, 0, 5])) == 6


def test_wrong_use_is_refused_by_name() -> None:
    builder = CircuitBuilder("wrong")
    x = builder.input("x", 2)
    with pytest.raises(RequestError, match="xor takes 2 inputs, not 1"):
        builder.gate(Op.XOR, x[0])
    builder.output("y", [builder.xor(*x)])
    with pytest.raises(RequestError, match="input late must be declared before the first gate"):
        builder.input("late", 1)
    circuit = builder.build()
    with pytest.raises(RequestError, match="port x takes 2 bits, not 0x4"):
        circuit(x=4)
    with pytest.raises(RequestError, match="needs 2 input rows, not 3"):
        circuit.evaluate(np.zeros((3, 1), dtype=np.uint64))
