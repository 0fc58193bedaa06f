"""In which clocks messages go through an engine of CBC with ciphertext stealing: in a schedule without choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from aesmith.modes.clocks import NEVER, Passage, PassingMessage
from aesmith.modes.message import BLOCK


@dataclass(frozen=True)
class StealingTiming:
    """What of an engine its clocks depend on: the mode, clocks per block and latency of its core, to encrypt and to
    decrypt."""

    mode: str
    encryption: tuple[int, int]
    decryption: tuple[int, int]


class _Schedule:
    """The engine's state as far as clocks depend on it: the clock in which it is next at something, when its last beat
    was taken, and from when on the core takes a block. Names are those of `aesmith_stealing_engine`."""

    def __init__(self, timing: StealingTiming) -> None:
        self._timing = timing
        self._now, self._taken, self._free = 1, -1, NEVER
        self.passage = Passage([], [])
        self._came, self._left = list[int](), list[int]()

    def message(self, message: PassingMessage) -> None:
        """A message passes; its command is taken in this clock."""
        self._now += 1
        self._came, self._left = [], []
        (self._encrypt if message.encrypt else self._decrypt)(message)
        self.passage.offered.append(self._came)
        self.passage.left.append(self._left)

    def _offered(self, clocks: int) -> int:
        """A beat that keeps the stream for so many clocks is there; the first clock in which it is looked at."""
        self._came.append(self._taken + clocks)
        return max(self._now, self._came[-1])

    def _take(self, clock: int) -> None:
        self._taken, self._now = clock, clock + 1

    def _call(self, earliest: int, timing: tuple[int, int]) -> int:
        """A block goes to the core, not before that clock; the clock in which its result is offered."""
        at = max(earliest, self._free)
        self._free = at + timing[0]
        return at + timing[1] - 1

    def _leave(self, first: int, words: int) -> int:
        """So many words leave from that clock on; the clock of the last."""
        self._left += range(first, first + words)
        return self._left[-1]

    def _straight(self, message: PassingMessage) -> bool:
        """Whether the last two parts of the ciphertext have the order of CBC, and no bytes move."""
        whole = message.beats[-1].size == BLOCK
        return len(message.beats) == 1 or (whole and self._timing.mode != "cbc-cs3")

    def _encrypt(self, message: PassingMessage) -> None:
        words = message.words(BLOCK)
        for number, beat in enumerate(message.beats):
            at = self._offered(beat.clocks)
            result = self._call(at, self._timing.encryption)
            if beat.last and not self._straight(message):
                last = self._leave(result, words)
                self._take(self._leave(last + 1, message.words(beat.size)))
                continue
            left = self._leave(at, words) if number else at
            if beat.last:
                self._take(self._leave(max(result, left + 1 if number else 0), words))
            else:
                self._take(max(result, left))

    def _decrypt(self, message: PassingMessage) -> None:
        words, timing = message.words(BLOCK), self._timing.decryption
        for number, beat in enumerate(message.beats):
            at = self._offered(beat.clocks)
            if not number:
                self._take(at)
                continue
            result = self._call(at, timing)
            if beat.last and not self._straight(message):
                last = self._leave(self._call(result + 1, timing), words)
                self._take(self._leave(last + 1, message.words(beat.size)))
                return
            self._take(self._leave(result, words))
        self._now = self._leave(self._call(self._now, timing), words) + 1


def stealing_clocks(timing: StealingTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave (`aesmith.modes.clocks`)."""
    schedule = _Schedule(timing)
    for message in messages:
        schedule.message(message)
    return schedule.passage


@cache
def clocks_apart(timing: StealingTiming, message: PassingMessage) -> int:
    """Clocks from message to message of equal ones."""
    *_, before, after = stealing_clocks(timing, [message] * 3).left
    return after[-1] - before[-1]
