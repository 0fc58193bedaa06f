"""In which clocks messages go through engines whose blocks go to cores in turn while their text waits in a ring: CTR,
CBC, CFB, OFB and XTS, as a recurrence over beats (`aesmith.modes.clocks`).

    words ─▶ beat ─▶ text register of XTS ─▶ cores in turn ─▶ ring ─▶ words

A block goes when its beat and its command are there, the ring has a place for it, the core whose turn it is can take
it and, in a chain, the result of the one before it is known. Names are those of `aesmith_text_ring`,
`aesmith_core_turns` and `aesmith_tweak_maker`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.modes.clocks import NEVER, Answers, Front, Part, Passage, PassingMessage, run


@dataclass(frozen=True)
class TurnTiming:
    """What of such an engine its clocks depend on: clocks per block and latency of its cores, and how many take turns;
    places for beats and commands that are taken ahead, and in the ring; clocks that a block waits behind the one before
    it in its message, and blocks of a beat; of XTS the clocks from a tweak's command to its block, else 0."""

    core_cycles: int
    core_latency: int
    cores: int
    queue: int
    places: int
    waits: int = 0
    calls: int = 1
    tweak_cycles: int = 0


class _Turns:
    """The parts, and the clocks that they have told: of each block when it went to a core; of each beat when its answer
    could leave, and did; of XTS when messages took their tweak."""

    def __init__(self, timing: TurnTiming, messages: Sequence[PassingMessage]) -> None:
        self.timing, self.messages = timing, messages
        self.front, self.answers = Front(messages, timing.queue), Answers(messages)
        self.sent, self.open, self.left = list[int](), list[int](), list[int]()
        self.shown: list[tuple[int, int]] = []
        self.begun = list[int]()

    def parts(self) -> list[Part]:
        """All of them."""
        if self.timing.tweak_cycles:
            return [self.front.words(), self.told(), self.held(), self.reads()]
        return [self.front.words(), self.front.told(), self.calls(), self.reads()]

    def _send(self, earliest: int) -> int:
        """The clock in which the next block, offered from this one on, goes to the core whose turn it is."""
        clock = max(earliest, self.sent[-1] + 1) if self.sent else earliest
        if len(self.sent) >= self.timing.cores:
            clock = max(clock, self.sent[-self.timing.cores] + self.timing.core_cycles)
        self.sent.append(clock)
        return clock

    def _put(self, clock: int, at: int, size: int) -> None:
        """A beat of so many bytes whose block went in that clock; one without bytes waits for none."""
        self.open.append(clock + self.timing.core_latency - 1 if size else clock)
        self.shown.append((at, self.messages[at].words(size)))

    def _room(self) -> tuple[list[int], int]:
        """The beat that must have left before one more is put."""
        return self.left, len(self.open) - self.timing.places

    def calls(self) -> Part:
        """The blocks of all beats; a beat leaves its queue with the last of them."""
        number, before = 0, NEVER
        for at, message in enumerate(self.messages):
            command, chained = (yield self.front.commands, at) + 1, NEVER
            for beat in message.beats:
                clock = max((yield self.front.entered, number) + 1, command, before + 1, (yield self._room()) + 1)
                for _ in range(self.timing.calls if beat.size else 0):
                    clock = self._send(max(clock, chained))
                    chained = clock + self.timing.waits
                self._put(clock, at, beat.size)
                self.front.looked.append(clock)
                number, before = number + 1, clock

    def told(self) -> Part:
        """The commands that come: one when the tweak before it was taken, for its own has the place of that."""
        before = 0
        for number in range(len(self.messages)):
            earlier = number - self.front.places
            left = yield self.front.looked, self.front.ends[earlier] if earlier >= 0 else -1
            before = max(before + 1, left + 1, (yield self.begun, number - 1) + 1)
            self.front.commands.append(before)

    def held(self) -> Part:
        """The blocks of XTS: each waits in the text register for the beat behind it, if there is one."""
        number, entered = 0, NEVER
        for at, message in enumerate(self.messages):
            told = yield self.front.commands, at
            for place, beat in enumerate(message.beats):
                clock = max((yield self.front.entered, number) + 1, told + 1, entered + 1)
                if self.sent:
                    clock = max(clock, self.sent[-1])
                if place == 0:
                    clock = max(clock, told + self.timing.tweak_cycles - 1)
                    self.begun.append(clock)
                entered = clock
                self.front.looked.append(clock)
                goes = max(clock + 1, (yield self._room()) + 1)
                if not beat.last:
                    goes = max(goes, (yield self.front.entered, number + 1) + 1)
                self._put(self._send(goes), at, beat.size)
                number += 1

    def reads(self) -> Part:
        """What leaves the ring."""
        before = NEVER
        for place in range(sum(len(message.beats) for message in self.messages)):
            clock = max((yield self.open, place) + 1, before + 1)
            before = self.answers.leave(self.shown[place][0], clock, self.shown[place][1])
            self.left.append(before)


def turn_clocks(timing: TurnTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages of whole blocks come and leave."""
    turns = _Turns(timing, messages)
    run(turns.parts())
    return Passage(turns.front.offered, turns.answers.clocks)
