"""Fields of the round-based architectures, and their presets."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from aesmith.cores.design import CoreDesign
from aesmith.cores.round_based.design import BOTH, Facts, core_design
from aesmith.cores.round_based.ueno import UenoTower

_CONFIG = ConfigDict(frozen=True, extra="forbid", strict=True)
_ALPHA = "α, generates GF(2^8) over GF(2^4); element of the AES field"
_BETA = "β, element of order 5 in the AES field"
_GAMMA = "γ, the multiplicative offset; element of the AES field"

_BothDirections = tuple[Literal["encrypt"], Literal["decrypt"]]


class Ueno2020EncdecSpecification(BaseModel):
    """Fields of the `ueno2020-encdec` architecture. γ = 1 is the version of 2016."""

    model_config = _CONFIG

    architecture: Literal["ueno2020-encdec"] = "ueno2020-encdec"
    directions: _BothDirections = Field(default=("encrypt", "decrypt"), strict=False)
    key_bits: Literal[128] = 128
    alpha: int = Field(default=0xAA, ge=2, le=255, description=_ALPHA)
    beta: int = Field(default=0xED, ge=2, le=255, description=_BETA)
    gamma: int = Field(default=0x98, ge=1, le=255, description=_GAMMA)

    def design(self, name: str, preset: str) -> CoreDesign:
        """The core. Raises RequestError for a tower that the inverter does not fit."""
        tower = UenoTower(self.alpha, self.beta, self.gamma)
        facts = _UENO2020 if self.gamma != 1 else _UENO2016
        return core_design(facts, tower.parts(), name, preset, self.model_dump(include={"alpha", "beta", "gamma"}))


_UENO2020 = Facts(
    "one round a clock, both paths behind one set of inverters in a tower field with multiplicative offset",
    "ueno2020",
    "ueno2020-encdec",
    BOTH,
)
_UENO2016 = Facts(
    "one round a clock, both paths behind one set of inverters in a tower field", "ueno2016", "ueno2016-encdec", BOTH
)

RoundBasedSpecification = Ueno2020EncdecSpecification
"""Any specification of a round-based core."""

ROUND_BASED_ARCHITECTURES: dict[str, type[RoundBasedSpecification]] = {
    "ueno2020-encdec": Ueno2020EncdecSpecification,
}

ROUND_BASED_PRESETS: dict[str, RoundBasedSpecification] = {
    "ueno2020-encdec": Ueno2020EncdecSpecification(),
    "ueno2016-encdec": Ueno2020EncdecSpecification(alpha=0xEE, beta=0x0C, gamma=1),
}
"""Presets of the round-based cores by name. The towers are those with the fewest XOR gates in all maps."""
