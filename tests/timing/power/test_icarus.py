"""The same transitions as Icarus Verilog with SDF, net by net."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.timing.power.conftest import GLITCHING, PERIOD, random_run

from aesmith.errors import ToolError
from aesmith.testing import icarus
from aesmith.timing.power.program import PowerProgram
from aesmith.timing.power.simulator import Simulator

LANE = 5
needs_icarus = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="Icarus is not installed (apt install iverilog)"
)


@needs_icarus
def test_every_net_toggles_as_often_as_in_icarus(compiled: Callable[[str], PowerProgram], tmp_path: Path) -> None:
    program = compiled(GLITCHING)
    simulator = Simulator(program, record=True)
    start, end = random_run(simulator, 200, 1 << LANE)
    assert simulator.recording is not None
    theirs = icarus.simulate(program, simulator.recording, LANE, (start - 1, end - 1), tmp_path)
    ours, functional = simulator.net_toggles()
    assert ours[2:].tolist() == theirs.toggles[2:]
    assert ours.sum() > functional.sum() > 1000
    high = (simulator.run.value[: len(ours)] >> np.uint64(LANE)) & np.uint64(1)
    assert high[2:].astype(bool).tolist() == theirs.high[2:]


@needs_icarus
def test_icarus_takes_the_delays(compiled: Callable[[str], PowerProgram], tmp_path: Path) -> None:
    """With other delays it counts otherwise: what is compared above depends on them."""
    program = compiled(GLITCHING)
    simulator = Simulator(program, record=True)
    start, end = random_run(simulator, 200, 1 << LANE)
    assert simulator.recording is not None
    first = icarus.simulate(program, simulator.recording, LANE, (start - 1, end - 1), tmp_path)
    delays = tmp_path / "delays.sdf"
    delays.write_text(delays.read_text().replace("(IOPATH A Z (", "(IOPATH A Z (1"))
    icarus.run_testbench(tmp_path)
    assert end > PERIOD
    second = icarus.read_dump(tmp_path / "dump.vcd", len(first.toggles), (start - 1, end - 1))
    assert first.toggles != second.toggles


def test_a_missing_icarus_is_named(
    compiled: Callable[[str], PowerProgram], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"Icarus Verilog \(iverilog\) is not installed.*apt install iverilog"):
        icarus.simulate(compiled(GLITCHING), [], 0, (0, 1), tmp_path)
