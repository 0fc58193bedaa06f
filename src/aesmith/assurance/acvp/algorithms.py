"""The algorithms of ACVP that a mode here answers: what a test asks for, and what its answer says.

By draft-celi-acvp-symmetric and draft-fussell-acvp-mac.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from aesmith.assurance.acvp.drbg import CTR_DRBG
from aesmith.assurance.acvp.files import VectorGroup, VectorSet, VectorTest
from aesmith.assurance.vectors.chains import CHAINED, ROUNDS, Round, rounds
from aesmith.assurance.vectors.known import Call, VectorAnswer
from aesmith.errors import AesmithError, CheckError, RequestError, not_one_of
from aesmith.modes.chained import CBC, CBC_CS1, CBC_CS2, CBC_CS3, CFB8, CFB128, CMAC, ECB, OFB
from aesmith.modes.counting import CCM, CTR, GCM
from aesmith.modes.gcm_siv import GCM_SIV
from aesmith.modes.key_wrap import KW, KWP
from aesmith.modes.message import BLOCK, Message, ModeOfOperation
from aesmith.modes.offset import XTS


class NotAnswered(AesmithError):  # noqa: N818 - what becomes of the test
    """A test that asks for what is not done here; the message says for what."""


Ask = Callable[[ModeOfOperation, VectorGroup, VectorTest], Call]
Say = Callable[[VectorGroup, Call, VectorAnswer], dict[str, Any]]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm by its name in vector sets: the mode that answers it, its call, and how its answer is said."""

    name: str
    mode: ModeOfOperation
    ask: Ask
    say: Say


def _hex(data: bytes) -> str:
    return data.hex().upper()


def _need(test: VectorTest, name: str) -> bytes:
    value: bytes | None = getattr(test, name)
    if value is None:
        raise RequestError(f"test {test.tc_id}: {name}: is missing")
    return value


def _whole(bits: int, what: str) -> int:
    """So many bits in bytes. Raises NotAnswered where they are no whole bytes."""
    if bits % 8:
        raise NotAnswered(f"{what} of {bits} bits: whole bytes are answered")
    return bits // 8


def _encrypts(group: VectorGroup, forward: str = "encrypt", back: str = "decrypt") -> bool:
    if group.direction not in (forward, back):
        raise RequestError(f"group {group.tg_id}: direction: must be {forward} or {back}, not {group.direction!r}")
    return group.direction == forward


def _given(group: VectorGroup, test: VectorTest, *, encrypt: bool) -> bytes:
    """The text of a test to encrypt or decrypt."""
    text = _need(test, "pt" if encrypt else "ct")
    bits = test.payload_len if test.payload_len is not None else group.payload_len
    return text if bits is None else text[: _whole(bits, "text")]


def _ask_text(mode: ModeOfOperation, group: VectorGroup, test: VectorTest) -> Call:
    if group.test_type == "CTR":
        raise NotAnswered("counters of the module's own making (testType CTR)")
    encrypt = _encrypts(group)
    iv = b"" if mode is ECB else _need(test, "iv")
    return Call(mode, test.key, Message(iv, text=_given(group, test, encrypt=encrypt)), encrypt)


def _say_text(_: VectorGroup, call: Call, answer: VectorAnswer) -> dict[str, Any]:
    return {"ct" if call.encrypt else "pt": _hex(answer.text)}


def _ask_xts(mode: ModeOfOperation, group: VectorGroup, test: VectorTest) -> Call:
    encrypt = _encrypts(group)
    if group.tweak_mode == "number":
        if test.sequence_number is None:
            raise RequestError(f"test {test.tc_id}: sequenceNumber: is missing")
        tweak = test.sequence_number.to_bytes(BLOCK, "little")
    else:
        tweak = _need(test, "tweak_value")
    return Call(mode, test.key, Message(tweak, text=_given(group, test, encrypt=encrypt)), encrypt)


def own_iv(group: VectorGroup, test: VectorTest) -> bytes:
    """The IV of a test that leaves it to the module: unique among a set's (SP 800-38D, 8.2.1): the numbers of group and
    test."""
    size = _whole(group.iv_len, "IV")
    return (group.tg_id << 32 | test.tc_id).to_bytes(size + 8)[-size:]


def _ask_gcm(mode: ModeOfOperation, group: VectorGroup, test: VectorTest) -> Call:
    encrypt, size = _encrypts(group), _whole(group.tag_len, "tag")
    iv = own_iv(group, test) if group.iv_gen == "internal" and encrypt else _need(test, "iv")
    # A set of GMAC has no text.
    given = test.pt if encrypt else test.ct
    text = b"" if given is None and not group.payload_len else _given(group, test, encrypt=encrypt)
    tag = bytes(size) if encrypt else _need(test, "tag")
    return Call(mode, test.key, Message(iv, test.aad, text, tag), encrypt)


def _say_gcm(group: VectorGroup, call: Call, answer: VectorAnswer) -> dict[str, Any]:
    if not call.encrypt:
        return _opened(answer)
    iv = {"iv": _hex(call.message.iv)} if group.iv_gen == "internal" else {}
    return {**iv, "ct": _hex(answer.text), "tag": _hex(answer.tag)}


def _opened(answer: VectorAnswer) -> dict[str, Any]:
    return {"testPassed": True, "pt": _hex(answer.text)} if answer.authentic else {"testPassed": False}


def _ask_ccm(mode: ModeOfOperation, group: VectorGroup, test: VectorTest) -> Call:
    encrypt, size = _encrypts(group), _whole(group.tag_len, "tag")
    if encrypt:
        text, tag = _given(group, test, encrypt=True), bytes(size)
    else:
        sealed = _need(test, "ct")
        text, tag = sealed[: len(sealed) - size], sealed[len(sealed) - size :]
    return Call(mode, test.key, Message(_need(test, "iv"), test.aad, text, tag), encrypt)


def _say_ccm(_: VectorGroup, call: Call, answer: VectorAnswer) -> dict[str, Any]:
    return {"ct": _hex(answer.text + answer.tag)} if call.encrypt else _opened(answer)


def _ask_cmac(mode: ModeOfOperation, group: VectorGroup, test: VectorTest) -> Call:
    make, size = _encrypts(group, "gen", "ver"), _whole(group.mac_len, "MAC")
    return Call(mode, test.key, Message(text=test.message, tag=bytes(size) if make else _need(test, "mac")), make)


def _say_cmac(_: VectorGroup, call: Call, answer: VectorAnswer) -> dict[str, Any]:
    return {"mac": _hex(answer.tag)} if call.encrypt else {"testPassed": bool(answer.authentic)}


def _ask_wrap(mode: ModeOfOperation, group: VectorGroup, test: VectorTest) -> Call:
    if group.kw_cipher != "cipher":
        raise NotAnswered(f"wrapping by the {group.kw_cipher} cipher")
    encrypt = _encrypts(group)
    return Call(mode, test.key, Message(text=_need(test, "pt" if encrypt else "ct")), encrypt)


def _say_wrap(_: VectorGroup, call: Call, answer: VectorAnswer) -> dict[str, Any]:
    return {"ct": _hex(answer.text)} if call.encrypt else _opened(answer)


_STEALING = {"CBC-CS1": CBC_CS1, "CBC-CS2": CBC_CS2, "CBC-CS3": CBC_CS3}
_TEXTS = {"ECB": ECB, "CBC": CBC, "CFB8": CFB8, "CFB128": CFB128, "OFB": OFB, "CTR": CTR, **_STEALING}
ALGORITHMS: Mapping[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        *(Algorithm(f"ACVP-AES-{name}", mode, _ask_text, _say_text) for name, mode in _TEXTS.items()),
        Algorithm("ACVP-AES-XTS", XTS, _ask_xts, _say_text),
        Algorithm("ACVP-AES-GCM", GCM, _ask_gcm, _say_gcm),
        Algorithm("ACVP-AES-GMAC", GCM, _ask_gcm, _say_gcm),
        Algorithm("ACVP-AES-CCM", CCM, _ask_ccm, _say_ccm),
        Algorithm("ACVP-AES-GCM-SIV", GCM_SIV, _ask_ccm, _say_ccm),
        Algorithm("ACVP-AES-KW", KW, _ask_wrap, _say_wrap),
        Algorithm("ACVP-AES-KWP", KWP, _ask_wrap, _say_wrap),
        Algorithm("CMAC-AES", CMAC, _ask_cmac, _say_cmac),
    )
}


def algorithm_of(prompt: VectorSet) -> Algorithm:
    """The algorithm of a set of messages. Raises RequestError for one that is not among `ALGORITHMS`."""
    found = ALGORITHMS.get(prompt.algorithm)
    if found is None:
        raise not_one_of("algorithm", prompt.algorithm, [*ALGORITHMS, CTR_DRBG])
    return found


def check_algorithm(prompt: VectorSet) -> None:
    """Raises RequestError for a set of an algorithm that is not answered."""
    if prompt.algorithm != CTR_DRBG:
        algorithm_of(prompt)


@dataclass(frozen=True)
class Chain:
    """A Monte Carlo test by its number: its rounds as calls, and what answers to them say."""

    number: int
    rounds: tuple[Round, ...]
    calls: tuple[Call, ...]

    def say(self, answers: list[VectorAnswer]) -> dict[str, Any]:
        """The array of results. Raises CheckError for a round whose text is another than OpenSSL's: every input behind
        it was made of what the round should have given."""
        made = []
        for number, (one, call, answer) in enumerate(zip(self.rounds, self.calls, answers, strict=True)):
            if answer.text != one.wanted:
                at = next((k for k, (a, b) in enumerate(zip(answer.text, one.wanted, strict=False)) if a != b), 0)
                raise CheckError(
                    f"test {self.number}: round {number} is wrong in call {at // one.unit}: this is not AES"
                )
            names = ("pt", "ct") if call.encrypt else ("ct", "pt")
            iv = {"iv": _hex(one.iv)} if one.iv else {}
            texts = {names[0]: _hex(one.first), names[1]: _hex(answer.text[-one.unit :])}
            made.append({"key": _hex(one.key), **iv, **texts})
        return {"resultsArray": made}


def chain(algorithm: Algorithm, group: VectorGroup, test: VectorTest) -> Chain:
    """A Monte Carlo test. Raises NotAnswered for an algorithm without, RequestError for one that lacks a field."""
    mode = algorithm.mode
    if mode.name not in CHAINED:
        raise NotAnswered(f"a Monte Carlo test of {algorithm.name}")
    call = algorithm.ask(mode, group, test)
    first, unit = call.message.text, 1 if mode is CFB8 else BLOCK
    if (
        len(first) != unit
        or len(test.key) * 8 not in (128, 192, 256)
        or len(call.message.iv) != BLOCK * (mode is not ECB)
    ):
        raise RequestError(f"test {test.tc_id}: must begin with a key, an IV and a text of {unit} bytes")
    chained = rounds(mode.name, test.key, call.message.iv, first, encrypt=call.encrypt)
    made = tuple(next(chained) for _ in range(ROUNDS))
    calls = tuple(replace(call, key=one.key, message=Message(one.iv, text=one.text)) for one in made)
    return Chain(test.tc_id, made, calls)
