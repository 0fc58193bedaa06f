"""The proof of engines that can be cleared: of what stands around them, of registers, and of the engine inside."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_clear import FRAME, LEFT, WRONG, built, core, real
from tests.modes.test_stream_widths import NARROW

from aesmith.assurance.engines.clears import STREAMS_ASSUMED, StreamClaims, lines_and_data, prove_streams
from aesmith.assurance.engines.prove import prove_claims, prove_engine
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import depending
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.errors import RequestError
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.specification import parse_engine

pytestmark = pytest.mark.one_in(6)

MORE = {
    "a key is taken in a clear": (FRAME, "inside_key_ready & ~clear_i", "inside_key_ready"),
    "cleared_o is there before the clear": (FRAME, "cleared_o <= clear_i |", "cleared_o <= 1'b1 |"),
    "cleared_o comes without a clear": (FRAME, "cleared_o <= clear_i |", "cleared_o <= ~m_axis_tvalid |"),
    "cleared_o says nothing": (FRAME, "cleared_o <= clear_i |", "cleared_o <= 1'b0 &"),
    "cleared_o stays behind a key": (FRAME, "(key_valid_i | inside_cmd_tvalid", "(inside_cmd_tvalid"),
    "cleared_o stays behind a command": (FRAME, "key_valid_i | inside_cmd_tvalid |", "key_valid_i |"),
    "cleared_o stays behind a word": (FRAME, "| inside_s_tvalid)", ")"),
    "commands are taken without end": (FRAME, "assign cmd_full      = late == -Most", "assign cmd_full      = 1'b0"),
    "messages are taken without end": (FRAME, "assign word_full     = late == Most", "assign word_full     = 1'b0"),
    "a command waits behind one": (FRAME, "late == -Most", "late == '1"),
    "an end waits for the engine": (FRAME, "m_axis_tready & ~cut", "m_axis_tready"),
    "a word that was taken is offered once more": (FRAME, "m_axis_tvalid & ~m_axis_tready;", "m_axis_tvalid;"),
    "an answer that left is open": (FRAME, "open_q <= ~m_axis_tlast", "open_q <= 1'b1"),
    "the command of another message": ("", ".s_axis_cmd_tdata,", ".s_axis_cmd_tdata(~s_axis_cmd_tdata),"),
    "a key that is not cleared": (
        "",
        "    .key_valid_i,\n    .key_ready_o(",
        "    .key_valid_i(1'b1),\n    .key_ready_o(",
    ),
    "the engine is not cleared": (
        "",
        "    .rst_ni,\n    .clear_i,\n    .key_valid_i",
        "    .rst_ni,\n    .clear_i(1'b0),\n    .key_valid_i",
    ),
    "the stream's end is cleared": (
        "",
        "    .clear_i,\n    .cleared_o",
        "    .clear_i(clear_i & ~key_valid_i),\n    .cleared_o",
    ),
}
"""Faults that only the proof is asked, and faults of the top."""
ALL_WRONG = {name: change for name, change in WRONG.items() if change[0] == FRAME} | MORE


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("width", [*NARROW, 128])
@pytest.mark.parametrize("key_slots", [1, 8])
def test_what_stands_around_an_engine_is_proved(width: int, key_slots: int, tmp_path: Path) -> None:
    engine = CtrEngine("cut", core(3, 9), 2, 32, clear=True, stream_bits=width, key_slots=key_slots)
    parts, run = prove_streams(engine, tmp_path, Limits())
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(
        ("streams", "drops reached", "timing of streams"), Verdict.PROVED
    )
    assert run is None


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize("what", ALL_WRONG)
def test_wrong_surroundings_are_refuted_by_a_run(what: str, tmp_path: Path) -> None:
    parts, run = prove_streams(wrong_engine(built("ctr"), "cut", *ALL_WRONG[what]), tmp_path, Limits())
    assert [part.verdict for part in parts] == [Verdict.REFUTED], parts[0].detail
    assert run is not None
    assert run.rule.startswith("claim_")


def test_timing_is_read_off_the_cones(tmp_path: Path) -> None:
    netlist = elaborate(StreamClaims(built("ctr")), tmp_path, chosen_parts=True)
    lines, data = lines_and_data(netlist)
    assert len(lines) > 14
    assert depending(netlist, lines, data) == ""
    assert depending(netlist, lines, {*netlist.inputs["s_axis_tlast"]}) != ""


def preset(name: str, **fields: object) -> StreamEngine:
    """A preset that can be cleared."""
    return parse_engine({"preset": name, "clear": True} | fields).engine("cut", name)


@pytest.mark.thorough
def test_an_engine_is_proved_with_its_clear_and_its_core(tmp_path: Path) -> None:
    report = prove_engine(preset("cmac-small", stream_bits=32, key_slots=2), tmp_path)
    assert report.proved, report.failing
    names = ["clear", "streams", "drops reached", "timing of streams", "converters", "words reached", "timing of words"]
    assert [part.name for part in report.parts] == [*names, "claims", "reached", "timing", "slots", "core"]
    inside = [
        part
        for part in report.parts
        if part.statement.startswith("Of cut_inside, the engine inside, while clear_i is 0")
    ]
    assert [part.name for part in inside] == [*names[4:], "claims", "reached", "timing", "slots"]
    assert "clear: proved" in report.parts[-1].detail
    assert STREAMS_ASSUMED in report.assumptions
    for folder in ("clear", "streams", "inside", "inside/wide", "core"):
        assert (tmp_path / folder / "netlist.json").exists(), folder


@pytest.mark.thorough
@pytest.mark.one_in(2)
def test_each_part_refutes_what_is_its_own(tmp_path: Path) -> None:
    """A register that a clear leaves, wrong surroundings, and an engine that is wrong when it is not cleared."""
    right = real("ctr")
    mode, *change = LEFT["a counter"]
    assert mode == "ctr"
    left = prove_engine(wrong_engine(right, "cut", *change), tmp_path / "left")
    around = prove_engine(wrong_engine(right, "cut", *WRONG["an end has bytes"]), tmp_path / "around")
    counter = ("inside_ctr_engine", "counter[CounterBits-1:0] + 1'b1", "counter[CounterBits-1:0] + 2'd2")
    inside = prove_engine(wrong_engine(right, "cut", *counter), tmp_path / "inside")
    assert [report.verdict for report in (left, around, inside)] == [Verdict.REFUTED] * 3
    assert [report.parts[-1].name for report in (left, around, inside)] == ["clear", "streams", "claims"]
    assert all(report.counterexample is not None for report in (left, around, inside))


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", ["gcm", "xts", "cmac", "ctr, words and slots"])
def test_engines_inside_are_proved_while_they_are_not_cleared(mode: str, tmp_path: Path) -> None:
    """Small ones, whose cores take few clocks."""
    gcm = GcmEngine("cut", core(2, 3), digit=32, entries=4, clear=True)
    engine = (gcm if mode == "gcm" else built(mode)).cleared.wide
    parts, run = prove_claims(engine, tmp_path, Limits(seconds=300))
    assert run is None
    assert {part.verdict for part in parts} == {Verdict.PROVED}, [(part.name, part.detail) for part in parts]


def test_an_engine_of_which_nothing_is_claimed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="mode"):
        prove_engine(preset("ocb-compact"), tmp_path)
