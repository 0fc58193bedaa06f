"""A synthesised netlist does what the design does, in any library, and other tools read it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import RequestError, ToolError
from aesmith.flow import synthesis as subject
from aesmith.flow.recipes import KEEP, KEEP_SIZED, RECIPES, Recipe, recipe_by_name
from aesmith.flow.synthesis import synthesise, unpack
from aesmith.flow.yosys import read_commands, run_script, write_sources
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.netlist import read_netlist

LIBRARIES = ["generic45", "nangate45_slow", "sky130hd_tt", "ihp_sg13g2_stdcell_typ"]


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


STARTS = (("$_DFF_*", 0), ("$_DFF_??1_", 1))


def _start(cell: str, value: int) -> str:
    """A Yosys command that has registers of the type `cell` begin with `value`."""
    return f"setattr -set init 1'b{value} t:{cell} %x:+[Q] w:* %i"


def prove_equal(design: CoreDesign, library: Library, netlist: Path, work: Path) -> None:
    """Assert that the netlist behaves as the sources of `design` from reset on, the data registers zero."""
    work.mkdir(exist_ok=True)
    unpack(library, work)
    (work / "netlist.v").write_bytes(netlist.read_bytes())
    # The state under reset becomes the initial state: a mapped register may hold the complement of the source's.
    finish = [
        "flatten",
        "opt_dff -nodffe -nosdff",
        "techmap",
        "splitnets",
        *(_start(cell, value) for cell, value in STARTS),
    ]
    finish += ["async2sync", "techmap", "dfflegalize -cell $_DFF_P_ 01", "opt_clean"]
    run_script(
        [
            *read_commands(design, write_sources(design, work), keep_hierarchy=False),
            "proc",
            *finish,
            "write_blif gold.blif",
            "design -reset",
            "read_liberty -ignore_miss_func library.lib",
            "read_verilog netlist.v",
            f"hierarchy -check -top {design.top}",
            "proc",
            *finish,
            "write_blif gate.blif",
        ],
        work / "equal.log",
    )
    spec = importlib.util.find_spec("pyosys")
    assert spec is not None
    assert spec.origin is not None
    abc = Path(spec.origin).parent / "yosys-abc"
    zeroed = "read_blif {0}.blif; strash; zero; write_blif {0}_zero.blif; "
    commands = f"{zeroed.format('gold')}{zeroed.format('gate')}dsec gold_zero.blif gate_zero.blif"
    run = subprocess.run([abc, "-c", commands], cwd=work, capture_output=True, text=True, check=True)
    assert "Networks are equivalent" in run.stdout, run.stdout


FLAT = [name for name in RECIPES if not RECIPES[name].hierarchical]
BY_MODULES = ["keep-timed-modules", "compress-modules", "delay-modules"]
"""What tells other recipes by modules from these is what tells them apart without modules."""


@pytest.mark.thorough(but=6)
@pytest.mark.parametrize("recipe", [*FLAT, *BY_MODULES])
def test_every_recipe_gives_what_the_sources_do(toy: CoreDesign, library: Library, tmp_path: Path, recipe: str) -> None:
    netlist = synthesise(toy, library, recipe_by_name(recipe), None, tmp_path / "syn")
    prove_equal(toy, library, netlist.netlist, tmp_path / "proof")


def test_the_proof_catches_a_changed_netlist(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    netlist = synthesise(toy, library, KEEP, None, tmp_path / "syn").netlist
    text = netlist.read_text()
    (tmp_path / "wrong.v").write_text(text.replace("  XNOR2_X1 ", "  XOR2_X1 ", 1))
    assert text != (tmp_path / "wrong.v").read_text()
    with pytest.raises(AssertionError, match="NOT EQUIVALENT"):
        prove_equal(toy, library, tmp_path / "wrong.v", tmp_path / "proof")


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("name", LIBRARIES)
def test_any_library_will_do(toy: CoreDesign, pdk: Callable[[str], Path], tmp_path: Path, name: str) -> None:
    chosen = library_by(name if name == "generic45" else pdk(name))
    netlist = synthesise(toy, chosen, KEEP_SIZED.without_xor2(), None, tmp_path / "syn")
    assert netlist.flip_flops == 30
    assert not set(netlist.cells) & set(KEEP_SIZED.without_xor2().forbidden_cells(chosen))
    assert 150 < netlist.area_ge < 600
    assert netlist.area == pytest.approx(netlist.area_ge * chosen.gate_equivalent)
    assert read_netlist(netlist.json, "toy").name == "toy"
    prove_equal(toy, chosen, netlist.netlist, tmp_path / "proof")


def test_any_folder_will_do_and_nothing_temporary_stays(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "a folder, with spaces & ümläuts"
    synthesise(toy, library, KEEP, None, folder)
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_area_is_registers_and_logic(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    netlist = synthesise(toy, library, KEEP, None, tmp_path)
    registers = sum(count for name, count in netlist.cells.items() if library.cells[name].register)
    assert registers == netlist.flip_flops == 30
    assert netlist.register_area_ge > 30 * library.area_ge(library.flip_flop) - 1e-6
    assert netlist.area_ge == pytest.approx(netlist.logic_area_ge + netlist.register_area_ge)


def test_a_tighter_target_gives_a_faster_and_larger_netlist(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    fast = synthesise(toy, library, KEEP_SIZED, None, tmp_path / "fast")
    assert fast.abc_delay_ps is not None
    slow = synthesise(toy, library, KEEP_SIZED, 2 * fast.abc_delay_ps, tmp_path / "slow")
    assert slow.abc_delay_ps is not None
    assert fast.abc_delay_ps < slow.abc_delay_ps
    assert fast.area_ge > slow.area_ge


def test_the_netlist_is_plain(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    text = synthesise(toy, library, KEEP, None, tmp_path).netlist.read_text()
    assert re.search(r"input \[15:0\] block_i;", text)
    assert not re.search(r"\\|\(\*|assign \{", text)


def test_icarus_reads_the_netlist(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")
    netlist = synthesise(toy, library, KEEP, None, tmp_path)
    stubs = "".join(
        f"module {name}({', '.join(library.cells[name].pins)});\n"
        + "".join(f"  {pin.direction} {pin.name};\n" for pin in library.cells[name].pins.values())
        + "endmodule\n"
        for name in netlist.cells
    )
    (tmp_path / "stubs.v").write_text(stubs)
    subprocess.run(["iverilog", "-g2005", "-o", "/dev/null", tmp_path / "stubs.v", netlist.netlist], check=True)


def test_opensta_reads_the_netlist(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    if shutil.which("sta") is None:
        pytest.skip("OpenSTA is not installed")
    netlist = synthesise(toy, library, KEEP, None, tmp_path)
    (tmp_path / "whole.lib").write_text(read_text(library.path))
    (tmp_path / "read.tcl").write_text(
        f"read_liberty {tmp_path}/whole.lib\nread_verilog {netlist.netlist}\nlink_design toy\n"
        "create_clock -period 1 [get_ports clk_i]\nreport_checks\nexit\n"
    )
    command = ["sta", "-no_splash", "-exit", str(tmp_path / "read.tcl")]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert "slack" in run.stdout
    assert not re.search(r"warning|error", run.stdout + run.stderr, re.IGNORECASE)


def test_a_latch_is_refused(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    top = toy.sources[-1]
    text = top.text.replace("always_comb begin\n    state_d = state_q;", "always @* begin\n    state_d = state_q;")
    latch = text.replace("    data_d = data_q;\n", "")
    broken = replace(toy, sources=(*toy.sources[:-1], SourceFile(top.name, latch)))
    with pytest.raises(ToolError, match="latch"):
        synthesise(broken, library, KEEP, None, tmp_path)


def test_a_target_for_a_recipe_without_one_is_refused_before_any_work(
    toy: CoreDesign, library: Library, tmp_path: Path
) -> None:
    with pytest.raises(RequestError, match="keep sizes for no target"):
        synthesise(toy, library, KEEP, 500, tmp_path / "syn")
    assert not (tmp_path / "syn").exists()


@pytest.mark.parametrize(("recipe", "taken"), [(KEEP, True), (KEEP_SIZED, False)])
def test_buffers_behind_flip_flops_stay_where_abc_sized_gates_with_them(
    recipe: Recipe, taken: bool, *, toy: CoreDesign, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(subject, "without_register_buffers", lambda _text, top, _library: asked.append(top))
    synthesise(toy, library, recipe, None, tmp_path)
    assert asked == [toy.top] * taken
