"""Staged circuits: a circuit cut into pipeline stages by ranks of registers.

Stage 0 is the first; cut k lies between stage k and stage k+1. A gate may stand in several stages: then it is computed
again after a cut because that is cheaper than to register it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aesmith.circuits.circuit import Circuit, evaluate_gates, ints_from, words_from
from aesmith.circuits.cost import CostModel
from aesmith.errors import RequestError


@dataclass(frozen=True)
class Arrival:
    """When an input comes: in pipeline stage `stage` (0 is the first), `time` after that stage begins.

    `time` is in the cost model's delay unit: the delay of whatever logic stands before the circuit in that stage.
    """

    stage: int = 0
    time: float = 0.0


@dataclass(frozen=True)
class Required:
    """When an output is taken: in pipeline stage `stage` (None: the last), `time` before that stage ends.

    `time` is in the cost model's delay unit: the delay of whatever logic follows the circuit in that stage.
    """

    stage: int | None = None
    time: float = 0.0


@dataclass(frozen=True)
class StagedCircuit:
    """A circuit, the nodes each stage computes, and the nodes registered at each cut.

    `gates[k]` are the gate nodes that stage k computes, ascending; an argument that stage k does not compute itself
    comes from the registers before it, or is an input that arrives in that stage. `registers[k]` are the nodes held at
    cut k, ascending. `arrival` says when each input bit comes, `required` when each output bit is taken (both in flat
    order; empty: first and last stage). Raises RequestError if a stage uses what it does not have.
    """

    circuit: Circuit
    gates: tuple[tuple[int, ...], ...]
    registers: tuple[tuple[int, ...], ...]
    arrival: tuple[Arrival, ...] = ()
    required: tuple[Required, ...] = ()

    def __post_init__(self) -> None:
        name, width = self.circuit.name, self.circuit.input_width
        last = len(self.gates) - 1
        required = self.required or (Required(),) * self.circuit.output_width
        required = tuple(Required(last if need.stage is None else need.stage, need.time) for need in required)
        object.__setattr__(self, "required", required)
        object.__setattr__(self, "arrival", self.arrival or (Arrival(),) * width)
        if len(self.arrival) != width or len(required) != self.circuit.output_width:
            raise RequestError(f"{name}: needs an arrival an input bit and a requirement an output bit, or none")
        if len(self.registers) != self.stages - 1:
            raise RequestError(f"{name}: {self.stages} stages have {self.stages - 1} cuts, not {len(self.registers)}")
        for stage in range(self.stages):
            known = self.available(stage)
            for node in self.gates[stage]:
                if missing := set(self.circuit.gates[node - width].args) - known:
                    raise RequestError(f"{name}: stage {stage} computes node {node} without its inputs {missing}")
                known.add(node)
            wanted = {self.circuit.output_nodes[i] for i in self.leaving(stage)}
            wanted |= set(self.registers[stage]) if stage < self.stages - 1 else set()
            if missing := wanted - known:
                raise RequestError(f"{name}: stage {stage} does not have the nodes {missing} that leave it")

    def available(self, stage: int) -> set[int]:
        """The nodes a stage has before it computes any: inputs that arrive in it and the registers before it."""
        return set(self.arriving(stage)) | (set(self.registers[stage - 1]) if stage else set())

    def arriving(self, stage: int) -> list[int]:
        """The input bits that arrive in a stage."""
        return [i for i, when in enumerate(self.arrival) if when.stage == stage]

    def leaving(self, stage: int) -> list[int]:
        """The output bits that are taken in a stage."""
        return [i for i, when in enumerate(self.required) if when.stage == stage]

    @property
    def stages(self) -> int:
        """Number of stages, one more than cuts."""
        return len(self.gates)

    @property
    def latency(self) -> int:
        """Clock cycles from the first stage to the last: one less than stages."""
        return self.stages - 1

    @property
    def register_bits(self) -> int:
        """Flip-flops at all cuts together; registers before the first and after the last stage are not part of it."""
        return sum(len(rank) for rank in self.registers)

    @property
    def gate_count(self) -> int:
        """Gates of all stages together, each as often as it is computed."""
        return sum(len(stage) for stage in self.gates)

    def area(self, model: CostModel) -> float:
        """Gates and registers in the model's area unit."""
        width = self.circuit.input_width
        logic = sum(model.area[self.circuit.gates[node - width].op] for stage in self.gates for node in stage)
        return logic + model.register_area * self.register_bits

    def stage_delays(self, model: CostModel) -> tuple[float, ...]:
        """Delay of each stage's logic: the latest of what leaves it, at a register or an output.

        The registers' own delay is not in it; the times of `arrival` and `required` are.
        """
        delays = []
        for stage in range(self.stages):
            times = dict.fromkeys(self.available(stage), 0.0)
            times |= {i: self.arrival[i].time for i in self.arriving(stage)}
            for node in self.gates[stage]:
                gate = self.circuit.gates[node - self.circuit.input_width]
                times[node] = max((times[a] for a in gate.args), default=0.0) + model.delay[gate.op]
            ends = [times[n] for n in self.registers[stage]] if stage < self.stages - 1 else []
            ends += [times[self.circuit.output_nodes[i]] + self.required[i].time for i in self.leaving(stage)]
            delays.append(max(ends, default=0.0))
        return tuple(delays)

    def period(self, model: CostModel) -> float:
        """Clock period: the longest stage, and a register's delay if there are registers."""
        return max(self.stage_delays(model)) + (model.register_delay if self.stages > 1 else 0.0)

    def simulate(self, words: NDArray[np.uint64], enable: Sequence[bool] | None = None) -> NDArray[np.uint64]:
        """Run clock cycle by clock cycle on bit-parallel words, 64 cases a word; registers start at 0.

        `words` has shape (cycles, input_width, ...): what the input pins carry in each cycle; the result, of shape
        (cycles, output_width, ...), is what the output pins carry. So case t, whose input bit i is put in cycle
        t + arrival[i].stage, has its output bit o in cycle t + required[o].stage. A cycle in which `enable` is false
        leaves all registers as they are.
        """
        if words.ndim < 2 or words.shape[1] != self.circuit.input_width:
            raise RequestError(f"{self.circuit.name}: needs {self.circuit.input_width} input rows a cycle")
        rest = words.shape[2:]
        ones = (1 << 64 * math.prod(rest)) - 1
        first = self.circuit.input_width
        gates = [[(node, self.circuit.gates[node - first]) for node in stage] for stage in self.gates]
        held = [dict.fromkeys(rank, 0) for rank in self.registers]
        results = []
        for cycle, rows in enumerate(words):
            row = ints_from(rows)
            outputs = [0] * self.circuit.output_width
            following = []
            for stage in range(self.stages):
                values = dict(held[stage - 1]) if stage else {}
                values |= {i: row[i] for i in self.arriving(stage)}
                evaluate_gates(gates[stage], values, ones)
                for i in self.leaving(stage):
                    outputs[i] = values[self.circuit.output_nodes[i]]
                if stage < self.stages - 1:
                    following.append({node: values[node] for node in self.registers[stage]})
            results.append(words_from(outputs, rest))
            if enable is None or enable[cycle]:
                held = following
        return np.stack(results)


def from_registers(
    circuit: Circuit,
    registers: Sequence[Collection[int]],
    arrival: Sequence[Arrival] = (),
    required: Sequence[Required] = (),
) -> StagedCircuit:
    """The staged circuit whose cuts hold these nodes; each stage computes what must leave it from what enters it.

    For cuts made by hand as for those of an optimiser. Registers that no later stage needs, and constants, are left
    out. Raises RequestError if a stage needs an input that neither arrives in it nor is registered before it.
    """
    width = circuit.input_width
    when = list(arrival) or [Arrival()] * width
    last = len(registers)
    taken = [last if need.stage is None else need.stage for need in required] or [last] * circuit.output_width
    gates: list[tuple[int, ...]] = []
    ranks: list[tuple[int, ...]] = []
    rank: set[int] = set()
    for stage in reversed(range(last + 1)):
        before = set(registers[stage - 1]) if stage else set()
        wanted = rank | {node for node, at in zip(circuit.output_nodes, taken, strict=True) if at == stage}
        computed: list[int] = []
        rank = set()
        for node in range(width + len(circuit.gates) - 1, -1, -1):
            if node not in wanted:
                continue
            if node >= width and not circuit.gates[node - width].args:
                computed.append(node)
            elif node in before:
                rank.add(node)
            elif node >= width:
                computed.append(node)
                wanted.update(circuit.gates[node - width].args)
            elif when[node].stage != stage:
                raise RequestError(f"{circuit.name}: stage {stage} needs input bit {node}, which is not registered")
        gates.append(tuple(reversed(computed)))
        ranks.append(tuple(sorted(rank)))
    return StagedCircuit(circuit, tuple(reversed(gates)), tuple(reversed(ranks[:-1])), tuple(arrival), tuple(required))


def from_stages(
    circuit: Circuit,
    stage: Sequence[int],
    stages: int,
    arrival: Sequence[Arrival] = (),
    required: Sequence[Required] = (),
) -> StagedCircuit:
    """The staged circuit that computes every node once, in the given stage (inputs: the one they arrive in).

    A node is registered at each cut between its stage and the last that uses it.
    """
    width = circuit.input_width
    last_use = list(stage)
    for gate, at in zip(circuit.gates, stage[width:], strict=True):
        for node in gate.args:
            last_use[node] = max(last_use[node], at)
    needs = list(required) or [Required()] * circuit.output_width
    for node, need in zip(circuit.output_nodes, needs, strict=True):
        last_use[node] = max(last_use[node], stages - 1 if need.stage is None else need.stage)
    registers = [{n for n, at in enumerate(stage) if at <= cut < last_use[n]} for cut in range(stages - 1)]
    return from_registers(circuit, registers, arrival, required)
