"""What an engine of key wrap answers, as a model, and messages to try it with.

A message is one section of text in both directions: what is to be wrapped, or what was. Its first semiblock, the
integrity check value, is part of the wrapped text, so there is no tag; a value that is wrong is *failed* all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from aesmith.cores.design import Direction
from aesmith.modes.key_wrap import ICV, ICV_PADDED, KW, KWP, SEMIBLOCK, wrap
from aesmith.modes.message import BLOCK, Cipher, Fault, Message, ModeOfOperation
from aesmith.modes.stream import (
    UNKNOWN,
    Beat,
    Command,
    MessageRules,
    Section,
    StreamedMessage,
    before_fault,
    ended,
    in_beats,
    text_beats,
)
from aesmith.modes.traffic import Maker, Traffic, mixed, with_beat, with_command

WRAPS: Mapping[str, ModeOfOperation] = {mode.name: mode for mode in (KW, KWP)}
"""The modes, in the order of their numbers in a command."""
BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
_LONG = 1024
"""Bytes of text up to which messages that fill the room are among random ones."""


def mode_number(mode: str) -> int:
    """The number by which a command names a mode."""
    return list(WRAPS).index(mode)


def streamed_for_wrap(mode: str, message: Message, *, encrypt: bool = True) -> StreamedMessage:
    """A message of one of the modes as it is sent."""
    command = Command(b"", 0, encrypt, text_bytes=UNKNOWN, mode=mode_number(mode))
    return StreamedMessage(command, in_beats([(Section.TEXT, message.text)]))


def rules_of(mode: str, room: int, *, encrypt: bool) -> MessageRules:
    """What the beats of a message must be, for an engine with room for so many bytes of text, whole semiblocks."""
    least = SEMIBLOCK if mode == "kwp" else 2 * SEMIBLOCK
    if not encrypt:
        return MessageRules((Section.TEXT,), unit=SEMIBLOCK, least_bytes=least + SEMIBLOCK, most_bytes=room + SEMIBLOCK)
    if mode == "kwp":
        return MessageRules((Section.TEXT,), least_bytes=1, most_bytes=room)
    return MessageRules((Section.TEXT,), unit=SEMIBLOCK, least_bytes=least, most_bytes=room)


def answer_of_wrap(
    cipher: Cipher | None, sent: StreamedMessage, modes: Sequence[str], room: int, *, encrypt: bool
) -> tuple[list[Beat], Fault | None]:
    """The beats that an engine of these modes gives for a message, and why it refuses it if it does.

    Nothing leaves of a message that is refused, nor of one whose integrity check value or padding is wrong, but a beat
    without bytes.
    """
    command = sent.command
    named = list(modes) if len(modes) == 1 else [mode for mode in modes if mode_number(mode) == command.mode]
    fault = None
    if cipher is None or command.slot:
        fault = Fault.KEY
    elif command.iv_bytes:
        fault = Fault.IV
    elif not named:
        fault = Fault.MODE
    mode = (named or list(modes))[0]
    open_ended = replace(sent, command=replace(command, text_bytes=UNKNOWN))
    good, fault = before_fault(open_ended, rules_of(mode, room, encrypt=encrypt), fault)
    if fault is not None:
        return ended([], fault)
    assert cipher is not None
    message = Message(text=b"".join(beat.data[: beat.keep.bit_count()] for beat in good))
    made = (WRAPS[mode].encrypt if encrypt else WRAPS[mode].decrypt)(cipher, message)
    if made.authentic is False:
        return [Beat(last=True, failed=True)], None
    return ended(text_beats(made.text), None)


@dataclass(frozen=True)
class _Wraps:
    """Messages of a mode in these directions, of up to `room` bytes of text, whole semiblocks, two at least."""

    mode: str
    room: int
    directions: tuple[Direction, ...]

    @property
    def _padded(self) -> bool:
        return self.mode == "kwp"

    def _encrypts(self, random: Random) -> bool:
        way = random.choice(self.directions)
        return way is Direction.ENCRYPT

    def _text(self, random: Random, most: int, least: int = 1) -> bytes:
        """Text of at least and at most so many bytes, but of the mode and in the room."""
        least = max(least, 1 if self._padded else 2 * SEMIBLOCK)
        size = random.randint(least, max(least, min(most, self.room)))
        if random.random() < 0.25 and self.room <= _LONG:
            size = self.room
        return random.randbytes(size if self._padded else size // SEMIBLOCK * SEMIBLOCK)

    def sent(self, text: bytes, *, encrypt: bool) -> StreamedMessage:
        """A text to wrap, or to unwrap."""
        return streamed_for_wrap(self.mode, Message(text=text), encrypt=encrypt)

    def good(self, random: Random, cipher: Cipher, most: int) -> StreamedMessage:
        """A message of the mode that is not refused and, to unwrap, right."""
        text, encrypt = self._text(random, most), self._encrypts(random)
        if not encrypt:
            text = WRAPS[self.mode].encrypt(cipher, Message(text=text)).text
        return self.sent(text, encrypt=encrypt)

    def to_break(self, random: Random, cipher: Cipher, most: int) -> StreamedMessage:
        """One of two beats or more."""
        text, encrypt = self._text(random, most, BLOCK + (1 if self._padded else SEMIBLOCK)), self._encrypts(random)
        if self.room < BLOCK + SEMIBLOCK or not encrypt:
            sealed = WRAPS[self.mode].encrypt(cipher, Message(text=text)).text
            return self.sent(sealed, encrypt=self.directions == BOTH[:1])
        return self.sent(text, encrypt=True)

    def tampered(self, random: Random, cipher: Cipher, most: int) -> StreamedMessage:
        """A wrapped text of which a bit is another; or one around a wrong value, or a wrong padding."""
        text = self._text(random, most)
        sealed = bytearray(WRAPS[self.mode].encrypt(cipher, Message(text=text)).text)
        sealed[random.randrange(len(sealed))] ^= 1 << random.randrange(8)
        if random.random() < 0.75:
            sealed = bytearray(wrap(cipher, *self._odd(random, text)))
        return self.sent(bytes(sealed), encrypt=False)

    def _odd(self, random: Random, text: bytes) -> tuple[bytes, bytes]:
        """A first semiblock and a filled text of which one thing is wrong."""
        if not self._padded:
            return _with_bit(random, ICV), text
        size, filled = len(text), text + bytes(-len(text) % SEMIBLOCK)
        first = ICV_PADDED + size.to_bytes(4)
        kind = random.randrange(4)
        if kind == 0 and size % SEMIBLOCK:
            place = random.randrange(size, len(filled))
            return first, filled[:place] + bytes([1 << random.randrange(8)]) + filled[place + 1 :]
        if kind == 1:
            return _with_bit(random, ICV_PADDED) + size.to_bytes(4), filled
        if kind == 2:
            return ICV_PADDED + _with_bit(random, size.to_bytes(4)), bytes(len(filled))
        sizes = (0, len(filled) - SEMIBLOCK, len(filled) + 1, len(filled) + SEMIBLOCK, 1 << 31 | size)
        return ICV_PADDED + random.choice(sizes).to_bytes(4), bytes(len(filled))

    def _ragged(self, sent: StreamedMessage, random: Random) -> StreamedMessage:
        """A last beat that is part of a semiblock, which only text of KWP may be."""
        if self._padded and self.directions == BOTH[:1]:
            return self._too_long(sent, random)
        whole = with_command(sent, encrypt=False) if self._padded else sent
        ones = random.choice([count for count in range(1, BLOCK) if count % SEMIBLOCK])
        return with_beat(whole, len(whole.beats) - 1, keep=(1 << ones) - 1)

    def _too_long(self, sent: StreamedMessage, random: Random) -> StreamedMessage:
        """More than there is room for, by a semiblock or more; of KWP by a byte."""
        encrypt = sent.command.encrypt or self.directions == BOTH[:1]
        encrypt = encrypt and self.directions != BOTH[1:]
        most = self.room if encrypt else self.room + SEMIBLOCK
        more = random.choice((1, SEMIBLOCK) if self._padded and encrypt else (SEMIBLOCK, BLOCK, 5 * SEMIBLOCK))
        return self.sent(random.randbytes(most + more), encrypt=sent.command.encrypt)

    def _too_short(self, sent: StreamedMessage, random: Random) -> StreamedMessage:
        """Nothing, or in KW a semiblock less than two, and one more to unwrap."""
        encrypt = (sent.command.encrypt or self.directions == BOTH[:1]) and self.directions != BOTH[1:]
        sizes = [0]
        if not (self._padded and encrypt):
            sizes += [SEMIBLOCK, *[2 * SEMIBLOCK] * (not encrypt and not self._padded)]
        return self.sent(random.randbytes(random.choice(sizes)), encrypt=sent.command.encrypt)

    @property
    def traffic(self) -> Traffic:
        """All of them."""
        bad: dict[Fault, Sequence[Maker]] = {
            Fault.KEEP: (
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0xFFFE),
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0x00FB),
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0),
            ),
            Fault.PARTIAL: (lambda m, r: with_beat(m, r.randrange(len(m.beats) - 1), keep=0x00FF),),
            Fault.ORDER: (
                lambda m, r: with_beat(m, r.randrange(len(m.beats)), section=Section.HEADER),
                lambda m, _: with_beat(m, len(m.beats) - 1, section=Section.TAG),
                lambda m, _: with_beat(m, 0, section=Section.IV),
            ),
            Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
            Fault.IV: (lambda m, r: with_command(m, iv_bytes=r.choice((1, 8, 16, 255))),),
            Fault.LENGTH: (self._ragged, self._too_long, self._too_short),
        }
        opens = Direction.DECRYPT in self.directions
        return Traffic(self.good, self.to_break, bad, self.tampered if opens else None)


def _with_bit(random: Random, data: bytes) -> bytes:
    """The data with one bit of them changed."""
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]


def traffic_of_wrap(modes: Sequence[str], room: int, directions: tuple[Direction, ...]) -> Traffic:
    """Messages of these modes in these directions for an engine with room for so many bytes of text, and of modes that
    it has not."""
    numbers = [mode_number(mode) for mode in modes]
    parts = [_Wraps(mode, room, directions).traffic for mode in modes]
    return mixed(parts, [number for number in range(8) if number not in numbers])
