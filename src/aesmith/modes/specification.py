"""What a user asks for in modes: a preset of an engine, or a TOML file that names a mode. Checked before any work."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from aesmith.cores import specification as cores
from aesmith.cores.specification import read_fields, validated
from aesmith.errors import RequestError, not_one_of
from aesmith.modes import (
    cfb8_engine,
    cmac_engine,
    ctr_drbg_engine,
    ctr_engine,
    gcm_engine,
    gcm_siv_engine,
    gcm_sst_engine,
    key_wrap_engine,
    multi_mode_engine,
    ocb_engine,
    siv_engine,
    stealing_engine,
    xts_engine,
)
from aesmith.modes.engine import StreamEngine
from aesmith.modes.family import EngineFamily, EngineSpecification
from aesmith.modes.served import SERVED

MULTI = str(multi_mode_engine.MultiModeSpecification.model_fields["mode"].default)
"""What the field `mode` of an engine says that has the field `modes`, which may stand alone."""
_OWN = (
    *(ctr_engine.ENGINES, cfb8_engine.ENGINES, cmac_engine.ENGINES),
    *(gcm_engine.ENGINES, xts_engine.ENGINES, ocb_engine.ENGINES),
    *(multi_mode_engine.ENGINES, key_wrap_engine.ENGINES, gcm_siv_engine.ENGINES),
    *(stealing_engine.ENGINES, ctr_drbg_engine.ENGINES, siv_engine.ENGINES, gcm_sst_engine.ENGINES),
)


@cache
def engine_families() -> Mapping[str, EngineFamily]:
    """The engines of each mode that has some, by its name."""
    return {family.mode: family for family in _OWN}


@cache
def _of_several() -> Mapping[str, EngineFamily]:
    """The modes whose engines are all of a family of several, built for one: `mode` may name them."""
    families = engine_families()
    return {mode: family for family in families.values() for mode in family.modes if mode not in families}


def _family_of(modes: object) -> str:
    """What the field `mode` of an engine says that has these modes alone."""
    named = {*modes} if isinstance(modes, list | tuple) else set()
    found = (family.mode for family in engine_families().values() if named and named <= {*family.modes})
    return next(found, MULTI)


@cache
def engine_presets() -> Mapping[str, EngineSpecification]:
    """All presets of engines by name."""
    return {name: preset for family in engine_families().values() for name, preset in family.presets.items()}


def families_of(mode: str) -> Iterator[tuple[EngineFamily, Mapping[str, object]]]:
    """The families that have engines of a mode, each with the fields that ask for one of that mode alone."""
    for family in engine_families().values():
        fields = family.fields_for(mode)
        if fields is not None:
            yield family, fields


def presets_of(mode: str) -> Mapping[str, EngineSpecification]:
    """The presets of engines that have a mode, alone or among several."""
    every = engine_presets().items()
    return {name: preset for name, preset in every if mode in (preset.mode, *getattr(preset, "modes", ()))}


def asks_for_engine(request: str) -> bool:
    """Whether a preset name or TOML file is one of an engine: the file has a field `mode` or `modes`, or an engine's
    preset."""
    if request in engine_presets():
        return True
    try:
        fields = tomllib.loads(Path(request).read_text(encoding="utf-8")) if request.endswith(".toml") else {}
    except (OSError, ValueError, RecursionError):
        return False
    return "mode" in fields or "modes" in fields or fields.get("preset") in [*engine_presets()]


def engine_specification(request: str) -> EngineSpecification:
    """The specification that a preset of an engine or the path of a TOML file asks for; raises RequestError."""
    if request in engine_presets():
        return engine_presets()[request]
    if not request.endswith(".toml"):
        raise not_one_of("engine", request, engine_presets(), ", or a specification file that ends in .toml")
    return parse_engine(read_fields(request), f"specification {request}")


def parse_engine(fields: Mapping[str, object], where: str = "specification") -> EngineSpecification:
    """The specification of an engine made of plain values; with `preset`, that one's for what is left out.

    `where` begins every error message. Raises RequestError for a field that is unknown or out of range, and for values
    that no engine has: it is built to find out.
    """
    specification = specified(fields, where)
    _built(specification, "check", specification.mode, where)
    return specification


def engine_of(fields: Mapping[str, object], name: str, preset: str, where: str = "specification") -> StreamEngine:
    """The engine of the specification made of plain values, as `build_engine` makes it; errors as of `parse_engine`."""
    return _built(specified(fields, where), name, preset, where)


def _built(specification: EngineSpecification, name: str, preset: str, where: str) -> StreamEngine:
    try:
        return build_engine(specification, name, preset)
    except RequestError as error:
        raise RequestError(f"{where}: {error}") from error


def specified(fields: Mapping[str, object], where: str = "specification") -> EngineSpecification:
    """The specification made of plain values, each field checked by itself; `parse_engine` builds the engine too.

    `where` begins every error message. Raises RequestError for a field that is unknown or out of range.
    """
    given = dict(fields)
    preset = given.pop("preset", None)
    base: dict[str, object] = {}
    if preset is not None:
        if not isinstance(preset, str) or preset not in engine_presets():
            raise not_one_of(f"{where}: preset", preset, engine_presets())
        base = engine_presets()[preset].model_dump()
    given, served = _as_served(given)
    merged = served | base | given
    mode = merged.setdefault("mode", _family_of(merged["modes"]) if "modes" in merged else None)
    if isinstance(mode, str) and mode in _of_several():
        family = _of_several()[mode]
        if "modes" in given:
            raise RequestError(f"{where}: mode: must be {family.mode} or omitted where modes are given, not {mode}")
        merged |= family.fields_for(mode) or {}
        mode = family.mode
    if not isinstance(mode, str) or mode not in engine_families():
        raise not_one_of(f"{where}: mode", mode, [*engine_families(), *_of_several(), *SERVED])
    return validated(engine_families()[mode].specification, merged, where)


def _as_served(given: dict[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """The fields with the modes that serve those that are named (`aesmith.modes.served`), and what these leave out."""
    modes, mode, fields = given.get("modes"), given.get("mode"), dict[str, object]()
    named = [str(name) for name in modes] if isinstance(modes, list | tuple) else [str(mode)]
    if not {*named} & SERVED.keys():
        return given, fields
    if {*named} <= SERVED.keys():
        fields = {field: value for name in named for field, value in SERVED[name].fields.items()}
    modes_of = tuple(dict.fromkeys(SERVED[name].mode if name in SERVED else name for name in named))
    return {field: value for field, value in given.items() if field != "mode"} | {"modes": modes_of}, fields


def core_fields(specification: type[EngineSpecification]) -> tuple[str, ...]:
    """The fields that say what a core of an engine is: a preset, or a table of a specification's fields."""
    fields = specification.model_fields.items()
    return tuple(name for name, about in fields if about.annotation == str | dict[str, Any])


def without_clock_gates(specification: EngineSpecification) -> dict[str, object]:
    """The fields of its cores that have clock gates, with cores that hold their registers by enables."""
    found: dict[str, object] = {}
    for field in core_fields(type(specification)):
        core = getattr(specification, field)
        fields: dict[str, object] = {"preset": core} if isinstance(core, str) else core
        if getattr(cores.specified(fields), "clock_gates", False):
            found[field] = fields | {"clock_gates": False}
    return found


def build_engine(specification: EngineSpecification, name: str, preset: str) -> StreamEngine:
    """The engine of a specification under a build name; raises RequestError for a name that no module can have."""
    return specification.engine(name, preset)
