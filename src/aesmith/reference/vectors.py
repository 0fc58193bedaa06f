"""What a published test vector is."""

from __future__ import annotations

from dataclasses import dataclass

from aesmith.errors import RequestError
from aesmith.reference.golden import KEY_BITS


@dataclass(frozen=True)
class TestVector:
    """One published pair: `ciphertext` is the AES encryption of `plaintext` under `key`, and so the other way round.

    All three are bytes with byte 0 of FIPS-197 first (key 16, 24 or 32 bytes, blocks 16). `source` names the
    publication and the place in it.
    """

    __test__ = False  # the name begins with "Test", but this is no test class for pytest

    source: str
    key: bytes
    plaintext: bytes
    ciphertext: bytes


def vector(source: str, key: str, plaintext: str, ciphertext: str) -> TestVector:
    """A vector from hexadecimal strings."""
    return TestVector(source, bytes.fromhex(key), bytes.fromhex(plaintext), bytes.fromhex(ciphertext))


def check_key_bits(key_bits: int) -> None:
    """Raise RequestError unless `key_bits` is a key size of AES."""
    if key_bits not in KEY_BITS:
        raise RequestError(f"key_bits: must be 128, 192 or 256, not {key_bits}")
