"""Sub-pipelined cores verified whole, through their block interface, with random stalls.

The whole grid of stages, rounds in the loop, key sizes, directions and S-boxes is in one shuffled order; each run takes
the next few from the place that the environment variable AESMITH_GRID_SEED says, so that seeds 0, 1, 2, … cover it.
"""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.cores.subpipelined.columns import sbox_function
from aesmith.cores.subpipelined.specification import SubpipelinedSpecification
from aesmith.flow.lint import lint
from aesmith.sboxes.catalogue import CATALOGUE
from aesmith.sboxes.entry import Function

pytestmark = pytest.mark.slow

PLAN = SimulationPlan(random_pairs=120, monte_carlo_rounds=1, monte_carlo_clocks=1, seed=5)
SMALL_LOOPS = 2
"""Most round units of a sampled core: more take a C++ compiler minutes, and are the same modules once more."""


def grid() -> list[dict[str, Any]]:
    """Every combination with few round units, shuffled; S-boxes in turn."""
    cells = []
    directions = (("encrypt",), ("decrypt",), ("encrypt", "decrypt"))
    for stages, key_bits, both in itertools.product(range(1, 11), (128, 192, 256), directions):
        rounds = key_bits // 32 + 6
        for units in (k for k in range(1, SMALL_LOOPS + 1) if rounds % k == 0):
            cells.append({"stages": stages, "key_bits": key_bits, "directions": both, "rounds_in_loop": units})
    random.Random(0).shuffle(cells)
    for number, cell in enumerate(cells):
        specification = SubpipelinedSpecification(**cell)
        needs = {Function.FORWARD, sbox_function(specification.core().directions)}
        serving = [name for name, entry in CATALOGUE.items() if needs <= set(entry.functions)]
        cell["sbox"] = serving[number % len(serving)]
    return cells


def sample(size: int = 2) -> list[dict[str, Any]]:
    cells = grid()
    start = size * int(os.environ.get("AESMITH_GRID_SEED", "0"))
    return [cells[(start + i) % len(cells)] for i in range(size)]


def check(design: CoreDesign, folder: Path) -> None:
    lint(design, folder / "lint")
    report = simulate(design, folder / "simulation", PLAN)
    assert report.passed, report.failures


@pytest.mark.parametrize("cell", sample(), ids=lambda cell: "-".join(map(str, cell.values())))
def test_a_sample_of_the_grid_is_aes(cell: dict[str, Any], tmp_path: Path) -> None:
    check(SubpipelinedSpecification(**cell).design("core_under_test", "grid"), tmp_path)


def test_unrolled_with_a_key_for_each_block(tmp_path: Path) -> None:
    check(SubpipelinedSpecification(stages=1, key_bits=192, key_agile=True).design("agile", "agile"), tmp_path)


def test_a_stall_that_drops_a_block_is_seen(tmp_path: Path) -> None:
    """The skid register left out: the check that these cores rest on must fail."""
    design = SubpipelinedSpecification(stages=2, rounds_in_loop=1).design("broken", "broken")
    sources = []
    for source in design.sources:
        text = source.text
        if source.name == "broken_subpipelined_control.sv":
            assert "assign enable_o = ~skid_valid_q;" in text
            text = text.replace("assign enable_o = ~skid_valid_q;", "assign enable_o = 1'b1;")
        sources.append(type(source)(source.name, text))
    broken = type(design)(**{**vars(design), "sources": tuple(sources)})
    report = simulate(broken, tmp_path, SimulationPlan(random_pairs=60, scenarios=("random-stalls",)))
    assert not report.passed
