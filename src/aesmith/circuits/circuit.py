"""Straight-line circuits: a directed acyclic graph of named gates with named input and output ports.

Bit order: a port of width n has bits 0 (least significant) to n-1. The flat bit order of the inputs (and, apart,
of its outputs) is port after port in order of declaration, each from bit 0 up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from aesmith.errors import RequestError


class Op(StrEnum):
    """The gates a circuit is made of.

    MUX takes (select, when_0, when_1). Every other gate of more than one input is symmetric in its inputs.
    """

    ZERO = "zero"
    ONE = "one"
    NOT = "not"
    AND = "and"
    OR = "or"
    XOR = "xor"
    NAND = "nand"
    NOR = "nor"
    XNOR = "xnor"
    MUX = "mux"
    AND3 = "and3"
    OR3 = "or3"
    NAND3 = "nand3"
    NOR3 = "nor3"
    XOR3 = "xor3"

    @property
    def arity(self) -> int:
        """Number of inputs, 0 to 3."""
        return _ARITY[self]


_ARITY = {
    Op.ZERO: 0,
    Op.ONE: 0,
    Op.NOT: 1,
    Op.AND: 2,
    Op.OR: 2,
    Op.XOR: 2,
    Op.NAND: 2,
    Op.NOR: 2,
    Op.XNOR: 2,
    Op.MUX: 3,
    Op.AND3: 3,
    Op.OR3: 3,
    Op.NAND3: 3,
    Op.NOR3: 3,
    Op.XOR3: 3,
}


@dataclass(frozen=True)
class Port:
    """A named group of bits; bit 0 is the least significant."""

    name: str
    width: int


@dataclass(frozen=True)
class CircuitGate:
    """One gate. `args` are node numbers, all smaller than the gate's own; `block` indexes `Circuit.blocks`."""

    op: Op
    args: tuple[int, ...]
    block: int


@dataclass(frozen=True)
class Circuit:
    """An immutable combinational circuit.

    Nodes 0 to n-1 are the n input bits in flat order; node n+i is `gates[i]`. `output_nodes` names the node of each
    output bit in flat order. `blocks` are the labels of groups of gates (label 0 is the empty one), for example the
    equation of a publication that a group of gates is.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    gates: tuple[CircuitGate, ...]
    output_nodes: tuple[int, ...]
    blocks: tuple[str, ...] = ("",)

    @property
    def input_width(self) -> int:
        """Number of input bits."""
        return sum(port.width for port in self.inputs)

    @property
    def output_width(self) -> int:
        """Number of output bits."""
        return len(self.output_nodes)

    def count(self) -> Counter[Op]:
        """How many gates of each kind there are."""
        return Counter(gate.op for gate in self.gates)

    def fanout(self) -> list[int]:
        """For each node, how many gate inputs and output bits it drives."""
        loads = [0] * (self.input_width + len(self.gates))
        for gate in self.gates:
            for arg in gate.args:
                loads[arg] += 1
        for node in self.output_nodes:
            loads[node] += 1
        return loads

    def evaluate(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Evaluate on bit-parallel words, 64 cases a word.

        `words` has shape (input_width, ...): row i holds input bit i (flat order) of all cases. The result has shape
        (output_width, ...), rows in flat output order.
        """
        if words.shape[0] != self.input_width:
            raise RequestError(f"{self.name}: needs {self.input_width} input rows, not {words.shape[0]}")
        rest = words.shape[1:]
        return words_from(self.evaluate_words(ints_from(words), 64 * math.prod(rest)), rest)

    def evaluate_words(self, words: Sequence[int], cases: int) -> list[int]:
        """Evaluate on one integer for each input bit, whose bit n is that of case n; one for each output bit.

        Integers of any length do in one step what a gate does to all cases; that costs less than numpy's calls do.
        """
        values = [*words, *([0] * len(self.gates))]
        evaluate_gates(enumerate(self.gates, start=len(words)), values, (1 << cases) - 1)
        return [values[node] for node in self.output_nodes]

    def evaluate_ints(self, cases: Sequence[int]) -> list[int]:
        """Evaluate on whole input words: each case is the flat input as one integer, bit i = input bit i.

        Returns one integer a case, bit i = output bit i.
        """
        return transposed(self.evaluate_words(transposed(cases, self.input_width), len(cases)), len(cases))

    def __call__(self, **ports: int) -> dict[str, int]:
        """Evaluate one case given and returned as one integer a port."""
        expected = {port.name for port in self.inputs}
        if set(ports) != expected:
            raise RequestError(f"{self.name}: its input ports are {sorted(expected)}, not {sorted(ports)}")
        flat, shift = 0, 0
        for port in self.inputs:
            value = ports[port.name]
            if not 0 <= value < 1 << port.width:
                raise RequestError(f"{self.name}: port {port.name} takes {port.width} bits, not {value:#x}")
            flat |= value << shift
            shift += port.width
        out = self.evaluate_ints([flat])[0]
        result = {}
        for port in self.outputs:
            result[port.name] = out & ((1 << port.width) - 1)
            out >>= port.width
        return result

    def table(self) -> list[int]:
        """The output word for every input word, in order; for circuits of at most 20 input bits."""
        if self.input_width > 20:
            raise RequestError(f"{self.name}: a table of {self.input_width} input bits is too long; at most 20")
        return self.evaluate_ints(range(1 << self.input_width))


def ints_from(words: NDArray[np.uint64]) -> list[int]:
    """Each row of an array, whatever its further dimensions, as one integer of 64 bits a word, first word lowest."""
    rows = np.ascontiguousarray(words, dtype="<u8").reshape(len(words), math.prod(words.shape[1:]))
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


def words_from(ints: Sequence[int], rest: tuple[int, ...]) -> NDArray[np.uint64]:
    """What `ints_from` has taken apart: the array of shape (number of integers, *rest)."""
    size = 8 * math.prod(rest)
    data = bytearray().join(value.to_bytes(size, "little") for value in ints)
    return np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False).reshape(len(ints), *rest)


def transposed(rows: Sequence[int], width: int) -> list[int]:
    """The columns of a matrix of bits as integers: bit r of column c is bit c of row r. Rows have `width` bits."""
    if len(rows) < 2 or not width:
        return [sum(row >> column & 1 for row in rows) for column in range(width)]
    size = -(-width // 8)
    data = np.frombuffer(b"".join(row.to_bytes(size, "little") for row in rows), dtype=np.uint8)
    bits = np.unpackbits(data.reshape(len(rows), size), axis=1, count=width, bitorder="little")
    columns = np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in columns]


def evaluate_gates(gates: Iterable[tuple[int, CircuitGate]], values: list[int] | dict[int, int], ones: int) -> None:
    """Put the word of each gate, given with its node, in its place in `values`.

    Bit n of a word is the level of case n; `ones` has a one for each case.
    """
    zero, one, not_, and_, or_, xor, nand, nor, xnor, mux, and3, or3, nand3, nor3, xor3 = Op
    for node, gate in gates:
        op, args = gate.op, gate.args
        if op is xor:
            word = values[args[0]] ^ values[args[1]]
        elif op is and_:
            word = values[args[0]] & values[args[1]]
        elif op is mux:
            select, when_0, when_1 = args
            word = values[when_0] ^ (values[select] & (values[when_0] ^ values[when_1]))
        elif op is not_:
            word = values[args[0]] ^ ones
        elif op is or_:
            word = values[args[0]] | values[args[1]]
        elif op is xnor:
            word = values[args[0]] ^ values[args[1]] ^ ones
        elif op is nand:
            word = values[args[0]] & values[args[1]] ^ ones
        elif op is nor:
            word = (values[args[0]] | values[args[1]]) ^ ones
        elif op is xor3:
            word = values[args[0]] ^ values[args[1]] ^ values[args[2]]
        elif op is and3:
            word = values[args[0]] & values[args[1]] & values[args[2]]
        elif op is or3:
            word = values[args[0]] | values[args[1]] | values[args[2]]
        elif op is nand3:
            word = values[args[0]] & values[args[1]] & values[args[2]] ^ ones
        elif op is nor3:
            word = (values[args[0]] | values[args[1]] | values[args[2]]) ^ ones
        else:
            word = {zero: 0, one: ones}[op]
        values[node] = word


Wire = int
"""A node number inside the builder that made it."""


@dataclass
class CircuitBuilder:
    """Builds a `Circuit` gate by gate. Equal gates are made once; declare all inputs before the first gate."""

    name: str
    _inputs: list[Port] = field(default_factory=list)
    _outputs: list[Port] = field(default_factory=list)
    _gates: list[CircuitGate] = field(default_factory=list)
    _output_nodes: list[int] = field(default_factory=list)
    _blocks: list[str] = field(default_factory=lambda: [""])
    _known: dict[tuple[Op, tuple[int, ...]], int] = field(default_factory=dict)
    _block: int = 0
    _width: int = 0

    def input(self, name: str, width: int) -> list[Wire]:
        """Declare an input port; returns its wires, bit 0 first."""
        if self._gates:
            raise RequestError(f"{self.name}: input {name} must be declared before the first gate")
        self._inputs.append(Port(name, width))
        wires = list(range(self._width, self._width + width))
        self._width += width
        return wires

    def output(self, name: str, wires: Sequence[Wire]) -> None:
        """Declare an output port made of `wires`, bit 0 first."""
        self._outputs.append(Port(name, len(wires)))
        self._output_nodes.extend(wires)

    @contextmanager
    def block(self, label: str) -> Iterator[None]:
        """Gates made inside the `with` carry this label, which the emitted RTL shows as a comment."""
        previous = self._block
        if label not in self._blocks:
            self._blocks.append(label)
        self._block = self._blocks.index(label)
        try:
            yield
        finally:
            self._block = previous

    @contextmanager
    def anew(self) -> Iterator[None]:
        """Gates inside the `with` are made, though equal ones exist: a copy that may stand behind a pipeline's cut."""
        known = self._known
        self._known = {}
        try:
            yield
        finally:
            self._known = known

    def gate(self, op: Op, *args: Wire) -> Wire:
        """Add a gate, or return the one that computes the same from the same wires."""
        if len(args) != op.arity:
            raise RequestError(f"{self.name}: {op} takes {op.arity} inputs, not {len(args)}")
        key = (op, args if op is Op.MUX else tuple(sorted(args)))
        if key not in self._known:
            self._known[key] = self._width + len(self._gates)
            self._gates.append(CircuitGate(op, args, self._block))
        return self._known[key]

    def zero(self) -> Wire:
        """The constant 0."""
        return self.gate(Op.ZERO)

    def one(self) -> Wire:
        """The constant 1."""
        return self.gate(Op.ONE)

    def not_(self, a: Wire) -> Wire:
        """Inverter."""
        return self.gate(Op.NOT, a)

    def and_(self, a: Wire, b: Wire) -> Wire:
        """Two-input AND."""
        return self.gate(Op.AND, a, b)

    def or_(self, a: Wire, b: Wire) -> Wire:
        """Two-input OR."""
        return self.gate(Op.OR, a, b)

    def xor(self, a: Wire, b: Wire) -> Wire:
        """Two-input XOR."""
        return self.gate(Op.XOR, a, b)

    def nand(self, a: Wire, b: Wire) -> Wire:
        """Two-input NAND."""
        return self.gate(Op.NAND, a, b)

    def nor(self, a: Wire, b: Wire) -> Wire:
        """Two-input NOR."""
        return self.gate(Op.NOR, a, b)

    def xnor(self, a: Wire, b: Wire) -> Wire:
        """Two-input XNOR."""
        return self.gate(Op.XNOR, a, b)

    def mux(self, select: Wire, when_0: Wire, when_1: Wire) -> Wire:
        """Two-way multiplexer."""
        return self.gate(Op.MUX, select, when_0, when_1)

    def instance(self, circuit: Circuit, **ports: Sequence[Wire]) -> dict[str, list[Wire]]:
        """Copy a circuit's gates into this one, its inputs bound to `ports`; returns the wires of its outputs."""
        nodes: list[Wire] = []
        for port in circuit.inputs:
            bound = ports.get(port.name)
            if bound is None or len(bound) != port.width:
                raise RequestError(f"{self.name}: {circuit.name} needs {port.width} wires on its port {port.name}")
            nodes.extend(bound)
        if unknown := set(ports) - {port.name for port in circuit.inputs}:
            raise RequestError(f"{self.name}: {circuit.name} has no input port {sorted(unknown)}")
        for gate in circuit.gates:
            label = circuit.blocks[gate.block] or self._blocks[self._block]
            with self.block(label):
                nodes.append(self.gate(gate.op, *(nodes[arg] for arg in gate.args)))
        result, position = {}, 0
        for port in circuit.outputs:
            result[port.name] = [nodes[n] for n in circuit.output_nodes[position : position + port.width]]
            position += port.width
        return result

    def build(self) -> Circuit:
        """The finished circuit, without gates that drive nothing."""
        live = set(self._output_nodes)
        for i in reversed(range(len(self._gates))):
            if self._width + i in live:
                live.update(self._gates[i].args)
        renumber = {i: i for i in range(self._width)}
        gates: list[CircuitGate] = []
        for i, gate in enumerate(self._gates):
            if self._width + i in live:
                renumber[self._width + i] = self._width + len(gates)
                gates.append(CircuitGate(gate.op, tuple(renumber[a] for a in gate.args), gate.block))
        return Circuit(
            self.name,
            tuple(self._inputs),
            tuple(self._outputs),
            tuple(gates),
            tuple(renumber[n] for n in self._output_nodes),
            tuple(self._blocks),
        )
