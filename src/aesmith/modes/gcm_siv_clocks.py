"""In which clocks messages go through an engine of GCM-SIV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.modes.clocks import PassingBeat, PassingMessage
from aesmith.modes.held_text_clocks import CoreTiming, HashSchedule, Schedule
from aesmith.modes.message import BLOCK
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class GcmSivTiming(CoreTiming):
    """Also the calls that make the keys of a message, and clocks of a multiplication of GHASH."""

    derived: int
    steps: int

    def schedule(self) -> Schedule:
        """The schedule of an engine after reset."""
        return _GcmSivSchedule(self)

    @property
    def each(self) -> int:
        """Clocks of a block in the slowest part, at most."""
        return max(self.core_cycles, self.core_latency, self.steps + 1) + 1


class _GcmSivSchedule(HashSchedule):
    """Also the calls that make keys."""

    def __init__(self, timing: GcmSivTiming) -> None:
        super().__init__(timing, timing.steps)
        self._derived = timing.derived

    def _tag(self) -> int:
        """Lengths are hashed, and the tag is made; the clock of its result."""
        self._hash(self._now)
        return self._call(self._hashed)

    def keys(self) -> int:
        """The core derives the keys of the message."""
        self._now += 1
        self._key()
        for _ in range(self._derived):
            self._now = self._call(self._now) + 1
        self._key()
        self._hashed = self._now
        return self._now

    def _load(self, message: PassingMessage) -> list[int]:
        came = list[int]()
        for beat in message.beats:
            came.append(self._taken + beat.clocks)
            at = max(self._now, came[-1])
            hashed = beat.section is Section.HEADER or (beat.section is Section.TEXT and message.encrypt)
            self._taken = self._hash(at) if hashed and beat.size else at
            self._now = self._taken + 1
        return came

    def _sealed(self, message: PassingMessage, texts: Sequence[PassingBeat]) -> list[int]:
        self._now = self._tag() + 1
        left = self._counted(message, texts)
        return [*left, *range(self._now, self._now + message.words(BLOCK))]

    def _opened(self, texts: Sequence[PassingBeat]) -> int:
        for _ in texts:
            self._now = self._hash(self._call(self._now)) + 1
        return self._tag() + 2
