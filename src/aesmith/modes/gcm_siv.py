"""GCM-SIV (RFC 8452): a nonce that comes twice shows no more than whether the same message was sent twice."""

from __future__ import annotations

from collections.abc import Iterable

from aesmith.circuits.multipliers.gf2_128 import gcm_block, gcm_element, ghash, times_power
from aesmith.errors import RequestError
from aesmith.modes.counting import SHORT_IV
from aesmith.modes.message import (
    BLOCK,
    Cipher,
    Fault,
    Message,
    MessageRefused,
    ModeOfOperation,
    added,
    blocks,
    check_iv,
    check_tag,
    count,
    padded,
    sealing,
)

KEY_BITS = (128, 256)
"""Bits of the keys that it is defined for."""
MOST_BYTES = 1 << 36
"""Bytes of text, and of header, that a message may have."""
HALF = 8
"""Bytes of a derived key that a call of AES gives."""


def polyval(key: bytes, data: Iterable[bytes]) -> bytes:
    """POLYVAL of whole blocks by GHASH (RFC 8452, appendix A): the bytes of blocks reversed, the key times x."""
    element = times_power(gcm_element(key[::-1]), 1)
    return ghash(gcm_block(element), (block[::-1] for block in data))[::-1]


def derived(cipher: Cipher, nonce: bytes) -> tuple[bytes, Cipher]:
    """The key of POLYVAL and the cipher of a message, from the user's key and a nonce of 12 bytes (section 4).

    Raises RequestError for a key of another size than 128 or 256 bits.
    """
    if 8 * len(cipher.key) not in KEY_BITS:
        raise RequestError(f"key: GCM-SIV takes keys of 16 or of 32 bytes, not {len(cipher.key)}")
    calls = (BLOCK + len(cipher.key)) // HALF
    made = b"".join(cipher.encrypt(number.to_bytes(4, "little") + nonce)[:HALF] for number in range(calls))
    return made[:BLOCK], type(cipher)(made[BLOCK:])


def _stream(cipher: Cipher, tag: bytes, size: int) -> bytes:
    """Key stream: the counter is the first four bytes of a block, the lowest first, and wraps in these."""
    first, rest = int.from_bytes(tag[:4], "little"), tag[4:15] + bytes([tag[15] | 0x80])
    counters = ((first + number & 0xFFFFFFFF).to_bytes(4, "little") for number in range(count(size)))
    return b"".join(cipher.encrypt(counter + rest) for counter in counters)[:size]


def _check(message: Message) -> None:
    check_iv(message, range(SHORT_IV, SHORT_IV + 1))
    check_tag(message, (BLOCK,))
    for name, part in (("header", message.header), ("text", message.text)):
        if len(part) > MOST_BYTES:
            raise MessageRefused(Fault.LENGTH, f"{name}: GCM-SIV takes at most {MOST_BYTES} bytes, not {len(part)}")


def _gcm_siv(cipher: Cipher, message: Message, decrypting: bool) -> tuple[bytes, bytes]:
    """The other text, and the tag: the hash is over the plaintext, whichever of the two that is."""
    _check(message)
    hash_key, own = derived(cipher, message.iv)

    def tag_of(plain: bytes) -> bytes:
        lengths = b"".join((8 * len(part)).to_bytes(8, "little") for part in (message.header, plain))
        hashed = polyval(hash_key, blocks(padded(message.header) + padded(plain) + lengths))
        block = added(hashed, padded(message.iv))
        return own.encrypt(block[:15] + bytes([block[15] & 0x7F]))

    tag = message.tag if decrypting else tag_of(message.text)
    other = added(message.text, _stream(own, tag, len(message.text)))
    made = tag_of(other) if decrypting else tag
    cipher.calls += own.calls
    return other, made


GCM_SIV = ModeOfOperation(
    "gcm-siv",
    "RFC 8452",
    *sealing(_gcm_siv),
    lambda _header, text: count(text) + 5,  # with keys of 128 bits; of 256 bits, two more
    authenticated=True,
)
