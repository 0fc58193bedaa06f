"""Small S-boxes of AND and XOR gates of Boyar and Peralta (SEA 2010): as published, and derived with their structure.

Derived: top linear map (here 22 forms: 18 factors and the norm's four linear parts), a middle with the norm and the
inversion in GF(2^4), 18 products, bottom linear map. The constant of the affine map makes XNOR gates of some XOR gates.

A published circuit is a straight-line program in their notation: a text of statements `Z=X+Y`, `Z=X&Y` and `Z=X#Y`
(XOR, AND, XNOR), apart by white space, each of signals that are there before it. Inputs are U0 to U7 and outputs are
eight signals; number 0 is the most significant bit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.circuits.linear import linear_map
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.publications import Publication
from aesmith.sboxes.entry import Claim, Function, SBox
from aesmith.sboxes.norm_tower import DECRYPTED, NormTower, forms, independent, place_inverse_in_four_levels

PUBLICATION = Publication(
    "boyar2010",
    "J. Boyar, R. Peralta",
    "A New Combinational Logic Minimization Technique with Applications to Cryptology",
    "SEA 2010, LNCS 6049",
    2010,
)

_STATEMENT = re.compile(r"(\w+)=(\w+)([+&#])(\w+)")

_TOP_AND_MIDDLE = """
y14=U3+U5 y13=U0+U6 y9=U0+U3 y8=U0+U5 t0=U1+U2 y1=t0+U7 y4=y1+U3 y12=y13+y14 y2=y1+U0 y5=y1+U6 y3=y5+y8 t1=U4+y12
y15=t1+U5 y20=t1+U1 y6=y15+U7 y10=y15+t0 y11=y20+y9 y7=U7+y11 y17=y10+y11 y19=y10+y8 y16=t0+y11 y21=y13+y16
y18=U0+y16 t2=y12&y15 t3=y3&y6 t4=t3+t2 t5=y4&U7 t6=t5+t2 t7=y13&y16 t8=y5&y1 t9=t8+t7 t10=y2&y7 t11=t10+t7
t12=y9&y11 t13=y14&y17 t14=t13+t12 t15=y8&y10 t16=t15+t12 t17=t4+y20 t18=t6+t16 t19=t9+t14 t20=t11+t16 t21=t17+t14
t22=t18+y19 t23=t19+y21 t24=t20+y18 t25=t21+t22 t26=t21&t23 t27=t24+t26 t28=t25&t27 t29=t28+t22 t30=t23+t24
t31=t22+t26 t32=t31&t30 t33=t32+t24 t34=t23+t33 t35=t27+t33 t36=t24&t35 t37=t36+t34 t38=t27+t36 t39=t29&t38
t40=t25+t39 t41=t40+t37 t42=t29+t33 t43=t29+t40 t44=t33+t37 t45=t42+t41 z0=t44&y15 z1=t37&y6 z2=t33&U7 z3=t43&y16
z4=t40&y1 z5=t29&y7 z6=t42&y11 z7=t45&y17 z8=t41&y10 z9=t44&y12 z10=t37&y3 z11=t33&y4 z12=t43&y13 z13=t40&y5
z14=t29&y2 z15=t42&y9 z16=t45&y14 z17=t41&y8
"""

_BOTTOM_115 = """
t46=z15+z16 t47=z10+z11 t48=z5+z13 t49=z9+z10 t50=z2+z12 t51=z2+z5 t52=z7+z8 t53=z0+z3 t54=z6+z7 t55=z16+z17
t56=z12+t48 t57=t50+t53 t58=z4+t46 t59=z3+t54 t60=t46+t57 t61=z14+t57 t62=t52+t58 t63=t49+t58 t64=z4+t59 t65=t61+t62
t66=z1+t63 S0=t59+t63 S6=t56#t62 S7=t48#t60 t67=t64+t65 S3=t53+t66 S4=t51+t66 S5=t47+t65 S1=t64#S3 S2=t55#t67
"""

_BOTTOM_113 = """
tc1=z15+z16 tc2=z10+tc1 tc3=z9+tc2 tc4=z0+z2 tc5=z1+z0 tc6=z3+z4 tc7=z12+tc4 tc8=z7+tc6 tc9=z8+tc7 tc10=tc8+tc9
tc11=tc6+tc5 tc12=z3+z5 tc13=z13+tc1 tc14=tc4+tc12 S3=tc3+tc11 tc16=z6+tc8 tc17=z14+tc10 tc18=tc13+tc14 S7=z12#tc18
tc20=z15+tc16 tc21=tc2+z11 S0=tc3+tc16 S6=tc10#tc18 S4=tc14+S3 S1=S3#tc16 tc26=tc17+tc20 S2=tc26#z17 S5=tc21+tc17
"""

_OUTPUTS = tuple(f"S{bit}" for bit in range(8))

TOWER = NormTower(
    a=(255, 73, 182, 247, 214, 33, 104, 65, 41),
    b=(229, 146, 119, 66, 245, 183, 82, 208, 130),
    c=(92, 176, 93, 12),
    e=(93, 81, 92, 236),
    d=(92, 236, 176, 12, 93, 81, 1, 189, 188),
)
"""Found by search over all towers (`benchmarks/sbox_search.py`)."""


def straight_line(name: str, program: str, outputs: Sequence[str]) -> Circuit:
    """The program as a circuit from `x` to `y` (8 bits each), a gate a statement.

    Raises RequestError for what is no statement, and for a signal that is not there or is given twice.
    """
    builder = CircuitBuilder(name)
    signals = {f"U{7 - bit}": wire for bit, wire in enumerate(builder.input("x", 8))}
    for statement in program.split():
        parts = _STATEMENT.fullmatch(statement)
        if parts is None:
            raise RequestError(f"{name}: {statement!r} is not a statement such as T1=U0+U3")
        target, left, operator, right = parts.groups()
        if target in signals or left not in signals or right not in signals:
            raise RequestError(f"{name}: {statement}: a signal is given twice, or not there")
        gate = {"+": builder.xor, "&": builder.and_, "#": builder.xnor}[operator]
        signals[target] = gate(signals[left], signals[right])
    builder.output("y", [signals[output] for output in reversed(outputs)])
    return builder.build()


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
    builder = CircuitBuilder("boyar2010_derived_combined")
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
    Function.FORWARD: lambda: _circuit("boyar2010_derived_forward", _PLAIN, (aes.AFFINE, aes.AFFINE_CONSTANT)),
    Function.INVERSE: lambda: _circuit("boyar2010_derived_inverse", DECRYPTED, _PLAIN),
    Function.COMBINED: combined,
}

ENTRY = (
    SBox(
        name="boyar2010",
        publication=PUBLICATION,
        summary="few gates, all of them AND, XOR or XNOR; 32 AND",
        circuits={Function.FORWARD: lambda: straight_line("boyar2010", _TOP_AND_MIDDLE + _BOTTOM_115, _OUTPUTS)},
        claims=(Claim(Function.FORWARD, "115 gates: 32 AND, 83 XOR/XNOR, depth 28"),),
        provenance="the publication's straight-line program, gate by gate",
    ),
    SBox(
        name="boyar2010-113",
        publication=PUBLICATION,
        summary="the authors' later bottom map, two gates less",
        circuits={Function.FORWARD: lambda: straight_line("boyar2010_113", _TOP_AND_MIDDLE + _BOTTOM_113, _OUTPUTS)},
        claims=(Claim(Function.FORWARD, "113 gates: 32 AND, 81 XOR/XNOR, depth 27"),),
        provenance="the authors' straight-line program SLP_AES_113 (Circuit Minimization Team, Yale), gate by gate",
    ),
    SBox(
        name="boyar2010-derived",
        publication=PUBLICATION,
        summary="their structure around another tower: fewer gates, two AND more",
        circuits=CIRCUITS,
        provenance=(
            "derived here with the publication's structure: tower by search over all, linear maps by our optimiser, "
            "inverter in GF(2^4) of the authors' shallow circuit (two AND more than their smallest)"
        ),
    ),
)
