"""Gates, inverters and levels of every circuit of the catalogue, and what they say about the publications' claims."""

from __future__ import annotations

import pytest

from aesmith.circuits.circuit import Circuit, Op
from aesmith.sboxes import lin2023, zhang2004
from aesmith.sboxes.catalogue import catalogue, sbox
from aesmith.sboxes.entry import Figures, Function, SBox

FIGURES = [
    ("table", "forward", 405, 3, 7),
    ("table", "inverse", 405, 2, 7),
    ("table", "combined", 717, 3, 8),
    ("satoh2001", "forward", 137, 3, 29),
    ("satoh2001", "inverse", 137, 2, 29),
    ("satoh2001", "combined", 168, 7, 34),
    ("satoh2001", "inverter", 114, 0, 21),
    ("zhang2004", "forward", 137, 3, 26),
    ("zhang2004", "inverse", 137, 2, 25),
    ("zhang2004", "combined", 168, 7, 30),
    ("zhang2004", "inverter", 114, 0, 18),
    ("zhang2004-powers", "forward", 184, 3, 34),
    ("zhang2004-powers", "inverse", 184, 2, 34),
    ("zhang2004-powers", "combined", 215, 7, 39),
    ("zhang2004-powers", "inverter", 161, 0, 26),
    ("zhang2004-decomposed", "forward", 140, 3, 29),
    ("zhang2004-decomposed", "inverse", 140, 2, 29),
    ("zhang2004-decomposed", "combined", 171, 7, 34),
    ("zhang2004-decomposed", "inverter", 117, 0, 21),
    ("canright2005", "forward", 120, 1, 23),
    ("canright2005", "inverse", 120, 2, 22),
    ("canright2005", "combined", 147, 7, 27),
    ("canright2005", "inverter", 96, 0, 16),
    ("boyar2010", "forward", 115, 0, 28),
    ("boyar2010-113", "forward", 113, 0, 27),
    ("boyar2010-derived", "forward", 109, 2, 29),
    ("boyar2010-derived", "inverse", 116, 2, 27),
    ("boyar2010-derived", "combined", 147, 3, 32),
    ("boyar2012", "forward", 128, 0, 16),
    ("boyar2012", "inverse", 127, 0, 16),
    ("boyar2012-derived", "forward", 113, 1, 16),
    ("boyar2012-derived", "inverse", 121, 4, 16),
    ("nekado2012", "inverter", 110, 0, 10),
    ("ueno2015", "inverter", 97, 0, 9),
    ("ueno2015-fast", "inverter", 107, 15, 8),
    ("reyhani2018", "forward", 99, 3, 24),
    ("reyhani2018", "inverse", 101, 8, 25),
    ("reyhani2018", "combined", 130, 10, 30),
    ("maximov2019", "forward", 132, 2, 12),
    ("maximov2019", "inverse", 132, 12, 12),
    ("maximov2019", "combined", 197, 6, 16),
    ("teng2022", "forward", 140, 2, 24),
    ("teng2022", "inverse", 140, 1, 23),
    ("teng2022", "combined", 172, 5, 26),
    ("teng2022", "inverter", 114, 0, 18),
    ("lin2023", "forward", 156, 12, 20),
    ("lin2023", "inverse", 156, 11, 19),
    ("lin2023", "combined", 188, 15, 22),
    ("lin2023", "inverter", 134, 9, 14),
]
"""Entry, function, gates, inverters, levels: a change to a circuit must be made here too."""


@pytest.mark.parametrize(("name", "function", "gates", "inverters", "levels"), FIGURES)
def test_a_circuit_has_these_gates_and_levels(
    name: str, function: str, gates: int, inverters: int, levels: int
) -> None:
    assert sbox(name).figures(Function(function)) == Figures(gates, inverters, levels)


def test_the_figures_are_of_all_circuits() -> None:
    assert [row[:2] for row in FIGURES] == [
        (name, str(function)) for name, entry in catalogue().items() for function in entry.functions
    ]


@pytest.mark.parametrize(
    ("name", "function", "published"),
    [
        ("canright2005", Function.FORWARD, 120),
        ("boyar2010-derived", Function.FORWARD, 113),
        ("boyar2012-derived", Function.FORWARD, 128),
        ("boyar2012-derived", Function.INVERSE, 127),
        ("reyhani2018", Function.FORWARD, 113),
    ],
)
def test_no_more_gates_than_published(name: str, function: Function, published: int) -> None:
    assert sbox(name).figures(function).gates <= published


@pytest.mark.parametrize(
    ("name", "function", "ands", "xors", "levels"),
    [
        ("boyar2010", Function.FORWARD, 32, 83, 28),
        ("boyar2010-113", Function.FORWARD, 32, 81, 27),
        ("boyar2012", Function.FORWARD, 34, 94, 16),
        ("boyar2012", Function.INVERSE, 34, 93, 16),
    ],
)
def test_published_programs_have_the_published_gates(
    name: str, function: Function, ands: int, xors: int, levels: int
) -> None:
    count = sbox(name).circuit(function).count()
    assert set(count) <= {Op.AND, Op.XOR, Op.XNOR}
    assert (count[Op.AND], count[Op.XOR] + count[Op.XNOR]) == (ands, xors)
    assert sbox(name).figures(function).levels == levels


def test_the_derived_small_one_is_of_and_and_xor_gates_only() -> None:
    count = sbox("boyar2010-derived").circuit(Function.FORWARD).count()
    assert set(count) <= {Op.AND, Op.XOR, Op.XNOR, Op.NOT}
    assert count[Op.AND] == 34


@pytest.mark.parametrize("function", [Function.FORWARD, Function.INVERSE])
def test_the_derived_shallow_one_has_the_published_depth(function: Function) -> None:
    assert sbox("boyar2012-derived").figures(function).levels == 16


def _xors(circuit: Circuit, block: str) -> int:
    numbers = [i for i, label in enumerate(circuit.blocks) if label.startswith(block)]
    return sum(gate.op in (Op.XOR, Op.XNOR) for gate in circuit.gates if gate.block in numbers)


@pytest.mark.parametrize(
    ("function", "into", "out_of"),
    [(Function.FORWARD, 12, 19), (Function.INVERSE, 17, 14)],
)
def test_zhang2004_has_no_more_xors_around_the_inverter_than_published(
    function: Function, into: int, out_of: int
) -> None:
    circuit = zhang2004.DIRECT.circuit(function)
    assert _xors(circuit, "isomorphic mapping") <= into
    assert _xors(circuit, "inverse isomorphic mapping") <= out_of


@pytest.mark.parametrize(
    ("entry", "xors", "ands"),
    [
        (zhang2004.POWERS, 54, 18),
        (zhang2004.DIRECT, 14, 9),
        (zhang2004.DECOMPOSED, 17, 9),
    ],
)
def test_zhang2004_inverts_in_gf_16_with_no_more_gates_than_table_ii(entry: SBox, xors: int, ands: int) -> None:
    circuit = entry.circuit(Function.INVERTER)
    block = next(i for i, label in enumerate(circuit.blocks) if label.startswith("Θ"))
    gates = [gate.op for gate in circuit.gates if gate.block == block]
    assert gates.count(Op.XOR) <= xors
    assert gates.count(Op.AND) <= ands


def test_lin2023_has_fewer_xors_around_the_inverter_than_published() -> None:
    circuit = lin2023.ENTRY.circuit(Function.COMBINED)
    assert _xors(circuit, "change of basis") <= 24
    assert _xors(circuit, "inverse change of basis") <= 21
