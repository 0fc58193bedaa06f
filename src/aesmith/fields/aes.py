"""AES as field arithmetic (FIPS-197): the field, the affine map of the S-box, MixColumns' coefficients."""

from __future__ import annotations

from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.galois import BinaryField


def _rotations(x: int, amounts: tuple[int, ...]) -> int:
    total = 0
    for amount in amounts:
        total ^= (x << amount | x >> (8 - amount)) & 0xFF
    return total


FIELD = BinaryField(0x11B)
"""GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS-197 section 4)."""

AFFINE = BitMatrix.from_map(lambda x: _rotations(x, (0, 1, 2, 3, 4)), 8, 8)
"""A, the linear part of the S-box's affine map (FIPS-197 section 5.1.1, equation 5.2)."""

AFFINE_CONSTANT = 0x63
"""c, the constant of the S-box's affine map."""

INVERSE_AFFINE = AFFINE.inverse()
"""A', the linear part of the inverse affine map."""

INVERSE_AFFINE_CONSTANT = INVERSE_AFFINE.apply(AFFINE_CONSTANT)
"""c' = A'(c)."""

MIX_COLUMNS = (0x02, 0x03, 0x01, 0x01)
"""u0 to u3: row 0 of MixColumns' circulant matrix (FIPS-197 equation 5.6)."""

INVERSE_MIX_COLUMNS = (0x0E, 0x0B, 0x0D, 0x09)
"""v0 to v3: row 0 of InvMixColumns' circulant matrix (FIPS-197 equation 5.10)."""

SBOX = tuple(AFFINE.apply(FIELD.inverse(x)) ^ AFFINE_CONSTANT for x in range(256))
"""The S-box, computed: inversion, then the affine map."""

INVERSE_SBOX = tuple(FIELD.inverse(INVERSE_AFFINE.apply(x) ^ INVERSE_AFFINE_CONSTANT) for x in range(256))
"""The inverse S-box, computed: the inverse affine map, then inversion."""


def rounds(key_bits: int) -> int:
    """Rounds with a key of so many bits (FIPS-197, figure 4)."""
    return key_bits // 32 + 6


def round_constant(number: int) -> int:
    """Rcon of round `number` (1 for the first expansion step): x^(number-1) in the AES field."""
    return FIELD.power(2, number - 1)


def round_keys(key: bytes) -> list[bytes]:
    """All round keys of 16 bytes, byte 0 first, from a key of 16, 24 or 32 (FIPS-197, figure 11)."""
    size = len(key) // 4
    words = [key[4 * k : 4 * k + 4] for k in range(size)]
    for k in range(size, 4 * (rounds(8 * len(key)) + 1)):
        word = words[-1]
        if k % size == 0:
            word = bytes(SBOX[byte] for byte in word[1:] + word[:1])
            word = bytes([word[0] ^ round_constant(k // size), *word[1:]])
        elif size > 6 and k % size == 4:
            word = bytes(SBOX[byte] for byte in word)
        words.append(bytes(a ^ b for a, b in zip(words[k - size], word, strict=True)))
    return [b"".join(words[k : k + 4]) for k in range(0, len(words), 4)]


def column_matrix(coefficients: tuple[int, ...]) -> BitMatrix:
    """The 32 × 32 matrix of a circulant map of a column of four bytes, given its row 0 (`MIX_COLUMNS` for example).

    Bit 8·i + k of the word is coefficient x^k of the byte in row i of the column.
    """

    def multiply(word: int) -> int:
        column = [(word >> 8 * row) & 0xFF for row in range(4)]
        result = 0
        for i in range(4):
            for e in range(4):
                result ^= FIELD.multiply(coefficients[(e - i) % 4], column[e]) << 8 * i
        return result

    return BitMatrix.from_map(multiply, 32, 32)
