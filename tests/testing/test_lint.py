"""Verilator's warnings about a design are errors; a clean design passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import CheckError
from aesmith.testing.lint import lint


def test_a_clean_design_passes(toy: CoreDesign, tmp_path: Path) -> None:
    lint(toy, tmp_path / "lint")


@pytest.mark.parametrize(
    ("right", "wrong", "warning"),
    [
        ("  state_e state_d, state_q;", "  state_e state_d, state_q;\n  logic forgotten;", "UNUSEDSIGNAL"),
        ("round_q + 4'd1", "round_q + 5'd1", "WIDTHTRUNC"),
        ("assign block_o = data_q", "assign block_o = data_d_", "data_d_"),
    ],
)
def test_a_warning_is_an_error_with_its_name_and_file(
    toy: CoreDesign, tmp_path: Path, right: str, wrong: str, warning: str
) -> None:
    top = toy.sources[-1]
    assert right in top.text
    broken = replace(toy, sources=(*toy.sources[:-1], SourceFile(top.name, top.text.replace(right, wrong))))
    with pytest.raises(CheckError, match=warning) as caught:
        lint(broken, tmp_path)
    assert "rtl/toy.sv" in str(caught.value)
