"""A family of cores as one object: what can be asked of it, and all that other rooms say of its cores.

A family is a folder. Its module `family.py` has the object, as `FAMILY`; other distributions name such a module by an
entry point of the group `aesmith.families`. No other room knows a family by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import not_
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from aesmith.circuits.cost import LogicDepth
from aesmith.cores.design import CoreDesign, PublishedFigures
from aesmith.errors import RequestError


class Specification(BaseModel, ABC):
    """The fields of an architecture, one class for each. A class gives `architecture` its name as default.

    Two more field names mean the same in all families: `sbox`, an S-box of the catalogue, and `stages`, those of a
    pipeline.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    architecture: str
    directions: tuple[Literal["encrypt", "decrypt"], ...]
    key_bits: int | tuple[int, ...]
    output: Literal["quiet", "bare", "registered"] = Field(
        default="quiet",
        description="the value of block_o while no result is offered: 0, or whatever the core computes (as in the "
        "publications); or 0 after a register, one cycle later",
    )
    clear: bool = Field(default=False, description="a port clear_i that wipes all of key and state in one clock")
    scan_enable: bool = Field(
        default=False, exclude_if=not_, description="a port scan_enable_i that opens all clock gates for scan tests"
    )

    @abstractmethod
    def design(self, name: str, preset: str) -> CoreDesign:
        """The core under a build's name, its output bare; `preset` is how the user called it.

        What a core can have whatever its family (`output`, `clear`, `scan_enable`) is added by
        `specification.build_design`.
        Raises RequestError for a combination of values that no core has.
        """

    def described(self, design: CoreDesign) -> CoreDesign:
        """The core with what is said of `completed`, its sources still to be made."""
        return design

    def completed(self, design: CoreDesign) -> CoreDesign:
        """The core with what stands around it, whatever else it has; with nothing, unless an architecture has more."""
        return design


@dataclass(frozen=True)
class NameWord:
    """How a field stands in the name of a core that is no preset: a word for the field, and its value.

    Fields that have their default are left out, unless `always`. `value` makes text of a value, or "" where the word
    says it all.
    """

    word: str
    value: Callable[[object], str] = str
    always: bool = False


@dataclass(frozen=True)
class DepthClaim:
    """The longest path between registers in a preset's sources, before synthesis, and the publication's formula."""

    depth: LogicDepth
    published: str = ""

    @property
    def remark(self) -> str:
        """A sentence for the datasheet."""
        beside = f"; the publication: {self.published}" if self.published else ""
        return f"Longest path between registers, in the sources: {self.depth}{beside}."


@dataclass(frozen=True)
class Family:
    """A family of cores.

    `title` says in a line what its cores have in common. `rounds_in_hardware` is how many rounds a core has side by
    side: a number that all its cores share, None if they have less than one, or a function where it is what they differ
    in; `usual_rounds` of them go without saying. `stages_of` says, after "3 stages", what they are stages of. `words`
    is how fields stand in names. `depths` and `published` are what is claimed of presets, by name: the tests find the
    depths in the sources, and datasheets have both.

    Raises RequestError if the parts contradict each other.
    """

    name: str
    title: str
    specifications: tuple[type[Specification], ...]
    presets: Mapping[str, Specification]
    rounds_in_hardware: int | Callable[[CoreDesign], int] | None = 1
    usual_rounds: int | None = None
    stages_of: str = "a round"
    words: Mapping[str, NameWord] = field(default_factory=dict)
    depths: Mapping[str, DepthClaim] = field(default_factory=dict)
    published: Mapping[str, tuple[PublishedFigures, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for model in self.specifications:
            if not isinstance(model.model_fields["architecture"].default, str):
                raise RequestError(
                    f"family {self.name}: {model.__name__}: `architecture` must have its name as default"
                )
        for preset, specification in self.presets.items():
            if not isinstance(specification, self.specifications):
                raise RequestError(
                    f"family {self.name}: preset {preset}: must be of one of the family's specifications, "
                    f"not {type(specification).__name__}"
                )
        for claims, what in ((self.depths, "depths"), (self.published, "published")):
            if unknown := [preset for preset in claims if preset not in self.presets]:
                raise RequestError(f"family {self.name}: {what}: there is no preset {unknown[0]}")

    @property
    def architectures(self) -> Mapping[str, type[Specification]]:
        """The specification of each architecture by its name."""
        return {str(model.model_fields["architecture"].default): model for model in self.specifications}

    def rounds_of(self, design: CoreDesign) -> int | None:
        """Rounds that a core of the family has side by side; None if less than one."""
        return self.rounds_in_hardware(design) if callable(self.rounds_in_hardware) else self.rounds_in_hardware

    def structure(self, stages: int, rounds: int | None) -> tuple[str, ...]:
        """What a core's stages and rounds are, in words; nothing of what goes without saying in the family."""
        told = []
        if rounds not in (None, self.usual_rounds) and callable(self.rounds_in_hardware):
            told.append(f"{rounds} round{'s' if rounds != 1 else ''} in hardware")
        if stages != 1:
            told.append(f"{stages} stages {self.stages_of}")
        return tuple(told)

    def with_claims(self, design: CoreDesign, specification: Specification) -> CoreDesign:
        """The core with what is claimed of it, if it is a preset as it stands: of variants nothing is claimed.

        Publications say nothing of outputs while there is no result, so a preset may be quiet or bare; behind a
        register it is another core.
        """
        preset = self.presets.get(design.preset)
        registered = specification.output == "registered"
        if preset is None or registered or specification.model_copy(update={"output": preset.output}) != preset:
            return design
        depth = self.depths.get(design.preset)
        remarks = (*design.remarks, depth.remark) if depth else design.remarks
        return replace(design, published=self.published.get(design.preset, ()), remarks=remarks)
