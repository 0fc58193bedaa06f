"""The engine of CTR whose counters go ahead, against its model: messages, clocks, wrong engines, proof."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, together, with_pauses, wrong_engine

from aesmith.assurance.engines.prove import assumptions, claims_text, prove_claims, prove_engine
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.assurance.streams.check import StreamPlan, message_clocks, offers_of, verify_engine
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.counter_engine import CounterEngine
from aesmith.modes.engine import INPUT, OUTPUT
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.specification import parse_engine

pytestmark = pytest.mark.one_in(6)

UNROLLED: dict[str, object] = {"architecture": "subpipelined", "directions": ("encrypt",), "stages": 1}
ENGINES: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {
    "beats": ((1, 11), {}),
    "deep": ((1, 31), {"key_slots": 2}),
    "words": ((1, 11), {"stream_bits": 32}),
    "shallow": ((1, 3), {}),
}
"""Clocks a block and latency of the core that stands in for AES; fields of the engine."""


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.thorough] * (name != "beats")) for name in ENGINES]
)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, fields = ENGINES[request.param]
    design = CounterEngine("ahead", stand_ins[0](*core), **fields)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


@with_pauses
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    sent = design.stream_traffic.messages(rng, 400, stand_ins[1])
    check(design, model, sent, stand_ins[1], pauses=pauses, seed=pause + 1)


def test_its_answers_are_those_of_an_engine_of_several_modes(stand_ins: Any) -> None:
    core, rng = stand_ins[0](1, 11), random.Random(9)
    ahead, one = CounterEngine("ahead", core), MultiModeEngine("one", core, modes=("ctr",))
    for key, sent in ahead.traffic.messages(rng, 600, Cipher):
        cipher = None if key is None else Cipher(key)
        assert ahead.answer(cipher, sent) == one.answer(cipher, sent)


def test_a_key_is_before_a_command_of_the_same_clock(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    if design.key_slots == 1:
        sent = design.stream_traffic.messages(random.Random(3), 100, stand_ins[1])
        check(design, model, sent, stand_ins[1], together)


def test_messages_follow_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt, cipher=stand_ins[1])
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt)
        if design.stream_words == 1 and texts:
            assert seen == texts + design.core.latency_cycles
    assert design.message_cycles(0, 900) / 900 == pytest.approx(design.cycles_per_block, rel=0.05)


@pytest.mark.parametrize("engine", ["beats"], indirect=True)
def test_key_stream_waits_and_text_then_flows_a_block_a_clock(engine: Any, stand_ins: Any) -> None:
    """A receiver, or a sender, that pauses in the middle costs no clock beside its own."""
    design, model = engine
    sent = [(bytes(16), design.sends(Message(bytes(16), text=bytes(16 * 64))))]
    beats = offers_of(sent)
    made = model.run(beats)[OUTPUT]
    assert [each.clock - made[0].clock for each in made] == list(range(64))
    beats[INPUT][0] = replace(beats[INPUT][0], after={"key": 1, "command": 1})
    beats[INPUT][20] = replace(beats[INPUT][20], after={OUTPUT: 20})
    again = model.run(beats)[OUTPUT]
    assert again[-1].clock - again[20].clock == 43
    check(design, model, sent, stand_ins[1])


@pytest.mark.parametrize("engine", ["beats"], indirect=True)
def test_counters_come_round_in_their_32_bits(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    rng, sent = random.Random(3), []
    for low in (0xFFFF_FFFD, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x0000_FFFE):
        sent.append((bytes(16), design.sends(Message(rng.randbytes(12) + low.to_bytes(4), text=rng.randbytes(99)))))
    check(design, model, sent, stand_ins[1])


@pytest.mark.thorough
def test_a_message_longer_than_its_counter_serves_is_refused(stand_ins: Any, bench: Any, tmp_path: Path) -> None:
    """Blocks begin to be counted three before their end; the engine is another one in that alone."""
    design = CounterEngine("right", stand_ins[0](1, 11))
    counts = "      count_q <= '0;"
    model = bench(
        wrong_engine(design, "begun", "counter_engine", counts, counts.replace("'0", "32'hffff_fffc")), tmp_path
    )
    for blocks, fault in ((3, 0), (4, Fault.WRAP)):
        sent = [(bytes(16), design.sends(Message(bytes(16), text=bytes(16 * blocks))))]
        assert int(model.run(offers_of(sent))[OUTPUT][-1].side[0]) == fault


def test_a_specification_asks_for_counters_ahead() -> None:
    design = parse_engine({"preset": "ctr-ahead", "stream_bits": 64}).engine("ahead", "ctr-ahead")
    assert isinstance(design, CounterEngine)
    assert (design.mode, design.cycles_per_block, design.latency_cycles) == ("ctr", 3, 1)
    assert design.wide.cycles_per_block == 1
    for fields, told in (
        ({"modes": ["ctr", "ecb"]}, 'only of modes = ."ctr".'),
        ({"core": "ueno2020-enc"}, "must take one block per clock, .* one every 10 clocks: omit ahead"),
        ({"cores": 2}, "cores: must be"),
    ):
        with pytest.raises(RequestError, match=told):
            parse_engine({"preset": "ctr-ahead"} | fields).engine("ahead", "ctr-ahead")


@pytest.mark.thorough
def test_an_engine_with_its_core_is_clean_under_lint(tmp_path: Path) -> None:
    lint(CounterEngine("ahead", core_of("ahead", UNROLLED)), tmp_path)


@pytest.mark.thorough
def test_an_engine_with_slots_words_and_a_clear_is_right_with_its_core(tmp_path: Path) -> None:
    core = core_of("ahead", UNROLLED | {"clear": True})
    design = CounterEngine("ahead", core, key_slots=2, stream_bits=32, clear=True)
    report = verify_engine(design, tmp_path, StreamPlan(messages=60, vectors=20, resets=6, most=64))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


@pytest.mark.thorough
def test_keys_of_all_sizes_go_through(tmp_path: Path) -> None:
    design = CounterEngine("ahead", core_of("ahead", UNROLLED | {"key_bits": (128, 192, 256)}))
    report = verify_engine(design, tmp_path, StreamPlan(messages=60, vectors=30, resets=4, most=64))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


_E = "counter_engine"
WRONG = {
    "the counter counts in 31 bits": (
        _E,
        "counter_q[31:0] <= counter_q[31:0] + 32'd1",
        "counter_q[30:0] <= counter_q[30:0] + 31'd1",
    ),
    "the counter counts in 33 bits": (
        _E,
        "counter_q[31:0] <= counter_q[31:0] + 32'd1",
        "counter_q[32:0] <= counter_q[32:0] + 33'd1",
    ),
    "the counter goes on whether a block is taken": (_E, "else if (issued) counter_q", "else if (issue) counter_q"),
    "the counter of the message before": (_E, "if (idle) counter_q <=", "if (idle & ~keyed_q) counter_q <="),
    "key stream of the message before": (
        _E,
        "good & text & core_result_valid_i[0] & ~stale;",
        "good & text & core_result_valid_i[0];",
    ),
    "nothing is left over": (
        _E,
        "stale_q - FlightBits'(stale & dropped) : flying_d;",
        "stale_q - FlightBits'(stale & dropped) : '0;",
    ),
    "a block less is left over": (
        _E,
        "stale_q - FlightBits'(stale & dropped) : flying_d;",
        "stale_q - FlightBits'(stale & dropped) : flying_q;",
    ),
    "all that comes is left over": (
        _E,
        "stale_q - FlightBits'(stale & dropped)",
        "stale_q - FlightBits'(stale & dropped) + FlightBits'(stale & issued)",
    ),
    "a block is withdrawn": (_E, "issue               = offered_q | (state_q", "issue               = (state_q"),
    "a command before a block that is offered": (_E, "state_q == Idle & ~offered_q;", "state_q == Idle;"),
    "more blocks than are counted": (_E, "(state_q == Body & ~full);", "(state_q == Body);"),
    "text without its key stream": (
        _E,
        "good & text & core_result_valid_i[0] & ~stale;",
        "good & text & (core_result_valid_i[0] | first_q) & ~stale;",
    ),
    "bytes that do not count": (_E, "sum[8*place+:8] & {8{m_axis_tkeep[place]}}", "sum[8*place+:8] & {8{here}}"),
    "an output that is not quiet": (_E, "s_axis_tkeep & {16{here}};", "s_axis_tkeep & {16{good}};"),
    "any slot": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (~keyed_q)"),
    "before a key": (_E, "if (~keyed_q | s_axis_cmd_tdata[15:8] != '0)", "if (s_axis_cmd_tdata[15:8] != '0)"),
    "IVs of any size": (_E, "if (s_axis_cmd_tdata[31:24] != 8'd16) refusal = 4'd5;", ""),
    "kinds that the mode has not": (_E, "if (some & s_axis_tuser != Text) code = 4'd3;", ""),
    "partial beats anywhere": (_E, "if (~first_q & part_q & s_axis_tuser == Text) code = 4'd2;", ""),
    "partial of the message before": (_E, "if (~first_q & part_q &", "if (part_q &"),
    "holes in keep": (_E, "(s_axis_tkeep[15:1] & ~s_axis_tkeep[14:0]) != '0 | (~some", "(~some"),
    "an empty beat at the end": (_E, "(~some & ~(first_q & s_axis_tlast))", "(~some & ~s_axis_tlast)"),
    "the code is lost": (_E, "      code_q  <= code;", ""),
    "the code of the command is lost": (_E, "      code_q  <= refusal;", ""),
    "a refused message is not waited for": (
        _E,
        "Drain: if (s_axis_tvalid & s_axis_tlast)",
        "Drain: if (s_axis_tvalid)",
    ),
    "the last beat is not the last one": (_E, "(state_q != Body | s_axis_tlast);", "state_q != Body;"),
    "a key within a message": (_E, "key_ready_o       = idle & core", "key_ready_o       = core"),
    "a command before a key that came first": (
        _E,
        "s_axis_cmd_tready = idle & ~key_valid_i;",
        "s_axis_cmd_tready = idle;",
    ),
    "text of a refused message": (_E, "refusal != '0 ? Drain : Body;", "Body;"),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
UNSEEN = ("more blocks than are counted", "a block is withdrawn", "a command before a block that is offered")
"""Those that only the proof finds: the cores of simulations do not show them."""
TESTED = tuple(WRONG)[::5]
"""Those of every thorough run of the simulation; benchmarks/engine_traffic.py has all of them."""


def right_one(of: Any) -> CounterEngine:
    """The engine of which wrong ones are made."""
    return CounterEngine("right_ahead", of(1, 11))


def passes(right: CounterEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does, with pauses and without."""
    rng = random.Random(7)
    for pause, with_keys in ((0, False), (120, False), (0, True)):
        sent = right.traffic.messages(rng, 250, cipher, most=600)  # longer than the core
        pauses = dict.fromkeys(ALWAYS, pause)
        try:
            check(right, model, sent, cipher, Chosen(number, with_keys=with_keys), pauses=pauses, seed=pause + 1)
        except CheckError:
            return False
    return True


def test_each_wrong_engine_can_be_made_of_the_right_one() -> None:
    text = {source.name: source.text for source in right_one(stand_in).sources}["right_ahead_counter_engine.sv"]
    assert {what for what, (_, right, _) in WRONG.items() if text.count(right) != 1} == set()


@pytest.mark.thorough
def test_wrong_engines_are_found(bench: Any, stand_ins: Any, tmp_path: Path) -> None:
    right = right_one(stand_ins[0])
    wrong = [wrong_engine(right, f"wrong_ahead_{n}", *WRONG[what]) for n, what in enumerate(TESTED)]
    model = bench(ManyEngines((right, *wrong)), tmp_path / "model")
    found = [passes(right, model, number, stand_ins[1]) for number in range(len(wrong) + 1)]
    assert found == [True, *(what in UNSEEN for what in TESTED)]


def small_one() -> CounterEngine:
    """A right engine that is proved soon."""
    return CounterEngine("ahead", stand_in(1, 3))


@pytest.mark.thorough
@pytest.mark.parametrize("latency", [2, 3, 11])
def test_a_right_engine_is_proved_and_what_is_claimed_comes_about(latency: int, tmp_path: Path) -> None:
    parts, found = prove_claims(CounterEngine("ahead", stand_in(1, latency)), tmp_path, Limits(seconds=900))
    assert found is None
    assert {part.name: part.verdict for part in parts} == dict.fromkeys(("claims", "reached", "timing"), Verdict.PROVED)


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_engine_is_refuted_by_a_run(what: str, tmp_path: Path) -> None:
    parts, found = prove_claims(wrong_engine(small_one(), "wrong", *WRONG[what]), tmp_path, Limits(900))
    assert found is not None, parts[0].detail
    assert parts[0].verdict is Verdict.REFUTED


@pytest.mark.thorough
def test_an_engine_with_slots_words_and_a_clear_is_proved_with_its_core(tmp_path: Path) -> None:
    fields = {"preset": "ctr-ahead", "key_slots": 2, "stream_bits": 32, "clear": True}
    report = prove_engine(parse_engine(fields).engine("ahead", "ctr-ahead"), tmp_path)
    assert report.proved, report.failing


def test_the_report_says_what_is_claimed() -> None:
    engine = small_one()
    assert "the core accepted these blocks in order" in claims_text(engine)
    told = " ".join(assumptions(engine))
    assert "counter_reference.sv" in told
    assert "so it does with a beat of a message" in told
    assert "Waits of cores" not in told
