"""AES-SIV (RFC 5297): a tag over header and text, made by CMAC, is the counter block that encryption begins with."""

from __future__ import annotations

from aesmith.errors import RequestError
from aesmith.modes.chained import cmac, doubled
from aesmith.modes.message import (
    BLOCK,
    Cipher,
    Fault,
    Message,
    MessageRefused,
    ModeOfOperation,
    added,
    check_tag,
    count,
    key_stream,
    sealing,
)

KEY_BYTES = (32, 48, 64)
"""Bytes of K1, for CMAC, and K2, for the counters, together."""
MOST_COMPONENTS = 126
"""Components of a header, the nonce among them (section 2.6)."""
_COUNTER_MASK = ((1 << 128) - 1 & ~(1 << 63 | 1 << 31)).to_bytes(BLOCK)
"""The bits of the tag that its first counter block has."""


def components(message: Message) -> tuple[bytes, ...]:
    """The components of a header in their order: those of the message, or else `header` and `iv`, if not empty."""
    if message.components is not None:
        return message.components
    return tuple(part for part in (message.header, message.iv) if part)


def s2v(cipher: Cipher, header: tuple[bytes, ...], text: bytes) -> bytes:
    """S2V of the components of a header and the text (section 2.4), under K1."""
    total = cipher.constant(doubled(cipher.constant(bytes(BLOCK))))  # CMAC of a block of zeros
    for part in header:
        total = added(doubled(total), cmac(cipher, part))
    if len(text) < BLOCK:
        return cmac(cipher, added(doubled(total), (text + b"\x80").ljust(BLOCK, b"\0")))
    return cmac(cipher, text[:-BLOCK] + added(text[-BLOCK:], total))


def halves(key: bytes) -> tuple[bytes, bytes]:
    """K1 and K2 of a key; raises RequestError for one of another size than 256, 384 or 512 bits."""
    if len(key) not in KEY_BYTES:
        raise RequestError(f"key: AES-SIV takes two keys of 16, 24 or 32 bytes, one after the other, not {len(key)}")
    return key[: len(key) // 2], key[len(key) // 2 :]


def _siv(cipher: Cipher, message: Message, decrypting: bool) -> tuple[bytes, bytes]:
    """The other text, and the tag: S2V is of the plaintext, whichever of the two that is."""
    check_tag(message, (BLOCK,))
    header = components(message)
    if len(header) > MOST_COMPONENTS:
        raise MessageRefused(
            Fault.LENGTH, f"header: AES-SIV takes at most {MOST_COMPONENTS} components, not {len(header)}"
        )
    mac, counting = map(type(cipher), halves(cipher.key))
    tag = message.tag if decrypting else s2v(mac, header, message.text)
    first = bytes(byte & mask for byte, mask in zip(tag, _COUNTER_MASK, strict=True))
    other = added(message.text, key_stream(counting, first, len(message.text), 128))
    made = s2v(mac, header, other) if decrypting else tag
    cipher.calls += mac.calls + counting.calls
    return other, made


SIV = ModeOfOperation(
    "siv",
    "RFC 5297",
    *sealing(_siv),
    # Of a header of one component; one more for each block of any other.
    lambda header, text: count(header) + max(1, count(text)) + count(text),
    authenticated=True,
    chained=True,
    keys=2,
)
