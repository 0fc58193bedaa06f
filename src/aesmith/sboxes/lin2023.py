"""The combined S-box of Lin et al. (IEEE Access 2023): seven stages, multiplicative offsets 88 and 50.

Tower and inversion are Zhang and Parhi's; the multiplications are flattened and cut in the middle. Equation numbers are
the publication's. Three of its equations hold only as corrected here: in (11) + is OR, not XOR; in stage2_6 of (9) the
bar is OR; the n of (12) and (13) are the bits of n^-1.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op, Wire
from aesmith.circuits.pipeline import StagedCircuit, from_stages
from aesmith.publications import Publication
from aesmith.sboxes.around_inverter import AroundInverter
from aesmith.sboxes.entry import Claim, Function, SBox
from aesmith.sboxes.zhang2004 import BASIS

PUBLICATION = Publication(
    "lin2023",
    "S.-H. Lin, J.-Y. Lee, C.-C. Chuang, N.-Y. Lee, P.-Y. Chen, W.-L. Chin",
    "Hardware Implementation of High-Throughput S-Box in AES for Information Security",
    "IEEE Access 11",
    2023,
)

ENCRYPTION_OFFSET, DECRYPTION_OFFSET = 88, 50
"""C_en and C_de."""

STAGES = (
    "change of basis of both directions, and selection",
    "stage 2: intermediate products, equation 9",
    "stage 3: n = va^2 + b(a+b), equation 10",
    "stage 4: n^-1, equation 11",
    "stage 5: sums of n^-1, equation 12",
    "stage 6: k = {a·n^-1, (a+b)·n^-1}, equation 13",
    "inverse change of basis of both directions, and selection",
)


def _xor_all(builder: CircuitBuilder, *wires: Wire) -> Wire:
    """A balanced sum."""
    level = list(wires)
    while len(level) > 1:
        level = [builder.xor(*level[i : i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


def _all(builder: CircuitBuilder, *wires: Wire) -> Wire:
    """A product of two to four wires, as NAND of parts where there are four."""
    match len(wires):
        case 2:
            return builder.and_(*wires)
        case 3:
            return builder.gate(Op.AND3, *wires)
        case _:
            return builder.nor(builder.nand(*wires[:2]), builder.nand(*wires[2:]))


def _any(builder: CircuitBuilder, *wires: Wire) -> Wire:
    """A sum of products of two to six terms, by OR."""
    level = list(wires)
    while len(level) > 1:
        count = 3 if len(level) > 4 or len(level) == 3 else 2
        groups = [level[i : i + count] for i in range(0, len(level), count)]
        level = [_or(builder, group) for group in groups]
    return level[0]


def _or(builder: CircuitBuilder, group: list[Wire]) -> Wire:
    if len(group) == 1:
        return group[0]
    return builder.or_(*group) if len(group) == 2 else builder.gate(Op.OR3, *group)


def place_inverter(builder: CircuitBuilder, x: list[Wire]) -> list[Wire]:
    """Equations 9 to 13 on wires."""
    (b0, b1, b2, b3), (a0, a1, a2, a3) = x[:4], x[4:]
    xor, and_, not_ = builder.xor, builder.and_, builder.not_
    with builder.block(STAGES[1]):
        s8 = builder.xnor(a3, a2)
        s1 = and_(b3, s8)
        s2 = xor(xor(b2, b1), b0)
        s3 = and_(not_(b3), xor(a1, a0))
        s4 = and_(a2, not_(b1))
        s5 = and_(b3, builder.xnor(a1, a3))
        s6 = xor(builder.or_(a0, b2), and_(a3, not_(b1)))
        s7 = xor(b2, b0)
        s9 = and_(not_(b2), a3)
        s10 = and_(b1, not_(a1))
        s11 = not_(a0)
    with builder.block(STAGES[2]):
        n3 = _xor_all(builder, and_(a3, s2), and_(b2, a1), xor(s1, s3), s4)
        n2 = _xor_all(builder, s5, s6, and_(a2, s7))
        late = and_(b1, builder.xnor(a1, a0))
        n1 = xor(_xor_all(builder, and_(b2, s8), and_(b3, a2), and_(b0, a1), a3), late)
        n0 = _xor_all(builder, and_(b0, s11), s1, s9, xor(s10, a2))
        total = [xor(a, b) for a, b in ((a0, b0), (a1, b1), (a2, b2), (a3, b3))]
    with builder.block(STAGES[3]):
        m0, m1, m2, m3 = (not_(n) for n in (n0, n1, n2, n3))
        products: tuple[tuple[tuple[Wire, ...], ...], ...] = (
            ((m3, n1, m0), (m3, n1, n2), (m2, n0, n3, n1), (m1, m3, n0, m2), (m0, n2)),
            ((m1, m3, n2, m0), (m1, n3, m2), (n3, n0, m1), (n3, n0, m2), (m3, n1, m2), (m3, n1, n0)),
            ((m3, n2, m1), (n3, n2), (n3, m2, n0)),
            ((m3, n2), (n2, m1, n0), (n2, n1, m0), (n3, m2, m0)),
        )
        e0, e1, e2, e3 = (_any(builder, *(_all(builder, *term) for term in terms)) for terms in products)
    with builder.block(STAGES[4]):
        t0, t1, t2, t3 = xor(e3, e2), xor(e1, e0), xor(e3, e1), xor(e2, e0)
        t4 = xor(t0, t1)
    with builder.block(STAGES[5]):

        def product(s: list[Wire]) -> list[Wire]:
            rows = ((e0, e1, e3, t0), (e1, t1, t0, e2), (e2, e3, t3, t2), (e3, t0, t2, t4))
            return [_xor_all(builder, *(and_(f, g) for f, g in zip(s, row, strict=True))) for row in rows]

        return product(total) + product([a0, a1, a2, a3])


ARCHITECTURE = AroundInverter(
    "lin2023",
    BASIS,
    BASIS,
    place_inverter,
    forward_offset=ENCRYPTION_OFFSET,
    inverse_offset=DECRYPTION_OFFSET,
    shallow=True,
    out_of="inverse change of basis",
)


def _stages_by_block(circuit: Circuit, labels: Sequence[str]) -> StagedCircuit:
    """The circuit with each block a stage, in the order of `labels`; all inputs arrive in the first.

    A gate stays in the stage of its block even where an earlier one could hold it.
    """
    stage_of = {label: stage for stage, label in enumerate(labels)}
    stages = [0] * circuit.input_width + [stage_of[circuit.blocks[gate.block]] for gate in circuit.gates]
    return from_stages(circuit, stages, len(labels))


def staged() -> StagedCircuit:
    """The combined S-box cut as in figure 1: 8 + 19 + 12 + 12 + 17 + 8 = 76 bits, and `decrypt` in every rank.

    The publication does not count the bit that says which direction a byte goes.
    """
    return _stages_by_block(ARCHITECTURE.combined(), STAGES)


ENTRY = SBox(
    name="lin2023",
    publication=PUBLICATION,
    summary="seven stages with flattened multiplications; one offset a direction",
    circuits=ARCHITECTURE.circuits(),
    claims=(
        Claim(Function.COMBINED, "4347.83 MHz, 1031.99 gates, 76 register bits in seven stages (TSMC 40 nm)"),
        Claim(Function.COMBINED, "24 XOR and 4 NOT before the inverter, 21 XOR and 4 NOT after it"),
        Claim(Function.COMBINED, "not pipelined: 679.67 gates at 800 MHz (TSMC 40 nm)"),
    ),
    bases=(BASIS, BASIS),
    provenance=(
        "equations 3 to 15 of the publication as corrected, with its register cuts; the XOR programs of its matrices "
        "are our own and smaller"
    ),
    stagings={Function.COMBINED: staged},
)
