"""The engine of CBC with ciphertext stealing against its model: messages, clocks, published vectors, wrong engines."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.modes.engine_bench import check, with_pauses
from tests.modes.scenarios import (
    answers_20_000,
    answers_alike,
    answers_with_pauses,
    can_be_made,
    finds_wrong_engines,
    keeps_its_formula,
    keeps_nothing_over_resets,
    takes_keys_with_commands,
)

from aesmith.assurance.streams.check import StreamPlan, verify_engine
from aesmith.assurance.streams.vectors import RFC_3962, iterated_vectors
from aesmith.cores.design import Direction
from aesmith.errors import RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.specification import parse_engine
from aesmith.modes.stealing_engine import StealingEngine, stealing_engine
from aesmith.modes.stealing_stream import STEALS, traffic_of_stealing
from aesmith.modes.traffic import Keyed, with_beat, with_command

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENGINES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "both ways": ((10, 11, BOTH), {}),
    "in words": ((3, 4, BOTH), {"stream_bits": 32}),
    "a pipeline": ((1, 12, BOTH), {}),
    "CS3 to encrypt": ((5, 6), {"modes": ("cbc-cs3",)}),
    "CS1 to decrypt": ((5, 6, BOTH[1:]), {"modes": ("cbc-cs1",)}),
    "CS2 in bytes": ((5, 3, BOTH), {"modes": ("cbc-cs2",), "stream_bits": 8}),
    "slots": ((4, 5, BOTH), {"key_slots": 4, "modes": ("cbc-cs3", "cbc-cs1")}),
}
"""Clocks a block, latency and directions of cores that stand in for AES; fields of the engine."""
OTHERS = tuple(ENGINES)[1:]


def view_of(design: StealingEngine, mode: str) -> StealingEngine:
    """The engine as one of a mode."""
    return next(view for view in design.views if view.mode == mode)  # type: ignore[return-value]


def shown(beats: Any) -> bytes:
    """The bytes of an answer."""
    return b"".join(beat.data[: beat.keep.bit_count()] for beat in beats)


# The model


@pytest.mark.parametrize("mode", STEALS)
def test_the_model_of_the_stream_is_that_of_the_mode(stand_ins: Any, mode: str) -> None:
    engine, rng, cipher = StealingEngine("cs", stand_ins[0](3, 4, BOTH)), random.Random(mode), Cipher(bytes(range(16)))
    view = view_of(engine, mode)
    for size in (*range(16, 66), 300):
        message = Message(rng.randbytes(16), text=rng.randbytes(size))
        beats, fault = engine.answer(cipher, view.sends(message))
        assert (fault, shown(beats), len(beats)) == (None, STEALS[mode].encrypt(cipher, message).text, -(-size // 16))
        back, fault = engine.answer(cipher, view.sends(Message(message.iv, text=shown(beats)), encrypt=False))
        assert (fault, shown(back), [beat.last for beat in back]) == (
            None,
            message.text,
            [False] * (len(back) - 1) + [True],
        )


def test_each_kind_of_bad_message_is_refused_for_what_it_is(stand_ins: Any) -> None:
    cipher = stand_ins[1](bytes(16))
    for directions in (BOTH, BOTH[:1], BOTH[1:]):
        for modes in (tuple(STEALS), ("cbc-cs2",)):
            engine = StealingEngine("cs", stand_ins[0](3, 4, directions), modes=modes)
            for part in getattr(engine.traffic, "parts", (engine.traffic,)):
                for fault, makers in part.bad.items():
                    rng = random.Random(int(fault))
                    for make in makers:
                        for most in range(17, 80, 3):
                            sent = make(part.to_break(rng, cipher, most), rng)
                            assert engine.answer(cipher, sent)[1] is fault, (directions, modes, sent)
    sent = view_of(StealingEngine("cs", stand_ins[0](3, 4, BOTH)), "cbc-cs1").sends(Message(bytes(16), text=bytes(16)))
    for number in range(3, 8):
        other = with_command(sent, mode=number)
        assert StealingEngine("cs", stand_ins[0](3, 4, BOTH)).answer(cipher, other)[1] is Fault.MODE
        assert StealingEngine("cs", stand_ins[0](3, 4, BOTH), modes=("cbc-cs2",)).answer(cipher, other)[1] is None


def test_of_a_refused_message_leaves_what_came_before_its_last_good_beat(stand_ins: Any) -> None:
    engine, cipher = StealingEngine("cs", stand_ins[0](3, 4, BOTH)), Cipher(bytes(16))
    message = Message(bytes(16), text=bytes(range(64)))
    for encrypt in (True, False):
        sent = with_beat(engine.sends(message, encrypt=encrypt), 3, keep=0xFFFE)
        work = STEALS["cbc-cs1"].encrypt if encrypt else STEALS["cbc-cs1"].decrypt
        beats, fault = engine.answer(cipher, sent)
        assert (fault, shown(beats)) == (Fault.KEEP, work(cipher, message).text[:32])
        assert [(beat.last, beat.error) for beat in beats] == [(False, False)] * 2 + [(True, True)]


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        ("ueno2020-encdec", {"modes": ("cbc",)}, "modes: must be one of cbc-cs1, cbc-cs2, cbc-cs3"),
        ("ueno2020-encdec", {"modes": ()}, "modes: must be different ones, at least one"),
        ("ueno2020-encdec", {"cores": 2}, "cores: must be 1, not 2: each block is chained to the one before it"),
        ("serial-shared-encdec", {}, "core: must take blocks of 128 bits at once"),
        ("ueno2020-encdec", {"stream_bits": 256}, "stream_bits"),
        ("ueno2020-encdec", {"stream_bits": 32, "bus": "apb"}, "bus: engines of cbc-cs1 have streams alone"),
    ):
        with pytest.raises(RequestError, match=told):
            stealing_engine("cs", {"preset": core}, **fields)


def test_a_request_may_name_one_mode_or_several() -> None:
    for fields, modes in (
        ({"mode": "cbc-cs1"}, ("cbc-cs1",)),
        ({"modes": ["cbc-cs2", "cbc-cs1"]}, ("cbc-cs2", "cbc-cs1")),
        ({"mode": "cbc-cs"}, ("cbc-cs3", "cbc-cs1", "cbc-cs2")),
        ({"preset": "cbc-cs-compact"}, ("cbc-cs3",)),
    ):
        made = parse_engine({"core": "ueno2020-encdec"} | fields).engine("cs", "cs")
        assert isinstance(made, StealingEngine)
        assert made.modes == modes


# The RTL


@pytest.fixture(scope="module", params=["both ways", *(pytest.param(n, marks=pytest.mark.thorough) for n in OTHERS)])
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, fields = ENGINES[request.param]
    made = StealingEngine("cs", stand_ins[0](*core), **fields)
    return made, bench(made, tmp_path_factory.mktemp("engine") / "model")


@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    answers_with_pauses(*engine, stand_ins[1], pause, 150)


def test_messages_follow_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any) -> None:
    keeps_its_formula(*engine, stand_ins[1])


def test_clocks_are_those_that_the_page_says(stand_ins: Any) -> None:
    """A block each L clocks; one for the command, one for what leaves behind, one for a first beat to decrypt."""
    engine = StealingEngine("cs", stand_ins[0](10, 11, BOTH))
    for view in engine.views:
        for blocks in range(2, 6):
            behind = view.mode == "cbc-cs3"
            assert view.message_cycles(0, blocks) == 11 * blocks + 1 + behind
            assert view.message_cycles(0, blocks, encrypt=False) == 11 * blocks + 2 + behind
        assert view.cycles_per_block == 11


def test_a_key_is_before_a_command_of_the_same_clock(engine: Any, stand_ins: Any) -> None:
    takes_keys_with_commands(*engine, stand_ins[1], 60)


def test_nothing_stale_is_left_by_a_reset_in_mid_message(engine: Any, stand_ins: Any) -> None:
    keeps_nothing_over_resets(*engine, stand_ins[1], 8, 12)


@pytest.mark.thorough
def test_20_000_messages_with_stalls_are_answered_as_by_the_model(stand_ins: Any, tmp_path: Path) -> None:
    made = StealingEngine("cs", stand_ins[0](2, 3, BOTH))
    answers_20_000(made, tmp_path, stand_ins[1], 80)


@pytest.mark.thorough
def test_published_messages_go_through_keys_of_all_sizes(bench: Any, tmp_path: Path) -> None:
    """RFC 3962's in both directions, and random ones, by one engine whose keys say their sizes."""
    made = stealing_engine("cs", {"preset": "ueno2020-encdec-selectable"})
    model = bench(made, tmp_path / "model")
    found = [*iterated_vectors(made)]
    assert len(found) == 2 * len(RFC_3962)
    check(made, model, [(vector.key, vector.sent) for vector in found], Cipher)
    sent = made.traffic.messages(random.Random(1), 80, Cipher, most=80, key_bytes=(16, 24, 32))
    check(made, model, sent, Cipher)


@pytest.mark.thorough
def test_an_engine_with_slots_and_a_clear_is_right(tmp_path: Path) -> None:
    core: dict[str, object] = {"preset": "ueno2020-encdec", "clear": True}
    made = stealing_engine("cs", core, key_slots=2, clear=True, stream_bits=32)
    report = verify_engine(made, tmp_path, StreamPlan(messages=40, vectors=8, resets=6))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


@pytest.mark.thorough(but=("both ways",))
@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_clean_under_lint(name: str, stand_ins: Any, tmp_path: Path) -> None:
    core, fields = ENGINES[name]
    lint(StealingEngine("cs", stand_ins[0](*core), **fields), tmp_path)


# Wrong engines

_E = "stealing_engine"
WRONG = {
    "CS2 as CS1": (
        _E,
        "assign cs1 = Modes[0] & (One | command_q[2:1] == 2'd0);",
        "assign cs1 = command_q[2:1] != 2'd2;",
    ),
    "CS1 as CS2": (_E, "assign turns    = cs1 & ~straight;", "assign turns    = 1'b0;"),
    "CS3 as CS2": (_E, "(whole & ~cs3)", "whole"),
    "CS2 as CS3": (_E, "(whole & ~cs3)", "1'b0"),
    "no stealing": (_E, "straight = ~ends | (whole & ~cs3);", "straight = 1'b1;"),
    "one block is exchanged": (_E, "s_axis_tlast & ~is_first;", "s_axis_tlast;"),
    "no chain to encrypt": (_E, "core_block_o = cut ^ r_q;", "core_block_o = cut;"),
    "no chain to decrypt": (_E, "encrypt ? result : result ^ r_q;", "result;"),
    "the text is not filled with zeros": (_E, "core_block_o = cut ^ r_q;", "core_block_o = text ^ r_q;"),
    "the chain of the IV": (
        _E,
        "else if (next & encrypt & ~s_axis_tlast & result_taken) r_q <= result;",
        "else if (1'b0) r_q <= result;",
    ),
    "the chain of the text": (
        _E,
        "~s_axis_tlast & result_taken) r_q <= result;",
        "~s_axis_tlast & result_taken) r_q <= cut;",
    ),
    "the chain of the plaintext": (_E, "else if (behind) r_q <= b_q;", "else if (behind) r_q <= result;"),
    "an exchanged block goes into the chain": (
        _E,
        "encrypt & ~s_axis_tlast & result_taken) r_q <= result;",
        "encrypt & result_taken) r_q <= result;",
    ),
    "B keeps what is to be decrypted": (
        _E,
        "if ((first & good) | behind) b_q <= text;",
        "if (first & good) b_q <= text;",
    ),
    "Z is not kept": (
        _E,
        "turns ? (b_q & mask) | (result & ~mask) : result;",
        "turns ? (b_q & mask) | (result & ~mask) : b_q;",
    ),
    "C* and none of Z": (_E, "turns ? (b_q & mask) | (result & ~mask) : result;", "turns ? b_q : result;"),
    "Z and none of C*": (_E, "turns ? (b_q & mask) | (result & ~mask) : result;", "result;"),
    "C* is not joined": (_E, "if (second & ~turns) core_block_o = merged;", ""),
    "joined the wrong way round": (_E, "assign merged = cut | (b_q & ~mask);", "assign merged = cut | (b_q & mask);"),
    "C does not turn back": (_E, "if (next & ~only_q & turns) core_block_o = turned_in;", ""),
    "C turns back too far": (
        _E,
        "{turned_in, turned_in} >> (128 - (8 << bits))",
        "{turned_in, turned_in} >> (8 << bits)",
    ),
    "C turns by bits": (_E, "{turned_out, turned_out} >> (8 << bits)", "{turned_out, turned_out} >> (1 << bits)"),
    "C turns the other way": (
        _E,
        "{turned_out, turned_out} >> (8 << bits)",
        "{turned_out, turned_out} >> (128 - (8 << bits))",
    ),
    "C turns by seven bytes at most": (
        _E,
        "      turned_out = result;\n      for (int unsigned bits = 0; bits < 4",
        "      turned_out = result;\n      for (int unsigned bits = 0; bits < 3",
    ),
    "C* and the start of R": (_E, "(r_q & mask) | (turned_out & ~mask);", "r_q;"),
    "none of C*": (_E, "(r_q & mask) | (turned_out & ~mask);", "turned_out;"),
    "the rest of C is R": (
        _E,
        "if (tail & encrypt & turns) shown = turned_out;",
        "if (tail & encrypt & turns) shown = r_q;",
    ),
    "the last text of CS1": (_E, "turns ? p_q : b_q ^ text;", "b_q ^ text;"),
    "the last text of CS3": (_E, "turns ? p_q : b_q ^ text;", "turns ? p_q : b_q;"),
    "the last text of CS1 is that of the block before": (
        _E,
        "if (next & ~encrypt & result_taken) p_q",
        "if (second & result_taken) p_q",
    ),
    "bytes behind the text leave": (_E, "    if (tail) shown &= mask;\n", ""),
    "R does not leave": (_E, "assign early        = next & encrypt", "assign early        = 1'b0 & encrypt"),
    "R leaves twice": (_E, "& straight & ~left_q;", "& straight;"),
    "R leaves of the first beat": (_E, "encrypt & good & ~is_first & straight", "encrypt & good & straight"),
    "R leaves of a bad beat": (_E, "next & encrypt & good & ~is_first", "next & encrypt & s_axis_tvalid & ~is_first"),
    "R is not waited for": (_E, "core_result_ready_o = is_first | left_q | leaves;", "core_result_ready_o = 1'b1;"),
    "that R left is not forgotten": (_E, "if (idle | result_taken) left_q <= 1'b0;", "if (idle) left_q <= 1'b0;"),
    "the last result does not wait for R": (_E, "s_axis_tlast & (is_first | left_q | ~straight);", "s_axis_tlast;"),
    "text of the last message is the only one": (_E, "if (idle) only_q <= 1'b0;\n    else if ((f", "if ((f"),
    "one block is not the only one": (_E, "else if ((first & good) | behind) only_q", "else if (behind) only_q"),
    "the end is not seen": (_E, "else if ((first & good) | behind) only_q", "else if (first & good) only_q"),
    "decrypts both ways": (_E, "Decrypts & ~encrypt;", "Decrypts;"),
    "encrypts both ways": (_E, "core_decrypt_o   = Decrypts & ~encrypt;", "core_decrypt_o   = 1'b0;"),
    "less than a block": (_E, ".large_i     (is_first & ~whole),", ".large_i     (1'b0),"),
    "each block is whole": (_E, ".large_i     (is_first & ~whole),", ".large_i     (~whole),"),
    "headers are text": (_E, ".kinds_i     (4'b0100)", ".kinds_i     (4'b0110)"),
    "any mode": (_E, "if (asks == '0) refusal = 4'd10;", ""),
    "any IV": (_E, "if (s_axis_cmd_tdata[31:24] != 8'd16) refusal = 4'd5;", ""),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "the code is lost": (_E, "m_axis_tready) error_q <= code_q;", "m_axis_tready) error_q <= '0;"),
    "the code of a beat is lost": (_E, "    end else if (bad) begin\n      code_q <= code;\n", ""),
    "a refused message is not drained": (_E, "refusal != '0 ? Drain : enc", "refusal != '0 ? Refused : enc"),
    "a bad beat is not drained": (
        _E,
        "if (bad) state_d = s_axis_tlast ? Refused : Drain;",
        "if (bad) state_d = Refused;",
    ),
    "a command before a key that came first": (_E, "cmd_tready = idle & ~key_valid_i;", "cmd_tready = idle;"),
    "a key within a message": (_E, "key_ready_o      = idle & core", "key_ready_o      = core"),
    "the last beat is not partial": (_E, "m_axis_tkeep  = tail ? s_axis_tkeep :", "m_axis_tkeep  = tail ? '1 :"),
    "no end": (_E, "assign ended  = (next & (encrypt ?", "assign ended  = (next & only_q & (encrypt ?"),
    "a tail is not waited for": (_E, "Tail, Refused: if (m_axis_tready)", "Tail, Refused: if (1'b1)"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
TESTED = tuple(WRONG)[::4]
"""Those of every thorough run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Callable[..., Any]) -> StealingEngine:
    """The engine of which wrong ones are made."""
    return StealingEngine("right_steal", stand_in(3, 4, BOTH))


@cache
def to_tell_apart(cipher: type[Cipher]) -> tuple[list[Keyed], ...]:
    """What wrong engines are sent: without pauses, with some, and commands with their keys."""
    rng = random.Random(7)
    return tuple(traffic_of_stealing(tuple(STEALS)).messages(rng, 300, cipher, most=60) for _ in range(3))


def passes(right: StealingEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does."""
    return answers_alike(right, model, number, cipher, to_tell_apart(cipher))


def test_each_wrong_engine_can_be_made_of_the_right_one(stand_ins: Any) -> None:
    can_be_made(right_one(stand_ins[0]), WRONG, 50)


@pytest.mark.thorough
def test_wrong_engines_are_found(stand_ins: Any, tmp_path: Path) -> None:
    wrong = [WRONG[what] for what in TESTED]
    finds_wrong_engines(right_one(stand_ins[0]), wrong, passes, tmp_path, stand_ins[1])
