"""The CCM engine as a design: one core, of any width, and a buffer in which decrypted text waits for the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import BLOCK_BITS
from aesmith.errors import RequestError
from aesmith.modes.ccm_clocks import CcmTiming, ccm_clocks
from aesmith.modes.chained_stream import answer_of_ccm, streamed_for_ccm
from aesmith.modes.chained_traffic import ccm_traffic
from aesmith.modes.clocks import Recurrence
from aesmith.modes.engine import EngineFamily, EngineSpecification, StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, StreamedMessage
from aesmith.modes.traffic import Traffic
from aesmith.publications import Publication

STANDARD = Publication(
    "sp800-38c",
    "National Institute of Standards and Technology",
    "Recommendation for Block Cipher Modes of Operation: The CCM Mode for Authentication and Confidentiality",
    "SP 800-38C",
    2004,
)
NONCE = 13
"""Bytes of the nonce of a message whose clocks are counted; they do not depend on it."""


@dataclass(frozen=True)
class CcmEngine(StreamEngine):
    """A CCM engine for both directions, around one core that may take blocks in words.

    `buffer_beats` are the beats of text that a message to decrypt may have: no byte of it leaves before its tag was
    found right. Raises RequestError for values that no engine has.
    """

    buffer_beats: int = 8

    mode = "ccm"
    publication = STANDARD
    directions = (Direction.ENCRYPT, Direction.DECRYPT)
    takes_words = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cores != 1:
            raise RequestError(f"cores: must be 1, not {self.cores}: each block of the MAC waits for the one before it")
        if not 2 <= self.buffer_beats <= 4096:
            raise RequestError(f"buffer_beats: must be 2 to 4096, not {self.buffer_beats}")

    @cached_property
    def traffic(self) -> Traffic:  # type: ignore[override]
        """How messages to try it with are made."""
        return ccm_traffic(self.buffer_beats)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"CCM with {self.core.preset}, {self.buffer_beats} beats of text to decrypt"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a receiver is spared, and how long a message may be."""
        return ("No byte of decrypted text leaves before its tag was found right.", *self.limits)

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        words = ["key_words"] if self.core.block_width < BLOCK_BITS else []
        return (
            *("stream_fifo", "section_tracker", "core_keys", *words, "message_front"),
            *("release_buffer", "ccm_engine"),
        )

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"WordBits": self.core.block_width, "Entries": self.buffer_beats}

    @property
    def most_beats(self) -> int | None:
        """Beats of text that a message to decrypt may have."""
        return self.buffer_beats

    def room_for(self, header_blocks: int, text_blocks: int) -> Mapping[str, object]:  # noqa: ARG002
        """A buffer for the text of a message to decrypt of so many blocks, if it has a shorter one."""
        return {} if self.buffer_beats >= text_blocks else {"buffer_beats": text_blocks}

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_ccm(cipher, sent, self.buffer_beats)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return streamed_for_ccm(message, encrypt=encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many blocks of zeros; to decrypt, its tag is wrong."""
        message = Message(bytes(NONCE), bytes(BLOCK * header_blocks), bytes(BLOCK * text_blocks), bytes(BLOCK))
        return self.sends(message, encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Short and long messages in both directions, as far as they fit."""
        for headers, texts, encrypt in product((0, 1, 3), (0, 1, 5), (True, False)):
            if encrypt or texts <= self.buffer_beats:
                yield headers, texts, encrypt

    @property
    def call_cycles(self) -> int:
        """Clocks from one block at the core to the next, which is offered when the result before it has come."""
        return max(self.core.latency_cycles, self.core.cycles_per_block, self.core.late_cycles)

    @property
    def _cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message: two blocks at the core."""
        return 2 * self.call_cycles

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a beat of text to encrypt, of a message that has begun, up to and with the one
        that offers it, if the core is idle."""
        return self.core.latency_cycles + 3

    @property
    def first_answer_cycles(self) -> int:
        """Clocks from the one that takes the first beat of text to encrypt to the one that offers it, both counted: B0
        goes before it."""
        return self.call_cycles + self.latency_cycles

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages go through."""
        words = BLOCK_BITS // self.core.block_width
        timing = CcmTiming(self.call_cycles, self.core.latency_cycles, words, self.buffer_beats)
        return partial(ccm_clocks, timing)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones without pauses.

        The blocks at the core, one after the other: B0, the header, of which a last one has the two bytes by which its
        length moves it on, two for each block of text, and A0; to decrypt, the next message begins behind the verdict.
        """
        calls = 2 + (header_blocks + 1) * (header_blocks > 0) + 2 * text_blocks
        verdict = 0 if encrypt else max(0, self.core.latency_cycles + 2 - self.call_cycles)
        return calls * self.call_cycles + verdict


class CcmSpecification(EngineSpecification):
    """The fields of a CCM engine."""

    mode: Literal["ccm"] = "ccm"
    buffer_beats: int = Field(default=8, ge=2, le=4096, description="beats of text that a message to decrypt may have")

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> CcmEngine:
        return CcmEngine(name, core, self.cores, self.buffer_beats, **how)


ENGINES = EngineFamily(
    "CCM: CTR, and the last block of a chain over header and text as tag",
    CcmSpecification,
    {},
)
"""The CCM engines, for `aesmith.modes.specification`."""


def ccm_engine(name: str, core: dict[str, object], **fields: Any) -> CcmEngine:
    """An engine around a core of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of CcmEngine: `buffer_beats`.
    """
    return CcmEngine(name, core_of(name, core), **fields)
