"""The known answers of the AES Algorithm Validation Suite (AESAVS, NIST 2002), from the `cryptography_vectors` package.

GFSbox, KeySbox, VarTxt and VarKey are the tests of section 6.2 and Appendices B to E, MMT is section 6.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

import cryptography_vectors

from aesmith.errors import ToolError
from aesmith.reference.vectors import TestVector, check_key_bits


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
