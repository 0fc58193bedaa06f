"""Published vectors as messages to an engine: those of the package cryptography-vectors, Wycheproof's, RFC 7253's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import cryptography_vectors

from aesmith.assurance.vectors.drbg import CAVP
from aesmith.assurance.vectors.files import read_vectors
from aesmith.assurance.vectors.gcm_sst import draft_vectors
from aesmith.assurance.vectors.known import Call, KnownVector
from aesmith.assurance.vectors.wycheproof import FILES as WYCHEPROOF
from aesmith.assurance.vectors.wycheproof import wycheproof_folder, wycheproof_vectors
from aesmith.errors import CheckError
from aesmith.modes.chained import CBC_CS3
from aesmith.modes.engine import StreamEngine
from aesmith.modes.gcm_sst import GCM_SST
from aesmith.modes.message import BLOCK, Cipher, Message, MessageRefused
from aesmith.modes.offset import OCB3
from aesmith.modes.stream import StreamedMessage

PUBLISHED = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES"
_SETS = ("GFSbox", "KeySbox", "MMT", "VarKey", "VarTxt")
_SIZES = (128, 192, 256)


def _files(name: str, pattern: str, *parts: tuple[object, ...]) -> list[str]:
    return [f"{name}/{pattern.format(*values)}" for values in parts]


_BY_SET = [(kind, size) for kind in _SETS for size in _SIZES]
_BY_SIZE = [(size,) for size in _SIZES]
_BY_WAY = [(way, size) for size in _SIZES for way in ("AE", "AD")]
_WRAPPED = "../../keywrap/kwtestvectors"
_OCB_FILES = [("rfc7253",), ("openssl",), *((f"test-vector-1-nonce{bits}",) for bits in (104, 112, 120))]
FILES: dict[str, list[str]] = {
    "ecb": _files("ECB", "ECB{}{}.rsp", *_BY_SET),
    "cbc": _files("CBC", "CBC{}{}.rsp", *_BY_SET),
    "cfb128": _files("CFB", "CFB128{}{}.rsp", *_BY_SET),
    "cfb8": _files("CFB", "CFB8{}{}.rsp", *_BY_SET),
    "ofb": _files("OFB", "OFB{}{}.rsp", *_BY_SET),
    "cmac": _files("../../CMAC", "nist-800-38b-aes{}.txt", *_BY_SIZE),
    "ctr": _files("CTR", "aes-{}-ctr.txt", *_BY_SIZE),
    "gcm": _files("GCM", "gcmEncryptExtIV{}.rsp", *_BY_SIZE) + _files("GCM", "gcmDecrypt{}.rsp", *_BY_SIZE),
    "ccm": _files("CCM", "DVPT{}.rsp", *_BY_SIZE),
    "xts": _files("XTS", "tweak-128hexstr/XTSGenAES{}.rsp", (128,), (256,)),
    "kw": _files(_WRAPPED, "KW_{}_{}.txt", *_BY_WAY),
    "kwp": _files(_WRAPPED, "KWP_{}_{}.txt", *_BY_WAY),
    "ocb3": _files("OCB3", "{}.txt", *_OCB_FILES),
    "gcm-siv": _files("GCM-SIV", "{}.txt", ("openssl",)),
    "siv": _files("SIV", "{}.txt", ("openssl",)),
}
"""The files of a mode below PUBLISHED."""


@dataclass(frozen=True)
class MessageVector:
    """A published message as it is sent, the bytes that must come, and whether its tag must be found wrong; `shown` if
    an engine may show text before it says so."""

    key: bytes
    sent: StreamedMessage
    wanted: bytes
    fails: bool = False
    shown: bool = False

    def check(self, got: bytes, *, failed: bool) -> None:
        """Raises CheckError if an engine gave anything else."""
        if failed is not self.fails:
            raise CheckError(
                f"published message of key {self.key.hex()}: its tag {'is' if self.fails else 'is not'} wrong"
            )
        if got != self.wanted and not (self.fails and self.shown):
            raise CheckError(
                f"published message of key {self.key.hex()}: {self.wanted.hex()} must come, not {got.hex()}"
            )


def _as_sent(engine: StreamEngine, vector: KnownVector) -> MessageVector | None:
    """A vector of the engine's mode in words of its stream; None if the engine does not take it and its mode would."""
    call = vector.call
    # Paddings are no engine's.
    if call is None or vector.padded or 8 * len(call.key) != engine.rated_key_bits:
        return None
    try:
        sent = engine.in_words(engine.sends(call.message, encrypt=call.encrypt))
    except MessageRefused:
        return None
    refused = engine.answer(Cipher(call.key), engine.told(sent))[1] is not None
    if refused and not (vector.fails and call.refusal):
        return None
    fails = vector.fails and not refused
    return MessageVector(call.key, sent, vector.text + vector.tag, fails, engine.most_beats is None)


RFC_7253 = {
    (128, 16): "67E944D23256C5E0B6C61FA22FDF1EA2",
    (192, 16): "F673F2C3E7174AAE7BAE986CA9F29E17",
    (256, 16): "D90EB8E9C977C88B79DD793D7FFA161C",
    (128, 12): "77A3D8E73589158D25D01209",
    (192, 12): "05D56EAD2752C86BE6932C5E",
    (256, 12): "5458359AC23B0CBA9E6330DD",
    (128, 8): "192C9B7BD90BA06A",
    (192, 8): "0066BC6E0EF34E24",
    (256, 8): "7D4EA5D445501CBE",
}
"""Of RFC 7253, appendix A, the tag of a message whose header is what 384 messages were encrypted to, by the bits of the
key and the bytes of the tag."""


def rfc7253_message(key_bits: int, tag_bytes: int) -> tuple[bytes, Message]:
    """The key and the last message of that test, whose header is 16,256 bytes and 384 tags; the others are the
    model's."""
    key = bytes(key_bits // 8 - 1) + bytes([8 * tag_bytes])
    cipher, header, tag = Cipher(key), b"", bytes(tag_bytes)
    for size in range(128):
        zeros = bytes(size)
        for number, (data, text) in enumerate(((zeros, zeros), (b"", zeros), (zeros, b"")), 3 * size + 1):
            sealed = OCB3.encrypt(cipher, Message(number.to_bytes(12), data, text, tag))
            header += sealed.text + sealed.tag
    return key, Message((385).to_bytes(12), header, b"", tag)


KEY_OF_RFC_3962 = b"chicken teriyaki"
TEXT_OF_RFC_3962 = b"I would like the General Gau's Chicken, please, and wonton soup."
RFC_3962 = {
    17: "c6353568f2bf8cb4d8a580362da7ff7f97",
    31: "fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5",
    32: "39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584",
    47: "97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5",
}
"""Of RFC 3962, appendix B, which has CBC-CS3 with an IV of zeros, what so many bytes of that text are encrypted to."""


def _of_rfc3962(view: StreamEngine) -> Iterator[MessageVector]:
    """Those that an engine takes, in both directions."""
    for size, sealed in RFC_3962.items() if view.mode == CBC_CS3.name else ():
        message = Message(bytes(BLOCK), text=TEXT_OF_RFC_3962[:size])
        vector = KnownVector("", Call(CBC_CS3, KEY_OF_RFC_3962, message, encrypt=True), bytes.fromhex(sealed))
        yield from _both_ways(view, vector)


def _both_ways(view: StreamEngine, vector: KnownVector) -> Iterator[MessageVector]:
    """A vector in the directions in which an engine takes it."""
    for way in (vector, vector.other_way):
        found = None if way is None else _as_sent(view, way)
        if found is not None:
            yield found


def _of_drbg(engine: StreamEngine) -> Iterator[MessageVector]:
    """CAVP's records of CTR_DRBG, an instance each; what others than the last request return is the model's."""
    session = engine.session()
    for case, returned in CAVP if engine.core.key_bits == (128,) else ():
        requests = [(seed, engine.in_words(sent)) for seed, sent in case.requests()]
        made = [session(seed, sent)[0] for seed, sent in requests]
        texts = [b"".join(word.data[: word.keep.bit_count()] for word in words) for words in made]
        for (seed, sent), text in zip(requests, [*texts[:-1], returned], strict=True):
            yield MessageVector(seed or b"", sent, text)
        for seed, sent in engine.closing(requests[-1][0] or b""):
            session(seed, sent)
            yield MessageVector(seed or b"", sent, b"")


def iterated_vectors(engine: StreamEngine) -> Iterator[MessageVector]:
    """Published answers that stand in no file: of OCB3 those to long messages that are computed from others, with tags
    of 8, 12 and 16 bytes; of CBC-CS3 those of RFC 3962; of CTR_DRBG some of CAVP's; of GCM-SST those of its draft."""
    if engine.mode == "ctr-drbg":
        yield from _of_drbg(engine)
    for view in engine.views:
        yield from _of_rfc3962(view)
        for known in draft_vectors() if view.mode == GCM_SST.name else ():
            yield from _both_ways(view, known)
    for (key_bits, tag_bytes), tag in RFC_7253.items():
        if engine.mode == OCB3.name and engine.key_bits == (key_bits,):
            key, message = rfc7253_message(key_bits, tag_bytes)
            vector = _as_sent(engine, KnownVector("", Call(OCB3, key, message, encrypt=True), tag=bytes.fromhex(tag)))
            if vector is not None:
                yield vector


def vectors_of_wycheproof(engine: StreamEngine) -> list[MessageVector]:
    """All of Wycheproof's messages that an engine takes, both ways, if the environment names its folder.

    Raises RequestError for a folder without the files.
    """
    folder = wycheproof_folder()
    found: list[MessageVector | None] = []
    for view in engine.views if folder is not None else ():
        for name, mode in WYCHEPROOF.items():
            if folder is not None and mode.name == view.mode:
                for vector in wycheproof_vectors(folder, name):
                    ways = (vector, vector.other_way)
                    found += [_as_sent(view, way) for way in ways if way is not None]
    return [vector for vector in found if vector is not None]


def _may_have(file: str, size: int) -> bool:
    """Whether the keys in a file may have so many bits: it is named after their size, or after none."""
    named = [each for each in _SIZES if str(each) in file]
    return not named or size in named


def vectors_of(engine: StreamEngine, count: int) -> list[MessageVector]:
    """About so many published messages for an engine's modes and key sizes, evenly taken from all that it takes, both
    ways where it has both, in words of its stream."""
    views = engine.views
    return [vector for view in views for vector in _vectors_of(view, max(1, count // len(views)))]


def _vectors_of(engine: StreamEngine, count: int) -> list[MessageVector]:
    """Those of the mode and the key size that the engine is known by."""
    size = engine.rated_key_bits
    # Files of XTS are named after the size of half a key.
    of_core = size if size in engine.core.key_bits else engine.core.key_bits[0]
    files = [file for file in FILES.get(engine.mode, ()) if _may_have(file, of_core)]
    known = [vector for file in files for vector in read_vectors(PUBLISHED / file, engine.mode)]
    fitting = [vector for vector in known if vector.call is not None and 8 * len(vector.call.key) == size]
    found: list[MessageVector] = []
    for number, vector in enumerate(_evenly(fitting, count)):
        if len(found) >= count:
            break
        ways = (vector, vector.other_way) if number % 2 == 0 else (vector.other_way, vector)
        sent = (_as_sent(engine, way) for way in ways if way is not None)
        found += [each for each in sent if each is not None][:1]
    return found


def _evenly(vectors: Sequence[KnownVector], count: int) -> Iterator[KnownVector]:
    """All of them, those first that stand as far apart as `count` of them can."""
    step = max(1, len(vectors) // count)
    return chain.from_iterable(vectors[start::step] for start in range(step))
