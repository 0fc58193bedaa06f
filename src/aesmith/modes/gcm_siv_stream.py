"""How messages of GCM-SIV are sent: as those of GCM, with a nonce of 12 bytes in the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from aesmith.modes.counting import SHORT_IV
from aesmith.modes.gcm_siv import GCM_SIV
from aesmith.modes.held_text_stream import HeldTextFrame, bytes_of
from aesmith.modes.message import BLOCK, Fault, Message
from aesmith.modes.stream import MessageRules, Section, StreamedMessage, streamed_with_tag
from aesmith.modes.traffic import Maker, with_beat


class GcmSivFrame(HeldTextFrame):
    """The frame of GCM: header, text, and the tag to decrypt."""

    def sent(self, message: Message, *, encrypt: bool = True, tell_length: bool = False) -> StreamedMessage:
        """A message in whole beats."""
        return streamed_with_tag(message, encrypt=encrypt, tell_length=tell_length)

    def received(self, sent: StreamedMessage) -> Message:
        """The message that was sent so; to encrypt, its tag is zeros."""
        header, text, tag = (bytes_of(sent, section) for section in (Section.HEADER, Section.TEXT, Section.TAG))
        return Message(sent.command.iv, header, text, tag or bytes(sent.command.tag_bytes or BLOCK))

    def rules(self, tag_bytes: int, most_beats: int, *, encrypt: bool) -> MessageRules:
        """What its beats must be, with a tag of so many bytes and room for so many beats of text."""
        sections = [Section.HEADER, Section.TEXT, *([] if encrypt else [Section.TAG])]
        return MessageRules(
            sections, tag_bytes=tag_bytes * (not encrypt), most_blocks=most_beats, most_fault=Fault.LENGTH
        )

    def draw(self, random: Random, header: int, text: int) -> Message:
        """A random message of so many bytes."""
        return Message(
            random.randbytes(SHORT_IV),
            random.randbytes(header),
            random.randbytes(text),
            bytes(random.choice(self.tags)),
        )

    def spoiled(self, bad: Mapping[Fault, Sequence[Maker]]) -> Mapping[Fault, Sequence[Maker]]:
        """What makes a message bad: an IV in the stream, too."""
        return {**bad, Fault.ORDER: (*bad[Fault.ORDER], lambda m, _: with_beat(m, 0, section=Section.IV))}


GCM_SIV_FRAME = GcmSivFrame(GCM_SIV, SHORT_IV)
"""How messages of GCM-SIV are sent."""
