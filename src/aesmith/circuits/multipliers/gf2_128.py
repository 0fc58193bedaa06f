"""GF(2^128) = GF(2)[x] / (x^128 + x^7 + x^2 + x + 1): the field of GHASH, XTS, CMAC and OCB.

An element is an integer whose bit i is the coefficient of x^i. What the standards differ in is how a block of 16 bytes
is read as an element:

- *GCM* (SP 800-38D section 6.3) reads the leftmost bit, the most significant one of byte 0, as the coefficient of x^0
  and the rightmost as that of x^127: the block as a big-endian integer with its 128 bits reversed.
- *CMAC* and *OCB3* read the block as a big-endian integer; *XTS* reads it as a little-endian one.

In hardware the difference is wiring, so multipliers are stated of coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from aesmith.errors import RequestError
from aesmith.fields.galois import carryless_product, carryless_remainder

DEGREE = 128
"""Bits of an element."""

TAIL = (0, 1, 2, 7)
"""x^128 is the sum of these powers of x."""

MODULUS = 1 << DEGREE | sum(1 << power for power in TAIL)
"""The polynomial of the field, bit i the coefficient of x^i."""


def multiply_128(a: int, b: int) -> int:
    """The product of two elements. Raises RequestError if one of them is not of 128 bits."""
    return carryless_remainder(carryless_product(_checked(a), _checked(b)), MODULUS)


def times_power(a: int, power: int) -> int:
    """An element times x^power, power ≥ 0. Raises RequestError if the element is not of 128 bits."""
    if power < 0:
        raise RequestError(f"power: must be 0 or more, not {power}")
    return carryless_remainder(_checked(a) << power, MODULUS)


def gcm_element(block: bytes) -> int:
    """The element that GCM reads in a block of 16 bytes. Raises RequestError for another length."""
    if len(block) != DEGREE // 8:
        raise RequestError(f"block: must have 16 bytes, not {len(block)}")
    return _reversed(int.from_bytes(block, "big"))


def gcm_block(element: int) -> bytes:
    """The block of 16 bytes that GCM writes for an element. Raises RequestError if it is not of 128 bits."""
    return _reversed(_checked(element)).to_bytes(DEGREE // 8, "big")


def ghash(key: bytes, blocks: Iterable[bytes]) -> bytes:
    """GHASH of whole blocks under the hash key H (SP 800-38D algorithm 2). Raises RequestError for other lengths."""
    h = gcm_element(key)
    return gcm_block(reduce(lambda y, block: multiply_128(y ^ gcm_element(block), h), blocks, 0))


def _reversed(word: int) -> int:
    return int(f"{word:0{DEGREE}b}"[::-1], 2)


def _checked(element: int) -> int:
    if not 0 <= element < 1 << DEGREE:
        raise RequestError(f"element: must have at most {DEGREE} bits and no sign, not {element:#x}")
    return element
