"""Monte Carlo tests of ECB, CBC, CFB8, CFB128 and OFB: 100 rounds of 1,000 calls, each fed by what came before.

What draft-celi-acvp-symmetric, section 6.4, writes as loops is one rule. With u bytes a call (16, of CFB8 one), input
j + 1 is the u bytes at u j of the IV with all outputs of the round behind it (ECB has no IV). So a round is one message
of 1,000 u bytes: the mode's own chaining is that of the calls. The next round begins with input 1,000, its IV are the
last 16 bytes of output, and its key is the key plus the last bytes of output, as many as it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, ECB

from aesmith.modes.message import BLOCK, added

try:
    from cryptography.hazmat.decrepit.ciphers.modes import CFB, CFB8, OFB
except ImportError:  # Older versions have them with the others.
    from cryptography.hazmat.primitives.ciphers.modes import CFB, CFB8, OFB

ROUNDS, CALLS = 100, 1000
_MODES: dict[str, Any] = {"ecb": lambda _: ECB(), "cbc": CBC, "cfb8": CFB8, "cfb128": CFB, "ofb": OFB}
CHAINED = tuple(_MODES)
"""Modes that have such a test, by their names."""


@dataclass(frozen=True)
class Round:
    """A round: its key, its IV (empty for ECB), all its inputs as one text, and the text that must come of it."""

    key: bytes
    iv: bytes
    text: bytes
    wanted: bytes
    unit: int

    @property
    def first(self) -> bytes:
        """The input of the first call."""
        return self.text[: self.unit]


def rounds(mode: str, key: bytes, iv: bytes, first: bytes, *, encrypt: bool, calls: int = CALLS) -> Iterator[Round]:
    """The rounds of a chain, without end, by OpenSSL; `first` is the input of the first call."""
    unit = 1 if mode == "cfb8" else BLOCK
    while True:
        cipher = Cipher(AES(key), _MODES[mode](iv))
        worker: CipherContext = cipher.encryptor() if encrypt else cipher.decryptor()
        text, made, wanted = first, bytearray(iv), bytearray()
        for call in range(calls):
            output = worker.update(first)
            made += output
            wanted += output
            first = bytes(made[unit * call : unit * (call + 1)])
            text += first
        yield Round(key, iv, text[:-unit], bytes(wanted), unit)
        key = added(key, bytes(wanted[-len(key) :]))
        iv = bytes(wanted[-BLOCK:]) if iv else b""
