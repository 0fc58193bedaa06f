"""Memories of a design, by module: a macro may take their place, so no flow looks inside.

Their text is Verilog-2005, and the one-file Verilog has it as it is, with the values of its parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from aesmith.cores.design import Design
from aesmith.errors import CheckError

_INSTANCE = re.compile(r"^  (\w+) #\(\n((?:    \.\w+\(\d+\),?\n)+)  \) (\w+) \($", re.MULTILINE)
_PARAMETER = re.compile(r"\.(\w+)\((\d+)\)")


def memories_of(design: Design) -> tuple[str, ...]:
    """Names of the modules of a design that are memories."""
    return tuple(getattr(design, "memories", ()))


def memory_text(design: Design, name: str, parameters: Mapping[str, int]) -> str:
    """The module of a memory without comments, its parameters with these values.

    Raises CheckError if there is no such module or parameter.
    """
    text = next((source.text for source in design.sources if re.search(rf"\bmodule {name}\b", source.text)), "")
    found = re.search(rf"\bmodule {name}\b.*?\bendmodule\b", re.sub(r"//[^\n]*", "", text), re.DOTALL)
    if found is None:
        raise CheckError(f"{design.name}: has no module {name}, which is a memory")
    module = found[0]
    for parameter, value in parameters.items():
        module, count = re.subn(rf"\b(parameter {parameter} = )\d+", rf"\g<1>{value}", module)
        if count != 1:
            raise CheckError(f"{design.name}: memory {name} has no parameter {parameter}")
    return re.sub(r"[ \t]+$", "", module, flags=re.MULTILINE) + "\n"


def with_plain_instances(design: Design, verilog: str) -> tuple[str, str]:
    """A text that Yosys wrote, its instances of memories without parameters, and the text of these memories.

    Raises CheckError for a memory with two sets of values, which one module cannot have.
    """
    values: dict[str, dict[str, int]] = {}

    def plain(match: re.Match[str]) -> str:
        name, given, instance = match.groups()
        if name not in memories_of(design):
            return match[0]
        parameters = {parameter: int(value) for parameter, value in _PARAMETER.findall(given)}
        if values.setdefault(name, parameters) != parameters:
            raise CheckError(f"{design.name}: memory {name} is used with two sets of parameters")
        return f"  {name} {instance} ("

    rest = _INSTANCE.sub(plain, verilog)
    return rest, "\n".join(memory_text(design, name, of) for name, of in values.items())


def same_text(one: str, other: str) -> bool:
    """Whether two modules are one text, whatever the spaces and comments."""
    return _words(one) == _words(other)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+|\S", re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL))
