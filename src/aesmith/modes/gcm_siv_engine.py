"""The engine of GCM-SIV as a design: one core, the GHASH of GCM, and a memory in which a message's text waits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, Literal

from pydantic import Field

from aesmith.circuits.multipliers.field_128 import digit_step
from aesmith.circuits.multipliers.gf2_128 import DEGREE
from aesmith.circuits.nested import nested_systemverilog
from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import Meaning
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.clocks import Recurrence, passing
from aesmith.modes.counting import SHORT_IV
from aesmith.modes.engine_top import CorePlace, MemoryPlace, core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.gcm_siv import GCM_SIV, HALF, KEY_BITS
from aesmith.modes.gcm_siv_clocks import GcmSivTiming, clocks_apart, first_load, gcm_siv_clocks
from aesmith.modes.gcm_siv_stream import answer_of_siv, traffic_of_siv
from aesmith.modes.message import BLOCK, WIDER, Cipher, Fault, Message
from aesmith.modes.multi_mode_engine import DIGITS, MEMORY_BEATS, MOST_BEATS
from aesmith.modes.several_modes import MemoryEngine
from aesmith.modes.stream import Beat, Section, StreamedMessage, streamed_with_tag
from aesmith.modes.traffic import Traffic
from aesmith.publications import Publication

STANDARD = Publication(
    "rfc8452",
    "S. Gueron, A. Langley, Y. Lindell",
    "AES-GCM-SIV: Nonce Misuse-Resistant Authenticated Encryption",
    "RFC 8452",
    2019,
)
IN_REGISTERS = 4
"""Beats of text that are kept in flip-flops, and the fewest that there is room for."""


@dataclass(frozen=True)
class GcmSivEngine(MemoryEngine):
    """An engine of GCM-SIV, in both directions.

    Its core encrypts, with keys of 128 or 256 bits. GHASH takes `digit` bits of a block per clock, by a circuit of that
    digit and `splits`. A message has at most `memory_beats` beats of text, a power of two, 4 at least, which wait: four
    in flip-flops, more in a memory, whose lines are ports with `memory_outside`. Raises RequestError for other values.
    """

    digit: int = 16
    splits: str = "bbb"
    memory_beats: int = MEMORY_BEATS
    memory_outside: bool = field(default=False, kw_only=True)

    mode = GCM_SIV.name
    publication = STANDARD
    times_right_tags = True
    looks_at_lengths = False
    without_memory = f"memory_beats = {IN_REGISTERS}"
    one_at_a_time = "the tag of a message is known before its first block leaves"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cores != 1:
            raise RequestError(f"cores: must be 1, not {self.cores}: {self.one_at_a_time}")
        if self.core.key_bits[0] not in KEY_BITS:
            raise RequestError(f"core: must have keys of 128 or 256 bits; those of {self.core.preset} are others")
        clocks, latency = self.core.cycles_per_block, self.core.latency_cycles
        if latency > clocks + 1:
            raise RequestError(
                f"core: must hold one block; {self.core.preset} has several under way: latency {latency}, cycles per "
                f"block {clocks}"
            )
        if self.digit not in DIGITS:
            raise not_one_of("digit", str(self.digit), map(str, DIGITS))
        beats = self.memory_beats
        if beats & (beats - 1) or not IN_REGISTERS <= beats <= MOST_BEATS:
            raise RequestError(f"memory_beats: must be a power of two, {IN_REGISTERS} to {MOST_BEATS}, not {beats}")
        if self.clear and beats > IN_REGISTERS:
            raise RequestError(
                f"memory_beats: must be {IN_REGISTERS} in an engine with a clear, not {beats}: memories have none"
            )
        if self.bus:
            raise RequestError(f"bus: engines of {self.mode} have streams alone, and no registers on {self.bus}")
        digit_step(self.digit, self.splits)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return (
            f"GCM-SIV with {self.core.preset}, {self.digit} bits of GHASH a clock, text of up to "
            f"{BLOCK * self.memory_beats:,} bytes"
        )

    @property
    def directions(self) -> tuple[Direction, ...]:
        """It encrypts and decrypts."""
        return (Direction.ENCRYPT, Direction.DECRYPT)

    @cached_property
    def traffic(self) -> Traffic:  # type: ignore[override]
        """Its messages."""
        return traffic_of_siv(self.memory_beats)

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
        """Its core, which it gives a key of its own for each message."""
        return (CorePlace("core", self.core, in_turn=True, own_keys=True),)

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        place, words = self.memory, ["key_words"] if self.core_places[0].key_words else []
        return (*[place.module] * (place.where == "inside"), *words, "section_tracker", "gcm_siv_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"KeyBits": self.key_bits[0], "Digit": self.digit, "AddressBits": self.memory.address_bits}

    @property
    def leaves(self) -> tuple[SourceFile, ...]:
        """The step of the multiplication by the hash key."""
        circuit = digit_step(self.digit, self.splits).circuit
        header = f"One step of GHASH: p = y x^{self.digit} + d h in GF(2^128), bit i the coefficient of x^i."
        module = f"{self.name}_ghash_step"
        return (SourceFile(f"{module}.sv", nested_systemverilog(circuit, header, module)),)

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_siv(cipher, sent, self.memory_beats, encrypt=sent.command.encrypt)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return streamed_with_tag(message, encrypt=encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many blocks of zeros; to decrypt, its tag is wrong."""
        header, text = bytes(BLOCK * header_blocks), bytes(BLOCK * text_blocks)
        return self.sends(Message(bytes(SHORT_IV), header, text, bytes(BLOCK)), encrypt=encrypt)

    def _with_right_tag(self, sent: StreamedMessage, cipher: Cipher) -> StreamedMessage:
        """A message to decrypt that its text, taken for the plaintext, was encrypted to: then its text leaves."""
        if sent.command.encrypt:
            return sent
        header, text = (
            b"".join(beat.data[: beat.keep.bit_count()] for beat in sent.beats if beat.section is section)
            for section in (Section.HEADER, Section.TEXT)
        )
        sealed = GCM_SIV.encrypt(cipher, Message(sent.command.iv, header, text, bytes(BLOCK)))
        made = self.sends(Message(sent.command.iv, header, sealed.text, sealed.tag), encrypt=False)
        return replace(made, command=sent.command)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages with and without a header, short and long ones."""
        return product((0, 1, 3), sorted({0, 1, 2, min(7, self.memory_beats)}), (True, False))

    @property
    def _timing(self) -> GcmSivTiming:
        clocks = self.core.clocks(self.key_bits[0], Direction.ENCRYPT)
        key_words = self.key_bits[0] // self.core.ports.payload(Meaning.KEY).width
        calls = (BLOCK + self.key_bits[0] // 8) // HALF
        return GcmSivTiming(
            int(clocks.per_block), clocks.first, key_words, self.core.key_cycles, calls, DEGREE // self.digit
        )

    @property
    def opening_cycles(self) -> int:
        """Clocks behind a command in which the keys of its message are made."""
        return first_load(self._timing)

    @property
    def silent_cycles(self) -> int:
        """Clocks of all calls of the longest message to decrypt, or of its keys and its tag."""
        timing = self._timing
        each = max(timing.core_cycles, timing.core_latency, timing.steps + 1) + 1
        keys = 2 * (timing.key_words + timing.key_cycles)
        return (self.memory_beats + timing.derived + 3) * each + keys

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages go through."""
        return partial(gcm_siv_clocks, self._timing)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones without pauses, as if there was room; to decrypt, right ones."""
        plain = self._plain(header_blocks, text_blocks, encrypt=encrypt)
        return clocks_apart(self._timing, passing(plain, BLOCK, encrypt=encrypt, opens=True))

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message, in the slower direction."""

        def clocks(blocks: int, *, encrypt: bool) -> int:
            sent = self.in_words(self._plain(0, blocks, encrypt=encrypt))
            return clocks_apart(self._timing, passing(sent, self._word_bytes, encrypt=encrypt, opens=True))

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
        """Clocks from the ones that first offer the first and the last beat of a message of a block, where it is looked
        at, up to and with the one that offers the first of its answer."""
        plain = passing(self._plain(0, 1, encrypt=encrypt), BLOCK, encrypt=encrypt, opens=True)
        made, ready = gcm_siv_clocks(self._timing, [plain]), first_load(self._timing)
        left, offered = made.left[0][0], [max(clock, ready) for clock in made.offered[0]]
        return left - offered[0] + 1, left - offered[-1] + 1


class GcmSivSpecification(EngineSpecification):
    """The fields of an engine of GCM-SIV."""

    mode: Literal["gcm-siv"] = "gcm-siv"
    digit: Literal[4, 8, 16, 32, 64] = Field(default=16, description="bits of a block that GHASH takes a clock")
    splits: str = Field(default="bbb", description="how the multiplier of GHASH is made, a letter a split")
    memory_beats: int = Field(
        default=MEMORY_BEATS, ge=IN_REGISTERS, le=MOST_BEATS, description="beats of 16 bytes that wait for their tag"
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> GcmSivEngine:
        return GcmSivEngine(name, core, self.cores, self.digit, self.splits, self.memory_beats, **how)


ENGINES = EngineFamily(
    "GCM-SIV: a nonce that comes twice is no disaster",
    GcmSivSpecification,
    {"gcm-siv-compact": GcmSivSpecification(core="ueno2020-enc")},
)
"""The engines of GCM-SIV, for `aesmith.modes.specification`."""


def gcm_siv_engine(name: str, core: dict[str, object], **fields: Any) -> GcmSivEngine:
    """An engine around a core of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of GcmSivEngine: `digit`, `splits`, `memory_beats`.
    """
    return GcmSivEngine(name, core_of(name, core), **fields)
