"""The engine of GCM-SIV as a design: one core, the GHASH of GCM, and a memory in which a message's text waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from aesmith.circuits.multipliers.field_128 import digit_step
from aesmith.circuits.multipliers.gf2_128 import DEGREE
from aesmith.circuits.nested import nested_systemverilog
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import not_one_of
from aesmith.modes.engine_top import core_of
from aesmith.modes.family import EngineFamily
from aesmith.modes.gcm_siv import GCM_SIV, HALF, KEY_BITS
from aesmith.modes.gcm_siv_clocks import GcmSivTiming
from aesmith.modes.gcm_siv_stream import GCM_SIV_FRAME
from aesmith.modes.message import BLOCK
from aesmith.modes.multi_mode_engine import DIGITS
from aesmith.modes.held_text_engine import HeldTextEngine, HeldTextSpecification
from aesmith.publications import Publication

STANDARD = Publication(
    "rfc8452",
    "S. Gueron, A. Langley, Y. Lindell",
    "AES-GCM-SIV: Nonce Misuse-Resistant Authenticated Encryption",
    "RFC 8452",
    2019,
)


@dataclass(frozen=True)
class GcmSivEngine(HeldTextEngine):
    """An engine of GCM-SIV, in both directions.

    GHASH takes `digit` bits of a block a clock, by a circuit of that digit and `splits`. Its core has keys of 128 or
    256 bits. Raises RequestError for other values.
    """

    digit: int = 16
    splits: str = "bbb"

    mode = GCM_SIV.name
    model = GCM_SIV
    frame = GCM_SIV_FRAME
    core_key_bits = KEY_BITS
    publication = STANDARD

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.digit not in DIGITS:
            raise not_one_of("digit", str(self.digit), map(str, DIGITS))
        digit_step(self.digit, self.splits)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return (
            f"GCM-SIV with {self.core.preset}, {self.digit} bits of GHASH a clock, text of up to "
            f"{BLOCK * self.memory_beats:,} bytes"
        )

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {**super().module_parameters, "Digit": self.digit}

    @property
    def leaves(self) -> tuple[SourceFile, ...]:
        """The step of the multiplication by the hash key."""
        circuit = digit_step(self.digit, self.splits).circuit
        header = f"One step of GHASH: p = y x^{self.digit} + d h in GF(2^128), bit i the coefficient of x^i."
        module = f"{self.name}_ghash_step"
        return (SourceFile(f"{module}.sv", nested_systemverilog(circuit, header, module)),)

    @property
    def _timing(self) -> GcmSivTiming:
        calls = (BLOCK + self.key_bits[0] // 8) // HALF
        return GcmSivTiming(*self._core_timing, calls, DEGREE // self.digit)


class GcmSivSpecification(HeldTextSpecification):
    """The fields of an engine of GCM-SIV."""

    mode: Literal["gcm-siv"] = "gcm-siv"
    digit: Literal[4, 8, 16, 32, 64] = Field(default=16, description="bits of a block that GHASH takes a clock")
    splits: str = Field(default="bbb", description="how the multiplier of GHASH is made, a letter a split")

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
