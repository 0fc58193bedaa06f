"""Fewest register bits for a given period: minimum-area retiming (Leiserson and Saxe, Algorithmica 1991).

On an acyclic circuit a retiming is a stage for every node. A node's value is registered at every cut between the stage
that computes it and the last stage that uses it, once for all its uses. A period holds if every path longer than it
leaves its first node's stage. Both are differences of two stages, so the constraint matrix is a network matrix and the
linear program's vertices are integral: the optimum is exact without integer programming.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from aesmith.circuits.pipeline_graph import TimingGraph
from aesmith.errors import ToolError

_BLOCK = 1024


def fewest_registers(graph: TimingGraph, stages: int, limit: int) -> tuple[int, ...]:
    """The stage of every node for which the register bits are fewest, no stage's logic taking more than `limit` ticks.

    Constants get stage 0. The period must be possible (`TimingGraph.last_stage`).
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
    # Variables: the stage of each node, then the stage of its last use. Rows: coefficients · variables <= bound.
    rows: list[tuple[int, int]] = []
    bounds: list[int] = []
    for (first, second), distance in pairs.items():
        rows.append((first, second))
        bounds.append(-distance)
    for node, arguments in enumerate(graph.arguments):
        for argument in arguments:
            rows.append((node, nodes + argument))
            bounds.append(0)
    for node in range(nodes):
        rows.append((node, nodes + node))
        bounds.append(0)
    index = np.array(rows).ravel()
    values = np.tile([1.0, -1.0], len(rows))
    matrix = csr_matrix((values, index, np.arange(0, 2 * len(rows) + 1, 2)), shape=(len(rows), 2 * nodes))
    cost = np.concatenate([np.full(nodes, -1.0), np.full(nodes, 1.0)])
    limits = [*zip(lower, upper, strict=True), *((last, stages - 1) for last in last_use)]
    result = linprog(cost, A_ub=matrix, b_ub=bounds, bounds=limits, method="highs-ds")
    if not result.success:
        raise ToolError(f"scipy: HiGHS did not solve the retiming of {graph.circuit.name}: {result.message}")
    return tuple(int(s) for s in np.rint(result.x[:nodes]))


def _long_pairs(graph: TimingGraph, limit: int) -> tuple[list[tuple[int, int]], list[list[int]]]:
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
