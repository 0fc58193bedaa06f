"""The self-test and the lock of the registers: what is claimed of them is proved, and ones with a fault are refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.assurance.engines.bus_adapters import FIFO, FRONT, LOCK, SELF_TEST, prove_adapter
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.sources import packaged_rtl

WRONG = {
    "answers are not compared": (SELF_TEST, "all_answers | read_data_i != answer_data_i", "all_answers"),
    "a bit of an answer is not compared": (
        SELF_TEST,
        "read_data_i != answer_data_i",
        "read_data_i[31:1] != answer_data_i[31:1]",
    ),
    "it may end before all answers": (
        SELF_TEST,
        "all_steps & ~all_answers",
        "all_steps & ~all_answers & ~step_write_i",
    ),
    "a failure that goes": (
        SELF_TEST,
        "end else if (start_i & ~failed_q) begin",
        "end else if (start_i) begin\n        failed_q <= 1'b0;",
    ),
    "a start hides a failure": (
        SELF_TEST,
        "if (running_q & ~wipe_i & wrong)",
        "if (running_q & ~wipe_i & ~start_i & wrong)",
    ),
    "a test without an end": (SELF_TEST, " | time_q == '1", ""),
    "the bus starves": (SELF_TEST, "(~request_i | served_q)", "(~request_i | ~served_q)"),
    "the bus hears of the test": (SELF_TEST, "ack_o     = ack_i & ~own_o", "ack_o     = ack_i"),
    "a word of an answer is taken": (LOCK, "is_out & shown & ~wrong_locked", "is_out & shown"),
    "an answer is read": (LOCK, "if (write_i | wrong_locked) data_o", "if (write_i) data_o"),
    "a key is taken": (LOCK, "~(is_id | is_version |", "~(is_trigger | is_id | is_version |"),
    "data are taken": (LOCK, "~(is_id | is_version |", "~(is_in | is_id | is_version |"),
    "a word that is spared": (FRONT, "data_q <= turned & {32{~wipe}};", "data_q <= turned;"),
    "a staged word that is spared": (FRONT, "<= turned & {32{~empties}}", "<= empties ? staged_q[word] : turned"),
    "a verdict that is spared": (FRONT, "else if (wipe) done_q <= 1'b0;", ""),
    "an alarm that ends": (FRONT, "alarm_q <= Alarm & (alarm_q | alarm_i)", "alarm_q <= Alarm & alarm_i"),
    "a lock that a clear undoes": (
        LOCK,
        "if (!rst_ni) lock_q <= 1'b0;",
        "if (!rst_ni) lock_q <= 1'b0;\n    else if (wipe) lock_q <= 1'b0;",
    ),
    "a key of software behind the lock": (LOCK, "(is_key | (is_trigger & data_i[1]))", "(is_trigger & data_i[0])"),
    "a key of the vault is lost": (LOCK, "vault & ~key_pending_q & ~wipe & key_ready_i", "vault & ~wipe & key_ready_i"),
    "a key of the vault while it is locked out": (
        LOCK,
        "sideload_valid_i & ~(SelfTest & locked_i)",
        "sideload_valid_i",
    ),
    "a word over another": (FIFO, "ready_o   = count_q != CountBits'(Entries)", "ready_o   = 1'b1"),
    "a word's data behind a clear": (FIFO, "data_i & {32{~clear_i}}", "clear_i ? data_q[place] : data_i"),
    "a word that goes with a clear": (FIFO, "assign flush     = Flush & clear_i", "assign flush     = clear_i"),
    "the kind of another word": (FIFO, "control_q[read_q] &", "control_q[write_q] &"),
    "a word of the stream before its message": (LOCK, "from_stream & open_q & in_ready_i", "in_ready_i"),
    "a word of the stream that is lost": (LOCK, "from_stream & open_q & in_ready_i", "from_stream & open_q"),
    "an answer of the streams by registers": (LOCK, "out_keep_i[0] & ~streams_q;", "out_keep_i[0];"),
    "a pin tells": (LOCK, "dma_in_o   = room & wants & ~hidden", "dma_in_o   = room & wants"),
}
"""Ones with a fault: the claims, what of the text is another, and what it is."""


@pytest.mark.parametrize("claims", [SELF_TEST, LOCK, FIFO])
def test_it_is_proved(claims: str, tmp_path: Path) -> None:
    proof = prove_adapter(claims, tmp_path / "work")
    assert proof.verdict is Verdict.PROVED, proof.detail


@pytest.mark.thorough(but=("a bit of an answer is not compared",))
@pytest.mark.one_in(6)
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_one_is_refuted_by_a_run(fault: str, tmp_path: Path) -> None:
    claims, right, wrong = WRONG[fault]
    text = packaged_rtl(FRONT if claims == LOCK else claims)
    assert text.count(right) >= 1
    proof = prove_adapter(claims, tmp_path / "work", text.replace(right, wrong, 1))
    assert proof.verdict is Verdict.REFUTED, proof.detail
    assert proof.run is not None
