"""From a core to a simulator of it: the harness and the core's sources through Verilator and the C++ compiler."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import cocotb_tools.config
import find_libpython

from aesmith.assurance.harness import HARNESS, harness
from aesmith.cores.design import CoreDesign
from aesmith.errors import RequestError, ToolError
from aesmith.flow.verilator import BUILD_FLAGS, MAKE_VARIABLES, Verilator, find_verilator

# The model runs some million clocks, which pays for optimising it; the code around it is not worth compiling well.
_OPTIMISATION = ("OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0")


@dataclass(frozen=True)
class Tools:
    """The tools of a simulation, found: Verilator with its compiler, and the Python library for the simulator."""

    verilator: Verilator
    libpython: str
    versions: dict[str, str]


def find_tools() -> Tools:
    """Look for everything a simulation needs, before any work.

    Raises ToolError that names what is missing and how to install it.
    """
    verilator = find_verilator(compiler=True)
    libpython = find_libpython.find_libpython()
    if libpython is None:
        name = f"libpython{sys.version_info.major}.{sys.version_info.minor}"
        raise ToolError(
            f"{name}: the shared library of this Python is not installed; install it with `apt install {name}`"
        )
    if importlib.util.find_spec("cryptography_vectors") is None:
        raise ToolError("cryptography_vectors: not installed; install it with `pip install cryptography_vectors`")
    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
    packages = ("cocotb", "cryptography", "cryptography_vectors")
    versions = {"verilator": verilator.version, "g++": compiler, **{name: metadata.version(name) for name in packages}}
    return Tools(verilator, libpython, versions)


def _call(command: list[str], folder: Path, environment: dict[str, str], log: Path, what: str) -> None:
    with log.open("w", encoding="utf-8") as output:
        code = subprocess.run(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False
        ).returncode
    if code:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        telling = [line for line in lines if "rror" in line] or lines
        raise ToolError(f"{what} failed with exit code {code}: {' | '.join(telling[:3])} (all of it: {log})")


def build_simulator(design: CoreDesign, folder: Path, tools: Tools, *, trace: bool = False) -> Path:
    """The simulator program for a design, built in a folder of its own below `folder`; an earlier equal build is kept.

    With `trace` it can record a waveform. Raises RequestError for sources that Verilator does not accept, ToolError
    if a tool fails.
    """
    libraries = cocotb_tools.config.libs_dir
    arguments = [
        *("-cc", "--exe", "--top-module", HARNESS, "--prefix", "Vtop", "-o", "simulator", "--Mdir", "model"),
        *("--vpi", "--timescale", "1ns/1ps", "-Wno-fatal"),
        # Registers start with random values: nothing may depend on them before a reset and a key.
        *("--x-assign", "unique", "--x-initial", "unique"),
        *("-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"),
        *BUILD_FLAGS,
        *(("--trace-vcd",) if trace else ()),
        str(cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"),
    ]
    files = {source.name: source.text for source in design.sources} | {f"{HARNESS}.sv": harness(design)}
    recipe = "\0".join([*arguments, *_OPTIMISATION, *sorted(tools.versions.values()), *files, *files.values()])
    build = folder / f"build-{hashlib.sha256(recipe.encode()).hexdigest()[:16]}"
    program, done = build / "model" / "simulator", build / "done"
    if done.exists() and program.exists():
        return program
    build.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (build / name).write_text(text, encoding="utf-8")
    environment = tools.verilator.environment()
    try:
        _call(
            [str(tools.verilator.command), *arguments, *files], build, environment, build / "verilator.log", "verilator"
        )
    except ToolError as error:
        raise RequestError(f"sources of {design.name}: {error}") from error
    jobs = min(4, os.cpu_count() or 1)
    # An outer make must not lend its job server to this one.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    make = ["make", "-C", "model", "-f", "Vtop.mk", f"-j{jobs}", *MAKE_VARIABLES, *_OPTIMISATION]
    _call(make, build, environment, build / "make.log", "the C++ build of the simulation model")
    done.touch()
    return program
