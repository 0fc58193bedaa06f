"""The smallest S-boxes on NanGate 45 nm, as benchmarks/sbox_areas.py maps them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.technology.registry import library_by

ROOT = Path(__file__).parents[2]


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbox_areas", ROOT / "benchmarks" / "sbox_areas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_small_s_boxes_are_smaller_than_published_ones_in_the_same_flow(pdk: Callable[[str], Path]) -> None:
    """Our mapping of the netlists published before: 188.7 GE forward, 263 GE for both directions."""
    library = library_by(pdk("nangate45_typ"))
    circuits = {str(function): sbox("reyhani2018").circuit(function) for function in Function if function != "inverter"}
    mapped = _benchmark().smallest(circuits, library)
    assert mapped["forward"].area <= 187
    assert mapped["inverse"].area <= 187
    assert mapped["combined"].area <= 263
