"""Cores of 32 bits through the block interface against the golden model: stalls, key changes, resets, schedule."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.assurance.plan import SCENARIOS, SimulationPlan
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.simulation import simulate
from aesmith.cores import narrow
from aesmith.cores.column.family import FAMILY
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import RequestError
from aesmith.sboxes.catalogue import sbox, sbox_circuit
from aesmith.sboxes.entry import Function
from aesmith.testing.mutants import with_fault

pytestmark = pytest.mark.one_in(2)


def core(preset: str = "column-enc", **fields: object) -> CoreDesign:
    return build_design(parse_specification({"preset": preset, **fields}), "core", preset)


@pytest.mark.parametrize(("stages", "clocks"), [(2, 50), (3, 60), (4, 70)])
def test_a_round_has_a_slot_for_each_column_and_what_the_stages_add(stages: int, clocks: int) -> None:
    design = core(stages=stages)
    assert (design.cycles_per_block, design.latency_cycles, design.block_width) == (clocks, clocks + 1, 128)


@pytest.mark.parametrize(("stages", "clocks"), [(2, 50), (3, 60), (4, 70)])
def test_words_come_and_go_in_the_same_clocks(stages: int, clocks: int) -> None:
    design = core("column-beat32-enc", stages=stages)
    assert (design.cycles_per_block, design.latency_cycles, design.block_width) == (clocks, clocks + 4, 32)


def test_another_beat_is_refused_by_name() -> None:
    with pytest.raises(RequestError, match=r"beat: must be .*32.*128, not 64"):
        core(beat=64)


@pytest.mark.parametrize("stages", [1, 5])
def test_other_numbers_of_stages_are_refused_by_name(stages: int) -> None:
    with pytest.raises(RequestError, match="stages: must be a whole number from 2 to 4, not"):
        core(stages=stages)


@pytest.mark.thorough
@pytest.mark.parametrize("chosen", narrow.PRESETS, ids=str)
def test_every_stored_cut_is_the_one_that_is_found(chosen: tuple[str, Function, narrow.AroundSbox]) -> None:
    name, function, surroundings = chosen
    circuit = sbox_circuit(name, function)
    for stages in narrow.PRESETS[chosen]:
        assert narrow.staged_sbox(circuit, stages, surroundings) == narrow.search(circuit, stages, surroundings)


@pytest.mark.parametrize("chosen", narrow.PRESETS, ids=str)
def test_cuts_that_presets_have_are_read_and_not_searched_for(
    chosen: tuple[str, Function, narrow.AroundSbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narrow, "search", lambda *_: pytest.fail("searched for"))
    narrow.staged_sbox.cache_clear()
    name, function, surroundings = chosen
    narrow.staged_sbox(sbox_circuit(name, function), narrow.PRESETS[chosen][0], surroundings)


@pytest.mark.thorough
def test_the_stored_cut_is_the_one_that_is_found() -> None:
    circuit = sbox(narrow.STORED).circuit(Function.FORWARD)
    stored = narrow.staged_sbox(circuit, 2, narrow.COLUMNS)
    assert stored == narrow.search(circuit, 2, narrow.COLUMNS)
    assert stored.registers != narrow.staged_sbox(circuit, 2, narrow.BYTES).registers


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    "fields",
    [
        {"clock_gates": True},
        {"stages": 3},
        {"stages": 4, "sbox": "reyhani2018"},
        {"beat": 32, "clock_gates": True},
        {"beat": 32, "stages": 3},
        {"beat": 32, "stages": 4, "sbox": "reyhani2018"},
    ],
)
def test_it_is_aes_whatever_the_stalls(fields: dict[str, object], tmp_path: Path) -> None:
    scenarios = tuple(name for name in SCENARIOS if name not in ("known-answers", "monte-carlo"))
    report = simulate(core(**fields), tmp_path, SimulationPlan(random_pairs=20, scenarios=scenarios))
    assert report.passed, [(scenario.name, scenario.failure) for scenario in report.failures]


@pytest.mark.thorough(but=2)
@pytest.mark.slow
@pytest.mark.parametrize("preset", [name for name in FAMILY.presets if "encdec" not in name])
def test_it_is_proved(preset: str, tmp_path: Path) -> None:
    assert prove(core(preset), tmp_path).verdict is Verdict.PROVED


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("output", ["quiet", "registered"])
def test_it_is_cleared_whatever_its_output(output: str, tmp_path: Path) -> None:
    assert prove(core("column-gated-enc", clear=True, output=output), tmp_path).verdict is Verdict.PROVED


@pytest.mark.thorough(but=2)
@pytest.mark.slow
@pytest.mark.parametrize("fields", [{"stages": 3}, {"stages": 4, "clock_gates": True}, {"clear": True}])
def test_words_are_proved_in_more_stages_and_cleared(fields: dict[str, object], tmp_path: Path) -> None:
    assert prove(core("column-beat32-enc", **fields), tmp_path).verdict is Verdict.PROVED


def test_a_bare_output_is_refused_by_name() -> None:
    with pytest.raises(RequestError, match=r"output: must be 'quiet' or 'registered' .*not 'bare'"):
        core(output="bare")


@pytest.mark.thorough(but=3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "broken"),
    [
        # Round key 1 of the next block is made of the last word of round key 10, not of the kept key.
        ("kept_i ? key_q[0] : round_key_q[0]", "round_key_q[0]"),
        # A block may begin beside a key that is taken.
        ("known_q & ~key_valid_i &", "known_q &"),
        # A result is lost if the next block comes while it waits.
        ("& (~full_q | block_ready_i)", ""),
        # A key is taken while a result waits, which is then offered no more.
        ("key_ready_o = waits_q & ~full_q", "key_ready_o = waits_q"),
        # The round key moves on in the slot of its last word.
        ("advance_o & (slot_q[3:0] != '0)", "advance_o"),
        # A block is not taken whole: its later columns are read from a port that may have changed.
        ("waits_i ? block[2:0] : state_q[2:0]", "state_q[2:0]"),
    ],
)
def test_a_broken_core_is_refuted(right: str, broken: str, tmp_path: Path) -> None:
    assert prove(with_fault(core(), right, broken), tmp_path).verdict is Verdict.REFUTED


@pytest.mark.thorough(but=2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "broken"),
    [
        # A word of the result waits for a word of a block that has begun.
        ("leave_q ? block_ready_i :", "leave_q ? block_ready_i & (~filling_q | block_valid_i) :"),
        # A word that comes late is taken in the place of a later one.
        ("leave_q ? takes : take_q |", "leave_q ? 1'b1 : take_q |"),
        ("take_q ? slot_q[3:1] : resume_q", "slot_q[3:1]"),
        # Words that came before the sender stopped are not in their places afterwards.
        ("entered_i ? sbox_out : state_q[3]", "sbox_out"),
        # They are not turned, but overwritten.
        ("take_d = ~takes & ~key_take_o & ~filling_q", "take_d = ~takes & ~key_take_o"),
        # Round key 1 is made again, of itself, where the block comes after the result.
        ("(fresh_q | ~first_q)", "1'b1"),
        # Or not at all after a new key.
        ("(fresh_q | ~first_q)", "(leave_q | ~first_q)"),
        # A block may begin beside a key that is offered, or after its first word.
        ("(known_q & ~key_valid_i)", "known_q"),
        ("known_d = key_take_o ? slot_q[3] : known_q", "known_d = known_q | key_take_o"),
        # A key is taken within a block.
        ("take_q & ~leave_q & ~filling_q", "take_q & ~leave_q"),
        # There is a result after a key.
        ("leave_d = ~first_q;", "leave_d = 1'b1;"),
    ],
)
def test_a_broken_core_of_words_is_refuted(right: str, broken: str, tmp_path: Path) -> None:
    assert prove(with_fault(core("column-beat32-enc"), right, broken), tmp_path).verdict is Verdict.REFUTED
