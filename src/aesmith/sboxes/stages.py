"""Register cuts of a publication, as marks in the circuit: blocks that are stages, or wires that are registered."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.pipeline import StagedCircuit, from_registers, from_stages


def stages_by_block(circuit: Circuit, labels: Sequence[str]) -> StagedCircuit:
    """The circuit with each block a stage, in the order of `labels`; all inputs arrive in the first.

    A gate stays in the stage of its block even where an earlier one could hold it.
    """
    stage_of = {label: stage for stage, label in enumerate(labels)}
    stages = [0] * circuit.input_width + [stage_of[circuit.blocks[gate.block]] for gate in circuit.gates]
    return from_stages(circuit, stages, len(labels))


def stages_by_cut(marked: Circuit) -> StagedCircuit:
    """The circuit with its first output port only; every further port names the wires of one cut, the first cut first.

    What a stage needs and its registers do not hold is computed again. Cuts must not add gates of their own.
    """
    width = marked.outputs[0].width
    circuit = dataclasses.replace(marked, outputs=marked.outputs[:1], output_nodes=marked.output_nodes[:width])
    registers, position = [], width
    for port in marked.outputs[1:]:
        registers.append(marked.output_nodes[position : position + port.width])
        position += port.width
    return from_registers(circuit, registers)
