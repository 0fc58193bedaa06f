"""The engine of CMAC in bytes against its model: messages, clocks, published vectors, wrong engines, proof."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import algorithms
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, file_of, together, with_pauses, wrong_engine
from tests.modes.test_waits import check_waits

from aesmith.assurance.engines.prove import assumptions, claims_text, prove_claims, prove_engine
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.assurance.streams.check import StreamPlan, message_clocks, verify_engine
from aesmith.assurance.streams.vectors import vectors_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.byte_cmac_engine import ByteCmacEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.specification import parse_engine
from aesmith.modes.stream import Beat, Section, StreamedMessage
from aesmith.modes.traffic import with_beat


@cache
def design_of(preset: str = "serial-shared-small-enc", name: str = "bytes") -> ByteCmacEngine:
    """The engine around a core of bytes."""
    return ByteCmacEngine(name, core_of(name, {"preset": preset}), stream_bits=8)


@pytest.fixture(scope="module")
def engine(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The engine, and its simulator."""
    return design_of(), bench(design_of(), tmp_path_factory.mktemp("engine") / "model")


def test_the_model_is_openssl() -> None:
    rng, design = random.Random(5), design_of()
    for size in [*range(35), 64]:
        key, text = rng.randbytes(16), rng.randbytes(size)
        worker = cmac.CMAC(algorithms.AES(key))
        worker.update(text)
        tag = worker.finalize()[:12]
        made, fault = design.answer(Cipher(key), design.in_words(design.sends(Message(text=text, tag=bytes(12)))))
        assert fault is None
        assert b"".join(word.data for word in made) == tag
        assert [word.last for word in made] == [False] * 11 + [True]
        for other in (tag, tag[:-1] + bytes([tag[-1] ^ 1])):
            sent = design.in_words(design.sends(Message(text=text, tag=other), encrypt=False))
            assert [word.failed for word in design.answer(Cipher(key), sent)[0]] == [other != tag]


def test_the_first_byte_that_is_wrong_decides() -> None:
    design, cipher = design_of(), Cipher(bytes(16))
    made = design.in_words(design.sends(Message(text=b"some text", tag=bytes(4))))
    checked = design.in_words(design.sends(Message(text=b"some text", tag=bytes(4)), encrypt=False))
    last = len(checked.beats) - 1
    for sent, fault in (
        (with_beat(made, 3, keep=0), Fault.KEEP),
        (with_beat(made, 3, section=Section.HEADER), Fault.ORDER),
        (with_beat(made, 0, section=Section.IV), Fault.ORDER),
        (with_beat(made, 8, section=Section.TAG), Fault.ORDER),
        (with_beat(checked, last - 1, section=Section.TEXT), Fault.ORDER),
        (with_beat(checked, last - 1, last=True), Fault.TAG),
        (with_beat(checked, last, last=False), Fault.TAG),
        (with_beat(checked, last, keep=0), Fault.KEEP),
        (replace(checked, beats=(*checked.beats[:8], replace(checked.beats[8], last=True))), Fault.ORDER),
        (replace(checked, beats=(Beat(last=True),)), Fault.ORDER),
        (replace(made, beats=(Beat(last=True),)), None),
    ):
        assert design.answer(cipher, sent)[1] is fault


def test_each_kind_of_bad_message_is_refused() -> None:
    design, cipher = design_of(), Cipher(bytes(16))
    for fault, makers in design.stream_traffic.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            found = {
                design.answer(cipher, make(design.traffic.to_break(rng, cipher, most), rng))[1] for most in (40, 48)
            }
            assert None not in found
            if fault in (Fault.KEY, Fault.IV):
                assert found == {fault}


@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    sent = design.stream_traffic.messages(rng, 120, Cipher, most=60)
    check(design, model, sent, Cipher, pauses=pauses, seed=pause + 1)


def test_a_key_is_before_a_command_of_the_same_clock(engine: Any) -> None:
    design, model = engine
    check(design, model, design.stream_traffic.messages(random.Random(3), 40, Cipher, most=40), Cipher, together)


def test_published_vectors_agree(engine: Any) -> None:
    design, model = engine
    found = vectors_of(design, 12)
    assert found
    check(design, model, [(vector.key, vector.sent) for vector in found], Cipher)


@pytest.mark.parametrize(
    "preset",
    ["serial-shared-small-enc", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("serial-shared-enc",))],
)
def test_messages_follow_in_the_clocks_of_the_formula(preset: str, bench: Any, tmp_path: Path) -> None:
    design = design_of(preset)
    model = bench(design, tmp_path / "model")
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt)
    assert check_waits(design, model, Cipher) == 8
    clocks = design.message_cycles(0, 60) - design.message_cycles(0, 59)
    assert clocks == design.cycles_per_block


def test_a_core_of_bytes_chooses_it() -> None:
    design = parse_engine({"preset": "cmac-bytes"}).engine("bytes", "cmac-bytes")
    assert isinstance(design, ByteCmacEngine)
    assert design.wide is design
    assert [design.ports.port(name).width for name in ("s_axis_tdata", "m_axis_tdata", "key_i")] == [8, 8, 128]
    wide = parse_engine({"preset": "cmac-bytes", "core": "ueno2020-enc"}).engine("words", "cmac-bytes")
    assert isinstance(wide, MultiModeEngine)
    for fields, told in (
        ({"stream_bits": 32}, "stream_bits: must be 8"),
        ({"cores": 2}, "cores: must be 1"),
        ({"modes": ["cmac", "ctr"]}, "128 bits at once"),
    ):
        with pytest.raises(RequestError, match=told):
            parse_engine({"preset": "cmac-bytes"} | fields).engine("bytes", "cmac-bytes")


def test_an_engine_with_its_core_is_clean_under_lint(tmp_path: Path) -> None:
    lint(design_of(), tmp_path)


@pytest.mark.thorough
def test_an_engine_with_slots_and_a_clear_is_right(tmp_path: Path) -> None:
    core = core_of("bytes", {"preset": "serial-shared-small-enc", "clear": True})
    design = ByteCmacEngine("bytes", core, key_slots=2, stream_bits=8, clear=True)
    report = verify_engine(design, tmp_path, StreamPlan(messages=40, vectors=8, resets=6, most=40))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


_E = "byte_cmac_engine"
WRONG = {
    "K1 for all": (_E, "added = (part_q ? {result[5:0], 2'd0} : {result[6:0], 1'b0})", "added = {result[6:0], 1'b0}"),
    "nothing is reduced": (_E, "(folded & {8{last_place}})", "8'd0"),
    "reduced by another constant": (_E, "{8{top_q[1]}} & 8'h87;", "{8{top_q[1]}} & 8'h86;"),
    "K2 reduced in its lowest byte alone": (_E, "result[6] ^ (last_place & top_q[1])", "result[6]"),
    "no bit comes with the next byte": (_E, "y_q[14] <= y_q[15] ^ {6'd0, carry};", "y_q[14] <= y_q[15];"),
    "a bit comes with the first byte": (_E, "if (place_q != '0) carry =", "carry ="),
    "the highest bits of another byte": (_E, "takes & place_q == '0) top_q", "takes & place_q == 4'd1) top_q"),
    "a one behind each byte": (_E, "added = {~past_q, 7'd0};", "added = 8'h80;"),
    "no one behind the text": (_E, "added = {~past_q, 7'd0};", "added = 8'h00;"),
    "the chain of the message before": (_E, "(first_q & state_q inside {Absorb, Pad})", "1'b0"),
    "padding of an empty message behind the one before": (_E, "state_q inside {Absorb, Pad})", "state_q == Absorb)"),
    "results are added to the chain": (_E, "(state_q == Take | (first_q", "(1'b0 | (first_q"),
    "the tag is text": (_E, "final_q | (is_tag & ~make_q) ? Zero : Feed;", "final_q ? Zero : Feed;"),
    "the byte behind a block is not looked at": (_E, "Look: if (final_q | s_axis_tvalid)", "Look: if (1'b1)"),
    "a byte too many of the tag": (_E, "place_q == size_q - 4'd1;", "place_q == size_q;"),
    "a tag is right": (_E, "wrong_q <= wrong_q | s_axis_tdata != result;", "wrong_q <= 1'b0;"),
    "a tag is right if its last byte is": (_E, "wrong_q <= wrong_q | s_axis", "wrong_q <= s_axis"),
    "a tag was wrong before": (_E, "{final_q, part_q, past_q, wrong_q} <= '0;", "{final_q, part_q, past_q} <= '0;"),
    "padded as the message before": (
        _E,
        "{final_q, part_q, past_q, wrong_q} <= '0;",
        "{final_q, past_q, wrong_q} <= '0;",
    ),
    "bytes of the core are left behind a wrong tag": (_E, "& (tag_ends | code != '0) &", "& tag_ends &"),
    "a wrong tag is a verdict": (_E, "final_q & ~(looks & ~good) ? Verdict : Drain;", "Verdict;"),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "an IV": (_E, "if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;", ""),
    "tags of two bytes": (_E, "inside {4'd1, 4'd2, 4'd3}", "inside {4'd1, 4'd3}"),
    "a word without a byte": (_E, "if (~s_axis_tkeep & (at_tag | ~empty)) code = 4'd1;", ""),
    "an empty message to compare": (_E, "code = make_q ? 4'd0 : 4'd3;", "code = 4'd0;"),
    "text without a tag": (_E, "s_axis_tuser != Text | (s_axis_tlast & ~make_q)", "s_axis_tuser != Text"),
    "another length of the tag": (_E, "if (at_tag & s_axis_tlast != tag_ends) code = 4'd8;", ""),
    "text behind a byte of the tag": (_E, "at_tag ? s_axis_tuser != TagKind :", "at_tag ? 1'b0 :"),
    "the code is lost": (_E, "{size_q, final_q} <= {code, 1'b0};", "final_q <= 1'b0;"),
    "the code of the command is lost": (_E, "if (refusal != '0) size_q <= refusal;", ""),
    "a refused message is not waited for": (
        _E,
        "if (s_axis_tvalid & s_axis_tlast) state_d",
        "if (s_axis_tvalid) state_d",
    ),
    "an output that is not quiet": (_E, "m_axis_tdata  = result & {8{shows}};", "m_axis_tdata  = result;"),
    "a command before a key that came first": (_E, "cmd_tready = idle & ~key_valid_i;", "cmd_tready = idle;"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
UNSEEN = ("bytes of the core are left behind a wrong tag",)
"""That whose fault random messages hardly come to: a byte that is wrong where it stands, and right in a later place."""
TESTED = tuple(WRONG)[::5]
"""Those of every thorough run of the simulation; benchmarks/engine_traffic.py has all of them."""


def right_one(_stand_in: Any = None) -> ByteCmacEngine:
    """The engine of which wrong ones are made; its core is a real one."""
    return design_of(name="right_bytes")


def odd_ones(right: ByteCmacEngine) -> list[StreamedMessage]:
    """Messages to be compared that random ones do not have: one without a byte, and text in the middle of a tag."""
    checked = right.in_words(right.sends(Message(text=b"some text", tag=bytes(8)), encrypt=False))
    inside = with_beat(checked, len(checked.beats) - 3, section=Section.TEXT)
    return [replace(checked, beats=(Beat(last=True),)), inside]


def passes(right: ByteCmacEngine, model: Any, number: int, _cipher: Any = None) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    rng = random.Random(7)
    for pause, with_keys in ((0, False), (120, False), (0, True)):
        sent = right.stream_traffic.messages(rng, 150, Cipher, most=40)
        key = sent[-1][0]
        sent += [(key, each) for each in odd_ones(right)] + sent[1:9]
        pauses = dict.fromkeys(ALWAYS, pause)
        try:
            check(right, model, sent, Cipher, Chosen(number, with_keys=with_keys), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    return True


def test_each_wrong_engine_can_be_made_of_the_right_one() -> None:
    right = right_one()
    texts = {source.name: source.text for source in right.sources}
    odd = {w for w, (module, text, _) in WRONG.items() if texts[file_of(right.name, module)].count(text) != 1}
    assert odd == set()


@pytest.mark.thorough
def test_wrong_engines_are_found(bench: Any, tmp_path: Path) -> None:
    right = right_one()
    wrong = [wrong_engine(right, f"wrong_bytes_{n}", *WRONG[what]) for n, what in enumerate(TESTED)]
    model = bench(ManyEngines((right, *wrong)), tmp_path / "model")
    found = [passes(right, model, number) for number in range(len(wrong) + 1)]
    assert found == [True] + [False] * len(wrong)


@pytest.mark.thorough
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(tmp_path: Path) -> None:
    parts, found = prove_claims(design_of(), tmp_path, Limits(seconds=900))
    assert found is None
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(("claims", "reached", "timing"), Verdict.PROVED)


@pytest.mark.thorough
@pytest.mark.one_in(6)
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_engine_is_not_proved(what: str, tmp_path: Path) -> None:
    parts, _ = prove_claims(wrong_engine(design_of(), "wrong", *WRONG[what]), tmp_path, Limits(900))
    assert parts[0].verdict in (Verdict.REFUTED, Verdict.OPEN)


@pytest.mark.thorough
def test_an_engine_is_proved_with_its_core(tmp_path: Path) -> None:
    report = prove_engine(parse_engine({"preset": "cmac-bytes"}).engine("bytes", "cmac-bytes"), tmp_path)
    assert report.proved, report.failing


def test_the_report_says_what_is_claimed() -> None:
    told = " ".join(assumptions(design_of()))
    assert "any core of bytes" in claims_text(design_of())
    assert "byte_cmac_reference.sv" in told
    assert "width_reference" not in told
