"""The CMAC engine in simulation against its model: good and bad messages, pauses, clocks, wrong engines."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import algorithms
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, wrong_engine

from aesmith.assurance.streams.check import message_clocks, offers_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.chained_stream import answer_of_cmac, streamed_for_cmac
from aesmith.modes.chained_traffic import CMAC_TRAFFIC
from aesmith.modes.cmac_engine import CmacEngine, cmac_engine
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.message import Cipher, Fault, Message

ENGINES = {"registered": ((10, 11), "registered"), "direct": ((10, 11), "direct"), "pipeline": ((1, 31), "direct")}
"""Clocks a block and latency of cores that stand in for AES; how the chain goes on."""


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, chain = ENGINES[request.param]
    design = CmacEngine("cmac", stand_ins[0](*core), chain=chain)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def test_the_model_of_the_stream_is_openssl() -> None:
    rng = random.Random(5)
    for size in [*range(50), 300]:
        key, text = rng.randbytes(16), rng.randbytes(size)
        theirs = cmac.CMAC(algorithms.AES(key))
        theirs.update(text)
        tag = theirs.finalize()
        beats, fault = answer_of_cmac(Cipher(key), streamed_for_cmac(Message(text=text, tag=bytes(12))))
        assert fault is None
        assert [(beat.data[:12], beat.keep, beat.last) for beat in beats] == [(tag[:12], 0x0FFF, True)]
        for changed in (tag, bytes([tag[0] ^ 1]) + tag[1:]):
            sent = streamed_for_cmac(Message(text=text, tag=changed), encrypt=False)
            (beat,), _ = answer_of_cmac(Cipher(key), sent)
            assert (beat.keep, beat.failed) == (0, changed != tag)


@pytest.mark.parametrize("fault", CMAC_TRAFFIC.bad)
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(fault: Fault) -> None:
    rng = random.Random(int(fault))
    cipher = Cipher(bytes(16))
    for make in CMAC_TRAFFIC.bad[fault]:
        for _ in range(20):
            assert answer_of_cmac(cipher, make(CMAC_TRAFFIC.to_break(rng, cipher, 48), rng))[1] is fault


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(("pause", "slow"), [(0, 0), (100, 100), (200, 200), (0, 248)])
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int, slow: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS} | {OUTPUT: slow}
    check(design, model, CMAC_TRAFFIC.messages(rng, 300, stand_ins[1]), stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough(but=1)
def test_messages_follow_in_the_clocks_of_the_formula(engine: Any) -> None:
    design, model = engine
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (texts, encrypt)


@pytest.mark.thorough(but=1)
def test_a_tag_leaves_after_the_clocks_that_are_stated(engine: Any) -> None:
    design, model = engine
    offers = offers_of([(bytes(16), streamed_for_cmac(Message(text=bytes(16), tag=bytes(16))))] * 2)
    # The second one comes to an engine that is at rest.
    offers[INPUT][1] = replace(offers[INPUT][1], after={COMMAND: 2, OUTPUT: 1})
    made = model.run(offers)
    assert made[OUTPUT][1].clock - made[INPUT][1].clock + 1 == design.latency_cycles


@pytest.mark.thorough
def test_a_core_of_bytes_stands_behind_the_engine_and_computes_aes(bench: Any, tmp_path: Path) -> None:
    design = cmac_engine("cmac", {"preset": "serial-shared-small-enc"})
    model = bench(design, tmp_path / "model")
    for pause in (0, 120):
        sent = CMAC_TRAFFIC.messages(random.Random(pause), 40, most=60)
        check(design, model, sent, Cipher, pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)
    for texts, encrypt in ((0, True), (0, False), (3, True), (3, False)):
        seen, _ = message_clocks(design, model.run, 0, texts, encrypt=encrypt)
        assert seen == design.message_cycles(0, texts, encrypt=encrypt), (texts, encrypt)


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        ("ueno2020-encdec", {}, "encrypt only"),
        ("ueno2020-enc", {"cores": 2}, "cores: must be 1, not 2"),
        ("ueno2020-enc", {"chain": "none"}, "chain: must be one of direct, registered"),
        ("serial-small-enc", {"chain": "registered"}, "takes blocks in words"),
    ):
        with pytest.raises(RequestError, match=told):
            cmac_engine("cmac", {"preset": core}, **fields)


@pytest.mark.parametrize("core", ["ueno2020-enc", "serial-shared-small-enc", "column-beat32-enc"])
def test_an_engine_with_its_core_is_clean_under_lint(core: str, tmp_path: Path) -> None:
    lint(cmac_engine("cmac", {"preset": core}), tmp_path)


WRONG = {
    "the chain of the message before": ("cmac_engine", "if (~first) block ^= chain", "block ^= chain"),
    "no chain": ("cmac_engine", "if (~first) block ^= chain", "if (~first) block ^= '0 & chain"),
    "K1 and K2 exchanged": ("cmac_engine", "used[15] ? key_q : doubled(key_q)", "used[15] ? doubled(key_q) : key_q"),
    "K1 in every block": ("cmac_engine", "if (final_block) block", "if (final_block | make) block"),
    "K1 is not doubled": (
        "cmac_engine",
        "if (result_last & of_key_q) key_q <= doubled(result)",
        "if (result_last & of_key_q) key_q <= result",
    ),
    "doubled without reduction": ("cmac_engine", "8'h87 & {8{value[127]}}", "8'h00 & {8{value[127]}}"),
    "the padding bit a byte late": (
        "cmac_engine",
        "before_end  = {used[14:0], 1'b1}",
        "before_end  = {used[13:0], 2'b10}",
    ),
    "the padding bit at the other end of its byte": (
        "cmac_engine",
        "{before_end[place], 7'd0}",
        "{7'd0, before_end[place]}",
    ),
    "bytes that do not count are not masked": (
        "cmac_engine",
        "used[place] ? text[8*place+:8] : {before_end[place], 7'd0}",
        "text[8*place+:8] ^ {before_end[place] & ~used[place], 7'd0}",
    ),
    "the tag is compared but for its last byte": (
        "cmac_engine",
        "place < 16; place++) wrong |=",
        "place < 15; place++) wrong |=",
    ),
    "every tag is right": (
        "cmac_engine",
        "verdict & wrong(tag ^ text, keep)",
        "verdict & 1'b0 & wrong(tag ^ text, keep)",
    ),
    "all bytes of a short tag are compared": ("cmac_engine", "wrong(tag ^ text, keep)", "wrong(tag ^ text, '1)"),
    "the tag that was made leaves with the verdict": (
        "cmac_engine",
        "{16{shows_tag_q}}",
        "{16{shows_tag_q | verdict}}",
    ),
    "a byte too much of the tag": ("cmac_engine", "4'(place) < bytes", "4'(place) <= bytes"),
    "bytes of the tag of the message behind": ("cmac_engine", "ones(tag_bytes_q)", "ones(of_bytes_q)"),
    "the verdict before the last block": ("cmac_engine", "sent_q & ~busy_q", "sent_q"),
    "the verdict of the message before": (
        "cmac_engine",
        "if (take & last) sent_q <= 1'b0",
        "if (1'b0 & take & last) sent_q <= 1'b0",
    ),
    "the last block is not looked for": ("cmac_engine", "make ? last : is_tag | behind_tag_q", "make ? last : is_tag"),
    "the beat behind is not waited for": (
        "cmac_engine",
        "first & ~sent_q : make | behind_q",
        "first & ~sent_q : 1'b1 | behind_q",
    ),
    "an empty message without its block": (
        "cmac_engine",
        "is_tag ? first & ~sent_q :",
        "is_tag ? 1'b0 & first & ~sent_q :",
    ),
    "the keys of the key before": (
        "cmac_engine",
        "if (key_valid_i & key_ready_o) key_due_q <= 1'b1",
        "if (key_valid_i & key_ready_o & ~of_tag_q) key_due_q <= 1'b1",
    ),
    "a tag is overwritten": ("cmac_engine", "core_result_ready_o[0] = ~shows_tag_q", "core_result_ready_o[0] = 1'b1"),
    "the end of a wrong message before a tag": (
        "cmac_engine",
        "& ~shows_tag_q & ~(busy_q & of_tag_q)",
        "& ~shows_tag_q",
    ),
    "IVs": ("cmac_engine", "if (s_axis_cmd_tdata[31:24] != '0) refusal", "if (s_axis_cmd_tdata[31:28] != '0) refusal"),
    "tags of any size": ("cmac_engine", "refusal = 4'd8", "refusal = 4'd0"),
    "a tag to make may come": ("cmac_engine", ".kinds_i     ({~make, 3'b100})", ".kinds_i     (4'b1100)"),
    "failed is not said": ("cmac_engine", "verdict & wrong(tag ^ text, keep)", "shows_error & wrong(tag ^ text, keep)"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

TESTED = tuple(WRONG)[::5]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Any) -> CmacEngine:
    """The engine of which wrong ones are made."""
    return CmacEngine("right", stand_in(10, 11), chain="direct")


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as number 0, and wrong ones."""
    right = right_one(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_{number}", *WRONG[what]) for number, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


def passes(right: CmacEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model does, without pauses, with them, and to a slow receiver."""
    rng = random.Random(7)
    for pause, slow in ((0, 0), (120, 120), (0, 248)):
        sent = CMAC_TRAFFIC.messages(rng, 200, cipher, most=100)
        pauses = dict.fromkeys(ALWAYS, pause) | {OUTPUT: slow}
        try:
            check(right, model, sent, cipher, Chosen(number), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    number = ["none", *TESTED].index(what)
    assert passes(*many, number, stand_ins[1]) is (what == "none")
