"""Pipelining of any circuit: least longest stage first, then fewest register bits, both exact.

The hand placement of pipeline registers in the publications (Lin et al.; Teng et al.; Zhang and Parhi, 2004; Wang and
Heys) is one choice among these; with `duplicate`, gates that cost less than a register are computed again after a cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.cost import LEVELS, UNIT, CostModel
from aesmith.circuits.pipeline.retiming import BEYOND, TICKS, PipelineGraph, fewest_registers, pipeline_graph
from aesmith.circuits.pipeline.staged import Arrival, Required, StagedCircuit, from_stages
from aesmith.errors import RequestError
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    from aesmith.circuits.pipeline import recompute
else:
    recompute = LazyModule("aesmith.circuits.pipeline.recompute")


def pipeline(
    circuit: Circuit,
    *,
    stages: int | None = None,
    period: float | None = None,
    model: CostModel = UNIT,
    arrivals: Mapping[str, Arrival] | None = None,
    required: Mapping[str, Required] | None = None,
    duplicate: bool = False,
    relax: float = 0.0,
) -> StagedCircuit:
    """Cut a circuit into pipeline stages.

    With `stages`, the longest stage is as short as it can be (plus `relax`, in the model's delay unit: a longer stage
    often needs far fewer registers); with `period`, there are as few stages as a clock of that period allows, the
    model's register delay being part of the period. Then register bits are fewest: without `duplicate` exactly so, with
    every gate computed once. With `duplicate` the area of gates and registers in the model is made small instead, by a
    search of fixed length that never does worse than the exact cuts; the same request gives the same result.

    `arrivals` and `required` say, port by port, in which stage inputs come and outputs are taken (default: first and
    last). Raises RequestError for a request outside the possible range, which the message names.
    """
    graph = pipeline_graph(circuit, model, arrivals or {}, required or {})
    count, limit = _stages_and_limit(graph, stages, period, model, relax)
    stage = fewest_registers(graph, count, limit)
    arrival = tuple((arrivals or {}).get(port.name, Arrival()) for port in circuit.inputs for _ in range(port.width))
    need = tuple((required or {}).get(port.name, Required()) for port in circuit.outputs for _ in range(port.width))
    staged = from_stages(circuit, stage, count, arrival, need)
    return recompute.least_area(graph, staged, limit, model) if duplicate and count > 1 else staged


def shortest_stage(
    circuit: Circuit,
    stages: int,
    model: CostModel,
    arrivals: Mapping[str, Arrival],
    required: Mapping[str, Required],
) -> float:
    """The delay of the longest stage if `pipeline` cuts a circuit into `stages`, without finding the registers."""
    graph = pipeline_graph(circuit, model, arrivals, required)
    return _stages_and_limit(graph, stages, None, model, 0.0)[1] / TICKS


def possible_stages(circuit: Circuit, model: CostModel = UNIT, arrivals: Mapping[str, Arrival] | None = None) -> range:
    """The numbers of stages into which a circuit can be cut: 1 to the number of gates on its longest path.

    Gates without delay in the model do not count. Inputs that arrive in later stages move both ends up.
    """
    return _possible_stages(pipeline_graph(circuit, model, arrivals or {}, {}))


def _possible_stages(graph: PipelineGraph) -> range:
    width = graph.circuit.input_width
    levels = replace(
        graph,
        delay=(0,) * width + tuple(min(1, delay) for delay in graph.delay[width:]),
        sinks=tuple(replace(sink, delay=0) for sink in graph.sinks),
    )
    first = max((*graph.arrival, *(sink.stage for sink in graph.sinks if sink.stage is not None)), default=0)
    return range(first + 1, max(levels.earliest(1).stage, default=0) + 2)


def _stages_and_limit(
    graph: PipelineGraph, stages: int | None, period: float | None, model: CostModel, relax: float
) -> tuple[int, int]:
    """The number of stages, and the ticks of logic that each may have."""
    name = graph.circuit.name
    unit = model.delay_unit
    if (stages is None) == (period is None):
        given = "neither" if stages is None else "both"
        raise RequestError(f"stages, period: {name} is pipelined by one of the two; {given} given")
    if not relax >= 0:
        raise RequestError(f"relax: must not be negative, not {relax:g} {unit}")
    if stages is not None:
        possible = _possible_stages(graph)
        if stages not in possible:
            raise RequestError(
                f"stages: must be {possible[0]} to {possible[-1]} for {name} "
                f"(its longest path has {_longest_path_gates(graph)} gates), not {stages}"
            )
        return stages, graph.least_limit(stages) + round(relax * TICKS)
    assert period is not None
    shortest = graph.shortest_limit
    limit = round(period * TICKS) - graph.overhead if 0 < period < BEYOND / TICKS else 0
    if not limit >= shortest:
        register = f" and its register's {model.register_delay:g} {unit}" if graph.overhead else ""
        raise RequestError(
            f"period: must be at least {(shortest + graph.overhead) / TICKS:g} {unit} for {name} "
            f"(its slowest gate's {shortest / TICKS:g} {unit}{register}), not {period:g}"
        )
    last, _ = graph.last_stage(limit)
    if last == BEYOND:
        fixed = max(graph.arrival + tuple(sink.stage for sink in graph.sinks if sink.stage is not None))
        least = (graph.least_limit(fixed + 1) + graph.overhead) / TICKS
        raise RequestError(
            f"period: must be at least {least:g} {unit} for {name}, whose outputs are required in given stages, "
            f"not {period:g}"
        )
    return last + 1, limit


def _longest_path_gates(graph: PipelineGraph) -> int:
    """Gates with a delay on the path that has most of them."""
    gates: list[int] = []
    for arguments, delay in zip(graph.arguments, graph.delay, strict=True):
        gates.append(max((gates[a] for a in arguments), default=0) + (1 if arguments and delay else 0))
    return max(gates, default=0)


@dataclass(frozen=True)
class PipelineFigures:
    """One staged circuit under a cost model: `period` includes the register's delay, `area` gates and registers."""

    stages: int
    duplicate: bool
    stage_delays: tuple[float, ...]
    period: float
    register_bits: int
    gates: int
    area: float


def staged_figures(staged: StagedCircuit, model: CostModel = LEVELS, *, duplicate: bool = False) -> PipelineFigures:
    """The figures of a staged circuit, however its cuts were made; `duplicate` only says how."""
    return PipelineFigures(
        staged.stages,
        duplicate,
        staged.stage_delays(model),
        staged.period(model),
        staged.register_bits,
        staged.gate_count,
        staged.area(model),
    )


def pipeline_figures(
    circuit: Circuit, stages: Iterable[int], model: CostModel = LEVELS, *, duplicate: bool = False
) -> list[PipelineFigures]:
    """The circuit in each of these numbers of stages, cut exactly and, with `duplicate`, also with gates recomputed."""
    rows = []
    for count in stages:
        rows.append(staged_figures(pipeline(circuit, stages=count, model=model), model))
        if duplicate and count > 1:
            again = pipeline(circuit, stages=count, model=model, duplicate=True)
            rows.append(staged_figures(again, model, duplicate=True))
    return rows


def figures_table(rows: Sequence[PipelineFigures], model: CostModel = LEVELS) -> str:
    """The figures as a Markdown table, one line a staged circuit."""
    period, area = f"period ({model.delay_unit})", f"area ({model.area_unit})"
    lines = [f"| stages | gates recomputed | {period} | register bits | gates | {area} |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row.stages} | {'yes' if row.duplicate else 'no'} | {row.period:g} | {row.register_bits} | {row.gates} | "
        f"{row.area:.1f} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"
