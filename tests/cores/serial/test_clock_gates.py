"""Clock gates end to end: the library's cells in the netlist, their enables timed, and what cannot be done refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.assurance.clock_gate import with_gates

from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import parse_specification
from aesmith.errors import RequestError
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import MappedNetlist, synthesise
from aesmith.technology.cell import CellKind
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.testing import opensta
from aesmith.timing.static import analyse


@pytest.fixture(scope="module")
def nangate(pdk_library: Callable[[str], Library]) -> Library:
    return pdk_library("nangate45_typ")


@pytest.fixture(scope="module")
def gated(nangate: Library, tmp_path_factory: pytest.TempPathFactory) -> MappedNetlist:
    return synthesise(core(gated=True), nangate, KEEP, None, tmp_path_factory.mktemp("gated"))


def core(*, gated: bool) -> CoreDesign:
    return parse_specification({"preset": "hamalainen2006-enc", "clock_gates": gated}).design("core", "")


@pytest.mark.slow
def test_registers_are_gated_by_the_cells_of_the_library(
    nangate: Library, gated: MappedNetlist, tmp_path: Path
) -> None:
    plain = synthesise(core(gated=False), nangate, KEEP, None, tmp_path)
    gates = {name: n for name, n in gated.cells.items() if nangate.cell(name).kind is CellKind.CLOCK_GATE}
    # Key store, key expansion, MixColumns, column, and each of the twelve registers of ShiftRows.
    assert gates == {"CLKGATE_X1": 16}
    assert gated.flip_flops == plain.flip_flops
    assert gated.area_ge < plain.area_ge - 600


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sta") is None, reason="needs OpenSTA (Debian's opensta) to compare with")
def test_timing_of_gated_registers_agrees_with_opensta(nangate: Library, gated: MappedNetlist) -> None:
    timing = analyse(gated.json, nangate)
    assert timing.period_ns is not None
    reference = opensta.analyse(gated.netlist, nangate, "core", "clk_i")
    assert timing.period_ns == pytest.approx(reference.period_ns, rel=0.01)
    assert timing.register_to_output_ns == pytest.approx(reference.register_to_output_ns, rel=0.01)


def test_a_library_without_clock_gates_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain.lib").write_text(with_gates())
    with pytest.raises(RequestError, match="clock_gates: library generic45 has no integrated clock gate"):
        synthesise(core(gated=True), read_library(tmp_path / "plain.lib"), KEEP, None, tmp_path)
