"""The engine of several modes as a design: one core, three registers of a block, and the mode in each command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from operator import not_
from random import Random
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from aesmith.circuits.multipliers.field_128 import digit_step
from aesmith.circuits.multipliers.gf2_128 import DEGREE
from aesmith.circuits.nested import nested_systemverilog
from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import BLOCK_BITS, SIZE_CODES
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.beats_top import BEAT_REGISTERS
from aesmith.modes.byte_ccm_engine import NONCE, ByteCcmEngine
from aesmith.modes.byte_ccm_engine import STANDARD as CCM_STANDARD
from aesmith.modes.byte_cmac_engine import ByteCmacEngine
from aesmith.modes.byte_engine import BYTE, ByteEngine
from aesmith.modes.clocks import Recurrence, passing
from aesmith.modes.cmac_engine import STANDARD as CMAC_STANDARD
from aesmith.modes.counter_engine import CounterEngine
from aesmith.modes.ctr_engine import STANDARD as SP800_38A
from aesmith.modes.engine import StreamEngine
from aesmith.modes.engine_top import MemoryPlace
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.gcm_ahead_clocks import AheadTiming, gcm_ahead_clocks, mean_ahead
from aesmith.modes.gcm_lanes_engine import STANDARD as GCM_STANDARD
from aesmith.modes.message import BLOCK, WIDER, Cipher, Fault, Message, decryption_limit
from aesmith.modes.multi_mode import COUNTER_BITS, GCM_OF_ANY_IV, GCM_OF_LENGTH, MESSAGE_MODES, MessageMode
from aesmith.modes.multi_mode_clocks import MultiModeTiming, clocks_of_blocks, multi_mode_clocks
from aesmith.modes.several_modes import MemoryEngine, SeveralModesEngine
from aesmith.modes.stream import Beat, Command, Section, StreamedMessage
from aesmith.modes.traffic import Traffic, mixed
from aesmith.publications import Publication

IvLength = Literal["twelve-bytes", "any"]
Release = Literal["verified", "cut-through"]
RELEASES: tuple[Release, ...] = ("verified", "cut-through")
MEMORY_BEATS, MOST_BEATS = 1024, 1 << 16
"""Beats of a memory, if nothing else is asked for, and at most."""
DIGITS = (4, 8, 16, 32, 64)
ALL = tuple(MESSAGE_MODES)
_STANDARDS = {"cmac": CMAC_STANDARD, "ccm": CCM_STANDARD, "gcm": GCM_STANDARD}
_INVERSE = ("ecb", "cbc")
"""The modes of which a direction is the core's."""
_SEVERAL_CORES: Mapping[tuple[str, ...], str] = {
    ("gcm",): "several need ahead = true",
    ("ctr",): 'several need mode = "ctr" in place of modes',
}
"""Where several cores are to be had."""
_IN_BYTES: Mapping[tuple[str, ...], type[ByteEngine]] = {("cmac",): ByteCmacEngine, ("ccm",): ByteCcmEngine}
"""Engines around a core of bytes, by their modes."""
_GONE = {
    "chain": "omit it: a result goes to the next block one clock later, as with registered",
    "buffer_beats": "say memory_beats, a power of two",
}
"""Fields that engines of CBC, CFB128, OFB and CCM had, and what to do."""


@dataclass(frozen=True)
class MultiModeEngine(SeveralModesEngine, MemoryEngine):
    """An engine of one or more modes around one core, each message in the mode that its command names.

    `modes` are by name, the one first of which figures are and messages of a measurement; their order changes nothing
    else. ECB and CBC go the ways that the core goes, the others both. GHASH takes `digit` bits of a block per clock, by
    a circuit of that digit and `splits`, and GCM IVs of twelve bytes or any. `release` is when text that GCM and CCM
    decrypted leaves: at once, or when its tag was found right, for which it waits in a memory of `memory_beats`, a
    power of two; with `memory_outside` that memory's lines are ports. With `beat_registers` a beat waits before the
    engine and an answer behind it (`aesmith.modes.beats_top`). Keys have the sizes that the core takes;
    `rated_size` are the bits of those that figures are quoted for, 0 for the longest. Raises RequestError for other
    values.
    """

    modes: tuple[str, ...] = ("gcm",)
    digit: int = 16
    splits: str = "bbb"
    gcm_iv: IvLength = "twelve-bytes"
    release: Release = "cut-through"
    memory_beats: int = MEMORY_BEATS
    memory_outside: bool = field(default=False, kw_only=True)
    beat_registers: bool = field(default=False, kw_only=True)
    rated_size: int = field(default=0, kw_only=True)

    takes_key_sizes = True
    turns_cores = True
    times_right_tags = True
    looks_at_lengths = False
    one_at_a_time = "a beat waits at the input for its block"
    counter_bits: ClassVar[int] = COUNTER_BITS
    """Bits that count in CTR."""
    one_core: ClassVar[bool] = True
    """Whether it has one core, and one block in it."""

    def __post_init__(self) -> None:
        self.check_modes(ALL)
        super().__post_init__()
        if self.cores != 1 and self.one_core:
            raise RequestError(
                f"cores: must be 1, not {self.cores}: a beat waits at the input for its block; "
                + _SEVERAL_CORES.get(self.modes, "messages side by side need an engine each")
            )
        others = [mode for mode in self.modes if mode not in _INVERSE]
        if others and Direction.ENCRYPT not in self.core.directions:
            raise RequestError(f"core: {others[0]} needs one that encrypts, and {self.core.preset} does not")
        if self.one_core and not self.core.ports.channel("result").quiet:
            raise RequestError(f"core: must offer 0 while it has no result; {self.core.preset} does not")
        if self.digit not in DIGITS:
            raise not_one_of("digit", str(self.digit), map(str, DIGITS))
        if self.gcm_iv not in ("twelve-bytes", "any"):
            raise not_one_of("gcm_iv", self.gcm_iv, ("twelve-bytes", "any"))
        if self.release not in RELEASES:
            raise not_one_of("release", self.release, RELEASES)
        if self.memory_beats & (self.memory_beats - 1) or not 2 <= self.memory_beats <= MOST_BEATS:
            raise RequestError(f"memory_beats: must be a power of two, 2 to {MOST_BEATS}, not {self.memory_beats}")
        if self.holds_text and self.clear:
            raise RequestError(
                "release: must be cut-through, not verified, in an engine with a clear: memories have none"
            )
        digit_step(self.digit, self.splits)

    @property
    def room_for_a_block(self) -> bool:
        """Whether one with registers takes a block more before the answer of the one before was read."""
        return self.data_fifo or self.beat_registers

    @cached_property
    def direct(self) -> Self:
        """The engine between its registers for beats, or itself if it has none."""
        if not self.beat_registers or self.stream_words > 1:
            return self
        around = len(BEAT_REGISTERS) + 1
        return replace(self, name=f"{self.name}_direct", beat_registers=False, shipped=self._shipped_without(around))

    @property
    def holds_text(self) -> bool:
        """Whether text that it decrypts may wait in the memory."""
        return self.release == "verified" and bool({"gcm", "ccm"} & {*self.modes})

    @property
    def short_tags(self) -> bool:  # type: ignore[override]
        """Whether messages of one of its modes have a tag."""
        return self.has_tags

    @property
    def has_tags(self) -> bool:
        """Whether messages of one of its modes have a tag."""
        return any(MESSAGE_MODES[mode].tags for mode in self.modes)

    @property
    def most_beats(self) -> int | None:
        """Beats of text that a message to decrypt may have; None if there is no limit."""
        return self.memory_beats if self.release == "verified" and self.mode in ("gcm", "ccm") else None

    @property
    def limits(self) -> tuple[str, ...]:
        """How long a message to decrypt may be whose text waits, in whatever mode is named first."""
        more = {"memory_beats": 1 << (WIDER - 1).bit_length()} if self.memory_beats < WIDER else {}
        return decryption_limit(self.memory_beats if self.holds_text else None, self.held_to_decrypt, more)

    def room_for(self, header_blocks: int, text_blocks: int) -> Mapping[str, object]:  # noqa: ARG002
        """A memory for the text of a message to decrypt of so many blocks, if it has a smaller one."""
        if self.most_beats is None or self.most_beats >= text_blocks:
            return {}
        return {"memory_beats": 1 << (text_blocks - 1).bit_length()}

    @property
    def memory(self) -> MemoryPlace:
        """Where its memory stands."""
        where: Literal["inside", "outside", "none"] = "none"
        if self.holds_text:
            where = "outside" if self.memory_outside else "inside"
        return MemoryPlace((self.memory_beats - 1).bit_length(), where)

    @property
    def publication(self) -> Publication:  # type: ignore[override]
        """The standard of that mode."""
        return _STANDARDS.get(self.mode, SP800_38A)

    def _of(self, mode: str) -> MessageMode:
        return GCM_OF_ANY_IV if mode == "gcm" and self.gcm_iv == "any" else MESSAGE_MODES[mode]

    @cached_property
    def traffic(self) -> Traffic:  # type: ignore[override]
        """Messages of all its modes, and of modes that it has not."""
        numbers = [MESSAGE_MODES[mode].number for mode in self.modes]
        others = [number for number in range(8) if number not in numbers]
        return mixed([self._of(mode).traffic for mode in self.modes], others)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        named = [mode.upper() for mode in MESSAGE_MODES if mode in self.modes]
        more = [f"{self.digit} bits of GHASH a clock"] * ("gcm" in self.modes)
        more += ["IVs of any length"] * ("gcm" in self.modes and self.gcm_iv == "any")
        more += [f"{self.release} text"] * bool({"gcm", "ccm"} & {*self.modes})
        return ", ".join([f"{', '.join(named)} with {self.core.preset}", *more])

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Whether it encrypts messages, decrypts them, or both; of ECB and CBC alone what its core does."""
        return self.core.directions if {*self.modes} <= {*_INVERSE} else (Direction.ENCRYPT, Direction.DECRYPT)

    @property
    def remarks(self) -> tuple[str, ...]:
        """How a key says its size, and what a receiver must do."""
        if self.holds_text:
            release: tuple[str, ...] = (
                "No decrypted text is released before its tag is verified.",
                *self.limits,
            )
        elif {"gcm", "ccm"} & {*self.modes}:
            release = (
                "**Decrypted text leaves before its tag was compared: the receiver must drop all of a message whose "
                "last beat says *failed*.**",
            )
        else:
            release = ()
        return (*self._selection, *release)

    @property
    def _selection(self) -> tuple[str, ...]:
        """How a key says which of several sizes it has, and what a block then takes."""
        if len(self.key_bits) == 1:
            return ()
        codes, sizes, clocks = (
            f"{', '.join(map(str, each[:-1]))} or {each[-1]}"
            for each in (
                [SIZE_CODES[bits] for bits in self.key_bits],
                self.key_bits,
                [f"{replace(self, rated_size=bits).cycles_per_block:g}" for bits in self.key_bits],
            )
        )
        return (
            f"`key_bits_i` goes with the key, and says its size: {codes} for {sizes} bits. A shorter key occupies the "
            "most significant bits of `key_i`; the others are ignored. A block of a long message takes "
            f"{clocks} cycles; figures are those of {self.rated_key_bits} bits.",
        )

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        return (*self._release_modules, "multi_mode_engine")

    @property
    def _release_modules(self) -> tuple[str, ...]:
        """Those in which text waits for its verdict."""
        memory = ("release_memory",) if self.memory.where == "inside" else ()
        return (*memory, *["verified_release"] * self.holds_text)

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {
            "Modes": sum(1 << MESSAGE_MODES[mode].number for mode in self.modes),
            "Encrypts": int(Direction.ENCRYPT in self.core.directions),
            "Decrypts": int(Direction.DECRYPT in self.core.directions),
            "Digit": self.digit,
            "LongIv": int(self.gcm_iv == "any"),
            "Verified": int(self.holds_text),
            "AddressBits": self.memory.address_bits,
        }

    @property
    def leaves(self) -> tuple[SourceFile, ...]:
        """The step of the multiplication by the hash key, where there is one."""
        if "gcm" not in self.modes:
            return ()
        circuit = digit_step(self.digit, self.splits).circuit
        header = f"One step of GHASH: p = y x^{self.digit} + d h in GF(2^128), bit i the coefficient of x^i."
        module = f"{self.name}_ghash_step"
        return (SourceFile(f"{module}.sv", nested_systemverilog(circuit, header, module)),)

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        command = sent.command
        named = [self._of(mode) for mode in self.modes]
        asked = named if len(named) == 1 else [mode for mode in named if mode.number == command.mode]
        encrypt = self.encrypts(asked=command.encrypt)
        mode = asked[0] if asked else named[0]
        fault: Fault | None = Fault.MODE
        if asked:
            way = Direction.ENCRYPT if encrypt else Direction.DECRYPT
            missing = Fault.MODE if mode.name in _INVERSE and way not in self.core.directions else None
            fault = mode.command_fault(replace(command, encrypt=encrypt)) or missing
        if cipher is None or command.slot:
            fault = Fault.KEY
        return mode.answer(cipher, sent, fault, encrypt=encrypt, held=self.memory_beats if self.holds_text else None)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message of the mode that is named first as it is sent, in whole beats."""
        return self._of(self.mode).stream(message, encrypt)

    def random_iv(self, command: Command, random: Random) -> bytes:
        """An IV in the place of that of a command; of CCM another nonce in B0."""
        iv = super().random_iv(command, random)
        return command.iv[:1] + iv[1 : 1 + NONCE] + command.iv[1 + NONCE :] if self.mode == "ccm" else iv

    @property
    def mode_numbers(self) -> Mapping[str, int]:
        """The number by which a command names each of its modes, where it has several."""
        several = len(self.modes) > 1
        return {name: mode.number for name, mode in MESSAGE_MODES.items() if several and name in self.modes}

    @property
    def mode_directions(self) -> tuple[Direction, ...]:
        """Whether it encrypts messages of the mode that is named first, decrypts them, or both."""
        return self.core.directions if self.mode in _INVERSE else (Direction.ENCRYPT, Direction.DECRYPT)

    @property
    def takes_any_iv(self) -> bool:
        """Whether GCM takes IVs of other than twelve bytes."""
        return self.gcm_iv == "any"

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many blocks of zeros of the mode that is named first; to decrypt, its tag is wrong."""
        mode = MESSAGE_MODES[self.mode]
        iv = bytes(NONCE if self.mode == "ccm" else mode.ivs[0])
        tag = bytes(BLOCK * bool(mode.tags))
        return self.sends(Message(iv, bytes(BLOCK * header_blocks), bytes(BLOCK * text_blocks), tag), encrypt=encrypt)

    def _with_right_tag(self, sent: StreamedMessage, cipher: Cipher) -> StreamedMessage:
        """A message to decrypt with the tag that it should have: then its text leaves."""
        mode = self._of(self.mode)
        if sent.command.encrypt or mode.tag is None:
            return sent
        header, text = (
            b"".join(beat.data[: beat.keep.bit_count()] for beat in sent.beats if beat.section is section)
            for section in (Section.HEADER, Section.TEXT)
        )
        plain = mode.crypt(cipher, sent.command.iv, text, False) if text else b""
        tag = mode.tag(cipher, sent.command.iv, header, plain)
        return replace(sent, beats=(*sent.beats[:-1], replace(sent.beats[-1], data=tag)))

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages of the mode that is named first, short and long ones."""
        headers = (0, 1, 3) if MESSAGE_MODES[self.mode].has_header else (0,)
        return product(headers, (0, 1, 2, 7), self._ways)

    @property
    def _ways(self) -> Sequence[bool]:
        return [way is Direction.ENCRYPT for way in self.mode_directions]

    @property
    def _timing(self) -> MultiModeTiming:
        ways = self.core.directions
        forward, back = (
            self.core.clocks(self.rated_key_bits, way if way in ways else ways[0])
            for way in (Direction.ENCRYPT, Direction.DECRYPT)
        )
        return MultiModeTiming(
            self.mode,
            *(forward.per_block, forward.first, back.per_block, back.first),
            hash_key=bool({"gcm", "cmac"} & {*self.modes}),
            steps=DEGREE // self.digit,
            long_iv=self.gcm_iv == "any",
            verified=self.holds_text,
        )

    @property
    def shows_text(self) -> bool:  # type: ignore[override]
        """Whether text of messages of the mode that is named first leaves."""
        return MESSAGE_MODES[self.mode].shows_text

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages of the mode that is named first go through."""
        return partial(multi_mode_clocks, replace(self._timing, registers=self.beat_registers))

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones of the mode that is named first, without pauses.

        Raises RequestError for a header, where the mode has none.
        """
        if header_blocks and not MESSAGE_MODES[self.mode].has_header:
            raise RequestError(f"header_blocks: {self.mode} has no header, not {header_blocks}")
        encrypts = self.encrypts(asked=encrypt)
        return clocks_of_blocks(self._timing, header_blocks, text_blocks, encrypt=encrypts)

    @property
    def _cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message of the mode that is named first, in the slower
        direction."""

        def clocks(blocks: int, *, encrypt: bool) -> float:
            return self._message_cycles(0, blocks, encrypt=encrypt)

        return max(clocks(9, encrypt=way) - clocks(8, encrypt=way) for way in self._ways)

    @property
    def cycles_per_block(self) -> float:
        """The same, on a stream of words."""
        words = self.stream_words - 1
        if self.beat_registers:
            return max(self._cycles_per_block, words + 1)
        shown = words * (MESSAGE_MODES[self.mode].shows_text + 1)
        return self._cycles_per_block + shown

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that first offers a beat, which is taken as it leaves, up to and with the one that offers
        its answer; of CMAC those from the last beat to the tag."""
        timing = self._timing
        inverse = self.mode in _INVERSE and Direction.DECRYPT in self.core.directions
        latency = max(timing.core_latency, timing.decryption_latency * inverse)
        return latency + (self.mode == "cmac") + 2 * self.beat_registers


@dataclass(frozen=True)
class GcmAheadEngine(MultiModeEngine):
    """An engine of GCM alone around one or more cores in turn, each of which holds a block: counters go ahead of the
    text, and key stream waits in the cores. Commands may tell how much text comes.

    Raises RequestError for other modes, for IVs of any length, and for cores that hold several blocks, or decrypt.
    """

    turns_cores = False
    looks_at_lengths = True
    one_core = False
    one_at_a_time = "its hash takes one block at a time"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.modes != ("gcm",):
            raise RequestError(f'modes: must be ["gcm"] where counters go ahead, not {list(self.modes)}')
        if self.gcm_iv != "twelve-bytes":
            raise RequestError(f"gcm_iv: must be twelve-bytes where counters go ahead, not {self.gcm_iv}")
        clocks, latency = self.core.cycles_per_block, self.core.latency_cycles
        if latency > clocks + 1:
            raise RequestError(
                f"core: must hold one block where counters of GCM go ahead; {self.core.preset} takes one every "
                f"{clocks} clocks, and gives its result after {latency}"
            )

    def _of(self, mode: str) -> MessageMode:  # noqa: ARG002
        return GCM_OF_LENGTH

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return (
            f"GCM with {self.cores} x {self.core.preset}, counters ahead, {self.digit} bits of GHASH a clock, "
            f"{self.release} text"
        )

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        return ("core_keys", *self._release_modules, "gcm_ahead_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        named = super().module_parameters
        return {name: named[name] for name in ("Digit", "Verified", "AddressBits")}

    @property
    def _ahead(self) -> AheadTiming:
        clocks = self.core.clocks(self.rated_key_bits, Direction.ENCRYPT)
        return AheadTiming(clocks.per_block, clocks.first, self.cores, DEGREE // self.digit, self.holds_text)

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages go through."""
        return partial(gcm_ahead_clocks, replace(self._ahead, registers=self.beat_registers))

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message of equal ones whose lengths are told, as a mean, without pauses; their tags
        are right."""
        sent = self._plain(header_blocks, text_blocks, encrypt=encrypt)
        return mean_ahead(self._ahead, passing(sent, BLOCK, encrypt=encrypt, opens=True))

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message: the cores', which hold a block until its last
        word leaves, or those of GHASH and of these words, or those of all words, which come and leave one after the
        other."""
        words = 1 if self.beat_registers else self.stream_words
        held = max(self.core.cycles_per_block, self.core.latency_cycles + words - 2)
        hashed = max(words, DEGREE // self.digit) + words - 1
        return max(held / self.cores, hashed, 2 * words, self.stream_words)

    @property
    def latency_cycles(self) -> int:
        """Of a beat that comes when its key stream is there: it leaves in the clock in which it is offered, or, with
        registers, two later."""
        return 1 + 2 * self.beat_registers


class MultiModeSpecification(EngineSpecification):
    """The fields of an engine of several modes."""

    mode: Literal["multi"] = "multi"
    modes: tuple[str, ...] = Field(description=f"the modes that a command may name, of {', '.join(MESSAGE_MODES)}")
    digit: Literal[4, 8, 16, 32, 64] = Field(default=16, description="bits of a block that GHASH takes a clock")
    splits: str = Field(default="bbb", description="how the multiplier of GHASH is made, a letter a split")
    gcm_iv: IvLength = Field(default="twelve-bytes", description="IVs that GCM takes: of twelve bytes, or any")

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, fields: Any) -> Any:
        """A list of modes, as TOML has it, is a tuple. Raises ValueError for a field that there was."""
        for name in _GONE.keys() & (fields if isinstance(fields, dict) else {}):
            raise ValueError(f"{name}: there is no such field; {_GONE[name]}")
        if isinstance(fields, dict) and isinstance(fields.get("modes"), list):
            return fields | {"modes": tuple(fields["modes"])}
        return fields

    ahead: bool = Field(
        default=False,
        description="counters run ahead: for CTR alone, with a core that takes one block per clock, or for GCM alone, "
        "with cores that hold one block each",
    )
    release: Release = Field(default="verified", description="when text that GCM and CCM decrypted leaves")
    memory_beats: int = Field(
        default=MEMORY_BEATS, ge=2, le=MOST_BEATS, description="beats of 16 bytes that wait for their verdict"
    )

    beat_registers: bool = Field(
        default=False,
        exclude_if=not_,
        description="a register for a beat before the engine and one after it, on a stream of fewer than 128 bits: "
        "words come and leave while the core works",
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> StreamEngine:
        taken_ahead = self.ahead and self.modes == ("ctr",)
        in_bytes = _IN_BYTES.get(self.modes) if core.block_width == BYTE else None
        if self.beat_registers and (taken_ahead or in_bytes):
            raise RequestError(
                "beat_registers: must be false, not true, in an engine whose words come and leave while its core works"
            )
        if self.beat_registers and how["stream_bits"] >= BLOCK_BITS:
            raise RequestError(
                f"beat_registers: must be false with a stream of {how['stream_bits']} bits, not true: each beat is one "
                "word; choose stream_bits = 64 or fewer, or a bus"
            )
        if self.ahead and self.modes != ("gcm",):
            if self.modes != ("ctr",):
                raise RequestError(f'ahead: only of modes = ["ctr"] or ["gcm"], not of {list(self.modes)}')
            return CounterEngine(name, core, self.cores, **how)
        if in_bytes:
            if self.release == "verified" and "cmac" not in self.modes:
                raise RequestError(
                    "release: must be cut-through, not verified, in an engine of bytes: it has no memory in which text "
                    "waits for its verdict"
                )
            return in_bytes(name, core, self.cores, **how)
        named = ("modes", "digit", "splits", "gcm_iv", "release", "memory_beats", "beat_registers")
        own = {field: getattr(self, field) for field in named}
        return (GcmAheadEngine if self.ahead else MultiModeEngine)(name, core, self.cores, **own, **how)


ENGINES = EngineFamily(
    "Several modes, of which each command names one",
    MultiModeSpecification,
    {
        "multi-compact": MultiModeSpecification(core="ueno2020-encdec", modes=("gcm", *ALL[:-1])),
        "multi-compact-selectable": MultiModeSpecification(
            core={"preset": "ueno2020-encdec-selectable", "clock_gates": True}, modes=("gcm", *ALL[:-1])
        ),
        "ctr-ahead": MultiModeSpecification(
            core={"architecture": "subpipelined", "directions": ("encrypt",), "stages": 1}, modes=("ctr",), ahead=True
        ),
        "cmac-bytes": MultiModeSpecification(core="serial-shared-small-enc", modes=("cmac",), stream_bits=8),
        "ccm-bytes": MultiModeSpecification(
            core="serial-shared-small-enc", modes=("ccm",), stream_bits=8, release="cut-through"
        ),
        "gcm-compact": MultiModeSpecification(core="ueno2020-enc", modes=("gcm",), gcm_iv="any"),
        "gcm-lean-10g": MultiModeSpecification(
            core={"preset": "ueno2020-enc", "output": "bare"},
            cores=2,
            modes=("gcm",),
            ahead=True,
            digit=32,
            release="cut-through",
        ),
        "gcm-lean-10g-256": MultiModeSpecification(
            core={"preset": "ueno2020-enc-256", "output": "bare"},
            cores=3,
            modes=("gcm",),
            ahead=True,
            digit=32,
            release="cut-through",
        ),
        "gcm-packets-10g-256": MultiModeSpecification(
            core={"preset": "ueno2020-enc-256", "output": "bare"},
            cores=4,
            modes=("gcm",),
            ahead=True,
            digit=64,
            splits="bbbb",
        ),
        "gcm-small": MultiModeSpecification(core="ueno2020-enc", modes=("gcm",), release="cut-through"),
        "gcm-small-256": MultiModeSpecification(core="ueno2020-enc-256", modes=("gcm",), release="cut-through"),
        "ccm-radio": MultiModeSpecification(core="column-gated-enc", modes=("ccm",)),
        "cbc-compact": MultiModeSpecification(core="ueno2020-encdec", modes=("cbc",)),
        "cfb-compact": MultiModeSpecification(core="ueno2020-enc", modes=("cfb128",)),
        "ofb-compact": MultiModeSpecification(core="ueno2020-enc", modes=("ofb",)),
    },
    ALL,
)
"""The engines of several modes, for `aesmith.modes.specification`."""
