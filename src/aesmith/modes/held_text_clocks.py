"""In which clocks messages go through an engine whose text waits for its tag: one after the other, in a schedule
without choices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from aesmith.modes.clocks import NEVER, Passage, PassingBeat, PassingMessage
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class CoreTiming(ABC):
    """What of an engine its clocks depend on: clocks per block and latency of its core, clocks in which that takes a
    key and from then to a block."""

    core_cycles: int
    core_latency: int
    key_words: int
    key_cycles: int

    @abstractmethod
    def schedule(self) -> Schedule:
        """The schedule of an engine after reset."""

    @property
    @abstractmethod
    def each(self) -> int:
        """Clocks of a block in the slowest part, at most."""


class Schedule(ABC):
    """The engine's state as far as clocks depend on it: the clock in which it is next at something, when its last beat
    was taken, and from when on the core takes a block. Names are those of the engine's module."""

    def __init__(self, timing: CoreTiming) -> None:
        self._core = timing
        self._now, self._taken, self._free = 1, -1, NEVER
        self.passage = Passage([], [])

    def _call(self, earliest: int) -> int:
        """A block goes to the core, not before that clock; the clock in which its result is offered."""
        at = max(earliest, self._free)
        self._free = at + self._core.core_cycles
        return at + self._core.core_latency - 1

    def _key(self) -> None:
        """The core takes a key, word by word."""
        self._now += self._core.key_words
        self._free = max(self._free, self._now - 1 + self._core.key_cycles)

    @abstractmethod
    def keys(self) -> int:
        """A command is taken in this clock, and what its message needs first is made; the clock after that."""

    @abstractmethod
    def _load(self, message: PassingMessage) -> list[int]:
        """Its beats come; the clock in which each is first offered."""

    @abstractmethod
    def _sealed(self, message: PassingMessage, texts: Sequence[PassingBeat]) -> list[int]:
        """The message is encrypted; the clocks in which its words leave."""

    @abstractmethod
    def _opened(self, texts: Sequence[PassingBeat]) -> int:
        """The message is decrypted; the clock in which its text, or the verdict, leaves first."""

    def message(self, message: PassingMessage) -> None:
        """A message passes."""
        self.keys()
        came = self._load(message)
        texts = [beat for beat in message.beats if beat.section is Section.TEXT and beat.size]
        if message.encrypt:
            left = self._sealed(message, texts)
        else:
            left, leaves = [], self._opened(texts)
            for beat in texts if message.opens and texts else [PassingBeat(Section.TEXT, 0, 1, last=True)]:
                left += range(leaves, leaves + message.words(beat.size))
                leaves = left[-1] + 1
        self._now = left[-1] + 1
        self.passage.offered.append(came)
        self.passage.left.append(left)

    def _counted(self, message: PassingMessage, texts: Sequence[PassingBeat]) -> list[int]:
        """Text is encrypted block by block from this clock on; the clocks in which its words leave."""
        left = list[int]()
        for beat in texts:
            first = self._call(self._now)
            left += range(first, first + message.words(beat.size))
            self._now = left[-1] + 1
        return left


class HashSchedule(Schedule):
    """Also from when on GHASH takes another block: it takes so many clocks for one."""

    def __init__(self, timing: CoreTiming, steps: int) -> None:
        super().__init__(timing)
        self._steps, self._hashed = steps, NEVER

    def _hash(self, earliest: int) -> int:
        """A block goes to GHASH, not before that clock; the clock in which it does."""
        at = max(earliest, self._hashed)
        self._hashed = at + self._steps + 1
        return at


def schedule_clocks(timing: CoreTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave (`aesmith.modes.clocks`)."""
    schedule = timing.schedule()
    for message in messages:
        schedule.message(message)
    return schedule.passage


def first_load(timing: CoreTiming) -> int:
    """The clock in which the first beat of all can be taken."""
    return timing.schedule().keys()


@cache
def clocks_apart(timing: CoreTiming, message: PassingMessage) -> int:
    """Clocks from message to message of equal ones."""
    *_, before, after = schedule_clocks(timing, [message] * 3).left
    return after[-1] - before[-1]
