"""The scripts of benchmarks/ that keep the docs, as modules: they import one another by name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    """The module of a script in benchmarks/."""
    folder = str(ROOT / "benchmarks")
    if folder not in sys.path:
        sys.path.append(folder)
    return import_module(name)
