"""Texts of this room's templates, and those of the house as old simulators take them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources


def for_icarus(modules: str) -> str:
    """The text of modules as Icarus Verilog 11 takes it: without `int unsigned` in headers, and without what `$error`
    says of parameters, which the sources' own elaboration has passed."""
    plain = re.sub(r"\b(parameter|localparam) int unsigned ", r"\1 int ", modules)
    return re.sub(r"^    \$error\([^\n]*\);\n", "", plain, flags=re.MULTILINE)


def filled(template: str, values: Mapping[str, str]) -> str:
    """A text of this room's templates, with each `@NAME@` of `values` filled in."""
    text = resources.files("aesmith.assurance").joinpath("templates", template).read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text
