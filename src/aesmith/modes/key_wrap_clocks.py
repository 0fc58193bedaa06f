"""In which clocks messages go through an engine of key wrap: one after the other, in a schedule without choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from aesmith.modes.clocks import NEVER, Passage, PassingMessage
from aesmith.modes.key_wrap import SEMIBLOCK, STEPS
from aesmith.modes.message import BLOCK

LOOKS = 2
"""The clock in which the first beat of all is looked at: a key and a command were taken before it."""


@dataclass(frozen=True)
class CallTiming:
    """Clocks of a core in one direction: a block, the first block of all, any later one. A block that is offered behind
    the result before it goes at once or, with `late` clocks, in steps of so many, of which it waits for one at least.
    """

    block: int
    first: int
    later: int
    late: int = 0

    def goes(self, earliest: int, free: int) -> int:
        """When a later block goes that is offered in that clock, to a core that could take one in time in another."""
        if not self.late:
            return max(earliest, free)
        return free + self.late * max(1, -(-(earliest - free) // self.late))


@dataclass(frozen=True)
class KeyWrapTiming:
    """What of an engine its clocks depend on: those of its core, to encrypt and to decrypt."""

    encryption: CallTiming
    decryption: CallTiming


def key_wrap_clocks(timing: KeyWrapTiming, messages: Sequence[PassingMessage]) -> Passage:
    """The clocks in which messages come and leave, one after the other (`aesmith.modes.clocks`).

    States are those of `aesmith_key_wrap_engine`: after the command one clock per semiblock that is kept, one to
    begin, the calls of the core, each a clock after the result before it, then one, or three to unwrap, and two per
    beat that leaves, the last of which takes one.
    """
    passage, taken, free, now = Passage([], []), -1, NEVER, 1
    for message in messages:
        calls = timing.encryption if message.encrypt else timing.decryption
        now, came, left = now + 1, list[int](), list[int]()
        for number, beat in enumerate(message.beats):
            came.append(taken + beat.clocks)
            halves = -(-beat.size // SEMIBLOCK) - (number == 0 and not message.encrypt)
            taken = max(now, taken + beat.clocks) + max(0, halves - 1)
            now = taken + 1
        size = sum(beat.size for beat in message.beats)
        semiblocks = -(-size // SEMIBLOCK) - (not message.encrypt)
        result = taken + 1
        for _ in range(STEPS * semiblocks if semiblocks > 1 else 1):
            first = free == NEVER
            issued = result + 1 if first else calls.goes(result + 1, free)
            free, result = issued + calls.block, issued + (calls.first if first else calls.later) - 1
        if not message.encrypt and not message.opens:
            left.append(result + 3)
        else:
            leaves = result + (2 if message.encrypt else 4)
            for at in range(0, SEMIBLOCK * (semiblocks + message.encrypt), BLOCK):
                words = message.words(min(BLOCK, SEMIBLOCK * (semiblocks + message.encrypt) - at))
                left += range(leaves, leaves + words)
                leaves += words + 1
        now = left[-1] + 1
        passage.offered.append(came)
        passage.left.append(left)
    return passage


@cache
def clocks_apart(timing: KeyWrapTiming, message: PassingMessage) -> int:
    """Clocks from message to message of equal ones."""
    *_, before, after = key_wrap_clocks(timing, [message] * 3).left
    return after[-1] - before[-1]
