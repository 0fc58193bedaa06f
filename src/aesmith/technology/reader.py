"""From Liberty files to the library model.

A cell that cannot be used is set aside with the reason, and the rest of the library is read.
"""

from __future__ import annotations

import gc
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from aesmith.errors import RequestError
from aesmith.technology.cell import Cell, CellKind, SetAside, intrinsic_delay
from aesmith.technology.liberty import Group, Units, parse_liberty, read_text, split_arguments, units_of
from aesmith.technology.library import Corner, Library, WireLoad, WireLoads
from aesmith.technology.reading.cells import cell_of
from aesmith.technology.reading.figures import DefectError, LibraryContext, amount_of, function_of, limit_of, number_of

_PLAIN_NAME = re.compile(r"[\w.-]+")
_KEPT = 8
"""Libraries that stay in memory."""


def read_library(file: Path | Sequence[Path], name: str | None = None) -> Library:
    """Read a Liberty file, plain or gzip, or the several files that a library comes in, in this order.

    `name` (default: that of the first library group) is what the user calls it. All library groups of all files
    together are one library; each keeps its own units and templates. A cell that cannot be used is in `set_aside`.
    Texts that were among the last ones read give the same object.

    Raises RequestError if a file is no Liberty file or is damaged, if the files are of different corners or measure
    transitions between different thresholds, or if no cell can be used.
    """
    files = (file,) if isinstance(file, Path) else tuple(file)
    if not files:
        raise RequestError("liberty: no file is given")
    if twice := [path for path in files if files.count(path) > 1]:
        raise RequestError(f"liberty: {twice[0]} is given twice")
    texts = tuple(read_text(path) for path in files)
    # What a file includes may have changed though the file has not.
    read = _read.__wrapped__ if any("include_file" in text for text in texts) else _read
    # A library is some hundred thousand objects without a cycle: looking for cycles among them takes half of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return read(files, texts, name)
    finally:
        if collecting:
            gc.enable()


@lru_cache(maxsize=_KEPT)
def _read(files: tuple[Path, ...], texts: tuple[str, ...], name: str | None) -> Library:
    digest = hashlib.sha256()

    def include(path: str, source: str) -> tuple[str, str]:
        file = Path(source).parent / path
        try:
            text = read_text(file)
        except RequestError as error:
            raise RequestError(f"liberty: {source}: include_file: {str(error).removeprefix('liberty: ')}") from error
        digest.update(text.encode())
        return str(file), text

    groups: list[tuple[str, Group]] = []
    for path, text in zip(files, texts, strict=True):
        digest.update(text.encode())
        before = groups[-1][1] if groups else None
        groups += [(str(path), group) for group in parse_liberty(text, str(path), include, before)]
    if not groups:
        raise RequestError(f"liberty: {files[0]} holds no library")
    cells: dict[str, Cell] = {}
    aside: dict[str, SetAside] = {}
    seen: dict[str, tuple[Group, Units, dict[str, Group]]] = {}
    for source, group in groups:
        context = LibraryContext.of(group, source)
        for entry in group.all("cell"):
            label = entry.label
            if label in seen:
                if (entry, context.units, context.templates) != seen[label]:
                    cells.pop(label, None)
                    aside[label] = _set_aside(entry, "is defined twice, with different contents")
                continue
            seen[label] = entry, context.units, context.templates
            try:
                cells[label] = cell_of(entry, context)
            except DefectError as defect:
                aside[label] = _set_aside(entry, str(defect))
    if not seen:
        raise RequestError(f"liberty: {', '.join(map(str, files))} holds no cells")
    if not cells:
        label, first = next(iter(aside.items()))
        more = f", and so on for {len(aside)} cells" if len(aside) > 1 else ""
        raise RequestError(f"liberty: {files[0]}: no cell can be used: cell {label}: {first.reason}{more}")
    first_group = groups[0][1]
    facts = _facts(groups)
    wires, wire_defect = WireLoads(), None
    try:
        wires = _wire_loads(first_group)
    except DefectError as defect:
        wire_defect = str(defect)
    return Library(
        name=name or first_group.label,
        title=first_group.label,
        path=files[0],
        files=files,
        digest=digest.hexdigest(),
        corner=Corner(
            name=_conditions(first_group)[0],
            process=facts.get("process", 1.0),
            voltage=facts.get("voltage", 0.0),
            temperature=facts.get("temperature", 25.0),
        ),
        cells=_with_delay_cells(cells),
        slew_thresholds=(
            facts.get("slew_lower_threshold_pct_rise", 20.0),
            facts.get("slew_upper_threshold_pct_rise", 80.0),
        ),
        set_aside=aside,
        load_unit=units_of(first_group, str(files[0])).capacitance,
        max_transition=facts.get("default_max_transition"),
        wire_loads=wires,
        wire_defect=wire_defect,
    )


def _wire_loads(group: Group) -> WireLoads:
    """The guess of wires that a library group asks for, if it does."""
    default = group.attributes.get("default_wire_load", "")
    selection = group.attributes.get("default_wire_load_selection", "")
    if not default and not selection:
        return WireLoads()
    loads = [
        WireLoad(
            name=entry.label,
            capacitance=amount_of(entry.attributes.get("capacitance", "0"), f"wire_load {entry.label}: capacitance"),
            slope=amount_of(entry.attributes.get("slope", "0"), f"wire_load {entry.label}: slope"),
            lengths=tuple(
                (int(fanout), length)
                for fanout, length in _rows(entry, "fanout_length", 2, f"wire_load {entry.label}: fanout_length")
            ),
        )
        for entry in group.all("wire_load")
    ]
    by_area: tuple[tuple[float, float, str], ...] = ()
    if selection:
        rows = [entry for entry in group.all("wire_load_selection") if entry.label == selection]
        by_area = tuple(
            (least, most, name)
            for entry in rows
            for (least, most), name in zip(
                _rows(entry, "wire_load_from_area", 2, f"wire_load_selection {selection}: wire_load_from_area"),
                (split_arguments(raw)[-1] for raw in entry.complex.get("wire_load_from_area", [])),
                strict=True,
            )
        )
        if not by_area:
            raise DefectError(f"default_wire_load_selection: there is no wire_load_selection {selection} with rows")
    for name in ([default] if default else []) + [name for _, _, name in by_area]:
        if name not in {load.name for load in loads} or not _PLAIN_NAME.fullmatch(name):
            raise DefectError(f"there is no wire_load {name!r} of plain letters and digits")
    return WireLoads(tuple(load for load in loads if _PLAIN_NAME.fullmatch(load.name)), default, by_area)


def _rows(group: Group, name: str, figures: int, where: str) -> list[list[float]]:
    """The first figures of each attribute of this name."""
    rows = [split_arguments(raw)[:figures] for raw in group.complex.get(name, [])]
    if any(len(row) < figures for row in rows):
        raise DefectError(f"{where}: must have {figures} numbers")
    return [[amount_of(text, where) for text in row] for row in rows]


def _facts(groups: Sequence[tuple[str, Group]]) -> dict[str, float]:
    """What library groups state of their corner and of how they were measured, V, degrees, percent and ns.

    Raises RequestError where two state different things.
    """
    found: dict[str, tuple[float, str]] = {}
    for source, group in groups:
        units = units_of(group, source)
        factors = {"process": 1.0, "voltage": units.voltage, "temperature": 1.0}
        conditions = _conditions(group)[1]
        texts = {name: conditions.get(name, group.attributes.get(f"nom_{name}")) for name in factors}
        for threshold in ("slew_lower_threshold_pct_rise", "slew_upper_threshold_pct_rise"):
            texts[threshold], factors[threshold] = group.attributes.get(threshold), 1.0
        texts["default_max_transition"] = group.attributes.get("default_max_transition")
        factors["default_max_transition"] = units.time
        for name, text in texts.items():
            if text is None:
                continue
            try:
                number = limit_of(text, name) if name == "default_max_transition" else number_of(text, name)
            except DefectError as defect:
                raise RequestError(f"liberty: {source}: {defect}") from None
            if number is None:
                continue
            figure = number * factors[name]
            before, where = found.setdefault(name, (figure, f"{source} ({group.label})"))
            if name != "default_max_transition" and not math.isclose(before, figure, rel_tol=1e-6):
                raise RequestError(
                    f"liberty: {name}: {where} has {before:g}, {source} ({group.label}) has {figure:g}; "
                    "files of one library must be of one corner"
                )
    facts = {name: figure for name, (figure, _) in found.items()}
    low, high = (facts.get(f"slew_{edge}_threshold_pct_rise", usual) for edge, usual in (("lower", 20), ("upper", 80)))
    if not 0 <= low < high <= 100:
        raise RequestError(
            f"liberty: {groups[0][0]}: slew thresholds: must rise within 0 to 100 %, not {low:g} to {high:g}"
        )
    if facts.get("voltage", 0) < 0:
        raise RequestError(f"liberty: {groups[0][0]}: voltage: must not be negative, not {facts['voltage']:g} V")
    return facts


def _conditions(group: Group) -> tuple[str, dict[str, str]]:
    """The name and the attributes of the operating conditions that count; those of the library where none are given."""
    conditions = list(group.all("operating_conditions"))
    wanted = group.attributes.get("default_operating_conditions")
    chosen = next((entry for entry in conditions if entry.label == wanted), conditions[0] if conditions else None)
    return (chosen.label, chosen.attributes) if chosen else (group.label, {})


def _set_aside(group: Group, reason: str) -> SetAside:
    """Why a cell is set aside, with what can still be told of it."""
    functions = [entry.attributes["function"] for entry in group.all("pin") if "function" in entry.attributes]
    function, area = None, None
    try:
        function = function_of(functions[0], "function") if len(functions) == 1 else None
        area = number_of(group.attributes.get("area", ""), "area")
    except DefectError:
        pass
    return SetAside(reason, function, area)


def _with_delay_cells(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """Mark as delay cells the buffers and inverters that are slow on purpose: another cell of the same function is no
    larger, may drive as much, and takes less than two thirds of the time."""
    result = dict(cells)
    for table in (0b10, 0b01):
        group = [cell for cell in cells.values() if cell.kind is CellKind.LOGIC and _one_input(cell) == table]
        delays = {cell.name: intrinsic_delay(cell) for cell in group}
        for cell in group:
            if any(
                other.area <= cell.area
                and _drive(other) >= _drive(cell)
                and delays[other.name] < delays[cell.name] / 1.5
                for other in group
            ):
                result[cell.name] = replace(cell, kind=CellKind.DELAY)
    return result


def _one_input(cell: Cell) -> int | None:
    """The truth table of a cell with one input and one output; None for others."""
    if len(cell.inputs) != 1 or cell.function is None or cell.function.support != cell.inputs:
        return None
    return cell.function.truth_table(cell.inputs)


def _drive(cell: Cell) -> float:
    """The largest load (fF) the cell may drive; 0 where the library does not say."""
    return cell.pins[cell.outputs[0]].max_capacitance or 0.0
