"""Every file of the rooms that results come from moves their key."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pytest

import aesmith
from aesmith.own_code import ENGINES, GENERATOR, MEASUREMENT, VERIFICATION, Code, digest_of_files

ROOT = Path(aesmith.__file__).parent
NEEDED = (
    (
        MEASUREMENT,
        ("aesmith.flow.measure", "aesmith.flow.power", "aesmith.flow.fpga.measure", "aesmith.flow.yosys_worker"),
    ),
    (
        VERIFICATION,
        ("aesmith.assurance.simulation", "aesmith.assurance.testbench.entry", "aesmith.assurance.proof.prove"),
    ),
    (GENERATOR, ("aesmith.cores.specification",)),
    (ENGINES, ("aesmith.modes.specification",)),
)
CHANGE_NOTHING = {
    "__init__.py",
    "errors.py",
    "own_code.py",
    "plugins.py",
    "progress.py",
    "publications.py",
    "scratch.py",
}
"""Beside the rooms: words, the digest itself, what finds plug-ins, a type, citations, which are in a design's own key,
and where files stand."""


def covered(code: Code) -> list[Path]:
    return [
        path
        for room in code.rooms
        for path in ([ROOT / room] if room.endswith(".py") else ROOT.glob(room if "*" in room else f"{room}/**/*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.thorough), 9])
@pytest.mark.parametrize("code", [GENERATOR, MEASUREMENT, VERIFICATION])
def test_a_character_changed_in_any_file_moves_the_key(code: Code, step: int, tmp_path: Path) -> None:
    """In any of all of them, or of one in so many."""
    root = tmp_path / "aesmith"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    before = digest_of_files(code, root)
    assert before == digest_of_files(code, ROOT)
    changed = [path.relative_to(ROOT) for path in covered(code)]
    assert len(changed) > 50
    for name in changed[::step]:
        content = (root / name).read_bytes()
        (root / name).write_bytes(content[:-1] + b"#")
        assert digest_of_files(code, root) != before, name
        (root / name).write_bytes(content)
    assert digest_of_files(code, root) == before


def test_a_file_added_or_renamed_moves_the_key(tmp_path: Path) -> None:
    root = tmp_path / "aesmith"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    seen = {digest_of_files(MEASUREMENT, root)}
    (root / "timing" / "new.py").touch()
    seen.add(digest_of_files(MEASUREMENT, root))
    (root / "timing" / "new.py").rename(root / "timing" / "newer.py")
    seen.add(digest_of_files(MEASUREMENT, root))
    assert len(seen) == 3


@pytest.mark.parametrize("package", ["numba", "numpy", "pyosys"])
def test_another_version_of_what_calculates_moves_the_key(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_of_files(MEASUREMENT, ROOT)
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "99" if name == package else version(name))
    assert digest_of_files(MEASUREMENT, ROOT) != before


def imported(modules: Iterable[str], stop: str | None) -> set[Path]:
    """Files of the package that these modules import, directly or not; what `stop` imports does not count."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        place = ROOT.parent / waiting.pop().replace(".", "/")
        path = next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)
        if path is None or path in found:
            continue
        found.add(path)
        if stop is None or stop not in path.parts:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module is not None:
                    waiting += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


@pytest.mark.parametrize(("code", "entries"), NEEDED)
def test_the_rooms_are_all_that_a_result_depends_on(code: Code, entries: tuple[str, ...]) -> None:
    # What makes a design is not followed: the sources that it made are in the key.
    files = imported(entries, None if code is GENERATOR else "cores")
    assert len(files) > 20
    left_out = files - set(covered(code))
    assert {str(path.relative_to(ROOT)) for path in left_out} <= CHANGE_NOTHING
