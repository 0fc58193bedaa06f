"""What an OCB3 engine answers, as a model, and messages to try one with."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.offset import OCB3, OCB_NONCES, OCB_TAGS, ocb
from aesmith.modes.stream import (
    UNKNOWN,
    Beat,
    Command,
    MessageRules,
    Section,
    StreamedMessage,
    before_fault,
    in_beats,
    text_beats,
)
from aesmith.modes.traffic import Maker, Traffic, counted, size_of, with_beat, with_command, without_tag


def streamed_for_ocb(message: Message, *, encrypt: bool = True, tell_length: bool = False) -> StreamedMessage:
    """A message of OCB3 as it is sent: its nonce in the command, header, text, and to decrypt its tag."""
    told = len(message.text) if tell_length else UNKNOWN
    command = Command(message.iv, len(message.iv), encrypt, len(message.tag), text_bytes=told)
    sections = [(Section.HEADER, message.header), (Section.TEXT, message.text)]
    return StreamedMessage(command, in_beats([*sections, *([] if encrypt else [(Section.TAG, message.tag)])]))


def answer_of_ocb(
    cipher: Cipher | None, sent: StreamedMessage, *, encrypt: bool, verified: bool = True, most_beats: int | None = None
) -> tuple[list[Beat], Fault | None]:
    """The beats that an OCB3 engine gives for a message, and why it refuses it if it does.

    A message to decrypt whose tag is wrong is not refused: *failed* stands in its last beat, which is its only one if
    text is `verified` before it is released. Such an engine holds `most_beats` of text. What is encrypted, or not
    verified, has left before the beat that is wrong.
    """
    command = sent.command
    tag_bytes, fault = command.tag_bytes or BLOCK, None
    if cipher is None or command.slot:
        fault = Fault.KEY
    elif command.iv_bytes not in OCB_NONCES:
        fault = Fault.IV
    rules = MessageRules(
        [Section.HEADER, Section.TEXT, *([] if encrypt else [Section.TAG])],
        tag_bytes=0 if encrypt else tag_bytes,
        most_blocks=most_beats if verified and not encrypt else None,
        most_fault=Fault.LENGTH,
    )
    good, fault = before_fault(sent, rules, fault)
    header, text, given = (
        b"".join(beat.data[: beat.keep.bit_count()] for beat in good if beat.section is section)
        for section in (Section.HEADER, Section.TEXT, Section.TAG)
    )
    message = Message(command.iv[: command.iv_bytes], header, text, bytes(tag_bytes))
    if fault is not None:
        shows = cipher is not None and text and (encrypt or not verified)
        shown = ocb(cipher, message, not encrypt)[0] if cipher is not None and shows else b""
        return [*text_beats(shown), Beat(last=True, error=True)], fault
    assert cipher is not None
    other, tag = ocb(cipher, message, not encrypt)
    tag = tag[:tag_bytes]
    if encrypt:
        end = Beat(tag.ljust(BLOCK, b"\0"), (1 << tag_bytes) - 1, Section.TAG, last=True)
        return [*text_beats(other), end], None
    authentic = tag == given
    beats = text_beats(other if authentic or not verified else b"") or [Beat()]
    return [*beats[:-1], replace(beats[-1], last=True, failed=not authentic)], None


def ocb_message(random: Random, cipher: Cipher, most: int, *, encrypt: bool | None = None) -> StreamedMessage:
    """A message with header and text of up to so many bytes, to encrypt, or to decrypt under the cipher's key."""
    encrypt = random.random() < 0.5 if encrypt is None else encrypt
    header, text = random.randbytes(size_of(random, most)), random.randbytes(size_of(random, most))
    nonce = random.randbytes(random.choice((12, 12, *OCB_NONCES)))
    message = Message(nonce, header, text, bytes(random.choice((16, 16, *OCB_TAGS))))
    if not encrypt:
        sealed = OCB3.encrypt(cipher, message)
        message = replace(message, text=sealed.text, tag=sealed.tag)
    sent = streamed_for_ocb(message, encrypt=encrypt, tell_length=random.random() < 0.5)
    # Bytes after the nonce do not count.
    return with_command(sent, iv=nonce + random.randbytes(BLOCK - len(nonce)))


def _to_break(random: Random, cipher: Cipher, _: int = 48) -> StreamedMessage:
    """A message to decrypt, of a header of a beat, three beats of text and a tag of 16 bytes."""
    message = Message(random.randbytes(12), random.randbytes(BLOCK), random.randbytes(3 * BLOCK), bytes(BLOCK))
    sealed = OCB3.encrypt(cipher, message)
    return streamed_for_ocb(replace(message, text=sealed.text, tag=sealed.tag), encrypt=False)


def _tampered(random: Random, cipher: Cipher, most: int) -> StreamedMessage:
    """One bit of nonce, header, text or tag is another; in one of eight only a bit of the tag's last byte."""
    if random.random() < 1 / 8:
        whole = _to_break(random, cipher)
        tag = whole.beats[-1].data
        return with_beat(whole, len(whole.beats) - 1, data=tag[:-1] + bytes([tag[-1] ^ 1 << random.randrange(8)]))
    sent = ocb_message(random, cipher, most, encrypt=False)
    if random.random() < 1 / 4:
        iv = bytearray(sent.command.iv)
        iv[random.randrange(sent.command.iv_bytes)] ^= 1 << random.randrange(8)
        return with_command(sent, iv=bytes(iv))
    place = random.randrange(len(sent.beats))
    data = bytearray(sent.beats[place].data)
    data[random.randrange(sent.beats[place].keep.bit_count())] ^= 1 << random.randrange(8)
    return with_beat(sent, place, data=bytes(data))


def _both_ways(make: Maker) -> tuple[Maker, Maker]:
    """The same of a message to encrypt, of which text leaves before it is found out."""
    return make, lambda m, r: make(with_command(without_tag(m), encrypt=True), r)


OCB_TRAFFIC = Traffic(
    good=ocb_message,
    to_break=_to_break,
    tampered=_tampered,
    bad={
        Fault.KEEP: (
            *_both_ways(lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0xFFFE)),
            *_both_ways(lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0)),
        ),
        Fault.PARTIAL: _both_ways(lambda m, r: with_beat(m, r.choice((1, 2)), keep=(1 << r.randrange(1, 16)) - 1)),
        Fault.ORDER: (
            lambda m, _: without_tag(m),
            *_both_ways(lambda m, _: with_beat(m, 2, section=Section.HEADER)),
            *_both_ways(lambda m, _: with_beat(m, 0, section=Section.IV)),
            lambda m, _: with_command(m, encrypt=True),
        ),
        Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
        Fault.IV: (lambda m, r: with_command(m, iv_bytes=r.choice((0, 16, 17, 28, 255))),),
        Fault.LENGTH: (
            *_both_ways(lambda m, r: with_command(m, text_bytes=counted(m) + r.choice((1, 16, 1 << 40)))),
            *_both_ways(lambda m, r: with_command(m, text_bytes=counted(m) - r.choice((1, 16)))),
        ),
        Fault.TAG: (
            lambda m, r: with_command(m, tag_bytes=r.randrange(1, 16)),
            lambda m, r: with_beat(m, len(m.beats) - 1, keep=(1 << r.randrange(1, 16)) - 1),
        ),
    },
)
"""Messages of OCB3 in both directions, with nonces and tags of all sizes."""
