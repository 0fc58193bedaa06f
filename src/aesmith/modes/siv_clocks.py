"""In which clocks messages go through an engine of AES-SIV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.modes.clocks import PassingBeat, PassingMessage
from aesmith.modes.held_text_clocks import CoreTiming, Schedule
from aesmith.modes.message import BLOCK
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class SivTiming(CoreTiming):
    """The clocks of an engine of AES-SIV depend on its core alone."""

    def schedule(self) -> Schedule:
        """The schedule of an engine after reset."""
        return _SivSchedule(self)

    @property
    def each(self) -> int:
        """Clocks of a block in each of its two calls, at most."""
        return 2 * (max(self.core_cycles, self.core_latency) + 1)


class _SivSchedule(Schedule):
    """Also the clock from which on S is free for another block of header."""

    def __init__(self, timing: SivTiming) -> None:
        super().__init__(timing)
        self._chained = 0

    def keys(self) -> int:
        """The core takes K1 and makes L; the CMAC of a block of zeros is under way while beats come."""
        self._now += 1
        self._key()
        self._now = self._call(self._now) + 1
        self._chained = self._call(self._now) + 1
        return self._now

    def _load(self, message: PassingMessage) -> list[int]:
        came, waiting = list[int](), False
        for beat in message.beats:
            came.append(self._taken + beat.clocks)
            at = max(self._now, came[-1])
            if waiting:  # a whole block of header, until the beat after it is seen
                self._chained, waiting = self._call(at) + 1, False
            if beat.section < Section.TEXT:
                at = max(at, self._chained)
                if beat.size < BLOCK or beat.last:
                    self._chained = self._call(at + 1) + 1
                else:
                    waiting = True
            self._taken = at
            self._now = at + 1
        return came

    def _cmac(self, texts: Sequence[PassingBeat]) -> int:
        """The text is hashed; the clock of the tag."""
        self._now += 1  # the first block is read
        for _ in texts[1:]:
            self._now = self._call(self._now) + 1
        return self._call(self._now)

    def _turned(self, texts: Sequence[PassingBeat]) -> None:
        """D turns by the bytes of a last part of a block, when it is known."""
        size = sum(beat.size for beat in texts)
        self._now = max(self._now, self._chained) + (size % BLOCK if size > BLOCK else 0) + 1

    def _sealed(self, message: PassingMessage, texts: Sequence[PassingBeat]) -> list[int]:
        self._turned(texts)
        self._now = self._cmac(texts) + 1
        if texts:
            self._key()
        left = self._counted(message, texts)
        return [*left, *range(self._now, self._now + message.words(BLOCK))]

    def _opened(self, texts: Sequence[PassingBeat]) -> int:
        self._turned(texts)
        if texts:
            self._key()
            for _ in texts:
                self._now = self._call(self._now) + 1
            self._key()
        return self._cmac(texts) + 2
