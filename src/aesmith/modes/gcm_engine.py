"""The GCM engine as a design: cores, a multiplier of GF(2^128), and a ring in which messages wait for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from aesmith.circuits.multipliers.field_128 import digit_step
from aesmith.circuits.multipliers.gf2_128 import DEGREE
from aesmith.circuits.systemverilog import systemverilog
from aesmith.cores.design import SourceFile
from aesmith.errors import RequestError, not_one_of
from aesmith.modes.engine import StreamEngine, core_of

Release = Literal["verified", "cut-through"]
LATENCY = 4
"""Clocks that a block of text to encrypt takes beside those of a core."""


@dataclass(frozen=True)
class GcmEngine(StreamEngine):
    """A GCM engine for both directions, with IVs of any length.

    GHASH takes `digit` bits of a block a clock, by a circuit of that digit and `splits`
    (`aesmith.circuits.multipliers.field_128.digit_step`). `release` is when decrypted text leaves: when the tag has
    been found right, or at once, its last beat then saying whether it was. `entries` are the beats that the engine
    holds, `hashes` the messages whose hash may wait for its mask; 0 asks for as many as a core's latency takes, the
    latter of messages of eight beats. Raises RequestError for values that no engine has.
    """

    digit: int = 8
    splits: str = ""
    release: Release = "verified"
    entries: int = 0
    hashes: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.release not in ("verified", "cut-through"):
            raise not_one_of("release", self.release, ("verified", "cut-through"))
        if self.entries and not 4 <= self.entries <= 4096:
            raise RequestError(f"entries: must be 4 to 4096, or 0, not {self.entries}")
        if not 0 <= self.hashes <= 1024:
            raise RequestError(f"hashes: must be 0 to 1024, not {self.hashes}")
        digit_step(self.digit, self.splits)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"GCM with {self.cores} x {self.core.preset}, {self.digit} bits of GHASH a clock, {self.release} text"

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        return (
            *("stream_fifo", "section_tracker", "message_ring", "core_turns", "core_keys"),
            *("counter_sender", "ghash", "tagged_release", "gcm_engine"),
        )

    @property
    def parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        verified = int(self.release == "verified")
        return {"Entries": self.places, "Digit": self.digit, "Hashes": self.waiting_hashes, "Verified": verified}

    @cached_property
    def leaves(self) -> tuple[SourceFile, ...]:
        """The multiplier."""
        circuit = digit_step(self.digit, self.splits).circuit
        header = f"One step of GHASH: p = y x^{self.digit} + d h in GF(2^128), bit i the coefficient of x^i."
        module = f"{self.name}_ghash_step"
        return (SourceFile(f"{module}.sv", systemverilog(circuit, header, module)),)

    @property
    def multiplication_cycles(self) -> int:
        """Clocks of a multiplication of GHASH."""
        return DEGREE // self.digit

    @cached_property
    def _way(self) -> int:
        """Blocks that go to the cores while one is on its way through core and GHASH."""
        way = self.core.latency_cycles + LATENCY + self.multiplication_cycles
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
        """Beats that a message to decrypt may have before its tag; None if there is no limit."""
        return self.places - 2 if self.release == "verified" else None

    @property
    def cycles_per_block(self) -> float:
        """Clocks from one block of text to the next in a long message, as a mean: of the cores, or of GHASH."""
        return max(super().cycles_per_block, self.multiplication_cycles)

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a beat of text to encrypt up to and with the one that offers it."""
        return self.core.latency_cycles + LATENCY

    def message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:
        """Clocks from message to message, as a mean, of equal ones without pauses, with an IV of 12 bytes.

        The slowest of four counts: blocks that the cores encrypt, multiplications, beats that are taken, with the start
        of each message, and those that leave, of which a message to decrypt is judged in one clock. It is reached where
        the engine holds as many beats and hashes as it takes.
        """
        blocks = header_blocks + text_blocks
        beats = 1 + (max(1, blocks) if encrypt else blocks + 1)
        hashed = (blocks + 1) * self.multiplication_cycles + (not blocks or not encrypt)
        judged = (
            max(1, header_blocks) + text_blocks if self.release == "verified" else max(1 + (text_blocks > 0), blocks)
        )
        released = 0 if encrypt else 2 + judged
        return max(beats, hashed, released, self._sending_cycles(header_blocks, text_blocks))

    def _sending_cycles(self, header_blocks: int, text_blocks: int, messages: int = 64) -> float:
        """Clocks a message in which its blocks are sent: the items in between are passed one a clock."""
        sent: list[int] = []
        clock, begun = 0, []
        for _ in range(messages + self.cores):
            for place in range(1 + text_blocks):
                if len(sent) >= self.cores:
                    clock = max(clock, sent[-self.cores] + self.core.cycles_per_block)
                sent.append(clock)
                if place == 0:
                    begun.append(clock)
                clock += 1 + (header_blocks if place == 0 else 0)
        return (begun[-1] - begun[self.cores - 1]) / messages


def gcm_engine(name: str, core: dict[str, object], **fields: Any) -> GcmEngine:
    """An engine around cores of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of GcmEngine: `cores`, `digit`, `splits`, `release`, `entries`.
    """
    return GcmEngine(name, core_of(name, core), **fields)
