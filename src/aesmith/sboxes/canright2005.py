"""The S-box of Canright (CHES 2005): GF(((2^2)^2)^2) with normal bases at every level.

An element of GF(2^8) is A = a·d^16 + b·d with a, b in GF(2^4); an element of GF(2^4) is g·α^8 + h·α^2 with g, h in
GF(2^2); an element of GF(2^2) is two bits on {Ω^2, Ω}. Every pair of coefficients stands high half first (bits 7:4 of a
byte are a). Sums of halves are shared by the multiplications that need them, and the terms of each "square, scale, add
the product" step are merged into NAND and NOR gates (section 4.3, optimisations).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import linear_map
from aesmith.fields import aes
from aesmith.fields.bitmatrix import stack
from aesmith.fields.tower import Basis
from aesmith.publications import Publication
from aesmith.sboxes.entry import Claim, Function, SBox

PUBLICATION = Publication("canright2005", "D. Canright", "A Very Compact S-Box for AES", "CHES 2005, LNCS 3659", 2005)

D, ALPHA, OMEGA = 0xFF, 0xE1, 0xBD
"""Generators of the normal bases [d^16, d] = [fe, ff], [α^8, α^2] = [5d, 5c], [Ω^2, Ω] = [bc, bd] (case 4)."""

BASIS = Basis(
    aes.FIELD,
    tuple(
        aes.FIELD.multiply(aes.FIELD.multiply(high, middle), low)
        for high in (D, aes.FIELD.power(D, 16))
        for middle in (aes.FIELD.power(ALPHA, 2), aes.FIELD.power(ALPHA, 8))
        for low in (OMEGA, aes.FIELD.power(OMEGA, 2))
    ),
    "Canright",
)
"""Bit 0 to 7: d·α^2·Ω, d·α^2·Ω^2, d·α^8·Ω, …, d^16·α^8·Ω^2."""


@dataclass(frozen=True)
class _Pair:
    """An element of GF(2^2), `high` on Ω^2 and `low` on Ω, with the sum of its bits."""

    high: Wire
    low: Wire
    total: Wire


@dataclass(frozen=True)
class _Quad:
    """An element of GF(2^4), its halves and their sum."""

    high: _Pair
    low: _Pair
    total: _Pair


def _pair(builder: CircuitBuilder, high: Wire, low: Wire) -> _Pair:
    return _Pair(high, low, builder.xor(high, low))


def _quad(builder: CircuitBuilder, bits: Sequence[Wire]) -> _Quad:
    low, high = _pair(builder, bits[1], bits[0]), _pair(builder, bits[3], bits[2])
    total = _pair(builder, builder.xor(high.high, low.high), builder.xor(high.low, low.low))
    return _Quad(high, low, total)


def _product_2(builder: CircuitBuilder, a: _Pair, b: _Pair) -> tuple[Wire, Wire]:
    """a·b in GF(2^2), (high, low); both NANDs of each XOR are complemented, which cancels."""
    cross = builder.nand(a.total, b.total)
    high = builder.xor(builder.nand(a.high, b.high), cross)
    return high, builder.xor(builder.nand(a.low, b.low), cross)


def _scaled_product_2(builder: CircuitBuilder, a: _Pair, b: _Pair) -> tuple[Wire, Wire]:
    """N·a·b in GF(2^2) with N = Ω^2."""
    low = builder.nand(a.low, b.low)
    high = builder.xor(builder.nand(a.total, b.total), low)
    return high, builder.xor(builder.nand(a.high, b.high), low)


def _product_4(builder: CircuitBuilder, a: _Quad, b: _Quad) -> list[Wire]:
    """a·b in GF(2^4), bit 0 first."""
    high = _product_2(builder, a.high, b.high)
    low = _product_2(builder, a.low, b.low)
    cross = _scaled_product_2(builder, a.total, b.total)
    return [builder.xor(x, y) for half in (low, high) for x, y in zip(reversed(half), reversed(cross), strict=True)]


def multiply_2(builder: CircuitBuilder, a: Sequence[Wire], b: Sequence[Wire]) -> list[Wire]:
    """a·b in GF(2^2) in the normal basis [Ω^2, Ω], bit 0 first: it stands for Ω."""
    return list(reversed(_product_2(builder, _pair(builder, a[1], a[0]), _pair(builder, b[1], b[0]))))


def multiply_4(builder: CircuitBuilder, a: Sequence[Wire], b: Sequence[Wire]) -> list[Wire]:
    """a·b in GF(2^4) in the normal bases [α^8, α^2] and [Ω^2, Ω], bit 0 first: it stands for α^2·Ω."""
    return _product_4(builder, _quad(builder, a), _quad(builder, b))


def _inverse_4(builder: CircuitBuilder, bits: list[Wire]) -> _Quad:
    """The inverse in GF(2^4); squaring in GF(2^2), which is its inversion, swaps the two bits."""
    a, b = _pair(builder, bits[3], bits[2]), _pair(builder, bits[1], bits[0])
    high = builder.xor(builder.nor(a.high, b.high), builder.nand(a.total, b.total))
    low = builder.xor(builder.nor(a.total, b.total), builder.nand(a.low, b.low))
    inverse = _pair(builder, low, high)
    p, q = _product_2(builder, inverse, b), _product_2(builder, inverse, a)
    return _quad(builder, [q[1], q[0], p[1], p[0]])


def _inverse_8(builder: CircuitBuilder, bits: list[Wire]) -> list[Wire]:
    a, b = _quad(builder, bits[4:]), _quad(builder, bits[:4])
    with builder.block("c = ν(a+b)^2 + a·b in GF(2^4), square, scaling and product merged"):
        halves = builder.nand(a.high.total, b.high.total)
        lows = builder.nand(a.total.low, b.total.low)
        cross = builder.nand(a.total.total, b.total.total)

        def bit(nor: tuple[Wire, Wire], nand: tuple[Wire, Wire], rest: tuple[Wire, Wire]) -> Wire:
            first = builder.xor(builder.nor(*nor), builder.nand(*nand))
            return builder.xor(builder.xor(first, rest[0]), rest[1])

        c3 = bit((a.total.low, b.total.low), (a.high.high, b.high.high), (halves, cross))
        c2 = bit((a.total.high, b.total.high), (a.high.low, b.high.low), (halves, lows))
        c1 = bit((a.low.total, b.low.total), (a.low.high, b.low.high), (lows, cross))
        last = builder.nand(a.total.high, b.total.high)
        c0 = bit((a.low.low, b.low.low), (a.low.total, b.low.total), (last, lows))
    with builder.block("c^-1 in GF(2^4)"):
        inverse = _inverse_4(builder, [c0, c1, c2, c3])
    with builder.block("A^-1 = c^-1·b·d^16 + c^-1·a·d"):
        return _product_4(builder, inverse, a) + _product_4(builder, inverse, b)


def inverter() -> Circuit:
    """x and y in `BASIS`."""
    builder = CircuitBuilder("canright2005_inverter")
    builder.output("y", _inverse_8(builder, builder.input("x", 8)))
    return builder.build()


def forward() -> Circuit:
    """S-box: change of basis, inversion, change of basis merged with the affine map."""
    builder = CircuitBuilder("canright2005_forward")
    x = builder.input("x", 8)
    with builder.block("change of basis"):
        inner = linear_map(BASIS.from_field).place(builder, x)
    inner = _inverse_8(builder, inner)
    with builder.block("change of basis and affine map"):
        outer = linear_map(aes.AFFINE @ BASIS.to_field).place(builder, inner, aes.AFFINE_CONSTANT)
    builder.output("y", outer)
    return builder.build()


def inverse() -> Circuit:
    """Inverse S-box: inverse affine map merged with the change of basis, inversion, change of basis."""
    builder = CircuitBuilder("canright2005_inverse")
    x = builder.input("x", 8)
    into = BASIS.from_field @ aes.INVERSE_AFFINE
    with builder.block("inverse affine map and change of basis"):
        constant = BASIS.from_field.apply(aes.INVERSE_AFFINE_CONSTANT)
        inner = linear_map(into).place(builder, x, constant)
    inner = _inverse_8(builder, inner)
    with builder.block("change of basis"):
        outer = linear_map(BASIS.to_field).place(builder, inner)
    builder.output("y", outer)
    return builder.build()


def combined() -> Circuit:
    """S-box and inverse S-box around one inverter: both input maps share their XORs, as do both output maps."""
    builder = CircuitBuilder("canright2005_combined")
    x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
    into_inverse = BASIS.from_field @ aes.INVERSE_AFFINE
    constant = BASIS.from_field.apply(aes.INVERSE_AFFINE_CONSTANT)
    with builder.block("both changes of basis, and selection"):
        maps = linear_map(stack([BASIS.from_field, into_inverse])).place(builder, x, constant << 8)
        inner = [builder.mux(decrypt, maps[i], maps[8 + i]) for i in range(8)]
    inner = _inverse_8(builder, inner)
    with builder.block("both changes of basis out, and selection"):
        out = stack([aes.AFFINE @ BASIS.to_field, BASIS.to_field])
        maps = linear_map(out).place(builder, inner, aes.AFFINE_CONSTANT)
        outer = [builder.mux(decrypt, maps[i], maps[8 + i]) for i in range(8)]
    builder.output("y", outer)
    return builder.build()


ENTRY = SBox(
    name="canright2005",
    publication=PUBLICATION,
    summary="GF(((2^2)^2)^2) with normal bases; very compact",
    circuits={
        Function.FORWARD: forward,
        Function.INVERSE: inverse,
        Function.COMBINED: combined,
        Function.INVERTER: inverter,
    },
    claims=(
        Claim(Function.FORWARD, "120 gates: 80 XOR, 34 NAND, 6 NOR"),
        Claim(Function.COMBINED, "94 XOR/XNOR, 34 NAND, 6 NOR, 2 NOT, 16 MUX"),
    ),
    bases=(BASIS, BASIS),
    provenance="equations and optimisations of the publication; XOR programs of the changes of basis are our own",
)
