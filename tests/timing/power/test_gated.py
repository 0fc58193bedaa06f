"""Clock gates: a register moves, and its clock takes energy, in just the periods in which its gates are open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.assurance.clock_gate import with_gates
from tests.timing.power.conftest import CONDITIONS, clock, compared_traces, net

from aesmith.cores.design import Direction
from aesmith.cores.specification import build_design, load_specification
from aesmith.errors import CheckError, RequestError
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.power.arrays import ALL_LANES
from aesmith.timing.power.figures import PowerPlan
from aesmith.timing.power.program import PowerProgram, compile_netlist
from aesmith.timing.power.report import PowerMeter, energies
from aesmith.timing.power.simulator import Simulator
from aesmith.timing.static import analyse

GATE = """
  cell (CLKGATE_X1) {
    area : 4;
    clock_gating_integrated_cell : "latch_posedge";
    statetable ("CK E", "IQ") { table : "L L : - : L, L H : - : H, H - : - : N"; }
    leakage_power () { when : "!CK & !E & !GCK"; value : 10; }
    leakage_power () { when : "CK & !E & !GCK"; value : 20; }
    leakage_power () { when : "!CK & E & !GCK"; value : 40; }
    leakage_power () { when : "CK & E & GCK"; value : 80; }
    pin (IQ) { direction : internal; internal_node : "IQ"; }
    pin (CK) {
      direction : input; clock : true; clock_gate_clock_pin : true; capacitance : 1.5;
      internal_power () { when : "!E & !GCK"; ONE(3, 5) }
      internal_power () { when : "E & !GCK"; ONE(300, 500) }
    }
    pin (E) {
      direction : input; clock_gate_enable_pin : true; capacitance : 1;
      internal_power () { when : "!CK & !GCK"; ONE(7, 11) }
      timing () { related_pin : "CK"; timing_type : setup_rising; }
    }
    pin (GCK) {
      direction : output; clock_gate_out_pin : true; state_function : "IQ & CK";
      internal_power () { related_pin : "CK"; when : "E"; ONE(13, 17) }
      internal_power () { related_pin : "CK"; when : "!E"; ONE(1300, 1700) }
      timing () { related_pin : "CK"; timing_sense : positive_unate; }
    }
  }
"""
"""A clock gate with the groups that NanGate's has; figures by which each can be told."""

TWO = """
module two(clk, e, d, p, q); input clk, e, d; output p, q; wire g;
  DFF_X1 free (.CK(clk), .D(d), .Q(p));
  DFF_X1 held (.CK(g), .D(d), .Q(q));
  CLKGATE_X1 gate (.CK(clk), .E(e), .GCK(g));
endmodule
"""
CHAIN = """
module chain(clk, e, f, d, q); input clk, e, f, d; output q; wire g, h;
  DFF_X1 held (.CK(h), .D(d), .Q(q));
  CLKGATE_X1 second (.CK(g), .E(f), .GCK(h));
  CLKGATE_X1 first (.CK(clk), .E(e), .GCK(g));
endmodule
"""


def _one(text: str) -> str:
    while "ONE(" in text:
        before, _, rest = text.partition("ONE(")
        rise, _, rest = rest.partition(", ")
        fall, _, rest = rest.partition(")")
        # The template `energy` has seven transitions.
        table = [f'{edge}_power (energy) {{ values ("{", ".join([value] * 7)}"); }}' for edge, value in
                 (("rise", rise), ("fall", fall))]  # fmt: skip
        text = before + " ".join(table) + rest
    return text


@pytest.fixture(scope="module")
def gating(tmp_path_factory: pytest.TempPathFactory) -> Library:
    file = tmp_path_factory.mktemp("library") / "gates.lib"
    bare = GATE.replace("CLKGATE_X1", "UNKNOWN_X1").replace(
        "L L : - : L, L H : - : H, H - : - : N", "- L : - : L, - H : - : H"
    )
    file.write_text(with_gates(_one(GATE + bare)))
    return read_library(file)


@pytest.fixture(scope="module")
def program(gating: Library) -> Callable[[str], PowerProgram]:
    def made(text: str) -> PowerProgram:
        report = analyse(parse_netlist(text, gating), gating, CONDITIONS)
        return compile_netlist(report.graph, report.state)

    return made


@pytest.mark.parametrize("zero_delay", [False, True])
@pytest.mark.parametrize(("text", "enables"), [(TWO, "e"), (CHAIN, "ef")])
def test_a_register_loads_where_all_its_gates_are_open(
    program: Callable[[str], PowerProgram], text: str, enables: str, zero_delay: bool
) -> None:
    simulator = Simulator(program(text), zero_delay=zero_delay)
    random = np.random.default_rng(3)
    kept = data = np.zeros(1, dtype=np.uint64)
    opened = np.zeros(1, dtype=np.uint64)
    for _ in range(20):
        # What stood at the inputs at the end of the last period is taken at the edge that begins this one.
        kept = kept & ~opened | data & opened
        data, *levels = random.integers(0, 1 << 64, (1 + len(enables), 1), dtype=np.uint64)
        clock(simulator, {"d": data, **dict(zip(enables, levels, strict=True))})
        opened = np.bitwise_and.reduce(levels)
        assert (simulator.port("q") == kept).all()


def test_an_enable_that_moves_while_the_clock_is_high_opens_nothing(program: Callable[[str], PowerProgram]) -> None:
    simulator = Simulator(program(TWO))
    simulator.drive("d", np.array([ALL_LANES]))
    simulator.advance(1000)
    simulator.counted_lanes = ALL_LANES
    simulator.clock_edge(active=True)
    for level in (ALL_LANES, np.uint64(0)):
        simulator.advance(100)
        simulator.drive("e", np.array([level]))
    simulator.advance(100)
    simulator.clock_edge(active=False)
    simulator.advance(1000)
    simulator.clock_edge(active=True)
    simulator.advance(1000)
    assert simulator.port("q")[0] == 0
    assert simulator.port("p")[0] == ALL_LANES
    assert simulator.net_toggles()[0][net(simulator.program, "g")] == 0


def test_a_closed_gate_saves_what_its_clock_would_take(program: Callable[[str], PowerProgram], gating: Library) -> None:
    """One period with the gate closed, in which the enable rises, one with it open, all data at rest."""
    made = program(TWO)
    simulator, costs = Simulator(made), energies(made)
    low, high = (np.array([level], dtype=np.uint64) for level in (0, 1))
    for _ in range(2):
        clock(simulator, {"d": low, "e": low})
    simulator.counted_lanes = np.uint64(1)
    simulator.clear_counts()
    clock(simulator, {"e": high})
    clock(simulator, {})
    run = simulator.run
    volt = gating.corner.voltage
    pins = {name: gating.cell(name).pins["CK"].capacitance for name in ("DFF_X1", "CLKGATE_X1")}
    clocks, enables = 4 * (pins["DFF_X1"] + pins["CLKGATE_X1"]), 1.0
    assert run.net_counts @ costs.net_switching == pytest.approx(volt**2 / 2 * (clocks + enables))
    assert run.counts @ costs.switching == pytest.approx(volt**2 / 2 * 2 * pins["DFF_X1"])
    assert run.counts @ costs.internal == pytest.approx(13 + 17)
    [group] = [group for group in gating.cell("DFF_X1").internal_power if group.pin == "CK"]
    assert group.rise is not None
    assert group.fall is not None
    register = group.rise.at(0, 0) + group.fall.at(0, 0)
    # The clock of the gate moves alone in the first period: up before, down after the enable has risen.
    # The enable rises while the clock is 1, where the library has no figure.
    assert run.input_counts @ costs.input_internal == pytest.approx(3 * register + 3 + 500)
    gate = next(index for index, model in enumerate(made.models) if model.gate)
    leakage = np.bincount(costs.state_instance, run.states * costs.leakage)[gate]
    assert leakage == pytest.approx(2 * (40 + 80) / 2)


def test_a_gate_that_is_no_latch_and_and_is_refused(program: Callable[[str], PowerProgram]) -> None:
    with pytest.raises(RequestError, match="clock gate UNKNOWN_X1 must be a latch and an AND"):
        program(TWO.replace("CLKGATE_X1", "UNKNOWN_X1"))


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("preset", ["serial-shared-keyed-gated-enc", "column-beat32-gated-enc"])
def test_a_core_with_clock_gates_computes_and_takes_less(preset: str, gating: Library, tmp_path: Path) -> None:
    """A key with each block and beats of 32 bits are driven, too. Where no gate opens it computes nothing."""
    power = {}
    for name in (preset, preset.replace("-gated", "")):
        design = build_design(load_specification(name), "core", name)
        netlist = synthesise(design, gating, KEEP, None, tmp_path / name).netlist.read_text()
        meter = PowerMeter(design, analyse(parse_netlist(netlist, gating), gating))
        power[name] = meter.measure(Direction.ENCRYPT, PowerPlan(precision=0.1)).power
        if name == preset:
            wrong = PowerMeter(design, analyse(parse_netlist(_tied(netlist), gating), gating))
            with pytest.raises(CheckError, match=r"computes|nothing has passed"):
                wrong.measure(Direction.ENCRYPT, PowerPlan(precision=0.1))
    gated, plain = power.values()
    assert gated.energy_pj_per_block is not None
    assert plain.energy_pj_per_block is not None
    assert 0.3 < gated.energy_pj_per_block / plain.energy_pj_per_block < 1


def _tied(netlist: str) -> str:
    """The netlist with the enables of all clock gates tied to 0."""
    lines, inside = [], False
    for line in netlist.splitlines():
        inside = (inside or "CLKGATE_X1" in line) and ";" not in line
        pin = line.strip().startswith(".E(") and inside
        lines.append(line.split(".E(")[0] + ".E(1'b0)" + ("," if line.rstrip().endswith(",") else "") if pin else line)
    return "\n".join(lines)


def test_traces_are_those_of_the_simulation_by_events(program: Callable[[str], PowerProgram]) -> None:
    assert compared_traces(program(TWO), {"e": 1, "d": 1}) > 0
    assert compared_traces(program(CHAIN), {"e": 1, "f": 1, "d": 1}) > 0
