"""The GCM engine of several lanes in simulation against its model: messages, pauses, clocks, wrong engines.

Cores stand in for AES, and a plain multiplication for the multiplier; both are proved elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, with_pauses, wrong_engine
from tests.modes.test_clear import cut
from tests.modes.test_lanes import spoiled

import aesmith
from aesmith.assurance.engines.prove import check_claimed
from aesmith.assurance.streams.channels import Offer
from aesmith.assurance.streams.check import (
    SCENARIOS,
    StreamPlan,
    compare_beats,
    expected,
    message_clocks,
    offers_of,
)
from aesmith.cores.design import SourceFile
from aesmith.cores.sources import with_clear
from aesmith.errors import CheckError, RequestError
from aesmith.modes import stream
from aesmith.modes.counting import GCM
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.gcm_lanes_engine import GcmLanesEngine
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.shapes import MessageShape, message_for
from aesmith.modes.specification import parse_engine
from aesmith.modes.stream import Beat, StreamedMessage, streamed_with_tag
from aesmith.modes.traffic import Keyed, in_slots
from aesmith.publish.acceptance import CheckOutcome, accept
from aesmith.publish.descriptions import read_build

pytestmark = pytest.mark.one_in(6)

KEY = bytes(range(16))
"""A key under which no block that stands in for AES's is 0."""
ENGINES = {
    "unrolled-2": (1, 21, 2, 1),
    "unrolled-4": (1, 31, 4, 1),
    "in-turn-2": (10, 11, 8, 1),
    "slots-4": (3, 7, 8, 4),
}
"""Clocks a block, latency, cores, slots for keys; lanes stand in the name."""

_STEP = """\
// What stands in for the multiplier: the same, bit by bit.
module {name} (
  input  logic [127:0] y_i,
  input  logic [{lanes}-1:0][127:0] c_i,
  input  logic [{lanes}-1:0][127:0] h_i,
  output logic [127:0] p_o
);
  function automatic logic [127:0] product(input logic [127:0] left, input logic [127:0] right);
    logic [127:0] power;
    power = left;
    product = '0;
    for (int unsigned i = 0; i < 128; i++) begin
      product ^= power & {{128{{right[i]}}}};
      power = {{power[126:0], 1'b0}} ^ (128'h87 & {{128{{power[127]}}}});
    end
  endfunction

  always_comb begin
    p_o = product(y_i, h_i[0]);
    for (int unsigned lane = 0; lane < {lanes}; lane++) p_o ^= product(c_i[lane], h_i[lane]);
  end
endmodule
"""


class PlainEngine(GcmLanesEngine):
    """The engine with a multiplier that takes no time to be made and compiled."""

    @property
    def leaves(self) -> tuple[SourceFile, ...]:
        name = f"{self.name}_ghash_lanes_step"
        return (SourceFile(f"{name}.sv", _STEP.format(name=name, lanes=self.lanes)),)


def engine_of(name: str, stand_in: Any) -> GcmLanesEngine:
    """An engine of lanes, around cores that stand in for AES."""
    clocks, latency, cores, slots = ENGINES[name]
    width = 128 * int(name.rpartition("-")[2])
    return PlainEngine("gcm", stand_in(clocks, latency), cores, stream_bits=width, key_slots=slots)


def sealed(cipher: Cipher, header: bytes, text: bytes, iv: bytes = bytes(12), tag: int = 16) -> StreamedMessage:
    """A message to decrypt."""
    made = GCM.encrypt(cipher, Message(iv, header, text, bytes(tag)))
    return streamed_with_tag(Message(iv, header, made.text, made.tag), encrypt=False)


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.thorough] * (name != "unrolled-2")) for name in ENGINES],
)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    design = engine_of(request.param, stand_ins[0])
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def messages(engine: GcmLanesEngine, rng: random.Random, count: int, cipher: type[Cipher]) -> list[Keyed]:
    """Messages of each kind, of which some are spoiled in a lane beside."""
    sent = engine.stream_traffic.messages(rng, count, cipher, most=150)
    sent = [(key, spoiled(message, rng) if rng.random() < 0.2 else message) for key, message in sent]
    return in_slots(rng, sent, engine.key_slots)


def at_borders(engine: GcmLanesEngine, cipher: Cipher) -> list[Keyed]:
    """Headers and texts of all numbers of lanes up to two beats, some with a lane that is not full: each to encrypt, to
    decrypt, and with another tag."""
    sent = list[StreamedMessage]()
    for headers in range(2 * engine.lanes + 1):
        for texts in range(2 * engine.lanes + 1):
            header, text = bytes(16 * headers - headers % 3 * bool(headers)), bytes(16 * texts - texts % 2 * 5)
            iv, tag = bytes([headers, texts]) * 6, 16 - (headers + texts) % 5
            opened = sealed(cipher, header, text, iv, tag)
            last = opened.beats[-1]
            sent += [
                streamed_with_tag(Message(iv, header, text, bytes(tag))),
                opened,
                replace(
                    opened, beats=(*opened.beats[:-1], replace(last, data=bytes([last.data[0] ^ 1]) + last.data[1:]))
                ),
            ]
    return [(cipher.key, engine.in_words(message)) for message in sent]


def bytes_of(beats: Sequence[Beat]) -> bytes:
    """All bytes that count."""
    return bytes(byte for beat in beats for place, byte in enumerate(beat.data) if beat.keep >> place & 1)


# The model.


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_the_model_of_lanes_is_openssl(lanes: int, stand_ins: Any) -> None:
    engine, rng = PlainEngine("gcm", stand_ins[0](1, 31), lanes, stream_bits=128 * lanes), random.Random(lanes)
    for size in [*range(0, 200, 7), 300]:
        key, iv, text, header = rng.randbytes(16), rng.randbytes(12), rng.randbytes(size), rng.randbytes(size % 90)
        made = AESGCM(key).encrypt(iv, text, header)
        for message, encrypt, wanted in (
            (Message(iv, header, text, bytes(16)), True, made),
            (Message(iv, header, made[:size], made[size:]), False, text),
        ):
            beats, fault = engine.answer(Cipher(key), engine.in_words(streamed_with_tag(message, encrypt=encrypt)))
            assert fault is None
            assert not beats[-1].failed
            assert bytes_of(beats) == wanted
        beats, _ = engine.answer(Cipher(key), engine.in_words(sealed(Cipher(key), header + b"a", text, iv)))
        assert not beats[-1].failed
        changed = Message(iv, header + b"a", made[:size], made[size:])
        beats, _ = engine.answer(Cipher(key), engine.in_words(streamed_with_tag(changed, encrypt=False)))
        assert beats[-1].failed


@pytest.mark.parametrize("fault", GcmLanesEngine.traffic.bad)
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(fault: Fault, stand_ins: Any) -> None:
    rng = random.Random(int(fault))
    for name in ENGINES:
        engine, cipher = replace(engine_of(name, stand_ins[0]), key_slots=1), Cipher(bytes(16))
        for make in engine.stream_traffic.bad[fault]:
            for _ in range(20):
                sent = make(engine.stream_traffic.to_break(rng, cipher, 48), rng)
                assert engine.answer(cipher, sent)[1] is fault


def test_an_iv_of_other_than_12_bytes_is_refused(stand_ins: Any) -> None:
    engine = engine_of("unrolled-4", stand_ins[0])
    for size in (1, 8, 11, 13, 16, 60):
        sent = engine.in_words(streamed_with_tag(Message(bytes(size), b"", bytes(40), bytes(16))))
        assert engine.answer(Cipher(bytes(16)), sent)[1] is Fault.IV


# The engine.


@pytest.mark.thorough
@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(design, model, messages(design, rng, 200, stand_ins[1]), stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["unrolled-2", "unrolled-4"], indirect=True)
@pytest.mark.parametrize("pause", [0, 90])
def test_sections_end_in_any_lane_and_a_message_behind_a_bad_one_is_served(
    engine: Any, stand_ins: Any, pause: int
) -> None:
    design, model = engine
    sent = at_borders(design, stand_ins[1](KEY))
    check(design, model, sent, stand_ins[1], pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)


@pytest.mark.thorough
def test_clocks_are_those_of_the_formula(engine: Any) -> None:
    """Where a core of each lane takes a block a clock, of all kinds of message, else of some."""
    design, model = engine
    for headers, texts, encrypt in list(design.kinds())[:: 1 if design.lanes == design.cores else 5]:
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        beats = -(-(headers + texts + 1) // design.lanes)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt)
        assert seen == beats * design.core.cycles_per_block * design.lanes / design.cores


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("engine", ["unrolled-2", "unrolled-4"], indirect=True)
@pytest.mark.parametrize("headers", range(4))
@pytest.mark.parametrize("texts", [1, 3, 12])
def test_text_leaves_after_the_clocks_that_are_stated(engine: Any, headers: int, texts: int) -> None:
    """Wherever it begins, if beats come without pauses."""
    design, model = engine
    message = Message(bytes(12), bytes(16 * headers), bytes(16 * texts), bytes(16))
    offers = offers_of([(KEY, design.in_words(streamed_with_tag(message)))] * 2)
    beats, answered = len(offers[INPUT]) // 2, -(-(texts + 1) // design.lanes)
    # The second one comes to an engine that is at rest.
    offers[INPUT][beats] = replace(offers[INPUT][beats], after={COMMAND: 2, OUTPUT: answered})
    made = model.run(offers, pauses={})
    begun = made[INPUT][beats + headers // design.lanes].clock
    assert made[OUTPUT][answered].clock - begun + 1 == design.latency_cycles


@pytest.mark.thorough
@pytest.mark.slow
def test_eight_lanes_answer_as_the_model_does(bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    design = PlainEngine("gcm", stand_ins[0](1, 9), 8, stream_bits=1024)
    model = bench(design, tmp_path / "model")
    sent = messages(design, random.Random(8), 300, stand_ins[1]) + at_borders(design, stand_ins[1](KEY))[::3]
    for pause in (0, 120):
        check(design, model, sent, stand_ins[1], pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)


@pytest.mark.thorough
def test_text_is_as_long_as_its_counter_serves_and_no_block_longer(
    bench: Any, stand_ins: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is 2^36 - 32 bytes; here the same text with four bits in place of 32."""
    monkeypatch.setattr(stream, "GCM_MOST_TEXT", 14 * 16)
    right = PlainEngine("right", stand_ins[0](1, 9), 4, stream_bits=512)
    short = wrong_engine(right, "short", "gcm_lanes_engine", ".MostBits (32)", ".MostBits (4)")
    cipher, sent = stand_ins[1](KEY), []
    for headers in range(5):
        for texts in range(12, 20):
            message = Message(bytes(12), bytes(16 * headers), bytes(16 * texts), bytes(16))
            opened = sealed(cipher, message.header, message.text)
            sent += [short.in_words(streamed_with_tag(message)), short.in_words(opened)]
    faults = {short.answer(cipher, message)[1] for message in sent}
    assert faults == {None, Fault.LENGTH}
    check(short, bench(short, tmp_path / "model"), [(KEY, message) for message in sent], stand_ins[1])


WRONG = {
    "powers one too low": ("ghash_lanes", "power_q[last+1-lane]", "power_q[last == lane ? 1 : last-lane]"),
    "blocks of other lanes": ("ghash_lanes", "(block_i[lane])", "(block_i[Lanes-1-lane])"),
    "powers as if all lanes were used": ("ghash_lanes", "{128{ends[last]}}", "{128{last == Lanes - 1}}"),
    "lengths in bytes": (
        "ghash_lanes",
        "{header_bytes_q, 3'd0, text_bytes_q, 3'd0}",
        "{3'd0, header_bytes_q, 3'd0, text_bytes_q}",
    ),
    "lengths the other way round": (
        "ghash_lanes",
        "{header_bytes_q, 3'd0, text_bytes_q, 3'd0}",
        "{text_bytes_q, 3'd0, header_bytes_q, 3'd0}",
    ),
    "lanes of other kinds count": ("ghash_lanes", "lanes[lane] & keep[lane][15]", "keep[lane][15]"),
    "a part of a block is forgotten": ("ghash_lanes", "odd = so_far[3:0]", "odd = '0"),
    "the text of the message before": (
        "ghash_lanes",
        "bytes_with(text_bytes_q & {61{~first_i}}",
        "bytes_with(text_bytes_q",
    ),
    "each beat is hashed alone": ("ghash_lanes", "y_q & {128{~c_first_q}}", "'0"),
    "the hash of the message before": ("ghash_lanes", "y_q & {128{~c_first_q}}", "y_q"),
    "blocks before the powers are made": ("ghash_lanes", "if (key_i) known_q", "if (1'b0 & key_i) known_q"),
    "the highest power is missing": ("ghash_lanes", "number <= Lanes; number++", "number < Lanes; number++"),
    "powers that do not wait": ("ghash_lanes", "if (move_i & c_valid_q) y_q", "if (c_valid_q) y_q"),
    "the first counter block of the message behind": ("lane_slots", "= iv_q[8*place+:8]", "= iv_i[8*place+:8]"),
    "the first counter block in lane 0": (
        "lane_slots",
        "tag_q[lane] | (extra_q & lane == 0)",
        "lane == 0 & (tag_q != '0 | extra_q)",
    ),
    "counters as if text began in lane 0": ("lane_slots", "32'd2 - 32'(headers)", "32'd2"),
    "counters begin anew with each beat": ("lane_slots", ".first_i(~begun_q)", ".first_i(1'b1)"),
    "text begins with the header": ("lane_slots", "begun_q <= ~ends & (begun_q | text_q != '0)", "begun_q <= ~ends"),
    "bytes of headers that do not count": ("lane_slots", "{8{keep_i[lane][place]}}", "'1"),
    "bytes of text that do not count": ("gcm_lanes_engine", "if (result_q.text[lane]) sum", "if (1'b0) sum"),
    "no slot for the tag behind a full beat": ("lane_slots", "more   = last_i &", "more   = 1'b0 &"),
    "the tag in every unused lane": ("lane_slots", "last_i & behind[lane] & ~used", "last_i & ~used"),
    "the tag has 16 bytes": ("lane_slots", "tag[lane] ? tag_keep_i", "tag[lane] ? '1"),
    "plaintext is hashed": (
        "gcm_lanes_engine",
        "(result_q.text[lane] & ~result_q.decrypt)",
        "result_q.text[lane]",
    ),
    "the tag that came is hashed": (
        "gcm_lanes_engine",
        "result_q.data[lane] & {128{~result_q.tag[lane]}}",
        "result_q.data[lane]",
    ),
    "a hash in every lane": ("gcm_lanes_engine", "{128{tag_q.tag[lane]}}", "{128{tag_q.tag != '0}}"),
    "slots do not wait": ("gcm_lanes_engine", "move = ~tag_valid_q | release_next", "move = 1'b1"),
    "results do not wait": ("gcm_lanes_engine", ".ready_i(move)", ".ready_i(1'b1)"),
    "what is wrong waits for a key": ("gcm_lanes_engine", ".Skips    (1'b1)", ".Skips    (1'b0)"),
    "a result is lost to what has no block": ("core_turns", "{Cores{ready_i & ~skipped}}", "{Cores{ready_i}}"),
    "a turn is lost to what has no block": ("core_turns", "ready_o & ~skips) sending_q", "ready_o) sending_q"),
    "a key while beats wait": ("gcm_lanes_engine", "slots_idle & ~sent_valid & known", "known"),
    "an IV of no bytes": ("gcm_lanes_engine", "[31:24] != 8'd12", "[31:24] != 8'd12 & s_axis_cmd_tdata[31:24] != '0"),
    "text in the lanes in which it came": ("lane_release", "begins = LaneBits'(lane + 1)", "begins = '0"),
    "the lane in which the message before began": (
        "lane_release",
        "if (slot_first_i | slot_header_i != '0)",
        "if (slot_header_i != '0)",
    ),
    "a beat is the last though text is left": ("lane_release", "& ~slot_wrong_i & ~beyond_both", "& ~slot_wrong_i"),
    "a beat is the last though something was wrong": (
        "lane_release",
        "& ~slot_wrong_i & ~beyond_both",
        "& ~beyond_both",
    ),
    "a second end": ("lane_release", "beyond_held | ~ended_q", "1'b1"),
    "no end without text": ("lane_release", "beyond_held | ~ended_q", "beyond_held"),
    "text of the message behind": ("lane_release", "{Lanes{slot_valid_i & ~last_q}}", "{Lanes{slot_valid_i}}"),
    "decrypted text does not wait for what is behind": (
        "lane_release",
        "(begins_q == '0 & ~decrypt_q)",
        "(begins_q == '0)",
    ),
    "no text waits for what is behind": ("lane_release", "(begins_q == '0 & ~decrypt_q)", "~decrypt_q"),
    "the verdict of the slot before": ("lane_release", "(last_q ? failed_q : failed)", "failed_q"),
    "the verdict in every beat": ("lane_release", "failed_o = last_o &", "failed_o ="),
    "every tag is right": ("lane_release", "failed |= ", "failed |= 1'b0 & "),
    "bytes of tags that do not count": ("lane_release", "slot_keep_i[lane][place] & slot_tag_i", "slot_tag_i"),
    "the tag is compared but for its last byte": (
        "lane_release",
        "place < 16; place++) begin\n        failed",
        "place < 15; place++) begin\n        failed",
    ),
    "what the tag differs by is shown": (
        "lane_release",
        "(slot_tag_i & {Lanes{~slot_decrypt_i}})",
        "slot_tag_i",
    ),
    "tags that are not shown have their kind": ("lane_release", "out_tag[lane] & out_shown[lane]", "out_tag[lane]"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""


TESTED = tuple(WRONG)[::6]
"""Those of every test run; benchmarks/engine_traffic.py has all of them."""


def right_engine(core: Any) -> GcmLanesEngine:
    """The engine that the wrong ones are made of."""
    return PlainEngine("right", core(2, 7), 4, stream_bits=256)


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as number 0, and wrong ones."""
    right = right_engine(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_{number}", *WRONG[what]) for number, what in enumerate(TESTED)]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


@cache
def traffic_of(pause: int, cipher: type[Cipher]) -> tuple[list[Keyed], list[Any]]:
    """Messages for the engines that may be wrong, and what the model answers."""
    right, rng = right_engine(stand_in), random.Random(pause)
    sent = messages(right, rng, 100, cipher)
    sent += at_borders(right, cipher(KEY)) if pause == 0 else []
    # Keys that wait for the only beat of a message.
    short = right.in_words(streamed_with_tag(Message(bytes(12), b"", b"", bytes(16))))
    sent += [(bytes([each]) * 16, short) for each in range(8)]
    # Text in lane 0 behind a message that ends a beat whose answer began in another lane.
    pair = [Message(bytes(12), bytes(16 * headers), bytes(32), bytes(16)) for headers in (1, 0)]
    sent += [(KEY, right.in_words(streamed_with_tag(message))) for message in pair * 8]
    return sent, list(expected(right, sent, cipher))


def passes(right: GcmLanesEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    for pause in (0, 120):
        sent, wanted = traffic_of(pause, cipher)
        offers = offers_of(sent, Chosen(number)) | {"chosen": [Offer((number,))]}
        try:
            made = model.run(offers, pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)
            compare_beats(right, made[OUTPUT], wanted)
        except CheckError:
            return False
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *TESTED])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    number = ["none", *TESTED].index(what)
    assert passes(*many, number, stand_ins[1]) is (what == "none")


# What it is made of, and what it has not.


LANES: dict[str, Any] = {
    "mode": "gcm",
    "core": "ueno2020-enc",
    "cores": 4,
    "digit": 128,
    "splits": "ooooo",
    "release": "cut-through",
    "stream_bits": 512,
}


def test_a_specification_of_a_wide_stream_is_an_engine_of_lanes() -> None:
    engine = parse_engine(LANES).engine("gcm", "lanes")
    assert isinstance(engine, GcmLanesEngine)
    assert (engine.lanes, engine.slots, engine.latency_cycles) == (4, 2, 19)
    assert "message_ring" not in engine.modules


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"digit": 64, "splits": ""}, "digit: must be 128 with a stream of 512 bits, which has several lanes, not 64"),
        ({"ghash_stages": 2}, "ghash_stages: must be 1 with"),
        ({"release": "verified"}, "release: must be cut-through with .*, not verified"),
        ({"entries": 20}, "entries: must be 0 with"),
        ({"hashes": 2}, "hashes: must be 0 with"),
        ({"ring": "memory"}, "ring: must be registers with .*, not memory"),
        ({"cores": 2}, "cores: must be a multiple of 4"),
        ({"splits": "x"}, "splits: "),
    ],
)
def test_what_lanes_have_not_is_refused_by_field_and_rule(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        parse_engine(LANES | fields)


def test_nothing_is_proved_of_lanes_and_that_is_said() -> None:
    with pytest.raises(RequestError, match=r"of engines of one lane only, .* has 4"):
        check_claimed(parse_engine(LANES).engine("gcm", "lanes"))


@pytest.mark.parametrize("encrypt", [True, False])
def test_messages_that_power_is_measured_on_are_good(stand_ins: Any, encrypt: bool) -> None:
    engine = PlainEngine("gcm", stand_ins[0](1, 9), 4, stream_bits=512)
    for blocks in range(1, 9):
        cipher = Cipher(bytes([blocks] * 16))
        sent = message_for(engine, cipher, MessageShape(1, blocks), random.Random(1), encrypt=encrypt)
        beats, fault = engine.answer(cipher, sent)
        assert fault is None
        assert not beats[-1].failed
        assert sent.text_blocks == blocks


@pytest.mark.thorough
def test_messages_that_a_clear_cuts_are_dropped_whole(bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    core = with_clear(stand_ins[0](1, 9))
    design = PlainEngine("cut", core, 2, stream_bits=256, key_slots=2, clear=True)
    model = bench(design, tmp_path / "model")
    assert sum(cut(design, model, seed, stand_ins[1])[0] for seed in range(6)) >= 12


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.usefixtures("bench")
def test_a_package_passes_its_own_checks(tmp_path: Path) -> None:
    """Its test bench too, and its one file as Verilog-2005."""
    fields = {"cores": 2, "digit": 128, "splits": "ooooo", "stream_bits": 256}
    folder = aesmith.engine("gcm-10g", **fields).build(tmp_path / "package")
    # In Icarus the test bench takes minutes; that of an engine of CTR in lanes is run in it.
    chosen = {"files", "one-file Verilog", "what follows from the sources", "lint"}
    chosen |= {"test bench, Verilator", "elaboration, Yosys"}
    found = accept(read_build(folder), tmp_path / "work", only=chosen)
    assert {check.name: check.outcome for check in found} == dict.fromkeys(chosen, CheckOutcome.PASSED)
    assert "beats of 32 bytes, in 2 lanes of 16" in (folder / "datasheet.md").read_text()


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize("core", ["ueno2020-enc-192", "ueno2020-enc-256"])
def test_an_engine_with_real_cores_is_verified(core: str) -> None:
    fields = {"core": core, "cores": 4, "digit": 128, "splits": "ooooo", "stream_bits": 256}
    report = aesmith.engine("gcm-10g", **fields).verify(StreamPlan(messages=200, vectors=60))
    assert [(scenario.name, scenario.failure) for scenario in report.scenarios] == [(name, "") for name in SCENARIOS]
