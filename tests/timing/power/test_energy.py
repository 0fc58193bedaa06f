"""Every term of the power sum, by hand from the library's tables, on a circuit of three gates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.timing.power.conftest import net

from aesmith.technology.library import Library
from aesmith.timing.power.program import PowerProgram
from aesmith.timing.power.report import energies
from aesmith.timing.power.simulator import Simulator
from aesmith.timing.static import TimingConditions

THREE = """
module three(a, b, n, y); input a, b; output n, y; wire m;
  INV_X1 u0 (.A(a), .Z(n));
  NAND2_X1 u1 (.A(n), .B(a), .Z(m));
  XOR2_X2 u2 (.A(m), .B(b), .Z(y));
endmodule
"""
ONE = np.uint64(1)
# The load makes the inverter slower than the gate after it: the pulse gets through.
LOADED = TimingConditions(input_slew_ns=0.02, output_load_ff=20.0)


@pytest.fixture(scope="module")
def run(compiled: Callable[..., PowerProgram]) -> Simulator:
    """From rest at a = b = 0, a rises, then b, in lane 0."""
    simulator = Simulator(compiled(THREE, LOADED))
    simulator.counted_lanes = ONE
    simulator.begin_period()
    for port in ("a", "b"):
        simulator.drive(port, np.array([1], dtype=np.uint64))
        simulator.advance(1000)
    simulator.end_period()
    return simulator


def _internal(  # noqa: PLR0917 - the terms of a sum, read as a table
    library: Library, cell: str, pin: str, related: str | None, edge: str, slew: float, load: float
) -> float:
    group = next(g for g in library.cell(cell).internal_power if (g.pin, g.related_pin) == (pin, related))
    table = group.rise if edge == "rise" else group.fall
    assert table is not None
    return table.at(slew, load)


def test_a_rising_input_makes_a_pulse_where_its_paths_meet(run: Simulator) -> None:
    """a rises: n falls; m falls until n has; y follows m, and rises with b."""
    toggles, functional = run.net_toggles()
    nets = {name: net(run.program, name) for name in "abnmy"}
    assert {name: int(toggles[number]) for name, number in nets.items()} == {"a": 1, "b": 1, "n": 1, "m": 2, "y": 3}
    assert {name: int(functional[number]) for name, number in nets.items()} == {"a": 1, "b": 1, "n": 1, "m": 0, "y": 1}


def test_every_term_is_the_hand_calculation(run: Simulator, library: Library) -> None:
    program, state = run.program, run.program.timing
    costs = energies(program)
    volt = library.corner.voltage
    pin = {name: library.cell(cell).pins[p] for name, cell, p in (
        ("inv", "INV_X1", "A"), ("nand_a", "NAND2_X1", "A"), ("nand_b", "NAND2_X1", "B"),
        ("xor_a", "XOR2_X2", "A"), ("xor_b", "XOR2_X2", "B"))}  # fmt: skip
    cap = {name: max(p.rise, p.fall) for name, p in pin.items()}

    switching = volt**2 / 2 * (cap["nand_a"] + 2 * cap["xor_a"] + 4 * LOADED.output_load_ff)
    assert run.run.counts @ costs.switching == pytest.approx(switching, rel=1e-12)
    outside = volt**2 / 2 * (cap["inv"] + cap["nand_b"] + cap["xor_b"])
    assert run.run.net_counts @ costs.net_switching == pytest.approx(outside, rel=1e-12)

    slew = {name: state.slew[2 * net(program, name) :][:2] for name in "abnmy"}
    inputs = LOADED.input_slew_ns
    load = LOADED.output_load_ff
    # y stands at 1 as m does; while m is low y is low; at last b rises and y falls.
    internal = (
        _internal(library, "INV_X1", "Z", "A", "fall", inputs, cap["nand_a"] + load)
        + _internal(library, "NAND2_X1", "Z", "B", "fall", inputs, cap["xor_a"])
        + _internal(library, "NAND2_X1", "Z", "A", "rise", slew["n"][1], cap["xor_a"])
        + _internal(library, "XOR2_X2", "Z", "A", "fall", slew["m"][1], load)
        + _internal(library, "XOR2_X2", "Z", "A", "rise", slew["m"][0], load)
        + _internal(library, "XOR2_X2", "Z", "B", "fall", inputs, load)
    )
    assert run.run.counts @ costs.internal == pytest.approx(internal, rel=1e-12)
    of_inputs = (
        _internal(library, "INV_X1", "A", None, "rise", inputs, 0)
        + _internal(library, "NAND2_X1", "B", None, "rise", inputs, 0)
        + _internal(library, "NAND2_X1", "A", None, "fall", slew["n"][1], 0)
        + _internal(library, "XOR2_X2", "A", None, "fall", slew["m"][1], 0)
        + _internal(library, "XOR2_X2", "A", None, "rise", slew["m"][0], 0)
        + _internal(library, "XOR2_X2", "B", None, "rise", inputs, 0)
    )
    assert run.run.input_counts @ costs.input_internal == pytest.approx(of_inputs, rel=1e-12)

    def leakage(cell: str, when: str) -> float:
        return next(leak.nanowatts for leak in library.cell(cell).leakage if leak.when and leak.when.text == when)

    # At the end a = 1, n = 0, m = 1, b = 1.
    expected = leakage("INV_X1", "A") + leakage("NAND2_X1", "!A & B") + leakage("XOR2_X2", "A & B")
    assert run.run.states @ costs.leakage == pytest.approx(expected, rel=1e-12)
