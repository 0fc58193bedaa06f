"""What engines of chained modes answer, as a model: CFB8, and the tag of CMAC."""

from __future__ import annotations

from aesmith.modes.chained import CFB8, CMAC, CMAC_TAGS
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
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


def answer_of_cfb8(cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
    """The beats that an engine of CFB8 gives for a message, and why it refuses it if it does.

    Text before the beat that is wrong has left the engine; behind it nothing does but a beat without bytes.
    """
    command = sent.command
    fault = Fault.KEY if cipher is None or command.slot else Fault.IV if command.iv_bytes != BLOCK else None
    good, fault = before_fault(sent, MessageRules((Section.TEXT,)), fault)
    text = b"".join(beat.data[: beat.keep.bit_count()] for beat in good)
    made: list[Beat] = []
    if cipher is not None and text:
        work = CFB8.encrypt if command.encrypt else CFB8.decrypt
        made = text_beats(work(cipher, Message(iv=command.iv, text=text)).text)
    return ended(made, fault)


def streamed_for_cmac(message: Message, *, encrypt: bool = True, tell_length: bool = False) -> StreamedMessage:
    """A message of CMAC as it is sent: its text, and to compare its tag."""
    told = len(message.text) if tell_length else UNKNOWN
    command = Command(b"", 0, encrypt, len(message.tag), text_bytes=told)
    tag = [] if encrypt else [(Section.TAG, message.tag)]
    return StreamedMessage(command, in_beats([(Section.TEXT, message.text), *tag]))


def answer_of_cmac(cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
    """The beats that a CMAC engine gives for a message, and why it refuses it if it does: the tag, or a beat without
    bytes that says whether it is that of the text."""
    command = sent.command
    tag_bytes = command.tag_bytes or BLOCK
    fault = None
    if cipher is None or command.slot:
        fault = Fault.KEY
    elif command.iv_bytes:
        fault = Fault.IV
    elif tag_bytes not in CMAC_TAGS:
        fault = Fault.TAG
    sections = (Section.TEXT,) if command.encrypt else (Section.TEXT, Section.TAG)
    good, fault = before_fault(sent, MessageRules(sections, tag_bytes=0 if command.encrypt else tag_bytes), fault)
    if fault is not None:
        return [Beat(last=True, error=True)], fault
    assert cipher is not None
    parts = {
        section: b"".join(beat.data[: beat.keep.bit_count()] for beat in good if beat.section is section)
        for section in Section
    }
    if command.encrypt:
        tag = CMAC.encrypt(cipher, Message(text=parts[Section.TEXT], tag=bytes(tag_bytes))).tag
        return [Beat(tag.ljust(BLOCK, b"\0"), (1 << tag_bytes) - 1, Section.TAG, last=True)], None
    authentic = CMAC.decrypt(cipher, Message(text=parts[Section.TEXT], tag=parts[Section.TAG])).authentic
    return [Beat(last=True, failed=not authentic)], None
