"""The XTS engine as a design: cores in turn for the text, one core for tweaks, and a block that is held back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import BLOCK_BITS
from aesmith.errors import RequestError
from aesmith.modes.clocks import Passage, PassingMessage, Recurrence
from aesmith.modes.engine import TURNS, StreamEngine
from aesmith.modes.engine_top import CorePlace, core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, StreamedMessage, streamed
from aesmith.modes.turn_clocks import TurnTiming, turn_clocks
from aesmith.modes.xts_messages import XTS_TRAFFIC, answer_of_xts
from aesmith.publications import Publication

QUEUE = 2
"""Commands and beats that are taken ahead."""
STANDARD = Publication(
    "ieee1619",
    "IEEE",
    "IEEE Standard for Cryptographic Protection of Data on Block-Oriented Storage Devices",
    "IEEE Std 1619",
    2018,
)


@dataclass(frozen=True)
class XtsEngine(StreamEngine):
    """An XTS engine: it encrypts, decrypts or both, as its cores do; `tweak_core` encrypts tweaks, in words or whole.

    Its key is Key1, of the cores, and behind it Key2, of the core of tweaks. Raises RequestError for a core of tweaks
    that is not behind the block interface, does not encrypt, or has another key size.
    """

    tweak_core: CoreDesign = field(kw_only=True)

    mode = "xts"
    publication = STANDARD
    traffic = XTS_TRAFFIC
    one_at_a_time = "the tweak of each block is made of the one before it"
    turns_cores = True
    clocks_of_whole_blocks = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tweak_core(self.tweak_core, self.core.key_bits[0], clear=self.clear)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        ways = " and ".join("encryption" if way is Direction.ENCRYPT else "decryption" for way in self.directions)
        return f"XTS {ways} with {self.cores} x {self.core.preset}, tweaks by {self.tweak_core.preset}"

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Whether it encrypts messages, decrypts them, or both."""
        return self.core.directions

    @property
    def key_bits(self) -> tuple[int, ...]:
        """Bits of Key1 and Key2 together."""
        return (2 * self.core.key_bits[0],)

    @property
    def aes(self) -> str:
        """That of its cores, which have two keys."""
        (bits,) = self.core.key_bits
        return f"AES-{bits}, two {bits}-bit keys"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Where its two keys are."""
        return ("Key1, for text, is the upper half of the key; Key2, for tweaks, is the lower half.",)

    @property
    def core_places(self) -> tuple[CorePlace, ...]:
        """The cores of text, in turn, and the core of tweaks."""
        bits = self.core.key_bits[0]
        return (
            CorePlace("core", self.core, f"key_i[{2 * bits - 1}:{bits}]", in_turn=True, turns=True),
            CorePlace("tweak", self.tweak_core, f"key_i[{bits - 1}:0]"),
        )

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        words = ["key_words"] if any(place.key_words for place in self.core_places) else []
        return (
            *("stream_fifo", "section_tracker", "text_ring", "core_turns", "core_keys", *words),
            *("message_front", "tweak_maker", "xts_engine"),
        )

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {
            "Entries": self.entries,
            "KeyBits": self.key_bits[0],
            "TweakWordBits": self.tweak_core.block_width,
            "Encrypts": int(Direction.ENCRYPT in self.directions),
            "Decrypts": int(Direction.DECRYPT in self.directions),
        }

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_xts(cipher, sent, encrypt=self.encrypts(asked=sent.command.encrypt))

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A message of so many blocks of zeros; there is no header."""
        return streamed(Message(iv=bytes(BLOCK), text=bytes(BLOCK * text_blocks)), encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages of one block, of more, and of a sector of 512 bytes, in its directions."""
        return ((0, blocks, way is Direction.ENCRYPT) for way in self.directions for blocks in (1, 2, 7, 32))

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a message's last beat up to and with the one that offers it, if its tweak is
        known and no part of a block steals: three more than the core's."""
        return self.core.latency_cycles + 3

    @property
    def passage(self) -> Recurrence:
        """In which clocks messages of one direction come and leave."""

        def clocks(messages: Sequence[PassingMessage]) -> Passage:
            (encrypt,) = {message.encrypt for message in messages}
            way = Direction.ENCRYPT if encrypt else Direction.DECRYPT
            core = self.core.clocks(self.core.key_bits[0], way)
            how = {"tweak_cycles": self.tweak_cycles}
            return turn_clocks(TurnTiming(core.per_block, core.first, self.cores, QUEUE, self.entries, **how), messages)

        return clocks

    @property
    def tweak_cycles(self) -> int:
        """Clocks from the first beat of one message to that of the next at least: the core of tweaks encrypts one."""
        words = BLOCK_BITS // self.tweak_core.block_width
        return max(self.tweak_core.latency_cycles + (2 if words == 1 else 3), self.tweak_core.late_cycles)

    @property
    def entries(self) -> int:
        """Beats that the engine holds, so that it never waits for room: as many as go to the cores in L + 1 clocks, and
        one."""
        return 1 + max(2, self.blocks_under_way)

    def _core_clocks(self, *, encrypt: bool) -> int:
        """Clocks from one block to the next at a core."""
        return self.core.clocks(self.core.key_bits[0], Direction.ENCRYPT if encrypt else Direction.DECRYPT).per_block

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones of at least a block without pauses.

        A block is sent when a core takes it; a message begins when its tweak is known, and that of the next one is then
        begun. Raises RequestError for a header, which XTS has not.
        """
        if header_blocks:
            raise RequestError(f"header_blocks: XTS has no header, not {header_blocks}")
        clocks = self._core_clocks(encrypt=self.encrypts(asked=encrypt))
        messages, sent, begun, entered = TURNS * self.cores, list[int](), list[int](), 0
        for _ in range(2 * messages):
            for place in range(max(1, text_blocks)):
                # It enters the text register when the block before it goes, and goes a clock later at the earliest.
                enters = max(entered + 1, sent[-1]) if sent else 0
                if place == 0:
                    enters = max(enters, begun[-1] + self.tweak_cycles) if begun else enters
                    begun.append(enters)
                entered = enters
                goes = enters + 1
                if len(sent) >= self.cores:
                    goes = max(goes, sent[-self.cores] + clocks)
                sent.append(goes)
        return (begun[-1] - begun[-1 - messages]) / messages

    def _demands(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> Mapping[str, float]:  # noqa: ARG002
        """For how many clocks its cores and its core of tweaks are busy with such a message."""
        clocks = self._core_clocks(encrypt=self.encrypts(asked=encrypt))
        return {"AES": max(1, text_blocks) * clocks / self.cores, "tweaks": float(self.tweak_cycles)}


def check_tweak_core(core: CoreDesign, key_bits: int, *, clear: bool = False) -> None:
    """Raise RequestError unless tweaks can be encrypted by this core, with keys of so many bits, which has a `clear` or
    has none."""
    if core.ports != core.block_interface or core.ports.key_with_block or core.ports.clearable is not clear:
        how = "with a" if clear else "without"
        raise RequestError(f"tweak_core: must have the block interface, {how} clear; {core.preset} does not")
    if Direction.ENCRYPT not in core.directions or core.key_bits != (key_bits,):
        raise RequestError(f"tweak_core: must encrypt with keys of {key_bits} bits; {core.preset} does not")


class XtsSpecification(EngineSpecification):
    """The fields of an XTS engine."""

    mode: Literal["xts"] = "xts"
    tweak_core: str | dict[str, Any] = Field(
        description="the core that encrypts tweaks: a preset, or a table of fields"
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> XtsEngine:
        tweak_core = _tweak_core(name, self.tweak_core, clear=self.clear)
        return XtsEngine(name, core, self.cores, tweak_core=tweak_core, **how)


def _tweak_core(name: str, core: str | dict[str, Any], *, clear: bool = False) -> CoreDesign:
    given: dict[str, object] = {"preset": core} if isinstance(core, str) else core
    return core_of(f"{name}_tweak", given | {"clear": True} if clear else given)


ENGINES = EngineFamily(
    "XTS: a tweak is added before and after each block",
    XtsSpecification,
    {"xts-disk": XtsSpecification(core="ueno2020-encdec", tweak_core="serial-shared-small-enc")},
)
"""The XTS engines, for `aesmith.modes.specification`."""


def xts_engine(name: str, core: dict[str, object], tweak_core: dict[str, object], cores: int = 1) -> XtsEngine:
    """An engine around cores of specifications, whose modules are `<name>_aes_…` and `<name>_tweak_aes_…`; raises
    RequestError."""
    return XtsEngine(name, core_of(name, core), cores, tweak_core=_tweak_core(name, tweak_core))
