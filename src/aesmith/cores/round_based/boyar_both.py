"""Both directions of Boyar and Peralta's S-box (SEA 2010) around one middle, which the publication has apart.

Eight independent forms of the input are selected, of x or of the inverse affine map of x; the other forms are sums of
them. The bottom map has both outputs, with and without the affine map, and selectors.
"""

from __future__ import annotations

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.circuits.linear import linear_map
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.sboxes.boyar2010 import TOWER
from aesmith.sboxes.norm_sbox import independent
from aesmith.sboxes.norm_tower import forms, place_inverse_in_four_levels


def boyar_both() -> Circuit:
    """x and decrypt to y."""
    builder = CircuitBuilder("both_sbox")
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
