"""What is known of a design, a core or an engine, before it is built: parameters, schedule, the hash of its sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.family import NameWord, Specification
from aesmith.cores.specification import (
    default_name,
    design_of,
    family_of,
    presets,
    specified,
)
from aesmith.errors import RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.modes.family import EngineSpecification
from aesmith.modes.specification import core_fields, engine_families, engine_of
from aesmith.modes.specification import specified as specified_engine

_WORDS = {name: NameWord("") for name in ("sbox", "key_bits")}
"""How the fields that all families share stand in names."""

_ANY_NAME = "core"


@dataclass(frozen=True)
class Outline:
    """A design's facts as plain values; what `measure` and its kin need for keys, and a data frame's row.

    `design` is what figures are labelled with: the preset's name if it is a preset's specification, else a name made of
    all values that are not the architecture's or the mode's defaults. The same specification always has the same name.

    Of an engine, `family` is its mode, `core` the name of the core inside and `cores` how many take blocks in turn;
    `block_width` are the bits of its stream, and architecture, S-box, stages and units are those of the core. A core
    has neither `core` nor `cores`.
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
    cycles_per_block: float
    latency_cycles: int
    source_hash: str
    core: str | None = None
    cores: int | None = None

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
        """The sources, for which the design is built."""
        return tuple(self.build().sources)

    def build(self) -> CoreDesign | StreamEngine:
        """The design itself."""
        return build_specified(self.specification, self.name, self.design)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, fields by their names."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Outline:
        """The outline that `to_json` gave these values for."""
        directions = tuple(Direction(direction) for direction in values["directions"])
        return cls(**{**values, "directions": directions, "key_bits": tuple(values["key_bits"])})


def build_specified(specification: str, name: str, preset: str) -> CoreDesign | StreamEngine:
    """The core or engine of a specification (JSON) under a build's name; raises RequestError if there is none."""
    fields = json.loads(specification)
    if "mode" in fields:
        return engine_of(fields, name, preset)
    return design_of(fields, name, preset)


def outline(values: Mapping[str, Any]) -> Outline:
    """The outline of the core with these fields, built for it. Raises RequestError if there is no such core."""
    specification = specified(values)
    design = design_name(specification)
    core = design_of(values, default_name(design), design)
    return Outline(
        design=design,
        specification=_text_of(specification),
        directions=core.directions,
        key_bits=core.key_bits,
        block_width=core.block_width,
        cycles_per_block=core.cycles_per_block,
        latency_cycles=core.latency_cycles,
        source_hash=core.source_hash,
        **_structure(specification, core),
    )


def engine_outline(values: Mapping[str, Any]) -> Outline:
    """The outline of the engine with these fields, built for it. Raises RequestError if there is no such engine."""
    specification = with_named_cores(specified_engine(values))
    design = engine_name(specification)
    engine = engine_of(values, default_name(design), design)
    core = _core_of(specification.core)
    return Outline(
        design=design,
        specification=_text_of(specification),
        directions=engine.directions,
        key_bits=engine.quoted_key_bits,
        block_width=engine.stream_bits,
        cycles_per_block=engine.cycles_per_block,
        latency_cycles=engine.latency_cycles,
        source_hash=engine.source_hash,
        core=design_name(core),
        cores=engine.cores,
        **_structure(core, engine.core) | {"family": engine.mode},
    )


def _structure(specification: Specification, core: CoreDesign) -> dict[str, Any]:
    """What a core is made of, as fields of an outline."""
    fields = dict(specification)
    family = family_of(specification.architecture)
    return {
        "family": family.name,
        "architecture": specification.architecture,
        "sbox": fields.get("sbox"),
        "stages": fields.get("stages") or max(1, round((core.latency_cycles - 1) / core.cycles_per_block)),
        "units": family.rounds_of(core),
    }


def _text_of(specification: Specification | EngineSpecification) -> str:
    return json.dumps(specification.model_dump(mode="json"), sort_keys=True)


def rtl_digest(specification: str) -> str:
    """SHA-256 (hex) of the SystemVerilog that is generated now for a specification (JSON), whatever a build is named.

    Two specifications of which the same hardware is made have the same digest. Raises RequestError if there is no such
    design.
    """
    return build_specified(specification, _ANY_NAME, "").source_hash


@cache
def _preset_names() -> dict[str, str]:
    return {_text_of(specification): name for name, specification in presets().items()}


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
    text = _text_of(specification)
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


def _core_of(core: str | dict[str, Any]) -> Specification:
    """The specification of a core inside an engine."""
    return presets()[core] if isinstance(core, str) else specified(core)


def with_named_cores(specification: EngineSpecification) -> EngineSpecification:
    """The same with each core by its preset's name, or else with all its fields: engines that are the same are equal.

    Raises RequestError for a core that there is not.
    """
    cores: dict[str, object] = {}
    for field in core_fields(type(specification)):
        core = _core_of(getattr(specification, field))
        if specification.clear:  # then it has one too, whatever is said
            core = core.model_copy(update={"clear": False})
        cores[field] = _preset_names().get(_text_of(core), core.model_dump(mode="json"))
    return specification.model_copy(update=cores)


@cache
def _engine_preset_names(mode: str) -> dict[str, str]:
    of_mode = engine_families()[mode].presets.items()
    return {_text_of(with_named_cores(specification)): name for name, specification in of_mode}


def engine_name(specification: EngineSpecification) -> str:
    """The preset's name, or else the mode, the core, and every value that is not the mode's default, after its field.

    Its cores are as `with_named_cores` has them. Different specifications have different names.
    """
    if (text := _text_of(specification)) in (known := _engine_preset_names(specification.mode)):
        return known[text]
    words = [specification.mode, design_name(_core_of(specification.core))]
    model = type(specification)
    for field, about in model.model_fields.items():
        value, word = getattr(specification, field), field.replace("_", "")
        if field in ("mode", "core") or value == about.get_default():
            continue
        if field in core_fields(model):
            words += [field.removesuffix("_core"), design_name(_core_of(value))]
        else:
            # A value in letters is a word of its own: release-cut-through.
            value = "-".join(value) if isinstance(value, tuple) else value
            words += [word, value] if isinstance(value, str) else [word if value is True else f"{word}{value}"]
    return "-".join(words)


def refusal(error: RequestError) -> str:
    """The rule that a combination broke, without the value that broke it, so that refusals can be counted by rule."""
    return str(error).partition("\n")[0].replace("specification: ", "").partition(", not ")[0]
