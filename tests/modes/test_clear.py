"""Engines that can be cleared: messages cut at any clock, what registers keep, wrong engines, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.modes.conftest import stand_in
from tests.modes.engine_bench import ALWAYS, Chosen, ManyEngines, wrong_engine

import aesmith
from aesmith.assurance.engines.clears import check_engine_clear, clear_of_registers
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.assurance.streams.channels import ChannelBench, ClearAt, Offer, ResetAt
from aesmith.assurance.streams.check import CLEARS, StreamPlan, compare, compare_with_clears, offers_of, verify_engine
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import Meaning
from aesmith.cores.sources import with_clear
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.cfb8_engine import Cfb8Engine
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.ctr_drbg_engine import CtrDrbgEngine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.gcm_siv_engine import GcmSivEngine
from aesmith.modes.gcm_sst_engine import GcmSstEngine
from aesmith.modes.key_wrap_engine import KeyWrapEngine
from aesmith.modes.message import Cipher, Fault
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.ocb_engine import OcbEngine
from aesmith.modes.siv_engine import SivEngine
from aesmith.modes.specification import engine_presets, parse_engine
from aesmith.modes.stealing_engine import StealingEngine
from aesmith.modes.traffic import Keyed, in_slots
from aesmith.modes.xts_engine import XtsEngine
from aesmith.publish.acceptance import CheckOutcome, accept
from aesmith.publish.datasheet import datasheet
from aesmith.publish.descriptions import read_build

pytestmark = pytest.mark.one_in(8)

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)


def core(clocks: int, latency: int, directions: tuple[Direction, ...] = BOTH[:1]) -> CoreDesign:
    """A core that stands in for AES and can be cleared."""
    return with_clear(stand_in(clocks, latency, directions))


ENGINES: dict[str, Callable[..., StreamEngine]] = {
    "ctr": lambda **how: CtrEngine("cut", core(3, 9), 2, 32, **how),
    "cfb8": lambda **how: Cfb8Engine("cut", core(2, 3), 1, **how),
    "cmac": lambda **how: CmacEngine("cut", core(4, 5), chain="direct", **how),
    "gcm": lambda **how: GcmEngine("cut", core(4, 9), 2, digit=32, splits="bb", **how),
    "gcm, stages": lambda **how: GcmEngine(
        "cut", core(1, 9), 1, digit=128, splits="bbbbb", ghash_stages=2, release="cut-through", **how
    ),
    "xts": lambda **how: XtsEngine("cut", core(4, 5, BOTH), tweak_core=core(4, 5), **how),
    "gcm-siv": lambda **how: GcmSivEngine("cut", core(4, 5), memory_beats=4, **how),
    "gcm-sst": lambda **how: GcmSstEngine("cut", core(4, 5), memory_beats=4, **how),
    "siv": lambda **how: SivEngine("cut", core(4, 5), memory_beats=4, **how),
    "cbc-cs": lambda **how: StealingEngine("cut", core(4, 5, BOTH), **how),
    "drbg": lambda **how: CtrDrbgEngine("cut", core(4, 5), **{**how, "key_slots": 1}),
    "kw": lambda **how: KeyWrapEngine("cut", core(4, 5, BOTH), **how),
    "ocb3": lambda **how: OcbEngine("cut", core(4, 5, BOTH), 2, **how),
    "multi": lambda **how: MultiModeEngine("cut", core(4, 5, BOTH), modes=tuple(MESSAGE_MODES), gcm_iv="any", **how),
    "beats": lambda **how: MultiModeEngine(
        "cut", core(4, 5, BOTH), modes=("gcm", "cbc", "cmac"), beat_registers=True, **how
    ),
}
"""An engine of each mode whose cores stand in for AES."""
STREAMS: dict[str, dict[str, int]] = {"": {}, ", words and slots": {"stream_bits": 32, "key_slots": 4}}


def built(name: str) -> StreamEngine:
    """The engine of a parameter of these tests."""
    mode, comma, words = name.partition(", words")
    return ENGINES[mode](clear=True, **STREAMS[comma and f", words{words}"])


@pytest.fixture(scope="module", params=[f"{mode}{how}" for mode in ENGINES for how in STREAMS])
def engine(request: pytest.FixtureRequest, bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine that can be cleared, and its simulator."""
    design = built(request.param)
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


def traffic(design: StreamEngine, rng: Random, count: int, most: int, cipher: type[Cipher]) -> list[Keyed]:
    """Messages of each kind; bytes of keys and of streams that do not count are random."""
    sent = design.stream_traffic.messages(rng, count, cipher, most=most, key_bytes=design.key_bits[0] // 8)
    return in_slots(rng, sent, design.key_slots)


def cut(
    design: StreamEngine, model: ChannelBench, seed: int, cipher: type[Cipher], offer: Any = Offer
) -> tuple[int, int]:
    """Messages that clears cut three times at random, whose senders go on; how many were dropped, and offered."""
    rng = Random(seed)
    sent = traffic(design, rng, 40, 60, cipher)
    offers = offers_of(sent, offer, key_slots=design.key_slots)
    if isinstance(offer, Chosen):
        offers["chosen"] = [Offer((offer.number,))]
    pauses = {channel: rng.choice((0, rng.randrange(200))) for channel in ALWAYS}
    begins = 8 if isinstance(offer, Chosen) else 0
    ends = model.run(offers, seed=seed + 1, pauses=pauses)[OUTPUT][-1].clock
    clears = [ClearAt(at, rng.choice((1, 1, 1, 2, 5))) for at in sorted(rng.sample(range(begins, ends), 3))]
    made = model.run(offers, seed=seed + 1, pauses=pauses, clears=clears)
    return compare_with_clears(design, sent, made, clears, cipher), len(sent)


# Messages.


@pytest.mark.thorough
def test_messages_that_are_cut_are_dropped_whole_and_the_next_are_served(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    # Requests behind a clear are refused up to the next seed, so more of the later clears find nothing to drop.
    runs = 40 if design.mode == "ctr-drbg" else 30
    dropped = [cut(design, model, seed, stand_ins[1])[0] for seed in range(runs)]
    assert sum(dropped) >= 60


@pytest.mark.thorough
def test_a_clear_in_each_clock_of_messages(engine: Any, stand_ins: Any) -> None:
    """From the key to the last answer or through 250 clocks; messages, and a key in time, come behind the clear."""
    design, model = engine
    sent, again = (traffic(design, Random(seed), 12, 40, stand_ins[1])[1:] for seed in (7, 8))
    offers = offers_of([*sent, *again], key_slots=design.key_slots)
    ends = model.run(offers)[OUTPUT][-1].clock
    kinds = set()
    for clock in range(min(ends + 1, 250)):
        made = model.run(offers, clears=[ClearAt(clock)])
        dropped = compare_with_clears(design, [*sent, *again], made, [ClearAt(clock)], stand_ins[1])
        kinds.add((dropped, sum(word.payloads[2] >> 3 for word in made[OUTPUT])))
    assert len(kinds) > 2


@pytest.mark.thorough(but=1)
def test_after_a_clear_a_message_needs_a_key(engine: Any, stand_ins: Any) -> None:
    """Two messages under one key, the second when the first one's answer has left; the clear comes between them."""
    design, model = engine
    good = [
        each for each in traffic(design, Random(3), 60, 40, stand_ins[1]) if each[1].command.slot < design.key_slots
    ]
    key, message = next(each for each in good if each[0] is not None)
    sent = [(key, message)] * 2
    answers = len(design.answer(stand_ins[1](key), design.told(message))[0])
    offers = offers_of(sent, key_slots=design.key_slots)
    offers[COMMAND][1] = replace(offers[COMMAND][1], after={OUTPUT: answers})
    second = len(message.beats)
    offers[INPUT][second] = replace(offers[INPUT][second], after={COMMAND: 2})
    made = model.run(offers)
    compare(design, sent, made[OUTPUT], stand_ins[1])
    clear = ClearAt(made[OUTPUT][answers - 1].clock + 1)
    made = model.run(offers, clears=[clear])
    compare_with_clears(design, sent, made, [clear], stand_ins[1])
    assert made[OUTPUT][-1].side[0] == Fault.KEY


@pytest.mark.thorough(but=1)
def test_a_reset_forgets_what_was_to_be_dropped(engine: Any, stand_ins: Any) -> None:
    """Senders that begin anew are reset with the engine, in the clock of the clear or behind it."""
    design, model = engine
    before, behind = (traffic(design, Random(seed), 12, 60, stand_ins[1]) for seed in (1, 2))
    offers, anew = (offers_of(each, key_slots=design.key_slots) for each in (before, behind))
    ends = model.run(offers)[OUTPUT][-1].clock
    for at in range(1, ends, max(1, ends // 40)):
        made = model.run(offers, clears=[ClearAt(at)], reset=ResetAt(at + 1, anew))
        compare(design, behind, made[OUTPUT], stand_ins[1])


# Registers: shown for all states of engines, in the clock of a clear.


REAL: dict[str, dict[str, object]] = {
    "ctr": {"mode": "ctr", "core": "ueno2020-enc", "cores": 2, "counter_bits": 32},
    "ctr, pipeline": {"preset": "ctr-pipeline"},
    "cbc": {"mode": "cbc", "core": "ueno2020-encdec"},
    "cfb128": {"mode": "cfb128", "core": "ueno2020-enc"},
    "cfb8": {"preset": "cfb8-compact"},
    "ofb": {"mode": "ofb", "core": "ueno2020-enc"},
    "cmac": {"preset": "cmac-small"},
    "cmac, bytes": {"preset": "cmac-bytes"},
    "ccm, bytes": {"preset": "ccm-bytes"},
    "ctr, ahead": {"preset": "ctr-ahead"},
    "ccm": {"mode": "ccm", "core": "column-gated-enc", "release": "cut-through"},
    "gcm": {"mode": "gcm", "core": "ueno2020-enc", "digit": 8},
    "gcm, small": {"preset": "gcm-small"},
    "gcm, ahead": {"preset": "gcm-lean-10g"},
    "gcm, beats": {"preset": "gcm-small", "stream_bits": 32, "beat_registers": True},
    "gcm, stages": {"mode": "gcm", "core": "ueno2020-enc", "digit": 128, "splits": "ooooo", "ghash_stages": 2},
    "gcm, lanes": {"preset": "gcm-10g", "cores": 2, "digit": 128, "splits": "ooooo", "stream_bits": 256},
    "xts": {"preset": "xts-disk"},
    "gcm-siv": {"preset": "gcm-siv-compact", "memory_beats": 4},
    "gcm-sst": {"preset": "gcm-sst-compact", "memory_beats": 4},
    "siv": {"preset": "siv-compact", "memory_beats": 4},
    "cbc-cs": {"preset": "cbc-cs-compact", "modes": ["cbc-cs1", "cbc-cs3"]},
    "drbg": {"preset": "drbg-compact"},
    "kw": {"preset": "kw-compact"},
    "ocb3": {"preset": "ocb-compact"},
}
"""Engines of each mode with cores that are AES."""


def real(name: str) -> StreamEngine:
    """One of them, or with words and slots for keys."""
    mode, comma, words = name.partition(", words")
    return parse_engine(REAL[mode] | STREAMS[comma and f", words{words}"] | {"clear": True}).engine("cut", "preset")


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*REAL, *(f"{mode}, words and slots" for mode in ("ctr", "cmac", "gcm", "xts"))])
def test_no_register_keeps_anything(name: str, tmp_path: Path) -> None:
    part, run = clear_of_registers(real(name), tmp_path, Limits())
    assert part.verdict is Verdict.PROVED, part.detail
    assert run is None


CORES = "    .clear_i,\n    .key_valid_i  (core_key_valid[core]),"
"""What is cleared in the instance of a core."""
LEFT = {
    "a beat in a queue": ("ctr", "inside_stream_fifo", "      entries_q <= '0;\n", "      entries_q[0] <= '0;\n"),
    "the semiblocks of a key": ("kw", "inside_semiblock_registers", "      semiblocks_q[place] <= '0;\n", ""),
    "the text of a message": ("gcm-siv", "inside_release_registers", "      beats_q[place] <= '0;\n", ""),
    "the key that others come of": ("gcm-siv", "inside_gcm_siv_engine", "      k_q <= '0;\n", ""),
    "a hash key of a nonce": ("gcm-sst", "inside_gcm_sst_engine", "      h_q <= '0;\n", ""),
    "both halves of a key": ("siv", "inside_siv_engine", "      k_q <= '0;\n", ""),
    "a sum of components": ("siv", "inside_siv_engine", "      d_q <= '0;\n", ""),
    "a tag to compare": ("siv", "inside_siv_engine", "      tag_q <= '0;\n", ""),
    "a key that was made": ("drbg", "inside_ctr_drbg_engine", "      t_q <= '0;\n", ""),
    "a counter of random bits": ("drbg", "inside_ctr_drbg_engine", "      v_q <= '0;\n", ""),
    "a seed": ("drbg", "inside_ctr_drbg_engine", "      d_q <= '0;\n", ""),
    "the block before": ("cbc-cs", "inside_stealing_engine", "      b_q <= '0;\n", ""),
    "text in the ring": ("ctr", "inside_text_ring", "      text_q <= '0;\n", ""),
    "a counter": ("ctr", "inside_ctr_engine", "      counter_q <= '0;\n", ""),
    "the chained value": ("cfb8", "inside_cfb8_engine", "      chain_q <= '0;\n", ""),
    "bytes of CFB8": ("cfb8", "inside_cfb8_engine", "      gathered_q <= '0;\n", ""),
    "the key of a last block": ("cmac", "inside_cmac_engine", "      key_q <= '0;\n", ""),
    "the hash key": ("gcm", "inside_ghash", "      hash_key_q <= '0;\n", ""),
    "the mask of a tag": ("gcm", "inside_tagged_release", "      mask_q <= '0;\n", ""),
    "a beat before the engine": ("gcm, beats", "inside_wide_beat_registers", "      beat_q <= '0;\n", ""),
    "an answer behind it": (
        "gcm, beats",
        "inside_wide_beat_registers",
        "else if (clear_i) answer_q <= '0;",
        "else if (clear_i) answer_q <= answer_q;",
    ),
    "the verdict": ("gcm", "inside_tagged_release", "      failed_q <= '0;\n", ""),
    "a power of the hash key": ("gcm, stages", "inside_ghash", "      power_q <= '0;\n", ""),
    "a stage of the multiplier": ("gcm, stages", "inside_ghash_product", "rank_1_q <= '0", "rank_1_q[868:0] <= '0"),
    "a tweak": ("xts", "inside_tweak_maker", "      value_q <= '0;\n", ""),
    "an offset": ("ocb3", "inside_offset_maker", "      offset_q <= '0;\n", ""),
    "a text to be released": ("ocb3", "inside_release_buffer", "      text_q <= '0;\n", ""),
    "a key in a slot": (
        "ctr, words and slots",
        "inside_wide_key_slots",
        "      keys_q <= '0;\n",
        "      keys_q[2] <= '0;\n",
    ),
    "words of a beat": (
        "ctr, words and slots",
        "inside_stream_widen",
        "        if (clear_i) begin",
        "        if (1'b0) begin",
    ),
    "a key that counts as given": ("ctr", "inside_core_keys", "else if (clear_i) begin", "else if (1'b0) begin"),
    "control while the stream is stalled": (
        "ctr",
        "inside_ctr_engine",
        "    .clear_i,\n    .valid_i(s_axis_tvalid),",
        "    .clear_i(clear_i & m_axis_tready),\n    .valid_i(s_axis_tvalid),",
    ),
    "a core": ("ctr", "inside", CORES, CORES.replace(".clear_i", ".clear_i(1'b0)")),
}
"""What a clear leaves, and where: the engine, its module, and what stands there in place of what."""


@pytest.mark.thorough
@pytest.mark.parametrize("what", LEFT)
def test_what_a_clear_leaves_is_named(what: str, tmp_path: Path) -> None:
    mode, module, right, wrong = LEFT[what]
    design = wrong_engine(real(mode), "cut", module, right, wrong)
    part, run = clear_of_registers(design, tmp_path, Limits())
    assert part.verdict is Verdict.REFUTED, part.detail
    assert "after clear_i" in part.detail
    assert run is not None
    with pytest.raises(CheckError, match=r"cut: clear: register .* after clear_i"):
        check_engine_clear(design, tmp_path)


# What stands around the engine inside.

FRAME = "stream_clear"
WRONG = {
    "a command is taken in a clear": (FRAME, "~cmd_full & ~clear_i", "~cmd_full"),
    "a word is taken in a clear": (FRAME, "~word_full & ~clear_i", "~word_full"),
    "an answer is shown in a clear": (FRAME, "cut | (inside_m_tvalid & ~clear_i)", "cut | inside_m_tvalid"),
    "no answer has an end": (FRAME, "cut_q | (clear_i & (open_q | offered_q))", "1'b0"),
    "an answer of which a word was offered has none": (FRAME, "(open_q | offered_q)", "open_q"),
    "an answer of which words left has none": (FRAME, "(open_q | offered_q)", "offered_q"),
    "what was not begun has an end": (FRAME, "(open_q | offered_q)", "1'b1"),
    "an end is offered for a clock": (FRAME, "cut_q     <= cut & ~m_axis_tready", "cut_q     <= 1'b0"),
    "an end has bytes": (FRAME, "{WordBits / 8{~cut & ~clear_i}}", "{WordBits / 8{1'b1}}"),
    "an end says nothing": (FRAME, "{1'b1, (UserBits - 1)'(0)}", "{1'b0, (UserBits - 1)'(0)}"),
    "an end is none": (FRAME, "assign m_axis_tlast    = cut |", "assign m_axis_tlast    ="),
    "commands are not dropped": (FRAME, "assign drops_command = ", "assign drops_command = 1'b0 & "),
    "words are not dropped": (FRAME, "assign drops_word    = ", "assign drops_word    = 1'b0 & "),
    "dropped commands reach the engine": (FRAME, "s_axis_cmd_tvalid & ~drops_command", "s_axis_cmd_tvalid"),
    "dropped words reach the engine": (FRAME, "s_axis_tvalid & ~drops_word", "s_axis_tvalid"),
    "words of a command that was taken are not dropped": (
        FRAME,
        "? -late : CountBits'(begun_q)",
        "? '0 : CountBits'(begun_q)",
    ),
    "a message without its command is not dropped": (FRAME, "? '0 : late_begun", "? '0 : late"),
    "what is left of a message is not dropped": (FRAME, ": CountBits'(begun_q);", ": '0;"),
    "the last word counts as begun": (FRAME, "begun_q <= ~s_axis_tlast", "begun_q <= 1'b1"),
    "each word is a message": (FRAME, "CountBits'(word_taken & s_axis_tlast)", "CountBits'(word_taken)"),
    "messages are counted from reset on": (FRAME, "commands + CountBits'(both_below)", "commands"),
    "the engine keeps its key": (
        "inside_core_keys",
        "keyed_q <= 1'b0;\n    end else if (key_valid_i",
        "end else if (key_valid_i",
    ),
    "the engine keeps its messages": ("inside_text_ring", "else if (clear_i) begin", "else if (1'b0) begin"),
    "the engine keeps its commands": (
        "inside_ctr_engine",
        "    .clear_i,\n    .valid_i(s_axis_cmd_tvalid",
        "    .clear_i(1'b0),\n    .valid_i(s_axis_cmd_tvalid",
    ),
    "cores keep their blocks": ("inside", CORES, CORES.replace(".clear_i", ".clear_i(1'b0)")),
}
"""The module, and what stands in it in place of what."""


@pytest.fixture(scope="module")
def wrong_ones(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The right engine and all wrong ones, as one design."""
    right = CtrEngine("right", core(3, 9), 2, 32, clear=True)
    engines = [wrong_engine(right, f"wrong_{n}", *WRONG[name]) for n, name in enumerate(WRONG)]
    return right, bench(ManyEngines((right, *engines)), tmp_path_factory.mktemp("wrong") / "model")


def passes(right: StreamEngine, model: Any, number: int, cipher: type[Cipher]) -> bool:
    """Whether an engine with clears answers as the model."""
    try:
        for seed in range(25):
            cut(right, model, seed, cipher, Chosen(number))
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


# Specifications and packages.


@pytest.mark.thorough
def test_without_a_clear_nothing_is_another() -> None:
    for name, preset in engine_presets().items():
        plain = replace_clear(preset, clear=False).engine("engine", name)
        if isinstance(plain, MultiModeEngine) and plain.holds_text:  # in a memory, which a clear does not reach
            with pytest.raises(RequestError, match="release: must be cut-through, not verified, in an engine with a"):
                replace_clear(preset, clear=True).engine("engine", name)
            continue
        clear = replace_clear(preset, clear=True).engine("engine", name)
        assert plain == preset.engine("engine", name)
        assert not any("clear" in source.text for source in plain.sources)
        assert not plain.ports.clearable
        assert clear.ports.clearable
        assert [port for port in clear.ports if port.role.partition(".")[0] not in ("clear", "cleared")] == [
            *plain.ports
        ]
        clocks = ("cycles_per_block", "latency_cycles", "first_answer_cycles", "most_beats")
        assert [getattr(clear, each) for each in clocks] == [getattr(plain, each) for each in clocks]


def replace_clear(preset: Any, *, clear: bool) -> Any:
    """A preset with a clear or without."""
    return preset.model_copy(update={"clear": clear})


def test_the_ports_are_those_of_cores_and_one_that_says_that_it_is_done() -> None:
    ports = built("ctr").ports
    assert [port.name for port in ports if "clear" in port.name] == ["clear_i", "cleared_o"]
    cleared = ports.find(Meaning.CLEARED)
    assert cleared is not None
    assert cleared.text == "1 after a clear, until a key, a command or a part of a message is offered"


def test_cores_must_have_a_clear_as_the_engine_has(stand_ins: Any) -> None:
    with pytest.raises(RequestError, match="core: must have one key size and a clear, as the engine has"):
        CtrEngine("cut", stand_ins[0](3, 9), clear=True)
    with pytest.raises(RequestError, match="core: must have one key size and no clear"):
        CtrEngine("cut", core(3, 9))
    with pytest.raises(RequestError, match="tweak_core: must have the block interface, with a clear"):
        XtsEngine("cut", core(3, 9, BOTH), tweak_core=stand_ins[0](3, 9), clear=True)
    with pytest.raises(RequestError, match="tweak_core: must have the block interface, without clear"):
        XtsEngine("cut", stand_ins[0](3, 9, BOTH), tweak_core=core(3, 9))


@pytest.mark.thorough
@pytest.mark.parametrize("fields", [{"preset": "xts-disk"}, {"preset": "gcm-small", "stream_bits": 16, "key_slots": 2}])
def test_a_preset_with_a_clear_is_clean_and_verified(fields: dict[str, object], tmp_path: Path) -> None:
    design = parse_engine(fields | {"clear": True}).engine("engine", "preset")
    lint(design, tmp_path / "lint")
    report = verify_engine(design, tmp_path / "work", StreamPlan(messages=40, vectors=5, resets=5))
    assert report.passed, [each.failure for each in report.failures]
    assert CLEARS in [each.name for each in report.scenarios]


@pytest.mark.thorough
def test_a_package_of_an_engine_with_a_clear_is_what_it_says(tmp_path: Path) -> None:
    folder = aesmith.engine("cmac-small", clear=True).build(tmp_path / "cleared")
    chosen = {"files", "one-file Verilog", "what follows from the sources", "lint", "test bench, Icarus"}
    found = accept(read_build(folder), tmp_path / "work", only=chosen)
    assert {check.name: check.outcome for check in found} == dict.fromkeys(chosen, CheckOutcome.PASSED)


def test_a_datasheet_says_what_a_clear_does() -> None:
    text = datasheet(aesmith.engine("cmac-small", clear=True).design, modules=(), steps=())
    assert "may be **withdrawn**" in text
    assert "`cleared_o` is 1 from the next cycle" in text
    assert "Reset clears neither keys nor text, but `clear_i` does, in one cycle." in text
