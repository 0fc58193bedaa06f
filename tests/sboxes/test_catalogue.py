"""Every entry of the catalogue, in every function that it has, is exact for all inputs and meets its claims."""

from __future__ import annotations

import dataclasses
import functools
import operator

import pytest

from aesmith.circuits.circuit import Circuit, CircuitBuilder, CircuitGate, Op
from aesmith.circuits.cost import UNIT, depth
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.sboxes import canright2005, nekado2012, ueno2015, zhang2004
from aesmith.sboxes.catalogue import catalogue, sbox
from aesmith.sboxes.entry import Function, SBox

ALL = [(name, function) for name, entry in catalogue().items() for function in entry.functions]


@pytest.mark.parametrize(("name", "function"), ALL)
def test_the_circuit_is_exact_for_all_inputs(name: str, function: Function) -> None:
    assert sbox(name).mismatches(function) == []


@pytest.mark.parametrize(("name", "function"), ALL)
def test_a_changed_gate_is_noticed(name: str, function: Function) -> None:
    circuit = sbox(name).circuit(function)
    i = next(i for i in reversed(range(len(circuit.gates))) if circuit.gates[i].op in (Op.XOR, Op.XNOR, Op.MUX))
    changed = {Op.XOR: Op.XNOR, Op.XNOR: Op.XOR, Op.MUX: Op.XOR3}[circuit.gates[i].op]
    gates = list(circuit.gates)
    gates[i] = CircuitGate(changed, gates[i].args, gates[i].block)
    broken: Circuit = dataclasses.replace(circuit, gates=tuple(gates))
    entry: SBox = dataclasses.replace(sbox(name), circuits={function: lambda: broken})
    assert entry.mismatches(function)


def test_canright2005_forward_has_the_published_gates() -> None:
    count = canright2005.forward().count()
    assert count[Op.XOR] + count[Op.XNOR] == 80
    assert (count[Op.NAND], count[Op.NOR]) == (34, 6)


def test_canright2005_combined_is_no_larger_than_published() -> None:
    count = canright2005.combined().count()
    assert count[Op.XOR] + count[Op.XNOR] <= 94
    assert (count[Op.NAND], count[Op.NOR], count[Op.MUX]) == (34, 6, 16)


def test_ueno2015_has_the_gates_that_give_its_published_area() -> None:
    count = ueno2015.inverter().count()
    assert count == {Op.XOR: 47, Op.NAND: 30, Op.NOR: 15, Op.NOR3: 5}
    assert 2.5 * 47 + 45 + 1.5 * 5 == 170.0
    assert depth(ueno2015.inverter(), UNIT) == 9


def test_ueno2015_holds_in_every_tower_that_it_names_and_in_no_other_normal_one() -> None:
    assert len(ueno2015.towers()) == 8
    for tower in ueno2015.towers():
        assert not dataclasses.replace(sbox("ueno2015"), bases=(tower.nb, tower.rrb)).mismatches(Function.INVERTER)


def test_every_entry_but_the_table_says_what_of_it_is_the_publications() -> None:
    assert [name for name, entry in catalogue().items() if not entry.provenance] == ["table"]


def test_a_known_patent_is_named() -> None:
    assert "EP3957023" in sbox("maximov2019").patent
    assert "US11943332" in sbox("maximov2019").patent


def test_the_polynomial_tower_is_zhang_and_parhis_equation_8() -> None:
    rows = "11000010 01001010 01111001 01100011 01110101 00110101 01111011 00000101"
    assert zhang2004.BASIS.from_field == BitMatrix.parse(rows.replace(" ", "\n"))


def _element(word: int) -> int:
    """The element of GF(2^4) that an RRB word stands for."""
    powers = (aes.FIELD.power(nekado2012.TOWER.beta, i) for i in range(5))
    return functools.reduce(operator.xor, (power for i, power in enumerate(powers) if word >> i & 1), 0)


def test_nekado2012_inverts_every_redundant_word_in_gf_16() -> None:
    builder = CircuitBuilder("inverse")
    builder.output("y", nekado2012.place_inverse_4(builder, builder.input("x", 5)))
    for word, inverse in enumerate(builder.build().table()):
        assert _element(inverse) == aes.FIELD.inverse(_element(word))


def test_an_unknown_name_or_function_is_refused_with_what_is_valid() -> None:
    with pytest.raises(RequestError, match="must be one of table, satoh2001, zhang2004"):
        sbox("canright")
    with pytest.raises(RequestError, match="ueno2015: has inverter, not forward"):
        sbox("ueno2015").circuit(Function.FORWARD)
