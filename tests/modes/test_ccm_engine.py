"""The CCM engine in simulation against its model: good and bad messages, pauses, clocks, wrong engines."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, wrong_engine

from aesmith.assurance.streams.check import message_clocks, offers_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.ccm_engine import CcmEngine, ccm_engine
from aesmith.modes.chained_stream import answer_of_ccm, streamed_for_ccm
from aesmith.modes.counting import CCM, CCM_NONCES, CCM_TAGS
from aesmith.modes.engine import INPUT, OUTPUT
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.traffic import with_command

pytestmark = pytest.mark.one_in(4)

ENGINES = {"eight-beats": ((10, 11), 8), "pipeline": ((1, 31), 20)}
"""Clocks a block and latency of cores that stand in for AES; beats of the buffer."""


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, beats = ENGINES[request.param]
    design = CcmEngine("ccm", stand_ins[0](*core), buffer_beats=beats)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def test_the_model_of_the_stream_is_openssl() -> None:
    rng = random.Random(5)
    for size in [*range(50), 300]:
        key, text, header = rng.randbytes(16), rng.randbytes(size), rng.randbytes(size // 2)
        iv, tag = rng.randbytes(rng.choice(CCM_NONCES)), rng.choice(CCM_TAGS)
        theirs = AESCCM(key, tag)
        beats, fault = answer_of_ccm(Cipher(key), streamed_for_ccm(Message(iv, header, text, bytes(tag))), 20)
        sealed = theirs.encrypt(iv, text, header)
        assert fault is None
        assert b"".join(beat.data[: beat.keep.bit_count()] for beat in beats) == sealed
        message = Message(iv, header, sealed[:size], sealed[size:])
        for changed in (message, replace(message, header=header + b"a")):
            beats, _ = answer_of_ccm(Cipher(key), streamed_for_ccm(changed, encrypt=False), 20)
            opened = b"".join(beat.data[: beat.keep.bit_count()] for beat in beats)
            try:
                expected = theirs.decrypt(iv, changed.text + changed.tag, changed.header)
                assert (opened, beats[-1].failed) == (expected, False)
            except InvalidTag:
                assert (opened, beats[-1].failed) == (b"", True)


def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is() -> None:
    design = ccm_engine("ccm", {"preset": "ueno2020-enc"})
    cipher = Cipher(bytes(16))
    for fault, makers in design.traffic.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            for _ in range(20):
                assert design.answer(cipher, make(design.traffic.to_break(rng, cipher, 48), rng))[1] is fault


@pytest.mark.thorough
@pytest.mark.parametrize(("pause", "slow"), [(0, 0), (100, 100), (200, 200), (0, 248)])
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int, slow: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS} | {OUTPUT: slow}
    sent = design.traffic.messages(rng, 200, stand_ins[1])
    check(design, model, sent, stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough
def test_messages_follow_in_the_clocks_of_the_formula(engine: Any) -> None:
    design, model = engine
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (headers, texts, encrypt)


@pytest.mark.thorough(but=1)
def test_text_leaves_after_the_clocks_that_are_stated(engine: Any) -> None:
    design, model = engine
    message = streamed_for_ccm(Message(bytes(13), bytes(8), bytes(16), bytes(16)))
    seen = set()
    for seed in range(1, 9):
        made = model.run(offers_of([(bytes(16), message)]), pauses={INPUT: 254}, seed=seed)
        header, text = (transfer.clock for transfer in made[INPUT])
        # B0 and the header have come through the core before.
        if text - header > 3 * design.call_cycles:
            seen.add(made[OUTPUT][0].clock - text + 1)
    assert seen == {design.latency_cycles}


@pytest.mark.parametrize("engine", ["eight-beats"], indirect=True)
def test_a_message_to_decrypt_that_does_not_fit_is_refused_and_the_next_is_not(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    cipher = stand_ins[1](bytes(16))
    sent = []
    for size in (128, 129, 300, 128):
        sealed = CCM.encrypt(cipher, Message(bytes(12), b"header", bytes(size), bytes(16)))
        message = Message(bytes(12), b"header", sealed.text, sealed.tag)
        sent.append((bytes(16), streamed_for_ccm(message, encrypt=False)))
    assert [design.answer(cipher, message)[1] for _, message in sent] == [None, Fault.LENGTH, Fault.LENGTH, None]
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["pipeline"], indirect=True)
def test_lengths_of_more_than_a_byte_are_written_and_counted(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    rng = random.Random(9)
    sent = []
    for nonce, header, text in ((13, 65279, 20), (13, 20, 65535), (12, 0, 65536), (7, 300, 5000)):
        message = Message(rng.randbytes(nonce), rng.randbytes(header), rng.randbytes(text), bytes(8))
        sent.append((bytes(16), streamed_for_ccm(message)))
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough
def test_a_core_of_bytes_stands_behind_the_engine_and_computes_aes(bench: Any, tmp_path: Path) -> None:
    design = ccm_engine("ccm", {"preset": "serial-shared-small-enc"})
    model = bench(design, tmp_path / "model")
    for pause in (0, 120):
        sent = design.traffic.messages(random.Random(pause), 30, most=50)
        check(design, model, sent, Cipher, pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)
    for headers, texts, encrypt in ((0, 1, True), (1, 2, False)):
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt)


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        ("ueno2020-encdec", {}, "encrypt only"),
        ("ueno2020-enc", {"cores": 2}, "cores: must be 1, not 2"),
        ("ueno2020-enc", {"buffer_beats": 1}, "buffer_beats: must be 2 to 4096"),
    ):
        with pytest.raises(RequestError, match=told):
            ccm_engine("ccm", {"preset": core}, **fields)


@pytest.mark.parametrize("core", ["ueno2020-enc", "serial-shared-small-enc"])
def test_an_engine_with_its_core_is_clean_under_lint(core: str, tmp_path: Path) -> None:
    lint(ccm_engine("ccm", {"preset": core}), tmp_path)


WRONG = {
    "text waits for room that never comes": ("ccm_engine", "(long_header | too_much)", "(long_header)"),
    "the chain of the message before": ("ccm_engine", "assign block = adds ?", "assign block = adds | first_block ?"),
    "no bit for a header": ("ccm_engine", "first_block & header_bytes != '0", "first_block & header_bytes[0] & 1'b0"),
    "the tag's size in every block": ("ccm_engine", "{3{first_block}} & tag_code", "tag_code"),
    "the size of the tag of the nonce": ("ccm_engine", "(tag_bytes - 4'd2) >> 1", "(tag_bytes - 4'd4) >> 1"),
    "one byte of length too few": ("ccm_engine", "3'd6 - 3'(nonce_ends - 4'd8)", "3'd5 - 3'(nonce_ends - 4'd8)"),
    "counters from 0": ("ccm_engine", "first_block ? 28'd1 :", "first_block ? 28'd0 :"),
    "a counter that stands": (
        "ccm_engine",
        "counter_q + 28'(is_text & adds)",
        "counter_q + 28'(is_text & adds & first)",
    ),
    "the mask is not A0": ("ccm_engine", "counter_q & {28{~ends}}", "counter_q"),
    "the nonce of all bytes": ("ccm_engine", "4'(place) <= nonce_ends)", "4'(place) <= nonce_ends + 4'd1)"),
    "the header's length turned round": ("ccm_engine", "{header_bytes[7:0], header_bytes[15:8]}", "header_bytes"),
    "bytes between beats of the header are lost": (
        "ccm_engine",
        "{text[127:120] & {8{keep[15]}}, text[119:112]}",
        "16'd0 & text[127:112]",
    ),
    "a stale byte behind the header": ("ccm_engine", "text[127:120] & {8{keep[15]}}", "text[127:120]"),
    "no block for the last bytes of the header": (
        "ccm_engine",
        "(left_behind == '0 & keep[14])",
        "(left_behind == '0 & keep[15])",
    ),
    "such a block behind each beat": ("ccm_engine", "(left_behind == '0 & keep[14])", "keep[14]"),
    "bytes of the header that do not count": (
        "ccm_engine",
        "if (keep[place] & ~second_q) added",
        "if (~second_q) added",
    ),
    "bytes of text that do not count": (
        "ccm_engine",
        "encrypt ? text[8*place+:8] & {8{keep[place]}} :",
        "encrypt ? text[8*place+:8] :",
    ),
    "the MAC of the ciphertext": ("ccm_engine", "= encrypt ? text[8*place+:8]", "= ~encrypt ? text[8*place+:8]"),
    "the tag is not masked": ("ccm_engine", "(chain_q & {128{of_end_q}})", "(chain_q & {128{1'b0 & of_end_q}})"),
    "the tag is compared but for its last byte": (
        "ccm_engine",
        "place < 16; place++) wrong |=",
        "place < 15; place++) wrong |=",
    ),
    "every tag is right": ("ccm_engine", "failed  = wrong(", "failed  = 1'b0 & wrong("),
    "plaintext before the verdict": ("ccm_engine", "(shows & encrypt)),", "shows),"),
    "plaintext of a wrong tag": ("ccm_engine", "(refused | (verdict & failed))", "(refused)"),
    "plaintext of a wrong message": ("ccm_engine", "(refused | (verdict & failed))", "(verdict & failed)"),
    "the last beat is not marked": ("ccm_engine", "(verdict & ~failed & ~is_empty)", "(verdict & ~failed & is_empty)"),
    "an empty message has no answer": ("ccm_engine", "(verdict & (failed | is_empty))", "(verdict & failed)"),
    "the verdict before the tag": ("ccm_engine", "masked_q & ~busy_q &", "masked_q &"),
    "a tag is overwritten": ("ccm_engine", "core_result_ready_o[0] = ~tag_due_q", "core_result_ready_o[0] = 1'b1"),
    "bytes of the tag of the message behind": ("ccm_engine", "ones(tag_bytes_q)", "ones(of_bytes_q)"),
    "headers of any length": ("ccm_engine", ".large_i     (long_header | too_much)", ".large_i     (too_much)"),
    "a header that ends early": ("ccm_engine", "((~is_header | last) & left_behind != '0)", "1'b0"),
    "the header of the message before": (
        "ccm_engine",
        "left        = first ? header_bytes :",
        "left        = first & ~put_q & 1'b0 ? header_bytes :",
    ),
    "text that fits to the last byte": (
        "ccm_engine",
        "told_text[31:0] > 32'(16 * Entries)",
        "told_text[31:0] >= 32'(16 * Entries)",
    ),
    "a text as long as its counter": ("ccm_engine", "(nonce_bytes == 8'd13 & told_text[31:16] != '0)", "1'b0"),
    "nonces of any size": ("ccm_engine", "nonce_bytes < 8'd7 | nonce_bytes > 8'd13", "nonce_bytes > 8'd13"),
    "tags of any size": ("ccm_engine", "refusal = 4'd8", "refusal = 4'd0"),
    "the code is lost": ("ccm_engine", "error_o <= out_code", "error_o <= '1"),
    "an output that is not quiet": ("release_buffer", "keep_q[read_q] & {16{valid_o}}", "keep_q[read_q]"),
    "bytes that are not masked at the output": ("release_buffer", "& {8{keep_o[place]}}", "& {8{valid_o}}"),
    "a drop that drops nothing": (
        "release_buffer",
        "write              = drop_i ? held_q : write_q",
        "write              = write_q",
    ),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""

TESTED = (*tuple(WRONG)[:1], *tuple(WRONG)[1::6])
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Any) -> CcmEngine:
    """The engine of which wrong ones are made."""
    return CcmEngine("right", stand_in(10, 11), buffer_beats=6)


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as number 0, and wrong ones."""
    right = right_one(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_{number}", *WRONG[what]) for number, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


def passes(right: CcmEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model does, without pauses, with them, and to a slow receiver."""
    rng = random.Random(7)
    sealed = CCM.encrypt(cipher(bytes(16)), Message(bytes(13), b"", bytes(16 * right.buffer_beats + 1), bytes(16)))
    large = streamed_for_ccm(Message(bytes(13), b"", sealed.text, sealed.tag), encrypt=False)
    # It says that it would fit.
    longer = with_command(large, text_bytes=16 * right.buffer_beats)
    for pause, slow in ((0, 0), (120, 120), (0, 248)):
        sent = [*right.traffic.messages(rng, 250, cipher, most=100), (bytes(16), large), (bytes(16), longer)]
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
