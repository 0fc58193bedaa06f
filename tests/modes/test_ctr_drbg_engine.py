"""The engine of CTR_DRBG against its model: sequences of requests, clocks, published records, wrong engines."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.modes.engine_bench import ALWAYS, check, with_pauses
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
from aesmith.assurance.streams.vectors import iterated_vectors
from aesmith.assurance.vectors.drbg import CAVP
from aesmith.errors import RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.clocks import passing
from aesmith.modes.ctr_drbg import MOST_REQUEST, CtrDrbg
from aesmith.modes.ctr_drbg_clocks import drbg_clocks
from aesmith.modes.ctr_drbg_engine import CtrDrbgEngine, ctr_drbg_engine
from aesmith.modes.ctr_drbg_stream import DrbgFunction, request, traffic_of_drbg
from aesmith.modes.engine import OUTPUT
from aesmith.modes.message import Cipher, Fault
from aesmith.modes.stream import StreamedMessage
from aesmith.modes.traffic import Keyed
from aesmith.publish import trace

ENGINES: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {
    "a core": ((10, 11), {}),
    "seeds of 64 requests": ((4, 5), {"reseed_interval": 64}),
    "in words": ((3, 4), {"stream_bits": 32}),
    "in bytes": ((5, 3), {"stream_bits": 8}),
}
"""Clocks a block and latency of cores that stand in for AES; fields of the engine."""
USUAL = "seeds of 64 requests"
OTHERS = [name for name in ENGINES if name != USUAL]
SEEDS = [bytes([number]) * 32 for number in range(1, 9)]


def shown(beats: Any) -> bytes:
    """The bytes of an answer."""
    return b"".join(beat.data[: beat.keep.bit_count()] for beat in beats)


def long_lived(random_: random.Random, count: int, cipher: type[Cipher], most: int) -> list[Keyed]:
    """Good requests, of which one in 100 comes with a new seed, and none uninstantiates."""
    traffic, made, seed = traffic_of_drbg(128), list[Keyed](), random_.randbytes(32)
    while len(made) < count:
        if random_.random() < 0.01:
            seed = random_.randbytes(32)
        sent = traffic.good(random_, cipher(seed), most)
        if sent.command.mode == DrbgFunction.GENERATE:
            made.append((seed, sent))
    return made


# The model


def test_a_session_is_the_functions_of_the_standard(stand_ins: Any) -> None:
    """Instantiate, generate, reseed, generate with prediction resistance, uninstantiate: by requests, and by calls."""
    session = CtrDrbgEngine("drbg", stand_ins[0](3, 4)).session()
    given = [bytes([16 * number]) * (7 * number) for number in range(5)]
    state = CtrDrbg.instantiate(SEEDS[0], personalization=given[1], derivation=False)
    assert session(SEEDS[0], request(0, given[1], DrbgFunction.SEEDED)) == session(SEEDS[0], request(0))
    _, state = state.generate(0)
    for size, other in ((100, b""), (17, given[2]), (1, given[4])):
        made, state = state.generate(size, other)
        assert shown(session(SEEDS[0], request(size, other))[0]) == made
    state = state.reseed(SEEDS[1], given[3])
    assert session(SEEDS[1], request(0, given[3], DrbgFunction.SEEDED))[1] is None
    made, state = state.generate(48)
    assert shown(session(SEEDS[1], request(48))[0]) == made
    made, state = state.generate(33, given[2], entropy=SEEDS[2])
    assert shown(session(SEEDS[2], request(33, given[2]))[0]) == made
    assert session(SEEDS[2], request(function=DrbgFunction.UNINSTANTIATE))[1] is None
    assert session(SEEDS[2], request(16))[1] is Fault.KEY
    made, _ = CtrDrbg.instantiate(SEEDS[3], derivation=False).generate(16)
    assert shown(session(SEEDS[3], request(16))[0]) == made


def test_a_refused_request_changes_nothing_but_drops_its_seed(stand_ins: Any) -> None:
    engine = CtrDrbgEngine("drbg", stand_ins[0](3, 4))
    session, other = engine.session(), engine.session()
    for each in (session, other):
        assert each(None, request(16))[1] is Fault.KEY
        assert each(SEEDS[0], request(16))[1] is None
    for refused in engine.traffic.bad_ones(random.Random(1), Cipher(SEEDS[1]), 40):
        assert session(SEEDS[1], refused)[1] is not None
    assert session(SEEDS[1], request(16, function=DrbgFunction.SEEDED))[1] is Fault.KEY
    assert session(SEEDS[1], request(16)) == other(SEEDS[0], request(16))


def test_each_kind_of_bad_request_is_refused_for_what_it_is() -> None:
    for key_bits in (128, 192, 256):
        engine = ctr_drbg_engine("drbg", {"preset": f"ueno2020-enc-{key_bits}" if key_bits > 128 else "ueno2020-enc"})
        seed = bytes(key_bits // 8 + 16)
        for fault, makers in engine.traffic.bad.items():
            rng = random.Random(int(fault))
            for make in makers:
                for _ in range(30):
                    sent = make(engine.traffic.to_break(rng, Cipher(seed), 40), rng)
                    assert engine.session()(seed, sent)[1] is fault, (key_bits, sent)


def test_a_seed_serves_as_many_requests_as_are_stated(stand_ins: Any) -> None:
    session = CtrDrbgEngine("drbg", stand_ins[0](3, 4), reseed_interval=64).session()
    faults = [session(SEEDS[0], request(1))[1] for _ in range(66)]
    assert faults == [None] * 64 + [Fault.WRAP] * 2
    assert session(SEEDS[1], request(1))[1] is None
    assert session(SEEDS[1], request(1))[1] is None


def test_what_no_engine_can_be_is_refused() -> None:
    for core, fields, told in (
        ("ueno2020-enc", {"cores": 2}, "cores: must be 1, not 2: there is one instance"),
        ("ueno2020-enc", {"key_slots": 2}, "key_slots: must be 1, not 2: there is one instance"),
        ("ueno2020-enc", {"reseed_interval": 100}, "reseed_interval: must be a power of two, 64 to 281474976710656"),
        ("ueno2020-enc", {"reseed_interval": 32}, "reseed_interval: must be a power of two"),
        ("ueno2020-enc", {"stream_bits": 256}, "stream_bits: must be at most 128, not 256"),
        ("ueno2020-enc", {"stream_bits": 32, "bus": "apb"}, "bus: engines of ctr-drbg have streams alone"),
        ("ueno2020-encdec", {}, "core: must encrypt only"),
        ({"architecture": "subpipelined", "directions": ("encrypt",)}, {}, "core: must hold one block"),
        ("serial-small-enc", {}, "core: must take blocks of 128 bits at once"),
    ):
        with pytest.raises(RequestError, match=told):
            ctr_drbg_engine("drbg", {"preset": core} if isinstance(core, str) else core, **fields)


# The RTL


@pytest.fixture(scope="module", params=[USUAL, *(pytest.param(n, marks=pytest.mark.thorough) for n in OTHERS)])
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    core, fields = ENGINES[request.param]
    made = CtrDrbgEngine("drbg", stand_ins[0](*core), **fields)
    return made, bench(made, tmp_path_factory.mktemp("engine") / "model")


@with_pauses
def test_requests_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    answers_with_pauses(*engine, stand_ins[1], pause, 300)


def test_seeds_that_last_are_answered_as_by_the_model(engine: Any, stand_ins: Any) -> None:
    made, model = engine
    sent = [(seed, made.in_words(each)) for seed, each in long_lived(random.Random(5), 250, stand_ins[1], 50)]
    session = made.session(stand_ins[1])
    found = {session(seed, each)[1] for seed, each in sent}
    assert found == ({None, Fault.WRAP} if made.reseed_interval == 64 else {None})
    check(made, model, sent, stand_ins[1], pauses=dict.fromkeys(ALWAYS, 60))


def test_requests_follow_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any) -> None:
    keeps_its_formula(*engine, stand_ins[1])


def test_a_first_request_instantiates_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any) -> None:
    made, model = engine
    for size, given in ((0, b""), (0, bytes(3)), (33, bytes(32)), (16, b"")):
        sent = [(SEEDS[0], made.in_words(request(size, given))), (SEEDS[0], made.in_words(request(16)))]
        passage = drbg_clocks(
            made._timing, [passing(each, made.stream_bits // 8, encrypt=True, opens=True) for _, each in sent]
        )
        seen = check(made, model, sent, stand_ins[1])
        start = seen["key"][0].clock
        assert [transfer.clock - start for transfer in seen[OUTPUT]] == [*passage.left[0], *passage.left[1]]


def test_clocks_are_those_that_the_page_says(stand_ins: Any) -> None:
    """Of n blocks and a core of latency L with keys of 128 bits: n + 2 calls and four clocks; with an input two calls
    and two clocks more."""
    for latency in (5, 11):
        engine = CtrDrbgEngine("drbg", stand_ins[0](latency - 1, latency))
        assert engine.cycles_per_block == latency
        for blocks in (1, 2, 9):
            assert engine.message_cycles(0, blocks) == (blocks + 2) * latency + 4
            assert engine.message_cycles(2, blocks) == (blocks + 4) * latency + 6
            assert engine.message_cycles(1, blocks) == engine.message_cycles(2, blocks)
        assert (engine.latency_cycles, engine.first_answer_cycles) == (latency + 2, 3 * latency + 4)


def test_a_seed_is_before_a_command_of_the_same_clock(engine: Any, stand_ins: Any) -> None:
    takes_keys_with_commands(*engine, stand_ins[1], 60)


def test_nothing_stale_is_left_by_a_reset_in_mid_request(engine: Any, stand_ins: Any) -> None:
    keeps_nothing_over_resets(*engine, stand_ins[1], 8, 12)


@pytest.mark.thorough
def test_20_000_requests_with_stalls_are_answered_as_by_the_model(stand_ins: Any, tmp_path: Path) -> None:
    answers_20_000(CtrDrbgEngine("drbg", stand_ins[0](2, 3)), tmp_path, stand_ins[1], 80)


@pytest.mark.thorough
def test_a_request_has_2_to_the_16_bytes_at_most(engine: Any, stand_ins: Any) -> None:
    made, model = engine
    sizes = (MOST_REQUEST, MOST_REQUEST - 1, MOST_REQUEST + 1, 16)
    check(made, model, [(SEEDS[0], made.in_words(request(size))) for size in sizes], stand_ins[1])


def test_published_records_go_through_the_engine_with_aes(bench: Any, tmp_path: Path) -> None:
    """All of the model's, their derivation function in software; a new instance each."""
    made = ctr_drbg_engine("drbg", {"preset": "ueno2020-enc"})
    found = [*iterated_vectors(made)]
    assert [vector.wanted for vector in found if vector.wanted in {returned for _, returned in CAVP}] == [
        returned for _, returned in CAVP
    ]
    session = made.session()
    for vector in found:
        vector.check(shown(session(vector.key, vector.sent)[0]), failed=False)
    check(made, bench(made, tmp_path / "model"), [(vector.key, vector.sent) for vector in found], Cipher)


@pytest.mark.thorough
@pytest.mark.parametrize("core", ["ueno2020-enc-192", "ueno2020-enc-256"])
def test_keys_of_other_sizes_are_right_with_aes(core: str, bench: Any, tmp_path: Path) -> None:
    made = ctr_drbg_engine("drbg", {"preset": core})
    model = bench(made, tmp_path / "model")
    sent = made.traffic.messages(random.Random(core), 300, most=60, key_bytes=made.key_bits[0] // 8)
    check(made, model, sent, Cipher, pauses=dict.fromkeys(ALWAYS, 60))
    keeps_its_formula(made, model, Cipher)


@pytest.mark.thorough
def test_an_engine_with_words_and_a_clear_is_right(tmp_path: Path) -> None:
    made = ctr_drbg_engine("drbg", {"preset": "ueno2020-enc", "clear": True}, clear=True, stream_bits=32)
    report = verify_engine(made, tmp_path, StreamPlan(messages=40, vectors=8, resets=6))
    assert report.passed, [(each.name, each.failure) for each in report.failures]


@pytest.mark.thorough(but=(USUAL,))
@pytest.mark.parametrize("name", [*ENGINES, "ueno2020-enc-192", "ueno2020-enc-256"])
def test_an_engine_is_clean_under_lint(name: str, stand_ins: Any, tmp_path: Path) -> None:
    core, fields = ENGINES.get(name, ((0, 0), {}))
    made = CtrDrbgEngine("drbg", stand_ins[0](*core), **fields) if name in ENGINES else None
    lint(made or ctr_drbg_engine("drbg", {"preset": name}), tmp_path)


def registers_behind(engine: CtrDrbgEngine, seed: bytes, sent: list[StreamedMessage], folder: Path, patch: Any) -> Any:
    """What stands in every register some clocks after the last answer."""
    patch.setattr(trace, "KEY", seed)
    requests: list[Keyed] = [(seed, each) for each in sent]
    driver = trace._stream_driver(engine, requests, 10 * len(requests))
    found = trace.simulate_driven(engine, driver, 400, folder)
    return {name: values[-1] for name, values in trace.registers_of(found).items()}


def test_uninstantiate_leaves_nothing_of_an_instance_in_any_register(tmp_path: Path, monkeypatch: Any) -> None:
    """Two instances with other seeds and other inputs, and a seed that waits: behind it all registers are alike."""
    engine = ctr_drbg_engine("drbg", {"preset": "ueno2020-enc"})
    ends = request(function=DrbgFunction.UNINSTANTIATE)

    def behind(number: int, sent: list[StreamedMessage], what: str) -> Any:
        return registers_behind(engine, SEEDS[number], sent, tmp_path / f"{what} {number}", monkeypatch)

    for what, before in (("served", lambda number: [request(32, SEEDS[number][:20])]), ("waits", lambda _: [])):
        first, second = (behind(number, [*before(number), ends], what) for number in (0, 1))
        assert len(first) > 10
        assert first == second, {name for name in first if first[name] != second[name]}
    kept, other = (behind(number, [request(32)], "kept") for number in (0, 1))
    assert {name.rpartition(".")[2] for name in kept if kept[name] != other[name]} >= {"t_q", "v_q"}


# Wrong engines

_E = "ctr_drbg_engine"
WRONG = {
    "V is used before it counts": (_E, "assign core_block_o        = next_v;", "assign core_block_o        = v_q;"),
    "V does not count": (_E, "else if (issued) v_q <= next_v;", ""),
    "V counts in 32 bits": (
        _E,
        "assign next_v              = v_q + 128'd1;",
        "assign next_v              = {v_q[127:32], v_q[31:0] + 32'd1};",
    ),
    "no update behind": (
        _E,
        "Draw: if (leaves & last_block) state_d = Update;",
        "Draw: if (leaves & last_block) state_d = Idle;",
    ),
    "no update before": (
        _E,
        "else state_d = before_q | none_q ? Update : Draw;",
        "else state_d = none_q ? Update : Draw;",
    ),
    "an input is given once": (
        _E,
        "(updated & (seeded_q | ~before_q))) d_q",
        "updated) d_q",
    ),
    "an input is given twice behind a seed": (
        _E,
        "(updated & (seeded_q | ~before_q))) d_q",
        "(updated & ~before_q)) d_q",
    ),
    "what an update was given stays": (_E, "(updated & (seeded_q | ~before_q))) d_q", "(updated & seeded_q)) d_q"),
    "an update is given nothing": (
        _E,
        "assign fresh               = result ^ d_q[Calls-1];",
        "assign fresh               = result;",
    ),
    "the second half of an update is given the first": (
        _E,
        "assign turns      = adds | (start & at_q != '0) | (update & result_taken);",
        "assign turns      = adds | (start & at_q != '0);",
    ),
    "a short input is not turned": (_E, "adds | (start & at_q != '0) |", "adds |"),
    "the core keeps the last key": (
        _E,
        "Update: if (updated) state_d = wipe_q ? Done : Key;",
        "Update: if (updated) state_d = wipe_q | before_q ? Done : Idle;",
    ),
    "the key is V": (_E, "assign core_key_o          = t_q[TBits-1-:KeyBits];", "assign core_key_o          = v_q;"),
    "an instance begins with what was": (
        _E,
        "if (start & (~instance_q | wipe_q)) v_q <= '0;\n    else if (updated)",
        "if (updated)",
    ),
    "an instance begins with the last key": (_E, "if (~instance_q | wipe_q) state_d = Key;\n          else ", ""),
    "a seed makes no instance": (_E, "else if (reseeds) instance_q <= 1'b1;", ""),
    "a seed is used twice": (
        _E,
        "else if (updated | refused) seeded_q <= 1'b0;",
        "else if (refused) seeded_q <= 1'b0;",
    ),
    "a refused request leaves its seed": (
        _E,
        "else if (updated | refused) seeded_q <= 1'b0;",
        "else if (updated) seeded_q <= 1'b0;",
    ),
    "a refused request leaves its input": (_E, "else if (refused | (start & wipe_q) |", "else if ((start & wipe_q) |"),
    "a seed and its input are one or the other": (_E, "d_q[Calls-1] ^ given};", "adds ? given : d_q[Calls-1]};"),
    "uninstantiate does nothing": (_E, "if (updated & wipe_q) instance_q <= 1'b0;\n      else if", "if"),
    "requests are not counted": (_E, "else if (updated & ~before_q) served_q <= served_q + 1'b1;", ""),
    "a seed does not begin to count anew": (_E, "if (reseeds) served_q <= '0;\n      else if", "if"),
    "updates are counted": (_E, "else if (updated & ~before_q) served_q", "else if (updated) served_q"),
    "a seed lasts for ever": (_E, "if (~wipes & ~seeded_q & served_q[IntervalBits]) refusal = 4'd7;", ""),
    "a seed that is due comes too late": (
        _E,
        "~seeded_q & served_q[IntervalBits]) refusal",
        "served_q[IntervalBits]) refusal",
    ),
    "before an instance": (_E, "(~instance_q | asks == Seeded)", "(asks == Seeded)"),
    "a seed need not wait": (_E, "(~instance_q | asks == Seeded)", "(~instance_q)"),
    "any slot": (_E, "if (s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;", ""),
    "any IV": (_E, "if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;", ""),
    "any function": (_E, "if (~(asks inside {Generate, Seeded, Uninstantiate})) refusal = 4'd10;", ""),
    "any size": (_E, "if (size > 64'h1_0000 | (wipes & size != '0)) refusal = 4'd6;", ""),
    "a size modulo 2^17": (_E, "size > 64'h1_0000 |", "size[16:0] > 17'h1_0000 |"),
    "any input": (_E, "(wipe_q | full_q |", "(wipe_q |"),
    "any input where none may be": (_E, "(wipe_q | full_q |", "(full_q |"),
    "text is input": (_E, ".kinds_i     (4'b0010)", ".kinds_i     (4'b0110)"),
    "bytes that are not there": (_E, "& {8{adds & s_axis_tkeep[each]}};", "& {8{adds}};"),
    "the last block is whole": (_E, "(~last_block | odd_q == '0 | 4'(place) < odd_q)", "1'b1"),
    "a byte too many": (_E, "4'(place) < odd_q", "4'(place) <= odd_q"),
    "a block too few": (_E, "assign last_block = left_q == 13'(odd_q == '0);", "assign last_block = left_q <= 13'd1;"),
    "no end": (_E, "(~draw | last_block);", "~draw;"),
    "bits are drawn before they are taken": (_E, "update | (draw & m_axis_tready);", "update | draw;"),
    "the code is lost": (_E, "if (refused & m_axis_tready) error_q <= code_q;", ""),
    "the code of a beat is lost": (_E, "      if (load & s_axis_tvalid) code_q <= code;\n", ""),
    "a command before a seed that came first": (
        _E,
        "assign s_axis_cmd_tready = idle & ~key_valid_i;",
        "assign s_axis_cmd_tready = idle;",
    ),
    "a seed within a request": (_E, "assign key_ready_o       = idle;", "assign key_ready_o       = idle | draw;"),
    "a key within an update shows": (
        _E,
        "draw & core_result_valid_i[0]) | done",
        "(draw | update) & core_result_valid_i[0]) | done",
    ),
}
"""Engines with one fault each: the module, and what stands in it in place of what."""
TESTED = tuple(WRONG)[::3]
"""Those of every thorough run; benchmarks/engine_traffic.py has all of them."""


def right_one(stand_in: Callable[..., Any]) -> CtrDrbgEngine:
    """The engine of which wrong ones are made."""
    return CtrDrbgEngine("right_drbg", stand_in(3, 4), reseed_interval=64)


@cache
def to_tell_apart(cipher: type[Cipher]) -> tuple[list[Keyed], ...]:
    """What wrong engines are sent: without pauses, with some, and commands with their seeds."""
    rng, made = random.Random(7), []
    near = CtrDrbg.instantiate(SEEDS[0], derivation=False, cipher=cipher)
    for _ in range(3):
        sent = traffic_of_drbg(128).messages(rng, 200, cipher, most=60, key_bytes=32)
        made.append([*sent, *long_lived(rng, 150, cipher, 20)])
    # A seed behind which V is near the end of 32 bits.
    wanted = near.cipher(bytes(16)).encrypt((2).to_bytes(16))
    edge = SEEDS[0][:16] + bytes(a ^ b for a, b in zip(wanted, rng.randbytes(12) + b"\xff\xff\xff\xfe", strict=True))
    made[0] += [
        (edge, request(function=DrbgFunction.UNINSTANTIATE)),
        (edge[::-1], request(0)),
        (edge[::-1], request(function=DrbgFunction.UNINSTANTIATE)),
        (edge, request(64)),
    ]
    return tuple(made)


def passes(right: CtrDrbgEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether engine `number` answers as the model of the right one does."""
    return answers_alike(right, model, number, cipher, to_tell_apart(cipher))


def test_each_wrong_engine_can_be_made_of_the_right_one(stand_ins: Any) -> None:
    can_be_made(right_one(stand_ins[0]), WRONG, 40)


@pytest.mark.thorough
def test_wrong_engines_are_found(stand_ins: Any, tmp_path: Path) -> None:
    wrong = [WRONG[what] for what in TESTED]
    finds_wrong_engines(right_one(stand_ins[0]), wrong, passes, tmp_path, stand_ins[1])
