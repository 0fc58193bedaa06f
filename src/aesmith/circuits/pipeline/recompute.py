"""Recomputing gates after a cut instead of registering them: less area for the same stages and the same period.

The exact cuts of `retiming` compute every gate once. Where a cheap gate's inputs are registered anyway, or fewer than
its results, computing it again is smaller. Which registers are then best is a search: simulated annealing from the
exact cuts, of fixed length and fixed seeds, so that a request has one answer whatever the machine's speed.

A state is the set of registered nodes at each cut; every stage then computes just what must leave it, from what enters
it, so the state fixes gates, area and delay. A move changes one cut; registers that nobody needs any more fall away,
cut after cut towards the inputs. Paths that are too long are paid for, ever more dearly, rather than forbidden.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aesmith.circuits.cost import CostModel
from aesmith.circuits.pipeline.retiming import PipelineGraph
from aesmith.circuits.pipeline.staged import StagedCircuit, from_registers
from aesmith.lazy import compiled, compiled_with_arrays

Flags = NDArray[np.uint8]
Numbers = NDArray[np.int64]

_RUNS = 8
_NODE_VISITS = 200_000_000
_MOVES = 300_000
"""Work of one run: at most so many moves, and at most so many moves times nodes. A second or two."""

_HOT, _COLD = 0.7, 0.05
"""First and last temperature, in register areas."""

_LATENESS = 3.0
"""Price of a path that is too long by one gate, in register areas: high enough to be rare, low enough to be crossed."""


class _Problem(NamedTuple):
    """What is annealed: no stage's logic may take more than `limit` ticks.

    Shapes: `arguments` (nodes, 3), unused -1; `consumers` (nodes, 1 + most), their number first; `delay` and `area`
    (nodes); `arrival` (nodes), an input's stage, -1 for a gate; `sinks`, rows of node, stage and ticks that follow.
    """

    arguments: Numbers
    consumers: Numbers
    delay: Numbers
    area: NDArray[np.float64]
    arrival: Numbers
    sinks: Numbers
    limit: int
    register_area: float


class _Schedule(NamedTuple):
    """How it is annealed: number of moves, first and last temperature, price of a late tick (all in areas), seed."""

    moves: int
    hot: float
    cold: float
    tick_price: float
    seed: int


class _Ranks(NamedTuple):
    """The registers: `marks` (cuts, nodes) 0 or 1, and the same as lists (`members`, `size`) with the place in them."""

    marks: Flags
    members: Numbers
    place: Numbers
    size: Numbers


class _Scratch(NamedTuple):
    """One value a node while a stage is evaluated."""

    need: Flags
    time: Numbers
    used: Flags


def least_area(graph: PipelineGraph, staged: StagedCircuit, limit: int, model: CostModel) -> StagedCircuit:
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
    problem = _Problem(
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
        schedule = _Schedule(
            min(_MOVES, _NODE_VISITS // nodes), _HOT * unit, _COLD * unit, _LATENESS * unit / slowest, seed
        )
        marks, cost = _anneal(start, problem, schedule)
        if cost < least - 1e-9:
            best, least = marks, cost
    registers = [np.flatnonzero(rank).tolist() for rank in best]
    return from_registers(graph.circuit, registers, staged.arrival, staged.required)


@compiled
def _evaluate_stage(stage: int, marks: Flags, problem: _Problem, scratch: _Scratch) -> tuple[float, int, int]:
    """Area of a stage's gates, ticks by which what leaves it is late (summed), and inputs that it lacks.

    Fills `used` with the nodes that it takes from the registers before it.
    """
    arguments, delay, area, arrival = problem.arguments, problem.delay, problem.area, problem.arrival
    sinks, limit = problem.sinks, problem.limit
    need, time, used = scratch
    cuts, nodes = marks.shape
    if stage < cuts:
        for v in range(nodes):
            need[v] = marks[stage, v]
    else:
        need[:] = 0
    for i in range(len(sinks)):
        if sinks[i, 1] == stage:
            need[sinks[i, 0]] = 1
    total = 0.0
    missing = 0
    for v in range(nodes - 1, -1, -1):
        used[v] = 0
        if need[v]:
            if stage > 0 and marks[stage - 1, v]:
                used[v] = 1
            elif arrival[v] >= 0:
                if arrival[v] != stage:
                    missing += 1
            else:
                total += area[v]
                for j in range(3):
                    a = arguments[v, j]
                    if a < 0:
                        break
                    need[a] = 1
    late = 0
    for v in range(nodes):
        if need[v]:
            if used[v]:
                time[v] = 0
            elif arrival[v] >= 0:
                time[v] = delay[v]
            else:
                t = 0
                for j in range(3):
                    a = arguments[v, j]
                    if a < 0:
                        break
                    t = max(t, time[a])
                time[v] = t + delay[v]
            if stage < cuts and marks[stage, v] and time[v] > limit:
                late += time[v] - limit
    for i in range(len(sinks)):
        if sinks[i, 1] == stage:
            t = time[sinks[i, 0]] + sinks[i, 2]
            if t > limit:
                late += t - limit
    return total, late, missing


@compiled
def _toggle(cut: int, node: int, ranks: _Ranks) -> None:
    """Register a node at a cut, or no longer."""
    marks, members, place, size = ranks
    if marks[cut, node]:
        marks[cut, node] = 0
        at = place[cut, node]
        size[cut] -= 1
        last = members[cut, size[cut]]
        members[cut, at] = last
        place[cut, last] = at
        place[cut, node] = -1
    else:
        marks[cut, node] = 1
        members[cut, size[cut]] = node
        place[cut, node] = size[cut]
        size[cut] += 1


@compiled_with_arrays
def _anneal(start: Flags, problem: _Problem, schedule: _Schedule) -> tuple[Flags, float]:
    """Anneal from `start`, the marks (cuts, nodes) of registers; the cheapest state without lateness, and its area."""
    arguments, consumers, arrival = problem.arguments, problem.consumers, problem.arrival
    register_area = problem.register_area
    moves, hot, cold, tick_price, seed = schedule
    np.random.seed(seed)
    cuts, nodes = start.shape
    marks = start.copy()
    best = start.copy()
    scratch = _Scratch(np.zeros(nodes, np.uint8), np.zeros(nodes, np.int64), np.zeros(nodes, np.uint8))
    used = scratch.used
    gates = np.zeros(cuts + 1)
    late = np.zeros(cuts + 1, np.int64)
    members = np.zeros((cuts, nodes), np.int64)
    place = np.full((cuts, nodes), -1, np.int64)
    size = np.zeros(cuts, np.int64)
    ranks = _Ranks(marks, members, place, size)
    for k in range(cuts):
        for v in range(nodes):
            if marks[k, v]:
                members[k, size[k]] = v
                place[k, v] = size[k]
                size[k] += 1
    for k in range(cuts + 1):
        gates[k], late[k], _ = _evaluate_stage(k, marks, problem, scratch)
    cost = gates.sum() + register_area * size.sum()
    lateness = late.sum()
    best_cost = cost
    log_cut = np.zeros(cuts * nodes + 8, np.int64)
    log_node = np.zeros(cuts * nodes + 8, np.int64)
    old_gates = gates.copy()
    old_late = late.copy()
    for move in range(moves):
        progress = move / moves
        temperature = hot * (cold / hot) ** progress
        k = np.random.randint(cuts)
        logged = 0
        kind = np.random.random()
        if size[k] == 0:
            kind = 1.0
        v = members[k, np.random.randint(size[k])] if size[k] else 0
        if kind < 0.2:
            log_cut[logged] = k
            log_node[logged] = v
            logged += 1
        elif kind < 0.5:
            if arrival[v] >= 0:
                continue
            log_cut[logged] = k
            log_node[logged] = v
            logged += 1
            for j in range(3):
                a = arguments[v, j]
                if a < 0:
                    break
                if not marks[k, a]:
                    log_cut[logged] = k
                    log_node[logged] = a
                    logged += 1
        elif kind < 0.85:
            n = consumers[v, 0]
            if n == 0:
                continue
            c = consumers[v, 1 + np.random.randint(n)]
            if marks[k, c]:
                continue
            log_cut[logged] = k
            log_node[logged] = c
            logged += 1
            if kind < 0.65:
                log_cut[logged] = k
                log_node[logged] = v
                logged += 1
        else:
            w = np.random.randint(nodes)
            if marks[k, w]:
                continue
            log_cut[logged] = k
            log_node[logged] = w
            logged += 1
            if kind < 0.93:
                log_cut[logged] = k
                log_node[logged] = v
                logged += 1
        for i in range(logged):
            u = log_node[i]
            _toggle(k, u, ranks)
        old_gates[:] = gates
        old_late[:] = late
        lacking = 0
        stage = k + 1
        while stage >= 0:
            gates[stage], late[stage], missing = _evaluate_stage(stage, marks, problem, scratch)
            lacking += missing
            if lacking:
                break
            changed = stage == k + 1
            if stage > 0:
                i = 0
                while i < size[stage - 1]:
                    u = members[stage - 1, i]
                    if used[u]:
                        i += 1
                    else:
                        _toggle(stage - 1, u, ranks)
                        log_cut[logged] = stage - 1
                        log_node[logged] = u
                        logged += 1
                        changed = True
            if not changed:
                break
            stage -= 1
        accept = False
        if not lacking:
            new_cost = gates.sum() + register_area * size.sum()
            new_late = late.sum()
            rise = new_cost - cost + tick_price * (new_late - lateness)
            accept = rise <= 0 or np.random.random() < np.exp(-rise / temperature)
        if accept:
            cost = new_cost
            lateness = new_late
            if lateness == 0 and cost < best_cost - 1e-9:
                best_cost = cost
                best[:] = marks
        else:
            for i in range(logged - 1, -1, -1):
                _toggle(log_cut[i], log_node[i], ranks)
            gates[:] = old_gates
            late[:] = old_late
    return best, best_cost
