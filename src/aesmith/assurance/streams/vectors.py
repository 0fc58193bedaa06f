"""Published vectors of modes of operation, as the package cryptography-vectors has them, and as messages to engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cryptography_vectors

from aesmith.assurance.streams.responses import encrypts, part, records
from aesmith.assurance.streams.wycheproof import wycheproof_cases, wycheproof_folder
from aesmith.cores.design import Direction
from aesmith.errors import CheckError
from aesmith.modes.chained import CBC, CFB8, CFB128, CMAC, ECB, OFB
from aesmith.modes.counter_engine import CounterEngine
from aesmith.modes.counting import CCM, CTR, GCM, SHORT_IV
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import BLOCK, Cipher, Message, ModeOfOperation
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.ocb_messages import streamed_for_ocb
from aesmith.modes.offset import OCB3, XTS
from aesmith.modes.stream import StreamedMessage

_SETS = ("GFSbox", "KeySbox", "MMT", "VarKey", "VarTxt")
_SIZES = (128, 192, 256)


def _files(name: str, pattern: str, *parts: tuple[object, ...]) -> list[str]:
    return [f"{name}/{pattern.format(*values)}" for values in parts]


_BY_SET = [(kind, size) for kind in _SETS for size in _SIZES]
_BY_SIZE = [(size,) for size in _SIZES]
_OCB_FILES = [("rfc7253",), ("openssl",), *((f"test-vector-1-nonce{bits}",) for bits in (104, 112, 120))]
FILES: dict[str, tuple[ModeOfOperation, list[str]]] = {
    "ecb": (ECB, _files("ECB", "ECB{}{}.rsp", *_BY_SET)),
    "cbc": (CBC, _files("CBC", "CBC{}{}.rsp", *_BY_SET)),
    "cfb128": (CFB128, _files("CFB", "CFB128{}{}.rsp", *_BY_SET)),
    "cfb8": (CFB8, _files("CFB", "CFB8{}{}.rsp", *_BY_SET)),
    "ofb": (OFB, _files("OFB", "OFB{}{}.rsp", *_BY_SET)),
    "cmac": (CMAC, _files("../../CMAC", "nist-800-38b-aes{}.txt", *_BY_SIZE)),
    "ctr": (CTR, _files("CTR", "aes-{}-ctr.txt", *_BY_SIZE)),
    "gcm": (
        GCM,
        _files("GCM", "gcmEncryptExtIV{}.rsp", *_BY_SIZE) + _files("GCM", "gcmDecrypt{}.rsp", *_BY_SIZE),
    ),
    "ccm": (CCM, _files("CCM", "DVPT{}.rsp", *_BY_SIZE)),
    "xts": (XTS, _files("XTS", "tweak-128hexstr/XTSGenAES{}.rsp", (128,), (256,))),
    "ocb3": (OCB3, _files("OCB3", "{}.txt", *_OCB_FILES)),
}


def published(name: str) -> list[dict[str, str]]:
    """The records of a response file of the package `cryptography_vectors`."""
    with cryptography_vectors.open_vector_file(f"ciphers/AES/{name}", "r") as file:
        return list(records(file))


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


def _of_ctr(engine: StreamEngine, record: Mapping[str, str]) -> MessageVector | None:
    """A vector of CTR; None for one in whose blocks the engine's shorter counter comes round."""
    assert isinstance(engine, CtrEngine | CounterEngine | MultiModeEngine)
    iv, plain, other = part(record, "iv"), part(record, "plaintext"), part(record, "ciphertext")
    if int.from_bytes(iv) % (1 << engine.counter_bits) + -(-len(plain) // 16) > 1 << engine.counter_bits:
        return None
    return MessageVector(part(record, "key"), engine.sends(Message(iv=iv, text=plain)), other)


def _of_text(engine: StreamEngine, record: Mapping[str, str]) -> MessageVector | None:
    """A vector of CBC, CFB128, CFB8 or OFB; None for one of a direction that the engine has not."""
    plain, other = part(record, "plaintext"), part(record, "ciphertext")
    encrypt = encrypts(record, "plaintext", "ciphertext")
    if (Direction.ENCRYPT if encrypt else Direction.DECRYPT) not in engine.mode_directions:
        return None
    message = Message(part(record, "iv"), text=plain if encrypt else other)
    return MessageVector(part(record, "key"), engine.sends(message, encrypt=encrypt), other if encrypt else plain)


def _of_xts(engine: StreamEngine, record: Mapping[str, str]) -> MessageVector | None:
    """A vector of XTS; None for one of a direction that the engine has not, or that ends within a byte."""
    bits, plain, other = int(record["dataunitlen"]), part(record, "pt"), part(record, "ct")
    encrypt = encrypts(record, "pt", "ct")
    if bits % 8 or (Direction.ENCRYPT if encrypt else Direction.DECRYPT) not in engine.directions:
        return None
    message = Message(part(record, "i"), text=plain if encrypt else other)
    return MessageVector(part(record, "key"), engine.sends(message, encrypt=encrypt), other if encrypt else plain)


def _of_cmac(engine: StreamEngine, record: Mapping[str, str]) -> MessageVector:
    """A vector of CMAC, whose tag is made where its number is even, else compared."""
    tag, make = part(record, "output"), int(record["count"]) % 2 == 0
    sent = engine.sends(Message(text=part(record, "message"), tag=tag), encrypt=make)
    return MessageVector(part(record, "key"), sent, tag if make else b"")


def _of_ccm(engine: StreamEngine, record: Mapping[str, str]) -> MessageVector | None:
    """A vector of CCM, encrypted where its number is even and its tag right, else decrypted; None for one longer than
    the engine holds. Records have the tag behind the text, and a zero byte where there is nothing."""
    header, size = (int(record[name]) for name in ("alen", "plen"))
    sealed, plain = part(record, "ct"), part(record, "payload", size=size)
    fails = not record["result"].startswith("Pass")
    encrypt = not fails and int(record["count"]) % 2 == 0
    if not encrypt and engine.most_beats is not None and size > BLOCK * engine.most_beats:
        return None
    text = plain if encrypt else sealed[:size]
    message = Message(part(record, "nonce"), part(record, "adata", size=header), text, sealed[size:])
    wanted = sealed if encrypt else b"" if fails else plain
    sent = engine.sends(message, encrypt=encrypt)
    return MessageVector(part(record, "key"), sent, wanted, fails, engine.most_beats is None)


def _of_gcm(engine: StreamEngine, record: Mapping[str, str]) -> MessageVector | None:
    """A vector of GCM; None for one that is longer than the engine holds, or has an IV that it does not take."""
    plain, other, tag = part(record, "pt"), part(record, "ct"), part(record, "tag")
    encrypt = encrypts(record, "pt", "ct")
    message = Message(part(record, "iv"), part(record, "aad"), plain if encrypt else other, tag)
    sent, key = engine.sends(message, encrypt=encrypt), part(record, "key")
    most = engine.most_beats
    if (not encrypt and most is not None and len(sent.beats) - 1 > most) or not _takes(engine, sent):
        return None
    fails = "fail" in record
    return MessageVector(key, sent, other + tag if encrypt else b"" if fails else plain, fails, most is None)


def _takes(engine: StreamEngine, sent: StreamedMessage) -> bool:
    """Whether an engine of GCM takes the IV of a message: one may have it in the command alone."""
    return engine.takes_any_iv or sent.command.iv_bytes == SHORT_IV


def _of_ocb(engine: StreamEngine, record: Mapping[str, str]) -> MessageVector:
    """A vector of OCB3, decrypted where its number is odd and the engine can, else encrypted. Records have the tag, of
    16 bytes, behind the text."""
    sealed, plain = part(record, "ciphertext"), part(record, "plaintext")
    fits = engine.most_beats is None or len(plain) <= BLOCK * engine.most_beats
    encrypt = int(record["count"]) % 2 == 0 or Direction.DECRYPT not in engine.directions or not fits
    message = Message(
        part(record, "nonce"), part(record, "aad"), plain if encrypt else sealed[:-BLOCK], sealed[-BLOCK:]
    )
    return MessageVector(part(record, "key"), engine.sends(message, encrypt=encrypt), sealed if encrypt else plain)


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


def iterated_vectors(engine: StreamEngine) -> Iterator[MessageVector]:
    """Published answers to long messages that are computed from others: of OCB3, with tags of 8, 12 and 16 bytes."""
    for (key_bits, tag_bytes), tag in RFC_7253.items():
        if engine.mode == OCB3.name and engine.key_bits == (key_bits,):
            key, message = rfc7253_message(key_bits, tag_bytes)
            yield _in_words(engine, MessageVector(key, streamed_for_ocb(message), bytes.fromhex(tag)))


_MAKERS: Mapping[str, Callable[[StreamEngine, Mapping[str, str]], MessageVector | None]] = {
    "ctr": _of_ctr,
    "ecb": _of_text,
    "cbc": _of_text,
    "cfb128": _of_text,
    "cfb8": _of_text,
    "ofb": _of_text,
    "cmac": _of_cmac,
    "ccm": _of_ccm,
    "gcm": _of_gcm,
    "xts": _of_xts,
    "ocb3": _of_ocb,
}


_WYCHEPROOF = {"gcm": ("aes_gcm_test.json", "aes_gmac_test.json")}
"""Wycheproof's files for engines of a mode."""


def wycheproof_vectors(engine: StreamEngine) -> list[MessageVector]:
    """All of Wycheproof's messages that an engine can take, both ways, if the environment names its folder.

    Raises RequestError for a folder without the files.
    """
    folder = wycheproof_folder()
    views = [] if folder is None else [(view, folder) for view in engine.views]
    return [_in_words(engine, vector) for view in views for vector in _wycheproof(*view)]


def _wycheproof(engine: StreamEngine, folder: Path) -> Iterator[MessageVector]:
    most = engine.most_beats
    for case in (case for name in _WYCHEPROOF.get(engine.mode, ()) for case in wycheproof_cases(folder, name)):
        sent = engine.sends(case.sealed, encrypt=False)
        if 8 * len(case.key) != engine.rated_key_bits or (most is not None and len(sent.beats) - 1 > most):
            continue
        if not _takes(engine, sent):
            continue
        fails = not case.valid and not case.refused
        yield MessageVector(case.key, sent, case.plain if case.valid else b"", fails, most is None)
        if case.valid:
            sealed = case.sealed.text + case.sealed.tag
            yield MessageVector(case.key, engine.sends(case.opened), sealed)


def _may_have(file: str, size: int) -> bool:
    """Whether the keys in a file may have so many bits: it is named after their size, or after none."""
    named = [each for each in _SIZES if str(each) in file]
    return not named or size in named


def vectors_of(engine: StreamEngine, count: int) -> list[MessageVector]:
    """About so many published messages for an engine's modes and key sizes, evenly taken from those that it can take,
    in words of its stream."""
    views = engine.views
    return [vector for view in views for vector in _vectors_of(view, max(1, count // len(views)))]


def _vectors_of(engine: StreamEngine, count: int) -> list[MessageVector]:
    """Those of the mode and the key size that the engine is known by."""
    make, size = _MAKERS[engine.mode], engine.rated_key_bits
    # Files of XTS are named after the size of half a key.
    of_core = size if size in engine.core.key_bits else engine.core.key_bits[0]
    files = [file for file in FILES[engine.mode][1] if _may_have(file, of_core)]
    found = [make(engine, record) for file in files for record in published(file)]
    taken = [vector for vector in found if vector is not None and 8 * len(vector.key) == size]
    return [_in_words(engine, vector) for vector in taken[:: max(1, len(taken) // count)]]


def _in_words(engine: StreamEngine, vector: MessageVector) -> MessageVector:
    return replace(vector, sent=engine.in_words(vector.sent))
