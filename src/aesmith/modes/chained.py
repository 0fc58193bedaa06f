"""ECB, and modes in which a block waits for the one before: CBC, CFB128, CFB8, OFB (SP 800-38A), CMAC (SP 800-38B)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
    padded,
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


def _check_a_block(message: Message) -> None:
    if len(message.text) < BLOCK:
        raise MessageRefused(
            Fault.LENGTH, f"text: ciphertext stealing takes {BLOCK} bytes or more, not {len(message.text)}"
        )


def _swaps(size: int, variant: int) -> bool:
    """Whether the last two parts of the ciphertext change places: of CS3 always, of CS2 if the last one is partial."""
    return size > BLOCK and (variant == 3 or (variant == 2 and size % BLOCK != 0))


def _steal(cipher: Cipher, message: Message, *, variant: int) -> MessageOutcome:
    """CBC of a text that is filled with zeros; the last but one block of the ciphertext has as many bytes as the last
    one of the text."""
    _check_a_block(message)
    size = len(message.text)
    whole = _encrypt_cbc(cipher, Message(message.iv, text=padded(message.text))).text
    body, last = whole[: size - BLOCK], whole[-BLOCK:]
    if not _swaps(size, variant):
        return MessageOutcome(body + last)
    cut = (size - 1) // BLOCK * BLOCK - BLOCK
    return MessageOutcome(body[:cut] + last + body[cut:])


def _give_back(cipher: Cipher, message: Message, *, variant: int) -> MessageOutcome:
    """The inverse: what was stolen of a block is what its follower decrypts to behind the text."""
    _check_a_block(message)
    check_iv(message, _A_BLOCK)
    text, size = message.text, len(message.text)
    if _swaps(size, variant):
        cut = (size - 1) // BLOCK * BLOCK - BLOCK
        text = text[:cut] + text[cut + BLOCK :] + text[cut : cut + BLOCK]
    body, last = text[:-BLOCK], text[-BLOCK:]
    missing = -size % BLOCK
    stolen = cipher.decrypt(last)[BLOCK - missing :] if missing else b""
    return MessageOutcome(_decrypt_cbc(cipher, Message(message.iv, text=body + stolen + last)).text[:size])


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
CBC_CS1, CBC_CS2, CBC_CS3 = (
    ModeOfOperation(
        f"cbc-cs{variant}",
        "SP 800-38A, addendum",
        partial(_steal, variant=variant),
        partial(_give_back, variant=variant),
        _of_text,
        decrypts_with_inverse=True,
        chained=True,
    )
    for variant in (1, 2, 3)
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
