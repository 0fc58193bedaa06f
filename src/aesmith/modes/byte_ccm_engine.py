"""The engine of CCM in bytes as a design: a stream of bytes, a core of bytes, the chain and the counter beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from aesmith.modes.byte_engine import ByteEngine
from aesmith.modes.clocks import NEVER, Passage, PassingMessage, Recurrence
from aesmith.modes.counting import CCM_NONCES
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.stream import Beat, Command, Section, StreamedMessage
from aesmith.modes.words import in_words
from aesmith.publications import Publication

STANDARD = Publication(
    "sp800-38c",
    "National Institute of Standards and Technology",
    "Recommendation for Block Cipher Modes of Operation: The CCM Mode for Authentication and Confidentiality",
    "SP 800-38C",
    2004,
)
NONCE = max(CCM_NONCES)
"""Bytes of the nonce of a message whose clocks are counted; they do not depend on it."""
MOST_TEXT = (1 << 16) - 1
"""Bytes of text of a message."""


def _fault_of_byte(command: Command, word: Beat, parts: Mapping[Section, bytes]) -> Fault | None:
    """What is wrong with a word behind bytes that were right: the lowest code that applies."""
    header, text, tag = (parts[section] for section in (Section.HEADER, Section.TEXT, Section.TAG))
    rules = MESSAGE_MODES["ccm"].rules(command)
    told, has_header, kind = rules.text_bytes, rules.has_header, word.section
    nothing = not (header or text or tag)
    if not word.keep:
        if not nothing or not word.last:
            return Fault.KEEP
        return Fault.ORDER if not command.encrypt else Fault.LENGTH if has_header or told else None
    if kind is Section.TAG:
        if command.encrypt:
            return Fault.ORDER
        if (has_header and nothing) or len(text) != told:
            return Fault.LENGTH
        return Fault.TAG if word.last != (len(tag) + 1 == rules.tag_bytes) else None
    late = kind is Section.HEADER and text
    if tag or late or kind is Section.IV or (word.last and not command.encrypt):
        return Fault.ORDER
    if kind is Section.HEADER:
        return Fault.LENGTH if not has_header or (word.last and told) else None
    counted = len(text) + 1
    other = told is None or counted > told or (word.last and counted < told)
    return Fault.LENGTH if other or (has_header and not header) else None


@dataclass(frozen=True)
class ByteCcmEngine(ByteEngine):
    """An engine of CCM whose stream and core have bytes; beside the chain it keeps the nonce, the counter and the
    length of the text."""

    mode = "ccm"
    publication = STANDARD
    traffic = MESSAGE_MODES["ccm"].traffic
    answers_words = True

    @property
    def limits(self) -> tuple[str, ...]:
        """How long a text may be."""
        return (
            f"Messages have at most {MOST_TEXT:,} bytes of text; a command that tells more is refused with code 6.",
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a receiver must do."""
        return (
            "**Decrypted text leaves before its tag was compared: the receiver must drop all of a message whose last "
            "beat says *failed*.**",
            *self.limits,
        )

    def _answer_to_bytes(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The other text; then the tag, or whether it is that of header and text."""
        mode, command = MESSAGE_MODES["ccm"], sent.command
        fault, told = mode.command_fault(command), mode.rules(command).text_bytes
        if fault is not Fault.IV and told is not None and told > MOST_TEXT:
            fault = Fault.LENGTH
        if cipher is None or command.slot:
            fault = Fault.KEY
        parts = dict.fromkeys(Section, b"")
        for word in sent.beats:
            fault = fault or _fault_of_byte(command, word, parts)
            if fault is not None:
                break
            parts[word.section] += word.data[: word.keep]
        text = parts[Section.TEXT]
        other = mode.crypt(cipher, command.iv, text, command.encrypt) if cipher is not None and text else b""
        made = [Beat(bytes([byte]), 1) for byte in other]
        if fault is not None:
            return [*made, Beat(bytes(1), last=True, error=True)], fault
        assert cipher is not None
        assert mode.tag is not None
        size = command.tag_bytes or BLOCK
        tag = mode.tag(cipher, command.iv, parts[Section.HEADER], text if command.encrypt else other)[:size]
        if command.encrypt:
            return [*made, *in_words([Beat(tag, (1 << size) - 1, Section.TAG, last=True)], 1)], None
        return [*made, Beat(bytes(1), last=True, failed=tag != parts[Section.TAG])], None

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many blocks of zeros; to decrypt, its tag is wrong."""
        message = Message(bytes(NONCE), bytes(BLOCK * header_blocks), bytes(BLOCK * text_blocks), bytes(BLOCK))
        return self.sends(message, encrypt=encrypt)

    def random_iv(self, command: Command, random: Random) -> bytes:
        """B0 with another nonce."""
        iv = super().random_iv(command, random)
        return command.iv[:1] + iv[1 : 1 + NONCE] + command.iv[1 + NONCE :]

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages with header and without, short and long ones."""
        return product((0, 1, 3), (0, 1, 2, 5), (True, False))

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones of whole blocks without pauses.

        The length in front of a header makes it end in the block behind these.
        """
        made_of_header = encrypt and not text_blocks
        header = header_blocks * self._between(BLOCK) + self._between(BLOCK + 1 - made_of_header)
        text = text_blocks * self._between(1) + (text_blocks + 1) * self._between(0)
        nothing = self._between(0 if header_blocks else 1)
        last = self._between(1 + BLOCK + (not encrypt))
        return bool(header_blocks) * header + (text if text_blocks else nothing) + last

    @property
    def passage(self) -> Recurrence:
        """In which clocks messages come and leave."""
        return self._passed

    def _passed(self, messages: Sequence[PassingMessage]) -> Passage:
        """One thing after the other: B0 is read, and each block goes to the core as it is whole; a block of text waits
        for its key stream, which is asked for when the first byte is seen."""
        latency, least = self.core.latency_cycles, self._least
        taken, sent, idle, made = -1, NEVER, 1, Passage([], [])
        for message in messages:
            offered, left = list[int](), list[int]()
            sent = max(idle + 1 + BLOCK, sent + least)
            absorbs, known = (
                sent + latency,
                False,
            )  # that nothing more is to be absorbed, without a look at the next word
            body = message.beats if message.encrypt else message.beats[:-1]
            for number, beat in enumerate(body):
                offered.append(taken + 1)
                looked = max(absorbs, taken + 1)
                if not beat.size:
                    taken, absorbs, known = looked, looked + 1, True
                    continue
                if beat.section is Section.TEXT:
                    sent = max(looked + 1, sent + least)
                    looked = sent + latency - BLOCK
                    left += range(looked, looked + beat.size)
                taken = looked + beat.size - 1
                known = beat.last or (beat.section is Section.TEXT and number == len(body) - 1)
                padded = beat.size < BLOCK
                sent = max(taken + 1 + BLOCK - beat.size + (padded and not known), sent + least)
                absorbs, known = sent + latency, known or padded
            if not known:
                absorbs = max(absorbs, taken + 1) + 1
            sent = max(absorbs, sent + least)
            shown, idle = sent + latency - BLOCK, sent + latency
            if message.encrypt:
                left += range(shown, shown + message.tag_bytes)
            else:
                offered.append(taken + 1)
                taken = shown + message.tag_bytes - 1
                left.append(idle)
                idle += 1
            made.offered.append(offered)
            made.left.append(left)
        return made

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message: two blocks of AES."""
        return self._between(0) + self._between(1)

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that first offers a byte of text, if nothing else is to be done, up to and with the one
        in which its answer leaves."""
        return self.core.latency_cycles - BLOCK + 2
