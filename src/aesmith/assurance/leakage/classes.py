"""Fixed blocks for a t-test of AES: those that make all S-box inputs of a round zero, and one without a pattern.

Multiplicative masks do not mask zero, and a product whose operands are zero is zero whatever is forgotten beside it: a
fixed class of zeros finds what others do not.
"""

from __future__ import annotations

from collections.abc import Callable

from aesmith.cores.design import Direction
from aesmith.fields import aes

ZEROS = {1: "zero in round 1", 2: "zero in round 2"}
"""Names of the classes whose blocks make the inputs of all inversions of a round zero."""


def zero_block(key: bytes, direction: Direction, number: int) -> bytes:
    """The block that makes the input of every inversion of round 1 or 2 zero, under a key of any size.

    In decryption an inversion's input is zero where that of the inverse S-box is 0x63.
    """
    keys = aes.round_keys(key)
    if direction is Direction.ENCRYPT:
        if number == 1:
            return keys[0]
        before = _columns(keys[1], aes.INVERSE_MIX_COLUMNS)
        before = bytes(aes.INVERSE_SBOX[before[_shifted(place, -1)]] for place in range(16))
        return _sum(before, keys[0])
    zeros = bytes([aes.AFFINE_CONSTANT] * 16)
    if number == 1:
        return _sum(keys[-1], zeros)
    before = _sum(_columns(zeros, aes.MIX_COLUMNS), keys[-2])
    return _sum(bytes(aes.SBOX[before[_shifted(place, 1)]] for place in range(16)), keys[-1])


def _shifted(place: int, way: int) -> int:
    """Where ShiftRows (`way` 1) or its inverse (-1) takes the byte at `place` from."""
    row, column = place % 4, place // 4
    return row + 4 * ((column + way * row) % 4)


def _columns(state: bytes, coefficients: tuple[int, ...]) -> bytes:
    apply: Callable[[int], int] = aes.column_matrix(coefficients).apply
    columns = (int.from_bytes(state[k : k + 4], "little") for k in range(0, 16, 4))
    return b"".join(apply(column).to_bytes(4, "little") for column in columns)


def _sum(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))
