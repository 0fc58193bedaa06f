"""How a message goes through an engine: a command, beats of 16 bytes, and what the engine answers, as a model.

This is the frame that all engines share (docs/streams.md), with the meaning of its codes. A lane of the stream is a
block; byte 0 of a beat is its first byte. Where a beat has several lanes (`aesmith.modes.lanes`), the models here are
given them one by one, as beats of one lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise

from aesmith.modes.counting import GCM, GCM_MOST_TEXT, GCM_TAGS, SHORT_IV, ctr
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
    says of its length. `mode` is its number, where an engine has several."""

    iv: bytes
    iv_bytes: int
    encrypt: bool = True
    tag_bytes: int = 0
    slot: int = 0
    text_bytes: int = UNKNOWN
    mode: int = 0

    @property
    def word(self) -> int:
        """The 256 bits of the beat."""
        fields = (
            (self.encrypt, 0),
            (self.mode, 1),
            (self.tag_bytes % BLOCK, 4),
            (self.slot, 8),
            (self.iv_bytes, 24),
        )
        iv = int.from_bytes(self.iv, "little") << 64
        return sum(value << place for value, place in fields) | iv | self.text_bytes << 192


@dataclass(frozen=True)
class Beat:
    """A transfer of 16 bytes: `keep` has a bit for each, byte 0 the lowest. `failed` and `error` are of outputs.

    One of more lanes has 16 bytes for each, lane 0 first, and beside the section of lane 0 those of the `others`.
    """

    data: bytes = bytes(BLOCK)
    keep: int = 0
    section: Section = Section.TEXT
    last: bool = False
    failed: bool = False
    error: bool = False
    others: tuple[Section, ...] = ()

    @property
    def user(self) -> int:
        """What `tuser` says of it: two bits a lane for its section, and above them *failed* and *error* of outputs."""
        sections = (self.section, *self.others, 1 * self.failed + 2 * self.error)
        return sum(value << 2 * lane for lane, value in enumerate(sections))


@dataclass(frozen=True)
class StreamedMessage:
    """A message as it is sent: well formed or not."""

    command: Command
    beats: tuple[Beat, ...]

    @property
    def text_blocks(self) -> int:
        """Beats of text that have bytes; of several lanes, these lanes."""
        lanes = [
            (section, beat.keep >> BLOCK * lane & (1 << BLOCK) - 1)
            for beat in self.beats
            for lane, section in enumerate((beat.section, *beat.others))
        ]
        return sum(section is Section.TEXT and keep != 0 for section, keep in lanes)


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


def streamed_with_tag(message: Message, *, encrypt: bool = True, tell_length: bool = False) -> StreamedMessage:
    """A message of GCM as it is sent: an IV of 12 bytes in the command, else in front; to decrypt, its tag last."""
    told = len(message.text) if tell_length else UNKNOWN
    short = len(message.iv) == SHORT_IV
    command = Command(message.iv * short, len(message.iv) * short, encrypt, len(message.tag), text_bytes=told)
    sections = [(Section.HEADER, message.header), (Section.TEXT, message.text)]
    front = [] if short else [(Section.IV, message.iv)]
    return StreamedMessage(command, in_beats([*front, *sections, *([] if encrypt else [(Section.TAG, message.tag)])]))


@dataclass(frozen=True)
class MessageRules:
    """What the beats of a message must be: sections it may have, an IV in front of at least a byte, a tag of so many
    bytes behind (0: none), at most so many blocks of text (else `most_fault`), and so many beats behind the IV and
    before the last; text of whole units of so many bytes, or one that begins with a block; so many bytes of text, or
    so many at least and at most; or a header, or none. With `most_components` IV and header are components of a header,
    at most so many, which begin where one follows the other and may be empty. A header has at most `most_header`
    blocks."""

    sections: Sequence[Section]
    iv_in_front: bool = False
    tag_bytes: int = 0
    most_blocks: int | None = None
    most_fault: Fault = Fault.WRAP
    most_beats: int | None = None
    unit: int = 1
    first_whole: bool = False
    text_bytes: int | None = None
    least_bytes: int = 0
    most_bytes: int | None = None
    has_header: bool | None = None
    most_components: int | None = None
    most_header: int | None = None


def fault_of_beat(sent: StreamedMessage, place: int, rules: MessageRules) -> Fault | None:
    """What is wrong with a beat, whatever was wrong before it: the lowest code that applies."""
    beat, before = sent.beats[place], sent.beats[place - 1] if place else None
    ones = beat.keep.bit_count()
    texts = [earlier for earlier in sent.beats[: place + 1] if earlier.section is Section.TEXT and earlier.keep]
    told, counted = sent.command.text_bytes, BLOCK * len(texts) - (BLOCK - texts[-1].keep.bit_count() if texts else 0)
    component = rules.most_components is not None and beat.section <= Section.HEADER
    begins = before is None or before.section is not beat.section
    alone = (component and begins) or (beat.last and before is None)
    if beat.keep != (1 << ones) - 1 or (not ones and not alone):
        return Fault.KEEP
    if before is not None and before.section is beat.section and before.keep != (1 << BLOCK) - 1:
        return Fault.PARTIAL
    least = Section.HEADER if component else beat.section
    if (ones or component) and (beat.section not in rules.sections or (before is not None and least < before.section)):
        return Fault.ORDER
    is_tag = bool(ones) and beat.section is Section.TAG
    if rules.tag_bytes and beat.last is not is_tag:
        return Fault.ORDER
    if rules.iv_in_front and before is None and (not ones or beat.section is not Section.IV or ones == SHORT_IV):
        return Fault.IV
    if beat.last and told not in (UNKNOWN, counted):
        return Fault.LENGTH
    if component and _components(sent.beats[: place + 1]) > (rules.most_components or 0):
        return Fault.LENGTH
    if ones % rules.unit and beat.section is Section.TEXT:
        return Fault.LENGTH
    if (beat.last and counted < rules.least_bytes) or (rules.most_bytes is not None and counted > rules.most_bytes):
        return Fault.LENGTH
    if rules.first_whole and before is None and ones < BLOCK:
        return Fault.LENGTH
    is_header = bool(ones) and beat.section is Section.HEADER
    if is_header and rules.most_header is not None and place >= rules.most_header:
        return Fault.LENGTH
    if before is None and rules.has_header not in (None, is_header):
        return Fault.LENGTH
    if rules.text_bytes is not None and _other_text(beat, counted, rules.text_bytes):
        return Fault.LENGTH
    held = sum(earlier.section is not Section.IV for earlier in sent.beats[:place])
    if rules.most_beats is not None and held >= rules.most_beats and not beat.last:
        return Fault.LENGTH
    if ones and beat.section is Section.TEXT and rules.most_blocks is not None and len(texts) > rules.most_blocks:
        return rules.most_fault
    return Fault.TAG if is_tag and ones != rules.tag_bytes else None


def _components(beats: Sequence[Beat]) -> int:
    """Components of a header in the beats up to one of the last of them."""
    return 1 + sum(before.section is not beat.section for before, beat in pairwise(beats))


def _other_text(beat: Beat, counted: int, text_bytes: int) -> bool:
    """Whether the text up to a beat, `counted` bytes, is known to be other than so many: it is more, or ends before."""
    ends = beat.last or (beat.section is Section.TEXT and 0 < beat.keep.bit_count() < BLOCK)
    return counted != text_bytes if ends else counted > text_bytes


def before_fault(
    sent: StreamedMessage, rules: MessageRules, refused: Fault | None, lanes: int = 1
) -> tuple[list[Beat], Fault | None]:
    """The beats before the one at which a message is refused, and for what; all of them if it is not. So many lanes
    are refused together, for the lowest code of one of them."""
    for first in range(0, len(sent.beats), lanes):
        places = range(first, min(first + lanes, len(sent.beats)))
        found = [fault for place in places if (fault := refused or fault_of_beat(sent, place, rules))]
        if found:
            return list(sent.beats[:first]), min(found)
    return list(sent.beats), None


def answer_of_ctr(
    cipher: Cipher | None, sent: StreamedMessage, counter_bits: int, lanes: int = 1
) -> tuple[list[Beat], Fault | None]:
    """The beats that a CTR engine gives for a message, and why it refuses it if it does.

    `cipher` is None before the first key. Text before the beat that is wrong, which has so many lanes, has left the
    engine; behind it nothing does but a beat without bytes, which ends the message.
    """
    command = sent.command
    fault = Fault.KEY if cipher is None or command.slot else Fault.IV if command.iv_bytes != BLOCK else None
    good, fault = before_fault(sent, MessageRules((Section.TEXT,), most_blocks=1 << counter_bits), fault, lanes)
    if fault is None and not good[0].keep:
        return [Beat(last=True)], None
    text = b"".join(beat.data[: beat.keep.bit_count()] for beat in good)
    made: list[Beat] = []
    if cipher is not None and text:
        try:
            made = text_beats(ctr(counter_bits).encrypt(cipher, Message(iv=command.iv, text=text)).text)
        except MessageRefused as error:  # the beats before say so
            raise AssertionError("a message that no beat refuses") from error
    return ended(made, fault)


def ended(made: Sequence[Beat], fault: Fault | None) -> tuple[list[Beat], Fault | None]:
    """Beats of text as a whole answer, and why the message is refused: behind them a beat without bytes then says so,
    else the last one ends it, or a beat without bytes where there is none."""
    if fault is not None:
        return [*made, Beat(last=True, error=True)], fault
    return [*made[:-1], replace(made[-1] if made else Beat(), last=True)], None


def answer_of_gcm(
    cipher: Cipher | None,
    sent: StreamedMessage,
    *,
    verified: bool = True,
    most_beats: int | None = None,
    iv_in_stream: bool = True,
    lanes: int = 1,
) -> tuple[list[Beat], Fault | None]:
    """The beats that a GCM engine gives for a message, and why it refuses it if it does.

    A message to decrypt whose tag is wrong is not refused: *failed* stands in its last beat, which is its only one if
    text is `verified` before it is released. Such an engine holds `most_beats` of a message behind
    its IV, beside the last one. An IV comes in the command, if it has 12 bytes, or `iv_in_stream`. Beats of so many
    lanes are refused together.
    """
    command = sent.command
    tag_bytes, decrypt = command.tag_bytes or BLOCK, not command.encrypt
    fault = None
    if cipher is None or command.slot:
        fault = Fault.KEY
    elif command.iv_bytes not in (SHORT_IV, *[0] * iv_in_stream):
        fault = Fault.IV
    elif tag_bytes not in GCM_TAGS:
        fault = Fault.TAG
    iv_in_front = command.iv_bytes == 0
    rules = MessageRules(
        [*([Section.IV] if iv_in_front else []), Section.HEADER, Section.TEXT, *([Section.TAG] if decrypt else [])],
        iv_in_front,
        tag_bytes if decrypt else 0,
        GCM_MOST_TEXT // BLOCK,
        Fault.LENGTH,
        most_beats if decrypt and verified else None,
    )
    good, fault = before_fault(sent, rules, fault, lanes)

    def bytes_of(section: Section) -> bytes:
        return b"".join(beat.data[: beat.keep.bit_count()] for beat in good if beat.section is section)

    iv = bytes_of(Section.IV) if iv_in_front else command.iv
    message = Message(iv, bytes_of(Section.HEADER), bytes_of(Section.TEXT), bytes(tag_bytes))
    if fault is not None:
        shown = b""
        if cipher is not None and message.text and not (decrypt and verified):
            shown = GCM.encrypt(cipher, message).text
        return [*text_beats(shown), Beat(last=True, error=True)], fault
    assert cipher is not None
    if not decrypt:
        made = GCM.encrypt(cipher, message)
        tag = Beat(made.tag.ljust(BLOCK, b"\0"), (1 << tag_bytes) - 1, Section.TAG, last=True)
        return [*text_beats(made.text), tag], None
    opened = GCM.decrypt(cipher, replace(message, tag=bytes_of(Section.TAG)))
    text = opened.text if verified or opened.authentic else GCM.encrypt(cipher, message).text
    beats = text_beats(text) or [Beat()]
    return [*beats[:-1], replace(beats[-1], last=True, failed=not opened.authentic)], None


def text_beats(text: bytes) -> list[Beat]:
    """Text as beats of which none is the last."""
    return [replace(beat, last=False) for beat in in_beats([(Section.TEXT, text)])] if text else []
