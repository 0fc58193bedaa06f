"""The CMAC engine as a design: one core, of any width, and one register of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import BLOCK_BITS
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.cfb8_engine import CHAINS, Chain
from aesmith.modes.chained_stream import answer_of_cmac, streamed_for_cmac
from aesmith.modes.chained_traffic import CMAC_TRAFFIC
from aesmith.modes.clocks import Recurrence
from aesmith.modes.cmac_clocks import CmacTiming, cmac_clocks
from aesmith.modes.engine import StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, StreamedMessage
from aesmith.publications import Publication

STANDARD = Publication(
    "sp800-38b",
    "National Institute of Standards and Technology",
    "Recommendation for Block Cipher Modes of Operation: The CMAC Mode for Authentication",
    "SP 800-38B",
    2005,
)


@dataclass(frozen=True)
class CmacEngine(StreamEngine):
    """A CMAC engine, which makes tags and compares them, around one core that may take blocks in words.

    With a `direct` chain a result goes to the next block in the clock in which it comes, else one clock later. A core
    of words gets the next block a clock later, but for one that would be late then: it is offered the block's first
    word, which does not need the result's last, with that. Raises RequestError for other values.
    """

    chain: Chain = "direct"

    mode = "cmac"
    publication = STANDARD
    traffic = CMAC_TRAFFIC
    directions = (Direction.ENCRYPT, Direction.DECRYPT)
    short_tags = True
    takes_words = True
    shows_text = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.chain not in CHAINS:
            raise not_one_of("chain", self.chain, CHAINS)
        if self.cores != 1:
            raise RequestError(f"cores: must be 1, not {self.cores}: each block of CMAC waits for the one before it")
        if self.chain == "registered" and self.words > 1:
            raise RequestError(f"chain: must be direct, for {self.core.preset} takes blocks in words")

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        how = f"{self.chain} chain" if self.words == 1 else f"words of {self.core.block_width} bits"
        return f"CMAC with {self.core.preset}, {how}"

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        words = ["key_words"] if self.core.block_width < BLOCK_BITS else []
        return ("stream_fifo", "section_tracker", "core_keys", *words, "message_front", "cmac_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"WordBits": self.core.block_width, "Direct": int(self._overlaps or self.core.late_cycles > 0)}

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_cmac(cipher, sent)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return streamed_for_cmac(message, encrypt=encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros; there is no header, and to compare, its tag is wrong."""
        return self.sends(Message(text=bytes(BLOCK * text_blocks), tag=bytes(BLOCK)), encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages without text, of one block, and of more."""
        return ((0, blocks, encrypt) for blocks in (0, 1, 2, 7) for encrypt in (True, False))

    @property
    def words(self) -> int:
        """Transfers of a block at the core."""
        return BLOCK_BITS // self.core.block_width

    @property
    def _cycles_per_block(self) -> float:
        """Clocks from one block to the next."""
        return max(self.core.latency_cycles - self._overlaps, self.core.cycles_per_block)

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block to the next in a long message whose tag is compared, which takes longer in words."""
        return max(self._cycles_per_block, self.stream_words + 2)

    @property
    def _overlaps(self) -> bool:
        """Whether a block is taken in the clock in which the result before it comes."""
        return self.chain == "direct" and self.words == 1

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes the last beat up to and with the one that offers the tag."""
        return self.core.latency_cycles + 2

    @property
    def passage(self) -> Recurrence:
        """In which clocks messages come and leave."""
        # A core that restores its key after a block accepts the words of the next one halfway.
        core, early = self.core, self.core.latency_spread // 2
        timing = CmacTiming(
            core.cycles_per_block, core.latency_cycles, self._overlaps, self.words, core.late_cycles, early
        )
        return partial(cmac_clocks, timing)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones without pauses: the core's, and to compare a tag, those until
        the next message has taken its place.

        A tag leaves from the register of the chain, which waits for its last word; and a block to compare is sent when
        the last word of what stands behind it is offered. Raises RequestError for a header, which CMAC has not.
        """
        if header_blocks:
            raise RequestError(f"header_blocks: CMAC has no header, not {header_blocks}")
        words, before = self.stream_words, max(0, text_blocks - 1)
        if encrypt:
            return before * self._cycles_per_block + max(self._cycles_per_block, words + 1)
        last = self.core.latency_cycles + 2 + (words if text_blocks else 0)
        of_core = before * max(self._cycles_per_block, words + 2) + max(
            last, self.core.late_cycles, self.core.cycles_per_block
        )
        return max(of_core, text_blocks * (words + 2) + words)


class CmacSpecification(EngineSpecification):
    """The fields of a CMAC engine."""

    mode: Literal["cmac"] = "cmac"
    chain: Chain = Field(
        default="direct", description="when a result goes to the next block: at once, or a clock later"
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> CmacEngine:
        return CmacEngine(name, core, self.cores, self.chain, **how)


ENGINES = EngineFamily(
    "CMAC: the last block of a chain is the tag",
    CmacSpecification,
    {"cmac-small": CmacSpecification(core="serial-shared-small-enc")},
)
"""The CMAC engines, for `aesmith.modes.specification`."""


def cmac_engine(name: str, core: dict[str, object], **fields: Any) -> CmacEngine:
    """An engine around a core of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of CmacEngine: `chain`.
    """
    return CmacEngine(name, core_of(name, core), **fields)
