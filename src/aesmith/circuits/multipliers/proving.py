"""That a multiplier computes its product, for all inputs.

1. Every node is typed by the gates alone: which of three kinds of monomials its polynomial over GF(2) may have, bits of
   left factors, bits of right factors, a left one times a right one. An XOR has the kinds of both its inputs; an AND
   takes one input that is linear in left bits and one that is linear in right bits. Any other gate is refused.
2. Such a polynomial has no constant, and a coefficient for each left bit, each right bit and each pair of them. Its
   values where at most one left bit and at most one right bit are 1 determine them: f(l) and f(r) are the first two,
   f(l, r) + f(l) + f(r) is the last.
3. Output and product agree on all these inputs, so all their coefficients are equal.

The product's values are powers of x modulo the field's polynomial and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import Flag

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.multipliers.field_128 import FieldProduct
from aesmith.circuits.multipliers.gf2_128 import DEGREE, times_power
from aesmith.errors import CheckError

_ROWS = 32
"""Left bits whose cases are evaluated together."""


class Monomials(Flag):
    """The kinds of monomials that a polynomial may have."""

    NONE = 0
    LEFT = 1
    RIGHT = 2
    PAIR = 4


@dataclass(frozen=True)
class MultiplierProof:
    """What was compared: the outputs of `circuit` on so many inputs, which determine them."""

    circuit: str
    gates: int
    inputs: int


def prove_product(product: FieldProduct) -> MultiplierProof:
    """Prove that the circuit computes the terms. Raises CheckError, which says where, if it does not."""
    circuit = product.circuit
    ports = _input_bits(circuit)
    named = {term.left for term in product.terms} | product.right
    if named != {port.name for port in circuit.inputs} or circuit.output_width != DEGREE:
        raise CheckError(f"{circuit.name}: its ports are not those of the product, {sorted(named)} to 128 bits")
    if both := {term.left for term in product.terms} & product.right:
        raise CheckError(f"{circuit.name}: port {min(both)} is a left and a right factor")
    _check_types(product, ports)
    left = [bit for bit, (port, _) in enumerate(ports) if port not in product.right]
    right = [bit for bit, (port, _) in enumerate(ports) if port in product.right]
    expected = _Expected(product, ports)
    cases = len(right) + 1
    rows: list[int | None] = [None, *left]
    for start in range(0, len(rows), _ROWS):
        _compare(circuit, rows[start : start + _ROWS], right, expected)
    return MultiplierProof(circuit.name, len(circuit.gates), len(rows) * cases)


def _input_bits(circuit: Circuit) -> list[tuple[str, int]]:
    return [(port.name, bit) for port in circuit.inputs for bit in range(port.width)]


def _check_types(product: FieldProduct, ports: list[tuple[str, int]]) -> None:
    """Raises CheckError at the first gate that may make another monomial."""
    circuit = product.circuit
    types = [Monomials.RIGHT if port in product.right else Monomials.LEFT for port, _ in ports]
    for number, gate in enumerate(circuit.gates):
        kinds = [types[arg] for arg in gate.args]
        if gate.op in (Op.XOR, Op.XOR3, Op.ZERO):
            found = Monomials.NONE
            for kind in kinds:
                found |= kind
        elif gate.op is Op.AND and set(kinds) == {Monomials.LEFT, Monomials.RIGHT}:
            found = Monomials.PAIR
        else:
            told = ", ".join(str(kind.name) for kind in kinds)
            raise CheckError(f"{circuit.name}: gate {number}, {gate.op} of ({told}), is not bilinear by its type")
        types.append(found)


class _Expected:
    """The product where at most one bit of each side is 1."""

    def __init__(self, product: FieldProduct, ports: list[tuple[str, int]]) -> None:
        self._ports = ports
        self._alone: dict[str, list[int]] = defaultdict(list)
        self._pairs: dict[tuple[str, str], list[int]] = defaultdict(list)
        for term in product.terms:
            if term.right is None:
                self._alone[term.left].append(term.shift)
            else:
                self._pairs[term.left, term.right].append(term.shift)
        longest = max(term.shift for term in product.terms)
        self._powers = [times_power(1, power) for power in range(2 * DEGREE + longest)]

    def __call__(self, left: int | None, right: int | None) -> int:
        """The element, the set bits given by their flat numbers, None where there is none."""
        if left is None:
            return 0
        port, i = self._ports[left]
        total = 0
        for shift in self._alone[port]:
            total ^= self._powers[i + shift]
        if right is not None:
            other, j = self._ports[right]
            for shift in self._pairs[port, other]:
                total ^= self._powers[i + j + shift]
        return total


def _compare(circuit: Circuit, rows: list[int | None], right: list[int], expected: _Expected) -> None:
    """All cases of some left bits: case r·(len(right) + 1) + 0 has no right bit, the next ones have one each."""
    width = len(right) + 1
    words = [0] * circuit.input_width
    for r, bit in enumerate(rows):
        if bit is not None:
            words[bit] = ((1 << width) - 1) << r * width
    for j, bit in enumerate(right):
        words[bit] = sum(1 << r * width + j + 1 for r in range(len(rows)))
    wanted = [0] * DEGREE
    for r, left_bit in enumerate(rows):
        for j, right_bit in enumerate([None, *right]):
            value, case = expected(left_bit, right_bit), 1 << r * width + j
            while value:
                lowest = value & -value
                wanted[lowest.bit_length() - 1] |= case
                value ^= lowest
    for output, (found, due) in enumerate(zip(circuit.evaluate_words(words, len(rows) * width), wanted, strict=True)):
        if wrong := found ^ due:
            r, j = divmod((wrong & -wrong).bit_length() - 1, width)
            names = ["no bit" if bit is None else f"bit {bit}" for bit in (rows[r], [None, *right][j])]
            told = " and ".join(names)
            raise CheckError(f"{circuit.name}: output bit {output} is wrong where of the inputs {told} is 1")
