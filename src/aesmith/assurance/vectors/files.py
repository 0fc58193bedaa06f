"""Published vectors in files, one reader for each form: response files of NIST's CAVP, and Wycheproof's JSON.

A vector is a call of a mode and what must come of it. A Monte Carlo file of CAVP gives a round of 1,000 calls for each
of its records, as one message (`aesmith.assurance.vectors.chains`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from aesmith.assurance.vectors.chains import CHAINED, rounds
from aesmith.assurance.vectors.known import Call, KnownVector
from aesmith.assurance.vectors.responses import encrypts, needed, number, part, records
from aesmith.assurance.vectors.wycheproof import FILES, wycheproof_file
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.catalogue import MODES
from aesmith.modes.chained import ECB
from aesmith.modes.message import BLOCK, Message, ModeOfOperation
from aesmith.modes.siv import MOST_COMPONENTS

SUFFIXES = (".rsp", ".txt", ".json")
"""Files that are looked for in a folder."""
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
        found = [way for vector in wycheproof_file(file, text) for way in (vector, vector.other_way) if way is not None]
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


def _of_ocb(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    """Text to encrypt, with a tag of 16 bytes behind it."""
    sealed, plain = needed(record, "ciphertext"), part(record, "plaintext")
    text, tag = sealed[:-BLOCK], sealed[-BLOCK:]
    message = Message(needed(record, "nonce"), part(record, "aad"), plain, tag)
    return KnownVector(place, Call(mode, needed(record, "key"), message, encrypt=True), text, tag)


def _of_siv(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    """Text to encrypt, with its tag beside it."""
    sealed, plain, tag = part(record, "ciphertext"), part(record, "plaintext"), needed(record, "tag")
    message = Message(needed(record, "iv"), part(record, "aad"), plain, tag)
    return KnownVector(place, Call(mode, needed(record, "key"), message, encrypt=True), sealed, tag)


def _of_components(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    """The same with a header of one component or more."""
    known = _of_siv(mode, place, {"iv": "", **record})
    assert known.call is not None
    names = ("aad", *(f"aad{number}" for number in range(2, MOST_COMPONENTS + 1)))
    header = tuple(bytes.fromhex(record[name]) for name in names if name in record)
    return replace(known, call=replace(known.call, message=replace(known.call.message, header=b"", components=header)))


def _of_wrap(mode: ModeOfOperation, place: str, record: Mapping[str, str]) -> KnownVector:
    key, plain, other = needed(record, "k"), part(record, "p"), needed(record, "c")
    encrypt = encrypts(record, "p", "c")
    call = Call(mode, key, Message(text=plain if encrypt else other), encrypt)
    return KnownVector(place, call, other if encrypt else plain, fails="fail" in record)


_MAKERS: Mapping[str, Callable[[ModeOfOperation, str, Mapping[str, str]], KnownVector]] = {
    **dict.fromkeys(MODES, _of_text),
    "gcm": _of_gcm,
    "ccm": _of_ccm,
    "cmac": _of_cmac,
    "xts": _of_xts,
    "ocb3": _of_ocb,
    "gcm-siv": _of_siv,
    "siv": _of_components,
    "kw": _of_wrap,
    "kwp": _of_wrap,
}
