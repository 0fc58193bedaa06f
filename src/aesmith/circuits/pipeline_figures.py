"""What pipelining a circuit costs and gains, stage number by stage number: the table a designer chooses from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.cost import LEVELS, CostModel
from aesmith.circuits.pipeline import pipeline
from aesmith.circuits.staged import StagedCircuit


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


def figures(staged: StagedCircuit, model: CostModel = LEVELS, *, duplicate: bool = False) -> PipelineFigures:
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
        rows.append(figures(pipeline(circuit, stages=count, model=model), model))
        if duplicate and count > 1:
            again = pipeline(circuit, stages=count, model=model, duplicate=True)
            rows.append(figures(again, model, duplicate=True))
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
