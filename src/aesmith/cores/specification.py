"""What a user asks for: a preset name, or a TOML file with the same fields. Checked wholly before any work starts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from aesmith import cores
from aesmith.cores.design import CoreDesign
from aesmith.cores.family import Family, Specification
from aesmith.cores.sources import check_name, with_clear, with_output_register, with_quiet_output, with_scan_enable
from aesmith.errors import PluginError, RequestError, meant, not_one_of
from aesmith.plugins import FAMILIES, Extension

OUTPUT_REGISTER = (
    "The result goes through a register of its own: each result comes one cycle later, at the same throughput; "
    "`block_o` comes from a flip-flop and an AND gate, whatever the logic before it."
)

_Model = TypeVar("_Model", bound=BaseModel)

_OWN = tuple(f"{cores.__name__}.{folder.name}.family" for folder in iter_modules(cores.__path__) if folder.ispkg)


@cache
def families() -> Mapping[str, Family]:
    """All families by name: those of the folders beside this module, and those of other distributions.

    Raises PluginError if a distribution's are broken, or have the name of a preset or an architecture that is taken.
    """
    found = Extension(FAMILIES, "FAMILY", _OWN).objects(Family)
    for what in ("architectures", "presets"):
        taken: dict[str, str] = {}
        for family in found.values():
            for name in getattr(family, what):
                if name in taken:
                    raise PluginError(f"family {family.name}: {what}: there is {name} already, in family {taken[name]}")
                taken[name] = family.name
    return found


def presets() -> Mapping[str, Specification]:
    """All presets by name."""
    return {name: preset for family in families().values() for name, preset in family.presets.items()}


def architectures() -> Mapping[str, type[Specification]]:
    """The specification of each architecture, by its name."""
    return {name: model for family in families().values() for name, model in family.architectures.items()}


def family_of(architecture: str) -> Family:
    """The family an architecture is of."""
    return next(family for family in families().values() if architecture in family.architectures)


def default_name(request: str) -> str:
    """The build name for a preset name or a TOML file: its stem, with what a module name cannot have as `_`."""
    stem = Path(request).stem if request.endswith(".toml") else request
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in stem)


def load_specification(request: str) -> Specification:
    """The specification that a preset name or the path of a TOML file asks for.

    A TOML file has the fields of one architecture; `preset = "…"` in it takes that preset's values for what it leaves
    out. Raises RequestError for an unknown preset, an unreadable file, or a field that is unknown or out of range.
    """
    if request in presets():
        return presets()[request]
    if not request.endswith(".toml"):
        raise not_one_of("core", request, presets(), ", or a specification file that ends in .toml")
    return parse_specification(read_fields(request), f"specification {request}")


def read_fields(request: str) -> dict[str, object]:
    """The fields of a TOML file. Raises RequestError for one that cannot be read."""
    try:
        return tomllib.loads(Path(request).read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"specification {request}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"specification {request}: is not TOML ({error})") from error
    except (ValueError, RecursionError) as error:
        raise RequestError(f"specification {request}: has too long a number, or is nested too deeply") from error


def parse_specification(fields: Mapping[str, object], where: str = "specification") -> Specification:
    """The specification made of plain values; `where` begins every error message. Its core is built to check it."""
    specification = specified(fields, where)
    _built(specification, "check", specification.architecture, where)
    return specification


def design_of(fields: Mapping[str, object], name: str, preset: str, where: str = "specification") -> CoreDesign:
    """The core of the specification made of plain values, as `build_design` makes it; `where` begins every error
    message."""
    return _built(specified(fields, where), name, preset, where)


def _built(specification: Specification, name: str, preset: str, where: str) -> CoreDesign:
    try:
        return build_design(specification, name, preset)
    except RequestError as error:
        raise RequestError(f"{where}: {error}") from error


def specified(fields: Mapping[str, object], where: str = "specification") -> Specification:
    """The specification made of plain values, each field checked by itself; `parse_specification` builds the core too.

    `where` begins every error message. Raises RequestError for a field that is unknown or out of range.
    """
    given = dict(fields)
    preset = given.pop("preset", None)
    base: dict[str, object] = {}
    if preset is not None:
        if not isinstance(preset, str) or preset not in presets():
            raise not_one_of(f"{where}: preset", preset, presets())
        base = presets()[preset].model_dump()
    merged = base | given
    architecture = merged.get("architecture")
    if not isinstance(architecture, str) or architecture not in architectures():
        raise not_one_of(f"{where}: architecture", architecture, architectures())
    specification = validated(architectures()[architecture], merged, where)
    directions = getattr(specification, "directions", ())
    if len(set(directions)) < len(directions):
        raise RequestError(f"{where}: directions: must name each direction once, not {list(directions)!r}")
    return specification


def build_design(specification: Specification, name: str, preset: str) -> CoreDesign:
    """The core of a specification under a build name, sources and all. `preset` is how the user called it.

    Raises RequestError for a name that cannot be a module name.
    """
    design = described_design(specification, name, preset)
    if specification.output == "registered":
        design = with_output_register(design)
    if specification.clear:
        design = with_clear(design)
    if specification.output != "bare":
        design = with_quiet_output(design)
    design = specification.completed(design)
    if specification.scan_enable:
        design = with_scan_enable(design)
    len(design.sources)
    return design


def described_design(specification: Specification, name: str, preset: str) -> CoreDesign:
    """The same with a bare output and without `clear_i`, its sources still to be made: what a list says of it.

    Clocks and remarks are those of the core with all that the specification asks for.

    Whether there is such a core is known only when its sources are read.
    """
    design = specification.design(check_name(name), preset)
    options: dict[str, object] = {"output": specification.output, "clear": specification.clear}
    if specification.scan_enable:
        options["scan_enable"] = True
    design = replace(design, parameters={**design.parameters, **options})
    if specification.output == "registered":
        remarks = (*design.remarks, OUTPUT_REGISTER)
        design = replace(
            design,
            latency_cycles=design.latency_cycles + 1,
            other_clocks={key: clocks.later(1) for key, clocks in design.other_clocks.items()},
            remarks=remarks,
        )
    design = specification.described(design)
    return family_of(specification.architecture).with_claims(design, specification)


def validated(model: type[_Model], fields: Mapping[str, object], where: str) -> _Model:
    """The specification of these fields; raises RequestError with a line for each that is wrong, `where` before it."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise RequestError("\n".join(f"{where}: {line}" for line in _explain(model, fields, error))) from error


def _explain(model: type[BaseModel], fields: Mapping[str, object], error: ValidationError) -> Iterator[str]:
    """A line for each field that is wrong: the field, its rule, and the value given."""
    schema = model.model_json_schema()
    known = schema["properties"]
    for name in dict.fromkeys(str(item["loc"][0]) for item in error.errors() if item["loc"]):
        if name not in known:
            fields_are = f"the fields are {', '.join(sorted(known))}, preset"
            yield f"{name}: there is no such field; {fields_are}{meant(name, known)}"
        else:
            given = f"not {fields[name]!r}" if name in fields else "and is not given"
            yield f"{name}: must be {_rule(known[name], schema.get('$defs', {}))}, {given}"
    for item in error.errors():
        if not item["loc"]:
            yield str(item["msg"]).removeprefix("Value error, ")


def _rule(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """What JSON schema allows, in words."""
    if "$ref" in schema:
        return _rule(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return _either([_rule(each, definitions) for each in schema["anyOf"]])
    if "const" in schema or "enum" in schema:
        return _either([repr(value) for value in schema.get("enum", [schema.get("const")])])
    match schema.get("type"):
        case "integer" | "number" as kind:
            return ("a whole number" if kind == "integer" else "a number") + _between(schema, "minimum", "maximum")
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(_rule(each, definitions) for each in schema['prefixItems'])}]"
        case "array":
            number = _between(schema, "minItems", "maxItems").removeprefix(" from")
            return f"a list of{number} values, each {_rule(schema['items'], definitions)}"
        case "string":
            return f"a text that matches {schema['pattern']}" if "pattern" in schema else "a text"
        case other:
            return {"boolean": "true or false", "null": "none", "object": "a table"}.get(
                str(other), f"a value of type {other}"
            )


def _between(schema: Mapping[str, Any], least: str, most: str) -> str:
    match schema.get(least), schema.get(most):
        case None, None:
            return ""
        case low, None:
            return f" of at least {low}"
        case None, high:
            return f" of at most {high}"
        case low, high:
            return f" from {low} to {high}"


def _either(choices: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))
