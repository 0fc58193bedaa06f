"""The published known answers of AES, as pairs of single blocks.

They are the examples of FIPS-197 (2001), Appendices B and C; those of NIST SP 800-38A (2001), Appendix F; and the known
answers of the AES Algorithm Validation Suite (AESAVS, NIST 2002), from the `cryptography_vectors` package: GFSbox,
KeySbox, VarTxt and VarKey of section 6.2 and Appendices B to E, MMT of section 6.3.

Of SP 800-38A, ECB gives its blocks as they are; CBC and CTR give the blocks that the mode feeds to the cipher: the
plaintext XOR the block of ciphertext before it (F.2), and the counter with plaintext XOR ciphertext as the cipher's
output (F.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import cryptography_vectors

from aesmith.errors import RequestError, ToolError
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

_FIPS_197 = (
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
    return tuple(example for example in _FIPS_197 if 8 * len(example.key) == key_bits)


_KEYS = {
    128: "2b7e151628aed2a6abf7158809cf4f3c",
    192: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    256: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
}
_PLAINTEXT = (
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
_CBC_IV = "000102030405060708090a0b0c0d0e0f"
_CTR_START = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"

_ECB = {
    128: (
        "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
        "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
    ),
    192: (
        "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"
        "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"
    ),
    256: (
        "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
        "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"
    ),
}
_CBC = {
    128: (
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
        "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
    ),
    192: (
        "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
        "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
    ),
    256: (
        "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
        "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
    ),
}
_CTR = {
    128: (
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
        "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
    ),
    192: (
        "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
        "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"
    ),
    256: (
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
        "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
    ),
}
# The example numbers of Appendix F: the encryption and decryption examples of a key size hold the same data.
_EXAMPLE_NUMBERS = {128: "1, F.{0}.2", 192: "3, F.{0}.4", 256: "5, F.{0}.6"}


def _blocks(text: str) -> list[bytes]:
    data = bytes.fromhex(text)
    return [data[i : i + 16] for i in range(0, len(data), 16)]


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def sp800_38a(key_bits: int) -> tuple[TestVector, ...]:
    """The ECB, CBC and CTR examples (F.1, F.2, F.5) for one key size, 12 cases; RequestError for another size."""
    check_key_bits(key_bits)
    key = bytes.fromhex(_KEYS[key_bits])
    plaintext = _blocks(_PLAINTEXT)
    ecb, cbc, ctr = (_blocks(mode[key_bits]) for mode in (_ECB, _CBC, _CTR))
    chained = [bytes.fromhex(_CBC_IV), *cbc[:-1]]
    first_counter = int(_CTR_START, 16)
    counters = [((first_counter + i) % (1 << 128)).to_bytes(16, "big") for i in range(len(ctr))]
    inputs_and_outputs = (
        (1, "ECB", plaintext, ecb),
        (2, "CBC", [_xor(p, c) for p, c in zip(plaintext, chained, strict=True)], cbc),
        (5, "CTR", counters, [_xor(p, c) for p, c in zip(plaintext, ctr, strict=True)]),
    )
    return tuple(
        TestVector(
            f"SP 800-38A F.{part}.{_EXAMPLE_NUMBERS[key_bits].format(part)} {mode} block {number + 1}", key, *pair
        )
        for part, mode, inputs, outputs in inputs_and_outputs
        for number, pair in enumerate(zip(inputs, outputs, strict=True))
    )


class Suite(StrEnum):
    """The sets of AESAVS that consist of known answers."""

    GFSBOX = "GFSbox"
    KEYSBOX = "KeySbox"
    VARTXT = "VarTxt"
    VARKEY = "VarKey"
    MMT = "MMT"


def parse_rsp(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The records of a CAVS response file, in order: the section (ENCRYPT, DECRYPT) and the fields of the record.

    A record begins with its COUNT line; comments and empty lines are skipped.
    """
    section = ""
    record: dict[str, str] = {}
    for line in text.splitlines():
        stripped = line.strip()
        begins_section = stripped.startswith("[")
        if record and (begins_section or stripped.startswith("COUNT")):
            yield section, record
            record = {}
        if begins_section:
            section = stripped.strip("[]")
        elif "=" in stripped and not stripped.startswith("#"):
            name, value = stripped.split("=", 1)
            record[name.strip()] = value.strip()
    if record:
        yield section, record


def _read(name: str) -> str:
    try:
        with cryptography_vectors.open_vector_file(f"ciphers/AES/ECB/{name}", "r") as file:
            return str(file.read())
    except OSError as error:
        raise ToolError(
            f"cryptography_vectors: the file ciphers/AES/ECB/{name} is missing ({error.strerror}); "
            "install the PyPI package cryptography_vectors"
        ) from error


@lru_cache(maxsize=15)
def _suite(suite: Suite, key_bits: int) -> tuple[TestVector, ...]:
    vectors = []
    for section, record in parse_rsp(_read(f"ECB{suite.value}{key_bits}.rsp")):
        key, plaintext, ciphertext = (bytes.fromhex(record[name]) for name in ("KEY", "PLAINTEXT", "CIPHERTEXT"))
        for start in range(0, len(plaintext), 16):
            place = f"AESAVS ECB{suite.value}{key_bits} {section} COUNT {record['COUNT']}"
            if len(plaintext) > 16:
                place += f" block {start // 16 + 1}"
            vectors.append(TestVector(place, key, plaintext[start : start + 16], ciphertext[start : start + 16]))
    return tuple(vectors)


def aesavs(key_bits: int, suite: Suite) -> tuple[TestVector, ...]:
    """The single-block pairs of one set, encryption and decryption records, long messages cut into blocks.

    Raises RequestError for a key size that AES has not, ToolError if the vector files are not installed.
    """
    check_key_bits(key_bits)
    return _suite(suite, key_bits)


def known_answers(key_bits: int) -> tuple[TestVector, ...]:
    """Every published single-block pair for one key size, each pair once under its first source.

    In order: FIPS-197, SP 800-38A, AESAVS (GFSbox, KeySbox, VarTxt, VarKey, MMT). Raises RequestError for a key size
    that AES has not.
    """
    published = [*fips197(key_bits), *sp800_38a(key_bits)]
    for suite in Suite:
        published.extend(aesavs(key_bits, suite))
    unique: dict[tuple[bytes, bytes], TestVector] = {}
    for case in published:
        unique.setdefault((case.key, case.plaintext), case)
    return tuple(unique.values())
