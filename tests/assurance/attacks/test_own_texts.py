"""What the project writes itself is in the part of SystemVerilog that its proofs accept."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.assurance.proof.scan import refuse_ambiguous
from aesmith.cores.design import SourceFile
from aesmith.cores.sources import packaged_modules
from aesmith.cores.specification import load_specification
from aesmith.errors import CheckError
from aesmith.flow.verilog2005 import verilog2005
from aesmith.modes.specification import build_engine, engine_presets

MEMORIES = {"message_ring_memory": "ram_style"}
"""Modules that no proof is of: memories, and what says so."""


@pytest.mark.parametrize("module", sorted(packaged_modules()))
def test_each_packaged_module(module: str) -> None:
    source = SourceFile(f"{module}.sv", packaged_modules()[module].read_text(encoding="utf-8"))
    if reason := MEMORIES.get(module):
        with pytest.raises(CheckError, match=reason):
            refuse_ambiguous([source])
    else:
        refuse_ambiguous([source])


@pytest.mark.thorough(but=("cbc-compact",))
@pytest.mark.parametrize("preset", sorted(engine_presets()))
def test_each_engine(preset: str) -> None:
    refuse_ambiguous(build_engine(engine_presets()[preset], "engine", preset).sources)


@pytest.mark.thorough(but=("serial-shared-small-enc",))
@pytest.mark.parametrize("preset", ["ueno2020-encdec", "serial-shared-small-enc", "masked-round-enc"])
def test_a_core_and_its_one_file(preset: str, tmp_path: Path) -> None:
    design = load_specification(preset).design("core", preset)
    refuse_ambiguous(design.sources)
    refuse_ambiguous([SourceFile("core.v", verilog2005(design, "a core", tmp_path))])
