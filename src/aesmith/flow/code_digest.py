"""A digest of the code that figures come from: it may change while the version does not."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

ROOMS = ("aesmith.flow", "aesmith.technology", "aesmith.timing")
APART = "aesmith.timing.power"
"""Power is measured on a netlist that is there already, and has a key of its own."""


@cache
def code_digest(modules: Sequence[str] = ("aesmith.flow.measure", "aesmith.flow.yosys_worker")) -> str:
    """SHA-256 (hex) of these modules and of all that they import, directly or not, from `ROOMS`.

    The rest of those rooms does not count: what places and routes on an FPGA, or finds power, changes no area or delay.
    """
    digest = hashlib.sha256()
    for name, text in sorted(_closure(modules).items()):
        digest.update(f"{name}\0{len(text)}\0{text}".encode())
    return digest.hexdigest()


def _closure(modules: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = _text(name)
            imported = [node for node in ast.walk(ast.parse(texts[name])) if isinstance(node, ast.ImportFrom)]
            names = [node.module for node in imported if node.module is not None]
            waiting += [name for name in names if name.startswith(ROOMS) and not name.startswith(APART)]
    return texts


def _text(module: str) -> str:
    package, _, name = module.rpartition(".")
    file = files(package) / f"{name}.py"
    folder = files(package) / name / "__init__.py"
    return (file if file.is_file() else folder).read_text(encoding="utf-8")
