"""In which clocks messages go through a CCM engine: a recurrence over the blocks at its core (`aesmith.modes.clocks`).

    words ─▶ beat ─▶ B0, header, A_i and text, A_0 ─▶ core ─▶ release buffer ─▶ words

One block is under way at a time, and is sent when the result of the one before it has come and its beat is there. Text
is put into the buffer when its stream has come, and the block behind that is not sent before there was room. Names are
those of `aesmith_ccm_engine`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.modes.clocks import NEVER, Answers, Front, Part, Passage, PassingBeat, PassingMessage, run
from aesmith.modes.message import BLOCK
from aesmith.modes.stream import Section

LENGTH = 2
"""Bytes in which the length of a header stands before it."""


@dataclass(frozen=True)
class CcmTiming:
    """What of a CCM engine its clocks depend on: of its core the clocks from block to block and the latency, and the
    words that a block goes in; places in the buffer."""

    call_cycles: int
    core_latency: int
    core_words: int
    places: int


class _Ccm:
    """The parts, and the clocks that they have told: of each beat that leaves the buffer when it was put, and left."""

    def __init__(self, timing: CcmTiming, messages: Sequence[PassingMessage]) -> None:
        self.timing, self.messages = timing, messages
        self.front, self.answers = Front(messages, 1), Answers(messages)
        self.open, self.left = list[int](), list[int]()
        self.shown: list[tuple[int, int]] = []
        # When the last block went to the core and its result had come, and when the last tag was put.
        self.sent = self.idle = self.tag = NEVER

    def _call(self, earliest: int) -> int:
        """The clock in which the next block, offered from this one on, goes to the core, or its first word does."""
        timing = self.timing
        self.sent = max(earliest, self.idle, self.sent + timing.call_cycles)
        # A result waits until the tag before it was put.
        self.idle = max(self.sent + timing.core_latency, self.tag + 2)
        return self.sent

    def _put(self, clock: int, message: int, words: int) -> None:
        """A beat of so many words that may leave behind this clock."""
        self.open.append(clock)
        self.shown.append((message, words))

    def calls(self) -> Part:
        """The blocks of all messages, and what comes of them."""
        before, number = NEVER, 0
        for at, message in enumerate(self.messages):
            command = (yield self.front.commands, at) + 1
            headers = sum(beat.section is Section.HEADER and beat.size > 0 for beat in message.beats)
            held: list[PassingBeat] = []
            for place, beat in enumerate(message.beats):
                there = max((yield self.front.entered, number) + 1, command, before + 1)
                if place == 0:
                    self._call(there)  # B0
                if place < headers:
                    before = self._call(there)
                    if place == headers - 1 and beat.size > BLOCK - LENGTH:
                        before = self._call(there)
                elif beat.section is Section.TEXT and beat.size:
                    self._call(there)  # A_i
                    put = max(self.idle, (yield self._room(len(held))) + 1)
                    if message.encrypt:
                        self._put(put, at, message.words(beat.size))
                    else:
                        held.append(beat)
                    before = self._call(put)
                if beat.last:
                    before = self._call(there)  # A_0
                before += self.timing.core_words - 1
                if beat.last:
                    put = max(self.idle, (yield self._room(0)) + 1)
                    if message.encrypt:
                        self.tag = put
                        self._put(put, at, message.words(message.tag_bytes))
                    else:
                        before = put
                        for size in [text.size for text in held if message.opens] or [0]:
                            self._put(put, at, message.words(size))
                self.front.looked.append(before)
                number += 1

    def _room(self, held: int) -> tuple[list[int], int]:
        """The beat that must have left before one more is put behind so many that are held."""
        return self.left, len(self.open) + held - self.timing.places

    def reads(self) -> Part:
        """What leaves the buffer."""
        before = NEVER
        for place in range(sum(map(self._answered, self.messages))):
            clock = max((yield self.open, place) + 1, before + 1)
            message, words = self.shown[place]
            before = self.answers.leave(message, clock, words)
            self.left.append(before)

    @staticmethod
    def _answered(message: PassingMessage) -> int:
        """Beats of its answer."""
        texts = sum(beat.section is Section.TEXT and beat.size > 0 for beat in message.beats)
        return texts + 1 if message.encrypt else max(1, texts * message.opens)


def ccm_clocks(timing: CcmTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave."""
    ccm = _Ccm(timing, messages)
    run([ccm.front.words(), ccm.front.told(), ccm.calls(), ccm.reads()])
    return Passage(ccm.front.offered, ccm.answers.clocks)
