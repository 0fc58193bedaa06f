"""Vector sets of ACVP: sets of our own in its schema, answered by models and RTL; wrong answers, wrong files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives import keywrap
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESGCMSIV

import aesmith
from aesmith.api.validating import check_vectors, registration, validate
from aesmith.assurance.acvp.algorithms import ALGORITHMS, Call, VectorAnswer, own_iv
from aesmith.assurance.acvp.files import VectorGroup, VectorTest, read_prompt
from aesmith.assurance.acvp.run import EngineInSimulation, Models, answer_set
from aesmith.assurance.vectors.chains import rounds
from aesmith.cli import run
from aesmith.errors import CheckError, RequestError
from aesmith.modes.chained import CBC, CFB8, CFB128, OFB
from aesmith.modes.gcm_siv import GCM_SIV
from aesmith.modes.key_wrap import KW, KWP
from aesmith.modes.message import BLOCK, Cipher, Message, added
from aesmith.modes.specification import engine_presets
from aesmith.reference.monte_carlo import published_record

NAMED = os.environ.get("AESMITH_ACVP")
Set = dict[str, Any]

KEY = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3C")
TEXT = bytes.fromhex("6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51")
# SP 800-38A, F.1.1 and F.2.1.
IN_ECB = "3AD77BB40D7A3660A89ECAF32466EF97F5D3D58503B9699DE785895A96FDBAAF"
IN_CBC = "7649ABAC8119B246CEE98E9B12E9197D5086CB9B507219EE95DB113A917678B2"


def vector_set(name: str, *groups: Set) -> Set:
    """A set in the schema, its groups and tests numbered."""
    numbers = iter(range(1, 10_000))
    made = []
    for number, group in enumerate(groups, 1):
        tests = [{"tcId": next(numbers), **test} for test in group["tests"]]
        made.append({"tgId": number, "testType": "AFT", **group, "tests": tests})
    return {"vsId": 7, "algorithm": name, "revision": "1.0", "isSample": True, "testGroups": made}


def of_text(way: str, iv: str = "", *, given: str, kind: str = "AFT", key: bytes = KEY) -> Set:
    """A group of one test to encrypt or decrypt a text."""
    test = {"key": key.hex(), ("pt" if way == "encrypt" else "ct"): given} | ({"iv": iv} if iv else {})
    return {"direction": way, "keyLen": 8 * len(key), "testType": kind, "tests": [test]}


IV = bytes(range(16)).hex()
CBC_SET = vector_set("ACVP-AES-CBC", of_text("encrypt", IV, given=TEXT.hex()), of_text("decrypt", IV, given=IN_CBC))
CBC_EXPECTED = [
    {"tgId": 1, "tests": [{"tcId": 1, "ct": IN_CBC}]},
    {"tgId": 2, "tests": [{"tcId": 2, "pt": TEXT.hex()}]},
]


def placed(folder: Path, prompt: Set, expected: Sequence[Set] | None = None) -> Path:
    """A folder as the server's repository has them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prompt.json").write_text(json.dumps(prompt))
    if expected is not None:
        (folder / "expectedResults.json").write_text(json.dumps({"vsId": 7, "testGroups": expected}))
    return folder


def test_published_texts_are_answered_by_the_models(tmp_path: Path) -> None:
    ecb = vector_set("ACVP-AES-ECB", of_text("encrypt", given=TEXT.hex()), of_text("decrypt", given=IN_ECB))
    found = validate(placed(tmp_path / "ecb", ecb))
    assert found.answers == {1: {"ct": IN_ECB}, 2: {"pt": TEXT.hex().upper()}}
    assert found.wrong is None
    found = validate(placed(tmp_path / "cbc", CBC_SET, CBC_EXPECTED))
    assert (len(found.answers), found.left, found.wrong) == (2, {}, [])
    answered = json.loads(found.response)
    assert [group["tgId"] for group in answered["testGroups"]] == [1, 2]
    assert (answered["vsId"], answered["algorithm"], answered["isSample"]) == (7, "ACVP-AES-CBC", True)


def sealed_set(name: str, seed: int = 1) -> tuple[Set, list[Set]]:
    """A set of GCM, GMAC, CCM or GCM-SIV with right and wrong tags, made by OpenSSL, and what is expected."""
    random, groups, expected, number = Random(seed), [], [], 0
    behind = name.endswith(("CCM", "SIV"))
    sealers: dict[str, Any] = {"ACVP-AES-CCM": partial(AESCCM, tag_length=12), "ACVP-AES-GCM-SIV": AESGCMSIV}
    for way in ("encrypt", "decrypt"):
        for size in (128, 256, 256) if name.endswith("SIV") else (128, 192, 256):
            tests, due = [], []
            for wrong in (False, way == "decrypt"):
                number += 1
                key, iv, aad = random.randbytes(size // 8), random.randbytes(12), random.randbytes(random.randrange(30))
                text = b"" if name.endswith("GMAC") else random.randbytes(random.randrange(1, 40))
                sealed = sealers.get(name, AESGCM)(key).encrypt(iv, text, aad)
                length = 12 if name.endswith("CCM") else 16
                made, tag = sealed[: len(text)], sealed[len(text) :][:length]
                given = {"key": key.hex(), "iv": iv.hex(), "aad": aad.hex()}
                if way == "decrypt" and wrong:
                    tag = bytes([tag[0] ^ 1]) + tag[1:]
                if behind:
                    given |= {"pt": text.hex()} if way == "encrypt" else {"ct": (made + tag).hex()}
                    answer = {"ct": (made + tag).hex()}
                else:
                    given |= {"pt": text.hex()} if way == "encrypt" else {"ct": made.hex(), "tag": tag.hex()}
                    if name.endswith("GMAC"):
                        given = {k: v for k, v in given.items() if k not in ("pt", "ct")}
                    answer = {"tag": tag.hex()} | ({} if name.endswith("GMAC") else {"ct": made.hex()})
                if way == "decrypt":
                    answer = {"testPassed": False} if wrong else {"pt": text.hex()}
                tests.append(given)
                due.append({"tcId": number, **answer})
            fields = {"direction": way, "keyLen": size, "ivLen": 96, "tagLen": 8 * length, "ivGen": "external"}
            groups.append(fields | ({"payloadLen": 0} if name.endswith("GMAC") else {}) | {"tests": tests})
            expected.append({"tgId": len(groups), "tests": due})
    return vector_set(name, *groups), expected


SEALED = ("ACVP-AES-GCM", "ACVP-AES-GMAC", "ACVP-AES-CCM", "ACVP-AES-GCM-SIV")


@pytest.mark.parametrize("name", SEALED)
def test_tags_right_and_wrong_are_told(name: str, tmp_path: Path) -> None:
    found = validate(placed(tmp_path, *sealed_set(name)))
    assert (len(found.answers), found.left, found.wrong) == (12, {}, [])
    assert [found.answers[number].get("testPassed") for number in range(7, 13)] == [True, False] * 3


def test_an_iv_of_the_module_s_own_is_unique_and_told(tmp_path: Path) -> None:
    test = {"key": KEY.hex(), "aad": "", "pt": TEXT.hex()}
    group = {"direction": "encrypt", "keyLen": 128, "ivLen": 96, "tagLen": 128, "ivGen": "internal"}
    found = validate(placed(tmp_path, vector_set("ACVP-AES-GCM", group | {"tests": [test, test]})))
    for answer in found.answers.values():
        sealed = AESGCM(KEY).encrypt(bytes.fromhex(answer["iv"]), TEXT, b"")
        assert answer["ct"] + answer["tag"] == sealed.hex().upper()
    assert found.answers[1]["iv"] != found.answers[2]["iv"]
    groups = [VectorGroup(tgId=g, keyLen=128, ivLen=96) for g in range(3)]
    assert len({own_iv(g, VectorTest(tcId=t)) for g in groups for t in range(300)}) == 900


def test_tweaks_are_bytes_or_numbers(tmp_path: Path) -> None:
    key, text = Random(3).randbytes(32), bytes(range(40))
    group = {"direction": "encrypt", "keyLen": 128, "payloadLen": 320}
    by_bytes = group | {
        "tweakMode": "hex",
        "tests": [{"key": key.hex(), "tweakValue": "05" + "00" * 15, "pt": text.hex()}],
    }
    by_number = group | {"tweakMode": "number", "tests": [{"key": key.hex(), "sequenceNumber": 5, "pt": text.hex()}]}
    found = validate(placed(tmp_path, vector_set("ACVP-AES-XTS", by_bytes, by_number)))
    assert found.answers[1] == found.answers[2]
    assert len(found.answers[1]["ct"]) == 80


def test_tags_of_cmac_are_made_and_compared(tmp_path: Path) -> None:
    # SP 800-38B, D.1: an empty message.
    made = "BB1D6929E95937287FA37D129B756746"
    make = {"direction": "gen", "keyLen": 128, "macLen": 64, "tests": [{"key": KEY.hex(), "message": ""}]}
    tests = [{"key": KEY.hex(), "message": "", "mac": mac} for mac in (made, "00" + made[2:])]
    compare = {"direction": "ver", "keyLen": 128, "macLen": 128, "tests": tests}
    found = validate(placed(tmp_path, vector_set("CMAC-AES", make, compare)))
    assert found.answers == {1: {"mac": made[:16]}, 2: {"testPassed": True}, 3: {"testPassed": False}}


def test_keys_are_unwrapped_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    # RFC 3394, 4.1.
    key, text, sealed = "000102030405060708090A0B0C0D0E0F", "00112233445566778899AABBCCDDEEFF", WRAPPED
    wrap = {"direction": "encrypt", "keyLen": 128, "kwCipher": "cipher", "tests": [{"key": key, "pt": text}]}
    tests = [{"key": key, "ct": each} for each in (sealed, "00" + sealed[2:])]
    found = validate(placed(tmp_path, vector_set("ACVP-AES-KW", wrap, wrap | {"direction": "decrypt", "tests": tests})))
    assert found.answers == {1: {"ct": sealed}, 2: {"testPassed": True, "pt": text}, 3: {"testPassed": False}}
    inverse = vector_set("ACVP-AES-KW", wrap | {"kwCipher": "inverse"})
    assert validate(placed(tmp_path, inverse)).left == {1: "wrapping by the inverse cipher"}


WRAPPED = "1FA68B0A8112B447AEF34BD8FB5A7B829D3E862371D2CFE5"


# Monte Carlo tests.


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("encrypt", [True, False])
def test_a_chain_of_ecb_is_the_published_one(bits: int, *, encrypt: bool) -> None:
    known = published_record(bits, decrypting=not encrypt)
    *_, last = islice(rounds("ecb", known.key, b"", known.start, encrypt=encrypt), 100)
    assert last.wanted[-BLOCK:] == known.final_result


def written_out(mode: str, key: bytes, iv: bytes, first: bytes, calls: int, *, encrypt: bool) -> tuple[bytes, ...]:
    """A round as draft-celi-acvp-symmetric has it, call by call: its last output, the next key, IV and input."""
    of = {"cbc": CBC, "ofb": OFB, "cfb128": CFB128, "cfb8": CFB8}[mode]
    inputs, outputs, sent = [first], list[bytes](), b""
    for j in range(calls):
        sent += inputs[j]
        work = of.encrypt if encrypt else of.decrypt
        whole = work(Cipher(key), Message(iv, text=sent)).text
        outputs.append(whole[-len(first) :])
        if mode == "cfb8":
            inputs.append(iv[j : j + 1] if j < 16 else outputs[j - 16])
        else:
            inputs.append(iv if j == 0 else outputs[j - 1])
    made = b"".join(outputs)
    if mode == "cfb8":
        return outputs[-1], added(key, made[-len(key) :]), made[-16:], outputs[-17]
    return outputs[-1], added(key, (outputs[-2] + outputs[-1])[-len(key) :]), outputs[-1], outputs[-2]


@pytest.mark.parametrize("mode", ["cbc", "ofb", "cfb128", "cfb8"])
@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("encrypt", [True, False])
def test_a_chain_is_the_loop_that_the_document_writes(mode: str, size: int, *, encrypt: bool) -> None:
    random = Random(f"{mode} {size}")
    key, iv, first = random.randbytes(size), random.randbytes(16), random.randbytes(1 if mode == "cfb8" else 16)
    calls = 40
    for one in islice(rounds(mode, key, iv, first, encrypt=encrypt, calls=calls), 3):
        assert (one.key, one.iv, one.first) == (key, iv, first)
        last, key, iv, first = written_out(mode, key, iv, first, calls, encrypt=encrypt)
        assert one.wanted[-len(last) :] == last


class Broken(Models):
    """Models that answer a call wrong."""

    def __init__(self, which: int) -> None:
        self.which = which

    identity = "broken"

    def answers(self, calls: Sequence[Call]) -> list[VectorAnswer]:
        """Right but for a bit of one."""
        made = super().answers(calls)
        if len(made) > self.which:
            text = made[self.which].text
            made[self.which] = replace(made[self.which], text=text[:-1] + bytes([text[-1] ^ 1]))
        return made


def monte_carlo(mode: str = "CBC") -> Set:
    """A set of one Monte Carlo test."""
    return vector_set(f"ACVP-AES-{mode}", of_text("encrypt", IV, given=TEXT[:16].hex(), kind="MCT"))


def test_a_chain_with_a_wrong_call_is_no_aes(tmp_path: Path) -> None:
    prompt = read_prompt(placed(tmp_path, monte_carlo()) / "prompt.json")
    right = answer_set(prompt, Models())
    assert len(right.answers[1]["resultsArray"]) == 100
    with pytest.raises(CheckError, match="test 1: round 7 is wrong in call 999: this is not AES"):
        answer_set(prompt, Broken(7))


def test_a_wrong_answer_is_told_and_ends_with_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = placed(tmp_path / "cbc", CBC_SET, CBC_EXPECTED)
    monkeypatch.chdir(tmp_path)
    assert run(["acvp", "run", "cbc", "--model", "--out", "response.json"]) == 0
    assert "2 answers compared with those expected: 0 differences" in capsys.readouterr().out
    assert json.loads(Path("response.json").read_text())["testGroups"][0]["tests"][0] == {"tcId": 1, "ct": IN_CBC}
    text = (folder / "expectedResults.json").read_text()
    (folder / "expectedResults.json").write_text(text.replace(IN_CBC[-4:], "0000"))
    assert run(["acvp", "run", "cbc", "--model"]) == 1
    told = capsys.readouterr()
    assert "test 1: ct must be" in told.out
    assert "1 answers are not the expected ones" in told.err


# Engines.


def test_a_test_that_an_engine_does_not_take_is_left_with_the_reason() -> None:
    engine = EngineInSimulation(aesmith.engine("gcm-small").design, Path("nowhere"))
    gcm = ALGORITHMS["ACVP-AES-GCM"].mode
    message = Message(bytes(12), b"", bytes(20), bytes(16))
    assert not engine.refusal(Call(gcm, KEY, message, True))
    for call, told in (
        (Call(gcm, bytes(24), message, True), "a key of 192 bits: the engine takes 128"),
        (Call(gcm, bytes(5), message, True), "a key of 40 bits"),
        (
            Call(gcm, KEY, replace(message, iv=bytes(13)), True),
            "a message to encrypt that the engine refuses with code IV",
        ),
        (
            Call(gcm, KEY, replace(message, tag=bytes(5)), False),
            "a message to decrypt that the engine refuses with code TAG",
        ),
        (Call(CBC, KEY, Message(bytes(16), text=bytes(16)), True), "cbc: the engine has gcm"),
    ):
        assert engine.refusal(call) == told


@pytest.mark.parametrize(
    "preset",
    [
        pytest.param(name, marks=[pytest.mark.thorough] * (name not in ("gcm-compact", "cbc-compact", "xts-disk")))
        for name in engine_presets()
        if "ocb" not in name and "drbg" not in name  # whose registration has a test of its own
    ],
)
def test_what_is_registered_is_what_an_engine_takes(preset: str) -> None:
    """The longest and the shortest of each length, both ways, each key."""
    design = aesmith.engine(preset).design
    engine = EngineInSimulation(design, Path("nowhere"))
    made = json.loads(registration(design))[1]["algorithms"]
    assert {one["algorithm"] for one in made} == {
        name for name, one in ALGORITHMS.items() if one.mode.name in [view.mode for view in design.views]
    }
    for algorithm in made:
        mode = ALGORITHMS[algorithm["algorithm"]].mode
        one = algorithm | algorithm.get("capabilities", [{}])[0]
        for bits, way, end in product(one["keyLen"], one["direction"], ("min", "max")):
            named = ("ivLen", "tagLen", "macLen", "aadLen")
            sizes = {name: _end(one[name], end) // 8 for name in named if name in one}
            text = _end(one.get("payloadLen", one.get("msgLen", [128])), end)
            iv = {"ecb": 0, "cmac": 0, "gcm-siv": 12}.get(mode.name, sizes.get("ivLen", BLOCK))
            if mode in (KW, KWP) and way == "decrypt":
                text = -(-text // 64) * 64 + 64  # the length is that of the text that was wrapped
            tag = sizes.get("tagLen", sizes.get("macLen", BLOCK * (mode is GCM_SIV)))
            message = Message(bytes(iv), bytes(sizes.get("aadLen", 0)), bytes(text // 8), bytes(tag))
            key = bytes(range(mode.keys * bits // 8))
            assert not engine.refusal(Call(mode, key, message, way in ("encrypt", "gen"))), (one, way, end)


def _end(sizes: Any, end: str) -> int:
    first = sizes[0] if end == "min" else sizes[-1]
    return int(first[end]) if isinstance(first, dict) else int(first)


def test_the_rtl_of_an_engine_answers_a_set(tmp_path: Path) -> None:
    """Blocks of a core that stands behind an engine of ECB alone, and a set of which it takes a half."""
    design = aesmith.engine("multi-compact", modes=["ecb"], release="cut-through").design
    groups = [of_text("encrypt", given=TEXT.hex()), of_text("decrypt", given=IN_ECB)]
    groups += [of_text("encrypt", given=TEXT.hex(), key=bytes(24))]
    expected = [
        {"tgId": 1, "tests": [{"tcId": 1, "ct": IN_ECB}]},
        {"tgId": 2, "tests": [{"tcId": 2, "pt": TEXT.hex()}]},
    ]
    found = validate(placed(tmp_path, vector_set("ACVP-AES-ECB", *groups), expected), design)
    assert (found.wrong, dict(found.left)) == ([], {3: "a key of 192 bits: the engine takes 128"})
    assert list(found.answers) == [1, 2]
    assert not found.in_blocks
    # The same engine, and modes around it in software.
    key = "000102030405060708090A0B0C0D0E0F"
    wrap = {"direction": "decrypt", "keyLen": 128, "tests": [{"key": key, "ct": WRAPPED}]}
    found = validate(placed(tmp_path, vector_set("ACVP-AES-KW", wrap)), design)
    assert found.answers[1]["pt"] == "00112233445566778899AABBCCDDEEFF"
    assert found.in_blocks
    found = validate(placed(tmp_path, CBC_SET, CBC_EXPECTED), design)
    assert (len(found.answers), found.wrong, found.in_blocks) == (2, [], True)
    # The same engine, and a file of CAVP.
    file = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "ECB" / "ECBGFSbox128.rsp"
    assert [(each.vectors, each.right, each.wrong) for each in check_vectors([file], design)] == [(14, 14, ())]


def test_a_wrong_block_of_a_mode_in_software_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = aesmith.engine("multi-compact", modes=["ecb"], release="cut-through").design
    monkeypatch.setenv("AESMITH_CACHE", "")
    monkeypatch.setattr(EngineInSimulation, "_run", lambda *_: [(bytes(64), b"", False)])
    with pytest.raises(CheckError, match=r"block .* under key 2b7e.* must become .*, and became 0000"):
        validate(placed(tmp_path, CBC_SET), design)


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("preset", "name"),
    [
        ("gcm-small", "ACVP-AES-GCM"),
        ("gcm-small", "ACVP-AES-GMAC"),
        ("ccm-radio", "ACVP-AES-CCM"),
        ("ccm-bytes", "ACVP-AES-CCM"),
        ("gcm-siv-compact", "ACVP-AES-GCM-SIV"),
        ("gcm-10g", "ACVP-AES-GCM"),
    ],
)
def test_the_rtl_tells_right_tags_from_wrong_ones(preset: str, name: str, tmp_path: Path) -> None:
    found = validate(placed(tmp_path, *sealed_set(name)), aesmith.engine(preset).design)
    assert (len(found.answers), found.wrong) == (4, [])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["ACVP-AES-KW", "ACVP-AES-KWP"])
def test_the_rtl_wraps_and_unwraps_keys(name: str, tmp_path: Path) -> None:
    """Texts of each length that fits, and of one that does not; of each a wrapped one, and one with a bit changed."""
    seal = keywrap.aes_key_wrap if name == "ACVP-AES-KW" else keywrap.aes_key_wrap_with_padding
    sizes = [*(range(16, 65, 8) if name == "ACVP-AES-KW" else range(1, 65)), 72]
    texts = [bytes(range(size)) for size in sizes]
    wrapped = [seal(KEY, text).hex().upper() for text in texts]
    of = {"keyLen": 128, "kwCipher": "cipher"}
    wraps = of | {"direction": "encrypt", "tests": [{"key": KEY.hex(), "pt": text.hex()} for text in texts]}
    flipped = [f"{int(each[0], 16) ^ 8:X}{each[1:]}" for each in wrapped]
    tests = [{"key": KEY.hex(), "ct": each} for each in (*wrapped, *flipped)]
    found = validate(
        placed(tmp_path, vector_set(name, wraps, of | {"direction": "decrypt", "tests": tests})),
        aesmith.engine("kw-compact").design,
    )
    pairs = list(zip(texts, wrapped, strict=True))
    told: list[dict[str, object] | None] = [{"ct": each} for each in wrapped]
    told += [{"testPassed": True, "pt": text.hex().upper()} for text, _ in pairs]
    told += [{"testPassed": False}] * len(pairs)
    told = [None if at % len(pairs) == len(pairs) - 1 else each for at, each in enumerate(told)]
    assert [found.answers.get(number) for number in range(1, len(told) + 1)] == told
    assert not found.in_blocks
    assert len(found.left) == 3


@pytest.mark.thorough
@pytest.mark.one_in(8)
@pytest.mark.parametrize("mode", ["CBC", "CFB8", "CFB128", "OFB"])
@pytest.mark.parametrize("way", ["encrypt", "decrypt"])
def test_the_rtl_runs_monte_carlo_tests(mode: str, way: str, tmp_path: Path) -> None:
    preset = "cfb8-compact" if mode == "CFB8" else "multi-compact"
    group = of_text(way, IV, given=TEXT[: 1 if mode == "CFB8" else 16].hex(), kind="MCT")
    prompt = placed(tmp_path, vector_set(f"ACVP-AES-{mode}", group))
    found = validate(prompt, aesmith.engine(preset).design)
    assert found.answers == validate(prompt).answers
    assert len(found.answers[1]["resultsArray"]) == 100


@pytest.mark.skipif(NAMED is None, reason="AESMITH_ACVP names no folder of public vector sets")
@pytest.mark.thorough
def test_the_models_answer_public_sets() -> None:
    """Of folders as the server has them, and of `vectors` and `expected` side by side."""
    seen = 0
    for prompt in sorted(Path(NAMED or "").glob("**/*.json")):
        beside = prompt.with_name("expectedResults.json")
        expected = beside if prompt.name == "prompt.json" else prompt.parents[1] / "expected" / prompt.name
        if prompt == expected or not expected.is_file() or prompt.name == beside.name:
            continue
        if read_prompt(prompt).algorithm in ALGORITHMS:
            found = validate(prompt, expected=expected)
            assert found.wrong == [], prompt
            seen += len(found.answers)
    assert seen


# Files.

GROUP = CBC_SET["testGroups"][0]
TEST = GROUP["tests"][0]


def with_test(**fields: object) -> str:
    """The set with other fields in its first test; None takes a field out."""
    test = {name: value for name, value in (TEST | fields).items() if value is not None}
    return json.dumps(CBC_SET | {"testGroups": [GROUP | {"tests": [test]}]})


def with_group(**fields: object) -> str:
    """The set with other fields in its first group."""
    group = {name: value for name, value in (GROUP | fields).items() if value is not None}
    return json.dumps(CBC_SET | {"testGroups": [group]})


BAD: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "must hold one vector set, an object with testGroups, not 0"),
    "a number": ("5", "must hold one vector set"),
    "a list without a set": ('[{"acvVersion": "1.0"}]', "must hold one vector set"),
    "two sets": (json.dumps([CBC_SET, CBC_SET]), "must hold one vector set, an object with testGroups, not 2"),
    "a bracket is missing": (json.dumps(CBC_SET)[:-1], r"is no JSON \(line 1"),
    "a quote is missing": (json.dumps(CBC_SET, indent=1).replace('"vsId"', "vsId"), r"is no JSON \(line 2"),
    "nested too deep": ("[" * 100_000, "is no JSON"),
    "not UTF-8": (b'{"testGroups": "\xff"}', r"is no JSON \(not UTF-8 at byte 16\)"),
    "groups are text": (json.dumps(CBC_SET | {"testGroups": "x"}), "testGroups: must be .*, not 'x'"),
    "a group is a number": (json.dumps(CBC_SET | {"testGroups": [3]}), r"testGroups\[0\]: must be .*, not 3"),
    "no algorithm": (json.dumps({"testGroups": []}), "algorithm: is missing"),
    "another algorithm": (json.dumps(CBC_SET | {"algorithm": "ACVP-AES-CBD"}), "algorithm: must be one of .*CBC"),
    "an algorithm that is a number": (
        json.dumps(CBC_SET | {"algorithm": 4}),
        "algorithm: must be .*, not 4",
    ),
    "no key length": (with_group(keyLen=None), r"testGroups\[0\].keyLen: is missing"),
    "a key length in words": (with_group(keyLen="long"), r"testGroups\[0\].keyLen: must be .*, not 'long'"),
    "no number of a group": (with_group(tgId=None), r"testGroups\[0\].tgId: is missing"),
    "a direction that is none": (with_group(direction="up"), "direction: must be encrypt or decrypt, not 'up'"),
    "a kind that is none": (with_group(testType="VOT"), "testType: must be AFT, MCT or CTR, not 'VOT'"),
    "tests are an object": (with_group(tests={}), r"testGroups\[0\].tests: must be"),
    "a test is text": (with_group(tests=["x"]), r"testGroups\[0\].tests\[0\]: must be"),
    "no number of a test": (with_test(tcId=None), r"testGroups\[0\].tests\[0\].tcId: is missing"),
    "a number of a test in words": (with_test(tcId="one"), r"tests\[0\].tcId: must be a valid integer.*, not 'one'"),
    "two tests of one number": (
        with_group(tests=[TEST, TEST]),
        "tcId: must be unique for each test, and 1 appears twice",
    ),
    "half a byte": (
        with_test(key=TEST["key"][:-1]),
        r"tests\[0\].key: must be whole bytes in hexadecimal digits, not '2b7e",
    ),
    "no hexadecimal digits": (
        with_test(pt="xy"),
        r"tests\[0\].pt: must be whole bytes in hexadecimal digits, not 'xy'",
    ),
    "a text that is a number": (with_test(pt=12), r"tests\[0\].pt: must be whole bytes in hexadecimal digits, not 12"),
    "no IV": (with_test(iv=None), "test 1: iv: is missing"),
    "no text": (with_test(pt=None), "test 1: pt: is missing"),
    "a chain of a long text": (
        with_group(testType="MCT"),
        "test 1: must begin with a key, an IV and a text",
    ),
    "a chain without a key": (
        json.dumps(CBC_SET | {"testGroups": [GROUP | {"testType": "MCT", "tests": [TEST | {"key": "", "pt": IV}]}]}),
        "test 1: must begin with a key, an IV and a text",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_gets_one_line_and_nothing_is_written(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content, told = BAD[what]
    monkeypatch.chdir(tmp_path)
    Path("prompt.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert run(["acvp", "run", "prompt.json", "--model", "--out", "response.json"]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.endswith("...")]
    assert len(lines) == 1
    assert re.search(told, lines[0]), lines[0]
    assert lines[0].startswith("aesmith: prompt.json: "), lines[0]
    assert os.listdir() == ["prompt.json"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "has no answers"),
        ('{"testGroups": [{}]}', "is no file of answers"),
        ('{"testGroups": [{"tests": [{"ct": ""}]}]}', "is no file of answers"),
        ('{"testGroups": [{"tests": [7]}]}', "is no file of answers"),
    ],
)
def test_bad_answers_are_refused(text: str, told: str, tmp_path: Path) -> None:
    folder = placed(tmp_path, CBC_SET, [])
    (folder / "expectedResults.json").write_text(text)
    with pytest.raises(RequestError, match=told):
        validate(folder)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gone.json", "--model"], "gone.json: cannot be read"),
        (["."], "ENGINE: name one, or give --model"),
        ([".", "cbc-compact", "--model"], "give it or ENGINE, not both"),
        ([".", "ueno2020-enc"], "is a core, and vectors are of messages"),
        ([".", "--model", "--out", "gone/response.json"], "there is no folder gone"),
        ([".", "--model"], "has no prompt.json"),
    ],
)
def test_what_is_asked_for_wrongly_is_told(
    arguments: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["acvp", "run", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_what_follows_a_set_is_not_read(tmp_path: Path) -> None:
    prompt = placed(tmp_path, CBC_SET, CBC_EXPECTED)
    for file in prompt.iterdir():
        file.write_text(file.read_text() + "\nEOF.\n")
    assert validate(prompt).wrong == []


def test_an_engine_without_an_algorithm_is_not_registered() -> None:
    with pytest.raises(RequestError, match="ACVP has no algorithm for ocb3"):
        registration(aesmith.engine("ocb-compact").design)


def test_a_set_that_is_interrupted_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AESMITH_CACHE", str(tmp_path / "cache"))
    prompt = read_prompt(placed(tmp_path, CBC_SET) / "prompt.json")
    answered = list[int]()

    class Counted(Models):
        identity = "counted"

        def answers(self, calls: Sequence[Call]) -> list[VectorAnswer]:
            answered.append(len(calls))
            if len(answered) == 2:
                raise KeyboardInterrupt
            return super().answers(calls)

    with pytest.raises(KeyboardInterrupt):
        answer_set(prompt, Counted())
    done = len(answered)
    assert len(answer_set(prompt, Counted()).answers) == 2
    # The first group was not answered again.
    assert (done, len(answered)) == (2, 3)
