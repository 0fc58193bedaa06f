"""What an engine of GCM-SIV answers, as a model, and messages to try it with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from aesmith.modes.counting import SHORT_IV
from aesmith.modes.gcm_siv import GCM_SIV
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import (
    UNKNOWN,
    Beat,
    MessageRules,
    Section,
    StreamedMessage,
    before_fault,
    ended,
    streamed_with_tag,
    text_beats,
)
from aesmith.modes.traffic import (
    GCM_SHORT_IV_TRAFFIC,
    Maker,
    Traffic,
    size_of,
    with_beat,
    with_command,
    without_tag,
)


def answer_of_siv(
    cipher: Cipher | None, sent: StreamedMessage, most_beats: int, *, encrypt: bool
) -> tuple[list[Beat], Fault | None]:
    """The beats that an engine with room for so many beats of text gives for a message, and why it refuses it if it
    does. Nothing leaves of a message that is refused, nor of one whose tag is wrong, but a beat without bytes."""
    command, sections = replace(sent.command, text_bytes=UNKNOWN), [Section.HEADER, Section.TEXT]
    fault = None
    if cipher is None or command.slot:
        fault = Fault.KEY
    elif command.iv_bytes != SHORT_IV:
        fault = Fault.IV
    elif (command.tag_bytes or BLOCK) != BLOCK:
        fault = Fault.TAG
    rules = MessageRules(
        sections if encrypt else [*sections, Section.TAG],
        tag_bytes=0 if encrypt else BLOCK,
        most_blocks=most_beats,
        most_fault=Fault.LENGTH,
    )
    good, fault = before_fault(replace(sent, command=command), rules, fault)
    if fault is not None:
        return ended([], fault)
    assert cipher is not None

    def bytes_of(section: Section) -> bytes:
        return b"".join(beat.data[: beat.keep.bit_count()] for beat in good if beat.section is section)

    tag = bytes(BLOCK) if encrypt else bytes_of(Section.TAG)
    message = Message(command.iv, bytes_of(Section.HEADER), bytes_of(Section.TEXT), tag)
    made = (GCM_SIV.encrypt if encrypt else GCM_SIV.decrypt)(cipher, message)
    if encrypt:
        return [*text_beats(made.text), Beat(made.tag, (1 << BLOCK) - 1, Section.TAG, last=True)], None
    return ([Beat(last=True, failed=True)], None) if not made.authentic else ended(text_beats(made.text), None)


@dataclass(frozen=True)
class _Sivs:
    """Messages for an engine with room for so many beats of text, four at least."""

    most_beats: int

    def _message(
        self, random: Random, cipher: Cipher, header: int, text: int, *, encrypt: bool | None = None
    ) -> StreamedMessage:
        encrypt = random.random() < 0.5 if encrypt is None else encrypt
        message = Message(random.randbytes(SHORT_IV), random.randbytes(header), random.randbytes(text), bytes(BLOCK))
        if not encrypt:
            sealed = GCM_SIV.encrypt(cipher, message)
            message = replace(message, text=sealed.text, tag=sealed.tag)
        return streamed_with_tag(message, encrypt=encrypt, tell_length=random.random() < 0.5)

    def _text(self, random: Random, most: int) -> int:
        return size_of(random, min(most, BLOCK * self.most_beats))

    def good(self, random: Random, cipher: Cipher, most: int) -> StreamedMessage:
        """A message that is not refused and, to decrypt, right."""
        return self._message(random, cipher, size_of(random, most), self._text(random, most))

    def to_break(self, random: Random, cipher: Cipher, _: int = 48) -> StreamedMessage:
        """One to decrypt, of three beats of text and a tag."""
        return self._message(random, cipher, 0, 3 * BLOCK, encrypt=False)

    def tampered(self, random: Random, cipher: Cipher, most: int) -> StreamedMessage:
        """One bit of header, text or tag is another; in one of eight only a bit of the tag's last byte."""
        sent = self._message(random, cipher, size_of(random, most), self._text(random, most), encrypt=False)
        place, bit = random.randrange(len(sent.beats)), random.randrange(8)
        at = random.randrange(sent.beats[place].keep.bit_count())
        if random.random() < 1 / 8:
            place, at = len(sent.beats) - 1, BLOCK - 1
        data = bytearray(sent.beats[place].data)
        data[at] ^= 1 << bit
        return with_beat(sent, place, data=bytes(data))

    def _too_long(self, sent: StreamedMessage, random: Random) -> StreamedMessage:
        """More text than there is room for."""
        more = replace(sent.beats[0], data=random.randbytes(BLOCK))
        return replace(sent, beats=(*[more] * (self.most_beats - 2 + random.randrange(2)), *sent.beats))

    @property
    def traffic(self) -> Traffic:
        """All of them."""
        bad: dict[Fault, Sequence[Maker]] = dict(GCM_SHORT_IV_TRAFFIC.bad)
        bad[Fault.ORDER] = (
            *bad[Fault.ORDER],
            lambda m, _: with_beat(m, 0, section=Section.IV),
            lambda m, _: with_command(m, encrypt=True),
        )
        bad[Fault.LENGTH] = (
            self._too_long,
            lambda m, r: with_command(self._too_long(without_tag(m), r), encrypt=True),
        )
        bad[Fault.TAG] = (
            lambda m, r: with_command(m, tag_bytes=r.randrange(1, BLOCK)),
            lambda m, r: with_command(without_tag(m), encrypt=True, tag_bytes=r.randrange(1, BLOCK)),
            lambda m, _: with_beat(m, len(m.beats) - 1, keep=0x7FFF),
        )
        return Traffic(self.good, self.to_break, bad, self.tampered)


def traffic_of_siv(most_beats: int) -> Traffic:
    """Messages of GCM-SIV for an engine with room for so many beats of text."""
    return _Sivs(most_beats).traffic
