"""Wycheproof's vectors of modes of operation: JSON files of a folder that the user names, for models and engines.

Where AESMITH_WYCHEPROOF names the folder `testvectors_v1` of https://github.com/C2SP/wycheproof, `aesmith verify` sends
engines its messages too. An invalid vector must be refused, or its tag or padding found wrong.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from aesmith.assurance.vectors.known import Call, KnownVector, padded
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.chained import CBC, CMAC
from aesmith.modes.counting import CCM, GCM
from aesmith.modes.gcm_siv import GCM_SIV
from aesmith.modes.key_wrap import KW, KWP
from aesmith.modes.message import BLOCK, Message, ModeOfOperation
from aesmith.modes.offset import XTS
from aesmith.modes.siv import SIV

ENVIRONMENT = "AESMITH_WYCHEPROOF"
FILES: Mapping[str, ModeOfOperation] = {
    "aes_gcm_test.json": GCM,
    "aes_gmac_test.json": GCM,
    "aes_gcm_siv_test.json": GCM_SIV,
    "aes_siv_cmac_test.json": SIV,
    "aead_aes_siv_cmac_test.json": SIV,
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


def wycheproof_folder() -> Path | None:
    """The folder that the environment names; None if it names none. Raises RequestError if it is none."""
    named = os.environ.get(ENVIRONMENT)
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise RequestError(f"{ENVIRONMENT}: {folder} is no folder")
    return folder


def wycheproof_vectors(folder: Path, name: str) -> Iterator[KnownVector]:
    """The vectors of one of FILES, to decrypt. Raises RequestError if the folder has no such file, or it has another
    form."""
    file = folder / name
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{ENVIRONMENT}: {file} cannot be read ({error.strerror})") from error
    try:
        yield from wycheproof_file(file, text)
    except RequestError as error:
        raise RequestError(f"{ENVIRONMENT}: {error}") from error


def wycheproof_file(file: Path, text: str) -> Iterator[KnownVector]:
    """The vectors in the text of a file that is called as one of FILES, to decrypt, but those of XTS with keys of
    192 bits, which IEEE 1619 has not, and those that may be taken or refused (`acceptable`). Raises RequestError for
    another name or form."""
    if file.name not in FILES:
        raise not_one_of(f"{file}: its name", file.name, FILES)
    mode = FILES[file.name]
    try:
        for group in json.loads(text)["testGroups"]:
            for test in group["tests"]:
                if test["result"] != ACCEPTABLE and (mode is not XTS or group["keySize"] in XTS_KEYS):
                    yield _vector(mode, test, of_header="gmac" in file.name)
    except (ValueError, KeyError, TypeError) as error:
        raise RequestError(f"{file}: is no file of Wycheproof's vectors ({type(error).__name__}: {error})") from error


def _vector(mode: ModeOfOperation, test: Mapping[str, str], *, of_header: bool) -> KnownVector:
    parts = {name: bytes.fromhex(test.get(name, "")) for name in ("key", "iv", "aad", "msg", "ct", "tag")}
    iv, header, plain, text = parts["iv"], parts["aad"], parts["msg"], parts["ct"]
    if mode is XTS:
        # The number of the data unit, its first byte the lowest.
        iv = iv.ljust(BLOCK, b"\0")
    elif mode is CMAC:
        text, plain = plain, b""
    elif mode is CBC:
        plain = padded(plain)
    elif of_header:
        header, plain = plain, b""
    message = Message(iv, header, text, parts["tag"])
    if mode is SIV:
        # Without a nonce there is one component, which may be empty; the tag is before the text.
        header_of = (header, iv) if "iv" in test else (header,)
        tag, text = (parts["tag"], text) if "tag" in test else (text[:BLOCK], text[BLOCK:])
        message = Message(text=text, tag=tag, components=header_of)
    call = Call(mode, parts["key"], message, encrypt=False)
    place = f"test {int(test['tcId'])}"
    if test["result"] == "valid":
        return KnownVector(place, call, plain)
    return KnownVector(place, call, fails=True, padded=mode is CBC)
