"""The XTS engine in simulation against its model: messages, stealing, pauses, clocks, keys, wrong engines."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as OpenSsl
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, with_pauses, wrong_engine

from aesmith.assurance.streams.check import message_clocks, offers_of
from aesmith.cores.design import Direction
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.stream import streamed
from aesmith.modes.xts_engine import XtsEngine, xts_engine
from aesmith.modes.xts_messages import XTS_TRAFFIC

pytestmark = pytest.mark.one_in(4)

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENGINES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...], int]] = {
    "both": ((10, 11, BOTH), (10, 11), 1),
    "encrypt": ((10, 11), (10, 21), 3),
    "decrypt": ((10, 11, (Direction.DECRYPT,)), (10, 11, BOTH), 2),
    "pipeline": ((1, 31, BOTH), (10, 11), 1),
}
"""Clocks a block, latency and directions of cores that stand in for AES, and of the core of tweaks; how many cores."""


def _design(stand_in: Any, core: tuple[Any, ...], tweak: tuple[Any, ...], cores: int) -> XtsEngine:
    return XtsEngine("disk", stand_in(*core), cores, tweak_core=renamed(stand_in(*tweak)))


def renamed(core: Any) -> Any:
    """The core under another name, so that it may be the same as another one."""
    text = core.sources[0].text.replace(core.name, f"{core.name}_tweak")
    source = replace(core.sources[0], name=f"{core.name}_tweak.sv", text=text)
    return replace(core, name=f"{core.name}_tweak", sources=(source,))


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    design = _design(stand_ins[0], *ENGINES[request.param])
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def test_the_model_of_the_stream_is_openssl() -> None:
    design = xts_engine("disk", {"preset": "ueno2020-encdec"}, {"preset": "ueno2020-enc"})
    rng = random.Random(5)
    for size in [*range(16, 70), 300, 512]:
        key, iv, text = rng.randbytes(32), rng.randbytes(16), rng.randbytes(size)
        openssl = OpenSsl(algorithms.AES(key), modes.XTS(iv))
        for encrypt, worker in ((True, openssl.encryptor()), (False, openssl.decryptor())):
            beats, fault = design.answer(Cipher(key), streamed(Message(iv=iv, text=text), encrypt=encrypt))
            assert fault is None
            assert b"".join(beat.data[: beat.keep.bit_count()] for beat in beats) == worker.update(text)
            assert [beat.last for beat in beats] == [False] * (len(beats) - 1) + [True]


def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is() -> None:
    design = xts_engine("disk", {"preset": "ueno2020-encdec"}, {"preset": "ueno2020-enc"})
    cipher = Cipher(bytes(range(32)))
    for fault, makers in XTS_TRAFFIC.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            for most in range(33, 80):
                assert design.answer(cipher, make(XTS_TRAFFIC.to_break(rng, cipher, most), rng))[1] is fault
    good = XTS_TRAFFIC.good(random.Random(1), cipher, 60)
    assert design.answer(Cipher(bytes(32)), good)[1] is Fault.XTS


@pytest.mark.thorough(but=1)
@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    sent = design.traffic.messages(rng, 150, stand_ins[1], key_bytes=32)
    check(design, model, sent, stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough(but=1)
def test_every_length_steals_what_it_must(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    rng = random.Random(11)
    key = rng.randbytes(32)
    sent = [
        (key, streamed(Message(iv=rng.randbytes(16), text=rng.randbytes(size)), encrypt=way is Direction.ENCRYPT))
        for size in range(16, 80)
        for way in design.directions
    ]
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough(but=2)
def test_messages_follow_in_the_clocks_of_the_formula(engine: Any) -> None:
    design, model = engine
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (texts, encrypt)


def test_text_leaves_after_the_clocks_that_are_stated(engine: Any) -> None:
    design, model = engine
    offers = offers_of([(bytes(range(32)), streamed(Message(iv=bytes(16), text=bytes(16))))] * 2)
    offers[INPUT][1] = replace(offers[INPUT][1], after={COMMAND: 2, OUTPUT: 1})
    made = model.run(offers, pauses={INPUT: 255})
    waited = [transfer.clock for transfer in made[INPUT]]
    assert made[OUTPUT][1].clock - waited[1] + 1 == design.latency_cycles


def test_what_no_engine_can_be_is_refused() -> None:
    core, enc256 = {"preset": "ueno2020-encdec"}, {"preset": "ueno2020-enc-256"}
    dec: dict[str, object] = {"architecture": "subpipelined", "directions": ("decrypt",), "stages": 1}
    for tweak, told in (
        (enc256, "keys of 128 bits"),
        (dec, "must encrypt"),
        ({"preset": "serial-shared-keyed-enc"}, "must have the block interface"),
    ):
        with pytest.raises(RequestError, match=f"tweak_core: .*{told}"):
            xts_engine("disk", core, tweak)
    with pytest.raises(RequestError, match="128 bits at once"):
        xts_engine("disk", {"preset": "serial-small-enc"}, {"preset": "ueno2020-enc"})


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("core", "tweak"), [("ueno2020-encdec", "serial-shared-small-enc"), ("ueno2020-enc", "ueno2020-encdec")]
)
def test_an_engine_with_its_cores_is_clean_under_lint(core: str, tweak: str, tmp_path: Path) -> None:
    lint(xts_engine("disk", {"preset": core}, {"preset": tweak}, cores=2), tmp_path)


WRONG = {
    "the tweak stays": ("xts_engine", "next = {tweak[126:0], 1'b0}", "next = {tweak[127:1], tweak[0]}"),
    "another polynomial": ("xts_engine", "8'h87", "8'h86"),
    "the number turned round": ("xts_engine", "turned(first_tweak) :", "first_tweak :"),
    "the tweak of the message before": ("xts_engine", "first ? turned", "first & encrypt ? turned"),
    "nothing is added before": ("xts_engine", "turned(text_q ^ tweak)", "turned(text_q)"),
    "nothing is added behind": ("xts_engine", "code} : ring_tweak)", "code} : '0)"),
    "stealing in the order of encryption": ("xts_engine", "Split: advanced = decrypts_q", "Split: advanced = 1'b0"),
    "the first answer without its tweak": ("xts_engine", "steals & ~decrypts_q ?", "steals & decrypts_q ?"),
    "what is stolen without its tweak": ("xts_engine", "Wait:  advanced = decrypts_q", "Wait:  advanced = 1'b0"),
    "the second tweak is the first": ("xts_engine", "Join:  advanced = ~decrypts_q", "Join:  advanced = 1'b0"),
    "nothing is stolen": ("xts_engine", "if (~part_q[i])", "if (1'b0 & part_q[i])"),
    "all is stolen": ("xts_engine", "if (~part_q[i])", "if (1'b1 | part_q[i])"),
    "another block's bytes are stolen": (
        "xts_engine",
        "Wait:  if (result_valid & result_stolen)",
        "Wait:  if (result_valid)",
    ),
    "answers in the order in which they come": ("xts_engine", "Join ? first_place_q : place", "Join ? place : place"),
    "no block is held back": ("xts_engine", "(valid & ~steals)) & room", "valid) & room"),
    "less than a block": ("xts_engine", ".large_i     (first & ~keep[15])", ".large_i     (1'b0)"),
    "keys of equal halves": ("xts_engine", "refusal = equal_q ?", "refusal = 1'b0 & equal_q ?"),
    "a key between two that steal": ("xts_engine", ".idle_i      (~held_q)", ".idle_i      (1'b1)"),
    "a tweak without a key": ("xts_engine", "with_tweak        = keyed_q &", "with_tweak        ="),
    "the tweak of a wrong message": ("xts_engine", "take & first & wanted", "enters & first & wanted"),
    "the core never decrypts": ("xts_engine", "core_decrypt_o = decrypts_q", "core_decrypt_o = 1'b0 & decrypts_q"),
    "the direction of the next message": ("xts_engine", "core_decrypt_o = decrypts_q", "core_decrypt_o = ~encrypt"),
    "tweaks of any size": ("xts_engine", "if (s_axis_cmd_tdata[31:24] != 8'd16)", "if (s_axis_cmd_tdata[31:28] != '0)"),
    "a part is never the last": ("xts_engine", "put_last = last;", "put_last = 1'b0 & last;"),
    "a bad beat is processed": ("xts_engine", "enters = here & good &", "enters = here &"),
    "no last beat after an error": ("xts_engine", "(drops & last) : phase_q", "(drops & last & first) : phase_q"),
    "no room for an error": ("xts_engine", "~held_q & (~last | room)", "~held_q"),
    "no room for the first of two": ("xts_engine", "if (steals & room) phase_q", "if (steals) phase_q"),
    "the code is lost": ("xts_engine", "error_o <= out_code", "error_o <= '1"),
    "the tweak is not encrypted": ("tweak_maker", "else if (comes) value_q <=", "else if (comes & 1'b0) value_q <="),
    "a tweak is taken for the next": ("tweak_maker", "{known_q, free_q} <= 2'b01", "{known_q, free_q} <= 2'b11"),
    "bytes that do not count are not masked": ("text_ring", "& {8{keep_o[place]}}", "& {8{valid_o}}"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

TESTED = tuple(WRONG)[::4]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Any) -> XtsEngine:
    """The engine of which wrong ones are made: results of several blocks are under way, and messages wait for room."""
    return replace(_design(stand_in, (2, 9, BOTH), (10, 11), 2), name="right")


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as the first one, and wrong ones."""
    right = right_one(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_{number}", *WRONG[what]) for number, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


def passes(right: XtsEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    rng = random.Random(7)
    for pauses in ({}, {INPUT: 120, OUTPUT: 120}, {OUTPUT: 245}):
        sent = right.traffic.messages(rng, 120, cipher, most=100, key_bytes=32)
        try:
            check(right, model, sent, cipher, Chosen(number), pauses=ALWAYS | pauses, seed=number + 1)
        except CheckError:
            return False
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    right, model = many
    assert passes(right, model, ["none", *TESTED].index(what), stand_ins[1]) is (what == "none")
