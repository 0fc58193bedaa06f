"""What a cell is for, told from its Liberty groups and functions, never from its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aesmith.technology.cell import Cell, CellKind, Direction, Pin, Register
from aesmith.technology.liberty import Group
from aesmith.technology.typical import intrinsic_delay

_SPECIAL = ("is_isolation_cell", "is_level_shifter", "always_on", "switch_cell_type", "retention_cell")
_SCAN_DATA = ("scan_in", "scan_enable")


def kind_of(group: Group, pins: Mapping[str, Pin], register: Register | None) -> CellKind:
    """Classify one cell group."""
    inputs = [pin for pin in pins.values() if pin.direction is Direction.INPUT]
    outputs = [pin for pin in pins.values() if pin.direction is Direction.OUTPUT]
    if any(_is_true(group, name) for name in _SPECIAL):
        return CellKind.SPECIAL
    if "clock_gating_integrated_cell" in group.attributes:
        return CellKind.CLOCK_GATE
    if any(pin.tristate or pin.direction is Direction.INOUT for pin in pins.values()):
        return CellKind.TRISTATE
    if register is not None:
        return _register_kind(group, pins, register)
    if not outputs or any(pin.function is None for pin in outputs):
        return CellKind.LATCH if group.first("statetable") else CellKind.PHYSICAL
    if all(pin.function is not None and pin.function.constant is not None for pin in outputs):
        return CellKind.TIE if not inputs else CellKind.PHYSICAL
    return CellKind.LOGIC


def _register_kind(group: Group, pins: Mapping[str, Pin], register: Register) -> CellKind:
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


def _is_true(group: Group, name: str) -> bool:
    values = [group.attributes.get(name, "false")]
    values += [pin.attributes.get(name, "false") for kind in ("pin", "pg_pin") for pin in group.all(kind)]
    return any(value.lower() != "false" for value in values)


def with_delay_cells(cells: Mapping[str, Cell]) -> dict[str, Cell]:
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
