"""Proofs of engines with narrow streams: of the converters by themselves, and of the engine of whole beats inside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.modes.engine_bench import wrong_engine
from tests.modes.test_stream_widths import NARROW, UNFOUND, WRONG

import aesmith
from aesmith.assurance.engines.prove import assumptions, check_claimed, prove_engine
from aesmith.assurance.engines.widths import WidthClaims, lines_and_data, prove_converters, prove_registers
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import depending
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.design import SourceFile
from aesmith.errors import RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.modes.narrow_top import WIDE
from aesmith.modes.specification import parse_engine

pytestmark = pytest.mark.one_in(2)

MORE = {
    "a command under the level of its ready": (
        "",
        ".s_axis_cmd_tvalid,",
        ".s_axis_cmd_tvalid(s_axis_cmd_tvalid & s_axis_cmd_tready),",
    ),
    "another key": ("", ".key_i,", ".key_i({key_i[126:0], key_i[127]}),"),
    "last of the words for last of the beats": (
        "",
        "(wide_s_axis_tlast)\n  );",
        "()\n  );\n  assign wide_s_axis_tlast = s_axis_tlast;",
    ),
    "words that leave when their beat's first byte is small": (
        "stream_narrow",
        "assign m_axis_tvalid = s_axis_tvalid;",
        "assign m_axis_tvalid = s_axis_tvalid & ~s_axis_tdata[7];",
    ),
}
"""Tops with one fault each, and a converter whose timing depends on a byte."""


def engine_of(width: int) -> StreamEngine:
    """An engine of CBC."""
    fields = {"mode": "cbc", "core": "ueno2020-encdec", "stream_bits": width}
    return parse_engine(fields).engine("narrow", "narrow")


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("width", NARROW)
def test_converters_and_top_are_proved(width: int, tmp_path: Path) -> None:
    parts, run = prove_converters(engine_of(width), tmp_path, Limits())
    assert [part.verdict for part in parts] == [Verdict.PROVED] * 3
    assert run is None


CHOSEN = (*list(WRONG)[::3], *UNFOUND, *MORE)
"""Wrong converters that are refuted here; the simulation has all others."""


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize("what", CHOSEN)
def test_a_wrong_converter_or_top_is_refuted(what: str, tmp_path: Path) -> None:
    wrong = wrong_engine(engine_of(32), "narrow", *(WRONG | UNFOUND | MORE)[what])
    (part,), run = prove_converters(wrong, tmp_path, Limits())
    assert part.verdict is Verdict.REFUTED, part.detail
    assert run is not None
    assert run.rule.startswith("claim_")


WRONG_REGISTERS = {
    "a beat is lost where one waits": ("s_axis_tready = ~beat_valid_q | beat_tready", "s_axis_tready = 1'b1"),
    "a beat comes twice": (
        "if (s_axis_tready) beat_valid_q <= s_axis_tvalid",
        "if (s_axis_tvalid) beat_valid_q <= 1'b1",
    ),
    "a beat is never taken behind another": ("| beat_tready;", "| 1'b0;"),
    "a beat changes while it waits": (
        "if (s_axis_tvalid & s_axis_tready) beat_q <=",
        "if (s_axis_tvalid) beat_q <=",
    ),
    "an answer is lost under stall": ("answer_tready = ~answer_valid_q | m_axis_tready", "answer_tready = 1'b1"),
    "an answer comes twice": ("if (answer_tready) answer_valid_q", "if (answer_tvalid) answer_valid_q"),
    "what has left is still shown": ("(answer_tvalid | answer_valid_q)) answer_q", "answer_tvalid) answer_q"),
    "a code comes before its answer has left": ("answer_valid_q ? code_q : answer_code", "answer_code"),
    "a code is that of the answer before": (
        "if (answer_tvalid & answer_tready) code_q <=",
        "if (answer_tvalid & ~answer_valid_q) code_q <=",
    ),
    "kind and last change places": (
        "beat_tuser, beat_tlast} = beat_q",
        "beat_tlast, beat_tuser} = beat_q",
    ),
    "a beat waits if its first byte is small": (
        "beat_tvalid   = beat_valid_q",
        "beat_tvalid   = beat_valid_q & beat_q[19]",
    ),
}
"""Registers for beats with one fault each."""


def engine_with_registers() -> StreamEngine:
    """An engine of whole beats between registers."""
    fields = {"preset": "cbc-compact", "stream_bits": 32, "beat_registers": True}
    return parse_engine(fields).engine("narrow", "narrow").wide


def test_registers_for_beats_and_their_top_are_proved(tmp_path: Path) -> None:
    parts, run = prove_registers(engine_with_registers(), tmp_path, Limits())
    assert [part.verdict for part in parts] == [Verdict.PROVED] * 3
    assert run is None


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize("what", WRONG_REGISTERS)
def test_wrong_registers_for_beats_are_refuted(what: str, tmp_path: Path) -> None:
    wrong = wrong_engine(engine_with_registers(), "narrow_wide", "beat_registers", *WRONG_REGISTERS[what])
    (part,), run = prove_registers(wrong, tmp_path, Limits())
    assert part.verdict is Verdict.REFUTED, part.detail
    assert run is not None
    assert run.rule.startswith("claim_")


def test_a_code_that_does_not_wait_with_its_answer_is_refuted(tmp_path: Path) -> None:
    wrong = wrong_engine(engine_with_registers(), "narrow_wide", "", "    .error_o(answer_code)", "    .error_o")
    wrong = wrong_engine(
        wrong, "narrow_wide", "", "    .error_o,\n    .beat_tvalid", "    .error_o(),\n    .beat_tvalid"
    )
    (part,), _ = prove_registers(wrong, tmp_path, Limits())
    assert part.verdict is not Verdict.PROVED


def test_timing_is_read_off_the_cones(tmp_path: Path) -> None:
    netlist = elaborate(WidthClaims(engine_of(32)), tmp_path, chosen_parts=True)
    lines, data = lines_and_data(netlist)
    assert len(lines) == 10
    assert depending(netlist, lines, data) == ""
    assert depending(netlist, lines, {*netlist.inputs["s_axis_tkeep"]}) == "s_axis_tready"


def test_each_file_of_a_package_is_in_one_of_the_proofs() -> None:
    """Around the engine of whole beats stand three files; it is the engine of 128 bits under another name."""
    engine = engine_of(32)
    around = [source for source in WidthClaims(engine).sources if source in engine.sources]
    assert [*engine.wide.sources, *around] == list(engine.sources)
    whole = replace(engine_of(128), name=engine.wide.name)
    assert engine.wide.sources == whole.sources
    shipped = replace(engine, shipped=tuple(engine.sources))
    assert list(shipped.wide.sources) == list(whole.sources)


def test_a_top_with_another_instance_is_refused(tmp_path: Path) -> None:
    (part,), _ = prove_converters(
        wrong_engine(engine_of(32), "narrow", "", f"{WIDE} (", "u_other ("), tmp_path, Limits()
    )
    assert part.verdict is Verdict.REFUSED


@pytest.mark.thorough
def test_an_engine_with_a_narrow_stream_is_proved_with_its_core(tmp_path: Path) -> None:
    report = prove_engine(engine_of(32), tmp_path)
    assert report.proved
    names = [part.name for part in report.parts]
    assert names == ["converters", "words reached", "timing of words", "claims", "reached", "timing", "core"]
    assert all(part.statement.startswith("For narrow_wide, ") for part in report.parts[3:6])
    assert (tmp_path / "wide" / "netlist.json").exists()
    assert any("width_reference.sv" in line for line in assumptions(engine_of(32)))
    assert not any("width_reference.sv" in line for line in assumptions(engine_of(128)))


@pytest.mark.thorough
def test_an_engine_with_registers_for_beats_is_proved_with_its_core(tmp_path: Path) -> None:
    fields = {"preset": "cbc-compact", "stream_bits": 32, "beat_registers": True}
    report = prove_engine(parse_engine(fields).engine("narrow", "narrow"), tmp_path)
    assert report.proved
    names = [part.name for part in report.parts]
    beats = ["registers for beats", "beats reached", "timing of beats"]
    assert names == [
        "converters",
        "words reached",
        "timing of words",
        *beats,
        "claims",
        "reached",
        "timing",
        "core",
    ]
    assert all("For narrow_wide_direct, the engine between" in part.statement for part in report.parts[6:9])
    assert (tmp_path / "wide" / "direct" / "netlist.json").exists()


@pytest.mark.thorough
def test_a_wrong_engine_between_right_converters_is_refuted(tmp_path: Path) -> None:
    wrong = wrong_engine(
        engine_of(32),
        "narrow",
        "wide_multi_mode_engine",
        "    if (idle) begin\n      r_q <=",
        "    if (idle & ~keyed_q) begin\n      r_q <=",
    )
    report = prove_engine(wrong, tmp_path)
    assert [part.verdict for part in report.parts] == [Verdict.PROVED] * 3 + [Verdict.REFUTED]
    assert report.counterexample is not None


def test_of_modes_without_claims_nothing_is_proved_with_words_either() -> None:
    with pytest.raises(RequestError, match="nothing is proved of the mode cfb8"):
        check_claimed(parse_engine({"preset": "cfb8-compact", "stream_bits": 32}).engine("narrow", "cfb8-compact"))


def test_the_claims_are_of_the_width_of_the_stream(tmp_path: Path) -> None:
    claims: dict[str, SourceFile] = {source.name: source for source in WidthClaims(engine_of(16)).sources}
    assert "parameter int unsigned WordBits = 16" in claims["width_claims.sv"].text
    netlist = elaborate(WidthClaims(engine_of(16)), tmp_path, chosen_parts=True)
    assert len(netlist.inputs["s_axis_tdata"]) == 16
    assert aesmith.engine("cbc-compact", stream_bits=16).design.ports == engine_of(16).ports
