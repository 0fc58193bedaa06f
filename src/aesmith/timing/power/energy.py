"""What transitions and states cost: switching energy of nets, internal energy of cells, leakage."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aesmith.technology.cell import CellTable
from aesmith.timing.graph import RISE, TableBank
from aesmith.timing.power.arrays import WEIGHT
from aesmith.timing.power.cell_model import PowerClass
from aesmith.timing.power.program import PowerProgram, ProgramGate

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_TYPICAL_WEIGHT = 1000


@dataclass(frozen=True, eq=False)
class Energies:
    """Energies in fJ, leakage in nW, over the counters of a run.

    `switching[c]` and `internal[c]` of one transition of counter c of `Run.counts`, `gate[c]` its gate;
    `input_internal[c]` of counter c of `Run.input_counts`, `input_gate[c]` the gate and `input_net[c]` the net that
    changes; `net_switching[n]` of one transition of a net that comes from outside; `leakage[s]` of counter s of
    `Run.states`, `state_instance[s]` the instance.
    """

    switching: Floats
    internal: Floats
    gate: Indices
    input_internal: Floats
    input_gate: Indices
    input_net: Indices
    net_switching: Floats
    leakage: Floats
    state_instance: Indices


def energies(program: PowerProgram) -> Energies:
    """The energies of a program, at the transitions and loads of its static timing.

    Switching: a transition of a net takes C V² / 2, where C is all that its driver drives (pins, and the load on output
    ports), the larger of the figures for the two edges, which is what OpenSTA counts with. Internal: the library's
    table for the edge, cause and state, at the transition of the causing net and the load of the output's edge.
    Leakage: of the state, for a flip-flop the mean over the two levels of its clock.
    """
    timing = program.timing
    voltage = program.bound.library.corner.voltage
    nets = len(program.bound.netlist.nets)
    load = np.zeros((program.nets, 2))
    load[:nets] = timing.load.reshape(-1, 2)
    slew = np.zeros((program.nets, 2))
    slew[:nets] = timing.slew.reshape(-1, 2)
    # Half the charge times the voltage: fF V² = fJ.
    per_net = load.max(axis=1) * voltage**2 / 2
    lookups = _Lookups()
    switching = np.zeros(program.counts)
    gate_of = np.zeros(program.counts, dtype=np.int64)
    input_gate = np.zeros(program.input_counts, dtype=np.int64)
    input_net = np.zeros(program.input_counts, dtype=np.int64)
    inputs = _Lookups()
    for number, gate in enumerate(program.gates):
        variables = _variables(program, gate)
        if gate.classes is not None:
            end = gate.count_base + len(gate.classes.classes) + 2
            switching[gate.count_base : end] = per_net[gate.net]
            gate_of[gate.count_base : end] = number
            for k, found in enumerate(gate.classes.classes):
                if table := _table(found):
                    transition = (
                        0.0 if variables[found.cause] >= nets else slew[variables[found.cause], found.cause_edge]
                    )
                    lookups.add(gate.count_base + k, table, transition, load[gate.net, found.edge])
        if gate.input_classes is not None:
            for k, found in enumerate(gate.input_classes.classes):
                counter = gate.input_count_base + k
                input_gate[counter], input_net[counter] = number, variables[found.cause]
                if table := _table(found):
                    inputs.add(counter, table, slew[variables[found.cause], found.edge], 0.0)
    driven = {gate.net for gate in program.gates}
    outside = np.array([net not in driven and net not in program.constant for net in range(program.nets)])
    leakage, owner = _leakage(program)
    return Energies(
        switching=switching,
        internal=lookups.values(program.counts),
        gate=gate_of,
        input_internal=inputs.values(program.input_counts),
        input_gate=input_gate,
        input_net=input_net,
        net_switching=np.where(outside, per_net, 0.0),
        leakage=leakage,
        state_instance=owner,
    )


def weighted(program: PowerProgram, costs: Energies) -> PowerProgram:
    """The program with weights in proportion to the mean energies of its gates' transitions, for sums by lane."""
    total = np.bincount(costs.gate, costs.switching + costs.internal, minlength=len(program.gates))
    mean = total / np.maximum(np.bincount(costs.gate, minlength=len(program.gates)), 1)
    typical = float(mean[mean > 0].mean()) if (mean > 0).any() else 1.0
    gate = program.arrays.gate.copy()
    gate[: len(mean), WEIGHT] = np.rint(mean / typical * _TYPICAL_WEIGHT)
    return replace(program, arrays=program.arrays._replace(gate=gate))


class _Lookups:
    """Table lookups, done all at once."""

    def __init__(self) -> None:
        self._bank = TableBank()
        self._rows: list[tuple[int, int, float, float]] = []

    def add(self, counter: int, table: CellTable, transition: float, load: float) -> None:
        self._rows.append((counter, self._bank.add(table), transition, load))

    def values(self, size: int) -> Floats:
        result = np.zeros(size)
        if self._rows:
            counters, numbers, transitions, loads = (np.array(column) for column in zip(*self._rows, strict=True))
            result[counters] = self._bank.look_up(numbers, transitions, loads)
        return result


def _table(found: PowerClass) -> CellTable | None:
    if found.group is None:
        return None
    return found.group.rise if found.edge == RISE else found.group.fall


def _variables(program: PowerProgram, gate: ProgramGate) -> list[int]:
    """The nets of a gate's variables."""
    arrays = program.arrays
    first, last = arrays.instance_base[gate.instance], arrays.instance_base[gate.instance + 1]
    return [int(net) for net in arrays.instance_net[first:last]]


def _leakage(program: PowerProgram) -> tuple[Floats, Indices]:
    values: list[float] = []
    owner: list[int] = []
    by_cell: dict[str, list[float]] = {}
    for index, model in enumerate(program.models):
        name = model.cell.name
        if name not in by_cell:
            states = list(model.leakage())
            if model.sequential:
                assert model.cell.register is not None
                # States are counted at the end of a period only, when the clock has one level.
                bit = 1 << model.variables.index(model.cell.register.clocked_on.inputs[0])
                states = [(states[s] + states[s ^ bit]) / 2 for s in range(len(states))]
            by_cell[name] = states
        values += by_cell[name]
        owner += [index] * len(by_cell[name])
    return np.array(values), np.array(owner, dtype=np.int64)
