"""The interval is Student's, on independent stimuli; a leaf circuit has power on random words, bare or registered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aesmith.circuits.pipeline import pipeline
from aesmith.cores.leaf import LeafDesign, bare, between_registers
from aesmith.errors import CheckError, RequestError
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.technology.cost import cost_model
from aesmith.technology.library import Library
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.power.activity import relative_interval
from aesmith.timing.power.figures import DirectionPower, PowerPlan, PowerStimulus
from aesmith.timing.power.report import PowerMeter, energies
from aesmith.timing.static import analyse

CIRCUIT = sbox("canright2005").circuit(Function.FORWARD)


def test_the_interval_holds_the_mean_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    within = 0
    for _ in range(2000):
        samples = random.normal(100, 5, 64)
        within += abs(samples.mean() - 100) <= relative_interval(samples) * samples.mean()
    assert within / 2000 == pytest.approx(0.95, abs=0.015)


def test_what_does_not_differ_has_no_interval() -> None:
    assert relative_interval(np.full(64, 7.0)) == 0
    assert relative_interval(np.zeros(64)) == 0


@pytest.fixture(scope="module")
def alone() -> LeafDesign:
    return bare(CIRCUIT, "alone")


@pytest.fixture(scope="module")
def netlist(alone: LeafDesign, library: Library, tmp_path_factory: pytest.TempPathFactory) -> str:
    return synthesise(alone, library, KEEP, None, tmp_path_factory.mktemp("alone")).netlist.read_text()


def test_a_bare_circuit_has_power_and_its_delay_as_latency(alone: LeafDesign, library: Library, netlist: str) -> None:
    timing = analyse(parse_netlist(netlist, library), library)
    meter = PowerMeter(alone, timing)
    power = meter.measure(None, PowerPlan()).power
    assert timing.input_to_output_ns is not None
    assert power.power_latency_product == pytest.approx(power.power_uw_at_100mhz * timing.input_to_output_ns)
    assert power.energy_pj_per_block == pytest.approx(power.power_uw_at_100mhz * 0.01)
    assert (power.glitch_fraction or 0) > 0.3
    assert power.label == "a random word in every clock, with glitches"
    assert DirectionPower.from_json(power.to_json()) == power
    slower = meter.measure(None, PowerPlan(clock_mhz=10)).power
    assert slower.power_uw == pytest.approx(power.power_uw_at_100mhz / 10, rel=0.05, abs=power.leakage_uw)
    with pytest.raises(RequestError, match="stimulus: must be random for a circuit that is no core, not idle"):
        meter.measure(None, PowerPlan(stimulus=PowerStimulus.IDLE))
    with pytest.raises(RequestError, match=r"clock: 5000 MHz is a period of 0\.2 ns, but the netlist needs .* or less"):
        meter.measure(None, PowerPlan(clock_mhz=5000))


def test_a_bare_circuit_that_is_another_is_refused(alone: LeafDesign, library: Library, netlist: str) -> None:
    wrong = netlist.replace("XNOR2_X1 ", "XOR2_X1 ", 1)
    assert wrong != netlist
    with pytest.raises(CheckError, match="of 64 words wrong, so its power means nothing"):
        PowerMeter(alone, analyse(parse_netlist(wrong, library), library)).measure(None, PowerPlan())


def test_stages_end_glitches(library: Library, netlist: str, alone: LeafDesign, tmp_path: Path) -> None:
    staged = between_registers(pipeline(CIRCUIT, stages=3, model=cost_model(library)), "staged")
    mapped = synthesise(staged, library, KEEP, None, tmp_path / "staged").netlist.read_text()
    power = PowerMeter(staged, analyse(parse_netlist(mapped, library), library)).measure(None, PowerPlan()).power
    plain = PowerMeter(alone, analyse(parse_netlist(netlist, library), library)).measure(None, PowerPlan()).power
    glitch, whole = (sum(share.glitch_uw for share in found.by_depth) for found in (power, plain))
    assert glitch < 0.7 * whole


def test_every_counter_is_of_its_own_gate_and_without_delays_none_glitches(library: Library, tmp_path: Path) -> None:
    staged = between_registers(pipeline(CIRCUIT, stages=2, model=cost_model(library)), "staged")
    mapped = synthesise(staged, library, KEEP, None, tmp_path).netlist.read_text()
    meter = PowerMeter(staged, analyse(parse_netlist(mapped, library), library))
    gates = meter.program.gates
    ends = [*(gate.count_base for gate in gates[1:]), meter.program.counts]
    owner = [number for number, gate in enumerate(gates) for _ in range(gate.count_base, ends[number])]
    assert energies(meter.program).gate.tolist() == owner
    result = meter.measure(None, PowerPlan(zero_delay=True, most_batches=1))
    assert result.functional.any()
    assert result.glitch == pytest.approx(0, abs=1e-9)
