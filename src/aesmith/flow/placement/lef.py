"""What a placement takes of LEF files (5.8): the site that rows are made of, the widths of cells, and wires' R and C.

Lengths in LEF are micrometres whatever `DATABASE MICRONS` says. Resistance is stated a square, capacitance a square
micrometre and along both edges: of a wire as wide as its layer says they come to ohms and femtofarads a micrometre. The
mean of the second and the third routing layer counts, one for each direction: the first is inside cells for the most
part, and higher ones are for long wires and supplies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesmith.errors import RequestError

_DATABASE = (100, 200, 400, 800, 1000, 2000, 4000, 8000, 10000, 20000)
"""What `DATABASE MICRONS` may be."""
_UNITS = {"CAPACITANCE": ("PICOFARADS", 1.0), "RESISTANCE": ("OHMS", 1.0)}
"""The only units of these that LEF knows, and how many they are."""
_SIGNALS = slice(1, 3)
_NEAR = 1e-3
"""A cell is as high as a row, and whole sites wide, to within this share of either."""
_NUMBER = r"([-+]?[\d.]+(?:[eE][-+]?\d+)?)"


@dataclass(frozen=True)
class LefTechnology:
    """Of LEF files together: the site of the cells, its width and height (µm); cells' widths in sites, by name; and,
    where layers state them, resistance (ohm) and capacitance (fF) a micrometre of wire. `misfits` are the cells that do
    not fit into the rows, and why: level shifters of two rows, for example."""

    site: str
    site_um: float
    row_height_um: float
    widths: Mapping[str, int]
    misfits: Mapping[str, str]
    resistance_ohm_per_um: float | None
    capacitance_ff_per_um: float | None
    layers: tuple[str, ...]


def read_lef(files: Sequence[Path], cells: Sequence[str]) -> LefTechnology:
    """What LEF files, of the process and of its cells, say of these cells of a library.

    Raises RequestError, with the rule and what is there, for a file that cannot be read or is no LEF, units that LEF
    has not, no site or several for the cells, and cells of which none is a row high and whole sites wide.
    """
    text = "\n".join(map(_text, files))
    where = ", ".join(map(str, files))
    _check_units(text, where)
    macros = {name: body for name, body in _blocks(text, "MACRO") if name in set(cells)}
    if not macros:
        raise RequestError(f"lef: {where}: there is no MACRO of the library's cells; give the LEF of the cells, too")
    sites = {name: _size(body, f"{where}: SITE {name}") for name, body in _blocks(text, "SITE")}
    named = sorted({found[1] for body in macros.values() if (found := re.search(r"(?m)^\s*SITE\s+(\S+)", body))})
    if not named:
        named = [name for name, body in _blocks(text, "SITE") if re.search(r"\bCLASS\s+CORE\b", body)]
    if len(named) != 1 or named[0] not in sites:
        told = f"cells are on {', '.join(named) or 'none'}; the files have {', '.join(sites) or 'none'}"
        raise RequestError(f"lef: {where}: there must be one SITE for all cells of the library: {told}")
    site = named[0]
    width, height = sites[site]
    sizes = {name: _size(body, f"{where}: MACRO {name}") for name, body in macros.items()}
    misfits = {name: why for name, size in sizes.items() if (why := _misfit(name, size, width, height))}
    widths = {name: round(size[0] / width) for name, size in sizes.items() if name not in misfits}
    if not widths:
        raise RequestError(f"lef: {where}: no cell fits into the rows: {next(iter(misfits.values()))}")
    resistance, capacitance, layers = _wires(text)
    return LefTechnology(site, width, height, widths, misfits, resistance, capacitance, layers)


def _text(path: Path) -> str:
    """A file without its comments."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"lef: {path} cannot be read ({getattr(error, 'strerror', None) or error})") from error
    text = re.sub(r"(?m)(?:^|(?<=\s))#.*$", "", text)
    if not re.search(r"(?m)^\s*(?:VERSION|LAYER|SITE|MACRO)\s", text):
        raise RequestError(f"lef: {path} is no LEF: it has no VERSION, LAYER, SITE or MACRO")
    return text


def _blocks(text: str, kind: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each block of a kind, up to its END."""
    for found in re.finditer(rf"(?ms)^[ \t]*{kind}[ \t]+(\S+)[ \t]*\n(.*?)^[ \t]*END[ \t]+\1[ \t]*$", text):
        yield found[1], found[2]


def _check_units(text: str, where: str) -> None:
    """Raise RequestError for units that LEF has not."""
    for found in re.finditer(r"(?ms)^[ \t]*UNITS[ \t]*\n(.*?)^[ \t]*END[ \t]+UNITS", text):
        for what, name, value in re.findall(rf"(?m)^\s*(\w+)\s+(\w+)\s+{_NUMBER}\s*;", found[1]):
            if what == "DATABASE" and (name != "MICRONS" or float(value) not in _DATABASE):
                several = ", ".join(map(str, _DATABASE))
                raise RequestError(
                    f"lef: {where}: UNITS: DATABASE must be MICRONS, one of {several}, not {name} {value}"
                )
            if what in _UNITS and (name, float(value)) != _UNITS[what]:
                unit, count = _UNITS[what]
                raise RequestError(f"lef: {where}: UNITS: {what} must be {unit} {count:g}, not {name} {value}")


def _size(body: str, where: str) -> tuple[float, float]:
    found = re.search(rf"(?m)^\s*SIZE\s+{_NUMBER}\s+BY\s+{_NUMBER}\s*;", body)
    if found is None or not (float(found[1]) > 0 and float(found[2]) > 0):
        raise RequestError(f"lef: {where}: must have SIZE, a width BY a height above 0")
    return float(found[1]), float(found[2])


def _misfit(name: str, size: tuple[float, float], width: float, height: float) -> str:
    """Why a cell of this size does not fit into the rows; empty if it does."""
    count = round(size[0] / width)
    if abs(size[1] - height) > _NEAR * height:
        return f"MACRO {name}: must be as high as a row, {height:g} µm, not {size[1]:g}"
    if count < 1 or abs(size[0] - count * width) > _NEAR * width:
        return f"MACRO {name}: must be whole sites of {width:g} µm wide, not {size[0]:g}"
    return ""


def _wires(text: str) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Resistance (ohm) and capacitance (fF) a micrometre, each None where a layer does not state it, and the layers."""
    routing = [(name, body) for name, body in _blocks(text, "LAYER") if re.search(r"\bTYPE\s+ROUTING\s*;", body)]
    chosen = routing[_SIGNALS] or routing
    resistances, capacitances = [], []

    def value(body: str, field: str) -> float | None:
        found = re.search(rf"(?m)^\s*{field}\s+{_NUMBER}\s*;", body)
        return None if found is None else float(found[1])

    for _, body in chosen:
        width = value(body, "WIDTH")
        square, area = value(body, r"RESISTANCE\s+RPERSQ"), value(body, r"CAPACITANCE\s+CPERSQDIST")
        resistances.append(square / width if square and width else None)
        along = value(body, "EDGECAPACITANCE") or 0.0
        capacitances.append(1e3 * (area * width + 2 * along) if area and width else None)
    return _mean(resistances), _mean(capacitances), tuple(name for name, _ in chosen)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
