"""The proof of engines of CMAC around any core: right ones are proved, wrong ones refuted by a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_cmac_engine import WRONG

import aesmith
from aesmith.assurance.engines.induction import Induction
from aesmith.assurance.engines.prove import assumptions, prove_claims
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import block_interface
from aesmith.modes.cmac_engine import CmacEngine

pytestmark = pytest.mark.one_in(2)

WORDS = {
    "words from the last one on": (
        "cmac_engine",
        "words[~place]",
        "words[place]",
    ),
    "words of a result from the last one on": (
        "cmac_engine",
        "result         = {chain_q[127-WordBits:0], core_result_i[0]}",
        "result         = {core_result_i[0], chain_q[127:WordBits]}",
    ),
    "the first word waits for no result": (
        "cmac_engine",
        "Direct & busy_q ? {chain_q[127-WordBits:0], WordBits'(0)} : chain_q",
        "Direct & busy_q ? chain_q : chain_q",
    ),
    "a key's words from the last one on": (
        "key_words",
        "words[PlaceBits'(Words-1)-word_q]",
        "words[word_q]",
    ),
}
"""What is wrong only where the core takes words."""
MORE_WRONG = {
    "a key while a block is under way": ("cmac_engine", "(~busy_q & ~key_due_q)", "(1'b1)"),
    "a beat is behind before it has come": (
        "cmac_engine",
        "behind_q <= valid & s_axis_tvalid & ~take",
        "behind_q <= valid",
    ),
    "the block of an empty message twice": ("cmac_engine", "is_tag ? first & ~sent_q :", "is_tag ? first :"),
    "bytes of the tag stay those of the message before": (
        "cmac_engine",
        "if (result_last) tag_bytes_q <= of_bytes_q",
        "if (result_last & tag_bytes_q == '0) tag_bytes_q <= of_bytes_q",
    ),
    "the code is that of the next message": ("cmac_engine", "error_o <= code", "error_o <= refusal"),
    "a tag leaves twice": (
        "cmac_engine",
        "else if (m_axis_tready) shows_tag_q",
        "else if (m_axis_tready & ~valid) shows_tag_q",
    ),
}
"""More engines with one fault each, beside those of the simulation."""
ALL_WRONG = WRONG | MORE_WRONG | WORDS


def of_words(width: int, late_cycles: int = 0) -> CoreDesign:
    """A core as the proof sees it, whose blocks and keys come in words; it has ports only."""
    ports = block_interface((128,), (Direction.ENCRYPT,), width, quiet=True)
    core = replace(stand_in(10, 11), name="words", sources=(SourceFile("words.sv", ""),), ports=ports)
    return replace(core, late_cycles=late_cycles)


def small_ones() -> tuple[CmacEngine, ...]:
    """The engines of which wrong ones are made: a whole block at once; a quarter of one; and a quarter, of which the
    first comes with the last one of the result before it."""
    words = CmacEngine("right_words", of_words(32)), CmacEngine("right_late", of_words(32, late_cycles=20))
    return (CmacEngine("right", stand_in(2, 3)), *words)


def more_right() -> tuple[CmacEngine, ...]:
    """Engines of other fields."""
    return (CmacEngine("right", stand_in(2, 3), chain="registered"),)


def test_a_part_that_a_number_chooses_is_free_beyond_its_word_and_itself_within(tmp_path: Path) -> None:
    text = """
module parts (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [23:0] word_i,
  input  logic [1:0] place_i,
  output logic assumed_o,
  output logic user_o,
  output logic claim_within_o,
  output logic {}_o
);
  logic [7:0] part;
  logic started_q;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) started_q <= 1'b0; else started_q <= 1'b1;
  assign part           = word_i[8*32'(place_i)+:8];
  assign assumed_o      = 1'b1;
  assign user_o         = started_q | ~started_q;
  assign claim_within_o = place_i == 2'd3 | part == 8'(word_i >> (8 * place_i));
  assign {}_o = {};
endmodule
"""
    for name, what, shown in (
        ("claim_same", "part == part", True),
        ("claim_zero", "place_i != 2'd3 | part == '0", False),
        ("claim_ones", "place_i != 2'd3 | part == '1", False),
    ):
        source = SourceFile("parts.sv", text.format(name, name, what))
        design = replace(stand_in(2, 3), name="parts", sources=(source,))
        folder = tmp_path / name
        open_ = Induction(elaborate(design, folder, chosen_parts=True), folder, 100).not_shown()
        assert open_.startswith("" if shown else f"{name}_o may be false"), open_
        assert bool(open_) is not shown


@pytest.mark.thorough
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(tmp_path: Path) -> None:
    parts, found = prove_claims(small_ones()[0], tmp_path, Limits(seconds=300))
    assert found is None
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(("claims", "reached", "timing"), Verdict.PROVED)


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["a byte too much of the tag"])
def test_a_wrong_engine_is_refuted_by_a_run(what: str, tmp_path: Path) -> None:
    parts, found = prove_claims(wrong_engine(small_ones()[0], "wrong", *ALL_WRONG[what]), tmp_path, Limits(300))
    assert found is not None
    assert parts[0].verdict is Verdict.REFUTED
    assert "is false in clock" in parts[0].detail


def test_the_report_says_that_a_beat_of_a_message_stays_offered() -> None:
    of_cmac, of_cbc = (" ".join(assumptions(aesmith.engine(name).design)) for name in ("cmac-small", "ctr-pipeline"))
    assert "so it does with a beat of a message" in of_cmac
    assert "cmac_reference.sv" in of_cmac
    assert "nothing is assumed of commands, beats and ready" in of_cbc
    assert "{" not in of_cmac + of_cbc
