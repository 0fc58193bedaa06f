"""The engine of AES-SIV as a design: one core, which takes K1 and K2 in turn, and a memory in which text waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from aesmith.cores.design import CoreDesign
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily
from aesmith.modes.held_text_engine import HeldTextEngine, HeldTextSpecification
from aesmith.modes.message import BLOCK
from aesmith.modes.siv import KEY_BYTES, MOST_COMPONENTS, SIV
from aesmith.modes.siv_clocks import SivTiming
from aesmith.modes.siv_stream import SIV_FRAME
from aesmith.publications import Publication

STANDARD = Publication(
    "rfc5297",
    "D. Harkins",
    "Synthetic Initialization Vector (SIV) Authenticated Encryption Using the Advanced Encryption Standard (AES)",
    "RFC 5297",
    2008,
)


@dataclass(frozen=True)
class SivEngine(HeldTextEngine):
    """An engine of AES-SIV, in both directions: its core has keys of 128, 192 or 256 bits, of which its own has two."""

    mode = SIV.name
    model = SIV
    frame = SIV_FRAME
    core_key_bits = tuple(4 * size for size in KEY_BYTES)
    publication = STANDARD

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"AES-SIV with {self.core.preset}, text of up to {BLOCK * self.memory_beats:,} bytes"

    @property
    def key_bits(self) -> tuple[int, ...]:
        """Bits of K1 and K2 together."""
        return (2 * self.core.key_bits[0],)

    @property
    def limits(self) -> tuple[str, ...]:
        """How long a message may be, and how many components its header may have."""
        return (*super().limits, f"A header has at most {MOST_COMPONENTS} components, the nonce among them (RFC 5297).")

    @property
    def remarks(self) -> tuple[str, ...]:
        """Also how a header is sent."""
        return (
            "Kinds 0 and 1 are both header, in any order: a beat of the other kind begins the next component, and a "
            "beat without bytes is an empty one. The nonce is the last component.",
            *super().remarks,
        )

    @property
    def _timing(self) -> SivTiming:
        return SivTiming(*self._core_timing)


class SivSpecification(HeldTextSpecification):
    """The fields of an engine of AES-SIV."""

    mode: Literal["siv"] = "siv"

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> SivEngine:
        return SivEngine(name, core, self.cores, memory_beats=self.memory_beats, **how)


ENGINES = EngineFamily(
    "AES-SIV: a nonce that comes twice, or none, is no disaster",
    SivSpecification,
    {"siv-compact": SivSpecification(core="ueno2020-enc")},
)
"""The engines of AES-SIV, for `aesmith.modes.specification`."""


def siv_engine(name: str, core: dict[str, object], **fields: Any) -> SivEngine:
    """An engine around a core of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of SivEngine: `memory_beats` and what every engine has.
    """
    return SivEngine(name, core_of(name, core), **fields)
