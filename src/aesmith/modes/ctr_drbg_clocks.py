"""In which clocks requests go through an engine of CTR_DRBG: one after the other, in a schedule without choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from aesmith.modes.clocks import NEVER, Passage, PassingMessage
from aesmith.modes.message import BLOCK


@dataclass(frozen=True)
class DrbgTiming:
    """What of an engine its clocks depend on: clocks per block and latency of its core, clocks in which that takes a
    key and from then to a block, and calls of an update."""

    core_cycles: int
    core_latency: int
    key_words: int
    key_cycles: int
    calls: int


class _Schedule:
    """The engine's state as far as clocks depend on it: the clock in which it is next at something, when its last beat
    was taken, and from when on the core takes a block. Names are those of `aesmith_ctr_drbg_engine`."""

    def __init__(self, timing: DrbgTiming) -> None:
        self._timing = timing
        self._now, self._taken, self._free = 1, -1, NEVER
        self.passage = Passage([], [])

    def _call(self) -> int:
        """A block goes to the core; the clock in which its result is offered."""
        at = max(self._now, self._free)
        self._free = at + self._timing.core_cycles
        return at + self._timing.core_latency - 1

    def _key(self) -> None:
        """The core takes a key, word by word."""
        self._now += self._timing.key_words
        self._free = max(self._free, self._now - 1 + self._timing.key_cycles)

    def _update(self) -> None:
        """As many calls as Key and V have blocks, and the core takes the new key."""
        for _ in range(self._timing.calls):
            self._now = self._call() + 1
        self._key()

    def request(self, message: PassingMessage, *, instantiates: bool) -> None:
        """A request passes, its command taken in this clock; one that `instantiates` has a seed, and no other has."""
        self._now += 1
        came, left, given = list[int](), list[int](), 0
        for beat in message.beats:
            came.append(self._taken + beat.clocks)
            self._taken = max(self._now, came[-1])
            self._now, given = self._taken + 1, given + bool(beat.size)
        self._now += 1 + -given % self._timing.calls
        if instantiates:
            self._key()
        if instantiates or given:
            self._update()
        size = message.text_bytes
        for start in range(0, size, BLOCK):
            first = self._call()
            left += range(first, first + message.words(min(BLOCK, size - start)))
            self._now = left[-1] + 1
        if size or not instantiates:
            self._update()
        if not size:
            left.append(self._now)
            self._now += 1
        self.passage.offered.append(came)
        self.passage.left.append(left)


def drbg_clocks(timing: DrbgTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which requests come, the first of them behind a seed, and what they ask for leaves
    (`aesmith.modes.clocks`)."""
    schedule = _Schedule(timing)
    for number, message in enumerate(messages):
        schedule.request(message, instantiates=number == 0)
    return schedule.passage


@cache
def clocks_apart(timing: DrbgTiming, message: PassingMessage) -> int:
    """Clocks from request to request of equal ones."""
    *_, before, after = drbg_clocks(timing, [message] * 4).left
    return after[-1] - before[-1]
