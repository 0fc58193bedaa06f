"""Small circuits in the embedded library, simulated with random inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from aesmith.assurance.leakage.traces import TraceSimulator, WaveNetlist
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.power.arrays import ALL_LANES, WEIGHT, Words
from aesmith.timing.power.program import PowerProgram, compile_netlist
from aesmith.timing.power.simulator import Simulator
from aesmith.timing.static import TimingConditions, analyse

CONDITIONS = TimingConditions(input_slew_ns=0.02, output_load_ff=5.0)
PERIOD = 4000

# Unequal paths meet in every gate behind the first two: all glitch.
GLITCHING = """
module glitching(clk, rn, d, y, z);
  input clk, rn; input [3:0] d; output y, z;
  wire [3:0] q; wire a, b, c, e, f, g, h, i, j, k, l, m;
  DFFR_X1 r0 (.CK(clk), .D(d[0]), .RN(rn), .Q(q[0]));
  DFF_X1 r1 (.CK(clk), .D(m), .Q(q[1]));
  DFF_X2 r2 (.CK(clk), .D(d[2]), .Q(q[2]));
  DFF_X1 r3 (.CK(clk), .D(l), .Q(q[3]));
  INV_X1 u0 (.A(q[0]), .Z(a));
  XOR2_X1 u1 (.A(q[0]), .B(q[1]), .Z(b));
  NAND2_X1 u2 (.A(a), .B(b), .Z(c));
  XNOR2_X1 u3 (.A(c), .B(q[2]), .Z(e));
  XOR2_X1 u4 (.A(e), .B(b), .Z(f));
  AOI21_X1 u5 (.A(f), .B(c), .C(q[3]), .Z(g));
  OAI22_X1 u6 (.A(g), .B(e), .C(f), .D(a), .Z(h));
  MUX2_X1 u7 (.A(h), .B(g), .S(f), .Z(i));
  XOR2_X1 u8 (.A(i), .B(d[1]), .Z(j));
  NOR3_X1 u9 (.A(j), .B(h), .C(b), .Z(k));
  XOR2_X2 u10 (.A(k), .B(i), .Z(l));
  XNOR2_X1 u11 (.A(l), .B(d[3]), .Z(m));
  BUF_X2 u12 (.A(l), .Z(y));
  INV_X2 u13 (.A(j), .Z(z));
endmodule
"""


@pytest.fixture(scope="session")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="session")
def compiled(library: Library) -> Callable[..., PowerProgram]:
    def program(text: str, conditions: TimingConditions = CONDITIONS) -> PowerProgram:
        report = analyse(parse_netlist(text, library), library, conditions)
        return compile_netlist(report.graph, report.state)

    return program


def net(program: PowerProgram, name: str) -> int:
    """The number of a net."""
    return program.bound.netlist.nets.index(name)


def clock(simulator: Simulator, inputs: dict[str, Words]) -> None:
    """One clock period; inputs change 50 ticks after its edge."""
    simulator.begin_period()
    simulator.clock_edge(active=True)
    delay = 0 if simulator.zero_delay else 50
    if delay:
        simulator.advance(delay)
    for port, words in inputs.items():
        simulator.drive(port, words)
    simulator.advance(PERIOD // 2 - delay)
    simulator.clock_edge(active=False)
    simulator.advance(PERIOD - PERIOD // 2)
    simulator.end_period()


def random_run(simulator: Simulator, periods: int, counted: int, seed: int = 1) -> tuple[int, int]:
    """Reset, then random inputs; lanes of `counted` count after the fourth period. The times between which they do."""
    random = np.random.default_rng(seed)
    low = np.zeros(1, dtype=np.uint64)
    clock(simulator, {"rn": low})
    clock(simulator, {"rn": low | ALL_LANES})
    for _ in range(2):
        clock(simulator, {"d": random.integers(0, 1 << 64, 4, dtype=np.uint64)})
    start = simulator.time
    simulator.counted_lanes = np.uint64(counted)
    simulator.clear_counts()
    for _ in range(periods):
        clock(simulator, {"d": random.integers(0, 1 << 64, 4, dtype=np.uint64)})
    return start, simulator.time


def _weighted(netlist: WaveNetlist) -> PowerProgram:
    """The program for the simulation by events, with the weights of traces."""
    program = netlist.program
    gate = program.arrays.gate.copy()
    gate[: len(netlist.weights), WEIGHT] = netlist.weights
    return replace(program, arrays=program.arrays._replace(gate=gate))


def trace_period(simulator: Simulator, inputs: dict[str, Words], ticks: int = PERIOD) -> None:
    """A clock period; inputs change a tick after its edge, when nothing else does."""
    simulator.begin_period()
    simulator.clock_edge(active=True)
    simulator.advance(1)
    for port, words in inputs.items():
        simulator.drive(port, words)
    simulator.advance(ticks // 2 - 1)
    simulator.clock_edge(active=False)
    simulator.advance(ticks - ticks // 2)
    simulator.end_period()


def compared_traces(program: PowerProgram, ports: dict[str, int]) -> int:
    """Traces under random inputs, period by period the same as by events; the largest sample. `rn` is a reset."""
    netlist = WaveNetlist(program)
    traces, events = TraceSimulator(netlist), Simulator(_weighted(netlist), zero_delay=True)
    random = np.random.default_rng(3)
    most = 0
    for number in range(40):
        inputs = {port: random.integers(0, ALL_LANES, bits, np.uint64, endpoint=True) for port, bits in ports.items()}
        if "rn" in ports:
            inputs["rn"] = np.array([0 if number < 2 else ALL_LANES], dtype=np.uint64)
        if number == 4:
            traces.tracing, events.zero_delay, events.counted_lanes = True, False, ALL_LANES
        before = events.lane_weights()
        trace_period(traces, inputs)
        trace_period(events, inputs)
        assert (traces.run.value == events.run.value).all()
        if number >= 4:
            (sample,) = traces.samples
            traces.samples.clear()
            assert (sample[:, 0] == events.lane_weights() - before).all()
            most = max(most, int(sample.max()))
    return most
