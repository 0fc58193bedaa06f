"""A netlist is the core, or is shown not to be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import build_design, load_specification
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by

COUNTER = """
module counter (
  input logic clk_i, input logic rst_ni, input logic [3:0] data_i, output logic [3:0] sum_o, output logic full_o
);
  logic [3:0] sum_q;
  logic [1:0] count_q;
  always_ff @(posedge clk_i) sum_q <= sum_q ^ data_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= 2'd2;
    else count_q <= count_q + 2'd1;
  end
  assign sum_o = sum_q;
  assign full_o = count_q == 2'd3;
endmodule
"""


@pytest.fixture(scope="module")
def small() -> CoreDesign:
    design = build_design(load_specification("ueno2020-enc"), "counter", "ueno2020-enc")
    return replace(design, sources=(SourceFile("counter.sv", COUNTER),))


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def netlist(small: CoreDesign, library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthesise(small, library, KEEP, None, tmp_path_factory.mktemp("synthesis")).netlist


def test_a_netlist_is_proved(small: CoreDesign, library: Library, netlist: Path, tmp_path: Path) -> None:
    part = prove_mapped(small, library, netlist, tmp_path)
    assert part.verdict is Verdict.PROVED, part.detail
    assert all((tmp_path / name).is_file() for name in part.files)


def test_a_changed_netlist_is_refuted(small: CoreDesign, library: Library, netlist: Path, tmp_path: Path) -> None:
    text = netlist.read_text()
    changed = text.replace("  XOR2_X1 ", "  XNOR2_X1 ", 1)
    assert changed != text
    (tmp_path / "changed.v").write_text(changed)
    assert prove_mapped(small, library, tmp_path / "changed.v", tmp_path).verdict is Verdict.REFUTED
