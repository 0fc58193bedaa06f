"""The CFB8 engine as a design: cores in turn, a register for the chain, and a ring in which text waits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.chained_stream import answer_of_cfb8
from aesmith.modes.chained_traffic import TEXT_TRAFFIC
from aesmith.modes.clocks import Passage, PassingMessage, Recurrence
from aesmith.modes.ctr_engine import STANDARD
from aesmith.modes.engine import TURNS, StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, StreamedMessage, streamed
from aesmith.modes.turn_clocks import TurnTiming, turn_clocks

Chain = Literal["direct", "registered"]
CHAINS: tuple[Chain, ...] = ("direct", "registered")


@dataclass(frozen=True)
class Cfb8Engine(StreamEngine):
    """An engine of CFB8, for both directions: a core is called for each byte, and a beat stays at the head until its
    last one is sent.

    With a `direct` chain a result goes to the next block in the clock in which it comes, else one clock later, and no
    path leads from the core's output to its input. Raises RequestError for a core that does not encrypt.
    """

    chain: Chain = "direct"

    mode = "cfb8"
    publication = STANDARD
    traffic = TEXT_TRAFFIC
    directions = (Direction.ENCRYPT, Direction.DECRYPT)
    turns_cores = True
    clocks_of_whole_blocks = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.chain not in CHAINS:
            raise not_one_of("chain", self.chain, CHAINS)
        if Direction.ENCRYPT not in self.core.directions:
            raise RequestError(f"core: {self.mode} needs one that encrypts, and {self.core.preset} does not")

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"CFB8 encryption and decryption with {self.cores} x {self.core.preset}, {self.chain} chain"

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        return (
            *("stream_fifo", "section_tracker", "text_ring", "core_turns", "core_keys"),
            *("message_front", "cfb8_engine"),
        )

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"Entries": self.entries, "Queue": self.queue, "Direct": int(self.chain == "direct")}

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_cfb8(cipher, sent)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros; there is no header."""
        return streamed(Message(iv=bytes(BLOCK), text=bytes(BLOCK * text_blocks)), encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages of one block, and of more, in both directions."""
        return ((0, blocks, way is Direction.ENCRYPT) for way in self.directions for blocks in (1, 2, 7, 16))

    def block_cycles(self, *, encrypt: bool = True) -> float:
        """Clocks from one block of text to the next in a long message, as a mean: of a chain each call of a core takes
        those from its input to its result and, registered, one more."""
        return BLOCK * max(self._waits(encrypt=encrypt), self._core_clocks[0] / self.cores)

    @property
    def _core_clocks(self) -> tuple[int, int]:
        """Clocks per block and latency of a core that encrypts."""
        clocks = self.core.clocks(self.core.key_bits[0], Direction.ENCRYPT)
        return clocks.per_block, clocks.first

    def _waits(self, *, encrypt: bool) -> int:
        """Clocks that a byte waits behind the one before it: the chain of a message to decrypt is its text."""
        return self._core_clocks[1] - (self.chain == "direct") if encrypt else 0

    @property
    def _cycles_per_block(self) -> float:
        """Clocks from one block to the next in a long message, as a mean, in the slower direction."""
        return max(self.block_cycles(encrypt=way is Direction.ENCRYPT) for way in self.directions)

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a whole beat up to and with the one that offers it, in the slower direction:
        two more than the core's, behind the calls of all its bytes but the last."""
        before = max(self._sent([BLOCK], encrypt=way is Direction.ENCRYPT)[-1] for way in self.directions)
        return before + self.core.latency_cycles + 2

    @property
    def passage(self) -> Recurrence:
        """In which clocks messages of one direction come and leave."""

        def clocks(messages: Sequence[PassingMessage]) -> Passage:
            (encrypt,) = {message.encrypt for message in messages}
            waits = self._waits(encrypt=encrypt)
            timing = TurnTiming(*self._core_clocks, self.cores, self.queue, self.entries, waits, BLOCK)
            return turn_clocks(timing, messages)

        return clocks

    @property
    def queue(self) -> int:
        """Commands and beats that are taken ahead: one is enough where there is time for the next."""
        return 1 if self.cores == 1 and self.core.cycles_per_block > 1 else 2

    @property
    def entries(self) -> int:
        """Beats that the engine holds, so that it never waits for room: as many as go to the cores in L + 1 clocks."""
        return max(2, self.blocks_under_way)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones of at least a block without pauses.

        A block is sent when a core takes it and, but for the first of a message, when the chain is known. Raises
        RequestError for a header, which CFB8 has not.
        """
        if header_blocks:
            raise RequestError(f"header_blocks: {self.mode} has no header, not {header_blocks}")
        return self._cycles(BLOCK * max(1, text_blocks), encrypt=encrypt)

    def bytes_cycles(self, text_bytes: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones of so many bytes, at least 1, without pauses."""
        return self._cycles(max(1, text_bytes), encrypt=encrypt)

    def _cycles(self, calls: int, *, encrypt: bool) -> float:
        """Clocks from message to message of so many calls of a core, as a mean of equal ones."""
        messages = TURNS * self.cores
        sent = self._sent([calls] * 2 * messages, encrypt=encrypt)
        begun = sent[::calls]
        return (begun[-1] - begun[-1 - messages]) / messages

    def _sent(self, calls: Sequence[int], *, encrypt: bool) -> list[int]:
        """In which clock each block goes to a core, for messages of so many one behind the other; the first in 0."""
        (clocks, _), waits = self._core_clocks, self._waits(encrypt=encrypt)
        sent = list[int]()
        for place in (place for count in calls for place in range(count)):
            least = 3 - self.queue if place % BLOCK == 0 else 1
            clock = sent[-1] + max(least, waits if place else 0) if sent else 0
            if len(sent) >= self.cores:
                clock = max(clock, sent[-self.cores] + clocks)
            sent.append(clock)
        return sent


class Cfb8Specification(EngineSpecification):
    """The fields of a CFB8 engine."""

    mode: Literal["cfb8"] = "cfb8"
    chain: Chain = Field(
        default="direct", description="when a result goes to the next block: at once, or a clock later"
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> Cfb8Engine:
        return Cfb8Engine(name, core, self.cores, self.chain, **how)


ENGINES = EngineFamily(
    "CFB8: the 16 bytes before it are encrypted for each byte of text",
    Cfb8Specification,
    {"cfb8-compact": Cfb8Specification(core="ueno2020-enc")},
)
"""The CFB8 engines, for `aesmith.modes.specification`."""


def cfb8_engine(name: str, core: dict[str, object], **fields: Any) -> Cfb8Engine:
    """An engine around cores of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of Cfb8Engine: `cores`, `chain`.
    """
    return Cfb8Engine(name, core_of(name, core), **fields)
