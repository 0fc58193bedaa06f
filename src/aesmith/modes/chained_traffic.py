"""Messages to try engines of chained modes with: ECB, CBC, CFB128, CFB8, OFB and CMAC."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from aesmith.modes.chained import CMAC, CMAC_TAGS
from aesmith.modes.chained_stream import streamed_for_cmac
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, Section, StreamedMessage, streamed
from aesmith.modes.traffic import CTR_TRAFFIC, Maker, Traffic, counted, size_of, with_beat, with_command, without_tag


def _of_text(random: Random, size: int) -> StreamedMessage:
    sent = streamed(Message(iv=random.randbytes(BLOCK), text=random.randbytes(size)), tell_length=random.random() < 0.5)
    return with_command(sent, encrypt=random.random() < 0.5)


_BAD_TEXT = {fault: makers for fault, makers in CTR_TRAFFIC.bad.items() if fault is not Fault.PARTIAL}

TEXT_TRAFFIC = Traffic(
    good=lambda random, _, most: _of_text(random, size_of(random, most)),
    to_break=lambda random, _, most: _of_text(random, random.randrange(BLOCK + 1, max(most, BLOCK + 1) + 1)),
    bad=CTR_TRAFFIC.bad,
)
"""Messages of CFB128, CFB8 and OFB: any bytes are text, to encrypt or to decrypt."""


def _whole(random: Random, least: int, most: int) -> StreamedMessage:
    return _of_text(random, BLOCK * random.randint(least, max(least, most // BLOCK)))


WHOLE_TRAFFIC = Traffic(
    good=lambda random, _, most: _whole(random, 0, most),
    to_break=lambda random, _, most: _whole(random, 2, most),
    bad=_BAD_TEXT
    | {
        Fault.LENGTH: (
            *_BAD_TEXT[Fault.LENGTH],
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=(1 << r.randrange(1, BLOCK)) - 1),
        )
    },
)
"""Messages of CBC, of whole blocks."""


def _cmac_message(random: Random, cipher: Cipher, most: int, *, encrypt: bool | None = None) -> StreamedMessage:
    encrypt = random.random() < 0.5 if encrypt is None else encrypt
    message = Message(text=random.randbytes(size_of(random, most)), tag=bytes(random.choice(CMAC_TAGS)))
    if not encrypt:
        message = replace(message, tag=CMAC.encrypt(cipher, message).tag)
    return streamed_for_cmac(message, encrypt=encrypt, tell_length=random.random() < 0.5)


def _cmac_to_break(random: Random, cipher: Cipher, _: int = 48) -> StreamedMessage:
    """A message to compare, of three beats of text and a tag of 16 bytes."""
    message = Message(text=random.randbytes(3 * BLOCK), tag=bytes(BLOCK))
    return streamed_for_cmac(replace(message, tag=CMAC.encrypt(cipher, message).tag), encrypt=False)


def _with_a_bit_changed(random: Random, sent: StreamedMessage, whole: StreamedMessage) -> StreamedMessage:
    """A message one bit of which is another; in one of eight the other one, with a bit of its tag's last byte."""
    if random.random() < 1 / 8:
        tag = whole.beats[-1].data
        return with_beat(whole, len(whole.beats) - 1, data=tag[:-1] + bytes([tag[-1] ^ 1 << random.randrange(8)]))
    place = random.randrange(len(sent.beats))
    data = bytearray(sent.beats[place].data)
    data[random.randrange(sent.beats[place].keep.bit_count())] ^= 1 << random.randrange(8)
    return with_beat(sent, place, data=bytes(data))


def _cmac_tampered(random: Random, cipher: Cipher, most: int) -> StreamedMessage:
    sent = _cmac_message(random, cipher, most, encrypt=False)
    return _with_a_bit_changed(random, sent, _cmac_to_break(random, cipher))


CMAC_TRAFFIC = Traffic(
    good=_cmac_message,
    to_break=_cmac_to_break,
    tampered=_cmac_tampered,
    bad={
        Fault.KEEP: (
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0xFFFE),
            lambda m, r: with_beat(m, r.randrange(len(m.beats)), keep=0),
        ),
        Fault.PARTIAL: (lambda m, r: with_beat(m, r.randrange(len(m.beats) - 2), keep=(1 << r.randrange(1, 16)) - 1),),
        Fault.ORDER: (
            lambda m, _: without_tag(m),
            lambda m, _: with_command(m, encrypt=True),
            lambda m, r: with_beat(m, r.randrange(len(m.beats) - 1), section=Section.HEADER),
            lambda m, _: replace(
                m, beats=(*(replace(b, last=False) for b in m.beats), Beat(b"a" * 16, 0xFFFF, last=True))
            ),
        ),
        Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
        Fault.IV: (lambda m, r: with_command(m, iv_bytes=r.choice((1, 12, 16, 255))),),
        Fault.LENGTH: (
            lambda m, r: with_command(m, text_bytes=counted(m) + r.choice((1, 16, 1 << 40))),
            lambda m, r: with_command(m, text_bytes=counted(m) - r.choice((1, 16))),
        ),
        Fault.TAG: (
            lambda m, r: with_command(m, tag_bytes=r.choice((1, 2, 3))),
            lambda m, r: with_command(without_tag(m), encrypt=True, tag_bytes=r.choice((1, 2, 3))),
            lambda m, _: with_beat(m, len(m.beats) - 1, keep=0x7FFF),
        ),
    },
)
"""Messages of CMAC: text whose tag is made, or compared."""


def broken_encryption(make: Maker) -> Maker:
    """The same of a message to encrypt, of which text leaves before it is found out."""
    return lambda m, r: make(with_command(without_tag(m), encrypt=True), r)
