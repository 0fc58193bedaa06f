"""The engine of CTR around a pipelined core as a design: counters go ahead, and key stream waits in the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from aesmith.cores.design import Direction
from aesmith.errors import RequestError
from aesmith.modes.clocks import Recurrence
from aesmith.modes.ctr_engine import STANDARD
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.multi_mode import COUNTER_BITS, MESSAGE_MODES
from aesmith.modes.multi_mode_clocks import MultiModeTiming, clocks_of_blocks, multi_mode_clocks
from aesmith.modes.stream import Beat, StreamedMessage


@dataclass(frozen=True)
class CounterEngine(StreamEngine):
    """An engine of CTR around a core that takes a block per clock, with the frame of engines of several modes.

    Raises RequestError for any other core, and for several.
    """

    mode = "ctr"
    publication = STANDARD
    traffic = MESSAGE_MODES["ctr"].traffic
    directions = (Direction.ENCRYPT, Direction.DECRYPT)
    takes_key_sizes = True
    looks_at_lengths = False
    one_at_a_time = "key stream waits in the core for the beat at the input"
    counter_bits: ClassVar[int] = COUNTER_BITS
    """Bits that count."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cores != 1:
            raise RequestError(f"cores: must be 1, not {self.cores}: key stream waits in the core")
        if self.core.cycles_per_block != 1:
            raise RequestError(
                f"core: must take one block per clock, because counters run ahead; {self.core.preset} takes one every "
                f"{self.core.cycles_per_block} clocks: omit ahead"
            )

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"CTR with {self.core.preset}, counters ahead of the text"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a message costs beside its text."""
        return (
            f"Text flows at one block per cycle. Between messages, {self.core.latency_cycles} more cycles pass "
            "while the first key stream is made.",
        )

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged module."""
        return ("counter_engine",)

    @property
    def flight_bits(self) -> int:
        """Bits of the number of blocks in the core: as many as it holds while it moves."""
        return self.core.latency_cycles.bit_length()

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"FlightBits": self.flight_bits}

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        mode, command = MESSAGE_MODES["ctr"], sent.command
        fault = Fault.KEY if cipher is None or command.slot else mode.command_fault(command)
        return mode.answer(cipher, sent, fault, encrypt=command.encrypt)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return MESSAGE_MODES["ctr"].stream(message, encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros; CTR has no header."""
        return self.sends(Message(bytes(BLOCK), b"", bytes(BLOCK * text_blocks)), encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages, short and long ones."""
        return ((0, blocks, True) for blocks in (0, 1, 2, 7, 40))

    @property
    def _timing(self) -> MultiModeTiming:
        clocks = self.core.clocks(self.rated_key_bits, Direction.ENCRYPT)
        both = (clocks.per_block, clocks.first)
        return MultiModeTiming("ctr", *both, *both, hash_key=False, steps=0, long_iv=False, verified=False, ahead=True)

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages go through."""
        return partial(multi_mode_clocks, self._timing)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones, without pauses. Raises RequestError for a header."""
        if header_blocks:
            raise RequestError(f"header_blocks: CTR has no header, not {header_blocks}")
        return clocks_of_blocks(self._timing, 0, text_blocks, encrypt=encrypt)

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message, on a stream of words."""
        words = self.stream_words
        return 1 if words == 1 else 2 * words - 1

    @property
    def latency_cycles(self) -> int:
        """Of a beat that comes when its key stream is there: it leaves in the clock in which it is offered."""
        return 1
