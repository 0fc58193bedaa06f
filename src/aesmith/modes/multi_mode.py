"""What a message of each mode is to an engine of several: its number in the command, its rules, its answer, traffic.

The frame is that of all engines (`aesmith.modes.stream`), with two differences: the bytes of text that a command says
are not looked at, and what was found of a tag comes behind the text in a beat of its own. The IV of a command is the
block that the mode begins with: CCM's is B0 of SP 800-38C, and its header comes with its length in front.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random

from aesmith.modes.chained import CBC, CFB128, CMAC, CMAC_TAGS, ECB, OFB
from aesmith.modes.chained_stream import streamed_for_cmac
from aesmith.modes.chained_traffic import CMAC_TRAFFIC, TEXT_TRAFFIC, WHOLE_TRAFFIC, broken_encryption
from aesmith.modes.counting import (
    CCM,
    CCM_NONCES,
    CCM_TAGS,
    GCM,
    GCM_MOST_TEXT,
    GCM_TAGS,
    SHORT_IV,
    ctr,
    first_block_of_ccm,
    length_of_header,
)
from aesmith.modes.message import BLOCK, Cipher, Fault, Message, ModeOfOperation, added, blocks, key_stream, padded
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
    streamed,
    streamed_with_tag,
    text_beats,
)
from aesmith.modes.traffic import (
    CTR_TRAFFIC,
    GCM_SHORT_IV_TRAFFIC,
    GCM_TRAFFIC,
    Maker,
    Traffic,
    counted,
    size_of,
    with_beat,
    with_command,
    without_tag,
)

COUNTER_BITS = 32
"""Bits that count in CTR."""


@dataclass(frozen=True)
class MessageMode:
    """A mode as a command names it.

    `crypt` is the other text of a text under an IV, to encrypt or not; `tag` the whole tag of header and plaintext,
    None for a mode without. `ivs` and `tags` are the bytes that they may have; `stream` makes a message of the frame.
    """

    number: int
    model: ModeOfOperation
    ivs: tuple[int, ...]
    crypt: Callable[[Cipher, bytes, bytes, bool], bytes]
    stream: Callable[[Message, bool], StreamedMessage]
    traffic: Traffic
    tag: Callable[[Cipher, bytes, bytes, bytes], bytes] | None = None
    tags: tuple[int, ...] = ()
    whole: bool = False
    has_header: bool = False
    shows_text: bool = True
    tells_length: bool = False
    """Whether the bytes of text that a command says, if it does, are those of its message."""

    @property
    def name(self) -> str:
        """The mode's name."""
        return self.model.name

    def command_fault(self, command: Command) -> Fault | None:
        """Why a command is refused, by the mode alone."""
        if command.iv_bytes not in self.ivs:
            return Fault.IV
        if self.tags and (command.tag_bytes or BLOCK) not in self.tags:
            return Fault.TAG
        return None

    def rules(self, command: Command) -> MessageRules:
        """What the beats of a message must be."""
        tagged = bool(self.tags) and not command.encrypt
        front = command.iv_bytes == 0 and SHORT_IV in self.ivs
        sections = [
            *[Section.IV] * front,
            *[Section.HEADER] * self.has_header,
            Section.TEXT,
            *[Section.TAG] * tagged,
        ]
        return MessageRules(
            sections, front, (command.tag_bytes or BLOCK) if tagged else 0, unit=BLOCK if self.whole else 1
        )

    def answer(
        self,
        cipher: Cipher | None,
        sent: StreamedMessage,
        fault: Fault | None,
        *,
        encrypt: bool,
        held: int | None = None,
    ) -> _Answer:
        """The beats of a message, and why it is refused; `fault` is why its command is. Text to decrypt that has a tag
        and waits for its verdict has at most `held` beats; None if it does not wait."""
        command = replace(sent.command, encrypt=encrypt)
        if not self.tells_length:
            command = replace(command, text_bytes=UNKNOWN)
        rules, waits = self.rules(command), held is not None and self.shows_text and bool(self.tags) and not encrypt
        if held is not None and waits:
            most = held if rules.most_blocks is None else min(held, rules.most_blocks)
            rules = replace(rules, most_blocks=most, most_fault=Fault.LENGTH)
        good, fault = before_fault(replace(sent, command=command), rules, fault)

        def bytes_of(section: Section) -> bytes:
            return b"".join(beat.data[: beat.keep.bit_count()] for beat in good if beat.section is section)

        iv = bytes_of(Section.IV) if command.iv_bytes == 0 else command.iv
        header, text = bytes_of(Section.HEADER), bytes_of(Section.TEXT)
        other = self.crypt(cipher, iv, text, encrypt) if cipher is not None and text else b""
        made = text_beats(other) if self.shows_text else []
        if fault is not None or self.tag is None:
            return ended([] if waits else made, fault)
        assert cipher is not None
        size = command.tag_bytes or BLOCK
        tag = self.tag(cipher, iv, header, text if encrypt or not self.shows_text else other)[:size]
        if encrypt:
            return [*made, Beat(tag.ljust(BLOCK, b"\0"), (1 << size) - 1, Section.TAG, last=True)], None
        failed = tag != bytes_of(Section.TAG)
        if waits and not failed and made:
            return ended(made, None)
        return [*([] if waits else made), Beat(last=True, failed=failed)], None


_Answer = tuple[list[Beat], Fault | None]


def _by(model: ModeOfOperation) -> Callable[[Cipher, bytes, bytes, bool], bytes]:
    """The other text by the model of a mode without a tag, or whatever its tag."""

    def crypt(cipher: Cipher, iv: bytes, text: bytes, encrypt: bool) -> bytes:
        work = model.encrypt if encrypt or model.authenticated else model.decrypt
        return work(cipher, Message(iv, text=text, tag=bytes(BLOCK) if model.authenticated else b"")).text

    return crypt


def _without_lengths(traffic: Traffic, *left: Maker) -> Traffic:
    """The same without lengths that the command says and that are not looked at; `left` are those of another kind."""
    others = {fault: makers for fault, makers in traffic.bad.items() if fault is not Fault.LENGTH}
    return replace(traffic, bad=others | ({Fault.LENGTH: left} if left else {}))


def _numbered(number: int, traffic: Traffic, **command: object) -> Traffic:
    """The messages with the mode's number in their commands, and with these fields."""

    def of_mode(make: Callable[[Random, Cipher, int], StreamedMessage]) -> Callable[..., StreamedMessage]:
        return lambda random, cipher, most: with_command(make(random, cipher, most), mode=number, **command)

    tampered = traffic.tampered
    return replace(
        traffic,
        good=of_mode(traffic.good),
        to_break=of_mode(traffic.to_break),
        tampered=tampered and of_mode(tampered),
    )


def _part_of_a_block(sent: StreamedMessage, random: Random) -> StreamedMessage:
    return with_beat(sent, random.randrange(len(sent.beats)), keep=(1 << random.randrange(1, BLOCK)) - 1)


def _text(number: int) -> Callable[[Message, bool], StreamedMessage]:
    return lambda message, encrypt: with_command(streamed(message, encrypt=encrypt), mode=number)


def streamed_with_first_block(message: Message, encrypt: bool) -> StreamedMessage:
    """A message of CCM: B0 in the command, the header with its length in front, text, and to decrypt its tag. Raises
    MessageRefused for text whose length B0 does not hold."""
    command = Command(first_block_of_ccm(message), BLOCK, encrypt, len(message.tag), mode=6)
    header = length_of_header(len(message.header)) + message.header
    sections = [(Section.HEADER, header), (Section.TEXT, message.text)]
    return StreamedMessage(command, in_beats([*sections, *([] if encrypt else [(Section.TAG, message.tag)])]))


@dataclass(frozen=True)
class _Ccm(MessageMode):
    """CCM, whose command has B0."""

    def command_fault(self, command: Command) -> Fault | None:
        """B0 must be one, its text below 2^32 bytes, and its tag the command's."""
        flags = command.iv[0] if command.iv else 0
        q = (flags & 7) + 1
        if command.iv_bytes != BLOCK or flags >> 7 or q == 1:
            return Fault.IV
        if _text_bytes(command) >> 32:
            return Fault.LENGTH
        made = 2 * (flags >> 3 & 7) + 2
        return Fault.TAG if made == 2 or (command.tag_bytes or BLOCK) != made else None

    def rules(self, command: Command) -> MessageRules:
        """The text is that of B0, and a header comes if it says so."""
        if len(command.iv) < BLOCK:  # refused
            return super().rules(command)
        return replace(super().rules(command), text_bytes=_text_bytes(command), has_header=bool(command.iv[0] >> 6 & 1))


def _text_bytes(command: Command) -> int:
    return int.from_bytes(command.iv[15 - (command.iv[0] & 7) : 16])


def _ccm_counter(first: bytes, number: int) -> bytes:
    q = (first[0] & 7) + 1
    return bytes([q - 1]) + first[1 : BLOCK - q] + number.to_bytes(q)


def _ccm_text(cipher: Cipher, first: bytes, text: bytes, _encrypt: bool) -> bytes:
    return added(text, key_stream(cipher, _ccm_counter(first, 1), len(text), COUNTER_BITS))


def _ccm_tag(cipher: Cipher, first: bytes, header: bytes, plain: bytes) -> bytes:
    state = bytes(BLOCK)
    for block in blocks(first + padded(header) + padded(plain)):
        state = cipher.encrypt(added(state, block))
    return added(state, cipher.encrypt(_ccm_counter(first, 0)))


def _ccm_message(random: Random, cipher: Cipher, most: int, *, encrypt: bool | None = None) -> StreamedMessage:
    encrypt = random.random() < 0.5 if encrypt is None else encrypt
    header, nonce = random.randbytes(size_of(random, most)), random.randbytes(random.choice(CCM_NONCES))
    message = Message(nonce, header, random.randbytes(size_of(random, most)), bytes(random.choice(CCM_TAGS)))
    if not encrypt:
        sealed = CCM.encrypt(cipher, message)
        message = replace(message, text=sealed.text, tag=sealed.tag)
    return streamed_with_first_block(message, encrypt)


def _ccm_to_break(random: Random, cipher: Cipher, _: int = 48) -> StreamedMessage:
    """A message to decrypt, of a beat of header, three beats of text and a tag of 16 bytes."""
    message = Message(random.randbytes(13), random.randbytes(14), random.randbytes(3 * BLOCK), bytes(BLOCK))
    sealed = CCM.encrypt(cipher, message)
    return streamed_with_first_block(replace(message, text=sealed.text, tag=sealed.tag), encrypt=False)


def _ccm_tampered(random: Random, cipher: Cipher, most: int) -> StreamedMessage:
    sent = _ccm_message(random, cipher, most, encrypt=False)
    place = random.randrange(len(sent.beats))
    data = bytearray(sent.beats[place].data)
    data[random.randrange(sent.beats[place].keep.bit_count())] ^= 1 << random.randrange(8)
    return with_beat(sent, place, data=bytes(data))


def _with_flags(change: Callable[[int], int]) -> Maker:
    """Another first byte of B0."""
    return lambda m, _: with_command(m, iv=bytes([change(m.command.iv[0])]) + m.command.iv[1:])


def _with_text(change: Callable[[int], int]) -> Maker:
    """Another number of bytes in a B0 with a nonce of 13 bytes."""
    return lambda m, _: with_command(
        m, iv=m.command.iv[:14] + (change(int.from_bytes(m.command.iv[14:])) & 0xFFFF).to_bytes(2)
    )


def _with_a_long_text(sent: StreamedMessage, random: Random) -> StreamedMessage:
    flags = sent.command.iv[0] & ~7 | 6
    text = counted(sent) | 1 << random.randrange(32, 56)
    return with_command(sent, iv=bytes([flags]) + sent.command.iv[1:9] + text.to_bytes(7))


_CCM_KEEPS: tuple[Maker, ...] = (
    lambda m, r: with_beat(m, r.randrange(1, len(m.beats)), keep=0xFFFE),
    lambda m, r: with_beat(m, r.randrange(1, len(m.beats)), keep=0),
)
_CCM_ORDERS: tuple[Maker, ...] = (
    lambda m, _: with_beat(m, 2, section=Section.HEADER),
    lambda m, _: with_beat(m, 0, section=Section.IV),
)
_CCM_LENGTHS = (
    *map(_with_text, (lambda n: n + 1, lambda n: n + 16, lambda n: n - 1, lambda n: n - 16)),
    _with_flags(lambda flags: flags ^ 64),
    _with_a_long_text,
)
CCM_TRAFFIC = Traffic(
    good=_ccm_message,
    to_break=_ccm_to_break,
    tampered=_ccm_tampered,
    bad={
        Fault.KEEP: (*_CCM_KEEPS, *map(broken_encryption, _CCM_KEEPS)),
        Fault.ORDER: (lambda m, _: without_tag(m), *_CCM_ORDERS, *map(broken_encryption, _CCM_ORDERS)),
        Fault.KEY: (lambda m, r: with_command(m, slot=r.randrange(1, 256)),),
        Fault.PARTIAL: (
            lambda m, r: replace(m, beats=(replace(m.beats[0], keep=(1 << r.randrange(1, BLOCK)) - 1), *m.beats)),
        ),
        Fault.IV: (
            lambda m, r: with_command(m, iv_bytes=r.choice((0, 12, 15, 17, 255))),
            _with_flags(lambda flags: flags & ~7),
            _with_flags(lambda flags: flags | 128),
        ),
        Fault.LENGTH: (*_CCM_LENGTHS, *map(broken_encryption, _CCM_LENGTHS)),
        Fault.TAG: (
            lambda m, r: with_command(m, tag_bytes=r.choice((1, 2, 3, 5, 6, 14, 15))),
            _with_flags(lambda flags: flags & ~56),
            _with_flags(lambda flags: flags ^ 8),
            lambda m, _: with_beat(m, len(m.beats) - 1, keep=0x7FFF),
        ),
    },
)
"""Messages of CCM in both directions, with nonces and tags of all kinds."""

_ECB_TRAFFIC = replace(
    _numbered(0, _without_lengths(WHOLE_TRAFFIC, _part_of_a_block), iv=b"", iv_bytes=0),
    bad={
        **_without_lengths(WHOLE_TRAFFIC, _part_of_a_block).bad,
        Fault.IV: (lambda m, r: with_command(m, iv_bytes=r.choice((1, 12, 16, 255))),),
    },
)


def _cmac_tag(cipher: Cipher, _iv: bytes, _header: bytes, text: bytes) -> bytes:
    return CMAC.encrypt(cipher, Message(text=text, tag=bytes(BLOCK))).tag


def _gcm_tag(cipher: Cipher, iv: bytes, header: bytes, plain: bytes) -> bytes:
    return GCM.encrypt(cipher, Message(iv, header, plain, bytes(BLOCK))).tag


@dataclass(frozen=True)
class _Gcm(MessageMode):
    """GCM, whose counter serves a number of blocks."""

    def command_fault(self, command: Command) -> Fault | None:
        """A command that tells a length must not tell a longer one."""
        fault, told = super().command_fault(command), command.text_bytes
        too_long = self.tells_length and told != UNKNOWN and told > GCM_MOST_TEXT
        return Fault.LENGTH if too_long and fault is not Fault.IV else fault

    def rules(self, command: Command) -> MessageRules:
        """At most so much text, or the blocks that the command tells."""
        told = GCM_MOST_TEXT if command.text_bytes == UNKNOWN or not self.tells_length else command.text_bytes
        return replace(super().rules(command), most_blocks=-(-told // BLOCK), most_fault=Fault.LENGTH)


@dataclass(frozen=True)
class _Ctr(MessageMode):
    """CTR, whose counter serves a number of blocks."""

    def rules(self, command: Command) -> MessageRules:
        """At most so much text."""
        return replace(super().rules(command), most_blocks=(1 << COUNTER_BITS) - 1)


def _gcm(*, long_iv: bool) -> MessageMode:
    return _Gcm(
        7,
        GCM,
        (SHORT_IV, 0) if long_iv else (SHORT_IV,),
        _by(GCM),
        lambda message, encrypt: with_command(streamed_with_tag(message, encrypt=encrypt), mode=7),
        _numbered(7, _without_lengths(GCM_TRAFFIC if long_iv else GCM_SHORT_IV_TRAFFIC)),
        tag=_gcm_tag,
        tags=GCM_TAGS,
        has_header=True,
    )


def _gcm_of_length() -> MessageMode:
    bad = GCM_SHORT_IV_TRAFFIC.bad
    lengths = (*bad[Fault.LENGTH], *map(broken_encryption, bad[Fault.LENGTH]))
    return replace(
        _gcm(long_iv=False),
        stream=lambda message, encrypt: with_command(
            streamed_with_tag(message, encrypt=encrypt, tell_length=True), mode=7
        ),
        traffic=_numbered(7, replace(GCM_SHORT_IV_TRAFFIC, bad={**bad, Fault.LENGTH: lengths})),
        tells_length=True,
    )


_TEXT_TRAFFIC = _without_lengths(TEXT_TRAFFIC)
_ALL = (
    MessageMode(0, ECB, (0,), _by(ECB), _text(0), _ECB_TRAFFIC, whole=True),
    MessageMode(
        1,
        CBC,
        (BLOCK,),
        _by(CBC),
        _text(1),
        _numbered(1, _without_lengths(WHOLE_TRAFFIC, _part_of_a_block)),
        whole=True,
    ),
    MessageMode(2, CFB128, (BLOCK,), _by(CFB128), _text(2), _numbered(2, _TEXT_TRAFFIC)),
    MessageMode(3, OFB, (BLOCK,), _by(OFB), _text(3), _numbered(3, _TEXT_TRAFFIC)),
    _Ctr(
        4,
        replace(ctr(COUNTER_BITS), name="ctr"),
        (BLOCK,),
        _by(ctr(COUNTER_BITS)),
        _text(4),
        _numbered(4, _without_lengths(CTR_TRAFFIC)),
    ),
    MessageMode(
        5,
        CMAC,
        (0,),
        lambda _cipher, _iv, text, _encrypt: text,
        lambda message, encrypt: with_command(streamed_for_cmac(message, encrypt=encrypt), mode=5),
        _numbered(5, _without_lengths(CMAC_TRAFFIC)),
        tag=_cmac_tag,
        tags=CMAC_TAGS,
        shows_text=False,
    ),
    _Ccm(
        6,
        CCM,
        (BLOCK,),
        _ccm_text,
        streamed_with_first_block,
        CCM_TRAFFIC,
        tag=_ccm_tag,
        tags=CCM_TAGS,
        has_header=True,
    ),
    _gcm(long_iv=False),
)
MESSAGE_MODES: Mapping[str, MessageMode] = {mode.name: mode for mode in _ALL}
"""The modes by name, in the order of their numbers; GCM with IVs of 12 bytes."""
GCM_OF_LENGTH = _gcm_of_length()
"""GCM with IVs of 12 bytes, whose commands tell how much text comes, or all ones."""
GCM_OF_ANY_IV = _gcm(long_iv=True)
"""GCM with IVs of any length, which are hashed where they have other than 12 bytes."""
