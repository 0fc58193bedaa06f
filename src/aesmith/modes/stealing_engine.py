"""The engine of CBC with ciphertext stealing as a design: one core, and registers of one to three blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.errors import RequestError
from aesmith.modes.clocks import Recurrence, passing
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.several_modes import SeveralModesEngine
from aesmith.modes.stealing_clocks import StealingTiming, clocks_apart, stealing_clocks
from aesmith.modes.stealing_stream import (
    STEALS,
    answer_of_stealing,
    mode_number,
    streamed_for_stealing,
    traffic_of_stealing,
)
from aesmith.modes.stream import Beat, StreamedMessage
from aesmith.modes.traffic import Traffic
from aesmith.publications import Publication

STANDARD = Publication(
    "sp800-38a-addendum",
    "National Institute of Standards and Technology",
    "Recommendation for Block Cipher Modes of Operation: Three Variants of Ciphertext Stealing for CBC Mode",
    "Addendum to SP 800-38A",
    2010,
)


@dataclass(frozen=True)
class StealingEngine(SeveralModesEngine):
    """An engine of CBC-CS1, CS2 and CS3, or some of them, each message in the mode that its command names.

    It encrypts, decrypts, or both, as its core does; keys have the sizes that the core takes. `modes` are by name, the
    one first that figures are of; `rated_size` are the bits of the keys that these are quoted for, 0 for the longest.
    Raises RequestError for other values, and for several cores.
    """

    modes: tuple[str, ...] = tuple(STEALS)
    rated_size: int = field(default=0, kw_only=True)

    publication = STANDARD
    takes_key_sizes = True
    turns_cores = True
    looks_at_lengths = False
    clocks_of_whole_blocks = True

    def __post_init__(self) -> None:
        self.check_modes(tuple(STEALS))
        super().__post_init__()
        if self.cores != 1:
            raise RequestError(f"cores: must be 1, not {self.cores}: {self.one_at_a_time}")
        if self.bus:
            raise RequestError(f"bus: engines of {self.mode} have streams alone, and no registers on {self.bus}")

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        named = ", ".join(mode.upper() for mode in STEALS if mode in self.modes)
        return f"{named} with {self.core.preset}"

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Whether it encrypts, decrypts, or both: what its core does."""
        return self.core.directions

    @cached_property
    def traffic(self) -> Traffic:  # type: ignore[override]
        """Messages of its modes, and of modes that it has not."""
        return traffic_of_stealing(self.modes)

    @property
    def mode_numbers(self) -> Mapping[str, int]:
        """The number by which a command names each of its modes, where it has several."""
        return {mode: mode_number(mode) for mode in STEALS if mode in self.modes} if len(self.modes) > 1 else {}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a receiver must know of messages that are refused, and a sender of ends."""
        return (
            "A message has at least 16 bytes of text.",
            "The last block but one is held until the last beat arrives, because the order of both depends on it.",
        )

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        return ("section_tracker", "stealing_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {
            "Modes": sum(1 << mode_number(mode) for mode in self.modes),
            "Encrypts": int(Direction.ENCRYPT in self.directions),
            "Decrypts": int(Direction.DECRYPT in self.directions),
        }

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        encrypt = self.encrypts(asked=sent.command.encrypt)
        return answer_of_stealing(cipher, sent, self.modes, encrypt=encrypt)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message of the mode that is named first as it is sent, in whole beats."""
        return streamed_for_stealing(self.mode, message, encrypt=encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros, one at least."""
        return self.sends(Message(bytes(BLOCK), text=bytes(BLOCK * max(1, text_blocks))), encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages short and long, in its directions."""
        return ((0, blocks, way is Direction.ENCRYPT) for way in self.directions for blocks in (1, 2, 3, 7))

    @property
    def _timing(self) -> StealingTiming:
        ways = self.core.directions
        forward, back = (
            self.core.clocks(self.rated_key_bits, way if way in ways else ways[0])
            for way in (Direction.ENCRYPT, Direction.DECRYPT)
        )
        return StealingTiming(self.mode, (int(forward.per_block), forward.first), (int(back.per_block), back.first))

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages of the mode that is named first go through."""
        return partial(stealing_clocks, self._timing)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones of the mode that is named first, without pauses.

        Raises RequestError for a header, which there is none of.
        """
        if header_blocks:
            raise RequestError(f"header_blocks: {self.mode} has no header, not {header_blocks}")
        encrypts = self.encrypts(asked=encrypt)
        plain = self._plain(0, text_blocks, encrypt=encrypt)
        return clocks_apart(self._timing, passing(plain, BLOCK, encrypt=encrypts, opens=True))

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message, in the slower direction."""

        def clocks(blocks: int, *, encrypt: bool) -> int:
            sent = self.in_words(self._plain(0, blocks, encrypt=encrypt))
            return clocks_apart(self._timing, passing(sent, self._word_bytes, encrypt=encrypt, opens=True))

        ways = [way is Direction.ENCRYPT for way in self.directions]
        return max(clocks(9, encrypt=encrypt) - clocks(8, encrypt=encrypt) for encrypt in ways)

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that first offers the beat of a message of a block, which waits for nothing, up to and
        with the one that offers its answer, in the slower direction."""
        timing, ways = self._timing, self.directions
        latencies = [timing.encryption[1]] * (Direction.ENCRYPT in ways)
        return max([*latencies, *[timing.decryption[1] + 1] * (Direction.DECRYPT in ways)])

    @property
    def first_answer_cycles(self) -> int:
        """The same, to encrypt if it does: a beat to decrypt goes into a register before."""
        timing = self._timing
        return timing.encryption[1] if Direction.ENCRYPT in self.directions else timing.decryption[1] + 1


class StealingSpecification(EngineSpecification):
    """The fields of an engine of CBC with ciphertext stealing."""

    mode: Literal["cbc-cs"] = "cbc-cs"
    modes: tuple[Literal["cbc-cs1", "cbc-cs2", "cbc-cs3"], ...] = Field(
        default=("cbc-cs3", "cbc-cs1", "cbc-cs2"),
        strict=False,
        description="the modes that a command may name, of cbc-cs1, cbc-cs2, cbc-cs3",
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> StealingEngine:
        return StealingEngine(name, core, self.cores, self.modes, **how)


ENGINES = EngineFamily(
    "CBC with ciphertext stealing: as many bytes of ciphertext as of text",
    StealingSpecification,
    {"cbc-cs-compact": StealingSpecification(core="ueno2020-encdec", modes=("cbc-cs3",))},
    tuple(STEALS),
)
"""The engines of CBC with ciphertext stealing, for `aesmith.modes.specification`."""


def stealing_engine(name: str, core: dict[str, object], **fields: Any) -> StealingEngine:
    """An engine around a core of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of StealingEngine: `modes`.
    """
    return StealingEngine(name, core_of(name, core), **fields)
