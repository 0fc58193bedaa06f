"""No wrong core is called proved, each gets the verdict it must get, and its right twin is not called wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.proof.behaviour import UNSETTLED
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, ProofReport, Verdict
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import load_specification, parse_specification

from .cases import ATTACKS, REFUTED, WRONG, Attack, flips, register

pytestmark = pytest.mark.one_in(4)

LIMITS = Limits(states=20_000, seconds=120)
PLAIN = {
    "key_valid": "key_valid_i",
    "key": "key_i",
    "block_valid": "block_valid_i",
    "block": "block_i",
    "block_ready": "block_ready_i",
    "key_ready_o": "out_key_ready",
    "block_ready_o": "out_block_ready",
    "block_valid_o": "out_block_valid",
    "block_o": "out_block",
}
SHELL = """\
module core (
  input logic clk_i,
  input logic rst_ni,
  input logic key_valid_i,
  output logic key_ready_o,
  input logic [127:0] key_i,
  input logic block_valid_i,
  output logic block_ready_o,
  input logic [127:0] block_i,
  output logic block_valid_o,
  input logic block_ready_i,
  output logic [127:0] block_o
);
  logic key_valid, block_valid, block_ready, out_key_ready, out_block_ready, out_block_valid, taken, key_taken, left;
  logic [127:0] key, block, out_block;
  assign taken = block_valid_i & block_ready_o;
  assign key_taken = key_valid_i & key_ready_o;
  assign left = block_valid_o & block_ready_i;
{text}{assigns}
  inner u_inner (
    .clk_i,
    .rst_ni,
    .key_valid_i(key_valid),
    .key_ready_o(out_key_ready),
    .key_i(key),
    .block_valid_i(block_valid),
    .block_ready_o(out_block_ready),
    .block_i(block),
    .block_valid_o(out_block_valid),
    .block_ready_i(block_ready),
    .block_o(out_block)
  );
endmodule
"""


@pytest.fixture(scope="module")
def inner() -> CoreDesign:
    """A core of few gates that works on a round a clock; its output is bare, for attacks say what stands on it."""
    return load_specification("boyar2010-enc").design("inner", "boyar2010-enc")


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def shell(inner: CoreDesign, attack: Attack, *, twin: bool = False) -> CoreDesign:
    """The attack, or its right twin, as a design."""
    text, signals, pieces = attack.text, attack.signals, attack.file
    if twin:
        text, signals, pieces = attack.twin_text or "", attack.twin_signals or {}, attack.twin_file or ()
    assigns = "".join(f"  assign {name} = {value};\n" for name, value in {**PLAIN, **signals}.items())
    whole = SHELL.format(text=text, assigns=assigns)
    for old, new in pieces:
        assert old in whole, old
        whole = whole.replace(old, new)
    return replace(inner, name="core", sources=(*inner.sources, SourceFile("core.sv", whole)))


def said(report: ProofReport) -> str:
    """All that a report says of what it did not prove."""
    shown = [report.counterexample.rule] if report.counterexample else []
    return "; ".join([*(part.detail for part in report.failing), *shown])


# Giving up takes long: every run is tried before.
MARKED = [pytest.param(attack, marks=pytest.mark.slow) if attack.verdict == WRONG else attack for attack in ATTACKS]


@pytest.mark.thorough(but=("one-key", "keys-with-one-hash", "keys-with-one-byte"))
@pytest.mark.parametrize("attack", MARKED, ids=lambda attack: attack.name.replace(" ", "-"))
def test_a_wrong_core_gets_its_verdict(attack: Attack, inner: CoreDesign, tokens: Tokens, tmp_path: Path) -> None:
    report = prove(shell(inner, attack), tmp_path, LIMITS, tokens=tokens)
    assert report.verdict is not Verdict.PROVED
    assert attack.verdict in (WRONG, report.verdict), said(report)
    assert re.search(attack.says, said(report)), said(report)
    by_run = [part for part in report.parts if part.verdict is Verdict.REFUTED and part.name != "constant time"]
    assert bool(by_run) == (report.counterexample is not None), said(report)
    # Elaboration alone refuses what is no plain SystemVerilog: an attack must not be one by mistake.
    assert "identifier" not in said(report)
    timed = any(part.name == "constant time" and part.verdict is Verdict.REFUTED for part in report.parts)
    unshown = [part.detail for part in report.parts if "no run that was tried shows it" in part.detail]
    assert all(detail.endswith(UNSETTLED) == timed for detail in unshown)


TWINS = [attack for attack in ATTACKS if attack.twin_text is not None]


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("attack", TWINS, ids=lambda attack: attack.name.replace(" ", "-"))
def test_its_right_twin_is_not_called_wrong(attack: Attack, inner: CoreDesign, tokens: Tokens, tmp_path: Path) -> None:
    report = prove(shell(inner, attack, twin=True), tmp_path, LIMITS, tokens=tokens)
    assert report.verdict in (Verdict.PROVED, Verdict.OPEN), said(report)


def test_the_bare_shell_is_proved(inner: CoreDesign, tokens: Tokens, tmp_path: Path) -> None:
    report = prove(shell(inner, Attack("none", WRONG)), tmp_path, LIMITS, tokens=tokens)
    assert report.proved, said(report)


@pytest.mark.slow
def test_an_idle_key_size_that_poisons_a_core_is_refuted(tmp_path: Path) -> None:
    preset = "ueno2020-encdec-selectable"
    core = load_specification(preset).design("inner", preset)
    poison = register("odd_q", "odd_q | (~key_valid_i & key_bits_i == 2'd3)")
    whole = shell(core, Attack("poison", REFUTED, text=poison, signals=flips("odd_q"))).sources[-1].text
    for old, new in (
        ("[127:0] key_i,", "[255:0] key_i,\n  input logic [1:0] key_bits_i,"),
        ("[127:0] block_i,", "[127:0] block_i,\n  input logic decrypt_i,"),
        ("logic [127:0] key, block, out_block;", "logic [255:0] key;\n  logic [127:0] block, out_block;"),
        (".key_i(key),", ".key_i(key),\n    .key_bits_i,\n    .decrypt_i,"),
    ):
        assert old in whole
        whole = whole.replace(old, new)
    wrong = replace(core, name="core", sources=(*core.sources, SourceFile("core.sv", whole)))
    report = prove(wrong, tmp_path, LIMITS)
    assert report.verdict is Verdict.REFUTED, said(report)


def test_a_pipeline_that_takes_nothing_while_both_are_offered_is_refuted(tmp_path: Path) -> None:
    fields = {"architecture": "subpipelined", "stages": 3, "rounds_in_loop": 1, "skid_entries": 1}
    core = parse_specification(fields).design("inner", "looped")
    attack = next(attack for attack in ATTACKS if attack.name == "both offered, none taken")
    report = prove(shell(core, attack), tmp_path, LIMITS)
    assert report.verdict is Verdict.REFUTED, said(report)
    assert "for ever" in said(report)
