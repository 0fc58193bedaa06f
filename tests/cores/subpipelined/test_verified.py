"""Sub-pipelined cores verified whole, through their block interface, with random stalls.

The whole grid of stages, rounds in the loop, key sizes, directions and S-boxes stands in one shuffled order. Each run
takes the cells that its seed says: the environment variable AESMITH_GRID_SEED (0, 1, 2, … cover the grid), or else a
digest of the sources of these cores: the same sources meet the same cells on any day, changed ones meet others. Cores
of few round units go through all scenarios of `aesmith verify`. The others, which keep a C++ compiler busy for minutes,
run the testbench that travels with every build, in an interpreter.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.assurance.standalone import standalone_testbench
from aesmith.cores.design import CoreDesign
from aesmith.cores.subpipelined.columns import sbox_function
from aesmith.cores.subpipelined.family import FAMILY, SubpipelinedSpecification
from aesmith.cores.subpipelined.tables import SBoxForm
from aesmith.flow.verilator import lint
from aesmith.flow.verilog2005 import verilog2005
from aesmith.sboxes.catalogue import catalogue
from aesmith.sboxes.entry import Function

pytestmark = pytest.mark.slow

PLAN = SimulationPlan(random_pairs=120, monte_carlo_rounds=1, monte_carlo_clocks=1, seed=5)
SMALL_LOOPS = 2
"""Most round units of a core that is compiled."""

SOURCES = ("rtl/common", "rtl/subpipelined", "cores/subpipelined")


def seed_of_the_sources() -> int:
    package = Path(str(files("aesmith")))
    sources = sorted(path for folder in SOURCES for path in (package / folder).iterdir() if path.is_file())
    assert len(sources) > 10
    return int.from_bytes(hashlib.sha256(b"".join(path.read_bytes() for path in sources)).digest()[:3], "big")


SEED = int(os.environ.get("AESMITH_GRID_SEED", seed_of_the_sources()))


def grid() -> list[dict[str, Any]]:
    """Every combination, shuffled; S-boxes in turn, cuts by levels of gates and of LUTs, skid entries."""
    cells: list[dict[str, Any]] = []
    directions = (("encrypt",), ("decrypt",), ("encrypt", "decrypt"))
    for stages, key_bits, both in itertools.product(range(1, 11), (128, 192, 256), directions):
        rounds = key_bits // 32 + 6
        for units in (k for k in range(1, rounds + 1) if rounds % k == 0):
            cells.append({"stages": stages, "key_bits": key_bits, "directions": both, "rounds_in_loop": units})
    random.Random(0).shuffle(cells)
    for number, cell in enumerate(cells):
        specification = SubpipelinedSpecification(**cell)
        needs = {Function.FORWARD, sbox_function(specification.core().directions)}
        serving = [name for name, entry in catalogue().items() if needs <= set(entry.functions)]
        cell["sbox"] = serving[number % len(serving)]
        cell["cuts"] = "luts" if cell["sbox"] == "zhang2004" else "pipeliner"
        cell["skid_entries"] = 1 + number % 3
    return cells


def sample(*, small: bool) -> dict[str, Any]:
    """The cell of this run's seed among the cores that are compiled, or among the others."""
    cells = [cell for cell in grid() if (cell["rounds_in_loop"] <= SMALL_LOOPS) is small]
    return cells[SEED % len(cells)]


def named(cell: dict[str, Any]) -> str:
    return f"seed-{SEED}-" + "-".join(map(str, cell.values()))


def check(design: CoreDesign, folder: Path) -> None:
    lint(design, folder / "lint")
    report = simulate(design, folder / "simulation", PLAN)
    assert report.passed, report.failures


def interpret(design: CoreDesign, folder: Path) -> str:
    """What the travelling testbench says of the one-file Verilog in Icarus: known answers, then all with pauses."""
    if shutil.which("iverilog") is None:
        pytest.skip("Icarus Verilog is not installed (Debian package iverilog)")
    (folder / "core.v").write_text(verilog2005(design, "", folder / "yosys"))
    for source in standalone_testbench(design):
        (folder / source.name).write_text(source.text)
    top = f"tb_{design.name}"
    subprocess.run(["iverilog", "-g2012", "-s", top, "-o", "model", "core.v", f"{top}.sv"], cwd=folder, check=True)
    return subprocess.run(["vvp", "-n", "model"], cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.thorough
@pytest.mark.parametrize("cell", [sample(small=True)], ids=named)
def test_a_sample_of_the_grid_is_aes(cell: dict[str, Any], tmp_path: Path) -> None:
    check(SubpipelinedSpecification(**cell).design("core_under_test", "grid"), tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("cell", [sample(small=False)], ids=named)
def test_a_sample_of_the_larger_cores_is_aes(cell: dict[str, Any], tmp_path: Path) -> None:
    assert "PASS" in interpret(SubpipelinedSpecification(**cell).design("core_under_test", "grid"), tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [[*FAMILY.presets][SEED % len(FAMILY.presets)]])
def test_presets_are_aes_in_turn(name: str, tmp_path: Path) -> None:
    assert "PASS" in interpret(FAMILY.presets[name].design("core_under_test", name), tmp_path)


@pytest.mark.thorough
def test_tables_in_memories_are_aes(tmp_path: Path) -> None:
    specification = SubpipelinedSpecification(
        stages=3, rounds_in_loop=1, sbox="table", sbox_form=SBoxForm.BLOCK_MEMORY, directions=("decrypt",)
    )
    assert "PASS" in interpret(specification.design("core_under_test", "tables"), tmp_path)


def test_a_wrong_round_in_a_large_core_is_seen(tmp_path: Path) -> None:
    """One gate of the inner column made another: the interpreted check must fail."""
    design = SubpipelinedSpecification(stages=1, rounds_in_loop=5).design("broken", "broken")
    sources = []
    for source in design.sources:
        text = source.text
        if source.name == "broken_inner_column.sv":
            assert " & " in text
            text = text.replace(" & ", " | ", 1)
        sources.append(type(source)(source.name, text))
    broken = type(design)(**{**vars(design), "sources": tuple(sources)})
    assert "PASS" not in interpret(broken, tmp_path)


@pytest.mark.thorough
def test_unrolled_with_a_key_for_each_block(tmp_path: Path) -> None:
    check(
        SubpipelinedSpecification(stages=1, key_bits=192, key_agile=True, skid_entries=2).design("agile", "agile"),
        tmp_path,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("entries", [1, 2, 3])
def test_a_stall_that_drops_a_block_is_seen(entries: int, tmp_path: Path) -> None:
    """The pipeline stops a clock too late: the check that these cores rest on must fail. Four results come in a row."""
    fields: dict[str, Any] = {"stages": 4, "rounds_in_loop": 1, "skid_entries": entries}
    design = SubpipelinedSpecification(**fields).design("broken", "broken")
    sources, late = [], "~awaited[Entries-1], enable_q"
    for source in design.sources:
        text = source.text
        if source.name == "broken_subpipelined_skid.sv":
            assert late in text
            text = text.replace(late, "~(awaited[Entries-1] & level_q[Entries-1]), enable_q")
        sources.append(type(source)(source.name, text))
    broken = type(design)(**{**vars(design), "sources": tuple(sources)})
    report = simulate(broken, tmp_path, SimulationPlan(random_pairs=60, scenarios=("random-stalls",)))
    assert not report.passed


@pytest.mark.thorough
@pytest.mark.parametrize("entries", [2, 4])
def test_more_skid_entries_are_aes(entries: int, tmp_path: Path) -> None:
    check(SubpipelinedSpecification(stages=5, rounds_in_loop=1, skid_entries=entries).design("skid", "skid"), tmp_path)
