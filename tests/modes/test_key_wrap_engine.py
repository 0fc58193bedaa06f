"""The engine of KW and KWP against its model: messages, clocks, published vectors, lengths, wrong engines."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import keywrap
from tests.modes.engine_bench import ALWAYS, check, with_pauses
from tests.modes.scenarios import (
    PAUSES,
    answers_20_000,
    answers_alike,
    answers_with_pauses,
    can_be_made,
    finds_wrong_engines,
    keeps_its_formula,
    keeps_nothing_over_resets,
    takes_keys_with_commands,
)

from aesmith.assurance.streams.check import StreamPlan, message_clocks, verify_engine
from aesmith.assurance.streams.vectors import vectors_of
from aesmith.cores.design import Direction
from aesmith.errors import RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.engine import OUTPUT
from aesmith.modes.key_wrap import ICV, ICV_PADDED, wrap
from aesmith.modes.key_wrap_engine import KeyWrapEngine, key_wrap_engine
from aesmith.modes.key_wrap_stream import WRAPS
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.shapes import MessageShape, message_for, shape_of
from aesmith.modes.specification import engine_specification, parse_engine
from aesmith.modes.stream import StreamedMessage
from aesmith.modes.traffic import Keyed, with_command
from aesmith.publish.trace import traced_messages

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENGINES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "both ways": ((10, 11, BOTH), {}),
    "a memory": ((3, 4, BOTH), {"longest": 136}),
    "a pipeline, in words": ((1, 12, BOTH), {"longest": 40, "stream_bits": 32}),
    "room for two": ((2, 3, BOTH), {"longest": 32}),
    "KW to wrap": ((5, 6), {"modes": ("kw",)}),
    "KWP to unwrap": ((5, 6, BOTH[1:]), {"modes": ("kwp",)}),
    "slots": ((4, 5, BOTH), {"key_slots": 4}),
}
"""Clocks a block, latency and directions of cores that stand in for AES; fields of the engine."""
OTHERS = ("a memory", "a pipeline, in words", "room for two", "KW to wrap", "KWP to unwrap", "slots")

RFC_3394 = {
    "4.1": (16, 16, "1FA68B0A8112B447 AEF34BD8FB5A7B82 9D3E862371D2CFE5"),
    "4.2": (24, 16, "96778B25AE6CA435 F92B5B97C050AED2 468AB8A17AD84E5D"),
    "4.3": (32, 16, "64E8C3F9CE0F5BA2 63E9777905818A2A 93C8191E7D6E8AE7"),
    "4.4": (24, 24, "031D33264E15D332 68F24EC260743EDC E1C6C7DDEE725A93 6BA814915C6762D2"),
    "4.5": (32, 24, "A8F9BC1612C68B3F F6E6F4FBE30E71E4 769C8B80A32CB895 8CD5D17D6B254DA1"),
    "4.6": (32, 32, "28C9F404C4B810F4 CBCCB35CFB87F826 3F5786E2D80ED326 CBC7F0E71A99F43B FB988B9B7A02DD21"),
}
"""Bytes of the key and of the data, and the ciphertext, by section."""
RFC_5649 = {
    "20 bytes": (
        "c37b7e6492584340bed12207808941155068f738",
        "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a",
    ),
    "7 bytes": ("466f7250617369", "afbeb0f07dfbf5419200f2ccb50bb24f"),
}
"""Of section 6 the text and the ciphertext, both under one key."""
KEY_5649 = bytes.fromhex("5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8")


def published() -> list[tuple[str, bytes, bytes, bytes]]:
    """Mode, key, text and wrapped text of the RFCs."""
    data = bytes.fromhex("00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F")
    found = [("kw", bytes(range(key)), data[:size], bytes.fromhex(sealed)) for key, size, sealed in RFC_3394.values()]
    return found + [("kwp", KEY_5649, *map(bytes.fromhex, each)) for each in RFC_5649.values()]


def shown(beats: Any) -> bytes:
    """The bytes of an answer."""
    return b"".join(beat.data[: beat.keep.bit_count()] for beat in beats)


@pytest.fixture(scope="module")
def design() -> KeyWrapEngine:
    """The preset."""
    made = engine_specification("kw-compact").engine("kw", "kw-compact")
    assert isinstance(made, KeyWrapEngine)
    return made


def view_of(design: KeyWrapEngine, mode: str) -> KeyWrapEngine:
    """The engine as one of a mode."""
    return next(view for view in design.views if view.mode == mode)  # type: ignore[return-value]


# The model


def test_the_model_of_the_stream_gives_what_the_rfcs_publish() -> None:
    core: dict[str, object] = {"preset": "ueno2020-encdec-selectable"}
    selectable = key_wrap_engine("kw", core)
    assert len(published()) == 8
    for mode, key, text, sealed in published():
        view = view_of(selectable, mode)
        for encrypt, given, wanted in ((True, text, sealed), (False, sealed, text)):
            beats, fault = selectable.answer(Cipher(key), view.sends(Message(text=given), encrypt=encrypt))
            assert (fault, shown(beats)) == (None, wanted)
            assert [beat.last for beat in beats] == [False] * (len(beats) - 1) + [True]


def test_the_model_of_the_stream_is_openssl(design: KeyWrapEngine) -> None:
    rng = random.Random(5)
    for size in range(1, 65):
        key, text = rng.randbytes(16), rng.randbytes(size)
        for mode, seal in (("kw", keywrap.aes_key_wrap), ("kwp", keywrap.aes_key_wrap_with_padding)):
            if mode == "kw" and (size < 16 or size % 8):
                continue
            view = view_of(design, mode)
            beats, fault = design.answer(Cipher(key), view.sends(Message(text=text)))
            assert (fault, shown(beats)) == (None, seal(key, text))
            back, fault = design.answer(Cipher(key), view.sends(Message(text=shown(beats)), encrypt=False))
            assert (fault, shown(back)) == (None, text)


@pytest.mark.parametrize("mode", ["kw", "kwp"])
def test_lengths_that_the_standard_or_the_room_forbids_are_refused(design: KeyWrapEngine, mode: str) -> None:
    taken = {encrypt: set[int]() for encrypt in (True, False)}
    for size in range(100):
        for encrypt in (True, False):
            sent = view_of(design, mode).sends(Message(text=bytes(size)), encrypt=encrypt)
            beats, fault = design.answer(Cipher(bytes(16)), sent)
            assert fault in (None, Fault.LENGTH)
            assert len(beats) == 1 or not beats[-1].error
            if fault is None:
                taken[encrypt].add(size)
    text = range(16, 65, 8) if mode == "kw" else range(1, 65)
    assert taken == {True: {*text}, False: {*range(24 if mode == "kw" else 16, 73, 8)}}


def test_nothing_is_shown_of_what_is_not_authentic(design: KeyWrapEngine) -> None:
    cipher, text = Cipher(bytes(16)), bytes(range(24))
    sealed = WRAPS["kw"].encrypt(cipher, Message(text=text)).text
    for place in range(8):
        first = bytes(byte ^ (at == place) for at, byte in enumerate(ICV))
        for wrong in (wrap(cipher, first, text), sealed[:place] + bytes([sealed[place] ^ 128]) + sealed[place + 1 :]):
            beats, fault = design.answer(cipher, view_of(design, "kw").sends(Message(text=wrong), encrypt=False))
            assert (fault, shown(beats), [beat.failed for beat in beats]) == (None, b"", [True])


def test_each_kind_of_bad_message_is_refused_for_what_it_is(stand_ins: Any) -> None:
    cipher = stand_ins[1](bytes(16))
    for directions in (BOTH, BOTH[:1], BOTH[1:]):
        for modes in (("kw", "kwp"), ("kw",), ("kwp",)):
            engine = KeyWrapEngine("kw", stand_ins[0](3, 4, directions), modes=modes)
            for part in getattr(engine.traffic, "parts", (engine.traffic,)):
                for fault, makers in part.bad.items():
                    rng = random.Random(int(fault))
                    for make in makers:
                        for most in range(17, 80, 3):
                            sent = make(part.to_break(rng, cipher, most), rng)
                            assert engine.answer(cipher, sent)[1] is fault, (directions, modes, sent)
                rng = random.Random(9)
                for _ in range(40 if part.tampered else 0):
                    assert part.tampered is not None
                    beats, fault = engine.answer(cipher, part.tampered(rng, cipher, 64))
                    assert (fault, [beat.failed for beat in beats]) == (None, [True])
    sent = view_of(KeyWrapEngine("kw", stand_ins[0](3, 4, BOTH)), "kw").sends(Message(text=bytes(16)))
    for number in range(2, 8):
        other = with_command(sent, mode=number)
        assert KeyWrapEngine("kw", stand_ins[0](3, 4, BOTH)).answer(cipher, other)[1] is Fault.MODE
        assert KeyWrapEngine("kw", stand_ins[0](3, 4, BOTH), modes=("kw",)).answer(cipher, other)[1] is None


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        ("ueno2020-encdec", {"longest": 76}, "longest: must be a multiple of 8, 24 to 524,296 bytes, not 76"),
        ("ueno2020-encdec", {"longest": 16}, "longest: must be a multiple of 8"),
        ("ueno2020-encdec", {"modes": ("gcm",)}, "modes: must be one of kw, kwp"),
        ("ueno2020-encdec", {"modes": ()}, "modes: must be different ones, at least one"),
        ("ueno2020-encdec", {"cores": 2}, "cores: must be 1, not 2: each block needs the result of the one before"),
        ("column-beat32-gated-encdec-selectable", {}, "core: must have one key size if it takes blocks in words"),
        ("ueno2020-encdec", {"stream_bits": 256}, "stream_bits"),
        ("ueno2020-encdec", {"stream_bits": 32, "bus": "apb"}, "bus: engines of kw have streams alone"),
    ):
        with pytest.raises(RequestError, match=told):
            key_wrap_engine("kw", {"preset": core}, **fields)
    with pytest.raises(RequestError, match="longest: must be at most 72 in an engine with a clear, not 80"):
        key_wrap_engine("kw", {"preset": "ueno2020-encdec", "clear": True}, longest=80, clear=True)


def test_a_request_may_name_one_mode_or_both() -> None:
    for fields, modes in (
        ({"mode": "kw"}, ("kw",)),
        ({"mode": "kwp"}, ("kwp",)),
        ({"modes": ["kwp", "kw"]}, ("kwp", "kw")),
        ({"mode": "key-wrap"}, ("kw", "kwp")),
        ({"preset": "kw-compact", "longest": 136}, ("kw", "kwp")),
    ):
        made = parse_engine({"core": "ueno2020-encdec"} | fields).engine("kw", "kw")
        assert isinstance(made, KeyWrapEngine)
        assert made.modes == modes
    with pytest.raises(RequestError, match="mode: must be key-wrap or omitted where modes are given, not kw"):
        parse_engine({"core": "ueno2020-encdec", "mode": "kw", "modes": ["kw"]})


def test_longer_messages_are_kept_in_a_memory_that_a_macro_may_replace() -> None:
    small, large = (key_wrap_engine("kw", {"preset": "ueno2020-encdec"}, longest=size) for size in (72, 1032))
    assert (small.memories, small.measured is small) == ((), True)
    assert large.memories == ("kw_semiblock_memory",)
    assert large.room_for(0, 64) == {}
    assert small.room_for(0, 64) == {"longest": 1032}
    outside = large.measured
    assert [outside.ports.port(name).width for name in ("memory_address_o", "memory_data_i")] == [7, 64]
    assert "kw_semiblock_memory.sv" not in [source.name for source in outside.sources]


def test_what_a_datasheet_or_a_measurement_of_power_shows_is_unwrapped(stand_ins: Any) -> None:
    for directions, modes in ((BOTH[1:], ("kw",)), (BOTH, ("kwp",))):
        made = KeyWrapEngine("kw", stand_ins[0](3, 4, directions), modes=modes)
        shape = shape_of(made)
        assert shape == MessageShape(0, 4)
        sent = message_for(made, Cipher(bytes(16)), shape, random.Random(1), encrypt=False)
        beats, fault = made.answer(Cipher(bytes(16)), sent)
        assert (fault, len(shown(beats))) == (None, 64)
        for key, message in traced_messages(made) if directions == BOTH[1:] else ():
            assert key is not None
            beats, fault = made.answer(Cipher(key), message)
            assert (fault, [beat.failed for beat in beats]) == (None, [False] * len(beats))


# The RTL


@pytest.fixture(scope="module", params=["both ways", *(pytest.param(n, marks=pytest.mark.thorough) for n in OTHERS)])
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, fields = ENGINES[request.param]
    made = KeyWrapEngine("kw", stand_ins[0](*core), **fields)
    return made, bench(made, tmp_path_factory.mktemp("engine") / "model")


@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    answers_with_pauses(*engine, stand_ins[1], pause, 150)


def test_messages_follow_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any) -> None:
    keeps_its_formula(*engine, stand_ins[1])


def test_clocks_are_those_of_the_calls_and_of_what_loads_and_unloads(stand_ins: Any) -> None:
    """6 n calls of L clocks, n to load, two for each of m beats that leave, and 2 or 4."""
    made = KeyWrapEngine("kw", stand_ins[0](10, 11, BOTH))
    for blocks in range(1, 5):
        n = 2 * blocks
        assert made.message_cycles(0, blocks) == 6 * n * 11 + n + 2 * (blocks + 1) + 2
        assert made.message_cycles(0, blocks, encrypt=False) == 6 * n * 11 + n + 2 * blocks + 4
    assert made.cycles_per_block == 12 * 11 + 4


def test_a_key_is_before_a_command_of_the_same_clock(engine: Any, stand_ins: Any) -> None:
    takes_keys_with_commands(*engine, stand_ins[1], 60)


def test_nothing_stale_is_left_by_a_reset_in_mid_message(engine: Any, stand_ins: Any) -> None:
    keeps_nothing_over_resets(*engine, stand_ins[1], 8, 12)


WORDS = ("column-beat32-encdec", "serial-shared-encdec", "serial-encdec", "wang2010-s4-enc", "serial-bit-enc")
"""Cores that take blocks in words, of 32 bits to one."""


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("preset", WORDS)
def test_cores_of_any_width_serve(preset: str, bench: Any, tmp_path: Path) -> None:
    made = key_wrap_engine("kw", {"preset": preset}, longest=32)
    lint(made, tmp_path / "lint")
    model = bench(made, tmp_path / "model")
    for pause in (0, 150):
        sent = made.traffic.messages(random.Random(pause), 25, Cipher, most=24)
        check(made, model, sent, Cipher, pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)
    for headers, texts, encrypt in made.kinds():
        seen, _ = message_clocks(made, model.run, headers, texts, encrypt=encrypt)
        assert seen == made.message_cycles(headers, texts, encrypt=encrypt), (texts, encrypt)


@pytest.mark.thorough
def test_20_000_messages_with_stalls_are_answered_as_by_the_model(stand_ins: Any, tmp_path: Path) -> None:
    made = KeyWrapEngine("kw", stand_ins[0](2, 3, BOTH), longest=72)
    answers_20_000(made, tmp_path, stand_ins[1], 300)


@pytest.mark.thorough
def test_published_messages_go_through_keys_of_all_sizes(bench: Any, tmp_path: Path) -> None:
    """The RFCs' and some of CAVP's, in both directions, by one engine whose keys say their sizes."""
    made = key_wrap_engine("kw", {"preset": "ueno2020-encdec-selectable"}, longest=136)
    model = bench(made, tmp_path / "model")
    sent: list[Keyed] = []
    for mode, key, text, sealed in published():
        view = next(view for view in made.views if (view.mode, view.rated_key_bits) == (mode, 8 * len(key)))
        sent += [(key, view.sends(Message(text=text))), (key, view.sends(Message(text=sealed), encrypt=False))]
    seen = check(made, model, sent, Cipher)[OUTPUT]
    assert not any(transfer.payloads[2] >> 2 for transfer in seen)
    found = vectors_of(made, 300)
    assert {vector.fails for vector in found} == {True, False}
    assert {8 * len(vector.key) for vector in found} == {128, 192, 256}
    assert {vector.sent.command.mode for vector in found} == {0, 1}
    check(made, model, [(vector.key, vector.sent) for vector in found], Cipher)


@pytest.mark.thorough
def test_an_engine_with_slots_and_a_clear_is_right(tmp_path: Path) -> None:
    core: dict[str, object] = {"preset": "ueno2020-encdec", "clear": True}
    made = key_wrap_engine("kw", core, key_slots=2, clear=True, stream_bits=32)
    report = verify_engine(made, tmp_path, StreamPlan(messages=40, vectors=8, resets=6))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


@pytest.mark.thorough(but=("both ways",))
@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_clean_under_lint(name: str, stand_ins: Any, tmp_path: Path) -> None:
    core, fields = ENGINES[name]
    lint(KeyWrapEngine("kw", stand_ins[0](*core), **fields), tmp_path)


# Wrong engines

_E = "key_wrap_engine"
WRONG = {
    "t is not added to what was encrypted": (_E, "^ (step & {64{wrap}});", ";"),
    "t is not added to what is decrypted": (_E, "{a_q ^ (step & {64{~wrap}}), memory", "{a_q, memory"),
    "four bits of t": (_E, "64'(step_q) & {64", "64'(step_q[3:0]) & {64"),
    "t in the other half of A": (_E, "= 64'(step_q) & {64{~single}};", "= {32'(step_q), 32'd0} & {64{~single}};"),
    "t begins with 0": (_E, "wrap ? StepBits'(1) : (", "wrap ? StepBits'(0) : ("),
    "t begins with 4 n": (_E, " + (StepBits'(count_q) << 1);", ";"),
    "t goes up both ways": (
        _E,
        "step_q + StepBits'(1) : step_q - StepBits'(1);",
        "step_q + StepBits'(1) : step_q + 1;",
    ),
    "t in a call of its own": (_E, "& {64{~single}};", ";"),
    "six calls of one semiblock": (_E, "last_step   = single | (", "last_step   = ("),
    "five passes": (_E, "pass_q == 3'd5", "pass_q == 3'd4"),
    "passes are not counted anew": (_E, "      pass_q <= '0;\n", ""),
    "unwrapped from the first on": (_E, "wrap ? '0 : count_q - PlaceBits'(1);\n    if (i", "'0;\n    if (i"),
    "unwrapped in the order of wrapping": (_E, "    if (wrap) next_at =", "    if (1'b1) next_at ="),
    "the next one is not read ahead": (_E, "begins | issued | reread", "begins | reread"),
    "encrypts both ways": (_E, "Decrypts & ~wrap;", "Decrypts & 1'b0;"),
    "nothing is compared": (_E, "a_q == wanted & filled;", "1'b1;"),
    "the check value is not compared": (_E, "a_q == wanted & filled;", "filled;"),
    "the lower half is compared": (_E, "a_q == wanted & filled;", "a_q[31:0] == wanted[31:0] & filled;"),
    "the upper half is compared": (_E, "a_q == wanted & filled;", "a_q[63:32] == wanted[63:32] & filled;"),
    "a byte is not compared": (_E, "a_q == wanted & filled;", "a_q[63:8] == wanted[63:8] & filled;"),
    "the padding is not looked at": (_E, "a_q == wanted & filled;", "a_q == wanted;"),
    "the last byte of the padding alone": (_E, "padded & ~of_text[place] &", "padded & place == 0 & ~of_text[place] &"),
    "the padding of KW": (_E, "(padded & ~of_text[place] &", "(~of_text[place] &"),
    "a byte of the padding too few": (_E, "3'(7 - place) < odd", "3'(7 - place) <= odd"),
    "the length is that of whole semiblocks": (_E, "count_q - PlaceBits'(behind != '0);", "count_q;"),
    "the length of the message before": (_E, "if (writes) odd_q <= odd;\n    else if (v", "if (v"),
    "the value of KW for both": (_E, "wanted = padded ?", "wanted = 1'b0 ?"),
    "the value of KWP for both": (_E, "wanted = padded ?", "wanted = 1'b1 ?"),
    "A of the message before": (_E, "    else if (begins & wrap) a_q <= wanted;\n", ""),
    "text before the verdict": (_E, "authentic ? Fetch : Failed;", "Fetch;"),
    "text for a bad verdict": (_E, "authentic ? Fetch : Failed;", "authentic | padded ? Fetch : Failed;"),
    "a bad verdict is an error": (_E, "== Refused, state_q == Failed, m", "== Failed, state_q == Refused, m"),
    "a good verdict and no text": (_E, "assign m_axis_tvalid = out |", "assign m_axis_tvalid = (out & wrap) |"),
    "written one place on": (_E, "if (load) address = count_q;", "if (load) address = count_q + PlaceBits'(1);"),
    "results go one place on": (_E, "    address = at_q;\n", "    address = result_taken ? next_at : at_q;\n"),
    "A is written": (_E, "load ? semiblock : result[63:0];", "load ? semiblock : result_a;"),
    "wherever the address is": ("semiblock_registers", "& address_i == AddressBits'(place)", "& place < 2"),
    "what fills a semiblock is not 0": (_E, "text[64+8*place+:8]) & {8{mask[place]}};", "text[64+8*place+:8]);"),
    "the first semiblock twice": (_E, "assign has_one = second | ~takes_a;", "assign has_one = 1'b1;"),
    "the first one is kept as others are": (_E, "assign takes_a = is_first & ~wrap;", "assign takes_a = 1'b0;"),
    "semiblocks are not counted anew": (_E, "if (idle) count_q <= '0;\n    else if (w", "if (w"),
    "a semiblock less": (_E, "after > PlaceBits'(Semiblocks)", "after >= PlaceBits'(Semiblocks)"),
    "a semiblock more": (_E, "after > PlaceBits'(Semiblocks)", "after > PlaceBits'(Semiblocks + 1)"),
    "one semiblock of KW": (_E, "(padded ? PlaceBits'(1) : PlaceBits'(2))", "PlaceBits'(1)"),
    "KWP of two semiblocks or more": (_E, "(padded ? PlaceBits'(1) : PlaceBits'(2))", "PlaceBits'(2)"),
    "nothing in KWP": (_E, "if (~s_axis_tkeep[0] | after", "if (after"),
    "parts of semiblocks": (_E, "wrong_length = ~(wrap & padded) & (", "wrong_length = 1'b0 & ("),
    "no parts of semiblocks in KWP": (_E, "wrong_length = ~(wrap & padded) & (", "wrong_length = ("),
    "parts of a first semiblock": (_E, "(~s_axis_tkeep[7] | (second", "((second"),
    "parts of a second semiblock": (_E, "(~s_axis_tkeep[7] | (second & ~s_axis_tkeep[15]));", "~s_axis_tkeep[7];"),
    "any mode": (_E, "if (~One & s_axis_cmd_tdata[3:2] != '0) refusal = 4'd10;", ""),
    "any IV": (_E, "if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;", ""),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "the code is lost": (_E, "m_axis_tready) error_q <= code_q;", "m_axis_tready) error_q <= '0;"),
    "the code of the command is lost": (_E, "if (idle) code_q <= refusal;\n    else if", "if"),
    "a refused message is served": (_E, "good ? Begin : Refused;", "Begin;"),
    "headers are text": (_E, ".kinds_i     (4'b0100)", ".kinds_i     (4'b0110)"),
    "a command before a key that came first": (_E, "cmd_tready = idle & ~key_valid_i;", "cmd_tready = idle;"),
    "a key within a message": (_E, "key_ready_o         = idle & core", "key_ready_o         = core"),
    "KWP of the command before": (_E, "padded_q <= asks_padded;", "if (take_command) padded_q <= padded_q ^ 1'b1;"),
    "the last beat is not partial": (_E, "if (out_last) shown[7:0] = last_used;", ""),
    "a semiblock too many": (_E, "    if (alone) shown = {last_used, 8'd0};\n", ""),
    "bytes of the text are lost": (_E, "    else if (verify) odd_q <= behind;\n", ""),
    "an output that is not quiet": (_E, "a_q[8*(7-each)+:8] & {8{m_axis_tkeep[each]}};", "a_q[8*(7-each)+:8];"),
    "the first of a beat for both": (_E, "    else if (fetch) a_q <= memory_data_i;\n", ""),
    "a beat is not waited for": (_E, "Out: if (m_axis_tready) state_d", "Out: if (1'b1) state_d"),
    "a beat of the last message": (_E, "assign out_last  = at_q >= count_q;", "assign out_last  = at_q > count_q;"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
TESTED = tuple(WRONG)[::4]
"""Those of every thorough run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Callable[..., Any]) -> KeyWrapEngine:
    """The engine of which wrong ones are made."""
    return KeyWrapEngine("right_wrap", stand_in(3, 4, BOTH), longest=64)


def edges(right: KeyWrapEngine, cipher: Cipher) -> list[StreamedMessage]:
    """Messages that random ones seldom are: of each length, good and with one byte that fills them not 0."""
    made = []
    for mode in ("kw", "kwp"):
        view = view_of(right, mode)
        for size in range(right.room + 2):
            made.append(view.sends(Message(text=bytes([165]) * size)))
            if mode == "kwp" and size % 8 and size < right.room:
                filled = bytes(size) + bytes([1]) + bytes(-(size + 1) % 8)
                wrapped = wrap(cipher, ICV_PADDED + size.to_bytes(4), filled)
                made.append(view.sends(Message(text=wrapped), encrypt=False))
    return made


def to_tell_apart(right: KeyWrapEngine, cipher: type[Cipher]) -> list[list[Keyed]]:
    """What wrong engines are sent."""
    rng, made = random.Random(7), []
    for _ in PAUSES:
        sent = right.traffic.messages(rng, 200, cipher, most=60)
        key = sent[-1][0]
        assert key is not None
        made.append([*sent, *((key, each) for each in edges(right, cipher(key)))])
    return made


def passes(right: KeyWrapEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does."""
    return answers_alike(right, model, number, cipher, to_tell_apart(right, cipher))


def test_each_wrong_engine_can_be_made_of_the_right_one(stand_ins: Any) -> None:
    can_be_made(right_one(stand_ins[0]), WRONG, 60)


@pytest.mark.thorough
def test_wrong_engines_are_found(stand_ins: Any, tmp_path: Path) -> None:
    wrong = [WRONG[what] for what in TESTED]
    finds_wrong_engines(right_one(stand_ins[0]), wrong, passes, tmp_path, stand_ins[1])


@pytest.mark.thorough
def test_a_memory_that_forgets_is_found(stand_ins: Any, tmp_path: Path) -> None:
    right = replace(right_one(stand_ins[0]), longest=136)
    faults = {
        "written wherever": ("semiblock_memory", "semiblocks_q[address_i] <= data_i", "semiblocks_q[0] <= data_i"),
        "read wherever": ("semiblock_memory", "data_q <= semiblocks_q[address_i]", "data_q <= semiblocks_q[0]"),
        "never written": ("semiblock_memory", "if (enable_i & write_i)", "if (1'b0)"),
    }
    finds_wrong_engines(right, list(faults.values()), passes, tmp_path, stand_ins[1])
