"""Slots for keys before engines: against the models, in clocks, wrong ones, and what of them is refused."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, check, with_pauses, wrong_engine

from aesmith.assurance.streams.channels import Offer
from aesmith.assurance.streams.check import StreamPlan, compare, offers_of, verify_engine
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.message import Cipher, Message
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.specification import asks_for_engine, build_engine, engine_specification
from aesmith.modes.stream import streamed
from aesmith.modes.traffic import CTR_TRAFFIC, Keyed, in_slots, with_command
from aesmith.modes.xts_engine import XtsEngine

pytestmark = pytest.mark.one_in(6)

ENGINES: dict[str, Any] = {
    "ctr": lambda core: CtrEngine("slotted", core(1, 31), 1, 32, key_slots=4),
    "cmac": lambda core: CmacEngine("slotted", core(10, 11), chain="direct", key_slots=2),
    "gcm": lambda core: GcmEngine("slotted", core(10, 11), 2, digit=32, splits="bb", key_slots=8),
    "multi": lambda core: MultiModeEngine(
        "slotted", core(10, 11), modes=("gcm", "cmac", "ctr"), release="verified", memory_beats=16, key_slots=4
    ),
    "xts": lambda core: XtsEngine("slotted", core(10, 11), tweak_core=core(10, 11), key_slots=4),
}
"""An engine of each kind whose cores stand in for AES."""


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine with slots for keys, and its simulator."""
    design = ENGINES[request.param](stand_ins[0])
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def slotted(design: StreamEngine, rng: Random, count: int, cipher: type[Cipher], most: int = 300) -> list[Keyed]:
    """Messages of several keys in turns."""
    sent = design.traffic.messages(rng, count, cipher, most=most, key_bytes=design.key_bits[0] // 8)
    return in_slots(rng, sent, design.key_slots)


def keys_of(offers: dict[str, list[Offer]], key_slots: int) -> list[int | None]:
    """The key that the slot of each command has when it comes, by the order of the offers alone."""
    kept, found, given = dict[int, int](), list[int | None](), 0
    for number, command in enumerate(offers[COMMAND]):
        for key in offers["key"][given : command.after["key"]]:
            assert key.after[COMMAND] == number
            kept[key.payloads[1]] = key.payloads[0]
            given += 1
        slot = command.payloads[0] >> 8 & 0xFF
        found.append(kept.get(slot) if slot < key_slots else None)
    return found


@pytest.mark.parametrize("key_slots", [2, 4, 64])
def test_a_message_is_offered_behind_the_key_of_its_slot(key_slots: int) -> None:
    rng = random.Random(key_slots)
    for count in (1, 30, 600):
        sent = in_slots(rng, CTR_TRAFFIC.messages(rng, count, most=16), key_slots)
        offers = offers_of(sent, key_slots=key_slots)
        of_messages = [
            None if key is None or message.command.slot >= key_slots else int.from_bytes(key) for key, message in sent
        ]
        assert keys_of(offers, key_slots) == of_messages
    assert None in [key for key, _ in sent[1:]] or key_slots == 2
    slots = {message.command.slot for _, message in sent}
    assert {*range(min(key_slots, 8))} <= slots
    assert any(slot >= key_slots for slot in slots)
    turns = sum(one[0] != other[0] for one, other in pairwise(sent))
    assert turns > 300
    assert len(offers["key"]) < turns or key_slots == 2


@pytest.mark.thorough(but=1)
@with_pauses
def test_messages_of_keys_in_turns_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(design, model, slotted(design, rng, 200, stand_ins[1]), stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.parametrize("engine", ["ctr"], indirect=True)
def test_a_key_comes_while_messages_are_under_way(engine: Any) -> None:
    _, model = engine
    offers = offers_of([(bytes(16), streamed(Message(iv=bytes(16), text=bytes(16 * 40))))] * 2, key_slots=4)
    offers["key"].append(Offer((1, 3), {COMMAND: 1, INPUT: 5}))
    made = model.run(offers)
    assert made[INPUT][4].clock < made["key"][1].clock < made[INPUT][10].clock


@pytest.mark.thorough
def test_a_message_of_another_slot_waits_as_for_a_new_key(
    engine: Any, bench: Any, tmp_path: Path, stand_ins: Any
) -> None:
    """The clocks of messages whose slots take turns, and of the same ones under keys in turns without slots."""
    design, model = engine
    sent, turns = design.plain(0, 4, encrypt=True), 20
    keys = [bytes([number % 2]) * (design.key_bits[0] // 8) for number in range(turns)]
    here = [(key, with_command(sent, slot=number % 2)) for number, key in enumerate(keys)]
    one = replace(design, name="one", key_slots=1)
    spans = []
    for each, bench_of_it, messages in (
        (design, model, here),
        (one, bench(one, tmp_path / "model"), [(key, sent) for key in keys]),
    ):
        made = check(each, bench_of_it, messages, stand_ins[1])
        ends = [transfer.clock for transfer in made[OUTPUT] if transfer.payloads[3]]
        # The first two bring the keys.
        spans.append((ends[-1] - ends[1]) / (turns - 2))
    assert spans[0] <= spans[1], spans


@pytest.mark.thorough
@pytest.mark.parametrize("agile", [True, False])
def test_pipelines_that_take_keys_in_any_clock_are_not_drained(
    bench: Any, tmp_path: Path, stand_ins: Any, *, agile: bool
) -> None:
    """A packet under a key of its own takes two clocks more than its blocks; otherwise the pipeline's clocks more."""
    core = stand_ins[0](1, 31, agile=agile)
    design = CtrEngine("slotted", core, 1, 32, key_slots=4)
    model = bench(design, tmp_path / "model")
    for blocks in (1, 4, 40):
        sent = design.plain(0, blocks, encrypt=True)
        turns = [(bytes([number % 4]) * 16, with_command(sent, slot=number % 4)) for number in range(20)]
        made = check(design, model, turns, stand_ins[1])
        ends = [transfer.clock for transfer in made[OUTPUT] if transfer.payloads[3]]
        apart = {after - before for before, after in pairwise(ends[4:])}
        assert apart == {blocks + (2 if agile else core.latency_cycles + 1)}
    rng = random.Random(agile)
    sent = slotted(design, rng, 200, stand_ins[1])
    for pause in (0, 150):
        check(design, model, sent, stand_ins[1], pauses=dict.fromkeys(ALWAYS, pause), seed=pause)


WRONG = {
    "a command does not wait for its slot's key": ("assign passes = ~served |", "assign passes = 1'b1 |"),
    "the key of slot 0 for all": ("assign key_o       = keys_q[slot]", "assign key_o       = keys_q[0]"),
    "a slot that has no key is served": ("8'(slot) & filled_q[slot]", "8'(slot)"),
    "a slot that is not there is another one": ("slot_i == 8'(slot) & filled_q[slot]", "filled_q[slot]"),
    "all slots have a key when one has": ("& filled_q[slot]", "& |filled_q"),
    "a new key of the slot in use is not given": ("if (key_slot_i == given_slot_q) given_q <= 1'b0;", ""),
    "a key that comes overtakes none": ("(~key_valid_i | offered_q)", "1'b1"),
    "a key is taken while another one goes": ("key_ready_o = ~key_valid_o & ~offered_q", "key_ready_o = ~offered_q"),
    "the engine's key is given as of slot 0": ("given_slot_q <= slot;", "given_slot_q <= '0;"),
    "a key that the engine has not taken counts": ("if (key_valid_o & key_ready_i) begin", "if (key_valid_o) begin"),
    "a command is taken before the engine is ready": ("command_ready_i & command_valid_o", "command_valid_o"),
    "a key goes to all slots": ("& key_slot_i == SlotBits'(place)) keys_q", ") keys_q"),
    "a key goes to the next slot": ("key_slot_i == SlotBits'(place)", "key_slot_i == SlotBits'(place + 1)"),
    "a key is kept only in a slot without one": (
        "if (key_valid_i & key_ready_o & key_slot_i",
        "if (key_valid_i & key_ready_o & ~filled_q[place] & key_slot_i",
    ),
    "a second key empties a slot": ("filled_q[key_slot_i] <= 1'b1;", "filled_q[key_slot_i] <= ~filled_q[key_slot_i];"),
    "no command is refused": ("assign refused_o         = ~served", "assign refused_o         = 1'b0"),
}
"""What stands in place of what in the module of slots."""


@pytest.fixture(scope="module")
def wrong_ones(bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine and all wrong ones, as one design."""
    right = CtrEngine("right", stand_ins[0](10, 11), 2, 8, key_slots=4)
    engines = [wrong_engine(right, f"wrong_{n}", "key_slots", *WRONG[name]) for n, name in enumerate(WRONG)]
    return right, bench(ManyEngines((right, *engines)), tmp_path_factory.mktemp("wrong") / "model")


def under_any_keys(right: StreamEngine, model: Any, cipher: type[Cipher], seed: int, offer: Any = Offer) -> None:
    """Keys and commands come as they like, and each message is under the key that its slot took last: it has come in no
    later clock. Raises CheckError if one is not."""
    rng = random.Random(seed)
    count, pause = 120, seed % 3 * 80
    messages = [
        with_command(streamed(Message(iv=rng.randbytes(16), text=rng.randbytes(16))), slot=rng.randrange(3))
        for _ in range(count)
    ]
    offers = offers_of([(None, message) for message in messages], offer, key_slots=right.key_slots)
    offers["key"] = [offer((rng.getrandbits(128), rng.randrange(3)), {COMMAND: max(0, n - 3)}) for n in range(count)]
    offers[COMMAND] = [offer(each.payloads) for each in offers[COMMAND]]
    if isinstance(offer, Chosen):
        offers["chosen"] = [Offer((offer.number,))]
    made = model.run(offers, pauses=dict.fromkeys(ALWAYS, pause), seed=seed + 1)
    taken = [(transfer.clock, *own.payloads) for transfer, own in zip(made["key"], offers["key"], strict=True)]
    sent = list[Keyed]()
    for message, command in zip(messages, made[COMMAND], strict=True):
        kept = [key for clock, key, slot in taken if clock <= command.clock and slot == message.command.slot]
        sent.append((kept[-1].to_bytes(16) if kept else None, message))
    assert len({each for each, _ in sent}) > 30
    compare(right, sent, made[OUTPUT], cipher)


def passes(right: StreamEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether an engine answers as the model, with pauses and without."""
    try:
        for seed in range(6):
            under_any_keys(right, model, cipher, seed, Chosen(number))
        for pause in (0, 60, 160):
            rng = random.Random(pause)
            sent = slotted(right, rng, 150, cipher, 40)
            check(right, model, sent, cipher, Chosen(number), pauses=dict.fromkeys(ALWAYS, pause), seed=pause + 1)
    except CheckError:
        return False
    return True


@pytest.mark.thorough
def test_the_right_one_of_the_wrong_ones_passes(wrong_ones: Any, stand_ins: Any) -> None:
    assert passes(*wrong_ones, 0, stand_ins[1])


@pytest.mark.thorough
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_found(wrong_ones: Any, stand_ins: Any, name: str) -> None:
    assert not passes(*wrong_ones, 1 + list(WRONG).index(name), stand_ins[1])


@pytest.mark.parametrize("key_slots", [0, 3, 65, 128])
def test_other_counts_than_powers_of_two_are_refused(stand_ins: Any, key_slots: int) -> None:
    with pytest.raises(RequestError, match=f"key_slots: must be a power of two up to 64, not {key_slots}"):
        CtrEngine("slotted", stand_ins[0](10, 11), key_slots=key_slots)


@pytest.mark.thorough
def test_a_preset_with_slots_is_an_engine_and_is_verified(tmp_path: Path) -> None:
    file = tmp_path / "slots.toml"
    file.write_text('preset = "cmac-small"\nkey_slots = 4\n')
    assert asks_for_engine(str(file))
    engine = build_engine(engine_specification(str(file)), "engine", "slots")
    assert engine.key_slots == 4
    assert [port.name for port in engine.ports if "slot" in port.name] == ["key_slot_i"]
    lint(engine, tmp_path / "lint")
    report = verify_engine(engine, tmp_path / "work", StreamPlan(messages=60, vectors=10))
    assert report.passed, [each.failure for each in report.failures]
