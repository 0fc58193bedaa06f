"""What of a process a placement needs beside the cell library: the rows that cells stand in, and a wire's R and C.

A file of a few lines in TOML has it. Those of the libraries that are free to use come with aesmith; another library's
is given by its user.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from aesmith.errors import RequestError
from aesmith.flow.placement.lef import read_lef
from aesmith.technology.cell import Cell
from aesmith.technology.library import Library

_SHIPPED = ("generic45", "nangate45", "sky130hd", "ihp-sg13g2")
_LENGTHS = ("row_height_um", "site_um", "resistance_ohm_per_um", "capacitance_ff_per_um")
_FIELDS = {*_LENGTHS, "libraries", "source", "area_um2"}


@dataclass(frozen=True)
class PhysicalTechnology:
    """Rows and wires of a process.

    `row_height_um` and `site_um`: cells are as high as a row and whole sites wide. `area_um2` is the library's unit of
    area, in square micrometres. Every wire has the resistance (ohm) and the capacitance (fF) of its length in
    micrometres, whatever layer it is on: `source` says where the figures are from.
    """

    name: str
    row_height_um: float
    site_um: float
    resistance_ohm_per_um: float
    capacitance_ff_per_um: float
    source: str
    area_um2: float = 1.0
    widths: Mapping[str, int] = field(default_factory=dict)
    misfits: Mapping[str, str] = field(default_factory=dict)

    def sites(self, cell: Cell) -> int:
        """Width of a cell in sites: `widths`, from LEF, tells, else its area. At least one.

        Raises RequestError for a cell that LEF files lack, or say not to fit into the rows.
        """
        if self.widths:
            if cell.name in self.misfits:
                raise RequestError(f"lef: {self.misfits[cell.name]}; the netlist has it")
            if cell.name not in self.widths:
                raise RequestError(f"lef: there is no MACRO {cell.name}, which the netlist has")
            return self.widths[cell.name]
        return max(1, round(cell.area * self.area_um2 / self.row_height_um / self.site_um))


def technology_of(library: Library, file: Path | None = None, lef: Sequence[Path] = ()) -> PhysicalTechnology:
    """The technology in a file; without one that which comes with aesmith for this library, known by its title.

    What `lef` files state counts before it: the site, the widths of cells, and resistance and capacitance where they
    state them. Raises RequestError for a file that cannot be read or is no technology, what `read_lef` raises, and if
    nothing is known of the library.
    """
    if not lef:
        return _known(library, file)
    found = read_lef(lef, tuple(library.cells))
    resistance, capacitance = found.resistance_ohm_per_um, found.capacitance_ff_per_um
    source = f"rows and widths: {', '.join(path.name for path in lef)}"
    wires = f"; wires: mean of {' and '.join(found.layers)} there"
    if resistance is None or capacitance is None:
        known = _known(library, file)
        resistance, capacitance = resistance or known.resistance_ohm_per_um, capacitance or known.capacitance_ff_per_um
        wires = f"; wires, where layers do not state them: {known.source}"
    return PhysicalTechnology(
        name=found.site,
        row_height_um=found.row_height_um,
        site_um=found.site_um,
        resistance_ohm_per_um=resistance,
        capacitance_ff_per_um=capacitance,
        source=source + wires,
        widths=found.widths,
        misfits=found.misfits,
    )


def _known(library: Library, file: Path | None) -> PhysicalTechnology:
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RequestError(
                f"technology: {file} cannot be read ({getattr(error, 'strerror', None) or error})"
            ) from error
        return _parsed(text, str(file))[1]
    for pattern, technology in _shipped():
        if re.fullmatch(pattern, library.title):
            return technology
    raise RequestError(
        f"technology: nothing is known of the rows and wires of library {library.name} ({library.title}); give a file "
        f"with {', '.join(_LENGTHS)} and source (--technology FILE)"
    )


@cache
def _shipped() -> tuple[tuple[str, PhysicalTechnology], ...]:
    folder = resources.files("aesmith.flow.placement") / "data"
    return tuple(_parsed((folder / f"{name}.toml").read_text(encoding="utf-8"), name) for name in _SHIPPED)


def _parsed(text: str, where: str) -> tuple[str, PhysicalTechnology]:
    """The pattern of the titles of libraries that it is for, and the technology."""
    try:
        fields: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"technology: {where} is no TOML ({error})") from error
    if unknown := sorted(set(fields) - _FIELDS):
        raise RequestError(f"technology: {where}: there is no field {unknown[0]}; fields: {', '.join(sorted(_FIELDS))}")
    for name in (*_LENGTHS, "area_um2"):
        value = fields.get(name, 1.0 if name == "area_um2" else None)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise RequestError(f"technology: {where}: {name} must be a number above 0, not {value!r}")
        fields[name] = float(value)
    for name in ("libraries", "source"):
        if not isinstance(fields.setdefault(name, where), str):
            raise RequestError(f"technology: {where}: {name} must be a text")
    pattern = fields.pop("libraries")
    return pattern, PhysicalTechnology(name=Path(where).stem, **fields)
