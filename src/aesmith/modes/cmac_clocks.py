"""In which clocks messages go through a CMAC engine: a recurrence over blocks at its core (`aesmith.modes.clocks`).

    words ─▶ beat ─▶ core ─▶ tag ─▶ words

To make a tag a block goes when its beat is there, to compare one when the beat behind it is offered, for it may be the
last. A verdict leaves with the beat of the tag. Names are those of `aesmith_cmac_engine`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.modes.clocks import NEVER, Answers, Front, Part, Passage, PassingMessage, run
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class CmacTiming:
    """What of a CMAC engine its clocks depend on: clocks from one block at its core to the next, the core's latency,
    whether a block goes with the result before it, how many words it goes in, after how many clocks the core takes one
    that is late, and by how many it takes the words of one early that is not."""

    core_cycles: int
    core_latency: int
    overlaps: bool
    core_words: int
    late_cycles: int
    early_cycles: int


class _Cmac:
    """The parts; when the result of the last block comes, when a tag before it has left, and from when on the next one
    may go."""

    def __init__(self, timing: CmacTiming, messages: Sequence[PassingMessage]) -> None:
        self.timing, self.messages = timing, messages
        self.front, self.answers = Front(messages, 1), Answers(messages)
        self.result = self.shown = self.free = NEVER

    def _call(self, earliest: int) -> int:
        """The next block goes, offered from this clock on; the clock in which its last word does."""
        timing = self.timing
        early = timing.early_cycles * (earliest <= self.result)
        sent = max(earliest, self.free)
        # A result waits until the tag before it has left.
        self.result = max(sent + timing.core_latency - 1, self.shown)
        self.free = max(sent + timing.core_cycles, self.result + (not timing.overlaps))
        return sent - early + timing.core_words - 1

    def calls(self) -> Part:
        """The blocks of all messages, and what comes of them."""
        timing, front, number = self.timing, self.front, 0
        before = NEVER
        for at, message in enumerate(self.messages):
            command = (yield front.commands, at) + 1
            for place, beat in enumerate(message.beats):
                entered = yield front.entered, number
                there = max(entered + 1, command, before + 1)
                if beat.section is not Section.TAG:
                    if not message.encrypt:
                        there = max(there, entered + message.beats[place + 1].clocks) + 1
                    before = self._call(there)
                else:
                    if place == 0:
                        self._call(there)
                    before = self.answers.leave(at, max(there, self.result + 1), 1)
                    self.free = max(self.free, self.result + 1 - timing.core_latency + timing.late_cycles)
                front.looked.append(before)
                number += 1
            if message.encrypt:
                tag = self.answers.leave(at, self.result + 1, message.words(message.tag_bytes))
                self.shown = tag + 1


def cmac_clocks(timing: CmacTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages of whole blocks come and leave."""
    cmac = _Cmac(timing, messages)
    run([cmac.front.words(), cmac.front.told(), cmac.calls()])
    return Passage(cmac.front.offered, cmac.answers.clocks)
