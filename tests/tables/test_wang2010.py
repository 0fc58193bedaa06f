"""The headline of Wang and Heys, in a 0.18 µm library as theirs was."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.flow.measurement import throughput_gbps
from aesmith.flow.recipes import COMPRESS
from aesmith.flow.synthesis import synthesise
from aesmith.tables.designs import without_control
from aesmith.technology.reader import read_library
from aesmith.timing.static import analyse

OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")


@pytest.mark.slow
def test_a_pipelined_s_box_gives_more_than_twice_the_throughput_at_no_more_area(tmp_path: Path) -> None:
    if not OSU018.exists():
        pytest.skip("needs Debian's package qflow-tech-osu018")
    library = read_library(OSU018)
    areas, throughputs = [], []
    for preset in ("wang2010-s4-enc", "hamalainen2006-enc"):
        design = without_control(preset)(library)
        # The recipe with the smallest netlist, of both.
        netlist = synthesise(design, library, COMPRESS, None, tmp_path / preset)
        period = analyse(netlist.json, library).period_ns
        assert period is not None
        areas.append(netlist.area_ge)
        throughputs.append(throughput_gbps(period, design.cycles_per_block, design.block_bits))
    assert areas[0] <= areas[1]
    assert throughputs[0] / throughputs[1] >= 2.12
