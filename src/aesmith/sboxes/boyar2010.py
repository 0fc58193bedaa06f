"""A small S-box of AND and XOR gates after Boyar and Peralta (SEA 2010).

Top linear map (here 22 forms: 18 factors and the norm's four linear parts), a middle with the norm and the inversion in
GF(2^4), 18 products, bottom linear map. The constant of the affine map makes XNOR gates of some XOR gates.
"""

from __future__ import annotations

from collections.abc import Callable

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.circuits.linear import linear_map
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.publications import Publication
from aesmith.sboxes.entry import Claim, Function, SBox
from aesmith.sboxes.norm_sbox import DECRYPTED, independent
from aesmith.sboxes.norm_tower import NormTower, forms, place_inverse_in_four_levels

PUBLICATION = Publication(
    "boyar2010",
    "J. Boyar, R. Peralta",
    "A New Combinational Logic Minimization Technique with Applications to Cryptology",
    "SEA 2010, LNCS 6049",
    2010,
)

TOWER = NormTower(
    a=(255, 73, 182, 247, 214, 33, 104, 65, 41),
    b=(229, 146, 119, 66, 245, 183, 82, 208, 130),
    c=(92, 176, 93, 12),
    e=(93, 81, 92, 236),
    d=(92, 236, 176, 12, 93, 81, 1, 189, 188),
)
"""Found by search over all towers (`benchmarks/sbox_search.py`)."""


def _circuit(name: str, into: tuple[BitMatrix, int], out_of: tuple[BitMatrix, int]) -> Circuit:
    builder = CircuitBuilder(name)
    x = builder.input("x", 8)
    with builder.block("top linear map"):
        top = forms([*TOWER.a, *TOWER.b, *(bit.linear for bit in TOWER.norm_bits)])
        wires = linear_map(top @ into[0]).place(builder, x, top.apply(into[1]))
    a, b, linear = wires[:9], wires[9:18], wires[18:]
    with builder.block("norm N = x^17 in GF(2^4)"):
        rows = (sum(1 << k for k in bit.products) | 1 << 9 + i for i, bit in enumerate(TOWER.norm_bits))
        products = [builder.and_(f, g) for f, g in zip(a, b, strict=True)]
        norm = linear_map(BitMatrix(tuple(rows), 13)).place(builder, products + linear)
    with builder.block("N^-1 in GF(2^4), and its nine forms"):
        inverse = linear_map(TOWER.spread).place(builder, place_inverse_in_four_levels(builder, norm))
    with builder.block("18 products"):
        products = [builder.and_(d, f) for half in (a, b) for d, f in zip(inverse, half, strict=True)]
    with builder.block("bottom linear map"):
        matrix, constant = out_of
        builder.output("y", linear_map(TOWER.outputs(matrix)).place(builder, products, constant))
    return builder.build()


def combined() -> Circuit:
    """Both directions around one middle, which the publication has apart.

    Eight independent forms of the input are selected, of x or of the inverse affine map of x; the other forms are sums
    of them. The bottom map has both outputs, with and without the affine map, and selectors.
    """
    builder = CircuitBuilder("boyar2010_combined")
    x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
    base = forms([(TOWER.a + TOWER.b)[k] for k in independent(TOWER)])
    with builder.block("eight input forms of both directions, and selection"):
        constant = base.apply(aes.INVERSE_AFFINE_CONSTANT)
        wires = linear_map(stack([base, base @ aes.INVERSE_AFFINE])).place(builder, x, constant << 8)
        selected = [builder.mux(decrypt, wires[k], wires[8 + k]) for k in range(8)]
    with builder.block("top linear map"):
        top = forms([*TOWER.a, *TOWER.b, *(bit.linear for bit in TOWER.norm_bits)])
        wires = linear_map(top @ base.inverse()).place(builder, selected)
    a, b, linear = wires[:9], wires[9:18], wires[18:]
    with builder.block("norm N = x^17 in GF(2^4)"):
        rows = (sum(1 << k for k in bit.products) | 1 << 9 + i for i, bit in enumerate(TOWER.norm_bits))
        products = [builder.and_(f, g) for f, g in zip(a, b, strict=True)]
        norm = linear_map(BitMatrix(tuple(rows), 13)).place(builder, products + linear)
    with builder.block("N^-1 in GF(2^4), and its nine forms"):
        inverse = linear_map(TOWER.spread).place(builder, place_inverse_in_four_levels(builder, norm))
    with builder.block("18 products"):
        products = [builder.and_(d, f) for half in (a, b) for d, f in zip(inverse, half, strict=True)]
    with builder.block("bottom linear maps of both directions, and selection"):
        both = stack([TOWER.outputs(aes.AFFINE), TOWER.outputs(BitMatrix.identity(8))])
        wires = linear_map(both).place(builder, products, aes.AFFINE_CONSTANT)
        builder.output("y", [builder.mux(decrypt, wires[k], wires[8 + k]) for k in range(8)])
    return builder.build()


_PLAIN = (BitMatrix.identity(8), 0)

CIRCUITS: dict[Function, Callable[[], Circuit]] = {
    Function.FORWARD: lambda: _circuit("boyar2010_forward", _PLAIN, (aes.AFFINE, aes.AFFINE_CONSTANT)),
    Function.INVERSE: lambda: _circuit("boyar2010_inverse", DECRYPTED, _PLAIN),
    Function.COMBINED: combined,
}

ENTRY = SBox(
    name="boyar2010",
    publication=PUBLICATION,
    summary="few gates, all of them AND, XOR or XNOR",
    circuits=CIRCUITS,
    claims=(Claim(Function.FORWARD, "115 gates: 32 AND, 83 XOR/XNOR, depth 28 (later 113 gates, 32 AND, depth 27)"),),
    provenance=(
        "derived here with the publication's structure: tower by search over all, linear maps by our optimiser, "
        "inverter in GF(2^4) of the authors' shallow circuit (two AND more than their smallest)"
    ),
)
