"""Wycheproof's files, where a folder is named; and small ones of the same form, right and wrong."""

from __future__ import annotations

import json
import os
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV, AESSIV

import aesmith
from aesmith.api.validating import check_vectors
from aesmith.assurance.streams.vectors import vectors_of_wycheproof
from aesmith.assurance.vectors.wycheproof import ENVIRONMENT, FILES, wycheproof_vectors
from aesmith.errors import RequestError
from aesmith.modes.message import Cipher as Aes

NAMED = os.environ.get(ENVIRONMENT)
Test = dict[str, Any]


def gcm(rng: random.Random, seal: type[AESGCM | AESGCMSIV] = AESGCM) -> Test:
    """A valid vector of GCM, or GCM-SIV, made by OpenSSL."""
    key, iv, header, text = (rng.randbytes(size) for size in (16, 12, rng.randrange(40), rng.randrange(40)))
    sealed = seal(key).encrypt(iv, text, header)
    parts = {"key": key, "iv": iv, "aad": header, "msg": text, "ct": sealed[:-16], "tag": sealed[-16:]}
    return {name: value.hex() for name, value in parts.items()}


def mac(rng: random.Random) -> Test:
    """A valid vector of CMAC."""
    key, text = rng.randbytes(16), rng.randbytes(rng.randrange(40))
    made = cmac.CMAC(algorithms.AES(key))
    made.update(text)
    return {"key": key.hex(), "msg": text.hex(), "tag": made.finalize().hex()}


def cbc(rng: random.Random) -> Test:
    """A valid vector of CBC with padding."""
    key, iv, text = rng.randbytes(16), rng.randbytes(16), rng.randbytes(rng.randrange(40))
    size = 16 - len(text) % 16
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return {
        **{"key": key.hex(), "iv": iv.hex(), "msg": text.hex()},
        "ct": encryptor.update(text + bytes([size]) * size).hex(),
    }


def xts(rng: random.Random) -> Test:
    """A valid vector of XTS with a number of the data unit of eight bytes."""
    key, number, text = rng.randbytes(32), rng.randbytes(8), rng.randbytes(16 + rng.randrange(40))
    encryptor = Cipher(algorithms.AES(key), modes.XTS(number + bytes(8))).encryptor()
    return {"key": key.hex(), "iv": number.hex(), "msg": text.hex(), "ct": encryptor.update(text).hex()}


def siv(rng: random.Random) -> Test:
    """A valid vector of AES-SIV with one component of header, its tag before the text."""
    key, header, text = (rng.randbytes(size) for size in (32, rng.randrange(40), rng.randrange(40)))
    return {"key": key.hex(), "aad": header.hex(), "msg": text.hex(), "ct": AESSIV(key).encrypt(text, [header]).hex()}


def siv_aead(rng: random.Random) -> Test:
    """One with a nonce, too, and its tag apart."""
    key, header, nonce, text = (rng.randbytes(size) for size in (32, rng.randrange(40), 12, rng.randrange(40)))
    sealed = AESSIV(key).encrypt(text, [header, nonce])
    parts = {"key": key, "aad": header, "iv": nonce, "msg": text, "ct": sealed[16:], "tag": sealed[:16]}
    return {name: value.hex() for name, value in parts.items()}


MAKERS = {
    **{"aes_siv_cmac_test.json": siv, "aead_aes_siv_cmac_test.json": siv_aead},
    **{"aes_gcm_test.json": gcm, "aes_gcm_siv_test.json": partial(gcm, seal=AESGCMSIV)},
    **{"aes_cmac_test.json": mac, "aes_cbc_pkcs5_test.json": cbc, "aes_xts_test.json": xts},
}


def write(folder: Path, name: str, tests: list[Test]) -> None:
    """A file of tests; those without a result are valid."""
    numbered = [{"tcId": number, "result": "valid"} | test for number, test in enumerate(tests)]
    content = {"testGroups": [{"keySize": 8 * len(tests[0]["key"]) // 2, "tests": numbered}]}
    (folder / name).write_text(json.dumps(content))


def flipped(test: Test, field: str) -> Test:
    """The vector with the first bit of a field another one."""
    value = bytes.fromhex(test[field])
    return test | {field: (bytes([value[0] ^ 0x80]) + value[1:]).hex()}


def places_of_wrong(file: Path) -> list[int]:
    """The numbers of the tests to decrypt or to encrypt that the models answer otherwise."""
    [found] = check_vectors([file])
    assert found.right + len(found.wrong) == found.vectors
    return sorted({int(line.split("test ")[1].split(":")[0]) for line in found.wrong})


@pytest.mark.parametrize("name", MAKERS)
def test_right_vectors_agree_and_wrong_ones_do_not(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    right = [MAKERS[name](rng) for _ in range(40)]
    changed = "tag" if "tag" in right[0] else "ct"
    write(tmp_path, name, [*right, *(flipped(test, changed) for test in right)])
    assert places_of_wrong(tmp_path / name) == [*range(40, 80)]


@pytest.mark.parametrize("name", ["aes_gcm_test.json", "aes_cmac_test.json"])
def test_invalid_vectors_agree_where_their_tag_is_wrong(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    right = [MAKERS[name](rng) for _ in range(20)]
    write(
        tmp_path, name, [*({**flipped(t, "tag"), "result": "invalid"} for t in right), right[0] | {"result": "invalid"}]
    )
    assert places_of_wrong(tmp_path / name) == [20]


def test_a_padding_that_is_none_must_be_found(tmp_path: Path) -> None:
    right = cbc(random.Random(1))
    wrong = flipped(right, "key")
    write(tmp_path, "aes_cbc_pkcs5_test.json", [wrong | {"result": "invalid"}, right | {"result": "invalid"}])
    assert places_of_wrong(tmp_path / "aes_cbc_pkcs5_test.json") == [1]


def test_engines_are_sent_the_messages_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = aesmith.engine("gcm-compact").design
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    assert vectors_of_wycheproof(engine) == []
    rng = random.Random(2)
    right = [gcm(rng) for _ in range(6)]
    empty = right[0] | {"iv": "", "result": "invalid"}
    write(tmp_path, "aes_gcm_test.json", [*right, {**flipped(right[0], "tag"), "result": "invalid"}, empty])
    write(
        tmp_path, "aes_gmac_test.json", [{**right[0], "msg": right[0]["aad"], "aad": "", "ct": "", "result": "invalid"}]
    )
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    found = vectors_of_wycheproof(engine)
    assert len(found) == 2 * 6 + 3
    assert [vector.fails for vector in found] == [False] * 12 + [True, False, True]
    for vector in found:
        beats, _ = engine.answer(Aes(vector.key), vector.sent)
        vector.check(b"".join(b.data[: b.keep.bit_count()] for b in beats), failed=beats[-1].failed)


def test_a_message_that_no_command_can_bring_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of CCM one byte of B0 is left for the length behind a nonce of 14 bytes."""
    sizes = {"key": 16, "iv": 14, "ct": 300, "tag": 16}
    test = {name: bytes(size).hex() for name, size in sizes.items()} | {"result": "invalid"}
    for name in FILES:
        write(tmp_path, name, [test])
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    assert vectors_of_wycheproof(aesmith.engine("ccm-radio").design) == []


@pytest.mark.parametrize("content", [None, "{", '{"testGroups": [{"tests": [{}]}]}'])
def test_what_is_no_such_file_is_refused(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "aes_gcm_test.json").write_text(content)
    with pytest.raises(RequestError, match=ENVIRONMENT):
        list(wycheproof_vectors(tmp_path, "aes_gcm_test.json"))


def test_a_folder_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, "/nowhere")
    with pytest.raises(RequestError, match="is no folder"):
        vectors_of_wycheproof(aesmith.engine("gcm-compact").design)


@pytest.mark.skipif(not NAMED, reason=f"{ENVIRONMENT} names no folder of Wycheproof's files")
def test_the_models_agree_with_all_of_the_files() -> None:
    for found in check_vectors([Path(NAMED or "") / name for name in FILES]):
        assert found.wrong == (), found.file
        assert found.right + found.left.total() == found.vectors
        assert found.left.total() <= 5, found.file
