"""Inverters of GF((2^4)^2) given by any polynomials: the field that Mathew et al. and Gueron and Mathew search in.

x^2 + α·x + β over GF(2^4), and GF(2^4) over GF(2) by one of its three irreducible quartics, both in polynomial bases: a
byte is {h, l}, h in bits 7:4. With u = l + α·h the inverse is {h·e, u·e}, e = N^-1 and N = l·u + β·h^2 in GF(2^4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import paar, smallest_depth
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.galois import BinaryField
from aesmith.fields.tower import PolynomialTower

_FORMS = (0b0001, 0b0010, 0b0100, 0b1000, 0b0011, 0b1100, 0b0101, 0b1010, 0b1111)
"""The factors of Karatsuba's method, twice over: nine sums of coordinates, each times the same of the other factor."""

_MONOMIALS = tuple(range(1, 15))
"""The products of coordinates (bit i = coordinate i) of which the inverse in GF(2^4) consists; its degree is 3."""


@dataclass(frozen=True)
class QuadraticTower:
    """The tower: `ground` a quartic over GF(2) (0x13, 0x19 or 0x1f), `linear` α and `constant` β in GF(2^4).

    Raises RequestError if a polynomial is reducible.
    """

    ground: int
    linear: int
    constant: int

    def __post_init__(self) -> None:
        self.tower.multiply(1, 1)

    @cached_property
    def tower(self) -> PolynomialTower:
        """The field, with its isomorphisms to the AES field."""
        return PolynomialTower(self.ground, ((self.linear, self.constant),))

    @cached_property
    def _field(self) -> BinaryField:
        return BinaryField(self.ground)

    @cached_property
    def _reduction(self) -> BitMatrix:
        """The nine products to the product's four coordinates."""
        products = [(form, form) for form in _FORMS]
        return BitMatrix(tuple(_combination(products, self._field, bit) for bit in range(4)), len(_FORMS))

    def inverter(self) -> Circuit:
        """x and y are words of the tower."""
        builder = CircuitBuilder("quadratic_inverter")
        x = builder.input("x", 8)
        builder.output("y", self.place(builder, x))
        return builder.build()

    def place(self, builder: CircuitBuilder, x: Sequence[Wire]) -> list[Wire]:
        """The inverter on wires."""
        low, high = list(x[:4]), list(x[4:])
        with builder.block("u = l + α·h"):
            scaled = _place(builder, BitMatrix.from_map(lambda h: self._field.multiply(self.linear, h), 4, 4), high)
            u = [builder.xor(a, b) for a, b in zip(low, scaled, strict=True)]
        with builder.block("N = l·u + β·h^2"):
            low_forms, u_forms, high_forms = (_place_forms(builder, word) for word in (low, u, high))
            products = [builder.and_(a, b) for a, b in zip(low_forms, u_forms, strict=True)]
            square = BitMatrix.from_map(lambda h: self._field.multiply(self.constant, self._field.multiply(h, h)), 4, 4)
            rows = tuple(r | s << len(_FORMS) for r, s in zip(self._reduction.rows, square.rows, strict=True))
            norm = _place(builder, BitMatrix(rows, len(_FORMS) + 4), products + high)
        with builder.block("e = N^-1 in GF(2^4), sums of products (PPRM)"):
            e = self._place_inverse(builder, norm)
        with builder.block("{h·e, u·e}"):
            e_forms = _place_forms(builder, e)
            return [
                wire
                for forms in (u_forms, high_forms)
                for wire in _place(
                    builder, self._reduction, [builder.and_(a, b) for a, b in zip(forms, e_forms, strict=True)]
                )
            ]

    def _place_inverse(self, builder: CircuitBuilder, n: Sequence[Wire]) -> list[Wire]:
        values = [0] + [self._field.inverse(x) for x in range(1, 16)]
        rows = []
        for bit in range(4):
            coefficients = [value >> bit & 1 for value in values]
            for i in range(4):
                coefficients = [c ^ (coefficients[m ^ 1 << i] if m >> i & 1 else 0) for m, c in enumerate(coefficients)]
            rows.append(sum(coefficients[m] << k for k, m in enumerate(_MONOMIALS)))
        products: dict[int, Wire] = {1 << i: wire for i, wire in enumerate(n)}
        for m in sorted(_MONOMIALS, key=int.bit_count):
            if m not in products:
                top = 1 << (m.bit_length() - 1)
                products[m] = builder.and_(products[m ^ top], products[top])
        return _place(builder, BitMatrix(tuple(rows), len(_MONOMIALS)), [products[m] for m in _MONOMIALS])


def _place(builder: CircuitBuilder, matrix: BitMatrix, wires: Sequence[Wire]) -> list[Wire]:
    return paar(matrix, smallest_depth(matrix), tries=10).place(builder, wires)


def _place_forms(builder: CircuitBuilder, word: Sequence[Wire]) -> list[Wire]:
    low, high = builder.xor(word[0], word[1]), builder.xor(word[2], word[3])
    even, odd = builder.xor(word[0], word[2]), builder.xor(word[1], word[3])
    return [*word, low, high, even, odd, builder.xor(low, high)]


def _combination(products: Sequence[tuple[int, int]], field: BinaryField, bit: int) -> int:
    """The set of products (bit k = product k) whose sum is coordinate `bit` of the field's product."""
    target = _bilinear(lambda i, j: field.multiply(1 << i, 1 << j) >> bit & 1)
    sums = [0]
    for a, b in products:
        vector = _bilinear(lambda i, j, a=a, b=b: a >> i & b >> j & 1)  # type: ignore[misc]
        sums += [vector ^ one for one in sums]
    return sums.index(target)


def _bilinear(value: Callable[[int, int], int]) -> int:
    """A bilinear form on pairs of four bits, by its values on bits i and j: bit 4i + j."""
    return sum(value(i, j) << 4 * i + j for i in range(4) for j in range(4))
