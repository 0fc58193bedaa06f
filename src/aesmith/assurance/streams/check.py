"""Simulation of a stream engine against its model: messages of all kinds, pauses, resets, published vectors, clocks."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Protocol

from aesmith.assurance.peripherals import verify_registers
from aesmith.assurance.plan import ScenarioReport, SimulationReport
from aesmith.assurance.simulator import find_tools
from aesmith.assurance.streams.channels import PATIENCE, ChannelBench, ClearAt, Offer, Offers, ResetAt, Transfer
from aesmith.assurance.streams.clears import NEVER, stretches
from aesmith.assurance.streams.vectors import iterated_vectors, vectors_of, vectors_of_wycheproof
from aesmith.errors import CheckError, RequestError
from aesmith.modes.clocks import BEFORE, BEHIND, passing, text_waits
from aesmith.modes.engine import COMMAND, INPUT, LOADED, OUTPUT, TURNS, StreamEngine, key_payloads
from aesmith.modes.message import Cipher
from aesmith.modes.stream import Beat
from aesmith.modes.traffic import Keyed, in_slots, with_slots
from aesmith.progress import Progress

CHANNELS = ("key", COMMAND, INPUT, OUTPUT)
MANY_MESSAGES = 2000
"""From so many messages on it pays to let the compiler optimise."""
PART = 500
"""Messages that are simulated at a time."""

SCENARIOS = {
    "vectors": "published vectors, evenly taken from all of the key's size",
    "messages": "random messages, good, tampered with, and each kind of bad one; keys change",
    "pauses": "the same with random pauses on all channels",
    "slow receiver": "the same where answers are taken seldom",
    "reset": "reset in the middle of messages; nothing stale afterwards",
    "clocks": "clocks from message to message, and of the block that waits longest, as the formula has them",
}
"""The scenarios in the order in which they run, and what each does."""
CLEARS = "clear"
"""The one behind resets for an engine that has a clear: clears in the middle of messages whose senders go on."""


class RunsOffers(Protocol):
    """What sends offers through an engine, until nothing has moved for `patience` clocks."""

    def __call__(self, offers: Offers, *, patience: int) -> dict[str, list[Transfer]]: ...


Row = tuple[tuple[int, ...], int | None]
"""The payloads of a beat of output, and behind the last one of a message what `error_o` says."""


@dataclass(frozen=True)
class StreamPlan:
    """How much is simulated: random messages of up to `most` bytes a section in each of three scenarios, `vectors`
    published ones, `resets`, and as many runs with clears. `seed` decides every random choice. Raises RequestError for
    a value out of range."""

    seed: int = 1
    messages: int = 500
    vectors: int = 300
    resets: int = 20
    most: int = 300

    def __post_init__(self) -> None:
        for name in ("messages", "vectors", "resets", "most"):
            if not 1 <= getattr(self, name) <= 1_000_000:
                raise RequestError(f"{name}: must be 1 to 1000000, not {getattr(self, name)}")
        if not 1 <= self.seed < 1 << 31:
            raise RequestError(f"seed: must be 1 to 2147483647, not {self.seed}")


def offers_of(
    sent: Sequence[Keyed], offer: Callable[..., Offer] = Offer, *, key_slots: int = 1, key_bits: Sequence[int] = ()
) -> dict[str, list[Offer]]:
    """What is offered to an engine of so many slots, whose keys have one of these sizes: a key behind the commands of
    the messages before, a command behind its key."""
    keys: list[Offer] = []
    commands: list[Offer] = []
    beats: list[Offer] = []
    for number, slot, key, message in with_slots(sent, key_slots):
        if key is not None:
            payloads = key_payloads(key, slot, key_bits=key_bits, key_slots=key_slots)
            keys.append(offer(payloads, {COMMAND: number}))
        commands.append(offer((message.command.word,), {"key": len(keys)}))
        beats += [
            offer((int.from_bytes(beat.data, "little"), beat.keep, beat.user, int(beat.last))) for beat in message.beats
        ]
    return {"key": keys, COMMAND: commands, INPUT: beats}


def _row(beat: Beat, code: int) -> Row:
    row = (int.from_bytes(beat.data, "little"), beat.keep, beat.user, int(beat.last))
    return row, code if beat.last else None


def expected(engine: StreamEngine, sent: Sequence[Keyed], cipher: type[Cipher] = Cipher) -> Iterator[tuple[int, Row]]:
    """Every beat of output by the engine's model, with the number of its message, and behind the last one of a message
    what `error_o` says. `cipher` is what the cores compute."""
    code, session = 0, engine.session(cipher)
    for number, (key, message) in enumerate(sent):
        beats, fault = session(key, message)
        code = code if fault is None else int(fault)
        yield from ((number, _row(beat, code)) for beat in beats)


def compare(
    engine: StreamEngine, sent: Sequence[Keyed], made: Sequence[Transfer], cipher: type[Cipher] = Cipher
) -> None:
    """Raises CheckError for the first beat of output that is not the model's, with its message and clock."""
    compare_beats(engine, made, list(expected(engine, sent, cipher)))


def compare_beats(engine: StreamEngine, made: Sequence[Transfer], wanted: Sequence[tuple[int, Row]]) -> None:
    """Raises CheckError for the first beat that is not the one wanted, with its message and clock."""
    for transfer, (number, (payloads, code)) in zip(made, wanted, strict=False):
        where = f"message {number}, clock {transfer.clock}"
        if transfer.payloads != payloads:
            must, found = _said(engine, payloads), _said(engine, transfer.payloads)
            raise CheckError(f"{where}: must be {must}, and is {found}")
        if code is not None and transfer.side[0] != code:
            raise CheckError(f"{where}: error_o must be {code} after it, and is {transfer.side[0]}")
    if len(made) > len(wanted):
        raise CheckError(f"clock {made[len(wanted)].clock}: {len(made) - len(wanted)} beats more than messages have")
    if len(made) < len(wanted):
        raise CheckError(f"message {wanted[len(made)][0]}: {len(wanted) - len(made)} beats are missing at its end")


class _End(Enum):
    """Whether the end of an answer that was cut is to come."""

    NONE, MAYBE, OWED = range(3)


def compare_with_clears(
    engine: StreamEngine,
    sent: Sequence[Keyed],
    made: Mapping[str, Sequence[Transfer]],
    clears: Sequence[ClearAt],
    cipher: type[Cipher] = Cipher,
) -> int:
    """Compare all that left an engine with these clears, in order of clocks; returns how many messages were dropped.

    Of the answers due before a clear some words have left; one that was cut has an end without bytes, *error* in it.
    Raises CheckError for the first beat that is not the model's, and for what was taken in a clock of a clear.
    """
    keys = offers_of(sent, key_slots=engine.key_slots, key_bits=engine.key_bits)["key"]
    words, dropped, end = list(made[OUTPUT]), 0, _End.NONE
    for stretch in stretches(engine, sent, keys, made, clears):
        here = words[: bisect_left(words, stretch.end, key=lambda word: word.clock)]
        words = words[len(here) :]
        if end is not _End.NONE and here:
            if here[0].payloads == (0, 0, 2 << 2 * engine.lanes, 1) and here[0].side[0] == 0:
                del here[0]
            elif end is _End.OWED:
                raise CheckError(f"clock {here[0].clock}: the answer that was cut has no end")
            end = _End.NONE
        wanted = list(expected(engine, stretch.sent, cipher))
        if stretch.end < NEVER:
            wanted = wanted[: len(here)]
            if wanted and not wanted[-1][1][0][3]:
                end = _End.OWED
            elif end is _End.NONE:
                # The next word may have been offered when the clear came.
                end = _End.MAYBE
        elif end is _End.OWED:
            raise CheckError("the answer that was cut last has no end")
        compare_beats(engine, here, wanted)
        dropped += len(stretch.sent) - sum(payloads[3] for _, (payloads, _) in wanted)
    return dropped


def _said(engine: StreamEngine, payloads: Sequence[int]) -> str:
    data, keep, user, last = payloads
    digits = engine.stream_bits // 4
    return f"data {data:0{digits}x}, keep {keep:0{-(-digits // 8)}x}, user {user:x}, last {last}"


@dataclass(frozen=True)
class _Session:
    """An engine, its simulator, and what is to be done; `progress` takes the cases done, and cases in all."""

    engine: StreamEngine
    bench: ChannelBench
    plan: StreamPlan
    progress: Callable[[int, int], None]

    def messages(self, name: str, pauses: Sequence[int]) -> ScenarioReport:
        """Random messages in parts. Of 256 clocks the channels are idle in half of `pauses` to all of them."""
        cases, cycles, failure, begun = 0, 0, "", time.monotonic()
        for part in range(-(-self.plan.messages // PART)):
            count = min(PART, self.plan.messages - cases)
            random = Random(f"{self.plan.seed} {name} {part}")
            sent = self._traffic(random, count)
            idle = {channel: random.randint(most // 2, most) for channel, most in zip(CHANNELS, pauses, strict=True)}
            cases += count
            cycles, failure = self._run(cycles, sent, idle, part)
            self.progress(cases, self.plan.messages)
            if failure:
                break
        return ScenarioReport(name, cases, cycles, time.monotonic() - begun, failure, "")

    def _traffic(self, random: Random, count: int) -> list[Keyed]:
        key_bytes = [bits // 8 for bits in self.engine.key_bits]
        sent = self.engine.stream_traffic.messages(random, count, most=self.plan.most, key_bytes=key_bytes)
        return in_slots(random, sent, self.engine.key_slots)

    def _offers(self, sent: Sequence[Keyed]) -> dict[str, list[Offer]]:
        return offers_of(sent, key_slots=self.engine.key_slots, key_bits=self.engine.key_bits)

    def _run(self, cycles: int, sent: Sequence[Keyed], pauses: dict[str, int], seed: int) -> tuple[int, str]:
        try:
            made = self.bench.run(self._offers(sent), pauses=pauses, seed=self.plan.seed + seed)[OUTPUT]
            compare(self.engine, sent, made)
        except CheckError as error:
            return cycles, str(error)
        return cycles + made[-1].clock, ""

    def vectors(self) -> ScenarioReport:
        """Published vectors: what comes is what they say, and what the model says."""
        begun, failure, cycles = time.monotonic(), "", 0
        known = [*vectors_of(self.engine, self.plan.vectors), *vectors_of_wycheproof(self.engine)]
        known += iterated_vectors(self.engine)
        sent = [(vector.key, vector.sent) for vector in known]
        try:
            made = self.bench.run(self._offers(sent), seed=self.plan.seed)[OUTPUT]
            compare(self.engine, sent, made)
            got, messages = b"", iter(known)
            for transfer in made:
                data, keep, user, last = transfer.payloads
                shown = data.to_bytes(self.engine.stream_bits // 8, "little")
                got += bytes(byte for place, byte in enumerate(shown) if keep >> place & 1)
                if last:
                    next(messages).check(got, failed=bool(user >> 2 * self.engine.lanes & 1))
                    got = b""
            cycles = made[-1].clock if made else 0
        except CheckError as error:
            failure = str(error)
        self.progress(len(known), max(1, len(known)))
        note = "" if known else "no published message is one that this engine takes"
        return ScenarioReport("vectors", len(known), cycles, time.monotonic() - begun, failure, note)

    def resets(self) -> ScenarioReport:
        """A reset in the middle of messages, a key and messages behind it; the first of these comes before a key."""
        begun, failure, cycles = time.monotonic(), "", 0
        for number in range(self.plan.resets):
            random = Random(f"{self.plan.seed} reset {number}")
            before, behind = self._traffic(random, 20), self._traffic(random, 20)
            at = 0
            try:
                ends = self.bench.run(self._offers(before), seed=number + 1)[OUTPUT][-1].clock
                at = random.randrange(1, max(2, ends))
                anew = ResetAt(at, self._offers(behind))
                made = self.bench.run(self._offers(before), seed=number + 1, reset=anew)[OUTPUT]
                compare(self.engine, behind, made)
                cycles += made[-1].clock
            except CheckError as error:
                failure = f"after a reset in clock {at}: {error}" if at else str(error)
                break
            self.progress(number + 1, self.plan.resets)
        return ScenarioReport("reset", self.plan.resets, cycles, time.monotonic() - begun, failure, "")

    def clears(self) -> ScenarioReport:
        """Clears in the middle of messages whose senders go on; some of those behind them come before a key."""
        begun, failure, cycles = time.monotonic(), "", 0
        for number in range(self.plan.resets):
            random = Random(f"{self.plan.seed} clear {number}")
            sent, at = self._traffic(random, 40), list[int]()
            pauses = {channel: random.choice((0, random.randrange(200))) for channel in CHANNELS}
            run = partial(self.bench.run, self._offers(sent), pauses=pauses, seed=number + 1)
            try:
                ends = run()[OUTPUT][-1].clock
                at = sorted(random.sample(range(1, max(4, ends)), 3))
                clears = [ClearAt(clock, random.choice((1, 1, 2))) for clock in at]
                made = run(clears=clears)
                compare_with_clears(self.engine, sent, made, clears)
                cycles += ends
            except CheckError as error:
                failure = f"with clears in clocks {', '.join(map(str, at))}: {error}" if at else str(error)
                break
            self.progress(number + 1, self.plan.resets)
        return ScenarioReport(CLEARS, self.plan.resets, cycles, time.monotonic() - begun, failure, "")

    def clocks(self) -> ScenarioReport:
        """Equal messages, of several kinds, take the clocks that the engine states."""
        begun, failure, cases, cycles = time.monotonic(), "", 0, 0
        kinds = [(view, *kind) for view in self.engine.views for kind in view.kinds()]
        made: dict[str, list[Transfer]] = {}

        def run(offers: Offers, *, patience: int) -> dict[str, list[Transfer]]:
            made.update(self.bench.run(offers, patience=patience))
            return made

        for number, (engine, headers, texts, encrypt) in enumerate(kinds):
            try:
                seen, end = message_clocks(engine, run, headers, texts, encrypt=encrypt)
            except CheckError as error:
                failure = str(error)
                break
            stated = engine.message_cycles(headers, texts, encrypt=encrypt)
            wait = engine.worst_wait(headers, texts, encrypt=encrypt)
            waited = wait and longest_wait(engine, made, headers, texts, encrypt=encrypt)
            cases, cycles = cases + TURNS * self.engine.cores + BEFORE + BEHIND, cycles + end
            if (seen, waited) != (stated, wait):
                way = "encrypt" if encrypt else "decrypt"
                what = f"{engine.mode}: {headers} blocks of header, {texts} of text to {way}"
                what += f", keys of {engine.rated_key_bits} bits" * (len(engine.key_bits) > 1)
                failure = f"{what}: {stated} stated, {seen} seen"
                if seen == stated:
                    failure = f"{what}: a block waits {wait} clocks at most as stated, {waited} as seen"
                break
            self.progress(number + 1, len(kinds))
        return ScenarioReport("clocks", cases, cycles, time.monotonic() - begun, failure, "")


def message_clocks(
    engine: StreamEngine,
    run: RunsOffers,
    header_blocks: int,
    text_blocks: int,
    *,
    encrypt: bool,
    cipher: type[Cipher] = Cipher,
) -> tuple[float, int]:
    """Clocks from message to message of equal ones without pauses, as a mean of 12 for each core, in which
    all cores have equal turns; and the clock of the last beat. `cipher` is what the cores compute.

    Raises CheckError for an engine that loses or makes messages.
    """
    counted = TURNS * engine.cores
    key = bytes(range(engine.rated_key_bits // 8))
    message = engine.plain(header_blocks, text_blocks, encrypt=encrypt, cipher=cipher(key))
    sent = [(key, message)] * (BEFORE + counted + BEHIND)
    # Nothing takes longer than a message, but for a key.
    stated = engine.message_cycles(header_blocks, text_blocks, encrypt=encrypt)
    patience = 4 * round(stated) + 8 * max(place.core.latency_cycles for place in engine.core_places) + 100
    offers = offers_of(sent, key_slots=engine.key_slots, key_bits=engine.key_bits)
    made = run(offers, patience=min(patience, PATIENCE + engine.silent_cycles))[OUTPUT]
    ends = [transfer.clock for transfer in made if transfer.payloads[3]]
    if len(ends) != len(sent):
        raise CheckError(f"{len(sent)} messages have {len(ends)} answers")
    return (ends[BEFORE + counted] - ends[BEFORE]) / counted, made[-1].clock


def longest_wait(
    engine: StreamEngine, made: Mapping[str, Sequence[Transfer]], header_blocks: int, text_blocks: int, *, encrypt: bool
) -> int:
    """Of equal messages that followed one another in a run of `message_clocks` what `worst_wait` states of them."""
    sent, encrypts = engine.plain(header_blocks, text_blocks, encrypt=encrypt), engine.encrypts(asked=encrypt)
    message = passing(sent, engine.stream_bits // 8, encrypt=encrypts, opens=engine.times_right_tags)
    words, answered = len(sent.beats), sum(transfer.payloads[3] for transfer in made[OUTPUT])
    answers, longest = len(made[OUTPUT]) // answered, 0
    for number in range(BEFORE, BEFORE + LOADED):
        came = [transfer.clock for transfer in made[INPUT][number * words - 1 : (number + 1) * words]]
        went = [transfer.clock for transfer in made[OUTPUT][number * answers : (number + 1) * answers]]
        # A word is first offered after the previous one.
        sizes = [max(1, -(-beat.size // message.word_bytes)) for beat in message.beats]
        places = accumulate(sizes[:-1], initial=0) if engine.answers_words else (n - 1 for n in accumulate(sizes))
        offered = [came[place] + 1 for place in places]
        longest = max(longest, *text_waits(message, offered, went, shows_text=engine.shows_text))
    return longest


def verify_engine(
    engine: StreamEngine,
    folder: Path,
    plan: StreamPlan | None = None,
    progress: Progress | None = None,
) -> SimulationReport:
    """Simulate an engine in `folder`; the report says whether it `passed`. An engine that fails is no error.

    Of one with registers on a bus the streams behind them are simulated, and then all of it by its driver.

    Raises ToolError if a tool is missing or fails, RequestError for sources that Verilator does not take.
    """
    plan, tell, whole = plan or StreamPlan(), progress or (lambda _what, _done, _total: None), engine
    engine = engine.behind_bus
    begun, tools = time.monotonic(), find_tools()
    bench = ChannelBench(engine, folder / "model", optimised=plan.messages >= MANY_MESSAGES, progress=tell)
    built = time.monotonic() - begun
    label = ""

    def count(done: int, total: int) -> None:
        tell(label, done, total)

    session = _Session(engine, bench, plan, count)
    runs: dict[str, Callable[[], ScenarioReport]] = {
        "vectors": session.vectors,
        "messages": partial(session.messages, "messages", (0, 0, 0, 0)),
        "pauses": partial(session.messages, "pauses", (200, 200, 200, 200)),
        "slow receiver": partial(session.messages, "slow receiver", (0, 0, 0, 240)),
        "reset": session.resets,
        **({CLEARS: session.clears} if engine.clear else {}),
        "clocks": session.clocks,
        **({} if whole is engine else {"registers": partial(verify_registers, whole, folder / "registers")}),
    }
    scenarios: list[ScenarioReport] = []
    for number, (name, run) in enumerate(runs.items(), 1):
        label = f"{name} (scenario {number} of {len(runs)})"
        count(0, 0)
        scenarios.append(run())
    return SimulationReport(
        design=whole.name,
        source_hash=whole.source_hash,
        key_bits=max(engine.key_bits),
        seed=plan.seed,
        scenarios=tuple(scenarios),
        timing=(),
        waveform=None,
        tools=tools.versions,
        build_seconds=built,
        seconds=time.monotonic() - begun,
    )
