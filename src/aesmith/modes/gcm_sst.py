"""GCM-SST (draft-mattsson-cfrg-aes-gcm-sst, July 2026) with AES: GCM with hash keys of each nonce, and a second one for
the lengths, so that a short tag is as hard to forge as its bits say."""

from __future__ import annotations

from aesmith.modes.counting import SHORT_IV
from aesmith.modes.gcm_siv import polyval
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
    key_stream,
    padded,
    sealing,
)

SST_TAGS = (12, 14, 6)
"""Bytes of the tags for which the draft has algorithms (section 4.3)."""
OWN_CALLS = 3
"""Calls of a message beside those of its text: both hash keys and the mask of its tag."""


def most_bytes(tag_bytes: int) -> int:
    """Bytes of text, and of header, that a message with such a tag may have."""
    return min(1 << 8 * (BLOCK - tag_bytes), (1 << 36) - OWN_CALLS * BLOCK)


def _check(message: Message) -> None:
    check_iv(message, range(SHORT_IV, SHORT_IV + 1))
    check_tag(message, SST_TAGS)
    most = most_bytes(len(message.tag))
    for name, part in (("header", message.header), ("text", message.text)):
        if len(part) > most:
            what = f"GCM-SST takes at most {most} bytes with tags of {len(message.tag)}"
            raise MessageRefused(Fault.LENGTH, f"{name}: {what}, not {len(part)}")


def _gcm_sst(cipher: Cipher, message: Message, decrypting: bool) -> tuple[bytes, bytes]:
    """The other text, and the whole tag: the hash is over the ciphertext, whichever of the two that is."""
    _check(message)
    stream = key_stream(cipher, message.iv + bytes(4), OWN_CALLS * BLOCK + len(message.text), 32)
    hash_key, second_key, mask = blocks(stream[: OWN_CALLS * BLOCK])
    other = added(message.text, stream[OWN_CALLS * BLOCK :])
    sealed = message.text if decrypting else other
    lengths = b"".join((8 * len(part)).to_bytes(8, "little") for part in (sealed, message.header))
    hashed = polyval(hash_key, blocks(padded(message.header) + padded(sealed)))
    return other, added(polyval(second_key, [added(hashed, lengths)]), mask)


GCM_SST = ModeOfOperation(
    "gcm-sst",
    "draft-mattsson-cfrg-aes-gcm-sst",
    *sealing(_gcm_sst),
    lambda _header, text: count(text) + OWN_CALLS,
    authenticated=True,
)
