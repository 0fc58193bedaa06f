"""The timing graph of a bound netlist, in arrays.

Nodes are net edges: node 2n is net n rising, node 2n+1 net n falling. Without wires every pin on a net sees the same
edge, so a pin's timing is its net's. An edge of the graph is one timing arc of one instance for one pair of signal
edges. Edges are sorted by the level of their target, then by target, so that one level can be computed at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aesmith.cores.ports import SCAN_ENABLE_PORT
from aesmith.technology.cell import Cell, CellTable, Sense, TimingArc
from aesmith.timing.binding import BoundNetlist
from aesmith.timing.netlist import NetlistPort

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

RISE = 0
FALL = 1
EDGE_NAMES = ("rise", "fall")
_NOTHING = np.zeros(1)
_ZERO = CellTable(_NOTHING, _NOTHING, np.zeros((1, 1)))
_TO_EDGES = {"combinational_rise": (RISE,), "combinational_fall": (FALL,)}
_COMBINATIONAL = ("combinational", "combinational_rise", "combinational_fall")
_LAUNCHES = {"rising_edge": RISE, "falling_edge": FALL}
_SETUPS = ("setup_rising", "setup_falling")


class TableBank:
    """Tables by number. Between the points and beyond the edges of its axes a table is bilinear, which is what OpenSTA
    does: the cell of the table nearest to the point is extended."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._tables: list[CellTable] = []
        self._packed: tuple[Floats, Floats, Floats, Indices, Indices] | None = None

    def add(self, table: CellTable) -> int:
        """The number of this table, given when it first comes."""
        number = self._numbers.setdefault(id(table), len(self._tables))
        if number == len(self._tables):
            self._tables.append(table)
            self._packed = None
        return number

    def packed(self) -> tuple[Floats, Floats, Floats, Indices, Indices]:
        """All tables in arrays: row axes, column axes, values (table, row, column), and the lengths of both axes."""
        if self._packed is None:
            self._packed = _pack(self._tables)
        return self._packed

    def look_up(self, numbers: Indices, rows: Floats, columns: Floats) -> Floats:
        """Element by element: the value of table numbers[k] at (rows[k], columns[k])."""
        row_axes, column_axes, values, row_sizes, column_sizes = self.packed()
        i, x = _cells(row_axes[numbers], row_sizes[numbers], rows)
        j, y = _cells(column_axes[numbers], column_sizes[numbers], columns)
        low = values[numbers, i, j] * (1 - y) + values[numbers, i, j + 1] * y
        high = values[numbers, i + 1, j] * (1 - y) + values[numbers, i + 1, j + 1] * y
        return np.asarray(low * (1 - x) + high * x)


def _cells(axes: Floats, sizes: Indices, at: Floats) -> tuple[Indices, Floats]:
    """For each lookup, the cell of its axis and how far into it."""
    index = np.clip((axes <= at[:, None]).sum(axis=1) - 1, 0, sizes - 2)
    which = np.arange(len(at))
    left = axes[which, index]
    return index, (at - left) / (axes[which, index + 1] - left)


def _pack(tables: list[CellTable]) -> tuple[Floats, Floats, Floats, Indices, Indices]:
    """All tables in arrays of one shape; an axis of length 1 becomes two equal points."""
    widened = [_widen(table) for table in tables]
    count = len(widened)
    height = max((len(rows) for rows, _, _ in widened), default=2)
    width = max((len(columns) for _, columns, _ in widened), default=2)
    row_axes = np.full((count, height), np.inf)
    column_axes = np.full((count, width), np.inf)
    values = np.zeros((count, height, width))
    for k, (rows, columns, grid) in enumerate(widened):
        row_axes[k, : len(rows)] = rows
        column_axes[k, : len(columns)] = columns
        values[k, : len(rows), : len(columns)] = grid
    row_sizes = np.array([len(rows) for rows, _, _ in widened], dtype=np.int64)
    column_sizes = np.array([len(columns) for _, columns, _ in widened], dtype=np.int64)
    return row_axes, column_axes, values, row_sizes, column_sizes


def _widen(table: CellTable) -> tuple[Floats, Floats, Floats]:
    rows, columns, values = table.rows, table.columns, table.values
    if len(rows) == 1:
        rows, values = np.array([rows[0], rows[0] + 1]), np.repeat(values, 2, axis=0)
    if len(columns) == 1:
        columns, values = np.array([columns[0], columns[0] + 1]), np.repeat(values, 2, axis=1)
    return rows, columns, values


@dataclass(frozen=True, eq=False)
class TimingGraph:
    """Arrays over the edges e of the graph:

    `source[e]`, `target[e]` nodes; `instance[e]` instance number; `arc[e]` index into `arcs` (its cell's timing arc);
    `delay_table[e]`, `slew_table[e]` numbers in `tables`; `launch[e]` true for clock to output of a flip-flop.
    `levels[k]` is the slice of the edges whose targets are of level k+1.

    and over the setup checks c: `check_node[c]` the data node, `check_table[c]`, `check_instance[c]`, `check_pin[c]`
    (index into `check_pins`).
    """

    bound: BoundNetlist
    tables: TableBank
    arcs: tuple[TimingArc, ...]
    source: Indices
    target: Indices
    instance: Indices
    arc: Indices
    delay_table: Indices
    slew_table: Indices
    launch: NDArray[np.bool_]
    levels: tuple[slice, ...]
    check_node: Indices
    check_table: Indices
    check_instance: Indices
    check_pin: Indices
    check_pins: tuple[str, ...]

    @property
    def nodes(self) -> int:
        """Number of nodes: two a net."""
        return 2 * len(self.bound.netlist.nets)

    def data_inputs(self) -> tuple[NetlistPort, ...]:
        """The input ports other than the clock and a scan enable, which is still in function."""
        ports = (port for port in self.bound.netlist.inputs if port.name != SCAN_ENABLE_PORT)
        return tuple(port for port in ports if self.bound.clock not in port.nets)


@dataclass(frozen=True)
class CellStep:
    """One edge of a cell: from an edge of one pin to an edge of another."""

    related: str
    pin: str
    from_edge: int
    to_edge: int
    arc: int
    delay: int
    slew: int
    launch: bool


@dataclass(frozen=True)
class CellCheck:
    """A setup check of an edge of a pin."""

    pin: str
    edge: int
    arc: int
    table: int


class CellTables:
    """The steps and checks of every cell in use, numbered once a cell."""

    def __init__(self) -> None:
        self.bank = TableBank()
        self.arcs: list[TimingArc] = []

    def read(self, cell: Cell) -> tuple[list[CellStep], list[CellCheck]]:
        """What the timing of a cell is made of: all conditional arcs, asynchronous clear and preset left out."""
        steps: list[CellStep] = []
        checks: list[CellCheck] = []
        for arc in cell.arcs:
            number = len(self.arcs)
            self.arcs.append(arc)
            if arc.type in _COMBINATIONAL or arc.type in _LAUNCHES:
                steps.extend(self._steps(arc, number))
            elif arc.type in _SETUPS:
                for edge, table in ((RISE, arc.rise_constraint), (FALL, arc.fall_constraint)):
                    if table is not None:
                        checks.append(CellCheck(arc.pin, edge, number, self.bank.add(table)))
        return steps, checks

    def live(
        self, cell: Cell, steps: list[CellStep], checks: list[CellCheck], known: dict[str, bool]
    ) -> tuple[list[CellStep], list[CellCheck]]:
        """Those of a cell's steps and checks that can still happen beside pins that never change."""
        return (
            [step for step in steps if _step_live(cell, self.arcs[step.arc], step, known)],
            [check for check in checks if check.pin not in known and _arc_live(self.arcs[check.arc], known)],
        )

    def _steps(self, arc: TimingArc, number: int) -> Iterator[CellStep]:
        launch = arc.type in _LAUNCHES
        tables = ((arc.cell_rise, arc.rise_transition), (arc.cell_fall, arc.fall_transition))
        for to_edge in _TO_EDGES.get(arc.type, (RISE, FALL)):
            delay, slew = tables[to_edge]
            if delay is None:
                continue
            from_edges = (_LAUNCHES[arc.type],) if launch else _from_edges(arc.sense, to_edge)
            for from_edge in from_edges:
                yield CellStep(
                    arc.related_pin,
                    arc.pin,
                    from_edge,
                    to_edge,
                    number,
                    self.bank.add(delay),
                    self.bank.add(slew if slew is not None else _ZERO),
                    launch,
                )


def _from_edges(sense: Sense, to_edge: int) -> tuple[int, ...]:
    if sense is Sense.POSITIVE:
        return (to_edge,)
    return (1 - to_edge,) if sense is Sense.NEGATIVE else (RISE, FALL)


def build_graph(bound: BoundNetlist) -> TimingGraph:
    """Build the graph: all conditional arcs, none that constants switch off, asynchronous clear and preset left out."""
    cell_tables = CellTables()
    groups: dict[str, list[int]] = {}
    for index, cell in enumerate(bound.cells):
        groups.setdefault(cell.name, []).append(index)
    edges: list[Indices] = []
    checks: list[Indices] = []
    check_pins: dict[str, int] = {}
    for members in groups.values():
        cell = bound.cells[members[0]]
        steps, cell_checks = cell_tables.read(cell)
        free = [index for index in members if not known_pins(bound, index)]
        edges += _step_columns(bound, free, steps)
        checks += _check_columns(bound, free, cell_checks, check_pins)
        for index in members:
            if known := known_pins(bound, index):
                live, live_checks = cell_tables.live(cell, steps, cell_checks, known)
                edges += _step_columns(bound, [index], live)
                checks += _check_columns(bound, [index], live_checks, check_pins)
    table = np.concatenate(edges, axis=1) if edges else np.zeros((7, 0), dtype=np.int64)
    table = table[:, table[1] >= 0]
    level = _levels(bound)[table[1] >> 1]
    order = np.lexsort((table[1], level))
    table, level = table[:, order], level[order]
    bounds = np.searchsorted(level, np.arange(1, (int(level[-1]) if level.size else 0) + 2))
    check_table = np.concatenate(checks, axis=1) if checks else np.zeros((4, 0), dtype=np.int64)
    source, target, instance, arc, delay, slew, launch = table
    return TimingGraph(
        bound=bound,
        tables=cell_tables.bank,
        arcs=tuple(cell_tables.arcs),
        source=source,
        target=target,
        instance=instance,
        arc=arc,
        delay_table=delay,
        slew_table=slew,
        launch=launch.astype(bool),
        levels=tuple(slice(int(a), int(b)) for a, b in pairwise(bounds)),
        check_node=check_table[0],
        check_table=check_table[1],
        check_instance=check_table[2],
        check_pin=check_table[3],
        check_pins=tuple(check_pins),
    )


def known_pins(bound: BoundNetlist, index: int) -> dict[str, bool]:
    """The pins of an instance that never change, with their values."""
    pins = bound.netlist.instances[index].pins
    return {pin: bound.constants[net] for pin, net in pins.items() if net in bound.constants}


def _arc_live(arc: TimingArc, known: dict[str, bool]) -> bool:
    return arc.related_pin not in known and (arc.when is None or arc.when.given(known).constant is not False)


def _step_live(cell: Cell, arc: TimingArc, step: CellStep, known: dict[str, bool]) -> bool:
    """Whether a step can still happen beside pins that never change."""
    if step.pin in known or not _arc_live(arc, known):
        return False
    function = cell.pins[step.pin].function
    if step.launch or function is None:
        return True
    sense = function.given(known).sense(step.related)
    return (
        sense == 0
        or (sense == 1 and step.from_edge == step.to_edge)
        or (sense == -1 and step.from_edge != step.to_edge)
    )


def _nets(bound: BoundNetlist, members: list[int], pin: str) -> Indices:
    """The net on this pin of each of these instances; -1 where it is not connected."""
    return np.array([bound.netlist.instances[index].pins.get(pin, -1) for index in members], dtype=np.int64)


def _step_columns(bound: BoundNetlist, members: list[int], steps: list[CellStep]) -> Iterator[Indices]:
    """Rows source, target (negative if the output is not connected), instance, arc, delay, slew, launch."""
    instances = np.array(members, dtype=np.int64)
    nets = {pin: _nets(bound, members, pin) for step in steps for pin in (step.related, step.pin)}
    for step in steps:
        columns = np.empty((7, len(members)), dtype=np.int64)
        columns[0] = 2 * nets[step.related] + step.from_edge
        columns[1] = 2 * nets[step.pin] + step.to_edge
        columns[2] = instances
        columns[3:] = np.array([step.arc, step.delay, step.slew, step.launch])[:, None]
        yield columns


def _check_columns(
    bound: BoundNetlist, members: list[int], checks: list[CellCheck], names: dict[str, int]
) -> Iterator[Indices]:
    """Rows node, table, instance, pin."""
    for check in checks:
        columns = np.empty((4, len(members)), dtype=np.int64)
        columns[0] = 2 * _nets(bound, members, check.pin) + check.edge
        columns[1] = check.table
        columns[2] = members
        columns[3] = names.setdefault(check.pin, len(names))
        yield columns


def _levels(bound: BoundNetlist) -> Indices:
    """For each net, how many cells are at most between it and a port or flip-flop output, that counted."""
    levels = [0] * len(bound.netlist.nets)
    for index in bound.order:
        cell, pins = bound.cells[index], bound.netlist.instances[index].pins
        level = 1
        if not bound.is_register(index):
            level += max((levels[pins[pin]] for pin in cell.inputs), default=0)
        for pin in cell.outputs:
            if pin in pins:
                levels[pins[pin]] = level
    return np.array(levels, dtype=np.int64)
