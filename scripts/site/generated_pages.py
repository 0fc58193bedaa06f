"""Pages of the site that are made of the program: its verbs, its specifications' fields, its docstrings; and notebooks.

MkDocs calls `on_files` while it collects the pages (`hooks` in mkdocs.yml).
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from types import GenericAlias
from typing import Any

from mkdocs.structure.files import File, Files
from pydantic import TypeAdapter

from aesmith import api
from aesmith.api import listing
from aesmith.cores.specification import families
from aesmith.flow.measurement import Measurement

SCRIPTS = Path(__file__).parents[1]
MEANT = {
    "directions": "what the core does",
    "key_bits": "key size; of a list, one is chosen with each key",
    "sbox": "an S-box of the catalogue",
}
"""What fields mean that have the same meaning everywhere, and so no description."""


PRINTED: dict[str, Any] = {f"list-{name}": GenericAlias(list, kind) for name, kind in listing.SCHEMAS.items()}
PRINTED |= {"measure": Measurement}
"""Verbs, and what each prints with `--json`."""


def on_files(files: Files, config: Any) -> Files:
    """Adds what is generated to what is in docs/."""
    made = {
        "reference/commands.md": commands(),
        "reference/specification.md": specifications(),
        "reference/api.md": python(),
        "reference/json.md": json_of_verbs(),
        **{f"reference/{name}": text for name, text in schemas()},
        **{f"notebooks/{name}.md": text for name, text in notebooks()},
    }
    for place, text in made.items():
        files.append(File.generated(config, place, content=text))
    return files


def commands() -> str:
    """Every verb: what it does, its arguments and options."""
    synopsis = runpy.run_path(str(SCRIPTS / "synopsis.py"))
    lines = [
        "# Every verb and option",
        "",
        "As `aesmith VERB --help` says it. [What they have in common](../cli.md).",
        "",
    ]
    for name, command in synopsis["verbs"]():
        lines += [f"## aesmith {name}", "", plain(command.help or ""), ""]
        shown = [(words, plain(parameter.help or "")) for words, parameter in parameters(command) if words]
        if shown:
            lines += ["| | |", "|---|---|", *(f"| {words} | {cell(text)} |" for words, text in shown), ""]
    return "\n".join(lines) + "\n"


def parameters(command: Any) -> Iterator[tuple[str, Any]]:
    """What is typed for each argument and option, and what it is."""
    for parameter in command.params:
        if parameter.name == "help" or getattr(parameter, "hidden", False):
            continue
        names = [parameter.metavar or parameter.name.upper()]
        if parameter.param_type_name != "argument":
            value = "" if parameter.is_flag else f" {value_of(parameter)}"
            names = [f"{option}{value}" for option in parameter.opts]
        yield ", ".join(f"`{name}`" for name in names).replace("|", "\\|"), parameter


def value_of(parameter: Any) -> str:
    """What stands behind an option."""
    choices = parameter.type_descriptor.choices or ()
    return parameter.metavar or "|".join(getattr(c, "value", str(c)) for c in choices) or parameter.name.upper()


def specifications() -> str:
    """The fields of every architecture, with what they may be."""
    lines = [
        "# Fields of specifications",
        "",
        "A specification is a TOML file with a `preset` or an `architecture`, and any of its fields. Field elements",
        "may be in hexadecimal. Values that no core has are refused before any work starts, with the valid ones.",
        "",
    ]
    for family in families().values():
        lines += [f"## {family.name}", "", f"{family.title[0].upper()}{family.title[1:]}.", ""]
        for kind in family.specifications:
            schema = kind.model_json_schema()
            name = schema["properties"]["architecture"]["default"]
            presets = [preset for preset, found in family.presets.items() if found.architecture == name]
            lines += [f"### {name}", ""]
            if presets:
                lines += [f"Presets: {', '.join(f'`{preset}`' for preset in presets)}.", ""]
            lines += [
                f"[JSON schema](schemas/{name}.json)",
                "",
                "| field | values | default | meaning |",
                "|---|---|---|---|",
            ]
            for field, about in schema["properties"].items():
                if field != "architecture":
                    text = cell(about.get("description", MEANT.get(field, "")))
                    lines.append(
                        f"| `{field}` | {cell(values(about, schema))} | {said(about.get('default'))} | {text} |"
                    )
            lines.append("")
    return "\n".join(lines) + "\n"


def values(about: dict[str, Any], schema: dict[str, Any]) -> str:
    """What a field may be, in words."""
    if "$ref" in about:
        about = schema["$defs"][about["$ref"].rpartition("/")[2]]
    if "anyOf" in about:
        return " or ".join(dict.fromkeys(values(each, schema) for each in about["anyOf"]))
    if "const" in about or "enum" in about:
        return ", ".join(map(said, about.get("enum", [about.get("const")])))
    if about.get("type") == "array":
        inside = [values(each, schema) for each in about.get("prefixItems", [])] or [
            values(about.get("items", {}), schema)
        ]
        return f"list of {', '.join(dict.fromkeys(inside))}"
    if about.get("type") == "integer" and "minimum" in about and "maximum" in about:
        return f"{about['minimum']} to {about['maximum']}"
    kind = str(about.get("type", "any"))
    return {"boolean": "true, false", "null": "none"}.get(kind, kind)


def said(value: object) -> str:
    """A value as code."""
    return "none" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"


def schemas() -> Iterator[tuple[str, str]]:
    """The JSON schema of each architecture."""
    for family in families().values():
        for kind in family.specifications:
            schema = kind.model_json_schema()
            name = schema["properties"]["architecture"]["default"]
            yield f"schemas/{name}.json", json.dumps(schema, indent=2, ensure_ascii=False) + "\n"

    for name, kind in PRINTED.items():
        schema = TypeAdapter(kind).json_schema(mode="serialization")
        yield f"schemas/{name}.json", json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def json_of_verbs() -> str:
    """What verbs print with `--json`, member by member."""
    lines = [
        "# JSON of verbs",
        "",
        "What `--json` prints for these verbs, made of the types that they compute; each has a JSON schema. `measure`",
        "also prints `cell_count`, `period_with_ports_ns`, `published` (figures of the publication) and `from_store`.",
        "Errors and progress: [command line](../cli.md).",
        "",
    ]
    for name, kind in PRINTED.items():
        schema = TypeAdapter(kind).json_schema(mode="serialization")
        member = schema.get("items", schema)
        member = schema["$defs"][member["$ref"].rpartition("/")[2]] if "$ref" in member else member
        what = "A list; of each:" if "items" in schema else "An object:"
        lines += [f"## aesmith {name.replace('-', ' ')}", "", f"{what} {plain(member.get('description', ''))}", ""]
        lines += ["| member | what it is |", "|---|---|"]
        for field, about in member["properties"].items():
            lines.append(f"| `{field}` | {cell(values(about, schema))} |")
        lines += ["", f"[JSON schema](schemas/{name}.json)", ""]
    return "\n".join(lines) + "\n"


def notebooks() -> Iterator[tuple[str, str]]:
    """Each notebook with what it printed, and a way to the notebook itself."""
    script = runpy.run_path(str(SCRIPTS / "notebooks.py"))
    for path in sorted(script["NOTEBOOKS"].glob("*.ipynb")):
        heading, _, rest = script["markdown"](script["read"](path)).partition("\n")
        yield path.stem, f"{heading}\n\n[As a Jupyter notebook]({path.name})\n{rest}"


def python() -> str:
    """The names of `import aesmith`, by their docstrings."""
    lines = [
        "# Python, by docstrings",
        "",
        "What `import aesmith` gives, each with its docstring. [With examples](../python.md).",
        "",
    ]
    for name in sorted(api.__all__, key=str.lower):
        place = "aesmith.errors.AesmithError" if name == "AesmithError" else f"aesmith.api.{name}"
        lines += [f"::: {place}", ""]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Help as Markdown: words in angle brackets and stars are meant as they stand."""
    return text.replace("\f", "").replace("\b", "").strip().replace("<", "&lt;").replace("*", "\\*")


def cell(text: str) -> str:
    """Text that stands in a table."""
    return " ".join(text.split()).replace("|", "\\|")
