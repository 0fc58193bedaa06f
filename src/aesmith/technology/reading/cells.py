"""From a cell group of a Liberty file to the model of the cell.

What a cell is for is told from its groups and functions, never from its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from aesmith.technology.boolean import BooleanFunction
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
    TimingArc,
)
from aesmith.technology.liberty import Group, split_arguments
from aesmith.technology.reading.clock_gates import latched_gate
from aesmith.technology.reading.figures import (
    DefectError,
    LibraryContext,
    amount_of,
    check_names,
    function_of,
    limit_of,
    number_of,
    table_of,
    when_of,
)

_SPECIAL = ("is_isolation_cell", "is_level_shifter", "always_on", "switch_cell_type", "retention_cell")
_WIDE = ("bus", "bundle", "ff_bank", "latch_bank")
"""Groups of cells with pins of several bits, which no netlist here has."""
_TIMED = (CellKind.LOGIC, CellKind.DELAY, CellKind.FLIP_FLOP, CellKind.ENABLE, CellKind.SCAN, CellKind.CLOCK_GATE,
          CellKind.TIE)  # fmt: skip
"""The kinds that netlists are timed with: of the others neither timing nor power is read."""
_GAIN = 2.5
"""Loads of its own input with which ABC estimates the delay of a gate."""
_SCAN_DATA = ("scan_in", "scan_enable")
_DELAYS = ("cell_rise", "cell_fall", "rise_transition", "fall_transition")
_COMBINATIONAL = ("combinational", "combinational_rise", "combinational_fall")
_EDGES = ("rising_edge", "falling_edge")
_SETUPS = ("setup_rising", "setup_falling")
_USED = (*_COMBINATIONAL, *_EDGES, *_SETUPS, *ASYNCHRONOUS)
"""The timing types whose tables are read."""


def cell_of(group: Group, context: LibraryContext) -> Cell:
    """The cell that a group describes. Its power may be set aside (`power_defect`).

    Raises DefectError, with pin and value, for a cell that cannot be used.
    """
    name = group.label
    if not name:
        raise DefectError("has no name")
    entries = [(entry, label) for entry in group.all("pin") for label in entry.arguments]
    pins = {label: _pin(entry, label, context) for entry, label in entries}
    register = _register(group)
    gate = latched_gate(group, pins, register)
    kind = _kind(group, pins, register, gate)
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
        gate=gate,
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
    except DefectError as defect:
        return replace(cell, power_defect=str(defect))


def _states(group: Group) -> list[str]:
    """The names inside a cell that functions may use beside its pins."""
    registers = [label for kind in ("ff", "latch") for entry in group.all(kind) for label in entry.arguments]
    return registers + [word for table in group.all("statetable") for text in table.arguments for word in text.split()]


def _area(group: Group, kind: CellKind) -> float:
    counts = kind in (CellKind.LOGIC, CellKind.FLIP_FLOP, CellKind.CLOCK_GATE)
    text = group.attributes.get("area")
    if text is None and counts:
        raise DefectError("has no area")
    area = amount_of("0" if text is None else text, "area")
    if area == 0 and counts:
        raise DefectError("area: must be above 0, not 0")
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
            check_names(function, known, where)


def _check_timing(cell: Cell) -> None:
    """Synthesis and timing need every delay of a logic cell, and of a flip-flop those from the clock and its setup."""
    if cell.kind is CellKind.LOGIC:
        used: set[str] = set()
        for output in cell.outputs:
            function = cell.pins[output].function
            for related in function.support if function is not None else ():
                _check_delays(cell, output, related, _COMBINATIONAL)
                used.add(related)
                if _least_delay(cell, output, related) <= 0:
                    raise DefectError(f"pin {output}: its delay from pin {related} is not above 0")
        if idle := [name for name in cell.inputs if name not in used]:
            raise DefectError(f"pin {idle[0]}: no output depends on it")
    elif cell.kind is CellKind.FLIP_FLOP and cell.register is not None:
        if not cell.register_outputs:
            raise DefectError(f"no output has the function {cell.register.state}, which the ff group sets")
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
            raise DefectError(f"pin {data}: has no setup time (timing_type setup_rising or setup_falling to {clock})")


def _check_delays(cell: Cell, output: str, related: str, types: Sequence[str]) -> None:
    arcs = [arc for arc in cell.arcs_to(output) if arc.related_pin == related and arc.type in types]
    for table in _DELAYS:
        other = "combinational_fall" if "rise" in table else "combinational_rise"
        if not any(getattr(arc, table) is not None for arc in arcs if arc.type != other):
            raise DefectError(f"pin {output}: has no {table} from pin {related}")


def _least_delay(cell: Cell, output: str, related: str) -> float:
    """The delay (ns) that ABC estimates, which must be above 0: without load, and a part of what the load adds.

    The least at the shorter half of the input transitions; of several arcs the slowest counts.
    """
    arcs = [arc for arc in cell.arcs_to(output) if arc.related_pin == related]
    own = cell.pins[related].nominal[0]
    edges = ([arc.cell_rise for arc in arcs], [arc.cell_fall for arc in arcs])
    return sum(max(_estimate(table, own) for table in tables if table is not None) for tables in edges) / 2


def _estimate(table: CellTable, own: float) -> float:
    values, loads = table.values[: len(table.rows) // 2 + 1], table.columns
    if len(loads) == 1:
        return float(values.min())
    slope = (values[:, 1] - values[:, 0]) / (loads[1] - loads[0])
    overall = (values[:, -1] - values[:, 0]) / (loads[-1] - loads[0])
    return float((values[:, 0] - slope * loads[0] + _GAIN * overall * own).min())


def _kind(group: Group, pins: Mapping[str, Pin], register: CellRegister | None, gate: LatchedGate | None) -> CellKind:
    """Classify one cell group."""
    inputs = [pin for pin in pins.values() if pin.direction is PinDirection.INPUT]
    outputs = [pin for pin in pins.values() if pin.direction is PinDirection.OUTPUT]
    if any(_is_set(group, name) for name in _SPECIAL) or any(group.first(name) is not None for name in _WIDE):
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


def _pin(group: Group, name: str, context: LibraryContext) -> Pin:
    given = group.attributes.get("direction")
    if given is None and "function" in group.attributes:
        raise DefectError(f"pin {name}: has no direction")
    direction = (given or "input").lower()
    if direction not in set(PinDirection):
        raise DefectError(f"pin {name}: direction must be {', '.join(PinDirection)}, not {direction!r}")
    factor = context.units.capacitance
    default = context.defaults.get(f"default_{direction}_pin_cap", "0")
    # An output adds no load to its net: some libraries give it a correction, which may be negative.
    read = number_of if direction == PinDirection.OUTPUT else amount_of

    def capacitance(attribute: str) -> float | None:
        text = group.attributes.get(attribute)
        return None if text is None else read(text, f"pin {name}: {attribute}") * factor

    plain = capacitance("capacitance")
    plain = number_of(default, f"default_{direction}_pin_cap") * factor if plain is None else plain

    def nominal(edge: str) -> float:
        given = capacitance(f"{edge}_capacitance")
        return plain if given is None else given

    def largest(edge: str) -> float:
        if limits := group.complex.get(f"{edge}_capacitance_range"):
            return read((split_arguments(limits[-1]) or [""])[-1], f"pin {name}: {edge}_capacitance_range") * factor
        return nominal(edge)

    function = group.attributes.get("function")
    loads = limit_of(group.attributes.get("max_capacitance"), f"pin {name}: max_capacitance")
    edges = limit_of(group.attributes.get("max_transition"), f"pin {name}: max_transition")
    return Pin(
        name=name,
        direction=PinDirection(direction),
        capacitance=plain,
        rise=largest("rise"),
        fall=largest("fall"),
        function=None if function is None else function_of(function, f"pin {name}: function"),
        clock=group.attributes.get("clock", "false").lower() == "true",
        tristate="three_state" in group.attributes,
        max_capacitance=None if loads is None else loads * factor,
        max_transition=None if edges is None else edges * context.units.time,
        nominal=(nominal("rise"), nominal("fall")),
    )


def _arcs(group: Group, pin: Pin, known: set[str], context: LibraryContext) -> Iterator[TimingArc]:
    for entry in group.all("timing"):
        kind = entry.attributes.get("timing_type", "combinational")
        where = f"pin {pin.name}, timing"
        related_pins = entry.attributes.get("related_pin", "").split()
        if not related_pins and kind in _USED:
            raise DefectError(f"{where}: has no related_pin")

        def table(name: str, entry: Group = entry, where: str = where) -> CellTable | None:
            found = entry.first(name)
            return None if found is None else table_of(found, f"{where}: {name}", context.units.time, context)

        used = kind in _USED
        tables = {name: table(name) if used else None for name in (*_DELAYS, "rise_constraint", "fall_constraint")}
        for related in related_pins:
            if related not in known:
                raise DefectError(f"{where}: related_pin {related} is no pin of the cell")
            yield TimingArc(
                pin=pin.name,
                related_pin=related,
                type=kind,
                sense=_sense(entry.attributes.get("timing_sense"), pin, related),
                when=when_of(entry, known, where),
                **tables,
            )


def _sense(given: str | None, pin: Pin, related: str) -> Sense:
    """The declared sense; without one, what the pin's function says (Liberty user guide, timing_sense)."""
    if given in set(Sense):
        return Sense(given)
    follows = pin.function.sense(related) if pin.function is not None else 0
    return {1: Sense.POSITIVE, -1: Sense.NEGATIVE}.get(follows, Sense.NON_UNATE)


def _powers(group: Group, pin: str, known: set[str], context: LibraryContext) -> Iterator[InternalPower]:
    for entry in group.all("internal_power"):
        where = f"pin {pin}, internal_power"
        sources: list[str | None] = [*entry.attributes.get("related_pin", "").split()]
        if unknown := [related for related in sources if related not in known]:
            raise DefectError(f"{where}: related_pin {unknown[0]} is no pin of the cell")

        def table(name: str, entry: Group = entry, where: str = where) -> CellTable | None:
            found = entry.first(name) or entry.first("power")
            return None if found is None else table_of(found, f"{where}: {name}", context.units.energy, context)

        rise, fall, when = table("rise_power"), table("fall_power"), when_of(entry, known, where)
        for related in sources or [None]:
            yield InternalPower(pin, related, when, rise, fall)


def _leakages(group: Group, known: set[str], context: LibraryContext) -> Iterator[Leakage]:
    for entry in group.all("leakage_power"):
        if "value" in entry.attributes:
            value = number_of(entry.attributes["value"], "leakage_power: value")
            yield Leakage(when_of(entry, known, "leakage_power"), value * context.units.leakage)


def _register(group: Group) -> CellRegister | None:
    for kind, clock, data in (("ff", "clocked_on", "next_state"), ("latch", "enable", "data_in")):
        found = group.first(kind)
        if found is None or clock not in found.attributes or data not in found.attributes:
            continue
        names = found.arguments

        def function(name: str, found: Group = found, kind: str = kind) -> BooleanFunction | None:
            text = found.attributes.get(name)
            return None if text is None else function_of(text, f"{kind}: {name}")

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
