"""The merged maps make AES's rounds in any basis with any offset."""

import random

import pytest

from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.families import TowerBasis, tower_bases, tower_families
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.tower import NormalTower, normal_towers

FIELD = aes.FIELD
SOURCE = random.Random(1)
CASES = [
    (SOURCE.choice(tower_bases(name)), gamma) for name in tower_families() for gamma in (1, SOURCE.randrange(2, 256))
]


def any_word(maps: OffsetMaps, element: int) -> int:
    """A random word of the inverter's output that stands for an element."""
    words = [w for w in range(1 << maps.inverted.width) if maps.inverted.decode(w) == element]
    assert len(words) == 1 << (maps.inverted.width - 8)
    return SOURCE.choice(words)


def mixed(coefficients: tuple[int, ...], column: list[int], i: int) -> int:
    total = 0
    for e in range(4):
        total ^= FIELD.multiply(coefficients[(e - i) % 4], column[e])
    return total


def total(words: list[int]) -> int:
    result = 0
    for word in words:
        result ^= word
    return result


@pytest.mark.parametrize(("basis", "gamma"), CASES)
def test_an_encryption_round_keeps_the_offset(basis: TowerBasis, gamma: int) -> None:
    maps = basis.maps(gamma)
    column = [SOURCE.randrange(256) for _ in range(4)]
    register = [maps.delta.apply(m) for m in column]
    inverted = [any_word(maps, FIELD.inverse(maps.register.decode(w))) for w in register]
    for i in range(4):
        word = total([maps.omega(e - i).apply(inverted[e]) for e in range(4)]) ^ maps.phi_constant
        expected = mixed(aes.MIX_COLUMNS, [aes.SBOX[m] for m in column], i)
        assert maps.delta_inverse.apply(word) == expected
        assert maps.delta_inverse.apply(maps.phi.apply(inverted[i]) ^ maps.phi_constant) == aes.SBOX[column[i]]


@pytest.mark.thorough(but=8)
@pytest.mark.parametrize(("basis", "gamma"), CASES)
def test_a_decryption_round_keeps_the_inverse_offset(basis: TowerBasis, gamma: int) -> None:
    maps = basis.maps(gamma)
    ciphertext, key = ([SOURCE.randrange(256) for _ in range(4)] for _ in range(2))
    # The register holds Δ(γ⁻¹s), s the byte after the inverse affine map; inversion makes that Δ(γs⁻¹).
    register = [maps.decryption_load.apply(maps.delta.apply(x)) ^ maps.lambda_constant for x in ciphertext]
    inverted = [any_word(maps, FIELD.inverse(maps.register.decode(w))) for w in register]
    plain = [aes.INVERSE_SBOX[x] ^ k for x, k in zip(ciphertext, key, strict=True)]
    for i in range(4):
        keyed = [inverted[e] ^ any_word(maps, FIELD.multiply(gamma, key[e])) for e in range(4)]
        word = total([maps.lambda_(e - i).apply(keyed[e]) for e in range(4)]) ^ maps.lambda_constant
        next_byte = mixed(aes.INVERSE_MIX_COLUMNS, plain, i)
        s = aes.INVERSE_AFFINE.apply(next_byte) ^ aes.INVERSE_AFFINE_CONSTANT
        assert FIELD.multiply(gamma, maps.register.decode(word)) == s
        removed = maps.redundancy_removed.apply(keyed[i])
        assert maps.delta_inverse.apply(removed) == plain[i]


def test_round_constants_and_the_printed_error() -> None:
    maps = tower_bases("NB/RRB")[3].maps(0x43)
    assert [maps.delta_inverse.apply(maps.round_constant(r)) for r in (1, 8, 9, 10)] == [0x01, 0x80, 0x1B, 0x36]
    # Equation 15 as printed has Δ(γc') for the constant.
    assert maps.lambda_constant != maps.delta.apply(aes.INVERSE_AFFINE_CONSTANT)


def test_an_offset_is_not_zero() -> None:
    basis = tower_bases("NB/NB")[0]
    for gamma in (0, 256):
        with pytest.raises(RequestError, match=f"gamma: the multiplicative offset must be 1 to 255, not {gamma}"):
            basis.maps(gamma)


def test_normal_towers_have_words_high_half_first() -> None:
    tower = NormalTower(0x09, 0x50)
    assert tower.nb.decode(0x10) == FIELD.multiply(0x09, 0x50)
    assert tower.rrb.decode(0b00000_00001) == FIELD.power(0x09, 16)
    assert tower.rrb.decode(0b11111_00000) == 0
    assert tower.mu == 0x09 ^ FIELD.power(0x09, 16)
    assert len(normal_towers()) == 960
    with pytest.raises(RequestError, match="β must be an element of order 5, not 0x02"):
        NormalTower(0x09, 2)
    with pytest.raises(RequestError, match=r"α must lie outside GF\(2\^4\), not 0x50"):
        NormalTower(0x50, 0x50)


def test_a_redundant_basis_has_no_way_from_the_field() -> None:
    with pytest.raises(RequestError, match="redundant"):
        NormalTower(0x09, 0x50).rrb.encode(1)
