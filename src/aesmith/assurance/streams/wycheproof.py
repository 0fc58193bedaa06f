"""Wycheproof's vectors of modes of operation: JSON files of a folder that the user names, for models and engines.

Where AESMITH_WYCHEPROOF names the folder `testvectors_v1` of https://github.com/C2SP/wycheproof, `aesmith verify` sends
engines its messages too. An invalid vector must be refused, or its tag or padding found wrong.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aesmith.errors import RequestError, not_one_of
from aesmith.modes.chained import CBC, CMAC
from aesmith.modes.counting import CCM, GCM
from aesmith.modes.key_wrap import KW, KWP
from aesmith.modes.message import BLOCK, Cipher, Message, MessageRefused, ModeOfOperation
from aesmith.modes.offset import XTS

ENVIRONMENT = "AESMITH_WYCHEPROOF"
FILES: Mapping[str, ModeOfOperation] = {
    "aes_gcm_test.json": GCM,
    "aes_gmac_test.json": GCM,
    "aes_ccm_test.json": CCM,
    "aes_cmac_test.json": CMAC,
    "aes_cbc_pkcs5_test.json": CBC,
    "aes_xts_test.json": XTS,
    "aes_wrap_test.json": KW,
    "aes_kwp_test.json": KWP,
}
"""The files that are read, and the mode of each."""
XTS_KEYS = (256, 512)
"""Bits of the two keys of XTS together."""
ACCEPTABLE = "acceptable"
"""The result of a vector that tells nothing: who refuses it is right, and who takes it."""


@dataclass(frozen=True)
class WycheproofCase:
    """A vector: `sealed` is the message to decrypt, `plain` what must come of it if it is `valid`, padding removed."""

    number: int
    mode: ModeOfOperation
    key: bytes
    sealed: Message
    plain: bytes
    valid: bool

    @property
    def refused(self) -> bool:
        """Whether the model takes no such message."""
        try:
            self.mode.decrypt(Cipher(self.key), self.sealed)
        except MessageRefused:
            return True
        return False

    @property
    def opened(self) -> Message:
        """The message to encrypt."""
        plain = _padded(self.plain) if self.mode is CBC else self.plain
        # CMAC has no other text than what is authenticated.
        text = self.sealed.text if self.mode is CMAC else plain
        return Message(self.sealed.iv, self.sealed.header, text, self.sealed.tag)

    def agrees(self) -> bool:
        """Whether the model of the mode makes of the vector what it says."""
        cipher = Cipher(self.key)
        try:
            back = self.mode.decrypt(cipher, self.sealed)
            made = self.mode.encrypt(cipher, self.opened)
        except (MessageRefused, RequestError):
            return not self.valid
        if self.mode is CBC:
            text = _unpadded(back.text)
            return text is None if not self.valid else (text, made.text) == (self.plain, self.sealed.text)
        if not self.valid:
            return back.authentic is False and not back.text
        right = (made.text, made.tag) == (b"" if self.mode is CMAC else self.sealed.text, self.sealed.tag)
        return right and back.authentic is not False and back.text == (b"" if self.mode is CMAC else self.plain)


def _padded(text: bytes) -> bytes:
    """As PKCS #7 fills a last block, which is a whole one if the text ends with one."""
    missing = BLOCK - len(text) % BLOCK
    return text + bytes([missing]) * missing


def padding_of(text: bytes) -> bytes | None:
    """The padding of PKCS #7 that a text ends with; None if it ends with none."""
    unpadded = _unpadded(text)
    return None if unpadded is None else text[len(unpadded) :]


def _unpadded(text: bytes) -> bytes | None:
    """The text before its padding; None if there is none."""
    size = text[-1] if text else 0
    right = 1 <= size <= BLOCK and text[-size:] == bytes([size]) * size
    return text[:-size] if right else None


def wycheproof_folder() -> Path | None:
    """The folder that the environment names; None if it names none. Raises RequestError if it is none."""
    named = os.environ.get(ENVIRONMENT)
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise RequestError(f"{ENVIRONMENT}: {folder} is no folder")
    return folder


def wycheproof_cases(folder: Path, name: str) -> Iterator[WycheproofCase]:
    """The vectors of one of FILES. Raises RequestError if the folder has no such file, or it has another form."""
    file = folder / name
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{ENVIRONMENT}: {file} cannot be read ({error.strerror})") from error
    try:
        yield from wycheproof_file(file, text)
    except RequestError as error:
        raise RequestError(f"{ENVIRONMENT}: {error}") from error


def wycheproof_file(file: Path, text: str) -> Iterator[WycheproofCase]:
    """The vectors in the text of a file that is called as one of FILES, but those of XTS with keys of 192 bits, which
    IEEE 1619 has not, and those that may be taken or refused (`acceptable`). Raises RequestError for another name or
    form."""
    if file.name not in FILES:
        raise not_one_of(f"{file}: its name", file.name, FILES)
    mode = FILES[file.name]
    try:
        for group in json.loads(text)["testGroups"]:
            for test in group["tests"]:
                if test["result"] != ACCEPTABLE and (mode is not XTS or group["keySize"] in XTS_KEYS):
                    yield _case(mode, test, of_header="gmac" in file.name)
    except (ValueError, KeyError, TypeError) as error:
        raise RequestError(f"{file}: is no file of Wycheproof's vectors ({type(error).__name__}: {error})") from error


def _case(mode: ModeOfOperation, test: Mapping[str, str], *, of_header: bool) -> WycheproofCase:
    parts = {name: bytes.fromhex(test.get(name, "")) for name in ("key", "iv", "aad", "msg", "ct", "tag")}
    iv, header, plain, text = parts["iv"], parts["aad"], parts["msg"], parts["ct"]
    if mode is XTS:
        # The number of the data unit, its first byte the lowest.
        iv = iv.ljust(BLOCK, b"\0")
    elif mode is CMAC:
        text = plain
    elif of_header:
        header, plain = plain, b""
    sealed = Message(iv, header, text, parts["tag"])
    return WycheproofCase(int(test["tcId"]), mode, parts["key"], sealed, plain, test["result"] == "valid")
