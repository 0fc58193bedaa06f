"""A published vector: a call of a mode, and what must come of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aesmith.modes.chained import CMAC
from aesmith.modes.message import BLOCK, Cipher, Message, MessageRefused, ModeOfOperation


@dataclass(frozen=True)
class Call:
    """A message of a mode under a key; to encrypt, its tag is as long as the one that is asked for."""

    mode: ModeOfOperation
    key: bytes
    message: Message
    encrypt: bool

    @property
    def refusal(self) -> str:
        """Why the model of its mode, which takes its key, refuses its message; empty if it does not."""
        try:
            (self.mode.encrypt if self.encrypt else self.mode.decrypt)(Cipher(self.key), self.message)
        except MessageRefused as error:
            return str(error)
        return ""


@dataclass(frozen=True)
class VectorAnswer:
    """What came of a call: the text, the tag of an encryption, and, of a tag to compare, whether it is right."""

    text: bytes
    tag: bytes = b""
    authentic: bool | None = None


@dataclass(frozen=True)
class KnownVector:
    """A call and what must come of it: a text, to encrypt also a tag; or, to decrypt, that it `fails`, its tag found
    wrong or its message refused. `padded`: it fails if the text ends in no padding of PKCS #7. `place` says where it
    stands in its file, `left` why it asks for what is not done here."""

    place: str
    call: Call | None
    text: bytes = b""
    tag: bytes = b""
    fails: bool = False
    padded: bool = False
    left: str = ""

    def wrong(self, answer: VectorAnswer) -> str:
        """What is wrong with an answer; empty for the right one."""
        if self.fails:
            found_out = not is_padded(answer.text) if self.padded else answer.authentic is False
            return "" if found_out else "must be found wrong, and is not"
        if answer.authentic is False:
            return "must be found right, and is found wrong"
        for name, wanted, got in (("text", self.text, answer.text), ("tag", self.tag, answer.tag)):
            if wanted != got:
                return f"{name} must be {_short(wanted)}, and is {_short(got)}"
        return ""

    @property
    def other_way(self) -> KnownVector | None:
        """The same vector in the other direction; None for one that fails or is left."""
        if self.call is None or self.fails:
            return None
        message, encrypt = self.call.message, not self.call.encrypt
        # CMAC gives no text: what is authenticated is the same both ways.
        sent, wanted = (message.text, b"") if self.call.mode is CMAC else (self.text, message.text)
        call = replace(self.call, message=replace(message, text=sent, tag=self.tag or message.tag), encrypt=encrypt)
        return replace(self, call=call, text=wanted, tag=message.tag if encrypt else b"")


def padded(text: bytes) -> bytes:
    """As PKCS #7 fills a last block, which is a whole one if the text ends with one."""
    missing = BLOCK - len(text) % BLOCK
    return text + bytes([missing]) * missing


def is_padded(text: bytes) -> bool:
    """Whether a text ends with a padding of PKCS #7."""
    size = text[-1] if text else 0
    return 1 <= size <= BLOCK and text[-size:] == bytes([size]) * size


def _short(data: bytes) -> str:
    text = data.hex().upper() or "empty"
    return text if len(text) <= 64 else text[:60] + " ..."
