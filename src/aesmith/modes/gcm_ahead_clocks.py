"""In which clocks messages go through an engine of GCM whose counters go ahead, around cores in turn.

What goes to the cores is known of the messages: in their order the counter blocks of the text of each, and then its
first one. A core takes a block when its result before has been taken. Names are those of `aesmith_gcm_ahead_engine`;
clocks count as in `aesmith.modes.clocks`: from 0, in which the key is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from aesmith.modes.clocks import Ends, Passage, PassingBeat, PassingMessage
from aesmith.modes.message import BLOCK
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class AheadTiming:
    """What of an engine its clocks depend on: clocks per block and latency of its cores, and how many; clocks of a
    multiplication of GHASH; whether decrypted text waits for its verdict; whether there are registers for beats at its
    ends."""

    core_cycles: int
    core_latency: int
    cores: int
    steps: int
    verified: bool
    registers: bool = False


class _Cores:
    """The cores: when each block went to its core, and when its result was taken."""

    def __init__(self, timing: AheadTiming) -> None:
        self._timing, self.sent, self.taken = timing, list[int](), list[int]()
        self.ready = 1
        """The clock from which on another block may go, by what comes before it."""

    @property
    def next(self) -> int:
        """When the next block goes."""
        before = len(self.sent) - self._timing.cores
        if before < 0:
            return self.ready
        return max(self.ready, self.taken[before], self.sent[before] + self._timing.core_cycles)

    def send(self) -> None:
        """The next block goes."""
        self.sent.append(self.next)
        self.ready = self.sent[-1] + 1

    @property
    def offered(self) -> int:
        """When the oldest result that was not taken is offered; its block goes if it has not."""
        if len(self.taken) == len(self.sent):
            self.send()
        return self.sent[len(self.taken)] + self._timing.core_latency - 1

    def take(self, earliest: int) -> int:
        """The oldest result is taken, not before that clock; the clock in which it is."""
        before = self.taken[-1] + 1 if self.taken else 0
        self.taken.append(max(earliest, before, self.offered))
        return self.taken[-1]

    def drop(self, earliest: int, ends: int) -> None:
        """Key stream goes on being made until its end is seen in that clock, and is dropped, not before `earliest`."""
        while len(self.sent) - len(self.taken) < self._timing.cores and self.next <= ends:
            self.send()
        while len(self.taken) < len(self.sent):
            self.take(earliest)


class _Schedule:
    """The engine's state as far as clocks depend on it. `passage` is what it did until now."""

    def __init__(self, timing: AheadTiming) -> None:
        self._timing, self._cores = timing, _Cores(timing)
        self.passage = Passage([], [])
        self._message = PassingMessage((), encrypt=True, iv_in_stream=False, tag_bytes=0, opens=False, word_bytes=BLOCK)
        self._came, self._left, self._words = list[int](), list[int](), list[int]()
        # 0 goes to a core, whose result is H; meanwhile a command is taken.
        self._cores.send()
        self._begun, self._ended = 0, self._cores.take(0) + 1
        self._released, self._ends = 0, Ends(registers=timing.registers)
        self._now = self._free = 0
        self._holds = False

    @property
    def state(self) -> tuple[int, ...]:
        """All that the clocks of the next message depend on, from the end of the last one on."""
        cores = self._cores
        waiting = len(cores.sent) - len(cores.taken)
        last = max(0, len(cores.taken) - self._timing.cores)
        clocks = (cores.ready, self._begun, *self._ends.state, *cores.sent[last:], *cores.taken[last:])
        return (waiting, max(0, self._released - self._ended), *(clock - self._ended for clock in clocks))

    def message(self, message: PassingMessage) -> None:
        """A message passes; its command is taken when all blocks of the one before have gone and its text passes."""
        command = max(self._cores.ready, self._begun)
        self._cores.ready = command + 1
        self._begun = max(command + 1, self._ended)
        self._now, self._free = self._begun + 1, 0
        self._message, self._holds = message, self._timing.verified and not message.encrypt
        self._came, self._left, self._words = [], [], []
        self._beats()
        self.passage.offered.append(self._came)
        self.passage.left.append(self._left)

    def _take(self, beat: PassingBeat, clock: int) -> None:
        self._came.append(self._ends.take(beat, clock))
        self._now = clock + 1

    def _hash(self, earliest: int) -> int:
        """A block goes to GHASH, not before that clock; the clock in which it does."""
        at = max(earliest, self._free)
        self._free = at + self._timing.steps
        return at

    def _leave(self, first: int, words: int) -> int:
        """So many words leave from that clock on; the one in which they have left the engine. Text that waits leaves in
        a clock."""
        first = max(first, self._released)
        if self._holds:
            self._words.append(words)
            return first
        return self._ends.leave(first, words, self._left)

    def _beats(self) -> None:
        message, cores = self._message, self._cores
        seen = offered = 0
        for beat in message.beats:
            seen = offered = max(self._now, self._ends.offered(beat))
            if beat.section is Section.TAG:
                break
            if beat.section is Section.TEXT and beat.size:
                waits = max(offered, self._free) if message.encrypt else self._hash(offered) + 1
                made = cores.offered
                seen = max(offered, made - self._timing.core_latency + 2)
                last = self._leave(max(waits, made), message.words(beat.size))
                cores.take(last)
                if message.encrypt:
                    self._hash(last)
                self._take(beat, last)
            else:
                self._take(beat, self._hash(offered) if beat.size else offered)
        # Its end is seen: what there is too much of its key stream is dropped, and the mask comes.
        ends = self._now if message.encrypt else offered + 1
        if not message.told:
            cores.drop(ends, seen)
        masked = cores.take(ends)
        made = max(self._hash(ends) + self._timing.steps, masked) + 1
        if message.encrypt:
            self._ended = self._leave(made, message.words(message.tag_bytes))
        else:
            self._take(message.beats[-1], made)
            self._verdict(made + 1)

    def _verdict(self, at: int) -> None:
        """The verdict leaves in that clock, or is taken: then the first beat of text that waits leaves in the next."""
        held = self._words if self._message.opens else []
        self._holds = False
        if not held:
            self._ended = self._leave(at, 1)
            return
        self._ended = max(at, self._released)
        first = self._ended + 1
        for words in held:
            first = self._ends.leave(first, words, self._left) + 1
        self._released = first


def gcm_ahead_clocks(timing: AheadTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave."""
    schedule = _Schedule(timing)
    for message in messages:
        schedule.message(message)
    return schedule.passage


@lru_cache(maxsize=1024)
def mean_ahead(timing: AheadTiming, message: PassingMessage) -> float:
    """Clocks from message to message of equal ones, as a mean: of those from a state of the engine until it comes
    again."""
    schedule, seen = _Schedule(timing), dict[tuple[int, ...], tuple[int, int]]()
    number = end = 0
    while (state := schedule.state) not in seen:
        seen[state] = number, end
        schedule.message(message)
        number, end = number + 1, schedule.passage.left[-1][-1]
    number_then, end_then = seen[state]
    return (end - end_then) / (number - number_then)
