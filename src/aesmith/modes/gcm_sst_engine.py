"""The engine of GCM-SST as a design: one core, the GHASH of GCM, and a memory in which decrypted text waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from aesmith.circuits.multipliers.gf2_128 import DEGREE
from aesmith.cores.design import CoreDesign
from aesmith.errors import RequestError
from aesmith.modes.engine import SHORT_TAG
from aesmith.modes.engine_top import CorePlace, core_of
from aesmith.modes.family import EngineFamily
from aesmith.modes.gcm_sst import GCM_SST, SST_TAGS
from aesmith.modes.gcm_sst_clocks import GcmSstTiming
from aesmith.modes.gcm_sst_stream import GCM_SST_FRAME
from aesmith.modes.held_text_engine import HashingEngine, HashingSpecification
from aesmith.modes.message import BLOCK, decryption_limit
from aesmith.publications import Publication

STANDARD = Publication(
    "gcm-sst",
    "M. Campagna, A. Maximov, J. Preuß Mattsson",
    "Galois Counter Mode with Strong Secure Tags (GCM-SST)",
    "Internet-Draft draft-mattsson-cfrg-aes-gcm-sst",
    2026,
)


@dataclass(frozen=True)
class GcmSstEngine(HashingEngine):
    """An engine of GCM-SST, in both directions; encrypted text leaves as it comes."""

    mode = GCM_SST.name
    model = GCM_SST
    frame = GCM_SST_FRAME
    publication = STANDARD
    short_tags = True
    short_tag_remark = (
        f"**Tags of {min(SST_TAGS)} bytes are taken if a command asks for them**: the draft has an algorithm with such "
        f"tags, and allows a key one length of tag. min_tag = {SHORT_TAG} refuses them."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_tag > max(SST_TAGS):
            raise RequestError(
                f"min_tag: must be at most {max(SST_TAGS)}, the longest tag of GCM-SST, not {self.min_tag}"
            )

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return (
            f"GCM-SST with {self.core.preset}, {self.digit} bits of GHASH a clock, text to decrypt of up to "
            f"{BLOCK * self.memory_beats:,} bytes"
        )

    @property
    def limits(self) -> tuple[str, ...]:
        """How long a message to decrypt may be."""
        return decryption_limit(self.memory_beats, "text", self.room_for(0, 64))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What leaves when, and how long a message may be."""
        return ("No text leaves before a tag to compare was found right.", *self.limits)

    @property
    def core_places(self) -> tuple[CorePlace, ...]:
        """Its core, which has the user's key."""
        return (CorePlace("core", self.core, in_turn=True),)

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"Digit": self.digit, "AddressBits": self.memory.address_bits}

    @property
    def _timing(self) -> GcmSstTiming:
        return GcmSstTiming(*self._core_timing, DEGREE // self.digit)


class GcmSstSpecification(HashingSpecification):
    """The fields of an engine of GCM-SST."""

    mode: Literal["gcm-sst"] = "gcm-sst"

    def _engine(self, name: str, core: CoreDesign, **how: Any) -> GcmSstEngine:
        return GcmSstEngine(name, core, self.cores, self.digit, self.splits, memory_beats=self.memory_beats, **how)


ENGINES = EngineFamily(
    "GCM-SST: GCM with short tags that are hard to forge",
    GcmSstSpecification,
    {"gcm-sst-compact": GcmSstSpecification(core="ueno2020-enc")},
)
"""The engines of GCM-SST, for `aesmith.modes.specification`."""


def gcm_sst_engine(name: str, core: dict[str, object], **fields: Any) -> GcmSstEngine:
    """An engine around a core of a specification, whose modules are `<name>_aes_…`; raises RequestError.

    `fields` are those of GcmSstEngine: `digit`, `splits`, `memory_beats`, `min_tag`.
    """
    return GcmSstEngine(name, core_of(name, core), **fields)
