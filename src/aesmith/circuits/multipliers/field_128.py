"""Multipliers of GF(2^128): in one clock, in stages, a digit a clock, and sums of several products.

Every port but a digit is an element: bit i is the coefficient of x^i (`gf2_128` in this folder says how GCM
reads it from a block). Words of splits are those of `aesmith.circuits.multipliers.splits`.

The cuts of some multipliers in stages are kept as data, for to find them takes seconds: `benchmarks/multiplier_cuts.py`
writes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import TypedDict

from aesmith.cache import digest
from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.multipliers.gf2_128 import DEGREE, TAIL, multiply_128, times_power
from aesmith.circuits.multipliers.splits import Columns, Summing, check_splits, columns, leaves, recombined
from aesmith.circuits.pipeline import Arrival, StagedCircuit, from_registers, pipeline
from aesmith.errors import RequestError

FILE = "cuts.json"
"""The file of cuts, in the folder `data` beside this module: a JSON object, by form and number of stages."""

LOOP = Arrival(0, 2.0)
"""When the factor `a` comes in a hash that adds to it what its last stage gives: behind an AND and an XOR."""


@dataclass(frozen=True)
class ProductTerm:
    """left · right · x^shift, of ports by name; left · x^shift without `right`."""

    left: str
    right: str | None = None
    shift: int = 0


@dataclass(frozen=True)
class FieldProduct:
    """A circuit and what it is to compute on its one output: the sum of `terms` in GF(2^128)."""

    circuit: Circuit
    terms: tuple[ProductTerm, ...]

    @cached_property
    def right(self) -> frozenset[str]:
        """The ports that are right factors."""
        return frozenset(term.right for term in self.terms if term.right is not None)

    def value(self, **ports: int) -> int:
        """The sum of the terms, by arithmetic of the field."""
        total = 0
        for term in self.terms:
            factor = 1 if term.right is None else ports[term.right]
            total ^= times_power(multiply_128(ports[term.left], factor), term.shift)
        return total


def reduced(gates: Summing, product: Columns) -> list[Wire]:
    """A polynomial of 128 to 256 coefficients modulo that of the field, coefficient 0 first.

    What the high half times x^7 + x^2 + x + 1 has beyond x^127 is added to the high half first: at most 508 gates for
    255 coefficients, fewer where sums are shared.
    """
    low, high = product[:DEGREE], gates.sums(product[DEGREE:])
    folded = [[wire] for wire in high]
    for i, wire in enumerate(high):
        for power in TAIL:
            if i + power >= DEGREE:
                folded[i + power - DEGREE].append(wire)
    terms = [list(column) for column in low]
    for i, wire in enumerate(gates.sums(folded)):
        for power in TAIL:
            if i + power < DEGREE:
                terms[i + power].append(wire)
    return gates.sums(terms)


def multiplier(splits: str = "") -> FieldProduct:
    """Ports a, b; output p = a·b. Raises RequestError for a word that is none, or of more than seven letters."""
    check_splits(splits, DEGREE)
    builder = CircuitBuilder(f"multiplier_{splits or 'schoolbook'}")
    a, b = builder.input("a", DEGREE), builder.input("b", DEGREE)
    gates = Summing(builder)
    builder.output("p", reduced(gates, _sum_of_products(gates, splits, [(a, b)])))
    return FieldProduct(builder.build(), (ProductTerm("a", "b"),))


@cache
def lanes_step(lanes: int, splits: str = "") -> FieldProduct:
    """One step of GHASH on several blocks: p = (y + c0)·h0 + c1·h1 + …, ports y, c0, c1, …, h0, h1, ….

    Base products are added over the lanes, then recombined and reduced once. Raises RequestError for fewer than one
    lane, and as `multiplier` does.
    """
    if lanes < 1:
        raise RequestError(f"lanes: must be 1 or more, not {lanes}")
    check_splits(splits, DEGREE)
    builder = CircuitBuilder(f"lanes_{lanes}_{splits or 'schoolbook'}")
    y = builder.input("y", DEGREE)
    c = [builder.input(f"c{lane}", DEGREE) for lane in range(lanes)]
    h = [builder.input(f"h{lane}", DEGREE) for lane in range(lanes)]
    gates = Summing(builder)
    first = [gates.xor(state, bit) for state, bit in zip(y, c[0], strict=True)]
    pairs = list(zip([first, *c[1:]], h, strict=True))
    builder.output("p", reduced(gates, _sum_of_products(gates, splits, pairs)))
    terms = [ProductTerm("y", "h0"), *(ProductTerm(f"c{lane}", f"h{lane}") for lane in range(lanes))]
    return FieldProduct(builder.build(), tuple(terms))


def product_circuit(splits: str) -> Circuit:
    """The product of polynomials of 128 coefficients, not reduced: ports a, b; output p of 255 bits."""
    check_splits(splits, DEGREE)
    builder = CircuitBuilder(f"product_{splits or 'schoolbook'}")
    a, b = builder.input("a", DEGREE), builder.input("b", DEGREE)
    gates = Summing(builder)
    builder.output("p", gates.sums(_sum_of_products(gates, splits, [(a, b)])))
    return builder.build()


@cache
def digit_step(digit: int, splits: str = "") -> FieldProduct:
    """One step of a multiplication by h, most significant digit first: p = y·x^digit + d·h, ports y, d, h.

    d has `digit` bits, bit i the coefficient of x^i; a multiplication takes 128 / digit steps from y = 0. h is taken in
    parts as long as the digit, and `splits` are those of the product of the digit and a part. Raises RequestError for a
    digit that does not divide 128, or can't be split so.
    """
    if not 1 <= digit <= DEGREE or DEGREE % digit:
        raise RequestError(f"digit: must divide 128, not {digit}")
    check_splits(splits, digit)
    builder = CircuitBuilder(f"digit_{digit}_{splits or 'schoolbook'}")
    y, d, h = builder.input("y", DEGREE), builder.input("d", digit), builder.input("h", DEGREE)
    gates = Summing(builder)
    total: Columns = [[] for _ in range(DEGREE + digit)]
    for at in range(0, DEGREE, digit):
        for i, terms in enumerate(_sum_of_products(gates, splits, [(d, h[at : at + digit])])):
            total[at + i] += terms
    for i, wire in enumerate(y):
        total[digit + i].append(wire)
    builder.output("p", reduced(gates, total))
    return FieldProduct(builder.build(), (ProductTerm("y", shift=digit), ProductTerm("d", "h")))


def _sum_of_products(gates: Summing, splits: str, pairs: Sequence[tuple[Sequence[Wire], Sequence[Wire]]]) -> Columns:
    """The terms of a sum of products of polynomials, not reduced."""
    factors = [(leaves(gates, splits, a), leaves(gates, splits, b)) for a, b in pairs]
    products = []
    for at in range(3 ** len(splits)):
        lanes = [columns(gates, a[at], b[at]) for a, b in factors]
        products.append([[term for terms in column for term in terms] for column in zip(*lanes, strict=True)])
    return recombined(gates, splits, products)


class KeptCuts(TypedDict):
    """Of which circuit, and the nodes that are registered at each cut."""

    circuit: str
    registers: list[list[int]]


@cache
def staged_multiplier(splits: str, stages: int) -> StagedCircuit:
    """Ports a, b; output p = a·b in `stages` stages, by cuts that are kept or are searched for, which takes seconds.

    Raises RequestError for a word that is none, or more stages than there are levels.
    """
    circuit = multiplier(splits).circuit
    kept = _kept().get(f"{splits} {stages}")
    if kept is None or kept["circuit"] != circuit_digest(circuit):
        return searched(circuit, stages)
    arrival = [LOOP] * circuit.inputs[0].width + [Arrival()] * circuit.inputs[1].width
    return from_registers(circuit, kept["registers"], arrival)


def searched(circuit: Circuit, stages: int) -> StagedCircuit:
    """A multiplier in the shortest stages, with the fewest registers at them."""
    return pipeline(circuit, stages=stages, model=LEVELS, arrivals={"a": LOOP})


def circuit_digest(circuit: Circuit) -> str:
    """What a kept cut is of: a digest of the gates and outputs."""
    return digest([*(f"{gate.op} {gate.args}" for gate in circuit.gates), repr(circuit.output_nodes)])[:16]


def format_cuts(forms: Sequence[tuple[str, StagedCircuit]]) -> str:
    """The file's text: a form a line, with the nodes that are registered at each cut."""
    lines = []
    for splits, staged in forms:
        entry = {"circuit": circuit_digest(staged.circuit), "registers": [list(rank) for rank in staged.registers]}
        lines.append(f'"{splits} {staged.stages}": {json.dumps(entry, separators=(",", ":"))}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


@cache
def _kept() -> Mapping[str, KeptCuts]:
    text = resources.files("aesmith.circuits.multipliers").joinpath("data", FILE).read_text(encoding="utf-8")
    found: dict[str, KeptCuts] = json.loads(text)
    return found
