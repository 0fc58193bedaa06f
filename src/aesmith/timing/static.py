"""Static timing of a mapped netlist on the delay tables of its library.

The method is OpenSTA's graph-based one: at each output the worst (largest) transition of all arcs is kept for each
edge, whichever arc is latest; all conditional arcs count; the clock is ideal. Wires have no delay and no load, unless
`Wires` are given: then a driver drives the whole capacitance of its net, and an edge comes to an input pin through a
single pole, the Elmore delay of the way there (OpenSTA's `dmp_ceff_elmore` without shielding by the wire's resistance).
Paths through asynchronous clear and preset pins are left out, and so are arcs that a constant beside them makes
impossible; of the latter OpenSTA keeps some, so that it may be later where gates have constant inputs. A synthesised
netlist has none but the unused resets of flip-flops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np

from aesmith.errors import RequestError
from aesmith.technology.cell import PinDirection, input_capacitance, mean_transition
from aesmith.technology.library import Library
from aesmith.timing.binding import BoundNetlist, bind
from aesmith.timing.graph import EDGE_NAMES, FALL, RISE, Floats, TimingGraph, build_graph
from aesmith.timing.netlist import CellNetlist, read_netlist

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


@dataclass(frozen=True, eq=False)
class Wires:
    """What wires add to a netlist.

    `capacitance[n]` fF of the wire of net n; `elmore` the Elmore delay (ns) from the driver of a net to an input pin,
    by (instance number, pin), and to an output port, by (-1, name of the bit). What it lacks has no delay.
    """

    capacitance: Floats
    elmore: Mapping[tuple[int, str], float]


@dataclass(frozen=True, eq=False)
class WireDelays:
    """The Elmore delays of wires, ns, by number: of the edges of a graph, of its checks, and of its nodes, where the
    net is that of an output port (of several the longest)."""

    edges: Floats
    checks: Floats
    outputs: Floats


def wire_delays(graph: TimingGraph, wires: Wires | None) -> WireDelays:
    """The delays of wires where the graph has its edges, checks and ends. The clock has none: it is ideal."""
    result = WireDelays(np.zeros(len(graph.source)), np.zeros(len(graph.check_node)), np.zeros(graph.nodes))
    if wires is None:
        return result
    elmore, pins = wires.elmore, [arc.related_pin for arc in graph.arcs]
    for e in np.flatnonzero(~graph.launch):
        result.edges[e] = elmore.get((int(graph.instance[e]), pins[graph.arc[e]]), 0.0)
    for c, (instance, pin) in enumerate(zip(graph.check_instance, graph.check_pin, strict=True)):
        result.checks[c] = elmore.get((int(instance), graph.check_pins[pin]), 0.0)
    for port in graph.bound.netlist.outputs:
        for net, bit in zip(port.nets, port.bits, strict=True):
            ends = result.outputs[2 * net : 2 * net + 2]
            ends[:] = np.maximum(ends, elmore.get((-1, bit), 0.0))
    return result


_NEWTON_STEPS = 4


def through_wires(slew: Floats, elmore: Floats, thresholds: tuple[float, float]) -> tuple[Floats, Floats]:
    """Delay and transition (ns) of edges behind single poles with these time constants (ns).

    An edge is a ramp whose transition, between the library's `thresholds` (per cent), is `slew`; the delay is from its
    middle to the middle behind the pole. Where there is no wire, nothing changes.
    """
    delay, behind = np.zeros(len(slew)), slew.copy()
    wired = np.flatnonzero(elmore > 0)
    if not len(wired):
        return delay, behind
    low, high = (share / 100 for share in thresholds)
    tau = elmore[wired]
    ramp = np.maximum(slew[wired] / (high - low), 1e-9)
    delay[wired] = _crossing(ramp, tau, 0.5) - 0.5 * ramp
    behind[wired] = _crossing(ramp, tau, high) - _crossing(ramp, tau, low)
    return delay, behind


def _crossing(ramp: Floats, tau: Floats, level: float) -> Floats:
    """When a ramp from 0 to 1, of this length, reaches `level` behind a pole."""
    at_end = 1 - tau / ramp * -np.expm1(-ramp / tau)
    after = ramp + tau * (np.log(np.maximum(1 - at_end, 1e-300)) - log(1 - level))
    during = level * ramp + tau
    for _ in range(_NEWTON_STEPS):
        decay = np.exp(-during / tau)
        during -= (during - tau * (1 - decay) - level * ramp) / np.maximum(1 - decay, 1e-9)
    return np.where(level <= at_end, during, after)


FROM_REGISTER = 0
FROM_INPUT = 1


@dataclass(frozen=True, eq=False)
class TimingState:
    """Figures on a timing graph, ns and fF.

    `load[node]` what the driver of a net edge drives; `slew[node]` worst transition; `arrival[k, node]` latest arrival
    from flip-flops (k = FROM_REGISTER) or input ports (k = FROM_INPUT), -inf where there is no path;
    `delay[e]`, `edge_slew[e]` delay and output transition of each graph edge; `setup[c]` of each check. Delays of edges
    and setups have those of the wires before them in them; `to_output[node]` that of the wire to an output port.
    """

    load: Floats
    slew: Floats
    arrival: Floats
    delay: Floats
    edge_slew: Floats
    setup: Floats
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
    thresholds = graph.bound.library.slew_thresholds
    wired = wire_delays(graph, wires)
    slew = np.zeros(graph.nodes)
    arrival = np.full((2, graph.nodes), -np.inf)
    for port in graph.data_inputs():
        for net in port.nets:
            slew[2 * net : 2 * net + 2] = conditions.input_slew_ns
            arrival[FROM_INPUT, 2 * net : 2 * net + 2] = 0.0
    if graph.bound.clock is not None:
        arrival[FROM_REGISTER, 2 * graph.bound.clock : 2 * graph.bound.clock + 2] = 0.0
    delay = np.zeros(len(graph.source))
    edge_slew = np.zeros(len(graph.source))
    for level in graph.levels:
        source, target = graph.source[level], graph.target[level]
        if not len(source):
            continue
        (before, here), loading = through_wires(slew[source], wired.edges[level], thresholds), load[target]
        delay[level] = before + graph.tables.look_up(graph.delay_table[level], here, loading)
        edge_slew[level] = np.maximum(graph.tables.look_up(graph.slew_table[level], here, loading), 0.0)
        starts = np.flatnonzero(np.diff(target, prepend=-1))
        reached = target[starts]
        slew[reached] = np.maximum.reduceat(edge_slew[level], starts)
        arrival[:, reached] = np.maximum.reduceat(arrival[:, source] + delay[level], starts, axis=1)
    setup = np.zeros(0)
    if len(graph.check_node):
        before, here = through_wires(slew[graph.check_node], wired.checks, thresholds)
        setup = before + graph.tables.look_up(graph.check_table, np.zeros(len(graph.check_node)), here)
    to_output, _ = through_wires(slew, wired.outputs, thresholds)
    return TimingState(load, slew, arrival, delay, edge_slew, setup, to_output)


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
