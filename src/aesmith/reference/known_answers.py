"""All published known answers for one key size."""

from __future__ import annotations

from aesmith.reference.aesavs import Suite, aesavs
from aesmith.reference.sp800_38a import sp800_38a
from aesmith.reference.vectors import TestVector, fips197


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
