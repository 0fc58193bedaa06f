"""What is known of a core before it is built: parameters, schedule, and the hash of its sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.family import NameWord, Specification
from aesmith.cores.specification import (
    build_design,
    default_name,
    family_of,
    parse_specification,
    presets,
)
from aesmith.errors import RequestError

_WORDS = {name: NameWord("") for name in ("sbox", "key_bits")}
"""How the fields that all families share stand in names."""

_ANY_NAME = "core"


@dataclass(frozen=True)
class Outline:
    """A core's facts as plain values; what `measure` and its kin need for keys, and a data frame's row.

    `design` is what figures are labelled with: the preset's name if it is a preset's specification, else a name made of
    all values that are not the architecture's defaults. The same specification always has the same name.
    """

    design: str
    specification: str
    family: str
    architecture: str
    directions: tuple[Direction, ...]
    key_bits: tuple[int, ...]
    block_width: int
    sbox: str | None
    stages: int
    units: int | None
    cycles_per_block: int
    latency_cycles: int
    source_hash: str

    @property
    def name(self) -> str:
        """The build's name."""
        return default_name(self.design)

    @property
    def top(self) -> str:
        """Name of the top module."""
        return self.name

    @property
    def block_bits(self) -> int:
        """Bits of an AES block."""
        return 128

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        """The sources, for which the core is built."""
        return tuple(self.build().sources)

    def build(self) -> CoreDesign:
        """The core itself."""
        return build_design(parse_specification(json.loads(self.specification)), self.name, self.design)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, fields by their names."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Outline:
        """The outline that `to_json` gave these values for."""
        directions = tuple(Direction(direction) for direction in values["directions"])
        return cls(**{**values, "directions": directions, "key_bits": tuple(values["key_bits"])})


def outline(values: Mapping[str, Any]) -> Outline:
    """The outline of the core with these fields, built for it. Raises RequestError if there is no such core."""
    specification = parse_specification(values)
    text = json.dumps(specification.model_dump(mode="json"), sort_keys=True)
    design = design_name(specification)
    core = build_design(specification, default_name(design), design)
    fields = dict(specification)
    family = family_of(specification.architecture)
    stages = fields.get("stages") or max(1, round((core.latency_cycles - 1) / core.cycles_per_block))
    return Outline(
        design=design,
        specification=text,
        family=family.name,
        architecture=specification.architecture,
        directions=core.directions,
        key_bits=core.key_bits,
        block_width=core.block_width,
        sbox=fields.get("sbox"),
        stages=stages,
        units=family.rounds_of(core),
        cycles_per_block=core.cycles_per_block,
        latency_cycles=core.latency_cycles,
        source_hash=core.source_hash,
    )


def rtl_digest(specification: str) -> str:
    """SHA-256 (hex) of the SystemVerilog that is generated now for a specification (JSON), whatever a build is named.

    Two specifications of which the same hardware is made have the same digest. Raises RequestError if there is no such
    core.
    """
    return build_design(parse_specification(json.loads(specification)), _ANY_NAME, "").source_hash


@cache
def _preset_names() -> dict[str, str]:
    return {
        json.dumps(specification.model_dump(mode="json"), sort_keys=True): name
        for name, specification in presets().items()
    }


BARE, CLEARED = "-bare", "-clear"
"""What ends the name of a core whose output is bare, and of one that can be cleared, in this order."""

_OUTPUTS = {"bare": BARE, "registered": "-registered"}


def design_name(specification: Specification) -> str:
    """The preset's name, or else the architecture and every value that is not its default, after a word for its field.

    What a core has whatever its family is said at the end. Different specifications have different names.
    """
    if specification.clear:
        return design_name(specification.model_copy(update={"clear": False})) + CLEARED
    if specification.output in _OUTPUTS:
        return design_name(specification.model_copy(update={"output": "quiet"})) + _OUTPUTS[specification.output]
    text = json.dumps(specification.model_dump(mode="json"), sort_keys=True)
    if text in _preset_names():
        return _preset_names()[text]
    known = _WORDS | dict(family_of(specification.architecture).words)
    words: list[str] = [specification.architecture]
    for field, about in type(specification).model_fields.items():
        value = getattr(specification, field)
        word = known.get(field, NameWord(field.replace("_", "")))
        if field == "architecture" or (value == about.get_default() and not word.always):
            continue
        if field == "directions":
            words.append("encdec" if len(value) == 2 else str(value[0])[:3])
        elif isinstance(value, tuple):
            words.append(word.word + "-".join(map(str, value)))
        else:
            words.append(word.word + word.value(value))
    return "-".join(words)


def refusal(error: RequestError) -> str:
    """The rule that a combination broke, without the value that broke it, so that refusals can be counted by rule."""
    return str(error).partition("\n")[0].removeprefix("specification: ").partition(", not ")[0]
