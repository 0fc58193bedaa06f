"""Cuts by levels of LUTs: covers are covers, stages as shallow as possible, and the function stays."""

from __future__ import annotations

import random

import numpy as np
import pytest

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.pipeline import Arrival, Required, StagedCircuit, lut_cover, lut_depth, pipeline, pipeline_luts
from aesmith.errors import RequestError
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function


def parity(width: int) -> Circuit:
    """A chain of XORs, as deep as can be."""
    builder = CircuitBuilder("parity")
    x = builder.input("x", width)
    total = x[0]
    for bit in x[1:]:
        total = builder.xor(total, bit)
    builder.output("y", [total])
    return builder.build()


def levels_between_registers(staged: StagedCircuit) -> int:
    """LUT levels of the deepest stage, each stage covered for itself from what it has."""
    deepest = 0
    for stage in range(staged.stages):
        builder = CircuitBuilder("stage")
        wires = {node: builder.input(f"n{node}", 1)[0] for node in staged.available(stage)}
        for node in staged.gates[stage]:
            gate = staged.circuit.gates[node - staged.circuit.input_width]
            wires[node] = builder.gate(gate.op, *(wires[a] for a in gate.args))
        leaving = {staged.circuit.output_nodes[i] for i in staged.leaving(stage)}
        leaving |= set(staged.registers[stage]) if stage < staged.latency else set()
        for node in leaving:
            builder.output(f"o{node}", [wires[node]])
        if leaving:
            deepest = max(deepest, lut_depth(builder.build()))
    return deepest


@pytest.mark.parametrize(("width", "inputs", "depth"), [(4, 4, 1), (5, 4, 2), (16, 4, 5), (16, 6, 3), (2, 4, 1)])
def test_a_chain_is_as_deep_as_its_structure_makes_it(width: int, inputs: int, depth: int) -> None:
    circuit = parity(width)
    assert lut_depth(circuit, inputs) == depth
    assert len(lut_cover(circuit, inputs)) == depth


@pytest.mark.parametrize("name", ["zhang2004", "boyar2012-derived", "table"])
def test_a_cover_computes_what_is_wanted_from_few_inputs(name: str) -> None:
    circuit = sbox(name).circuit(Function.FORWARD)
    cover = lut_cover(circuit)
    assert {node for node in circuit.output_nodes if node >= circuit.input_width} <= set(cover)
    for node, leaves in cover.items():
        assert len(leaves) <= 4
        inside, waiting = set(), [node]
        while waiting:
            gate = circuit.gates[waiting.pop() - circuit.input_width]
            for argument in gate.args:
                if argument not in leaves and argument not in inside:
                    assert argument >= circuit.input_width, (
                        f"{node} needs input {argument}, which its LUT does not read"
                    )
                    inside.add(argument)
                    waiting.append(argument)
        assert all(leaf < circuit.input_width or leaf in cover for leaf in leaves)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_a_pipeline_computes_the_circuit_in_stages_of_that_many_levels(stages: int) -> None:
    circuit = sbox("zhang2004").circuit(Function.FORWARD)
    staged, levels = pipeline_luts(circuit, stages)
    assert levels == -(-lut_depth(circuit) // stages)
    # What is registered inside another LUT's cone may save a level, never cost one but for its fifth input.
    assert levels_between_registers(staged) <= levels
    inputs = np.array([[random.Random(bit).getrandbits(64) for bit in range(8)]], dtype=np.uint64)
    words = np.repeat(inputs, stages, axis=0)
    assert (staged.simulate(words)[-1] == circuit.evaluate(inputs[0])).all()


def test_stages_short_in_luts_need_fewer_registers_than_stages_short_in_gates() -> None:
    circuit = sbox("zhang2004").circuit(Function.FORWARD)
    by_luts, levels = pipeline_luts(circuit, 4)
    by_gates = pipeline(circuit, stages=4, model=LEVELS)
    assert levels <= levels_between_registers(by_gates)
    assert by_luts.register_bits < by_gates.register_bits


def test_more_levels_save_registers() -> None:
    circuit = sbox("zhang2004").circuit(Function.FORWARD)
    exact, levels = pipeline_luts(circuit, 4)
    relaxed, more = pipeline_luts(circuit, 4, levels=levels + 1)
    assert more == levels + 1
    assert relaxed.register_bits < exact.register_bits


def test_inputs_come_and_outputs_go_when_they_are_said_to() -> None:
    builder = CircuitBuilder("late")
    a, b = builder.input("a", 1), builder.input("b", 1)
    builder.output("y", [builder.xor(a[0], b[0])])
    builder.output("z", [builder.not_(a[0])])
    staged, _ = pipeline_luts(
        builder.build(), 2, arrivals={"b": Arrival(1)}, required={"z": Required(stage=0)}, levels=1
    )
    assert staged.register_bits == 1
    assert [when.stage for when in staged.arrival] == [0, 1]
    assert [need.stage for need in staged.required] == [1, 0]


def test_more_stages_than_luts_are_refused() -> None:
    with pytest.raises(RequestError, match=r"stages: must be 1 to 2 for parity .*that many LUTs.*, not 3"):
        pipeline_luts(parity(7), 3)
