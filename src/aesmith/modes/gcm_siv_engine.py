"""The engine of GCM-SIV as a design: one core, the GHASH of GCM, and a memory in which a message's text waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from aesmith.circuits.multipliers.gf2_128 import DEGREE
from aesmith.cores.design import CoreDesign
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily
from aesmith.modes.gcm_siv import GCM_SIV, HALF
from aesmith.modes.gcm_siv_clocks import GcmSivTiming
from aesmith.modes.gcm_siv_stream import GCM_SIV_FRAME
from aesmith.modes.held_text_engine import HashingEngine, HashingSpecification
from aesmith.modes.message import BLOCK
from aesmith.publications import Publication

STANDARD = Publication(
    "rfc8452",
    "S. Gueron, A. Langley, Y. Lindell",
    "AES-GCM-SIV: Nonce Misuse-Resistant Authenticated Encryption",
    "RFC 8452",
    2019,
)


@dataclass(frozen=True)
class GcmSivEngine(HashingEngine):
    """An engine of GCM-SIV, in both directions, whose core is given the keys of each message."""

    mode = GCM_SIV.name
    model = GCM_SIV
    frame = GCM_SIV_FRAME
    publication = STANDARD

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return (
            f"GCM-SIV with {self.core.preset}, {self.digit} bits of GHASH a clock, text of up to "
            f"{BLOCK * self.memory_beats:,} bytes"
        )

    @property
    def _timing(self) -> GcmSivTiming:
        calls = (BLOCK + self.key_bits[0] // 8) // HALF
        return GcmSivTiming(*self._core_timing, calls, DEGREE // self.digit)


class GcmSivSpecification(HashingSpecification):
    """The fields of an engine of GCM-SIV."""

    mode: Literal["gcm-siv"] = "gcm-siv"

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> GcmSivEngine:
        return GcmSivEngine(name, core, self.cores, self.digit, self.splits, memory_beats=self.memory_beats, **how)


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
