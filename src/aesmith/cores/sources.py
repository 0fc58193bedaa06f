"""The SystemVerilog that cores are made of, under a build's own names.

In its folder every module is called `aesmith_<what>`. In a build the top module has the build's name and every other
module is `<name>_<what>`, so that any two builds fit in one chip.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.systemverilog import systemverilog
from aesmith.cores.design import SourceFile
from aesmith.cores.keywords import KEYWORDS
from aesmith.errors import RequestError

RTL: Traversable = resources.files("aesmith.rtl")
"""The folder of the SystemVerilog that comes with aesmith; a family may bring a folder of its own."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def check_name(name: str) -> str:
    """The name itself if it can be a module name; else raises RequestError."""
    if not _NAME.fullmatch(name) or name.startswith("aesmith_"):
        raise RequestError(
            f"name: must be letters, digits and _, begin with a letter and not with aesmith_, not {name!r}"
        )
    if name in KEYWORDS:
        raise RequestError(f"name: must not be a reserved word of SystemVerilog, as {name} is")
    return name


def packaged_rtl(module: str, folder: Traversable = RTL) -> str:
    """The text of `aesmith_<module>.sv` as it stands in the folder. Raises RequestError if it is not there."""
    file = folder / f"aesmith_{module}.sv"
    if not file.is_file():
        raise RequestError(f"module: there is no {file.name} in {folder}")
    return file.read_text(encoding="utf-8")


def rtl_source(
    name: str,
    module: str,
    top: str,
    *,
    role: str | None = None,
    settings: Mapping[str, int] | None = None,
    folder: Traversable = RTL,
) -> SourceFile:
    """The module of a folder under the build's names; `top` is the name there of the build's top module.

    With `role` the module becomes `<name>_<role>`: the name by which the modules around it know whatever takes that
    place. `settings` are new defaults of the module's parameters. Raises RequestError for a parameter it does not have.
    """
    text = packaged_rtl(module, folder)
    for parameter, value in (settings or {}).items():
        default = re.compile(rf"(\bparameter (?:int unsigned|bit) {parameter} = )[0-9'b]+")
        if not default.search(text):
            raise RequestError(f"settings: {module} has no parameter {parameter}")
        text = default.sub(rf"\g<1>{value}", text)
    if role is not None:
        text = re.sub(rf"\baesmith_{module}\b", f"{name}_{role}", text)
    text = re.sub(rf"\baesmith_{top}\b", name, text)
    text = re.sub(r"\baesmith_", f"{name}_", text)
    return SourceFile(f"{name}.sv" if module == top else f"{name}_{role or module}.sv", text)


def leaf_source(name: str, module: str, circuit: Circuit, header: str) -> SourceFile:
    """An emitted leaf circuit as module `<name>_<module>`."""
    return SourceFile(f"{name}_{module}.sv", systemverilog(circuit, header, f"{name}_{module}"))
