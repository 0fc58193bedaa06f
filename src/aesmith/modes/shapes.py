"""Messages of one shape to measure an engine on, random, and good ones."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from random import Random

from aesmith.cores.design import Direction
from aesmith.errors import RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.modes.lanes import separated
from aesmith.modes.message import Cipher
from aesmith.modes.stream import Section, StreamedMessage

TEXT_BLOCKS = 16
"""Blocks of text of a message, if nothing else is asked for and the engine holds them: 256 bytes."""


@dataclass(frozen=True)
class MessageShape:
    """Blocks of header and of text of a message."""

    header_blocks: int
    text_blocks: int

    def __str__(self) -> str:
        parts = [(self.header_blocks, "header")] * bool(self.header_blocks) + [(self.text_blocks, "text")]
        return " and ".join(f"{count} block{'s' * (count != 1)} of {what}" for count, what in parts)


def shape_of(engine: StreamEngine, text_blocks: int | None = None) -> MessageShape:
    """The messages that an engine is measured on: a block of header where the mode knows one, and text.

    Raises RequestError if the engine does not hold as much text as is asked for, or no text beside a header.
    """
    header = int(any(headers for headers, _, _ in engine.kinds()))
    wanted = TEXT_BLOCKS if text_blocks is None else text_blocks
    # Its model refuses what an engine does not hold, so all that is shorter than something is held.
    most = bisect_left(range(1, wanted + 1), True, key=lambda count: _refused(engine, MessageShape(header, count)))
    if not most or (text_blocks is not None and most < wanted):
        raise RequestError(
            f"text_blocks: must be at most {most}, not {wanted}: {engine.preset} holds a message until its tag is known"
        )
    return MessageShape(header, most)


def _refused(engine: StreamEngine, shape: MessageShape) -> bool:
    """Whether it refuses a message of the shape in one of its directions."""
    cipher = Cipher(bytes(range(engine.rated_key_bits // 8)))
    ways = [way is Direction.ENCRYPT for way in engine.directions]
    plain = [engine.plain(shape.header_blocks, shape.text_blocks, encrypt=encrypt) for encrypt in ways]
    return any(engine.answer(cipher, sent)[1] is not None for sent in plain)


def message_for(
    engine: StreamEngine, cipher: Cipher, shape: MessageShape, random: Random, *, encrypt: bool
) -> StreamedMessage:
    """A message of that shape, random, with a tag that is right where it has one to be compared."""
    plain = _apart(engine, engine.plain(shape.header_blocks, shape.text_blocks, encrypt=encrypt))
    iv = engine.random_iv(plain.command, random)
    sent = replace(
        plain,
        command=replace(plain.command, iv=iv),
        beats=tuple(
            beat
            if beat.section is Section.TAG or not beat.keep
            else replace(beat, data=random.randbytes(len(beat.data)))
            for beat in plain.beats
        ),
    )
    front = [beat for beat in sent.beats if beat.section is not Section.TAG]
    tags = sent.beats[len(front) :]
    if not tags:
        made_whole = _together(engine, sent)
        return made_whole if encrypt else engine.righted(made_whole, cipher)
    to_seal = _apart(engine, engine.plain(shape.header_blocks, shape.text_blocks, encrypt=True))
    whole = (*front[:-1], replace(front[-1], last=True)) if front else to_seal.beats
    answer, fault = engine.answer(cipher, _together(engine, StreamedMessage(replace(to_seal.command, iv=iv), whole)))
    assert fault is None
    made = answer if engine.lanes == 1 else separated(answer)
    texts = iter([beat.data for beat in made if beat.section is Section.TEXT])
    sealed = [replace(beat, data=next(texts, beat.data)) if beat.section is Section.TEXT else beat for beat in front]
    tag = [beat.data for beat in made if beat.section is Section.TAG]
    ends = (replace(beat, data=data) for beat, data in zip(tags, tag, strict=True))
    return _together(engine, replace(sent, beats=(*sealed, *ends)))


def _apart(engine: StreamEngine, sent: StreamedMessage) -> StreamedMessage:
    """A message of several lanes lane by lane; any other as it is."""
    return sent if engine.lanes == 1 else replace(sent, beats=tuple(separated(sent.beats)))


def _together(engine: StreamEngine, sent: StreamedMessage) -> StreamedMessage:
    """The lanes of a message in beats again."""
    return sent if engine.lanes == 1 else engine.in_words(sent)
