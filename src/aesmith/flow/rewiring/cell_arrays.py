"""A library's cells as arrays: what compiled code needs to exchange them in a netlist and to time it.

A *variant* is a cell, a *family* all cells of one function with the same pins, its variants ascending in area. Which
family is the inverse of which, on its output or behind an inverted input, follows from their truth tables; no cell is
known by its name. A cell of the netlist with a pin that never changes is a variant of its own, which is not exchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aesmith.errors import RequestError
from aesmith.technology.cell import Cell, CellKind
from aesmith.technology.library import Library
from aesmith.timing.graph import CellCheck, CellStep, CellTables

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

PINS = 8
"""Most inputs of a cell, a flip-flop's clock not counted."""
OUTPUTS = 2
"""Most outputs of a cell."""

FAMILY, INPUT_COUNT, OUTPUT_COUNT, COMPLEMENTARY = range(4)
"""Columns of `CellArrays.variants`; the last says whether the second output is the inverse of the first."""

PIN, EDGE, DELAY, SLEW, ROWS, COLUMNS = range(6)
"""Columns of `CellArrays.arcs`: from which edge of which input (-1: the clock), tables or -1, and their axes."""

_BUFFER, _INVERTER = 0b10, 0b01
_FAR = 4.0
"""Tables are compared up to this multiple of their last row and column."""


class CellArrays(NamedTuple):
    """The cells. Units as in the library: ns, fF; areas in GE.

    `capacitance[v, 2p + e]` of input p for edge e; `limit[v, o]` of output o's load. Arcs to edge e of output o of
    variant v are `arcs[arc_first[i] : arc_first[i + 1]]`, i = 4v + 2o + e; the setup checks of edge e of its input p
    `checks` (axis, table) from `check_first[i]`, i = 2(PINS·v + p) + e. `members[member_first[f] : …]` are the variants
    of a family. `twin[f, 0]` is the family of f's inverse, `twin[f, 1 + p]` that of f with input p inverted, -1 where
    there is none; `twin_pins[f, i, p]` the pin of f whose net pin p of the twin takes. `function[f]` is the truth table
    of a family of logic of one output and up to six inputs, bit i its value for inputs p = bit p of i; `alike[f, p]` is
    the first input that p may be exchanged with.
    """

    variants: Indices
    areas: Floats
    capacitance: Floats
    limit: Floats
    arc_first: Indices
    arcs: Indices
    check_first: Indices
    checks: Indices
    axes: Floats
    axis_sizes: Indices
    tables: Floats
    member_first: Indices
    members: Indices
    twin: Indices
    twin_pins: Indices
    function: NDArray[np.uint64]
    alike: Indices
    buffer: int
    inverter: int


@dataclass(frozen=True, eq=False)
class CellNumbers:
    """What stands behind the numbers: `cells[v]`, None for the load of an output port; `inputs[v]` its pins in order;
    `number` finds a variant by the cell's name and the pins that never change, the load by an empty name."""

    arrays: CellArrays
    cells: tuple[Cell | None, ...]
    inputs: tuple[tuple[str, ...], ...]
    number: Mapping[tuple[str, frozenset[tuple[str, bool]]], int]
    families: tuple[Cell | None, ...]
    """One cell of each family; None for what is no exchangeable logic of one output."""


def number_cells(
    library: Library, used: Iterable[tuple[str, frozenset[tuple[str, bool]]]], output_load_ff: float
) -> CellNumbers:
    """All cells that a netlist of the library may have, and those it uses, each with its pins that never change.

    Raises RequestError for a used cell of more than `PINS` inputs or `OUTPUTS` outputs.
    """
    asked = sorted(set(used), key=lambda one: (one[0], sorted(one[1])))
    free = {name for name, known in asked if not known}
    plain = [
        cell
        for cell in library.cells.values()
        if cell.kind in (CellKind.LOGIC, CellKind.FLIP_FLOP) and (cell.synthesisable or cell.name in free)
    ]
    plain = [cell for cell in plain if _fits(cell)]
    have = {cell.name for cell in plain}
    entries: list[tuple[Cell, frozenset[tuple[str, bool]]]] = [(cell, frozenset()) for cell in plain]
    entries += [(library.cell(name), known) for name, known in asked if known or name not in have]
    if wide := next((cell.name for cell, _ in entries if not _fits(cell)), None):
        raise RequestError(f"cell {wide}: has more than {PINS} inputs or {OUTPUTS} outputs, which cannot be rewired")
    grouped: dict[tuple[object, ...], list[int]] = {}
    entries.sort(key=lambda entry: (entry[0].area, entry[0].name, sorted(entry[1])))
    for v, (cell, known) in enumerate(entries):
        grouped.setdefault(_family_key(cell, known), []).append(v)
    load = len(entries)
    grouped["load",] = [load]
    family = np.zeros(load + 1, dtype=np.int64)
    for f, members in enumerate(grouped.values()):
        family[members] = f
    inputs = tuple(_data_inputs(cell) for cell, _ in entries)
    counts = [(len(inputs[v]), len(cell.outputs), _complementary(cell)) for v, (cell, _) in enumerate(entries)]
    leaders = [entries[members[0]] if members[0] < load else None for members in grouped.values()]
    exchangeable = tuple(
        entry[0]
        if entry is not None and not entry[1] and entry[0].kind is CellKind.LOGIC and entry[0].function is not None
        else None
        for entry in leaders
    )
    capacitance = np.zeros((load + 1, 2 * PINS))
    limit = np.full((load + 1, OUTPUTS), np.inf)
    for v, (cell, _) in enumerate(entries):
        for p, name in enumerate(inputs[v]):
            capacitance[v, 2 * p : 2 * p + 2] = cell.pins[name].rise, cell.pins[name].fall
        for o, name in enumerate(cell.outputs):
            limit[v, o] = cell.pins[name].max_capacitance or np.inf
    capacitance[load, :2] = output_load_ff
    functions = [_table(cell) for cell in exchangeable]
    arrays = CellArrays(
        np.column_stack([family, np.array([*counts, (1, 0, 0)], dtype=np.int64)]),
        np.array([*(library.area_ge(cell) for cell, _ in entries), 0.0]),
        capacitance,
        limit,
        *_timing(entries, inputs),
        *_ranges(list(grouped.values())),
        *_twins(exchangeable, functions),
        np.array([t or 0 for t in functions], dtype=np.uint64),
        np.array([_alike(cell, table) for cell, table in zip(exchangeable, functions, strict=True)], dtype=np.int64),
        _of_one_input(exchangeable, functions, _BUFFER),
        _of_one_input(exchangeable, functions, _INVERTER),
    )
    number = {(cell.name, known): v for v, (cell, known) in enumerate(entries)} | {("", frozenset()): load}
    return CellNumbers(arrays, (*(cell for cell, _ in entries), None), (*inputs, ("",)), number, exchangeable)


def _fits(cell: Cell) -> bool:
    return len(_data_inputs(cell)) <= PINS and len(cell.outputs) <= OUTPUTS


def _data_inputs(cell: Cell) -> tuple[str, ...]:
    """The input pins without the clock."""
    clocks = {arc.related_pin for arc in cell.arcs if arc.type in ("rising_edge", "falling_edge")}
    clocks |= {arc.related_pin for arc in cell.arcs if arc.type.startswith("setup")}
    return tuple(name for name in cell.inputs if name not in clocks)


def _complementary(cell: Cell) -> int:
    return int(len(cell.outputs) == 2 and set(cell.register_outputs.values()) == set(cell.outputs))


def _family_key(cell: Cell, known: frozenset[tuple[str, bool]]) -> tuple[object, ...]:
    """What cells must have in common to be exchanged."""
    if known or cell.kind not in (CellKind.LOGIC, CellKind.FLIP_FLOP):
        return cell.name, known
    functions = [cell.pins[pin].function for pin in cell.outputs]
    if cell.kind is CellKind.LOGIC and None not in functions:
        tables = tuple(function.truth_table(cell.inputs) for function in functions if function is not None)
        return cell.kind, cell.inputs, cell.outputs, tables
    register = cell.register
    if register is not None:
        functions += [register.clocked_on, register.next_state, register.clear, register.preset]
    roots = tuple(None if function is None else function.root for function in functions)
    return cell.kind, cell.inputs, cell.outputs, roots, register and (register.state, register.inverse)


def _table(cell: Cell | None) -> int | None:
    if cell is None or cell.function is None or len(cell.inputs) > 6:
        return None
    return cell.function.truth_table(cell.inputs)


def _of_one_input(cells: tuple[Cell | None, ...], tables: list[int | None], wanted: int) -> int:
    return next(f for f, cell in enumerate(cells) if cell is not None and len(cell.inputs) == 1 and tables[f] == wanted)


def _alike(cell: Cell | None, table: int | None) -> list[int]:
    """For each input the first one that it may be exchanged with."""
    found = list(range(PINS))
    if cell is None or table is None:
        return found
    count = len(cell.inputs)
    for p in range(count):
        for q in range(p):
            order = list(range(count))
            order[p], order[q] = q, p
            if _permuted(table, count, order, 0) == table:
                found[p] = q
                break
    return found


def _permuted(table: int, count: int, order: Iterable[int], inverted: int) -> int:
    """The table of a function with its pin p on input `order[p]`, inverted where `inverted` has that input's bit."""
    places = list(order)
    found = 0
    for case in range(1 << count):
        row = sum((((case ^ inverted) >> places[p]) & 1) << p for p in range(count))
        found |= (table >> row & 1) << case
    return found


def _twins(cells: tuple[Cell | None, ...], tables: list[int | None]) -> tuple[Indices, Indices]:
    twin = np.full((len(cells), 1 + PINS), -1, dtype=np.int64)
    pins = np.zeros((len(cells), 1 + PINS, PINS), dtype=np.int64)
    known: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
    for f, cell in enumerate(cells):
        table = tables[f]
        if cell is None or table is None or len(cell.inputs) > 4:
            continue
        count = len(cell.inputs)
        for order in permutations(range(count)):
            known.setdefault((count, _permuted(table, count, order, 0)), (f, order))
    for f, cell in enumerate(cells):
        table = tables[f]
        if cell is None or table is None or len(cell.inputs) > 4:
            continue
        count = len(cell.inputs)
        identity = range(count)
        wanted = [table ^ ((1 << (1 << count)) - 1)]
        wanted += [_permuted(table, count, identity, 1 << p) for p in identity]
        for i, inverse in enumerate(wanted):
            if (count, inverse) in known:
                twin[f, i], order = known[count, inverse]
                pins[f, i, :count] = order
    return twin, pins


def _ranges(groups: list[list[int]]) -> tuple[Indices, Indices]:
    first = np.concatenate([[0], np.cumsum([len(group) for group in groups])])
    return first.astype(np.int64), np.array([one for group in groups for one in group], dtype=np.int64)


def _timing(
    entries: list[tuple[Cell, frozenset[tuple[str, bool]]]], inputs: tuple[tuple[str, ...], ...]
) -> tuple[Indices, Indices, Indices, Indices, Floats, Indices, Floats]:
    """`arc_first` to `tables`."""
    source = CellTables()
    read: list[tuple[list[CellStep], list[CellCheck]]] = []
    for cell, known in entries:
        steps, checks = source.read(cell)
        read.append(source.live(cell, steps, checks, dict(known)) if known else (steps, checks))
    row_axes, column_axes, values, row_sizes, column_sizes = source.bank.packed()
    axes: dict[tuple[float, ...], int] = {}

    def axis(points: Floats, size: int) -> int:
        return axes.setdefault(tuple(points[:size]), len(axes))

    rows = [axis(row_axes[k], row_sizes[k]) for k in range(len(values))]
    columns = [axis(column_axes[k], column_sizes[k]) for k in range(len(values))]
    arc_first, check_first = [0], [0]
    arcs: list[tuple[int, ...]] = []
    found_checks: list[tuple[int, int]] = []
    for (cell, _), pins, (steps, checks) in zip(entries, inputs, read, strict=True):
        for o in range(OUTPUTS):
            for edge in (0, 1):
                name = cell.outputs[o] if o < len(cell.outputs) else None
                # From the clock of a clock gate to its output nothing is timed: a gated clock arrives with the clock.
                timed = [step for step in steps if step.launch or step.related in pins]
                here = [step for step in timed if step.pin == name and step.to_edge == edge]
                arcs += _arcs(source, here, pins, rows, columns)
                arc_first.append(len(arcs))
        for p in range(PINS):
            for edge in (0, 1):
                name = pins[p] if p < len(pins) else None
                found_checks += [(columns[c.table], c.table) for c in checks if c.pin == name and c.edge == edge]
                check_first.append(len(found_checks))
    # The load of an output port is no cell: it has neither.
    arc_first += [len(arcs)] * (2 * OUTPUTS)
    check_first += [len(found_checks)] * (2 * PINS)
    padded = np.full((len(axes), max(len(points) for points in axes)), np.inf)
    for points, k in axes.items():
        padded[k, : len(points)] = points
    tables = values.copy()
    for table in {table for _, table in found_checks}:
        # A clock edge takes no time: one row is left.
        share = -row_axes[table, 0] / (row_axes[table, 1] - row_axes[table, 0])
        tables[table, 0] = values[table, 0] * (1 - share) + values[table, 1] * share
    return (
        np.array(arc_first, dtype=np.int64),
        np.array(arcs, dtype=np.int64).reshape(-1, 6),
        np.array(check_first, dtype=np.int64),
        np.array(found_checks, dtype=np.int64).reshape(-1, 2),
        padded,
        np.array([len(points) for points in axes], dtype=np.int64),
        tables,
    )


def _arcs(
    source: CellTables, steps: list[CellStep], pins: tuple[str, ...], rows: list[int], columns: list[int]
) -> list[tuple[int, ...]]:
    """The arcs to one edge of an output: of several for one edge of a pin, those that may give the largest figures."""
    found: list[tuple[int, ...]] = []
    for key in dict.fromkeys((step.related, step.from_edge, step.launch) for step in steps):
        here = [step for step in steps if (step.related, step.from_edge, step.launch) == key]
        delays = _largest(source, list(dict.fromkeys(step.delay for step in here)))
        slews = _largest(source, list(dict.fromkeys(step.slew for step in here)))
        pin = -1 if key[2] else pins.index(key[0])
        for k in range(max(len(delays), len(slews))):
            d, s = delays[k] if k < len(delays) else -1, slews[k] if k < len(slews) else -1
            if d >= 0 and s >= 0 and (rows[d], columns[d]) != (rows[s], columns[s]):
                found.append((pin, key[1], d, -1, rows[d], columns[d]))
                d = -1
            axes_of = d if d >= 0 else s
            found.append((pin, key[1], d, s, rows[axes_of], columns[axes_of]))
    return found


def _largest(source: CellTables, tables: list[int]) -> list[int]:
    """The tables without those that another one exceeds everywhere."""
    if len(tables) == 1:
        return tables
    row_axes, column_axes, _, row_sizes, column_sizes = source.bank.packed()
    rows = np.unique(np.concatenate([_stretched(row_axes[k, : row_sizes[k]]) for k in tables]))
    columns = np.unique(np.concatenate([_stretched(column_axes[k, : column_sizes[k]]) for k in tables]))
    across, along = np.meshgrid(rows, columns, indexing="ij")
    points = across.size
    grids = np.array(
        [source.bank.look_up(np.full(points, k, dtype=np.int64), across.ravel(), along.ravel()) for k in tables]
    )
    kept: list[int] = []
    for i in range(len(tables)):
        others = [j for j in range(len(tables)) if j != i and (j < i or (grids[j] > grids[i]).any())]
        if not any((grids[j] >= grids[i]).all() for j in others):
            kept.append(tables[i])
    return kept


def _stretched(axis: Floats) -> Floats:
    return np.concatenate([[0.0], axis, [_FAR * axis[-1]]])
