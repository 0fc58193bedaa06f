"""Modes that add an offset before and behind each call: XTS (IEEE 1619, SP 800-38E) and OCB3 (RFC 7253)."""

from __future__ import annotations

from aesmith.circuits.multipliers.gf2_128 import times_power
from aesmith.errors import RequestError
from aesmith.modes.chained import doubled
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


def _xts(cipher: Cipher, message: Message, *, decrypting: bool) -> MessageOutcome:
    """A data unit. The key of `cipher` is Key1 and then Key2, which makes the tweak; text that ends within a block
    steals from the block before it, which is then the last to be processed (decrypting: the last but one tweak).

    Raises RequestError for a key that is not two of 128 or of 256 bits.
    """
    if len(cipher.key) not in {32, 64}:
        raise RequestError(f"key: XTS takes two keys of 16 or of 32 bytes, one after the other, not {len(cipher.key)}")
    check_iv(message, range(BLOCK, BLOCK + 1))
    half = len(cipher.key) // 2
    key1, key2 = cipher.key[:half], cipher.key[half:]
    if key1 == key2:
        raise MessageRefused(Fault.XTS, "key: its two halves must differ, and are equal")
    if len(message.text) < BLOCK:
        raise MessageRefused(Fault.LENGTH, f"text: XTS takes at least {BLOCK} bytes, not {len(message.text)}")
    data, tweaking = type(cipher)(key1), type(cipher)(key2)
    tweak = int.from_bytes(tweaking.encrypt(message.iv), "little")

    def crypt(block: bytes, number: int) -> bytes:
        offset = times_power(tweak, number).to_bytes(BLOCK, "little")
        call = data.decrypt if decrypting else data.encrypt
        return added(call(added(block, offset)), offset)

    parts = list(blocks(message.text))
    rest = parts.pop() if len(parts[-1]) < BLOCK else b""
    last = len(parts) - 1
    result = [crypt(block, number) for number, block in enumerate(parts[:last])]
    if not rest:
        result.append(crypt(parts[last], last))
    else:
        first, second = (last + 1, last) if decrypting else (last, last + 1)
        stolen = crypt(parts[last], first)
        result += [crypt(rest + stolen[len(rest) :], second), stolen[: len(rest)]]
    cipher.calls += data.calls + tweaking.calls
    return MessageOutcome(b"".join(result))


XTS = ModeOfOperation(
    "xts",
    "IEEE 1619, SP 800-38E",
    lambda cipher, message: _xts(cipher, message, decrypting=False),
    lambda cipher, message: _xts(cipher, message, decrypting=True),
    lambda _header, text: count(text) + 1,
    decrypts_with_inverse=True,
    keys=2,
)

OCB_NONCES = range(1, BLOCK)
OCB_TAGS = tuple(range(16, 0, -1))


class _Offsets:
    """L_*, L_$ and L_i of RFC 7253, section 4.1, which an engine keeps with the key."""

    def __init__(self, cipher: Cipher) -> None:
        self.star = cipher.constant(bytes(BLOCK))
        self.dollar = doubled(self.star)

    def step(self, number: int) -> bytes:
        """L_ntz(number)."""
        return doubled(self.star, 2 + (number & -number).bit_length() - 1)


def _hash(cipher: Cipher, offsets: _Offsets, header: bytes) -> bytes:
    total, offset = bytes(BLOCK), bytes(BLOCK)
    for number, block in enumerate(blocks(header), 1):
        if len(block) == BLOCK:
            offset = added(offset, offsets.step(number))
        else:
            offset = added(offset, offsets.star)
            block = (block + b"\x80").ljust(BLOCK, b"\0")  # noqa: PLW2901 - the last one, filled
        total = added(total, cipher.encrypt(added(block, offset)))
    return total


def _first_offset(cipher: Cipher, nonce: bytes, tag_bytes: int) -> bytes:
    """RFC 7253, section 4.2: the last six bits of the nonce choose 128 bits of the stretched rest."""
    word = (8 * tag_bytes % 128) << 121 | 1 << 8 * len(nonce) | int.from_bytes(nonce)
    bottom = word & 63
    top = cipher.encrypt((word & ~63).to_bytes(BLOCK))
    stretched = top + added(top[:8], top[1:9])
    return (int.from_bytes(stretched) << bottom >> 64 & (1 << 128) - 1).to_bytes(BLOCK)


def ocb(cipher: Cipher, message: Message, decrypting: bool) -> tuple[bytes, bytes]:
    """The other text of a message of OCB3, whatever its tag is, and the whole tag of 16 bytes."""
    check_iv(message, OCB_NONCES)
    check_tag(message, OCB_TAGS)
    offsets = _Offsets(cipher)
    offset = _first_offset(cipher, message.iv, len(message.tag))
    checksum, result = bytes(BLOCK), b""
    for number, block in enumerate(blocks(message.text), 1):
        if len(block) == BLOCK:
            offset = added(offset, offsets.step(number))
            call = cipher.decrypt if decrypting else cipher.encrypt
            other = added(call(added(block, offset)), offset)
        else:
            offset = added(offset, offsets.star)
            other = added(block, cipher.encrypt(offset))
        plain = other if decrypting else block
        checksum = added(checksum, (plain + b"\x80").ljust(BLOCK, b"\0") if len(plain) < BLOCK else plain)
        result += other
    tag = cipher.encrypt(added(added(checksum, offset), offsets.dollar))
    return result, added(tag, _hash(cipher, offsets, message.header))


OCB3 = ModeOfOperation(
    "ocb3",
    "RFC 7253",
    *sealing(ocb),
    lambda header, text: count(text) + count(header) + 2,
    authenticated=True,
    decrypts_with_inverse=True,
)
