"""`aesmith new`: the folder is whole, its test fails until the work is done, and passes when it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.flow.verilator import find_verilator

ROOT = Path(__file__).parents[2]
WORKED_EXAMPLE = dict(
    re.findall(r"```\w+\n(?:#|//) mine/(\S+)\n(.*?)```", (ROOT / "docs" / "extending.md").read_text(), flags=re.DOTALL)
)


def begin(what: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert run(["new", what, name, "--out", str(folder), "--json"]) == 0
    return list(json.loads(capsys.readouterr().out)["files"])


def verdict(folder: Path) -> str:
    """What pytest says of the folder's own test, with the folder installed as `pip install` would."""
    described = (folder / "pyproject.toml").read_text()
    group, name, module = re.findall(r'entry-points\."([\w.]+)"\]\n([\w-]+) = "(\w+)"', described)[0]
    metadata = folder / f"{module}-1.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n")
    path = os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.mark.thorough
def test_an_sboxs_test_fails_until_it_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    files = begin("sbox", "mine2026", folder, capsys)
    assert {path.name for path in folder.iterdir()} == set(files)
    assert "wrong for 256 inputs" in (first := verdict(folder))
    assert "2 failed" in first
    module = folder / "mine2026.py"
    right = WORKED_EXAMPLE["wolkerstorfer2002.py"].replace('"wolkerstorfer2002"', '"mine2026"')
    module.write_text(right)
    assert "5 passed" in verdict(folder)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_familys_test_fails_until_its_core_is_aes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    begin("family", "half-round", folder, capsys)
    assert "2 failed" in (first := verdict(folder))
    assert "not AES yet" in first
    for name in ("half_round/__init__.py", "half_round/aesmith_half_round.sv"):
        (folder / name).write_text(WORKED_EXAMPLE[name])
    assert "2 passed" in verdict(folder)


def test_what_verilator_is_to_say_of_a_familys_module_is_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin("family", "ours-round", tmp_path / "mine", capsys)
    tool, file = find_verilator(), tmp_path / "mine" / "ours_round" / "aesmith_ours_round.sv"
    command = [str(tool.command), "--lint-only", "-Wall", str(file)]
    ran = subprocess.run(command, env=tool.environment(), capture_output=True, text=True, check=False)
    assert (ran.returncode, "%" in ran.stderr) == (0, False), ran.stderr


@pytest.mark.parametrize("what", ["sbox", "family"])
@pytest.mark.parametrize("name", ["Mine", "mine_2026", "../mine", "", "2mine", "json", "class"])
def test_a_name_that_will_not_do_is_refused_and_nothing_written(
    what: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", what, name]) == 2
    taken = f"Python has something called {name} already"
    assert (taken if name in ("json", "class") else "must be lower-case letters") in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_there_is_already_is_neither_a_name_nor_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "sbox", "canright2005"]) == 2
    assert run(["new", "family", "byte-serial"]) == 2
    assert "there is byte-serial already" in capsys.readouterr().err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kept").write_text("mine")
    assert run(["new", "sbox", "mine"]) == 2
    assert "holds files that are no earlier build" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["kept"]
