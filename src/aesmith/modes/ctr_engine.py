"""The CTR engine as a design: cores that encrypt counters, and a ring in which text waits for its key stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import BLOCK_BITS
from aesmith.errors import RequestError
from aesmith.modes.clocks import Recurrence
from aesmith.modes.engine import StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, StreamedMessage, answer_of_ctr, streamed
from aesmith.modes.traffic import CTR_TRAFFIC
from aesmith.modes.turn_clocks import TurnTiming, turn_clocks
from aesmith.publications import Publication

STANDARD = Publication(
    "sp800-38a",
    "National Institute of Standards and Technology",
    "Recommendation for Block Cipher Modes of Operation: Methods and Techniques",
    "SP 800-38A",
    2001,
)

QUEUE = 2
"""Commands and beats that are taken ahead."""


@dataclass(frozen=True)
class CtrEngine(StreamEngine):
    """A CTR engine, with a counter in the last `counter_bits` bits of its block."""

    counter_bits: int = BLOCK_BITS

    mode = "ctr"
    publication = STANDARD
    traffic = CTR_TRAFFIC
    one_at_a_time = ""
    directions = (Direction.ENCRYPT, Direction.DECRYPT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 8 <= self.counter_bits <= BLOCK_BITS:
            raise RequestError(f"counter_bits: must be 8 to 128, not {self.counter_bits}")

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        lanes = f", {self.lanes} lanes" * (self.lanes > 1)
        return f"CTR with {self.cores} x {self.core.preset}, a counter of {self.counter_bits} bits{lanes}"

    @property
    def limits(self) -> tuple[str, ...]:
        """How many blocks a counter that is not the whole block serves."""
        if self.counter_bits == BLOCK_BITS:
            return ()
        return (
            f"A message has at most 2^{self.counter_bits} blocks, which its counter of {self.counter_bits} bits serves;"
            f" longer ones are refused with code {int(Fault.WRAP)}.",
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """How long a message may be."""
        return self.limits

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        counters = ("lane_counters",) if self.lanes > 1 else ()
        return ("stream_fifo", "section_tracker", "text_ring", "core_turns", "core_keys", *counters, "ctr_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        lanes = {"Lanes": self.lanes} if self.lanes > 1 else {}
        return {"Entries": self.entries, "CounterBits": self.counter_bits, **lanes}

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_ctr(cipher, sent, self.counter_bits, self.lanes)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:  # noqa: ARG002
        """Clocks from message to message, as a mean, of equal ones without pauses: a block after the other, or a beat
        of several lanes.

        Raises RequestError for a header, which CTR has not.
        """
        if header_blocks:
            raise RequestError(f"header_blocks: CTR has no header, not {header_blocks}")
        beats = max(1, -(-text_blocks // self.lanes))
        return beats * self.lanes * self._cycles_per_block

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros; CTR has no header, and encrypts as it decrypts."""
        return streamed(Message(iv=bytes(BLOCK), text=bytes(BLOCK * text_blocks)))

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages of one block, and of more, which fill the lanes of beats or do not."""
        return ((0, blocks, True) for blocks in (1, 2, 7, 16))

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a beat up to and with the one that offers it: two more than the core's."""
        return self.core.latency_cycles + 2

    @property
    def passage(self) -> Recurrence:
        """In which clocks messages come and leave."""
        core, turns = self.core, self.cores // self.lanes
        return partial(turn_clocks, TurnTiming(core.cycles_per_block, core.latency_cycles, turns, QUEUE, self.entries))

    @property
    def entries(self) -> int:
        """Beats that the engine must hold at once, so that it never waits for room: those of L + 1 clocks."""
        return max(2, self.blocks_under_way // self.lanes)


class CtrSpecification(EngineSpecification):
    """The fields of a CTR engine."""

    mode: Literal["ctr"] = "ctr"
    counter_bits: int = Field(default=BLOCK_BITS, ge=8, le=BLOCK_BITS, description="bits of the block that count")

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> CtrEngine:
        return CtrEngine(name, core, self.cores, self.counter_bits, **how)


ENGINES = EngineFamily(
    "CTR: a counter is encrypted and added to the text",
    CtrSpecification,
    {
        "ctr-pipeline": CtrSpecification(
            core={"architecture": "subpipelined", "directions": ("encrypt",), "stages": 1}, counter_bits=32
        ),
        "ctr-100g": CtrSpecification(
            core={"architecture": "subpipelined", "directions": ("encrypt",), "stages": 1},
            cores=2,
            counter_bits=32,
            stream_bits=256,
        ),
    },
)
"""The CTR engines, for `aesmith.modes.specification`."""


def ctr_engine(name: str, core: dict[str, object], cores: int = 1, counter_bits: int = BLOCK_BITS) -> CtrEngine:
    """An engine around cores of a specification, whose modules are `<name>_aes_…`; raises RequestError."""
    return CtrEngine(name, core_of(name, core), cores, counter_bits)
