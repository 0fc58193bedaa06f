"""A clear that leaves something of a key or a block, or control elsewhere than after reset, is refuted by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.proof.behaviour import clear_part
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import block_interface
from aesmith.cores.specification import build_design, parse_specification

PIPELINE: dict[str, object] = {"architecture": "subpipelined", "stages": 2, "rounds_in_loop": 1, "skid_entries": 2}
ROUND: dict[str, object] = {"preset": "boyar2010-enc"}
BYTES: dict[str, object] = {"preset": "wang2010-s4-enc"}
GATED = BYTES | {"clock_gates": True}


@cache
def clearable(*fields: tuple[str, object]) -> CoreDesign:
    return build_design(parse_specification({**dict(fields), "clear": True}), "core", "core")


def core(fields: dict[str, object], *edits: tuple[str, str, str]) -> CoreDesign:
    """The core with texts of files, by their endings, put in place of others."""
    design = clearable(*fields.items())
    for file, old, new in edits:
        [source] = [source for source in design.sources if source.name == f"core{file}.sv"]
        assert source.text.count(old) >= 1, source.text
        edited = replace(source, text=source.text.replace(old, new, 1))
        design = replace(design, sources=tuple(edited if s is source else s for s in design.sources))
    return design


@pytest.mark.parametrize("fields", [ROUND, PIPELINE, BYTES, GATED], ids=["round", "pipeline", "bytes", "gated"])
def test_a_clear_is_proved_of_each_family(fields: dict[str, object], tmp_path: Path) -> None:
    part, run = clear_part(elaborate(core(fields), tmp_path))
    assert (part.verdict, run) == (Verdict.PROVED, None), part.detail


LAST_WORD = ("_key_registers", "early_q <= '0;", "early_q[2:0] <= '0;")
WRONG = {
    "one register bit": (
        ROUND,
        ("_round_core", "state_q <= '0;", "state_q[15:1] <= '0; state_q[0][6:0] <= '0;"),
        "state_q",
    ),
    "the last word of the key schedule": (ROUND, LAST_WORD, "early_q"),
    "control not reset": (ROUND, ("_round_sequencer", "end else if (clear_i) begin", "end else if (1'b0) begin"), "_q"),
    "while stalled": (ROUND, ("", "    .clear_i,", "    .clear_i(clear_i & block_ready_i),"), "_q"),
    "a stage": (PIPELINE, ("_first_column", "if (clear_i)", "if (clear_i & enable_i)"), "rank_1_q"),
    "a round key": (PIPELINE, ("_subpipelined_round_keys", "if (clear_i)", "if (clear_i & store_i[round])"), "key_q"),
    "an entry of the skid": (
        PIPELINE,
        ("_subpipelined_skid", "entries_q[i] <= '0;", "if (i == 0) entries_q[i] <= '0;"),
        "entries_q",
    ),
    "the key store": (BYTES, ("_serial_key_store", "if (clear_i)", "if (clear_i & take_o)"), "key_q"),
    "a closed clock gate": (
        GATED,
        ("_serial_clock_enable", ".enable_i((enable_i) | clear_i)", ".enable_i(enable_i)"),
        "_q",
    ),
    "an offer": (
        ROUND,
        ("", "= core_block_valid & ~clear_i", "= core_block_valid"),
        "block_valid_o while clear_i is 1",
    ),
    "a key taken": (ROUND, ("", "= core_key_ready & ~clear_i", "= core_key_ready"), "key_ready_o while clear_i is 1"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_a_clear_forgets_is_named(what: str, tmp_path: Path) -> None:
    fields, edit, named = WRONG[what]
    part, run = clear_part(elaborate(core(fields, edit), tmp_path))
    assert part.verdict is Verdict.REFUTED, part.detail
    assert named in part.detail
    assert run is not None
    assert run.clocks == 1


def test_a_state_that_is_not_that_after_reset_is_named(tmp_path: Path) -> None:
    design = core(ROUND)
    [source] = [source for source in design.sources if source.name == "core_round_sequencer.sv"]
    before, clears, after = source.text.partition("end else if (clear_i) begin")
    wrong = replace(source, text=before + clears + after.replace("load_phase_q <= 1'b1;", "load_phase_q <= 1'b0;", 1))
    other = replace(design, sources=tuple(wrong if s is source else s for s in design.sources))
    part, _ = clear_part(elaborate(other, tmp_path))
    assert part.verdict is Verdict.REFUTED
    assert "load_phase_q after clear_i is 0" in part.detail


def test_the_whole_report_has_the_clear_and_a_core_without_one_is_refused(tmp_path: Path) -> None:
    report = prove(core(ROUND), tmp_path / "right")
    assert report.proved, report.failing
    assert report.parts[-1].name == "clear"
    assert not (tmp_path / "right" / "certificate.json").exists()
    wrong = prove(core(ROUND, LAST_WORD), tmp_path / "wrong")
    assert wrong.verdict is Verdict.REFUTED
    assert wrong.counterexample is not None
    bare = build_design(parse_specification(ROUND), "core", "core")
    claimed = replace(bare, ports=block_interface((128,), ("encrypt",), quiet=True, clear=True))
    assert "input clear_i has no bits" in prove(claimed, tmp_path / "none").parts[0].detail
    unclaimed = replace(core(ROUND), ports=bare.ports)
    assert "input clear_i has 1 bits" in prove(unclaimed, tmp_path / "more").parts[0].detail


def test_clears_at_any_moment_are_simulated(tmp_path: Path) -> None:
    plan = SimulationPlan(random_pairs=10, scenarios=("reset-in-mid-block",))
    right = simulate(core(ROUND), tmp_path, plan)
    assert right.passed, right.failures
    assert right.cases == 2 * 3 * 14
    known = ("_round_sequencer", "      key_known_q <= 1'b0;\n    end else begin", "    end else begin")
    failure = simulate(core(ROUND, known), tmp_path / "wrong", plan).failures[0].failure
    assert "a block was taken before any key" in failure
