"""The test by cocotb that travels with packages: it passes with what it travels with, and not with a wrong one."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.object_cache import object_cache

import aesmith
from aesmith.assurance.cocotb_test import cocotb_files
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.flow.verilog2005 import verilog2005
from aesmith.modes.buses import BUSES
from aesmith.modes.engine import StreamEngine

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="iverilog is not installed")
CORES = {
    "ueno2020-encdec": {},
    "serial-small-enc": {},
    "column-beat32-gated-encdec-selectable": {},
    "column-gated-enc": {"clear": True},
}
ENGINES = {
    "gcm-compact": {},
    "ctr-pipeline": {"stream_bits": 32},
    "multi-compact": {"key_slots": 2, "clear": True, "release": "cut-through"},
}


def passes(design: CoreDesign | StreamEngine, folder: Path, simulator: str = "icarus") -> tuple[bool, str]:
    """Whether the test passes by its own make, and what it says."""
    files = cocotb_files(design) | {f"rtl/{source.name}": source.text for source in design.sources}
    if simulator == "icarus":
        files[f"{design.name}.v"] = verilog2005(design, "", folder / "work")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    command = [sys.executable, "run.py", simulator]
    environment = {**os.environ, **object_cache()}
    for inherited in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        environment.pop(inherited, None)
    ended = subprocess.run(
        command, cwd=folder / "cocotb", env=environment, capture_output=True, text=True, timeout=1800, check=False
    )
    said = ended.stdout + ended.stderr
    passed = re.search(rf"^PASS: {design.name}: (\d) of \1 tests \({simulator}\)$", ended.stdout, re.MULTILINE)
    return ended.returncode == 0 and passed is not None, said[-3000:]


def test_what_it_drives_are_ports_and_a_masked_core_has_none() -> None:
    for design in (aesmith.core("ueno2020-encdec").design, aesmith.engine("gcm-small", bus="ahb-lite").design):
        files = cocotb_files(design)
        assert set(files) == {f"cocotb/test_{design.name}.py", "cocotb/run.py"}
        text = files[f"cocotb/test_{design.name}.py"]
        ast.parse(text)
        used = set(re.findall(r"dut\.(\w+)\.value", text)) | set(re.findall(r'"(\w+_[io])"', text))
        assert used
        assert used <= {port.name for port in design.ports}
    assert cocotb_files(aesmith.core("masked-serial-enc").design) == {}


@needs_icarus
@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("preset", CORES)
def test_it_passes_with_a_core_and_not_with_a_wrong_one(preset: str, tmp_path: Path) -> None:
    design = aesmith.core(preset, **CORES[preset]).design
    ok, said = passes(design, tmp_path / "right")
    assert ok, said
    ok, said = passes(_wrong(design), tmp_path / "wrong")
    assert not ok
    assert "answer 0: must be" in said


@needs_icarus
@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("preset", ENGINES)
def test_it_passes_with_an_engine_and_not_with_a_wrong_one(preset: str, tmp_path: Path) -> None:
    design = aesmith.engine(preset, **ENGINES[preset]).design
    ok, said = passes(design, tmp_path / "right")
    assert ok, said
    ok, said = passes(_wrong(design), tmp_path / "wrong")
    assert not ok
    assert "must be" in said


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("bus", BUSES)
def test_it_passes_on_each_bus_and_not_with_a_wrong_engine(bus: str, tmp_path: Path) -> None:
    fields = {"self_test": "on_reset"} if bus == "apb" else {"byte_order": "big"} if bus == "wishbone" else {}
    design = aesmith.engine("gcm-small", bus=bus, **fields).design
    ok, said = passes(design, tmp_path / "right", "verilator")
    assert ok, said
    if bus == "tl-ul":
        ok, said = passes(_wrong(design), tmp_path / "wrong", "verilator")
        assert not ok
        assert "must be 0x" in said


def _wrong(design: CoreDesign | StreamEngine) -> CoreDesign | StreamEngine:
    """The design with an OR in the place of the first XOR of its sources."""
    sources = list(design.sources)
    place = next(number for number, source in enumerate(sources) if " ^ " in source.text)
    sources[place] = SourceFile(sources[place].name, sources[place].text.replace(" ^ ", " | ", 1))
    if isinstance(design, CoreDesign):
        return replace(design, sources=tuple(sources))
    return replace(design, shipped=tuple(sources))
