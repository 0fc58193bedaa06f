"""From the syntax of Liberty files to the library model.

What a cell is for is told from its groups and functions, never from its name. A cell that cannot be used is set aside
with the reason, and the rest of the library is read.
"""

from __future__ import annotations

import gc
import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np

from aesmith.errors import RequestError
from aesmith.technology.boolean import BooleanFunction, parse_function
from aesmith.technology.cell import (
    ASYNCHRONOUS,
    Cell,
    CellKind,
    CellRegister,
    CellTable,
    InternalPower,
    LatchedGate,
    Leakage,
    Pin,
    PinDirection,
    Sense,
    SetAside,
    TimingArc,
    Values,
    intrinsic_delay,
)
from aesmith.technology.liberty import COMMENT, Group, Units, parse_liberty, read_text, split_arguments, units_of
from aesmith.technology.library import Corner, Library, WireLoad, WireLoads

_SPECIAL = ("is_isolation_cell", "is_level_shifter", "always_on", "switch_cell_type", "retention_cell")
_WIDE = ("bus", "bundle", "ff_bank", "latch_bank")
"""Groups of cells with pins of several bits, which no netlist here has."""
_TIMED = (CellKind.LOGIC, CellKind.DELAY, CellKind.FLIP_FLOP, CellKind.ENABLE, CellKind.SCAN, CellKind.CLOCK_GATE,
          CellKind.TIE)  # fmt: skip
"""The kinds that netlists are timed with: of the others neither timing nor power is read."""
_SCAN_DATA = ("scan_in", "scan_enable")
_ROWS = {"input_net_transition", "input_transition_time", "related_pin_transition"}
_LOADS = {"total_output_net_capacitance"}
_COLUMNS = _LOADS | {"constrained_pin_transition"}
_OF_DELAYS = ("input_net_transition", "total_output_net_capacitance", "another")
_OF_LIMITS = ("related_pin_transition", "constrained_pin_transition", "another")
_DELAYS = ("cell_rise", "cell_fall", "rise_transition", "fall_transition")
_COMBINATIONAL = ("combinational", "combinational_rise", "combinational_fall")
_EDGES = ("rising_edge", "falling_edge")
_SETUPS = ("setup_rising", "setup_falling")
_USED = (*_COMBINATIONAL, *_EDGES, *_SETUPS, *ASYNCHRONOUS)
"""The timing types whose tables are read."""
_NONE = np.zeros(1)
_MOST_INPUTS = 16
_MOST = 1e9
"""A figure of a cell that is larger, in whatever unit, is a mistake, and ABC stops at some of them."""
_PLAIN_NAME = re.compile(r"[\w.-]+")
_KEPT = 8
"""Libraries that stay in memory."""
_SEPARATORS = str.maketrans(',"\\', "   ")


class _DefectError(Exception):
    """What is wrong with a cell, or with what a library says of itself."""


@dataclass(frozen=True)
class _Axes:
    """The axes of a table: rows, columns, its shape in the file, whether the file has columns first."""

    rows: Values
    columns: Values
    shape: tuple[int, ...]
    turned: bool


@dataclass(frozen=True)
class _Context:
    units: Units
    templates: dict[str, Group]
    defaults: dict[str, str]
    axes: dict[tuple[str, ...], _Axes] = field(default_factory=dict)

    @classmethod
    def of(cls, group: Group, source: str) -> _Context:
        """What the cells of a library group are read with."""
        kinds = ("lu_table_template", "power_lut_template")
        templates = {template.label: template for kind in kinds for template in group.all(kind)}
        return cls(units_of(group, source), templates, group.attributes)

    def optional(self, group: Group, name: str, factor: float, where: str = "") -> float | None:
        value = group.attributes.get(name)
        return None if value is None else _number(value, where or name) * factor


def _float(value: str, where: str) -> float:
    try:
        return float(int(value, 16)) if value[:2].lower() == "0x" else float(value)
    except ValueError:
        raise _DefectError(f"{where}: must be a number, not {value!r}") from None


def _number(value: str, where: str) -> float:
    number = _float(value, where)
    if not math.isfinite(number):
        raise _DefectError(f"{where}: must be a finite number, not {value!r}")
    if abs(number) > _MOST:
        raise _DefectError(f"{where}: must be at most {_MOST:g}, not {value}")
    return number


def _amount(value: str, where: str) -> float:
    number = _number(value, where)
    if number < 0:
        raise _DefectError(f"{where}: must not be negative, not {value}")
    return number


def _limit(value: str | None, where: str) -> float | None:
    """A limit; some libraries have one that no figure reaches in the place of none."""
    if value is None or _float(value, where) > _MOST:
        return None
    return _amount(value, where)


def _function(text: str, where: str) -> BooleanFunction:
    try:
        function = parse_function(text, where)
    except RequestError as error:
        raise _DefectError(str(error).removeprefix("liberty: ")) from None
    if len(function.inputs) > _MOST_INPUTS:
        raise _DefectError(f"{where}: has {len(function.inputs)} inputs; at most {_MOST_INPUTS} are taken")
    return function


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
        context = _Context.of(group, source)
        for entry in group.all("cell"):
            label = entry.label
            if label in seen:
                if (entry, context.units, context.templates) != seen[label]:
                    cells.pop(label, None)
                    aside[label] = _set_aside(entry, "is there twice, with different contents")
                continue
            seen[label] = entry, context.units, context.templates
            try:
                cells[label] = _cell(entry, context)
            except _DefectError as defect:
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
    except _DefectError as defect:
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
            capacitance=_amount(entry.attributes.get("capacitance", "0"), f"wire_load {entry.label}: capacitance"),
            slope=_amount(entry.attributes.get("slope", "0"), f"wire_load {entry.label}: slope"),
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
            raise _DefectError(f"default_wire_load_selection: there is no wire_load_selection {selection} with rows")
    for name in ([default] if default else []) + [name for _, _, name in by_area]:
        if name not in {load.name for load in loads} or not _PLAIN_NAME.fullmatch(name):
            raise _DefectError(f"there is no wire_load {name!r} of plain letters and digits")
    return WireLoads(tuple(load for load in loads if _PLAIN_NAME.fullmatch(load.name)), default, by_area)


def _rows(group: Group, name: str, figures: int, where: str) -> list[list[float]]:
    """The first figures of each attribute of this name."""
    rows = [split_arguments(raw)[:figures] for raw in group.complex.get(name, [])]
    if any(len(row) < figures for row in rows):
        raise _DefectError(f"{where}: must have {figures} numbers")
    return [[_amount(text, where) for text in row] for row in rows]


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
                number = _limit(text, name) if name == "default_max_transition" else _number(text, name)
            except _DefectError as defect:
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
        function = _function(functions[0], "function") if len(functions) == 1 else None
        area = _number(group.attributes.get("area", ""), "area")
    except _DefectError:
        pass
    return SetAside(reason, function, area)


def _cell(group: Group, context: _Context) -> Cell:
    name = group.label
    if not name:
        raise _DefectError("has no name")
    entries = [(entry, label) for entry in group.all("pin") for label in entry.arguments]
    pins = {label: _pin(entry, label, context) for entry, label in entries}
    register = _register(group)
    kind = _kind(group, pins, register)
    known = {*pins, *_states(group)}
    arcs: list[TimingArc] = []
    if kind in _TIMED:
        _check_functions(pins, register, known)
        for entry, label in entries:
            arcs.extend(_arcs(entry, pins[label], known, context))
    cell = Cell(
        name=name,
        area=_area(group, kind),
        kind=kind,
        pins=pins,
        arcs=tuple(arcs),
        register=register,
        internal_power=(),
        leakage=(),
        cell_leakage=None,
        dont_use=group.attributes.get("dont_use", "false").lower() == "true",
        gate=_latched_gate(group, pins),
    )
    _check_timing(cell)
    if kind not in _TIMED:
        return cell
    try:
        return replace(
            cell,
            internal_power=tuple(power for entry, label in entries for power in _powers(entry, label, known, context)),
            leakage=tuple(_leakages(group, known, context)),
            cell_leakage=context.optional(group, "cell_leakage_power", context.units.leakage),
        )
    except _DefectError as defect:
        return replace(cell, power_defect=str(defect))


def _states(group: Group) -> list[str]:
    """The names inside a cell that functions may use beside its pins."""
    registers = [label for kind in ("ff", "latch") for entry in group.all(kind) for label in entry.arguments]
    return registers + [word for table in group.all("statetable") for text in table.arguments for word in text.split()]


def _area(group: Group, kind: CellKind) -> float:
    counts = kind in (CellKind.LOGIC, CellKind.FLIP_FLOP, CellKind.CLOCK_GATE)
    text = group.attributes.get("area")
    if text is None and counts:
        raise _DefectError("has no area")
    area = _amount("0" if text is None else text, "area")
    if area == 0 and counts:
        raise _DefectError("area: must be above 0, not 0")
    return area


def _check_functions(pins: Mapping[str, Pin], register: CellRegister | None, known: set[str]) -> None:
    """Functions name pins of the cell and what its registers hold, nothing else."""
    functions = [(f"pin {pin.name}: function", pin.function) for pin in pins.values()]
    if register is not None:
        functions += [
            ("clocked_on", register.clocked_on),
            ("next_state", register.next_state),
            ("clear", register.clear),
            ("preset", register.preset),
        ]
    for where, function in functions:
        if function is not None:
            _check_names(function, known, where)


def _check_names(function: BooleanFunction, known: set[str], where: str) -> None:
    for name in function.inputs:
        if name not in known:
            raise _DefectError(f"{where}: {function.text!r} names {name}, which is no pin of the cell")


def _check_timing(cell: Cell) -> None:
    """Synthesis and timing need every delay of a logic cell, and of a flip-flop those from the clock and its setup."""
    if cell.kind is CellKind.LOGIC:
        for output in cell.outputs:
            function = cell.pins[output].function
            for related in function.support if function is not None else ():
                _check_delays(cell, output, related, _COMBINATIONAL)
    elif cell.kind is CellKind.FLIP_FLOP and cell.register is not None:
        if not cell.register_outputs:
            raise _DefectError(f"no output has the function {cell.register.state}, which the ff group sets")
        [clock], [data] = cell.register.clocked_on.support, cell.register.next_state.support
        for output in cell.register_outputs.values():
            _check_delays(cell, output, clock, _EDGES)
        limits = [
            table
            for arc in cell.arcs_to(data)
            if arc.type in _SETUPS and arc.related_pin == clock
            for table in (arc.rise_constraint, arc.fall_constraint)
        ]
        if all(table is None for table in limits):
            raise _DefectError(f"pin {data}: has no setup time (timing_type setup_rising or setup_falling to {clock})")


def _check_delays(cell: Cell, output: str, related: str, types: Sequence[str]) -> None:
    arcs = [arc for arc in cell.arcs_to(output) if arc.related_pin == related and arc.type in types]
    for table in _DELAYS:
        other = "combinational_fall" if "rise" in table else "combinational_rise"
        if not any(getattr(arc, table) is not None for arc in arcs if arc.type != other):
            raise _DefectError(f"pin {output}: has no {table} from pin {related}")


def _latched_gate(group: Group, pins: Mapping[str, Pin]) -> LatchedGate | None:
    """The clock gate that a statetable makes of the cell; None if it is none, or of another kind."""
    table = group.first("statetable")
    entries = list(group.all("pin"))
    functions = {pin.label: pin.attributes["state_function"] for pin in entries if "state_function" in pin.attributes}
    inputs, nodes = [text.split() for text in table.arguments] if table and len(table.arguments) == 2 else ([], [])
    if table is None or len(functions) != 1 or len(nodes) != 1 or not {*inputs} <= pins.keys() or len(inputs) > 6:
        return None
    [(output, text)] = functions.items()
    function = _function(text, f"pin {output}: state_function")
    held = {*nodes, *(pin.label for pin in entries if pin.attributes.get("internal_node") in nodes)}
    clocks, latches = set(function.support) - held, set(function.support) & held
    if len(clocks) != 1 or len(latches) != 1 or function.truth_table((*clocks, *latches)) != 0b1000:
        return None
    [clock] = clocks
    rows = [[part.split() for part in row.split(":")] for row in table.attributes.get("table", "").split(",")]
    if any([len(part) for part in row] != [len(inputs), 1, 1] or row[1] != ["-"] for row in rows):
        return None
    others, enables = tuple(pin for pin in inputs if pin != clock), set()
    for levels in product("LH", repeat=len(inputs)):
        after = {row[2][0] for row in rows if all(a in ("-", b) for a, b in zip(row[0], levels, strict=True))}
        given = dict(zip(inputs, levels, strict=True))
        if clock not in given or after not in ([{"N"}] if given[clock] == "H" else [{"L"}, {"H"}]):
            return None
        if after == {"H"}:
            enables.add(tuple(int(given[pin] == "H") for pin in others))
    return LatchedGate(clock, output, others, frozenset(enables))


def _kind(group: Group, pins: Mapping[str, Pin], register: CellRegister | None) -> CellKind:
    """Classify one cell group."""
    inputs = [pin for pin in pins.values() if pin.direction is PinDirection.INPUT]
    outputs = [pin for pin in pins.values() if pin.direction is PinDirection.OUTPUT]
    if any(_is_set(group, name) for name in _SPECIAL) or any(group.first(name) is not None for name in _WIDE):
        return CellKind.SPECIAL
    if "clock_gating_integrated_cell" in group.attributes:
        return CellKind.CLOCK_GATE
    if any(pin.tristate or pin.direction is PinDirection.INOUT for pin in pins.values()):
        return CellKind.TRISTATE
    if register is not None:
        return _register_kind(group, pins, register)
    if not outputs or any(pin.function is None for pin in outputs):
        return CellKind.LATCH if group.first("statetable") else CellKind.PHYSICAL
    if all(pin.function is not None and pin.function.constant is not None for pin in outputs):
        return CellKind.TIE if not inputs else CellKind.PHYSICAL
    return CellKind.LOGIC


def _register_kind(group: Group, pins: Mapping[str, Pin], register: CellRegister) -> CellKind:
    if register.latch:
        return CellKind.LATCH
    scan = any(
        "signal_type" in pin.attributes or pin.attributes.get("nextstate_type") in _SCAN_DATA
        for pin in group.all("pin")
    )
    if scan or group.first("test_cell") is not None:
        return CellKind.SCAN
    data = register.next_state.support
    controls = [function for function in (register.clocked_on, register.clear, register.preset) if function is not None]
    if len(data) != 1 or data[0] not in pins:
        return CellKind.ENABLE
    if any(len(function.support) != 1 or function.support[0] not in pins for function in controls):
        return CellKind.ENABLE
    return CellKind.FLIP_FLOP


def _is_set(group: Group, name: str) -> bool:
    values = [group.attributes.get(name, "false")]
    values += [pin.attributes.get(name, "false") for kind in ("pin", "pg_pin") for pin in group.all(kind)]
    return any(value.lower() != "false" for value in values)


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


def _pin(group: Group, name: str, context: _Context) -> Pin:
    given = group.attributes.get("direction")
    if given is None and "function" in group.attributes:
        raise _DefectError(f"pin {name}: has no direction")
    direction = (given or "input").lower()
    if direction not in set(PinDirection):
        raise _DefectError(f"pin {name}: direction must be {', '.join(PinDirection)}, not {direction!r}")
    factor = context.units.capacitance
    default = context.defaults.get(f"default_{direction}_pin_cap", "0")
    # An output adds no load to its net: some libraries give it a correction, which may be negative.
    read = _number if direction == PinDirection.OUTPUT else _amount

    def capacitance(attribute: str) -> float | None:
        text = group.attributes.get(attribute)
        return None if text is None else read(text, f"pin {name}: {attribute}") * factor

    plain = capacitance("capacitance")
    plain = _number(default, f"default_{direction}_pin_cap") * factor if plain is None else plain

    def nominal(edge: str) -> float:
        given = capacitance(f"{edge}_capacitance")
        return plain if given is None else given

    def largest(edge: str) -> float:
        if limits := group.complex.get(f"{edge}_capacitance_range"):
            return read((split_arguments(limits[-1]) or [""])[-1], f"pin {name}: {edge}_capacitance_range") * factor
        return nominal(edge)

    function = group.attributes.get("function")
    loads = _limit(group.attributes.get("max_capacitance"), f"pin {name}: max_capacitance")
    edges = _limit(group.attributes.get("max_transition"), f"pin {name}: max_transition")
    return Pin(
        name=name,
        direction=PinDirection(direction),
        capacitance=plain,
        rise=largest("rise"),
        fall=largest("fall"),
        function=None if function is None else _function(function, f"pin {name}: function"),
        clock=group.attributes.get("clock", "false").lower() == "true",
        tristate="three_state" in group.attributes,
        max_capacitance=None if loads is None else loads * factor,
        max_transition=None if edges is None else edges * context.units.time,
        nominal=(nominal("rise"), nominal("fall")),
    )


def _arcs(group: Group, pin: Pin, known: set[str], context: _Context) -> Iterator[TimingArc]:
    for entry in group.all("timing"):
        kind = entry.attributes.get("timing_type", "combinational")
        where = f"pin {pin.name}, timing"
        related_pins = entry.attributes.get("related_pin", "").split()
        if not related_pins and kind in _USED:
            raise _DefectError(f"{where}: has no related_pin")

        def table(name: str, entry: Group = entry, where: str = where) -> CellTable | None:
            found = entry.first(name)
            return None if found is None else _table(found, f"{where}: {name}", context.units.time, context)

        used = kind in _USED
        tables = {name: table(name) if used else None for name in (*_DELAYS, "rise_constraint", "fall_constraint")}
        for related in related_pins:
            if related not in known:
                raise _DefectError(f"{where}: related_pin {related} is no pin of the cell")
            yield TimingArc(
                pin=pin.name,
                related_pin=related,
                type=kind,
                sense=_sense(entry.attributes.get("timing_sense"), pin, related),
                when=_when(entry, known, where),
                **tables,
            )


def _sense(given: str | None, pin: Pin, related: str) -> Sense:
    """The declared sense; without one, what the pin's function says (Liberty user guide, timing_sense)."""
    if given in set(Sense):
        return Sense(given)
    follows = pin.function.sense(related) if pin.function is not None else 0
    return {1: Sense.POSITIVE, -1: Sense.NEGATIVE}.get(follows, Sense.NON_UNATE)


def _powers(group: Group, pin: str, known: set[str], context: _Context) -> Iterator[InternalPower]:
    for entry in group.all("internal_power"):
        where = f"pin {pin}, internal_power"
        sources: list[str | None] = [*entry.attributes.get("related_pin", "").split()]
        if unknown := [related for related in sources if related not in known]:
            raise _DefectError(f"{where}: related_pin {unknown[0]} is no pin of the cell")

        def table(name: str, entry: Group = entry, where: str = where) -> CellTable | None:
            found = entry.first(name) or entry.first("power")
            return None if found is None else _table(found, f"{where}: {name}", context.units.energy, context)

        rise, fall, when = table("rise_power"), table("fall_power"), _when(entry, known, where)
        for related in sources or [None]:
            yield InternalPower(pin, related, when, rise, fall)


def _leakages(group: Group, known: set[str], context: _Context) -> Iterator[Leakage]:
    for entry in group.all("leakage_power"):
        if "value" in entry.attributes:
            value = _number(entry.attributes["value"], "leakage_power: value")
            yield Leakage(_when(entry, known, "leakage_power"), value * context.units.leakage)


def _when(group: Group, known: set[str], where: str) -> BooleanFunction | None:
    condition = group.attributes.get("when")
    if not condition:
        return None
    function = _function(condition, f"{where}: when")
    _check_names(function, known, f"{where}: when")
    return function


def _register(group: Group) -> CellRegister | None:
    for kind, clock, data in (("ff", "clocked_on", "next_state"), ("latch", "enable", "data_in")):
        found = group.first(kind)
        if found is None or clock not in found.attributes or data not in found.attributes:
            continue
        names = found.arguments

        def function(name: str, found: Group = found, kind: str = kind) -> BooleanFunction | None:
            text = found.attributes.get(name)
            return None if text is None else _function(text, f"{kind}: {name}")

        clocked_on, next_state = function(clock), function(data)
        assert clocked_on is not None
        assert next_state is not None
        return CellRegister(
            state=names[0] if names else "IQ",
            inverse=names[1] if len(names) > 1 else "",
            clocked_on=clocked_on,
            next_state=next_state,
            clear=function("clear"),
            preset=function("preset"),
            latch=kind == "latch",
            both=tuple(found.attributes.get(f"clear_preset_var{number}", "") for number in "12"),
        )
    return None


def _table(group: Group, where: str, factor: float, context: _Context) -> CellTable:
    raw = group.complex.get("values")
    if not raw:
        raise _DefectError(f"{where}: the table has no values")
    label = group.label
    indices = tuple((group.complex.get(f"index_{number}") or [""])[-1] for number in "123")
    usual = _OF_LIMITS if group.name.endswith("_constraint") else _OF_DELAYS
    axes = context.axes.get((*usual, label, *indices))
    if axes is None:
        axes = context.axes[*usual, label, *indices] = _axes(label, usual, indices, context, where)
    values = _numbers(raw[-1], factor, f"{where}: values")
    if values.size != math.prod(axes.shape):
        raise _DefectError(
            f"{where}: {values.size} values do not fit its axes ({' x '.join(map(str, axes.shape)) or 'none: 1 value'})"
        )
    grid = values.reshape(axes.shape).T if axes.turned else values
    return CellTable(axes.rows, axes.columns, grid.reshape(len(axes.rows), len(axes.columns)))


def _axes(label: str, usual: tuple[str, ...], indices: tuple[str, ...], context: _Context, where: str) -> _Axes:
    """The axes of a table of this template, of which it may give other indices itself. A table without template that
    gives indices has the `usual` variables."""
    template = context.templates.get(label)
    if template is None and label not in ("", "scalar"):
        raise _DefectError(f"{where}: its template {label} is not there")
    axes: list[tuple[str, Values]] = []
    for number, own, other in zip("123", indices, usual, strict=True):
        given = own or ((template.complex.get(f"index_{number}") or [""])[-1] if template else "")
        variable = template.attributes.get(f"variable_{number}") if template else other
        if not given or variable is None:
            break
        factor = context.units.capacitance if variable in _LOADS else context.units.time
        of = where if own else f"{where}: template {label}"
        axis = _numbers(given, factor, f"{of}: index_{number}")
        if not axis.size or (np.diff(axis) <= 0).any():
            raise _DefectError(f"{of}: index_{number}: must rise from one to the next, not {_plain(given)}")
        axes.append((variable, axis))
    names = tuple(name for name, _ in axes)
    unknown = [name for name in names if name not in _ROWS | _COLUMNS]
    if unknown or any(sum(name in kind for name in names) > 1 for kind in (_ROWS, _COLUMNS)):
        raise _DefectError(
            f"{where}: a table over {', '.join(names)} is not taken; it may be over the transition of an input and "
            "total_output_net_capacitance, or over the transitions of two pins"
        )
    return _Axes(
        rows=next((axis for name, axis in axes if name in _ROWS), _NONE),
        columns=next((axis for name, axis in axes if name in _COLUMNS), _NONE),
        shape=tuple(len(axis) for _, axis in axes),
        turned=len(names) == 2 and names[0] in _COLUMNS,
    )


def _plain(raw: str) -> str:
    return ", ".join(raw.translate(_SEPARATORS).split())


def _numbers(raw: str, factor: float, where: str) -> Values:
    try:
        return _values(raw, factor)
    except ValueError as error:
        raise _DefectError(f"{where}: {error}") from None


@lru_cache(maxsize=4096)
def _values(raw: str, factor: float) -> Values:
    plain = COMMENT.sub(" ", raw) if "/" in raw else raw
    numbers = np.array(list(map(float, plain.translate(_SEPARATORS).split())))
    numbers *= factor
    # One test of the sum finds what is not finite among them.
    if not abs(float(numbers.sum())) <= _MOST:
        wrong = next((n for n in numbers.tolist() if not abs(n) <= _MOST), None)
        raise ValueError(f"must be numbers of at most {_MOST:g}" + ("" if wrong is None else f", not {wrong:g}"))
    numbers.setflags(write=False)
    return numbers
