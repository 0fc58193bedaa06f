"""Power of a core or an engine, from the activity of its netlist: what transitions and states cost (switching energy
of nets, internal energy of cells, leakage), times how many there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.leaf import LeafDesign
from aesmith.errors import RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.modes.shapes import shape_of
from aesmith.technology.cell import CellTable
from aesmith.timing.binding import BoundNetlist
from aesmith.timing.graph import FALL, RISE, TableBank
from aesmith.timing.power.activity import (
    Activity,
    ActivityProgress,
    MessageSimulation,
    PowerSimulation,
    WordBench,
    check_power,
    input_delay,
)
from aesmith.timing.power.arrays import WEIGHT
from aesmith.timing.power.cell_model import PowerClass
from aesmith.timing.power.figures import (
    REFERENCE_MHZ,
    DirectionPower,
    PowerPlan,
    PowerShare,
    PowerStimulus,
    clock_of,
)
from aesmith.timing.power.program import TICKS_PER_NS, PowerProgram, ProgramGate, compile_netlist
from aesmith.timing.static import TimingReport

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
    Leakage: of the state, for a flip-flop or a clock gate the mean over the two levels of its clock.
    """
    timing = program.timing
    voltage = program.bound.library.corner.voltage
    nets = len(program.bound.netlist.nets)
    load = np.zeros((program.nets, 2))
    load[:nets] = timing.load.reshape(-1, 2)
    _behind_gates(program.bound, load)
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
        # A cell that holds its state has counters of no class, which cost nothing.
        end = gate.count_base + (len(gate.classes.classes) if gate.classes is not None else 0) + 2
        gate_of[gate.count_base : end] = number
        if gate.classes is not None:
            switching[gate.count_base : end] = per_net[gate.net]
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


def _behind_gates(bound: BoundNetlist, load: Floats) -> None:
    """Clock pins behind a clock gate are a load of the gate. Timing counts them as loads of the clock."""
    for cell, timed, given in zip(bound.cells, bound.netlist.instances, bound.given.instances, strict=True):
        for name, net in timed.pins.items():
            if net != given.pins[name]:
                pin = np.zeros(2)
                pin[RISE], pin[FALL] = cell.pins[name].rise, cell.pins[name].fall
                load[net] -= pin
                load[given.pins[name]] += pin


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
            if model.clock is not None:
                # States are counted at the end of a period only, when the clock has one level.
                bit = 1 << model.variables.index(model.clock)
                states = [(states[s] + states[s ^ bit]) / 2 for s in range(len(states))]
            by_cell[name] = states
        values += by_cell[name]
        owner += [index] * len(by_cell[name])
    return np.array(values), np.array(owner, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class PowerResult:
    """`power`, and what it was summed from: `functional`, `glitch` (fJ in a clock) and `leakage` (nW) of each instance,
    and the counts themselves."""

    power: DirectionPower
    program: PowerProgram
    activity: Activity
    functional: Floats
    glitch: Floats
    leakage: Floats

    def shares(self, part_of: Callable[[int], str]) -> tuple[PowerShare, ...]:
        """Power by part, `part_of` naming the part of an instance (by number); the largest first."""
        names = [part_of(index) for index in range(len(self.functional))]
        parts = {name: k for k, name in enumerate(dict.fromkeys(names))}
        where = np.array([parts[name] for name in names], dtype=np.int64)
        columns = [np.bincount(where, values, minlength=len(parts)) for values in (self.functional, self.glitch)]
        leakage = np.bincount(where, self.leakage, minlength=len(parts))
        cells = np.bincount(where, minlength=len(parts))
        shares = [
            PowerShare(
                name,
                int(cells[k]),
                _microwatts(float(columns[0][k])),
                _microwatts(float(columns[1][k])),
                float(leakage[k]) * 1e-3,
            )
            for name, k in parts.items()
        ]
        return tuple(sorted(shares, key=lambda share: -share.total_uw))


def _check_power(bound: BoundNetlist) -> None:
    """Raises RequestError if the library has no power of a cell in use, or states no voltage."""
    library = bound.library
    for instance, cell in zip(bound.netlist.instances, bound.cells, strict=True):
        if cell.power_defect is not None:
            raise RequestError(
                f"power: instance {instance.name} is of cell {cell.name}, whose power is set aside in library "
                f"{library.name}: {cell.power_defect}"
            )
    if library.corner.voltage <= 0:
        raise RequestError(f"power: library {library.name} states no voltage (nom_voltage, or operating_conditions)")


class PowerMeter:
    """Measures the power of one netlist, prepared once for all directions and stimuli.

    Raises CheckError if a net that can change has no delay, RequestError for a netlist that cannot be simulated or uses
    a cell whose power is set aside.
    """

    def __init__(self, design: CoreDesign | LeafDesign | StreamEngine, timing: TimingReport) -> None:
        program = compile_netlist(timing.graph, timing.state)
        _check_power(program.bound)
        self._energies = energies(program)
        self.program = weighted(program, self._energies)
        self._design = design
        self._depth = _depths(self.program)
        period = timing.period_ns
        self._latency_ns = timing.input_to_output_ns if period is None else design.latency_cycles * period
        if isinstance(design, StreamEngine):
            self._latency_ns = None  # the publications' product is of a block
        # Inputs come from flip-flops, so a while after the clock.
        late = input_delay(program) / TICKS_PER_NS
        from_register = (timing.period_ns, timing.register_to_output_ns)
        from_input = (timing.input_to_register_ns, timing.input_to_output_ns)
        paths = [path for path in from_register if path is not None]
        paths += [path + late for path in from_input if path is not None]
        self._period_ns = max(paths, default=None)

    def clock_mhz(self, plan: PowerPlan) -> float:
        """The clock that the netlist is simulated at. Raises RequestError if the plan's is too fast for it."""
        return clock_of(plan, self._period_ns)

    @property
    def directions(self) -> tuple[Direction | None, ...]:
        """What can be measured: the directions of a core or engine, or the leaf circuit, which has none."""
        return (None,) if isinstance(self._design, LeafDesign) else self._design.directions

    def measure(
        self, direction: Direction | None, plan: PowerPlan, progress: ActivityProgress | None = None
    ) -> PowerResult:
        """Simulate and sum. Raises CheckError if the netlist computes anything that AES, the engine's model or the leaf
        circuit does not, RequestError if it cannot be driven, or not at the plan's clock."""
        if direction not in self.directions:
            raise RequestError(
                f"direction: {self._design.name} has {', '.join(map(str, self.directions))}, not {direction}"
            )
        check_power(self._design, plan)
        plan = replace(plan, clock_mhz=self.clock_mhz(plan))
        activity = self._simulation(direction, plan).run(progress)
        return _result(
            self.program,
            self._energies,
            activity,
            design=self._design,
            direction=direction,
            plan=plan,
            depth=self._depth,
            latency_ns=self._latency_ns,
        )

    def _simulation(
        self, direction: Direction | None, plan: PowerPlan
    ) -> PowerSimulation | MessageSimulation | WordBench:
        design = self._design
        if isinstance(design, LeafDesign):
            return WordBench(self.program, design, plan)
        assert direction is not None
        if isinstance(design, StreamEngine):
            return MessageSimulation(self.program, design, direction, plan)
        return PowerSimulation(self.program, design, direction, plan)


def _result(
    program: PowerProgram,
    costs: Energies,
    activity: Activity,
    *,
    design: CoreDesign | LeafDesign | StreamEngine,
    direction: Direction | None,
    plan: PowerPlan,
    depth: list[int],
    latency_ns: float | None,
) -> PowerResult:
    periods = activity.lane_periods
    gates = len(program.gates)
    instance_of = np.array([gate.instance for gate in program.gates], dtype=np.int64)
    instances = len(program.models)
    switching = np.bincount(costs.gate, activity.counts * costs.switching, minlength=gates) / periods
    internal = np.bincount(costs.gate, activity.counts * costs.internal, minlength=gates) / periods
    toggles = np.bincount(costs.gate, activity.counts, minlength=gates)
    steady = np.ones(gates)
    moving = toggles > 0
    steady[moving] = activity.functional[moving] / toggles[moving]
    # A gated clock is back at the end of each period, as the clock is: that is what it is for.
    steady[np.isin(instance_of, program.bound.clock_gates)] = 1.0
    # A change of a cell's input is a glitch where the net's is; inputs from outside never glitch.
    net_steady = np.ones(program.nets)
    for number, gate in enumerate(program.gates):
        if gate.classes is not None:
            net_steady[gate.net] = steady[number]
    hidden = activity.input_counts * costs.input_internal / periods
    hidden_steady = hidden * net_steady[costs.input_net] if len(hidden) else hidden
    gate_energy = switching + internal
    functional_gate = gate_energy * steady
    owner = instance_of[costs.input_gate] if len(hidden) else np.zeros(0, dtype=np.int64)
    functional = _sum(instance_of, functional_gate, instances)
    functional += _sum(owner, hidden_steady, instances)
    glitch = _sum(instance_of, gate_energy - functional_gate, instances)
    glitch += _sum(owner, hidden - hidden_steady, instances)
    counted = np.bincount(costs.state_instance, activity.states, minlength=instances)
    leakage = np.bincount(costs.state_instance, activity.states * costs.leakage, minlength=instances) / counted
    ports = float((activity.net_counts * costs.net_switching).sum()) / periods
    dynamic = float(functional.sum() + glitch.sum()) + ports
    static_uw = float(leakage.sum()) * 1e-3
    at_reference = _microwatts(dynamic) + static_uw
    period_ns = 1e3 / REFERENCE_MHZ
    back_to_back = plan.stimulus is not PowerStimulus.IDLE
    clocks_per_block = periods / activity.lane_blocks if back_to_back else design.cycles_per_block
    power = DirectionPower(
        direction=direction,
        stimulus=plan.stimulus,
        zero_delay=plan.zero_delay,
        clock_mhz=clock_of(plan, None),
        power_uw=_microwatts(dynamic) * clock_of(plan, None) / REFERENCE_MHZ + static_uw,
        power_uw_at_100mhz=at_reference,
        switching_uw=_microwatts(float(switching.sum())),
        internal_uw=_microwatts(float(internal.sum() + hidden.sum())),
        port_uw=_microwatts(ports),
        leakage_uw=static_uw,
        glitch_fraction=None if plan.zero_delay else float(glitch.sum()) / dynamic if dynamic else 0.0,
        # µW times ns is fJ.
        energy_pj_per_block=at_reference * clocks_per_block * period_ns * 1e-3 if back_to_back else None,
        power_latency_product=at_reference * latency_ns if back_to_back and latency_ns is not None else None,
        interval=activity.interval,
        blocks=activity.lane_blocks,
        clocks=periods,
        nets=program.annotation.total,
        annotated_nets=program.annotation.annotated,
        by_depth=(),
        messages=str(shape_of(design, plan.text_blocks)) if isinstance(design, StreamEngine) else "",
    )
    result = PowerResult(power, program, activity, functional, glitch, leakage)
    by_depth = sorted(result.shares(lambda index: str(depth[index])), key=lambda share: int(share.name))
    by_cell = result.shares(lambda index: program.models[index].cell.name)
    return replace(result, power=replace(power, by_depth=tuple(by_depth), by_cell=by_cell))


def _sum(owner: NDArray[np.int64], values: Floats, count: int) -> Floats:
    return np.bincount(owner, values, minlength=count).astype(np.float64)


def _microwatts(femtojoules_a_clock: float) -> float:
    """Power at 100 MHz of an energy spent in each clock."""
    return femtojoules_a_clock * REFERENCE_MHZ * 1e-3


def _depths(program: PowerProgram) -> list[int]:
    """How many cells are at most between a flip-flop or input and an instance's output, itself counted; 0 for
    flip-flops."""
    bound = program.bound
    depth = [0] * len(bound.cells)
    of_net: dict[int, int] = {}
    for index in bound.order:
        cell, pins = bound.cells[index], bound.netlist.instances[index].pins
        if not bound.is_register(index):
            depth[index] = 1 + max((of_net.get(pins[pin], 0) for pin in cell.inputs), default=-1)
        for pin in cell.outputs:
            if pin in pins:
                of_net[pins[pin]] = depth[index]
    return depth
