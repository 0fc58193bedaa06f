"""The proof of engines of several modes around any core: right ones are proved, wrong ones refuted by a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_multi_mode_engine import (
    BOTH,
    SIZES,
    WRONG,
    WRONG_FEW,
    WRONG_RELEASE,
    WRONG_SIZES,
    right_one,
    right_one_of_few,
    right_one_of_sizes,
)

import aesmith
from aesmith.assurance.engines.claims import ClaimsDesign, structure_of
from aesmith.assurance.engines.key_slots import SlotsDesign
from aesmith.assurance.engines.memories import prove_memory
from aesmith.assurance.engines.prove import (
    MEMORY_ASSUMED,
    SIZES_ASSUMED,
    assumptions,
    claims_text,
    prove_claims,
    prove_engine,
)
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.design import Direction
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.specification import parse_engine

pytestmark = pytest.mark.one_in(4)

_E = "multi_mode_engine"
MORE_WRONG = {
    "the counter goes on in the next message": (_E, "    if (idle | in_iv_count) begin", "    if (in_iv_count) begin"),
    "the IV of the message before": (
        _E,
        "    if (idle) begin\n      r_q <=",
        "    if (idle & ~keyed_q) begin\n      r_q <=",
    ),
    "the mode of the message before": (
        _E,
        "command_q <= s_axis_cmd_tdata[7:0];",
        "command_q <= {s_axis_cmd_tdata[7:4], keyed_q & first_q ? command_q[3:1] : s_axis_cmd_tdata[3:1], "
        "s_axis_cmd_tdata[0]};",
    ),
    "a tag was wrong before": (_E, ": failed_q & ~idle;", ": failed_q;"),
    "text of a refused message": (_E, "refusal != '0 ? Drain : asks[6]", "asks[6]"),
    "the last beat is not the last one": (_E, "(~has_tag & s_axis_tlast));", "(~has_tag & 1'b0));"),
    "what leaves is not quiet": (_E, "turned(shown) & {128{data_here}};", "turned(shown);"),
    "a result is offered before it is there": (_E, "~cmac & result_valid & ~(gcm", "~cmac & asked_q & ~(gcm"),
    "the core waits for the receiver": (_E, "    issue = wants_text;", "    issue = wants_text & out_ready;"),
    "the verdict is not waited for": (
        _E,
        "Compare: state_d = Verdict;",
        "Compare: state_d = error_q[3] ? Compare : Verdict;",
    ),
}
"""More engines with one fault each, beside those of the simulation: of the switch between messages, lines and waits."""
ALL_WRONG = WRONG | WRONG_FEW | WRONG_RELEASE | MORE_WRONG


def small_ones() -> tuple[MultiModeEngine, ...]:
    """The engines of which wrong ones are made: text that waits in a memory of two beats; one whose GHASH takes longer
    than its core; and all modes, with IVs of any length."""
    waits = MultiModeEngine("waits", stand_in(2, 3), modes=("gcm", "ctr"), release="verified", memory_beats=2)
    return waits, right_one_of_few(stand_in), right_one(stand_in)


def more_right() -> tuple[MultiModeEngine, ...]:
    """Each mode alone, and engines of other fields."""
    both = stand_in(2, 3, BOTH)
    return (
        *(MultiModeEngine("one", both, modes=(mode,)) for mode in MESSAGE_MODES),
        MultiModeEngine("back", stand_in(2, 3, (Direction.DECRYPT,)), modes=("cbc", "ecb")),
        MultiModeEngine("forth", stand_in(2, 3), modes=("cbc", "ecb", "ofb", "ccm")),
        MultiModeEngine("wide", both, modes=("gcm",), gcm_iv="any", digit=64, splits="b"),
        MultiModeEngine("narrow", both, modes=("gcm", "cmac"), digit=4, splits=""),
        MultiModeEngine("sized", stand_in(2, 7, BOTH, key_bits=SIZES), modes=("ccm", "gcm", "cbc"), key_slots=2),
        MultiModeEngine("held", both, modes=tuple(MESSAGE_MODES), gcm_iv="any", release="verified", memory_beats=16),
    )


def parts_of(engine: MultiModeEngine) -> list[str]:
    """The parts of a proof."""
    more = [*["product"] * bool(engine.leaves), *["memory"] * engine.holds_text, *["slots"] * (engine.key_slots > 1)]
    return ["claims", "reached", "timing", *more]


@pytest.mark.thorough
@pytest.mark.parametrize("engine", [*small_ones(), *more_right()], ids=lambda engine: f"{engine.name}-{engine.mode}")
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(engine: MultiModeEngine, tmp_path: Path) -> None:
    parts, found = prove_claims(engine, tmp_path, Limits(seconds=900))
    assert found is None
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(parts_of(engine), Verdict.PROVED)


def of_modes(*modes: str, **fields: object) -> MultiModeEngine:
    """A small engine of these modes."""
    return MultiModeEngine("right", stand_in(2, 3, BOTH), modes=modes, **fields)  # type: ignore[arg-type]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("modes", "what"),
    [
        (("ctr",), "CTR counts in 31 bits"),
        (("cbc", "ofb"), "the chain of OFB is its ciphertext"),
        (("cmac",), "no subkey behind a tag"),
        (("ccm",), "more text than B0 says"),
        (("gcm", "cbc"), "the IV of the message before"),
        (("gcm",), "the verdict is not waited for"),
    ],
)
def test_a_wrong_engine_is_refuted_by_a_run(modes: tuple[str, ...], what: str, tmp_path: Path) -> None:
    parts, found = prove_claims(wrong_engine(of_modes(*modes), "wrong", *ALL_WRONG[what]), tmp_path, Limits(900))
    assert found is not None
    assert parts[0].verdict is Verdict.REFUTED
    assert "is false in clock" in parts[0].detail


@pytest.mark.thorough
@pytest.mark.parametrize("what", WRONG_SIZES)
def test_a_key_of_another_size_than_it_says_is_refuted(what: str, tmp_path: Path) -> None:
    wrong = wrong_engine(right_one_of_sizes(stand_in), "wrong", *WRONG_SIZES[what])
    parts, found = prove_claims(wrong, tmp_path, Limits(900))
    assert found is not None
    assert Verdict.REFUTED in [part.verdict for part in parts]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "what", ["text without a verdict", "more than there is room for", "writes while text is read", "one beat less"]
)
def test_text_that_leaves_otherwise_than_behind_its_verdict_is_refuted(what: str, tmp_path: Path) -> None:
    parts, found = prove_claims(wrong_engine(small_ones()[0], "wrong", *ALL_WRONG[what]), tmp_path, Limits(900))
    assert found is not None
    assert parts[0].verdict is Verdict.REFUTED


@pytest.mark.thorough
@pytest.mark.parametrize("modes", [("gcm",), ("ccm", "gcm", "cbc")])
def test_of_an_engine_that_is_slower_under_some_keys_only_time_is_not_shown(
    modes: tuple[str, ...], tmp_path: Path
) -> None:
    at_once = "if (in_lengths | state_q == AtTag) issue = gcm | ccm;"
    later = at_once.replace("gcm | ccm", "(gcm | ccm) & (state_q == AtTag | ~h_q[0])")
    parts, found = prove_claims(wrong_engine(of_modes(*modes), "slow", _E, at_once, later), tmp_path, Limits(900))
    assert found is None
    assert {part.name for part in parts if part.verdict is not Verdict.PROVED} == {"timing"}
    assert "core_block_valid is not shown" in parts[2].detail


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("right", "wrong", "verdict"),
    [
        ("", "", Verdict.PROVED),
        ("data_q <= beats_q[address_i];", "data_q <= beats_q[0];", Verdict.REFUTED),
        ("if (enable_i & ~write_i) data_q", "if (enable_i) data_q", Verdict.REFUTED),
    ],
)
def test_the_memory_gives_what_was_written(right: str, wrong: str, verdict: Verdict, tmp_path: Path) -> None:
    engine = small_ones()[0]
    if right:
        engine = wrong_engine(engine, "wrong", "release_memory", right, wrong)
    part, found = prove_memory(engine, tmp_path, Limits(100))
    assert part.verdict is verdict, part.detail
    assert (found is not None) == (verdict is Verdict.REFUTED)


@pytest.mark.thorough
def test_an_engine_with_slots_words_and_a_clear_is_proved_with_its_core(tmp_path: Path) -> None:
    fields = {"preset": "gcm-small", "modes": ["gcm", "ctr"], "key_slots": 2, "stream_bits": 32, "clear": True}
    engine = parse_engine(fields).engine("cut", "gcm-small")
    report = prove_engine(engine, tmp_path)
    assert report.proved, report.failing
    names = ["clear", "streams", "drops reached", "timing of streams", "converters", "words reached", "timing of words"]
    inside = ["claims", "reached", "timing", "product", "slots"]
    assert [part.name for part in report.parts] == [*names, *inside, "core"]


def test_the_report_says_what_is_claimed_of_which_modes() -> None:
    several, one = (aesmith.engine(name).design for name in ("multi-compact", "gcm-small"))
    told = claims_text(several)
    assert all(f"for {mode.upper()} " in told for mode in MESSAGE_MODES)
    assert "if the tag is right, each beat once and in order; no byte of another message leaves" in told
    assert "which leaves regardless" not in told
    assert "which leaves regardless" in claims_text(one)
    assert "for CTR" not in claims_text(one)
    assert "at most 32 consecutive clocks" in told
    chained = MultiModeEngine("one", stand_in(2, 3, BOTH), modes=("cbc",))
    assert "tag" not in claims_text(chained)
    for engine in (several, one, chained):
        lines = " ".join(assumptions(engine))
        assert "Waits of cores" not in lines
        assert "modulo 2^64" not in lines
        assert "so it does with a beat of a message" in lines
        assert "multi_mode_reference.sv" in lines
        assert (MEMORY_ASSUMED in lines) == (engine is several)
        assert SIZES_ASSUMED not in lines
        assert "{" not in lines + claims_text(engine)


def test_a_key_and_its_size_are_one_word_in_the_claims() -> None:
    sized, slotted = (replace(right_one_of_sizes(stand_in), key_slots=slots) for slots in (1, 2))
    for engine in (sized, slotted):
        text = ClaimsDesign(engine).sources[-1].text
        assert "parameter int unsigned KeyBits = 258," in text
        assert ".key_i(key_i[255:0]),\n    .key_bits_i(key_i[257:256])," in text
        assert ".key_i({u_dut.gen_core[core].u_core.key_bits_i, u_dut.gen_core[core].u_core.key_i})" in text
        assert SIZES_ASSUMED in assumptions(engine)
    assert "{u_dut.slot_key_bits, u_dut.slot_key} == star_key_q" in text
    assert "KeyBits = 258" in SlotsDesign(slotted).sources[-1].text


def test_what_comes_about_is_asked_for_each_mode_that_is_built() -> None:
    for engine in (small_ones()[0], *more_right()[:3]):
        ports = structure_of(engine).names["  REACHED_PORTS\n"]
        assert {mode for mode in MESSAGE_MODES if f"reached_{mode}_" in ports} == {*engine.modes}
        text = ClaimsDesign(engine).sources[-1].text
        assert f"parameter int unsigned Modes = {engine.module_parameters['Modes']}," in text
        assert ("u_release_reference" in text) == engine.holds_text
        assert "REF." not in text
        assert "ENG." not in text


def test_each_wrong_engine_can_be_made_of_a_right_one() -> None:
    texts = {source.name.split("_", 1)[1]: source.text for source in small_ones()[0].sources if "_" in source.name}
    odd = {what for what, (module, right, _) in ALL_WRONG.items() if texts[f"{module}.sv"].count(right) != 1}
    assert odd == set()
