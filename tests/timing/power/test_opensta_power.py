"""Switching and leakage against OpenSTA's report_power on the same activities.

Its version of 2019 takes activities for all pins at once only, and its internal power is known to count cells with
conditional groups several times: neither a comparison net by net nor one of internal power is possible with it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.timing.power.conftest import CONDITIONS, GLITCHING

from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.timing.power.program import PowerProgram
from aesmith.timing.power.report import energies

PERIOD_NS = 10

pytestmark = pytest.mark.skipif(shutil.which("sta") is None, reason="OpenSTA is not installed (apt install opensta)")


def _opensta(library: Library, folder: Path, activity: float) -> tuple[float, float]:
    """Switching power and leakage in W."""
    (folder / "library.lib").write_text(read_text(library.path))
    (folder / "netlist.v").write_text(GLITCHING)
    (folder / "power.tcl").write_text(f"""
read_liberty library.lib
read_verilog netlist.v
link_design glitching
set_cmd_units -time ns -capacitance fF -resistance kohm -voltage V -current mA -power nW -distance um
create_clock -name c -period {PERIOD_NS} [get_ports clk]
set_load -pin_load {CONDITIONS.output_load_ff} [all_outputs]
set_power_activity -global -activity {activity} -duty 0.5
report_power -digits 8
""")
    command = ["sta", "-no_splash", "-exit", "power.tcl"]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    total = re.search(r"^Total +\S+ +(\S+) +(\S+)", done.stdout, re.MULTILINE)
    assert total is not None, done.stdout
    return float(total[1]), float(total[2])


@pytest.mark.parametrize("activity", [0.2, 1.5])
def test_switching_and_leakage_are_opensta_s(
    compiled: Callable[[str], PowerProgram], library: Library, tmp_path: Path, activity: float
) -> None:
    program = compiled(GLITCHING)
    costs = energies(program)
    # One transition of each net, counted in any one of its classes.
    each = np.zeros(program.counts)
    for gate in program.gates:
        if gate.pin is not None:
            each[gate.count_base] = 1
    femtojoules = each @ costs.switching * activity
    # At even odds every state of a cell is as likely as any other.
    even = np.concatenate([np.full(1 << model.count, 0.5**model.count) for model in program.models])
    switching, leakage = _opensta(library, tmp_path, activity)
    assert femtojoules * 1e-15 / (PERIOD_NS * 1e-9) == pytest.approx(switching, rel=1e-5)
    assert even @ costs.leakage * 1e-9 == pytest.approx(leakage, rel=1e-5)
