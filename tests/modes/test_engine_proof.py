"""The proof of CTR engines around any cores: right ones are proved, wrong ones refuted by a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_engine import WRONG

import aesmith
from aesmith.assurance.engines import prove as proofs
from aesmith.assurance.engines.claims import ClaimsDesign, structure_of
from aesmith.assurance.engines.induction import Induction
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cli import run
from aesmith.cores.design import SourceFile
from aesmith.errors import RequestError
from aesmith.modes.ctr_engine import CtrEngine

pytestmark = pytest.mark.one_in(2)

MORE_WRONG = {
    "a queue loses what comes when it is full": (
        "stream_fifo",
        "ready_o = count_q != CountBits'(Entries)",
        "ready_o = 1'b1",
    ),
    "a queue gives a beat twice": ("stream_fifo", "got = valid_o & ready_i", "got = valid_o & ready_i & ~put"),
    "a queue begins with the last one": ("stream_fifo", "if (got) read_q <=", "if (got & ~put) read_q <="),
    "no last with an error": ("text_ring", "last_q[read_q] & valid_o", "last_q[read_q] & valid_o & ~error_q[read_q]"),
    "an error in a first beat is not told": (
        "ctr_engine",
        ".error_i     (code != '0)",
        ".error_i     (code != '0 & ~first)",
    ),
    "a beat is offered only to who is ready": ("text_ring", "& done_q[read_q];", "& done_q[read_q] & ready_i;"),
    "a beat is not repeated under a stall": ("text_ring", "got     = valid_o & ready_i", "got     = valid_o"),
    "the key stream replaces the text": ("text_ring", "<= text_q[place] ^ add_stream_i", "<= add_stream_i"),
    "a command while a key waits": ("ctr_engine", "tready = command_room & ~key_valid_i", "tready = command_room"),
    "a message waits for the next command": (
        "ctr_engine",
        "beat_valid & command_valid & ~blocked",
        "beat_valid & ~command_room & ~blocked",
    ),
}
"""More engines with one fault each, beside those of the simulation."""

ALL_WRONG = WRONG | MORE_WRONG


@pytest.fixture(scope="module")
def small() -> CtrEngine:
    """Two cores, a ring of four beats, a counter of 8 bits."""
    return CtrEngine("right", stand_in(2, 3), 2, 8)


def _verdict(engine: CtrEngine, folder: Path) -> tuple[Verdict, str]:
    parts, found = proofs.prove_claims(engine, folder, Limits(seconds=300))
    worst = next((part for part in parts if part.verdict is not Verdict.PROVED), parts[0])
    assert (found is not None) == (worst.verdict is Verdict.REFUTED)
    return worst.verdict, worst.detail


@pytest.mark.thorough
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(small: CtrEngine, tmp_path: Path) -> None:
    parts, found = proofs.prove_claims(small, tmp_path, Limits(seconds=300))
    assert found is None
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(("claims", "reached", "timing"), Verdict.PROVED)


@pytest.mark.thorough
def test_the_verb_proves_an_engine_and_its_core(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, folder = tmp_path / "one.toml", tmp_path / "proof"
    file.write_text('mode = "ctr"\ncore = "ueno2020-enc"\ncounter_bits = 32\n')
    assert run(["verify", str(file), "--prove", "--proof-dir", str(folder), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["proved"]
    assert [part["name"] for part in report["parts"]] == ["claims", "reached", "timing", "core"]
    assert {part["verdict"] for part in report["parts"]} == {"proved"}
    assert "CTR with 1 x ueno2020-enc" in (folder / "report.md").read_text()
    assert (folder / "core" / "report.md").is_file()


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["bytes that do not count are not masked", "a beat is not repeated under a stall"])
def test_a_wrong_engine_is_refuted_by_a_run(what: str, small: CtrEngine, tmp_path: Path) -> None:
    verdict, detail = _verdict(wrong_engine(small, "wrong", *ALL_WRONG[what]), tmp_path)
    assert verdict is Verdict.REFUTED
    assert "is false in clock" in detail


def test_an_engine_with_a_conditional_is_refused_with_file_and_line(small: CtrEngine, tmp_path: Path) -> None:
    change = "text_ring", "  logic got;", "`ifdef SYNTHESIS\n`endif\n  logic got;"
    verdict, detail = _verdict(wrong_engine(small, "wrong", *change), tmp_path)
    assert verdict is Verdict.REFUSED
    assert "wrong_text_ring.sv, line 47: '`ifdef'" in detail


def test_an_engine_that_the_lemmas_do_not_know_is_refused(small: CtrEngine, tmp_path: Path) -> None:
    verdict, detail = _verdict(wrong_engine(small, "wrong", "ctr_engine", ") u_ring (", ") u_other ("), tmp_path)
    assert verdict is Verdict.REFUSED
    assert "u_ring" in detail


@pytest.mark.thorough
def test_a_handshake_that_depends_on_data_is_found(small: CtrEngine, tmp_path: Path) -> None:
    change = "ctr_engine", "command_room & ~key_valid_i;", "command_room & ~key_valid_i & s_axis_cmd_tdata[64];"
    netlist = elaborate(ClaimsDesign(wrong_engine(small, "wrong", *change)), tmp_path)
    assert proofs.data_in_timing(netlist) == "u_dut.s_axis_cmd_tready"


def test_induction_needs_start_and_step_and_runs_are_computed_anew(tmp_path: Path) -> None:
    """Of a counter what is always so, what is not at first, what not for good, what only if it is promised."""
    text = """
module counting (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic go_i,
  output logic assumed_o,
  output logic user_o,
  output logic claim_below_five_o,
  output logic {}_o,
  output logic reached_four_o
);
  logic [2:0] count_q;
  assign assumed_o          = ~(count_q == 3'd4 & go_i);
  assign user_o             = 1'b1;
  assign claim_below_five_o = count_q < 3'd5;
  assign {}_o         = {};
  assign reached_four_o     = count_q == 3'd4;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) count_q <= '0; else count_q <= count_q + 3'(go_i);
endmodule
"""
    for name, what, clocks in (
        ("claim_held", "1'b1", 0),
        ("claim_from_one_on", "count_q != 3'd0", 1),
        ("claim_below_three", "count_q < 3'd3", 4),
        ("duty_quiet", "~(count_q == 3'd4 & go_i)", None),
    ):
        folder = tmp_path / name
        text_here = SourceFile("counting.sv", text.format(name, name, what))
        design = replace(stand_in(2, 3), name="counting", sources=(text_here,))
        induction = Induction(elaborate(design, folder), folder, 100)
        assert bool(induction.not_shown()) == (clocks != 0)
        found = induction.run_to(induction.named("claim_", "duty_"), 8)
        assert (0 if found is None else found.clocks) == (clocks or 0)
        reached = induction.run_to(["reached_four_o"], 8)
        assert reached is not None
        assert reached.clocks == 5
        assert induction.run_to(["reached_four_o"], 4) is None


@pytest.mark.parametrize(
    ("preset", "fields", "what"),
    [
        ("cfb8-compact", {}, "the mode cfb8"),
        ("kw-compact", {}, "the mode kw"),
        ("gcm-siv-compact", {}, "the mode gcm-siv"),
        ("siv-compact", {}, "the mode siv"),
        ("gcm-sst-compact", {}, "the mode gcm-sst"),
        ("cbc-cs-compact", {}, "the mode cbc-cs3"),
        ("drbg-compact", {}, "the mode ctr-drbg"),
        ("ocb-compact", {}, "the mode ocb3"),
        ("gcm-100g", {"ghash_stages": 2}, "a GHASH in stages"),
        ("gcm-10g", {"ring": "memory"}, "a ring in memory"),
    ],
)
def test_an_engine_of_which_nothing_is_claimed_is_refused_by_name(
    preset: str, fields: dict[str, Any], what: str
) -> None:
    with pytest.raises(RequestError, match=f"and {preset} is an engine; .* nothing is proved of {what}"):
        structure_of(aesmith.engine(preset, **fields).design)
