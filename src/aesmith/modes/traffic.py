"""Messages for engines to be tried with: good ones of all lengths, and every kind of bad one; random, by a seed.

A kind of bad message is made from a good one, so that nothing else is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from aesmith.modes.counting import GCM, GCM_TAGS, SHORT_IV
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, Section, StreamedMessage, streamed, streamed_with_tag

Keyed = tuple[bytes | None, StreamedMessage]
"""A message, and the key that it comes under; None before the first."""

_WINDOW = 40
"""Messages that change places where keys take turns: those of about four keys."""

Maker = Callable[[StreamedMessage, Random], StreamedMessage]
"""Makes a message bad."""


def with_beat(sent: StreamedMessage, place: int, **changes: Any) -> StreamedMessage:
    """The message with another beat at a place."""
    beats = list(sent.beats)
    beats[place] = replace(beats[place], **changes)
    return replace(sent, beats=tuple(beats))


def with_command(sent: StreamedMessage, **changes: Any) -> StreamedMessage:
    """The message with another command."""
    return replace(sent, command=replace(sent.command, **changes))


def with_other_bytes(sent: StreamedMessage, random: Random) -> StreamedMessage:
    """The message with other bytes where none counts."""
    beats = tuple(
        beat
        if beat.keep == (1 << len(beat.data)) - 1
        else replace(
            beat,
            data=bytes(
                byte if beat.keep >> place & 1 else random.randrange(256) for place, byte in enumerate(beat.data)
            ),
        )
        for beat in sent.beats
    )
    return replace(sent, beats=beats)


@dataclass(frozen=True)
class Traffic:
    """How messages of a mode are made. `good` makes one of up to so many bytes a section; `to_break` one that each of
    `bad` can spoil, of at most so many bytes; `tampered` one that is well formed and must be found out, or None where a
    mode has no tag; `key` makes a key of so many bytes."""

    good: Callable[[Random, Cipher, int], StreamedMessage]
    to_break: Callable[[Random, Cipher, int], StreamedMessage]
    bad: Mapping[Fault, Sequence[Maker]]
    tampered: Callable[[Random, Cipher, int], StreamedMessage] | None = None
    key: Callable[[Random, int], bytes] = Random.randbytes

    def messages(
        self,
        random: Random,
        count: int,
        cipher: type[Cipher] = Cipher,
        *,
        most: int = 300,
        key_bytes: int | Sequence[int] = 16,
    ) -> list[Keyed]:
        """So many messages under keys that change, of each kind, one before the first key, none over `most` bytes a
        section.

        `cipher` is what the engine's cores compute; of several sizes each key has one. Bytes that do not count are
        random.
        """
        sizes = [key_bytes] if isinstance(key_bytes, int) else key_bytes

        def new_key() -> bytes:
            return self.key(random, random.choice(sizes) if len(sizes) > 1 else sizes[0])

        key = new_key()
        made: list[Keyed] = [(None, self.good(random, cipher(key), most))]
        for number in range(1, count):
            if random.random() < 0.1:
                key = new_key()
            made.append((key, self.draw(number, random, cipher(key), most)))
        other = Random(count)
        return [(key, with_other_bytes(sent, other)) for key, sent in made]

    @property
    def makers(self) -> list[Maker]:
        """Of each kind of bad message those who make it."""
        return [make for each in self.bad.values() for make in each]

    def draw(self, number: int, random: Random, under: Cipher, most: int) -> StreamedMessage:
        """Message `number`, good, tampered with or bad: kinds of bad ones take turns."""
        kind, makers = random.random(), self.makers
        if kind < 0.3:
            return makers[number % len(makers)](self.to_break(random, under, most), random)
        if kind < 0.5 and self.tampered is not None:
            return self.tampered(random, under, most)
        return self.good(random, under, most)

    def bad_ones(self, random: Random, under: Cipher, most: int) -> list[StreamedMessage]:
        """One of each kind of bad message."""
        return [make(self.to_break(random, under, most), random) for make in self.makers]


@dataclass(frozen=True)
class MixedTraffic(Traffic):
    """Messages of several modes at random, and of modes that there are not."""

    parts: tuple[Traffic, ...] = ()
    others: tuple[int, ...] = ()

    def draw(self, number: int, random: Random, under: Cipher, most: int) -> StreamedMessage:
        """A message of one of them."""
        made = random.choice(self.parts).draw(number, random, under, most)
        if self.others and random.random() < 1 / 32:
            made = with_command(made, mode=random.choice(self.others))
        return made

    def bad_ones(self, random: Random, under: Cipher, most: int) -> list[StreamedMessage]:
        """Of each mode one of each kind of bad message, and one of each mode that there is not."""
        made = [sent for part in self.parts for sent in part.bad_ones(random, under, most)]
        first = self.parts[0].to_break(random, under, most)
        return [*made, *(with_command(first, mode=other) for other in self.others)]


def mixed(parts: Sequence[Traffic], others: Sequence[int]) -> Traffic:
    """Messages of these modes at random; of one mode, its own."""
    first = parts[0]
    if len(parts) == 1:
        return first
    return MixedTraffic(first.good, first.to_break, first.bad, first.tampered, parts=tuple(parts), others=tuple(others))


def with_slots(sent: Sequence[Keyed], key_slots: int) -> Iterator[tuple[int, int, bytes | None, StreamedMessage]]:
    """Each message with its number, the slot that its key is for, and the key if the slot has another one.

    A slot that is not there counts as slot 0.
    """
    kept: dict[int, bytes] = {}
    for number, (key, message) in enumerate(sent):
        slot = message.command.slot if message.command.slot < key_slots else 0
        comes = key is not None and kept.get(slot) != key
        if key is not None:
            kept[slot] = key
        yield number, slot, key if comes else None, message


def in_slots(random: Random, sent: Sequence[Keyed], key_slots: int) -> list[Keyed]:
    """The messages for an engine of so many slots: each key has one of them, and messages of several keys take turns.

    One of 8 is of a slot without a key while there is one, and those of a wrong slot are of one that is not there. The
    first one stays the first.
    """
    if key_slots == 1:
        return list(sent)
    turns = [*sent[1:]]
    for start in range(0, len(turns), _WINDOW):
        window = turns[start : start + _WINDOW]
        random.shuffle(window)
        turns[start : start + _WINDOW] = window
    own: dict[bytes | None, int] = {}
    made, filled = list[Keyed](), set[int]()
    for key, message in [*sent[:1], *turns]:
        slot = own.setdefault(key, random.randrange(key_slots))
        empty = [each for each in range(key_slots) if each not in filled]
        if message.command.slot:
            made.append((key, with_command(message, slot=random.randrange(key_slots, 256))))
            filled |= {0} if key is not None else set()
        elif key is None or (empty and random.random() < 1 / 8):
            made.append((None, with_command(message, slot=random.choice(empty))))
        else:
            made.append((key, with_command(message, slot=slot)))
            filled.add(slot)
    return made


def size_of(random: Random, most: int) -> int:
    """Bytes of a section: often those at the border of a block."""
    return min(most, random.choice((0, 1, 15, 16, 17, 32, random.randrange(most + 1))))


def counted(sent: StreamedMessage) -> int:
    """Bytes of text."""
    return sum(beat.keep.bit_count() for beat in sent.beats if beat.section is Section.TEXT)


def _ctr_of(random: Random, size: int) -> StreamedMessage:
    """Random text; the counter is near its end in every other message."""
    iv = random.randbytes(12) + random.choice((random.randbytes(4), b"\xff\xff\xff\xfd"))
    return streamed(Message(iv=iv, text=random.randbytes(size)), tell_length=random.random() < 0.5)


CTR_TRAFFIC = Traffic(
    good=lambda random, _, most: _ctr_of(random, size_of(random, most)),
    to_break=lambda random, _, most: _ctr_of(random, random.randrange(BLOCK + 1, max(most, BLOCK + 1) + 1)),
    bad={
        Fault.KEEP: (
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0xFFFE),
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0x00FB),
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0),
        ),
        Fault.PARTIAL: (lambda m, r: with_beat(m, r.randrange(len(m.beats) - 1), keep=(1 << r.randrange(1, 16)) - 1),),
        Fault.ORDER: (
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), section=Section.HEADER),
            lambda m, _: with_beat(m, len(m.beats) - 1, section=Section.TAG),
            lambda m, _: with_beat(m, 0, section=Section.IV),
        ),
        Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
        Fault.IV: (lambda m, r: with_command(m, iv_bytes=r.choice((0, 12, 15, 17, 255))),),
        Fault.LENGTH: (
            lambda m, r: with_command(m, text_bytes=counted(m) + r.choice((1, 16, 1 << 40))),
            lambda m, _: with_command(m, text_bytes=counted(m) - 1),
        ),
    },
)
"""Messages of CTR with a counter of 128 bits, or of more blocks than a message has here."""


_IVS = (SHORT_IV, SHORT_IV, SHORT_IV, 1, 8, 16, 17, 60, 160)
"""Bytes of IVs of GCM, as often as they come."""


def gcm_message(
    random: Random, cipher: Cipher, most: int, *, encrypt: bool | None = None, ivs: Sequence[int] = _IVS
) -> StreamedMessage:
    """A message with header and text of up to so many bytes, to encrypt, or to decrypt under the cipher's key."""
    encrypt = random.random() < 0.5 if encrypt is None else encrypt
    header, text = random.randbytes(size_of(random, most)), random.randbytes(size_of(random, most))
    iv = random.randbytes(random.choice(ivs))
    message = Message(iv, header, text, bytes(random.choice(GCM_TAGS)))
    if not encrypt:
        sealed = GCM.encrypt(cipher, message)
        message = replace(message, text=sealed.text, tag=sealed.tag)
    return streamed_with_tag(message, encrypt=encrypt, tell_length=random.random() < 0.5)


def _gcm_to_break(random: Random, cipher: Cipher, _: int = 48) -> StreamedMessage:
    """A message to decrypt, of an IV in the command, three beats of text and a tag of 16 bytes."""
    iv = random.randbytes(SHORT_IV)
    sealed = GCM.encrypt(cipher, Message(iv, b"", random.randbytes(3 * BLOCK), bytes(BLOCK)))
    return streamed_with_tag(Message(iv, b"", sealed.text, sealed.tag), encrypt=False)


def _gcm_tampered(random: Random, cipher: Cipher, most: int, *, ivs: Sequence[int] = _IVS) -> StreamedMessage:
    """One bit of header, text or tag is another; in one of eight only a bit of the tag's last byte."""
    if random.random() < 1 / 8:
        whole = _gcm_to_break(random, cipher)
        tag = whole.beats[-1].data
        return with_beat(whole, len(whole.beats) - 1, data=tag[:-1] + bytes([tag[-1] ^ 1 << random.randrange(8)]))
    sent = gcm_message(random, cipher, most, encrypt=False, ivs=ivs)
    place = random.choice([at for at, beat in enumerate(sent.beats) if beat.keep and beat.section is not Section.IV])
    data = bytearray(sent.beats[place].data)
    data[random.randrange(sent.beats[place].keep.bit_count())] ^= 1 << random.randrange(8)
    return with_beat(sent, place, data=bytes(data))


def without_tag(sent: StreamedMessage) -> StreamedMessage:
    """The message with its last beat, a tag, left out."""
    shorter = replace(sent, beats=sent.beats[:-1] or (Beat(),))
    return with_beat(shorter, len(shorter.beats) - 1, last=True)


GCM_TRAFFIC = Traffic(
    good=gcm_message,
    to_break=_gcm_to_break,
    tampered=_gcm_tampered,
    bad={
        Fault.KEEP: (
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0xFFFE),
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0),
        ),
        Fault.PARTIAL: (lambda m, r: with_beat(m, r.randrange(len(m.beats) - 2), keep=(1 << r.randrange(1, 12)) - 1),),
        Fault.ORDER: (
            lambda m, _: without_tag(m),
            lambda m, _: replace(
                m, beats=(*(replace(b, last=False) for b in m.beats), Beat(b"a" * 16, 0xFFFF, last=True))
            ),
        ),
        Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
        Fault.IV: (
            lambda m, r: with_command(m, iv_bytes=r.choice((1, 11, 13, 16, 255))),
            lambda m, _: replace(
                with_command(m, iv_bytes=0), beats=(Beat(b"iv of twelve".ljust(16), 0x0FFF, Section.IV), *m.beats)
            ),
            lambda m, _: with_command(m, iv_bytes=0),
        ),
        Fault.LENGTH: (
            lambda m, r: with_command(m, text_bytes=counted(m) + r.choice((1, 16, 1 << 40))),
            lambda m, r: with_command(m, text_bytes=counted(m) - r.choice((1, 16))),
        ),
        Fault.TAG: (
            lambda m, r: with_command(m, tag_bytes=r.choice((1, 2, 3, 5, 6, 7, 9, 10, 11))),
            lambda m, r: with_command(without_tag(m), encrypt=True, tag_bytes=r.choice((1, 2, 3, 5, 6, 7, 9, 10, 11))),
            lambda m, _: with_beat(m, len(m.beats) - 1, keep=0x7FFF),
        ),
    },
)
"""Messages of GCM in both directions, with IVs and tags of all kinds."""

GCM_SHORT_IV_TRAFFIC = replace(
    GCM_TRAFFIC,
    good=partial(gcm_message, ivs=(SHORT_IV,)),
    tampered=partial(_gcm_tampered, ivs=(SHORT_IV,)),
)
"""The same for engines that take IVs of 12 bytes alone: others are among the bad ones."""
