"""In which clocks messages go through an engine of GCM-SIV: one after the other, in a schedule without choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from aesmith.modes.clocks import NEVER, Passage, PassingBeat, PassingMessage
from aesmith.modes.message import BLOCK
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class GcmSivTiming:
    """What of an engine its clocks depend on: clocks per block and latency of its core, clocks in which that takes a
    key and from then to a block, calls that make the keys of a message, and clocks of a multiplication of GHASH."""

    core_cycles: int
    core_latency: int
    key_words: int
    key_cycles: int
    derived: int
    steps: int


class _Schedule:
    """The engine's state as far as clocks depend on it: the clock in which it is next at something, when its last beat
    was taken, from when on the core takes a block, and GHASH another one. Names are those of `aesmith_gcm_siv_engine`.
    """

    def __init__(self, timing: GcmSivTiming) -> None:
        self._timing = timing
        self._now, self._taken, self._free, self._hashed = 1, -1, NEVER, NEVER
        self.passage = Passage([], [])

    def _call(self, earliest: int) -> int:
        """A block goes to the core, not before that clock; the clock in which its result is offered."""
        at = max(earliest, self._free)
        self._free = at + self._timing.core_cycles
        return at + self._timing.core_latency - 1

    def _hash(self, earliest: int) -> int:
        """A block goes to GHASH, not before that clock; the clock in which it does."""
        at = max(earliest, self._hashed)
        self._hashed = at + self._timing.steps + 1
        return at

    def _key(self) -> None:
        """The core takes a key, word by word."""
        self._now += self._timing.key_words
        self._free = max(self._free, self._now - 1 + self._timing.key_cycles)

    def _tag(self) -> int:
        """Lengths are hashed, and the tag is made; the clock of its result."""
        self._hash(self._now)
        return self._call(self._hashed)

    def keys(self) -> int:
        """A command is taken in this clock, and the keys of its message are made; the clock behind that."""
        self._now += 1
        self._key()
        for _ in range(self._timing.derived):
            self._now = self._call(self._now) + 1
        self._key()
        self._hashed = self._now
        return self._now

    def message(self, message: PassingMessage) -> None:
        """A message passes."""
        self.keys()
        came, left = self._load(message), list[int]()
        texts = [beat for beat in message.beats if beat.section is Section.TEXT and beat.size]
        if message.encrypt:
            self._now = self._tag() + 1
            for beat in texts:
                first = self._call(self._now)
                left += range(first, first + message.words(beat.size))
                self._now = left[-1] + 1
            left += range(self._now, self._now + message.words(BLOCK))
        else:
            for _ in texts:
                self._now = self._hash(self._call(self._now)) + 1
            leaves = self._tag() + 2
            for beat in texts if message.opens and texts else [PassingBeat(Section.TEXT, 0, 1, last=True)]:
                left += range(leaves, leaves + message.words(beat.size))
                leaves = left[-1] + 1
        self._now = left[-1] + 1
        self.passage.offered.append(came)
        self.passage.left.append(left)

    def _load(self, message: PassingMessage) -> list[int]:
        """Its beats come; the clock in which each is first offered."""
        came = list[int]()
        for beat in message.beats:
            came.append(self._taken + beat.clocks)
            at = max(self._now, came[-1])
            hashed = beat.section is Section.HEADER or (beat.section is Section.TEXT and message.encrypt)
            self._taken = self._hash(at) if hashed and beat.size else at
            self._now = self._taken + 1
        return came


def gcm_siv_clocks(timing: GcmSivTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave (`aesmith.modes.clocks`)."""
    schedule = _Schedule(timing)
    for message in messages:
        schedule.message(message)
    return schedule.passage


def first_load(timing: GcmSivTiming) -> int:
    """The clock in which the first beat of all can be taken."""
    return _Schedule(timing).keys()


@cache
def clocks_apart(timing: GcmSivTiming, message: PassingMessage) -> int:
    """Clocks from message to message of equal ones."""
    *_, before, after = gcm_siv_clocks(timing, [message] * 3).left
    return after[-1] - before[-1]
