"""Pipelining for FPGAs: stages are as few look-up tables deep as they can be, then register bits fewest.

A stage that is short in gates need not be short in LUTs: an inversion in GF(2^4) has five levels of gates and is one
LUT. So the circuit is covered with LUTs first; their outputs are what registers may hold. Exact for that cover.

A LUT of k inputs is any function of them. The cover is found by enumeration of cuts: each node is given the LUT whose
inputs are the least deep, of several such the one with the least area flow (Cong and Ding, 1994; Mishchenko et al.,
2007).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.pipeline.retiming import TICKS, PipelineGraph, Sink, fewest_registers
from aesmith.circuits.pipeline.staged import Arrival, Required, StagedCircuit
from aesmith.errors import RequestError

LUT_INPUTS = 4
"""Inputs of the tables that `pipeline_luts` covers with."""

_KEPT = 16
"""Cuts kept for each node: the best by depth, then by area flow."""


def pipeline_luts(
    circuit: Circuit,
    stages: int,
    *,
    arrivals: Mapping[str, Arrival] | None = None,
    required: Mapping[str, Required] | None = None,
    levels: int = 0,
) -> tuple[StagedCircuit, int]:
    """The staged circuit, and the LUT levels of its longest stage: as few as possible, or `levels` if that is more.

    Times of `arrivals` and `required` are LUT levels; both are as in `pipeline`. Raises RequestError for more stages
    than the longest path has LUTs, or requirements that arrivals make impossible.
    """
    graph = _lut_graph(circuit, arrivals or {}, required or {})
    most = graph.last_stage(TICKS)[0] + 1
    if not 1 <= stages <= most:
        raise RequestError(
            f"stages: must be 1 to {most} for {circuit.name} (its longest path has that many LUTs of {LUT_INPUTS} "
            f"inputs), not {stages}"
        )
    limit = max(graph.least_limit(stages), levels * TICKS)
    stage = fewest_registers(graph, stages, limit)
    last_use = list(stage)
    for node, leaves in enumerate(graph.arguments):
        for leaf in leaves:
            last_use[leaf] = max(last_use[leaf], stage[node])
    for sink in graph.sinks:
        last_use[sink.node] = max(last_use[sink.node], stages - 1 if sink.stage is None else sink.stage)
    ranks = [
        [n for n, at in enumerate(stage) if at <= cut < last_use[n] and not graph.constant[n]]
        for cut in range(stages - 1)
    ]
    when = [(arrivals or {}).get(port.name, Arrival()) for port in circuit.inputs for _ in range(port.width)]
    need = [(required or {}).get(port.name, Required()) for port in circuit.outputs for _ in range(port.width)]
    gates = [_gates_of(circuit, graph, stage, at) for at in range(stages)]
    return StagedCircuit(circuit, tuple(gates), tuple(map(tuple, ranks)), tuple(when), tuple(need)), -(-limit // TICKS)


def _gates_of(circuit: Circuit, graph: PipelineGraph, stage: Sequence[int], at: int) -> tuple[int, ...]:
    """The gates of the LUTs of a stage, each from what its LUT reads.

    A node inside one LUT that another one of the stage reads from a register is taken from there by both.
    """
    width = circuit.input_width
    roots = [n for n, leaves in enumerate(graph.arguments) if n >= width and not graph.constant[n] and stage[n] == at]
    read = {leaf for root in roots for leaf in graph.arguments[root] if leaf < width or stage[leaf] < at}
    found: set[int] = set()
    for root in roots:
        waiting, ends = [root], read | set(graph.arguments[root])
        while waiting:
            node = waiting.pop()
            found.add(node)
            waiting += [a for a in circuit.gates[node - width].args if a not in ends and a not in found]
    constants = {n for n in circuit.output_nodes if n >= width and not circuit.gates[n - width].args}
    return tuple(sorted(found | constants))


def _lut_graph(circuit: Circuit, arrivals: Mapping[str, Arrival], required: Mapping[str, Required]) -> PipelineGraph:
    """The cover as a pipeline graph: nodes inside LUTs take no part, so they stand as constants."""
    cover = lut_cover(circuit, LUT_INPUTS)
    width, size = circuit.input_width, circuit.input_width + len(circuit.gates)
    when = [arrivals.get(port.name, Arrival()) for port in circuit.inputs for _ in range(port.width)]
    need = [required.get(port.name, Required()) for port in circuit.outputs for _ in range(port.width)]
    sinks = {
        Sink(node, taken.stage, round(taken.time * TICKS)): None
        for node, taken in zip(circuit.output_nodes, need, strict=True)
        if node < width or node in cover
    }
    return PipelineGraph(
        circuit,
        tuple(cover.get(node, ()) for node in range(size)),
        (*(round(arrival.time * TICKS) for arrival in when), *(TICKS * (n in cover) for n in range(width, size))),
        tuple(arrival.stage for arrival in when),
        tuple(sinks),
        tuple(node >= width and node not in cover for node in range(size)),
        0,
    )


def lut_cover(circuit: Circuit, inputs: int = LUT_INPUTS) -> Mapping[int, tuple[int, ...]]:
    """The nodes that are outputs of LUTs, ascending, each with the nodes that its LUT reads (constants left out)."""
    leaves = _best_cuts(circuit, inputs)
    wanted = [node for node in circuit.output_nodes if node >= circuit.input_width]
    cover: dict[int, tuple[int, ...]] = {}
    while wanted:
        node = wanted.pop()
        if node in cover or _is_constant(circuit, node):
            continue
        cover[node] = leaves[node]
        wanted += [leaf for leaf in leaves[node] if leaf >= circuit.input_width]
    return dict(sorted(cover.items()))


def lut_depth(circuit: Circuit, inputs: int = LUT_INPUTS) -> int:
    """LUTs on the longest path of the cover."""
    depth: dict[int, int] = {}
    for node, leaves in lut_cover(circuit, inputs).items():
        depth[node] = 1 + max((depth.get(leaf, 0) for leaf in leaves), default=0)
    return max(depth.values(), default=0)


def _best_cuts(circuit: Circuit, inputs: int) -> list[tuple[int, ...]]:
    width = circuit.input_width
    depth, flow = [0] * width, [0.0] * width
    cuts = [[frozenset([node])] for node in range(width)]
    best: list[tuple[int, ...]] = [()] * width
    uses = circuit.fanout()
    for node, gate in enumerate(circuit.gates, width):
        if gate.op in (Op.ZERO, Op.ONE):
            found = [frozenset[int]()]
        else:
            merged = {frozenset[int]()}
            for argument in gate.args:
                merged = {one | other for one in merged for other in cuts[argument] if len(one | other) <= inputs}
            found = [cut for cut in merged if not any(other < cut for other in merged)]
        cost = {cut: (max((depth[n] for n in cut), default=-1), sum(flow[n] for n in cut), len(cut)) for cut in found}
        found.sort(key=lambda cut: (cost[cut], sorted(cut)))
        depth.append(cost[found[0]][0] + 1)
        flow.append((1 + cost[found[0]][1]) / max(1, uses[node]) if found[0] else 0.0)
        best.append(tuple(sorted(found[0])))
        cuts.append([*found[:_KEPT], *([frozenset([node])] if found[0] else [])])
    return best


def _is_constant(circuit: Circuit, node: int) -> bool:
    return circuit.gates[node - circuit.input_width].op in (Op.ZERO, Op.ONE)
