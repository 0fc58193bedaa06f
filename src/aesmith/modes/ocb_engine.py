"""The OCB3 engine as a design: cores in turn for header, text, nonces and tags, and text that waits for verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.clocks import Recurrence
from aesmith.modes.engine import TURNS, StreamEngine
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.ocb_clocks import OcbTiming, ocb_clocks
from aesmith.modes.ocb_messages import OCB_TRAFFIC, answer_of_ocb, streamed_for_ocb
from aesmith.modes.stream import Beat, StreamedMessage
from aesmith.publications import Publication

Release = Literal["verified", "cut-through"]
STANDARD = Publication(
    "rfc7253",
    "T. Krovetz and P. Rogaway",
    "The OCB Authenticated-Encryption Algorithm",
    "RFC 7253",
    2014,
)
NONCE = 12
"""Bytes of the nonce of a message whose clocks are counted; they do not depend on it."""


@dataclass(frozen=True)
class OcbEngine(StreamEngine):
    """An OCB3 engine: it encrypts and decrypts, or only encrypts if its cores do.

    `release` is when decrypted text leaves: when the tag has been found right, or at once, its last beat then saying
    whether it was. `entries` are the beats that the engine holds; 0 asks for as many as a core's latency takes, and 8
    at least. Raises RequestError for values that no engine has.
    """

    release: Release = "verified"
    entries: int = 0

    mode = "ocb3"
    publication = STANDARD
    traffic = OCB_TRAFFIC
    one_at_a_time = "the offset of each block is made of the one before it"
    turns_cores = True
    clocks_of_whole_blocks = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.release not in ("verified", "cut-through"):
            raise not_one_of("release", self.release, ("verified", "cut-through"))
        if self.entries and not 4 <= self.entries <= 4096:
            raise RequestError(f"entries: must be 4 to 4096, or 0, not {self.entries}")
        if Direction.ENCRYPT not in self.core.directions:
            raise RequestError(f"core: must encrypt; {self.core.preset} does not")
        if len({self.core.clocks(self.core.key_bits[0], way) for way in self.core.directions}) > 1:
            raise RequestError(f"core: must take as many clocks both ways; {self.core.preset} does not")
        if self.core.turn_cycles is None:
            raise RequestError(f"core: must take as long to turn, whatever is in it; {self.core.preset} does not")

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        ways = f"{self.release} text" if Direction.DECRYPT in self.directions else "encryption"
        return f"OCB3 with {self.cores} x {self.core.preset}, {ways}"

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Whether it only encrypts messages, or decrypts them, too."""
        return self.core.directions

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a receiver must do, and how long a message may be."""
        if Direction.DECRYPT not in self.directions:
            return ()
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
            *("stream_fifo", "section_tracker", "core_turns", "core_keys", "message_front"),
            *("tweak_maker", "offset_maker", "release_buffer", "ocb_engine"),
        )

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {
            "Entries": self.places,
            "Blocks": self.blocks_under_way,
            "Decrypts": int(Direction.DECRYPT in self.directions),
            "Verified": int(self.release == "verified"),
        }

    @property
    def places(self) -> int:
        """Beats that the engine holds."""
        return self.entries or max(8, self._room_beside(1))

    def _room_beside(self, text_blocks: int) -> int:
        """Beats that it holds for a text to decrypt of so many blocks, and for what goes to the cores behind it."""
        return text_blocks + self.blocks_under_way + 1

    @property
    def most_beats(self) -> int | None:
        """Beats of text that a message to decrypt may have; None if there is no limit."""
        return self.places - 1 if self.release == "verified" and Direction.DECRYPT in self.directions else None

    def room_for(self, header_blocks: int, text_blocks: int) -> Mapping[str, object]:  # noqa: ARG002
        """Places for a message to decrypt of so many blocks, if it has fewer."""
        needed = self._room_beside(text_blocks)
        return {} if self.most_beats is None or self.places >= needed else {"entries": needed}

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        verified, encrypt = self.release == "verified", self.encrypts(asked=sent.command.encrypt)
        return answer_of_ocb(cipher, sent, encrypt=encrypt, verified=verified, most_beats=self.most_beats)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return streamed_for_ocb(message, encrypt=self.encrypts(asked=encrypt))

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many blocks of zeros; to decrypt, its tag is wrong."""
        message = Message(bytes(NONCE), bytes(BLOCK * header_blocks), bytes(BLOCK * text_blocks), bytes(BLOCK))
        return self.sends(message, encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Short and long messages in its directions, as far as they fit."""
        for headers, texts, way in product((0, 1, 3), (0, 1, 2, 5, 20), self.directions):
            if way is Direction.ENCRYPT or not self.room_for(headers, texts):
                yield headers, texts, way is Direction.ENCRYPT

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a beat of text up to and with the one that offers it, to encrypt, if its nonce
        is known: two more than the core's."""
        return self.core.latency_cycles + 2

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks messages go through."""
        core, turning = self.core, self.core.turn_cycles
        assert turning is not None
        verified = self.release == "verified"
        timing = OcbTiming(core.cycles_per_block, core.latency_cycles, self.cores, turning, self.places, verified)
        return partial(ocb_clocks, timing)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones without pauses.

        The blocks at the cores, one for the nonce, one for the tag; a text waits for its Δ_0, whose nonce is sent when
        the message before it has its own, and a tag to compare with waits for all that was decrypted. It is reached
        where the engine has room for the text to decrypt and what goes to the cores behind it.
        """
        return _sending_cycles(self.core, self.cores, header_blocks, text_blocks, not self.encrypts(asked=encrypt))

    def _demands(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> Mapping[str, float]:
        """For how many clocks its cores are busy with such a message, and how many it takes with what is waited for."""
        blocks = header_blocks + text_blocks + 2
        whole = self._message_cycles(header_blocks, text_blocks, encrypt=encrypt)
        return {"AES": blocks * self.core.cycles_per_block / self.cores, "nonce and tag": whole}


def _sending_cycles(core: CoreDesign, cores: int, headers: int, texts: int, decrypts: bool) -> float:
    """Clocks per message of so many blocks of header and of text whose blocks go to so many of these cores in turn."""
    clocks, latency, turning, messages = core.cycles_per_block, core.latency_cycles, core.turn_cycles, TURNS * cores
    sent, inverse, begun = list[int](), list[bool](), list[int]()
    nonce: int | None = 0
    """When the nonce of the next text is offered; None if it has gone."""
    known = last = opened = 0
    assert turning is not None

    def send(earliest: int, *, inverted: bool = False) -> int:
        clock = max(earliest, sent[-1] + 1) if sent else earliest
        if len(sent) >= cores:
            clock = max(clock, sent[-cores] + clocks) + turning * (inverted is not inverse[-cores])
        sent.append(clock)
        inverse.append(inverted)
        return clock

    for _ in range(2 * messages):
        for place in range(headers + texts + 1):
            opens, ends = place == headers, place == headers + texts
            # A command is taken when the nonce before it is done with.
            ready = max(last + 1, opened + 2) if place == 0 else last + 1
            if ends and decrypts:
                ready = max(ready, last + latency)
            # A nonce goes first, unless a block is offered already; and a text waits for its own.
            if nonce is not None and (opens or nonce <= ready):
                known, nonce = send(nonce) + latency, None
            last = send(max(ready, known) if opens else ready, inverted=decrypts and headers <= place and not ends)
            if opens:
                opened, nonce = last, last + 2
            if place == 0:
                begun.append(last)
    return (begun[-1] - begun[-1 - messages]) / messages


class OcbSpecification(EngineSpecification):
    """The fields of an OCB3 engine."""

    mode: Literal["ocb3"] = "ocb3"
    release: Release = Field(default="verified", description="when decrypted text leaves")
    entries: int = Field(default=0, ge=0, le=4096, description="beats that it holds; 0: as many as the way takes")

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> OcbEngine:
        return OcbEngine(name, core, self.cores, self.release, self.entries, **how)


ENGINES = EngineFamily(
    "OCB3: an offset is added before and after each block, and the tag comes from the sum of the text",
    OcbSpecification,
    {
        "ocb-compact": OcbSpecification(core="ueno2020-encdec"),
        "ocb-pipeline": OcbSpecification(
            core={"architecture": "subpipelined", "directions": ("encrypt", "decrypt"), "stages": 1},
            release="cut-through",
        ),
    },
)
"""The OCB3 engines, for `aesmith.modes.specification`."""


def ocb_engine(name: str, core: dict[str, object], **fields: Any) -> OcbEngine:
    """An engine around cores of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of OcbEngine: `cores`, `release`, `entries`.
    """
    return OcbEngine(name, core_of(name, core), **fields)
