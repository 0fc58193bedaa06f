"""What an XTS engine answers, as a model, and messages to try one with."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.offset import XTS
from aesmith.modes.stream import (
    Beat,
    MessageRules,
    Section,
    StreamedMessage,
    before_fault,
    ended,
    streamed,
    text_beats,
)
from aesmith.modes.traffic import CTR_TRAFFIC, Traffic, size_of, with_beat, with_command


def answer_of_xts(cipher: Cipher | None, sent: StreamedMessage, *, encrypt: bool) -> tuple[list[Beat], Fault | None]:
    """The beats that an XTS engine gives for a message, and why it refuses it if it does.

    Text before the beat that is wrong has left the engine as if the message had ended there; behind it nothing does but
    a beat without bytes.
    """
    command, fault = sent.command, None
    if cipher is None or command.slot:
        fault = Fault.KEY
    elif command.iv_bytes != BLOCK:
        fault = Fault.IV
    elif cipher.key[: len(cipher.key) // 2] == cipher.key[len(cipher.key) // 2 :]:
        fault = Fault.XTS
    good, fault = before_fault(sent, MessageRules((Section.TEXT,), first_whole=True), fault)
    text = b"".join(beat.data[: beat.keep.bit_count()] for beat in good)
    made: list[Beat] = []
    if cipher is not None and text:
        work = XTS.encrypt if encrypt else XTS.decrypt
        made = text_beats(work(cipher, Message(iv=command.iv, text=text)).text)
    return ended(made, fault)


def _message(random: Random, size: int) -> StreamedMessage:
    sent = streamed(Message(iv=random.randbytes(BLOCK), text=random.randbytes(size)), tell_length=random.random() < 0.5)
    return with_command(sent, encrypt=random.random() < 0.5)


def _key(random: Random, size: int) -> bytes:
    """A key; one of eight has equal halves."""
    key = random.randbytes(size)
    return key[: size // 2] * 2 if random.random() < 1 / 8 else key


XTS_TRAFFIC = Traffic(
    good=lambda random, _, most: _message(random, max(BLOCK, size_of(random, most))),
    to_break=lambda random, _, most: _message(random, random.randrange(2 * BLOCK + 1, max(most, 2 * BLOCK + 1) + 1)),
    bad={
        **CTR_TRAFFIC.bad,
        Fault.PARTIAL: (
            lambda m, r: with_beat(m, r.randrange(1, len(m.beats) - 1), keep=(1 << r.randrange(1, BLOCK)) - 1),
        ),
        Fault.LENGTH: (
            *CTR_TRAFFIC.bad[Fault.LENGTH],
            lambda m, r: with_beat(m, 0, keep=(1 << r.randrange(1, BLOCK)) - 1),
            lambda m, r: replace(m, beats=(replace(m.beats[0], keep=(1 << r.randrange(BLOCK)) - 1, last=True),)),
        ),
    },
    key=_key,
)
"""Messages of XTS: a block at least, any bytes behind it; of keys some have equal halves."""
