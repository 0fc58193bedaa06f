"""What all modes of operation share: the message and what becomes of it, why a message is refused, the block cipher.

A mode here is a model in software, one object with its equations, its limits and its number of AES calls: what an
engine in hardware will be compared with. Bytes are in the order in which they are sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from aesmith.errors import AesmithError
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    from aesmith.reference import golden
else:
    golden = LazyModule("aesmith.reference.golden")

BLOCK = 16
"""Bytes of a block."""


class Fault(IntEnum):
    """Why a message is refused: the codes that engines tell. The first four are of the stream that brings it or of
    keys, and no model of a mode meets them."""

    KEEP = 1
    PARTIAL = 2
    ORDER = 3
    KEY = 4
    IV = 5
    LENGTH = 6
    WRAP = 7
    TAG = 8
    XTS = 9
    MODE = 10


class MessageRefused(AesmithError):  # noqa: N818 - what happened to the message
    """A message that the mode does not take; `fault` says why. Nothing of it was processed."""

    def __init__(self, fault: Fault, why: str) -> None:
        super().__init__(f"{fault.name}: {why}")
        self.fault = fault


@dataclass(frozen=True)
class Message:
    """A message to encrypt or decrypt: `iv` is the initial vector, nonce, first counter block or tweak; `header` is
    authenticated only; `tag` is what decryption compares, and its length is what encryption makes. `components` are
    those of a header in AES-SIV, the nonce last, where they are not just `header` and `iv`."""

    iv: bytes = b""
    header: bytes = b""
    text: bytes = b""
    tag: bytes = b""
    components: tuple[bytes, ...] | None = None


@dataclass(frozen=True)
class MessageOutcome:
    """What a mode makes of a message. `authentic` is None where no tag was compared; where it is False there is no
    text. `tag` is that of an encryption."""

    text: bytes
    tag: bytes = b""
    authentic: bool | None = None


class Cipher:
    """AES under one key, which counts its calls; for XTS and AES-SIV the key is both keys, one after the other.

    Raises RequestError for a key that AES has not, when it is first used.
    """

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.calls = 0

    def encrypt(self, block: bytes) -> bytes:
        """A block encrypted."""
        self.calls += 1
        return golden.encrypt(self.key, block)

    def decrypt(self, block: bytes) -> bytes:
        """A block decrypted."""
        self.calls += 1
        return golden.decrypt(self.key, block)

    def constant(self, block: bytes) -> bytes:
        """A block encrypted that depends on the key alone: an engine keeps it with the key, and it is not counted."""
        return golden.encrypt(self.key, block)


Work = Callable[[Cipher, Message], MessageOutcome]
Calls = Callable[[int, int], int]
Seal = Callable[[Cipher, Message, bool], tuple[bytes, bytes]]
"""The other text of a message, and its whole tag of 16 bytes; the last argument tells whether to decrypt."""


def sealing(seal: Seal) -> tuple[Work, Work]:
    """Encryption and decryption of an authenticated mode: a tag as long as asked for, and one that is compared."""

    def encrypt(cipher: Cipher, message: Message) -> MessageOutcome:
        text, tag = seal(cipher, message, False)
        return MessageOutcome(text, tag=tag[: len(message.tag)])

    def decrypt(cipher: Cipher, message: Message) -> MessageOutcome:
        text, tag = seal(cipher, message, True)
        authentic = tag[: len(message.tag)] == message.tag
        return MessageOutcome(text if authentic else b"", authentic=authentic)

    return encrypt, decrypt


@dataclass(frozen=True)
class ModeOfOperation:
    """A mode of operation.

    `encrypt` and `decrypt` raise MessageRefused for what `Fault` lists. `calls` is the number of AES calls of a message
    by the numbers of bytes of its header and its text, without those that depend on the key alone.
    `decrypts_with_inverse` tells whether decryption needs the inverse cipher; `chained` whether a block's encryption
    waits for the one before it; `keys` how many keys of AES stand in the cipher's, one behind the other.
    """

    name: str
    standard: str
    encrypt: Work
    decrypt: Work
    calls: Calls
    authenticated: bool = False
    decrypts_with_inverse: bool = False
    chained: bool = False
    keys: int = 1


def blocks(data: bytes) -> Iterator[bytes]:
    """The data in blocks, the last one as long as is left."""
    return (data[start : start + BLOCK] for start in range(0, len(data), BLOCK))


def count(size: int) -> int:
    """How many blocks so many bytes take, the last one perhaps partial."""
    return -(-size // BLOCK)


def added(a: bytes, b: bytes) -> bytes:
    """The sum over GF(2), as long as the shorter one: the rest of the longer counts for nothing."""
    return bytes(x ^ y for x, y in zip(a, b, strict=False))


def padded(data: bytes) -> bytes:
    """The data filled with zeros to whole blocks."""
    return data + bytes(-len(data) % BLOCK)


def incremented(block: bytes, bits: int) -> bytes:
    """The counter block plus one in its last `bits` bits; what is left of them stays (SP 800-38A, B.1)."""
    value = int.from_bytes(block)
    low = (1 << bits) - 1
    return (value & ~low | (value + 1) & low).to_bytes(BLOCK)


def key_stream(cipher: Cipher, first: bytes, size: int, bits: int) -> bytes:
    """So many bytes of the encryptions of `first` and the counter blocks behind it."""
    stream, counter = b"", first
    for _ in range(count(size)):
        stream += cipher.encrypt(counter)
        counter = incremented(counter, bits)
    return stream[:size]


def check_iv(message: Message, sizes: range) -> None:
    """Raise MessageRefused unless the IV has one of these sizes (bytes)."""
    if len(message.iv) not in sizes:
        allowed = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        raise MessageRefused(Fault.IV, f"iv: must have {allowed} bytes, not {len(message.iv)}")


def check_tag(message: Message, sizes: tuple[int, ...]) -> None:
    """Raise MessageRefused unless the tag has one of these sizes (bytes)."""
    if len(message.tag) not in sizes:
        raise MessageRefused(Fault.TAG, f"tag: must have {', '.join(map(str, sizes))} bytes, not {len(message.tag)}")


WIDER = 64
"""Blocks of text that the way out is shown for."""


def decryption_limit(most_beats: int | None, held: str, wider: Mapping[str, object]) -> tuple[str, ...]:
    """How long a message to decrypt may be of which `most_beats` blocks of `held` wait for the tag; nothing for None.

    `wider` are the fields with which the engine holds `WIDER` blocks of text.
    """
    if most_beats is None:
        return ()
    fields = ", ".join(f"{field} = {value}" for field, value in wider.items())
    way_out = f"; {fields} holds {BLOCK * WIDER:,}" if fields else ""
    return (
        f"A message to decrypt has at most {BLOCK * most_beats:,} bytes of {held} ({most_beats} blocks), which wait "
        f"for its tag; longer ones are refused with code {int(Fault.LENGTH)}{way_out}.",
    )
