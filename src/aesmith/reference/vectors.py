"""What a published test vector is, and the examples of FIPS-197 (2001), Appendices B and C."""

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


_C_PLAINTEXT = "00112233445566778899aabbccddeeff"

_EXAMPLES = (
    vector(
        "FIPS-197 Appendix B",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    vector(
        "FIPS-197 Appendix C.1",
        "000102030405060708090a0b0c0d0e0f",
        _C_PLAINTEXT,
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
    vector(
        "FIPS-197 Appendix C.2",
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        _C_PLAINTEXT,
        "dda97ca4864cdfe06eaf70a0ec0d7191",
    ),
    vector(
        "FIPS-197 Appendix C.3",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        _C_PLAINTEXT,
        "8ea2b7ca516745bfeafc49904b496089",
    ),
)


def fips197(key_bits: int) -> tuple[TestVector, ...]:
    """The examples for one key size (128, 192 or 256). Raises RequestError for another size."""
    check_key_bits(key_bits)
    return tuple(example for example in _EXAMPLES if 8 * len(example.key) == key_bits)
