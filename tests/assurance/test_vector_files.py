"""`aesmith vectors`: files of CAVP, Wycheproof and ACVP, by the models and by RTL; wrong answers, wrong files."""

from __future__ import annotations

import json
import random
import re
from itertools import islice
from pathlib import Path

import cryptography_vectors
import pytest
from tests.assurance.test_acvp import CBC_EXPECTED, CBC_SET, placed
from tests.assurance.test_wycheproof import MAKERS, flipped, write

import aesmith
from aesmith.api.validating import check_vectors
from aesmith.assurance.vectors.chains import rounds
from aesmith.cli import run

PUBLISHED = Path(cryptography_vectors.__file__).parent
AES = PUBLISHED / "ciphers" / "AES"
WRAPPED = PUBLISHED / "keywrap" / "kwtestvectors"
WHOLE = {
    "ECB/ECBMMT192.rsp": 20,
    "CBC/CBCMMT128.rsp": 20,
    "CFB/CFB8MMT256.rsp": 20,
    "CFB/CFB128MMT128.rsp": 20,
    "OFB/OFBMMT128.rsp": 20,
    "CTR/aes-128-ctr.txt": 3,
    "../../CMAC/nist-800-38b-aes128.txt": 4,
}
"""Small files, and how many vectors they have."""
LARGE = {
    AES / "GCM" / "gcmDecrypt256.rsp": "tag",
    AES / "GCM" / "gcmEncryptExtIV128.rsp": "tag",
    AES / "CCM" / "DVPT128.rsp": "ct",
    AES / "CCM" / "VADT256.rsp": "ct",
    AES / "XTS" / "tweak-128hexstr" / "XTSGenAES128.rsp": "ct",
    AES / "XTS" / "tweak-dataunitseqno" / "XTSGenAES128.rsp": "ct",
    WRAPPED / "KW_AD_128.txt": "c",
    WRAPPED / "KWP_AE_256.txt": "c",
}
"""Large ones, of which the tests take the first vectors; and a field that decides the answer."""


def shortened(file: Path, folder: Path, lines: int = 120) -> Path:
    """The first vectors of a file."""
    with file.open() as whole:
        text = "".join(islice(whole, lines))
    (folder / file.name).write_text(text[: text.rindex("\n\n") + 1])
    return folder / file.name


def spoilt(file: Path, field: str) -> None:
    """All values of a field have another first digit."""
    text = file.read_text()
    file.write_text(re.sub(rf"(?mi)^({field} = )(.)", lambda m: m[1] + ("1" if m[2] == "0" else "0"), text))


@pytest.mark.parametrize("name", WHOLE)
def test_files_of_cavp_are_right_by_the_models(name: str) -> None:
    [found] = check_vectors([AES / name])
    assert (found.vectors, found.right, found.wrong) == (WHOLE[name], WHOLE[name], ())


@pytest.mark.parametrize("file", LARGE, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_a_wrong_answer_in_a_file_is_told_by_its_place(file: Path, tmp_path: Path) -> None:
    short = shortened(file, tmp_path)
    [found] = check_vectors([short])
    assert found.vectors > 3
    assert (found.right + found.left.total(), found.wrong) == (found.vectors, ())
    spoilt(short, LARGE[file])
    [found] = check_vectors([short])
    assert found.wrong
    assert all(line.startswith(f"{short.name}, count ") for line in found.wrong)


def test_what_must_fail_is_held_to_it(tmp_path: Path) -> None:
    short = shortened(AES / "CCM" / "DVPT128.rsp", tmp_path)
    text = short.read_text()
    assert "Result = Fail" in text
    short.write_text(re.sub("Result = Fail.*", "Result = Pass (0)\nPayload = 00", text, count=1))
    assert len(check_vectors([short])[0].wrong) == 1
    short.write_text(re.sub("Result = Pass.*", "Result = Fail (2)", text, count=1))
    [found] = check_vectors([short])
    assert [line.partition(": ")[2] for line in found.wrong] == ["must be found wrong, and is not"]


def monte_carlo(folder: Path, mode: str, *, encrypt: bool) -> Path:
    """A Monte Carlo file of three records in CAVP's form, by OpenSSL."""
    rng = random.Random(mode)
    key, iv, text = (rng.randbytes(16) for _ in range(3))
    lines = ["[ENCRYPT]" if encrypt else "[DECRYPT]", ""]
    first, last = ("PLAINTEXT", "CIPHERTEXT") if encrypt else ("CIPHERTEXT", "PLAINTEXT")
    begin = text[:1] if mode == "cfb8" else text
    for number, one in enumerate(islice(rounds(mode, key, b"" if mode == "ecb" else iv, begin, encrypt=encrypt), 3)):
        lines += [f"COUNT = {number}", f"KEY = {one.key.hex()}", *([f"IV = {one.iv.hex()}"] if one.iv else [])]
        lines += [f"{first} = {one.first.hex()}", f"{last} = {one.wanted[-one.unit :].hex()}", ""]
    file = folder / f"{mode.upper()}MCT128.rsp"
    file.write_text("\n".join(lines))
    return file


@pytest.mark.parametrize("encrypt", [True, False])
@pytest.mark.parametrize("mode", ["ecb", "cbc", "cfb8", "cfb128", "ofb"])
def test_records_of_monte_carlo_files_are_rounds(mode: str, encrypt: bool, tmp_path: Path) -> None:
    file = monte_carlo(tmp_path, mode, encrypt=encrypt)
    assert [(found.vectors, found.right) for found in check_vectors([file])] == [(3, 3)]
    spoilt(file, "CIPHERTEXT" if encrypt else "PLAINTEXT")
    assert len(check_vectors([file])[0].wrong) == 3


@pytest.mark.parametrize("name", MAKERS)
def test_files_of_wycheproof_are_gone_through_in_both_directions(name: str, tmp_path: Path) -> None:
    made = [MAKERS[name](random.Random(f"{name} {number}")) for number in range(4)]
    changed = "tag" if "tag" in made[0] else "ct"
    broken = [flipped(made[0], changed) | {"result": "invalid"}] if "tag" in made[0] else []
    write(tmp_path, name, [*made, *broken])
    [found] = check_vectors([tmp_path / name])
    assert (found.vectors, found.right, found.wrong) == (2 * len(made) + len(broken), found.vectors, ())
    write(tmp_path, name, [*made, made[0] | {"result": "invalid"}])
    assert len(check_vectors([tmp_path / name])[0].wrong) == 1
    write(tmp_path, name, [flipped(made[0], changed)])
    assert len(check_vectors([tmp_path / name])[0].wrong) == 2
    # What may be taken or refused says nothing.
    write(tmp_path, name, [made[0], flipped(made[1], changed) | {"result": "acceptable"}])
    assert check_vectors([tmp_path / name])[0].vectors == 2


def test_sets_of_acvp_stand_beside_other_files(tmp_path: Path) -> None:
    folder = placed(tmp_path / "acvp", CBC_SET, CBC_EXPECTED)
    found = check_vectors([folder, AES / "CBC" / "CBCMMT128.rsp"])
    assert [(each.vectors, each.right, each.wrong) for each in found] == [(2, 2, ()), (20, 20, ())]


def test_of_a_folder_all_that_is_known_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in ("ECBMMT128.rsp", "ECBMMT256.rsp"):
        (tmp_path / file).write_text((AES / "ECB" / file).read_text())
    (tmp_path / "Readme.txt").write_text("words\n")
    assert run(["vectors", str(tmp_path), "--model", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(Path(each["file"]).name, each["right"]) for each in told["files"]] == [
        ("ECBMMT128.rsp", 20),
        ("ECBMMT256.rsp", 20),
    ]
    assert told["notes"] == ["Readme.txt: is passed over, since its name tells no mode that is known"]


@pytest.mark.thorough
def test_an_engine_is_asked_what_it_takes_and_the_rest_is_left_with_the_reason() -> None:
    design = aesmith.engine("multi-compact", modes=["ecb"], release="cut-through").design
    found = check_vectors([AES / "ECB" / "ECBGFSbox128.rsp", AES / "ECB" / "ECBMMT256.rsp"], design)
    assert [(each.vectors, each.right, each.wrong) for each in found] == [(14, 14, ()), (20, 0, ())]
    assert found[1].left == {"a key of 256 bits: the engine takes 128": 20}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("preset", "file"),
    [
        ("multi-compact-selectable", "GCM/gcmDecrypt192.rsp"),
        ("multi-compact-selectable", "CCM/DVPT256.rsp"),
        ("multi-compact-selectable", "CTR/aes-256-ctr.txt"),
        ("cfb8-compact", "CFB/CFB8VarTxt128.rsp"),
        ("xts-disk", "XTS/tweak-128hexstr/XTSGenAES128.rsp"),
        ("cmac-bytes", "../../CMAC/nist-800-38b-aes128.txt"),
        ("ccm-bytes", "CCM/DVPT128.rsp"),
        ("kw-compact", "../../keywrap/kwtestvectors/KW_AD_128.txt"),
        ("kw-compact", "../../keywrap/kwtestvectors/KWP_AE_128.txt"),
    ],
)
def test_published_files_are_right_by_rtl(preset: str, file: str, tmp_path: Path) -> None:
    short = shortened(AES / file, tmp_path, lines=1200)
    [found] = check_vectors([short], aesmith.engine(preset).design)
    assert found.wrong == ()
    assert found.right > found.vectors // 2


BAD = {
    "nothing": ("CBCMMT128.rsp", "", "has no vectors"),
    "not text": ("CBCMMT128.rsp", b"\xff\xfe", "is no file of vectors"),
    "no mode": ("some.rsp", "COUNT = 0\n", "its name does not tell its mode"),
    "no text": ("CBCMMT128.rsp", "COUNT = 0\nKEY = 00\nIV = 00\nPLAINTEXT = 00\n", "count 0: CIPHERTEXT: is missing"),
    "no IV": ("OFBMMT128.rsp", "COUNT = 3\nKEY = 00\nPLAINTEXT = 00\nCIPHERTEXT = 00\n", "count 3: IV: is missing"),
    "no digits": (
        "CBCMMT128.rsp",
        "COUNT = 0\nKEY = 0x\nIV = 00\nPLAINTEXT = 00\nCIPHERTEXT = 00\n",
        "count 0: KEY: must be whole bytes in hexadecimal digits, not '0x'",
    ),
    "no length": ("VADT128.rsp", "Plen = 2\nCOUNT = 0\nCT = 00\n", "count 0 (plen 2): ALEN: is missing"),
    "no number": (
        "XTSGenAES128.rsp",
        "COUNT = 0\nDataUnitLen = many\n",
        "count 0: DATAUNITLEN: must be a number of 0 or more, not 'many'",
    ),
    "no JSON": ("aes_gcm_test.json", "{", "is no file of Wycheproof's vectors"),
    "other JSON": ("aes_gcm_test.json", '{"testGroups": [{}]}', "is no file of Wycheproof's vectors"),
    "other name": ("aes_eax_test.json", '{"testGroups": []}', "must be one of aes_gcm_test.json"),
    "no tests": ("aes_gcm_test.json", '{"testGroups": []}', "has no vectors"),
    "no answers": ("prompt.json", json.dumps(CBC_SET), "has no expected answers next to it"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_gets_one_line(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, content, told = BAD[what]
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert run(["vectors", str(file), "--model"]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.endswith("...")]
    assert len(lines) == 1
    assert lines[0].startswith(f"aesmith: {file}: ")
    assert told in lines[0]


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["nowhere.rsp", "gcm-small"], 2, "nowhere.rsp: "),
        (["--model"], 2, ""),
        (["gcm-small"], 2, "name files, then an engine; or give --model"),
        ([str(AES / "CBC" / "CBCMMT128.rsp"), "ueno2020-enc"], 2, "is a core, and vectors are of messages"),
        ([str(AES / "CBC" / "CBCMMT128.rsp"), "--model", "--mode", "cbd"], 2, "mode"),
        ([str(WRAPPED / "KW_AD_128_inv.txt"), "--model"], 4, "takes no vector of these files"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["vectors", *arguments]) == status
    assert told in capsys.readouterr().err


def test_a_wrong_file_ends_with_status_1_and_its_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shortened(AES / "ECB" / "ECBMMT128.rsp", tmp_path)
    spoilt(file, "CIPHERTEXT")
    assert run(["vectors", str(file), "--model"]) == 1
    said = capsys.readouterr()
    assert "20 wrong answers" in said.err
    assert re.search(r"ECBMMT128.rsp, count \d+: text must be [0-9A-F]+", said.out)
