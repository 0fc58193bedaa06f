"""Exact pipelining: the least longest stage, then the fewest register bits for it.

A circuit is taken as a graph with delays in whole ticks (a millionth of the cost model's unit, so that sums are exact
and no result hangs on rounding); constants take no part: they are there in every stage.

Fewest register bits for a given period is minimum-area retiming (Leiserson and Saxe, Algorithmica 1991). On an acyclic
circuit a retiming is a stage for every node. A node's value is registered at every cut between the stage that computes
it and the last stage that uses it, once for all its uses. A period holds if every path longer than it leaves its first
node's stage. Both are differences of two stages, so the constraint matrix is a network matrix and the linear program's
vertices are integral: the optimum is exact without integer programming.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aesmith.circuits.circuit import Circuit, Op, Port
from aesmith.circuits.cost import CostModel
from aesmith.circuits.pipeline.staged import Arrival, Required
from aesmith.errors import RequestError, ToolError
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    from scipy import optimize, sparse
else:
    optimize = LazyModule("scipy.optimize")
    sparse = LazyModule("scipy.sparse")

TICKS = 1_000_000
"""Ticks in one unit of a cost model's delay."""

BEYOND = 1 << 62
"""More ticks and more stages than any circuit has."""

_BLOCK = 1024
"""Nodes whose paths are followed at a time."""


@dataclass(frozen=True)
class Sink:
    """An output node, the stage that takes it (None: the last) and the ticks that follow it there."""

    node: int
    stage: int | None
    delay: int


@dataclass(frozen=True)
class Placement:
    """Earliest place of every node under a period: stage, and the tick in that stage at which it is stable.

    `overflow` is the least delay of a path that was cut because it did not fit: below it, no longer period changes
    anything. None if nothing was cut.
    """

    stage: tuple[int, ...]
    time: tuple[int, ...]
    overflow: int | None


@dataclass(frozen=True)
class PipelineGraph:
    """Nodes are the circuit's (constants have no arguments and are `constant`); delays in ticks.

    An input's delay is its arrival time, `arrival[i]` its stage; `overhead` is what a register costs of every period.
    """

    circuit: Circuit
    arguments: tuple[tuple[int, ...], ...]
    delay: tuple[int, ...]
    arrival: tuple[int, ...]
    sinks: tuple[Sink, ...]
    constant: tuple[bool, ...]
    overhead: int

    def earliest(self, limit: int) -> Placement:
        """Every node as early as it can be if no stage's logic may take longer than `limit` ticks."""
        # One number for stage and tick in it, the later the larger.
        stage_step = max(limit, sum(self.delay)) + 1
        places = [stage * stage_step + time for stage, time in zip(self.arrival, self.delay, strict=False)]
        overflow: int | None = None
        for arguments, delay in zip(self.arguments[len(places) :], self.delay[len(places) :], strict=True):
            stage, start = divmod(max([places[a] for a in arguments], default=0), stage_step)
            end = start + delay
            if end > limit:
                overflow = end if overflow is None else min(overflow, end)
                stage, end = stage + 1, delay
            places.append(stage * stage_step + end)
        stages, times = zip(*(divmod(place, stage_step) for place in places), strict=True) if places else ((), ())
        return Placement(stages, times, overflow)

    def last_stage(self, limit: int) -> tuple[int, int | None]:
        """The fewest stages, less one, in which the circuit fits, and the overflow (see `Placement`), sinks included.

        A sink with a stage of its own that comes too late counts as beyond every number of stages.
        """
        placed = self.earliest(limit)
        last = max((*self.arrival, *(s.stage for s in self.sinks if s.stage is not None)), default=0)
        overflow = placed.overflow
        for sink in self.sinks:
            stage, end = placed.stage[sink.node], placed.time[sink.node] + sink.delay
            if end > limit:
                overflow = end if overflow is None else min(overflow, end)
                stage += 1
            last = max(last, stage) if sink.stage is None or stage <= sink.stage else BEYOND
            if last == BEYOND:
                return BEYOND, overflow
        return last, overflow

    @property
    def longest_path(self) -> int:
        """Ticks of the longest path, without what follows the outputs."""
        return max(self.earliest(BEYOND).time, default=0)

    @property
    def shortest_limit(self) -> int:
        """Ticks that a stage needs at the very least: its slowest gate."""
        return max((*self.delay, *(sink.delay for sink in self.sinks)), default=0)

    def least_limit(self, stages: int) -> int:
        """The least ticks in which the logic of each of `stages` stages can be done. Exact.

        Raises RequestError if the arrival and required stages allow none.
        """
        # What a stage takes is a sum of delays, so only multiples of what divides all of them can be the least.
        unit = gcd(*self.delay, *(sink.delay for sink in self.sinks)) or 1
        low, high = self.shortest_limit, sum(self.delay) + sum(sink.delay for sink in self.sinks)
        if self.last_stage(high)[0] > stages - 1:
            raise RequestError(
                f"{self.circuit.name}: an output is required before an input it depends on arrives; "
                f"required stages must not lie before arrival stages"
            )
        while low < high:
            middle = (low + high) // 2 // unit * unit
            last, overflow = self.last_stage(middle)
            if last <= stages - 1:
                high = middle
            else:
                low = middle + unit if overflow is None else overflow
        return low


def pipeline_graph(
    circuit: Circuit, model: CostModel, arrivals: Mapping[str, Arrival], required: Mapping[str, Required]
) -> PipelineGraph:
    """The circuit under a cost model, with the given ports' arrivals and requirements (others: first, last stage).

    Raises RequestError for an unknown port, a negative stage or a negative time.
    """
    _check_ports(circuit, "arrivals", circuit.inputs, arrivals)
    _check_ports(circuit, "required", circuit.outputs, required)
    arrival: list[int] = []
    delay: list[int] = []
    for port in circuit.inputs:
        when = arrivals.get(port.name, Arrival())
        arrival += [when.stage] * port.width
        delay += [round(when.time * TICKS)] * port.width
    constant = [False] * circuit.input_width
    arguments: list[tuple[int, ...]] = [()] * circuit.input_width
    for gate in circuit.gates:
        constant.append(gate.op in (Op.ZERO, Op.ONE))
        arguments.append(tuple(sorted({a for a in gate.args if not constant[a]})))
        delay.append(0 if constant[-1] else round(model.delay[gate.op] * TICKS))
    sinks: dict[Sink, None] = {}
    position = 0
    for port in circuit.outputs:
        need = required.get(port.name, Required())
        for node in circuit.output_nodes[position : position + port.width]:
            if not constant[node]:
                sinks[Sink(node, need.stage, round(need.time * TICKS))] = None
        position += port.width
    return PipelineGraph(
        circuit,
        tuple(arguments),
        tuple(delay),
        tuple(arrival),
        tuple(sinks),
        tuple(constant),
        round(model.register_delay * TICKS),
    )


def _check_ports(
    circuit: Circuit, field: str, ports: tuple[Port, ...], given: Mapping[str, Arrival] | Mapping[str, Required]
) -> None:
    names = [port.name for port in ports]
    for name, when in given.items():
        if name not in names:
            raise RequestError(f"{field}: {circuit.name} has no such port {name}; it has {', '.join(names)}")
        if (when.stage is not None and when.stage < 0) or when.time < 0:
            raise RequestError(f"{field}: stage and time of port {name} must not be negative, not {when}")


def fewest_registers(graph: PipelineGraph, stages: int, limit: int) -> tuple[int, ...]:
    """The stage of every node for which the register bits are fewest, no stage's logic taking more than `limit` ticks.

    Constants get stage 0. The period must be possible (`PipelineGraph.last_stage`).
    """
    nodes = len(graph.delay)
    earliest = graph.earliest(limit).stage
    lower = [0 if graph.constant[v] else earliest[v] for v in range(nodes)]
    upper = [0 if graph.constant[v] else stages - 1 for v in range(nodes)]
    for i, stage in enumerate(graph.arrival):
        upper[i] = stage
    differences, before_sink = _long_pairs(graph, limit)
    pairs = dict.fromkeys(differences, 1)
    for node, arguments in enumerate(graph.arguments):
        for argument in arguments:
            pairs.setdefault((argument, node), 0)
    last_use = [0] * nodes
    for sink, late in zip(graph.sinks, before_sink, strict=True):
        stage = stages - 1 if sink.stage is None else sink.stage
        last_use[sink.node] = max(last_use[sink.node], stage)
        upper[sink.node] = min(upper[sink.node], stage)
        for node in late:
            upper[node] = min(upper[node], stage - 1)
    uses = [(argument, node, 0) for node, arguments in enumerate(graph.arguments) for argument in arguments]
    return least_lifetimes(
        pairs, uses, list(zip(lower, upper, strict=True)), last_use, stages=stages, name=graph.circuit.name
    )


def least_lifetimes(
    distances: Mapping[tuple[int, int], int],
    uses: Iterable[tuple[int, int, int]],
    ranges: Sequence[tuple[int, int]],
    last_use: Sequence[int],
    *,
    stages: int,
    name: str,
) -> tuple[int, ...]:
    """The stage of every node for which the sum of lifetimes is least: from a node's stage to that of its last use.

    `distances`: of a pair of nodes, how many stages the second one is behind the first at least. `uses`: a node, one
    that uses it, and how many stages behind its user's that use is. `ranges`: the first and last stage of each node;
    `last_use`: the least stage of its last use. All are differences of two stages, so that the linear program's
    vertices are integral. Raises ToolError if there is no solution; `name` is what it speaks of.
    """
    nodes = len(ranges)
    # Variables: the stage of each node, then the stage of its last use. Rows: first - second <= bound.
    rows = [(first, second, -distance) for (first, second), distance in distances.items()]
    rows += [(user, nodes + node, -behind) for node, user, behind in uses]
    rows += [(node, nodes + node, 0) for node in range(nodes)]
    index = np.array([row[:2] for row in rows]).ravel()
    values = np.tile([1.0, -1.0], len(rows))
    matrix = sparse.csr_matrix((values, index, np.arange(0, 2 * len(rows) + 1, 2)), shape=(len(rows), 2 * nodes))
    cost = np.concatenate([np.full(nodes, -1.0), np.full(nodes, 1.0)])
    limits = [*ranges, *((last, stages - 1) for last in last_use)]
    bounds = [bound for _, _, bound in rows]
    result = optimize.linprog(cost, A_ub=matrix, b_ub=bounds, bounds=limits, method="highs-ds")
    if not result.success:
        raise ToolError(f"scipy: HiGHS did not solve the retiming of {name}: {result.message}")
    return tuple(int(s) for s in np.rint(result.x[:nodes]))


def _long_pairs(graph: PipelineGraph, limit: int) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Pairs of nodes whose longest path (both included) exceeds `limit`, and for each sink the nodes too far from it.

    A pair is left out where another one on the same path implies it.
    """
    nodes = len(graph.delay)
    too_long = np.zeros((nodes, nodes), dtype=bool)
    to_sink: list[list[int]] = [[] for _ in graph.sinks]
    for start in range(0, nodes, _BLOCK):
        block = np.arange(start, min(start + _BLOCK, nodes))
        distance: NDArray[np.int64] = np.full((nodes, len(block)), -1, dtype=np.int64)
        for node, arguments in enumerate(graph.arguments):
            row = distance[node]
            for argument in arguments:
                np.maximum(row, distance[argument], out=row)
            row[row >= 0] += graph.delay[node]
            if start <= node < start + len(block) and not graph.constant[node]:
                row[node - start] = graph.delay[node]
        too_long[:, block] = distance > limit
        for i, sink in enumerate(graph.sinks):
            row = distance[sink.node]
            to_sink[i] += block[(row >= 0) & (row + sink.delay > limit)].tolist()
    implied = np.zeros_like(too_long)
    for node, arguments in enumerate(graph.arguments):
        for argument in arguments:
            implied[node] |= too_long[argument]
            implied[:, argument] |= too_long[:, node]
    second, first = np.nonzero(too_long & ~implied)
    return list(zip(first.tolist(), second.tolist(), strict=True)), to_sink
