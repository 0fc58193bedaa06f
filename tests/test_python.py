"""`make` takes the system's Python where that of the path is old, or was built without optimisation."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "python"


def stub(path: Path, passes: bool) -> Path:
    path.write_text(f"#!/bin/sh\nexit {int(not passes)}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize(("optimised", "usable"), [(True, True), (True, False), (False, True), (False, False)])
def test_the_systems_python_is_taken_only_where_it_is_better_and_suffices(
    optimised: bool, usable: bool, tmp_path: Path
) -> None:
    stub(tmp_path / "python3", optimised)
    system = stub(tmp_path / "system", usable)
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "SYSTEM_PYTHON": str(system)}
    said = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, check=True).stdout
    assert said.strip() == (str(system) if usable and not optimised else "python3")


def test_without_a_systems_python_there_is_that_of_the_path(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "SYSTEM_PYTHON": str(tmp_path / "none")}
    said = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, check=True).stdout
    assert said.strip() == "python3"
