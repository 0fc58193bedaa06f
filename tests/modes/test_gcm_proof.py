"""What is claimed of engines of GCM around any cores: it is shown of a small one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import WRONG_TURNS, wrong_engine
from tests.modes.test_gcm_engine import WRONG

import aesmith
from aesmith.assurance.engines.prove import assumptions, claims_text, prove_claims
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.modes.gcm_engine import GcmEngine

pytestmark = pytest.mark.one_in(3)

MORE_WRONG = {
    "a beat without bytes that is called a tag is one": (
        "gcm_engine",
        "iv_put_q | keep == '0 ? Text",
        "iv_put_q ? Text",
    ),
    "a verdict before there is a hash": (
        "tagged_release",
        "decrypt_q & ~judged_q & hash_valid_i",
        "decrypt_q & ~judged_q",
    ),
    "bytes of the tag stay those of the message before": (
        "tagged_release",
        "tag_keep_q <= item_keep_i",
        "tag_keep_q <= item_decrypt_i ? item_keep_i : tag_keep_q",
    ),
    "keep stays that of the beat before": (
        "message_ring",
        "keep_q[place]    <= keep_i",
        "keep_q[place]    <= kind_i == Text & ~last_i ? keep_q[place] : keep_i",
    ),
    "text is counted as header": (
        "ghash",
        "else if (begin_block & item_kind_i == Header) header_bytes_q",
        "else if (begin_block & item_kind_i != Iv) header_bytes_q",
    ),
    "header is encrypted": (
        "counter_sender",
        "is_text   = item_kind_i == Text",
        "is_text   = item_kind_i inside {3'd1, Text}",
    ),
    "a step of the product too few": ("ghash", "step_q == StepBits'(Steps - 1)", "step_q == StepBits'(Steps - 2)"),
    "a product begins with the lowest digit": (
        "ghash",
        ".d_i(start ? x[127-:Digit] : later_digit)",
        ".d_i(start ? x[Digit-1:0] : later_digit)",
    ),
    "a product begins with the one before": ("ghash", ".y_i(start ? '0 : y_q)", ".y_i(y_q)"),
    "later digits are those of Y alone": (
        "ghash",
        "x_q    <= (start ? x : x_q) << Digit",
        "x_q    <= (start ? y_q : x_q) << Digit",
    ),
    **WRONG_TURNS,
    "the mask of the message before": (
        "tagged_release",
        "mask_q     <= item_text_i",
        "mask_q     <= item_decrypt_i ? item_text_i : mask_q",
    ),
    "what stands behind a message is its tag": ("ghash", "{128{at_tag}}", "{128{lengths & item_valid_i}}"),
    "text leaves before it is known what stands behind it": (
        "tagged_release",
        "behind_valid_i & (judged_q | ~final_text)",
        "(judged_q | ~final_text)",
    ),
    "the last beat leaves before the verdict": (
        "tagged_release",
        "(judged_q | ~final_text)",
        "(judged_q | ~final_text | 1'b1)",
    ),
}
"""More engines with one fault each, beside those of the simulation; benchmarks/prove_engines.py asks for them."""
ALL_WRONG = WRONG | MORE_WRONG


def small_ones() -> tuple[GcmEngine, ...]:
    """The engines of which wrong ones are made: text that waits for the verdict, and, of two cores, that does not."""
    return (
        GcmEngine("right", stand_in(2, 3), digit=32, entries=4),
        GcmEngine("right_cut", stand_in(2, 3), 2, digit=32, release="cut-through", entries=4),
    )


def more_right() -> tuple[GcmEngine, ...]:
    """An engine of other fields: a product in one clock."""
    return (GcmEngine("at_once", stand_in(1, 3), digit=128, release="cut-through", entries=4),)


@pytest.mark.thorough
@pytest.mark.parametrize("engine", [*small_ones(), *more_right()], ids=lambda engine: engine.name)
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(engine: GcmEngine, tmp_path: Path) -> None:
    parts, found = prove_claims(engine, tmp_path, Limits(seconds=3000))
    assert found is None
    expected = dict.fromkeys(("claims", "reached", "timing", "product"), Verdict.PROVED)
    assert {part.name: part.verdict for part in parts} == expected


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("place", "what"),
    [
        (0, "a product begins with the one before"),
        (1, "the last beat leaves before the verdict"),
        (1, "results of one core"),
    ],
)
def test_a_wrong_engine_is_refuted_by_a_run(place: int, what: str, tmp_path: Path) -> None:
    parts, found = prove_claims(wrong_engine(small_ones()[place], "wrong", *ALL_WRONG[what]), tmp_path, Limits(900))
    assert found is not None
    assert parts[0].verdict is Verdict.REFUTED
    assert "is false in clock" in parts[0].detail


def test_the_report_says_of_what_text_it_speaks_and_that_waits_are_not_claimed() -> None:
    verified, cut = (aesmith.engine("gcm-10g", release=release).design for release in ("verified", "cut-through"))
    assert "no byte of its text leaves" in claims_text(verified)
    assert "no byte of its text leaves" not in claims_text(cut)
    assert "its text leaves regardless" in claims_text(cut)
    told = " ".join(assumptions(verified))
    assert "gcm_reference.sv" in told
    assert "Waits of cores" not in told
    assert "{" not in told + claims_text(verified) + claims_text(cut)
