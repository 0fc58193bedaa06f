"""The CTR engine in simulation against its model: good and bad messages, pauses, clocks, wrong engines."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as OpenSsl
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from tests.modes.engine_bench import (
    ALWAYS,
    Answer,
    Chosen,
    Keyed,
    ManyEngines,
    check,
    offers_of,
    with_beat,
    with_command,
    wrong_engine,
)

from aesmith.errors import RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, CtrEngine, ctr_engine
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.stream import Section, StreamedMessage, answer_of_ctr, streamed

ROUND_BASED: dict[str, object] = {"preset": "ueno2020-enc"}
UNROLLED: dict[str, object] = {"architecture": "subpipelined", "stages": 1}
ENGINES = {"one-core": (10, 11, 1, 128), "four-cores": (10, 11, 4, 8), "unrolled": (1, 31, 1, 32)}
"""Clocks a block, latency, cores, bits of the counter: with cores that stand in for AES, which are proved elsewhere."""


def good(rng: random.Random, size: int) -> StreamedMessage:
    """A message of random text; the counter is near its end in every other one."""
    iv = rng.randbytes(12) + rng.choice((rng.randbytes(4), b"\xff\xff\xff\xfd"))
    return streamed(Message(iv=iv, text=rng.randbytes(size)), tell_length=rng.random() < 0.5)


BAD: dict[Fault, Sequence[Callable[[StreamedMessage, random.Random], StreamedMessage]]] = {
    Fault.KEEP: (
        lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0xFFFE),
        lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0x00FB),
        lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0),
    ),
    Fault.PARTIAL: (lambda m, r: with_beat(m, r.randrange(len(m.beats) - 1), keep=(1 << r.randrange(1, 16)) - 1),),
    Fault.ORDER: (
        lambda m, r: with_beat(m, r.randrange(len(m.beats)), section=Section.HEADER),
        lambda m, _: with_beat(m, len(m.beats) - 1, section=Section.TAG),
        lambda m, _: with_beat(m, 0, section=Section.IV),
    ),
    Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
    Fault.IV: (lambda m, r: with_command(m, iv_bytes=r.choice((0, 12, 15, 17, 255))),),
    Fault.LENGTH: (
        lambda m, r: with_command(m, text_bytes=sum(b.keep.bit_count() for b in m.beats) + r.choice((1, 16, 1 << 40))),
        lambda m, _: with_command(m, text_bytes=sum(b.keep.bit_count() for b in m.beats) - 1),
    ),
}


def traffic(rng: random.Random, count: int, most: int = 300) -> list[Keyed]:
    """Good and bad messages under keys that change: of the bad ones every kind, good ones of all lengths."""
    makers = [(fault, make) for fault, each in BAD.items() for make in each]
    made: list[Keyed] = [(None, good(rng, 40)), (None, good(rng, 0))]
    key = rng.randbytes(16)
    for number in range(count):
        if rng.random() < 0.15:
            key = rng.randbytes(16)
        sent = good(rng, rng.choice((0, 1, 15, 16, 17, 32, rng.randrange(most + 1))))
        if rng.random() < 0.4:
            fault, make = makers[number % len(makers)]
            sent = make(good(rng, rng.randrange(17, most + 1)), rng)
            assert answer_of_ctr(Cipher(key), sent, 128)[1] is fault
        made.append((key, sent))
    return made


def answers(counter_bits: int, cipher: type[Cipher]) -> Answer:
    """The model of an engine."""
    return lambda key, sent: answer_of_ctr(None if key is None else cipher(key), sent, counter_bits)


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    clocks, latency, cores, bits = ENGINES[request.param]
    design = CtrEngine("ctr", stand_ins[0](clocks, latency), cores, bits)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def test_the_model_of_the_stream_is_openssl() -> None:
    rng = random.Random(5)
    for size in [*range(1, 50), 300]:
        key, iv, text = rng.randbytes(16), rng.randbytes(16), rng.randbytes(size)
        beats, fault = answer_of_ctr(Cipher(key), streamed(Message(iv=iv, text=text)), 128)
        encryptor = OpenSsl(algorithms.AES(key), modes.CTR(iv)).encryptor()
        assert fault is None
        assert b"".join(beat.data[: beat.keep.bit_count()] for beat in beats) == encryptor.update(text)
        assert [beat.last for beat in beats] == [False] * (len(beats) - 1) + [True]


@pytest.mark.parametrize("fault", BAD)
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(fault: Fault) -> None:
    rng = random.Random(int(fault))
    for make in BAD[fault]:
        for size in range(17, 80):
            assert answer_of_ctr(Cipher(bytes(16)), make(good(rng, size), rng), 128)[1] is fault


@pytest.mark.parametrize("pause", [0, 100, 200])
def test_messages_good_and_bad_are_answered_as_by_the_model(
    engine: Any, offer: Any, stand_ins: Any, pause: int
) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(model, traffic(rng, 150), answers(design.counter_bits, stand_ins[1]), offer, pauses=pauses, seed=pause + 1)


def test_blocks_go_in_the_clocks_of_the_formula_and_messages_follow_without_a_bubble(engine: Any, offer: Any) -> None:
    design, model = engine
    rng = random.Random(3)
    # The first message lets key and commands come before what is measured.
    sent = [(bytes(16), good(rng, 16))] + [(bytes(16), good(rng, rng.randrange(1, 200))) for _ in range(40)]
    beats = offers_of(sent, offer)
    beats[INPUT][1] = replace(beats[INPUT][1], after={OUTPUT: 1, COMMAND: 2})
    made = model.run(beats)
    clocks = [transfer.clock for transfer in made[OUTPUT]][1:]
    shift = clocks[0]
    assert [clock - shift for clock in clocks] == [design.clock_of_block(number) for number in range(len(clocks))]
    assert clocks[0] - made[INPUT][1].clock + 1 == design.latency_cycles


@pytest.mark.parametrize("engine", ["four-cores"], indirect=True)
def test_a_counter_comes_round_in_its_own_bits_and_serves_no_block_more(
    engine: Any, offer: Any, stand_ins: Any
) -> None:
    design, model = engine
    assert design.counter_bits == 8
    iv = bytes(15) + b"\xf0"
    whole = streamed(Message(iv=iv, text=bytes(range(256)) * 16))
    long = streamed(Message(iv=iv, text=bytes(256 * 16 + 1)))
    assert answer_of_ctr(Cipher(bytes(16)), whole, 8)[1] is None
    assert answer_of_ctr(Cipher(bytes(16)), long, 8)[1] is Fault.WRAP
    check(model, [(bytes(16), message) for message in (whole, long, whole)], answers(8, stand_ins[1]), offer)


def test_what_no_engine_can_be_is_refused() -> None:
    for core, cores, told in (
        (UNROLLED, 2, "at most 1"),
        (ROUND_BASED, 11, "at most 10"),
        (ROUND_BASED, 0, "1 to 16"),
        ({"preset": "serial-small-enc"}, 1, "128 bits at once"),
        ({"preset": "ueno2020-encdec"}, 1, "encrypt only"),
    ):
        with pytest.raises(RequestError, match=told):
            ctr_engine("ctr", core, cores)


def test_an_engine_with_its_cores_is_clean_under_lint(tmp_path: Path) -> None:
    lint(ctr_engine("ctr", ROUND_BASED, 4, 32), tmp_path)


WRONG = {
    "the counter does not wrap in its bits": (
        "ctr_engine",
        "counter_q[CounterBits-1:0] <= counter[CounterBits-1:0] + 1'b1",
        "counter_q <= counter + 1'b1",
    ),
    "the counter is one ahead": ("ctr_engine", "? turned(first_counter)", "? turned(first_counter) + 1'b1"),
    "the counter of the message before": ("ctr_engine", "counter = first ?", "counter = first & ~counter_q[0] ?"),
    "bytes that do not count are not masked": ("text_ring", "& {8{keep_o[place]}}", "& {8{valid_o}}"),
    "a stale keep": ("text_ring", "keep_q[place]  <= keep_i", "if (~last_i) keep_q[place] <= keep_i"),
    "an output that is not quiet": ("text_ring", "keep_q[read_q] & {16{valid_o}}", "keep_q[read_q]"),
    "text before its key stream": ("text_ring", "count_q != '0 & done_q[read_q]", "count_q != '0"),
    "key stream at the wrong place": ("text_ring", "add_i & add_place_i ==", "add_i & read_q =="),
    "the ring takes one too many": ("text_ring", "room_o  = count_q != CountBits'(Entries)", "room_o  = 1'b1"),
    "results in another order than blocks": (
        "core_turns",
        "receiving_q <= after",
        "receiving_q <= receiving_q ^ 0*after",
    ),
    "a key within a message": ("ctr_engine", ".open_i (~command_valid)", ".open_i (1'b1)"),
    "a key for one core only": ("core_keys", "&(given_q | core_key_ready_i)", "|(given_q | core_key_ready_i)"),
    "commands before the first key": ("core_keys", "keyed_o = keyed_q", "keyed_o = 1'b1"),
    "a bad beat is processed": ("ctr_engine", "served  = code == '0 &", "served  = 1'b1 &"),
    "the error is forgotten at the next beat": ("section_tracker", "~first_q & code_q != '0 ?", "1'b0 ?"),
    "the error goes on in the next message": ("section_tracker", "~first_q & code_q != '0 ?", "code_q != '0 ?"),
    "holes in keep": ("section_tracker", "(keep_i & (keep_i + 16'd1)) != '0 |", ""),
    "an empty beat within a message": ("section_tracker", "(empty & ~(first_q & last_i))", "1'b0"),
    "partial beats anywhere": (
        "section_tracker",
        "partial_wrong = ~first_q & partial_q",
        "partial_wrong = 1'b0 & partial_q",
    ),
    "partial of the message before": ("section_tracker", "partial_wrong = ~first_q &", "partial_wrong ="),
    "kinds that the mode has not": ("section_tracker", "(~kinds_i[kind_i] |", "("),
    "the length in blocks": ("section_tracker", "{blocks_after, odd_after}", "{4'd0, blocks}"),
    "the blocks of the message before": ("section_tracker", "blocks = first_q ? '0 :", "blocks ="),
    "one block more than the counter serves": (
        "section_tracker",
        "blocks == MostBlocks",
        "blocks == MostBlocks + 60'd1",
    ),
    "the code is lost": ("ctr_engine", "error_o <= out_code", "error_o <= '1"),
    "no last beat after an error": ("ctr_engine", "put     = take & (served | beat_last)", "put     = take & served"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

TESTED = tuple(WRONG)[::6]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as number 0, and wrong ones."""
    right = CtrEngine("right", stand_ins[0](10, 11), 3, 8)
    wrong = [wrong_engine(right, f"wrong_{number}", *WRONG[what]) for number, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


def passes(_: CtrEngine, model: Any, number: int, offer: Any, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model does, with pauses and without."""
    rng = random.Random(7)
    iv = bytes(15) + b"\xf0"
    long = [(bytes(16), streamed(Message(iv=iv, text=bytes(16 * blocks)))) for blocks in (256, 257)]
    for pause in (0, 120):
        sent = traffic(rng, 120, 100) + long * (pause == 0)
        try:
            check(
                model,
                sent,
                answers(8, cipher),
                Chosen(offer, number),
                pauses=dict.fromkeys(ALWAYS, pause),
                seed=pause + 1,
            )
        except AssertionError:
            return False
    return True


@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, offer: Any, stand_ins: Any) -> None:
    number = ["none", *TESTED].index(what)
    assert passes(*many, number, offer, stand_ins[1]) is (what == "none")
