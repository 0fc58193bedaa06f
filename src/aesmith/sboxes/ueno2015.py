"""The inverter of Ueno et al. (CHES 2015): NB in, PRR inside, RRB out.

GF((2^4)^2) with {α, α^16}; with h, l the coefficients of the input, N = a^17 = ν(h+l)^2 + μ^2·h·l lies in GF(2^4) and
a^-1 = l·N^-1·α + h·N^-1·α^16. The publication's gate equations are not openly accessible: these are reconstructed from
its structure and reproduce its figure of 170 gate equivalents. They hold for towers with μ = ν = β + β^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op, Wire
from aesmith.errors import RequestError
from aesmith.fields.aes import FIELD
from aesmith.fields.tower import NormalTower, normal_towers
from aesmith.publications import Publication
from aesmith.sboxes.entry import Claim, Function, SBox

PUBLICATION = Publication(
    "ueno2015",
    "R. Ueno, N. Homma, Y. Sugawara, Y. Nogami, T. Aoki",
    "Highly Efficient GF(2^8) Inversion Circuit Based on Redundant GF Arithmetic and Its Application to AES Design",
    "CHES 2015, LNCS 9293",
    2015,
)

TOWER = NormalTower(alpha=0x09, beta=0x50)
"""The tower of the catalogue entry; the gates are the same in every tower of `towers()`."""

_Pair = tuple[int, int]

_STAGE_1: tuple[tuple[tuple[_Pair, ...], _Pair], ...] = (
    (((0, 1), (0, 3), (1, 2)), (2, 4)),
    (((0, 4), (1, 3), (3, 4)), (0, 2)),
    (((1, 2), (1, 4), (2, 3)), (0, 3)),
    (((0, 1), (0, 4), (2, 4)), (1, 3)),
    (((0, 2), (2, 3), (3, 4)), (1, 4)),
)
"""d_k = sum of three products h_ij·l_ij and one h_ij|l_ij: index pairs of the products, then of the OR."""


def fits(tower: NormalTower) -> bool:
    """Whether the gate equations hold in this tower: μ = ν = β + β^2."""
    return tower.mu == tower.nu == tower.beta ^ FIELD.power(tower.beta, 2)


def towers() -> tuple[NormalTower, ...]:
    """All ordered (α, β) for which the gate equations hold."""
    return tuple(tower for tower in normal_towers() if fits(tower))


def inverter() -> Circuit:
    """x: NB word h4 h3 h2 h1 l4 l3 l2 l1 (bit 7 to 0); y: RRB word p4 … p0 q4 … q0 (bit 9 to 0).

    47 XOR2, 45 NAND2/NOR2, 5 NOR3.
    """
    builder = CircuitBuilder("ueno2015_inverter")
    builder.output("y", place_inverter(builder, builder.input("x", 8)))
    return builder.build()


def place_inverter(builder: CircuitBuilder, x: Sequence[Wire], *, sums_twice: bool = False) -> list[Wire]:
    """The gates of `inverter` on the bits x; returns those of y.

    With `sums_twice` the pair sums that stage 3 takes are made a second time, so that a pipeline cut between keeps the
    eight bits of x, not twenty sums. Without a cut there, synthesis makes one of both.
    """

    def sums() -> tuple[dict[_Pair, Wire], dict[_Pair, Wire]]:
        with builder.block("pair sums h_ij = h_i + h_j and l_ij = l_i + l_j, with h_0 = l_0 = 0"):
            low = pair_sums(builder, [None, *x[:4]])
            return low, pair_sums(builder, [None, *x[4:]])

    low, high = sums()
    d = place_norm(builder, high, low)
    with builder.block("stage 2: e_k, an RRB word of N^-1 in GF(2^4), without XOR"):
        e: list[Wire] = [
            builder.gate(
                Op.NOR3,
                d[-k % 5],
                builder.nor(d[(1 - k) % 5], d[(4 - k) % 5]),
                builder.nor(d[(2 - k) % 5], d[(3 - k) % 5]),
            )
            for k in range(5)
        ]
    if sums_twice:
        with builder.anew():
            low, high = sums()
    with builder.block("stage 3: p = l·N^-1 and q = h·N^-1, RRB products by cyclic vector multiplication"):
        inverse = pair_sums(builder, list(e))
        q = rrb_product(builder, inverse, high)
        p = rrb_product(builder, inverse, low)
    return q + p


def place_norm(builder: CircuitBuilder, high: dict[_Pair, Wire], low: dict[_Pair, Wire]) -> list[Wire]:
    """Stage 1: the five PRR coordinates of N from the pair sums of h and l."""
    with builder.block("stage 1: d_k, the PRR coordinates of N = a^17; four complemented terms cancel"):
        d = []
        for products, alternative in _STAGE_1:
            terms = [builder.nand(high[p], low[p]) for p in products]
            terms.append(builder.nor(high[alternative], low[alternative]))
            d.append(builder.xor(builder.xor(terms[0], terms[1]), builder.xor(terms[2], terms[3])))
    return d


def pair_sums(builder: CircuitBuilder, word: Sequence[Wire | None]) -> dict[_Pair, Wire]:
    """Sums of every two coordinates 0 to 4 of an RRB word; coordinate 0 may be absent, which is 0."""
    sums: dict[_Pair, Wire] = {}
    for i, j in combinations(range(5), 2):
        a, b = word[i], word[j]
        if b is None:
            raise RequestError("pair sums: only index 0 may be absent")
        sums[i, j] = b if a is None else builder.xor(a, b)
    return sums


def rrb_product(builder: CircuitBuilder, a: dict[_Pair, Wire], b: dict[_Pair, Wire]) -> list[Wire]:
    """c_k = sum over the two pairs i < j with i + j = k mod 5 of a_ij·b_ij; both complemented, which cancels."""
    product = []
    for k in range(5):
        first, second = (pair for pair in combinations(range(5), 2) if sum(pair) % 5 == k)
        product.append(builder.xor(builder.nand(a[first], b[first]), builder.nand(a[second], b[second])))
    return product


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


def inverter_in_eight_levels() -> Circuit:
    """The inverter with the sums of stage 3 in two levels of gates: our own variant, with the same words.

    Stage 3 uses only sums of two coordinates of N^-1. Each of the ten, complemented, is a sum of three products of the
    PRR coordinates of N (exact two-level minimisation over the even words), so NAND and NAND3 into NAND3 take the place
    of NOR, NOR3 and XOR: 8 levels instead of 9, at more area.
    """
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


ENTRY = (
    SBox(
        name="ueno2015",
        publication=PUBLICATION,
        summary="GF((2^4)^2) inverter with redundant arithmetic: 8-bit NB in, 10-bit RRB out",
        circuits={Function.INVERTER: inverter},
        claims=(Claim(Function.INVERTER, "170.00 GE and 1.42 ns (TSMC 65 nm); T_INV = 3T_AND + 6T_XOR, 9 levels"),),
        bases=(TOWER.nb, TOWER.rrb),
        provenance="reconstructed from the publication's structure; its gates give the published area exactly",
    ),
    SBox(
        name="ueno2015-fast",
        publication=PUBLICATION,
        summary="the ueno2015 inverter one level shorter: sums of N^-1 directly in two levels of gates",
        circuits={Function.INVERTER: inverter_in_eight_levels},
        bases=(TOWER.nb, TOWER.rrb),
        provenance="our own variant of the publication's inverter; there is no published figure for it",
    ),
)
