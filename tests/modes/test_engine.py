"""The CTR engine in simulation against its model: good and bad messages, pauses, clocks, wrong engines."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as OpenSsl
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from tests.modes.engine_bench import (
    ALWAYS,
    Chosen,
    ManyEngines,
    check,
    with_pauses,
    wrong_engine,
)

from aesmith.assurance.streams.check import offers_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.ctr_engine import CtrEngine, ctr_engine
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.stream import StreamedMessage, answer_of_ctr, streamed
from aesmith.modes.traffic import CTR_TRAFFIC

ROUND_BASED: dict[str, object] = {"preset": "ueno2020-enc"}
UNROLLED: dict[str, object] = {"architecture": "subpipelined", "stages": 1}
ENGINES = {"one-core": (10, 11, 1, 128), "four-cores": (10, 11, 4, 8), "unrolled": (1, 31, 1, 32)}
"""Clocks a block, latency, cores, bits of the counter: with cores that stand in for AES, which are proved elsewhere."""


def message(rng: random.Random, size: int) -> StreamedMessage:
    """A message of random text, its counter in the command."""
    return streamed(Message(iv=rng.randbytes(16), text=rng.randbytes(size)))


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


@pytest.mark.parametrize("fault", CTR_TRAFFIC.bad)
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(fault: Fault) -> None:
    rng = random.Random(int(fault))
    for make in CTR_TRAFFIC.bad[fault]:
        for most in range(17, 80):
            sent = make(CTR_TRAFFIC.to_break(rng, Cipher(bytes(16)), most), rng)
            assert answer_of_ctr(Cipher(bytes(16)), sent, 128)[1] is fault


@pytest.mark.thorough(but=1)
@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(design, model, CTR_TRAFFIC.messages(rng, 150), stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough(but=1)
def test_blocks_go_in_the_clocks_of_the_formula_and_messages_follow_without_a_bubble(engine: Any) -> None:
    design, model = engine
    rng = random.Random(3)
    # The first message lets key and commands come before what is measured.
    sent = [(bytes(16), message(rng, 16))] + [(bytes(16), message(rng, rng.randrange(1, 200))) for _ in range(40)]
    beats = offers_of(sent)
    beats[INPUT][1] = replace(beats[INPUT][1], after={OUTPUT: 1, COMMAND: 2})
    made = model.run(beats)
    clocks = [transfer.clock for transfer in made[OUTPUT]][1:]
    shift = clocks[0]
    assert [clock - shift for clock in clocks] == [design.clock_of_block(number) for number in range(len(clocks))]
    assert clocks[0] - made[INPUT][1].clock + 1 == design.latency_cycles


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["four-cores"], indirect=True)
def test_a_counter_comes_round_in_its_own_bits_and_serves_no_block_more(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    assert design.counter_bits == 8
    iv = bytes(15) + b"\xf0"
    whole = streamed(Message(iv=iv, text=bytes(range(256)) * 16))
    long = streamed(Message(iv=iv, text=bytes(256 * 16 + 1)))
    assert answer_of_ctr(Cipher(bytes(16)), whole, 8)[1] is None
    assert answer_of_ctr(Cipher(bytes(16)), long, 8)[1] is Fault.WRAP
    check(design, model, [(bytes(16), sent) for sent in (whole, long, whole)], stand_ins[1])


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
    "an output that is not quiet": ("text_ring", "keep_q[read_q] & {16 * Lanes{valid_o}}", "keep_q[read_q]"),
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
    "holes in keep": ("section_tracker", "(keep_i[lane] & (keep_i[lane] + 16'd1)) != '0 |", ""),
    "an empty beat within a message": ("section_tracker", "~last_i | (lane == 0 & ~first_q)", "1'b0"),
    "partial beats anywhere": (
        "section_tracker",
        "behind[lane] & partial_before[lane]",
        "1'b0 & partial_before[lane]",
    ),
    "partial of the message before": ("section_tracker", "behind[lane] & partial_before[lane]", "partial_before[lane]"),
    "kinds that the mode has not": ("section_tracker", "(~kinds_i[kind_i[lane]] |", "("),
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


def passes(right: CtrEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    rng = random.Random(7)
    iv = bytes(15) + b"\xf0"
    long = [(bytes(16), streamed(Message(iv=iv, text=bytes(16 * blocks)))) for blocks in (256, 257)]
    for pause in (0, 120):
        sent = CTR_TRAFFIC.messages(rng, 120, most=100) + long * (pause == 0)
        pauses = dict.fromkeys(ALWAYS, pause)
        try:
            check(right, model, sent, cipher, Chosen(number), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    return True


@pytest.mark.thorough(
    but=(
        "none",
        "the counter does not wrap in its bits",
    )
)
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    number = ["none", *TESTED].index(what)
    assert passes(*many, number, stand_ins[1]) is (what == "none")
