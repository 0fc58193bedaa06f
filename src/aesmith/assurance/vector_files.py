"""Published vectors in files, one reader for each form: response files of NIST's CAVP, and Wycheproof's JSON.

A vector is a call of a mode and what must come of it. A Monte Carlo file of CAVP gives a round of 1,000 calls for each
of its records, as one message (`aesmith.assurance.acvp.chains`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.acvp.algorithms import Call, VectorAnswer
from aesmith.assurance.acvp.chains import CHAINED, rounds
from aesmith.assurance.streams.responses import encrypts, needed, number, part, records
from aesmith.assurance.streams.wycheproof import FILES, WycheproofCase, padding_of, wycheproof_file
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.chained import CBC, CFB8, CFB128, CMAC, ECB, OFB
from aesmith.modes.counting import CCM, CTR, GCM
from aesmith.modes.key_wrap import KW, KWP
from aesmith.modes.message import Message, ModeOfOperation
from aesmith.modes.offset import XTS

SUFFIXES = (".rsp", ".txt", ".json")
"""Files that are looked for in a folder."""
MODES: Mapping[str, ModeOfOperation] = {
    mode.name: mode for mode in (ECB, CBC, CFB8, CFB128, OFB, CTR, GCM, CCM, CMAC, XTS, KW, KWP)
}
_NAMES = (
    (r"gcm|gmac", "gcm"),
    (r"vadt|vnt|vpt|vtt|dvpt|ccm", "ccm"),
    (r"cmac|nist-800-38b-aes", "cmac"),
    (r"xts", "xts"),
    (r"kwp_", "kwp"),
    (r"kw_", "kw"),
    (r"cfb8(?!\d)", "cfb8"),
    (r"cfb128", "cfb128"),
    (r"(aes-\d+-)?ctr", "ctr"),
    (r"ecb|cbc|ofb", ""),
)
"""How the names of CAVP's files begin, and the mode of each; none if it is what the name begins with."""


@dataclass(frozen=True)
class KnownVector:
    """A call and what must come of it: a text, to encrypt also a tag; or, to decrypt, that it `fails`, its tag found
    wrong or its message refused. `padded`: the text must end in a padding of PKCS #7, or, if it `fails`, must not.
    `place` says where it stands in its file, `left` why it asks for what is not done here."""

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
            found_out = padding_of(answer.text) is None if self.padded else answer.authentic is False
            return "" if found_out else "must be found wrong, and is not"
        if answer.authentic is False:
            return "must be found right, and is found wrong"
        for name, wanted, got in (("text", self.text, answer.text), ("tag", self.tag, answer.tag)):
            if wanted != got:
                return f"{name} must be {_short(wanted)}, and is {_short(got)}"
        return ""


def _short(data: bytes) -> str:
    text = data.hex().upper() or "empty"
    return text if len(text) <= 64 else text[:60] + " ..."


def read_vectors(file: Path, mode: str | None = None) -> list[KnownVector]:
    """The vectors of a file of CAVP or Wycheproof; `mode` where its name does not tell.

    Raises RequestError, naming file and place, for one that cannot be read or is neither.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{file}: is no file of vectors (not UTF-8 at byte {error.start})") from error
    if file.suffix == ".json":
        found = [vector for case in wycheproof_file(file, text) for vector in _of_case(case)]
    else:
        found = list(_of_responses(file, text, mode))
    if not found:
        raise RequestError(f"{file}: has no vectors")
    return found


def is_known(file: Path) -> bool:
    """Whether the name of a file tells that it is one of CAVP's or Wycheproof's, or its text that it is ACVP's."""
    if file.suffix == ".json":
        return file.name in FILES or is_vector_set(file)
    return file.suffix in SUFFIXES and _mode_by_name(file) is not None


def is_vector_set(file: Path) -> bool:
    """Whether a file is a vector set of ACVP, which tells groups by tgId."""
    try:
        return file.suffix == ".json" and re.search(r'"tgId"\s*:', file.read_text(encoding="utf-8")) is not None
    except (OSError, UnicodeDecodeError):
        return False


def _of_case(case: WycheproofCase) -> Iterator[KnownVector]:
    place, padded = f"test {case.number}", case.mode is CBC
    opened = Call(case.mode, case.key, case.sealed, encrypt=False)
    if not case.valid:
        yield KnownVector(place, opened, fails=True, padded=padded)
        return
    plain = case.opened.text if case.mode is not CMAC else b""
    yield KnownVector(place, opened, plain, padded=padded)
    sealed = case.sealed.text if case.mode is not CMAC else b""
    yield KnownVector(place, Call(case.mode, case.key, case.opened, encrypt=True), sealed, case.sealed.tag)


# CAVP


def _mode_of(file: Path, mode: str | None) -> ModeOfOperation:
    if mode is not None:
        if mode not in MODES:
            raise not_one_of("mode", mode, MODES)
        return MODES[mode]
    told = _mode_by_name(file)
    if told is None:
        raise RequestError(f"{file}: its name does not tell its mode, as CBCMMT128.rsp does: give it with --mode")
    return told


def _mode_by_name(file: Path) -> ModeOfOperation | None:
    for pattern, name in _NAMES:
        if found := re.match(pattern, file.name.lower()):
            return MODES[name or found[0]]
    return None


def _of_responses(file: Path, text: str, named: str | None) -> Iterator[KnownVector]:
    mode = _mode_of(file, named)
    make = _MAKERS[mode.name]
    if "mct" in file.name.lower():
        make = _of_round
    if file.stem.lower().endswith("_inv"):
        make = _of_inverse
    section = ""
    for record in records(text.splitlines()):
        section = ", ".join(f"{name} {record[name]}" for name in ("keylen", "alen", "plen") if name in record)
        place = f"count {record.get('count', '?')}" + (f" ({section})" if section else "")
        try:
            yield make(mode, place, record)
        except RequestError as error:
            raise RequestError(f"{file}: {place}: {error}") from error


def _of_text(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    plain, other = needed(record, "plaintext"), needed(record, "ciphertext")
    encrypt = encrypts(record, "plaintext", "ciphertext")
    message = Message(b"" if mode is ECB else needed(record, "iv"), text=plain if encrypt else other)
    return KnownVector(place, Call(mode, part(record, "key"), message, encrypt), other if encrypt else plain)


def _of_round(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    """A record of a Monte Carlo file: the last of 1,000 outputs must be its result."""
    if mode.name not in CHAINED:
        return KnownVector(place, None, left=f"a Monte Carlo test of {mode.name}")
    known = _of_text(mode, place, record)
    assert known.call is not None
    message = known.call.message
    one = next(rounds(mode.name, known.call.key, message.iv, message.text, encrypt=known.call.encrypt))
    call = Call(mode, known.call.key, Message(message.iv, text=one.text), known.call.encrypt)
    return KnownVector(place, call, one.wanted[: -len(known.text)] + known.text)


def _of_inverse(_: ModeOfOperation, place: str, _record: Mapping[str, str]) -> KnownVector:
    return KnownVector(place, None, left="wrapping by the inverse cipher")


def _of_xts(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    if number(record, "dataunitlen") % 8:
        return KnownVector(place, None, left=f"text of {record['dataunitlen']} bits: whole bytes are answered")
    plain, other, encrypt = part(record, "pt"), part(record, "ct"), encrypts(record, "pt", "ct")
    by_number = "dataunitseqnumber" in record
    tweak = number(record, "dataunitseqnumber").to_bytes(16, "little") if by_number else needed(record, "i")
    call = Call(mode, part(record, "key"), Message(tweak, text=plain if encrypt else other), encrypt)
    return KnownVector(place, call, other if encrypt else plain)


def _of_cmac(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    """A tag to make, or, where the record has a result, one to compare."""
    size = None if "mlen" not in record else number(record, "mlen")
    text, tag = part(record, "msg", "message", size=size), part(record, "mac", "output")
    message, key = Message(text=text, tag=tag), needed(record, "key")
    if "result" in record:
        return KnownVector(place, Call(mode, key, message, encrypt=False), fails=not record["result"].startswith("P"))
    return KnownVector(place, Call(mode, key, message, encrypt=True), tag=tag)


def _of_ccm(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    """Text to encrypt, or, where the record has a result, to decrypt. The tag is behind the text, and a zero byte
    stands where there is nothing."""
    alen, plen = number(record, "alen"), number(record, "plen")
    sealed, plain = needed(record, "ct"), part(record, "payload", size=plen)
    nonce, header, key = needed(record, "nonce"), part(record, "adata", size=alen), part(record, "key")
    text, tag = sealed[:plen], sealed[plen:]
    if "result" not in record:
        return KnownVector(place, Call(mode, key, Message(nonce, header, plain, tag), encrypt=True), text, tag)
    fails = not record["result"].startswith("Pass")
    return KnownVector(
        place, Call(mode, key, Message(nonce, header, text, tag), encrypt=False), b"" if fails else plain, fails=fails
    )


def _of_gcm(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    plain, other, tag = part(record, "pt"), part(record, "ct"), needed(record, "tag")
    iv, header, key = needed(record, "iv"), part(record, "aad"), needed(record, "key")
    if encrypts(record, "pt", "ct"):
        return KnownVector(place, Call(mode, key, Message(iv, header, plain, tag), encrypt=True), other, tag)
    call = Call(mode, key, Message(iv, header, other, tag), encrypt=False)
    return KnownVector(place, call, plain, fails="fail" in record)


def _of_wrap(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    key, plain, other = needed(record, "k"), part(record, "p"), needed(record, "c")
    encrypt = encrypts(record, "p", "c")
    call = Call(mode, key, Message(text=plain if encrypt else other), encrypt)
    return KnownVector(place, call, other if encrypt else plain, fails="fail" in record)


_MAKERS: Mapping[str, Callable[[ModeOfOperation, str, Mapping[str, str]], KnownVector]] = {
    **dict.fromkeys(("ecb", "cbc", "cfb8", "cfb128", "ofb", "ctr"), _of_text),
    "gcm": _of_gcm,
    "ccm": _of_ccm,
    "cmac": _of_cmac,
    "xts": _of_xts,
    "kw": _of_wrap,
    "kwp": _of_wrap,
}
