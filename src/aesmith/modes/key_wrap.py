"""KW and KWP: a key, or any bytes, wrapped under another (SP 800-38F; RFC 3394 and RFC 5649)."""

from __future__ import annotations

from aesmith.modes.message import Cipher, Fault, Message, MessageOutcome, MessageRefused, ModeOfOperation, check_iv

SEMIBLOCK = 8
"""Bytes of a semiblock."""
STEPS = 6
"""How often W goes through the semiblocks."""
ICV = bytes.fromhex("A6A6A6A6A6A6A6A6")
"""The first semiblock of KW."""
ICV_PADDED = bytes.fromhex("A65959A6")
"""The first half of that of KWP; the other one is the length of the text in bytes."""
MOST_PADDED = (1 << 32) - 1
"""Bytes of the longest text of KWP."""


def wrap(cipher: Cipher, first: bytes, text: bytes) -> bytes:
    """W of section 6.1, of the semiblock `first` and others; of a single one a call of the cipher, as KWP has it."""
    if len(text) == SEMIBLOCK:
        return cipher.encrypt(first + text)
    a, rest = first, [text[at : at + SEMIBLOCK] for at in range(0, len(text), SEMIBLOCK)]
    for step in range(STEPS):
        for place, semiblock in enumerate(rest):
            made = cipher.encrypt(a + semiblock)
            number = step * len(rest) + place + 1
            a = (int.from_bytes(made[:SEMIBLOCK]) ^ number).to_bytes(SEMIBLOCK)
            rest[place] = made[SEMIBLOCK:]
    return a + b"".join(rest)


def unwrap(cipher: Cipher, text: bytes) -> tuple[bytes, bytes]:
    """The inverse of `wrap`: the first semiblock, and the others."""
    if len(text) == 2 * SEMIBLOCK:
        made = cipher.decrypt(text)
        return made[:SEMIBLOCK], made[SEMIBLOCK:]
    a, *rest = (text[at : at + SEMIBLOCK] for at in range(0, len(text), SEMIBLOCK))
    for step in reversed(range(STEPS)):
        for place in reversed(range(len(rest))):
            number = step * len(rest) + place + 1
            made = cipher.decrypt((int.from_bytes(a) ^ number).to_bytes(SEMIBLOCK) + rest[place])
            a, rest[place] = made[:SEMIBLOCK], made[SEMIBLOCK:]
    return a, b"".join(rest)


def _check(message: Message, least: int, most: int, *, whole: bool, mode: str) -> None:
    size = len(message.text)
    if not least <= size <= most or (whole and size % SEMIBLOCK):
        of = f", a multiple of {SEMIBLOCK}," if whole else ""
        raise MessageRefused(Fault.LENGTH, f"text: {mode} takes {least} to {most} bytes{of} here, not {size}")


_MOST = ((1 << 54) - 1) * SEMIBLOCK
"""Bytes of the longest text of KW."""


def _seal(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check(message, 2 * SEMIBLOCK, _MOST, whole=True, mode="KW")
    return MessageOutcome(wrap(cipher, ICV, message.text))


def _open(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check(message, 3 * SEMIBLOCK, _MOST + SEMIBLOCK, whole=True, mode="KW")
    first, text = unwrap(cipher, message.text)
    return MessageOutcome(text if first == ICV else b"", authentic=first == ICV)


def _seal_padded(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check(message, 1, MOST_PADDED, whole=False, mode="KWP")
    first = ICV_PADDED + len(message.text).to_bytes(4)
    text = message.text + bytes(-len(message.text) % SEMIBLOCK)
    return MessageOutcome(wrap(cipher, first, text))


def _open_padded(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check(message, 2 * SEMIBLOCK, MOST_PADDED + 1 + SEMIBLOCK, whole=True, mode="KWP")
    first, text = unwrap(cipher, message.text)
    size = int.from_bytes(first[4:])
    filled = len(text) - size
    authentic = first[:4] == ICV_PADDED and 0 <= filled < SEMIBLOCK and not any(text[size:])
    return MessageOutcome(text[:size] if authentic else b"", authentic=authentic)


def _calls(_header: int, text: int) -> int:
    return STEPS * -(-text // SEMIBLOCK)


KW = ModeOfOperation(
    "kw", "SP 800-38F, 6.2", _seal, _open, _calls, authenticated=True, decrypts_with_inverse=True, chained=True
)
KWP = ModeOfOperation(
    "kwp",
    "SP 800-38F, 6.3",
    _seal_padded,
    _open_padded,
    lambda header, text: 1 if text <= SEMIBLOCK else _calls(header, text),
    authenticated=True,
    decrypts_with_inverse=True,
    chained=True,
)
