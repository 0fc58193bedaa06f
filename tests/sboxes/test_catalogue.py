"""Every entry of the catalogue, in every function that it has, is exact for all inputs and meets its claims."""

from __future__ import annotations

import dataclasses

import pytest

from aesmith.circuits.circuit import Circuit, Gate, Op
from aesmith.circuits.cost import UNIT, depth
from aesmith.errors import RequestError
from aesmith.sboxes import canright2005, ueno2015
from aesmith.sboxes.catalogue import CATALOGUE, sbox
from aesmith.sboxes.entry import Function, SBox

ALL = [(name, function) for name, entry in CATALOGUE.items() for function in entry.functions]


@pytest.mark.parametrize(("name", "function"), ALL)
def test_the_circuit_is_exact_for_all_inputs(name: str, function: Function) -> None:
    assert sbox(name).mismatches(function) == []


@pytest.mark.parametrize(("name", "function"), ALL)
def test_a_changed_gate_is_noticed(name: str, function: Function) -> None:
    circuit = sbox(name).circuit(function)
    i = next(i for i in reversed(range(len(circuit.gates))) if circuit.gates[i].op in (Op.XOR, Op.XNOR, Op.MUX))
    changed = {Op.XOR: Op.XNOR, Op.XNOR: Op.XOR, Op.MUX: Op.XOR3}[circuit.gates[i].op]
    gates = list(circuit.gates)
    gates[i] = Gate(changed, gates[i].args, gates[i].block)
    broken: Circuit = dataclasses.replace(circuit, gates=tuple(gates))
    entry: SBox = dataclasses.replace(sbox(name), circuits={function: lambda: broken})
    assert entry.mismatches(function)


def test_canright2005_forward_has_the_published_gates() -> None:
    count = canright2005.forward().count()
    assert count[Op.XOR] + count[Op.XNOR] == 80
    assert (count[Op.NAND], count[Op.NOR]) == (34, 6)


def test_canright2005_combined_is_within_one_xor_of_the_publication() -> None:
    count = canright2005.combined().count()
    assert count[Op.XOR] + count[Op.XNOR] <= 95
    assert (count[Op.NAND], count[Op.NOR], count[Op.MUX]) == (34, 6, 16)


def test_ueno2015_has_the_gates_that_give_its_published_area() -> None:
    count = ueno2015.inverter().count()
    assert count == {Op.XOR: 47, Op.NAND: 30, Op.NOR: 15, Op.NOR3: 5}
    assert 2.5 * 47 + 45 + 1.5 * 5 == 170.0
    assert depth(ueno2015.inverter(), UNIT) == 9


def test_ueno2015_holds_in_every_tower_that_it_names_and_in_no_other_normal_one() -> None:
    assert len(ueno2015.towers()) == 8
    for tower in ueno2015.towers():
        assert not dataclasses.replace(ueno2015.ENTRY, bases=(tower.nb, tower.rrb)).mismatches(Function.INVERTER)


def test_an_unknown_name_or_function_is_refused_with_what_is_valid() -> None:
    with pytest.raises(RequestError, match="must be one of table, satoh2001, zhang2004"):
        sbox("canright")
    with pytest.raises(RequestError, match="ueno2015: has inverter, not forward"):
        sbox("ueno2015").circuit(Function.FORWARD)
