"""Pipelining of any circuit: into given stages or for a given period, exactly or with gates computed again, in LUTs."""

from aesmith.circuits.pipeline.luts import lut_cover, lut_depth, pipeline_luts
from aesmith.circuits.pipeline.pipelining import (
    PipelineFigures,
    figures_table,
    pipeline,
    pipeline_figures,
    possible_stages,
    shortest_stage,
    staged_figures,
)
from aesmith.circuits.pipeline.staged import Arrival, Required, StagedCircuit, from_registers, from_stages

__all__ = [
    "Arrival",
    "PipelineFigures",
    "Required",
    "StagedCircuit",
    "figures_table",
    "from_registers",
    "from_stages",
    "lut_cover",
    "lut_depth",
    "pipeline",
    "pipeline_figures",
    "pipeline_luts",
    "possible_stages",
    "shortest_stage",
    "staged_figures",
]
