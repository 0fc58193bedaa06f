"""Pipelining for FPGAs: stages are as few look-up tables deep as they can be, then register bits fewest.

A stage that is short in gates need not be short in LUTs: an inversion in GF(2^4) has five levels of gates and is one
LUT.
The circuit is covered with LUTs first; their outputs are what registers may hold. Exact for that cover.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.lut_cover import lut_cover
from aesmith.circuits.pipeline_graph import TICKS, Sink, TimingGraph
from aesmith.circuits.pipeline_retime import fewest_registers
from aesmith.circuits.staged import Arrival, Required, StagedCircuit
from aesmith.errors import RequestError

LUT_INPUTS = 4


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


def _gates_of(circuit: Circuit, graph: TimingGraph, stage: Sequence[int], at: int) -> tuple[int, ...]:
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


def _lut_graph(circuit: Circuit, arrivals: Mapping[str, Arrival], required: Mapping[str, Required]) -> TimingGraph:
    """The cover as a timing graph: nodes inside LUTs take no part, so they stand as constants."""
    cover = lut_cover(circuit, LUT_INPUTS)
    width, size = circuit.input_width, circuit.input_width + len(circuit.gates)
    when = [arrivals.get(port.name, Arrival()) for port in circuit.inputs for _ in range(port.width)]
    need = [required.get(port.name, Required()) for port in circuit.outputs for _ in range(port.width)]
    sinks = {
        Sink(node, taken.stage, round(taken.time * TICKS)): None
        for node, taken in zip(circuit.output_nodes, need, strict=True)
        if node < width or node in cover
    }
    return TimingGraph(
        circuit,
        tuple(cover.get(node, ()) for node in range(size)),
        (*(round(arrival.time * TICKS) for arrival in when), *(TICKS * (n in cover) for n in range(width, size))),
        tuple(arrival.stage for arrival in when),
        tuple(sinks),
        tuple(node >= width and node not in cover for node in range(size)),
        0,
    )
