"""What engines of chained modes answer, as a model: CBC, CFB128, CFB8 and OFB, the tag of CMAC, and CCM."""

from __future__ import annotations

from dataclasses import replace

from aesmith.modes.chained import CBC, CMAC, CMAC_TAGS
from aesmith.modes.counting import CCM, CCM_NONCES, CCM_SHORT_HEADER, CCM_TAGS
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


def answer_of_chained(
    mode: ModeOfOperation, cipher: Cipher | None, sent: StreamedMessage, *, encrypt: bool
) -> tuple[list[Beat], Fault | None]:
    """The beats that an engine of CBC, CFB128, CFB8 or OFB gives for a message, and why it refuses it if it does.

    Text before the beat that is wrong has left the engine; behind it nothing does but a beat without bytes.
    """
    command = sent.command
    fault = Fault.KEY if cipher is None or command.slot else Fault.IV if command.iv_bytes != BLOCK else None
    good, fault = before_fault(sent, MessageRules((Section.TEXT,), whole=mode is CBC), fault)
    text = b"".join(beat.data[: beat.keep.bit_count()] for beat in good)
    made: list[Beat] = []
    if cipher is not None and text:
        work = mode.encrypt if encrypt else mode.decrypt
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


def streamed_for_ccm(message: Message, *, encrypt: bool = True) -> StreamedMessage:
    """A message of CCM as it is sent: nonce and lengths in the command, header, text, and to decrypt its tag."""
    lengths = {"text_bytes": len(message.text), "header_bytes": len(message.header)}
    command = Command(message.iv, len(message.iv), encrypt, len(message.tag), **lengths)
    sections = [(Section.HEADER, message.header), (Section.TEXT, message.text)]
    return StreamedMessage(command, in_beats([*sections, *([] if encrypt else [(Section.TAG, message.tag)])]))


def fault_of_ccm(cipher: Cipher | None, command: Command, most_beats: int) -> Fault | None:
    """Why a CCM engine refuses a command; `most_beats` is what it holds of text to decrypt."""
    if cipher is None or command.slot:
        return Fault.KEY
    if command.iv_bytes not in CCM_NONCES:
        return Fault.IV
    most = min(1 << 8 * (BLOCK - 1 - command.iv_bytes), 1 << 32) - 1
    most = most if command.encrypt else min(most, BLOCK * most_beats)
    if command.text_bytes > most or command.header_bytes >= CCM_SHORT_HEADER:
        return Fault.LENGTH
    return None if (command.tag_bytes or BLOCK) in CCM_TAGS else Fault.TAG


def answer_of_ccm(cipher: Cipher | None, sent: StreamedMessage, most_beats: int) -> tuple[list[Beat], Fault | None]:
    """The beats that a CCM engine gives for a message, and why it refuses it if it does.

    Text that is encrypted before the beat that is wrong has left; decrypted text has only if its tag was right.
    """
    command = sent.command
    tag_bytes, encrypt = command.tag_bytes or BLOCK, command.encrypt
    sections = [Section.HEADER, Section.TEXT, *([] if encrypt else [Section.TAG])]
    rules = MessageRules(
        sections,
        tag_bytes=0 if encrypt else tag_bytes,
        most_blocks=None if encrypt else most_beats,
        most_fault=Fault.LENGTH,
        header_bytes=command.header_bytes,
    )
    good, fault = before_fault(sent, rules, fault_of_ccm(cipher, command, most_beats))
    header, text, tag = (
        b"".join(beat.data[: beat.keep.bit_count()] for beat in good if beat.section is section)
        for section in (Section.HEADER, Section.TEXT, Section.TAG)
    )
    message = Message(command.iv[: command.iv_bytes], header, text, bytes(tag_bytes))
    if fault is not None:
        shown = CCM.encrypt(cipher, message).text if cipher is not None and encrypt and text else b""
        return [*text_beats(shown), Beat(last=True, error=True)], fault
    assert cipher is not None
    if encrypt:
        made = CCM.encrypt(cipher, message)
        end = Beat(made.tag.ljust(BLOCK, b"\0"), (1 << tag_bytes) - 1, Section.TAG, last=True)
        return [*text_beats(made.text), end], None
    opened = CCM.decrypt(cipher, replace(message, tag=tag))
    beats = text_beats(opened.text) or [Beat()]
    return [*beats[:-1], replace(beats[-1], last=True, failed=not opened.authentic)], None
