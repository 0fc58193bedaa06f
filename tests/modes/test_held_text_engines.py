"""Engines that hold a message's text until its tag is known: messages, clocks, resets, vectors, limits."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.modes.engine_bench import check, with_pauses
from tests.modes.scenarios import (
    answers_20_000,
    answers_with_pauses,
    follows_its_schedule,
    keeps_its_formula,
    keeps_nothing_over_resets,
    takes_keys_with_commands,
)

from aesmith.assurance.streams.check import StreamPlan, message_clocks, verify_engine
from aesmith.assurance.streams.vectors import iterated_vectors, vectors_of
from aesmith.errors import RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.engine_top import core_of
from aesmith.modes.gcm_siv_engine import GcmSivEngine
from aesmith.modes.gcm_sst_engine import GcmSstEngine
from aesmith.modes.held_text_engine import HashingEngine, HeldTextEngine
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.shapes import MessageShape, message_for, shape_of
from aesmith.modes.siv_engine import SivEngine
from aesmith.publish.trace import traced_messages

KINDS: dict[str, type[HeldTextEngine]] = {"gcm-siv": GcmSivEngine, "siv": SivEngine, "gcm-sst": GcmSstEngine}
SHAPES: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {
    "one core": ((10, 11), {"memory_beats": 32}),
    "flip-flops": ((3, 4), {"memory_beats": 4, "digit": 64}),
    "a slow hash, in words": ((2, 3), {"memory_beats": 32, "digit": 4, "splits": "", "stream_bits": 32}),
    "in bytes": ((4, 5), {"memory_beats": 16, "stream_bits": 8}),
    "a slow core": ((14, 5), {"memory_beats": 16, "digit": 32}),
    "wide words": ((11, 12), {"memory_beats": 32, "stream_bits": 64}),
    "slots": ((4, 5), {"memory_beats": 32, "key_slots": 4}),
}
"""Clocks a block and latency of cores that stand in for AES; fields of the engine, of which some are GHASH's."""
ENGINES = [f"{kind}, {shape}" for shape in SHAPES for kind in KINDS]
QUICK = len(KINDS)
"""Those of the first shape."""


def named(name: str, stand_in: Any) -> HeldTextEngine:
    """The engine of a name in ENGINES."""
    kind, _, shape = name.partition(", ")
    core, fields = SHAPES[shape]
    made = KINDS[kind]
    own = {} if issubclass(made, HashingEngine) else {"digit", "splits"}
    return made("held", stand_in(*core), **{field: value for field, value in fields.items() if field not in own})


def small(kind: str, stand_in: Any, core: tuple[int, int] = (3, 4), beats: int = 8) -> HeldTextEngine:
    """An engine with little room."""
    return KINDS[kind]("held", stand_in(*core), memory_beats=beats)


def key_of(engine: HeldTextEngine) -> bytes:
    """A key of its size."""
    return bytes(engine.key_bits[0] // 8)


# The model


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_bad_message_is_refused_for_what_it_is(kind: str, stand_ins: Any) -> None:
    for beats in (4, 32):
        engine = small(kind, stand_ins[0], beats=beats)
        cipher = stand_ins[1](key_of(engine))
        for fault, makers in engine.traffic.bad.items():
            rng = random.Random(int(fault))
            for number, make in enumerate(makers):
                for most in range(17, 80, 3):
                    sent = make(engine.traffic.to_break(rng, cipher, most), rng)
                    answer, told = engine.answer(cipher, sent)
                    assert told is fault, (number, sent)
                    assert (answer[-1].keep, answer[-1].error) == (0, True)
                    assert answer[:-1] == [] or (sent.command.encrypt and engine.frame.early)
        rng = random.Random(9)
        for _ in range(60):
            assert engine.traffic.tampered is not None
            answer, told = engine.answer(cipher, engine.traffic.tampered(rng, cipher, 64))
            assert (told, [beat.failed for beat in answer]) == (None, [True])


@pytest.mark.parametrize("kind", KINDS)
def test_text_that_there_is_no_room_for_is_refused(kind: str, stand_ins: Any) -> None:
    engine = small(kind, stand_ins[0])
    cipher, frame = stand_ins[1](key_of(engine)), engine.frame
    sizes = (0, 127, 128, 129, 144)
    for encrypt in (True, False):
        sent = [Message(frame.plain_iv, bytes(300), bytes(size), frame.plain_tag) for size in sizes]
        faults = [engine.answer(cipher, engine.sends(each, encrypt=encrypt))[1] for each in sent]
        held = not (encrypt and frame.early)
        assert faults == [None, None, None, *[Fault.LENGTH if held else None] * 2]
    assert (
        "128 bytes of text (8 blocks), which wait for its tag; longer ones are refused with code 6" in engine.limits[0]
    )
    assert engine.limits[0].endswith("; memory_beats = 64 holds 1,024.")


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_engine_can_be_is_refused(kind: str) -> None:
    for core, fields, told in (
        ("ueno2020-enc", {"memory_beats": 2}, "memory_beats: must be a power of two, 4 to 65536, not 2"),
        ("ueno2020-enc", {"memory_beats": 24}, "memory_beats: must be a power of two"),
        ("ueno2020-enc", {"cores": 2}, "cores: must be 1, not 2: the tag of a message is known before"),
        ("ueno2020-encdec", {}, "core: must encrypt only"),
        (
            "zhang2004-r7-enc",
            {},
            "core: must hold one block; zhang2004-r7-enc has several under way: latency 71, cycles per block 1",
        ),
        ("serial-shared-small-enc", {}, "core: must take blocks of 128 bits at once"),
        ("ueno2020-enc", {"stream_bits": 256}, "stream_bits"),
        ("ueno2020-enc", {"stream_bits": 32, "bus": "apb"}, f"bus: engines of {kind} have streams alone"),
    ):
        with pytest.raises(RequestError, match=told):
            KINDS[kind]("held", core_of("held", {"preset": core}), **fields)
    with pytest.raises(RequestError, match="memory_beats: must be 4 in an engine with a clear, not 1024"):
        KINDS[kind]("held", core_of("held", {"preset": "ueno2020-enc", "clear": True}), clear=True)


@pytest.mark.parametrize("kind", KINDS)
def test_text_waits_in_a_memory_that_a_macro_may_replace(kind: str) -> None:
    core = core_of("held", {"preset": "ueno2020-enc"})
    little, large = (KINDS[kind]("held", core, memory_beats=beats) for beats in (4, 64))
    assert (little.memories, little.measured is little) == ((), True)
    assert large.memories == ("held_release_memory",)
    assert (large.room_for(0, 64), large.room_for(0, 65)) == ({}, {"memory_beats": 128})
    outside = large.measured
    assert [outside.ports.port(name).width for name in ("memory_address_o", "memory_data_i")] == [6, 128]
    assert "held_release_memory.sv" not in [source.name for source in outside.sources]


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_datasheet_or_a_measurement_of_power_shows_is_right(kind: str, stand_ins: Any) -> None:
    made = small(kind, stand_ins[0], beats=32)
    shape = shape_of(made)
    assert shape == MessageShape(1, 16)
    cipher = Cipher(key_of(made))
    beats, fault = made.answer(cipher, message_for(made, cipher, shape, random.Random(1), encrypt=False))
    assert (fault, sum(beat.keep.bit_count() for beat in beats)) == (None, 16 * BLOCK)
    for key, message in traced_messages(made):
        assert key is not None
        assert made.answer(Cipher(key), message)[1] is None


# The RTL


@pytest.fixture(
    scope="module",
    params=[*ENGINES[:QUICK], *(pytest.param(name, marks=pytest.mark.thorough) for name in ENGINES[QUICK:])],
)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    made = named(request.param, stand_ins[0])
    return made, bench(made, tmp_path_factory.mktemp("engine") / "model")


@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    answers_with_pauses(*engine, stand_ins[1], pause, 100)


def test_messages_follow_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any) -> None:
    keeps_its_formula(*engine, stand_ins[1])


def test_messages_of_all_lengths_leave_in_the_clocks_of_the_schedule(engine: Any, stand_ins: Any) -> None:
    if engine[0].key_slots == 1:
        follows_its_schedule(*engine, stand_ins[1])


def test_a_key_is_before_a_command_of_the_same_clock(engine: Any, stand_ins: Any) -> None:
    takes_keys_with_commands(*engine, stand_ins[1], 50)


def test_nothing_stale_is_left_by_a_reset_in_mid_message(engine: Any, stand_ins: Any) -> None:
    keeps_nothing_over_resets(*engine, stand_ins[1], 6, 10)


@pytest.mark.thorough
@pytest.mark.parametrize("preset", ["ueno2020-enc", "ueno2020-enc-192", "ueno2020-enc-256", "column-gated-enc"])
@pytest.mark.parametrize("kind", KINDS)
def test_published_messages_go_through_cores_of_all_key_sizes(
    kind: str, preset: str, bench: Any, tmp_path: Path
) -> None:
    core, made = core_of("held", {"preset": preset}), KINDS[kind]
    if core.key_bits[0] not in made.core_key_bits:
        with pytest.raises(RequestError, match="core: must have keys of 128 or 256 bits"):
            made("held", core, memory_beats=64)
        return
    engine = made("held", core, memory_beats=64)
    model = bench(engine, tmp_path / "model")
    found = [*vectors_of(engine, 100), *iterated_vectors(engine)]
    assert {vector.sent.command.encrypt for vector in found} >= {True}
    check(engine, model, [(vector.key, vector.sent) for vector in found], Cipher)
    sent = engine.traffic.messages(random.Random(preset), 60, Cipher, most=80, key_bytes=engine.key_bits[0] // 8)
    check(engine, model, sent, Cipher)
    for headers, texts, encrypt in engine.kinds():
        seen, _ = message_clocks(engine, model.run, headers, texts, encrypt=encrypt)
        assert seen == engine.message_cycles(headers, texts, encrypt=encrypt), (headers, texts, encrypt)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_20_000_messages_with_stalls_are_answered_as_by_the_model(kind: str, stand_ins: Any, tmp_path: Path) -> None:
    answers_20_000(small(kind, stand_ins[0], (2, 3)), tmp_path, stand_ins[1], 60)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_an_engine_with_slots_and_a_clear_is_right(kind: str, tmp_path: Path) -> None:
    core = core_of("held", {"preset": "ueno2020-enc", "clear": True})
    made = KINDS[kind]("held", core, memory_beats=4, key_slots=2, clear=True, stream_bits=32)
    report = verify_engine(made, tmp_path, StreamPlan(messages=40, vectors=8, resets=6))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


@pytest.mark.thorough(but=QUICK)
@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_clean_under_lint(name: str, stand_ins: Any, tmp_path: Path) -> None:
    lint(named(name, stand_ins[0]), tmp_path)
