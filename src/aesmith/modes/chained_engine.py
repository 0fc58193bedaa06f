"""Engines of CBC, CFB128, CFB8 and OFB as designs: cores, a register for the chain, and a ring in which text waits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.chained import CBC, CFB8, CFB128, OFB
from aesmith.modes.chained_stream import answer_of_chained
from aesmith.modes.chained_traffic import TEXT_TRAFFIC, WHOLE_TRAFFIC
from aesmith.modes.clocks import Passage, PassingMessage, Recurrence
from aesmith.modes.ctr_engine import STANDARD
from aesmith.modes.engine import TURNS, EngineFamily, EngineSpecification, StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import BLOCK, Cipher, Fault, Message, ModeOfOperation
from aesmith.modes.stream import Beat, StreamedMessage, streamed
from aesmith.modes.turn_clocks import TurnTiming, turn_clocks

Chain = Literal["direct", "registered"]
CHAINS: tuple[Chain, ...] = ("direct", "registered")


@dataclass(frozen=True)
class ChainedEngine(StreamEngine):
    """An engine of a mode in which a block waits for the one before it.

    With a `direct` chain a result goes to the next block in the clock in which it comes, else one clock later, and no
    path leads from the core's output to its input. CBC does what its core does: encrypt, decrypt, or both; the others
    need one that encrypts, for both directions. Raises RequestError for a core that does not.
    """

    chain: Chain = "direct"

    publication = STANDARD
    turns_cores = True
    model: ClassVar[ModeOfOperation]
    """The mode in software."""
    number: ClassVar[int]
    """The mode as the engine's module knows it."""
    calls: ClassVar[int] = 1
    """Blocks that go to the cores for a whole beat of text."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.chain not in CHAINS:
            raise not_one_of("chain", self.chain, CHAINS)
        if self.model is not CBC and Direction.ENCRYPT not in self.core.directions:
            raise RequestError(f"core: {self.mode} needs one that encrypts, and {self.core.preset} does not")

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        ways = " and ".join("encryption" if way is Direction.ENCRYPT else "decryption" for way in self.directions)
        return f"{self.mode.upper()} {ways} with {self.cores} x {self.core.preset}, {self.chain} chain"

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Whether it encrypts messages, decrypts them, or both."""
        return self.core.directions if self.model is CBC else (Direction.ENCRYPT, Direction.DECRYPT)

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        return (
            *("stream_fifo", "section_tracker", "text_ring", "core_turns", "core_keys"),
            *("message_front", "chained_engine"),
        )

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {
            "Entries": self.entries,
            "Queue": self.queue,
            "Mode": self.number,
            "Encrypts": int(Direction.ENCRYPT in self.directions),
            "Decrypts": int(Direction.DECRYPT in self.directions),
            "Direct": int(self.chain == "direct"),
        }

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_chained(self.model, cipher, sent, encrypt=self.encrypts(asked=sent.command.encrypt))

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros; there is no header."""
        return streamed(Message(iv=bytes(BLOCK), text=bytes(BLOCK * text_blocks)), encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages of one block, and of more, in its directions."""
        return ((0, blocks, way is Direction.ENCRYPT) for way in self.directions for blocks in (1, 2, 7, 16))

    def _core_clocks(self, *, encrypt: bool) -> tuple[int, int]:
        """Clocks a block and latency of a core, for a message to encrypt or not."""
        way = Direction.DECRYPT if self.model is CBC and not encrypt else Direction.ENCRYPT
        clocks = self.core.clocks(self.core.key_bits[0], way)
        return clocks.per_block, clocks.first

    def block_cycles(self, *, encrypt: bool = True) -> float:
        """Clocks from one block of text to the next in a long message, as a mean: of a chain each call of a core takes
        those from its input to its result and, registered, one more."""
        clocks, waits = self._chained_clocks(encrypt=encrypt)
        return self.calls * max(waits, clocks / self.cores)

    def _chained_clocks(self, *, encrypt: bool) -> tuple[int, int]:
        """Clocks a block of a core, and those that a block waits behind the one before it in its message."""
        clocks, latency = self._core_clocks(encrypt=encrypt)
        return clocks, 0 if self._at_once(encrypt=encrypt) else latency - (self.chain == "direct")

    def _at_once(self, *, encrypt: bool) -> bool:
        """Whether what a block waits for is known with the text of the one before it."""
        return self.model is not OFB and not encrypt

    @property
    def _cycles_per_block(self) -> float:
        """Clocks from one block to the next in a long message, as a mean, in the slower direction."""
        return max(self.block_cycles(encrypt=way is Direction.ENCRYPT) for way in self.directions)

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a whole beat up to and with the one that offers it, in the slower direction:
        two more than the core's, behind the calls of all its bytes but the last."""
        before = max(self._sent([self.calls], encrypt=way is Direction.ENCRYPT)[-1] for way in self.directions)
        return before + self.core.latency_cycles + 2

    @property
    def passage(self) -> Recurrence:
        """In which clocks messages of one direction come and leave."""

        def clocks(messages: Sequence[PassingMessage]) -> Passage:
            (encrypt,) = {message.encrypt for message in messages}
            cycles, latency = self._core_clocks(encrypt=encrypt)
            _, waits = self._chained_clocks(encrypt=encrypt)
            timing = TurnTiming(cycles, latency, self.cores, self.queue, self.entries, waits, self.calls)
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
        RequestError for a header, which these modes have not.
        """
        if header_blocks:
            raise RequestError(f"header_blocks: {self.mode} has no header, not {header_blocks}")
        return self._cycles(self.calls * max(1, text_blocks), encrypt=encrypt)

    def _cycles(self, calls: int, *, encrypt: bool) -> float:
        """Clocks from message to message of so many calls of a core, as a mean of equal ones."""
        messages = TURNS * self.cores
        sent = self._sent([calls] * 2 * messages, encrypt=self.encrypts(asked=encrypt))
        begun = sent[::calls]
        return (begun[-1] - begun[-1 - messages]) / messages

    def _sent(self, calls: Sequence[int], *, encrypt: bool) -> list[int]:
        """In which clock each block goes to a core, for messages of so many one behind the other; the first in 0."""
        clocks, waits = self._chained_clocks(encrypt=encrypt)
        sent = list[int]()
        for place in (place for count in calls for place in range(count)):
            least = 3 - self.queue if place % self.calls == 0 else 1
            clock = sent[-1] + max(least, waits if place else 0) if sent else 0
            if len(sent) >= self.cores:
                clock = max(clock, sent[-self.cores] + clocks)
            sent.append(clock)
        return sent


class CbcEngine(ChainedEngine):
    """An engine of CBC."""

    mode, model, number, traffic = "cbc", CBC, 0, WHOLE_TRAFFIC


class Cfb128Engine(ChainedEngine):
    """An engine of CFB128."""

    mode, model, number, traffic = "cfb128", CFB128, 1, TEXT_TRAFFIC


class Cfb8Engine(ChainedEngine):
    """An engine of CFB8: a core is called for each byte, and a beat stays at the head until its last one is sent."""

    mode, model, number, traffic = "cfb8", CFB8, 3, TEXT_TRAFFIC
    calls = BLOCK
    clocks_of_whole_blocks = True

    def bytes_cycles(self, text_bytes: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones of so many bytes, at least 1, without pauses."""
        return self._cycles(max(1, text_bytes), encrypt=encrypt)


class OfbEngine(ChainedEngine):
    """An engine of OFB."""

    mode, model, number, traffic = "ofb", OFB, 2, TEXT_TRAFFIC


class ChainedSpecification(EngineSpecification):
    """The fields of an engine of a chained mode, but for its name."""

    chain: Chain = Field(
        default="direct", description="when a result goes to the next block: at once, or a clock later"
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> ChainedEngine:
        return _CLASSES[self.mode](name, core, self.cores, self.chain, **how)


class CbcSpecification(ChainedSpecification):
    """The fields of a CBC engine."""

    mode: Literal["cbc"] = "cbc"


class Cfb128Specification(ChainedSpecification):
    """The fields of a CFB128 engine."""

    mode: Literal["cfb128"] = "cfb128"


class Cfb8Specification(ChainedSpecification):
    """The fields of a CFB8 engine."""

    mode: Literal["cfb8"] = "cfb8"


class OfbSpecification(ChainedSpecification):
    """The fields of an OFB engine."""

    mode: Literal["ofb"] = "ofb"


_CLASSES: Mapping[str, type[ChainedEngine]] = {
    kind.mode: kind for kind in (CbcEngine, Cfb128Engine, Cfb8Engine, OfbEngine)
}

ENGINES = (
    EngineFamily(
        "CBC: a block is added to the one before it and encrypted",
        CbcSpecification,
        {},
    ),
    EngineFamily(
        "CFB128: the block before it is encrypted and added to the text",
        Cfb128Specification,
        {},
    ),
    EngineFamily(
        "CFB8: the 16 bytes before it are encrypted for each byte of text",
        Cfb8Specification,
        {"cfb8-compact": Cfb8Specification(core="ueno2020-enc")},
    ),
    EngineFamily(
        "OFB: what was encrypted is encrypted again and added to the text",
        OfbSpecification,
        {},
    ),
)
"""The engines of CBC, CFB128, CFB8 and OFB, for `aesmith.modes.specification`."""


def chained_engine(name: str, kind: type[ChainedEngine], core: dict[str, object], **fields: Any) -> ChainedEngine:
    """An engine of that class around cores of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of ChainedEngine: `cores`, `chain`.
    """
    return kind(name, core_of(name, core), **fields)
