"""A measurement is the best of what was tried, says what it was chosen from, and has gaps rather than guesses."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import RequestError, ToolError
from aesmith.flow import measure as subject
from aesmith.flow.measure import _Work, measure, measurement_key
from aesmith.flow.measurement import PLANS, THOROUGH, Measurement, Optimise
from aesmith.flow.recipes import (
    KEEP,
    KEEP_SIZED,
    RECIPES,
    REWIRING_STEPS,
    SHRINK,
    SynthesisPlan,
    recipe_by_name,
)
from aesmith.processes import Cancelled
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def smallest(toy: CoreDesign, library: Library, tmp_path_factory: pytest.TempPathFactory) -> Measurement:
    return measure(toy, library, Optimise.AREA, tmp_path_factory.mktemp("area"))


@pytest.fixture(scope="module")
def reports() -> list[tuple[str, int, int]]:
    return []


@pytest.fixture(scope="module")
def best(
    toy: CoreDesign, library: Library, reports: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> Measurement:
    return measure(
        toy,
        library,
        Optimise.AREA_SPEED,
        tmp_path_factory.mktemp("speed"),
        progress=lambda what, done, total: reports.append((what, done, total)),
        jobs=2,
    )


def test_for_area_two_per_cent_of_it_count_for_nothing(smallest: Measurement) -> None:
    """Of the netlists that are as small, the one with the least area × period counts."""
    assert {candidate.recipe for candidate in smallest.candidates} == {r.name for r in PLANS[Optimise.AREA].first}
    least = min(candidate.area_ge or 0 for candidate in smallest.candidates)
    alike = [c for c in smallest.candidates if (c.area_ge or 0) <= 1.02 * least]
    assert smallest.area_ge <= 1.02 * least
    assert smallest.efficiency_kbps_per_ge == max(c.efficiency_kbps_per_ge or 0 for c in alike)
    assert len(alike) < len(smallest.candidates)


def test_area_speed_is_the_best_throughput_per_gate(best: Measurement, smallest: Measurement) -> None:
    efficiencies = [candidate.efficiency_kbps_per_ge or 0 for candidate in best.candidates]
    assert best.efficiency_kbps_per_ge == max(efficiencies)
    assert any(candidate.target_ps for candidate in best.candidates)
    assert smallest.efficiency_kbps_per_ge is not None
    assert best.area_ge > smallest.area_ge
    assert max(efficiencies) > smallest.efficiency_kbps_per_ge


def test_figures_follow_from_area_and_period(smallest: Measurement) -> None:
    period = smallest.period_ns
    assert period is not None
    assert smallest.fmax_mhz == pytest.approx(1000 / period)
    assert smallest.latency_ns == pytest.approx(11 * period)
    assert smallest.throughput_gbps == pytest.approx(128 / (10 * period))
    assert smallest.efficiency_kbps_per_ge == pytest.approx(128e6 / (10 * period) / smallest.area_ge)
    assert smallest.area_ge == pytest.approx(smallest.logic_area_ge + smallest.register_area_ge)
    assert smallest.critical_path[-1].arrival_ns < period
    assert smallest.flip_flops == 30


def test_progress_counts_every_step_and_says_what_is_worked_on(
    best: Measurement, reports: list[tuple[str, int, int]]
) -> None:
    counts = [0, *(done for _, done, _ in reports)]
    steps = [report for report, before in zip(reports, counts, strict=False) if report[1] == before + 1]
    assert [done for _, done, _ in steps] == list(range(1, len(steps) + 1)), "one by one"
    assert reports[-1][1] == reports[-1][2]
    ended = [what for what, _, _ in steps]
    assert sorted(ended) == sorted(set(ended)), "each once"
    timed = {candidate.label for candidate in best.candidates if "-timed" in candidate.recipe}
    assert {what.removesuffix(": sizing") for what in ended if what.endswith(": sizing")} == timed
    assert "elaborating, flat" in ended
    assert {"delay: mapping", "keep-timed: mapping", "keep-timed+noxor2: mapping"} <= set(ended)


def test_what_is_still_to_do_is_known_before_a_plan_begins(reports: list[tuple[str, int, int]]) -> None:
    """For area-speed: one elaboration, a mapping for each recipe, sizings of five; then four targets."""
    assert reports[0][2] == 1 + 6 + 5 + 4
    assert reports[-1][2] <= reports[0][2]


def test_a_step_in_which_a_tool_fails_is_over(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    broken = replace(KEEP, name="broken", script="no_such_command")
    reports: list[tuple[str, int, int]] = []
    plan = SynthesisPlan((broken, SHRINK))
    measure(toy, library, Optimise.AREA, tmp_path, plan=plan, progress=lambda *report: reports.append(report), jobs=1)
    assert [done for what, done, _ in reports if what == "broken: mapping"] == [1, 2]
    assert reports[-1][1:] == (3, 3)


def test_a_rewiring_counts_for_its_legs_and_its_proof() -> None:
    """With a step for a netlist a bar stood at 10 of 10 while one was rewired and proved for 17 of 21 minutes."""
    told: list[tuple[str, int, int]] = []
    work = _Work(lambda *words: told.append(words), 2 + REWIRING_STEPS)
    with work.step("keep-timed: mapping"):
        pass
    with work.step("keep-timed+rewired", REWIRING_STEPS) as tell, work.step("beside"):
        tell("leg 3 of at most 10", 2)
        tell("proving", REWIRING_STEPS - 1)
    counts = [0, 1, 1, 1, 3, REWIRING_STEPS, 1 + REWIRING_STEPS, 2 + REWIRING_STEPS]
    assert [done for _, done, _ in told] == counts
    assert {total for _, _, total in told} == {2 + REWIRING_STEPS}
    assert told[4][0] == "keep-timed+rewired: leg 3 of at most 10"


def test_the_period_with_ports_is_the_longest_of_all_paths(best: Measurement, smallest: Measurement) -> None:
    for found in (best, smallest):
        beside = (found.input_to_register_ns, found.register_to_output_ns, found.input_to_output_ns)
        paths = [path for path in (found.period_ns, *beside) if path is not None]
        assert found.period_with_ports_ns == found.to_json()["period_with_ports_ns"] == max(paths)
    longer = replace(best, register_to_output_ns=99.0)
    assert (longer.period_ns, longer.period_with_ports_ns) == (best.period_ns, 99.0)
    assert (longer.fmax_mhz, longer.fmax_with_ports_mhz) == (best.fmax_mhz, 1e3 / 99.0)
    assert longer.to_json()["fmax_with_ports_mhz"] == 1e3 / 99.0
    assert Measurement.from_json(longer.to_json()) == longer
    assert replace(longer, period_ns=None, fmax_mhz=None).fmax_with_ports_mhz is None, "a circuit without registers"


def test_it_survives_json(best: Measurement) -> None:
    assert Measurement.from_json(json.loads(json.dumps(best.to_json()))) == best


@pytest.mark.thorough
def test_measured_again_it_is_the_same(
    toy: CoreDesign, library: Library, smallest: Measurement, tmp_path: Path
) -> None:
    def timeless(measurement: Measurement) -> Measurement:
        return replace(measurement, candidates=tuple(replace(c, seconds=0.0) for c in measurement.candidates))

    assert timeless(measure(toy, library, Optimise.AREA, tmp_path, jobs=1)) == timeless(smallest)


def test_a_figure_that_cannot_be_had_is_a_gap_with_a_reason(
    two_registers: CoreDesign, smallest: Measurement, library: Library, tmp_path: Path
) -> None:
    measurement = measure(two_registers, library, Optimise.AREA, tmp_path)
    assert measurement.period_ns is measurement.fmax_mhz is measurement.efficiency_kbps_per_ge is None
    assert measurement.register_to_output_ns is not None
    assert measurement.gaps["fmax_mhz"] == "the netlist has no path from a register to a register"
    assert measurement.placed is None, "figures with wires were not asked for, so they are no gap"
    lacking = {name for name, value in vars(measurement).items() if value is None} - {"placed"}
    assert set(measurement.gaps) == lacking | {"fmax_with_ports_mhz"}
    assert [c.recipe for c in measurement.candidates] == [c.recipe for c in smallest.candidates], "one plan for all"


def test_a_candidate_that_fails_is_kept_with_its_reason(
    toy: CoreDesign, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = replace(KEEP, name="broken", script="no_such_abc_command")
    monkeypatch.setattr(subject, "PLANS", {Optimise.AREA: SynthesisPlan((KEEP, broken))})
    measurement = measure(toy, library, Optimise.AREA, tmp_path)
    assert measurement.recipe == "keep"
    failed = next(candidate for candidate in measurement.candidates if candidate.recipe == "broken")
    assert failed.area_ge is None
    assert "no_such_abc_command" in (failed.failure or "")


def test_sources_that_yosys_refuses_are_an_error(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    wrong = replace(toy, sources=(SourceFile("toy.sv", "module toy(output logic y_o); assign y_o = x; endmodule"),))
    with pytest.raises(ToolError, match="undeclared identifier 'x'"):
        measure(wrong, library, Optimise.AREA, tmp_path)


def test_a_cancelled_measurement_stops(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    cancel = threading.Event()
    counts: list[int] = []

    def stop(_what: str, done: int, _total: int) -> None:
        counts.append(done)
        if done:
            cancel.set()

    with pytest.raises(Cancelled):
        measure(toy, library, Optimise.AREA, tmp_path, progress=stop, jobs=1, cancel=cancel)
    assert max(counts) == 1


def test_an_interrupted_measurement_leaves_no_process(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    def interrupt(_what: str, _done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(toy, library, Optimise.AREA, tmp_path, progress=interrupt, jobs=2)
    folders = [entry / "cwd" for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    assert not [folder for folder in folders if _target(folder).startswith(str(tmp_path))]


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def test_no_jobs_are_refused(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="jobs: must be 1 or more, not 0"):
        measure(toy, library, Optimise.AREA, tmp_path / "none", jobs=0)
    assert not (tmp_path / "none").exists()


def test_the_key_depends_on_all_that_the_figures_depend_on(
    toy: CoreDesign, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = measurement_key(toy, library, Optimise.AREA)
    assert key == measurement_key(toy, library, Optimise.AREA)
    assert key == measurement_key(replace(toy, title="another title"), library, Optimise.AREA)
    text = replace(toy, sources=(*toy.sources[:-1], SourceFile("toy.sv", toy.sources[-1].text + "\n")))
    others = {
        measurement_key(text, library, Optimise.AREA),
        measurement_key(replace(toy, cycles_per_block=11), library, Optimise.AREA),
        measurement_key(toy, replace(library, digest="0"), Optimise.AREA),
        measurement_key(toy, library, Optimise.AREA_SPEED),
    }
    monkeypatch.setattr(subject, "PLANS", {Optimise.AREA: SynthesisPlan((KEEP_SIZED, SHRINK))})
    others.add(measurement_key(toy, library, Optimise.AREA))
    monkeypatch.setattr(subject, "yosys_version", lambda: "0.71")
    others.add(measurement_key(toy, library, Optimise.AREA))
    assert len(others | {key}) == 7


def test_speed_is_the_shortest_period_of_what_was_tried(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    fastest = measure(toy, library, Optimise.SPEED, tmp_path, jobs=2)
    assert len(fastest.candidates) == PLANS[Optimise.SPEED].netlists
    assert fastest.period_ns == min(candidate.period_ns or 1e9 for candidate in fastest.candidates)
    assert {c.recipe for c in fastest.candidates if c.target_ps} == {"delay-timed", "keep-timed", "keep-timed+noxor2"}


@pytest.mark.parametrize("kept", [optimise for optimise in Optimise if optimise.kept])
def test_a_kept_condition_is_the_plan_of_its_goal_on_each_module(kept: Optimise) -> None:
    flat, by_modules = PLANS[kept.goal], PLANS[kept]
    assert {recipe.by_modules().name for recipe in flat.first} == {recipe.name for recipe in by_modules.first}
    assert all(recipe.hierarchical for recipe in by_modules.first)
    assert (by_modules.finalists, by_modules.factors) == (flat.finalists, flat.factors)


TWICE = """
module TOP(input clk_i, input [2:0] x_i, output reg [1:0] y_o);
  wire [1:0] y;
  twice_one u_one(.x_i, .y_o(y[0]));
  twice_other u_other(.x_i, .y_o(y[1]));
  always @(posedge clk_i) y_o <= y;
endmodule
module twice_one(input [2:0] x_i, output y_o);
  assign y_o = (x_i[0] ^ x_i[1]) & x_i[2];
endmodule
module twice_other(input [2:0] x_i, output y_o);
  assign y_o = x_i[2] & (x_i[1] ^ x_i[0]);
endmodule
"""


@pytest.mark.parametrize("optimise", Optimise)
def test_what_a_plan_tries_is_tried_thoroughly_too(optimise: Optimise) -> None:
    """Every recipe, target and factor of a target; every recipe there is, with XOR2 cells and without."""
    plan, thorough = PLANS[optimise], THOROUGH[optimise]
    assert {*plan.first} <= {*thorough.first}
    assert {*plan.aimed} <= {*thorough.aimed}
    assert {*plan.factors} <= {*thorough.factors}
    assert thorough.finalists == sum(recipe.targets for recipe in thorough.first)
    names = {recipe.name for recipe in thorough.first}
    whole = {name for name, recipe in RECIPES.items() if recipe.hierarchical == optimise.kept}
    assert whole <= names
    assert {recipe_by_name(name).without_xor2().name for name in whole} <= names


@pytest.mark.thorough
@pytest.mark.parametrize("optimise", [Optimise.AREA, Optimise.AREA_SPEED])
def test_thoroughly_measured_nothing_is_worse(  # noqa: PLR0917 - fixtures
    optimise: Optimise, smallest: Measurement, best: Measurement, toy: CoreDesign, library: Library, tmp_path: Path
) -> None:
    usual = {Optimise.AREA: smallest, Optimise.AREA_SPEED: best}[optimise]
    found = measure(toy, library, optimise, tmp_path, plan=THOROUGH[optimise])
    tried = {(candidate.recipe, candidate.target_ps): candidate for candidate in found.candidates}
    assert len(tried) == len(found.candidates) == THOROUGH[optimise].netlists, "each once"
    for candidate in usual.candidates:
        same = tried[candidate.recipe, candidate.target_ps]
        assert (same.area_ge, same.period_ns) == (candidate.area_ge, candidate.period_ns)
    smaller, usual_smallest = (min(c.area_ge or 0 for c in each.candidates) for each in (found, usual))
    better, usual_best = (max(c.efficiency_kbps_per_ge or 0 for c in each.candidates) for each in (found, usual))
    assert smaller <= usual_smallest
    assert better >= usual_best


def test_kept_modules_share_no_gates(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    twice = replace(toy, sources=(SourceFile("toy.sv", TWICE.replace("TOP", toy.top)),))
    plan = SynthesisPlan((KEEP,))
    flat = measure(twice, library, Optimise.AREA, tmp_path / "flat", plan=plan)
    kept = measure(twice, library, Optimise.AREA_KEPT, tmp_path / "kept", plan=plan.by_modules())
    assert kept.logic_area_ge >= 2 * flat.logic_area_ge
    assert (kept.recipe, flat.recipe) == ("keep-modules", "keep")
    assert any("hierarchy of the sources is kept" in condition for condition in kept.conditions)
    assert not any("hierarchy" in condition for condition in flat.conditions)
