"""The proof of the engine of GCM whose counters go ahead, around any cores that hold a block each: right ones are
proved, wrong ones refuted by a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_gcm_ahead_engine import WRONG, WRONG_HASH, WRONG_SLOW

from aesmith.assurance.engines.claims import ClaimsDesign, structure_of
from aesmith.assurance.engines.prove import assumptions, check_claimed, claims_text, prove_claims, prove_engine
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.modes.multi_mode_engine import GcmAheadEngine
from aesmith.modes.specification import parse_engine

pytestmark = pytest.mark.one_in(4)

ALL_WRONG = WRONG | WRONG_SLOW | WRONG_HASH
"""Those of the simulation; benchmarks/prove_engines.py puts all of them to the proof."""


def small_one() -> GcmAheadEngine:
    """The engine of which wrong ones are made."""
    return GcmAheadEngine("right", stand_in(4, 5), 2, digit=64, splits="b")


def more_right() -> tuple[GcmAheadEngine, ...]:
    """Engines of other fields: text that waits, one core and three, other digits, slots for keys."""
    return (
        GcmAheadEngine("held", stand_in(4, 4), 2, digit=64, splits="b", release="verified", memory_beats=2),
        GcmAheadEngine("one", stand_in(4, 5), 1, digit=16, splits=""),
        GcmAheadEngine("three", stand_in(4, 5), 3, digit=32, splits="b"),
        GcmAheadEngine("slots", stand_in(4, 5), 2, digit=64, splits="b", key_slots=2),
    )


@pytest.mark.thorough
@pytest.mark.parametrize("engine", [small_one(), *more_right()], ids=lambda engine: engine.name)
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(engine: GcmAheadEngine, tmp_path: Path) -> None:
    parts, found = prove_claims(engine, tmp_path, Limits(seconds=900))
    assert found is None
    more = [*["memory"] * engine.holds_text, *["slots"] * (engine.key_slots > 1)]
    names = ["claims", "reached", "timing", "product", *more]
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(names, Verdict.PROVED)


REFUTED = (
    *("the IV of the message before", "a block more than is told", "key stream that is left over stays"),
    *("text is hashed twice", "more text than is told", "the first counter is one"),
)


@pytest.mark.thorough
@pytest.mark.parametrize("what", REFUTED)
def test_a_wrong_engine_is_refuted_by_a_run(what: str, tmp_path: Path) -> None:
    parts, found = prove_claims(wrong_engine(small_one(), "wrong", *ALL_WRONG[what]), tmp_path, Limits(900))
    assert found is not None
    assert parts[0].verdict is Verdict.REFUTED
    assert "is false in clock" in parts[0].detail


@pytest.mark.thorough
def test_the_preset_is_proved_with_its_core(tmp_path: Path) -> None:
    report = prove_engine(parse_engine({"preset": "gcm-lean-10g"}).engine("ahead", "gcm-lean-10g"), tmp_path)
    assert report.proved, report.failing


def test_what_is_claimed_is_said_and_what_is_taken_for_granted() -> None:
    engine, held = small_one(), more_right()[0]
    check_claimed(engine)
    assert "text + E(J0 + i) for block i" in claims_text(engine)
    assert "at most 8 consecutive clocks" in claims_text(engine)
    assert "which leaves regardless" in claims_text(engine)
    assert "no byte of another message leaves" in claims_text(held)
    told = " ".join(assumptions(engine))
    assert "gcm_ahead_reference.sv" in told
    assert "after each clock a core has at most one block" in told
    assert "{" not in told + claims_text(engine) + claims_text(held)


def test_claims_have_the_numbers_of_the_engine() -> None:
    engine: Any = more_right()[2]
    assert structure_of(engine).parameters["Cores"] == 3
    claims = next(source for source in ClaimsDesign(engine).sources if source.name == "gcm_ahead_claims.sv")
    assert "parameter int unsigned Cores = 3" in claims.text
    assert "parameter int unsigned Digit = 32" in claims.text
