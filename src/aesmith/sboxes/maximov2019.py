"""A fast S-box after Maximov and Ekdahl (CHES 2019, architecture D): no matrix at the output.

With e_0 … e_3 the bits of N^-1, the output is Σ e_j·L_j(x), where L_j are eight linear forms of the input each. The 32
forms are formed while the norm is formed and inverted; after e come one NAND and an XOR of four. In the combined S-box
the multiplexers stand at the forms, where time is not critical ("floating multiplexers"), not at the output.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import linear_map
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.publications import Publication
from aesmith.sboxes.entry import Function, SBox
from aesmith.sboxes.norm_tower import (
    DECRYPTED,
    NormTower,
    forms,
    independent,
    place_inverse_by_selection,
    place_norm_merged,
)

PUBLICATION = Publication(
    "maximov2019",
    "A. Maximov, P. Ekdahl",
    "New Circuit Minimization Techniques for Smaller and Faster AES SBoxes",
    "IACR Transactions on CHES 2019(4)",
    2019,
)

LEVELS = 3
"""XOR levels of the input forms: the fewest that forms of eight bits can be bound to."""

FORWARD = NormTower(
    a=(184, 195, 123, 24, 186, 162, 26, 219, 193),
    b=(245, 183, 66, 192, 167, 103, 208, 130, 82),
    c=(80, 177, 237, 13),
    e=(80, 177, 237, 13),
    d=(224, 237, 13, 1, 189, 188, 225, 80, 177),
)
INVERSE = NormTower(
    a=(89, 147, 202, 68, 86, 18, 215, 156, 75),
    b=(10, 254, 244, 22, 134, 144, 226, 140, 110),
    c=(224, 237, 236, 176),
    e=(93, 81, 177, 225),
    d=(225, 80, 177, 92, 236, 176, 12, 93, 81),
)
COMBINED = NormTower(
    a=(12, 93, 81, 224, 237, 13, 1, 189, 188),
    b=(85, 206, 155, 164, 187, 31, 106, 32, 74),
    c=(93, 81, 189, 188),
    e=(188, 1, 236, 176),
    d=(1, 189, 188, 225, 80, 177, 92, 236, 176),
)
"""Found by search over all towers (`benchmarks/sbox_search.py`)."""

COMBINED_OFFSET = 30
"""γ of the combined S-box when it decrypts: three output bits then need no multiplexer in any L."""

_IDENTITY = BitMatrix.identity(8)


def _place_inverted_norm(builder: CircuitBuilder, tower: NormTower, wires: Sequence[Wire]) -> list[Wire]:
    with builder.block("norm N = x^17 in GF(2^4)"):
        norm = place_norm_merged(builder, tower, wires[:9], wires[9:])
    with builder.block("e = N^-1 in GF(2^4)"):
        return place_inverse_by_selection(builder, norm)


def _place_output(
    builder: CircuitBuilder, e: Sequence[Wire], multiples: Sequence[Wire], constant: Sequence[int]
) -> list[Wire]:
    """Bit i: Σ_j e_j·L_ji; the four complements cancel."""
    outputs = []
    for i in range(8):
        terms = [builder.nand(e[j], multiples[8 * j + i]) for j in range(4)]
        left, right = builder.xor(terms[0], terms[1]), builder.xor(terms[2], terms[3])
        outputs.append(builder.xnor(left, right) if constant[i] else builder.xor(left, right))
    return outputs


def _bits(constant: int) -> list[int]:
    return [constant >> i & 1 for i in range(8)]


def _one_direction(name: str, tower: NormTower, into: tuple[BitMatrix, int], out_of: tuple[BitMatrix, int]) -> Circuit:
    builder = CircuitBuilder(name)
    x = builder.input("x", 8)
    matrix, constant = into
    with builder.block("18 forms for the norm, 32 forms L for the output"):
        plain = stack([tower.input_forms, tower.input_multiples(out_of[0])])
        wires = linear_map(plain @ matrix, LEVELS).place(builder, x, plain.apply(constant))
    e = _place_inverted_norm(builder, tower, wires[:18])
    with builder.block("y = sum of e_j·L_j(x)"):
        builder.output("y", _place_output(builder, e, wires[18:], _bits(out_of[1])))
    return builder.build()


def forward() -> Circuit:
    """S-box."""
    return _one_direction("maximov2019_forward", FORWARD, (_IDENTITY, 0), (aes.AFFINE, aes.AFFINE_CONSTANT))


def inverse() -> Circuit:
    """Inverse S-box."""
    return _one_direction("maximov2019_inverse", INVERSE, DECRYPTED, (_IDENTITY, 0))


def combined() -> Circuit:
    """Both directions: eight forms of v = x or γ(A'x + c') are selected, and of every L(v) the direction's own."""
    builder = CircuitBuilder("maximov2019_combined")
    x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
    tower, offset = COMBINED, aes.FIELD.multiplication(COMBINED_OFFSET)
    base = forms([(tower.a + tower.b)[k] for k in independent(tower)])
    matrix, constant = DECRYPTED
    with builder.block("eight input forms of both directions, and selection"):
        both = stack([base, base @ offset @ matrix])
        wires = linear_map(both, LEVELS).place(builder, x, (base @ offset).apply(constant) << 8)
        selected = [builder.mux(decrypt, wires[k], wires[8 + k]) for k in range(8)]
    with builder.block("18 forms for the norm; forms L of both directions, and selection"):
        multiples = [tower.input_multiples(aes.AFFINE), tower.input_multiples(offset)]
        rows = stack([tower.input_forms, *multiples]) @ base.inverse()
        wires = linear_map(rows, LEVELS).place(builder, selected)
        encrypt, reverse = wires[18:50], wires[50:]
        pairs = zip(encrypt, reverse, strict=True)
        chosen = [one if one == other else builder.mux(decrypt, one, other) for one, other in pairs]
    e = _place_inverted_norm(builder, tower, wires[:18])
    with builder.block("y = sum of e_j·L_j, and c to encrypt"):
        outputs = _place_output(builder, e, chosen, [0] * 8)
        encrypting = builder.not_(decrypt)
        constants = [encrypting if bit else None for bit in _bits(aes.AFFINE_CONSTANT)]
        pairs_of_output = zip(outputs, constants, strict=True)
        builder.output("y", [y if c is None else builder.xor(y, c) for y, c in pairs_of_output])
    return builder.build()


ENTRY = SBox(
    name="maximov2019",
    publication=PUBLICATION,
    summary="fast: no output matrix, the output is four products a bit",
    circuits={Function.FORWARD: forward, Function.INVERSE: inverse, Function.COMBINED: combined},
    provenance=(
        "derived here with the publication's structure and inverter in GF(2^4): tower by search, linear maps by our "
        "optimiser; the publication's own netlists are smaller where their authors searched longer"
    ),
    patent="EP3957023, US11943332 (Ericsson): S-box computation without an output matrix; ask before commercial use",
)
