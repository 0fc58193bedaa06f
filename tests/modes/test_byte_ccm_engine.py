"""The engine of CCM in bytes against its model: messages, clocks, published vectors, wrong engines, proof."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from tests.modes.engine_bench import (
    ALWAYS,
    Chosen,
    ManyEngines,
    check,
    clocks_of_answers,
    file_of,
    passing_messages,
    served,
    together,
    with_pauses,
    wrong_engine,
)
from tests.modes.test_waits import check_waits

from aesmith.assurance.streams.channels import Offer
from aesmith.assurance.streams.check import StreamPlan, message_clocks, offers_of, verify_engine
from aesmith.assurance.streams.vectors import vectors_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.byte_ccm_engine import ByteCcmEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.specification import parse_engine
from aesmith.modes.stream import Beat, Section, StreamedMessage
from aesmith.modes.traffic import Keyed, with_beat, with_command


@cache
def design_of(preset: str = "serial-shared-small-enc", name: str = "bytes") -> ByteCcmEngine:
    """The engine around a core of bytes."""
    return ByteCcmEngine(name, core_of(name, {"preset": preset}), stream_bits=8)


@cache
def whole_blocks() -> MultiModeEngine:
    """The engine of CCM that takes whole beats, on a stream of bytes."""
    return MultiModeEngine("beats", core_of("beats", {"preset": "ueno2020-enc"}), modes=("ccm",), stream_bits=8)


@pytest.fixture(scope="module")
def engine(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The engine, and its simulator."""
    return design_of(), bench(design_of(), tmp_path_factory.mktemp("engine") / "model")


def words(design: ByteCcmEngine, message: Message, *, encrypt: bool = True) -> StreamedMessage:
    """A message as its stream brings it."""
    return design.in_words(design.sends(message, encrypt=encrypt))


def test_the_model_is_openssl() -> None:
    rng, design = random.Random(5), design_of()
    for size in [*range(35), 64]:
        key, nonce, header = rng.randbytes(16), rng.randbytes(7 + size % 7), rng.randbytes(size * 7 % 41)
        text, tag_bytes = rng.randbytes(size), 4 + 2 * (size % 7)
        sealed = AESCCM(key, tag_bytes).encrypt(nonce, text, header)
        message = Message(nonce, header, text, bytes(tag_bytes))
        made, fault = design.answer(Cipher(key), words(design, message))
        assert fault is None
        assert b"".join(word.data for word in made) == sealed
        assert [word.last for word in made] == [False] * (len(sealed) - 1) + [True]
        other, tag = sealed[:size], sealed[size:]
        for given in (tag, tag[:-1] + bytes([tag[-1] ^ 1])):
            sent = words(design, Message(nonce, header, other, given), encrypt=False)
            made, _ = design.answer(Cipher(key), sent)
            assert b"".join(word.data[: word.keep] for word in made) == text
            assert [word.failed for word in made] == [False] * size + [given != tag]


def test_the_first_byte_that_is_wrong_decides() -> None:
    design, cipher = design_of(), Cipher(bytes(16))
    message = Message(bytes(13), b"header", b"some text", bytes(4))
    made, checked = (words(design, message, encrypt=way) for way in (True, False))
    bare = words(design, Message(bytes(13), b"", b"some text", bytes(4)))
    nothing, nothing_checked = (
        words(design, Message(bytes(13), b"", b"", bytes(4)), encrypt=way) for way in (True, False)
    )
    last, ends = len(checked.beats) - 1, len(made.beats) - 1
    cases: list[tuple[StreamedMessage, Fault | None]] = [
        (with_beat(made, 3, keep=0), Fault.KEEP),
        (with_beat(made, 3, section=Section.IV), Fault.ORDER),
        (with_beat(made, 10, section=Section.HEADER), Fault.ORDER),
        (with_beat(made, 10, section=Section.TAG), Fault.ORDER),
        (with_beat(made, 0, section=Section.TEXT), Fault.LENGTH),
        (with_beat(bare, 0, section=Section.HEADER), Fault.LENGTH),
        (with_beat(bare, 3, section=Section.HEADER), Fault.ORDER),
        (replace(made, beats=(*made.beats[:7], replace(made.beats[7], last=True))), Fault.LENGTH),
        (replace(made, beats=(*made.beats[:ends], replace(made.beats[ends - 1], last=True))), None),
        (replace(made, beats=(*made.beats[: ends - 1], replace(made.beats[ends - 1], last=True))), Fault.LENGTH),
        (replace(made, beats=(*made.beats[:ends], replace(made.beats[ends], last=False), Beat())), Fault.KEEP),
        (
            replace(made, beats=(*made.beats[:ends], replace(made.beats[ends], last=False), made.beats[ends])),
            Fault.LENGTH,
        ),
        (replace(checked, beats=(*checked.beats[:-4], checked.beats[-5], *checked.beats[-4:])), Fault.LENGTH),
        (replace(checked, beats=(*checked.beats[:-5], *checked.beats[-4:])), Fault.LENGTH),
        (with_beat(checked, last - 1, section=Section.TEXT), Fault.ORDER),
        (with_beat(checked, last - 1, last=True), Fault.TAG),
        (with_beat(checked, last, last=False), Fault.TAG),
        (with_beat(checked, last, keep=0), Fault.KEEP),
        (replace(checked, beats=(*checked.beats[:8], replace(checked.beats[8], last=True))), Fault.ORDER),
        (replace(checked, beats=(Beat(last=True),)), Fault.ORDER),
        (replace(made, beats=(Beat(last=True),)), Fault.LENGTH),
        (nothing, None),
        (nothing_checked, None),
        (with_beat(nothing, 0, last=False), Fault.KEEP),
        (replace(nothing, beats=made.beats), Fault.LENGTH),
    ]
    for number, (sent, fault) in enumerate(cases):
        assert design.answer(cipher, sent)[1] is fault, number


def test_messages_are_refused_for_what_the_engine_of_whole_blocks_refuses_them_for() -> None:
    design, others = design_of(), whole_blocks()
    rng, key = random.Random(4), bytes(range(16))
    differ = set[tuple[Fault | None, Fault | None]]()
    for _ in range(12):
        for sent in design.stream_traffic.bad_ones(rng, Cipher(key), 48):
            found = tuple(each.answer(Cipher(key), sent)[1] for each in (design, others))
            if found[0] is not found[1]:
                differ.add((found[0], found[1]))
    # Words have no parts, and text that ends before B0 says is known to be too short only as it ends.
    assert differ <= {(Fault.KEEP, Fault.PARTIAL)}, differ


def test_each_kind_of_bad_message_is_refused() -> None:
    design, cipher = design_of(), Cipher(bytes(16))
    for fault, makers in design.stream_traffic.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            found = {
                design.answer(cipher, make(design.traffic.to_break(rng, cipher, most), rng))[1] for most in (40, 48)
            }
            assert None not in found
            if fault in (Fault.KEY, Fault.IV, Fault.LENGTH):
                assert found == {fault}


@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    sent = design.stream_traffic.messages(rng, 120, Cipher, most=60)
    check(design, model, sent, Cipher, pauses=pauses, seed=pause + 1)


def test_a_key_is_before_a_command_of_the_same_clock(engine: Any) -> None:
    design, model = engine
    check(design, model, design.stream_traffic.messages(random.Random(3), 40, Cipher, most=40), Cipher, together)


def test_published_vectors_agree(engine: Any) -> None:
    design, model = engine
    found = vectors_of(design, 12)
    assert found
    check(design, model, [(vector.key, vector.sent) for vector in found], Cipher)
