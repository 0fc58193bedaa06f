"""The 24,840 bases that come from tower fields."""

from collections import Counter

import pytest

from aesmith.errors import RequestError
from aesmith.fields.aes import FIELD
from aesmith.fields.families import TowerBasis, inverter_bases, inverters, tower_bases, tower_families
from aesmith.fields.tower import SATOH, Basis, PolynomialTower


def test_there_are_24840_bases_in_14_families() -> None:
    bases = tower_bases()
    assert len(bases) == 24_840
    assert len(tower_families()) == 14
    assert Counter(basis.family for basis in bases)["NB/RRB"] == 120
    assert len({(basis.family, basis.upper, basis.lower) for basis in bases}) == len(bases)


@pytest.mark.parametrize("family", tower_families())
def test_every_basis_of_a_family_spans_the_field(family: str) -> None:
    for basis in tower_bases(family)[::97]:
        assert basis.register.width == 8
        assert basis.inverted.width == (10 if family.endswith("RRB") else 8)
        half = set(FIELD.subfield(4))
        assert set(basis.lower_inverted) <= half
        assert basis.alpha not in half


@pytest.mark.parametrize("family", tower_families())
def test_conjugates_stay_within_the_family_and_have_the_same_tower(family: str) -> None:
    basis = tower_bases(family)[5]
    conjugates = basis.conjugates()
    assert conjugates[0] == basis
    assert len(conjugates) in {4, 8}
    for conjugate in conjugates:
        assert any(_same_up_to_order(conjugate, member) for member in tower_bases(family))


def _same_up_to_order(a: TowerBasis, b: TowerBasis) -> bool:
    return set(a.upper) == set(b.upper) and set(a.lower) == set(b.lower)


def test_an_unknown_family_or_inverter_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(RequestError, match=r"family: must be one of PB/PB, .*NB/NB/NB, not 'NB'"):
        tower_bases("NB")
    with pytest.raises(RequestError, match="inverter: must be one of ueno2015, canright2005, zhang2004, not 'x'"):
        inverter_bases("x")


@pytest.mark.parametrize("name", inverters())
def test_an_inverter_has_the_eight_isomorphisms_of_its_tower(name: str) -> None:
    # In a tower with a normal basis above, two isomorphisms differ in the order of its two elements alone.
    assert len(inverter_bases(name)) == (8 if name == "zhang2004" else 4)


def test_the_tower_of_satoh_has_the_published_isomorphism() -> None:
    # Zhang and Parhi (2004), equation 8, completed: rows of bits 7 to 0, columns x^7 to x^0.
    published = ["10100000", "11011110", "10101100", "10101110", "11000110", "10011110", "01010010", "01000011"]
    delta = SATOH.isomorphism(0x5F).from_field
    assert [format(row, "08b") for row in reversed(delta.rows)] == published


def test_an_isomorphism_preserves_products() -> None:
    assert len(SATOH.isomorphisms()) == 8
    for basis in SATOH.isomorphisms():
        for a, b in ((0x53, 0xCA), (0x02, 0x80), (0xFF, 0x1D)):
            assert basis.encode(FIELD.multiply(a, b)) == SATOH.multiply(basis.encode(a), basis.encode(b))


def test_towers_over_quartic_fields_work_too() -> None:
    tower = PolynomialTower(0b11111, ((1, 0b0011),))
    basis = tower.isomorphisms()[0]
    assert tower.multiply(basis.encode(0x57), basis.encode(0x83)) == basis.encode(0xC1)


@pytest.mark.parametrize(
    ("ground", "extensions", "reason"),
    [
        (0b101, ((1, 2), (1, 12)), "modulus: 0x5 is reducible"),
        (0b111, ((1, 0), (1, 12)), r"y\^2 \+ 0x1·y \+ 0x0 is reducible over GF\(2\^2\), 0x0 is a root"),
        (0b111, ((1, 2), (1, 1)), r"is reducible over GF\(2\^4\)"),
        (0b111, ((1, 4), (1, 12)), r"must be elements of GF\(2\^2\), not 0x1 and 0x4"),
        (0b111, ((1, 2),), r"must lead to GF\(2\^8\), not GF\(2\^4\)"),
    ],
)
def test_a_polynomial_that_gives_no_field_is_refused(
    ground: int, extensions: tuple[tuple[int, int], ...], reason: str
) -> None:
    with pytest.raises(RequestError, match=reason):
        PolynomialTower(ground, extensions)


def test_an_isomorphism_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(RequestError, match=r"0x02 must go to one of 0x42, 0x46, 0x5a, 0x5f, .*not 0x43"):
        SATOH.isomorphism(0x43)


def test_elements_that_do_not_span_the_field_are_no_basis() -> None:
    with pytest.raises(RequestError, match=r"8 elements of rank 7 do not span GF\(2\^8\).*singular"):
        Basis(FIELD, (1, 2, 4, 8, 16, 32, 64, 65), "wrong")
