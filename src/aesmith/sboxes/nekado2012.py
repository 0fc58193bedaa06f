"""An inverter after Nekado, Nogami and Iokibe (IWSEC 2012): redundant words and direct logic gates everywhere.

GF((2^4)^2) with {α, α^16}, α + α^16 = 1 and α^17 = β, so that N = a^17 = β(h+l)^2 + h·l costs a product and wires.
Products are cyclic vector multiplications of RRB words; N^-1 is three levels of gates on the RRB word of N. The
publication's gate equations are not openly accessible: the inverse of N is the smallest sum of products among all that
follow the symmetry of the basis (`benchmarks/nekado_inverse.py` lists them).
"""

from __future__ import annotations

from itertools import combinations

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.fields.tower import NormalTower, normal_towers
from aesmith.publications import Publication
from aesmith.sboxes.entry import Claim, Function, SBox
from aesmith.sboxes.ueno2015 import pair_sums, rrb_product

PUBLICATION = Publication(
    "nekado2012",
    "K. Nekado, Y. Nogami, K. Iokibe",
    "Very Short Critical Path Implementation of AES with Direct Logic Gates",
    "IWSEC 2012, LNCS 7631",
    2012,
)

TOWER: NormalTower = next(tower for tower in normal_towers() if tower.mu == 1 and tower.nu == tower.beta)


def place_inverse_4(builder: CircuitBuilder, n: list[Wire]) -> list[Wire]:
    """An RRB word of N^-1 from any RRB word of N: e_k = n_0 ? ~n_2·~n_3 | ~n_1·~n_4 : n_2·n_3 | n_1·n_4, indices -k."""
    word = []
    for k in range(5):
        n0, n1, n2, n3, n4 = (n[(i - k) % 5] for i in range(5))
        ones = builder.nand(builder.nand(n2, n3), builder.nand(n1, n4))
        zeros = builder.nand(builder.or_(n2, n3), builder.or_(n1, n4))
        word.append(builder.mux(n0, ones, zeros))
    return word


def inverter() -> Circuit:
    """x: NB word h4 h3 h2 h1 l4 l3 l2 l1 (bit 7 to 0); y: RRB word p4 … p0 q4 … q0 (bit 9 to 0)."""
    builder = CircuitBuilder("nekado2012_inverter")
    x = builder.input("x", 8)
    with builder.block("pair sums of h and l"):
        low = pair_sums(builder, [None, *x[:4]])
        high = pair_sums(builder, [None, *x[4:]])
    with builder.block("N = β(h+l)^2 + h·l; squaring and ×β are wires"):
        n = rrb_product(builder, high, low)
        for i in range(1, 5):
            k = (2 * i + 1) % 5
            n[k] = builder.xor(n[k], builder.xor(x[3 + i], x[i - 1]))
    with builder.block("N^-1 in GF(2^4), three levels of gates"):
        inverse = dict(zip(range(5), place_inverse_4(builder, n), strict=True))
    with builder.block("p = l·N^-1 and q = h·N^-1"):
        sums = {(i, j): builder.xor(inverse[i], inverse[j]) for i, j in combinations(range(5), 2)}
        q = rrb_product(builder, sums, high)
        p = rrb_product(builder, sums, low)
    builder.output("y", q + p)
    return builder.build()


ENTRY = SBox(
    name="nekado2012",
    publication=PUBLICATION,
    summary="GF((2^4)^2) inverter with redundant arithmetic throughout: 8-bit NB in, 10-bit RRB out",
    circuits={Function.INVERTER: inverter},
    claims=(
        Claim(Function.INVERTER, "205.81 GE and 1.62 ns (TSMC 65 nm, measured by Ueno et al., CHES 2016)"),
        Claim(Function.INVERTER, "a round takes 4T_AND + 13T_XOR without selectors, of which 6T_XOR are linear"),
    ),
    bases=(TOWER.nb, TOWER.rrb),
    provenance="derived from the structure the publication is known for; its own netlist is not known",
)
