"""Engines around one core that hold a message's text until its tag is known, as designs: GCM-SIV, AES-SIV, GCM-SST."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import ClassVar, Literal

from pydantic import Field

from aesmith.circuits.multipliers.field_128 import digit_step
from aesmith.circuits.nested import nested_systemverilog
from aesmith.cores.design import Direction, SourceFile
from aesmith.cores.ports import Meaning
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.clocks import PassingMessage, Recurrence, passing
from aesmith.modes.engine_top import CorePlace, MemoryPlace
from aesmith.modes.family import EngineSpecification
from aesmith.modes.held_text_clocks import CoreTiming, clocks_apart, first_load, schedule_clocks
from aesmith.modes.held_text_stream import HeldTextFrame
from aesmith.modes.message import BLOCK, WIDER, Cipher, Fault, Message, ModeOfOperation
from aesmith.modes.multi_mode_engine import DIGITS, MEMORY_BEATS, MOST_BEATS
from aesmith.modes.several_modes import MemoryEngine
from aesmith.modes.stream import Beat, Section, StreamedMessage
from aesmith.modes.traffic import Traffic

IN_REGISTERS = 4
"""Beats of text that are kept in flip-flops, and the fewest that there is room for."""


@dataclass(frozen=True)
class HeldTextEngine(MemoryEngine):
    """An engine of both directions whose core encrypts and holds one block.

    Text that waits has at most `memory_beats` beats, a power of two, 4 at least: four in flip-flops, more in a memory,
    whose lines are ports with `memory_outside`. Raises RequestError for other values.
    """

    memory_beats: int = field(default=MEMORY_BEATS, kw_only=True)
    memory_outside: bool = field(default=False, kw_only=True)

    model: ClassVar[ModeOfOperation]
    """The mode."""
    frame: ClassVar[HeldTextFrame]
    """How its messages are sent."""
    core_key_bits: ClassVar[Sequence[int]]
    """Bits of the keys that its core may have."""
    times_right_tags = True
    looks_at_lengths = False
    without_memory = f"memory_beats = {IN_REGISTERS}"
    one_at_a_time = "the tag of a message is known before its first block leaves"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cores != 1:
            raise RequestError(f"cores: must be 1, not {self.cores}: {self.one_at_a_time}")
        if self.core.key_bits[0] not in self.core_key_bits:
            sizes = " or ".join(map(str, self.core_key_bits))
            raise RequestError(f"core: must have keys of {sizes} bits; those of {self.core.preset} are others")
        clocks, latency = self.core.cycles_per_block, self.core.latency_cycles
        if latency > clocks + 1:
            raise RequestError(
                f"core: must hold one block; {self.core.preset} has several under way: latency {latency}, cycles per "
                f"block {clocks}"
            )
        beats = self.memory_beats
        if beats & (beats - 1) or not IN_REGISTERS <= beats <= MOST_BEATS:
            raise RequestError(f"memory_beats: must be a power of two, {IN_REGISTERS} to {MOST_BEATS}, not {beats}")
        if self.clear and beats > IN_REGISTERS:
            raise RequestError(
                f"memory_beats: must be {IN_REGISTERS} in an engine with a clear, not {beats}: memories have none"
            )
        if self.bus:
            raise RequestError(f"bus: engines of {self.mode} have streams alone, and no registers on {self.bus}")

    @property
    def directions(self) -> tuple[Direction, ...]:
        """It encrypts and decrypts."""
        return (Direction.ENCRYPT, Direction.DECRYPT)

    @cached_property
    def traffic(self) -> Traffic:  # type: ignore[override]
        """Its messages."""
        return self.frame.traffic(self.memory_beats)

    @property
    def most_beats(self) -> int:
        """Beats of text that a message may have."""
        return self.memory_beats

    @property
    def limits(self) -> tuple[str, ...]:
        """How long a message may be."""
        way_out = f"; memory_beats = {WIDER} holds {BLOCK * WIDER:,}" if self.memory_beats < WIDER else ""
        return (
            f"A message has at most {BLOCK * self.memory_beats:,} bytes of text ({self.memory_beats} blocks), which "
            f"wait for its tag; longer ones are refused with code {int(Fault.LENGTH)}{way_out}.",
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What leaves when, and how long a message may be."""
        return (
            "Nothing leaves of a message that is refused, and no text before a tag to compare was found right.",
            *self.limits,
        )

    def room_for(self, header_blocks: int, text_blocks: int) -> Mapping[str, object]:  # noqa: ARG002
        """A larger memory, if so many blocks of text do not fit."""
        return {} if text_blocks <= self.memory_beats else {"memory_beats": 1 << (text_blocks - 1).bit_length()}

    @property
    def memory(self) -> MemoryPlace:
        """Where text waits."""
        bits = (self.memory_beats - 1).bit_length()
        if self.memory_beats <= IN_REGISTERS:
            return MemoryPlace(bits, "inside", module="release_registers")
        return MemoryPlace(bits, "outside" if self.memory_outside else "inside")

    @property
    def core_places(self) -> tuple[CorePlace, ...]:
        """Its core, which it gives several keys for each message."""
        return (CorePlace("core", self.core, in_turn=True, own_keys=True),)

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        place, words = self.memory, ["key_words"] if self.core_places[0].key_words else []
        engine = f"{self.mode.replace('-', '_')}_engine"
        return (*[place.module] * (place.where == "inside"), *words, "section_tracker", engine)

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"KeyBits": self.core.key_bits[0], "AddressBits": self.memory.address_bits}

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return self.frame.answer(cipher, sent, self.memory_beats)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return self.frame.sent(message, encrypt=encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many blocks of zeros; to decrypt, its tag is wrong."""
        header, text = bytes(BLOCK * header_blocks), bytes(BLOCK * text_blocks)
        return self.sends(Message(self.frame.plain_iv, header, text, self.frame.plain_tag), encrypt=encrypt)

    def _with_right_tag(self, sent: StreamedMessage, cipher: Cipher) -> StreamedMessage:
        """A message to decrypt that its text, taken for the plaintext, was encrypted to: then its text leaves."""
        if sent.command.encrypt:
            return sent
        front = tuple(beat for beat in sent.beats if beat.section is not Section.TAG)
        sealed = self.model.encrypt(cipher, self.frame.received(replace(sent, beats=front)))
        made = self.sends(replace(self.frame.received(sent), text=sealed.text, tag=sealed.tag), encrypt=False)
        return replace(made, command=sent.command)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages with and without a header, short and long ones."""
        return product((0, 1, 3), sorted({0, 1, 2, min(7, self.memory_beats)}), (True, False))

    @property
    @abstractmethod
    def _timing(self) -> CoreTiming:
        """What its clocks depend on."""

    @property
    def _core_timing(self) -> tuple[int, int, int, int]:
        """What they depend on of its core."""
        bits = self.core.key_bits[0]
        clocks = self.core.clocks(bits, Direction.ENCRYPT)
        key_words = bits // self.core.ports.payload(Meaning.KEY).width
        return int(clocks.per_block), clocks.first, key_words, self.core.key_cycles

    @property
    def opening_cycles(self) -> int:
        """Clocks behind a command in which the keys of its message are made."""
        return first_load(self._timing)

    @property
    def silent_cycles(self) -> int:
        """Clocks of all calls of the longest message to decrypt, or of its keys and its tag."""
        timing = self._timing
        return (self.memory_beats + 3) * timing.each + first_load(timing) + 2 * (timing.key_words + timing.key_cycles)

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages go through."""
        return partial(schedule_clocks, self._timing)

    def _passing(self, sent: StreamedMessage, word_bytes: int, *, encrypt: bool) -> PassingMessage:
        return passing(sent, word_bytes, encrypt=encrypt, opens=True)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones without pauses, as if there was room; to decrypt, right ones."""
        plain = self._plain(header_blocks, text_blocks, encrypt=encrypt)
        return clocks_apart(self._timing, self._passing(plain, BLOCK, encrypt=encrypt))

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message, in the slower direction."""

        def clocks(blocks: int, *, encrypt: bool) -> int:
            sent = self.in_words(self._plain(0, blocks, encrypt=encrypt))
            return clocks_apart(self._timing, self._passing(sent, self._word_bytes, encrypt=encrypt))

        return max(clocks(9, encrypt=encrypt) - clocks(8, encrypt=encrypt) for encrypt in (True, False))

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that first offers the last beat of a message of a block, which waits for nothing, up to
        and with the one that offers the first of its answer, in the slower direction."""
        return max(self._latency(encrypt=encrypt)[1] for encrypt in (True, False))

    @property
    def first_answer_cycles(self) -> int:
        """The same from its first beat on, of a message to encrypt."""
        return self._latency(encrypt=True)[0]

    def _latency(self, *, encrypt: bool) -> tuple[int, int]:
        """Clocks from the ones that first offer the first and the last beat of a message of a block, whose command came
        long before, up to and with the one that offers the first of its answer."""
        plain = self._passing(self._plain(0, 1, encrypt=encrypt), BLOCK, encrypt=encrypt)
        late = replace(plain.beats[0], clocks=first_load(self._timing) + self._timing.each)
        made = schedule_clocks(self._timing, [replace(plain, beats=(late, *plain.beats[1:]))])
        left, offered = made.left[0][0], made.offered[0]
        return left - offered[0] + 1, left - offered[-1] + 1


@dataclass(frozen=True)
class HashingEngine(HeldTextEngine):
    """One with the GHASH of GCM, which takes `digit` bits of a block a clock by a circuit of these `splits`."""

    digit: int = 16
    splits: str = "bbb"

    core_key_bits = (128, 256)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.digit not in DIGITS:
            raise not_one_of("digit", str(self.digit), map(str, DIGITS))
        digit_step(self.digit, self.splits)

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {**super().module_parameters, "Digit": self.digit}

    @property
    def leaves(self) -> tuple[SourceFile, ...]:
        """The step of the multiplication by the hash key."""
        circuit = digit_step(self.digit, self.splits).circuit
        header = f"One step of GHASH: p = y x^{self.digit} + d h in GF(2^128), bit i the coefficient of x^i."
        module = f"{self.name}_ghash_step"
        return (SourceFile(f"{module}.sv", nested_systemverilog(circuit, header, module)),)


class HeldTextSpecification(EngineSpecification):
    """The fields that these engines have in common."""

    memory_beats: int = Field(
        default=MEMORY_BEATS, ge=IN_REGISTERS, le=MOST_BEATS, description="beats of 16 bytes that wait for their tag"
    )


class HashingSpecification(HeldTextSpecification):
    """Those of engines with the GHASH of GCM."""

    digit: Literal[4, 8, 16, 32, 64] = Field(default=16, description="bits of a block that GHASH takes a clock")
    splits: str = Field(default="bbb", description="how the multiplier of GHASH is made, a letter a split")
