"""The inverter of Ueno et al. (CHES 2015) with its second stage and the sums after it in two levels of gates.

Stage 3 uses only sums of two coordinates of N^-1. Each of the ten, complemented, is a sum of three products of the PRR
coordinates of N (exact two-level minimisation over the even words), so NAND and NAND3 into NAND3 take the place of
NOR, NOR3 and XOR: 8 levels instead of 9, at more area. The publication does not have this variant.
"""

from __future__ import annotations

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op, Wire
from aesmith.sboxes.entry import Function, SBox
from aesmith.sboxes.ueno2015 import PUBLICATION, TOWER, pair_sums, place_norm, rrb_product

_Literal = tuple[int, int]
_Terms = tuple[tuple[_Literal, ...], ...]


def _terms(text: str) -> _Terms:
    """Products such as "04 0'12'": indices of d, each complemented if a prime follows."""
    products = []
    for word in text.split():
        digits = word.replace("'", "")
        primes = [word[i + 1 : i + 2] == "'" for i, letter in enumerate(word) if letter != "'"]
        products.append(tuple((int(d), int(not p)) for d, p in zip(digits, primes, strict=True)))
    return tuple(products)


EQUAL = {
    (0, 1): _terms("04 0'12' 1'2'4'"),
    (0, 2): _terms("03 0'1'4' 13'4'"),
    (0, 3): _terms("02 0'1'3 1'2'3'"),
    (0, 4): _terms("01 0'2'3' 1'23'"),
    (1, 2): _terms("34 0'1'3' 01'4'"),
    (1, 3): _terms("24 02'3' 0'3'4'"),
    (1, 4): _terms("14 0'1'2' 0'24'"),
    (2, 3): _terms("23 0'12' 0'1'3'"),
    (2, 4): _terms("13 0'1'2' 02'3'"),
    (3, 4): _terms("12 01'4' 0'2'4'"),
}
"""For coordinates i, j of N^-1: the products of d of which one is 1 where e_i = e_j."""


def inverter() -> Circuit:
    """x: NB word h4 h3 h2 h1 l4 l3 l2 l1 (bit 7 to 0); y: RRB word p4 … p0 q4 … q0 (bit 9 to 0)."""
    builder = CircuitBuilder("ueno2015_fast_inverter")
    x = builder.input("x", 8)
    with builder.block("pair sums of h and l"):
        low = pair_sums(builder, [None, *x[:4]])
        high = pair_sums(builder, [None, *x[4:]])
    d = place_norm(builder, high, low)
    with builder.block("stage 2: e_i + e_j from the PRR coordinates of N, without XOR"):
        literal = {(i, 1): wire for i, wire in enumerate(d)} | {(i, 0): builder.not_(wire) for i, wire in enumerate(d)}

        def nand(term: tuple[_Literal, ...]) -> Wire:
            return builder.gate(Op.NAND if len(term) == 2 else Op.NAND3, *(literal[x] for x in term))

        sums = {pair: builder.not_(builder.gate(Op.NAND3, *map(nand, terms))) for pair, terms in EQUAL.items()}
    with builder.block("stage 3: p = l·N^-1 and q = h·N^-1"):
        q = rrb_product(builder, sums, high)
        p = rrb_product(builder, sums, low)
    builder.output("y", q + p)
    return builder.build()


ENTRY = SBox(
    name="ueno2015-fast",
    publication=PUBLICATION,
    summary="the ueno2015 inverter one level shorter: sums of N^-1 directly in two levels of gates",
    circuits={Function.INVERTER: inverter},
    bases=(TOWER.nb, TOWER.rrb),
    provenance="our own variant of the publication's inverter; there is no published figure for it",
)
