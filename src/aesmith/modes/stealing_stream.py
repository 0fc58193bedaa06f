"""What an engine of CBC with ciphertext stealing answers, as a model, and messages to try it with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from aesmith.modes.chained import CBC, CBC_CS1, CBC_CS2, CBC_CS3
from aesmith.modes.message import BLOCK, Cipher, Fault, Message, ModeOfOperation
from aesmith.modes.stream import (
    UNKNOWN,
    Beat,
    MessageRules,
    Section,
    StreamedMessage,
    before_fault,
    ended,
    streamed,
    text_beats,
)
from aesmith.modes.traffic import CTR_TRAFFIC, Traffic, mixed, size_of, with_beat, with_command

STEALS: Mapping[str, ModeOfOperation] = {mode.name: mode for mode in (CBC_CS1, CBC_CS2, CBC_CS3)}
"""The modes, in the order of their numbers in a command."""


def mode_number(mode: str) -> int:
    """The number by which a command names a mode."""
    return list(STEALS).index(mode)


def streamed_for_stealing(mode: str, message: Message, *, encrypt: bool = True) -> StreamedMessage:
    """A message of one of the modes as it is sent."""
    return with_command(streamed(message, encrypt=encrypt), mode=mode_number(mode))


def answer_of_stealing(
    cipher: Cipher | None, sent: StreamedMessage, modes: Sequence[str], *, encrypt: bool
) -> tuple[list[Beat], Fault | None]:
    """The beats that an engine of these modes gives for a message, and why it refuses it if it does.

    Of a message that is refused all leaves that comes of the beats before the last good one; behind it nothing does but
    a beat without bytes.
    """
    command = replace(sent.command, text_bytes=UNKNOWN)
    named = list(modes) if len(modes) == 1 else [mode for mode in modes if mode_number(mode) == command.mode]
    fault = None
    if cipher is None or command.slot:
        fault = Fault.KEY
    elif command.iv_bytes != BLOCK:
        fault = Fault.IV
    elif not named:
        fault = Fault.MODE
    rules = MessageRules((Section.TEXT,), first_whole=True)
    good, fault = before_fault(replace(sent, command=command), rules, fault)
    kept = good if fault is None else good[:-1]
    text = b"".join(beat.data[: beat.keep.bit_count()] for beat in kept)
    if cipher is None or not text:
        return ended([], fault)
    mode = CBC if fault is not None else STEALS[named[0]]
    made = (mode.encrypt if encrypt else mode.decrypt)(cipher, Message(command.iv, text=text))
    return ended(text_beats(made.text), fault)


@dataclass(frozen=True)
class _Steals:
    """Messages of a mode."""

    mode: str

    def _message(self, random: Random, size: int) -> StreamedMessage:
        message = Message(random.randbytes(BLOCK), text=random.randbytes(size))
        sent = streamed_for_stealing(self.mode, message, encrypt=random.random() < 0.5)
        return sent if random.random() < 0.5 else with_command(sent, text_bytes=random.randrange(1 << 16))

    def good(self, random: Random, _: Cipher, most: int) -> StreamedMessage:
        """One that is not refused."""
        sizes = (size_of(random, most), random.randrange(BLOCK, 50), BLOCK * random.randrange(1, 6))
        return self._message(random, max(BLOCK, random.choice(sizes)))

    def to_break(self, random: Random, _: Cipher, most: int) -> StreamedMessage:
        """One of three beats or more."""
        return self._message(random, random.randrange(2 * BLOCK + 1, max(most, 2 * BLOCK + 1) + 1))

    @property
    def traffic(self) -> Traffic:
        """All of them."""
        bad = {
            **CTR_TRAFFIC.bad,
            Fault.PARTIAL: (
                lambda m, r: with_beat(m, r.randrange(1, len(m.beats) - 1), keep=(1 << r.randrange(1, BLOCK)) - 1),
            ),
            Fault.LENGTH: (
                lambda m, r: with_beat(m, 0, keep=(1 << r.randrange(1, BLOCK)) - 1),
                lambda m, r: replace(m, beats=(replace(m.beats[0], keep=(1 << r.randrange(BLOCK)) - 1, last=True),)),
            ),
        }
        return Traffic(self.good, self.to_break, bad)


def traffic_of_stealing(modes: Sequence[str]) -> Traffic:
    """Messages of these modes, and of modes that an engine of them has not."""
    numbers = [mode_number(mode) for mode in modes]
    return mixed([_Steals(mode).traffic for mode in modes], [number for number in range(8) if number not in numbers])
