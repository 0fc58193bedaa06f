"""Modes that encrypt counters: CTR (SP 800-38A), GCM (SP 800-38D) and CCM (SP 800-38C)."""

from __future__ import annotations

from dataclasses import replace

from aesmith.circuits.multipliers.gf2_128 import ghash
from aesmith.errors import RequestError
from aesmith.modes.message import (
    BLOCK,
    Cipher,
    Fault,
    Message,
    MessageOutcome,
    MessageRefused,
    ModeOfOperation,
    added,
    blocks,
    check_iv,
    check_tag,
    count,
    incremented,
    key_stream,
    padded,
    sealing,
)

GCM_TAGS = (16, 15, 14, 13, 12, 8, 4)
GCM_MOST_TEXT = (1 << 36) - 32
"""Bytes of text that a message of GCM may have: the counter of 32 bits must not come round."""
CCM_TAGS = (4, 6, 8, 10, 12, 14, 16)
CCM_NONCES = range(7, 14)
CCM_SHORT_HEADER = 0xFF00
"""Bytes of header from which on their number takes more than two bytes."""
SHORT_IV = 12
"""Bytes of an IV that GCM takes as it is, with a counter behind it."""


def ctr(bits: int) -> ModeOfOperation:
    """CTR with a counter in the last `bits` bits of the counter block; what is left of them is the nonce.

    Raises RequestError unless `bits` is from 1 to 128.
    """
    if not 1 <= bits <= 8 * BLOCK:
        raise RequestError(f"bits: a counter must have 1 to {8 * BLOCK} bits, not {bits}")

    def crypt(cipher: Cipher, message: Message) -> MessageOutcome:
        check_iv(message, range(BLOCK, BLOCK + 1))
        if (needed := count(len(message.text))) > 1 << bits:
            raise MessageRefused(Fault.WRAP, f"text: a counter of {bits} bits serves {1 << bits} blocks, not {needed}")
        stream = key_stream(cipher, message.iv, len(message.text), bits)
        return MessageOutcome(added(message.text, stream))

    return ModeOfOperation(f"ctr{bits}", "SP 800-38A, 6.5", crypt, crypt, lambda _header, text: count(text))


CTR = replace(ctr(128), name="ctr")


def check_gcm_length(text_bytes: int) -> None:
    """Raise MessageRefused for a text longer than GCM allows."""
    if text_bytes > GCM_MOST_TEXT:
        raise MessageRefused(Fault.LENGTH, f"text: GCM takes at most {GCM_MOST_TEXT} bytes, not {text_bytes}")


def first_counter(hash_key: bytes, iv: bytes) -> bytes:
    """J0 of SP 800-38D, 7.1: an IV of 12 bytes as it is, another one hashed with its length."""
    if len(iv) == SHORT_IV:
        return iv + (1).to_bytes(4)
    return ghash(hash_key, blocks(padded(iv) + bytes(8) + (8 * len(iv)).to_bytes(8)))


def _check_gcm(message: Message) -> None:
    if not message.iv:
        raise MessageRefused(Fault.IV, "iv: GCM needs at least 1 byte, not 0")
    check_tag(message, GCM_TAGS)
    check_gcm_length(len(message.text))


def _gcm(cipher: Cipher, message: Message, decrypting: bool) -> tuple[bytes, bytes]:
    """The other text, and the tag: the hash is over the ciphertext, whichever of the two that is."""
    _check_gcm(message)
    hash_key = cipher.constant(bytes(BLOCK))
    first = first_counter(hash_key, message.iv)
    mask = cipher.encrypt(first)
    other = added(message.text, key_stream(cipher, incremented(first, 32), len(message.text), 32))
    hashed = message.text if decrypting else other
    lengths = (8 * len(message.header)).to_bytes(8) + (8 * len(hashed)).to_bytes(8)
    return other, added(ghash(hash_key, blocks(padded(message.header) + padded(hashed) + lengths)), mask)


GCM = ModeOfOperation("gcm", "SP 800-38D", *sealing(_gcm), lambda _header, text: count(text) + 1, authenticated=True)


def length_of_header(size: int) -> bytes:
    """How CCM writes the length of what is authenticated only (SP 800-38C, A.2.2)."""
    if size == 0:
        return b""
    if size < CCM_SHORT_HEADER:
        return size.to_bytes(2)
    return b"\xff\xfe" + size.to_bytes(4) if size < 1 << 32 else b"\xff\xff" + size.to_bytes(8)


def first_block_of_ccm(message: Message) -> bytes:
    """B0 of SP 800-38C, A.2.1: flags, nonce, bytes of text. Raises MessageRefused for sizes that it does not hold."""
    check_iv(message, CCM_NONCES)
    check_tag(message, CCM_TAGS)
    q = BLOCK - 1 - len(message.iv)
    if len(message.text) >= 1 << 8 * q:
        most = (1 << 8 * q) - 1
        why = f"text: with a nonce of {len(message.iv)} bytes CCM takes at most {most} bytes, not {len(message.text)}"
        raise MessageRefused(Fault.LENGTH, why)
    flags = 64 * bool(message.header) + 8 * ((len(message.tag) - 2) // 2) + q - 1
    return bytes([flags]) + message.iv + len(message.text).to_bytes(q)


def _ccm(cipher: Cipher, message: Message, decrypting: bool) -> tuple[bytes, bytes]:
    q, b0 = BLOCK - 1 - len(message.iv), first_block_of_ccm(message)
    counter = bytes([q - 1]) + message.iv + bytes(q)
    mask = cipher.encrypt(counter)
    first = bytes([q - 1]) + message.iv + (1).to_bytes(q)
    other = added(message.text, key_stream(cipher, first, len(message.text), 8 * q))
    plain = other if decrypting else message.text
    state = bytes(BLOCK)
    header = padded(length_of_header(len(message.header)) + message.header)
    for block in blocks(b0 + header + padded(plain)):
        state = cipher.encrypt(added(state, block))
    return other, added(state, mask)


CCM = ModeOfOperation(
    "ccm",
    "SP 800-38C",
    *sealing(_ccm),
    lambda header, text: 2 + count(len(length_of_header(header)) + header) + 2 * count(text),
    authenticated=True,
    chained=True,
)
