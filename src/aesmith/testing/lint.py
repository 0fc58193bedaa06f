"""Lint of a design's SystemVerilog with every warning of Verilator, and no waivers."""

from __future__ import annotations

import subprocess
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError
from aesmith.flow.frontend import write_sources
from aesmith.flow.verilator import find_verilator


def lint(design: CoreDesign, work_dir: Path) -> None:
    """Return if `verilator -Wall` has nothing to say about the sources of `design`.

    They are written to `work_dir`, which is made. Raises CheckError with Verilator's text if it warns, ToolError if
    Verilator is missing.
    """
    verilator = find_verilator()
    work_dir.mkdir(parents=True, exist_ok=True)
    command = [str(verilator.command), "--lint-only", "-Wall", "--quiet", "--top-module", design.top]
    run = subprocess.run(
        command + write_sources(design, work_dir),
        cwd=work_dir,
        env=verilator.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise CheckError(f"{design.name}: verilator -Wall does not accept the sources:\n{run.stderr.strip()}")
