"""Size the gates of a mapped netlist on the library's own timing tables.

Synthesis maps and buffers; ABC's own sizing knows no setup times and no slews from elsewhere. This starts from the
netlist as mapped and exchanges gates for larger ones of the same function where the worst paths gain most for the area
they cost (TILOS: Fishburn and Dunlop, ICCAD 1985), a few at a time, each time followed by full static timing. The
function of a netlist cannot change: only cells of one function, with the same pins and arcs, are exchanged.

All paths count alike: register to register, from an input, to an output. So what is sized is the period with its ports;
the worst path to an output may well be longer than the period between registers, which most figures are made of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aesmith.flow import sizing_kernel as kernel
from aesmith.technology.cell import Cell, CellKind, PinDirection
from aesmith.technology.library import Library
from aesmith.timing.binding import bind
from aesmith.timing.graph import FALL, RISE, TimingGraph, build_graph
from aesmith.timing.netlist import CellNetlist, read_netlist
from aesmith.timing.static import (
    TimingConditions,
    default_conditions,
    propagate,
)
from aesmith.timing.wires import Wires

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_WINDOW = 0.03
_LARGEST_BATCH = 32
_PATIENCE = 200
_PROGRESS = 0.999
_SIZEABLE = (CellKind.LOGIC, CellKind.FLIP_FLOP)


@dataclass(frozen=True)
class SizingStep:
    """One state on the way: total cell area (library units) and the longest path (ns), setup included."""

    area: float
    delay_ns: float


@dataclass(frozen=True)
class Sized:
    """The chosen state: the cell of every instance, its figures, and all states on the way."""

    cells: dict[str, str]
    area: float
    delay_ns: float
    steps: tuple[SizingStep, ...]


def size(
    netlist: CellNetlist | Path,
    library: Library,
    *,
    merit: Callable[[SizingStep], float],
    conditions: TimingConditions | None = None,
    growth: float | None = None,
    wires: Wires | None = None,
) -> Sized:
    """Enlarge gates until the longest path gets no shorter; choose the state of the least `merit`.

    With `wires` their loads count, and their delays, which stay what they are while gates grow.
    With `growth` no state counts whose area is more than that share above the netlist's. Deterministic.
    Raises what `aesmith.timing.binding.bind` raises for a netlist that cannot be timed.
    """
    bound = bind(read_netlist(netlist) if isinstance(netlist, Path) else netlist, library)
    work = _Work(build_graph(bound), library, conditions or default_conditions(library), wires)
    best, chosen = work.time(), work.variant.copy()
    best_merit = merit(best)
    steps = [best]
    refused: set[int] = set()
    batch, since, shortest = 1, 0, best.delay_ns
    limit = np.inf if growth is None else best.area * (1 + growth)
    while since < _PATIENCE and steps[-1].area <= limit:
        chosen_gates = work.most_rewarding(batch, refused)
        if not chosen_gates:
            break
        before = work.snapshot()
        work.enlarge(chosen_gates)
        step = work.time()
        if step.delay_ns > steps[-1].delay_ns:
            work.restore(before)
            if batch == 1:
                refused.update(chosen_gates)
            batch = max(1, batch // 4)
            since += 1
            continue
        batch = min(2 * batch, _LARGEST_BATCH)
        steps.append(step)
        if step.area <= limit and merit(step) < best_merit:
            best, best_merit, chosen = step, merit(step), work.variant.copy()
        if step.delay_ns < shortest * _PROGRESS:
            shortest, since = step.delay_ns, 0
            refused.clear()
        else:
            since += 1
    names = [instance.name for instance in bound.netlist.instances]
    cells = {name: work.variants[v].name for name, v in zip(names, chosen, strict=True)}
    return Sized(cells, best.area, best.delay_ns, tuple(steps))


def with_cells(text: str, cells: dict[str, str]) -> str:
    """The netlist's Verilog text with each instance's cell exchanged for the one named."""

    def exchange(match: re.Match[str]) -> str:
        return f"{match[1]}{cells.get(match[3].lstrip(chr(92)), match[2])} {match[3]} ("

    return re.sub(r"^(\s*)([A-Za-z]\w*) (\\\S+|\w+) \($", exchange, text, flags=re.MULTILINE)


def json_with_cells(text: str, top: str, cells: dict[str, str]) -> str:
    """The same for the netlist's JSON, in which its module is `top`."""
    design = json.loads(text)
    for name, cell in cells.items():
        design["modules"][top]["cells"][name]["type"] = cell
    return json.dumps(design)


def _family_key(cell: Cell) -> tuple[object, ...]:
    """What cells must have in common to be exchanged."""
    pins = tuple(
        (name, pin.direction, pin.function.signature if pin.function is not None else None)
        for name, pin in cell.pins.items()
    )
    arcs = tuple((arc.pin, arc.related_pin, arc.type, arc.sense, str(arc.when)) for arc in cell.arcs)
    return cell.kind, pins, arcs


class _Work:
    """The graph with exchangeable cells. A variant is a number in `variants`; families are ascending in area."""

    def __init__(self, graph: TimingGraph, library: Library, conditions: TimingConditions, wires: Wires | None) -> None:
        self.graph = graph
        bound = graph.bound
        self._number_variants(library)
        number = {cell.name: k for k, cell in enumerate(self.variants)}
        self.variant = np.array([number[cell.name] for cell in bound.cells], dtype=np.int64)
        self._number_tables()
        self._index_instances()
        self._time_wires(conditions, wires)
        nodes = graph.nodes
        self.start_slew = np.zeros(nodes)
        self.start_arrival = np.full(nodes, -np.inf)
        for port in graph.data_inputs():
            for net in port.nets:
                self.start_slew[2 * net : 2 * net + 2] = conditions.input_slew_ns
                self.start_arrival[2 * net : 2 * net + 2] = 0.0
        if bound.clock is not None:
            self.start_arrival[2 * bound.clock : 2 * bound.clock + 2] = 0.0
        self.slew, self.arrival, self.required = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
        self.delay = np.zeros(len(graph.source))
        self.worst_in = np.zeros(nodes, dtype=np.int64)
        self.worst_out = np.zeros(nodes, dtype=np.int64)
        self.gain = np.zeros(len(bound.cells))
        self.choice = np.zeros(len(bound.cells), dtype=np.int64)
        self.outputs = np.array(
            [
                2 * net + edge
                for port in bound.netlist.outputs
                for net in port.nets
                if net != bound.clock and net not in bound.constants
                for edge in (RISE, FALL)
            ],
            dtype=np.int64,
        )

    def _time_wires(self, conditions: TimingConditions, wires: Wires | None) -> None:
        """Loads that gates feel, delays of wires, and what the squares of transitions grow by from the library's tables
        to the pins behind, all in the present state."""
        graph = self.graph
        state = propagate(graph, conditions, wires)
        self.load, self.wire, self.check_wire, self.output_wire = (
            state.effective, state.to_edge, state.to_check, state.to_output
        )  # fmt: skip
        bare = state.slew.copy()
        bare[graph.target] = 0.0
        made = graph.tables.look_up(graph.slew_table, state.slew_in, self.load[graph.target])
        np.maximum.at(bare, graph.target, made)
        self.widening = np.maximum(state.slew_in**2 - bare[graph.source] ** 2, 0.0)

    def _number_variants(self, library: Library) -> None:
        families: dict[tuple[object, ...], list[Cell]] = {}
        forbidden = set(library.not_for_synthesis)
        used = {cell.name: cell for cell in self.graph.bound.cells}
        for cell in library.cells.values():
            if cell.kind in _SIZEABLE and (cell.name in used or cell.name not in forbidden):
                families.setdefault(_family_key(cell), []).append(cell)
        self.variants: list[Cell] = []
        larger: list[int] = []
        for family in families.values():
            if not any(cell.name in used for cell in family):
                continue
            family.sort(key=lambda cell: (cell.area, cell.name))
            for cell in family:
                self.variants.append(cell)
                larger.append(len(self.variants))
            larger[-1] = -1
        for cell in used.values():
            if cell.kind not in _SIZEABLE:
                self.variants.append(cell)
                larger.append(-1)
        self.larger = np.array(larger, dtype=np.int64)
        self.areas = np.array([cell.area for cell in self.variants])

    def _number_tables(self) -> None:
        """`delay_of[table_base[v] + slot]`, `slew_of[…]`: the tables of variant v; a slot is 2·arc + edge of output."""
        bank = self.graph.tables
        base: list[int] = []
        delays: list[int] = []
        slews: list[int] = []
        constraints: list[int] = []
        for cell in self.variants:
            base.append(len(delays))
            for arc in cell.arcs:
                for delay, slew, constraint in (
                    (arc.cell_rise, arc.rise_transition, arc.rise_constraint),
                    (arc.cell_fall, arc.fall_transition, arc.fall_constraint),
                ):
                    delays.append(bank.add(delay) if delay is not None else 0)
                    slews.append(bank.add(slew) if slew is not None else 0)
                    constraints.append(bank.add(constraint) if constraint is not None else 0)
        self.table_base = np.array(base, dtype=np.int64)
        self.delay_of, self.slew_of = np.array(delays, dtype=np.int64), np.array(slews, dtype=np.int64)
        self.constraint_of = np.array(constraints, dtype=np.int64)
        graph = self.graph
        self.delay_table, self.slew_table = graph.delay_table.copy(), graph.slew_table.copy()
        self.check_table = graph.check_table.copy()
        place = {id(arc): k for cell in graph.bound.cells for k, arc in enumerate(cell.arcs)}
        local = np.array([place[id(arc)] for arc in graph.arcs], dtype=np.int64)
        self.slot = 2 * local[graph.arc] + (graph.target & 1)
        self.check_slot = np.array([self._check_slot(c) for c in range(len(graph.check_node))], dtype=np.int64)
        self.packed = bank.packed()

    def _check_slot(self, check: int) -> int:
        """The slot of a setup check: its table's place among those of its cell."""
        instance = int(self.graph.check_instance[check])
        base = int(self.table_base[self.variant[instance]])
        cell = self.variants[self.variant[instance]]
        row = self.constraint_of[base : base + 2 * len(cell.arcs)]
        return int(np.flatnonzero(row == self.graph.check_table[check])[0])

    def _index_instances(self) -> None:
        """Edges and input pins of each instance, as ranges."""
        graph, bound = self.graph, self.graph.bound
        count = len(bound.cells)
        self.edges = np.argsort(graph.instance, kind="stable")
        self.first_edge = np.searchsorted(graph.instance[self.edges], np.arange(count + 1))
        nets: list[int] = []
        first = [0]
        for instance, cell in zip(bound.netlist.instances, bound.cells, strict=True):
            nets += [instance.pins[pin] for pin in _input_pins(cell)]
            first.append(len(nets))
        self.pin_net, self.first_pin = np.array(nets, dtype=np.int64), np.array(first, dtype=np.int64)
        base: list[int] = []
        capacitance: list[float] = []
        for cell in self.variants:
            base.append(len(capacitance))
            for pin in _input_pins(cell):
                capacitance += [cell.pins[pin].rise, cell.pins[pin].fall]
        self.capacitance_base = np.array(base, dtype=np.int64)
        self.capacitance = np.array(capacitance)

    def time(self) -> SizingStep:
        """Arrivals and required times of the present state."""
        graph = self.graph
        kernel.forward(
            *self.packed,
            graph.source,
            graph.target,
            self.delay_table,
            self.slew_table,
            self.load,
            self.wire,
            self.widening,
            self.start_slew,
            self.start_arrival,
            self.slew,
            self.arrival,
            self.delay,
            self.worst_in,
        )
        setup = graph.tables.look_up(self.check_table, np.zeros(len(self.check_table)), self.slew[graph.check_node])
        setup += self.check_wire
        ends = [self.arrival[self.outputs] + self.output_wire[self.outputs], self.arrival[graph.check_node] + setup]
        longest = max(float(part.max()) for part in ends if part.size)
        end = np.full(graph.nodes, np.inf)
        end[self.outputs] = longest - self.output_wire[self.outputs]
        np.minimum.at(end, graph.check_node, longest - setup)
        kernel.backward(graph.source, graph.target, self.delay, self.wire, end, self.required, self.worst_out)
        self.longest = longest
        return SizingStep(float(self.areas[self.variant].sum()), longest)

    def most_rewarding(self, count: int, refused: set[int]) -> list[int]:
        """Up to `count` instances of the worst paths, not refused ones, that gain most for the area they cost."""
        graph = self.graph
        kernel.gains(
            *self.packed,
            graph.source,
            graph.target,
            self.slot,
            self.delay_table,
            self.slew_table,
            self.load,
            self.slew,
            self.arrival,
            self.delay,
            self.wire,
            self.required,
            self.worst_in,
            self.worst_out,
            _WINDOW * self.longest,
            self.first_edge,
            self.edges,
            self.variant,
            self.larger,
            self.table_base,
            self.delay_of,
            self.slew_of,
            self.first_pin,
            self.pin_net,
            self.capacitance_base,
            self.capacitance,
            self.areas,
            self.gain,
            self.choice,
        )
        promising = np.flatnonzero(self.choice >= 0)
        cost = self.areas[self.choice[promising]] - self.areas[self.variant[promising]]
        score = self.gain[promising] / np.maximum(cost, 1e-9)
        order = promising[np.lexsort((promising, -score))]
        return [int(i) for i in order if int(i) not in refused][:count]

    def enlarge(self, instances: list[int]) -> None:
        """Exchange gates for the next larger ones."""
        for instance in instances:
            self._exchange(instance, int(self.choice[instance]))

    def snapshot(self) -> tuple[NDArray[Any], ...]:
        """Copies of all that an exchange or a timing changes."""
        return tuple(part.copy() for part in self._state())

    def restore(self, saved: tuple[NDArray[Any], ...]) -> None:
        """Go back to a snapshot."""
        for part, kept in zip(self._state(), saved, strict=True):
            part[:] = kept

    def _state(self) -> tuple[NDArray[Any], ...]:
        return (
            self.variant,
            self.delay_table,
            self.slew_table,
            self.check_table,
            self.load,
            self.slew,
            self.arrival,
            self.required,
            self.delay,
            self.worst_in,
            self.worst_out,
        )

    def _exchange(self, instance: int, variant: int) -> None:
        old = int(self.variant[instance])
        for p in range(int(self.first_pin[instance]), int(self.first_pin[instance + 1])):
            pin, net = p - int(self.first_pin[instance]), int(self.pin_net[p])
            for edge in (RISE, FALL):
                self.load[2 * net + edge] += (
                    self.capacitance[self.capacitance_base[variant] + 2 * pin + edge]
                    - self.capacitance[self.capacitance_base[old] + 2 * pin + edge]
                )
        self.variant[instance] = variant
        mine = self.edges[self.first_edge[instance] : self.first_edge[instance + 1]]
        self.delay_table[mine] = self.delay_of[self.table_base[variant] + self.slot[mine]]
        self.slew_table[mine] = self.slew_of[self.table_base[variant] + self.slot[mine]]
        checks = np.flatnonzero(self.graph.check_instance == instance)
        self.check_table[checks] = self.constraint_of[self.table_base[variant] + self.check_slot[checks]]


def _input_pins(cell: Cell) -> tuple[str, ...]:
    return tuple(name for name, pin in cell.pins.items() if pin.direction is PinDirection.INPUT)
