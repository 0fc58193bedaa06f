"""ueno2020-enc from sources to figures: broken on purpose it does not pass; its timing is OpenSTA's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.round_based.ueno import UenoTower
from aesmith.cores.specification import build_design, load_specification
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.registry import library_by
from aesmith.testing import opensta
from aesmith.timing.netlist import read_netlist
from aesmith.timing.static import analyse

pytestmark = pytest.mark.slow

PUBLISHED_AREA_GE = 11257.33
DESIGN = build_design(load_specification("ueno2020-enc"), "core", "ueno2020-enc")


@dataclass(frozen=True)
class Mutation:
    """One change of one source text, and the scenario that must notice."""

    source: str
    pattern: str
    replacement: str
    noticed: str


MUTATIONS = {
    "one S-box bit": Mutation("core_inverter.sv", r"(assign n90 = )(.*);", r"\1~(\2);", "known-answers"),
    "one round constant": Mutation(
        "core_key_schedule.sv",
        r"\^ round_constant\}",
        r"^ round_constant ^ 8'(round_constant == 8'h{last:02x})}",
        "known-answers",
    ),
    "a dropped stall": Mutation(
        "core_round_sequencer.sv",
        r"if \(block_ready_i \| expanding_q\) round_d = Idle",
        "round_d = Idle",
        "random-stalls",
    ),
    "72 key bits stuck at those of FIPS-197": Mutation(
        "core_round_core.sv",
        r"\.x_i\(key_i\[KeyBits-1-8\*i-:8\]\)",
        ".x_i(i < 9 ? 8'(i) : key_i[KeyBits-1-8*i-:8])",
        "known-answers",
    ),
}


def mutated(mutation: Mutation) -> CoreDesign:
    replacement = mutation.replacement.replace("{last:02x}", f"{_round_constant(10):02x}")
    sources = []
    for source in DESIGN.sources:
        text = source.text
        if source.name == mutation.source:
            text, count = re.subn(mutation.pattern, replacement, text)
            assert count == 1
        sources.append(SourceFile(source.name, text))
    return replace(DESIGN, sources=tuple(sources))


def _round_constant(step: int) -> int:
    parameters = DESIGN.parameters
    alpha, beta, gamma = (parameters[name] for name in ("alpha", "beta", "gamma"))
    assert isinstance(alpha, int)
    assert isinstance(beta, int)
    assert isinstance(gamma, int)
    return UenoTower(alpha, beta, gamma).maps.round_constant(step)


@pytest.mark.thorough
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_core_does_not_pass(name: str, tmp_path: Path) -> None:
    mutation = MUTATIONS[name]
    report = simulate(mutated(mutation), tmp_path, SimulationPlan(monte_carlo_rounds=1, fail_fast=True))
    assert [failure.name for failure in report.failures] == [mutation.noticed]


def test_a_core_with_72_stuck_key_bits_passes_the_standards_own_example(tmp_path: Path) -> None:
    """Why one vector is no verification: of all published vectors only those under that key come out right."""
    design = mutated(MUTATIONS["72 key bits stuck at those of FIPS-197"])
    report = simulate(design, tmp_path, SimulationPlan(scenarios=("known-answers",), fail_fast=True))
    (failure,) = report.failures
    assert "000102030405060708090a0b0c0d0e0f" not in failure.failure


@pytest.mark.thorough
@pytest.mark.one_in(3)
@pytest.mark.parametrize("corner", ["slow", "typ", "fast"])
def test_timing_agrees_with_opensta_and_the_area_with_the_publication(
    corner: str, pdk: Callable[[str], Path], tmp_path: Path
) -> None:
    library = library_by(pdk(f"nangate45_{corner}"))
    netlist = synthesise(DESIGN, library, KEEP, None, tmp_path)
    ours = analyse(read_netlist(netlist.json, netlist.top), library)
    oracle = opensta.analyse(netlist.netlist, library, netlist.top, "clk_i", ours.conditions)
    assert ours.period_ns == pytest.approx(oracle.period_ns, rel=1e-4)
    assert ours.input_to_register_ns == pytest.approx(oracle.input_to_register_ns, rel=1e-4)
    assert ours.register_to_output_ns == pytest.approx(oracle.register_to_output_ns, rel=1e-4)
    assert netlist.area_ge < 1.15 * PUBLISHED_AREA_GE
