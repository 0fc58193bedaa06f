"""A simulator is used again if it is made of the same, and made anew if anything that it is made of has changed."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance import simulator as subject
from aesmith.assurance.simulator import HARNESS, CompilerRecipe, Tools, build_simulator, find_tools
from aesmith.cache import ENVIRONMENT
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import RequestError, ToolError

from .standins import iterative


@pytest.fixture(scope="module")
def tools() -> Tools:
    return find_tools()


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """Takes the compilers' place; holds the folders in which something was compiled."""
    folders: list[Path] = []

    def compile_(build: Path, *_: object, **_named: object) -> None:
        folders.append(build)
        (build / "model").mkdir(exist_ok=True)
        (build / "model" / "simulator").write_text((build / "standin.sv").read_text())

    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "cache"))
    monkeypatch.setattr(subject, "_compile", compile_)
    return folders


def changed(design: CoreDesign, text: str) -> CoreDesign:
    *others, last = design.sources
    return replace(design, sources=(*others, SourceFile(last.name, last.text + text)))


def test_an_equal_simulator_is_built_once_wherever_the_work_is_done(
    compiled: list[Path], tmp_path: Path, tools: Tools
) -> None:
    programs = {build_simulator(iterative(), tmp_path / folder, tools) for folder in ("a", "b")}
    assert len(programs) == len(compiled) == 1


def test_without_a_cache_it_is_kept_in_the_folder_of_the_work(
    compiled: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: Tools
) -> None:
    monkeypatch.setenv(ENVIRONMENT, "")
    programs = [build_simulator(iterative(), tmp_path / folder, tools) for folder in ("a", "a", "b")]
    assert [program.relative_to(tmp_path).parts[0] for program in programs] == ["a", "a", "b"]
    assert len(compiled) == 2


def test_one_character_of_a_source_makes_another_simulator(compiled: list[Path], tmp_path: Path, tools: Tools) -> None:
    first = build_simulator(iterative(), tmp_path, tools)
    second = build_simulator(changed(iterative(), " "), tmp_path, tools)
    assert len(compiled) == 2
    assert second.read_text() == first.read_text() + " "


def test_the_name_of_a_source_counts(compiled: list[Path], tmp_path: Path, tools: Tools) -> None:
    *others, last = iterative().sources
    build_simulator(iterative(), tmp_path, tools)
    design = replace(iterative(), sources=(last, *others))
    build_simulator(design, tmp_path, tools)
    assert len(compiled) == 2


def test_the_harness_counts(
    compiled: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: Tools
) -> None:
    build_simulator(iterative(), tmp_path, tools)
    monkeypatch.setattr(subject, "harness", lambda _: f"module {HARNESS}; endmodule\n")
    build_simulator(iterative(), tmp_path, tools)
    assert len(compiled) == 2


def test_a_build_that_fails_is_not_kept(
    compiled: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: Tools
) -> None:
    def fails(build: Path, *_: object, **_named: object) -> None:
        compiled.append(build)
        raise RequestError("no")

    monkeypatch.setattr(subject, "_compile", fails)
    for _ in range(2):
        with pytest.raises(RequestError):
            build_simulator(iterative(), tmp_path, tools)
    assert len(compiled) == 2


@pytest.mark.parametrize(("one_unit_bytes", "units"), [(0, 3), (1_000_000, 1)])
def test_a_build_says_how_many_units_are_compiled(
    one_unit_bytes: int, units: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: Tools
) -> None:
    """Verilator's three units are compiled one by one here, or as one where the model is small."""

    def call(command: list[str], folder: Path, *_: object, tick: Any = None, **_named: object) -> None:
        model = folder / "model"
        if command[0] != "make":
            model.mkdir()
            (model / "Vtop_classes.mk").write_text("VM_TRACE = 0\n  verilated \\\n")
            (model / "Vtop.h").write_text("")
            for unit in range(3):
                (model / f"Vtop_{unit}.cpp").write_text("int unit;\n")
        elif tick is not None:
            for unit in range(units):
                (model / f"Vtop_{unit}.o").touch()
                tick()
            (model / "verilator.o").touch()
            (model / "simulator").touch()

    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "cache"))
    monkeypatch.setattr(subject, "_call", call)
    monkeypatch.setattr(subject, "_ONE_UNIT_BYTES", one_unit_bytes)
    told: list[tuple[str, int, int]] = []
    build_simulator(iterative(), tmp_path / "work", tools, progress=lambda *step: told.append(step))
    assert told == [("build: Verilator", 0, 1), *(("build: C++", done, units) for done in range(units + 1))]


@pytest.mark.parametrize("tool", ["verilator", "g++", "cocotb", "cryptography", "cryptography_vectors"])
def test_another_version_of_any_tool_is_another_recipe(tool: str, tools: Tools) -> None:
    assert tool in tools.versions
    other = replace(tools, versions={**tools.versions, tool: "0.0"})
    assert CompilerRecipe.of(other).digest() != CompilerRecipe.of(tools).digest()


def test_another_verilator_is_another_recipe(tmp_path: Path, tools: Tools) -> None:
    other = Tools(replace(tools.verilator, root=tmp_path), tools.libpython, tools.versions)
    assert CompilerRecipe.of(other).digest() != CompilerRecipe.of(tools).digest()


def test_every_option_and_argument_is_part_of_the_recipe(tools: Tools) -> None:
    recipe = CompilerRecipe.of(tools)
    others = [CompilerRecipe.of(tools, many_clocks=False), CompilerRecipe.of(tools, trace=True)]
    for field in ("verilator", "make", "surroundings"):
        values = getattr(recipe, field)
        others += [replace(recipe, **{field: (*values[:i], *values[i + 1 :])}) for i in range(len(values))]
    assert len({each.digest("text") for each in (recipe, *others)}) == 1 + len(others)


@pytest.mark.parametrize("name", ["CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "OBJCACHE"])
def test_variables_that_the_compiler_listens_to_count(name: str, monkeypatch: pytest.MonkeyPatch, tools: Tools) -> None:
    before = CompilerRecipe.of(tools).digest()
    monkeypatch.setenv(name, "-DX")
    assert CompilerRecipe.of(tools).digest() != before


@pytest.mark.thorough
@pytest.mark.slow
def test_verilators_library_and_headers_are_compiled_once(tmp_path: Path, tools: Tools) -> None:
    """Once for all tests of a run: whether here or before, they are kept for the third core."""
    programs = []
    for text in (" ", "  ", "   "):
        programs.append(build_simulator(changed(iterative(), text), tmp_path, tools, many_clocks=False))
        kept = [path.name for path in programs[0].parents[1].glob("verilated/*verilated_vpi.o")]
        assert len(kept) >= 1
    logs = sorted(tmp_path.glob("build-*/make.log"), key=lambda path: path.stat().st_mtime)
    assert len(logs) == 3
    for log in logs[1:]:
        assert "verilated_vpi.cpp" not in log.read_text()
        assert "verilator.cpp" not in log.read_text()
    assert not (logs[2].parent / "model" / "headers.log").exists()
    assert (logs[2].parent / "model" / "model_headers.h.fast").exists()
    # The programs are the same, as only a comment's worth of white space is different.
    assert len(set(programs)) == 3
    for other in programs[1:]:
        assert subprocess.run(["cmp", programs[0], other], check=False).returncode == 0


@pytest.mark.thorough
def test_without_room_for_precompiled_headers_a_simulator_is_built_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: Tools
) -> None:
    call = subject._call

    def full(command: list[str], *rest: Any, **named: Any) -> None:
        if command[-1].endswith(".gch"):
            raise ToolError("no space left")
        call(command, *rest, **named)

    build_simulator(changed(iterative(), "\n"), tmp_path, tools, many_clocks=False)
    monkeypatch.setattr(subject, "_call", full)
    monkeypatch.setattr(subject, "_HEADER_LINES", '#include "verilated.h"\n')
    assert build_simulator(changed(iterative(), "\n\n"), tmp_path, tools, many_clocks=False).exists()
