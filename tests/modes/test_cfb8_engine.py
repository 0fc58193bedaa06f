"""The engine of CFB8 in simulation against its model: messages, clocks, wrong ones."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as OpenSsl
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, with_pauses, wrong_engine

from aesmith.assurance.streams.channels import Offer
from aesmith.assurance.streams.check import message_clocks, offers_of
from aesmith.cores.design import Direction
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.cfb8_engine import Cfb8Engine, cfb8_engine
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, TURNS
from aesmith.modes.message import Cipher, Message
from aesmith.modes.stream import streamed

pytestmark = pytest.mark.one_in(4)

try:
    from cryptography.hazmat.decrepit.ciphers import modes as old_modes
except ImportError:  # Older versions have them beside the others.
    old_modes = modes

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENGINES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "one core": ((10, 11), {}),
    "one core of both directions": ((10, 11, BOTH), {}),
    "pipeline": ((1, 12), {"chain": "registered"}),
    "two cores": ((3, 7), {"cores": 2}),
}
"""Clocks a block, latency and directions of cores that stand in for AES; fields of the engine."""


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, fields = ENGINES[request.param]
    design = Cfb8Engine("cfb8", stand_ins[0](*core), **fields)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def test_the_model_of_the_stream_is_openssl() -> None:
    design = cfb8_engine("cfb8", {"preset": "ueno2020-encdec"})
    rng = random.Random(5)
    for count in [*range(1, 50), 300]:
        key, iv, text = rng.randbytes(16), rng.randbytes(16), rng.randbytes(count)
        openssl = OpenSsl(algorithms.AES(key), old_modes.CFB8(iv))
        for encrypt, worker in ((True, openssl.encryptor()), (False, openssl.decryptor())):
            beats, fault = design.answer(Cipher(key), streamed(Message(iv=iv, text=text), encrypt=encrypt))
            assert fault is None
            assert b"".join(beat.data[: beat.keep.bit_count()] for beat in beats) == worker.update(text)
            assert [beat.last for beat in beats] == [False] * (len(beats) - 1) + [True]


def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is() -> None:
    design = cfb8_engine("cfb8", {"preset": "ueno2020-enc"})
    for fault, makers in design.traffic.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            for most in range(17, 80):
                sent = make(design.traffic.to_break(rng, Cipher(bytes(16)), most), rng)
                assert design.answer(Cipher(bytes(16)), sent)[1] is fault


@pytest.mark.thorough
@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(design, model, design.traffic.messages(rng, 150), stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough(but=1)
def test_messages_follow_in_the_clocks_of_the_formula(engine: Any) -> None:
    design, model = engine
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (texts, encrypt)


def clocks_of_bytes(design: Cfb8Engine, model: Any, size: int, offer: Any = Offer, *, encrypt: bool) -> float:
    """Clocks from message to message of equal ones of so many bytes, as a mean in which all cores have equal turns."""
    messages, around = TURNS * design.cores, 12
    sent = streamed(Message(iv=bytes(16), text=bytes(size)), encrypt=encrypt)
    offers = offers_of([(bytes(16), sent)] * (messages + 2 * around), offer)
    if isinstance(offer, Chosen):
        offers["chosen"] = [Offer((offer.number,))]
    ends = [transfer.clock for transfer in model.run(offers)[OUTPUT] if transfer.payloads[3]]
    return (ends[around + messages] - ends[around]) / messages


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("size", [1, 2, 15, 17, 33])
def test_a_message_takes_a_call_for_each_of_its_bytes(engine: Any, size: int) -> None:
    design, model = engine
    for encrypt in (True, False):
        seen = clocks_of_bytes(design, model, size, encrypt=encrypt)
        assert seen == design.bytes_cycles(size, encrypt=encrypt)


@pytest.mark.thorough(but=1)
def test_what_is_rated_are_the_clocks_of_long_messages(engine: Any) -> None:
    design, _ = engine
    slowest = max(design.message_cycles(0, 900, encrypt=way is Direction.ENCRYPT) for way in design.directions)
    assert slowest / 900 == pytest.approx(design.cycles_per_block, rel=1e-2)


@pytest.mark.thorough(but=1)
def test_text_leaves_after_the_clocks_that_are_stated(engine: Any) -> None:
    design, model = engine
    offers = offers_of([(bytes(16), streamed(Message(iv=bytes(16), text=bytes(16))))] * 2)
    offers[INPUT][1] = replace(offers[INPUT][1], after={COMMAND: 2, OUTPUT: 1})
    made = model.run(offers)
    assert made[OUTPUT][1].clock - made[INPUT][1].clock + 1 == design.latency_cycles


def test_what_a_chain_reaches_is_told(stand_ins: Any) -> None:
    """A byte a latency, whatever the core could take; what is known at once takes all cores."""
    round_based = stand_ins[0](10, 11)
    for encrypt, clocks in ((True, 10), (False, 2)):
        direct, registered = (Cfb8Engine("cfb8", round_based, 5, chain) for chain in ("direct", "registered"))
        assert direct.block_cycles(encrypt=encrypt) == 16 * clocks
        assert registered.block_cycles(encrypt=encrypt) == 16 * (clocks + encrypt)


def test_what_no_engine_can_be_is_refused() -> None:
    dec: dict[str, object] = {"architecture": "subpipelined", "directions": ("decrypt",), "stages": 1}
    for core, fields, told in (
        ({"preset": "serial-small-enc"}, {}, "128 bits at once, as column-gated-enc does; serial-small-enc takes 8"),
        ({"preset": "ueno2020-encdec-selectable"}, {}, "one key size"),
        ({"preset": "ueno2020-enc"}, {"chain": "none"}, "chain: must be one of direct, registered"),
        (dec, {}, "cfb8 needs one that encrypts"),
        ({"preset": "ueno2020-enc"}, {"cores": 11}, "at most 10"),
    ):
        with pytest.raises(RequestError, match=told):
            cfb8_engine("cfb8", core, **fields)


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("preset", ["ueno2020-enc", "ueno2020-encdec"])
def test_an_engine_with_its_cores_is_clean_under_lint(preset: str, tmp_path: Path) -> None:
    lint(cfb8_engine("cfb8", {"preset": preset}, cores=2), tmp_path)


BEGUN = "if (first & at_q == '0) chain = iv;"
CHAIN = "assign waits = owed_q & ~(Direct & pays)"
WRONG = {
    "the chain is not begun anew": ("cfb8_engine", BEGUN, "if (first & at_q == '0) chain = chain_q;"),
    "the chain goes on in the next message": (
        "cfb8_engine",
        BEGUN,
        "if (first & at_q == '0 & ~encrypt) chain = iv;",
    ),
    "the chain of a wrong message": ("cfb8_engine", BEGUN, "if (first & at_q == '0 & ~owed_q) chain = iv;"),
    "the chain is not waited for": ("cfb8_engine", CHAIN, "assign waits = 1'b0 & owed_q"),
    "the result of a message that was refused": ("cfb8_engine", CHAIN, "assign waits = owed_q & ~first & ~pays"),
    "decryption waits for results": ("cfb8_engine", "owed_q <= encrypt & ~(last", "owed_q <= ~(last"),
    "IVs of any size": (
        "cfb8_engine",
        "s_axis_cmd_tdata[31:24] == 8'd16 ?",
        "s_axis_cmd_tdata[31:28] == '0 | s_axis_cmd_tdata[28] ?",
    ),
    "bytes that do not count are not masked": ("text_ring", "& {8{keep_o[place]}}", "& {8{valid_o}}"),
    "a bad beat is processed": ("cfb8_engine", "served  = code == '0 &", "served  = 1'b1 &"),
    "the code is lost": ("cfb8_engine", "error_o <= out_code", "error_o <= '1"),
    "a key within a message": ("message_front", ".open_i (~command_valid & idle_i)", ".open_i (idle_i)"),
    "any slot": ("message_front", "~keyed | slot_i != '0 ?", "~keyed ?"),
    "no last beat after an error": ("cfb8_engine", "put     = take & (served | last)", "put     = take & served"),
    "a byte comes in at the wrong end": (
        "cfb8_engine",
        "{text[8*at_q+:8], chain[127:8]}",
        "{chain[119:0], text[8*at_q+:8]}",
    ),
    "plaintext goes into the chain": (
        "cfb8_engine",
        "{result, 120'd0}",
        "{8'd0 & result, 120'd0}",
    ),
    "the result is added at the wrong end": (
        "cfb8_engine",
        "{result, 120'd0}",
        "{120'd0, result}",
    ),
    "the last byte of a result": (
        "cfb8_engine",
        ".block_o({result, unused_result})",
        ".block_o({unused_result, result})",
    ),
    "a call too few": ("cfb8_engine", "(keep >> at_q) == 16'd1", "(keep >> at_q) <= 16'd3"),
    "a call for each place of a beat": ("cfb8_engine", "(keep >> at_q) == 16'd1", "at_q == 4'd15"),
    "a call for the first byte alone": ("cfb8_engine", "ends    = ~served |", "ends    = 1'b1 | ~served |"),
    "the chain is the byte before alone": (
        "cfb8_engine",
        "{text[8*at_q+:8], chain[127:8]}",
        "{text[8*at_q+:8], iv[127:8]}",
    ),
    "the IV for each byte of the first beat": ("cfb8_engine", BEGUN, "if (first) chain = iv;"),
    "the IV at the first byte of each beat": ("cfb8_engine", BEGUN, "if (at_q == '0) chain = iv;"),
    "the first byte of a beat for all": ("cfb8_engine", "{text[8*at_q+:8], chain", "{text[7:0], chain"),
    "a byte of the beat before": (
        "cfb8_engine",
        "if (result_valid) gathered_q <= gathered",
        "if (result_valid & adds) gathered_q <= gathered",
    ),
    "results in the first place": ("cfb8_engine", "gathered[8*result_at+:8] =", "gathered[8*(result_at & 4'd0)+:8] ="),
    "a beat leaves behind its first byte": (
        "cfb8_engine",
        ".add_i       (result_valid & adds)",
        ".add_i       (result_valid)",
    ),
    "the number of a byte is kept": ("cfb8_engine", "at_q <= ends ? '0 : at_q + 1'b1", "at_q <= at_q + 1'b1"),
    "the chain is not waited for within a beat": (
        "cfb8_engine",
        "owed_q <= encrypt & ~(last & ends)",
        "owed_q <= encrypt & ends & ~last",
    ),
    "the last byte of a message is waited for": (
        "cfb8_engine",
        "owed_q <= encrypt & ~(last & ends)",
        "owed_q <= encrypt",
    ),
    "decryption adds results to the chain": (
        "cfb8_engine",
        "{ends, at_q, encrypt & ~(last & ends), place}",
        "{ends, at_q, ~(last & ends), place}",
    ),
    "a registered chain without its last result": (
        "cfb8_engine",
        "if (Direct & pays) chain = sum;",
        "if (Direct & pays & at_q == '0) chain = sum;",
    ),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

TESTED = tuple(WRONG)[::4]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Any) -> Cfb8Engine:
    """The engine of which wrong ones are made."""
    return Cfb8Engine("right_cfb8", stand_in(3, 4), 2)


def passes(right: Cfb8Engine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without, and in the clocks of
    a part of a beat."""
    rng = random.Random(7)
    for pause in (0, 120):
        sent = right.traffic.messages(rng, 120, cipher, most=100)
        pauses = dict.fromkeys(ALWAYS, pause)
        try:
            check(right, model, sent, cipher, Chosen(number), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    return all(
        clocks_of_bytes(right, model, 17, Chosen(number), encrypt=encrypt) == right.bytes_cycles(17, encrypt=encrypt)
        for encrypt in (True, False)
    )


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as the first one, and wrong ones of it."""
    right = right_one(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_{n}", *WRONG[what]) for n, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    right, model = many
    assert passes(right, model, ["none", *TESTED].index(what), stand_ins[1]) is (what == "none")
