"""The GCM engine as a design: cores, a multiplier of GF(2^128), and a ring in which messages wait for both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from typing import Any, Literal

from pydantic import Field

from aesmith.circuits.multipliers.field_128 import digit_step, staged_multiplier
from aesmith.circuits.multipliers.gf2_128 import DEGREE
from aesmith.circuits.nested import nested_systemverilog
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import BLOCK_BITS
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.clocks import Recurrence
from aesmith.modes.counting import SHORT_IV
from aesmith.modes.engine import TURNS, StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.gcm_clocks import GcmTiming, gcm_clocks
from aesmith.modes.gcm_lanes_engine import STANDARD, GcmLanesEngine
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, StreamedMessage, answer_of_gcm, streamed_with_tag
from aesmith.modes.traffic import GCM_TRAFFIC

Release = Literal["verified", "cut-through"]
Ring = Literal["registers", "memory"]
MOST_STAGES = 6
"""Stages of a multiplier of GHASH."""
LATENCY = 4
"""Clocks that a block of text to encrypt takes beside those of a core."""
WAITING = 6
"""Clocks more of the first one where registers hold a beat that was looked at, and what goes into the ring, to the
cores, from them, and out of the ring: one each, and one for the start of its message, which is put before it."""


@dataclass(frozen=True)
class GcmEngine(StreamEngine):
    """A GCM engine for both directions, with IVs of any length.

    GHASH takes `digit` bits of a block per clock, by a circuit of that digit and `splits`
    (`aesmith.circuits.multipliers.field_128.digit_step`). `release` is when decrypted text leaves: when the tag has
    been found right, or at once, its last beat then saying whether it was. `entries` are the beats that the engine
    holds, `hashes` the messages whose hash may wait for its mask; 0 asks for as many as a core's latency takes, the
    latter of messages of eight beats. `ring` is what messages wait in: registers, or memories that are read at once,
    as the look-up tables of FPGAs are. Raises RequestError for values that no engine has.
    """

    digit: int = 8
    splits: str = ""
    release: Release = "verified"
    entries: int = 0
    hashes: int = 0
    ghash_stages: int = 1
    ring: Ring = "registers"

    mode = "gcm"
    publication = STANDARD
    traffic = GCM_TRAFFIC
    short_tags = True
    one_at_a_time = "its hash takes one block at a time"
    held_to_decrypt = "header and text"
    directions = (Direction.ENCRYPT, Direction.DECRYPT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.release not in ("verified", "cut-through"):
            raise not_one_of("release", self.release, ("verified", "cut-through"))
        if self.entries and not 4 <= self.entries <= 4096:
            raise RequestError(f"entries: must be 4 to 4096, or 0, not {self.entries}")
        if not 0 <= self.hashes <= 1024:
            raise RequestError(f"hashes: must be 0 to 1024, not {self.hashes}")
        if not 1 <= self.ghash_stages <= MOST_STAGES:
            raise RequestError(f"ghash_stages: must be 1 to {MOST_STAGES}, not {self.ghash_stages}")
        if self.ghash_stages > 1 and self.digit != DEGREE:
            raise RequestError(f"ghash_stages: more than 1 need a digit of {DEGREE}, not {self.digit}")
        if self.ring not in ("registers", "memory"):
            raise not_one_of("ring", self.ring, ("registers", "memory"))
        if self.ring == "memory" and self.clear:
            raise RequestError("ring: must be registers, not memory, in an engine with a clear: it takes one clock")
        digit_step(self.digit, self.splits)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        ghash = f"{self.digit} bits of GHASH a clock" + f" in {self.ghash_stages} stages" * (self.ghash_stages > 1)
        return f"GCM with {self.cores} x {self.core.preset}, {ghash}, {self.release} text"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a receiver must do, and how long a message may be."""
        if self.release == "verified":
            return ("No decrypted text is released before its tag is verified.", *self.limits)
        return (
            "**Decrypted text leaves before its tag was compared: the receiver must drop all of a message whose last "
            "beat says *failed*.**",
        )

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        return (
            *("stream_fifo", "section_tracker", "ring_walk", self._ring, "core_turns", "core_keys", "counter_sender"),
            *(self._ghash, *(("output_register", "ring_reader") if self.ghash_stages > 1 else ())),
            *("tagged_release", "gcm_engine"),
        )

    @property
    def _ghash(self) -> str:
        return "ghash" if self.ghash_stages == 1 else "ghash_pipelined"

    @property
    def _ring(self) -> str:
        return "message_ring" if self.ring == "registers" else "message_ring_memory"

    @property
    def roles(self) -> Mapping[str, str]:
        """Those that are taken, of two modules of GHASH and of two rings."""
        return {self._ghash: "ghash", self._ring: "message_ring"}

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        verified = int(self.release == "verified")
        places = {"Entries": self.places, "Hashes": self.waiting_hashes, "Verified": verified}
        return {**places, "Digit": self.digit, "Stages": self.ghash_stages}

    @cached_property
    def leaves(self) -> tuple[SourceFile, ...]:
        """The multiplier."""
        if self.ghash_stages > 1:
            staged = staged_multiplier(self.splits, self.ghash_stages)
            header = (
                f"The product of GHASH: p = a b in GF(2^128), bit i the coefficient of x^i, in {staged.stages} stages."
            )
            module = f"{self.name}_ghash_product"
            return (SourceFile(f"{module}.sv", staged_systemverilog(staged, header, module)),)
        circuit = digit_step(self.digit, self.splits).circuit
        header = f"One step of GHASH: p = y x^{self.digit} + d h in GF(2^128), bit i the coefficient of x^i."
        module = f"{self.name}_ghash_step"
        return (SourceFile(f"{module}.sv", nested_systemverilog(circuit, header, module)),)

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_gcm(cipher, sent, verified=self.release == "verified", most_beats=self.most_beats)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return streamed_with_tag(message, encrypt=encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many blocks of zeros, with an IV of 12 bytes; to decrypt, its tag is wrong."""
        message = Message(bytes(SHORT_IV), bytes(BLOCK * header_blocks), bytes(BLOCK * text_blocks), bytes(BLOCK))
        return self.sends(message, encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Short and long messages in both directions, as far as they fit: a longer header takes places that blocks on
        their way have."""
        for headers, texts, encrypt in product((0, 1, 5), (1, 4, 12), (True, False)):
            fits = encrypt or self.most_beats is None or headers + texts <= self.most_beats
            if fits and headers <= self.places - self._way:
                yield headers, texts, encrypt

    @property
    def multiplication_cycles(self) -> int:
        """Clocks of a multiplication of GHASH."""
        return DEGREE // self.digit

    @property
    def hash_cycles(self) -> int:
        """Clocks from the one that takes the last block of a hash up to the one that offers it."""
        return self.multiplication_cycles if self.ghash_stages == 1 else 2 * self.ghash_stages + 2

    @cached_property
    def _way(self) -> int:
        """Blocks that go to the cores while one is on its way through core and GHASH."""
        way = self.latency_cycles + self.hash_cycles
        return -(-way // max(1, self.core.cycles_per_block // self.cores))

    @property
    def places(self) -> int:
        """Beats that the engine holds."""
        return self.entries or max(6, 3 + self._way)

    @property
    def waiting_hashes(self) -> int:
        """Hashes of messages that may wait, beside one in the making."""
        return self.hashes or 1 + self._way // 8

    @property
    def most_beats(self) -> int | None:
        """Beats that a message to decrypt may have between its IV and its tag; None if there is no limit."""
        return self.places - 2 if self.release == "verified" else None

    def room_for(self, header_blocks: int, text_blocks: int) -> Mapping[str, object]:
        """Places for a message to decrypt of so many blocks, if it has fewer."""
        blocks = header_blocks + text_blocks
        return {} if self.most_beats is None or self.most_beats >= blocks else {"entries": blocks + 2}

    @property
    def _cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message, as a mean: of the cores, or of GHASH."""
        return max(super()._cycles_per_block, self.multiplication_cycles)

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a beat of text to encrypt up to and with the one that offers it."""
        return self.core.latency_cycles + LATENCY + WAITING * (self.ghash_stages > 1)

    @property
    def timing(self) -> GcmTiming:
        """What its clocks depend on."""
        return GcmTiming(
            self.core.cycles_per_block,
            self.core.latency_cycles,
            self.cores,
            self.multiplication_cycles,
            self.ghash_stages,
            self.places,
            self.waiting_hashes,
            self.release == "verified",
        )

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages go through."""
        return partial(gcm_clocks, self.timing)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones without pauses, with an IV of 12 bytes.

        The slowest of four counts: blocks that the cores encrypt, multiplications, beats that are taken, with the start
        of each message, and those that leave, of which a message to decrypt is judged in one clock. It is reached where
        the engine holds as many beats and hashes as it takes.
        """
        return max(self._demands(header_blocks, text_blocks, encrypt=encrypt).values())

    def _demands(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> Mapping[str, float]:
        """For how many clocks cores, multiplier and stream are busy with such a message."""
        blocks = header_blocks + text_blocks
        beats = 1 + (max(1, blocks) if encrypt else blocks + 1)
        hashed = (blocks + 1) * self.multiplication_cycles + (not blocks or not encrypt)
        judged = (
            max(1, header_blocks) + text_blocks if self.release == "verified" else max(1 + (text_blocks > 0), blocks)
        )
        released = 0 if encrypt else 2 + judged
        sent = sending_cycles(self.core.cycles_per_block, self.cores, header_blocks, text_blocks)
        return {"AES": sent, "GHASH": hashed, "stream": max(beats, released)}


@cache
def sending_cycles(cycles_per_block: int, cores: int, header_blocks: int, text_blocks: int) -> float:
    """Clocks per message in which its blocks are sent to so many cores: the items in between are passed one a clock."""
    messages, sent = TURNS * cores, list[int]()
    clock, begun = 0, []
    for _ in range(messages + cores):
        for place in range(1 + text_blocks):
            if len(sent) >= cores:
                clock = max(clock, sent[-cores] + cycles_per_block)
            sent.append(clock)
            if place == 0:
                begun.append(clock)
            clock += 1 + (header_blocks if place == 0 else 0)
    return (begun[-1] - begun[cores - 1]) / messages


class GcmSpecification(EngineSpecification):
    """The fields of a GCM engine."""

    mode: Literal["gcm"] = "gcm"
    digit: Literal[1, 2, 4, 8, 16, 32, 64, 128] = Field(
        default=8, description="bits of a block that GHASH takes a clock"
    )
    splits: str = Field(default="", description="how the multiplier of GHASH is made, a letter a split")
    release: Release = Field(default="verified", description="when decrypted text leaves")
    entries: int = Field(default=0, ge=0, le=4096, description="beats that it holds; 0: as many as the way takes")
    hashes: int = Field(default=0, ge=0, le=1024, description="hashes that wait for their mask; 0: as above")
    ghash_stages: int = Field(
        default=1, ge=1, le=MOST_STAGES, description="stages of its multiplier; more than 1 with a digit of 128"
    )
    ring: Ring = Field(default="registers", description="what messages wait in: registers, or LUT memories of an FPGA")

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> GcmEngine | GcmLanesEngine:
        if self.stream_bits > BLOCK_BITS:
            self._check_lanes()
            return GcmLanesEngine(name, core, self.cores, splits=self.splits, **how)
        own = ("digit", "splits", "release", "entries", "hashes", "ghash_stages", "ring")
        return GcmEngine(name, core, self.cores, **{field: getattr(self, field) for field in own}, **how)

    def _check_lanes(self) -> None:
        """Raises RequestError for what an engine whose stream has several lanes has not."""
        only = {"digit": DEGREE, "ghash_stages": 1, "release": "cut-through", "entries": 0, "hashes": 0}
        for name, value in {**only, "ring": "registers"}.items():
            if getattr(self, name) != value:
                raise RequestError(
                    f"{name}: must be {value} with a stream of {self.stream_bits} bits, which has several lanes, not "
                    f"{getattr(self, name)}"
                )


ENGINES = EngineFamily(
    "GCM: CTR, and a tag by multiplication in GF(2^128)",
    GcmSpecification,
    {
        "gcm-10g": GcmSpecification(core="ueno2020-enc", cores=2, digit=32, splits="bb", release="cut-through"),
        "gcm-10g-256": GcmSpecification(core="ueno2020-enc-256", cores=3, digit=32, splits="bb", release="cut-through"),
        "gcm-100g": GcmSpecification(
            core={"architecture": "subpipelined", "directions": ("encrypt",), "stages": 2},
            digit=128,
            splits="oooo",
            ghash_stages=2,
            release="cut-through",
        ),
    },
)
"""The GCM engines, for `aesmith.modes.specification`."""


def gcm_engine(name: str, core: dict[str, object], **fields: Any) -> GcmEngine:
    """An engine around cores of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of GcmEngine: `cores`, `digit`, `splits`, `release`, `entries`.
    """
    return GcmEngine(name, core_of(name, core), **fields)
