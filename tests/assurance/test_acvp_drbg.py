"""Sets of ctrDRBG in ACVP's schema, of our own: answered by the model and by RTL, compared with OpenSSL."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.assurance.test_acvp import placed, vector_set
from tests.modes.openssl_drbg import drawn, needs_openssl
from tests.modes.test_ctr_drbg import random_case

import aesmith
from aesmith.api.validating import registration, validate
from aesmith.assurance.acvp.drbg import case_of
from aesmith.assurance.acvp.files import read_prompt
from aesmith.assurance.acvp.run import EngineInSimulation, Models, answer_set
from aesmith.assurance.vectors.drbg import CAVP, DrbgCase, DrbgStep
from aesmith.cli import run
from aesmith.errors import RequestError

Set = dict[str, Any]


def test_of(case: DrbgCase) -> Set:
    """A test of a set."""
    others = []
    for step in case.steps:
        use = {"intendedUse": "reSeed" if step.reseeds else "generate", "additionalInput": step.additional.hex()}
        others.append(use | {"entropyInput": (step.entropy or b"").hex()})
    made = {"entropyInput": case.entropy.hex(), "nonce": case.nonce.hex()}
    return made | {"persoString": case.personalization.hex(), "otherInput": others}


test_of.__test__ = False  # type: ignore[attr-defined]


def group_of(cases: list[DrbgCase]) -> Set:
    """A group of such cases, as the server has it."""
    case = cases[0]
    requests = [step for step in case.steps if not step.reseeds]
    return {
        "derFunc": case.derivation,
        "reSeed": len(requests) < len(case.steps),
        "predResistance": requests[-1].entropy is not None,
        "entropyInputLen": 8 * len(case.entropy),
        "nonceLen": 8 * len(case.nonce),
        "persoStringLen": 8 * len(case.personalization),
        "additionalInputLen": 8 * len(case.steps[-1].additional),
        "returnedBitsLen": 8 * case.returned,
        "mode": f"AES-{case.key_bits}",
        "tests": [test_of(each) for each in cases],
    }


def drbg_set(key_bits: int = 128, count: int = 3) -> tuple[Set, list[DrbgCase]]:
    """Groups with and without derivation function, prediction resistance and reseed; and their cases."""
    rng, groups, every = Random(key_bits), list[Set](), list[DrbgCase]()
    for derivation in (False, True):
        for resists in (False, True):
            first = random_case(rng, key_bits, derivation=derivation, resists=resists)
            sizes = len(first.entropy), len(first.nonce), len(first.personalization), len(first.steps[-1].additional)
            cases = []
            for _ in range(count):
                entropy, nonce, personalization, given = map(rng.randbytes, sizes)
                uses = (False, False) if resists else (True, False, False)
                steps = tuple(
                    DrbgStep(reseeds, given, rng.randbytes(sizes[0]) if reseeds or resists else None)
                    for reseeds in uses
                )
                made = replace(first, entropy=entropy, nonce=nonce, personalization=personalization)
                cases.append(replace(made, returned=64, steps=steps))
            groups.append(group_of(cases))
            every += cases
    return vector_set("ctrDRBG", *groups), every


def expected_of(cases: list[DrbgCase], bits: list[bytes]) -> list[Set]:
    """The server's answers."""
    tests = [{"tcId": number, "returnedBits": made.hex().upper()} for number, made in enumerate(bits, 1)]
    assert len(cases) == len(bits)
    return [{"tgId": 1, "tests": tests}]


@needs_openssl
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_the_model_answers_as_openssl(key_bits: int, tmp_path: Path) -> None:
    prompt, cases = drbg_set(key_bits)
    found = validate(placed(tmp_path, prompt, expected_of(cases, [drawn(case) for case in cases])))
    assert (len(found.answers), found.left, found.wrong) == (12, {}, [])
    assert not found.derived_in_software


def test_a_set_is_read_as_the_cases_that_it_has(tmp_path: Path) -> None:
    prompt, cases = drbg_set()
    read = read_prompt(placed(tmp_path, prompt) / "prompt.json")
    assert [case_of(group, test) for group in read.test_groups for test in group.cases] == cases
    assert {(group.key_len, group.direction) for group in read.test_groups} == {(128, "generate")}
    # The server gives a nonce to those without derivation function, too, which do not use it.
    with_nonces = [case if case.derivation else replace(case, nonce=bytes(32)) for case, _ in CAVP]
    published = vector_set("ctrDRBG", *(group_of([case]) for case in with_nonces))
    answers = answer_set(read_prompt(placed(tmp_path / "cavp", published) / "prompt.json"), Models()).answers
    assert [answer["returnedBits"].lower() for answer in answers.values()] == [made.hex() for _, made in CAVP]


def test_what_is_wrong_with_a_test_is_told(tmp_path: Path) -> None:
    case = CAVP[0][0]
    for number, (changes, told) in enumerate(
        (
            ({"returnedBitsLen": 12}, "group 1: returnedBitsLen: must be whole bytes, at most 524288 bits, not 12"),
            ({"tests": [test_of(case) | {"otherInput": []}]}, "otherInput: must be reSeed and generate, the last one"),
        )
    ):
        with pytest.raises(RequestError, match=told):
            validate(placed(tmp_path / str(number), vector_set("ctrDRBG", group_of([case]) | changes)))
    for number, (changes, told) in enumerate(
        (
            ({"mode": "TDES", "entropyInputLen": 232}, "a DRBG with TDES"),
            ({"counterFieldLen": 32}, "a counter of 32 bits"),
        )
    ):
        other = vector_set("ctrDRBG", group_of([case]) | changes)
        assert validate(placed(tmp_path / f"left {number}", other)).left == {1: told}
    short = group_of([replace(case, entropy=bytes(31))])
    assert validate(placed(tmp_path / "short", vector_set("ctrDRBG", short))).left == {
        1: "entropy: must have 32 bytes, not 31"
    }


def test_a_test_that_an_engine_does_not_take_is_left_with_the_reason() -> None:
    case = CAVP[0][0]
    engine = EngineInSimulation(aesmith.engine("drbg-compact").design, Path("nowhere"))
    assert engine.refuses_drbg(case) == ""
    assert engine.refuses_drbg(replace(case, key_bits=256)) == "a key of 256 bits: the engine takes 128"
    twice = replace(case, steps=(DrbgStep(True, b"", case.entropy), *case.steps))
    assert engine.refuses_drbg(twice) == "two equal seeds in a row"
    other = EngineInSimulation(aesmith.engine("gcm-small").design, Path("nowhere"))
    assert other.refuses_drbg(case) == "ctr-drbg: the engine has gcm"


def test_an_engine_answers_a_set_as_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompt, cases = drbg_set()
    folder = placed(tmp_path / "set", prompt, expected_of(cases, [case.by_model() for case in cases]))
    assert run(["acvp", "run", str(folder), "drbg-compact"]) == 0
    told = capsys.readouterr().out
    assert "12 answers compared with those expected: 0 differences" in told
    assert "the derivation function was run in software, in front of the engine" in told
    wrong = json.loads((folder / "expectedResults.json").read_text())
    wrong["testGroups"][0]["tests"][4]["returnedBits"] = "00" * 64
    (folder / "expectedResults.json").write_text(json.dumps(wrong))
    assert run(["acvp", "run", str(folder), "drbg-compact"]) == 1
    assert "test 5: returnedBits must be" in capsys.readouterr().out


def test_an_engine_is_registered_without_derivation_function() -> None:
    made = json.loads(registration(aesmith.engine("drbg-compact").design))[1]["algorithms"]
    assert made == [
        {
            "algorithm": "ctrDRBG",
            "revision": "1.0",
            "predResistanceEnabled": [True, False],
            "reseedImplemented": True,
            "capabilities": [
                {
                    "mode": "AES-128",
                    "derFuncEnabled": False,
                    "entropyInputLen": [256],
                    "nonceLen": [0],
                    "persoStringLen": [{"min": 0, "max": 256, "increment": 256}],
                    "additionalInputLen": [{"min": 0, "max": 256, "increment": 256}],
                    "returnedBitsLen": 512,
                }
            ],
        }
    ]
