"""What engines whose stream and core have bytes share: one core, no whole block of text anywhere, a model by bytes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from aesmith.cores.design import Direction
from aesmith.cores.ports import BLOCK_BITS
from aesmith.errors import RequestError
from aesmith.modes.clocks import Recurrence
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import Cipher, Fault, Message
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.stream import Beat, StreamedMessage

BYTE = 8
"""Bits of its stream, and of blocks at its core."""


@dataclass(frozen=True)
class ByteEngine(StreamEngine):
    """An engine whose stream and core have bytes.

    Raises RequestError for any other stream or core, and for several cores.
    """

    directions = (Direction.ENCRYPT, Direction.DECRYPT)
    short_tags = True
    takes_words = True
    looks_at_lengths = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cores != 1:
            raise RequestError(
                f"cores: must be 1, not {self.cores}: each block of {self.mode.upper()} waits for the one before it"
            )
        if self.core.block_width != BYTE:
            raise RequestError(f"core: must take blocks in bytes; {self.core.preset} does not")
        if self.stream_bits != BYTE:
            raise RequestError(f"stream_bits: must be 8, as the core has, not {self.stream_bits}")

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"{self.mode.upper()} with {self.core.preset}, in bytes"

    @property
    def wide(self) -> Self:
        """There is no engine of whole beats inside."""
        return self

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        return ("key_words", f"byte_{self.mode}_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """None but `Cores`."""
        return {}

    @abstractmethod
    def _answer_to_bytes(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """What it gives for a message of bytes, and why it refuses it, if it does: the first byte that is wrong
        decides."""

    def answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """What it gives for a message of bytes: the first byte that is wrong decides."""
        return self._answer_to_bytes(cipher, self._with_least_tag(sent))

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The same of a message in beats; its answer is in bytes."""
        return self.answer(cipher, self.in_words(sent))

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return MESSAGE_MODES[self.mode].stream(message, encrypt)

    @property
    def _least(self) -> int:
        """Clocks from a block's first byte at the core to that of the next one, at least. A core that is kept waiting
        may take longer."""
        return self.core.late_cycles or self.core.cycles_per_block

    def _between(self, own: int) -> int:
        """Clocks from a block's first byte at the core to that of the next one, which comes so many clocks behind the
        result."""
        return max(self.core.latency_cycles + own, self._least)

    def message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones of whole blocks without pauses: bytes come and go while nothing
        else does."""
        return self._message_cycles(header_blocks, text_blocks, encrypt=encrypt)

    @property
    @abstractmethod
    def passage(self) -> Recurrence:
        """In which clocks messages come and leave."""

    @property
    def block_bits(self) -> int:
        """Bits of a block of text."""
        return BLOCK_BITS
