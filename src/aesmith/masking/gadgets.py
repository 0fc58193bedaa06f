"""Masked products: gadgets that multiply shared words by any bilinear map, at any order of protection.

For shares a_i, b_i, with Reg a rank of registers, r_ij = r_ji and s_ij = s_ji fresh, sums over j ≠ i:

  HPC3 (Knichel and Moradi, CCS 2022; here for any bilinear map β), one clock:
    u_ij = Reg[β(a_i, r_ij + [j is the first] b_i) + s_ij],  v_ij = Reg[b_j + r_ij]
    c_i = Σ (u_ij + β(Reg[a_i], v_ij))
  HPC2 (Cassiers, Grégoire, Levi, Standaert, IEEE TC 2021; AND alone), a comes one clock after b:
    c_i = Reg[a_i·Reg[b_i]] + Σ (Reg[(1 + a_i)·Reg[r_ij]] + Reg[a_i·Reg[b_j + r_ij]])
  DOM-indep (Gross, Mangard, Korak, 2016), one clock:
    c_i = Reg[β(a_i, b_i)] + Σ Reg[β(a_i, b_j) + s_ij]

In HPC3 and HPC2 a wire sees shares of one index and fresh bits alone. In DOM it sees shares of two: its operands must
be independent of each other and come from bare registers, and it does not compose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from aesmith.circuits.circuit import CircuitBuilder, Wire
from aesmith.errors import RequestError
from aesmith.masking.sharing import MaskedCircuit, ShareBuilder, Sharing
from aesmith.sboxes import canright2005


@dataclass(frozen=True)
class Bilinear:
    """A bilinear map over GF(2): words of `left` and of `right` bits to one of `result` bits, bit 0 first.

    `place` puts it into a circuit.
    """

    name: str
    left: int
    right: int
    result: int
    place: Callable[[CircuitBuilder, Sequence[Wire], Sequence[Wire]], list[Wire]]


def paired(product: Bilinear) -> Bilinear:
    """Two products with a common right operand, (a, a')·b = (a·b, a'·b), as one map: b is refreshed once for both."""
    width = product.left

    def place(builder: CircuitBuilder, a: Sequence[Wire], b: Sequence[Wire]) -> list[Wire]:
        return product.place(builder, a[:width], b) + product.place(builder, a[width:], b)

    return Bilinear(f"pair of {product.name}", 2 * width, product.right, 2 * product.result, place)


AND = Bilinear("AND", 1, 1, 1, lambda builder, a, b: [builder.and_(a[0], b[0])])
GF4 = Bilinear("GF(2^2) product", 2, 2, 2, canright2005.multiply_2)
"""In the normal basis of Canright's tower."""
GF16 = Bilinear("GF(2^4) product", 4, 4, 4, canright2005.multiply_4)
"""In the normal basis of Canright's tower."""


class Scheme(StrEnum):
    """The gadgets there are."""

    HPC3 = "hpc3"
    HPC2 = "hpc2"
    DOM = "dom"


Gadget = Callable[[ShareBuilder, Sharing, Sharing, Bilinear], Sharing]


def hpc3(net: ShareBuilder, a: Sharing, b: Sharing, product: Bilinear) -> Sharing:
    """HPC3: both operands in one stage, the result in the next. Fresh bits a pair of shares: right + result bits."""
    at = _stage(net, a, b)
    with net.stage(at):
        r = _symmetric(net, at, product.right)
        s = _symmetric(net, at, product.result)
    shared = []
    for i in range(net.shares):
        terms: list[list[Wire]] = []
        others = [j for j in range(net.shares) if j != i]
        for j in others:
            with net.stage(at):
                second = net.xor_words(r[i, j], b[i]) if j == others[0] else r[i, j]
                u = net.xor_words(product.place(net, a[i], second), s[i, j])
                v = net.xor_words(b[j], r[i, j])
            with net.stage(at + 1):
                terms.append(net.xor_words(u, product.place(net, a[i], v)))
        shared.append(_sum(net, terms, at + 1))
    return shared


def hpc2(net: ShareBuilder, a: Sharing, b: Sharing, product: Bilinear = AND) -> Sharing:
    """HPC2: a is there one stage after b, the result one stage after a. Fresh bits a pair of shares: 1.

    Raises RequestError for another product than AND.
    """
    if product is not AND:
        raise RequestError(f"hpc2: it is defined for AND alone, not for {product.name}")
    at = max(net.stage_of(*(share[0] for share in b)), net.stage_of(*(share[0] for share in a)) - 1)
    r = _symmetric(net, at, 1)
    net.multiplies(a, b)
    shared = []
    for i in range(net.shares):
        terms: list[list[Wire]] = []
        for j in (j for j in range(net.shares) if j != i):
            with net.stage(at):
                blinded = net.xor(b[j][0], r[i, j][0])
            with net.stage(at + 1):
                terms += [[net.and_(net.not_(a[i][0]), r[i, j][0])], [net.and_(a[i][0], blinded)]]
        with net.stage(at + 1):
            terms.append([net.and_(a[i][0], b[i][0])])
        shared.append(_sum(net, terms, at + 2))
    return shared


def dom(net: ShareBuilder, a: Sharing, b: Sharing, product: Bilinear) -> Sharing:
    """DOM-indep: both operands in one stage, the result in the next. Fresh bits a pair of shares: result bits.

    Secure for operands that are independent and come from bare registers; for comparisons.
    """
    at = _stage(net, a, b)
    s = _symmetric(net, at, product.result)
    shared = []
    for i in range(net.shares):
        with net.stage(at):
            terms = [product.place(net, a[i], b[i])]
            for j in (j for j in range(net.shares) if j != i):
                terms.append(net.xor_words(product.place(net, a[i], b[j]), s[i, j]))
        shared.append(_sum(net, terms, at + 1))
    return shared


GADGETS: dict[Scheme, Gadget] = {Scheme.HPC3: hpc3, Scheme.HPC2: hpc2, Scheme.DOM: dom}


def masked_product(
    scheme: Scheme, product: Bilinear, order: int, builder: type[ShareBuilder] = ShareBuilder
) -> MaskedCircuit:
    """One gadget by itself: operands a and b, result c. The operand a of HPC2 arrives in the second stage.

    `builder` makes it. Raises RequestError for an order out of range and for a product that the scheme does not do.
    """
    net = builder(f"{scheme}_{product.name.lower().translate(_WORD)}_order_{order}", shares=order + 1)
    a = net.operand("a", product.left, 1 if scheme is Scheme.HPC2 else 0)
    b = net.operand("b", product.right)
    net.result("c", GADGETS[scheme](net, a, b, product))
    return net.masked()


_WORD = str.maketrans({" ": "_", "(": None, ")": None, "^": "_"})


def _stage(net: ShareBuilder, a: Sharing, b: Sharing) -> int:
    """The stage of a gadget whose operands come in one: the later one's, or that of `net.stage()` if it is later."""
    net.multiplies(a, b)
    return max(net.least_stage, net.stage_of(*(wire for sharing in (a, b) for share in sharing for wire in share)))


def _symmetric(net: ShareBuilder, stage: int, width: int) -> dict[tuple[int, int], list[Wire]]:
    """Fresh words for each pair of shares, the same for (i, j) and (j, i)."""
    words: dict[tuple[int, int], list[Wire]] = {}
    for i, j in combinations(range(net.shares), 2):
        words[i, j] = words[j, i] = [net.fresh(stage) for _ in range(width)]
    return words


def _sum(net: ShareBuilder, terms: Sequence[Sequence[Wire]], stage: int) -> list[Wire]:
    """The sum of words, in a stage."""
    with net.stage(stage):
        total = list(terms[0])
        for term in terms[1:]:
            total = net.xor_words(total, term)
    return total
