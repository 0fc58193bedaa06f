"""Static timing of a mapped netlist on the delay tables of its library.

The method is OpenSTA's graph-based one: at each output the worst (largest) transition of all arcs is kept for each
edge, whichever arc is latest; all conditional arcs count; the clock is ideal. Wires have no delay and no load, unless
`Wires` are given: then gates and wires are those of `aesmith.timing.wires`, and what goes on from an output is the
edge of the arc with the worst transition.
Paths through asynchronous clear and preset pins are left out, and so are arcs that a constant beside them makes
impossible; of the latter OpenSTA keeps some, so that it may be later where gates have constant inputs. A synthesised
netlist has none but the unused resets of flip-flops.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aesmith.errors import RequestError
from aesmith.technology.cell import PinDirection, input_capacitance, mean_transition
from aesmith.technology.library import Library
from aesmith.timing.binding import BoundNetlist, bind
from aesmith.timing.graph import EDGE_NAMES, FALL, RISE, Floats, Indices, TimingGraph, build_graph
from aesmith.timing.netlist import CellNetlist, read_netlist
from aesmith.timing.wires import DrivenEdges, Wires, drive, through_wires, wire_delays

FANOUT = 4
"""Loads of one NAND2 input that the default conditions put on each output and before each input."""


@dataclass(frozen=True)
class TimingConditions:
    """Transition of every input (ns, as the library measures it) and load on every output (fF).

    Wires have no resistance and no capacitance; the clock is ideal (edges at once everywhere, no transition time).
    """

    input_slew_ns: float
    output_load_ff: float

    def __post_init__(self) -> None:
        for name, value in (("input_slew_ns", self.input_slew_ns), ("output_load_ff", self.output_load_ff)):
            if not 0 <= value < float("inf"):
                raise RequestError(f"{name}: must be a number of at least 0, not {value}")


def default_conditions(library: Library) -> TimingConditions:
    """The surroundings of a core among its like: inputs come from the library's flip-flop of choice driving four
    NAND2 inputs, and outputs drive four NAND2 inputs."""
    load = FANOUT * input_capacitance(library.nand2)
    return TimingConditions(mean_transition(library.flip_flop, 0.0, load), load)


FROM_REGISTER = 0
FROM_INPUT = 1


@dataclass(frozen=True, eq=False)
class TimingState:
    """Figures on a timing graph, ns and fF.

    `load[node]` what is on a net edge, `effective[node]` the part of it that its driver feels behind the resistance of
    wires; `slew[node]` worst transition; `arrival[k, node]` latest arrival from flip-flops (k = FROM_REGISTER) or input
    ports (k = FROM_INPUT), -inf where there is no path; `delay[e]`, `edge_slew[e]` delay and output transition of each
    graph edge; `setup[c]` of each check. Delays of edges and setups have those of the wires before them in them,
    `to_edge[e]` and `to_check[c]`; `slew_in[e]` is the transition behind that wire, `to_output[node]` the delay of the
    wire to an output port.
    """

    load: Floats
    effective: Floats
    slew: Floats
    arrival: Floats
    delay: Floats
    edge_slew: Floats
    slew_in: Floats
    setup: Floats
    to_edge: Floats
    to_check: Floats
    to_output: Floats


@dataclass(frozen=True)
class PathPoint:
    """A point of a path: the output `pin` of `instance` (or a port: no cell) with the `edge` it makes there ("rise" or
    "fall"), when (ns), with which transition (ns), driving which load (fF)."""

    instance: str
    cell: str
    pin: str
    edge: str
    arrival_ns: float
    slew_ns: float
    load_ff: float


@dataclass(frozen=True)
class TimingPath:
    """A worst path. `end` is INSTANCE/PIN or a port; `delay_ns` includes `setup_ns` where it is a flip-flop."""

    points: tuple[PathPoint, ...]
    end: str
    setup_ns: float
    delay_ns: float


@dataclass(frozen=True, eq=False)
class TimingReport:
    """The worst path of each kind; None where the netlist has no such path.

    `overloaded` lists the outputs (INSTANCE/PIN) that drive more than their `max_capacitance`: their delays are
    extrapolated beyond what the library was characterised for.
    """

    library: str
    corner: str
    conditions: TimingConditions
    register_to_register: TimingPath | None
    input_to_register: TimingPath | None
    register_to_output: TimingPath | None
    input_to_output: TimingPath | None
    overloaded: tuple[str, ...]
    graph: TimingGraph
    state: TimingState

    @property
    def period_ns(self) -> float | None:
        """The shortest clock period: worst register-to-register path, clock to Q and setup included."""
        return _delay(self.register_to_register)

    @property
    def input_to_register_ns(self) -> float | None:
        """Worst input port to flip-flop delay, setup included."""
        return _delay(self.input_to_register)

    @property
    def register_to_output_ns(self) -> float | None:
        """Worst flip-flop to output port delay, clock to Q included."""
        return _delay(self.register_to_output)

    @property
    def input_to_output_ns(self) -> float | None:
        """Worst delay from input port to output port through logic only."""
        return _delay(self.input_to_output)

    @property
    def critical_path(self) -> tuple[PathPoint, ...]:
        """The points of the worst register-to-register path."""
        return self.register_to_register.points if self.register_to_register else ()


def analyse(
    netlist: CellNetlist | Path,
    library: Library,
    conditions: TimingConditions | None = None,
    wires: Wires | None = None,
) -> TimingReport:
    """Time a netlist, or the one in a file of Yosys' JSON. `conditions` default to `default_conditions(library)`.

    Raises RequestError or CheckError for a netlist that cannot be timed (see `aesmith.timing.binding.bind`).
    """
    surroundings = conditions or default_conditions(library)
    graph = build_graph(bind(read_netlist(netlist) if isinstance(netlist, Path) else netlist, library))
    state = propagate(graph, surroundings, wires)
    to_register = [_worst_check(graph, state, row) for row in (FROM_REGISTER, FROM_INPUT)]
    to_output = [_worst_output(graph, state, row) for row in (FROM_REGISTER, FROM_INPUT)]
    return TimingReport(
        library=library.name,
        corner=library.corner.name,
        conditions=surroundings,
        register_to_register=to_register[FROM_REGISTER],
        input_to_register=to_register[FROM_INPUT],
        register_to_output=to_output[FROM_REGISTER],
        input_to_output=to_output[FROM_INPUT],
        overloaded=_overloaded(graph.bound, state.load),
        graph=graph,
        state=state,
    )


def propagate(graph: TimingGraph, conditions: TimingConditions, wires: Wires | None = None) -> TimingState:
    """Loads, transitions, delays and arrivals over the whole graph."""
    load = loads(graph.bound, conditions.output_load_ff, wires)
    outputs = _Outputs(graph, load, wires)
    arrival = np.full((2, graph.nodes), -np.inf)
    for port in graph.data_inputs():
        for net in port.nets:
            outputs.start(slice(2 * net, 2 * net + 2), conditions.input_slew_ns)
            arrival[FROM_INPUT, 2 * net : 2 * net + 2] = 0.0
    if graph.bound.clock is not None:
        arrival[FROM_REGISTER, 2 * graph.bound.clock : 2 * graph.bound.clock + 2] = 0.0
    count = len(graph.source)
    delay, edge_slew, slew_in, to_edge = (np.zeros(count) for _ in range(4))
    wired = wire_delays(graph, wires)
    for level in graph.levels:
        source, target = graph.source[level], graph.target[level]
        if not len(source):
            continue
        to_edge[level], slew_in[level] = outputs.behind(source, wired.edges[level])
        through, edge_slew[level] = outputs.make(level, slew_in[level])
        delay[level] = to_edge[level] + through
        starts = np.flatnonzero(np.diff(target, prepend=-1))
        reached = target[starts]
        arrival[:, reached] = np.maximum.reduceat(arrival[:, source] + delay[level], starts, axis=1)
    setup, to_check = np.zeros(0), np.zeros(0)
    if len(graph.check_node):
        to_check, here = outputs.behind(graph.check_node, wired.checks)
        setup = to_check + graph.tables.look_up(graph.check_table, np.zeros(len(graph.check_node)), here)
    to_output, _ = outputs.behind(np.arange(graph.nodes), wired.outputs)
    return TimingState(
        load=load,
        effective=outputs.effective,
        slew=outputs.slew,
        arrival=arrival,
        delay=delay,
        edge_slew=edge_slew,
        slew_in=slew_in,
        setup=setup,
        to_edge=to_edge,
        to_check=to_check,
        to_output=to_output,
    )


class _Outputs:
    """The edges at the drivers of nets, made level by level; without wires they are but their transitions."""

    def __init__(self, graph: TimingGraph, load: Floats, wires: Wires | None) -> None:
        self.graph, self.load = graph, load
        self.thresholds = graph.bound.library.slew_thresholds
        self.pi = None if wires is None else wires.loads(load)
        self.effective, self.slew = load.copy(), np.zeros(graph.nodes)
        self.ramp, self.driver = np.full(graph.nodes, 1e-9), np.zeros(graph.nodes)

    def start(self, nodes: slice, slew: float) -> None:
        """Edges come in at a port as ramps of this transition."""
        low, high = self.thresholds
        self.slew[nodes], self.ramp[nodes] = slew, max(100 * slew / (high - low), 1e-9)

    def behind(self, nodes: Indices, elmore: Floats) -> tuple[Floats, Floats]:
        """Delay and transition behind wires of these Elmore delays; where there is none, nothing changes."""
        delay, slew = np.zeros(len(nodes)), self.slew[nodes]
        wired = np.flatnonzero(elmore > 0)
        if self.pi is not None and len(wired):
            some = nodes[wired]
            edges = DrivenEdges(self.ramp[some], self.driver[some], self.pi.of(some))
            delay[wired], slew[wired] = through_wires(edges, elmore[wired], self.thresholds)
        return delay, slew

    def make(self, level: slice, slew: Floats) -> tuple[Floats, Floats]:
        """Delay and transition of the gates of a level, which are fed edges of these transitions."""
        graph, target = self.graph, self.graph.target[level]

        def delays(load: Floats) -> Floats:
            return graph.tables.look_up(graph.delay_table[level], slew, load)

        def slews(load: Floats) -> Floats:
            return np.maximum(graph.tables.look_up(graph.slew_table[level], slew, load), 0.0)

        if self.pi is None:
            delay, made = delays(self.load[target]), slews(self.load[target])
            starts = np.flatnonzero(np.diff(target, prepend=-1))
            self.slew[target[starts]] = np.maximum.reduceat(made, starts)
            return delay, made
        found = drive(delays, slews, self.pi.of(target), self.thresholds)
        order = np.lexsort((found.slew, target))
        worst = order[np.flatnonzero(np.diff(target[order], append=-1))]
        reached = target[worst]
        self.slew[reached], self.effective[reached] = found.slew[worst], found.effective[worst]
        self.ramp[reached], self.driver[reached] = found.edges.ramp[worst], found.edges.driver[worst]
        return found.delay, found.slew


def loads(bound: BoundNetlist, output_load_ff: float, wires: Wires | None = None) -> Floats:
    """What the driver of each net edge drives (fF): the pins on the net, its wire, and the load on output ports."""
    result = np.zeros(2 * len(bound.netlist.nets)) if wires is None else np.repeat(wires.capacitance, 2)
    for instance, cell in zip(bound.netlist.instances, bound.cells, strict=True):
        for name, net in instance.pins.items():
            pin = cell.pins[name]
            result[2 * net + RISE] += pin.rise
            result[2 * net + FALL] += pin.fall
    for port in bound.netlist.outputs:
        for net in port.nets:
            result[2 * net : 2 * net + 2] += output_load_ff
    return result


def _worst_check(graph: TimingGraph, state: TimingState, row: int) -> TimingPath | None:
    if not len(graph.check_node):
        return None
    arrivals = state.arrival[row, graph.check_node] + state.setup
    worst = int(np.argmax(arrivals))
    if arrivals[worst] == -np.inf:
        return None
    instance = graph.bound.netlist.instances[int(graph.check_instance[worst])]
    return TimingPath(
        points=_trace(graph, state, row, int(graph.check_node[worst])),
        end=f"{instance.name}/{graph.check_pins[int(graph.check_pin[worst])]}",
        setup_ns=float(state.setup[worst]),
        delay_ns=float(arrivals[worst]),
    )


def _worst_output(graph: TimingGraph, state: TimingState, row: int) -> TimingPath | None:
    ends = [
        (float(state.arrival[row, node] + state.to_output[node]), port.bits[bit], node)
        for port in graph.bound.netlist.outputs
        for bit, net in enumerate(port.nets)
        for node in (2 * net + RISE, 2 * net + FALL)
        if net != graph.bound.clock and net not in graph.bound.constants
    ]
    arrival, name, node = max(ends, key=lambda end: end[0], default=(-np.inf, "", 0))
    if arrival == -np.inf:
        return None
    return TimingPath(_trace(graph, state, row, node), name, 0.0, arrival)


def _trace(graph: TimingGraph, state: TimingState, row: int, node: int) -> tuple[PathPoint, ...]:
    """Back along the latest arrivals from a node to where the path begins."""
    by_target = np.argsort(graph.target, kind="stable")
    targets = graph.target[by_target]
    points: list[PathPoint] = []
    while True:
        first, last = np.searchsorted(targets, [node, node + 1])
        incoming = by_target[first:last]
        launched_at_port = not len(incoming)
        edge = -1
        if not launched_at_port:
            edge = int(incoming[np.argmax(state.arrival[row, graph.source[incoming]] + state.delay[incoming])])
        points.append(_point(graph, state, row, node, edge))
        if edge < 0 or graph.launch[edge]:
            return tuple(reversed(points))
        node = int(graph.source[edge])


def _point(graph: TimingGraph, state: TimingState, row: int, node: int, edge: int) -> PathPoint:
    netlist = graph.bound.netlist
    index = int(graph.instance[edge]) if edge >= 0 else -1
    return PathPoint(
        instance=netlist.instances[index].name if edge >= 0 else netlist.nets[node >> 1],
        cell=graph.bound.cells[index].name if edge >= 0 else "",
        pin=graph.arcs[int(graph.arc[edge])].pin if edge >= 0 else "",
        edge=EDGE_NAMES[node & 1],
        arrival_ns=float(state.arrival[row, node]),
        slew_ns=float(state.slew[node]),
        load_ff=float(state.load[node]),
    )


def _overloaded(bound: BoundNetlist, load: Floats) -> tuple[str, ...]:
    found = []
    for instance, cell in zip(bound.netlist.instances, bound.cells, strict=True):
        for name, net in instance.pins.items():
            pin = cell.pins[name]
            limit = pin.max_capacitance
            if pin.direction is PinDirection.OUTPUT and limit is not None and load[2 * net : 2 * net + 2].max() > limit:
                found.append(f"{instance.name}/{name}")
    return tuple(found)


def _delay(path: TimingPath | None) -> float | None:
    return None if path is None else path.delay_ns
