"""How a message goes through an engine: a command, beats of 16 bytes, and what the engine answers, as a model.

This is the frame that all engines share (docs/modes.md), and what its codes of refusal mean. A lane of the stream is a
block; byte 0 of a beat is its first byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from aesmith.modes.counting import ctr
from aesmith.modes.message import BLOCK, Cipher, Fault, Message, MessageRefused, blocks

UNKNOWN = (1 << 64) - 1
"""In place of the bytes of text in a command: they are known at the last beat."""


class Section(IntEnum):
    """What the bytes of a beat are; sections come in this order."""

    IV = 0
    HEADER = 1
    TEXT = 2
    TAG = 3


@dataclass(frozen=True)
class Command:
    """The one beat that opens a message. `iv` is what the command brings of it, at most 16 bytes; `iv_bytes` is what it
    says of its length."""

    iv: bytes
    iv_bytes: int
    encrypt: bool = True
    tag_bytes: int = 0
    slot: int = 0
    text_bytes: int = UNKNOWN

    @property
    def word(self) -> int:
        """The 256 bits of the beat."""
        fields = ((self.encrypt, 0), (self.tag_bytes % BLOCK, 4), (self.slot, 8), (self.iv_bytes, 24))
        iv = int.from_bytes(self.iv, "little") << 64
        return sum(value << place for value, place in fields) | iv | self.text_bytes << 192


@dataclass(frozen=True)
class Beat:
    """A transfer of 16 bytes: `keep` has a bit for each, byte 0 the lowest. `failed` and `error` are of outputs."""

    data: bytes = bytes(BLOCK)
    keep: int = 0
    section: Section = Section.TEXT
    last: bool = False
    failed: bool = False
    error: bool = False


@dataclass(frozen=True)
class StreamedMessage:
    """A message as it is sent: well formed or not."""

    command: Command
    beats: tuple[Beat, ...]

    @property
    def text_blocks(self) -> int:
        """Beats of text that have bytes."""
        return sum(beat.section is Section.TEXT and beat.keep != 0 for beat in self.beats)


def in_beats(sections: Sequence[tuple[Section, bytes]]) -> tuple[Beat, ...]:
    """Sections as beats: each begins with a beat of its own, one without bytes has none; nothing at all is one beat."""
    made = [
        Beat(block.ljust(BLOCK, b"\0"), (1 << len(block)) - 1, section)
        for section, data in sections
        for block in blocks(data)
    ]
    made = made or [Beat()]
    return (*made[:-1], replace(made[-1], last=True))


def streamed(message: Message, *, tell_length: bool = False, encrypt: bool = True) -> StreamedMessage:
    """A message without header and tag as it is sent, its IV in the command."""
    told = len(message.text) if tell_length else UNKNOWN
    command = Command(message.iv, len(message.iv), encrypt, text_bytes=told)
    return StreamedMessage(command, in_beats([(Section.TEXT, message.text)]))


def fault_of_beat(sent: StreamedMessage, place: int, sections: Sequence[Section], counter_bits: int) -> Fault | None:
    """What is wrong with a beat, whatever was wrong before it: the lowest code that applies."""
    beat, before = sent.beats[place], sent.beats[place - 1] if place else None
    ones = beat.keep.bit_count()
    texts = [earlier for earlier in sent.beats[: place + 1] if earlier.section is Section.TEXT and earlier.keep]
    told, counted = sent.command.text_bytes, BLOCK * len(texts) - (BLOCK - texts[-1].keep.bit_count() if texts else 0)
    if beat.keep != (1 << ones) - 1 or (not ones and not (beat.last and before is None)):
        return Fault.KEEP
    if before is not None and before.section is beat.section and before.keep != (1 << BLOCK) - 1:
        return Fault.PARTIAL
    if ones and (beat.section not in sections or (before is not None and beat.section < before.section)):
        return Fault.ORDER
    if beat.last and told not in (UNKNOWN, counted):
        return Fault.LENGTH
    if ones and beat.section is Section.TEXT and len(texts) > 1 << counter_bits:
        return Fault.WRAP
    return None


def answer_of_ctr(cipher: Cipher | None, sent: StreamedMessage, counter_bits: int) -> tuple[list[Beat], Fault | None]:
    """The beats that a CTR engine gives for a message, and why it refuses it if it does.

    `cipher` is None before the first key. Text before the beat that is wrong has left the engine; behind it
    nothing does but a beat without bytes, which ends the message.
    """
    command = sent.command
    fault = Fault.KEY if cipher is None or command.slot else Fault.IV if command.iv_bytes != BLOCK else None
    good: list[Beat] = []
    for place, beat in enumerate(sent.beats):
        fault = fault or fault_of_beat(sent, place, (Section.TEXT,), counter_bits)
        if fault is not None:
            break
        good.append(beat)
    if fault is None and not good[0].keep:
        return [Beat(last=True)], None
    text = b"".join(beat.data[: beat.keep.bit_count()] for beat in good)
    made: list[Beat] = []
    if cipher is not None and text:
        try:
            whole = ctr(counter_bits).encrypt(cipher, Message(iv=command.iv, text=text)).text
        except MessageRefused as error:  # the beats before say so
            raise AssertionError("a message that no beat refuses") from error
        made = [replace(beat, last=False) for beat in in_beats([(Section.TEXT, whole)])]
    if fault is not None:
        return [*made, Beat(last=True, error=True)], fault
    return [*made[:-1], replace(made[-1], last=True)], None
