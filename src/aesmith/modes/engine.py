"""Stream engines as designs: cores behind the block interface, and the SystemVerilog of a mode around them.

An engine has the ports of `stream_interface`, whatever its mode; its clocks are a formula, which simulations are held
against.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import ClassVar, Self

from aesmith.cores.design import CoreDesign, Direction, PublishedFigures, SourceFile, hash_of
from aesmith.cores.ports import (
    BLOCK_BITS,
    SCAN_ENABLE_PORT,
    SIZE_CODES,
    ByteOrder,
    Channel,
    Line,
    Meaning,
    Payload,
    PayloadKind,
    PortDirection,
    Ports,
    Reset,
)
from aesmith.cores.sources import check_name, scannable_sources
from aesmith.errors import RequestError
from aesmith.modes.bus_top import WORD_BITS, bus_interface
from aesmith.modes.buses import bus_of
from aesmith.modes.clear_top import clearable_interface
from aesmith.modes.clocks import BEFORE, Recurrence, mean_clocks, passing, text_waits
from aesmith.modes.engine_sources import engine_sources
from aesmith.modes.engine_top import CorePlace, MemoryPlace
from aesmith.modes.message import BLOCK, WIDER, Cipher, Fault, Message, decryption_limit
from aesmith.modes.narrow_top import CONVERTERS
from aesmith.modes.stream import Beat, Command, Section, StreamedMessage, streamed
from aesmith.modes.traffic import Keyed, Traffic
from aesmith.modes.words import check_width, in_words, message_in_beats, message_in_words, traffic_in_words
from aesmith.publications import Publication

COMMAND_BITS = 256
MOST_CORES = 16
MOST_SLOTS = 64
LOADED = 12
"""Messages behind BEFORE ones, back to back, of which the longest wait of a block of text is told."""
TURNS = 12
"""Messages for each core of which clocks are a mean: in so many all cores have equal turns, and what comes round in
three messages, or in four, has come round."""
SHORTEST_TAG, SHORT_TAG, NO_TAG = 4, 12, 1
"""Bytes of the shortest tag that engines take, of the shortest that NIST means to allow, and of one that none takes."""
SHORT_TAGS = (
    f"**Tags of less than {SHORT_TAG} bytes are taken if a command asks for them**: SP 800-38D, appendix C, limits "
    f"what they may protect, and NIST plans to end them in its revision. min_tag = {SHORT_TAG} refuses them."
)
"""What is to be said of engines that take short tags."""
COMMAND, INPUT, OUTPUT = "command", "stream in", "stream out"
"""The channels of a message, beside that of keys."""
Session = Callable[[bytes | None, StreamedMessage], tuple[list[Beat], Fault | None]]
"""What an engine answers to messages in their order, each under a key, None before the first: beats, and why it refuses
it, if it does."""


def _stream(name: str, prefix: str, direction: PortDirection, bits: int, user: int, *, quiet: bool) -> Channel:
    payloads = (
        Payload(f"{prefix}_tdata", bits, Meaning.STREAM),
        Payload(f"{prefix}_tkeep", bits // 8, Meaning.KEEP, PayloadKind.CONTROL),
        Payload(f"{prefix}_tuser", 2 * max(1, bits // BLOCK_BITS) + user, Meaning.USER, PayloadKind.CONTROL),
        Payload(f"{prefix}_tlast", 1, Meaning.LAST, PayloadKind.CONTROL),
    )
    lines = Line(f"{prefix}_tvalid"), Line(f"{prefix}_tready")
    item = "beat" if bits >= BLOCK_BITS else "word"
    return Channel(name, direction, payloads, *lines, ByteOrder.FIRST_BYTE_LOW, item, quiet=quiet)


def stream_interface(key_bits: Sequence[int], stream_bits: int = BLOCK_BITS, key_slots: int = 1) -> Ports:
    """The ports that every engine has: keys as a core takes them, commands and streams as AXI4-Stream.

    Where keys have one of several sizes, a key comes with its size, and where there are several slots for them, with
    its slot.
    """
    command = Payload("s_axis_cmd_tdata", COMMAND_BITS, Meaning.COMMAND)
    lines = Line("s_axis_cmd_tvalid"), Line("s_axis_cmd_tready")
    inward, outward = PortDirection.INPUT, PortDirection.OUTPUT
    keys = [Payload("key_i", max(key_bits), Meaning.KEY)]
    if len(key_bits) > 1:
        keys.append(Payload("key_bits_i", 2, Meaning.KEY_SIZE, PayloadKind.CONTROL))
    if key_slots > 1:
        keys.append(Payload("key_slot_i", (key_slots - 1).bit_length(), Meaning.SLOT, PayloadKind.CONTROL))
    key = Channel("key", inward, tuple(keys), Line("key_valid_i"), Line("key_ready_o"))
    code = Payload("error_o", 4, Meaning.CODE, PayloadKind.CONTROL)
    channels = (
        key,
        Channel(COMMAND, inward, (command,), *lines, ByteOrder.FIRST_BYTE_LOW),
        _stream(INPUT, "s_axis", inward, stream_bits, 0, quiet=False),
        _stream(OUTPUT, "m_axis", outward, stream_bits, 2, quiet=True),
        Channel("error", outward, (code,)),
    )
    return Ports("clk_i", Reset("rst_ni"), channels)


def key_payloads(key: bytes, slot: int = 0, *, key_bits: Sequence[int] = (), key_slots: int = 1) -> tuple[int, ...]:
    """What the channel of keys of an engine of so many slots carries for a key: the key; of several `key_bits` its
    size, and a shorter one stands in the highest bits; of several slots its own."""
    several = len(key_bits) > 1
    word = int.from_bytes(key) << (max(key_bits) - 8 * len(key) if several else 0)
    return (word, *([SIZE_CODES[8 * len(key)]] if several else []), *([slot] if key_slots > 1 else []))


def key_of(payloads: Sequence[int], *, key_bits: Sequence[int], key_slots: int = 1) -> tuple[bytes, int]:
    """The key and the slot of which `key_payloads` made these."""
    bits = next(size for size in key_bits if len(key_bits) == 1 or SIZE_CODES[size] == payloads[1])
    key = payloads[0] >> max(key_bits) - bits
    return key.to_bytes(bits // 8), payloads[-1] if key_slots > 1 else 0


@dataclass(frozen=True)
class StreamEngine(ABC):
    """An engine of a mode: `cores` equal cores in turn, and what stands around them.

    A design like a core. `core` is one of the cores, whose ports must be the block interface with one key size,
    and, unless the mode says otherwise, words of 128 bits and encryption alone; `preset` is how the user called the
    engine, `key_slots` how many keys it keeps, `min_tag` the bytes of the shortest tag that it takes, `fields` are
    those of its specification as plain JSON values, `shipped` the sources of a build, in place of those made anew.
    With `stream_bits` below 128 words of so many bits come and go in place of beats (`aesmith.modes.words`), above
    128 beats of several lanes, each with as many of the cores, in a mode that takes several blocks at once. With
    `clear`, which its cores have too, it can be cleared; `inside` it is what another one clears
    (`aesmith.modes.clear_top`). With `scan_enable` there is a port that opens all clock gates, which are those of
    its cores. With a `bus` its ports are that bus and an interrupt, and the engine with the streams is `behind_bus`
    (`aesmith.modes.bus_top`); a `self_test` is before that (`aesmith.modes.self_test`). Raises RequestError for
    anything else.

    What a mode says of itself, in the methods that begin with an underscore, is of whole beats, or of lanes.
    """

    name: str
    core: CoreDesign
    cores: int = 1
    key_slots: int = field(default=1, kw_only=True)
    min_tag: int = field(default=SHORTEST_TAG, kw_only=True)
    stream_bits: int = field(default=BLOCK_BITS, kw_only=True)
    clear: bool = field(default=False, kw_only=True)
    scan_enable: bool = field(default=False, kw_only=True)
    inside: bool = field(default=False, kw_only=True)
    bus: str = field(default="", kw_only=True)
    self_test: str = field(default="none", kw_only=True)
    alarm: bool = field(default=False, kw_only=True)
    sideload: bool = field(default=False, kw_only=True)
    data_streams: bool = field(default=False, kw_only=True)
    big_endian: bool = field(default=False, kw_only=True)
    data_fifo: bool = field(default=False, kw_only=True)
    preset: str = field(default="engine", kw_only=True)
    fields: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    shipped: Sequence[SourceFile] | None = field(default=None, kw_only=True)

    mode: ClassVar[str]
    """Name of the mode of operation (`aesmith.modes.catalogue`)."""
    publication: ClassVar[Publication]
    """The standard of the mode."""
    traffic: ClassVar[Traffic]
    """How messages to try it with are made, in whole beats."""
    takes_words: ClassVar[bool] = False
    """Whether blocks may go to its core in words."""
    one_at_a_time: ClassVar[str] = "each block is chained to the one before it"
    """Why a stream of it has one lane; empty for a mode that takes several blocks at once."""
    takes_key_sizes: ClassVar[bool] = False
    """Whether its core may take keys of several sizes, each of which says its own."""
    turns_cores: ClassVar[bool] = False
    """Whether it tells its cores which way to compute, so that they may decrypt."""
    clocks_of_whole_blocks: ClassVar[bool] = False
    """Whether text that ends within a block takes other clocks than the formula, which counts blocks, says."""
    looks_at_lengths: ClassVar[bool] = True
    """Whether it looks at the bytes of text, and of the header, that commands say."""
    times_right_tags: ClassVar[bool] = False
    """Whether its clocks are those of messages to decrypt whose tags are right, where that makes a difference."""
    short_tags: ClassVar[bool] = False
    """Whether tags of less than 12 bytes may be asked of it."""
    short_tag_remark: ClassVar[str] = SHORT_TAGS
    """What is to be said of these."""
    answers_words: ClassVar[bool] = False
    """Whether each word of text leaves as it is taken, so that a block waits at its first word."""
    shows_text: ClassVar[bool] = True
    """Whether text leaves; else a tag or a verdict does."""
    held_to_decrypt: ClassVar[str] = "text"
    without_memory: ClassVar[str] = "release = cut-through"
    """The field with which an engine that has a memory has none."""
    published: ClassVar[tuple[PublishedFigures, ...]] = ()
    inner: ClassVar[None] = None

    def __post_init__(self) -> None:
        check_name(self.name)
        check_width(self.stream_bits, self.one_at_a_time)
        if self.bus and bus_of(self.bus) and self.stream_bits != WORD_BITS:
            raise RequestError(
                f"stream_bits: must be {WORD_BITS} with a bus, the width of registers, not {self.stream_bits}"
            )
        if not 1 <= self.cores <= MOST_CORES:
            raise RequestError(f"cores: must be 1 to {MOST_CORES}, not {self.cores}")
        if self.key_slots & (self.key_slots - 1) or not 1 <= self.key_slots <= MOST_SLOTS:
            raise RequestError(f"key_slots: must be a power of two up to {MOST_SLOTS}, not {self.key_slots}")
        if not SHORTEST_TAG <= self.min_tag <= BLOCK:
            raise RequestError(f"min_tag: must be {SHORTEST_TAG} to {BLOCK} bytes, not {self.min_tag}")
        if self.min_tag != SHORTEST_TAG and not self.short_tags:
            raise RequestError(f"min_tag: engines of {self.mode} leave no choice; leave {self.min_tag} out")
        most = self.core.cycles_per_block * self.lanes
        if self.cores % self.lanes or self.cores > most:
            many, blocks = (f"a multiple of {self.lanes}, ", "blocks") if self.lanes > 1 else ("", "block")
            raise RequestError(
                f"cores: must be {many}at most {most}, not {self.cores}: a stream brings {self.lanes} {blocks} a "
                f"clock, and {self.core.preset} takes one every {self.core.cycles_per_block} clocks"
            )
        if self.core.ports != self.core.block_interface or self.core.ports.key_with_block:
            raise RequestError(f"core: must have the block interface; {self.core.preset} does not")
        if self.core.block_width != BLOCK_BITS and not self.takes_words:
            raise RequestError(
                f"core: must take blocks of 128 bits at once, as column-gated-enc does; {self.core.preset} takes "
                f"{self.core.block_width}"
            )
        if (len(self.core.key_bits) > 1 and not self.takes_key_sizes) or self.core.ports.clearable is not self.clear:
            clear = "a clear, as the engine has" if self.clear else "no clear"
            sizes = "" if self.takes_key_sizes else "one key size and "
            raise RequestError(f"core: must have {sizes}{clear}; {self.core.preset} is another")
        if self.bus and len(self.core.key_bits) > 1:
            raise RequestError(
                f"bus: registers take keys of one size, and those of {self.core.preset} have "
                f"{', '.join(map(str, self.core.key_bits))} bits: choose a core of one, or leave out bus"
            )
        if self.core.directions != (Direction.ENCRYPT,) and not self.turns_cores:
            raise RequestError(f"core: must encrypt only; {self.core.preset} is another")

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is, in a few words."""

    @property
    @abstractmethod
    def directions(self) -> tuple[Direction, ...]:
        """Whether it encrypts messages, decrypts them, or both."""

    @property
    @abstractmethod
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""

    @property
    def roles(self) -> Mapping[str, str]:
        """Which of its modules take the place of one that others instantiate under a general name."""
        return {}

    @property
    @abstractmethod
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""

    @abstractmethod
    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""

    def answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """What it gives for a message under a key (None: before the first), in words of its stream as the message is,
        and why it refuses it, if it does: the model that it is compared with."""
        sent = self._with_least_tag(sent)
        if self.stream_bits == BLOCK_BITS:
            return self._answer(cipher, sent)
        beats, fault = self._answer(cipher, message_in_beats(sent, self._word_bytes))
        return in_words(beats, self._word_bytes), fault

    def _with_least_tag(self, sent: StreamedMessage) -> StreamedMessage:
        """A message as the mode sees it that asks for a tag: one of fewer bytes than `min_tag` is one of none."""
        if self.min_tag > SHORTEST_TAG and 0 < sent.command.tag_bytes < self.min_tag:
            return replace(sent, command=replace(sent.command, tag_bytes=NO_TAG))
        return sent

    def session(self, cipher: type[Cipher] = Cipher) -> Session:
        """Its model after reset, for cores that compute this: without a state, each message's `answer`."""
        return lambda key, sent: self.answer(None if key is None else cipher(key), self.told(sent))

    def closing(self, key: bytes) -> list[Keyed]:  # noqa: ARG002
        """Messages behind those under this key that take it to what it is after reset, but for a key."""
        return []

    @abstractmethod
    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones without pauses, on a stream of whole beats."""

    @property
    def recurrence(self) -> Recurrence | None:
        """In which clocks messages go through (`aesmith.modes.clocks`), where header, text and tag load different parts
        and wait for one another in words. None where one part is the slowest throughout."""
        return None

    @property
    def passage(self) -> Recurrence | None:
        """In which clocks messages of whole blocks come and leave, where it is told: by the `recurrence`, if there is
        one."""
        return self.recurrence

    def holds(self, *, encrypt: bool) -> bool:
        """Whether text of a message that is asked to be so waits for its verdict."""
        return self.most_beats is not None and not self.encrypts(asked=encrypt)

    def worst_wait(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> int | None:
        """Clocks from the one that first offers the last word of a block of text, or, where it `answers_words`, the
        first, up to and with the one that offers its answer, the most of equal messages back to back without pauses; of
        CMAC from the last beat to the tag. None if there is no such block, or it waits for a verdict, or clocks are not
        told."""
        if self.passage is None or self.holds(encrypt=encrypt):
            return None
        plain, encrypts = self.plain(header_blocks, text_blocks, encrypt=encrypt), self.encrypts(asked=encrypt)
        message = passing(plain, self._word_bytes, encrypt=encrypts, opens=self.times_right_tags)
        made = self.passage([message] * (BEFORE + LOADED + 3))
        loaded = [*zip(made.offered, made.left, strict=True)][BEFORE : BEFORE + LOADED]
        waits = (text_waits(message, came, went, shows_text=self.shows_text) for came, went in loaded)
        return max((wait for each in waits for wait in each), default=None)

    @cached_property
    def worst_waits(self) -> Mapping[Direction, int | None]:
        """The `worst_wait` of all its `kinds` of messages, in each direction that they are of."""
        found: dict[Direction, int | None] = {}
        for headers, texts, encrypt in self.kinds():
            way = Direction.ENCRYPT if encrypt else Direction.DECRYPT
            waits = found.get(way), self.worst_wait(headers, texts, encrypt=encrypt)
            found[way] = max((wait for wait in waits if wait is not None), default=None)
        return found

    @property
    def worst_latency_cycles(self) -> int | None:
        """Clocks from the one that first offers the last word of a block of text up to and with the one that offers its
        answer, behind other messages: the largest of `worst_waits`. None where clocks are not told."""
        return max((wait for wait in self.worst_waits.values() if wait is not None), default=None)

    def message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones without pauses: those on a stream of whole beats, or
        one for each word that comes or that leaves; in words by the `recurrence`, if there is one."""
        if self.stream_words > 1 and self.recurrence is not None:
            plain, encrypts = self.plain(header_blocks, text_blocks, encrypt=encrypt), self.encrypts(asked=encrypt)
            message = passing(plain, self._word_bytes, encrypt=encrypts, opens=self.times_right_tags)
            return mean_clocks(self.recurrence, message, TURNS * self.cores)
        of_beats = self._message_cycles(header_blocks, text_blocks, encrypt=encrypt)
        words = 0 if self.stream_words == 1 else self._words(header_blocks, text_blocks, encrypt=encrypt)
        return max(of_beats, words)

    def _demands(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> Mapping[str, float]:
        """For how many clocks each of its parts is busy with such a message, on a stream of whole beats."""
        return {"AES": self._message_cycles(header_blocks, text_blocks, encrypt=encrypt)}

    def demands(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> Mapping[str, float]:
        """For how many clocks each of its parts is busy with such a message; `message_cycles` is the largest."""
        of_beats = self._demands(header_blocks, text_blocks, encrypt=encrypt)
        if self.stream_words == 1:
            return of_beats
        words = max(of_beats.get("stream", 0), self._words(header_blocks, text_blocks, encrypt=encrypt))
        whole = self.message_cycles(header_blocks, text_blocks, encrypt=encrypt)
        return {**of_beats, "stream": words} | ({"parts in turn": whole} if self.recurrence else {})

    def _words(self, header_blocks: int, text_blocks: int, *, encrypt: bool) -> int:
        """Words of such a message, or of its answer, if it has more."""
        sent = len(self.plain(header_blocks, text_blocks, encrypt=encrypt).beats)
        of_text, of_tag = self._answered
        return max(sent, of_text * text_blocks + (of_tag if self.encrypts(asked=encrypt) else 0))

    @cached_property
    def _answered(self) -> tuple[int, int]:
        """Words of an answer for each block of text, and of the tag where one is made."""
        made, _ = self.answer(Cipher(bytes(range(self.rated_key_bits // 8))), self.plain(0, 1))
        tags = sum(word.section is Section.TAG for word in made)
        return len(made) - tags, tags

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return streamed(message, encrypt=encrypt)

    def random_iv(self, command: Command, random: Random) -> bytes:
        """An IV in the place of that of a command."""
        return random.randbytes(len(command.iv))

    @property
    def views(self) -> tuple[StreamEngine, ...]:
        """The engine once for each mode that its commands may name and each size of its keys, as one whose `mode` and
        `rated_key_bits` these are."""
        return (self,)

    @property
    def mode_numbers(self) -> Mapping[str, int]:
        """The number by which a command names each of its modes, where it has several."""
        return {}

    @property
    def mode_directions(self) -> tuple[Direction, ...]:
        """Whether it encrypts messages of its mode, decrypts them, or both."""
        return self.directions

    @property
    def takes_any_iv(self) -> bool:
        """Whether one of GCM takes IVs of other than twelve bytes: they come in the stream."""
        return self.lanes == 1

    @abstractmethod
    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many whole blocks of zeros, in beats."""

    def plain(
        self, header_blocks: int, text_blocks: int, *, encrypt: bool = True, cipher: Cipher | None = None
    ) -> StreamedMessage:
        """A message of so many whole blocks of zeros, in words of its stream; with a cipher its tag is right, if that
        changes the clocks."""
        sent = self._plain(header_blocks, text_blocks, encrypt=encrypt)
        return self.in_words(sent if cipher is None else self._with_right_tag(sent, cipher))

    def righted(self, sent: StreamedMessage, cipher: Cipher) -> StreamedMessage:
        """A message in words of its stream, if it `times_right_tags` with the tag that it should have."""
        if not self.times_right_tags:
            return sent
        return self.in_words(self._with_right_tag(message_in_beats(sent, self._word_bytes), cipher))

    def _with_right_tag(self, sent: StreamedMessage, cipher: Cipher) -> StreamedMessage:  # noqa: ARG002
        """A message to decrypt with the tag that it should have, if `times_right_tags`."""
        return sent

    def in_words(self, sent: StreamedMessage) -> StreamedMessage:
        """A message of whole beats as its stream brings it."""
        return message_in_words(sent, self._word_bytes)

    @cached_property
    def stream_traffic(self) -> Traffic:
        """How messages to try it with are made, in words of its stream."""
        return traffic_in_words(self.traffic, self._word_bytes)

    @property
    def stream_words(self) -> int:
        """Words of its stream for a block; one that is a block or more."""
        return max(1, BLOCK_BITS // self.stream_bits)

    @property
    def lanes(self) -> int:
        """Blocks that a beat of its stream has."""
        return max(1, self.stream_bits // BLOCK_BITS)

    @cached_property
    def wide(self) -> Self:
        """The engine of whole beats inside, or itself if its stream has whole beats."""
        if self.stream_words == 1:
            return self
        around = len(CONVERTERS) + 1
        return replace(self, name=f"{self.name}_wide", stream_bits=BLOCK_BITS, shipped=self._shipped_without(around))

    @property
    def room_for_a_block(self) -> bool:
        """Whether one with registers takes a block more before the answer of the one before was read."""
        return self.data_fifo

    @property
    def direct(self) -> Self:
        """The engine between registers for beats, or itself if it has none."""
        return self

    @cached_property
    def cleared(self) -> Self:
        """The engine inside one that can be cleared, which its clear takes to what it is after reset, or itself."""
        if self.inside or not self.clear:
            return self
        return replace(self, name=f"{self.name}_inside", inside=True, shipped=self._shipped_without(2))

    @cached_property
    def behind_bus(self) -> Self:
        """The engine behind its registers, which has the streams, or itself if it has no bus."""
        if not self.bus:
            return self
        around = 3 + 2 * (self.self_test != "none") + self.data_fifo
        return replace(self, name=f"{self.name}_engine", bus="", shipped=self._shipped_without(around))

    def _shipped_without(self, around: int) -> tuple[SourceFile, ...] | None:
        """The sources of a build but for the last ones, so many, which stand around an engine."""
        return None if self.shipped is None else tuple(self.shipped)[:-around]

    @property
    def _word_bytes(self) -> int:
        return self.stream_bits // 8

    @abstractmethod
    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages whose clocks are compared with the formula: blocks of header and of text, and whether to encrypt."""

    def told(self, sent: StreamedMessage) -> StreamedMessage:
        """A message as the mode sees it: of slot 0, if its slot is there."""
        slot = 0 if sent.command.slot < self.key_slots else sent.command.slot
        return replace(sent, command=replace(sent.command, slot=slot))

    @property
    def most_beats(self) -> int | None:
        """Beats that a message to decrypt may have between its IV and its tag; None if there is no limit."""
        return None

    @property
    def limits(self) -> tuple[str, ...]:
        """Sentences on messages that the mode allows and this engine refuses."""
        return decryption_limit(self.most_beats, self.held_to_decrypt, self.room_for(0, WIDER))

    def room_for(self, header_blocks: int, text_blocks: int) -> Mapping[str, object]:  # noqa: ARG002
        """The fields to be changed so that it holds a message to decrypt of so many blocks; none if it does, or need
        not."""
        return {}

    @property
    def parameters(self) -> Mapping[str, object]:
        """The specification's fields as plain JSON values."""
        return self.fields

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences for the datasheet on what the interface's rules leave open."""
        return ()

    @property
    def all_remarks(self) -> tuple[str, ...]:
        """The same, and what is to be said of short tags."""
        if not self.short_tags:
            return self.remarks
        if self.min_tag > SHORTEST_TAG:
            return (*self.remarks, f"Tags have at least {self.min_tag} bytes; shorter ones are refused with code 8.")
        return (*self.remarks, self.short_tag_remark)

    @property
    def measured(self) -> StreamEngine:
        """What area and speed are measured of."""
        return self

    @property
    def key_bits(self) -> tuple[int, ...]:
        """Bits of its key; where each key says its own, all of them, the fewest first."""
        return self.core.key_bits

    @property
    def rated_key_bits(self) -> int:
        """Bits of the key that figures are quoted for: of several sizes the longest."""
        return max(self.key_bits)

    @property
    def quoted_key_bits(self) -> tuple[int, ...]:
        """Bits of the keys that it is known by: of its cores', where something else comes by its channel of keys."""
        return self.key_bits

    @property
    def aes(self) -> str:
        """AES with the sizes of its keys, in words."""
        return f"AES-{'/'.join(map(str, self.quoted_key_bits))}"

    @property
    def opening_cycles(self) -> int:
        """Clocks behind a command in which it takes no beat, where those are more than a few."""
        return 0

    @property
    def silent_cycles(self) -> int:
        """Clocks for which it may take and give nothing, where those are more than a core's latency or two."""
        return 0

    @property
    def core_places(self) -> tuple[CorePlace, ...]:
        """Where its cores stand, those that take blocks in turn first."""
        return (CorePlace("core", self.core, in_turn=True, turns=self.turns_cores, lanes=self.lanes),)

    @property
    def memory(self) -> MemoryPlace | None:
        """Where the memory stands that its module has pins for."""
        return None

    @property
    def memories(self) -> tuple[str, ...]:
        """Modules that are memories, whose place a macro may take."""
        names = (source.name.removesuffix(".sv") for source in self.sources)
        return tuple(name for name in names if name.endswith(("_release_memory", "_semiblock_memory")))

    @property
    def least_tag(self) -> int:
        """Bytes of the shortest tag, where shorter ones are refused that its mode allows; else 0."""
        return self.min_tag if self.min_tag > SHORTEST_TAG else 0

    @property
    def leaves(self) -> tuple[SourceFile, ...]:
        """Circuits that its modules are made of."""
        return ()

    @property
    def top(self) -> str:
        """Name of the top module."""
        return self.name

    @cached_property
    def ports(self) -> Ports:
        """The ports of every engine, or those of its bus."""
        if self.bus:
            more = {"self_test": self.self_test != "none", "alarm": self.alarm, "sideload": self.sideload}
            more["streams"] = self.data_streams
            return bus_interface(bus_of(self.bus), self.behind_bus.ports, **more)
        ports = clearable_interface(self.plain_ports, inside=self.inside) if self.clear else self.plain_ports
        return replace(ports, scan_enable=SCAN_ENABLE_PORT) if self.scan_enable else ports

    @property
    def plain_ports(self) -> Ports:
        """The ports without those of a clear."""
        return stream_interface(self.key_bits, self.stream_bits, self.key_slots)

    @property
    def block_bits(self) -> int:
        """Bits of a block of text."""
        return BLOCK_BITS

    @property
    @abstractmethod
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a beat, or its last word, up to and with the one that offers its answer."""

    @property
    def first_answer_cycles(self) -> int:
        """The same of the first beat of a message whose command came long before, in an engine at rest."""
        return self.latency_cycles

    @property
    def _cycles_per_block(self) -> float:
        """Clocks from one block to the next, as a mean, on a stream of whole beats."""
        return self.core.cycles_per_block / self.cores

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message, as a mean."""
        return max(self._cycles_per_block, self.stream_words if self.lanes == 1 else 1 / self.lanes)

    @cached_property
    def blocks_under_way(self) -> int:
        """Blocks that go to the cores in L + 1 clocks at most, if they come as fast as cores take them."""
        way = range(self.core.latency_cycles + 1)
        taken = [self.clock_of_block(number) for number in range(2 * self.lanes * (len(way) + self.cores))]
        return max(sum(clock - start in way for clock in taken) for start in way)

    def clock_of_block(self, number: int) -> int:
        """In which clock block `number` goes to a core, if they come as fast as cores take them; both count from 0."""
        turn, core = divmod(number // self.lanes, self.cores // self.lanes)
        return self.core.cycles_per_block * turn + core

    def encrypts(self, *, asked: bool) -> bool:
        """What becomes of a message by what its command asks for; an engine of one direction does not ask."""
        return self.directions == (Direction.ENCRYPT,) or (asked and Direction.ENCRYPT in self.directions)

    @cached_property
    def sources(self) -> Sequence[SourceFile]:
        """SystemVerilog files in compile order: the core, the engine, the top."""
        if self.shipped is not None:
            return self.shipped
        if self.scan_enable:
            return scannable_sources(replace(self, scan_enable=False).sources)
        return engine_sources(self)

    @property
    def source_hash(self) -> str:
        """SHA-256 (hex) of every source file."""
        return hash_of(self.sources)
