"""Every core and every engine of the lists: built whole, and with no need that the embedded library does not meet."""

from __future__ import annotations

import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from aesmith.assurance import standalone
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, presets
from aesmith.flow.equality import refuse_several_meanings
from aesmith.flow.measurement import Optimise, chosen_plan
from aesmith.flow.synthesis import check_cells
from aesmith.flow.verilog2005 import verilog2005
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import build_engine, engine_presets
from aesmith.publish.descriptions import Evidence
from aesmith.publish.package import package_files
from aesmith.publish.package import testbench_of as bench_of
from aesmith.technology.registry import library_by

EVERY = [*presets(), *engine_presets()]
ONE_A_FAMILY = ("ueno2020-gated-enc", "serial-shared-small-enc", "masked-serial-gated-enc")
"""Presets whose packages take about two seconds each."""
ALL_BLOCKS = "serial-shared-keyed-enc"
"""A preset whose bench runs in Icarus with every block."""


def _design(name: str) -> CoreDesign | StreamEngine:
    top = name.replace("-", "_")
    if name in engine_presets():
        return build_engine(engine_presets()[name], top, name)
    return build_design(presets()[name], top, name)


def test_the_embedded_library_has_the_cells_of_all() -> None:
    library = library_by("generic45")
    gated = 0
    for name in EVERY:
        design = _design(name)
        check_cells(design.measured, library, chosen_plan(Optimise.AREA, clock_gates=True))
        gated += any(source.name.endswith("_clock_gate.sv") for source in design.sources)
    assert gated > 30


@pytest.mark.thorough(but=ONE_A_FAMILY)
@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", EVERY)
def test_its_one_file_verilog_has_one_meaning(name: str, tmp_path: Path) -> None:
    refuse_several_meanings(name, verilog2005(_design(name), "", tmp_path))


@pytest.mark.thorough(but=ONE_A_FAMILY)
@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", EVERY)
def test_it_builds_whole(name: str, tmp_path: Path) -> None:
    """As `aesmith build NAME --no-measure` does it: proved, traced, every file there."""
    design = _design(name)
    files = package_files(design, bench_of(design), Evidence((), "", {}), tmp_path)
    assert {f"{design.name}.v", f"{design.name}.sdc", "datasheet.md", "manifest.json"} <= files.keys()
    assert all(files.values())


needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs Icarus Verilog")
BENCHES = ("boyar2010-enc", "masked-serial-gated-enc", "masked-serial-keyed-gated-enc", "serial-shared-keyed-enc")


@needs_icarus
@pytest.mark.thorough(but=(*BENCHES, "cmac-small"))
@pytest.mark.parametrize("name", EVERY)
def test_icarus_reads_its_bench(name: str, tmp_path: Path) -> None:
    bench = [source for source in bench_of(_design(name)) if source.name.endswith(".sv")]
    for source in bench:
        (tmp_path / source.name).write_text(source.text)
    # The core is left out.
    command = ["iverilog", "-g2012", "-t", "null", "-i", *(source.name for source in bench)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "error" not in ended.stderr, ended.stderr


@needs_icarus
@pytest.mark.thorough(but=(ALL_BLOCKS,))
@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", presets())
def test_its_bench_passes_in_icarus(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the package's own Makefile, with the one-file Verilog; of cores whose blocks take seconds there, a few."""
    design = _design(name)
    if name != ALL_BLOCKS:
        every = standalone._all_vectors
        monkeypatch.setattr(standalone, "_all_vectors", lambda design: islice(every(design), None, None, 40))
    (tmp_path / "tb").mkdir()
    (tmp_path / f"{design.name}.v").write_text(verilog2005(design, "", tmp_path / "work"))
    for source in bench_of(design):
        (tmp_path / "tb" / source.name).write_text(source.text)
    ended = subprocess.run(["make", "iverilog"], cwd=tmp_path / "tb", capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "PASS" in ended.stdout
