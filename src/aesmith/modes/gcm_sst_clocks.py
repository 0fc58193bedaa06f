"""In which clocks messages go through an engine of GCM-SST."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.modes.clocks import PassingBeat, PassingMessage
from aesmith.modes.held_text_clocks import CoreTiming, HashSchedule, Schedule
from aesmith.modes.stream import Section


@dataclass(frozen=True)
class GcmSstTiming(CoreTiming):
    """Also clocks of a multiplication of GHASH."""

    steps: int

    def schedule(self) -> Schedule:
        """The schedule of an engine after reset."""
        return _GcmSstSchedule(self, self.steps)

    @property
    def each(self) -> int:
        """Clocks of a block in the slowest part, at most."""
        return max(self.core_cycles, self.core_latency, self.steps + 1) + 1


class _GcmSstSchedule(HashSchedule):
    """Also the clocks in which text leaves while it comes."""

    def __init__(self, timing: GcmSstTiming, steps: int) -> None:
        super().__init__(timing, steps)
        self._left = list[int]()

    def keys(self) -> int:
        """The first hash key is made."""
        self._now = self._call(self._now + 1) + 1
        self._hashed = self._now
        return self._now

    def _load(self, message: PassingMessage) -> list[int]:
        came, self._left = list[int](), []
        for beat in message.beats:
            came.append(self._taken + beat.clocks)
            at = max(self._now, came[-1])
            if beat.section is Section.TEXT and beat.size:
                at = max(self._call(at), self._hashed)
                if message.encrypt:
                    self._left += range(at, at + message.words(beat.size))
                    at = self._left[-1]
            self._taken = self._hash(at) if beat.section < Section.TAG and beat.size else at
            self._now = self._taken + 1
        return came

    def _tag(self) -> int:
        """Lengths are hashed under the second key, and the tag is made; the clock in which it is."""
        self._now = max(self._call(self._now), self._hashed) + 1
        self._hash(self._now)
        return max(self._call(self._now + 1), self._hashed)

    def _sealed(self, message: PassingMessage, texts: Sequence[PassingBeat]) -> list[int]:  # noqa: ARG002
        leaves = self._tag() + 1
        return [*self._left, *range(leaves, leaves + message.words(message.tag_bytes))]

    def _opened(self, texts: Sequence[PassingBeat]) -> int:  # noqa: ARG002
        return self._tag() + 2
