"""Recomputing gates after a cut instead of registering them: less area for the same stages and the same period.

The exact cuts of `pipeline_retime` compute every gate once. Where a cheap gate's inputs are registered anyway, or fewer
than its results, computing it again is smaller. Which registers are then best is a search: annealing from the exact
cuts, of fixed length and fixed seeds, so that a request has one answer whatever the machine's speed.
"""

from __future__ import annotations

import numpy as np

from aesmith.circuits.cost import CostModel
from aesmith.circuits.pipeline_anneal import Problem, Schedule, anneal
from aesmith.circuits.pipeline_graph import TimingGraph
from aesmith.circuits.staged import StagedCircuit, from_registers

_RUNS = 8
_NODE_VISITS = 200_000_000
_MOVES = 300_000
"""Work of one run: at most so many moves, and at most so many moves times nodes. A second or two."""

_HOT, _COLD = 0.7, 0.05
"""First and last temperature, in register areas."""

_LATENESS = 3.0
"""Price of a path that is too long by one gate, in register areas: high enough to be rare, low enough to be crossed."""


def recompute(graph: TimingGraph, staged: StagedCircuit, limit: int, model: CostModel) -> StagedCircuit:
    """The staged circuit of least area found whose stages' logic takes at most `limit` ticks.

    Starts from `staged` (exact cuts for the same limit) and never has more area in `model`. Returns `staged` itself
    where a register costs nothing.
    """
    if not model.register_area > 0:
        return staged
    nodes, width = len(graph.delay), graph.circuit.input_width
    arguments = np.full((nodes, 3), -1, dtype=np.int64)
    users: list[list[int]] = [[] for _ in range(nodes)]
    for node, given in enumerate(graph.arguments):
        arguments[node, : len(given)] = given
        for argument in given:
            users[argument].append(node)
    consumers = np.zeros((nodes, 1 + max(map(len, users))), dtype=np.int64)
    for node, using in enumerate(users):
        consumers[node, : 1 + len(using)] = [len(using), *using]
    area = np.array([0.0] * width + [model.area[gate.op] for gate in graph.circuit.gates])
    arrival = np.full(nodes, -1, dtype=np.int64)
    arrival[:width] = graph.arrival
    start = np.zeros((staged.stages - 1, nodes), dtype=np.uint8)
    for cut, rank in enumerate(staged.registers):
        start[cut, list(rank)] = 1
    sinks = np.array(
        [(sink.node, staged.stages - 1 if sink.stage is None else sink.stage, sink.delay) for sink in graph.sinks],
        dtype=np.int64,
    ).reshape(-1, 3)
    slowest = max(max(graph.delay[width:], default=0), 1)
    problem = Problem(
        arguments,
        consumers,
        np.array(graph.delay, dtype=np.int64),
        area,
        arrival,
        sinks,
        limit,
        float(model.register_area),
    )
    unit = model.register_area
    best, least = start, staged.area(model)
    for seed in range(_RUNS):
        schedule = Schedule(
            min(_MOVES, _NODE_VISITS // nodes), _HOT * unit, _COLD * unit, _LATENESS * unit / slowest, seed
        )
        marks, cost = anneal(start, problem, schedule)
        if cost < least - 1e-9:
            best, least = marks, cost
    registers = [np.flatnonzero(rank).tolist() for rank in best]
    return from_registers(graph.circuit, registers, staged.arrival, staged.required)
