"""Traces are sums of the transitions that the simulation by events counts, lane by lane and period by period."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.timing.power.conftest import GLITCHING, compared_traces, trace_period

from aesmith.assurance.leakage.traces import TraceSimulator, WaveNetlist
from aesmith.errors import CheckError
from aesmith.timing.power.arrays import ALL_LANES
from aesmith.timing.power.program import PowerProgram


def test_they_are_those_of_the_simulation_by_events(compiled: Callable[[str], PowerProgram]) -> None:
    assert compared_traces(compiled(GLITCHING), {"rn": 1, "d": 4}) > 0


def test_parts_of_a_period_add_up(compiled: Callable[[str], PowerProgram]) -> None:
    netlist = WaveNetlist(compiled(GLITCHING))
    sums = []
    for parts in (1, 40):
        simulator, random = TraceSimulator(netlist, parts), np.random.default_rng(5)
        simulator.tracing = True
        for _ in range(10):
            trace_period(simulator, {"rn": np.array([ALL_LANES]), "d": random.integers(0, 1 << 63, 4, dtype=np.uint64)})
        sums.append(np.array(simulator.samples).sum(axis=2))
        if parts > 1:
            assert (np.array(simulator.samples)[:, 0, :] > 0).sum() > 20
    assert (sums[0] == sums[1]).all()


def test_a_period_in_which_not_all_settles_is_refused(compiled: Callable[[str], PowerProgram]) -> None:
    simulator, random = TraceSimulator(WaveNetlist(compiled(GLITCHING))), np.random.default_rng(5)
    simulator.tracing = True
    words = random.integers(0, 1 << 63, 4, dtype=np.uint64)
    trace_period(simulator, {"rn": np.array([ALL_LANES])})
    with pytest.raises(CheckError, match=r"after \d+ ps something still moves; the clock period of 60 ps is too short"):
        trace_period(simulator, {"d": words}, 60)
