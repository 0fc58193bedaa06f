"""The engine of KW and KWP as a design: one core, one register of a semiblock, and a memory for the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import BLOCK_BITS
from aesmith.errors import RequestError
from aesmith.modes.clocks import Recurrence, passing
from aesmith.modes.engine_top import MemoryPlace, core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.key_wrap import SEMIBLOCK, STEPS
from aesmith.modes.key_wrap_clocks import LOOKS, CallTiming, KeyWrapTiming, clocks_apart, key_wrap_clocks
from aesmith.modes.key_wrap_stream import WRAPS, answer_of_wrap, mode_number, streamed_for_wrap, traffic_of_wrap
from aesmith.modes.message import BLOCK, WIDER, Cipher, Fault, Message
from aesmith.modes.several_modes import MemoryEngine, SeveralModesEngine
from aesmith.modes.stream import Beat, StreamedMessage
from aesmith.modes.traffic import Traffic
from aesmith.publications import Publication

STANDARD = Publication(
    "sp800-38f",
    "National Institute of Standards and Technology",
    "Recommendation for Block Cipher Modes of Operation: Methods for Key Wrapping",
    "SP 800-38F",
    2012,
)
LONGEST = 72
"""Bytes of the longest wrapped message, if nothing else is asked for: a key of 512 bits."""
IN_REGISTERS = 8
"""Semiblocks that are kept in flip-flops at most."""
LEAST, MOST = 3 * SEMIBLOCK, SEMIBLOCK * ((1 << 16) + 1)
"""Bytes that the longest wrapped message may be set to."""


@dataclass(frozen=True)
class KeyWrapEngine(SeveralModesEngine, MemoryEngine):
    """An engine of KW and KWP, each message in the mode that its command names.

    It wraps, unwraps, or both, as its core encrypts, decrypts, or both; keys have the sizes that the core takes. The
    wrapped text of a message has at most `longest` bytes, whose semiblocks are kept: up to 8 in flip-flops, more in a
    memory, whose lines are ports with `memory_outside`. `modes` are by name, the one first that figures are of;
    `rated_size` are the bits of the keys that these are quoted for, 0 for the longest. Raises RequestError for other
    values, and for several cores.
    """

    modes: tuple[str, ...] = tuple(WRAPS)
    longest: int = LONGEST
    memory_outside: bool = field(default=False, kw_only=True)
    rated_size: int = field(default=0, kw_only=True)

    publication = STANDARD
    takes_words = True
    takes_key_sizes = True
    turns_cores = True
    times_right_tags = True
    looks_at_lengths = False
    shows_text = False
    without_memory = f"longest = {LONGEST}"
    one_at_a_time = "each block needs the result of the one before it"

    def __post_init__(self) -> None:
        self.check_modes(tuple(WRAPS))
        super().__post_init__()
        if self.cores != 1:
            raise RequestError(f"cores: must be 1, not {self.cores}: {self.one_at_a_time}")
        if self.core.block_width < BLOCK_BITS and len(self.core.key_bits) > 1:
            raise RequestError(
                f"core: must have one key size if it takes blocks in words; {self.core.preset} is another"
            )
        if self.longest % SEMIBLOCK or not LEAST <= self.longest <= MOST:
            raise RequestError(f"longest: must be a multiple of 8, {LEAST} to {MOST:,} bytes, not {self.longest}")
        if self.clear and self.semiblocks > IN_REGISTERS:
            raise RequestError(
                f"longest: must be at most {LONGEST} in an engine with a clear, not {self.longest}: memories have none"
            )
        if self.bus:
            raise RequestError(f"bus: engines of {self.mode} have streams alone, and no registers on {self.bus}")

    @property
    def semiblocks(self) -> int:
        """Semiblocks of text that there is room for."""
        return self.longest // SEMIBLOCK - 1

    @property
    def room(self) -> int:
        """Bytes of text that there is room for."""
        return SEMIBLOCK * self.semiblocks

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        named = " and ".join(mode.upper() for mode in WRAPS if mode in self.modes)
        ways = {(Direction.ENCRYPT,): "to wrap", (Direction.DECRYPT,): "to unwrap"}
        how = f" {ways[self.directions]}" if self.directions in ways else ""
        return f"{named}{how} with {self.core.preset}, keys of up to {self.room} bytes"

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Whether it wraps, unwraps, or both: what its core does."""
        return self.core.directions

    @cached_property
    def traffic(self) -> Traffic:  # type: ignore[override]
        """Messages of its modes, and of modes that it has not."""
        return traffic_of_wrap(self.modes, self.room, self.directions)

    @property
    def mode_numbers(self) -> Mapping[str, int]:
        """The number by which a command names each of its modes, where it has both."""
        return {mode: mode_number(mode) for mode in WRAPS} if len(self.modes) > 1 else {}

    @property
    def most_beats(self) -> int:
        """Beats of text that a message may have."""
        return self.semiblocks * SEMIBLOCK // BLOCK

    def holds(self, *, encrypt: bool) -> bool:  # noqa: ARG002
        """No text waits for more than what has to be computed, which is told."""
        return False

    @property
    def limits(self) -> tuple[str, ...]:
        """How long a message may be."""
        wider = BLOCK * WIDER
        way_out = f"; longest = {wider + SEMIBLOCK} has room for {wider:,}" if self.room < wider else ""
        return (
            f"A message has at most {self.room:,} bytes of text, which are {self.longest:,} when they are wrapped; "
            f"longer ones are refused with code {int(Fault.LENGTH)}{way_out}.",
        )

    def room_for(self, header_blocks: int, text_blocks: int) -> Mapping[str, object]:  # noqa: ARG002
        """A longer longest message, if so many blocks do not fit."""
        return {} if BLOCK * text_blocks <= self.room else {"longest": BLOCK * text_blocks + SEMIBLOCK}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What leaves when, and how long a message may be."""
        opens = ("Nothing of a message leaves before its integrity check value and its padding were found right.",)
        return (*opens * (Direction.DECRYPT in self.directions), *self.limits)

    @property
    def memory(self) -> MemoryPlace:
        """Where its semiblocks are kept."""
        bits = (self.semiblocks - 1).bit_length()
        if self.semiblocks <= IN_REGISTERS:
            return MemoryPlace(bits, "inside", 8 * SEMIBLOCK, "semiblock_registers", {"Semiblocks": self.semiblocks})
        return MemoryPlace(bits, "outside" if self.memory_outside else "inside", 8 * SEMIBLOCK, "semiblock_memory")

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        place, words = self.memory, ["key_words"] if self.core.block_width < BLOCK_BITS else []
        return (*[place.module] * (place.where == "inside"), *words, "section_tracker", "key_wrap_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {
            "Modes": sum(1 << mode_number(mode) for mode in self.modes),
            "Encrypts": int(Direction.ENCRYPT in self.directions),
            "Decrypts": int(Direction.DECRYPT in self.directions),
            "Semiblocks": self.semiblocks,
            "AddressBits": self.memory.address_bits,
            "WordBits": self.core.block_width,
        }

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        encrypt = self.encrypts(asked=sent.command.encrypt)
        return answer_of_wrap(cipher, sent, self.modes, self.room, encrypt=encrypt)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message of the mode that is named first as it is sent, in whole beats."""
        return streamed_for_wrap(self.mode, message, encrypt=encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros, to unwrap one semiblock more; its integrity check value is wrong."""
        wraps = self.encrypts(asked=encrypt)
        return self.sends(Message(text=bytes(BLOCK * text_blocks + SEMIBLOCK * (not wraps))), encrypt=encrypt)

    def _with_right_tag(self, sent: StreamedMessage, cipher: Cipher) -> StreamedMessage:
        """A message to unwrap that its text without the first semiblock was wrapped to."""
        if self.encrypts(asked=sent.command.encrypt):
            return sent
        text = b"".join(beat.data[: beat.keep.bit_count()] for beat in sent.beats)[SEMIBLOCK:]
        sealed = WRAPS[self.mode].encrypt(cipher, Message(text=text)).text
        return self.sends(Message(text=sealed), encrypt=sent.command.encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages of one block, and of as many as there is room for, in its directions."""
        sizes = sorted({1, min(2, self.most_beats), min(WIDER, self.most_beats)})
        return ((0, blocks, way is Direction.ENCRYPT) for way in self.directions for blocks in sizes)

    @property
    def silent_cycles(self) -> int:
        """Clocks of all calls of the longest message."""
        each = (self._timing.encryption, self._timing.decryption)
        return STEPS * self.semiblocks * max(max(calls.block, calls.later) + calls.late for calls in each)

    @property
    def _timing(self) -> KeyWrapTiming:
        core, ways = self.core, self.core.directions
        late = BLOCK_BITS // core.block_width if core.late_cycles else 0

        def calls(way: Direction) -> CallTiming:
            found = core.clocks(self.rated_key_bits, way if way in ways else ways[0])
            # A core that has its key to bring back when a result has left takes the words of a block meanwhile.
            waits = found.first < found.per_block and not late
            later = found.worst if waits and found.worst is not None else found.first
            return CallTiming(int(found.per_block), found.first, later, late)

        return KeyWrapTiming(calls(Direction.ENCRYPT), calls(Direction.DECRYPT))

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages go through."""
        return partial(key_wrap_clocks, self._timing)

    @cached_property
    def _answered(self) -> tuple[int, int]:
        """Words of an answer for each block of text, and of the semiblock in front of it."""
        return self.stream_words, max(1, SEMIBLOCK // self._word_bytes)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones without pauses, as if there was room; to unwrap, right ones.

        Raises RequestError for a header, which there is none of.
        """
        if header_blocks:
            raise RequestError(f"header_blocks: {self.mode} has no header, not {header_blocks}")
        plain, wraps = self._plain(0, max(1, text_blocks), encrypt=encrypt), self.encrypts(asked=encrypt)
        return clocks_apart(self._timing, passing(plain, BLOCK, encrypt=wraps, opens=True))

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message, in the slower direction."""

        def clocks(blocks: int, *, encrypt: bool) -> int:
            sent = self.in_words(self._plain(0, blocks, encrypt=encrypt))
            return clocks_apart(self._timing, passing(sent, self._word_bytes, encrypt=encrypt, opens=True))

        ways = [way is Direction.ENCRYPT for way in self.directions]
        return max(clocks(9, encrypt=encrypt) - clocks(8, encrypt=encrypt) for encrypt in ways)

    def _latency(self, *, encrypt: bool) -> tuple[int, int]:
        """Clocks from the ones that first offer the first and the last beat of a message of a block, up to and with the
        one that offers the first of its answer."""
        plain = self._plain(0, 1, encrypt=encrypt)
        made = key_wrap_clocks(self._timing, [passing(plain, BLOCK, encrypt=encrypt, opens=True)])
        left, offered = made.left[0][0], [max(clock, LOOKS) for clock in made.offered[0]]
        return left - offered[0] + 1, left - offered[-1] + 1

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that first offers the last beat of a message of a block, which waits for nothing, up to
        and with the one that offers the first of its answer, in the slower direction."""
        return max(self._latency(encrypt=way is Direction.ENCRYPT)[1] for way in self.directions)

    @property
    def first_answer_cycles(self) -> int:
        """The same from its first beat on, of a message to wrap if it does."""
        return self._latency(encrypt=Direction.ENCRYPT in self.directions)[0]


class KeyWrapSpecification(EngineSpecification):
    """The fields of an engine of key wrap."""

    mode: Literal["key-wrap"] = "key-wrap"
    modes: tuple[Literal["kw", "kwp"], ...] = Field(
        default=("kw", "kwp"), strict=False, description="the modes that a command may name, of kw, kwp"
    )
    longest: int = Field(
        default=LONGEST, ge=LEAST, le=MOST, multiple_of=SEMIBLOCK, description="bytes of the longest wrapped message"
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> KeyWrapEngine:
        return KeyWrapEngine(name, core, self.cores, self.modes, self.longest, **how)


ENGINES = EngineFamily(
    "KW and KWP: keys wrapped under a key",
    KeyWrapSpecification,
    {"kw-compact": KeyWrapSpecification(core="ueno2020-encdec")},
    tuple(WRAPS),
)
"""The engines of key wrap, for `aesmith.modes.specification`."""


def key_wrap_engine(name: str, core: dict[str, object], **fields: Any) -> KeyWrapEngine:
    """An engine around a core of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of KeyWrapEngine: `modes`, `longest`.
    """
    return KeyWrapEngine(name, core_of(name, core), **fields)
