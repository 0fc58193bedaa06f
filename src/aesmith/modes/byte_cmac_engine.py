"""The engine of CMAC in bytes as a design: a stream of bytes, a core of bytes, and the chain between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aesmith.errors import RequestError
from aesmith.modes.byte_engine import ByteEngine
from aesmith.modes.clocks import NEVER, Passage, PassingMessage, Recurrence
from aesmith.modes.cmac_engine import STANDARD
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.stream import Beat, Section, StreamedMessage, ended
from aesmith.modes.words import in_words


@dataclass(frozen=True)
class ByteCmacEngine(ByteEngine):
    """An engine of CMAC whose stream and core have bytes; no block is kept but the chain."""

    mode = "cmac"
    publication = STANDARD
    traffic = MESSAGE_MODES["cmac"].traffic
    shows_text = False

    def _answer_to_bytes(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The tag, or whether it is that of the text."""
        command, fault = sent.command, MESSAGE_MODES["cmac"].command_fault(sent.command)
        if cipher is None or command.slot:
            fault = Fault.KEY
        size, text, tag = command.tag_bytes or BLOCK, b"", b""
        for number, word in enumerate(sent.beats):
            if fault is not None:
                break
            if not word.keep:
                alone = number == 0 and word.last
                fault = Fault.KEEP if not alone else None if command.encrypt else Fault.ORDER
            elif word.section is Section.TAG and not command.encrypt:
                tag += word.data[:1]
                fault = Fault.TAG if word.last != (len(tag) == size) else None
            elif word.section is not Section.TEXT or tag or (word.last and not command.encrypt):
                fault = Fault.ORDER
            else:
                text += word.data[:1]
        return self._answered_by(cipher, text, tag, size, fault, encrypt=command.encrypt)

    def _answered_by(
        self, cipher: Cipher | None, text: bytes, tag: bytes, size: int, fault: Fault | None, *, encrypt: bool
    ) -> tuple[list[Beat], Fault | None]:
        if fault is not None:
            return in_words(ended([], fault)[0], 1), fault
        mode = MESSAGE_MODES["cmac"]
        assert mode.tag is not None
        assert cipher is not None
        made = mode.tag(cipher, b"", b"", text)[:size]
        whole = Beat(made.ljust(BLOCK, b"\0"), (1 << size) - 1, Section.TAG, last=True)
        return in_words([whole if encrypt else Beat(last=True, failed=made != tag)], 1), None

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros; there is no header, and to compare, its tag is wrong."""
        return self.sends(Message(text=bytes(BLOCK * text_blocks), tag=bytes(BLOCK)), encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages without text, of one block, and of more."""
        return ((0, blocks, encrypt) for blocks in (0, 1, 2, 5) for encrypt in (True, False))

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones of whole blocks without pauses.

        Raises RequestError for a header, which CMAC has not.
        """
        if header_blocks:
            raise RequestError(f"header_blocks: CMAC has no header, not {header_blocks}")
        before, verdict = max(1, text_blocks) - 1, not encrypt
        return before * self._between(BLOCK + 1) + self._between(0) + self._between(1 + BLOCK + 1 + verdict)

    @property
    def passage(self) -> Recurrence:
        """In which clocks messages come and leave."""
        return self._passed

    def _passed(self, messages: Sequence[PassingMessage]) -> Passage:
        """One thing after the other: bytes are absorbed, or padding is, one a clock; behind a whole block comes a clock
        to look at what is next; the block goes to the core, the last one behind E(0)."""
        latency, least = self.core.latency_cycles, self._least
        taken, sent, idle, made = -1, NEVER, 1, Passage([], [])
        for message in messages:
            offered, absorbs = list[int](), idle + 1
            texts = message.beats if message.encrypt else message.beats[:-1]
            # Without a byte of text the tag is looked at, and all of the block is padding.
            ready = max(absorbs, taken + 1) + 1 + BLOCK
            for beat in texts:
                if offered:
                    sent = max(ready, sent + least)
                    absorbs = sent + latency
                before, taken = taken, max(absorbs, taken + 1) + max(1, beat.size) - 1
                offered.append(taken if beat.size > 1 else before + 1)
                ready = taken + (2 if beat.size == BLOCK else 1 + BLOCK - beat.size)
            zero = max(ready, sent + least)
            sent = zero + max(latency, least)
            shown, idle = sent + latency - BLOCK, sent + latency
            if message.encrypt:
                made.left.append([*range(shown, shown + message.tag_bytes)])
            else:
                taken = shown + message.tag_bytes - 1
                offered.append(taken)
                made.left.append([idle])
                idle += 1
            made.offered.append(offered)
        return made

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message."""
        return self._between(BLOCK + 1)

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes the last byte up to and with the one that offers the tag's first."""
        return self._between(0) + self.core.latency_cycles - BLOCK + 3
