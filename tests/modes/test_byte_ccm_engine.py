"""The engine of CCM in bytes against its model: messages, clocks, published vectors, wrong engines, proof."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from tests.modes.engine_bench import (
    ALWAYS,
    Chosen,
    ManyEngines,
    check,
    clocks_of_answers,
    file_of,
    passing_messages,
    served,
    together,
    with_pauses,
    wrong_engine,
)
from tests.modes.test_waits import check_waits

from aesmith.assurance.engines.prove import assumptions, claims_text, prove_claims, prove_engine
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.assurance.streams.check import StreamPlan, message_clocks, verify_engine
from aesmith.assurance.streams.vectors import vectors_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.byte_ccm_engine import ByteCcmEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.specification import parse_engine
from aesmith.modes.stream import Beat, Section, StreamedMessage
from aesmith.modes.traffic import Keyed, with_beat, with_command


@cache
def design_of(preset: str = "serial-shared-small-enc", name: str = "bytes") -> ByteCcmEngine:
    """The engine around a core of bytes."""
    return ByteCcmEngine(name, core_of(name, {"preset": preset}), stream_bits=8)


@cache
def whole_blocks() -> MultiModeEngine:
    """The engine of CCM that takes whole beats, on a stream of bytes."""
    return MultiModeEngine("beats", core_of("beats", {"preset": "ueno2020-enc"}), modes=("ccm",), stream_bits=8)


@pytest.fixture(scope="module")
def engine(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The engine, and its simulator."""
    return design_of(), bench(design_of(), tmp_path_factory.mktemp("engine") / "model")


def words(design: ByteCcmEngine, message: Message, *, encrypt: bool = True) -> StreamedMessage:
    """A message as its stream brings it."""
    return design.in_words(design.sends(message, encrypt=encrypt))


def test_the_model_is_openssl() -> None:
    rng, design = random.Random(5), design_of()
    for size in [*range(35), 64]:
        key, nonce, header = rng.randbytes(16), rng.randbytes(7 + size % 7), rng.randbytes(size * 7 % 41)
        text, tag_bytes = rng.randbytes(size), 4 + 2 * (size % 7)
        sealed = AESCCM(key, tag_bytes).encrypt(nonce, text, header)
        message = Message(nonce, header, text, bytes(tag_bytes))
        made, fault = design.answer(Cipher(key), words(design, message))
        assert fault is None
        assert b"".join(word.data for word in made) == sealed
        assert [word.last for word in made] == [False] * (len(sealed) - 1) + [True]
        other, tag = sealed[:size], sealed[size:]
        for given in (tag, tag[:-1] + bytes([tag[-1] ^ 1])):
            sent = words(design, Message(nonce, header, other, given), encrypt=False)
            made, _ = design.answer(Cipher(key), sent)
            assert b"".join(word.data[: word.keep] for word in made) == text
            assert [word.failed for word in made] == [False] * size + [given != tag]


def test_the_first_byte_that_is_wrong_decides() -> None:
    design, cipher = design_of(), Cipher(bytes(16))
    message = Message(bytes(13), b"header", b"some text", bytes(4))
    made, checked = (words(design, message, encrypt=way) for way in (True, False))
    bare = words(design, Message(bytes(13), b"", b"some text", bytes(4)))
    nothing, nothing_checked = (
        words(design, Message(bytes(13), b"", b"", bytes(4)), encrypt=way) for way in (True, False)
    )
    last, ends = len(checked.beats) - 1, len(made.beats) - 1
    cases: list[tuple[StreamedMessage, Fault | None]] = [
        (with_beat(made, 3, keep=0), Fault.KEEP),
        (with_beat(made, 3, section=Section.IV), Fault.ORDER),
        (with_beat(made, 10, section=Section.HEADER), Fault.ORDER),
        (with_beat(made, 10, section=Section.TAG), Fault.ORDER),
        (with_beat(made, 0, section=Section.TEXT), Fault.LENGTH),
        (with_beat(bare, 0, section=Section.HEADER), Fault.LENGTH),
        (with_beat(bare, 3, section=Section.HEADER), Fault.ORDER),
        (replace(made, beats=(*made.beats[:7], replace(made.beats[7], last=True))), Fault.LENGTH),
        (replace(made, beats=(*made.beats[:ends], replace(made.beats[ends - 1], last=True))), None),
        (replace(made, beats=(*made.beats[: ends - 1], replace(made.beats[ends - 1], last=True))), Fault.LENGTH),
        (replace(made, beats=(*made.beats[:ends], replace(made.beats[ends], last=False), Beat())), Fault.KEEP),
        (
            replace(made, beats=(*made.beats[:ends], replace(made.beats[ends], last=False), made.beats[ends])),
            Fault.LENGTH,
        ),
        (replace(checked, beats=(*checked.beats[:-4], checked.beats[-5], *checked.beats[-4:])), Fault.LENGTH),
        (replace(checked, beats=(*checked.beats[:-5], *checked.beats[-4:])), Fault.LENGTH),
        (with_beat(checked, last - 1, section=Section.TEXT), Fault.ORDER),
        (with_beat(checked, last - 1, last=True), Fault.TAG),
        (with_beat(checked, last, last=False), Fault.TAG),
        (with_beat(checked, last, keep=0), Fault.KEEP),
        (replace(checked, beats=(*checked.beats[:8], replace(checked.beats[8], last=True))), Fault.ORDER),
        (replace(checked, beats=(Beat(last=True),)), Fault.ORDER),
        (replace(made, beats=(Beat(last=True),)), Fault.LENGTH),
        (nothing, None),
        (nothing_checked, None),
        (with_beat(nothing, 0, last=False), Fault.KEEP),
        (replace(nothing, beats=made.beats), Fault.LENGTH),
    ]
    for number, (sent, fault) in enumerate(cases):
        assert design.answer(cipher, sent)[1] is fault, number


def test_messages_are_refused_for_what_the_engine_of_whole_blocks_refuses_them_for() -> None:
    design, others = design_of(), whole_blocks()
    rng, key = random.Random(4), bytes(range(16))
    differ = set[tuple[Fault | None, Fault | None]]()
    for _ in range(12):
        for sent in design.stream_traffic.bad_ones(rng, Cipher(key), 48):
            found = tuple(each.answer(Cipher(key), sent)[1] for each in (design, others))
            if found[0] is not found[1]:
                differ.add((found[0], found[1]))
    # Words have no parts, and text that ends before B0 says is known to be too short only as it ends.
    assert differ <= {(Fault.KEEP, Fault.PARTIAL)}, differ


def test_each_kind_of_bad_message_is_refused() -> None:
    design, cipher = design_of(), Cipher(bytes(16))
    for fault, makers in design.stream_traffic.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            found = {
                design.answer(cipher, make(design.traffic.to_break(rng, cipher, most), rng))[1] for most in (40, 48)
            }
            assert None not in found
            if fault in (Fault.KEY, Fault.IV, Fault.LENGTH):
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


@pytest.mark.thorough
@pytest.mark.parametrize("preset", ["serial-shared-small-enc", "serial-shared-enc"])
def test_messages_follow_in_the_clocks_of_the_formula(preset: str, bench: Any, tmp_path: Path) -> None:
    design = design_of(preset)
    model = bench(design, tmp_path / "model")
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt)
    assert check_waits(design, model, Cipher) == 18
    assert design.message_cycles(0, 60) - design.message_cycles(0, 59) == design.cycles_per_block


def test_each_word_leaves_in_the_clock_of_the_schedule(engine: Any) -> None:
    design, model = engine
    sent = served(design, random.Random(9), 40, Cipher, 40)
    made = check(design, model, sent, Cipher)
    left = design.passage(passing_messages(design, sent, Cipher)).left
    assert clocks_of_answers(made) == [clock for message in left for clock in message]


def test_a_text_of_more_bytes_than_the_counter_serves_is_refused(engine: Any) -> None:
    design, model = engine
    key, made = bytes(range(16)), list[Keyed]()
    for nonce, told, encrypt in ((7, 1 << 16, True), (12, 1 << 16, False), (10, 1 << 31, True), (8, 5, True)):
        sent = words(design, Message(bytes(range(nonce)), b"", b"12345", bytes(8)), encrypt=encrypt)
        first = sent.command.iv
        made.append((key, with_command(sent, iv=first[: nonce + 1] + told.to_bytes(15 - nonce))))
    assert [design.answer(Cipher(key), sent)[1] for _, sent in made] == [Fault.LENGTH] * 3 + [None]
    check(design, model, made, Cipher)


@pytest.mark.thorough
def test_the_longest_text_has_a_key_stream_of_its_own(engine: Any) -> None:
    design, model = engine
    message = Message(bytes(range(13)), b"", bytes(65_535), bytes(4))
    check(design, model, [(bytes(range(16)), words(design, message))], Cipher)


def test_a_core_of_bytes_chooses_it() -> None:
    design = parse_engine({"preset": "ccm-bytes"}).engine("bytes", "ccm-bytes")
    assert isinstance(design, ByteCcmEngine)
    assert design.wide is design
    assert [design.ports.port(name).width for name in ("s_axis_tdata", "m_axis_tdata", "key_i")] == [8, 8, 128]
    wide = parse_engine({"preset": "ccm-bytes", "core": "ueno2020-enc"}).engine("words", "ccm-bytes")
    assert isinstance(wide, MultiModeEngine)
    for fields, told in (
        ({"stream_bits": 32}, "stream_bits: must be 8"),
        ({"cores": 2}, "cores: must be 1"),
        ({"release": "verified"}, "release: must be cut-through"),
        ({"beat_registers": True}, "beat_registers: must be false"),
        ({"modes": ["ccm", "cmac"]}, "128 bits at once"),
    ):
        with pytest.raises(RequestError, match=told):
            parse_engine({"preset": "ccm-bytes"} | fields).engine("bytes", "ccm-bytes")


def test_an_engine_with_its_core_is_clean_under_lint(tmp_path: Path) -> None:
    lint(design_of(), tmp_path)


@pytest.mark.thorough
def test_an_engine_with_slots_a_clear_and_a_shortest_tag_is_right(tmp_path: Path) -> None:
    core = core_of("bytes", {"preset": "serial-shared-small-enc", "clear": True})
    design = ByteCcmEngine("bytes", core, key_slots=2, stream_bits=8, clear=True, min_tag=12)
    report = verify_engine(design, tmp_path, StreamPlan(messages=40, vectors=8, resets=6, most=40))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


_E = "byte_ccm_engine"
WRONG = {
    "the flags of the counter are those of B0": (_E, "{5'd0, length_q}", "{2'd0, size_q[2:0], length_q}"),
    "the counter stays": (_E, "at_count & (place_q[0] | &a_q[1])", "1'b0"),
    "the counter has a byte": (_E, "(place_q[0] | &a_q[1])", "place_q[0]"),
    "the counter begins with 0": (_E, "& {8{~(final_q & at_count)}}", ""),
    "the mask of the tag is the next counter block": (_E, "~(final_q & at_count)", "~(final_q & &place_q)"),
    "the length is in the nonce": (_E, "open ? b0 & {8{~at_count}} : counted", "open ? b0 : counted"),
    "the nonce of the message before": (
        _E,
        "(open | state_q == Stream))",
        "(open & keyed_q & ~header_q | state_q == Stream))",
    ),
    "a block of text more": (_E, "full_q <= open | (full_q & ~last_q);", "full_q <= 1'b1;"),
    "the last whole block is not the last one": (
        _E,
        "ends      = full_q ? last_place & last_q &",
        "ends      = full_q ? 1'b0 &",
    ),
    "blocks are counted in a byte": (_E, "{4{place_q[0]}}, length[7:4]}", "{4{1'b0}}, length[7:4]}"),
    "a text that is there is not expected": (
        _E,
        "ended_q <= last_q & same & length[3:0] == '0;",
        "ended_q <= last_q & same;",
    ),
    "a text that is not there is expected": (_E, "ended_q <= last_q & same & length[3:0] == '0;", "ended_q <= 1'b0;"),
    "text may go on": (_E, "is_text ? ended_q |", "is_text ? 1'b0 |"),
    "text may end before": (_E, "(stream_q & s_axis_tlast & ~ends)", "1'b0"),
    "text may end before its tag": (
        _E,
        "~is_text & ~empty) code = 4'd3",
        "~is_text & ~empty) code = 4'd3; if (is_tag & ~make_q) code = 4'd0",
    ),
    "text behind text that is over is of another kind": (
        _E,
        "is_text & ~s_axis_tlast & place_q == '0 ? 4'd6",
        "1'b0 ? 4'd6",
    ),
    "a header that is not told": (_E, "is_header ? ~header_q |", "is_header ? 1'b0 |"),
    "a header that is told may lack": (_E, "(header_q & first_q) |", "1'b0 |"),
    "header behind text": (_E, "is_header ? ~header_q & ~first_q", "is_header ? 1'b0"),
    "a header alone where text is told": (_E, "(s_axis_tlast & ~ended_q)", "1'b0"),
    "a tag to a message that is encrypted": (_E, "is_tag ? make_q :", "is_tag ? 1'b0 :"),
    "a message without a tag": (_E, "if (s_axis_tlast & ~make_q & ~is_tag) code = 4'd3;", ""),
    "a word without a byte": (_E, "if (~s_axis_tkeep & (at_tag | ~empty)) code = 4'd1;", ""),
    "an empty word in a message": (
        _E,
        "empty     = ~s_axis_tkeep & first_q & s_axis_tlast",
        "empty     = ~s_axis_tkeep & s_axis_tlast",
    ),
    "another length of the tag": (_E, "if (s_axis_tlast != tag_ends) code = 4'd8;", ""),
    "a byte too many of the tag": (_E, "place_q == {size_q[2:0], 1'b1}", "place_q == {size_q[2:0] + 3'd1, 1'b0}"),
    "the tag is masked by nothing": (
        _E,
        "mixed = result ^ (at_tag ? y_q[0] : s_axis_tdata)",
        "mixed = (at_tag ? y_q[0] : result ^ s_axis_tdata)",
    ),
    "a tag is right": (_E, "wrong_q <= wrong_q | s_axis_tdata != mixed;", "wrong_q <= 1'b0;"),
    "a tag is right if its last byte is": (_E, "wrong_q <= wrong_q | s_axis", "wrong_q <= s_axis"),
    "a tag was wrong before": (_E, "{final_q, stream_q, wrong_q} <= '0;", "{final_q, stream_q} <= '0;"),
    "the ciphertext is in the tag": (
        _E,
        "added = stream_q & ~make_q ? mixed : s_axis_tdata",
        "added = stream_q ? mixed : s_axis_tdata",
    ),
    "the ciphertext is in the tag to decrypt": (
        _E,
        "added = stream_q & ~make_q ? mixed : s_axis_tdata",
        "added = s_axis_tdata",
    ),
    "the header is decrypted": (_E, "added = stream_q & ~make_q ?", "added = ~make_q ?"),
    "the chain of the message before": (_E, "{8{~(open | state_q == Take)}}", "{8{state_q != Take}}"),
    "results are added to the chain": (_E, "{8{~(open | state_q == Take)}}", "{8{~open}}"),
    "key stream of a part is left": (_E, "(state_q == Pad & stream_q)", "1'b0"),
    "key stream is left behind the tag": (_E, "state_d = ~last_place ? Rest :", "state_d = 1'b0 ? Rest :"),
    "key stream is left in front of a wrong word": (_E, "state_d = stream_q ? Lose : Drain;", "state_d = Drain;"),
    "a wrong tag is a verdict": (
        _E,
        "else if (looks & ~good) state_d = Lose;",
        "else if (looks & ~good) state_d = Rest;",
    ),
    "text leaves before its key stream": (
        _E,
        "good & is_text & stream_q & result_valid & ~at_tag",
        "good & is_text & stream_q & ~at_tag",
    ),
    "text that is not read is lost": (_E, "passes  = meets & m_axis_tready", "passes  = meets"),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "an IV of another length": (_E, "s_axis_cmd_tdata[31:24] != 8'd16 |", ""),
    "B0 of another format": (_E, "| first_block[0][7] |", "|"),
    "a length of one byte": (_E, "| first_block[0][2:0] == '0)", ")"),
    "a long text": (_E, "if (wrong_q) refusal = 4'd6;", ""),
    "a tag of two bytes": (_E, "first_block[0][5:3] == '0 |", ""),
    "another tag than that of B0": (_E, "| s_axis_cmd_tdata[7:4] != {first_block[0][5:3] + 3'd1, 1'b0})", ")"),
    "the code is lost": (_E, "if (looks & ~good) size_q <= code;", ""),
    "the code of the command is lost": (_E, "if (last_place & refusal != '0) size_q <= refusal;", ""),
    "a refused message is not waited for": (
        _E,
        "if (s_axis_tvalid & s_axis_tlast) state_d = Refused",
        "if (s_axis_tvalid) state_d = Refused",
    ),
    "an output that is not quiet": (_E, "m_axis_tdata  = mixed & {8{m_axis_tkeep}}", "m_axis_tdata  = mixed"),
    "a command before a key that came first": (_E, "state_d = key_valid_i ? Idle : refusal", "state_d = refusal"),
    "a command is taken as it is opened": (_E, "cmd_tready = open & last_place &", "cmd_tready = open &"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
UNSEEN = ("the header is decrypted",)
"""That which is none around a core that offers 0 while it has no result."""
TESTED = tuple(what for what in WRONG if what not in UNSEEN)[::8]
"""Those of every thorough run of the simulation; benchmarks/engine_traffic.py has all of them."""


def right_one(_stand_in: Any = None) -> ByteCcmEngine:
    """The engine of which wrong ones are made; its core is a real one."""
    return design_of(name="right_bytes")


def odd_ones(right: ByteCcmEngine) -> list[StreamedMessage]:
    """Messages that random ones do not have: text in the middle of a tag and behind text that is over; text whose tag
    comes before it, or whose header does not come; a header alone where text is told; and to encrypt, a byte of a tag,
    and a last word without a byte."""
    message = Message(bytes(range(12)), b"header", bytes(16), bytes(8))
    made, checked = (words(right, message, encrypt=way) for way in (True, False))
    inside = with_beat(checked, len(checked.beats) - 3, section=Section.TEXT)
    odd = (
        (checked, (*checked.beats[:-8], *checked.beats[-9:])),
        (checked, (*checked.beats[:8], *checked.beats[-8:])),
        (made, made.beats[8:]),
        (made, (*made.beats[:7], replace(made.beats[7], last=True))),
        (made, (*made.beats[:-1], Beat(last=True))),
    )
    return [made, inside, with_beat(made, 10, section=Section.TAG), *(replace(sent, beats=each) for sent, each in odd)]


def passes(right: ByteCcmEngine, model: Any, number: int, _cipher: Any = None) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without, and a text of so
    many blocks that both bytes of their number count."""
    rng = random.Random(7)
    long = words(right, Message(bytes(range(13)), b"", bytes(16 * 273 + 1), bytes(4)))
    for pause, with_keys in ((0, True), (120, False)):
        sent = right.stream_traffic.messages(rng, 100, Cipher, most=24)
        key = sent[-1][0]
        sent += [(key, each) for each in odd_ones(right)] + sent[1:9] + [(key, long)] * with_keys
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
@pytest.mark.one_in(12)
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_engine_is_not_proved(what: str, tmp_path: Path) -> None:
    parts, _ = prove_claims(wrong_engine(design_of(), "wrong", *WRONG[what]), tmp_path, Limits(900))
    assert parts[0].verdict in (Verdict.REFUTED, Verdict.OPEN)


@pytest.mark.thorough
def test_an_engine_is_proved_with_its_core(tmp_path: Path) -> None:
    report = prove_engine(parse_engine({"preset": "ccm-bytes"}).engine("bytes", "ccm-bytes"), tmp_path)
    assert report.proved, report.failing


def test_the_report_says_what_is_claimed() -> None:
    told = " ".join(assumptions(design_of()))
    assert "Y + E(A_0)" in claims_text(design_of())
    assert "byte_ccm_reference.sv" in told
    assert "so it does with a command" in told
    assert "width_reference" not in told
