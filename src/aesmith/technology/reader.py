"""From the syntax of a Liberty file to the library model.

What a cell is for is told from its groups and functions, never from its name.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from aesmith.errors import RequestError
from aesmith.technology.boolean import BooleanFunction, parse_function
from aesmith.technology.cell import (
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
    TimingArc,
    Values,
    intrinsic_delay,
)
from aesmith.technology.gate_forms import latched_gate
from aesmith.technology.liberty import Group, Units, parse_liberty, read_text, split_arguments, units_of
from aesmith.technology.library import Corner, Library

_SPECIAL = ("is_isolation_cell", "is_level_shifter", "always_on", "switch_cell_type", "retention_cell")
_SCAN_DATA = ("scan_in", "scan_enable")
_ROWS = {"input_net_transition", "input_transition_time", "related_pin_transition"}
_COLUMNS = {"total_output_net_capacitance", "constrained_pin_transition"}
_LOADS = {"total_output_net_capacitance"}
_NONE = np.zeros(1)
_KEPT = 8
"""Libraries that stay in memory."""
_SEPARATORS = str.maketrans(',"\\', "   ")


@dataclass(frozen=True)
class _Context:
    source: str
    units: Units
    templates: dict[str, Group]
    defaults: dict[str, str]

    def number(self, value: str, where: str) -> float:
        try:
            number = float(value)
        except ValueError as error:
            raise RequestError(f"liberty: {self.source}: {where}: must be a number, not {value!r}") from error
        if not math.isfinite(number):
            raise RequestError(f"liberty: {self.source}: {where}: must be a finite number, not {value!r}")
        return number

    def area(self, group: Group, cell: str) -> float:
        area = self.number(group.attributes.get("area", "0"), f"cell {cell}: area")
        if area < 0:
            raise RequestError(f"liberty: {self.source}: cell {cell}: area: must not be negative, not {area:g}")
        return area

    def optional(self, group: Group, name: str, factor: float) -> float | None:
        value = group.attributes.get(name)
        return None if value is None else self.number(value, f"{group.name} {group.label}: {name}") * factor


def read_library(path: Path, name: str | None = None) -> Library:
    """Read a Liberty file, plain or gzip. `name` (default: the library's own) is what the user calls it.

    A text that was among the last ones read gives the same object. Raises RequestError if the file is no Liberty file,
    is damaged, or holds no cells.
    """
    return _parsed(read_text(path), path, name)


@lru_cache(maxsize=_KEPT)
def _parsed(text: str, path: Path, name: str | None) -> Library:
    group = parse_liberty(text, str(path))
    context = _Context(
        str(path),
        units_of(group, str(path)),
        {
            template.label: template
            for kind in ("lu_table_template", "power_lut_template")
            for template in group.all(kind)
        },
        group.attributes,
    )
    cells = {cell.name: cell for cell in (_cell(entry, context) for entry in group.all("cell"))}
    if not cells:
        raise RequestError(f"liberty: {path} holds no cells")
    return Library(
        name=name or group.label,
        title=group.label,
        path=path,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        corner=_corner(group, context),
        cells=_with_delay_cells(cells),
        slew_thresholds=(
            context.number(group.attributes.get("slew_lower_threshold_pct_rise", "20"), "slew threshold"),
            context.number(group.attributes.get("slew_upper_threshold_pct_rise", "80"), "slew threshold"),
        ),
    )


def _corner(group: Group, context: _Context) -> Corner:
    conditions = list(group.all("operating_conditions"))
    wanted = group.attributes.get("default_operating_conditions")
    chosen = next((entry for entry in conditions if entry.label == wanted), conditions[0] if conditions else None)
    attributes = chosen.attributes if chosen else {}

    def figure(name: str, default: str) -> float:
        value = attributes.get(name, group.attributes.get(f"nom_{name}", default))
        return context.number(value, f"operating_conditions: {name}")

    return Corner(
        name=chosen.label if chosen else group.label,
        process=figure("process", "1"),
        voltage=figure("voltage", "0") * context.units.voltage,
        temperature=figure("temperature", "25"),
    )


def _cell(group: Group, context: _Context) -> Cell:
    name = group.label
    pins: dict[str, Pin] = {}
    arcs: list[TimingArc] = []
    powers: list[InternalPower] = []
    for entry in group.all("pin"):
        for label in entry.arguments:
            pin = _pin(entry, label, name, context)
            pins[label] = pin
            powers.extend(power for power in _powers(entry, label, name, context))
    for entry in group.all("pin"):
        for label in entry.arguments:
            arcs.extend(_arcs(entry, pins[label], name, context))
    register = _register(group, name)
    gate = latched_gate(group, pins, register)
    return Cell(
        name=name,
        area=context.area(group, name),
        kind=_kind(group, pins, register, gate),
        pins=pins,
        arcs=tuple(arcs),
        register=register,
        internal_power=tuple(powers),
        leakage=tuple(
            Leakage(
                _when(entry, name),
                context.number(entry.attributes["value"], f"cell {name}: leakage_power") * context.units.leakage,
            )
            for entry in group.all("leakage_power")
            if "value" in entry.attributes
        ),
        cell_leakage=context.optional(group, "cell_leakage_power", context.units.leakage),
        dont_use=group.attributes.get("dont_use", "false").lower() == "true",
        gate=gate,
    )


def _kind(group: Group, pins: Mapping[str, Pin], register: CellRegister | None, gate: LatchedGate | None) -> CellKind:
    """Classify one cell group."""
    inputs = [pin for pin in pins.values() if pin.direction is PinDirection.INPUT]
    outputs = [pin for pin in pins.values() if pin.direction is PinDirection.OUTPUT]
    if any(_is_set(group, name) for name in _SPECIAL):
        return CellKind.SPECIAL
    if gate is not None or "clock_gating_integrated_cell" in group.attributes:
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
    data = set(register.next_state.support)
    if register.state in data or register.inverse in data or len(data) != 1 or not data <= set(pins):
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


def _pin(group: Group, name: str, cell: str, context: _Context) -> Pin:
    direction = group.attributes.get("direction", "input").lower()
    if direction not in set(PinDirection):
        raise RequestError(
            f"liberty: {context.source}: cell {cell}, pin {name}: direction must be "
            f"{', '.join(PinDirection)}, not {direction!r}"
        )
    factor = context.units.capacitance
    default = context.number(context.defaults.get(f"default_{direction}_pin_cap", "0"), "default pin capacitance")
    plain = context.optional(group, "capacitance", factor)
    plain = default * factor if plain is None else plain

    def edge(which: str) -> float:
        if limits := group.complex.get(f"{which}_capacitance_range"):
            return context.number(split_arguments(limits[-1])[-1], f"cell {cell}, pin {name}") * factor
        given = context.optional(group, f"{which}_capacitance", factor)
        return plain if given is None else given

    function = group.attributes.get("function")
    return Pin(
        name=name,
        direction=PinDirection(direction),
        capacitance=plain,
        rise=edge("rise"),
        fall=edge("fall"),
        function=None if function is None else parse_function(function, f"cell {cell}, pin {name}: function"),
        clock=group.attributes.get("clock", "false").lower() == "true",
        tristate="three_state" in group.attributes,
        max_capacitance=context.optional(group, "max_capacitance", factor),
        max_transition=context.optional(group, "max_transition", context.units.time),
    )


def _arcs(group: Group, pin: Pin, cell: str, context: _Context) -> Iterator[TimingArc]:
    for entry in group.all("timing"):
        kind = entry.attributes.get("timing_type", "combinational")
        for related in entry.attributes.get("related_pin", "").split():

            def table(name: str, entry: Group = entry) -> CellTable | None:
                found = entry.first(name)
                return None if found is None else _table(found, f"cell {cell}, {name}", context.units.time, context)

            yield TimingArc(
                pin=pin.name,
                related_pin=related,
                type=kind,
                sense=_sense(entry.attributes.get("timing_sense"), pin, related),
                when=_when(entry, cell),
                cell_rise=table("cell_rise"),
                cell_fall=table("cell_fall"),
                rise_transition=table("rise_transition"),
                fall_transition=table("fall_transition"),
                rise_constraint=table("rise_constraint"),
                fall_constraint=table("fall_constraint"),
            )


def _sense(given: str | None, pin: Pin, related: str) -> Sense:
    """The declared sense; without one, what the pin's function says (Liberty user guide, timing_sense)."""
    if given in set(Sense):
        return Sense(given)
    follows = pin.function.sense(related) if pin.function is not None else 0
    return {1: Sense.POSITIVE, -1: Sense.NEGATIVE}.get(follows, Sense.NON_UNATE)


def _powers(group: Group, pin: str, cell: str, context: _Context) -> Iterator[InternalPower]:
    for entry in group.all("internal_power"):

        def table(name: str, entry: Group = entry) -> CellTable | None:
            found = entry.first(name) or entry.first("power")
            return None if found is None else _table(found, f"cell {cell}, {name}", context.units.energy, context)

        sources: list[str | None] = [*entry.attributes.get("related_pin", "").split()]
        for related in sources or [None]:
            yield InternalPower(pin, related, _when(entry, cell), table("rise_power"), table("fall_power"))


def _when(group: Group, cell: str) -> BooleanFunction | None:
    condition = group.attributes.get("when")
    return parse_function(condition, f"cell {cell}: when") if condition else None


def _register(group: Group, cell: str) -> CellRegister | None:
    for kind, clock, data in (("ff", "clocked_on", "next_state"), ("latch", "enable", "data_in")):
        found = group.first(kind)
        if found is None or clock not in found.attributes or data not in found.attributes:
            continue
        names = found.arguments

        def function(name: str, found: Group = found) -> BooleanFunction | None:
            text = found.attributes.get(name)
            return None if text is None else parse_function(text, f"cell {cell}: {name}")

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
        )
    return None


def _table(group: Group, where: str, factor: float, context: _Context) -> CellTable:
    template = context.templates.get(group.label)
    raw = group.complex.get("values")
    if not raw:
        raise RequestError(f"liberty: {context.source}: {where}: the table has no values")
    axes: list[tuple[str, Values]] = []
    for number in "123":
        index = group.complex.get(f"index_{number}") or (template.complex.get(f"index_{number}") if template else None)
        variable = template.attributes.get(f"variable_{number}") if template else None
        if index is None or variable is None:
            break
        scale = context.units.capacitance if variable in _LOADS else context.units.time
        axes.append((variable, _numbers(index[-1], scale, f"{context.source}: {where}")))
    values = _numbers(raw[-1], factor, f"{context.source}: {where}")
    if values.size != int(np.prod([len(axis) for _, axis in axes], dtype=np.int64)):
        raise RequestError(
            f"liberty: {context.source}: {where}: {values.size} values do not fit its axes "
            f"({' x '.join(str(len(axis)) for _, axis in axes) or 'none: 1 value'})"
        )
    names = [name for name, _ in axes]
    if (
        sum(name in _ROWS for name in names) > 1
        or sum(name in _COLUMNS for name in names) > 1
        or (set(names) - _ROWS - _COLUMNS)
    ):
        raise RequestError(
            f"liberty: {context.source}: {where}: a table over {', '.join(names)} is not supported; "
            f"it may be over one of {', '.join(sorted(_ROWS))} and one of {', '.join(sorted(_COLUMNS))}"
        )
    grid = values.reshape([len(axis) for _, axis in axes])
    rows = next((axis for name, axis in axes if name in _ROWS), _NONE)
    columns = next((axis for name, axis in axes if name in _COLUMNS), _NONE)
    if names and names[0] in _COLUMNS and len(names) == 2:
        grid = grid.T
    return CellTable(rows, columns, grid.reshape(len(rows), len(columns)))


@lru_cache(maxsize=4096)
def _numbers(raw: str, factor: float, where: str) -> Values:
    try:
        numbers = np.array([float(part) for part in raw.translate(_SEPARATORS).split()])
    except ValueError as error:
        raise RequestError(f"liberty: {where}: {error}") from error
    numbers *= factor
    numbers.setflags(write=False)
    return numbers
