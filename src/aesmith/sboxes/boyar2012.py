"""A shallow S-box after Boyar and Peralta (SEC 2012): forward and inverse of depth 16 around one middle.

Both directions have the same norm, inverter in GF(2^4) and products; only the linear maps differ. Three levels
for the forms, three for the norm (its square merged into NAND and NOR gates), ten from there to the output: the output
map takes early products deep in its tree and late ones near its root.
"""

from __future__ import annotations

from aesmith.publications import Publication
from aesmith.sboxes.entry import Claim, Function, SBox
from aesmith.sboxes.norm_sbox import NormSbox
from aesmith.sboxes.norm_tower import NormTower, place_inverse_in_four_levels, place_norm_merged

PUBLICATION = Publication(
    "boyar2012",
    "J. Boyar, R. Peralta",
    "A Small Depth-16 Circuit for the AES S-Box",
    "SEC 2012, IFIP AICT 376",
    2012,
)

TOWER = NormTower(
    a=(190, 96, 222, 104, 65, 41, 255, 73, 182),
    b=(103, 192, 167, 82, 208, 130, 119, 229, 146),
    c=(92, 176, 177, 80),
    e=(93, 81, 13, 224),
    d=(12, 93, 81, 224, 237, 13, 225, 80, 177),
)
"""Found by search over all towers (`benchmarks/sbox_search.py`)."""

ARCHITECTURE = NormSbox(
    "boyar2012",
    TOWER,
    TOWER,
    TOWER,
    place_norm_merged,
    place_inverse_in_four_levels,
    input_levels=3,
    output_levels=10,
    inverse_levels=(4, 3, 4, 3),
)

ENTRY = SBox(
    name="boyar2012",
    publication=PUBLICATION,
    summary="depth 16 in both directions, around one middle",
    circuits={Function.FORWARD: ARCHITECTURE.forward, Function.INVERSE: ARCHITECTURE.inverse},
    claims=(
        Claim(Function.FORWARD, "128 gates, depth 16: 34 AND, 94 XOR/XNOR"),
        Claim(Function.INVERSE, "127 gates, depth 16"),
    ),
    provenance=(
        "derived here with the publication's structure: tower by search over all, linear maps by our optimiser, "
        "NAND and NOR gates in place of some AND and XOR gates"
    ),
)
