"""An engine driven through its streams, 64 lanes in step, every beat of output compared with the engine's model.

Each lane has a message of its own under a key of its own. All messages are of one shape, so an engine, whose time
depends on shapes alone, takes and gives beats in all lanes at once.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.leaf import LeafDesign
from aesmith.errors import CheckError, RequestError
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, StreamEngine
from aesmith.modes.message import BLOCK, Cipher
from aesmith.modes.stream import Beat, Section, StreamedMessage
from aesmith.timing.power.arrays import ALL_LANES, LANES, Blocks, Words, everywhere, to_blocks
from aesmith.timing.power.counting import FEWEST_PERIODS, Activity, Counter, Progress, activity_of, until_precise
from aesmith.timing.power.figures import PowerPlan, PowerStimulus
from aesmith.timing.power.port_driver import Clocking, PortDriver, clocking_of, turned
from aesmith.timing.power.program import PowerProgram
from aesmith.timing.power.simulator import Simulator

TEXT_BLOCKS = 16
"""Blocks of text of a message, if the plan does not say and the engine holds them: 256 bytes."""

_INWARD = ("key", COMMAND, INPUT)
_PATIENCE = 4096

Payloads = Mapping[str, Words]
"""What the payloads of a channel carry, by their roles."""


@dataclass(frozen=True)
class MessageShape:
    """Blocks of header and of text of a message."""

    header_blocks: int
    text_blocks: int

    def __str__(self) -> str:
        header = f"{self.header_blocks} block of header and " if self.header_blocks else ""
        return f"{header}{self.text_blocks} {'block' if self.text_blocks == 1 else 'blocks'} of text"


def shape_of(engine: StreamEngine, plan: PowerPlan) -> MessageShape:
    """The messages that power is measured on: a block of header where the mode knows one, and text.

    Raises RequestError if the engine does not hold as much text as the plan says.
    """
    header = int(any(headers for headers, _, _ in engine.kinds()))
    most = math.inf if engine.most_beats is None else engine.most_beats - header
    wanted = min(TEXT_BLOCKS, most) if plan.text_blocks is None else plan.text_blocks
    if wanted > most:
        raise RequestError(
            f"text_blocks: must be at most {most}, not {wanted}: {engine.preset} holds a message until its tag is known"
        )
    return MessageShape(header, int(wanted))


def check_plan(design: CoreDesign | LeafDesign | StreamEngine, plan: PowerPlan) -> None:
    """Raises RequestError for a plan that an engine, or what is none, does not take."""
    if isinstance(design, StreamEngine):
        if plan.stimulus is PowerStimulus.LISTED:
            raise RequestError(f"blocks: a list is of cores only, and {design.preset} is an engine")
        shape_of(design, plan)
    elif plan.text_blocks is not None:
        raise RequestError(f"text_blocks: of engines only, and {design.name} is none")


def message_for(
    engine: StreamEngine, cipher: Cipher, shape: MessageShape, random: Random, *, encrypt: bool
) -> StreamedMessage:
    """A message of that shape, random, with a tag that is right where it has one to be compared."""
    plain = engine.plain(shape.header_blocks, shape.text_blocks, encrypt=encrypt)
    iv = random.randbytes(len(plain.command.iv))
    sent = replace(
        plain,
        command=replace(plain.command, iv=iv),
        beats=tuple(
            beat if beat.section is Section.TAG or not beat.keep else replace(beat, data=random.randbytes(BLOCK))
            for beat in plain.beats
        ),
    )
    *front, last = sent.beats
    if last.section is not Section.TAG:
        return sent
    to_seal = engine.plain(shape.header_blocks, shape.text_blocks, encrypt=True)
    whole = (*front[:-1], replace(front[-1], last=True)) if front else to_seal.beats
    made, fault = engine.answer(cipher, StreamedMessage(replace(to_seal.command, iv=iv), whole))
    assert fault is None
    texts = iter([beat.data for beat in made if beat.section is Section.TEXT])
    sealed = [replace(beat, data=next(texts, beat.data)) if beat.section is Section.TEXT else beat for beat in front]
    return replace(sent, beats=(*sealed, replace(last, data=made[-1].data)))


class MessageDriver(PortDriver):
    """Drives keys and messages into an engine and takes what it answers, without a pause on any channel."""

    def __init__(self, simulator: Simulator, engine: StreamEngine, clocking: Clocking) -> None:
        super().__init__(simulator, engine.name, engine.ports, clocking)
        self.accepted = 0
        """Messages whose command has been taken."""
        self.checked = 0
        """Beats of output compared with the model, lanes not counted."""
        self.on_accept: Callable[[int], None] | None = None
        """Called at the edge at which a command is taken, with the number of messages before it."""
        self._engine = engine
        self._waiting: dict[str, deque[Payloads]] = {}
        self._offered: set[str] = set()
        self._due: deque[list[Beat]] = deque()
        self.reset()

    def reset(self) -> None:
        """Reset the engine; what was under way in it is forgotten."""
        self._waiting = {channel: deque() for channel in _INWARD}
        self._offered.clear()
        self._due.clear()
        self.accepted = 0
        self.begin({f"{channel}.valid": False for channel in _INWARD} | {f"{OUTPUT}.ready": True}, {})

    def send_key(self, keys: Sequence[bytes]) -> None:
        """Offer a key in each lane."""
        self._waiting["key"].append({"key.key": self.carried("key.key", _rows(keys))})

    def send(self, keys: Sequence[bytes], messages: Sequence[StreamedMessage]) -> None:
        """Offer a message in each lane, all of one shape; under these keys they are answered."""
        words = [message.command.word for message in messages]
        of_command = self._ports[f"{COMMAND}.{COMMAND}"].bits // 8
        commands = _rows([word.to_bytes(of_command, "little") for word in words])
        self._waiting[COMMAND].append({f"{COMMAND}.{COMMAND}": self.carried(f"{COMMAND}.{COMMAND}", commands)})
        for beats in zip(*(message.beats for message in messages), strict=True):
            one = beats[0]
            assert all((beat.keep, beat.section, beat.last) == (one.keep, one.section, one.last) for beat in beats)
            payloads = {f"{INPUT}.stream": self.carried(f"{INPUT}.stream", _rows([beat.data for beat in beats]))}
            for name, value in (("keep", one.keep), ("user", int(one.section)), ("last", int(one.last))):
                payloads[f"{INPUT}.{name}"] = self._word(f"{INPUT}.{name}", value)
            self._waiting[INPUT].append(payloads)
        answers = [self._engine.answer(Cipher(key), sent)[0] for key, sent in zip(keys, messages, strict=True)]
        self._due.extend(map(list, zip(*answers, strict=True)))

    @property
    def waiting(self) -> Mapping[str, int]:
        """Transfers into the engine that it has not taken, by channel."""
        return {channel: len(queue) for channel, queue in self._waiting.items()}

    @property
    def due(self) -> int:
        """Beats of output that are to come."""
        return len(self._due)

    def run_until(self, done: Callable[[], bool]) -> None:
        """Clock until `done`. Raises CheckError if the engine gives anything wrong, or nothing happens any more."""
        patience = _PATIENCE + 16 * max(place.core.latency_cycles for place in self._engine.core_places)
        quiet, seen = 0, self._progress()
        while not done():
            self.step()
            quiet = 0 if self._progress() != seen else quiet + 1
            seen = self._progress()
            if quiet > patience:
                raise CheckError(f"power of {self._name}: nothing has passed the ports for {patience} clocks")

    def step(self) -> None:
        """One clock: transfers as the handshakes stand, then the edge, then what is offered next."""
        if self.says(f"{OUTPUT}.valid"):
            self._take()
        for channel in [channel for channel in self._offered if self.says(f"{channel}.ready")]:
            self._waiting[channel].popleft()
            if channel == COMMAND:
                if self.on_accept is not None:
                    self.on_accept(self.accepted)
                self.accepted += 1
        changes: dict[str, Words] = {}
        for channel in _INWARD:
            offer = bool(self._waiting[channel])
            if offer:
                changes.update(self._waiting[channel][0])
            if offer != (channel in self._offered):
                changes[f"{channel}.valid"] = self.line(f"{channel}.valid", offer)
            (self._offered.add if offer else self._offered.discard)(channel)
        self.period(changes)

    def _progress(self) -> tuple[int, ...]:
        return (*self.waiting.values(), self.checked)

    def _word(self, role: str, value: int) -> Words:
        return np.concatenate([everywhere(bool(value >> bit & 1)) for bit in range(self._ports[role].bits)])

    def _take(self) -> None:
        if not self._due:
            raise CheckError(f"power of {self._name}: the netlist gives a beat that no message has")
        due = self._due.popleft()
        data = self._ports[f"{OUTPUT}.stream"]
        found = turned(to_blocks(self.simulator.port(data.name)), data)
        wrong = (found != _rows([beat.data for beat in due])).any(axis=1)
        for name, values in (
            ("keep", [beat.keep for beat in due]),
            ("user", [8 * beat.error + 4 * beat.failed + beat.section for beat in due]),
            ("last", [int(beat.last) for beat in due]),
        ):
            bits = self.simulator.port(self._ports[f"{OUTPUT}.{name}"].name)
            for lane, value in enumerate(values):
                wrong[lane] |= any(int(word) >> lane & 1 != value >> bit & 1 for bit, word in enumerate(bits))
        if wrong.any():
            lane = int(np.flatnonzero(wrong)[0])
            raise CheckError(
                f"power of {self._name}: at a clock period of {self.clocking.period} ps beat {self.checked} of output "
                f"is wrong in {int(wrong.sum())} of {LANES} lanes, so its power means nothing; must be "
                f"{due[lane].data.hex()}, and is {found[lane].tobytes().hex()}"
            )
        self.checked += 1


def _rows(texts: Sequence[bytes]) -> Blocks:
    return np.array([list(text) for text in texts], dtype=np.uint8)


class MessageSimulation:
    """One simulation of an engine under one plan and direction: messages of one shape, one behind the other.

    A batch counts from the command of one message to that of another, when as many came before as make the engine
    full. `simulator` stays for a look at nets. Raises RequestError for what no engine takes.
    """

    def __init__(self, program: PowerProgram, engine: StreamEngine, direction: Direction, plan: PowerPlan) -> None:
        check_plan(engine, plan)
        self.simulator = Simulator(program, zero_delay=True)
        self.shape = shape_of(engine, plan)
        self.counter = Counter(self.simulator, zero_delay=plan.zero_delay)
        self._engine, self._plan = engine, plan
        self._encrypt = direction is Direction.ENCRYPT
        self._random = Random(f"{plan.seed} {direction}")
        self._driver = MessageDriver(self.simulator, engine, clocking_of(program, plan))
        clocks = engine.message_cycles(self.shape.header_blocks, self.shape.text_blocks, encrypt=self._encrypt)
        self._before = 2 + math.ceil((engine.first_answer_cycles + engine.latency_cycles) / clocks)
        self._counted = max(engine.cores, math.ceil(FEWEST_PERIODS / clocks))

    def run(self, progress: Progress | None = None) -> Activity:
        """Simulate. Raises CheckError if the engine answers wrongly."""
        samples, interval = until_precise(self.simulator, self._batch, self._plan, progress)
        return activity_of(self.simulator, self.counter, len(samples), interval)

    def _batch(self) -> None:
        """Messages under a key in each lane, until those that count have been taken and answered; or of idleness."""
        driver = self._driver
        idle = self._plan.stimulus is PowerStimulus.IDLE
        driver.reset()
        driver.on_accept = None
        if not idle:
            self.counter.count_from(driver, self._before, [ALL_LANES] * self._counted, self.shape.text_blocks)
        keys = self._new_key()
        count = 1 if idle else self._before + self._counted + 1
        for number in range(count):
            if number and self._plan.stimulus is PowerStimulus.REKEYED:
                keys = self._new_key()
            messages = [
                message_for(self._engine, Cipher(key), self.shape, self._random, encrypt=self._encrypt) for key in keys
            ]
            driver.send(keys, messages)
            driver.run_until(lambda: not driver.waiting[COMMAND])
        driver.run_until(lambda: not driver.due)
        if idle:
            for _ in range(self._engine.latency_cycles):
                driver.step()
            self.counter.count_now(driver.step)

    def _new_key(self) -> list[bytes]:
        keys = [self._engine.traffic.key(self._random, self._engine.key_bits[0] // 8) for _ in range(LANES)]
        self._driver.send_key(keys)
        self._driver.run_until(lambda: not self._driver.waiting["key"])
        return keys
