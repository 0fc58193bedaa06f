"""Edges on nets with resistance: what a gate makes at its output, and what comes out at the ends of the wires.

A gate is a ramp behind a resistance, and its net, as the gate sees it, a pi of two capacitances with a resistance
between them (O'Brien and Savarino, ICCAD 1989). The library knows the gate with a plain capacitance only. The effective
capacitance is the one that takes as much charge as the pi does while the gate switches: with it the tables tell the
delay and, by how fast the edge rises to its middle, the ramp (Dartu, Menezes and Pileggi, IEEE Transactions on CAD 15,
1996). The ramp into the pi then gives the edge at the output, and behind one more pole, the Elmore delay of the
way, the edge at an input pin. OpenSTA's `dmp_ceff_elmore` is the same model.

`Wires` are what the timing of a netlist needs. Times are in ns, capacitances in fF, resistances in ns/fF; arrays
of edges and nets have an element each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from aesmith.timing.graph import Floats, TimingGraph

MIDDLE = 0.5
"""Delays are from the middle of an edge to the middle of the next one."""
_LEAST_RAMP = 1e-9
_LEAST = 1e-3
"""A wire of less than this share of the gate's resistance, or a far capacitance of less than this share of the near
one, is no resistance to the gate."""
_PROBE, _WIDER = 0.75, 0.1
"""A gate's resistance is what its delay grows by from this share of its net's capacitance to so much more."""
_STEPS, _ROUNDS = 10, 6


@dataclass(frozen=True, eq=False)
class PiLoads:
    """Nets as their gates see them: `near` the gate and `far` from it, with `resistance` between."""

    near: Floats
    resistance: Floats
    far: Floats

    @property
    def total(self) -> Floats:
        """All capacitance."""
        return self.near + self.far

    def of(self, which: NDArray[np.int64] | NDArray[np.bool_] | slice) -> PiLoads:
        """Some of them."""
        return PiLoads(self.near[which], self.resistance[which], self.far[which])


@dataclass(frozen=True, eq=False)
class RampResponse:
    """What becomes of ramps from 0 to 1, `ramp` long, in linear circuits: with a ramp that never ends, a slope of 1 and
    time t the output is t - lag + Σ residues·exp(-rates·t). The first axis of `rates` and `residues` counts poles."""

    ramp: Floats
    lag: Floats
    rates: Floats
    residues: Floats

    def crossing(self, level: float) -> Floats:
        """When the outputs, which only rise, reach a level between 0 and 1: Newton's method in a closing bracket."""
        low, high = np.zeros(len(self.ramp)), (self.lag + self.ramp / 2) / (1 - level)
        at = np.clip(self.lag + level * self.ramp, low, high)
        for _ in range(_STEPS):
            value, slope = self._at(at)
            below = value < level
            low, high = np.where(below, at, low), np.where(below, high, at)
            step = at + (level - value) / np.maximum(slope, 1e-12)
            at = np.where((step >= low) & (step <= high), step, (low + high) / 2)
        return at

    def _at(self, time: Floats) -> tuple[Floats, Floats]:
        value, slope = self._endless(time)
        later = np.maximum(time - self.ramp, 0.0)
        ended, slower = self._endless(later)
        over = time > self.ramp
        return (value - np.where(over, ended, 0.0)) / self.ramp, (slope - np.where(over, slower, 0.0)) / self.ramp

    def _endless(self, time: Floats) -> tuple[Floats, Floats]:
        decays = self.residues * np.exp(-self.rates * time)
        return time - self.lag + decays.sum(axis=0), 1.0 - (self.rates * decays).sum(axis=0)


@dataclass(frozen=True, eq=False)
class DrivenEdges:
    """Edges at the outputs of gates: ramps, `ramp` long, behind resistances `driver` (0 where a net has none, so that
    the ramp is the edge itself) into `loads`."""

    ramp: Floats
    driver: Floats
    loads: PiLoads

    def behind(self, elmore: Floats) -> RampResponse:
        """These edges behind single poles with time constants `elmore`; at the outputs themselves where it is 0."""
        resistance, loads = self.driver, self.loads
        inner = loads.resistance * loads.far
        lag = resistance * loads.total
        both = lag + inner
        product = np.maximum(inner * resistance * loads.near, 1e-9 * both * both)
        wide = both + np.sqrt(np.maximum(both * both - 4 * product, 0.0))
        driven = wide > 0
        slow = np.where(driven, 2 / np.where(driven, wide, 1.0), 1.0)
        fast = np.where(driven, wide / np.where(driven, 2 * product, 1.0), 2.0)
        rates, residues = [slow, fast], []
        for mine, other in ((slow, fast), (fast, slow)):
            pole = 1 - mine * elmore
            pole = np.where(np.abs(pole) < 1e-6, 1e-6, pole)
            residue = (1 - mine * inner) * other / (mine * (other - mine) * pole)
            residues.append(np.where(resistance > 0, residue, 0.0))
        rates.append(1 / np.maximum(elmore, 1e-12))
        lag = lag + elmore
        residues.append(lag - residues[0] - residues[1])
        return RampResponse(self.ramp, lag, np.array(rates), np.array(residues))


def through_wires(edges: DrivenEdges, elmore: Floats, thresholds: tuple[float, float]) -> tuple[Floats, Floats]:
    """Delay and transition (between `thresholds`, per cent) of edges behind wires of these Elmore delays."""
    low, high = (share / 100 for share in thresholds)
    here, there = edges.behind(np.zeros(len(elmore))), edges.behind(elmore)
    return there.crossing(MIDDLE) - here.crossing(MIDDLE), there.crossing(high) - there.crossing(low)


Look = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class GateOutputs:
    """What gates make of the nets they drive: delay, transition, the effective capacitance, and the edges."""

    delay: Floats
    slew: Floats
    effective: Floats
    edges: DrivenEdges


def drive(delay: Look, slew: Look, loads: PiLoads, thresholds: tuple[float, float]) -> GateOutputs:
    """Gates, whose tables are `delay` and `slew` over a capacitance each (fF), drive nets with resistance."""
    low, high = (share / 100 for share in thresholds)
    total = loads.total
    probe = _PROBE * total
    resistance = np.abs(delay((1 + _WIDER) * probe) - delay(probe)) / np.maximum(_WIDER * probe, 1e-12)
    plain = (loads.resistance <= _LEAST * resistance) | (loads.far <= _LEAST * loads.near) | (resistance <= 0)
    resistance = np.where(plain, 0.0, resistance)
    shielded = np.flatnonzero(~plain)
    effective, ramp = total.copy(), np.maximum(slew(total) / (high - low), _LEAST_RAMP)
    if len(shielded):
        some, driver = loads.of(shielded), resistance[shielded]
        for _ in range(_ROUNDS):
            length = np.maximum(slew(effective)[shielded] / (high - low), _LEAST_RAMP)
            ramp[shielded], driver = _ramp(length, driver, effective[shielded], thresholds)
            window = np.minimum(length, 1.4 * ramp[shielded])
            effective[shielded] = _effective(DrivenEdges(ramp[shielded], driver, some), window)
        resistance[shielded] = driver
    edges = DrivenEdges(ramp, resistance, loads)
    width = np.maximum(slew(effective), 0.0)
    if len(shielded):
        seen = DrivenEdges(ramp[shielded], driver, some).behind(np.zeros(len(shielded)))
        width[shielded] = seen.crossing(high) - seen.crossing(low)
    return GateOutputs(delay(effective), width, effective, edges)


def _effective(edges: DrivenEdges, window: Floats) -> Floats:
    """The capacitances that take the charge that the nets take in these times from the beginning of the ramps."""
    response = edges.behind(np.zeros(len(window)))
    decays = response.residues / response.rates * -np.expm1(-response.rates * window)
    taken = response.lag * window - decays[:2].sum(axis=0)
    shares, taus = _taken_by_pole()
    tau = window * np.interp(taken / window**2, shares, taus)
    found: Floats = np.clip(tau / edges.driver, edges.loads.near, edges.loads.total)
    return found


def _ramp(length: Floats, driver: Floats, effective: Floats, thresholds: tuple[float, float]) -> tuple[Floats, Floats]:
    """The ramps that rise from the lower threshold to the middle, behind the resistance, as fast as the tables say:
    `length` is what the table's transition would be from 0 to 1. A resistance that alone is too slow is made less."""
    rises, ramps = _rises_behind_pole(thresholds[0] / 100)
    rise = length * (MIDDLE - thresholds[0] / 100)
    tau = np.minimum(driver * effective, rise / rises[0])
    return np.maximum(tau * np.interp(rise / tau, rises, ramps), _LEAST_RAMP), tau / effective


@cache
def _rises_behind_pole(low: float) -> tuple[Floats, Floats]:
    """How long a ramp takes from `low` to the middle behind a pole of time constant 1, for lengths of the ramp."""
    ramps = np.geomspace(1e-2, 1e5, 4001)
    one = np.ones(len(ramps))
    response = RampResponse(ramps, one, np.ones((1, len(ramps))), np.ones((1, len(ramps))))
    return response.crossing(MIDDLE) - response.crossing(low), ramps


@cache
def _taken_by_pole() -> tuple[Floats, Floats]:
    """What the capacitance of a pole takes of a ramp in a time of 1, for time constants of the pole."""
    taus = np.geomspace(1e-5, 1e3, 4001)
    taken: Floats = taus + taus**2 * np.expm1(-1 / taus)
    return taken, taus


@dataclass(frozen=True, eq=False)
class Wires:
    """What wires add to a netlist.

    `capacitance[n]` fF of the wire of net n; `elmore` the Elmore delay (ns) from the driver of a net to an input pin,
    by (instance number, pin), and to an output port, by (-1, name of the bit), of an edge that rises there and of one
    that falls. What it lacks has no delay. `resistance[2n]` (ns/fF) and `far[2n]` (fF) are the pi of net n, pins
    included, for its driver's rising edge, `[2n + 1]` for its falling one; 0 where wires shield nothing.
    """

    capacitance: Floats
    elmore: Mapping[tuple[int, str], tuple[float, float]]
    resistance: Floats
    far: Floats

    def loads(self, total: Floats) -> PiLoads:
        """The nets' pis, of these capacitances in all."""
        return PiLoads(np.maximum(total - self.far, 0.0), self.resistance, self.far)


def no_wires(nets: int) -> Wires:
    """Wires without capacitance or resistance."""
    return Wires(np.zeros(nets), {}, np.zeros(2 * nets), np.zeros(2 * nets))


@dataclass(frozen=True, eq=False)
class WireDelays:
    """The Elmore delays of wires, ns, by number: of the edges of a graph, of its checks, and of its nodes, where the
    net is that of an output port (of several the longest)."""

    edges: Floats
    checks: Floats
    outputs: Floats


def wire_delays(graph: TimingGraph, wires: Wires | None) -> WireDelays:
    """The delays of wires where the graph has its edges, checks and ends. The clock has none: it is ideal."""
    result = WireDelays(np.zeros(len(graph.source)), np.zeros(len(graph.check_node)), np.zeros(graph.nodes))
    if wires is None:
        return result
    elmore, pins, none = wires.elmore, [arc.related_pin for arc in graph.arcs], (0.0, 0.0)
    for e in np.flatnonzero(~graph.launch):
        result.edges[e] = elmore.get((int(graph.instance[e]), pins[graph.arc[e]]), none)[graph.source[e] & 1]
    for c, (instance, pin) in enumerate(zip(graph.check_instance, graph.check_pin, strict=True)):
        found = elmore.get((int(instance), graph.check_pins[pin]), none)
        result.checks[c] = found[graph.check_node[c] & 1]
    for port in graph.bound.netlist.outputs:
        for net, bit in zip(port.nets, port.bits, strict=True):
            ends = result.outputs[2 * net : 2 * net + 2]
            ends[:] = np.maximum(ends, elmore.get((-1, bit), none))
    return result
