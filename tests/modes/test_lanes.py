"""Streams of several lanes: beats of lanes in software, the CTR engine of lanes, and what has one lane only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, with_pauses, wrong_engine

import aesmith
from aesmith.assurance.engines.prove import check_claimed
from aesmith.assurance.streams.check import SCENARIOS, StreamPlan, message_clocks, offers_of
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.ctr_engine import CtrEngine, ctr_engine
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT
from aesmith.modes.lanes import gathered, separated
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.specification import engine_families, parse_engine
from aesmith.modes.stream import UNKNOWN, Beat, Section, StreamedMessage, streamed
from aesmith.modes.traffic import Keyed, gcm_message, in_slots, with_command
from aesmith.publish.acceptance import CheckOutcome, accept
from aesmith.publish.descriptions import read_build

pytestmark = pytest.mark.one_in(6)

FULL = (1 << BLOCK) - 1
LANES = (2, 4, 8)
ENGINES = {
    "unrolled-2": (1, 31, 2, 32, 1),
    "unrolled-4": (1, 31, 4, 128, 1),
    "in-turn-2": (10, 11, 8, 8, 1),
    "slots-8": (3, 7, 16, 16, 4),
}
"""Clocks a block, latency, cores, bits of the counter, slots for keys; lanes stand in the name."""


def engine_of(name: str, stand_in: Any) -> CtrEngine:
    """An engine of lanes, around cores that stand in for AES."""
    clocks, latency, cores, bits, slots = ENGINES[name]
    width = 128 * int(name.rpartition("-")[2])
    return CtrEngine("ctr", stand_in(clocks, latency), cores, bits, stream_bits=width, key_slots=slots)


def spoiled(sent: StreamedMessage, rng: random.Random) -> StreamedMessage:
    """The message with another `keep` or kind of a lane, an end before its own, or a beat more or less; it ends with
    its only tlast."""
    beats = list(sent.beats)
    place, lanes = rng.randrange(len(beats)), 1 + len(beats[0].others)
    beat, kind = beats[place], rng.randrange(5)
    if kind == 0:
        shift = BLOCK * rng.randrange(lanes)
        keep = rng.choice((0, 0, FULL, FULL >> rng.randrange(BLOCK), rng.randrange(FULL)))
        beats[place] = replace(beat, keep=beat.keep & ~(FULL << shift) | keep << shift)
    elif kind == 1:
        others = list(beat.others)
        others[rng.randrange(lanes - 1)] = rng.choice(list(Section))
        beats[place] = replace(beat, others=tuple(others))
    elif kind == 2:
        beats[place:] = [replace(beat, last=True)]
    elif kind == 3:
        beats.insert(place, replace(beat, data=rng.randbytes(len(beat.data)), last=False))
    elif place < len(beats) - 1:
        del beats[place]
    return replace(sent, beats=tuple(beats))


def messages(engine: CtrEngine, rng: random.Random, count: int, cipher: type[Cipher]) -> list[Keyed]:
    """Messages of each kind, of which some are spoiled in a lane beside."""
    sent = engine.stream_traffic.messages(rng, count, cipher)
    sent = [(key, spoiled(message, rng) if rng.random() < 0.3 else message) for key, message in sent]
    return in_slots(rng, sent, engine.key_slots)


# The rule, in software.


@pytest.mark.parametrize("lanes", LANES)
def test_lanes_in_beats_are_the_same_lanes_again(lanes: int, stand_ins: Any) -> None:
    rng = random.Random(lanes)
    for size in range(200):
        sent = gcm_message(rng, stand_ins[1](bytes(16)), size).beats
        beats = gathered(sent, lanes)
        assert separated(beats) == list(sent)
        assert len(beats) == -(-len(sent) // lanes)
        assert [beat.last for beat in beats] == [False] * (len(beats) - 1) + [True]
        assert {len(beat.data) for beat in beats} == {16 * lanes}
        shown = [beat.user >> 2 * lane & 3 for beat in beats for lane in range(lanes)][: len(sent)]
        assert shown == [int(beat.section) for beat in sent]


def test_byte_0_and_lane_0_are_in_the_lowest_bits() -> None:
    one = [Beat(bytes([n] * 16), FULL >> n, Section(n), last=n == 3, failed=n == 3) for n in range(4)]
    (beat,) = gathered(one, 4)
    assert (beat.data[0], beat.data[16]) == (0, 1)
    assert (beat.keep & FULL, beat.keep >> 48) == (FULL, FULL >> 3)
    assert beat.user == 0b01_11_10_01_00


def rule(beats: Sequence[Beat], lanes: int) -> Fault | None:
    """What the documents say of lanes of CTR, by beats as they are sent, and by nothing else."""
    before: tuple[Section, int] | None = None
    for beat in beats:
        keeps = [beat.keep >> BLOCK * lane & FULL for lane in range(lanes)]
        kinds = [beat.section, *beat.others]
        used = max((lane + 1 for lane in range(lanes) if keeps[lane]), default=0)
        if any(keep & keep + 1 for keep in keeps) or not all(keeps[:used]):
            return Fault.KEEP
        if (not beat.last and used < lanes) or (not used and len(beats) > 1):
            return Fault.KEEP
        around = [before, *zip(kinds, keeps, strict=True)]
        pairs = [(around[lane], around[lane + 1]) for lane in range(used)]
        if any(one is not None and two is not None and one[0] is two[0] and one[1] != FULL for one, two in pairs):
            return Fault.PARTIAL
        if any(kind is not Section.TEXT for kind in kinds[:used]):
            return Fault.ORDER
        before = kinds[-1], keeps[-1]
    return None


@pytest.mark.parametrize("name", ENGINES)
def test_a_lane_is_refused_for_what_the_documents_say(name: str, stand_ins: Any) -> None:
    engine = engine_of(name, stand_ins[0])
    rng, seen = random.Random(name), set()
    for _ in range(600):
        sent = engine.stream_traffic.good(rng, Cipher(bytes(16)), 200)
        sent = spoiled(with_command(sent, text_bytes=UNKNOWN, iv=bytes(16)), rng)
        fault = engine.answer(Cipher(bytes(16)), sent)[1]
        assert fault is rule(sent.beats, engine.lanes)
        seen.add(fault)
    assert seen == {None, Fault.KEEP, Fault.PARTIAL, Fault.ORDER}


@pytest.mark.parametrize("fault", CtrEngine.traffic.bad)
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(fault: Fault, stand_ins: Any) -> None:
    rng = random.Random(int(fault))
    for name in ENGINES:
        engine, cipher = replace(engine_of(name, stand_ins[0]), key_slots=1), Cipher(bytes(16))
        for make in engine.stream_traffic.bad[fault]:
            for most in range(17, 160):
                sent = make(engine.stream_traffic.to_break(rng, cipher, most), rng)
                assert engine.answer(cipher, sent)[1] is fault


def test_text_before_the_beat_that_is_wrong_is_answered_and_no_lane_of_it(stand_ins: Any) -> None:
    engine = engine_of("unrolled-4", stand_ins[0])
    sent = engine.in_words(streamed(Message(iv=bytes(16), text=bytes(16 * 11))))
    assert len(sent.beats) == 3
    wrong = replace(sent.beats[1], others=(Section.TEXT, Section.TEXT, Section.HEADER))
    whole, _ = engine.answer(stand_ins[1](bytes(16)), sent)
    made, fault = engine.answer(stand_ins[1](bytes(16)), replace(sent, beats=(sent.beats[0], wrong, sent.beats[2])))
    assert fault is Fault.ORDER
    assert made[:-1] == whole[:1]
    assert (made[-1].keep, made[-1].last, made[-1].error, made[-1].user >> 8) == (0, True, True, 2)


# The engine.


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.thorough] * (name != "unrolled-2")) for name in ENGINES],
)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    design = engine_of(request.param, stand_ins[0])
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


@pytest.mark.thorough
@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(design, model, messages(design, rng, 200, stand_ins[1]), stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough
def test_clocks_are_those_of_the_formula(engine: Any) -> None:
    design, model = engine
    for blocks in (1, 2, 3, 4, 5, 8, 9, 33):
        seen, _ = message_clocks(design, model.run, 0, blocks, encrypt=True)
        cores_of_a_lane = design.cores // design.lanes
        beats = -(-blocks // design.lanes)
        assert seen == design.message_cycles(0, blocks) == beats * design.core.cycles_per_block / cores_of_a_lane


def test_beats_leave_in_the_clocks_of_the_formula_and_messages_follow_without_a_bubble(engine: Any) -> None:
    design, model = engine
    rng = random.Random(3)
    texts = [rng.randbytes(rng.randrange(1, 500)) for _ in range(40)]
    sent = [(bytes(16), design.in_words(streamed(Message(iv=rng.randbytes(16), text=text)))) for text in (b"1", *texts)]
    offers = offers_of(sent, key_slots=design.key_slots)
    # The first message lets key and commands come before what is measured.
    offers[INPUT][1] = replace(offers[INPUT][1], after={OUTPUT: 1, COMMAND: 2})
    made = model.run(offers)
    clocks = [transfer.clock for transfer in made[OUTPUT]][1:]
    assert [clock - clocks[0] for clock in clocks] == [
        design.clock_of_block(design.lanes * number) for number in range(len(clocks))
    ]
    assert clocks[0] - made[INPUT][1].clock + 1 == design.latency_cycles


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["in-turn-2"], indirect=True)
def test_a_counter_comes_round_in_its_own_bits_and_serves_no_block_more(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    assert design.counter_bits == 8
    cipher, sent = stand_ins[1], []
    for first in (0xF0, 0xFF, 0x00):
        for size, fault in ((256 * 16, None), (256 * 16 + 1, Fault.WRAP), (258 * 16, Fault.WRAP)):
            text = bytes(range(256)) * 17
            message = design.in_words(streamed(Message(iv=bytes(15) + bytes([first]), text=text[:size])))
            assert design.answer(cipher(bytes(16)), message)[1] is fault
            sent.append((bytes(16), message))
    check(design, model, sent, cipher)


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["unrolled-4"], indirect=True)
def test_a_carry_goes_through_all_128_bits_wherever_it_begins(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    rng, sent = random.Random(4), []
    for back in range(1, 12):
        for zeros in (0, 4, 15):
            iv = rng.randbytes(zeros) + ((1 << 8 * (16 - zeros)) - back).to_bytes(16 - zeros)
            sent.append((bytes(16), design.in_words(streamed(Message(iv=iv, text=bytes(16 * 14))))))
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough
def test_an_engine_with_its_cores_is_clean_under_lint(tmp_path: Path) -> None:
    core: dict[str, object] = {"preset": "ueno2020-enc"}
    lint(replace(ctr_engine("ctr", core, 8, 32), stream_bits=512), tmp_path)


WRONG = {
    "no carry into the upper part": ("lane_counters", "if (carry)", "if (1'b0)"),
    "a carry in every lane": ("lane_counters", "if (carry)", "if (1'b1)"),
    "one counter in all lanes": ("lane_counters", "+ (LowBits + 1)'(lane)", "+ (LowBits + 1)'(0)"),
    "the number above of the message before": ("lane_counters", "above   = first_i ? above_i :", "above   ="),
    "the counter of the message before": ("lane_counters", "counter = first_i ? head_i :", "counter ="),
    "the number above of a message behind": (
        "ctr_engine",
        "take & beat_last),\n      .data_o (above)",
        "take),\n      .data_o (above)",
    ),
    "the number above of the first counter is the counter": (
        "ctr_engine",
        "begins[CounterBits-1:LowBits] + 1'b1",
        "begins[CounterBits-1:LowBits]",
    ),
    "the number above stays": ("lane_counters", "<= above + 1'b1", "<= above"),
    "the counter stays": ("lane_counters", "counter_q[CounterBits-1:LowBits] <= above;", ""),
    "an unused lane before a used one": ("section_tracker", "(used[lane+1] | ~last_i", "(~last_i"),
    "unused lanes before the last beat": ("section_tracker", "| ~last_i |", "|"),
    "partial lanes within a beat": ("section_tracker", "~keep_i[lane-1][15]}", "1'b0}"),
    "partial of lane 0 of the beat before": ("section_tracker", "~keep_i[Lanes-1][15]", "~keep_i[0][15]"),
    "an unused lane goes on with a partial one": (
        "section_tracker",
        "kind_before[lane] &\n                                 (lane == 0 | used[lane])",
        "kind_before[lane]",
    ),
    "the kind of lane 0 for all": ("section_tracker", "~kinds_i[kind_i[lane]]", "~kinds_i[kind_i[0]]"),
    "kinds of unused lanes": ("section_tracker", "(used[lane] & (~kinds_i", "(((lane > 0) | used[lane]) & (~kinds_i"),
    "holes of lane 0 only": ("section_tracker", "+ 16'd1)) != '0 |", "+ 16'd1)) != '0 & lane == 0 |"),
    "one block a beat is counted": ("section_tracker", "blocks + 60'(count)", "blocks + 60'd1"),
    "a beat more than the counter serves": ("section_tracker", "== MostBlocks", "== MostBlocks + 60'(Lanes)"),
    "results of other lanes": ("ctr_engine", "turned(result[lane])", "turned(result[Lanes-1-lane])"),
    "blocks of other lanes": ("", "core_block[core % 2]", "core_block[0]"),
    "no kind in the upper lanes": ("ctr_engine", "{Lanes{m_axis_tvalid, 1'b0}}", "(2 * Lanes)'({m_axis_tvalid, 1'b0})"),
    "codes in all lanes": ("ctr_engine", "code == '0 ? beat_keep : '0", "beat_keep"),
    "bytes of unused lanes": ("text_ring", "& {8{keep_o[place]}}", "& {8{keep_o[place % 16]}}"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""


@pytest.fixture(scope="module")
def many(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine, as number 0, and wrong ones."""
    right = CtrEngine("right", stand_ins[0](10, 11), 6, 8, stream_bits=256)
    wrong = [wrong_engine(right, f"wrong_{number}", *fault) for number, fault in enumerate(WRONG.values())]
    return right, bench(ManyEngines((right, *wrong)), tmp_path_factory.mktemp("many") / "model")


def passes(right: CtrEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    rng = random.Random(7)
    iv = bytes(15) + b"\xf0"
    long = [(bytes(16), right.in_words(streamed(Message(iv=iv, text=bytes(16 * size))))) for size in (255, 256, 257)]
    for pause in (0, 120):
        sent = messages(right, rng, 160, cipher) + long * (pause == 0)
        try:
            check(right, model, sent, cipher, Chosen(number), pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)
        except CheckError:
            return False
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *WRONG])
def test_a_wrong_engine_is_found(what: str, many: Any, stand_ins: Any) -> None:
    number = ["none", *WRONG].index(what)
    assert passes(*many, number, stand_ins[1]) is (what == "none")


# What has one lane only, and what is not proved.


@pytest.mark.parametrize("mode", [mode for mode in engine_families() if mode not in ("ctr", "gcm")])
def test_an_engine_of_one_block_at_a_time_has_no_lanes_and_says_why_and_which_has(mode: str) -> None:
    preset = next(iter(engine_families()[mode].presets), None)
    fields = {"mode": mode, "core": "ueno2020-enc"} if preset is None else {"preset": preset}
    with pytest.raises(RequestError, match=r"must be at most 128, not 256: .* block.*; engines with mode = ctr or gcm"):
        parse_engine(fields | {"stream_bits": 256})


@pytest.mark.parametrize(
    ("cores", "width", "told"),
    [
        (1, 256, "a multiple of 2, at most 2, not 1: a stream brings 2 blocks a clock"),
        (6, 512, "a multiple of 4, at most 4, not 6"),
        (4, 256, "a multiple of 2, at most 2, not 4"),
    ],
)
def test_each_lane_has_as_many_cores_as_it_can_use(cores: int, width: int, told: str, stand_ins: Any) -> None:
    with pytest.raises(RequestError, match=told):
        CtrEngine("ctr", stand_ins[0](1, 31), cores, stream_bits=width)


def test_nothing_is_proved_of_lanes_and_that_is_said(stand_ins: Any) -> None:
    with pytest.raises(RequestError, match=r"of engines of one lane only, .* has 2; nothing is proved of counters of"):
        check_claimed(engine_of("unrolled-2", stand_ins[0]))


def test_an_engine_of_one_lane_has_nothing_of_it(stand_ins: Any) -> None:
    one = CtrEngine("ctr", stand_ins[0](10, 11), 2)
    assert "lane_counters" not in one.modules
    assert one.module_parameters.keys() == {"Entries", "CounterBits"}
    assert "[core %" not in one.sources[-1].text


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.usefixtures("bench")
def test_a_package_passes_its_own_checks(tmp_path: Path) -> None:
    """Its test bench too, and its one file as Verilog-2005."""
    fields = {"core": "ueno2020-enc", "cores": 4, "stream_bits": 256, "key_slots": 2}
    folder = aesmith.engine("ctr-pipeline", **fields).build(tmp_path / "package")
    chosen = {"files", "one-file Verilog", "what follows from the sources", "lint"}
    chosen |= {"test bench, Icarus", "test bench, Verilator", "elaboration, Yosys"}
    found = accept(read_build(folder), tmp_path / "work", only=chosen)
    assert {check.name: check.outcome for check in found} == dict.fromkeys(chosen, CheckOutcome.PASSED)
    datasheet = (folder / "datasheet.md").read_text()
    assert "beats of 32 bytes, in 2 lanes of 16" in datasheet
    assert "| `s_axis_tuser` | input | 4 |" in datasheet
    assert "| `m_axis_tuser` | output | 6 |" in datasheet


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.usefixtures("bench")
def test_an_engine_with_real_cores_is_verified() -> None:
    report = aesmith.engine("ctr-100g", cores=4, stream_bits=512).verify(StreamPlan(messages=200, vectors=20))
    assert [(scenario.name, scenario.failure) for scenario in report.scenarios] == [(name, "") for name in SCENARIOS]
