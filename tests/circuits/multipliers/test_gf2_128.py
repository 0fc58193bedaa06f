"""GF(2^128) is a field, and GCM's order of bits is the standard's."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesmith.circuits.multipliers.gf2_128 import MODULUS, gcm_block, gcm_element, ghash, multiply_128, times_power
from aesmith.errors import RequestError


def test_the_polynomial_is_irreducible() -> None:
    """Rabin's test: 2 is the only prime divisor of 128, so x^(2^128) = x, and x^(2^64) + x has an inverse."""
    powers = [2]
    for _ in range(128):
        powers.append(multiply_128(powers[-1], powers[-1]))
    assert powers[128] == 2
    a, b = MODULUS, powers[64] ^ 2
    while b:
        while a.bit_length() >= b.bit_length():
            a ^= b << (a.bit_length() - b.bit_length())
        a, b = b, a
    assert a == 1


def test_times_a_power_of_x_is_that_many_doublings() -> None:
    element = random.Random(1).getrandbits(128)
    doubled = element
    for _ in range(9):
        doubled = doubled << 1 ^ (MODULUS if doubled >> 127 else 0)
    assert times_power(element, 9) == doubled == multiply_128(element, 1 << 9)


def test_gcm_reads_the_leftmost_bit_as_the_constant() -> None:
    assert gcm_element(b"\x80" + bytes(15)) == 1
    assert gcm_element(bytes(15) + b"\x01") == 1 << 127
    assert gcm_block(0xE1 ^ 0xE1) == bytes(16)
    block = random.Random(2).randbytes(16)
    assert gcm_block(gcm_element(block)) == block


@pytest.mark.parametrize("seed", range(4))
def test_ghash_is_that_of_openssl(seed: int) -> None:
    """A GCM tag is GHASH plus the encryption of J0."""
    source = random.Random(seed)
    key, nonce = source.randbytes(16), source.randbytes(12)
    aad, text = source.randbytes(16 * seed), source.randbytes(48)
    ecb = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    h, mask = ecb.update(bytes(16)), ecb.update(nonce + b"\0\0\0\1")
    gcm = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
    gcm.authenticate_additional_data(aad)
    sealed = gcm.update(text) + gcm.finalize()
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(text)).to_bytes(8, "big")
    data = aad + sealed + lengths
    tag = ghash(h, [data[at : at + 16] for at in range(0, len(data), 16)])
    assert bytes(a ^ b for a, b in zip(tag, mask, strict=True)) == gcm.tag


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: multiply_128(1 << 128, 1), "element: must have at most 128 bits and no sign, not 0x1000"),
        (lambda: multiply_128(1, -1), "element: must have at most 128 bits and no sign, not -0x1"),
        (lambda: times_power(1, -1), "power: must be 0 or more, not -1"),
        (lambda: gcm_element(bytes(15)), "block: must have 16 bytes, not 15"),
    ],
)
def test_what_is_no_element_is_refused(wrong, told: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(RequestError, match=told):
        wrong()
