"""Area and delay of every S-box of the catalogue in one flow, smallest of the area recipes.

    python benchmarks/sbox_areas.py --library NAME|FILE [forward inverse combined inverter]

One Yosys process a recipe maps all circuits. GE is the library's smallest NAND2; delay is ABC's static timing of the
netlist of least area, with a buffer of the library driving every input and loading every output, no wires.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.systemverilog import systemverilog
from aesmith.flow.recipes import COMPRESS, DELAY, KEEP, SHRINK, Recipe
from aesmith.flow.yosys import run_script
from aesmith.sboxes.catalogue import catalogue
from aesmith.sboxes.entry import Function
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by

AREA_RECIPES = (KEEP, SHRINK, COMPRESS)
_DELAY = re.compile(r"Delay =\s*([\d.]+) ps")
_MODULE = re.compile(r"Running command `abc .* (\w+)'")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Mapped:
    """Area in GE and delay in ns of one netlist, and the recipe that gave it."""

    area: float
    delay: float
    recipe: str


def map_all(circuits: Mapping[str, Circuit], library: Library, recipe: Recipe) -> dict[str, Mapped]:
    """Map all circuits, each a module of its own, with one recipe."""
    buffer = library.buffers[0]
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        for module, circuit in circuits.items():
            (folder / f"{module}.sv").write_text(systemverilog(circuit, module, module=module))
        (folder / "library.lib").write_text(read_text(library.path))
        (folder / "recipe.abc").write_text(recipe.abc_script(None) + "\n")
        load = buffer.pins[buffer.inputs[0]].capacitance
        (folder / "boundary.sdc").write_text(f"set_driving_cell {buffer.name}\nset_load {load:.4f}\n")
        forbidden = "".join(f" -dont_use {cell}" for cell in recipe.forbidden_cells(library))
        commands = [
            "read_verilog -sv " + " ".join(f"{module}.sv" for module in circuits),
            "opt",
            "techmap",
            *(
                f"abc -liberty library.lib -constr boundary.sdc -script recipe.abc{forbidden} {name}"
                for name in circuits
            ),
            "opt_clean -purge",
            "tee -q -o cells.json stat -json",
        ]
        run_script(commands, folder / "yosys.log")
        modules = json.loads((folder / "cells.json").read_text())["modules"]
        delays = _delays((folder / "yosys.log").read_text(errors="replace"))
    mapped = {}
    for module in circuits:
        cells = modules[f"\\{module}"]["num_cells_by_type"]
        counts = {cell: n["count"] if isinstance(n, dict) else n for cell, n in cells.items()}
        area = sum(library.area_ge(cell) * count for cell, count in counts.items())
        mapped[module] = Mapped(area, delays[module] / 1000, recipe.name)
    return mapped


def _delays(log: str) -> dict[str, float]:
    """The last delay that ABC states for each module, in ps."""
    delays, module = {}, ""
    for line in _COLOUR.sub("", log).splitlines():
        if found := _MODULE.search(line):
            module = found[1]
        if found := _DELAY.search(line):
            delays[module] = float(found[1])
    return delays


def smallest(circuits: Mapping[str, Circuit], library: Library) -> dict[str, Mapped]:
    """The netlist of least area of the area recipes, for each circuit."""
    runs = [map_all(circuits, library, recipe) for recipe in AREA_RECIPES]
    return {module: min((run[module] for run in runs), key=lambda mapped: mapped.area) for module in circuits}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="area and delay of every S-box of the catalogue")
    parser.add_argument("functions", nargs="*", type=Function, default=list(Function), metavar="FUNCTION")
    parser.add_argument("--library", default="generic45", help="a registered library or a Liberty file")
    arguments = parser.parse_args()
    library = library_by(arguments.library)
    listed = {
        f"{name.replace('-', '_')}_{function}": (entry, function)
        for function in arguments.functions
        for name, entry in catalogue().items()
        if function in entry.functions
    }
    circuits = {module: entry.circuit(function) for module, (entry, function) in listed.items()}
    area, delay = smallest(circuits, library), map_all(circuits, library, DELAY)
    table = Table(title=f"S-boxes on {library.name}, measured")
    for heading in ("circuit", "gates", "levels", "GE", "ns", "recipe", "GE", "ns", "recipe"):
        table.add_column(heading, justify="left" if heading in ("circuit", "recipe") else "right")
    for module, (entry, function) in listed.items():
        counts = entry.figures(function)
        figures = [str(counts.gates), str(counts.levels)]
        for mapped in (area[module], delay[module]):
            figures += [f"{mapped.area:.1f}", f"{mapped.delay:.3f}", mapped.recipe]
        table.add_row(module, *figures)
    Console().print(table)


if __name__ == "__main__":
    main()
