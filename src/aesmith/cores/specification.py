"""What a user asks for: a preset name, or a TOML file with the same fields. Checked wholly before any work starts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from pydantic import ValidationError

from aesmith.cores.design import CoreDesign
from aesmith.cores.round_based.specification import (
    ROUND_BASED_ARCHITECTURES,
    ROUND_BASED_PRESETS,
    RoundBasedSpecification,
)
from aesmith.cores.serial.specification import SERIAL_ARCHITECTURES, SERIAL_PRESETS, SerialSpecification
from aesmith.cores.sources import check_name
from aesmith.cores.subpipelined.specification import (
    SUBPIPELINED_ARCHITECTURES,
    SUBPIPELINED_PRESETS,
    SubpipelinedSpecification,
)
from aesmith.errors import RequestError

Specification = RoundBasedSpecification | SerialSpecification | SubpipelinedSpecification
"""Any specification; one class an architecture."""

_ARCHITECTURES: dict[str, type[Specification]] = {
    **ROUND_BASED_ARCHITECTURES,
    **SERIAL_ARCHITECTURES,
    **SUBPIPELINED_ARCHITECTURES,
}

_FAMILIES: dict[str, Mapping[str, type[Specification]]] = {
    "round-based": ROUND_BASED_ARCHITECTURES,
    "byte-serial": SERIAL_ARCHITECTURES,
    "sub-pipelined": SUBPIPELINED_ARCHITECTURES,
}

_PRESETS: dict[str, Specification] = {
    **ROUND_BASED_PRESETS,
    **SERIAL_PRESETS,
    **SUBPIPELINED_PRESETS,
}


def presets() -> Mapping[str, Specification]:
    """All presets by name."""
    return dict(_PRESETS)


def architectures() -> Mapping[str, type[Specification]]:
    """The fields of each architecture, by its name."""
    return dict(_ARCHITECTURES)


def family_of(architecture: str) -> str:
    """The family an architecture is of: round-based, byte-serial or sub-pipelined."""
    return next(family for family, members in _FAMILIES.items() if architecture in members)


def default_name(request: str) -> str:
    """The build name for a preset name or a TOML file: its stem, with what a module name cannot have as `_`."""
    stem = Path(request).stem if request.endswith(".toml") else request
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in stem)


def load_specification(request: str) -> Specification:
    """The specification that a preset name or the path of a TOML file asks for.

    A TOML file has the fields of one architecture; `preset = "…"` in it takes that preset's values for what it leaves
    out. Raises RequestError for an unknown preset, an unreadable file, or a field that is unknown or out of range.
    """
    if request in _PRESETS:
        return _PRESETS[request]
    if not request.endswith(".toml"):
        close = get_close_matches(request, _PRESETS, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise RequestError(
            f"core: must be one of {', '.join(_PRESETS)}, or a specification file that ends in .toml, "
            f"not {request!r}{hint}"
        )
    try:
        fields = tomllib.loads(Path(request).read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"specification {request}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"specification {request}: is not TOML ({error})") from error
    return parse_specification(fields, f"specification {request}")


def parse_specification(fields: Mapping[str, object], where: str = "specification") -> Specification:
    """The specification made of plain values; `where` begins every error message."""
    given = dict(fields)
    preset = given.pop("preset", None)
    base: dict[str, object] = {}
    if preset is not None:
        if not isinstance(preset, str) or preset not in _PRESETS:
            raise RequestError(f"{where}: preset: must be one of {', '.join(_PRESETS)}, not {preset!r}")
        base = _PRESETS[preset].model_dump()
    merged = base | given
    architecture = merged.get("architecture")
    if not isinstance(architecture, str) or architecture not in _ARCHITECTURES:
        raise RequestError(f"{where}: architecture: must be one of {', '.join(_ARCHITECTURES)}, not {architecture!r}")
    model = _ARCHITECTURES[architecture]
    try:
        specification = model.model_validate(merged)
    except ValidationError as error:
        raise RequestError("\n".join(f"{where}: {_explain(model, item)}" for item in error.errors())) from error
    try:
        specification.design("check", architecture)
    except RequestError as error:
        raise RequestError(f"{where}: {error}") from error
    return specification


def build_design(specification: Specification, name: str, preset: str) -> CoreDesign:
    """The core of a specification under a build name. `preset` is how the user called it.

    Raises RequestError for a name that cannot be a module name.
    """
    return specification.design(check_name(name), preset)


def _explain(model: type[Specification], item: Mapping[str, object]) -> str:
    location = item["loc"]
    path = location if isinstance(location, tuple) else ()
    field = str(path[0]) if path else "fields"
    if item["type"] == "extra_forbidden":
        return f"{field}: there is no such field; the fields are {', '.join(sorted(model.model_fields))}, preset"
    rule = str(item["msg"])
    rule = rule.removeprefix("Input should be ")
    return f"{field}: must be {rule}, not {item['input']!r}"
