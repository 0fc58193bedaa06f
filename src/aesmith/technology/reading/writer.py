"""A library as Liberty text for Yosys and ABC: what they need of the cells that can be used, and nothing else.

Both end in the middle of the work on much that other readers of Liberty accept: on syntax, units, templates and tables
they do not know, on a cell without an area or a delay. They get a text that was read and checked, in one syntax: units
of 1 ns and of the library's own capacitance, tables with their indices over two input transitions and three loads
at least. The figures are those of the library.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aesmith.technology.boolean import Node
from aesmith.technology.cell import Cell, CellKind, CellTable, Pin, PinDirection, TimingArc, Values
from aesmith.technology.library import Library, WireLoads

_DEFINED = (CellKind.LOGIC, CellKind.DELAY, CellKind.TIE, CellKind.FLIP_FLOP, CellKind.ENABLE, CellKind.SCAN,
            CellKind.CLOCK_GATE, CellKind.LATCH)  # fmt: skip
"""The kinds whose functions are written; the others have pins only."""
_COMBINATIONAL = ("combinational", "combinational_rise", "combinational_fall")
_TABLES = ("cell_rise", "cell_fall", "rise_transition", "fall_transition")
_SIGNS = {"and": "&", "or": "|", "xor": "^"}


def liberty_text(library: Library) -> str:
    """The library as Liberty text."""
    lines = [
        "library (cells) {",
        "  delay_model : table_lookup;",
        '  time_unit : "1ns";',
        '  voltage_unit : "1V";',
        f"  capacitive_load_unit ({library.load_unit:.12g}, ff);",
        f"  nom_voltage : {library.corner.voltage!r};",
    ]
    if library.max_transition is not None:
        lines.append(f"  default_max_transition : {library.max_transition!r};")
    lines.extend(_wires(library.wire_loads))
    for cell in library.cells.values():
        lines.extend(_cell(cell, library.load_unit))
    return "\n".join([*lines, "}", ""])


def _wires(wires: WireLoads) -> Iterator[str]:
    if wires.default:
        yield f'  default_wire_load : "{wires.default}";'
    for load in wires.loads:
        yield f'  wire_load ("{load.name}") {{'
        yield f"    capacitance : {load.capacitance!r};"
        yield f"    slope : {load.slope!r};"
        for fanout, length in load.lengths:
            yield f"    fanout_length ({fanout}, {length!r});"
        yield "  }"
    if wires.by_area:
        yield '  default_wire_load_selection : "by_area";'
        yield '  wire_load_selection ("by_area") {'
        for least, most, name in wires.by_area:
            yield f'    wire_load_from_area ({least!r}, {most!r}, "{name}");'
        yield "  }"


def _cell(cell: Cell, load: float) -> Iterator[str]:
    yield f'  cell ("{cell.name}") {{'
    yield f"    area : {cell.area!r};"
    if cell.dont_use or not cell.synthesisable:
        yield "    dont_use : true;"
    register = cell.register
    if register is not None and cell.kind in _DEFINED:
        kind, clock, data = ("latch", "enable", "data_in") if register.latch else ("ff", "clocked_on", "next_state")
        functions = {clock: register.clocked_on, data: register.next_state} | {
            name: function
            for name, function in (("clear", register.clear), ("preset", register.preset))
            if function is not None
        }
        yield f'    {kind} ("{register.state}", "{register.inverse or register.state + "_n"}") {{'
        for name, function in functions.items():
            yield f'      {name} : "{_expression(function.root)}";'
        for number, level in enumerate(register.both, 1):
            if level in ("L", "H"):
                yield f"      clear_preset_var{number} : {level};"
        yield "    }"
    for pin in cell.pins.values():
        # ABC takes an internal pin of a gate for an input.
        if cell.kind is not CellKind.LOGIC or pin.direction is not PinDirection.INTERNAL:
            yield from _pin(cell, pin, load)
    yield "  }"


def _pin(cell: Cell, pin: Pin, load: float) -> Iterator[str]:
    yield f'    pin ("{pin.name}") {{'
    yield f"      direction : {pin.direction};"
    yield f"      capacitance : {pin.capacitance / load!r};"
    if pin.clock:
        yield "      clock : true;"
    if pin.direction is PinDirection.INPUT:
        for edge, figure in zip(("rise", "fall"), pin.nominal, strict=True):
            yield f"      {edge}_capacitance : {figure / load!r};"
    if pin.max_capacitance is not None:
        yield f"      max_capacitance : {pin.max_capacitance / load!r};"
    if pin.max_transition is not None:
        yield f"      max_transition : {pin.max_transition!r};"
    if pin.function is not None and cell.kind in _DEFINED:
        yield f'      function : "{_expression(pin.function.root)}";'
    if cell.kind is CellKind.LOGIC and cell.synthesisable:
        for arc in cell.arcs_to(pin.name):
            yield from _timing(arc, load)
    yield "    }"


def _timing(arc: TimingArc, load: float) -> Iterator[str]:
    tables = {name: getattr(arc, name) for name in _TABLES}
    # ABC takes the table of one edge for the other where that is missing, but ends where both are.
    delays = any(tables[name] is not None for name in _TABLES[:2])
    transitions = any(tables[name] is not None for name in _TABLES[2:])
    if arc.type not in _COMBINATIONAL or not delays or not transitions:
        return
    yield "      timing () {"
    yield f'        related_pin : "{arc.related_pin}";'
    yield f"        timing_sense : {arc.sense};"
    for name, table in tables.items():
        if table is not None:
            yield from _table(name, table, load)
    yield "      }"


def _table(name: str, table: CellTable, load: float) -> Iterator[str]:
    rows, columns, values = table.rows, table.columns / load, table.values
    if len(rows) == 1:
        rows, values = np.array([rows[0], rows[0] + 1]), np.repeat(values, 2, axis=0)
    if len(columns) == 1:
        columns, values = np.array([columns[0], columns[0] + 1]), np.repeat(values, 2, axis=1)
    if len(columns) == 2:
        # ABC takes the slope from the first load to the last but one.
        columns = np.array([columns[0], columns.mean(), columns[1]])
        values = np.column_stack([values[:, 0], values.mean(axis=1), values[:, 1]])
    yield f"        {name} () {{"
    yield f"          index_1 ({_row(rows)});"
    yield f"          index_2 ({_row(columns)});"
    yield f"          values ({', '.join(_row(row) for row in values)});"
    yield "        }"


def _row(values: Values) -> str:
    return f'"{", ".join(map(repr, values.tolist()))}"'


def _expression(node: Node) -> str:
    """An expression in a form that all tools read alike: every operation but the last between brackets."""
    kind, first = node[0], node[1]
    if isinstance(first, str):
        return first
    if kind == "not":
        return f"!{_operand(first)}"
    second = node[2]
    assert not isinstance(second, str)
    return f"{_operand(first)} {_SIGNS[str(kind)]} {_operand(second)}"


def _operand(node: Node) -> str:
    text = _expression(node)
    return text if node[0] in ("input", "constant", "not") else f"({text})"
