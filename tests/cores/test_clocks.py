"""The clocks that cores state: from block to block, of the first block under a key, and of the slowest."""

from __future__ import annotations

from dataclasses import astuple, replace
from pathlib import Path

import pytest

from aesmith.api import listing
from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import Clocks, CoreDesign, Direction
from aesmith.cores.specification import build_design, described_design, load_specification, presets
from aesmith.cores.wrapper import with_one_key_size

TIMING = SimulationPlan(scenarios=("timing",))
CHEAP = ("column-beat32-encdec", "wang2010-s4-enc", "serial-shared-encdec")


def described(preset: str) -> CoreDesign:
    """What a list says of a core."""
    return described_design(load_specification(preset), "core", preset)


@pytest.mark.thorough(but=CHEAP)
@pytest.mark.one_in(12)
@pytest.mark.slow
@pytest.mark.parametrize("preset", presets())
def test_the_bench_sees_the_clocks_that_a_core_states(preset: str, tmp_path: Path) -> None:
    design = build_design(load_specification(preset), "core", preset)
    report = simulate(design, tmp_path, TIMING)
    assert report.failures == ()
    seen = [(timing.cycles_per_block, timing.latency_cycles, timing.worst_latency_cycles) for timing in report.timing]
    stated = (design.clocks(bits, way) for bits in design.key_bits for way in design.directions)
    assert seen == [(clocks.per_block, clocks.first, clocks.worst) for clocks in stated]


def test_what_is_listed_of_a_core_is_of_its_slower_direction() -> None:
    for listed in listing.cores():
        design = described(listed["name"])
        each = [design.clocks(max(design.key_bits), way) for way in design.directions]
        said = listed["cycles_per_block"], listed["latency_cycles"], listed["worst_latency_cycles"]
        assert said == tuple(max(figures) for figures in zip(*map(astuple, each), strict=True)), listed["name"]
        assert all(clocks.per_block > 0 and clocks.first <= (clocks.worst or 0) for clocks in each)


def test_clocks_where_directions_differ() -> None:
    design = described("column-beat32-encdec")
    assert (design.cycles_per_block, design.latency_cycles) == (105, 101)
    assert design.clocks(128, Direction.ENCRYPT) == Clocks(105, first=63, worst=110)
    assert described("column-beat32-gated-encdec-192").cycles_per_block == 134


def test_a_key_size_of_several_has_the_clocks_of_its_own() -> None:
    design = replace(described("column-beat32-gated-encdec-selectable"), sources=())
    one = with_one_key_size(design, 128)
    assert (one.cycles_per_block, one.latency_cycles, one.latency_spread) == (105, 101, 9)


def test_a_registered_output_is_a_clock_later_in_all_of_them() -> None:
    design = described_design(
        load_specification("column-beat32-encdec").model_copy(update={"output": "registered"}), "core", ""
    )
    assert design.clocks(128, Direction.ENCRYPT) == Clocks(105, first=64, worst=111)
    wang = described_design(
        load_specification("wang2010-s4-enc").model_copy(update={"output": "registered"}), "core", ""
    )
    assert wang.clocks(128, Direction.ENCRYPT) == Clocks(243, first=247, worst=248)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0, 2])
def test_a_slowest_block_that_is_stated_wrong_is_found(spread: int, tmp_path: Path) -> None:
    design = replace(build_design(load_specification("wang2010-s4-enc"), "core", ""), latency_spread=spread)
    (timing,) = simulate(design, tmp_path, TIMING).scenarios
    assert f"worst_latency_cycles: the design says {246 + spread}, encryption took 247" in timing.failure
