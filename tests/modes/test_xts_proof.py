"""What is claimed of engines of XTS around any cores: it is shown of small ones, and wrong ones are refuted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import WRONG_TURNS, wrong_engine
from tests.modes.test_xts_engine import BOTH, WRONG, renamed

import aesmith
from aesmith.assurance.engines.claims import ClaimsDesign
from aesmith.assurance.engines.prove import assumptions, claims_text, data_in_timing, prove_claims, prove_engine
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.design import Direction
from aesmith.modes.engine_top import core_of
from aesmith.modes.specification import build_engine, engine_presets
from aesmith.modes.xts_engine import XtsEngine

pytestmark = pytest.mark.one_in(3)

MORE_WRONG = {
    "the core of tweaks decrypts": ("", ".decrypt_i    (1'b0)", ".decrypt_i    (1'b1)"),
    "the core of tweaks is told what the others are": ("", ".decrypt_i    (1'b0)", ".decrypt_i    (core_decrypt)"),
    "tweaks under Key1": ("", "(key_i[127:0])", "(key_i[255:128])"),
    "text under Key2": ("", "(key_i[255:128])", "(key_i[127:0])"),
    "the other direction": ("xts_engine", "Decrypts & (~encrypt | ~Encrypts)", "Decrypts & (encrypt | ~Encrypts)"),
    "the tweak goes on behind a message": (
        "xts_engine",
        "first ? turned(first_tweak)",
        "first & ~held_q ? turned(first_tweak)",
    ),
    "what is stolen is not waited for": ("xts_engine", "if (sent) phase_q <= Wait;", "if (sent) phase_q <= Join;"),
    "equal halves are never forgotten": ("xts_engine", "equal_q <= key_i", "equal_q <= equal_q | key_i"),
    "keep of the block before": ("xts_engine", "put_keep = keep;", "put_keep = part_q;"),
    "an error before the text in front of it": ("xts_engine", "here & ~good & ~held_q &", "here & ~good &"),
    "a message begins without its tweak": ("xts_engine", "~wanted | tweak_known)", "~wanted | tweak_known | first)"),
    "no tweak for a message behind one that waits": (
        "xts_engine",
        "s_axis_cmd_tvalid(s_axis_cmd_tvalid & tweak_free)",
        "s_axis_cmd_tvalid(s_axis_cmd_tvalid)",
    ),
    **WRONG_TURNS,
    "a tweak is asked for twice": ("tweak_maker", "{sends_q, waits_q} <= 2'b01", "{sends_q, waits_q} <= 2'b11"),
    "a tweak is known before it comes": ("tweak_maker", "known_o = known_q", "known_o = known_q | waits_q"),
    "an answer leaves before it came": ("text_ring", "count_q != '0 & done_q[read_q]", "count_q != '0"),
}
"""More engines with one fault each, beside those of the simulation; benchmarks/prove_engines.py asks for them."""
OF_WORDS = {
    "a word of a tweak too few": ("tweak_maker", "last_word = word_q == '1", "last_word = word_q == '1 - 1'b1"),
    "words of a tweak in the other order": (
        "tweak_maker",
        "value_received = {value_q[127-WordBits:0], core_result_i}",
        "value_received = {core_result_i, value_q[127:WordBits]}",
    ),
    "the lowest word of a tweak goes first": (
        "tweak_maker",
        "core_block_o = value_q[127-:WordBits]",
        "core_block_o = value_q[WordBits-1:0]",
    ),
    "the first word of a tweak goes again": (
        "tweak_maker",
        "else if (moves) value_q <= value_sent",
        "else if (moves & last_word) value_q <= value_sent",
    ),
    "words of a key in the other order": ("key_words", "words[PlaceBits'(Words-1)-word_q]", "words[word_q]"),
}
"""Engines with one fault each whose core of tweaks takes words."""
ALL_WRONG = WRONG | MORE_WRONG | OF_WORDS


def small_ones() -> tuple[XtsEngine, ...]:
    """The engines of which wrong ones are made: of two cores, both of text and of tweaks in both directions; and one
    whose core of tweaks takes keys and blocks in bytes."""
    tweaks = core_of("right_words_tweak", {"preset": "serial-shared-small-enc"})
    return (
        XtsEngine("right", stand_in(2, 3, BOTH), 2, tweak_core=renamed(stand_in(2, 3, BOTH))),
        XtsEngine("right_words", stand_in(2, 3, BOTH), tweak_core=tweaks),
    )


def more_right() -> tuple[XtsEngine, ...]:
    """Engines of one direction, and of three cores."""
    return (
        XtsEngine("encrypts", stand_in(2, 3), tweak_core=renamed(stand_in(2, 3))),
        XtsEngine("decrypts", stand_in(3, 4, (Direction.DECRYPT,)), 3, tweak_core=renamed(stand_in(2, 3))),
    )


@pytest.mark.thorough
@pytest.mark.parametrize("engine", [*small_ones(), more_right()[0]], ids=lambda engine: engine.name)
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(engine: XtsEngine, tmp_path: Path) -> None:
    parts, found = prove_claims(engine, tmp_path, Limits(seconds=3000))
    assert found is None
    expected = dict.fromkeys(("claims", "reached", "timing"), Verdict.PROVED)
    assert {part.name: part.verdict for part in parts} == expected


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("place", "what"),
    [
        (0, "the second tweak is the first"),
        (0, "a key between two that steal"),
        (0, "the core of tweaks is told what the others are"),
        (1, "words of a key in the other order"),
    ],
)
def test_a_wrong_engine_is_refuted_by_a_run(place: int, what: str, tmp_path: Path) -> None:
    parts, found = prove_claims(wrong_engine(small_ones()[place], "wrong", *ALL_WRONG[what]), tmp_path, Limits(900))
    assert found is not None
    assert parts[0].verdict is Verdict.REFUTED
    assert "is false in clock" in parts[0].detail


@pytest.mark.thorough
def test_both_cores_are_proved_with_the_engine(tmp_path: Path) -> None:
    right = build_engine(engine_presets()["xts-disk"], "disk", "xts-disk")
    assert isinstance(right, XtsEngine)
    source = next(each for each in right.tweak_core.sources if "8'h1b & " in each.text)
    wrong = replace(source, text=source.text.replace("8'h1b & ", "8'h1d & "))
    sources = tuple(wrong if each is source else each for each in right.tweak_core.sources)
    engines = right, replace(right, tweak_core=replace(right.tweak_core, sources=sources))
    for engine, verdict in zip(engines, (Verdict.PROVED, Verdict.REFUTED), strict=True):
        folder = tmp_path / verdict
        report = prove_engine(engine, folder)
        assert report.verdict is verdict
        parts = {part.name: part.verdict for part in report.parts}
        assert parts == dict.fromkeys(("claims", "reached", "timing", "core"), Verdict.PROVED) | {"tweak": verdict}
        assert (folder / "core" / "report.md").is_file()
        assert (folder / "tweak" / "report.md").is_file()


@pytest.mark.thorough
def test_of_data_only_whether_halves_are_equal_says_when(tmp_path: Path) -> None:
    right = small_ones()[0]
    netlist = elaborate(ClaimsDesign(right), tmp_path / "right", 900, chosen_parts=True)
    assert data_in_timing(netlist) == ""
    others = {name: nets for name, nets in netlist.names.items() if name != "u_dut.u_engine.equal_q"}
    assert data_in_timing(replace(netlist, names=others)) != ""
    waits = ("xts_engine", "assign here   = valid &", "assign here   = valid & ~(text_q[0] & held_q) &")
    wrong = elaborate(ClaimsDesign(wrong_engine(right, "wrong", *waits)), tmp_path / "wrong", 900, chosen_parts=True)
    assert data_in_timing(wrong) != ""


def test_the_report_says_that_waits_are_not_claimed_and_what_is_read() -> None:
    engine = aesmith.engine("xts-disk").design
    told = " ".join(assumptions(engine))
    assert "xts_reference.sv" in told
    assert "Waits of cores" not in told
    assert "equal halves" in claims_text(engine)
    assert "{" not in told + claims_text(engine)
