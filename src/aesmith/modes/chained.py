"""ECB, and modes in which a block waits for the one before: CBC, CFB128, CFB8, OFB (SP 800-38A), CMAC (SP 800-38B)."""

from __future__ import annotations

from collections.abc import Callable

from aesmith.circuits.multipliers.gf2_128 import times_power
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
    sealing,
)

_A_BLOCK = range(BLOCK, BLOCK + 1)


def _check_whole(message: Message, mode: str = "CBC") -> None:
    if len(message.text) % BLOCK:
        raise MessageRefused(
            Fault.LENGTH, f"text: {mode} takes whole blocks of {BLOCK} bytes, not {len(message.text)} bytes"
        )


def _ecb(work: Callable[[bytes], bytes], message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check_whole(message, "ECB")
    return MessageOutcome(b"".join(map(work, blocks(message.text))))


def _encrypt_cbc(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, _A_BLOCK)
    _check_whole(message)
    before, result = message.iv, b""
    for block in blocks(message.text):
        before = cipher.encrypt(added(block, before))
        result += before
    return MessageOutcome(result)


def _decrypt_cbc(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, _A_BLOCK)
    _check_whole(message)
    before, result = message.iv, b""
    for block in blocks(message.text):
        result += added(cipher.decrypt(block), before)
        before = block
    return MessageOutcome(result)


def _cfb(cipher: Cipher, message: Message, size: int, *, decrypting: bool) -> MessageOutcome:
    """Segments of `size` bytes: the register takes the ciphertext, whichever of the two texts that is."""
    check_iv(message, _A_BLOCK)
    register, result = message.iv, b""
    for start in range(0, len(message.text), size):
        segment = message.text[start : start + size]
        other = added(segment, cipher.encrypt(register))
        register = (register + (segment if decrypting else other))[-BLOCK:]
        result += other
    return MessageOutcome(result)


def _ofb(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, _A_BLOCK)
    output, result = message.iv, b""
    for block in blocks(message.text):
        output = cipher.encrypt(output)
        result += added(block, output)
    return MessageOutcome(result)


def doubled(block: bytes, times: int = 1) -> bytes:
    """The block times x^times, read as CMAC and OCB3 read it: big-endian."""
    return times_power(int.from_bytes(block), times).to_bytes(BLOCK)


def cmac(cipher: Cipher, data: bytes) -> bytes:
    """The 16 bytes of SP 800-38B, section 6.2."""
    whole = bool(data) and len(data) % BLOCK == 0
    subkey = doubled(cipher.constant(bytes(BLOCK)), 1 if whole else 2)
    if not whole:
        data += b"\x80" + bytes(-(len(data) + 1) % BLOCK)
    state = bytes(BLOCK)
    for block in blocks(data[:-BLOCK]):
        state = cipher.encrypt(added(state, block))
    return cipher.encrypt(added(added(state, data[-BLOCK:]), subkey))


CMAC_TAGS = tuple(range(4, BLOCK + 1))
"""Bytes of a tag of CMAC that are taken."""


def _authenticate(cipher: Cipher, message: Message, _decrypting: bool) -> tuple[bytes, bytes]:
    check_tag(message, CMAC_TAGS)
    return b"", cmac(cipher, message.text)


def _of_text(_header: int, text: int) -> int:
    return count(text)


ECB = ModeOfOperation(
    "ecb",
    "SP 800-38A, 6.1",
    lambda cipher, message: _ecb(cipher.encrypt, message),
    lambda cipher, message: _ecb(cipher.decrypt, message),
    _of_text,
    decrypts_with_inverse=True,
)
CBC = ModeOfOperation(
    "cbc", "SP 800-38A, 6.2", _encrypt_cbc, _decrypt_cbc, _of_text, decrypts_with_inverse=True, chained=True
)
CFB128 = ModeOfOperation(
    "cfb128",
    "SP 800-38A, 6.3",
    lambda cipher, message: _cfb(cipher, message, BLOCK, decrypting=False),
    lambda cipher, message: _cfb(cipher, message, BLOCK, decrypting=True),
    _of_text,
    chained=True,
)
CFB8 = ModeOfOperation(
    "cfb8",
    "SP 800-38A, 6.3",
    lambda cipher, message: _cfb(cipher, message, 1, decrypting=False),
    lambda cipher, message: _cfb(cipher, message, 1, decrypting=True),
    lambda _header, text: text,
    chained=True,
)
OFB = ModeOfOperation("ofb", "SP 800-38A, 6.4", _ofb, _ofb, _of_text, chained=True)
CMAC = ModeOfOperation(
    "cmac",
    "SP 800-38B",
    *sealing(_authenticate),
    lambda _header, text: max(1, count(text)),
    authenticated=True,
    chained=True,
)
