"""The rules of the block interface, and what a core has to answer: a scoreboard that hears every clock.

A key is accepted with its last beat. A block belongs to the key that was accepted last before the clock of its first
beat: a key accepted in that same clock comes too late for it. Results come in the order in which blocks were accepted.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from aesmith.assurance.plan import CoreFacts
from aesmith.reference.golden import decrypt, encrypt


class RuleError(Exception):
    """The core broke a rule; the text says which, where and how."""


@dataclass
class Flight:
    """A block on its way. `taken` is the clock of its first beat, `offered` the one in which its result is complete."""

    key: bytes
    key_clock: int
    block: bytes
    decrypting: bool
    taken: int
    expected: bytes
    offered: int = -1

    def __str__(self) -> str:
        verb = "decrypting" if self.decrypting else "encrypting"
        return f"{verb} block {self.block.hex()} (taken in clock {self.taken}) under key {self.key.hex()}"


def golden(key: bytes, block: bytes, decrypting: bool) -> bytes:
    """The right result of one block."""
    return decrypt(key, block) if decrypting else encrypt(key, block)


def _joined(beats: list[int], width: int) -> bytes:
    """The bytes of words of `width` bits, the first word's highest first."""
    return b"".join(beat.to_bytes(width // 8, "big") for beat in beats)


class Monitor:
    """Hears the transfers of each clock, in the order `result_*`, `block_taken`, `key_taken`; raises RuleError.

    The order within a clock matters: a result cannot belong to a block that is accepted in the same clock, and
    a block not to a key accepted in the same clock.
    """

    def __init__(self, facts: CoreFacts) -> None:
        self._facts = facts
        self._width = facts.block_width
        self._valid, self._ready, self._result = (
            facts.names[f"result.{what}"] for what in ("valid", "ready", "result")
        )
        self.reset()

    def reset(self) -> None:
        """Forget everything: blocks in flight and keys are lost in a reset."""
        self.in_flight: deque[Flight] = deque()
        self.finished: list[Flight] = []
        self.keys: list[tuple[int, bytes]] = []
        self.stalled: int | None = None
        self._key_beats: list[int] = []
        self._block_beats: list[int] = []
        self._result_beats: list[int] = []
        self._opening: tuple[int, int, bytes, bool] | None = None

    def key_taken(self, clock: int, payload: int) -> None:
        """A beat of the key channel was transferred."""
        self._key_beats.append(payload)
        if len(self._key_beats) == self._facts.key_beats:
            self.keys.append((clock, _joined(self._key_beats, self._facts.key_width)))
            self._key_beats = []

    def block_taken(self, clock: int, payload: int, decrypting: bool) -> None:
        """A beat of the input block channel was transferred."""
        if self._opening is None:
            if not self.keys:
                ready = self._facts.names["block.ready"]
                raise RuleError(f"a block was taken before any key: {ready} must stay low until there is a key")
            key_clock, key = self.keys[-1]
            self._opening = (clock, key_clock, key, decrypting)
        self._block_beats.append(payload)
        if len(self._block_beats) == self._facts.block_beats:
            taken, key_clock, key, decrypting = self._opening
            block = _joined(self._block_beats, self._width)
            expected = golden(key, block, decrypting)
            self.in_flight.append(Flight(key, key_clock, block, decrypting, taken, expected))
            self._block_beats, self._opening = [], None

    def no_result(self) -> None:
        """The core offers nothing in this clock."""
        if self.stalled is not None:
            raise RuleError(
                f"{self._valid} fell although {self._result} = {self._hex(self.stalled)} was not taken yet: "
                f"it must stay high until {self._ready}"
            )

    def result(self, clock: int, payload: int, taken: bool) -> None:
        """The core offers a beat of a result; `taken` if it is transferred in this clock."""
        if self.stalled is not None:
            if payload != self.stalled:
                raise RuleError(
                    f"{self._result} changed from {self._hex(self.stalled)} to {self._hex(payload)} while it was "
                    f"stalled: it must be stable until {self._ready}"
                )
        else:
            self._offer(clock, payload)
        if not taken:
            self.stalled = payload
            return
        self.stalled = None
        if len(self._result_beats) == self._facts.block_beats:
            self._result_beats = []
            self.finished.append(self.in_flight.popleft())

    def _offer(self, clock: int, payload: int) -> None:
        if not self.in_flight:
            message = f"a result {self._hex(payload)} was offered with no block in flight"
            if self.finished and _joined([payload], self._width) == self.finished[-1].expected:
                message += "; it is the result of the block before, once more"
            raise RuleError(message)
        self._result_beats.append(payload)
        if len(self._result_beats) == self._facts.block_beats:
            flight = self.in_flight[0]
            flight.offered = clock
            got = _joined(self._result_beats, self._width)
            if got != flight.expected:
                raise RuleError(f"{flight}: expected {flight.expected.hex()}, got {got.hex()}; {self._why(got)}")

    def _why(self, got: bytes) -> str:
        flight = self.in_flight[0]
        for clock, key in reversed(self.keys):
            if key != flight.key and golden(key, flight.block, flight.decrypting) == got:
                when = "before the block's own key" if clock < flight.key_clock else "too late: after the block"
                if clock == flight.taken:
                    when = "too late: in the same clock as the block, accepted after the block by the rule"
                elif clock > flight.taken:
                    when = "accepted after the block"
                return f"that is the result under key {key.hex()} of clock {clock}, {when}"
        if golden(flight.key, flight.block, not flight.decrypting) == got:
            return "that is the result of the other direction"
        if self.finished and self.finished[-1].expected == got:
            return "that is the result of the block before, once more"
        for number, later in enumerate(list(self.in_flight)[1:], 1):
            if later.expected == got:
                return f"that is the result of block {number} after it: blocks were lost or changed places"
        difference = int.from_bytes(got, "big") ^ int.from_bytes(flight.expected, "big")
        return f"{difference.bit_count()} of 128 bits differ"

    def _hex(self, payload: int) -> str:
        return f"{payload:0{self._width // 4}x}"
