"""The S-box of Satoh et al. (ASIACRYPT 2001): GF(((2^2)^2)^2) with polynomial bases.

The inverse of {a, b} is {a·e, (a+b)·e} with e = n^-1 and n = λa^2 + b(a+b). Square and constant are merged into one
linear map of a; the two output products share the sums of e.
"""

from __future__ import annotations

from aesmith.circuits.circuit import CircuitBuilder, Wire
from aesmith.circuits.linear import linear_map
from aesmith.fields.aes import FIELD
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.publications import Publication
from aesmith.sboxes.around_inverter import AroundInverter
from aesmith.sboxes.entry import Claim, Function, SBox
from aesmith.sboxes.zhang2004 import BASIS, inverse_4_decomposed, product_4, sum_

PUBLICATION = Publication(
    "satoh2001",
    "A. Satoh, S. Morioka, K. Takano, S. Munetoh",
    "A Compact Rijndael Hardware Architecture with S-Box Optimization",
    "ASIACRYPT 2001, LNCS 2248",
    2001,
)

LAMBDA = BASIS.decode(0b1100)
LAMBDA_SQUARE = BitMatrix.from_map(
    lambda a: BASIS.encode(FIELD.multiply(LAMBDA, FIELD.power(BASIS.decode(a), 2))), 4, 4
)
"""a → λ·a^2 in GF(2^4)."""


def place_inverter(builder: CircuitBuilder, x: list[Wire]) -> list[Wire]:
    """The inverter on wires."""
    a, b = x[4:], x[:4]
    with builder.block("n = λa^2 + b(a+b)"):
        total = sum_(builder, a, b)
        n = sum_(builder, linear_map(LAMBDA_SQUARE).place(builder, a), product_4(builder, b, total))
    with builder.block("e = n^-1 in GF(2^4)"):
        e = inverse_4_decomposed(builder, n)
    with builder.block("{a, b}^-1 = {a·e, (a+b)·e}"):
        return product_4(builder, total, e) + product_4(builder, a, e)


ARCHITECTURE = AroundInverter("satoh2001", BASIS, BASIS, place_inverter)

ENTRY = SBox(
    name="satoh2001",
    publication=PUBLICATION,
    summary="GF(((2^2)^2)^2) with polynomial bases: the S-box that most compact cores were measured against",
    circuits=ARCHITECTURE.circuits(),
    claims=(Claim(Function.INVERTER, "212.25 GE and 2.53 ns (65 nm, measured by Ueno et al., CHES 2016)"),),
    bases=(BASIS, BASIS),
    provenance="tower and equations of the publication; XOR programs of the linear maps are our own",
)
