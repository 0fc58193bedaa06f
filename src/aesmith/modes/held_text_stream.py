"""What engines answer whose text waits for its tag, as a model, and messages to try them with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from aesmith.modes.message import BLOCK, Cipher, Fault, Message, ModeOfOperation
from aesmith.modes.stream import (
    UNKNOWN,
    Beat,
    MessageRules,
    Section,
    StreamedMessage,
    before_fault,
    ended,
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


def bytes_of(sent: StreamedMessage, section: Section) -> bytes:
    """The bytes of a section."""
    return b"".join(beat.data[: beat.keep.bit_count()] for beat in sent.beats if beat.section is section)


@dataclass(frozen=True)
class HeldTextFrame(ABC):
    """How messages of a mode are sent whose nonce has so many bytes in the command."""

    mode: ModeOfOperation
    iv_bytes: int
    tags: tuple[int, ...] = (BLOCK,)
    early: bool = False
    """Whether text to encrypt leaves as it comes."""

    @property
    def plain_iv(self) -> bytes:
        """The nonce of messages of zeros."""
        return bytes(self.iv_bytes)

    @property
    def plain_tag(self) -> bytes:
        """Their tag, of the first of the lengths that there are."""
        return bytes(self.tags[0])

    @abstractmethod
    def sent(self, message: Message, *, encrypt: bool = True, tell_length: bool = False) -> StreamedMessage:
        """A message in whole beats."""

    @abstractmethod
    def received(self, sent: StreamedMessage) -> Message:
        """The message that was sent so; to encrypt, its tag is zeros."""

    @abstractmethod
    def rules(self, tag_bytes: int, most_beats: int, *, encrypt: bool) -> MessageRules:
        """What its beats must be, with a tag of so many bytes and room for so many beats of text."""

    @abstractmethod
    def draw(self, random: Random, header: int, text: int) -> Message:
        """A random message whose header, or each component of it, has at most so many bytes, and text of so many."""

    @abstractmethod
    def spoiled(self, bad: Mapping[Fault, Sequence[Maker]]) -> Mapping[Fault, Sequence[Maker]]:
        """What makes a message of three beats of text and a tag bad, of what does so with one of GCM-SIV."""

    def answer(self, cipher: Cipher | None, sent: StreamedMessage, most_beats: int) -> tuple[list[Beat], Fault | None]:
        """The beats that an engine with room for so many beats of text gives for a message, and why it refuses it, if
        it does. Of a message that is refused, or whose tag is wrong, a beat without bytes leaves, and nothing else, but
        `early` text that is encrypted."""
        command, fault = replace(sent.command, text_bytes=UNKNOWN), None
        if cipher is None or command.slot:
            fault = Fault.KEY
        elif command.iv_bytes != self.iv_bytes:
            fault = Fault.IV
        elif (command.tag_bytes or BLOCK) not in self.tags:
            fault = Fault.TAG
        encrypt, tag_bytes = command.encrypt, command.tag_bytes or BLOCK
        rules = self.rules(tag_bytes, most_beats, encrypt=encrypt)
        good, fault = before_fault(replace(sent, command=command), rules, fault)
        if fault is not None:
            if not self.early or not encrypt or cipher is None or not good:
                return ended([], fault)
            return ended(self._encrypted(cipher, replace(sent, beats=tuple(good)))[:-1], fault)
        assert cipher is not None
        if encrypt:
            return self._encrypted(cipher, sent), None
        made = self.mode.decrypt(cipher, self.received(sent))
        return ([Beat(last=True, failed=True)], None) if not made.authentic else ended(text_beats(made.text), None)

    def _encrypted(self, cipher: Cipher, sent: StreamedMessage) -> list[Beat]:
        """Text and tag of a message to encrypt."""
        made = self.mode.encrypt(cipher, self.received(sent))
        tag = Beat(made.tag.ljust(BLOCK, b"\0"), (1 << len(made.tag)) - 1, Section.TAG, last=True)
        return [*text_beats(made.text), tag]

    def traffic(self, most_beats: int) -> Traffic:
        """Messages for an engine with room for so many beats of text, four at least."""
        return _Messages(self, most_beats).traffic


@dataclass(frozen=True)
class _Messages:
    """Messages for an engine with room for so many beats of text."""

    frame: HeldTextFrame
    most_beats: int

    def _message(
        self, random: Random, cipher: Cipher, header: int, text: int, *, encrypt: bool | None = None
    ) -> StreamedMessage:
        encrypt = random.random() < 0.5 if encrypt is None else encrypt
        message = self.frame.draw(random, header, text)
        if not encrypt:
            sealed = self.frame.mode.encrypt(cipher, message)
            message = replace(message, text=sealed.text, tag=sealed.tag)
        return self.frame.sent(message, encrypt=encrypt, tell_length=random.random() < 0.5)

    def _text(self, random: Random, most: int) -> int:
        return size_of(random, min(most, BLOCK * self.most_beats))

    def good(self, random: Random, cipher: Cipher, most: int) -> StreamedMessage:
        """A message that is not refused and, to decrypt, right."""
        if self.frame.early and random.random() < 0.5:
            return self._message(random, cipher, size_of(random, most), size_of(random, most), encrypt=True)
        return self._message(random, cipher, size_of(random, most), self._text(random, most))

    def to_break(self, random: Random, cipher: Cipher, _: int = 48) -> StreamedMessage:
        """One to decrypt, of three beats of text and a tag."""
        return self._message(random, cipher, 0, 3 * BLOCK, encrypt=False)

    def tampered(self, random: Random, cipher: Cipher, most: int) -> StreamedMessage:
        """One bit of header, text or tag is another; in one of eight only a bit of the tag's last byte."""
        sent = self._message(random, cipher, size_of(random, most), self._text(random, most), encrypt=False)
        place = random.choice([place for place, beat in enumerate(sent.beats) if beat.keep])
        bit, at = random.randrange(8), random.randrange(sent.beats[place].keep.bit_count())
        if random.random() < 1 / 8:
            place, at = len(sent.beats) - 1, sent.beats[-1].keep.bit_count() - 1
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
        others = [size for size in range(1, BLOCK + 1) if size not in self.frame.tags]
        bad: dict[Fault, Sequence[Maker]] = dict(GCM_SHORT_IV_TRAFFIC.bad)
        bad[Fault.ORDER] = (*bad[Fault.ORDER], lambda m, _: with_command(m, encrypt=True))
        bad[Fault.LENGTH] = (
            self._too_long,
            lambda m, r: with_command(self._too_long(without_tag(m), r), encrypt=True),
        )
        bad[Fault.TAG] = (
            lambda m, r: with_command(m, tag_bytes=r.choice(others)),
            lambda m, r: with_command(without_tag(m), encrypt=True, tag_bytes=r.choice(others)),
            lambda m, _: with_beat(m, len(m.beats) - 1, keep=0x7FFF),
        )
        return Traffic(self.good, self.to_break, self.frame.spoiled(bad), self.tampered)
