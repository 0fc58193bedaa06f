"""The engines of CBC, CFB128, CFB8 and OFB in simulation against their models: messages, clocks, wrong ones."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as OpenSsl
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, wrong_engine

from aesmith.assurance.streams.channels import Offer
from aesmith.assurance.streams.check import message_clocks, offers_of
from aesmith.cores.design import Direction
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.chained_engine import (
    CbcEngine,
    Cfb8Engine,
    Cfb128Engine,
    ChainedEngine,
    OfbEngine,
    chained_engine,
)
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, TURNS
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.stream import streamed

pytestmark = pytest.mark.one_in(4)

try:
    from cryptography.hazmat.decrepit.ciphers import modes as old_modes
except ImportError:  # Older versions have them beside the others.
    old_modes = modes

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENGINES: dict[str, tuple[type[ChainedEngine], tuple[Any, ...], dict[str, Any]]] = {
    "cbc": (CbcEngine, (10, 11, BOTH), {}),
    "cbc-decrypt": (CbcEngine, (10, 11, (Direction.DECRYPT,)), {"cores": 3}),
    "cbc-pipeline": (CbcEngine, (1, 31, BOTH), {"chain": "registered"}),
    "cfb128": (Cfb128Engine, (10, 11), {"cores": 4}),
    "cfb8": (Cfb8Engine, (10, 11), {}),
    "cfb8-pipeline": (Cfb8Engine, (1, 12), {"chain": "registered"}),
    "cfb8-cores": (Cfb8Engine, (3, 7), {"cores": 2}),
    "ofb": (OfbEngine, (10, 21), {}),
}
"""The class; clocks a block, latency and directions of cores that stand in for AES; fields of the engine."""


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    kind, core, fields = ENGINES[request.param]
    design = kind("chained", stand_ins[0](*core), **fields)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


@pytest.mark.parametrize(
    ("kind", "theirs"),
    [
        (CbcEngine, modes.CBC),
        (Cfb128Engine, old_modes.CFB),
        (Cfb8Engine, old_modes.CFB8),
        (OfbEngine, old_modes.OFB),
    ],
)
def test_the_model_of_the_stream_is_openssl(kind: type[ChainedEngine], theirs: Any) -> None:
    design = chained_engine("chained", kind, {"preset": "ueno2020-encdec"})
    rng = random.Random(5)
    for count in [*range(1, 50), 300]:
        size = 16 * count if kind is CbcEngine else count
        key, iv, text = rng.randbytes(16), rng.randbytes(16), rng.randbytes(size)
        openssl = OpenSsl(algorithms.AES(key), theirs(iv))
        for encrypt, worker in ((True, openssl.encryptor()), (False, openssl.decryptor())):
            beats, fault = design.answer(Cipher(key), streamed(Message(iv=iv, text=text), encrypt=encrypt))
            assert fault is None
            assert b"".join(beat.data[: beat.keep.bit_count()] for beat in beats) == worker.update(text)
            assert [beat.last for beat in beats] == [False] * (len(beats) - 1) + [True]


@pytest.mark.parametrize("kind", [CbcEngine, Cfb8Engine, OfbEngine])
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(kind: type[ChainedEngine]) -> None:
    design = chained_engine("chained", kind, {"preset": "ueno2020-encdec"})
    for fault, makers in kind.traffic.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            for most in range(17, 80):
                sent = make(kind.traffic.to_break(rng, Cipher(bytes(16)), most), rng)
                assert design.answer(Cipher(bytes(16)), sent)[1] is fault


def test_text_of_cbc_that_is_not_whole_blocks_is_refused_at_its_beat() -> None:
    design = chained_engine("chained", CbcEngine, {"preset": "ueno2020-enc"})
    beats, fault = design.answer(Cipher(bytes(16)), streamed(Message(iv=bytes(16), text=bytes(33))))
    assert fault is Fault.LENGTH
    assert [beat.error for beat in beats] == [False, False, True]


@pytest.mark.thorough
@pytest.mark.parametrize("pause", [0, 100, 200])
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
@pytest.mark.parametrize("engine", ["cfb8", "cfb8-pipeline", "cfb8-cores"], indirect=True)
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
    """A block a latency, whatever the core could take; what is known at once takes all cores."""
    pipeline = stand_ins[0](1, 31, BOTH)
    round_based = stand_ins[0](10, 11, BOTH)
    for kind, core, cores, encrypt, clocks in (
        (CbcEngine, pipeline, 1, True, 30),
        (CbcEngine, pipeline, 1, False, 1),
        (Cfb128Engine, round_based, 5, True, 10),
        (Cfb128Engine, round_based, 5, False, 2),
        (OfbEngine, round_based, 5, False, 10),
        (Cfb8Engine, round_based, 5, True, 10),
        (Cfb8Engine, round_based, 5, False, 2),
    ):
        direct, registered = (kind("chained", core, cores, chain) for chain in ("direct", "registered"))
        assert direct.block_cycles(encrypt=encrypt) == direct.calls * clocks
        assert registered.block_cycles(encrypt=encrypt) == direct.calls * (clocks + (clocks >= 10))


def test_what_no_engine_can_be_is_refused() -> None:
    dec: dict[str, object] = {"architecture": "subpipelined", "directions": ("decrypt",), "stages": 1}
    for kind, core, fields, told in (
        (OfbEngine, {"preset": "serial-small-enc"}, {}, "128 bits at once"),
        (CbcEngine, {"preset": "ueno2020-encdec-selectable"}, {}, "one key size"),
        (OfbEngine, {"preset": "ueno2020-enc"}, {"chain": "none"}, "chain: must be one of direct, registered"),
        (Cfb128Engine, dec, {}, "cfb128 needs one that encrypts"),
        (OfbEngine, {"preset": "ueno2020-enc"}, {"cores": 11}, "at most 10"),
    ):
        with pytest.raises(RequestError, match=told):
            chained_engine("chained", kind, core, **fields)


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("kind", [CbcEngine, Cfb128Engine, Cfb8Engine, OfbEngine])
@pytest.mark.parametrize("preset", ["ueno2020-enc", "ueno2020-encdec"])
def test_an_engine_with_its_cores_is_clean_under_lint(kind: type[ChainedEngine], preset: str, tmp_path: Path) -> None:
    lint(chained_engine("chained", kind, {"preset": preset}, cores=2), tmp_path)


BEGUN = "if (first & at == '0) chain = iv;"
CHAIN = "assign waits = owed_q & ~(Direct & pays)"
WRONG = {
    "the chain is not begun anew": ("chained_engine", BEGUN, "if (first & at == '0) chain = chain_q;"),
    "the chain goes on in the next message": (
        "chained_engine",
        BEGUN,
        "if (first & at == '0 & ~encrypt) chain = iv;",
    ),
    "the chain of a wrong message": ("chained_engine", BEGUN, "if (first & at == '0 & ~owed_q) chain = iv;"),
    "the chain is not waited for": ("chained_engine", CHAIN, "assign waits = 1'b0 & owed_q"),
    "the result of a message that was refused": ("chained_engine", CHAIN, "assign waits = owed_q & ~first & ~pays"),
    "decryption waits for results": ("chained_engine", "owed_q <= ~at_once & ~(last", "owed_q <= ~(last"),
    "the result alone is CFB's chain": ("chained_engine", "Mode == Cfb | core_decrypt_o ? text : '0", "'0"),
    "the chain goes through the decrypting core": (
        "chained_engine",
        "(core_decrypt_o ? '0 : chain)",
        "chain",
    ),
    "nothing is added to what was decrypted": ("chained_engine", "(core_decrypt_o ? chain : '0) : text", "'0 : text"),
    "the core never decrypts": (
        "chained_engine",
        "assign core_decrypt_o = decrypts & Mode == Cbc",
        "assign core_decrypt_o = decrypts & Mode == Cbc & 1'b0",
    ),
    "a decryption as an encryption": (
        "chained_engine",
        "Decrypts & (~encrypt | ~Encrypts)",
        "Decrypts & 1'b0 & encrypt",
    ),
    "parts of blocks": ("chained_engine", "keep != '0 & ~keep[15])", "keep == '0 & ~keep[15])"),
    "IVs of any size": (
        "chained_engine",
        "s_axis_cmd_tdata[31:24] == 8'd16 ?",
        "s_axis_cmd_tdata[31:28] == '0 | s_axis_cmd_tdata[28] ?",
    ),
    "bytes that do not count are not masked": ("text_ring", "& {8{keep_o[place]}}", "& {8{valid_o}}"),
    "a bad beat is processed": ("chained_engine", "served  = code == '0 &", "served  = 1'b1 &"),
    "the code is lost": ("chained_engine", "error_o <= out_code", "error_o <= '1"),
    "a key within a message": ("message_front", ".open_i (~command_valid & idle_i)", ".open_i (idle_i)"),
    "any slot": ("message_front", "~keyed | slot_i != '0 ?", "~keyed ?"),
    "no last beat after an error": ("chained_engine", "put     = take & (served | last)", "put     = take & served"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

WRONG_BYTES = {
    "a byte comes in at the wrong end": (
        "chained_engine",
        "{text[8*at+:8], chain[127:8]}",
        "{chain[119:0], text[8*at+:8]}",
    ),
    "plaintext goes into the chain": (
        "chained_engine",
        "{result[127:120], 120'd0}",
        "{8'd0 & result[127:120], 120'd0}",
    ),
    "the result is added at the wrong end": (
        "chained_engine",
        "{result[127:120], 120'd0}",
        "{120'd0, result[127:120]}",
    ),
    "the last byte of a result": (
        "chained_engine",
        "stream[8*result_at+:8] = result[127:120]",
        "stream[8*result_at+:8] = result[7:0]",
    ),
    "a call too few": ("chained_engine", "(keep >> at_q) == 16'd1", "(keep >> at_q) <= 16'd3"),
    "a call for each place of a beat": ("chained_engine", "(keep >> at_q) == 16'd1", "at_q == 4'd15"),
    "a call for the first byte alone": ("chained_engine", "ends  = ~served |", "ends  = 1'b1 | ~served |"),
    "the chain is the byte before alone": (
        "chained_engine",
        "{text[8*at+:8], chain[127:8]}",
        "{text[8*at+:8], iv[127:8]}",
    ),
    "the IV for each byte of the first beat": ("chained_engine", BEGUN, "if (first) chain = iv;"),
    "the IV at the first byte of each beat": ("chained_engine", BEGUN, "if (at == '0) chain = iv;"),
    "the first byte of a beat for all": ("chained_engine", "{text[8*at+:8], chain", "{text[7:0], chain"),
    "a byte of the beat before": (
        "chained_engine",
        "if (result_valid) gathered_q <= stream",
        "if (result_valid & adds) gathered_q <= stream",
    ),
    "results in the first place": ("chained_engine", "stream[8*result_at+:8] =", "stream[8*(result_at & 4'd0)+:8] ="),
    "a beat leaves behind its first byte": (
        "chained_engine",
        ".add_i       (result_valid & adds)",
        ".add_i       (result_valid)",
    ),
    "the number of a byte is kept": ("chained_engine", "at_q <= ends ? '0 : at_q + 1'b1", "at_q <= at_q + 1'b1"),
    "the chain is not waited for within a beat": (
        "chained_engine",
        "owed_q <= ~at_once & ~(last & ends)",
        "owed_q <= ~at_once & ends & ~last",
    ),
    "the last byte of a message is waited for": (
        "chained_engine",
        "owed_q <= ~at_once & ~(last & ends)",
        "owed_q <= ~at_once",
    ),
    "decryption adds results to the chain": (
        "chained_engine",
        "label = {ends, at_q, ~at_once & ~(last & ends), place}",
        "label = {ends, at_q, ~(last & ends), place}",
    ),
    "a registered chain without its last result": (
        "chained_engine",
        "if (Direct & pays) chain = sum;",
        "if (Direct & pays & at == '0) chain = sum;",
    ),
}
"""The same of CFB8, beside those."""

TESTED = tuple(WRONG)[::4]
TESTED_BYTES = tuple(WRONG_BYTES)[::5]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


def right_one_of_bytes(stand_in: Any) -> Cfb8Engine:
    """The engine of CFB8 of which wrong ones are made."""
    return Cfb8Engine("right_cfb8", stand_in(3, 4), 2)


def right_ones(stand_in: Any) -> tuple[ChainedEngine, ...]:
    """The engines of which wrong ones are made: what is wrong must be found in one of them."""
    both = stand_in(10, 11, BOTH)
    return CbcEngine("right_cbc", both, 2), Cfb128Engine("right_cfb", both, 2)


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engines, as the first ones, and wrong ones of each."""
    right = right_ones(stand_ins[0])
    wrong = [
        wrong_engine(each, f"{each.name}_{number}", *WRONG[what])
        for number, what in enumerate(TESTED)
        for each in right
    ]
    return right, bench(ManyEngines((*right, *wrong)), tmp_path_factory.mktemp("many") / "model")


def passes(right: ChainedEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    rng = random.Random(7)
    for pause in (0, 120):
        sent = right.traffic.messages(rng, 120, cipher, most=100)
        pauses = dict.fromkeys(ALWAYS, pause)
        try:
            check(right, model, sent, cipher, Chosen(number), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    return True


def passes_in_time(right: Cfb8Engine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, in the clocks of a part of a beat, too."""
    return passes(right, model, number, cipher) and all(
        clocks_of_bytes(right, model, 17, Chosen(number), encrypt=encrypt) == right.bytes_cycles(17, encrypt=encrypt)
        for encrypt in (True, False)
    )


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    right, model = many
    place = 2 * ["none", *TESTED].index(what)
    found = [passes(each, model, place + number, stand_ins[1]) for number, each in enumerate(right)]
    assert found == [True, True] if what == "none" else not all(found)


@pytest.fixture(scope="module")
def many_of_bytes(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine of CFB8, as the first one, and wrong ones of it."""
    right = right_one_of_bytes(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_{n}", *WRONG_BYTES[what]) for n, what in enumerate(TESTED_BYTES)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED_BYTES])
def test_a_wrong_engine_of_bytes_is_found(what: str, many_of_bytes: Any, stand_ins: Any) -> None:
    right, model = many_of_bytes
    assert passes_in_time(right, model, ["none", *TESTED_BYTES].index(what), stand_ins[1]) is (what == "none")
