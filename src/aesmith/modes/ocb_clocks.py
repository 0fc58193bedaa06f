"""In which clocks messages go through an OCB3 engine: a recurrence over blocks at its cores (`aesmith.modes.clocks`).

    words ─▶ beat ──▶ header, text, tag ─┬─▶ cores in turn ─▶ release buffer ─▶ words
    command ─▶ nonce ────────────────────┘

Of a nonce and a block of a message the one goes first that was offered first, the nonce if both were. A block goes when
the engine has a place for it, which is free again when its result has left, or has come if nothing of it leaves. Names
are those of `aesmith_ocb_engine`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from aesmith.modes.clocks import NEVER, Answers, Front, Part, Passage, PassingBeat, PassingMessage, run
from aesmith.modes.message import BLOCK
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class OcbTiming:
    """What of an OCB3 engine its clocks depend on: clocks per block and latency of its cores, how many, and the clocks
    by which one takes a block of another direction later; places; when text leaves."""

    core_cycles: int
    core_latency: int
    cores: int
    turn_cycles: int
    places: int
    verified: bool


class _Ocb:
    """The parts, and the clocks that they have told: of each message when its Δ_0 was taken; of each beat that leaves
    the buffer when it could, and did."""

    def __init__(self, timing: OcbTiming, messages: Sequence[PassingMessage]) -> None:
        self.timing, self.messages = timing, messages
        self.front, self.answers = Front(messages, 2), Answers(messages)
        self.taken, self.open, self.left = list[int](), list[int](), list[int]()
        self.shown: list[tuple[int, int]] = []
        # Blocks that went to the cores, and whether they were decrypted; when the Δ_0 of messages were known.
        self.went: list[tuple[int, bool]] = []
        self.known = list[int]()
        # Of blocks of messages: how many, when the last result came, and when places were free that are so again.
        self.blocks, self.came = 0, NEVER
        self.free, self.freed = list[int](), 0

    def told(self) -> Part:
        """The commands that come: one when the Δ_0 before it was taken, for its nonce has the place of that."""
        before = 0
        for number in range(len(self.messages)):
            earlier = number - self.front.places
            left = yield self.front.looked, self.front.ends[earlier] if earlier >= 0 else -1
            before = max(before + 1, left + 1, (yield self.taken, number - 1) + 1)
            self.front.commands.append(before)

    def _goes(self, earliest: int, *, inverse: bool = False) -> int:
        """The clock in which the next block, offered from this one on, goes to the core whose turn it is."""
        timing, clock = self.timing, earliest
        if self.went:
            clock = max(clock, self.went[-1][0] + 1)
        if len(self.went) >= timing.cores:
            before, other = self.went[-timing.cores]
            clock = max(clock, before + timing.core_cycles) + timing.turn_cycles * (inverse is not other)
        self.went.append((clock, inverse))
        return clock

    def _room(self) -> Generator[tuple[Sequence[int], int], int, int]:
        """The clock in which a place is free for the next block: what leaves behind it frees none before."""
        if self.blocks < self.timing.places:
            return NEVER
        yield self.left, len(self.open) - 1
        for clock in self.left[self.freed :]:
            heappush(self.free, clock)
        self.freed = len(self.left)
        return heappop(self.free) + 1

    def calls(self) -> Part:
        """The blocks of all messages, and their nonces."""
        latency, number = self.timing.core_latency, 0
        clock, star = NEVER, self._goes(1) + latency
        for at, message in enumerate(self.messages):
            command = (yield self.front.commands, at) + 1
            held: list[PassingBeat] = []
            for beat in message.beats:
                there = max((yield self.front.entered, number) + 1, command, star)
                of_beat = [beat] * (beat.size > 0 and beat.section is not Section.TAG)
                for block in [*of_beat, *[None] * beat.last]:
                    ready = max(there, clock + 1, (yield from self._room()))
                    if block is None and not message.encrypt:
                        ready = max(ready, self.came + 1)
                    opens = len(self.taken) == at and (block is None or block.section is Section.TEXT)
                    nonce = len(self.known)
                    if nonce < len(self.messages) and len(self.taken) >= nonce:
                        offered = (yield self.front.commands, nonce) + 1
                        if offered <= ready or opens:
                            self.known.append(self._goes(offered) + latency)
                    if opens:
                        ready = max(ready, self.known[at])
                    inverse = block is not None and block.section is Section.TEXT and not message.encrypt
                    clock = self._goes(ready, inverse=inverse and beat.size == BLOCK)
                    if opens:
                        self.taken.append(clock)
                    self._comes(clock + latency - 1, at, block, held)
                self.front.looked.append(clock)
                number += 1

    def _comes(self, clock: int, at: int, block: PassingBeat | None, held: list[PassingBeat]) -> None:
        """What becomes of a result, which comes in this clock: of header, text, or the tag; text to decrypt is held."""
        message, verified = self.messages[at], self.timing.verified
        self.blocks, self.came = self.blocks + 1, clock
        text = block is not None and block.section is Section.TEXT
        if message.encrypt and (block is None or text):
            self._put(clock, at, message.tag_bytes if block is None else block.size)
        elif block is not None and text:
            if held and not verified:
                self._put(clock, at, held.pop().size)
            held.append(block)
        elif block is not None or (held and (message.opens or not verified)):
            heappush(self.free, clock)
            if block is None:
                for beat in held:
                    self._put(clock, at, beat.size)
        else:
            for _ in held:
                heappush(self.free, clock)
            self._put(clock, at, 0)

    def _put(self, clock: int, message: int, size: int) -> None:
        """A beat of so many bytes that may leave behind this clock."""
        self.open.append(clock)
        self.shown.append((message, self.messages[message].words(size)))

    def reads(self) -> Part:
        """What leaves the buffer."""
        before = NEVER
        for place in range(sum(map(self._answered, self.messages))):
            clock = max((yield self.open, place) + 1, before + 1)
            before = self.answers.leave(self.shown[place][0], clock, self.shown[place][1])
            self.left.append(before)

    def _answered(self, message: PassingMessage) -> int:
        """Beats of its answer."""
        texts = sum(beat.section is Section.TEXT and beat.size > 0 for beat in message.beats)
        return texts + 1 if message.encrypt else max(1, texts * (message.opens or not self.timing.verified))


def ocb_clocks(timing: OcbTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave."""
    ocb = _Ocb(timing, messages)
    run([ocb.front.words(), ocb.told(), ocb.calls(), ocb.reads()])
    return Passage(ocb.front.offered, ocb.answers.clocks)
