"""The engine of several modes in simulation against its models: messages of all modes, clocks, wrong ones, limits."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import cmac
from cryptography.hazmat.primitives.ciphers import Cipher as OpenSsl
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM
from tests.modes.engine_bench import (
    ALWAYS,
    Chosen,
    ManyEngines,
    check,
    file_of,
    iv_of,
    together,
    with_pauses,
    wrong_engine,
)

from aesmith.assurance.streams.check import StreamPlan, message_clocks, verify_engine
from aesmith.assurance.streams.standalone import standalone_messages
from aesmith.assurance.streams.vectors import vectors_of
from aesmith.cores.design import Direction
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.clocks import passing
from aesmith.modes.counting import first_block_of_ccm
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import OUTPUT, key_of, key_payloads
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.multi_mode import GCM_OF_ANY_IV, MESSAGE_MODES, MessageMode
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.shapes import message_for, shape_of
from aesmith.modes.specification import asks_for_engine, build_engine, engine_specification, parse_engine
from aesmith.modes.stream import Section, StreamedMessage
from aesmith.modes.traffic import Keyed, in_slots
from aesmith.timing.power.activity import check_power
from aesmith.timing.power.figures import PowerPlan

pytestmark = pytest.mark.one_in(8)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        from cryptography.hazmat.decrepit.ciphers import modes as old_modes
    except ImportError:  # Older versions have them beside the others.
        old_modes = modes

ALL = tuple(MESSAGE_MODES)
BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENGINES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "all": ((10, 11, BOTH), {"modes": ALL, "gcm_iv": "any", "digit": 32, "splits": "bb"}),
    "all-short-iv": ((10, 11, BOTH), {"modes": ALL}),
    "sized": ((14, 15, BOTH), {"modes": ("cbc", "cmac")}),
    "sized-all": ((14, 15, BOTH), {"modes": ALL, "gcm_iv": "any", "release": "verified", "memory_beats": 8}),
    "encrypting": ((3, 4), {"modes": ("cbc", "ecb", "ofb", "ccm")}),
    "gcm": ((10, 11), {"modes": ("gcm",), "digit": 8, "splits": ""}),
    "gcm-any": ((10, 21), {"modes": ("gcm",), "gcm_iv": "any", "digit": 64, "splits": "b"}),
    "cbc": ((10, 11, BOTH), {"modes": ("cbc",)}),
    "cbc-decrypt": ((10, 11, (Direction.DECRYPT,)), {"modes": ("cbc",)}),
    "tags": ((5, 5), {"modes": ("cmac", "ccm")}),
    "slow": ((16, 16), {"modes": ("cfb128", "ctr", "gcm")}),
    "verified": ((10, 11, BOTH), {"modes": ("gcm", "ccm", "cbc", "cmac"), "release": "verified", "memory_beats": 8}),
}
"""Clocks a block, latency and directions of the core that stands in for AES; fields of the engine."""
SIZES = (128, 192, 256)
OF_SEVERAL_SIZES = ("sized", "sized-all")
"""Sizes of keys, and the engines whose keys have one of them."""
QUICK = ("all", "sized")


def design_of(name: str, stand_in: Callable[..., Any], called: str = "multi") -> MultiModeEngine:
    """An engine of that name among those above."""
    core, fields = ENGINES[name]
    key_bits = SIZES if name in OF_SEVERAL_SIZES else SIZES[:1]
    return MultiModeEngine(called, stand_in(*core, key_bits=key_bits), **fields)


def messages_to(
    design: MultiModeEngine, rng: random.Random, count: int, cipher: type[Cipher], most: int = 300
) -> list[Keyed]:
    """So many messages, good and bad, under keys of all its sizes, in slots if it has some."""
    key_bytes = [bits // 8 for bits in design.key_bits]
    return in_slots(rng, design.traffic.messages(rng, count, cipher, most=most, key_bytes=key_bytes), design.key_slots)


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.thorough] * (name not in QUICK)) for name in ENGINES]
)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    design = design_of(request.param, stand_ins[0])
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def of_one(mode: MessageMode, stand_in: Callable[..., Any]) -> MultiModeEngine:
    """An engine of that mode alone."""
    gcm_iv = "any" if mode is GCM_OF_ANY_IV else "twelve-bytes"
    return MultiModeEngine("one", stand_in(10, 11, BOTH), modes=(mode.name,), gcm_iv=gcm_iv)


@pytest.mark.parametrize("mode", [*MESSAGE_MODES.values(), GCM_OF_ANY_IV], ids=[*MESSAGE_MODES, "gcm-any"])
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(mode: MessageMode, stand_ins: Any) -> None:
    design = of_one(mode, stand_ins[0])
    for fault, makers in design.traffic.bad.items():
        rng = random.Random(int(fault))
        for make in makers:
            for most in range(17, 80, 7):
                sent = make(design.traffic.to_break(rng, Cipher(bytes(16)), most), rng)
                assert design.answer(Cipher(bytes(16)), sent)[1] is fault


def bytes_of(design: MultiModeEngine, key: bytes, sent: StreamedMessage) -> dict[Section, bytes]:
    """What the model answers a message by, section by section."""
    beats, fault = design.answer(Cipher(key), sent)
    assert fault is None
    assert [beat.last for beat in beats] == [False] * (len(beats) - 1) + [True]
    assert not any(beat.failed for beat in beats)
    return {
        section: b"".join(beat.data[: beat.keep.bit_count()] for beat in beats if beat.section is section)
        for section in (Section.TEXT, Section.TAG)
    }


def openssl(mode: str, key: bytes, message: Message) -> tuple[bytes, bytes]:
    """The ciphertext and the tag that OpenSSL makes."""
    if mode == "cmac":
        worker = cmac.CMAC(algorithms.AES(key))
        worker.update(message.text)
        return b"", worker.finalize()
    if mode in ("ccm", "gcm"):
        sealing = AESCCM(key, 16) if mode == "ccm" else AESGCM(key)
        sealed = sealing.encrypt(message.iv, message.text, message.header)
        return sealed[:-16], sealed[-16:]
    theirs = {"ecb": modes.ECB, "cbc": modes.CBC, "cfb128": old_modes.CFB, "ofb": old_modes.OFB, "ctr": modes.CTR}[mode]
    encryptor = OpenSsl(algorithms.AES(key), theirs(*[message.iv] * (mode != "ecb"))).encryptor()
    return encryptor.update(message.text) + encryptor.finalize(), b""


@pytest.mark.parametrize("mode", ALL)
def test_the_model_of_the_stream_is_openssl_both_ways(mode: str, stand_ins: Any) -> None:
    rng, design = random.Random(5), of_one(MESSAGE_MODES[mode], stand_ins[0])
    for size in [*range(1, 50), 300]:
        iv = rng.randbytes({"ecb": 0, "cmac": 0, "ccm": rng.randrange(7, 14), "gcm": 12}.get(mode, BLOCK))
        text = rng.randbytes(-(-size // BLOCK) * BLOCK if mode in ("ecb", "cbc") else size)
        header = rng.randbytes(rng.randrange(40)) if mode in ("ccm", "gcm") else b""
        message = Message(iv, header, text, bytes(BLOCK * (mode in ("cmac", "ccm", "gcm"))))
        other, tag = openssl(mode, key := rng.randbytes(16), message)
        assert bytes_of(design, key, design.sends(message)) == {Section.TEXT: other, Section.TAG: tag}
        back = replace(message, text=text if mode == "cmac" else other, tag=tag)
        plain = b"" if mode == "cmac" else text
        assert bytes_of(design, key, design.sends(back, encrypt=False)) == {Section.TEXT: plain, Section.TAG: b""}


def test_the_first_block_of_ccm_is_that_of_the_standard() -> None:
    """SP 800-38C, example 2."""
    message = Message(bytes.fromhex("1011121314151617"), bytes(16), bytes(16), bytes(6))
    assert first_block_of_ccm(message).hex() == "56101112131415161700000000000010"


@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(design, model, messages_to(design, rng, 300, stand_ins[1]), stand_ins[1], pauses=pauses, seed=pause + 1)


def test_a_key_is_before_a_command_of_the_same_clock(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    check(design, model, messages_to(design, random.Random(3), 100, stand_ins[1]), stand_ins[1], together)


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.thorough), 3])
def test_messages_of_each_mode_follow_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any, step: int) -> None:
    """Messages of each length, or one in so many."""
    design, model = engine
    for number, view in enumerate(design.views):
        for headers, texts, encrypt in list(view.kinds())[number % step :: step]:
            seen, _ = message_clocks(view, model.run, headers, texts, encrypt=encrypt, cipher=stand_ins[1])
            assert seen == view.message_cycles(headers, texts, encrypt=encrypt), (view.mode, headers, texts, encrypt)


def test_clocks_of_whole_blocks_are_those_of_such_messages(stand_ins: Any) -> None:
    for name in ("all", "verified", "gcm"):
        for view in design_of(name, stand_ins[0]).views:
            assert view.recurrence is not None
            for headers, texts, encrypt in view.kinds():
                sent = view.plain(headers, texts, encrypt=encrypt)
                message = passing(sent, BLOCK, encrypt=encrypt, opens=True)
                *_, before, after = view.recurrence([message] * 3).left
                assert view.message_cycles(headers, texts, encrypt=encrypt) == after[-1] - before[-1]


def test_what_is_rated_are_the_clocks_of_long_messages(engine: Any) -> None:
    for view in engine[0].views:
        for way in view.mode_directions:
            # Text that waited leaves a block a clock, and that of the next message waits for it.
            waits = view.most_beats is not None and way is Direction.DECRYPT
            seen = view.message_cycles(0, 900, encrypt=way is Direction.ENCRYPT) / 900
            assert seen - waits <= view.cycles_per_block * 1.05
        assert seen - waits == pytest.approx(view.cycles_per_block, rel=0.05)


@pytest.mark.parametrize("engine", ["all"], indirect=True)
def test_counters_come_round_in_their_32_bits(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    key, rng = bytes(range(16)), random.Random(3)
    cipher = stand_ins[1](key)
    sent = []
    for low in (0xFFFF_FFFD, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x0000_FFFE):
        first = rng.randbytes(12) + low.to_bytes(4)
        counted = Message(first, text=rng.randbytes(70))
        # GCM hashes this IV to a J0 whose low word is that.
        hashed = Message(
            iv_of(first, cipher.constant(bytes(BLOCK))), rng.randbytes(20), rng.randbytes(70), bytes(BLOCK)
        )
        for view in design.views:
            if view.mode in ("ctr", "gcm"):
                sent += [(key, view.sends(counted if view.mode == "ctr" else hashed))] * 2
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "case",
    [
        ("ctr", "      count_q <= '0;", 3, Fault.WRAP),
        ("gcm", "LongIv ? 32'd2 : 32'd0", 2, Fault.LENGTH),
        ("gcm header", "      count_q <= '0;", 3, Fault.LENGTH),
    ],
)
def test_a_message_longer_than_its_counter_serves_is_refused(
    case: tuple[str, str, int, Fault], stand_ins: Any, bench: Any, tmp_path: Path
) -> None:
    """Counters begin three, or two, blocks before their end; the engine is another one in that alone."""
    mode, counts, blocks, fault = case
    design = of_one(MESSAGE_MODES[mode[:3]], stand_ins[0])
    begins = counts.replace("'0", "32'hffff_fffc").replace("32'd0", "32'hffff_fffc")
    begun = wrong_engine(design, "begun", "multi_mode_engine", counts, begins)
    model, key = bench(begun, tmp_path / "model"), bytes(16)
    for size in (blocks, blocks + 1):
        data = bytes(BLOCK * size)
        of_header = mode.endswith("header")
        message = Message(bytes(MESSAGE_MODES[mode[:3]].ivs[0]), data * of_header, data * (not of_header), bytes(16))
        sent = replace(message, tag=b"") if mode == "ctr" else message
        made = check_none(design, model, key, design.sends(sent))
        assert made == (0 if size == blocks else int(fault))


@pytest.mark.thorough
def test_a_header_behind_the_longest_iv_is_served(stand_ins: Any, bench: Any, tmp_path: Path) -> None:
    """Blocks of both begin to be counted three before their end; the engine is another one in that alone."""
    design = of_one(GCM_OF_ANY_IV, stand_ins[0])
    begun = wrong_engine(
        design, "begun", "multi_mode_engine", "      count_q <= '0;", "      count_q <= 32'hffff_fffc;"
    )
    model = bench(begun, tmp_path / "model")
    for blocks, fault in ((3, 0), (4, Fault.LENGTH)):
        message = Message(bytes(BLOCK * blocks), bytes(BLOCK), bytes(BLOCK), bytes(BLOCK))
        assert check_none(design, model, bytes(16), design.sends(message)) == fault


def check_none(design: MultiModeEngine, model: Any, key: bytes, sent: StreamedMessage) -> int:
    """The code behind a message, whatever its text."""
    from aesmith.assurance.streams.check import offers_of  # noqa: PLC0415

    return int(model.run(offers_of([(key, sent)], key_slots=design.key_slots))[OUTPUT][-1].side[0])


def test_published_vectors_of_all_its_modes_are_found() -> None:
    design = MultiModeEngine("multi", core_of("multi", {"preset": "ueno2020-encdec"}), modes=ALL)
    numbers = {vector.sent.command.mode for vector in vectors_of(design, 64)}
    assert numbers == set(range(8))
    encrypting = MultiModeEngine("multi", core_of("multi", {"preset": "ueno2020-enc"}), modes=("cbc", "gcm"))
    cipher = Cipher
    for vector in vectors_of(encrypting, 40):
        assert encrypting.answer(cipher(vector.key), vector.sent)[1] is None


def test_the_first_mode_is_the_one_that_figures_are_of(stand_ins: Any) -> None:
    core = stand_ins[0](10, 11, BOTH)
    first = MultiModeEngine("multi", core, modes=("gcm", "ccm"))
    other = replace(first, modes=("ccm", "gcm"))
    assert (first.mode, other.mode) == ("gcm", "ccm")
    assert (first.cycles_per_block, other.cycles_per_block) == (11, 22)
    assert first.mode_numbers == other.mode_numbers == {"ccm": 6, "gcm": 7}
    assert replace(first, modes=("ccm",)).mode_numbers == {}
    assert [source.text for source in first.sources] == [source.text for source in other.sources]


def test_a_specification_names_modes_alone(tmp_path: Path) -> None:
    file = tmp_path / "modes.toml"
    file.write_text('modes = ["ctr", "cmac"]\ncore = "ueno2020-enc"\n')
    assert asks_for_engine(str(file))
    design = build_engine(engine_specification(str(file)), "multi", str(file))
    assert isinstance(design, MultiModeEngine)
    assert design.modes == ("ctr", "cmac")
    again = parse_engine({"preset": "multi-compact", "modes": ["ofb"]}).engine("multi", "multi")
    assert again.mode == "ofb"


def test_text_waits_in_a_memory_that_measurements_leave_out(stand_ins: Any) -> None:
    design = right_one_that_waits(stand_ins[0])
    assert (design.most_beats, design.room_for(0, 5)) == (4, {"memory_beats": 8})
    assert "at most 64 bytes of text" in design.limits[0]
    assert any(source.name.endswith("release_memory.sv") for source in design.sources)
    measured = design.measured
    assert not any(source.name.endswith("release_memory.sv") for source in measured.sources)
    assert {port.name for port in measured.ports} - {port.name for port in design.ports} == {
        *("memory_enable_o", "memory_write_o", "memory_address_o", "memory_data_o", "memory_data_i")
    }
    again = replace(design, shipped=tuple(design.sources)).measured
    assert [source.text for source in again.sources] == [source.text for source in measured.sources]
    at_once = replace(design, release="cut-through")
    assert at_once.measured is at_once
    assert at_once.most_beats is None


def of_all_sizes(**fields: object) -> MultiModeEngine:
    """An engine of all modes around a real core that takes keys of all sizes."""
    core: dict[str, object] = {"preset": "ueno2020-encdec-selectable", "clear": fields.get("clear", False)}
    return MultiModeEngine("sized", core_of("sized", core), modes=ALL, **fields)  # type: ignore[arg-type]


def test_a_key_says_its_size_and_its_slot() -> None:
    key = bytes(range(1, 33))
    for slots, bits in product((1, 4), SIZES):
        own = key[: bits // 8]
        payloads = key_payloads(own, 3, key_bits=SIZES, key_slots=slots)
        assert payloads == (int.from_bytes(own.ljust(32, b"\0")), SIZES.index(bits), 3)[: 2 + (slots > 1)]
        assert key_of(payloads, key_bits=SIZES, key_slots=slots) == (own, 3 * (slots > 1))
        assert key_payloads(own, 3, key_bits=(bits,), key_slots=slots)[:1] == (int.from_bytes(own),)
        assert key_of((int.from_bytes(own),), key_bits=(bits,)) == (own, 0)


def test_what_is_told_of_an_engine_is_of_each_size_of_its_keys() -> None:
    design = of_all_sizes(release="cut-through")
    assert [design.ports.port(name).width for name in ("key_i", "key_bits_i")] == [256, 2]
    assert "11, 13 or 15 cycles; figures are those of 256 bits" in design.remarks[0]
    assert design.cycles_per_block == 15


@pytest.mark.thorough
def test_published_vectors_are_of_each_size_of_its_keys() -> None:
    design = of_all_sizes(release="cut-through")
    found = vectors_of(design, 256)
    seen = {(8 * len(vector.key), vector.sent.command.mode) for vector in found}
    assert seen == {*product(SIZES, range(8))}
    assert all(design.answer(Cipher(vector.key), vector.sent)[1] is None for vector in found)
    keys = [key for key, _ in standalone_messages(design)]
    assert {len(key) for key in keys if key is not None} == {16, 24, 32}


def test_several_sizes_of_keys_are_refused_where_they_cannot_be(stand_ins: Any) -> None:
    core = stand_ins[0](14, 15, key_bits=SIZES)
    with pytest.raises(RequestError, match="must have one key size and no clear"):
        CtrEngine("ctr", core)
    with pytest.raises(
        RequestError, match="bus: registers take keys of one size, and those of stand-in have 128, 192, 256"
    ):
        MultiModeEngine("multi", core, modes=("ctr",), bus="apb", stream_bits=32)
    with pytest.raises(RequestError, match="must have no clear"):
        MultiModeEngine("multi", core_of("multi", {"preset": "ueno2020-enc", "clear": True}))


@pytest.mark.thorough
def test_keys_of_all_sizes_go_through_slots_words_and_clears(tmp_path: Path) -> None:
    design = of_all_sizes(release="cut-through", key_slots=2, stream_bits=32, clear=True)
    report = verify_engine(design, tmp_path, StreamPlan(messages=60, vectors=48, resets=6, most=64))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


def test_messages_of_a_shape_are_served_in_every_mode(stand_ins: Any) -> None:
    """Those that power is measured with."""
    design, rng = design_of("all", stand_ins[0]), random.Random(1)
    cipher = Cipher(bytes(range(16)))
    for view in design.views:
        shape = shape_of(view)
        for way in view.mode_directions:
            sent = message_for(view, cipher, shape, rng, encrypt=way is Direction.ENCRYPT)
            beats, fault = view.answer(cipher, sent)
            assert fault is None
            assert not beats[-1].failed


def test_the_power_of_an_engine_with_a_memory_is_refused_with_the_way_out(stand_ins: Any) -> None:
    with pytest.raises(RequestError, match="with release = cut-through it has none"):
        check_power(right_one_that_waits(stand_ins[0]), PowerPlan())


def test_what_no_engine_can_be_is_refused() -> None:
    decrypts: dict[str, object] = {"architecture": "subpipelined", "directions": ("decrypt",), "stages": 1}
    for core, fields, told in (
        ({"preset": "serial-small-enc"}, {}, "128 bits at once"),
        ({"preset": "ueno2020-enc"}, {"modes": ()}, "at least one"),
        ({"preset": "ueno2020-enc"}, {"modes": ("gcm", "gcm")}, "different ones"),
        ({"preset": "ueno2020-enc"}, {"modes": ("cfb8",)}, "modes: must be one of ecb, cbc"),
        ({"preset": "ueno2020-enc"}, {"cores": 2}, "cores: must be 1, not 2"),
        ({"preset": "ueno2020-enc"}, {"digit": 128}, "digit: must be one of 4, 8"),
        ({"preset": "ueno2020-enc"}, {"gcm_iv": "none"}, "gcm_iv: must be one of twelve-bytes, any"),
        (decrypts, {"modes": ("cbc", "ctr")}, "ctr needs one that encrypts"),
        ({"preset": "ueno2020-enc"}, {"release": "late"}, "release: must be one of verified, cut-through"),
        ({"preset": "ueno2020-enc"}, {"memory_beats": 6}, "memory_beats: must be a power of two, 2 to 65536, not 6"),
        ({"preset": "ueno2020-enc", "clear": True}, {"release": "verified", "clear": True}, "memories have none"),
    ):
        with pytest.raises(RequestError, match=told):
            MultiModeEngine("multi", core_of("multi", core), **fields)


SUBSETS = [(mode,) for mode in ALL] + [("ecb", "cbc"), ("cfb128", "ofb", "ctr"), ("cmac", "gcm"), ALL]


@pytest.mark.thorough(but=3)
@pytest.mark.parametrize("named", SUBSETS, ids=["-".join(subset) for subset in SUBSETS])
@pytest.mark.parametrize("preset", ["ueno2020-encdec", "ueno2020-enc"])
def test_an_engine_with_its_core_is_clean_under_lint(named: tuple[str, ...], preset: str, tmp_path: Path) -> None:
    gcm_iv = "any" if preset == "ueno2020-enc" else "twelve-bytes"
    lint(MultiModeEngine("multi", core_of("multi", {"preset": preset}), modes=named, gcm_iv=gcm_iv), tmp_path)


_E = "multi_mode_engine"
WRONG = {
    "a mode that is not named": (_E, "(One | command_q[3:1] == 3'(number))", "(One | command_q[2:1] == 2'(number))"),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "IVs of any size": (_E, "if (asks[4:1] != '0) iv_wrong = s_axis_cmd_tdata[31:24] != 8'd16;", ""),
    "tags of two bytes": (_E, "inside {4'd1, 4'd2, 4'd3};", "inside {4'd1, 4'd3};"),
    "tags of GCM of seven bytes": (_E, "inside {4'd0, 4'd4, 4'd8,", "inside {4'd0, 4'd4, 4'd7, 4'd8,"),
    "another tag than B0 says": (_E, "| tag_size != {command_iv[125:123] + 3'd1, 1'b0};", ";"),
    "text of CCM beyond 2^32 bytes": (
        _E,
        "command_iv[8*place+:8] != '0) length_wrong = 1'b1;",
        "1'b0) length_wrong = 1'b1;",
    ),
    "a part of a block in ECB": (_E, "if ((ecb | cbc) & is_text & ~full)", "if (cbc & is_text & ~full)"),
    "a header where B0 has none": (
        _E,
        "if (ccm & first_q & is_header != header_due_q)",
        "if (ccm & first_q & ~is_header & header_due_q)",
    ),
    "less text than B0 says": (_E, "if (ccm & s_axis_tlast & ~is_text & (~most | odd_q != '0)) code = 4'd6;", ""),
    "less text than B0 says, encrypted": (
        _E,
        "if (ccm & s_axis_tlast & is_text & full & (count_q[31:1] != '1 | count_q[0] | odd_q != '0)) code = 4'd6;",
        "",
    ),
    "more text than B0 says": (_E, "(full ? most : ~most | odd != odd_q)", "(~full & (~most | odd != odd_q))"),
    "an IV of twelve bytes in the stream": (_E, "(~is_iv | s_axis_tkeep == 16'h0fff)", "~is_iv"),
    "sections in any order": (_E, "if (some & ~first_q & s_axis_tuser < section_q) code = 4'd3;", ""),
    "parts of blocks": (_E, "if (~first_q & part_q & s_axis_tuser == section_q) code = 4'd2;", ""),
    "keep with holes": (_E, "if ((s_axis_tkeep[15:1] & ~s_axis_tkeep[14:0]) != '0 |", "if ("),
    "an empty beat at the end": (_E, "(is_empty & ~(first_q & s_axis_tlast))", "(is_empty & ~s_axis_tlast)"),
    "a tag that is not the last beat": (_E, "(encrypt | ~has_tag | ~s_axis_tlast)", "(encrypt | ~has_tag)"),
    "no tag to compare": (_E, "if (has_tag & ~encrypt & s_axis_tlast & ~is_tag) code = 4'd3;", ""),
    "a tag of other bytes": (_E, "if (is_tag & s_axis_tkeep != tag_keep) code = 4'd8;", ""),
    "CCM hashes ciphertext": (_E, "(gcm & ~encrypt) | (ccm & encrypt);", "(gcm | ccm) & ~encrypt;"),
    "GCM hashes plaintext": (_E, "(gcm & ~encrypt) | (ccm & encrypt);", "(gcm | ccm) & encrypt;"),
    "a block is asked for twice": (_E, "if (asked_q) issue = 1'b0;", ""),
    "decryption as encryption": (
        _E,
        "Decrypts & (ecb | cbc) & ~encrypt & state_q == Body;",
        "Decrypts & ecb & ~encrypt & state_q == Body;",
    ),
    "counters of GCM begin with one": (_E, "{r_q[31:1] + 31'd1, r_q[0]}", "{r_q[31:1], ~r_q[0]}"),
    "A0 with a counter": (_E, "low[15:0] = '0;", "low[15:1] = '0;"),
    "K1 for all": (_E, "part_q ? doubled(doubled(mirrored(h_q)))", "1'b0 ? doubled(doubled(mirrored(h_q)))"),
    "no subkey behind a tag": (_E, "cmac & (final_q | is_tag);", "cmac & final_q;"),
    "the next block of CMAC is not looked at": (_E, "ccm | final_q | good;", "1'b1;"),
    "bytes that do not count are hashed": (
        _E,
        "shown = masked(sum, keep);",
        "shown = state_q == Body & gcm ? sum : masked(sum, keep);",
    ),
    "no one behind the text of CMAC": (
        _E,
        "joined[127-8*place] |= ~keep[place]",
        "joined[127-8*place] |= 1'b0 & ~keep[place]",
    ),
    "no lengths": (_E, "if (gcm & in_lengths) joined |=", "if (gcm & 1'b0 & in_lengths) joined |="),
    "the length of the IV with that of its header": (
        _E,
        "if (idle | in_iv_count) begin",
        "if (idle) begin",
    ),
    "J0 is not had back": (_E, "state_q == Restore ? ~text_q : 32'd1", "state_q == Restore ? -text_q : 32'd1"),
    "one step of GHASH less": (_E, "step_q == StepBits'(Steps - 1)", "step_q == StepBits'(Steps - 2)"),
    "Y is not begun anew": (
        _E,
        "if (load | idle | in_iv_count | ~Hashes) y_q <= '0;",
        "if (load | ~Hashes) y_q <= '0;",
    ),
    "a tag is right": (_E, "masked(x_block, tag_keep) != '0 :", "1'b0 :"),
    "a tag is right if its first byte is": (_E, "masked(x_block, tag_keep) != '0 :", "x_block[127:120] != '0 :"),
    "the chain of CBC is its plaintext": (
        _E,
        "r_q <= ofb ? result : encrypt ? shown : text;",
        "r_q <= ofb ? result : cbc & encrypt ? text : encrypt ? shown : text;",
    ),
    "the chain of OFB is its ciphertext": (_E, "r_q <= ofb ? result :", "r_q <="),
    "the chain of CFB is what leaves": (_E, "encrypt ? shown : text;", "encrypt | cfb ? shown : text;"),
    "CTR counts in 31 bits": (
        _E,
        "{r_q[0] ? next[31:1] : r_q[31:1], ~r_q[0]}",
        "{r_q[31], r_q[0] ? next[30:1] : r_q[30:1], ~r_q[0]}",
    ),
    "the first counter of CCM is zero": (_E, "r_q[15:0]    <= 16'd1;", "r_q[15:0]    <= 16'd0;"),
    "a byte of the nonce as one of a counter": (
        _E,
        "if (r_q[122:120] >= 3'd2) low[23:16]",
        "if (r_q[122:120] >= 3'd1) low[23:16]",
    ),
    "the code is lost": (_E, "      command_q[7:4] <= code;", ""),
    "the code of the command is lost": (_E, "if (refusal != '0) command_q[7:4] <= refusal;", ""),
    "a refused message is not waited for": (
        _E,
        "Drain: if (s_axis_tvalid & s_axis_tlast)",
        "Drain: if (s_axis_tvalid)",
    ),
    "a key within a message": (
        _E,
        "assign key_ready_o         = idle & core_key_ready_i[0];",
        "assign key_ready_o         = core_key_ready_i[0];",
    ),
    "a command before a key that came first": (
        _E,
        "s_axis_cmd_tready = idle & ~key_valid_i;",
        "s_axis_cmd_tready = idle;",
    ),
    "the hash key of the key before": (
        _E,
        "(Modes[7] | Modes[5])) state_d = HashKey;",
        "(Modes[7] | Modes[5]) & ~keyed_q) state_d = HashKey;",
    ),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
WRONG_FEW = {
    "text of GCM before the hash is free": (_E, "~(gcm & encrypt & busy_q);", "1'b1;"),
    "text to decrypt before the hash is free": (_E, "is_text & ~cmac & ~(load_early & busy_q);", "is_text & ~cmac;"),
    "a hash goes on in the next message": (_E, "else if (last_step | idle) busy_q", "else if (last_step) busy_q"),
    "a mode that is not built is taken": (_E, "mode_wrong = asks == '0 |", "mode_wrong ="),
    "no direction is asked for": (_E, "((asks[0] | asks[1]) & ~OneWay", "((asks[0] | asks[1]) & 1'b0 & ~OneWay"),
}
"""The same of an engine of few modes, whose core encrypts, and whose GHASH takes longer than it."""
_R = "verified_release"
WRONG_RELEASE = {
    "no room while text is read": (_R, "count_q[AddressBits] & ~leaves_q;", "count_q[AddressBits];"),
    "text without a verdict": (_R, "starts   = verdict & user_i[3:2] == '0 &", "starts   = verdict &"),
    "text of a message that was refused": (
        _R,
        "starts   = verdict & user_i[3:2] == '0 &",
        "starts   = verdict & ~user_i[2] &",
    ),
    "text at once": (_R, "(~hold_i | (verdict & ~starts));", "(~hold_i | held | (verdict & ~starts));"),
    "one beat less": (
        _R,
        "all_read = next_q == count_q[AddressBits-1:0];",
        "all_read = next_q + 1'b1 == count_q[AddressBits-1:0];",
    ),
    "the first beat is not read with the verdict": (_R, "reads    = starts | (leaves_q", "reads    = (leaves_q"),
    "a beat is read before the one before has left": (_R, "(leaves_q & ready_i & ~all_read)", "(leaves_q & ~all_read)"),
    "the last beat is whole": (_R, "~all_read | odd_q == '0 |", "1'b1 | odd_q == '0 |"),
    "text of the message before": (
        _R,
        "else if (ends | (verdict & ~starts & ready_i)) count_q <= '0;",
        "else if (ends) count_q <= '0;",
    ),
    "writes while text is read": (
        _R,
        "held     = hold_i & valid_i & ~last_i & ~leaves_q;",
        "held     = hold_i & valid_i & ~last_i;",
    ),
    "more than there is room for": (_E, "if (no_room & is_text) code = 4'd6;", ""),
    "a text to encrypt waits, too": (_E, ".hold_i          ((gcm | ccm) & ~encrypt),", ".hold_i          (gcm | ccm),"),
}
"""The same of an engine whose text waits for its verdict."""
WRONG_SIZES = {
    "every key has 256 bits": ("", ".key_bits_i   (slot_key_bits)", ".key_bits_i   (2'd2)"),
    "the size of the key that is offered": ("", ".key_bits_i   (slot_key_bits)", ".key_bits_i   (key_bits_i)"),
    "the size in the place of the first bits": (
        "",
        ".key_o({slot_key_bits, slot_key})",
        ".key_o({slot_key, slot_key_bits})",
    ),
    "no size is kept": ("key_slots", "keys_q[place] <= key_i;", "keys_q[place] <= {2'd1, key_i[KeyBits-3:0]};"),
}
"""The same of an engine whose keys have several sizes."""
TESTED = tuple(WRONG)[::6]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


def right_one_that_waits(stand_in: Callable[..., Any]) -> MultiModeEngine:
    """The engine of which those whose text waits are made."""
    return MultiModeEngine("right_waits", stand_in(10, 11), modes=("gcm", "ctr"), release="verified", memory_beats=4)


def right_one_of_sizes(stand_in: Callable[..., Any]) -> MultiModeEngine:
    """The engine of which those are made whose keys have several sizes."""
    core = stand_in(14, 15, key_bits=SIZES)
    return MultiModeEngine("right_sizes", core, modes=("cbc", "cmac"), key_slots=2)


def right_one_of_few(stand_in: Callable[..., Any]) -> MultiModeEngine:
    """The engine of which those of few modes are made."""
    named = ("cbc", "cmac", "ccm", "gcm")
    return MultiModeEngine("right_few", stand_in(10, 11), modes=named, digit=8, splits="")


def right_one(stand_in: Callable[..., Any]) -> MultiModeEngine:
    """The engine of which wrong ones are made: of all modes."""
    return design_of("all", stand_in, "right_multi")


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as the first one, and wrong ones of it."""
    right = right_one(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_multi_{n}", *WRONG[what]) for n, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


def passes(right: MultiModeEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    rng = random.Random(7)
    for pause, with_keys in ((0, False), (120, False), (0, True)):
        sent = messages_to(right, rng, 1500, cipher, 100)
        chosen = Chosen(number, with_keys=with_keys)
        try:
            check(right, model, sent, cipher, chosen, pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)
        except CheckError:
            return False
    return True


@pytest.mark.thorough
def test_a_wrong_size_of_a_key_is_found(bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    right = right_one_of_sizes(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_sizes_{n}", *each) for n, each in enumerate(WRONG_SIZES.values())]
    model = bench(ManyEngines((right, *wrong)), tmp_path / "model")
    found = [passes(right, model, number, stand_ins[1]) for number in range(len(wrong) + 1)]
    assert found == [True] + [False] * len(wrong)


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    right, model = many
    assert passes(right, model, ["none", *TESTED].index(what), stand_ins[1]) is (what == "none")


def test_each_wrong_engine_can_be_made_of_the_right_one(stand_ins: Any) -> None:
    for design, each in (
        (right_one_that_waits(stand_ins[0]), WRONG | WRONG_FEW | WRONG_RELEASE),
        (right_one_of_sizes(stand_ins[0]), WRONG_SIZES),
    ):
        texts = {source.name: source.text for source in design.sources}
        odd = {
            what: count
            for what, (module, right, _) in each.items()
            if (count := texts[file_of(design.name, module)].count(right)) != 1
        }
        assert odd == {}
