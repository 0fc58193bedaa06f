"""Lanes are independent, time is exact, and zero delay sees what is left at the end of a period."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.timing.power.conftest import GLITCHING, net, random_run

from aesmith.errors import CheckError, RequestError
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.power.arrays import ALL_LANES, WEIGHT
from aesmith.timing.power.program import PowerProgram, compile_netlist
from aesmith.timing.power.simulator import Simulator
from aesmith.timing.static import TimingConditions, analyse


def _toggles(program: PowerProgram, counted: int, *, zero_delay: bool = False) -> tuple[np.ndarray, np.ndarray]:
    simulator = Simulator(program, zero_delay=zero_delay)
    random_run(simulator, 40, counted)
    total, functional = simulator.net_toggles()
    return total.astype(np.int64), functional.astype(np.int64)


def test_lanes_add_up(compiled: Callable[[str], PowerProgram]) -> None:
    program = compiled(GLITCHING)
    together, _ = _toggles(program, 0b1011)
    apart = sum(_toggles(program, 1 << lane)[0] for lane in (0, 1, 3))
    assert (together == apart).all()
    assert together.sum() > 0


def test_zero_delay_sees_the_functional_transitions_only(compiled: Callable[[str], PowerProgram]) -> None:
    program = compiled(GLITCHING)
    total, functional = _toggles(program, int(ALL_LANES))
    still, _ = _toggles(program, int(ALL_LANES), zero_delay=True)
    clock = net(program, "clk")
    gates = np.arange(len(total)) != clock
    assert (still[gates] == functional[gates]).all()
    assert total.sum() > 1.2 * still.sum()


def test_a_pulse_shorter_than_the_delay_is_swallowed(compiled: Callable[[str], PowerProgram]) -> None:
    program = compiled("module t(a, y); input a; output y; wire n; INV_X1 u (.A(a), .Z(y)); endmodule")
    delay = program.annotation.delays[0, "Z", 0]
    for width, expected in ((delay.fall - 1, 0), (delay.fall + 1, 2)):
        simulator = Simulator(program)
        simulator.counted_lanes = ALL_LANES
        simulator.drive("a", np.array([ALL_LANES]))
        simulator.advance(width)
        simulator.drive("a", np.array([0], dtype=np.uint64))
        simulator.advance(1000)
        assert simulator.net_toggles()[0][net(program, "y")] == expected * 64


def test_an_edge_comes_after_its_own_delay(compiled: Callable[[str], PowerProgram]) -> None:
    program = compiled("module t(a, b, y); input a, b; output y; NAND2_X1 u (.A(a), .B(b), .Z(y)); endmodule")
    simulator = Simulator(program)
    y = net(program, "y")
    fall, rise = program.annotation.delays[0, "Z", 1].fall, program.annotation.delays[0, "Z", 0].rise
    simulator.drive("a", np.array([ALL_LANES]))
    simulator.advance(1000)
    simulator.drive("b", np.array([1], dtype=np.uint64))
    simulator.advance(fall - 1)
    assert simulator.run.value[y] == ALL_LANES
    simulator.advance(1)
    assert simulator.run.value[y] == ALL_LANES - np.uint64(1)
    simulator.advance(1000)
    simulator.drive("a", np.array([0], dtype=np.uint64))
    simulator.advance(rise - 1)
    assert simulator.run.value[y] == ALL_LANES - np.uint64(1)
    simulator.advance(1)
    assert simulator.run.value[y] == ALL_LANES
    assert simulator.quiet


def test_more_events_than_there_was_room_for(compiled: Callable[[str], PowerProgram]) -> None:
    """The wheel grows without losing an event."""
    program = compiled(GLITCHING)
    expected, _ = _toggles(program, int(ALL_LANES))
    simulator = Simulator(program)
    few = 5
    simulator.run = simulator.run._replace(event=simulator.run.event[:few].copy())
    random_run(simulator, 40, int(ALL_LANES))
    assert len(simulator.run.event) > few
    assert (simulator.net_toggles()[0] == expected).all()


def test_lane_weights_are_sums_of_weights(compiled: Callable[[str], PowerProgram]) -> None:
    program = compiled("module t(a, y); input a; output y; INV_X1 u (.A(a), .Z(y)); endmodule")
    program.arrays.gate[:, WEIGHT] = 13
    simulator = Simulator(program)
    simulator.counted_lanes = ALL_LANES
    for lanes in (0b111, 0b001, 0b000, 0b011):
        simulator.drive("a", np.array([lanes], dtype=np.uint64))
        simulator.advance(500)
    # Transitions of a by lane: 0, 1, 2, ... from words 0, 7, 1, 0, 3.
    assert simulator.lane_weights()[:4].tolist() == [13 * 3, 13 * 3, 13 * 2, 0]


def test_a_net_without_a_delay_is_refused(library: object) -> None:
    report = analyse(parse_netlist(GLITCHING, library), library, TimingConditions(0.02, 5.0))  # type: ignore[arg-type]
    kept = report.graph.instance != 10
    graph = type(report.graph)(
        **{
            **vars(report.graph),
            **{
                name: getattr(report.graph, name)[kept]
                for name in ("source", "target", "instance", "arc", "delay_table", "slew_table", "launch")
            },
        }
    )
    state = type(report.state)(**{**vars(report.state), "delay": report.state.delay[kept]})
    with pytest.raises(CheckError, match=r"17 of 18 nets have a delay .* without are"):
        compile_netlist(graph, state)


def test_a_port_that_is_not_there_is_named(compiled: Callable[[str], PowerProgram]) -> None:
    with pytest.raises(RequestError, match="port: the netlist has clk, rn, d, y, z, not e"):
        Simulator(compiled(GLITCHING)).port("e")
