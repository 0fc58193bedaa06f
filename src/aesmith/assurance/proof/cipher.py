"""FIPS-197 on forms: what the core must compute, for all keys and blocks at once.

Written from the standard, in the order of the standard; a byte is a list of 8 forms, bit i the coefficient of x^i.
`tokens` and `group` are those of `Algebra.lookup`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache

from aesmith.assurance.proof.algebra import Algebra, Form
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix

Byte = list[Form]
State = list[Byte]
"""16 bytes; byte 4c + r is row r of column c."""


@cache
def _times(coefficient: int) -> BitMatrix:
    return aes.FIELD.multiplication(coefficient)


def _add(a: Byte, b: Byte) -> Byte:
    return [x ^ y for x, y in zip(a, b, strict=True)]


def _apply(matrix: BitMatrix, byte: Byte) -> Byte:
    image: Byte = []
    for row in matrix.rows:
        total: Form = 0
        for bit, form in enumerate(byte):
            if row >> bit & 1:
                total = total ^ form
        image.append(total)
    return image


def _add_round_key(state: State, key: State) -> State:
    return [_add(a, b) for a, b in zip(state, key, strict=True)]


def _shift_rows(state: State) -> State:
    return [state[4 * ((column + row) % 4) + row] for column in range(4) for row in range(4)]


def _inverse_shift_rows(state: State) -> State:
    return [state[4 * ((column - row) % 4) + row] for column in range(4) for row in range(4)]


def _mix(state: State, coefficients: Sequence[int]) -> State:
    mixed: State = []
    for column in range(4):
        for row in range(4):
            total: Byte = [0] * 8
            for i in range(4):
                total = _add(total, _apply(_times(coefficients[(i - row) % 4]), state[4 * column + i]))
            mixed.append(total)
    return mixed


def key_expansion(algebra: Algebra, key: State, tokens: tuple[int, ...], group: Hashable) -> list[State]:
    """The round keys of a key of 16, 24 or 32 bytes (FIPS-197 section 5.2).

    The expansion is taken one key length beyond the last round key: a core that makes a key length in a step may do so
    too, and come back.
    """
    length = len(key) // 4
    count = 4 * (length + 7)
    words = [key[4 * i : 4 * i + 4] for i in range(length)]
    for i in range(length, count + length):
        word = words[i - 1]
        if i % length == 0:
            word = [algebra.lookup(aes.SBOX, byte, tokens, group) for byte in [*word[1:], word[0]]]
            constant = aes.round_constant(i // length)
            word[0] = [bit ^ (constant >> place & 1) for place, bit in enumerate(word[0])]
        elif length > 6 and i % length == 4:
            word = [algebra.lookup(aes.SBOX, byte, tokens, group) for byte in word]
        words.append([_add(a, b) for a, b in zip(words[i - length], word, strict=True)])
    return [[byte for word in words[i : i + 4] for byte in word] for i in range(0, count, 4)]


def encrypt(
    algebra: Algebra, round_keys: Sequence[State], block: State, tokens: tuple[int, ...], group: Hashable
) -> State:
    """The ciphertext (FIPS-197 section 5.1)."""
    state = _add_round_key(block, round_keys[0])
    for number, key in enumerate(round_keys[1:], start=1):
        state = _shift_rows([algebra.lookup(aes.SBOX, byte, tokens, group) for byte in state])
        if number < len(round_keys) - 1:
            state = _mix(state, aes.MIX_COLUMNS)
        state = _add_round_key(state, key)
    return state


def decrypt(
    algebra: Algebra, round_keys: Sequence[State], block: State, tokens: tuple[int, ...], group: Hashable
) -> State:
    """The plaintext (FIPS-197 section 5.3)."""
    state = _add_round_key(block, round_keys[-1])
    for number, key in reversed(list(enumerate(round_keys[:-1]))):
        state = [algebra.lookup(aes.INVERSE_SBOX, byte, tokens, group) for byte in _inverse_shift_rows(state)]
        state = _add_round_key(state, key)
        if number:
            state = _mix(state, aes.INVERSE_MIX_COLUMNS)
    return state
