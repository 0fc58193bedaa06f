"""The engine of GCM whose counters go ahead, against its model: messages, clocks, wrong engines."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import (
    ALWAYS,
    Chosen,
    ManyEngines,
    check,
    clocks_of_answers,
    passing_messages,
    served,
    together,
    with_pauses,
    wrong_engine,
)

from aesmith.assurance.streams.check import StreamPlan, message_clocks, offers_of, verify_engine
from aesmith.cores.design import Direction
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.clocks import mean_clocks, passing
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, TURNS
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.multi_mode import GCM_OF_LENGTH
from aesmith.modes.multi_mode_engine import GcmAheadEngine, MultiModeEngine
from aesmith.modes.specification import parse_engine
from aesmith.modes.stream import UNKNOWN, StreamedMessage
from aesmith.modes.traffic import Keyed, in_slots, with_command

TEN: dict[str, Any] = {"cores": 2, "digit": 32, "splits": "bb"}
ENGINES: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {
    "two": ((10, 11), TEN),
    "three": ((14, 15), TEN | {"cores": 3}),
    "one": ((10, 11), {"digit": 16}),
    "fast": ((3, 4), {"cores": 3, "digit": 64, "splits": "b"}),
    "slow": ((10, 11), {"cores": 4, "digit": 8, "splits": ""}),
    "held": ((10, 11), TEN | {"release": "verified", "memory_beats": 8}),
    "words": ((10, 11), TEN | {"stream_bits": 32, "key_slots": 2}),
    "short": ((5, 5), TEN),
}
"""Clocks a block and latency of the cores that stand in for AES; fields of the engine."""
QUICK = ("two",)


def messages_to(
    design: GcmAheadEngine, rng: random.Random, count: int, cipher: type[Cipher], most: int = 150
) -> list[Keyed]:
    """So many messages, good and bad, in slots if it has some."""
    return in_slots(rng, design.stream_traffic.messages(rng, count, cipher, most=most), design.key_slots)


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.thorough] * (name not in QUICK)) for name in ENGINES]
)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, fields = ENGINES[request.param]
    design = GcmAheadEngine("ahead", stand_ins[0](*core), **fields)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    sent = messages_to(design, rng, 500, stand_ins[1])
    check(design, model, sent, stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.parametrize("late", [COMMAND, INPUT, OUTPUT])
def test_one_channel_may_be_late(engine: Any, stand_ins: Any, late: str) -> None:
    """Commands to an engine at rest, text long behind them, answers that wait."""
    design, model = engine
    sent = messages_to(design, random.Random(late), 150, stand_ins[1], 60)
    check(design, model, sent, stand_ins[1], pauses=ALWAYS | {late: 245}, seed=5)


def test_a_key_is_before_a_command_of_the_same_clock(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    if design.key_slots == 1:
        check(design, model, messages_to(design, random.Random(3), 100, stand_ins[1]), stand_ins[1], together)


def test_messages_follow_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt, cipher=stand_ins[1])
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (headers, texts, encrypt)


@pytest.mark.parametrize("told", [True, False, None])
def test_each_word_leaves_in_the_clock_of_the_recurrence(engine: Any, stand_ins: Any, told: bool | None) -> None:
    """With the length of the text in the command, without it, and in turns."""
    design, model = engine
    rng = random.Random(f"{told}")
    sent = served(design, rng, 150, stand_ins[1], 120)
    if told is not None:
        sent = [(key, with_length(message, told)) for key, message in sent]
    made = model.run(offers_of(sent, key_slots=design.key_slots))
    expected = design.recurrence(passing_messages(design, sent, stand_ins[1])).left
    # A key goes to the cores a clock later where it lies in a slot first.
    later = int(design.key_slots > 1)
    assert clocks_of_answers(made) == [clock + later for message in expected for clock in message]


def with_length(message: StreamedMessage, told: bool) -> StreamedMessage:
    """The message with the bytes of its text in the command, or all ones."""
    size = sum(beat.keep.bit_count() for beat in message.beats if beat.section == 2)
    return with_command(message, text_bytes=size if told else UNKNOWN)


def test_a_block_of_text_leaves_as_often_as_a_core_has_one(engine: Any) -> None:
    """In the slower direction: in words, a block to decrypt is hashed before it begins to leave."""
    design, _ = engine
    took = []
    for way in (True, False):
        long, longer = (design.message_cycles(0, blocks, encrypt=way) for blocks in (240, 480))
        # Text that waited leaves a block a clock, and that of the next message waits for it.
        waits = design.holds_text and not way
        took.append((longer - long) / 240 - waits)
    assert max(took) == pytest.approx(design.cycles_per_block, rel=0.01)
    assert min(took) == pytest.approx(design.cycles_per_block, rel=0.01 if design.stream_bits == 128 else 0.2)


@pytest.mark.parametrize("release", ["cut-through", "verified"])
def test_means_of_clocks_are_those_of_many_messages(release: str, stand_ins: Any) -> None:
    """They are counted from a state of the engine until it comes again; here of 12 messages a core, behind 24."""
    for cores, digit, encrypt, blocks in product((1, 3, 4), (16, 64), (True, False), ((0, 0), (0, 1), (1, 4), (2, 7))):
        core = stand_ins[0](10, 11)
        design = GcmAheadEngine("ahead", core, cores=cores, digit=digit, splits="", release=release)  # type: ignore[arg-type]
        sent = design.plain(*blocks, encrypt=encrypt)
        many = mean_clocks(design.recurrence, passing(sent, BLOCK, encrypt=encrypt, opens=True), TURNS * cores)
        assert design.message_cycles(*blocks, encrypt=encrypt) == pytest.approx(many)


def test_packets_follow_without_a_bubble(stand_ins: Any) -> None:
    """Five clocks a block, and as many for the mask of each message: the cores are never idle."""
    design = GcmAheadEngine("ahead", stand_ins[0](10, 11), **TEN)
    for blocks in (2, 3, 4, 16, 94):
        assert {design.message_cycles(0, blocks, encrypt=way) for way in (True, False)} == {5 * (blocks + 1)}


def test_its_answers_are_those_of_an_engine_of_several_modes(stand_ins: Any) -> None:
    """If no length is told."""
    core, rng = stand_ins[0](10, 11), random.Random(9)
    ahead, one = GcmAheadEngine("ahead", core, cores=2), MultiModeEngine("one", core, modes=("gcm",))
    compared = 0
    for key, message in ahead.traffic.messages(rng, 600, Cipher, most=60):
        cipher, sent = None if key is None else Cipher(key), with_command(message, text_bytes=UNKNOWN)
        assert ahead.answer(cipher, sent) == one.answer(cipher, sent)
        told = ahead.answer(cipher, message)
        compared += told == one.answer(cipher, message)
        assert told[1] in (Fault.LENGTH, one.answer(cipher, message)[1])
    assert compared > 500


def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(stand_ins: Any) -> None:
    design = GcmAheadEngine("ahead", stand_ins[0](10, 11))
    for fault, makers in design.traffic.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            for most in range(17, 80, 7):
                sent = make(design.traffic.to_break(rng, Cipher(bytes(16)), most), rng)
                assert design.answer(Cipher(bytes(16)), sent)[1] is fault


def test_more_text_than_is_told_leaves_no_more_than_is_told() -> None:
    message = Message(bytes(12), text=bytes(80), tag=bytes(16))
    sent = with_command(GCM_OF_LENGTH.stream(message, True), text_bytes=33)
    design = GcmAheadEngine("ahead", stand_in(10, 11))
    beats, fault = design.answer(Cipher(bytes(16)), sent)
    assert fault is Fault.LENGTH
    assert [beat.keep.bit_count() for beat in beats] == [16, 16, 16, 0]


@pytest.mark.thorough
@pytest.mark.parametrize("of", ["text", "header"])
def test_a_message_longer_than_gcm_has_is_refused(of: str, stand_ins: Any, bench: Any, tmp_path: Path) -> None:
    """Blocks begin to be counted two or three before their end; the engine is another one in that alone."""
    design = GcmAheadEngine("right", stand_ins[0](10, 11), **TEN)
    counts, begun = ("text_q, text_odd_q} <= '0;", "text_q, text_odd_q} <= 36'hffff_fffc_0;")
    if of == "header":
        counts, begun = counts.replace("text", "count", 1).replace("text_odd", "odd"), begun.replace("text", "count", 1)
        begun = begun.replace("text_odd", "odd")
    model = bench(wrong_engine(design, "begun", "gcm_ahead_engine", counts, begun), tmp_path)
    most = 2 if of == "text" else 3
    for blocks in (most, most + 1):
        data = bytes(BLOCK * blocks)
        message = Message(bytes(12), data * (of == "header"), data * (of == "text"), bytes(16))
        sent = with_command(design.sends(message), text_bytes=UNKNOWN)
        made = model.run(offers_of([(bytes(16), sent)]))[OUTPUT][-1]
        assert int(made.side[0]) == (0 if blocks == most else Fault.LENGTH)


def test_a_specification_asks_for_counters_ahead() -> None:
    design = parse_engine({"preset": "gcm-lean-10g", "stream_bits": 64}).engine("ahead", "gcm-lean-10g")
    assert isinstance(design, GcmAheadEngine)
    assert (design.mode, design.cores, design.wide.cycles_per_block) == ("gcm", 2, 5)
    for fields, told in (
        ({"modes": ["gcm", "ctr"]}, 'ahead: only of modes = ."ctr". or ."gcm".'),
        ({"core": "ueno2020-enc-p2"}, "must hold one block .* one every 10 clocks, and gives its result after 21"),
        ({"core": "ueno2020-encdec"}, "core: must encrypt only"),
        ({"gcm_iv": "any"}, "gcm_iv: must be twelve-bytes where counters go ahead"),
        ({"cores": 11}, "cores: must be at most 10"),
        ({"release": "verified", "clear": True}, "memories have none"),
        ({"ahead": False}, "cores: must be 1, not 2: .* several need ahead = true"),
    ):
        with pytest.raises(RequestError, match=told):
            parse_engine({"preset": "gcm-lean-10g"} | fields).engine("ahead", "gcm-lean-10g")


@pytest.mark.thorough
@pytest.mark.parametrize("release", ["verified", "cut-through"])
def test_an_engine_with_its_cores_is_clean_under_lint(release: Any, tmp_path: Path) -> None:
    lint(GcmAheadEngine("ahead", core_of("ahead", {"preset": "ueno2020-enc"}), release=release, **TEN), tmp_path)


@pytest.mark.thorough
def test_an_engine_with_slots_words_and_a_clear_is_right_with_its_cores(tmp_path: Path) -> None:
    core = core_of("ahead", {"preset": "ueno2020-enc-256", "clear": True})
    design = GcmAheadEngine("ahead", core, key_slots=2, stream_bits=32, clear=True, **TEN)
    report = verify_engine(design, tmp_path, StreamPlan(messages=60, vectors=20, resets=6, most=64))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


_E = "gcm_ahead_engine"
WRONG = {
    "the first counter is one": (_E, "{next_pair, sent_q[0]}} &", "sent_q + 32'd1} &"),
    "the counter counts in four bits": (
        _E,
        "else if (issued_text) sent_q <= next_sent;",
        "else if (issued_text) sent_q[3:0] <= next_sent[3:0];",
    ),
    "the counter of the message before": (
        _E,
        "if (take_command) sent_q <= '0;",
        "if (take_command & ~keyed) sent_q <= '0;",
    ),
    "the IV of the message before": (_E, "      iv_q           <= command_iv", "      if (~next_q) iv_q <= command_iv"),
    "the mask is made of a counter of text": (_E, "wants_first ? 32'd1 :", "wants_first & sends_q == First ? 32'd1 :"),
    "a block less than is told": (
        _E,
        "(next_odd_q != '0 ? sent_q : next_sent) == whole_q;",
        "next_sent == whole_q;",
    ),
    "a block more than is told": (
        _E,
        "(next_odd_q != '0 ? sent_q : next_sent) == whole_q;",
        "sent_q == whole_q;",
    ),
    "text without bytes is not told": (_E, "sends_d = empty ? First : Counters;", "sends_d = Counters;"),
    "the end is never seen": (_E, "sends_q == Counters & stop_q);", "sends_q == Counters & stop_q & told_q);"),
    "key stream that is left over is taken for the mask": (
        _E,
        "mask_taken   = result_valid & ~own & ~masks_q",
        "mask_taken   = result_valid & ~masks_q",
    ),
    "key stream that is left over stays": (_E, "result_valid & own & state_q != Body;", "1'b0;"),
    "the mask of the message before": (
        _E,
        "if (starts) masks_q <= next_refused_q;",
        "if (starts & ~keyed) masks_q <= 1'b0;",
    ),
    "a refused message waits for a mask": (
        _E,
        "if (starts) masks_q <= next_refused_q;",
        "if (starts) masks_q <= 1'b0;",
    ),
    "key stream of a message before its text is lost": (
        _E,
        "if (starts) own_q <= ahead_q + FlightBits'(issued_text);",
        "if (starts) own_q <= ahead_q;",
    ),
    "plaintext is hashed": (_E, "good & is_text & ~encrypt_q & ~hashed_q", "good & is_text & encrypt_q & ~hashed_q"),
    "text is hashed twice": (_E, "& ~encrypt_q & ~hashed_q & x_free;", "& ~encrypt_q & x_free;"),
    "text leaves before it is hashed": (_E, "(encrypt_q ? x_free : hashed_q);", "(encrypt_q ? x_free : 1'b1);"),
    "text before the hash is free": (_E, "(encrypt_q ? x_free : hashed_q);", "(encrypt_q | hashed_q);"),
    "a header before the hash is free": (_E, "good & is_header & x_free;", "good & is_header;"),
    "the last digit of a product is lost": (_E, "^ (busy_q ? product : y_q);", "^ y_q;"),
    "one step of GHASH less": (_E, "step_q == StepBits'(Steps - 1)", "step_q == StepBits'(Steps - 2)"),
    "the hash of the message before": (_E, "if (load | idle | starts) y_q", "if (load | idle) y_q"),
    "no lengths": (_E, "if (state_q == Lengths) joined |=", "if (1'b0) joined |="),
    "bytes that do not count are hashed": (
        _E,
        "shown = masked(sum, keep);",
        "shown = state_q == Body ? sum : masked(sum, keep);",
    ),
    "a tag is right": (_E, "failed_q <= shown != '0;", "failed_q <= 1'b0;"),
    "a tag is right if its first byte is": (_E, "failed_q <= shown != '0;", "failed_q <= shown[127:120] != '0;"),
    "the mask is not waited for": (
        _E,
        "at_tag & encrypt_q & masks_q & ~busy_q;",
        "at_tag & encrypt_q & ~busy_q;",
    ),
    "more text than is told": (_E, "if (told_q & is_text & all_sent & ~own) code = 4'd6;", ""),
    "less text than is told, to encrypt": (
        _E,
        "if (is_text & own & (own_q != FlightBits'(1) | ~all_sent)) code = 4'd6;",
        "",
    ),
    "less text than is told, to decrypt": (_E, "if (~is_text & (own | ~all_sent)) code = 4'd6;", ""),
    "a part of a block more or less than is told": (
        _E,
        "if ((is_text ? odd : text_odd_q) != told_odd_q) code = 4'd6;",
        "",
    ),
    "a length that GCM has not": (_E, "if (told & (s_axis_cmd_tdata[255:228] != '0 |", "if (told & ("),
    "any slot": (_E, "if (~keyed | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed)"),
    "before a key": (_E, "if (~keyed | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "IVs of any size": (_E, "if (s_axis_cmd_tdata[31:24] != 8'd12) refusal = 4'd5;", ""),
    "tags of seven bytes": (_E, "inside {4'd0, 4'd4, 4'd8,", "inside {4'd0, 4'd4, 4'd7, 4'd8,"),
    "a tag of other bytes": (_E, "if (is_tag & s_axis_tkeep != tag_keep) code = 4'd8;", ""),
    "a tag that is not the last beat": (_E, "(encrypt_q | ~s_axis_tlast)) code = 4'd3;", "encrypt_q) code = 4'd3;"),
    "no tag to compare": (_E, "if (~encrypt_q & s_axis_tlast & ~is_tag) code = 4'd3;", ""),
    "sections in any order": (_E, "if (some & ~first_q & s_axis_tuser < section_q) code = 4'd3;", ""),
    "parts of blocks": (_E, "if (~first_q & part_q & s_axis_tuser == section_q) code = 4'd2;", ""),
    "keep with holes": (_E, "if ((s_axis_tkeep[15:1] & ~s_axis_tkeep[14:0]) != '0 |", "if ("),
    "an empty beat at the end": (_E, "(~some & ~(first_q & s_axis_tlast))", "(~some & ~s_axis_tlast)"),
    "the code is lost": (_E, "      tag_q      <= code;", ""),
    "a refused message is not waited for": (
        _E,
        "Drain: if (s_axis_tvalid & s_axis_tlast)",
        "Drain: if (s_axis_tvalid)",
    ),
    "text of a refused message": (_E, "next_refused_q ? Drain : Body;", "Body;"),
    "the direction of the next message": (
        _E,
        "      encrypt_q  <= next_encrypt_q;",
        "      encrypt_q  <= s_axis_cmd_tdata[0];",
    ),
    "a command while one waits": (_E, "sends_q == None & (~next_q | starts) & ~key", "sends_q == None & ~key"),
    "a command before a key that came first": (_E, "(~next_q | starts) & ~key_valid_i;", "(~next_q | starts);"),
    "a key within a message": (_E, "(idle & ~next_q & sends_q == None)", "(sends_q == None)"),
    "the hash key of the key before": (
        _E,
        "if (key_valid_i & key_ready_o) sends_d = Zero;",
        "if (key_valid_i & key_ready_o & ~keyed) sends_d = Zero;",
    ),
    "an answer that is not quiet": (_E, "turned(shown) & {128{data_here}};", "turned(shown);"),
    "results of one core": (_E, "if (result_taken) receiving_q", "if (1'b0) receiving_q"),
    "blocks to one core": (_E, "if (issued) sending_q", "if (1'b0) sending_q"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
WRONG_SLOW = {
    "the end is seen before its counter went": (_E, "(s_axis_tlast & (~is_text | own))", "s_axis_tlast"),
}
"""The same of an engine whose core takes its next block later than its result is taken."""
WRONG_HASH = {
    "a hash goes on in the next message": (
        _E,
        "& ~idle & ~starts;\n      if (state_q == Refused",
        ";\n      if (state_q == Refused",
    ),
}
"""The same of one whose multiplication takes longer than a message that is refused."""
TESTED = tuple(WRONG)[::4]
"""Those of every thorough run; benchmarks/engine_traffic.py has all of them."""


def right_one(of: Any) -> GcmAheadEngine:
    """The engine of which wrong ones are made."""
    return GcmAheadEngine("right_gcm_ahead", of(10, 11), **TEN)


def right_slow_one(of: Any) -> GcmAheadEngine:
    """The engine of which those are made whose core is slow."""
    return GcmAheadEngine("right_gcm_slow", of(16, 5), digit=64, splits="b")


def right_hash_one(of: Any) -> GcmAheadEngine:
    """The engine of which those are made whose GHASH is slow."""
    return GcmAheadEngine("right_gcm_hash", of(5, 5), 2, digit=8, splits="")


def passes(right: GcmAheadEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    rng = random.Random(7)
    late = ALWAYS | {COMMAND: 245}
    runs = ((ALWAYS, False, 60), (dict.fromkeys(ALWAYS, 120), False, 60), (ALWAYS, True, 600), (late, False, 60))
    for pauses, with_keys, most in runs:
        sent = right.traffic.messages(rng, 500, cipher, most=most)
        try:
            check(right, model, sent, cipher, Chosen(number, with_keys=with_keys), pauses=pauses, seed=2)
        except CheckError:
            return False
    return True


def test_each_wrong_engine_can_be_made_of_the_right_one() -> None:
    text = {source.name.removeprefix("right_gcm_ahead_"): source.text for source in right_one(stand_in).sources}
    assert {what for what, (module, right, _) in WRONG.items() if text[f"{module}.sv"].count(right) != 1} == set()


@pytest.mark.thorough
def test_wrong_engines_are_found(bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    right = right_one(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_ahead_{n}", *WRONG[what]) for n, what in enumerate(TESTED)]
    model = bench(ManyEngines((right, *wrong)), tmp_path / "model")
    assert passes(right, model, 0, stand_ins[1])
    assert [what for number, what in enumerate(TESTED, 1) if passes(right, model, number, stand_ins[1])] == []


@pytest.mark.thorough
@pytest.mark.parametrize(("of", "wrongs"), [(right_slow_one, WRONG_SLOW), (right_hash_one, WRONG_HASH)])
def test_wrong_engines_with_a_slow_part_are_found(
    of: Any, wrongs: dict[str, tuple[str, str, str]], bench: Any, stand_ins: Any, tmp_path: Path
) -> None:
    right = of(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_slow_{n}", *each) for n, each in enumerate(wrongs.values())]
    model = bench(ManyEngines((right, *wrong)), tmp_path / "model")
    assert [passes(right, model, number, stand_ins[1]) for number in range(len(wrong) + 1)] == [True, False]


def test_its_core_encrypts_alone(stand_ins: Any) -> None:
    both = stand_ins[0](10, 11, (Direction.ENCRYPT, Direction.DECRYPT))
    with pytest.raises(RequestError, match="must encrypt only"):
        replace(right_one(stand_ins[0]), core=both)
