"""The engine of CTR_DRBG as a design: one core, Key and V, and a register for what an update is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any, Literal

from pydantic import Field

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import Meaning
from aesmith.errors import RequestError
from aesmith.modes.clocks import Recurrence, passing
from aesmith.modes.ctr_drbg import MOST_REQUEST, RESEED_INTERVAL
from aesmith.modes.ctr_drbg_clocks import DrbgTiming, clocks_apart, drbg_clocks
from aesmith.modes.ctr_drbg_stream import DrbgFunction, DrbgSession, request, traffic_of_drbg
from aesmith.modes.engine import Session, StreamEngine
from aesmith.modes.engine_top import CorePlace, core_of
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, StreamedMessage
from aesmith.modes.traffic import Keyed, Traffic
from aesmith.modes.words import in_words, message_in_beats
from aesmith.publications import Publication

STANDARD = Publication(
    "sp800-90a",
    "National Institute of Standards and Technology",
    "Recommendation for Random Number Generation Using Deterministic Random Bit Generators",
    "SP 800-90A, revision 1",
    2015,
)


LEAST_INTERVAL = 64
"""Requests that a seed must serve at least: as many equal ones as clocks are compared of."""


@dataclass(frozen=True)
class CtrDrbgEngine(StreamEngine):
    """An engine of CTR_DRBG without derivation function.

    Its core encrypts, with keys of one size. What comes by its channel of keys are seeds, as long as key and V; a seed
    lasts for `reseed_interval` requests, a power of two. An answer depends on those before it: `session` is the model.
    Raises RequestError for other values, for several cores, and for slots.
    """

    reseed_interval: int = RESEED_INTERVAL

    mode = "ctr-drbg"
    publication = STANDARD
    looks_at_lengths = False
    shows_text = False
    one_at_a_time = "random bits leave a block at a time"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("cores", self.cores), ("key_slots", self.key_slots)):
            if value != 1:
                raise RequestError(f"{name}: must be 1, not {value}: there is one instance, which has one key")
        clocks, latency = self.core.cycles_per_block, self.core.latency_cycles
        if latency > clocks + 1:
            raise RequestError(
                f"core: must hold one block; {self.core.preset} has several under way: latency {latency}, cycles per "
                f"block {clocks}"
            )
        interval = self.reseed_interval
        if interval & (interval - 1) or not LEAST_INTERVAL <= interval <= RESEED_INTERVAL:
            rule = f"must be a power of two, {LEAST_INTERVAL} to {RESEED_INTERVAL}"
            raise RequestError(f"reseed_interval: {rule}, not {interval}")
        if self.bus:
            raise RequestError(f"bus: engines of {self.mode} have streams alone, and no registers on {self.bus}")

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"CTR_DRBG with {self.core.preset}"

    @property
    def directions(self) -> tuple[Direction, ...]:
        """It encrypts counters."""
        return (Direction.ENCRYPT,)

    @property
    def key_bits(self) -> tuple[int, ...]:
        """Bits of a seed: of key and V."""
        return (self.core.key_bits[0] + 8 * BLOCK,)

    @property
    def quoted_key_bits(self) -> tuple[int, ...]:
        """Bits of its core's key."""
        return self.core.key_bits

    @cached_property
    def traffic(self) -> Traffic:  # type: ignore[override]
        """Its requests."""
        return traffic_of_drbg(self.core.key_bits[0])

    @property
    def limits(self) -> tuple[str, ...]:
        """How much input it takes."""
        most = self.key_bits[0] // 8
        return (
            f"A personalization string or additional input has at most {most} bytes; longer ones are refused with code "
            f"{int(Fault.LENGTH)}. There is no derivation function: seeds have full entropy.",
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a seed is, how long it lasts, and how much a request may ask for."""
        return (
            f"The key port takes seeds of {self.key_bits[0]} bits. The next request uses the seed that waits: it "
            "instantiates or reseeds.",
            "A message is a request, its header the personalization string or the additional input. Of its command "
            "`[3:1]` is the function (0 generate, 1 the same with a seed that must wait, 2 uninstantiate), and "
            "`[255:192]` are the bytes to be drawn.",
            f"A seed serves {self.reseed_interval:,} requests, each of at most {MOST_REQUEST:,} bytes. Further ones "
            f"are refused with code {int(Fault.WRAP)}.",
            "A refused request draws nothing, and a seed that waited for it is dropped.",
            "Health tests and the entropy source are outside.",
            *self.limits,
        )

    @property
    def core_places(self) -> tuple[CorePlace, ...]:
        """Its core, whose keys it makes itself."""
        return (CorePlace("core", self.core, in_turn=True, own_keys=True),)

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        words = ["key_words"] if self.core_places[0].key_words else []
        return (*words, "section_tracker", "ctr_drbg_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"KeyBits": self.core.key_bits[0], "IntervalBits": self.reseed_interval.bit_length() - 1}

    def session(self, cipher: type[Cipher] = Cipher) -> Session:
        """Answers to requests in their order."""
        drbg = DrbgSession(self.core.key_bits[0], self.reseed_interval.bit_length() - 1, cipher)

        def answer(seed: bytes | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
            beats, fault = drbg(seed, message_in_beats(sent, self._word_bytes))
            return in_words(beats, self._word_bytes), fault

        return answer

    def closing(self, key: bytes) -> list[Keyed]:
        """A request that takes it to what it is after reset, behind a seed that is dropped with it: so the next one is
        another than the last in any case."""
        dropped = bytes(byte ^ 0xFF for byte in key)
        return [(dropped, self.in_words(request(function=DrbgFunction.UNINSTANTIATE)))]

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """What it gives for a first request, for which the cipher's key waits as a seed."""
        drbg = DrbgSession(self.core.key_bits[0], self.reseed_interval.bit_length() - 1, type(cipher or Cipher(b"")))
        return drbg(None if cipher is None else cipher.key, sent)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:  # noqa: ARG002
        """A request for as many bytes as a message has text, its header the input."""
        return request(len(message.text), message.header)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A request for so many blocks, with an input of so many blocks of zeros."""
        return self.sends(
            Message(header=bytes(BLOCK * header_blocks), text=bytes(BLOCK * text_blocks)), encrypt=encrypt
        )

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Requests with and without input, for nothing, a block, and several."""
        return product((0, 1, 2), (0, 1, 3, 7), (True,))

    @property
    def _timing(self) -> DrbgTiming:
        key_bits = self.core.key_bits[0]
        clocks = self.core.clocks(key_bits, Direction.ENCRYPT)
        words = key_bits // self.core.ports.payload(Meaning.KEY).width
        calls = -(-self.key_bits[0] // (8 * BLOCK))
        return DrbgTiming(int(clocks.per_block), clocks.first, words, self.core.key_cycles, calls)

    @property
    def silent_cycles(self) -> int:
        """Clocks of all calls that are not seen, and of all keys, of a first request."""
        timing = self._timing
        each = max(timing.core_cycles, timing.core_latency) + 1
        return 2 * timing.calls * each + 3 * (timing.key_words + timing.key_cycles)

    @property
    def recurrence(self) -> Recurrence:
        """In which clocks requests go through, the first of them behind a seed."""
        return partial(drbg_clocks, self._timing)

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from request to request of equal ones without pauses."""
        plain = self._plain(header_blocks, text_blocks, encrypt=encrypt)
        return clocks_apart(self._timing, passing(plain, BLOCK, encrypt=True, opens=True))

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block to the next in a long request."""

        def clocks(blocks: int) -> int:
            sent = self.in_words(self._plain(0, blocks))
            return clocks_apart(self._timing, passing(sent, self._word_bytes, encrypt=True, opens=True))

        return clocks(9) - clocks(8)

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes the last beat of a request without input up to and with the one that offers
        the first random bits, if no seed waits."""
        return self._timing.core_latency + 2

    @property
    def first_answer_cycles(self) -> int:
        """The same of a first request, which instantiates."""
        made = drbg_clocks(self._timing, [passing(self._plain(0, 1), BLOCK, encrypt=True, opens=True)])
        return made.left[0][0] - 1


class CtrDrbgSpecification(EngineSpecification):
    """The fields of an engine of CTR_DRBG."""

    mode: Literal["ctr-drbg"] = "ctr-drbg"
    reseed_interval: int = Field(
        default=RESEED_INTERVAL,
        ge=LEAST_INTERVAL,
        le=RESEED_INTERVAL,
        description="requests that a seed serves, a power of two",
    )

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> CtrDrbgEngine:
        return CtrDrbgEngine(name, core, self.cores, self.reseed_interval, **how)


ENGINES = EngineFamily(
    "CTR_DRBG: random bits from a seed",
    CtrDrbgSpecification,
    {"drbg-compact": CtrDrbgSpecification(core="ueno2020-enc")},
)
"""The engines of CTR_DRBG, for `aesmith.modes.specification`."""


def ctr_drbg_engine(name: str, core: dict[str, object], **fields: Any) -> CtrDrbgEngine:
    """An engine around a core of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of CtrDrbgEngine: `reseed_interval`.
    """
    return CtrDrbgEngine(name, core_of(name, core), **fields)
