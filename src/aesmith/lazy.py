"""Modules that take long to import and that few verbs need: imported when first used, not at every start."""

from __future__ import annotations

import importlib
from dataclasses import dataclass


@dataclass(frozen=True)
class LazyModule:
    """Stands for the module `name`. For type checkers, import the module itself under `TYPE_CHECKING`."""

    name: str

    def __getattr__(self, attribute: str) -> object:
        """What the module has under this name, the module imported if it was not."""
        return getattr(importlib.import_module(self.name), attribute)
