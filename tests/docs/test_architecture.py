"""docs/architecture.md says what the sources say: every room, in the order that import-linter holds, and a picture."""

from __future__ import annotations

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def script() -> ModuleType:
    spec = spec_from_file_location("draw_rooms", ROOT / "scripts" / "draw_rooms.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_room_is_described_in_the_order_that_holds() -> None:
    described = re.findall(r"^\| `(\w+)`[^|]*\|", PAGE, re.MULTILINE)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [layer.strip("()") for layer in contracts[0]["layers"]]
    folders = {path.name for path in (ROOT / "src" / "aesmith").iterdir() if path.is_dir()}
    assert described == [layer for layer in reversed(layers) if layer in folders - {"testing"}]
    assert set(described) == folders - {"testing", "__pycache__"}


def test_every_module_of_no_room_is_named() -> None:
    modules = {path.stem for path in (ROOT / "src" / "aesmith").glob("[a-z]*.py")} - {"cli"}
    assert {name for name in modules if f"`{name}`" not in PAGE} == set()


def test_the_picture_is_what_the_script_draws() -> None:
    committed = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    assert script().picture() == committed, "draw it anew: python scripts/draw_rooms.py docs/architecture.svg"


def test_an_arrow_that_others_imply_is_left_out() -> None:
    uses = {"a": set[str](), "b": {"a"}, "c": {"a", "b"}}
    assert script().direct(uses) == {"a": set(), "b": {"a"}, "c": {"b"}}
