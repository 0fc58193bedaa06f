"""Gates that drive wires with resistance: their edges against circuits that are simulated step by step."""

from __future__ import annotations

import numpy as np
import pytest

from aesmith.timing.wires import DrivenEdges, Floats, PiLoads, drive, through_wires

LEVELS = (0.2, 0.5, 0.8)
THRESHOLDS = (20.0, 80.0)
# Ramp (ns), resistance of the gate, near and far capacitance (fF), resistance between, Elmore delay of a pin (ns).
CIRCUITS = [
    (0.10, 2e-3, 5.0, 60.0, 3e-4, 0.02),
    (0.02, 5e-3, 20.0, 20.0, 5e-3, 0.15),
    (0.50, 1e-3, 1.0, 30.0, 2e-2, 0.3),
    (0.30, 0.0, 10.0, 10.0, 1e-3, 0.05),
]


def _edges(circuit: tuple[float, ...]) -> DrivenEdges:
    ramp, driver, near, far, between, _ = (np.array([value]) for value in circuit)
    return DrivenEdges(ramp, driver, PiLoads(near, between, far))


def _simulated(circuit: tuple[float, ...]) -> tuple[list[float], list[float]]:
    """When the output of the gate and the pin reach each level."""
    ramp, driver, near, far, between, elmore = circuit
    step, time, out, end, pin = 2e-5, 0.0, 0.0, 0.0, 0.0
    seen: tuple[list[float], list[float]] = [], []
    while len(seen[1]) < len(LEVELS):
        time += step
        source = min(time / ramp, 1.0)
        for _ in range(20):  # The near capacitance is the fast one: it is moved in small steps.
            out = source if not driver else out + step / 20 * ((source - out) / driver - (out - end) / between) / near
        end += step * (out - end) / between / far
        pin += step * (out - pin) / elmore
        for times, voltage in zip(seen, (out, pin), strict=True):
            if len(times) < len(LEVELS) and voltage >= LEVELS[len(times)]:
                times.append(time)
    return seen


@pytest.mark.parametrize("circuit", CIRCUITS)
def test_edges_are_those_of_the_circuit(circuit: tuple[float, ...]) -> None:
    edges, elmore = _edges(circuit), np.array(circuit[-1:])
    at_gate, at_pin = _simulated(circuit)
    for told, simulated in ((np.zeros(1), at_gate), (elmore, at_pin)):
        found = [float(edges.behind(told).crossing(level)[0]) for level in LEVELS]
        assert found == pytest.approx(simulated, rel=2e-3, abs=1e-4)
    delay, slew = through_wires(edges, elmore, THRESHOLDS)
    assert delay[0] == pytest.approx(at_pin[1] - at_gate[1], rel=5e-3, abs=1e-4)
    assert slew[0] == pytest.approx(at_pin[2] - at_pin[0], rel=5e-3, abs=1e-4)


def test_crossings_without_a_closed_form_are_exact() -> None:
    """What the response is at the time that was found is the level, for edges of all shapes at once."""
    rng = np.random.default_rng(1)
    loads = PiLoads(*(10 ** rng.uniform(low, high, 2000) for low, high in ((-1, 2), (-5, -2), (-1, 2))))
    edges = DrivenEdges(10 ** rng.uniform(-3, 0, 2000), 10 ** rng.uniform(-4, -2, 2000), loads)
    response = edges.behind(10 ** rng.uniform(-5, 0, 2000))
    for level in LEVELS:
        value, _ = response._at(response.crossing(level))
        assert np.abs(value - level).max() < 1e-4


def _delay(load: Floats) -> Floats:
    return 0.05 + 2e-3 * load


def _slew(load: Floats) -> Floats:
    return 0.04 + 3e-3 * load


def _driven(near: float, resistance: float, far: float) -> tuple[float, float, float]:
    loads = PiLoads(np.array([near]), np.array([resistance]), np.array([far]))
    found = drive(_delay, _slew, loads, THRESHOLDS)
    return float(found.delay[0]), float(found.slew[0]), float(found.effective[0])


@pytest.mark.thorough
def test_a_wire_hides_capacitance_the_more_the_more_it_resists() -> None:
    assert _driven(10.0, 0.0, 30.0) == (_delay(np.array(40.0)), _slew(np.array(40.0)), 40.0)
    felt = [_driven(10.0, resistance, 30.0)[2] for resistance in (1e-5, 1e-3, 3e-3, 1e-2, 1.0)]
    assert felt == sorted(felt, reverse=True)
    assert felt[0] == pytest.approx(40.0, rel=2e-3)
    assert felt[-1] == pytest.approx(10.0, rel=0.1)
    assert _driven(10.0, 3e-3, 30.0)[0] == pytest.approx(_delay(np.array(felt[2])))


@pytest.mark.thorough
def test_the_effective_capacitance_takes_the_charge_of_the_net() -> None:
    """Of the ramp that was found, as long as the gate switches; simulated step by step."""
    near, between, far = 10.0, 3e-3, 30.0
    found = drive(_delay, _slew, PiLoads(np.array([near]), np.array([between]), np.array([far])), THRESHOLDS)
    ramp, driver, felt = (float(part[0]) for part in (found.edges.ramp, found.edges.driver, found.effective))
    window = min(float(_slew(found.effective)[0]) / 0.6, 1.4 * ramp)
    step, out, end, alone, taken, by_one = 1e-5, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(int(window / step)):
        source = (k + 1) * step / ramp
        into, into_one = (source - out) / driver, (source - alone) / driver
        taken, by_one = taken + into * step, by_one + into_one * step
        out += step * (into - (out - end) / between) / near
        end += step * (out - end) / between / far
        alone += step * into_one / felt
    assert by_one == pytest.approx(taken, rel=2e-3)
    assert near < felt < 0.95 * (near + far)
