"""The S-box of Zhang and Parhi (TVLSI 2004) with its three inverters in GF(2^4).

{sh, sl}^-1 = {sh·Θ, (sh + sl)·Θ} with Θ = (sh^2·λ + sh·sl + sl^2)^-1 (equation 9, figure 3); the sum of sh and sl is
formed once and sl·(sh + sl) replaces two terms.

The tower, GF(((2^2)^2)^2) with polynomial bases, is also that of Satoh et al., Teng et al. and Lin et al.:
x^2 + x + 1 over GF(2), x^2 + x + φ with φ = {10} over GF(2^2), x^2 + x + λ with λ = {1100} over GF(2^4); the
isomorphism takes {02} of the AES field to {5f}. A byte is {a, b}, a in bits 7:4; an element of GF(2^4) is {high, low},
two bits each. Gates and critical paths are those of Zhang and Parhi's figure 4 and table I.
"""

from __future__ import annotations

from collections.abc import Callable

from aesmith.circuits.circuit import CircuitBuilder, Wire
from aesmith.circuits.linear import linear_map
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.tower import SATOH
from aesmith.publications import Publication
from aesmith.sboxes.around_inverter import AroundInverter, PlaceInverter
from aesmith.sboxes.entry import Claim, Function, SBox

PUBLICATION = Publication(
    "zhang2004",
    "X. Zhang, K. K. Parhi",
    "High-Speed VLSI Architectures for the AES Algorithm",
    "IEEE Transactions on VLSI Systems 12(9)",
    2004,
)

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


Inverter4 = Callable[[CircuitBuilder, list[Wire]], list[Wire]]


def inverse_4_by_powers(builder: CircuitBuilder, x: list[Wire]) -> list[Wire]:
    """Approach 1 (figure 5a): x^14 = x^8·x^4·x^2 by squaring and multiplying."""
    square = square_4(builder, x)
    fourth = square_4(builder, square)
    return product_4(builder, product_4(builder, square_4(builder, fourth), fourth), square)


_TERMS = ("0", "1", "2", "3", "21", "30", "31", "20", "321", "320", "310", "210")
_SUMS = (
    ("321", "320", "31", "310", "30", "2", "21", "210", "1", "0"),
    ("3", "321", "310", "2", "20", "1"),
    ("321", "320", "30", "2", "21"),
    ("3", "321", "30", "2"),
)
"""Equation 10: the products that bits 0 to 3 of x^-1 are the sums of, each named by the indices of its factors."""

EQUATION_10 = BitMatrix(tuple(sum(1 << _TERMS.index(term) for term in terms) for terms in _SUMS), len(_TERMS))


def inverse_4_direct(builder: CircuitBuilder, x: list[Wire]) -> list[Wire]:
    """Approach 3 (equation 10): 13 XOR, 8 AND; 4 XOR and 2 AND in the critical path."""
    x0, x1, x2, x3 = x
    x21, x30 = builder.and_(x2, x1), builder.and_(x3, x0)
    terms = [
        *(x0, x1, x2, x3, x21, x30, builder.and_(x3, x1), builder.and_(x2, x0)),
        *(builder.and_(x3, x21), builder.and_(x2, x30), builder.and_(x1, x30), builder.and_(x0, x21)),
    ]
    return linear_map(EQUATION_10, 4).place(builder, terms)


def inverse_4_shallow(builder: CircuitBuilder, x: list[Wire]) -> list[Wire]:
    """Approach 3 with table II's counts: 14 XOR, 9 AND; 3 XOR and 2 AND in the critical path.

    Inverters are not counted. Ten terms are too many for three levels of XOR: some are added as products of sums,
    x0 + x1 + x3x2x1 + x3x2x0 = (x0 + x1)(x3x2)', and as x2 + x2x0 = x2x0' and x3 + x3x2x1 = x3(x2x1)'.
    """
    xor, and_, not_ = builder.xor, builder.and_, builder.not_
    x0, x1, x2, x3 = x
    x21, x30 = and_(x2, x1), and_(x3, x0)
    x310, x210 = and_(x1, x30), and_(x0, x21)
    sum_01 = xor(x0, x1)
    shared = xor(and_(sum_01, builder.nand(x3, x2)), xor(x2, x21))
    late = and_(x3, not_(x21))
    return [
        xor(shared, xor(xor(x310, x210), xor(x30, and_(x3, x1)))),
        xor(xor(late, x310), xor(and_(x2, not_(x0)), x1)),
        xor(shared, xor(sum_01, x30)),
        xor(late, xor(x30, x2)),
    ]


def place_norm(builder: CircuitBuilder, s: list[Wire]) -> tuple[list[Wire], list[Wire]]:
    """sh + sl, and Θ^-1 = sh^2·λ + sl·(sh + sl)."""
    high, low = s[4:], s[:4]
    with builder.block("sh^2·λ + sl·(sh + sl), figure 3"):
        total = sum_(builder, high, low)
        square = times_lambda(builder, square_4(builder, high))
        return total, sum_(builder, square, product_4(builder, low, total))


def place_products(builder: CircuitBuilder, high: list[Wire], total: list[Wire], theta: list[Wire]) -> list[Wire]:
    """The inverse {sh·Θ, (sh + sl)·Θ}."""
    with builder.block("sh·Θ and (sh + sl)·Θ, equation 9"):
        return product_4(builder, total, theta) + product_4(builder, high, theta)


def inverter_with(inverse_4: Inverter4) -> PlaceInverter:
    """The inverter of figure 3 around one of the inverters in GF(2^4)."""

    def place(builder: CircuitBuilder, s: list[Wire]) -> list[Wire]:
        total, norm = place_norm(builder, s)
        with builder.block("Θ: inversion in GF(2^4), figure 5"):
            theta = inverse_4(builder, norm)
        return place_products(builder, s[4:], total, theta)

    return place


def _architecture(name: str, inverse_4: Inverter4) -> AroundInverter:
    return AroundInverter(
        name,
        BASIS,
        BASIS,
        inverter_with(inverse_4),
        into="isomorphic mapping δ",
        out_of="inverse isomorphic mapping δ^-1",
    )


def _entry(name: str, summary: str, inverse_4: Inverter4, claims: tuple[Claim, ...]) -> SBox:
    return SBox(
        name=name,
        publication=PUBLICATION,
        summary=summary,
        circuits=_architecture(name.replace("-", "_"), inverse_4).circuits(),
        claims=claims,
        bases=(BASIS, BASIS),
        provenance="equations of the publication, the missing row of equation 8 restored; XOR programs are our own",
    )


_BLOCKS = (
    Claim(Function.FORWARD, "δ 12 XOR, 4 levels; δ^-1 with the affine map 19 XOR, 4 levels (table I)"),
    Claim(Function.INVERSE, "inverse affine map with δ 17 XOR, 4 levels; δ^-1 14 XOR, 3 levels"),
)

DIRECT = _entry(
    "zhang2004",
    "polynomial tower, GF(2^4) inversion by direct equations: the publication's choice",
    inverse_4_direct,
    (*_BLOCKS, Claim(Function.INVERTER, "inversion in GF(2^4): 14 XOR, 9 AND; 3 XOR and 2 AND in series (table II)")),
)
POWERS = _entry(
    "zhang2004-powers",
    "polynomial tower, GF(2^4) inversion by squaring and multiplying",
    inverse_4_by_powers,
    (*_BLOCKS, Claim(Function.INVERTER, "inversion in GF(2^4): 54 XOR, 18 AND; 12 XOR and 2 AND in series (table II)")),
)
DECOMPOSED = _entry(
    "zhang2004-decomposed",
    "polynomial tower, GF(2^4) inversion by decomposition to GF(2^2)",
    inverse_4_decomposed,
    (*_BLOCKS, Claim(Function.INVERTER, "inversion in GF(2^4): 17 XOR, 9 AND; 7 XOR and 2 AND in series (table II)")),
)
ENTRY = (DIRECT, POWERS, DECOMPOSED)
