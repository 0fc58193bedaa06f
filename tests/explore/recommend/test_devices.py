"""Points of FPGAs as requirements and answers: LUTs, block memories, clock."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aesmith.api.recommending import answer_on_device
from aesmith.cli import app
from aesmith.errors import RequestError
from aesmith.explore.recommend.choice import Recommendation
from aesmith.explore.recommend.devices import device_points
from aesmith.explore.recommend.requirement import requirement
from aesmith.explore.recommend.words import options_table, reasons


def found(device: str, mode: str = "ecb", **asked: str) -> Recommendation:
    """What is recommended of the points that come with aesmith."""
    return answer_on_device(requirement(mode, device=device, **asked)).found


def test_the_fewest_luts_decide_and_are_told_with_block_memories_and_the_spread_of_placements() -> None:
    small = found("ice40-up5k")
    assert small.chosen is not None
    assert small.chosen.design == "serial-memory-enc"
    points = device_points("ice40-up5k")
    assert small.chosen.figures["luts"] == points["luts"].min()
    table = {row[0]: row[1] for row in options_table(small)[1]}
    assert table["memories"] == "3 block RAM"
    assert table["median and slowest seed"].endswith("of 3")
    assert "area" not in table
    assert any("aesmith fpga serial-memory-enc --device ice40-up5k" in line for line in reasons(small))


def test_limits_on_memories_luts_and_throughput_hold_of_what_is_chosen() -> None:
    without = found("ecp5-25k", max_memories="0", min_throughput="5Mbps").chosen
    assert without is not None
    assert without.figures["memories"] == 0
    fast = found("ecp5-25k", min_throughput="20Mbps", max_luts="330").chosen
    assert fast is not None
    assert (fast.figures["throughput"] or 0) >= 0.02
    assert (fast.figures["luts"] or 0) <= 330
    assert fast.proved


def test_what_no_point_reaches_is_told_with_the_best_there_is() -> None:
    missed = found("ice40-up5k", max_luts="10")
    assert missed.chosen is None
    assert [str(miss.limit) for miss, _ in missed.not_reached] == ["luts ≤ 10 LUTs"]


def test_a_device_that_is_counted_only_has_no_clock_and_serves_no_limit_on_throughput() -> None:
    counted = device_points("xc7")
    assert counted["fmax_mhz"].isna().all()
    assert found("xc7").chosen is not None
    assert found("xc7", min_throughput="1Mbps").chosen is None


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"device": "ecp5-12k"}, "device: must be one of ecp5-25k, .*not 'ecp5-12k'"),
        ({"device": "nexus-40"}, "it can be measured: `aesmith fpga`"),
        ({"device": "xc7", "max_area": "3kGE"}, "area: is a figure of a library, not of a device"),
        ({"max_luts": "300"}, "luts: is a figure of a device; give --device, too"),
        ({"maximise": "memories"}, "memories: is a figure of a device"),
    ],
)
def test_figures_of_the_other_kind_are_refused(asked: dict[str, str], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        answer_on_device(requirement(**asked))  # type: ignore[arg-type]


def test_the_verb_answers_and_refuses_what_needs_a_library(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["recommend", "--device", "ecp5-25k", "--min-throughput", "20Mbps", "--json"])
    assert ran.exit_code == 0
    answer = json.loads(ran.stdout)
    assert answer["requirement"]["device"] == "ecp5-25k"
    assert answer["chosen"]["figures"]["luts"] > 0
    refused = CliRunner().invoke(app, ["recommend", "--device", "ecp5-25k", "--build", str(tmp_path / "x")])
    assert "leave --build out" in str(refused.exception)


def test_of_each_device_all_placements_are_of_three_seeds_and_the_best_is_not_below_the_others() -> None:
    for device in ("ice40-up5k", "ecp5-25k"):
        points = device_points(device)
        assert points["seeds"].eq(3).all()
        assert points["fmax_mhz"].ge(points["median_fmax_mhz"]).all()
        assert points["median_fmax_mhz"].ge(points["least_fmax_mhz"]).all()
