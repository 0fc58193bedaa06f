"""A small S-box after Reyhani-Masoleh, Taha and Ashmawy (CHES 2018; ARITH 2018 for both directions in one).

18 input forms, a norm whose square is merged into NAND and NOR gates, an inverter of four functions of four bits, two
multiplications that give 18 products, and one output matrix over them.
"""

from __future__ import annotations

from aesmith.publications import Publication
from aesmith.sboxes.entry import Claim, Function, SBox
from aesmith.sboxes.norm_tower import NormSbox, NormTower, place_inverse_by_selection, place_norm_merged

PUBLICATION = Publication(
    "reyhani2018",
    "A. Reyhani-Masoleh, M. Taha, D. Ashmawy",
    "Smashing the Implementation Records of AES S-box",
    "IACR Transactions on CHES 2018(2)",
    2018,
)

FORWARD = NormTower(
    a=(190, 96, 222, 104, 65, 41, 255, 73, 182),
    b=(103, 192, 167, 82, 208, 130, 119, 229, 146),
    c=(92, 176, 177, 80),
    e=(224, 13, 81, 93),
    d=(12, 93, 81, 224, 237, 13, 225, 80, 177),
)
INVERSE = NormTower(
    a=(12, 93, 81, 224, 237, 13, 225, 80, 177),
    b=(55, 113, 70, 60, 50, 14, 5, 127, 122),
    c=(92, 176, 93, 12),
    e=(236, 92, 81, 93),
    d=(92, 236, 176, 12, 93, 81, 1, 189, 188),
)
COMBINED = NormTower(
    a=(85, 206, 155, 164, 187, 31, 106, 32, 74),
    b=(190, 96, 222, 65, 41, 104, 159, 151, 8),
    c=(12, 93, 80, 177),
    e=(237, 13, 176, 92),
    d=(92, 236, 176, 12, 93, 81, 224, 237, 13),
)
"""Found by search over all towers (`benchmarks/sbox_search.py`); the combined one with its offset."""

ARCHITECTURE = NormSbox(
    "reyhani2018",
    FORWARD,
    INVERSE,
    COMBINED,
    place_norm_merged,
    place_inverse_by_selection,
    combined_offset=115,
)

ENTRY = SBox(
    name="reyhani2018",
    publication=PUBLICATION,
    summary="the smallest: 18 forms, merged norm, 18 products, one output matrix",
    circuits=ARCHITECTURE.circuits(),
    claims=(
        Claim(
            Function.FORWARD,
            "110 gates, 69 of them XOR or XNOR (counted in a public transcription of the publication's equations); "
            "smaller than the circuits of 113 gates (Boyar, Peralta, Calik) and of Canright",
        ),
        Claim(Function.COMBINED, "the smallest known when published (ARITH 2018, for both directions)"),
    ),
    provenance=(
        "derived here with the publication's structure: towers by search, linear maps by our optimiser; the inverter "
        "in GF(2^4) is that of Maximov and Ekdahl (2019), smaller than four sums of products"
    ),
)
