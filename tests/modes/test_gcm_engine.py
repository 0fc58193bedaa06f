"""The GCM engine in simulation against its model: good and bad messages, pauses, clocks, wrong engines."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.modes.engine_bench import (
    ALWAYS,
    Chosen,
    ManyEngines,
    check,
    clocks_of_answers,
    iv_of,
    passing_messages,
    served,
    with_pauses,
    wrong_engine,
)

from aesmith.assurance.streams.check import message_clocks, offers_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.counting import GCM
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.gcm_engine import GcmEngine, gcm_engine
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.stream import Section, StreamedMessage, answer_of_gcm, streamed_with_tag
from aesmith.modes.traffic import GCM_TRAFFIC, with_beat

pytestmark = pytest.mark.one_in(8)

ROUND_BASED: dict[str, object] = {"preset": "ueno2020-enc"}
ENGINES = {
    "compact": ((10, 11), {"digit": 4, "entries": 24}),
    "four-cores": ((10, 11), {"cores": 4, "digit": 64, "splits": "bb", "release": "cut-through"}),
    "unrolled": ((1, 31), {"digit": 128, "splits": "oooo", "entries": 64, "hashes": 16}),
    "two-stages": ((1, 21), {"digit": 128, "splits": "oooo", "ghash_stages": 2, "release": "cut-through"}),
    "memory": ((10, 11), {"digit": 32, "entries": 24, "ring": "memory"}),
    "two-stages-memory": (
        (1, 21),
        {"digit": 128, "splits": "oooo", "ghash_stages": 2, "release": "cut-through", "ring": "memory"},
    ),
    "three-stages": ((1, 31), {"digit": 128, "splits": "ooooo", "ghash_stages": 3, "entries": 64, "hashes": 16}),
}
"""Clocks a block and latency of cores that stand in for AES, which are proved elsewhere; fields of the engine."""

KEY = bytes(range(16))
"""A key under which no block that stands in for AES's is 0."""


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    clocks, fields = ENGINES[request.param]
    design = GcmEngine("gcm", stand_ins[0](*clocks), **fields)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def test_the_model_of_the_stream_is_openssl() -> None:
    rng = random.Random(5)
    for size in [*range(50), 300]:
        key, iv, text, header = rng.randbytes(16), rng.randbytes(12), rng.randbytes(size), rng.randbytes(size // 2)
        beats, fault = answer_of_gcm(Cipher(key), streamed_with_tag(Message(iv, header, text, bytes(16))))
        sealed = AESGCM(key).encrypt(iv, text, header)
        assert fault is None
        assert b"".join(beat.data[: beat.keep.bit_count()] for beat in beats) == sealed
        message = Message(iv, header, sealed[:size], sealed[size:])
        for changed in (message, replace(message, header=header + b"a")):
            beats, _ = answer_of_gcm(Cipher(key), streamed_with_tag(changed, encrypt=False))
            opened = b"".join(beat.data[: beat.keep.bit_count()] for beat in beats)
            try:
                expected = AESGCM(key).decrypt(iv, changed.text + changed.tag, changed.header)
                assert (opened, beats[-1].failed) == (expected, False)
            except InvalidTag:
                assert (opened, beats[-1].failed) == (b"", True)


@pytest.mark.parametrize("fault", GCM_TRAFFIC.bad)
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(fault: Fault) -> None:
    rng = random.Random(int(fault))
    cipher = Cipher(bytes(16))
    for make in GCM_TRAFFIC.bad[fault]:
        for _ in range(20):
            assert answer_of_gcm(cipher, make(GCM_TRAFFIC.to_break(rng, cipher, 48), rng))[1] is fault


@pytest.mark.thorough(but=("compact-100",))
@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    sent = GCM_TRAFFIC.messages(rng, 150, stand_ins[1])
    check(design, model, sent, stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.parametrize("engine", ["compact"], indirect=True)
def test_a_message_to_decrypt_that_does_not_fit_is_refused_and_the_next_is_not(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    cipher = stand_ins[1](bytes(16))
    sent = []
    for blocks in (design.most_beats, design.most_beats + 1, design.most_beats + 9, 3):
        sealed = GCM.encrypt(cipher, Message(bytes(12), b"", bytes(16 * blocks), bytes(16)))
        message = Message(bytes(12), b"", sealed.text, sealed.tag)
        sent.append((bytes(16), streamed_with_tag(message, encrypt=False)))
    faults = [design.answer(cipher, message)[1] for _, message in sent]
    assert faults == [None, Fault.LENGTH, Fault.LENGTH, None]
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough
@pytest.mark.parametrize("section", Section)
def test_a_message_without_bytes_has_its_tag_whatever_its_beat_is_called(
    engine: Any, stand_ins: Any, section: Section
) -> None:
    design, model = engine
    empty, text = (streamed_with_tag(Message(bytes(12), b"", bytes(size), bytes(16))) for size in (0, 20))
    called = with_beat(empty, 0, section=section, data=bytes(range(16)))
    check(design, model, [(KEY, message) for message in (called, text, called, called, text)], stand_ins[1])


@pytest.mark.parametrize("engine", ["compact"], indirect=True)
@pytest.mark.parametrize("end", ["none", "header", "text", "wrong"])
def test_an_iv_that_is_longer_than_the_engine_holds_is_taken_and_what_follows_is_served(
    engine: Any, stand_ins: Any, end: str
) -> None:
    design, model = engine
    rng = random.Random(4)
    sent = []
    for size in (16 * design.places, 16 * design.places + 5, 3000):
        header, text = (bytes(40) if end == kind else b"" for kind in ("header", "text"))
        long = streamed_with_tag(Message(rng.randbytes(size), header, text, bytes(16)))
        if end == "wrong":
            long = with_beat(long, len(long.beats) // 2, keep=1)
        sent += [(KEY, long), (KEY, streamed_with_tag(Message(bytes(12), b"", bytes(40), bytes(16))))]
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("header_blocks", [0, 1, 5])
@pytest.mark.parametrize("text_blocks", [1, 4, 12])
@pytest.mark.parametrize("encrypt", [True, False])
def test_messages_follow_in_the_clocks_of_the_formula(
    engine: Any, header_blocks: int, text_blocks: int, encrypt: bool
) -> None:
    design, model = engine
    seen, _ = message_clocks(design, model.run, header_blocks, text_blocks, encrypt=encrypt)
    assert seen == design.message_cycles(header_blocks, text_blocks, encrypt=encrypt)


@pytest.mark.thorough(but=1)
def test_every_beat_leaves_in_the_clock_of_the_recurrence(engine: Any, stand_ins: Any) -> None:
    """Of messages of all lengths, with IVs of any, one behind the other; multipliers of stages, rings in memories."""
    design, model = engine
    timing = design.recurrence.args[0]
    slower = partial(design.recurrence.func, replace(timing, core_latency=timing.core_latency + 1))
    for most in (20, 200):
        sent = served(design, random.Random(most), 60, stand_ins[1], most)
        seen = clocks_of_answers(check(design, model, sent, stand_ins[1]))
        messages = passing_messages(design, sent, stand_ins[1])
        assert list(chain.from_iterable(design.recurrence(messages).left)) == seen
        assert list(chain.from_iterable(slower(messages).left)) != seen


@pytest.mark.thorough
def test_text_to_encrypt_leaves_after_the_clocks_that_are_stated(engine: Any) -> None:
    design, model = engine
    message = streamed_with_tag(Message(bytes(12), b"", bytes(16), bytes(16)))
    offers = offers_of([(bytes(16), message)] * 2)
    # The second one comes to an engine that is at rest, and has its start.
    offers[INPUT][1] = replace(offers[INPUT][1], after={COMMAND: 2, OUTPUT: 2})
    made = model.run(offers, pauses={})
    assert made[OUTPUT][2].clock - made[INPUT][1].clock + 1 == design.latency_cycles


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["unrolled", "two-stages", "three-stages"], indirect=True)
@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
def test_a_tag_leaves_after_the_clocks_that_its_hash_takes(engine: Any, blocks: int) -> None:
    design, model = engine
    message = streamed_with_tag(Message(bytes(12), b"", bytes(16 * blocks), bytes(16)))
    made = model.run(offers_of([(bytes(16), message)]), pauses={})[OUTPUT]
    assert len(made) == blocks + 1
    # Text that is read into a register leaves a clock later.
    assert made[-1].clock - made[-2].clock == design.hash_cycles + (design.ghash_stages == 1)


def test_what_is_rated_is_the_slower_one_of_cores_and_ghash(stand_ins: Any) -> None:
    """Throughput is counted by these clocks: those of a message tend to them as it gets longer."""
    for digit, cores, clocks in ((4, 1, 32), (16, 1, 10), (16, 2, 8), (128, 4, 2.5)):
        design = GcmEngine("gcm", stand_ins[0](10, 11), cores=cores, digit=digit)
        assert design.cycles_per_block == clocks
        assert design.message_cycles(0, 2000) / 2000 == pytest.approx(clocks, rel=1e-3)


def _with_wrap(cipher: Cipher) -> list[StreamedMessage]:
    """Messages whose first counter block is the last, or the last but one, of its 32 bits."""
    hash_key = cipher.constant(bytes(16))
    firsts = (b"\x5a" * 12 + last.to_bytes(4) for last in (0xFFFFFFFF, 0xFFFFFFFE))
    return [streamed_with_tag(Message(iv_of(first, hash_key), b"", bytes(80), bytes(16))) for first in firsts]


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["unrolled"], indirect=True)
def test_the_counter_comes_round_in_its_32_bits(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    sent = [(KEY, message) for message in _with_wrap(stand_ins[1](KEY))]
    check(design, model, sent, stand_ins[1])


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        (ROUND_BASED, {"digit": 5}, "digit: must divide 128"),
        (ROUND_BASED, {"digit": 8, "splits": "bbbb"}, "splits: "),
        (ROUND_BASED, {"release": "never"}, "release: "),
        (ROUND_BASED, {"ring": "wood"}, "ring: must be one of registers, memory"),
        (ROUND_BASED | {"clear": True}, {"ring": "memory", "clear": True}, "ring: must be registers, not memory"),
        (ROUND_BASED, {"entries": 3}, "entries: must be 4 to 4096"),
        (ROUND_BASED, {"hashes": -1}, "hashes: must be 0 to 1024"),
        (ROUND_BASED, {"ghash_stages": 2}, "ghash_stages: more than 1 need a digit of 128"),
        (ROUND_BASED, {"ghash_stages": 7, "digit": 128}, "ghash_stages: must be 1 to 6"),
        ({"preset": "serial-small-enc"}, {}, "128 bits at once"),
        ({"preset": "ueno2020-encdec"}, {}, "encrypt only"),
    ):
        with pytest.raises(RequestError, match=told):
            gcm_engine("gcm", core, **fields)


@pytest.mark.thorough
def test_an_engine_with_its_cores_is_clean_under_lint(tmp_path: Path) -> None:
    lint(gcm_engine("gcm", ROUND_BASED, cores=2, digit=32), tmp_path)


WRONG = {
    "a hash that begins with what the registers had": (
        "ghash",
        "if (key_i | new_message | give | ends_wrong) y_q",
        "if (new_message | give | ends_wrong) y_q",
    ),
    "an IV is hashed behind what is left of a wrong message": (
        "ghash",
        "if (key_i | new_message | give | ends_wrong) y_q",
        "if (key_i | new_message | give) y_q",
    ),
    "an IV that must fit": (
        "gcm_engine",
        "put_start    = begins & room & (~with_iv | (at_beat & fault == '0 & (kind != Iv | iv_put_q)))",
        "put_start    = begins & room",
    ),
    "a counter of 128 bits": ("counter_sender", "{counter[127:32], counter[31:0] + 32'd1}", "counter + 128'd1"),
    "the first counter block in the mask": ("message_ring", "& {128{kind_q[place] == Text}}", ""),
    "bytes that do not count are hashed": ("ghash", "& {8{item_keep_i[place]}};\n    block", ";\n    block"),
    "lengths the other way round": (
        "ghash",
        "{header_bytes_q, 3'd0, text_bytes_q, 3'd0}",
        "{text_bytes_q, 3'd0, header_bytes_q, 3'd0}",
    ),
    "lengths in bytes": (
        "ghash",
        "{header_bytes_q, 3'd0, text_bytes_q, 3'd0}",
        "{3'd0, header_bytes_q, 3'd0, text_bytes_q}",
    ),
    "the length of the IV in bytes": ("ghash", "{64'd0, text_bytes_q, 3'd0}", "{67'd0, text_bytes_q}"),
    "the tag is compared but for its last byte": (
        "tagged_release",
        "place < 16; place++) wrong",
        "place < 15; place++) wrong",
    ),
    "every tag is right": ("tagged_release", "wrong(tag, tag_keep_q) & ~given_up_i", "1'b0 & wrong(tag, tag_keep_q)"),
    "plaintext before the verdict": ("tagged_release", "Verified ? judged_q", "Verified ? 1'b1"),
    "plaintext of another tag": ("tagged_release", "decrypt_q & (failed_q | given_up_q)", "decrypt_q & given_up_q"),
    "plaintext of a wrong message": ("tagged_release", "decrypt_q & (failed_q | given_up_q)", "decrypt_q & failed_q"),
    "ciphertext is overwritten before it is hashed": (
        "counter_sender",
        "(is_text & item_decrypt_i & ~item_hashed_i)",
        "(is_text & item_decrypt_i & 1'b0 & item_hashed_i)",
    ),
    "text is hashed before it is encrypted": (
        "ghash",
        "item_decrypt_i | item_done_i)",
        "item_decrypt_i | item_done_i | 1'b1)",
    ),
    "the hash of the message before": (
        "ghash",
        "if (key_i | new_message | give | ends_wrong) y_q",
        "if (key_i | give & closing) y_q",
    ),
    "the header of the message before": (
        "ghash",
        "if (new_message) header_bytes_q",
        "if (give & closing) header_bytes_q",
    ),
    "the hash key of the key before": ("ghash", "if (key_i) hash_key_known_q", "if (1'b0 & key_i) hash_key_known_q"),
    "a key while messages are on their way": (
        "gcm_engine",
        "& all_read & ~release_busy",
        "& (ring_empty | 1'b1 | release_busy)",
    ),
    "a byte too much of the tag": ("gcm_engine", "4'(place) < tag_bytes", "4'(place) <= tag_bytes"),
    "text leaves before it is hashed": (
        "ring_walk",
        "unread_q > unsent_q & unread_q > unhashed_q",
        "unread_q > unsent_q",
    ),
    "the mask of the message behind": ("tagged_release", "(is_start & shows_tag & ready_i)", "is_start"),
    "a message that does not fit": ("gcm_engine", "Verified & ~encrypt & ~beat_last", "1'b0 & ~encrypt & ~beat_last"),
    "no tag, or a tag that is not the last": (
        "section_tracker",
        "(tag_i != '0 & ends[lane] != is_tag[lane])",
        "1'b0",
    ),
    "an IV of 12 bytes in front": ("section_tracker", "kind_i[0] != Iv | keep_i[0] == 16'h0fff", "kind_i[0] != Iv"),
    "no IV in front": ("section_tracker", "(~used[0] | kind_i[0] != Iv |", "(~used[0] |"),
    "tags of any size": ("section_tracker", "is_tag[lane] & keep_i[lane] != tag_i", "1'b0"),
    "tag sizes that GCM has not": ("gcm_engine", "refusal = 4'd8", "refusal = 4'd0"),
    "failed is not said": (
        "gcm_engine",
        "{out_error, out_failed, out_kind}",
        "{out_error, out_failed & 1'b0, out_kind}",
    ),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

WRONG_STAGED = {
    "room for two where there is one place": (
        "gcm_engine",
        ".coming_i      (Later & item_put)",
        ".coming_i      (1'b0)",
    ),
    "the item behind is a tag if this one is": (
        "ring_reader",
        "behind_tag_q <= (read_next_o ? behind_kind_i : read_kind_i)",
        "behind_tag_q <= (read_kind_i)",
    ),
    "there is an item behind as long as there is one": (
        "ring_reader",
        "behind_valid_q <= read_next_o ? behind_valid_i : ~ring_empty_i",
        "behind_valid_q <= ~ring_empty_i",
    ),
    "a register does not wait for its receiver": ("output_register", "~valid_q | ready_i", "1'b1"),
    "a power too many at a clock without a block": (
        "ghash",
        "blocks += PowerBits'(window_q[Stages-1-age].block)",
        "blocks += PowerBits'(window_q[Stages-1-age].block | age == 0)",
    ),
    "no power at a clock without a block": (
        "ghash",
        "assign chosen = make_q ? powers_q : blocks",
        "assign chosen = make_q ? powers_q : window_q[Stages-1].block ? blocks : '0",
    ),
    "the highest power for every block": (
        "ghash",
        "assign chosen = make_q ? powers_q : blocks",
        "assign chosen = make_q ? powers_q : ends ? blocks : PowerBits'(Stages)",
    ),
    "a hash that ends in a hash that was broken off": (
        "ghash",
        "if (age > 0 & window_q[Stages-1-age].first) beyond",
        "if (1'b0 & age > 0 & window_q[Stages-1-age].first) beyond",
    ),
    "the partial hashes of the message before": (
        "ghash",
        "chained_q    <= since == PowerBits'(Stages)",
        "chained_q    <= 1'b1",
    ),
    "one partial hash of the message before": (
        "ghash",
        "chained_q    <= since == PowerBits'(Stages)",
        "chained_q    <= since >= PowerBits'(Stages - 1)",
    ),
    "a product goes to the partial hash beside": ("ghash", "c_q ^ (y_q & {", "c_q ^ (product & {"),
    "the last product alone": ("ghash", "use_t'{adds: ends,", "use_t'{adds: window_q[Stages-1].last,"),
    "a product of the hash before": ("ghash", "use_t'{adds: ends,", "use_t'{adds: ends | use_q[0].adds,"),
    "products in the place of the next result": ("ghash", "place: ends_at}", "place: put_q}"),
    "a result before its last product": ("ghash", "<= ready.last;", "<= 1'b1;"),
    "a result without a place": ("ghash", "assign room    = count_q != CountBits'(Results)", "assign room    = 1'b1"),
    "a place that was kept is given away": ("ghash", "CountBits'(reserve) - ", "CountBits'(reserve & ~taken) - "),
    "the square of the key before": (
        "ghash",
        "if (hash_key_valid_i) powers_q <= PowerBits'(1)",
        "if (hash_key_valid_i) powers_q <= PowerBits'(Stages - 1)",
    ),
    "blocks before the powers are made": (
        "ghash",
        "else if (made & powers_q == PowerBits'(Stages - 1)) hash_key_known_q",
        "else if (hash_key_valid_i) hash_key_known_q",
    ),
    "the last power is missing": (
        "ghash",
        "if (chosen == PowerBits'(number)) power",
        "if (chosen == PowerBits'(number) & number != Stages) power",
    ),
    "no tag to compare with": (
        "ghash",
        "has_tag_q        <= begin_lengths & phase_q == Items",
        "has_tag_q        <= 1'b0",
    ),
    "the tag of every item": (
        "ghash",
        "has_tag_q        <= begin_lengths & phase_q == Items",
        "has_tag_q        <= begin_lengths",
    ),
    "a hash goes on behind a wrong message": (
        "ghash",
        "if (closes | ends_wrong | key_i) open_q",
        "if (closes | key_i) open_q",
    ),
    "bytes that do not count are hashed": ("ghash", " & {8{item_keep_i[place]}};\n    text", ";\n    text"),
    "lengths the other way round": (
        "ghash",
        "{header_bytes_q, 3'd0, text_bytes_q, 3'd0}",
        "{text_bytes_q, 3'd0, header_bytes_q, 3'd0}",
    ),
    "the IV's bytes count as text": (
        "ghash",
        "if (key_i | new_message | closes | ends_wrong) text_bytes_q",
        "if (key_i | begin_lengths | ends_wrong) text_bytes_q",
    ),
    "the text of the message before": (
        "ghash",
        "if (key_i | new_message | closes | ends_wrong) text_bytes_q",
        "if (key_i | begin_iv_length) text_bytes_q",
    ),
    "text is hashed before it is encrypted": (
        "ghash",
        "item_decrypt_i | item_done_i)",
        "item_decrypt_i | item_done_i | 1'b1)",
    ),
    "the start of the next message is passed with the lengths of none": (
        "ghash",
        "(phase_q == Lengths & begin_lengths)",
        "phase_q == Lengths",
    ),
    "a beat is looked at twice": ("gcm_engine", "(~waits_q | take) : take", "1'b1 : take"),
    "a key while a beat waits": ("gcm_engine", "~command_valid & ~waits_q & all_read", "~command_valid & all_read"),
    "what was found of the beat behind": ("gcm_engine", "if (look) looked_q <= looked;", "looked_q <= looked;"),
}
"""The same of engines whose multiplier has stages."""

WRONG_IN_MEMORY = {
    "the first counter block in the mask": ("message_ring", "{128{~came | kind == Text}}", "{128{1'b1}}"),
    "a stream of the item that had the place before": ("message_ring", "else if (was_read_q &", "else if (1'b0 &"),
    "no stream": ("message_ring", "(stream & {128{came}})", "(stream & {128{1'b0 & came}})"),
    "text is hashed before its stream has come": (
        "message_ring",
        "came_q[hash_place] | ~has_stream(hash.kind, hash.keep[0])",
        "1'b1",
    ),
    "text is read before its stream has come": (
        "message_ring",
        "(came_q[read_place] | ~has_stream(read.kind, read.keep[0]))",
        "1'b1",
    ),
}
"""The same of engines whose ring is in memories."""

STAGED_FIELDS: dict[str, Any] = {
    "digit": 128,
    "splits": "ooooo",
    "ghash_stages": 3,
    "release": "cut-through",
    "entries": 40,
}
STAGED_CORE = (1, 12)

TESTED, TESTED_STAGED = tuple(WRONG)[::5], tuple(WRONG_STAGED)[::5]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""

FIELDS: dict[str, Any] = {"cores": 2, "entries": 10}


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as number 0, and wrong ones."""
    right = GcmEngine("right", stand_ins[0](10, 11), **FIELDS)
    wrong = [wrong_engine(right, f"wrong_{number}", *WRONG[what]) for number, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


@pytest.fixture(scope="module")
def staged(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same of engines whose multiplier has stages."""
    right = GcmEngine("right", stand_ins[0](*STAGED_CORE), **STAGED_FIELDS)
    wrong = [wrong_engine(right, f"wrong_{n}", *WRONG_STAGED[what]) for n, what in enumerate(TESTED_STAGED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("staged") / "model")


@pytest.fixture(scope="module")
def in_memory(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same of engines whose ring is in memories."""
    right = GcmEngine("right", stand_ins[0](10, 11), ring="memory", **FIELDS)
    wrong = [wrong_engine(right, f"wrong_{n}", *fault) for n, fault in enumerate(WRONG_IN_MEMORY.values())]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("in_memory") / "model")


def passes(right: GcmEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model does, with pauses and without, and to a slow receiver."""
    rng = random.Random(7)
    sealed = GCM.encrypt(cipher(KEY), Message(bytes(12), b"", bytes(16 * 40), bytes(16)))
    special = [
        *_with_wrap(cipher(KEY)),
        streamed_with_tag(Message(bytes(12), b"", sealed.text, sealed.tag), encrypt=False),
    ]
    hashed = streamed_with_tag(Message(rng.randbytes(40), b"", bytes(20), bytes(16)))
    for pause in (0, 120):
        sent = [(KEY, hashed), *GCM_TRAFFIC.messages(rng, 120, cipher, most=100)[1:]] + [
            (KEY, message) for message in special
        ] * (pause == 0)
        pauses = dict.fromkeys(ALWAYS, pause)
        try:
            check(right, model, sent, cipher, Chosen(number), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    try:  # text that has to wait for the beat behind it
        check(right, model, [(KEY, special[-1])] * 2, cipher, Chosen(number), pauses={**ALWAYS, INPUT: 250})
    except CheckError:
        return False
    try:  # keys that wait for the only beat of a message, and more results than have places
        short = [streamed_with_tag(Message(bytes(12), bytes(header), b"", bytes(16))) for header in (0, 5)]
        sent = [(bytes([each]) * 16, short[0]) for each in range(8)]
        check(right, model, sent, cipher, Chosen(number), pauses={**ALWAYS, INPUT: 250})
        sent = [(KEY, message) for message in short * 30]
        check(right, model, sent, cipher, Chosen(number), pauses={**ALWAYS, OUTPUT: 250})
    except CheckError:
        return False
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    number = ["none", *TESTED].index(what)
    assert passes(*many, number, stand_ins[1]) is (what == "none")


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED_STAGED])
def test_a_wrong_engine_with_a_multiplier_of_stages_is_found(what: str, staged: Any, stand_ins: Any) -> None:
    number = ["none", *TESTED_STAGED].index(what)
    assert passes(*staged, number, stand_ins[1]) is (what == "none")


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *WRONG_IN_MEMORY])
def test_a_wrong_engine_with_a_ring_in_memory_is_found(what: str, in_memory: Any, stand_ins: Any) -> None:
    number = ["none", *WRONG_IN_MEMORY].index(what)
    assert passes(*in_memory, number, stand_ins[1]) is (what == "none")
