"""A circuit as the pipeliner sees it: delays in whole ticks, where bits arrive and are required, the least period.

Delays are rounded to a millionth of the model's unit, so that sums are exact and no result hangs on rounding.
Constants take no part: they are there in every stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit, Op, Port
from aesmith.circuits.cost import CostModel
from aesmith.circuits.staged import Arrival, Required
from aesmith.errors import RequestError

TICKS = 1_000_000
"""Ticks in one unit of a cost model's delay."""


@dataclass(frozen=True)
class Sink:
    """An output node, the stage that takes it (None: the last) and the ticks that follow it there."""

    node: int
    stage: int | None
    delay: int


@dataclass(frozen=True)
class Placement:
    """Earliest place of every node under a period: stage, and the tick in that stage at which it is stable.

    `overflow` is the least delay of a path that was cut because it did not fit: below it, no longer period changes
    anything. None if nothing was cut.
    """

    stage: tuple[int, ...]
    time: tuple[int, ...]
    overflow: int | None


@dataclass(frozen=True)
class TimingGraph:
    """Nodes are the circuit's (constants have no arguments and are `constant`); delays in ticks.

    An input's delay is its arrival time, `arrival[i]` its stage; `overhead` is what a register costs of every period.
    """

    circuit: Circuit
    arguments: tuple[tuple[int, ...], ...]
    delay: tuple[int, ...]
    arrival: tuple[int, ...]
    sinks: tuple[Sink, ...]
    constant: tuple[bool, ...]
    overhead: int

    def earliest(self, limit: int) -> Placement:
        """Every node as early as it can be if no stage's logic may take longer than `limit` ticks."""
        stages, times = list(self.arrival), list(self.delay[: self.circuit.input_width])
        overflow: int | None = None
        for node in range(self.circuit.input_width, len(self.delay)):
            stage, start = max(((stages[a], times[a]) for a in self.arguments[node]), default=(0, 0))
            end = start + self.delay[node]
            if end > limit:
                overflow = end if overflow is None else min(overflow, end)
                stage, end = stage + 1, self.delay[node]
            stages.append(stage)
            times.append(end)
        return Placement(tuple(stages), tuple(times), overflow)

    def last_stage(self, limit: int) -> tuple[int, int | None]:
        """The fewest stages, less one, in which the circuit fits, and the overflow (see `Placement`), sinks included.

        A sink with a stage of its own that comes too late counts as beyond every number of stages.
        """
        placed = self.earliest(limit)
        last = max((*self.arrival, *(s.stage for s in self.sinks if s.stage is not None)), default=0)
        overflow = placed.overflow
        for sink in self.sinks:
            stage, end = placed.stage[sink.node], placed.time[sink.node] + sink.delay
            if end > limit:
                overflow = end if overflow is None else min(overflow, end)
                stage += 1
            last = max(last, stage) if sink.stage is None or stage <= sink.stage else BEYOND
            if last == BEYOND:
                return BEYOND, overflow
        return last, overflow

    @property
    def longest_path(self) -> int:
        """Ticks of the longest path, without what follows the outputs."""
        return max(self.earliest(BEYOND).time, default=0)

    @property
    def shortest_limit(self) -> int:
        """Ticks that a stage needs at the very least: its slowest gate."""
        return max((*self.delay, *(sink.delay for sink in self.sinks)), default=0)

    def least_limit(self, stages: int) -> int:
        """The least ticks in which the logic of each of `stages` stages can be done. Exact.

        Raises RequestError if the arrival and required stages allow none.
        """
        low, high = self.shortest_limit, sum(self.delay) + sum(sink.delay for sink in self.sinks)
        if self.last_stage(high)[0] > stages - 1:
            raise RequestError(
                f"{self.circuit.name}: an output is required before an input it depends on arrives; "
                f"required stages must not lie before arrival stages"
            )
        while low < high:
            middle = (low + high) // 2
            last, overflow = self.last_stage(middle)
            if last <= stages - 1:
                high = middle
            else:
                low = middle + 1 if overflow is None else overflow
        return low


BEYOND = 1 << 62
"""More ticks and more stages than any circuit has."""


def timing_graph(
    circuit: Circuit, model: CostModel, arrivals: Mapping[str, Arrival], required: Mapping[str, Required]
) -> TimingGraph:
    """The circuit under a cost model, with the given ports' arrivals and requirements (others: first, last stage).

    Raises RequestError for an unknown port, a negative stage or a negative time.
    """
    _check_ports(circuit, "arrivals", circuit.inputs, arrivals)
    _check_ports(circuit, "required", circuit.outputs, required)
    arrival: list[int] = []
    delay: list[int] = []
    for port in circuit.inputs:
        when = arrivals.get(port.name, Arrival())
        arrival += [when.stage] * port.width
        delay += [round(when.time * TICKS)] * port.width
    constant = [False] * circuit.input_width
    arguments: list[tuple[int, ...]] = [()] * circuit.input_width
    for gate in circuit.gates:
        constant.append(gate.op in (Op.ZERO, Op.ONE))
        arguments.append(tuple(sorted({a for a in gate.args if not constant[a]})))
        delay.append(0 if constant[-1] else round(model.delay[gate.op] * TICKS))
    sinks: dict[Sink, None] = {}
    position = 0
    for port in circuit.outputs:
        need = required.get(port.name, Required())
        for node in circuit.output_nodes[position : position + port.width]:
            if not constant[node]:
                sinks[Sink(node, need.stage, round(need.time * TICKS))] = None
        position += port.width
    return TimingGraph(
        circuit,
        tuple(arguments),
        tuple(delay),
        tuple(arrival),
        tuple(sinks),
        tuple(constant),
        round(model.register_delay * TICKS),
    )


def _check_ports(
    circuit: Circuit, field: str, ports: tuple[Port, ...], given: Mapping[str, Arrival] | Mapping[str, Required]
) -> None:
    names = [port.name for port in ports]
    for name, when in given.items():
        if name not in names:
            raise RequestError(f"{field}: {circuit.name} has no such port {name}; it has {', '.join(names)}")
        if (when.stage is not None and when.stage < 0) or when.time < 0:
            raise RequestError(f"{field}: stage and time of port {name} must not be negative, not {when}")
