"""docs/architecture.md says what the sources say: every room, in the order that import-linter holds, and a picture."""

from __future__ import annotations

import re
import sys
import threading
import tomllib
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FrameType, ModuleType

import pytest

from aesmith.cli import run
from aesmith.processes import Ended

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


def outermost_first(frame: FrameType | None) -> Iterator[str]:
    """The project's functions, without comprehensions, on the stack that ends in `frame`, as the page writes them."""
    if frame is not None:
        yield from outermost_first(frame.f_back)
        module = frame.f_globals.get("__name__", "")
        if module.startswith("aesmith.") and frame.f_code.co_name not in {"<listcomp>", "<dictcomp>", "<genexpr>"}:
            yield f"{module.removeprefix('aesmith.')}.{frame.f_code.co_qualname}"


class Yosys:
    """Stands for running Yosys: it elaborates in no time and maps nothing, and notes who called for it.

    What a thread runs was called for by the main thread, which waits for it. Two calls are noted, both before either of
    them fails: after that the main thread is on its way out.
    """

    def __init__(self) -> None:
        self.ways: list[list[str]] = []
        self._places = threading.Semaphore(2)
        self._both = threading.Barrier(2, timeout=60)

    def __call__(self, command: list[str], _folder: Path, log: Path, **_: object) -> Ended:
        log.touch()
        if "elaboration.ys" in command:
            return Ended(0, log)
        if self._places.acquire(blocking=False):
            self._both.wait()
            main = sys._current_frames()[threading.main_thread().ident or 0]
            way = [*outermost_first(main), *outermost_first(sys._getframe(1))]
            self.ways.append(way[way.index("commands.measure.command") :])
            self._both.wait()
        return Ended(1, log)


def test_the_way_of_a_request_is_the_calls_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every synthesis of a measurement is called for by just the functions listed, in their order."""
    section = PAGE[PAGE.index("## The way of a request") :]
    listed = re.findall(r"^\d\. `([\w.]+)`", section, re.MULTILINE)
    assert len(listed) <= 7
    yosys = Yosys()
    monkeypatch.setattr("aesmith.flow.yosys.run", yosys)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    # For speed no recipe maps modules by themselves, so Yosys is asked for nothing else on the way.
    store = str(tmp_path / "store.sqlite")
    assert run(["measure", "serial-small-enc", "--optimise", "speed", "--store", store, "--jobs", "2"]) == 3
    assert "yosys: no output" in capsys.readouterr().err
    assert yosys.ways == [listed, listed]
