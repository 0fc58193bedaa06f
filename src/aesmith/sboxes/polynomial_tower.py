"""GF(((2^2)^2)^2) with polynomial bases: the tower of Satoh et al., Zhang and Parhi, Teng et al. and Lin et al.

x^2 + x + 1 over GF(2), x^2 + x + φ with φ = {10} over GF(2^2), x^2 + x + λ with λ = {1100} over GF(2^4); the
isomorphism takes {02} of the AES field to {5f}. A byte is {a, b}, a in bits 7:4; an element of GF(2^4) is {high, low},
two bits each. Gates and critical paths are those of Zhang and Parhi's figure 4 and table I.
"""

from __future__ import annotations

from aesmith.circuits.circuit import CircuitBuilder, Wire
from aesmith.fields.tower import SATOH

BASIS = SATOH.isomorphism(0x5F)
"""The change of basis into the tower is the publications' δ."""


def product_2(builder: CircuitBuilder, a: list[Wire], b: list[Wire]) -> list[Wire]:
    """Multiplier in GF(2^2) (figure 4b): 4 XOR, 3 AND."""
    low = builder.and_(a[0], b[0])
    cross = builder.and_(builder.xor(a[1], a[0]), builder.xor(b[1], b[0]))
    return [builder.xor(low, builder.and_(a[1], b[1])), builder.xor(low, cross)]


def times_phi(builder: CircuitBuilder, a: list[Wire]) -> list[Wire]:
    """Constant multiplier ×φ (figure 4e): 1 XOR."""
    return [a[1], builder.xor(a[1], a[0])]


def sum_(builder: CircuitBuilder, a: list[Wire], b: list[Wire]) -> list[Wire]:
    """Addition: one XOR a bit."""
    return [builder.xor(x, y) for x, y in zip(a, b, strict=True)]


def product_4(builder: CircuitBuilder, a: list[Wire], b: list[Wire]) -> list[Wire]:
    """Multiplier in GF(2^4) (figure 4a): 21 XOR, 9 AND; 4 XOR and 1 AND in the critical path."""
    high = product_2(builder, a[2:], b[2:])
    low = product_2(builder, a[:2], b[:2])
    cross = product_2(builder, sum_(builder, a[2:], a[:2]), sum_(builder, b[2:], b[:2]))
    return sum_(builder, low, times_phi(builder, high)) + sum_(builder, low, cross)


def square_4(builder: CircuitBuilder, a: list[Wire]) -> list[Wire]:
    """Squarer in GF(2^4) (figure 4c): 4 XOR, 2 in the critical path."""
    outer = builder.xor(a[1], a[3])
    return [builder.xor(a[0], outer), builder.xor(a[1], a[2]), builder.xor(a[2], a[3]), a[3]]


def times_lambda(builder: CircuitBuilder, a: list[Wire]) -> list[Wire]:
    """Constant multiplier ×λ (figure 4d): 3 XOR, 2 in the critical path."""
    even, odd = builder.xor(a[0], a[2]), builder.xor(a[1], a[3])
    return [a[2], a[3], builder.xor(even, odd), even]


def inverse_4_decomposed(builder: CircuitBuilder, a: list[Wire]) -> list[Wire]:
    """Inverse in GF(2^4) by decomposition to GF(2^2) (approach 2, figure 5b): 17 XOR, 9 AND.

    φ·x^2 in GF(2^2) exchanges the two bits; the inverse of {x1, x0} is {x1, x1 + x0}.
    """
    high, low = a[2:], a[:2]
    total = sum_(builder, high, low)
    norm = sum_(builder, [high[1], high[0]], product_2(builder, total, low))
    inverse = [builder.xor(norm[1], norm[0]), norm[1]]
    return product_2(builder, total, inverse) + product_2(builder, high, inverse)
