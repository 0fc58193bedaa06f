"""The rules of the house: what holds for the whole source tree, whichever room a change is in."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import pytest

from aesmith.cores.specification import families

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "aesmith"
LONGEST, MOST_MODULES = 450, 204
SHORTEST_ON_AVERAGE = 80

NEW_ROOMS = (
    "masking",
    "modes",
    "tables",
    "explore/recommend",
    "circuits/multipliers",
    "assurance/engines",
    "assurance/probing",
    "assurance/proof/shares",
    "assurance/proof/subset",
    "assurance/leakage",
    "assurance/streams",
    "cores/column",
    "cores/masked",
    "foreign",
    "flow/fpga",
    "flow/placement",
    "flow/rewiring",
    "api",
    "serve",
)
"""Rooms that came after the house was put in order: each is held to modules that are a page on average."""

DEFINED_TWICE: set[str] = set()
"""Names that still mean several things: none may be added."""

TOO_LONG: set[str] = set()
"""Modules still to be divided: none may be added."""


def modules() -> list[Path]:
    """Every module that says something: an empty `__init__.py` only marks a folder."""
    return sorted(path for path in SOURCE.rglob("*.py") if path.stat().st_size)


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """The order of rooms, as `pyproject.toml` of that tree has it, held against that tree's own sources."""
    assert find_spec("importlinter"), "import-linter is not installed: `make setup-test` installs what the tests need"
    program = "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports_command as run; run()"
    command = [sys.executable, "-c", program, "--no-cache"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_a_room_imports_only_rooms_below_it() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("file", "line", "told"),
    [
        ("fields/aes.py", "from aesmith.circuits.circuit import Circuit", "aesmith.fields is not allowed to import"),
        ("tables/model.py", "from aesmith.publish.output import output_folder", "aesmith.tables is not allowed to"),
        ("errors.py", "import aesmith.lazy", "aesmith.errors is not allowed to import aesmith.lazy"),
        (
            "commands/measure.py",
            "from aesmith.flow.measure import measure",
            "aesmith.commands is not allowed to import aesmith.flow",
        ),
        (
            "commands/recommend.py",
            "from aesmith.explore.recommend.needed import measure_in_time",
            "aesmith.commands is not allowed to import aesmith.explore",
        ),
    ],
)
def test_an_import_that_is_turned_round_is_found(tmp_path: Path, file: str, line: str, told: str) -> None:
    shutil.copytree(SOURCE, tmp_path / "src" / "aesmith", ignore=shutil.ignore_patterns("*.sv", "__pycache__", "data"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    turned = tmp_path / "src" / "aesmith" / file
    turned.write_text(f"{turned.read_text()}\n{line}\n")
    result = lint_imports(tmp_path)
    assert result.returncode == 1
    assert told in " ".join(result.stdout.split())


def test_a_public_class_name_means_one_thing() -> None:
    places = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(SOURCE)))
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice.keys() <= DEFINED_TWICE, {name: twice[name] for name in twice.keys() - DEFINED_TWICE}


def test_no_room_knows_a_family_by_name() -> None:
    """But its own folder, the tables that measure its presets, and what only tests use."""
    folders = {path.parent.name for path in SOURCE.glob("cores/*/family.py")}
    assert len(folders) >= 3
    for path in modules():
        place = path.relative_to(SOURCE).parts
        if place[0] in ("tables", "testing"):
            continue
        others = folders - {place[1]} if place[0] == "cores" and len(place) == 3 else folders
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                assert not {f"aesmith.cores.{folder}" for folder in others} & {".".join(node.module.split(".")[:3])}, (
                    path
                )
            if isinstance(node, ast.Constant) and others == folders:
                assert node.value not in families(), (path, node.value)


def test_no_module_is_too_long() -> None:
    lines = {str(path.relative_to(SOURCE)): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {name for name, count in lines.items() if count > LONGEST} <= TOO_LONG


def test_the_house_is_not_cut_into_crumbs() -> None:
    rooms = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        if path.name != "__init__.py":
            place = path.relative_to(SOURCE).as_posix()
            rooms[next((room for room in NEW_ROOMS if place.startswith(f"{room}/")), "")].append(path)
    assert len(rooms.pop("")) <= MOST_MODULES
    for room, files in rooms.items():
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        assert lines >= SHORTEST_ON_AVERAGE * len(files), (room, lines, len(files))


def test_the_block_interface_is_typed_in_one_place() -> None:
    # One port of each channel: who types these types the list. RTL and the page on the interface are checked elsewhere.
    sources = [path for path in SOURCE.rglob("*") if path.is_file() and path.suffix not in (".sv", ".pyc")]
    typed = {
        str(path.relative_to(SOURCE))
        for path in sources
        if all(port in path.read_bytes() for port in (b"key_valid_i", b"block_ready_o", b"block_valid_o"))
    }
    # Who checks proofs for those who do not trust the project states by itself what a core is to be; and what model
    # checkers get are rules of the interface in SystemVerilog.
    assert typed == {"cores/ports.py", "check_proof/interface.py", "assurance/templates/formal.sv.txt"}
