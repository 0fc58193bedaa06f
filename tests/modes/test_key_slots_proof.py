"""The proof of engines with slots for keys: right ones are proved, wrong ones refuted by a run or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_key_slots import WRONG

from aesmith.assurance.engines.key_slots import SLOTS_ASSUMED, SlotsDesign, prove_slots
from aesmith.assurance.engines.prove import assumptions, claims_text, prove_claims
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.xts_engine import XtsEngine

pytestmark = pytest.mark.one_in(2)

MORE_WRONG = {
    "a key overtakes a command": ("key_slots", "key_ready_o = ~key_valid_o & ~offered_q", "key_ready_o = ~key_valid_o"),
    "the core has the key at the port": ("", ".key_i        (slot_key)", ".key_i        (key_i)"),
    "the engine has the slot at the port": ("", "{8{slot_refused}}", "s_axis_cmd_tdata[15:8]"),
    "slots look at the direction": ("", "(s_axis_cmd_tdata[15:8])", "(s_axis_cmd_tdata[8:1])"),
    "a command goes beside the slots": ("", ".s_axis_cmd_tvalid(slot_command_valid)", ".s_axis_cmd_tvalid"),
}
"""Faults that only a proof sees, and faults of the top."""
ALL_WRONG = {name: ("key_slots", *change) for name, change in WRONG.items()} | MORE_WRONG


def small_ones() -> tuple[CmacEngine, ...]:
    """The engine of which wrong ones are made."""
    return (CmacEngine("right", stand_in(2, 3), key_slots=4),)


def more_right() -> tuple[CtrEngine | GcmEngine | XtsEngine, ...]:
    """Engines of other modes and other numbers of slots."""
    core = stand_in(2, 3)
    return (
        CtrEngine("right", core, 2, 8, key_slots=2),
        GcmEngine("right", core, digit=64, splits="bb", key_slots=8),
        XtsEngine("right", core, tweak_core=core, key_slots=4),
    )


@pytest.mark.thorough
def test_a_right_engine_is_proved_with_its_slots_and_its_timing(tmp_path: Path) -> None:
    (engine,) = small_ones()
    parts, found = prove_claims(engine, tmp_path, Limits(seconds=300))
    assert found is None
    names = ("claims", "reached", "timing", "slots")
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(names, Verdict.PROVED)
    assert SLOTS_ASSUMED in assumptions(engine)
    assert "nothing is assumed of ready" in " ".join(assumptions(engine))
    assert "nothing is assumed of beats and ready" in " ".join(assumptions(more_right()[0]))
    assert claims_text(engine).startswith("Of keys and commands as slots for keys hand them on: for all messages")


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    "what", ["a key overtakes a command", "a slot that has no key is served", "the engine has the slot at the port"]
)
def test_wrong_slots_are_refuted_by_a_run(what: str, tmp_path: Path) -> None:
    (engine,) = small_ones()
    part, found = prove_slots(SlotsDesign(wrong_engine(engine, "wrong", *ALL_WRONG[what])), tmp_path, Limits(300))
    assert part.verdict is Verdict.REFUTED
    assert found is not None
    assert "is false in clock" in part.detail


@pytest.mark.thorough
def test_a_key_that_goes_beside_the_slots_is_refuted(tmp_path: Path) -> None:
    (engine,) = small_ones()
    wrong = wrong_engine(engine, "wrong", *ALL_WRONG["the core has the key at the port"])
    parts, found = prove_claims(wrong, tmp_path, Limits(seconds=300))
    assert parts[0].verdict is Verdict.REFUTED, parts[0].detail
    assert found is not None
