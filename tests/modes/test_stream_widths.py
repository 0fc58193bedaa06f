"""Streams of words shorter than a block: the two converters, engines of each mode between them, and their clocks."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from tests.modes.engine_bench import (
    ALWAYS,
    Chosen,
    ManyEngines,
    check,
    clocks_of_answers,
    passing_messages,
    served,
)

import aesmith
from aesmith.assurance.streams.channels import ChannelBench, Offer
from aesmith.assurance.streams.check import SCENARIOS, StreamPlan, message_clocks, offers_of
from aesmith.cores.design import Direction, SourceFile
from aesmith.cores.ports import Channel, Line, Meaning, Payload, PayloadKind, PortDirection, Ports, Reset
from aesmith.cores.sources import packaged_sources
from aesmith.cores.wrapper import declarations
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.cfb8_engine import Cfb8Engine
from aesmith.modes.clocks import PassingMessage
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import INPUT, OUTPUT, StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.message import BLOCK, Cipher, Fault
from aesmith.modes.multi_mode_engine import GcmAheadEngine, MultiModeEngine
from aesmith.modes.ocb_engine import OcbEngine
from aesmith.modes.specification import parse_engine
from aesmith.modes.stream import Beat, Section, StreamedMessage
from aesmith.modes.traffic import Keyed, gcm_message
from aesmith.modes.words import WIDTHS, message_in_words, narrowed, widened
from aesmith.modes.xts_engine import XtsEngine
from aesmith.publish.acceptance import CheckOutcome, accept
from aesmith.publish.descriptions import read_build

pytestmark = pytest.mark.one_in(12)

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
NARROW = WIDTHS[:-1]
PAUSES = (0, 100, 200)


def spoiled(sent: StreamedMessage, rng: random.Random) -> StreamedMessage:
    """The message with another `keep`, kind or end of one word, or one word more or less; it ends with its only
    tlast."""
    words = list(sent.beats)
    place, size = rng.randrange(len(words)), len(words[0].data)
    kind = rng.randrange(5)
    if kind == 0:
        words[place] = replace(words[place], keep=rng.randrange(1 << size))
    elif kind == 1:
        words[place] = replace(words[place], section=rng.choice(list(Section)))
    elif kind == 2:
        words[place:] = [replace(words[place], last=True)]
    elif kind == 3:
        words.insert(place, replace(words[place], data=rng.randbytes(size), last=False))
    elif place < len(words) - 1:
        del words[place]
    return replace(sent, beats=tuple(words))


def messages(engine: StreamEngine, rng: random.Random, count: int, cipher: type[Cipher]) -> list[Keyed]:
    """Messages of each kind, of which some are spoiled in a word beside."""
    sent = engine.stream_traffic.messages(rng, count, cipher, key_bytes=engine.key_bits[0] // 8)
    return [(key, spoiled(message, rng) if rng.random() < 0.2 else message) for key, message in sent]


# The rule, in software.


@pytest.mark.parametrize("width", WIDTHS)
def test_beats_in_words_are_the_same_beats_again(width: int, stand_ins: Any) -> None:
    rng = random.Random(width)
    for size in range(100):
        beats = gcm_message(rng, stand_ins[1](bytes(16)), size).beats
        words = narrowed(beats, width // 8)
        assert widened(words, width // 8) == list(beats)
        assert all(len(word.data) == width // 8 for word in words)
        assert all(word.keep for word in words) or len(words) == 1


@pytest.mark.parametrize("width", NARROW)
def test_a_word_is_refused_for_what_the_documents_say(width: int, stand_ins: Any) -> None:
    """By words alone: 1 if its `keep` is no run of ones or 0 where it is not alone, 2 if the one before it, of the same
    kind, was not full, 3 if CTR has not its kind."""
    engine = CtrEngine("ctr", stand_ins[0](10, 11), stream_bits=width)
    rng, full = random.Random(width), (1 << width // 8) - 1
    seen = set()
    for _ in range(400):
        sent = spoiled(engine.stream_traffic.good(rng, Cipher(bytes(16)), 80), rng)
        sent = replace(sent, command=replace(sent.command, text_bytes=(1 << 64) - 1))
        wanted, before = None, None
        for word in sent.beats:
            if word.keep & word.keep + 1 or (not word.keep and len(sent.beats) > 1):
                wanted = Fault.KEEP
            elif before is not None and before.section is word.section and before.keep != full:
                wanted = Fault.PARTIAL
            elif word.keep and word.section is not Section.TEXT:
                wanted = Fault.ORDER
            before = word
            if wanted is not None:
                break
        assert engine.answer(Cipher(bytes(16)), sent)[1] is wanted
        seen.add(wanted)
    assert seen == {None, Fault.KEEP, Fault.ORDER} | ({Fault.PARTIAL} if width > 8 else set())


# The two modules.


def _channel(name: str, prefix: str, direction: PortDirection, bits: int, user: int) -> Channel:
    kind = PayloadKind.CONTROL
    payloads = (
        Payload(f"{prefix}_tdata", bits, Meaning.STREAM),
        Payload(f"{prefix}_tkeep", bits // 8, Meaning.KEEP, kind),
        Payload(f"{prefix}_tuser", user, Meaning.USER, kind),
        Payload(f"{prefix}_tlast", 1, Meaning.LAST, kind),
    )
    quiet = direction is PortDirection.OUTPUT and name == "words out"
    return Channel(name, direction, payloads, Line(f"{prefix}_tvalid"), Line(f"{prefix}_tready"), quiet=quiet)


@dataclass(frozen=True)
class Converters:
    """Both modules side by side, one of them with other text if `wrong` says so."""

    name: str
    width: int
    wrong: tuple[str, str, str] | None = None

    @property
    def top(self) -> str:
        return self.name

    @property
    def ports(self) -> Ports:
        inward, outward = PortDirection.INPUT, PortDirection.OUTPUT
        channels = (
            _channel("words in", "win", inward, self.width, 2),
            _channel("beats out", "bout", outward, 128, 2),
            _channel("beats in", "bin", inward, 128, 4),
            _channel("words out", "wout", outward, self.width, 4),
        )
        return Ports("clk_i", Reset("rst_ni"), channels)

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        made = []
        for source in packaged_sources(self.name, ("stream_widen", "stream_narrow")):
            text = source.text
            if self.wrong is not None and source.name == f"{self.name}_{self.wrong[0]}.sv":
                assert text.count(self.wrong[1]) == 1, self.wrong
                text = text.replace(self.wrong[1], self.wrong[2])
            made.append(SourceFile(source.name, text))
        lines = [f"module {self.name} (", declarations(self.ports), ");"]
        for module, into, out in (("stream_widen", "win", "bout"), ("stream_narrow", "bin", "wout")):
            pins = [
                f".{side}_axis_{line}({prefix}_{line})"
                for side, prefix in (("s", into), ("m", out))
                for line in ("tvalid", "tready", "tdata", "tkeep", "tuser", "tlast")
            ]
            lines.append(f"  {self.name}_{module} #(.WordBits({self.width})) u_{module} (.clk_i, .rst_ni,")
            lines += [f"    {', '.join(pins)});"]
        # What is quiet in front is quiet behind: the bench's beats are noise while none is offered.
        text = "\n".join([*lines, "endmodule", ""])
        for line in ("tdata", "tkeep", "tuser", "tlast"):
            width = {"tdata": 128, "tkeep": 16, "tuser": 4, "tlast": 1}[line]
            text = text.replace(f"(bin_{line})", f"(bin_{line} & {{{width}{{bin_tvalid}}}})")
        return (*made, SourceFile(f"{self.name}.sv", text))


WRONG = {
    "words in another order": (
        "stream_widen",
        "here = count_q == CountBits'(place)",
        "here = ~count_q == CountBits'(place)",
    ),
    "keep of words that are not there": (
        "stream_widen",
        "= {WordBits / 8{kept}} |",
        "= {WordBits / 8{kept | closes}} |",
    ),
    "no keep of words before": ("stream_widen", "= {WordBits / 8{kept}} |", "="),
    "keep of the word behind": ("stream_widen", "{here & ~closes}", "{here}"),
    "a word that is not full does not end a beat": ("stream_widen", "| s_axis_tkeep != '1 |", "|"),
    "tlast does not end a beat": ("stream_widen", "s_axis_tkeep != '1 | s_axis_tlast;", "s_axis_tkeep != '1;"),
    "a change of kind does not end a beat": (
        "stream_widen",
        "closes = begun & s_axis_tuser != kind_q",
        "closes = 1'b0",
    ),
    "the kind of the word behind": ("stream_widen", "begun ? kind_q : s_axis_tuser", "s_axis_tuser"),
    "the kind of the beat before": ("stream_widen", "begun ? kind_q : s_axis_tuser", "kind_q"),
    "tlast of the word behind": ("stream_widen", "s_axis_tlast & ~closes;", "s_axis_tlast;"),
    "tlast is lost": ("stream_widen", "s_axis_tlast & ~closes;", "s_axis_tlast & ~begun;"),
    "the word behind is taken with the beat": ("stream_widen", "(m_axis_tready & ~closes)", "m_axis_tready"),
    "a word without bytes ends a beat as a part does": ("stream_widen", "empty  = begun", "empty  = 1'b0 & begun"),
    "a word without bytes is refused in an empty message": ("stream_widen", "empty  = begun &", "empty  = 1'b1 |"),
    "a beat of words is dropped under stall": (
        "stream_widen",
        "if (m_axis_tvalid & m_axis_tready) begin",
        "if (m_axis_tvalid) begin",
    ),
    "the same word again": ("stream_narrow", "m_axis_tdata  = data[count_q]", "m_axis_tdata  = data[0]"),
    "the keep of the first word": ("stream_narrow", "m_axis_tkeep  = keep[count_q]", "m_axis_tkeep  = keep[0]"),
    "error and failed in every word": ("stream_narrow", "s_axis_tuser[3:2] & {2{final_word}}", "s_axis_tuser[3:2]"),
    "error and failed in the first word": ("stream_narrow", "{2{final_word}}", "{2{count_q == '0}}"),
    "tlast in every word": ("stream_narrow", "s_axis_tlast & final_word", "s_axis_tlast"),
    "words without bytes behind the last": ("stream_narrow", "more[place] = keep[place+1][0]", "more[place] = 1'b1"),
    "no second word": ("stream_narrow", "final_word = ~more[count_q]", "final_word = 1'b1"),
    "a word more if the last is not full": (
        "stream_narrow",
        "more[place] = keep[place+1][0]",
        "more[place] = keep[place][0]",
    ),
    "a part of a word is left out": ("stream_narrow", "keep[place+1][0]", "(&keep[place+1])"),
    "a word is dropped under stall": (
        "stream_narrow",
        "if (s_axis_tvalid & m_axis_tready) begin",
        "if (s_axis_tvalid) begin",
    ),
    "noise while idle": (
        "stream_narrow",
        "m_axis_tkeep  = keep[count_q]",
        "m_axis_tkeep  = keep[count_q] | {WordBits / 8{~m_axis_tvalid}}",
    ),
    "words of the beat before are counted": ("stream_narrow", "final_word ? '0 : count_q + 1'b1", "count_q + 1'b1"),
    "the beat goes with its first word": ("stream_narrow", "m_axis_tready & final_word", "m_axis_tready"),
}
"""Modules with one fault each: which, and what stands in it in place of what."""
UNFOUND = {
    "a change of kind ends a beat that has not begun": (
        "stream_widen",
        "closes = begun & s_axis_tuser",
        "closes = s_axis_tuser",
    ),
    "words of the message before stay": (
        "stream_widen",
        "if (m_axis_tvalid & m_axis_tready) begin",
        "if (m_axis_tvalid & m_axis_tready & ~s_axis_tlast) begin",
    ),
    "a word is counted while none is offered": ("stream_widen", "if (s_axis_tvalid & ~ends) begin", "if (~ends) begin"),
}
"""Others, which no simulation finds: two offer beats without end, and the bench's noise is no full word that is not the
last. They are refuted in the proof's tests."""


def _payloads(beat: Beat) -> tuple[int, ...]:
    kind = 8 * beat.error + 4 * beat.failed + beat.section
    return int.from_bytes(beat.data, "little"), beat.keep, kind, int(beat.last)


def _in_bytes(transfers: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """What of transfers counts: data in bytes of `keep`, none where that is no run of ones from byte 0."""
    return [
        (0 if keep & keep + 1 else data & (1 << 8 * keep.bit_length()) - 1, keep, *rest)
        for data, keep, *rest in transfers
    ]


def _answers(rng: random.Random, count: int) -> Iterator[Beat]:
    """Beats as engines give them."""
    for _ in range(count):
        size = rng.choice((0, 1, 4, 7, 8, 9, 12, 15, 16, 16, 16, rng.randrange(17)))
        last = rng.random() < 0.4 or not size
        flags = {"failed": last and rng.random() < 0.4, "error": last and rng.random() < 0.4}
        data = rng.randbytes(size).ljust(BLOCK, b"\0")
        yield Beat(data, (1 << size) - 1, rng.choice((Section.TEXT, Section.TAG)), last, **flags)


def check_converters(width: int, bench: ChannelBench, number: int, cipher: type[Cipher]) -> None:
    """Raises CheckError unless design `number` of the bench makes beats of words and words of beats as the models
    do."""
    rng, size, full = random.Random(width), width // 8, (1 << width // 8) - 1
    for pause in PAUSES:
        words: list[Beat] = []
        for _ in range(80):
            sent = message_in_words(gcm_message(rng, cipher(bytes(16)), 40), size)
            words += (spoiled(sent, rng) if rng.random() < 0.4 else sent).beats
        words += [
            Beat(bytes(size), full, Section.TEXT),
            Beat(bytes(size), 0, Section.TEXT),
            Beat(bytes(size), last=True),
        ]
        beats = list(_answers(rng, 200))
        make = Chosen(number)
        pauses = dict.fromkeys(("words in", "beats out", "beats in", "words out"), pause)
        # One after the other: the bench writes down one transfer of output a clock.
        for channel, into, given, due in (
            ("beats out", "words in", words, widened(words, size)),
            ("words out", "beats in", beats, narrowed(beats, size)),
        ):
            offers = {into: [make(_payloads(beat)) for beat in given], "chosen": [Offer((number,))]}
            made = [transfer.payloads for transfer in bench.run(offers, pauses=pauses, seed=pause + 1)[channel]]
            found, must = _in_bytes(made), _in_bytes([_payloads(beat) for beat in due])
            if found != must:
                place = next((n for n, pair in enumerate(zip(found, must, strict=False)) if pair[0] != pair[1]), -1)
                raise CheckError(f"{channel}: {place} of {len(must)}: {found[place]} for {must[place]}")
            if into == "beats in" and made != must:
                raise CheckError("words out: bytes that do not count are not 0")


@pytest.mark.parametrize("width", NARROW)
def test_the_modules_are_clean_under_lint(width: int, tmp_path: Path) -> None:
    lint(Converters("converters", width), tmp_path)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=NARROW)
def pair(request: pytest.FixtureRequest, bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The two modules, right ones, of a width, as number 0 of one."""
    many = ManyEngines((Converters("right", request.param),))  # type: ignore[arg-type]
    return request.param, bench(many, tmp_path_factory.mktemp("pair") / "model")


@pytest.mark.thorough
def test_words_become_beats_and_beats_words_as_in_the_models(pair: Any, stand_ins: Any) -> None:
    check_converters(*pair, 0, stand_ins[1])


@pytest.fixture(scope="module")
def many(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> ChannelBench:
    """The right modules, as number 0, and wrong ones, with words of 32 bits."""
    wrong = (Converters(f"wrong_{number}", 32, fault) for number, fault in enumerate(WRONG.values()))
    designs: Any = (Converters("right", 32), *wrong)
    return bench(ManyEngines(designs), tmp_path_factory.mktemp("many") / "model")


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["none", *WRONG])
def test_a_wrong_module_is_found(what: str, many: ChannelBench, stand_ins: Any) -> None:
    with nullcontext() if what == "none" else pytest.raises(CheckError):
        check_converters(32, many, ["none", *WRONG].index(what), stand_ins[1])


# Engines.


def engine_of(mode: str, width: int, core: Any) -> StreamEngine:
    """An engine with a stream of words, around cores that stand in for AES."""
    if mode == "ctr":
        return CtrEngine("ctr", core(10, 11), 4, 32, stream_bits=width)
    if mode == "gcm":
        return GcmEngine("gcm", core(10, 11), stream_bits=width)
    if mode == "gcm-small":
        return GcmEngine("gcm", core(3, 7), 2, digit=16, release="cut-through", entries=4, hashes=1, stream_bits=width)
    if mode == "gcm-at-once":
        return GcmEngine("gcm", core(10, 11), 2, digit=32, release="cut-through", stream_bits=width)
    if mode == "cmac":
        return CmacEngine("cmac", core(10, 11), stream_bits=width)
    if mode == "ocb":
        return OcbEngine("ocb", core(10, 11, BOTH), entries=8, stream_bits=width)
    if mode == "ocb-at-once":
        return OcbEngine("ocb", core(5, 7, BOTH), 3, release="cut-through", entries=4, stream_bits=width)
    if mode == "cfb8":
        return Cfb8Engine("cfb8", core(10, 11), stream_bits=width)
    if mode == "multi-verified":
        how: dict[str, Any] = {"release": "verified", "memory_beats": 16, "gcm_iv": "any"}
        return MultiModeEngine("multi", core(10, 11), modes=("gcm",), stream_bits=width, **how)
    if mode == "beats-ahead":
        return GcmAheadEngine("multi", core(10, 11), 2, digit=32, beat_registers=True, stream_bits=width)
    if mode == "beats-verified":
        how = {"release": "verified", "memory_beats": 16, "gcm_iv": "any", "beat_registers": True}
        return MultiModeEngine("multi", core(10, 11), modes=("gcm",), stream_bits=width, **how)
    if mode.startswith("beats"):
        modes = (mode.removeprefix("beats-"),)
        return MultiModeEngine("multi", core(10, 11, BOTH), modes=modes, stream_bits=width, beat_registers=True)
    if mode.startswith("multi"):
        return MultiModeEngine("multi", core(10, 11, BOTH), modes=(mode.removeprefix("multi-"),), stream_bits=width)
    return XtsEngine("xts", core(10, 11, BOTH), 2, tweak_core=core(10, 11), stream_bits=width)


ENGINES = [
    *((mode, width) for mode in ("ctr", "cmac", "xts") for width in (32, 64)),
    *(("gcm", 32), ("gcm", 16), ("gcm-small", 8), ("gcm-at-once", 64)),
    *(("ocb", 16), ("ocb-at-once", 64), ("cfb8", 64), ("ctr", 8), ("cmac", 8)),
    *(("multi-gcm", 32), ("multi-ccm", 8), ("multi-cmac", 16), ("multi-cbc", 64), ("multi-verified", 64)),
    *(("beats-gcm", 32), ("beats-ccm", 8), ("beats-cmac", 16), ("beats-cbc", 64), ("beats-verified", 32)),
    ("beats-ahead", 32),
]


@pytest.fixture(scope="module", params=ENGINES, ids=lambda given: f"{given[0]}-{given[1]}")
def engine(request: pytest.FixtureRequest, bench: Any, stand_ins: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An engine, and its simulator."""
    design = engine_of(*request.param, stand_ins[0])
    return design, bench(design, tmp_path_factory.mktemp("engine") / "model")


@pytest.mark.thorough(but=("ctr-32-100",))
@pytest.mark.parametrize("pause", PAUSES)
def test_messages_good_and_bad_are_answered_as_by_the_model(engine: Any, stand_ins: Any, pause: int) -> None:
    design, model = engine
    rng = random.Random(pause)
    pauses = {name: rng.randrange(pause + 1) for name in ALWAYS}
    check(design, model, messages(design, rng, 150, stand_ins[1]), stand_ins[1], pauses=pauses, seed=pause + 1)


@pytest.mark.thorough(but=1)
def test_messages_follow_in_the_clocks_of_the_formula(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    kinds = list(design.kinds())
    # Of those with a recurrence each word is compared below.
    for headers, texts, encrypt in kinds if design.recurrence is None else kinds[1::3]:
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt, cipher=stand_ins[1])
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (headers, texts, encrypt)


# The core is free again before it is asked; only ECB and CBC decrypt with it; other modes have no GHASH.
FREE = {(name, clocks) for name in ("core_cycles", "decryption_cycles") for clocks in (9, 11)}
FORWARD = {("decryption_latency", 10), ("decryption_latency", 12)}
WITHOUT_GHASH = {("steps", 7), ("steps", 9), ("long_iv", True)}
HIDDEN = {
    ("gcm", 32): {("places", 6), ("places", 8), ("hashes", 2)},
    ("gcm", 16): {("places", 6), ("places", 8), ("hashes", 2)},
    ("gcm-small", 8): {("core_cycles", 2), ("core_cycles", 4), ("cores", 3), ("hashes", 2)},
    ("gcm-at-once", 64): {("hashes", 2)},
    ("ocb", 16): {("places", 9)},
    ("ocb-at-once", 64): set[tuple[str, int]](),
    ("multi-gcm", 32): FREE | FORWARD,
    ("multi-verified", 64): FREE | FORWARD,
    ("multi-ccm", 8): FREE | FORWARD | WITHOUT_GHASH,
    ("multi-cmac", 16): FREE | FORWARD | WITHOUT_GHASH | {("verified", True)},
    ("multi-cbc", 64): FREE | WITHOUT_GHASH | {("verified", True)},
    ("beats-gcm", 32): FREE | FORWARD,
    ("beats-verified", 32): FREE | FORWARD,
    ("beats-ccm", 8): FREE | FORWARD | WITHOUT_GHASH,
    ("beats-cmac", 16): FREE | FORWARD | WITHOUT_GHASH | {("verified", True)},
    ("beats-cbc", 64): FREE | WITHOUT_GHASH | {("verified", True)},
    ("beats-ahead", 32): {("core_cycles", 9)},
}
"""Other numbers of these engines that are not seen in the clocks: there is room to spare, or another part is slower."""


@pytest.mark.thorough(but=1)
def test_every_word_leaves_in_the_clock_of_the_recurrence(engine: Any, stand_ins: Any, request: Any) -> None:
    """Messages of all lengths, both directions, with right tags and wrong ones, one behind the other. It is seen if a
    number of the engine is another, and if the end of a section in the middle of a block takes no clock."""
    design, model = engine
    if design.recurrence is None:
        assert not isinstance(design, GcmEngine | OcbEngine)
        return
    recurrence, timing = design.recurrence.func, design.recurrence.args[0]
    unseen = {(field.name, other) for field in fields(timing) for other in changed(timing, field.name)}
    closes = design.stream_bits > 8
    for most in (20, 70, 200):
        sent = served(design, random.Random(most), 60, stand_ins[1], most)
        seen = clocks_of_answers(check(design, model, sent, stand_ins[1]))
        messages = passing_messages(design, sent, stand_ins[1])
        assert tells(recurrence, timing, messages, seen)
        unseen = {one for one in unseen if tells(recurrence, replace(timing, **dict([one])), messages, seen)}
        closes |= not tells(recurrence, timing, [unclosed(message) for message in messages], seen)
    assert (unseen, closes) == (HIDDEN[request.node.callspec.params["engine"]], True)


def tells(recurrence: Any, timing: Any, messages: Sequence[PassingMessage], seen: Sequence[int]) -> bool:
    """Whether these are the clocks of the recurrence; an engine that messages do not fit into never ends."""
    try:
        return list(chain.from_iterable(recurrence(timing, messages).left)) == seen
    except AssertionError:
        return False


def changed(timing: Any, name: str) -> list[int]:
    """Other values of what clocks depend on: one more and one less, or the opposite."""
    value = getattr(timing, name)
    if isinstance(value, str):  # the mode
        return []
    return [not value] if isinstance(value, bool) else [value + 1, *[value - 1] * (value > 1)]


def unclosed(message: PassingMessage) -> PassingMessage:
    """The message as if each beat kept the stream for a clock a word, and no longer."""
    beats = [replace(beat, clocks=message.words(beat.size)) for beat in message.beats]
    return replace(message, beats=tuple(beats))


@pytest.mark.thorough
@pytest.mark.parametrize("engine", [("gcm", 32)], indirect=True, ids=["gcm-32"])
def test_no_word_of_text_leaves_before_the_last_word_of_the_tag_has_come(engine: Any, stand_ins: Any) -> None:
    design, model = engine
    rng, key = random.Random(3), bytes(16)
    made = [gcm_message(rng, stand_ins[1](key), 60, encrypt=False) for _ in range(30)]
    sent = [(key, design.in_words(message)) for message in made]
    done = check(design, model, sent, stand_ins[1])
    came = iter([transfer.clock for transfer in done[INPUT]])
    left = iter(done[OUTPUT])
    for _, message in sent:
        tag = [next(came) for _ in message.beats][-1]
        words = [next(left) for _ in design.answer(stand_ins[1](key), message)[0]]
        assert min(word.clock for word in words) > tag


@pytest.mark.parametrize("engine", [("ctr", 32)], indirect=True, ids=["ctr-32"])
def test_latency_counts_from_the_last_word_of_a_beat_to_the_first_of_its_answer(engine: Any) -> None:
    design, model = engine
    done = model.run(offers_of([(bytes(16), design.plain(0, 1))] * 2))
    words = design.stream_words
    assert done[OUTPUT][words].clock - done[INPUT][2 * words - 1].clock + 1 == design.latency_cycles


@pytest.mark.parametrize("fault", [Fault.KEEP, Fault.PARTIAL, Fault.ORDER, Fault.IV, Fault.TAG])
@pytest.mark.parametrize("mode", ["gcm", "cmac"])
def test_the_model_refuses_each_kind_of_bad_message_for_what_it_is(mode: str, fault: Fault, stand_ins: Any) -> None:
    rng = random.Random(int(fault))
    for width in (16, 32, 64):
        design = engine_of(mode, width, stand_ins[0])
        traffic, cipher = design.stream_traffic, stand_ins[1](bytes(16))
        for make in traffic.bad[fault]:
            for _ in range(20):
                assert design.answer(cipher, make(traffic.to_break(rng, cipher, 48), rng))[1] is fault


def test_an_engine_of_128_bits_has_neither_module(stand_ins: Any) -> None:
    whole, narrow = (engine_of("gcm", width, stand_ins[0]) for width in (128, 32))
    assert not [source for source in whole.sources if "stream_widen" in source.text]
    assert whole.wide is whole
    assert narrow.sources[:-3] == replace(whole, name="gcm_wide").sources
    around = [source.name for source in narrow.sources[-3:]]
    assert around == ["gcm_stream_widen.sv", "gcm_stream_narrow.sv", "gcm.sv"]


@pytest.mark.parametrize("width", [0, 24, 384])
def test_other_widths_are_refused(width: int, stand_ins: Any) -> None:
    with pytest.raises(RequestError, match="stream_bits: must be one of 8, 16, 32, 64, 128, 256, 512, 1024"):
        engine_of("ctr", width, stand_ins[0])
    with pytest.raises(RequestError, match="stream_bits"):
        parse_engine({"preset": "gcm-compact", "stream_bits": width})


def test_throughput_and_load_count_words(stand_ins: Any) -> None:
    design = engine_of("ctr", 8, stand_ins[0])
    assert (design.cycles_per_block, design.message_cycles(0, 3)) == (16, 48)
    assert design.demands(0, 3) == {"AES": 7.5, "stream": 48}


def test_cmac_compares_in_words_slower_than_it_makes_a_tag(stand_ins: Any) -> None:
    """A block waits for the last word of what stands behind it, and the next one is taken two clocks later."""
    design = CmacEngine("cmac", stand_ins[0](3, 5), stream_bits=16)
    ways = [design.message_cycles(0, 101, encrypt=way) - design.message_cycles(0, 100, encrypt=way) for way in (0, 1)]
    assert (ways, design.cycles_per_block) == ([10, 8], 10)


PACKAGES = {"ctr": (32, {"core": "ueno2020-enc", "cores": 2}), "cmac": (8, {"core": "ueno2020-enc"})}


@pytest.mark.thorough
@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.parametrize("mode", PACKAGES)
def test_a_package_passes_its_own_checks(mode: str, tmp_path: Path) -> None:
    """Its test bench too, by its own make, and its one file as Verilog-2005."""
    width, fields = PACKAGES[mode]
    file = tmp_path / "narrow.toml"
    lines = {"mode": mode, "stream_bits": width, **fields}
    file.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items()))
    folder = aesmith.engine(file).build(tmp_path / "package")
    chosen = {"files", "one-file Verilog", "what follows from the sources", "lint"}
    chosen |= {"test bench, Icarus", "test bench, Verilator"}
    found = accept(read_build(folder), tmp_path / "work", only=chosen)
    assert {check.name: check.outcome for check in found} == dict.fromkeys(chosen, CheckOutcome.PASSED)
    datasheet = (folder / "datasheet.md").read_text()
    assert f"a command and words of {width // 8} byte" in datasheet
    assert f"| `s_axis_tdata` | input | {width} |" in datasheet
    assert f"| `stream_bits` | `{width}` |" in datasheet


VERIFIED = (
    ("ctr-pipeline", 64),
    ("cbc-compact", 32),
    ("cmac-small", 8),
    ("gcm-10g", 32),
    ("xts-disk", 64),
    ("ccm-radio", 16),
)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(("preset", "width"), VERIFIED)
def test_engines_with_real_cores_are_verified(preset: str, width: int) -> None:
    plan = StreamPlan(messages=60, vectors=20, resets=3, most=100)
    report = aesmith.engine(preset, stream_bits=width).verify(plan)
    assert [(scenario.name, scenario.failure) for scenario in report.scenarios] == [(name, "") for name in SCENARIOS]
