"""KW and KWP: a key, or any bytes, wrapped under another (SP 800-38F; RFC 3394 and RFC 5649)."""

from __future__ import annotations

from aesmith.modes.message import Cipher, Fault, Message, MessageOutcome, MessageRefused, ModeOfOperation, check_iv

_SEMIBLOCK = 8
_STEPS = 6
_ICV = bytes.fromhex("A6A6A6A6A6A6A6A6")
_ICV_PADDED = bytes.fromhex("A65959A6")
MOST_PADDED = (1 << 32) - 1
"""Bytes of the longest text of KWP."""


def _wrap(cipher: Cipher, first: bytes, text: bytes) -> bytes:
    """W of section 6.1, of the semiblock `first` and two others at least."""
    a, rest = first, [text[at : at + _SEMIBLOCK] for at in range(0, len(text), _SEMIBLOCK)]
    for step in range(_STEPS):
        for place, semiblock in enumerate(rest):
            made = cipher.encrypt(a + semiblock)
            number = step * len(rest) + place + 1
            a = (int.from_bytes(made[:_SEMIBLOCK]) ^ number).to_bytes(_SEMIBLOCK)
            rest[place] = made[_SEMIBLOCK:]
    return a + b"".join(rest)


def _unwrap(cipher: Cipher, text: bytes) -> tuple[bytes, bytes]:
    """The inverse of W: the first semiblock, and the others."""
    a, *rest = (text[at : at + _SEMIBLOCK] for at in range(0, len(text), _SEMIBLOCK))
    for step in reversed(range(_STEPS)):
        for place in reversed(range(len(rest))):
            number = step * len(rest) + place + 1
            made = cipher.decrypt((int.from_bytes(a) ^ number).to_bytes(_SEMIBLOCK) + rest[place])
            a, rest[place] = made[:_SEMIBLOCK], made[_SEMIBLOCK:]
    return a, b"".join(rest)


def _check(message: Message, least: int, most: int, *, whole: bool, mode: str) -> None:
    size = len(message.text)
    if not least <= size <= most or (whole and size % _SEMIBLOCK):
        of = f", a multiple of {_SEMIBLOCK}," if whole else ""
        raise MessageRefused(Fault.LENGTH, f"text: {mode} takes {least} to {most} bytes{of} here, not {size}")


_MOST = ((1 << 54) - 1) * _SEMIBLOCK
"""Bytes of the longest text of KW."""


def _seal(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check(message, 2 * _SEMIBLOCK, _MOST, whole=True, mode="KW")
    return MessageOutcome(_wrap(cipher, _ICV, message.text))


def _open(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check(message, 3 * _SEMIBLOCK, _MOST + _SEMIBLOCK, whole=True, mode="KW")
    first, text = _unwrap(cipher, message.text)
    return MessageOutcome(text if first == _ICV else b"", authentic=first == _ICV)


def _seal_padded(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check(message, 1, MOST_PADDED, whole=False, mode="KWP")
    first = _ICV_PADDED + len(message.text).to_bytes(4)
    text = message.text + bytes(-len(message.text) % _SEMIBLOCK)
    return MessageOutcome(cipher.encrypt(first + text) if len(text) == _SEMIBLOCK else _wrap(cipher, first, text))


def _open_padded(cipher: Cipher, message: Message) -> MessageOutcome:
    check_iv(message, range(1))
    _check(message, 2 * _SEMIBLOCK, MOST_PADDED + 1 + _SEMIBLOCK, whole=True, mode="KWP")
    if len(message.text) == 2 * _SEMIBLOCK:
        made = cipher.decrypt(message.text)
        first, text = made[:_SEMIBLOCK], made[_SEMIBLOCK:]
    else:
        first, text = _unwrap(cipher, message.text)
    size = int.from_bytes(first[4:])
    filled = len(text) - size
    authentic = first[:4] == _ICV_PADDED and 0 <= filled < _SEMIBLOCK and not any(text[size:])
    return MessageOutcome(text[:size] if authentic else b"", authentic=authentic)


def _calls(_header: int, text: int) -> int:
    return _STEPS * -(-text // _SEMIBLOCK)


KW = ModeOfOperation(
    "kw", "SP 800-38F, 6.2", _seal, _open, _calls, authenticated=True, decrypts_with_inverse=True, chained=True
)
KWP = ModeOfOperation(
    "kwp",
    "SP 800-38F, 6.3",
    _seal_padded,
    _open_padded,
    lambda header, text: 1 if text <= _SEMIBLOCK else _calls(header, text),
    authenticated=True,
    decrypts_with_inverse=True,
    chained=True,
)
