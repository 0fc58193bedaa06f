"""The GCM engine in simulation against its model: good and bad messages, pauses, clocks, wrong engines."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.modes.engine_bench import (
    ALWAYS,
    Answer,
    Chosen,
    Keyed,
    ManyEngines,
    check,
    iv_of,
    offers_of,
    with_beat,
    with_command,
    wrong_engine,
)

from aesmith.errors import RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.counting import GCM, GCM_TAGS, SHORT_IV
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.gcm_engine import GcmEngine, gcm_engine
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.stream import Beat, Section, StreamedMessage, answer_of_gcm, streamed_with_tag

ROUND_BASED: dict[str, object] = {"preset": "ueno2020-enc"}
ENGINES = {
    "compact": ((10, 11), {"digit": 4, "entries": 24}),
    "four-cores": ((10, 11), {"cores": 4, "digit": 64, "splits": "bb", "release": "cut-through"}),
    "unrolled": ((1, 31), {"digit": 128, "splits": "oooo", "entries": 64, "hashes": 16}),
}
"""Clocks a block and latency of cores that stand in for AES, which are proved elsewhere; fields of the engine."""

KEY = bytes(range(16))
"""A key under which no block that stands in for AES's is 0."""


def answers(engine: GcmEngine, cipher: type[Cipher]) -> Answer:
    """The model of an engine."""

    def answer(key: bytes | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        made = None if key is None else cipher(key)
        return answer_of_gcm(made, sent, verified=engine.release == "verified", most_beats=engine.most_beats)

    return answer


def good(rng: random.Random, cipher: Cipher, most: int, *, encrypt: bool | None = None) -> StreamedMessage:
    """A message with header and text of up to so many bytes, to encrypt, or to decrypt under the cipher's key."""
    encrypt = rng.random() < 0.5 if encrypt is None else encrypt
    sizes = (0, 1, 15, 16, 17, 32, rng.randrange(most + 1))
    header, text = rng.randbytes(min(most, rng.choice(sizes))), rng.randbytes(min(most, rng.choice(sizes)))
    iv = rng.randbytes(rng.choice((SHORT_IV, SHORT_IV, SHORT_IV, 1, 8, 16, 17, 60)))
    message = Message(iv, header, text, bytes(rng.choice(GCM_TAGS)))
    if not encrypt:
        sealed = GCM.encrypt(cipher, message)
        message = replace(message, text=sealed.text, tag=sealed.tag)
    return streamed_with_tag(message, encrypt=encrypt, tell_length=rng.random() < 0.5)


def _changed_bit(sent: StreamedMessage, rng: random.Random) -> StreamedMessage:
    """One bit of header, text or tag is another."""
    places = [place for place, beat in enumerate(sent.beats) if beat.keep and beat.section is not Section.IV]
    place = rng.choice(places)
    data = bytearray(sent.beats[place].data)
    data[rng.randrange(sent.beats[place].keep.bit_count())] ^= 1 << rng.randrange(8)
    return with_beat(sent, place, data=bytes(data))


def _without_tag(sent: StreamedMessage) -> StreamedMessage:
    shorter = replace(sent, beats=sent.beats[:-1] or (Beat(),))
    return with_beat(shorter, len(shorter.beats) - 1, last=True)


def _counted(sent: StreamedMessage) -> int:
    return sum(beat.keep.bit_count() for beat in sent.beats if beat.section is Section.TEXT)


Maker = Callable[[StreamedMessage, random.Random], StreamedMessage]
BAD: dict[Fault, Sequence[Maker]] = {
    Fault.KEEP: (
        lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0xFFFE),
        lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0),
    ),
    Fault.PARTIAL: (lambda m, r: with_beat(m, r.randrange(len(m.beats) - 2), keep=(1 << r.randrange(1, 12)) - 1),),
    Fault.ORDER: (
        lambda m, _: _without_tag(m),
        lambda m, _: replace(m, beats=(*(replace(b, last=False) for b in m.beats), Beat(b"a" * 16, 0xFFFF, last=True))),
    ),
    Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
    Fault.IV: (
        lambda m, r: with_command(m, iv_bytes=r.choice((1, 11, 13, 16, 255))),
        lambda m, _: replace(
            with_command(m, iv_bytes=0), beats=(Beat(b"iv of twelve".ljust(16), 0x0FFF, Section.IV), *m.beats)
        ),
        lambda m, _: with_command(m, iv_bytes=0),
    ),
    Fault.LENGTH: (
        lambda m, r: with_command(m, text_bytes=_counted(m) + r.choice((1, 16, 1 << 40))),
        lambda m, r: with_command(m, text_bytes=_counted(m) - r.choice((1, 16))),
    ),
    Fault.TAG: (
        lambda m, r: with_command(m, tag_bytes=r.choice((1, 2, 3, 5, 6, 7, 9, 10, 11))),
        lambda m, r: with_command(_without_tag(m), encrypt=True, tag_bytes=r.choice((1, 2, 3, 5, 6, 7, 9, 10, 11))),
        lambda m, _: with_beat(m, len(m.beats) - 1, keep=0x7FFF),
    ),
}
"""What is wrong with a message to decrypt, of an IV in the command, three beats of text and a tag of 16 bytes."""


def _to_break(rng: random.Random, cipher: Cipher) -> StreamedMessage:
    iv = rng.randbytes(SHORT_IV)
    sealed = GCM.encrypt(cipher, Message(iv, b"", rng.randbytes(48), bytes(16)))
    return streamed_with_tag(Message(iv, b"", sealed.text, sealed.tag), encrypt=False)


def traffic(rng: random.Random, count: int, cipher: type[Cipher], most: int = 300, key_bytes: int = 16) -> list[Keyed]:
    """Messages in both directions under keys that change: good ones, of another tag, and each kind of bad one."""
    makers = [(fault, make) for fault, each in BAD.items() for make in each]
    key = rng.randbytes(key_bytes)
    made: list[Keyed] = [(None, good(rng, cipher(key), 40))]
    for number in range(count):
        if rng.random() < 0.1:
            key = rng.randbytes(key_bytes)
        kind = rng.random()
        sent = good(rng, cipher(key), most)
        if kind < 0.2 and any(beat.keep and beat.section is not Section.IV for beat in sent.beats):
            sent = _changed_bit(sent, rng)
        elif kind < 0.5:
            fault, make = makers[number % len(makers)]
            sent = make(_to_break(rng, cipher(key)), rng)
            assert answer_of_gcm(cipher(key), sent)[1] is fault
        made.append((key, sent))
    # Of the tag to compare with, its last byte alone is wrong.
    whole = _to_break(rng, cipher(key))
    tag = whole.beats[-1].data
    made.append((key, with_beat(whole, len(whole.beats) - 1, data=tag[:-1] + bytes([tag[-1] ^ 1]))))
    return made


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


@pytest.mark.parametrize("fault", BAD)
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(fault: Fault) -> None:
    rng = random.Random(int(fault))
    for make in BAD[fault]:
        for _ in range(20):
            assert answer_of_gcm(Cipher(bytes(16)), make(_to_break(rng, Cipher(bytes(16))), rng))[1] is fault


@pytest.mark.parametrize("pause", [0, 100, 200])
def test_messages_good_and_bad_are_answered_as_by_the_model(
    engine: Any, offer: Any, stand_ins: Any, pause: int
) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    sent = traffic(rng, 150, stand_ins[1])
    check(model, sent, answers(design, stand_ins[1]), offer, pauses=pauses, seed=pause + 1)


@pytest.mark.parametrize("engine", ["compact"], indirect=True)
def test_a_message_to_decrypt_that_does_not_fit_is_refused_and_the_next_is_not(
    engine: Any, offer: Any, stand_ins: Any
) -> None:
    design, model = engine
    cipher = stand_ins[1](bytes(16))
    sent = []
    for blocks in (design.most_beats, design.most_beats + 1, design.most_beats + 9, 3):
        sealed = GCM.encrypt(cipher, Message(bytes(12), b"", bytes(16 * blocks), bytes(16)))
        message = Message(bytes(12), b"", sealed.text, sealed.tag)
        sent.append((bytes(16), streamed_with_tag(message, encrypt=False)))
    faults = [answers(design, stand_ins[1])(*each)[1] for each in sent]
    assert faults == [None, Fault.LENGTH, Fault.LENGTH, None]
    check(model, sent, answers(design, stand_ins[1]), offer)


@pytest.mark.parametrize("header_blocks", [0, 1, 5])
@pytest.mark.parametrize("text_blocks", [1, 4, 12])
@pytest.mark.parametrize("encrypt", [True, False])
def test_messages_follow_in_the_clocks_of_the_formula(
    engine: Any, offer: Any, header_blocks: int, text_blocks: int, encrypt: bool
) -> None:
    design, model = engine
    header, text = bytes(16 * header_blocks), bytes(16 * text_blocks)
    message = Message(bytes(12), header, text, bytes(16))
    sent = [(bytes(16), streamed_with_tag(message, encrypt=encrypt))] * 60
    made = model.run(offers_of(sent, offer))
    ends = [transfer.clock for transfer in made[OUTPUT] if transfer.payloads[3]]
    mean = (ends[50] - ends[10]) / 40
    assert mean == design.message_cycles(header_blocks, text_blocks, encrypt=encrypt)


def test_text_to_encrypt_leaves_after_the_clocks_that_are_stated(engine: Any, offer: Any) -> None:
    design, model = engine
    message = streamed_with_tag(Message(bytes(12), b"", bytes(16), bytes(16)))
    offers = offers_of([(bytes(16), message)] * 2, offer)
    # The second one comes to an engine that is at rest, and has its start.
    offers[INPUT][1] = replace(offers[INPUT][1], after={COMMAND: 2, OUTPUT: 2})
    made = model.run(offers, pauses={})
    assert made[OUTPUT][2].clock - made[INPUT][1].clock + 1 == design.latency_cycles


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


@pytest.mark.parametrize("engine", ["unrolled"], indirect=True)
def test_the_counter_comes_round_in_its_32_bits(engine: Any, offer: Any, stand_ins: Any) -> None:
    design, model = engine
    sent = [(KEY, message) for message in _with_wrap(stand_ins[1](KEY))]
    check(model, sent, answers(design, stand_ins[1]), offer)


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        (ROUND_BASED, {"digit": 5}, "digit: must divide 128"),
        (ROUND_BASED, {"digit": 8, "splits": "bbbb"}, "splits: "),
        (ROUND_BASED, {"release": "never"}, "release: "),
        (ROUND_BASED, {"entries": 3}, "entries: must be 4 to 4096"),
        (ROUND_BASED, {"hashes": -1}, "hashes: must be 0 to 1024"),
        ({"preset": "serial-small-enc"}, {}, "128 bits at once"),
        ({"preset": "ueno2020-encdec"}, {}, "encrypt only"),
    ):
        with pytest.raises(RequestError, match=told):
            gcm_engine("gcm", core, **fields)


def test_an_engine_with_its_cores_is_clean_under_lint(tmp_path: Path) -> None:
    lint(gcm_engine("gcm", ROUND_BASED, cores=2, digit=32), tmp_path)


WRONG = {
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
    "the hash of the message before": ("ghash", "if (new_message | (give & closing)) y_q", "if (give & closing) y_q"),
    "the header of the message before": (
        "ghash",
        "if (new_message) header_bytes_q",
        "if (give & closing) header_bytes_q",
    ),
    "the hash key of the key before": ("ghash", "if (key_i) hash_key_known_q", "if (1'b0 & key_i) hash_key_known_q"),
    "a key while messages are on their way": (
        "gcm_engine",
        "& ring_empty & ~release_busy",
        "& (ring_empty | 1'b1 | release_busy)",
    ),
    "a byte too much of the tag": ("gcm_engine", "4'(place) < tag_bytes", "4'(place) <= tag_bytes"),
    "text leaves before it is hashed": (
        "message_ring",
        "unread_q > unsent_q & unread_q > unhashed_q",
        "unread_q > unsent_q",
    ),
    "the mask of the message behind": ("tagged_release", "(is_start & shows_tag & ready_i)", "is_start"),
    "a message that does not fit": ("gcm_engine", "Verified & ~encrypt & ~beat_last", "1'b0 & ~encrypt & ~beat_last"),
    "no tag, or a tag that is not the last": (
        "section_tracker",
        "(tag_i != '0 & last_i != is_tag)",
        "(tag_i != '0 & 1'b0)",
    ),
    "an IV of 12 bytes in front": ("section_tracker", "kind_i != Iv | keep_i == 16'h0fff", "kind_i != Iv"),
    "no IV in front": ("section_tracker", "(empty | kind_i != Iv |", "(empty |"),
    "tags of any size": ("section_tracker", "is_tag & keep_i != tag_i", "is_tag & keep_i != tag_i & 1'b0"),
    "tag sizes that GCM has not": ("gcm_engine", "refusal = 4'd8", "refusal = 4'd0"),
    "failed is not said": (
        "gcm_engine",
        "{out_error, out_failed, out_kind}",
        "{out_error, out_failed & 1'b0, out_kind}",
    ),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

TESTED = tuple(WRONG)[::5]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""

FIELDS: dict[str, Any] = {"cores": 2, "entries": 10}


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as number 0, and wrong ones."""
    right = GcmEngine("right", stand_ins[0](10, 11), **FIELDS)
    wrong = [wrong_engine(right, f"wrong_{number}", *WRONG[what]) for number, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


def passes(right: GcmEngine, model: Any, number: int, offer: Any, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model does, with pauses and without."""
    rng = random.Random(7)
    sealed = GCM.encrypt(cipher(KEY), Message(bytes(12), b"", bytes(16 * 40), bytes(16)))
    special = [
        *_with_wrap(cipher(KEY)),
        streamed_with_tag(Message(bytes(12), b"", sealed.text, sealed.tag), encrypt=False),
    ]
    for pause in (0, 120):
        sent = traffic(rng, 120, cipher, 100) + [(KEY, message) for message in special] * (pause == 0)
        pauses = dict.fromkeys(ALWAYS, pause)
        try:
            check(model, sent, answers(right, cipher), Chosen(offer, number), pauses=pauses, seed=pause + 1)
        except AssertionError:
            return False
    return True


@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, offer: Any, stand_ins: Any) -> None:
    number = ["none", *TESTED].index(what)
    assert passes(*many, number, offer, stand_ins[1]) is (what == "none")
