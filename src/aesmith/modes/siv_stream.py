"""How messages of AES-SIV are sent: components of the header in turn as two kinds, text, and the tag to decrypt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from aesmith.modes.held_text_stream import HeldTextFrame, bytes_of
from aesmith.modes.message import BLOCK, Fault, Message
from aesmith.modes.siv import MOST_COMPONENTS, SIV, components
from aesmith.modes.stream import UNKNOWN, Beat, Command, MessageRules, Section, StreamedMessage, in_beats
from aesmith.modes.traffic import Maker, size_of, with_beat, with_command, without_tag

KINDS = (Section.HEADER, Section.IV)
"""The kinds of components, which take turns: so a nonce behind a header is an IV."""


def _in_beats(header: Sequence[bytes], sections: Sequence[tuple[Section, bytes]]) -> tuple[Beat, ...]:
    """Sections behind the components of a header, of which an empty one is a beat without bytes."""
    front = [
        replace(beat, section=KINDS[number % 2], last=False)
        for number, part in enumerate(header)
        for beat in in_beats([(Section.HEADER, part)])
    ]
    if front and not any(data for _, data in sections):
        return (*front[:-1], replace(front[-1], last=True))
    return (*front, *in_beats(sections))


def _components(sent: StreamedMessage) -> Iterator[bytes]:
    """The components of the header of a message."""
    part, kind = b"", None
    for beat in sent.beats:
        if beat.section is not kind:
            if kind in KINDS:
                yield part
            part, kind = b"", beat.section
        part += beat.data[: beat.keep.bit_count()]
    if kind in KINDS:
        yield part


class SivFrame(HeldTextFrame):
    """Components, text, and the tag to decrypt."""

    def sent(self, message: Message, *, encrypt: bool = True, tell_length: bool = False) -> StreamedMessage:
        """A message in whole beats."""
        told = len(message.text) if tell_length else UNKNOWN
        sections = [(Section.TEXT, message.text), *([] if encrypt else [(Section.TAG, message.tag)])]
        beats = _in_beats(components(message), sections)
        return StreamedMessage(Command(b"", self.iv_bytes, encrypt, len(message.tag), text_bytes=told), beats)

    def received(self, sent: StreamedMessage) -> Message:
        """The message that was sent so; to encrypt, its tag is zeros."""
        tag = bytes_of(sent, Section.TAG) or bytes(BLOCK)
        return Message(text=bytes_of(sent, Section.TEXT), tag=tag, components=tuple(_components(sent)))

    def rules(self, tag_bytes: int, most_beats: int, *, encrypt: bool) -> MessageRules:
        """What its beats must be, with a tag of so many bytes and room for so many beats of text."""
        sections = [*KINDS, Section.TEXT, *([] if encrypt else [Section.TAG])]
        made = MessageRules(sections, tag_bytes=tag_bytes * (not encrypt), most_components=MOST_COMPONENTS)
        return replace(made, most_blocks=most_beats, most_fault=Fault.LENGTH)

    def draw(self, random: Random, header: int, text: int) -> Message:
        """A random message whose components have at most so many bytes; without any, there are none."""
        parts = tuple(
            random.randbytes(size_of(random, header)) for _ in range(random.choice((1, 1, 2, 2, 3, 5)) if header else 0)
        )
        return Message(text=random.randbytes(text), tag=bytes(BLOCK), components=parts)

    def spoiled(self, bad: Mapping[Fault, Sequence[Maker]]) -> Mapping[Fault, Sequence[Maker]]:
        """What makes a message bad: header and nonce, too."""
        behind = Beat(b"h" * BLOCK, (1 << BLOCK) - 1, Section.IV)
        return {
            **bad,
            Fault.KEEP: (
                *bad[Fault.KEEP],
                lambda m, r: _behind(m, [1 << r.randrange(1, BLOCK)]),
                lambda m, r: _behind(m, [(1 << BLOCK) - 1] * r.randrange(1, 3) + [0]),
                lambda m, _: _behind(m, [0, 0]),
            ),
            Fault.PARTIAL: (
                *bad[Fault.PARTIAL],
                lambda m, r: _behind(m, [(1 << r.randrange(1, BLOCK)) - 1, (1 << r.randrange(1, BLOCK)) - 1]),
                lambda m, r: _behind(m, [0, (1 << r.randrange(1, BLOCK)) - 1]),
            ),
            Fault.ORDER: (
                *bad[Fault.ORDER],
                lambda m, r: with_beat(m, r.randrange(1, len(m.beats) - 1), section=r.choice(KINDS)),
                lambda m, r: with_beat(m, r.randrange(1, len(m.beats) - 1), section=r.choice(KINDS), keep=0),
                lambda m, r: _behind(
                    with_beat(m, r.randrange(1, 3), section=Section.HEADER, keep=0), [(1 << BLOCK) - 1]
                ),
                lambda m, _: replace(without_tag(m), beats=(behind, *without_tag(m).beats)),
                lambda m, _: replace(m, beats=(replace(behind, last=True),)),
            ),
            Fault.IV: (lambda m, r: with_command(m, iv_bytes=r.choice((1, 11, 12, 16, 255))),),
            Fault.LENGTH: (
                *bad[Fault.LENGTH],
                lambda m, r: replace(m, beats=(*_in_beats(_many(r), [])[:-1], *m.beats)),
            ),
        }


def _many(random: Random) -> list[bytes]:
    """More components than a header may have, and one."""
    return [random.randbytes(random.choice((0, 0, 1, BLOCK))) for _ in range(MOST_COMPONENTS + 2)]


def _behind(sent: StreamedMessage, keeps: Sequence[int]) -> StreamedMessage:
    """The message behind a component of beats with these bytes."""
    return replace(sent, beats=(*(Beat(b"c" * BLOCK, keep, Section.HEADER) for keep in keeps), *sent.beats))


SIV_FRAME = SivFrame(SIV, 0)
"""How messages of AES-SIV are sent."""
