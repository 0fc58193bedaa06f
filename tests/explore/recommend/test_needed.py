"""What is measured for a requirement: enough for the right answer, the promising first, in the time there is."""

import random
from collections.abc import Mapping

import pandas as pd
import pytest

from aesmith.explore.recommend.choice import recommend
from aesmith.explore.recommend.needed import Needed, expected, measure_needed
from aesmith.explore.recommend.requirement import Requirement, requirement

FIGURES = ["area_ge", "period_ns"]
pytestmark = pytest.mark.parametrize("points", [0], indirect=True)


def in_another_library(
    points: pd.DataFrame, *, area: float = 1.1, period: float = 2.5, noise: float = 0.05
) -> pd.DataFrame:
    """The same points in a slower library with larger cells; each a little off the general ratio."""
    rng = random.Random(1)
    factors = pd.DataFrame(
        [(area * rng.uniform(1 - noise, 1 + noise), period * rng.uniform(1 - noise, 1 + noise)) for _ in points.index],
        columns=FIGURES,
        index=points.index,
    )
    here = points.assign(library="here", **{name: points[name] * factors[name] for name in FIGURES})
    gbps = 128 / here["period_ns"] / here["cycles_per_block"]
    return here.assign(
        fmax_mhz=1e3 / here["period_ns"],
        latency_ns=here["period_ns"] * here["latency_cycles"],
        throughput_gbps=gbps,
        efficiency_kbps_per_ge=gbps * 1e6 / here["area_ge"],
    )


class Bench:
    """Gives what a library's points are, and notes which were asked for."""

    def __init__(self, truth: pd.DataFrame) -> None:
        self.truth = truth.set_index(["specification", "design", "optimise"], drop=False)
        self.asked: list[str] = []

    def __call__(self, row: Mapping[str, object]) -> Mapping[str, object]:
        found = self.truth.loc[(row["specification"], row["design"], row["optimise"])]
        self.asked.append(f"{row['design']} {row['optimise']}")
        return {str(name): None if pd.isna(value) else value for name, value in found.items()}

    def run(
        self, wanted: Requirement, elsewhere: pd.DataFrame, known: pd.DataFrame | None = None, most: int = 999
    ) -> Needed:
        points = self.truth.head(0).reset_index(drop=True) if known is None else known
        return measure_needed(wanted, points, elsewhere, self, in_time=lambda: len(self.asked) < most)


@pytest.fixture
def elsewhere(points: pd.DataFrame) -> pd.DataFrame:
    """With specifications that tell cores apart, which the invented ones do not."""
    return points.assign(
        specification=[
            f'{{"key_bits": {s[13:-1]}, "name": "{d}"}}'
            for s, d in zip(points["specification"], points["design"], strict=True)
        ]
    )


REQUIREMENTS = [
    requirement("cbc", "encdec", core=True, min_throughput="2Gbps"),
    requirement("ctr", core=True, min_throughput="10Gbps"),
    requirement("ctr", core=True, max_area="20kGE", maximise="throughput"),
    requirement("gcm", core=True, key=256, maximise="efficiency"),
    requirement("ofb", core=True, max_latency="60ns", minimise="area"),
]


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("wanted", REQUIREMENTS, ids=str)
def test_the_answer_is_that_of_measuring_everything(elsewhere: pd.DataFrame, wanted: Requirement) -> None:
    truth = in_another_library(elsewhere)
    bench = Bench(truth)
    needed = bench.run(wanted, elsewhere)
    best, found = recommend(truth, wanted).chosen, recommend(needed.points, wanted).chosen
    assert best is not None
    assert found is not None
    assert found.row["key"] == best.row["key"]
    assert len(set(bench.asked)) == len(bench.asked) == needed.measured
    assert needed.measured <= len(elsewhere) / 3
    assert sum(needed.unmeasured.values()) > 0


def test_time_that_is_up_is_told_with_what_was_left(elsewhere: pd.DataFrame) -> None:
    bench = Bench(in_another_library(elsewhere))
    wanted = requirement("ctr", core=True, max_area="200kGE", maximise="throughput")
    needed = bench.run(wanted, elsewhere, most=1)
    assert needed.measured == 1
    assert needed.unmeasured["promising, but the time was up"] > 0


def test_nothing_is_measured_that_is_known(elsewhere: pd.DataFrame) -> None:
    bench = Bench(in_another_library(elsewhere))
    first = bench.run(REQUIREMENTS[0], elsewhere)
    asked = len(bench.asked)
    again = bench.run(REQUIREMENTS[0], elsewhere, first.points)
    assert (again.measured, len(bench.asked)) == (0, asked)


@pytest.mark.thorough
def test_power_is_measured_again_where_it_is_asked_for_and_lacking(elsewhere: pd.DataFrame) -> None:
    truth = in_another_library(elsewhere)
    names = [name for name in truth.columns if name.startswith(("power", "energy"))]
    powerless = truth.assign(**{name: pd.array([None] * len(truth), dtype="Float64") for name in names})
    bench = Bench(truth)
    assert bench.run(requirement("ctr", core=True), elsewhere, powerless).measured == 0
    needed = bench.run(requirement("ctr", core=True, minimise="energy"), elsewhere, powerless)
    assert needed.measured > 0
    assert recommend(needed.points, requirement("ctr", core=True, minimise="energy")).chosen is not None


def test_hopeless_requirements_cost_a_few_points_only(elsewhere: pd.DataFrame) -> None:
    bench = Bench(in_another_library(elsewhere))
    needed = bench.run(requirement("ctr", core=True, min_throughput="90Tbps"), elsewhere)
    assert 1 <= needed.measured <= 3
    assert recommend(needed.points, requirement("ctr", core=True, min_throughput="90Tbps")).not_reached


def test_a_point_that_fails_is_not_tried_again(elsewhere: pd.DataFrame) -> None:
    truth = in_another_library(elsewhere)
    cheapest = recommend(truth, requirement("ctr", core=True)).chosen
    assert cheapest is not None
    truth.loc[truth["design"].eq(cheapest.design), ["status", "area_ge", "fmax_mhz"]] = ["failed", pd.NA, pd.NA]
    bench = Bench(truth)
    needed = bench.run(requirement("ctr", core=True), elsewhere)
    found = recommend(needed.points, requirement("ctr", core=True)).chosen
    assert found is not None
    assert found.design != cheapest.design
    assert len(set(bench.asked)) == len(bench.asked)


def test_expectations_are_scaled_by_what_both_libraries_have(elsewhere: pd.DataFrame) -> None:
    done = elsewhere[elsewhere["status"].eq("done")]
    truth = in_another_library(done, noise=0)
    told = expected(done, truth.head(5))
    rest = truth.iloc[5:].set_index(["specification", "optimise"])
    found = told.set_index(["specification", "optimise"])
    assert len(found) == len(rest)
    for name in (*FIGURES, "throughput_gbps", "latency_ns"):
        assert found[name].tolist() == pytest.approx(rest.loc[found.index, name].tolist())
