"""From a timed netlist to the arrays of its simulation; among them, delays for every way an output can change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aesmith.errors import CheckError, RequestError
from aesmith.timing.binding import BoundNetlist
from aesmith.timing.graph import FALL, RISE, TimingGraph
from aesmith.timing.power.arrays import (
    ALL_LANES,
    COUNTS,
    DELAYS,
    EVALUATED,
    FIRST_FOLLOWER,
    GATE_COLUMNS,
    INPUT_CLASSES,
    INPUT_COUNTS,
    INVERTED,
    KIND,
    LAST_FOLLOWER,
    LAST_LITERAL,
    LITERALS,
    NETS,
    OUT,
    OUTPUT_CLASSES,
    PARITY,
    TABLE,
    VARIABLES,
    Program,
    Shorts,
    Words,
)
from aesmith.timing.power.cell_model import CellModel, Classes, Cover, column, cover
from aesmith.timing.static import TimingState

TICKS_PER_NS = 1000
"""A tick is a picosecond."""


class PinDelays(NamedTuple):
    """Ticks until an output rises or falls."""

    rise: int
    fall: int


@dataclass(frozen=True, eq=False)
class Annotation:
    """`delays[instance, pin, variable]` is the delay from a variable of the cell (an input by its place, a register's
    state as the one after its inputs) to an output: the mean over the arcs, conditions and input edges that give the
    output edge, at least one tick. Of the `total` nets that are driven by a cell and can change, `annotated` have
    both delays from every variable they depend on; `missing` are the names of the others."""

    delays: Mapping[tuple[int, str, int], PinDelays]
    total: int
    annotated: int
    missing: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Annotated part of the nets, 0 to 1."""
        return self.annotated / self.total if self.total else 1.0


def annotate(graph: TimingGraph, timing: TimingState) -> Annotation:
    """The delays of `timing`, whose edges are those of `graph`."""
    bound = graph.bound
    sums: dict[tuple[int, str, int], tuple[list[float], list[float]]] = {}
    places = {cell.name: {name: k for k, name in enumerate(cell.inputs)} for cell in bound.cells}
    for edge in range(len(graph.source)):
        index = int(graph.instance[edge])
        arc = graph.arcs[int(graph.arc[edge])]
        cell = bound.cells[index]
        # A flip-flop's clock reaches its outputs by way of its state.
        variable = len(cell.inputs) if graph.launch[edge] else places[cell.name][arc.related_pin]
        rises, falls = sums.setdefault((index, arc.pin, variable), ([], []))
        (rises if int(graph.target[edge]) & 1 == RISE else falls).append(float(timing.delay[edge]))
    delays = {key: PinDelays(_ticks(rises), _ticks(falls)) for key, (rises, falls) in sums.items() if rises and falls}
    missing = []
    total = 0
    for index, instance in enumerate(bound.netlist.instances):
        cell = bound.cells[index]
        for pin in cell.outputs:
            net = instance.pins.get(pin)
            if net is None or net in bound.constants:
                continue
            total += 1
            if any((index, pin, k) not in delays for k in _variables(graph, index, pin)):
                missing.append(bound.netlist.nets[net])
    return Annotation(delays, total, total - len(missing), tuple(missing))


def _variables(graph: TimingGraph, index: int, pin: str) -> list[int]:
    """The variables on which an output depends, beside inputs that never change."""
    bound = graph.bound
    cell, pins = bound.cells[index], bound.netlist.instances[index].pins
    if bound.is_register(index):
        return [len(cell.inputs)]
    function = cell.pins[pin].function
    if function is None:
        return []
    known = {name: bound.constants[pins[name]] for name in cell.inputs if pins[name] in bound.constants}
    support = function.given(known).support
    return [k for k, name in enumerate(cell.inputs) if name in support]


def _ticks(delays: list[float]) -> int:
    return max(1, int(np.rint(sum(delays) / len(delays) * TICKS_PER_NS)))


_NO_DELAY = PinDelays(1, 1)
_SHOWN = 5
# Longer than any delay: what an output does not depend on is never the first to have caused it.
_NEVER = 1 << 30


@dataclass(frozen=True)
class ProgramGate:
    """What a gate of the program stands for: output `pin` of an instance (none: the state of a register), its net, and
    the power classes counted from `count_base`, followed by two for rises and falls of no class; `input_classes`
    count from `input_count_base`."""

    instance: int
    pin: str | None
    net: int
    classes: Classes | None
    count_base: int
    input_classes: Classes | None
    input_count_base: int


@dataclass(frozen=True, eq=False)
class PowerProgram:
    """A compiled netlist. `gates[g]` explains gate g of `arrays`, `models[i]` the cell of instance i.

    Nets beyond those of the netlist are unconnected outputs and states of registers. `nets` is their number,
    `constant` the values of nets that never change.
    """

    bound: BoundNetlist
    graph: TimingGraph
    timing: TimingState
    annotation: Annotation
    arrays: Program
    gates: tuple[ProgramGate, ...]
    models: tuple[CellModel, ...]
    nets: int
    counts: int
    input_counts: int
    states: int
    longest_delay: int
    constant: dict[int, bool]


class _Builder:
    """Collects gates; `model` of each cell is made once."""

    def __init__(self, bound: BoundNetlist, annotation: Annotation) -> None:
        self.bound = bound
        self.annotation = annotation
        self.nets = len(bound.netlist.nets)
        self.gates: list[ProgramGate] = []
        self.rows: list[tuple[list[int], Cover, list[PinDelays | None]]] = []
        self.followers: dict[int, list[int]] = {}
        self.tables: list[int] = []
        self.table_bases: list[int] = []
        self.output_bases: list[int] = []
        self.input_bases: list[int] = []
        self.output_tables: list[int] = []
        self.input_tables: list[int] = []
        self.counts = 0
        self.input_counts = 0
        self._bases: dict[tuple[str, str | None], tuple[Classes, int]] = {}
        self._table_bases: dict[tuple[int, int], int] = {}
        self._models: dict[str, CellModel] = {}

    def model(self, instance: int) -> CellModel:
        cell = self.bound.cells[instance]
        return self._models.get(cell.name) or self._models.setdefault(cell.name, CellModel(cell))

    def new_net(self) -> int:
        self.nets += 1
        return self.nets - 1

    def output_classes(self, model: CellModel, pin: str) -> tuple[Classes, int]:
        """Classes of an output, and where its table begins; what has no class counts as a rise or fall of none."""
        key = (model.cell.name, pin)
        if key not in self._bases:
            classes = model.output_classes(pin)
            self._bases[key] = classes, len(self.output_tables)
            half = len(classes.number) // 2
            size = len(classes.classes)
            self.output_tables += [
                size + (k >= half) if number < 0 else number for k, number in enumerate(classes.number)
            ]
        return self._bases[key]

    def input_classes(self, model: CellModel) -> tuple[Classes | None, int]:
        """Classes of the inputs and where their table begins; None if no input takes energy of its own."""
        key = (model.cell.name, None)
        if key not in self._bases:
            classes = model.input_classes()
            self._bases[key] = classes, len(self.input_tables) if classes.classes else -1
            self.input_tables += classes.number
        classes, base = self._bases[key]
        return (classes, base) if base >= 0 else (None, -1)

    def add(
        self,
        instance: int,
        pin: str | None,
        net: int,
        variables: list[int],
        *,
        table: int,
        followed: Iterable[int],
        delays: list[PinDelays | None],
        count_inputs: bool,
    ) -> int:
        """A gate that is evaluated when one of the `followed` variables changes; its number."""
        model = self.model(instance)
        number = len(self.gates)
        classes, output_base = self.output_classes(model, pin) if pin is not None else (None, 0)
        inputs, input_base = self.input_classes(model) if count_inputs else (None, -1)
        self.gates.append(ProgramGate(instance, pin, net, classes, self.counts, inputs, self.input_counts))
        self.counts += (len(classes.classes) if classes else 0) + 2
        self.input_counts += len(inputs.classes) if inputs else 0
        self.output_bases.append(output_base)
        self.input_bases.append(input_base)
        self.rows.append((variables, cover(table, model.count), delays))
        self.table_bases.append(self._table(table, model.count))
        evaluated = set(followed)
        # A gate has to know all its variables where its state decides what is counted.
        knows_all = inputs is not None or pin is None or (classes is not None and classes.by_state)
        known = range(model.count) if knows_all else evaluated
        masks: dict[int, int] = {}
        for k in known:
            masks[variables[k]] = masks.get(variables[k], 0) | 1 << k | (EVALUATED if k in evaluated else 0)
        for known_net, mask in masks.items():
            self.followers.setdefault(known_net, []).append(number << 9 | mask)
        return number

    def _table(self, table: int, count: int) -> int:
        """Where the values of a function begin among the tables."""
        key = (table, count)
        if key not in self._table_bases:
            self._table_bases[key] = len(self.tables)
            self.tables += [table >> state & 1 for state in range(1 << count)]
        return self._table_bases[key]


def compile_netlist(graph: TimingGraph, timing: TimingState) -> PowerProgram:
    """The program of a netlist on the delays of a static timing of it.

    Raises CheckError if a net that can change has no delay from a timing arc, naming such nets, and RequestError for a
    cell that cannot be simulated.
    """
    bound = graph.bound
    if bound.clock_gates and not bound.rising:
        raise RequestError(f"netlist {bound.netlist.name}: clock gates must be before flip-flops of the rising edge")
    annotation = annotate(graph, timing)
    if annotation.missing:
        listed = ", ".join(annotation.missing[:_SHOWN]) + " and others" * (len(annotation.missing) > _SHOWN)
        raise CheckError(
            f"netlist {bound.netlist.name}: {annotation.annotated} of {annotation.total} nets have a delay from a "
            f"timing arc for every edge; without are {listed}"
        )
    build = _Builder(bound, annotation)
    # An empty first table: transitions of gates that are no output count there, and mean nothing.
    build.output_tables = [0] * (1 << 12)
    constant = dict(bound.constants)
    instance_nets: list[list[int]] = []
    outputs: dict[int, list[int]] = {}
    registers: list[tuple[int, int]] = []
    latches: list[int] = []
    for index, instance in enumerate(bound.given.instances):
        model = build.model(index)
        variables = [instance.pins[name] for name in model.cell.inputs]
        if model.holds:
            variables.append(build.new_net())
            followed = [*model.asynchronous, *sorted(_powered(model) - {model.state})]
            delays: list[PinDelays | None] = [_NO_DELAY] * model.count
            net = variables[model.state]
            held = build.add(
                index, None, net, variables, table=model.held_state, followed=followed, delays=delays, count_inputs=True
            )
            if model.sequential:
                registers.append((index, held))
            else:
                latches.append(held)
        instance_nets.append(variables)
        for pin, table in model.outputs.items():
            net = instance.pins.get(pin, -1)
            if net in constant:
                continue
            known = {k: constant[n] for k, n in enumerate(variables) if n in constant}
            support = [k for k in range(model.count) if k not in known and _depends(table, k, model.count)]
            if net < 0 and not support:
                continue
            delays = [
                annotation.delays.get((index, pin, k), _NO_DELAY if k in support else None) for k in range(model.count)
            ]
            first = not model.holds and index not in outputs
            followed = sorted({*support, *_powered(model)}) if first else support
            number = build.add(
                index,
                pin,
                net if net >= 0 else build.new_net(),
                variables,
                table=table,
                followed=followed,
                delays=delays,
                count_inputs=first,
            )
            outputs.setdefault(index, []).append(number)
    real = len(build.gates)
    updates = []
    for index, held in registers:
        model = build.model(index)
        updates.append(len(build.rows))
        opens = [instance_nets[gate][-1] for gate in bound.gates_before(index)]
        function = cover(model.loading(len(opens)), model.count + len(opens))
        build.rows.append(([*build.rows[held][0], *opens], function, []))
    order = [gate for index in bound.order for gate in outputs.get(index, [])]
    order += [*latches, *(held for _, held in registers)]
    models = tuple(build.model(index) for index in range(len(bound.cells)))
    arrays = _arrays(
        build,
        real,
        registers=[held for _, held in registers],
        updates=updates,
        order=order,
        instance_nets=instance_nets,
        models=models,
    )
    return PowerProgram(
        bound=bound,
        graph=graph,
        timing=timing,
        annotation=annotation,
        arrays=arrays,
        gates=tuple(build.gates),
        models=models,
        nets=build.nets,
        counts=build.counts,
        input_counts=build.input_counts,
        states=sum(1 << model.count for model in models),
        longest_delay=max((max(pair) for pair in annotation.delays.values()), default=1),
        constant=constant,
    )


def _powered(model: CellModel) -> set[int]:
    """The variables whose changes take energy of their own."""
    return {entry.cause for entry in model.input_classes().classes}


def _depends(table: int, variable: int, count: int) -> bool:
    high = column(variable, count)
    return (table & high) >> (1 << variable) != table & ~high & ((1 << (1 << count)) - 1)


def _arrays(
    build: _Builder,
    real: int,
    *,
    registers: list[int],
    updates: list[int],
    order: list[int],
    instance_nets: list[list[int]],
    models: Sequence[CellModel],
) -> Program:
    followers: list[int] = []
    net_follower = [0]
    for net in range(build.nets):
        followers += build.followers.get(net, [])
        net_follower.append(len(followers))
    table = np.zeros((len(build.rows), GATE_COLUMNS), dtype=np.int32)
    code: list[int] = []
    waits: list[int] = []
    for number, (variables, function, delays) in enumerate(build.rows):
        literals = [
            variables[variable] << 2 | negated << 1 | (position == len(cube))
            for cube in function.cubes
            for position, (variable, negated) in enumerate(cube, 1)
        ]
        row = table[number]
        row[OUT], row[VARIABLES], row[INPUT_CLASSES] = -1, len(variables), -1
        row[NETS], row[LITERALS] = len(code), len(code) + len(variables)
        row[LAST_LITERAL] = row[LITERALS] + len(literals)
        row[KIND] = PARITY * function.parity | INVERTED * function.inverted
        row[DELAYS] = len(waits)
        code += [*variables, *literals]
        for edge in (RISE, FALL):
            waits += [_NEVER if pair is None else pair[edge] for pair in delays]
        if number < real:
            gate = build.gates[number]
            row[OUT], row[COUNTS], row[INPUT_COUNTS] = gate.net, gate.count_base, gate.input_count_base
            row[OUTPUT_CLASSES], row[INPUT_CLASSES] = build.output_bases[number], build.input_bases[number]
            row[FIRST_FOLLOWER], row[LAST_FOLLOWER] = net_follower[gate.net], net_follower[gate.net + 1]
            row[TABLE] = build.table_bases[number]
    sizes = [1 << model.count for model in models]
    return Program(
        gate=table,
        code=_ints(code),
        table=np.array(build.tables, dtype=np.uint8),
        delay=_ints(waits),
        net_follower=_ints(net_follower),
        follower=_ints(followers),
        output_class=_ints(build.output_tables),
        input_class=_ints(build.input_tables),
        register=_ints(registers),
        next_state=_ints(updates),
        instance_base=_ints([0, *np.cumsum([len(nets) for nets in instance_nets]).tolist()]),
        instance_net=_ints([net for nets in instance_nets for net in nets]),
        state_base=_ints([0, *np.cumsum(sizes).tolist()][:-1]),
        sweep=_ints(order),
    )


def _ints(values: Sequence[int]) -> Shorts:
    return np.array(values, dtype=np.int32)


def initial_values(program: PowerProgram) -> Words:
    """The words of all nets before anything is driven: zero, but for the constants."""
    value = np.zeros(program.nets, dtype=np.uint64)
    for net, high in program.constant.items():
        value[net] = ALL_LANES if high else np.uint64(0)
    return value
