"""Forms, norm and products of the small S-boxes, and what is refused."""

from __future__ import annotations

import dataclasses

import pytest

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.sboxes import boyar2010, maximov2019, reyhani2018
from aesmith.sboxes.norm_tower import (
    NormTower,
    PlaceInverse4,
    forms,
    independent,
    place_inverse_by_selection,
    place_inverse_in_four_levels,
    place_norm_merged,
    trace_4,
)

TOWERS = [
    boyar2010.TOWER,
    reyhani2018.FORWARD,
    reyhani2018.INVERSE,
    reyhani2018.COMBINED,
    maximov2019.FORWARD,
    maximov2019.INVERSE,
    maximov2019.COMBINED,
]


@pytest.mark.parametrize("tower", TOWERS)
def test_the_norm_is_the_sum_of_its_products_and_its_linear_part(tower: NormTower) -> None:
    rows = tower.input_forms
    linear = forms([bit.linear for bit in tower.norm_bits])
    for x in range(256):
        word = rows.apply(x)
        for i, (psi, bit) in enumerate(zip(tower.c, tower.norm_bits, strict=True)):
            products = sum(word >> k & word >> 9 + k & 1 for k in bit.products)
            assert (products + (linear.apply(x) >> i)) & 1 == trace_4(psi, aes.FIELD.power(x, 17))


@pytest.mark.parametrize("tower", TOWERS)
def test_eight_forms_are_enough_for_all(tower: NormTower) -> None:
    chosen = independent(tower)
    assert len(chosen) == 8
    assert forms([(tower.a + tower.b)[k] for k in chosen]).rank() == 8


@pytest.mark.parametrize("tower", TOWERS)
def test_the_inverse_is_the_sum_of_the_forms_that_e_selects(tower: NormTower) -> None:
    multiples = tower.input_multiples(BitMatrix.identity(8))
    for x in range(256):
        e = [trace_4(psi, aes.FIELD.power(x, -17)) for psi in tower.e]
        word = multiples.apply(x)
        total = 0
        for j in range(4):
            total ^= (word >> 8 * j & 0xFF) * e[j]
        assert total == aes.FIELD.inverse(x)


@pytest.mark.parametrize("place", [place_inverse_by_selection, place_inverse_in_four_levels])
def test_an_inverter_in_gf_16_is_one_to_one(place: PlaceInverse4) -> None:
    builder = CircuitBuilder("inverse")
    builder.output("y", place(builder, builder.input("x", 4)))
    assert sorted(builder.build().table()) == list(range(16))


def test_forms_that_are_no_tower_are_refused() -> None:
    tower = reyhani2018.FORWARD
    with pytest.raises(RequestError, match="the choice of forms is wrong"):
        _ = dataclasses.replace(tower, a=(tower.a[0] ^ 1, *tower.a[1:])).norm_bits
    with pytest.raises(RequestError, match="the choice of forms is wrong"):
        dataclasses.replace(tower, d=(*tower.d[:8], tower.d[0])).outputs(aes.AFFINE)


def test_a_norm_that_cannot_be_merged_is_refused() -> None:
    elements = [psi for psi in aes.FIELD.subfield(4) if psi]
    every = dataclasses.replace(reyhani2018.FORWARD, c=tuple(elements))
    builder = CircuitBuilder("norm")
    wires = builder.input("x", 18)
    with pytest.raises(RequestError, match="does not let the square be merged"):
        place_norm_merged(builder, every, wires[:9], wires[9:])
