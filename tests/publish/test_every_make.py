"""Cores and engines of the lists: the `make` of a package says PASS in Icarus and in Verilator.

A run takes one in twelve, with AESMITH_ALL_CASES all: a masked core keeps Icarus busy for minutes.
The whole benches, as they travel, of the text that packages have; of a few cores the quick tier runs them, in
`test_every_preset.py`.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.object_cache import object_cache

from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, presets
from aesmith.flow.verilator import find_verilator
from aesmith.flow.verilog2005 import verilog2005
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import build_engine, engine_presets
from aesmith.publish.package import testbench_of as bench_of
from aesmith.publish.readable import readable

MAKES = [(name, tool) for name in (*presets(), *engine_presets()) for tool in ("iverilog", "verilator")]
MOST_SECONDS = 900
"""Of one `make`, also on a machine with other work."""


def _design(name: str) -> CoreDesign | StreamEngine:
    top = name.replace("-", "_")
    if name in engine_presets():
        return build_engine(engine_presets()[name], top, name)
    return build_design(presets()[name], top, name)


@pytest.mark.thorough
@pytest.mark.one_in(36)
@pytest.mark.slow
@pytest.mark.parametrize(("name", "tool"), MAKES, ids=map("-".join, MAKES))
def test_its_make_passes(name: str, tool: str, tmp_path: Path) -> None:
    if tool == "iverilog" and shutil.which("iverilog") is None:
        pytest.skip("Icarus Verilog (iverilog) is not installed")
    design = _design(name)
    folders = {"rtl": design.sources, "tb": bench_of(design)}
    for folder, sources in folders.items():
        (tmp_path / folder).mkdir()
        for source in sources:
            (tmp_path / folder / source.name).write_text(source.text)
    if tool == "iverilog":
        text = readable(verilog2005(design, "", tmp_path / "work"), design.sources)
        (tmp_path / f"{design.name}.v").write_text(text)
    inherited = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")  # of the make that runs these tests
    environment = {**os.environ, **find_verilator().environment(), **object_cache()}
    environment = {variable: value for variable, value in environment.items() if variable not in inherited}
    begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    ended = subprocess.run(
        ["make", tool],
        cwd=tmp_path / "tb",
        env=environment,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun
    print(f"{name} {tool}: {seconds:.0f} s of processor")
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    assert f"PASS: {design.name}: " in ended.stdout
    assert "error" not in ended.stderr.lower(), ended.stderr
