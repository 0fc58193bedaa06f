"""Which messages an engine has to answer between clears, and under which keys, while their senders go on.

A message has begun when its command or its first word was taken. Those that have when a clear comes are dropped,
however much of them comes later. Messages behind them are under keys that came behind the clear, or under none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from aesmith.assurance.streams.channels import ClearAt, Offer, Transfer
from aesmith.errors import CheckError
from aesmith.modes.engine import COMMAND, INPUT, StreamEngine, key_of
from aesmith.modes.traffic import Keyed

NEVER = 1 << 62
"""A clock behind all others."""


@dataclass(frozen=True)
class Stretch:
    """The clocks behind one clear and before the clock `end`, that of the next one, and what began in them: each
    message with the last key that its slot, slot 0 if there is none, took there before its command."""

    end: int
    sent: Sequence[Keyed]


def stretches(
    engine: StreamEngine,
    sent: Sequence[Keyed],
    keys: Sequence[Offer],
    made: Mapping[str, Sequence[Transfer]],
    clears: Sequence[ClearAt],
) -> Iterator[Stretch]:
    """What began before, between and behind clears, in order of clocks; `keys` are those that were offered.

    Raises CheckError for a transfer to the engine in a clock of a clear.
    """
    cuts = [range(each.clock, each.clock + each.clocks) for each in clears]
    for name in ("key", COMMAND, INPUT):
        if taken := [each.clock for each in made[name] if any(each.clock in cut for cut in cuts)]:
            raise CheckError(f"clock {taken[0]}: {name} is taken in a clear")
    counts = list(accumulate((len(message.beats) for _, message in sent), initial=0))
    firsts = [made[INPUT][place].clock for place in counts[:-1]]
    commands = [transfer.clock for transfer in made[COMMAND]]
    begun = start = 0
    for cut in (*cuts, range(NEVER, NEVER)):
        under = list[Keyed]()
        now = max(begun, bisect_left(firsts, cut.start), bisect_left(commands, cut.start))
        for number in range(begun, now):
            message, kept = sent[number][1], None
            own = message.command.slot if message.command.slot < engine.key_slots else 0
            for key, transfer in zip(keys, made["key"], strict=True):
                offered, slot = key_of(key.payloads, key_bits=engine.key_bits, key_slots=engine.key_slots)
                if slot == own and start <= transfer.clock <= commands[number]:
                    kept = offered
            under.append((kept, message))
        yield Stretch(cut.start, under)
        begun, start = now, cut.stop
