"""Binary fields GF(2^m) in polynomial basis, with elements as integers: bit i is the coefficient of x^i."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import xor

from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix


def carryless_product(a: int, b: int) -> int:
    """Product of two polynomials over GF(2)."""
    result = 0
    while b:
        if b & 1:
            result ^= a
        a <<= 1
        b >>= 1
    return result


def carryless_remainder(a: int, modulus: int) -> int:
    """Remainder of a polynomial over GF(2)."""
    degree = modulus.bit_length()
    while a.bit_length() >= degree:
        a ^= modulus << (a.bit_length() - degree)
    return a


def is_irreducible(polynomial: int) -> bool:
    """Whether a polynomial over GF(2) has no divisor of degree 1 to half its own."""
    degree = polynomial.bit_length() - 1
    if degree < 1:
        return False
    return all(carryless_remainder(polynomial, d) for d in range(2, 1 << (degree // 2 + 1)))


@dataclass(frozen=True)
class BinaryField:
    """GF(2^m) = GF(2)[x] / `modulus` with m at most 16. Raises RequestError for a reducible modulus."""

    modulus: int

    def __post_init__(self) -> None:
        if not 2 <= self.degree <= 16:
            raise RequestError(f"modulus: the degree must be 2 to 16, not {self.degree} ({self.modulus:#x})")
        if not is_irreducible(self.modulus):
            raise RequestError(f"modulus: {self.modulus:#x} is reducible; a field needs an irreducible polynomial")

    @cached_property
    def degree(self) -> int:
        """m, the number of bits of an element."""
        return self.modulus.bit_length() - 1

    @cached_property
    def order(self) -> int:
        """2^m, the number of elements."""
        return 1 << self.degree

    @cached_property
    def _logarithms(self) -> tuple[list[int], list[int]]:
        period = self.order - 1
        for generator in range(1, self.order):
            powers, element = [1], generator
            while element != 1:
                powers.append(element)
                element = carryless_remainder(carryless_product(element, generator), self.modulus)
            if len(powers) == period:
                logs = [0] * self.order
                for exponent, power in enumerate(powers):
                    logs[power] = exponent
                return powers, logs
        raise AssertionError("the multiplicative group of a finite field is cyclic")

    def multiply(self, a: int, b: int) -> int:
        """Product of two elements."""
        if not (a and b):
            return 0
        powers, logs = self._logarithms
        return powers[(logs[a] + logs[b]) % (self.order - 1)]

    def power(self, a: int, exponent: int) -> int:
        """a to any integer power; 0 to a negative power is 0, as AES defines the inverse of 0."""
        if not a:
            return 0 if exponent else 1
        powers, logs = self._logarithms
        return powers[logs[a] * exponent % (self.order - 1)]

    def inverse(self, a: int) -> int:
        """Multiplicative inverse, with 0 for 0."""
        return self.power(a, -1)

    def element_order(self, a: int) -> int:
        """Smallest n > 0 with a^n = 1. Raises RequestError for 0."""
        if not a:
            raise RequestError("element_order: 0 has no multiplicative order")
        return next(n for n in range(1, self.order) if self.power(a, n) == 1)

    def trace(self, a: int) -> int:
        """Trace to GF(2): the sum of all conjugates, 0 or 1."""
        return (a & self._bits_of_trace_1).bit_count() & 1

    @cached_property
    def _bits_of_trace_1(self) -> int:
        """The trace is linear: bit i is that of x^i."""
        found = 0
        for bit in range(self.degree):
            conjugates = [self.power(1 << bit, 1 << i) for i in range(self.degree)]
            found |= reduce(xor, conjugates) << bit
        return found

    def subfield(self, degree: int) -> tuple[int, ...]:
        """The elements of GF(2^degree) inside this field, ascending. Raises RequestError if there is no such field."""
        if degree < 1 or self.degree % degree:
            raise RequestError(f"subfield: the degree must divide {self.degree}, not {degree}")
        return tuple(a for a in range(self.order) if self.power(a, 1 << degree) == a)

    def multiplication(self, factor: int) -> BitMatrix:
        """The m × m matrix of multiplication by a constant."""
        return BitMatrix.from_map(lambda a: self.multiply(a, factor), self.degree, self.degree)
