"""Clock gates that synthesis puts before registers which load by an enable: where, of what kind, and proved."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.assurance.clock_gate import with_gates

from aesmith.assurance.proof.mapped import prove_mapped
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import RequestError
from aesmith.flow.measure import measure, measurement_key
from aesmith.flow.measurement import PLANS, Optimise, chosen_plan
from aesmith.flow.recipes import KEEP, KEEP_TIMED, one_recipe, recipe_by_name
from aesmith.flow.rewiring.rewire import RewiringPlan, rewire
from aesmith.flow.synthesis import GATED_TOGETHER, MappedNetlist, synthesise
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import library_by
from aesmith.timing.netlist import read_netlist

GATED = KEEP.with_clock_gates()
TOY = """
module gated (
  input logic clk_i, input logic rst_ni, input logic load_i, input logic other_i, input logic [31:0] data_i,
  output logic [31:0] held_o, output logic [3:0] few_o, output logic [2:0] fewer_o, output logic [7:0] reset_o
);
  always_ff @(posedge clk_i) begin
    if (load_i) held_o <= held_o ^ data_i;
    if (load_i & other_i) few_o <= data_i[3:0];
    if (other_i) fewer_o <= data_i[2:0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reset_o <= '1;
    else if (load_i | other_i) reset_o <= data_i[7:0];
  end
endmodule
"""


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def toy() -> CoreDesign:
    core = build_design(parse_specification({"preset": "ueno2020-enc"}), "gated", "ueno2020-enc")
    return replace(core, sources=(SourceFile("gated.sv", TOY),))


@pytest.fixture(scope="module")
def mapped(toy: CoreDesign, library: Library, tmp_path_factory: pytest.TempPathFactory) -> MappedNetlist:
    return synthesise(toy, library, GATED, None, tmp_path_factory.mktemp("gated"))


def test_a_gate_stands_before_the_registers_of_one_enable(mapped: MappedNetlist) -> None:
    """Also before those with a reset; three registers keep their selectors."""
    netlist = read_netlist(mapped.json, "gated")
    gates = {
        instance.pins["GCK"]: instance.pins["E"] for instance in netlist.instances if instance.cell == "CLKGATE_X1"
    }
    clocked = [instance.pins["CK"] for instance in netlist.instances if instance.cell.startswith("DFF")]
    assert sorted(clocked.count(clock) for clock in gates) == [GATED_TOGETHER, 8, 32]
    assert len(set(gates.values())) == 3
    assert len(clocked) - sum(clocked.count(clock) for clock in gates) == GATED_TOGETHER - 1


def test_it_is_proved_to_do_what_the_sources_do(
    mapped: MappedNetlist, toy: CoreDesign, library: Library, tmp_path: Path
) -> None:
    part = prove_mapped(toy, library, mapped.netlist, tmp_path)
    assert part.verdict is Verdict.PROVED, part.detail


def test_exchanged_gates_are_refuted(mapped: MappedNetlist, toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    text = mapped.netlist.read_text()
    first, second = re.findall(r"\.GCK\((\w+)\)", text)[:2]
    exchanged = {f".GCK({first})": f".GCK({second})", f".GCK({second})": f".GCK({first})"}
    wrong = tmp_path / "wrong.v"
    wrong.write_text(re.sub(r"\.GCK\(\w+\)", lambda pin: exchanged.get(pin[0], pin[0]), text))
    assert prove_mapped(toy, library, wrong, tmp_path / "proof").verdict is Verdict.REFUTED


def test_a_recipe_has_them_by_its_name() -> None:
    recipe = recipe_by_name("keep-timed+noxor2+gated")
    assert recipe == KEEP_TIMED.without_xor2().with_clock_gates()
    assert recipe.by_modules().name == "keep-timed-modules+noxor2+gated"
    assert one_recipe("keep-timed+gated@900").aimed == ((KEEP_TIMED.with_clock_gates(), 900.0),)
    assert one_recipe("keep-timed+gated+rewired").rewired == 1
    with pytest.raises(RequestError, match="unknown 'kept\\+gated'"):
        recipe_by_name("kept+gated")


@pytest.mark.parametrize("optimise", Optimise)
def test_a_condition_has_them_in_all_netlists_or_in_none(optimise: Optimise) -> None:
    plan = chosen_plan(optimise, rewire=True, clock_gates=True)
    recipes = [*plan.first, *(recipe for recipe, _ in plan.aimed)]
    assert recipes
    assert all(recipe.gated and recipe.name.endswith("+gated") for recipe in recipes)
    assert plan.rewired
    plain = PLANS[optimise]
    assert not any(recipe.gated for recipe in (*plain.first, *(recipe for recipe, _ in plain.aimed)))
    assert chosen_plan(optimise) == plain


def test_figures_with_them_are_kept_apart(toy: CoreDesign, library: Library) -> None:
    keys = {
        measurement_key(toy, library, Optimise.AREA, chosen_plan(Optimise.AREA, clock_gates=gates))
        for gates in (False, True)
    }
    assert len(keys) == 2


def test_a_library_without_one_is_refused_by_name(toy: CoreDesign, tmp_path: Path) -> None:
    plan = chosen_plan(Optimise.AREA, clock_gates=True)
    (tmp_path / "plain.lib").write_text(with_gates())
    with pytest.raises(RequestError, match="clock gates: library generic45 has no integrated clock gate"):
        measure(toy, read_library(tmp_path / "plain.lib"), Optimise.AREA, tmp_path / "work", plan=plan)
    assert not (tmp_path / "work").exists()


@pytest.mark.slow
def test_a_byte_serial_core_is_smaller_with_them_and_proved(
    pdk_library: Callable[[str], Library], tmp_path: Path
) -> None:
    library = pdk_library("nangate45_typ")
    core = build_design(parse_specification({"preset": "hamalainen2006-enc"}), "core", "core")
    plain, gated = (synthesise(core, library, recipe, None, tmp_path / recipe.name) for recipe in (KEEP, GATED))
    assert gated.flip_flops == plain.flip_flops
    assert gated.area_ge < 0.9 * plain.area_ge
    assert prove_mapped(core, library, gated.netlist, tmp_path / "proof").verdict is Verdict.PROVED


@pytest.mark.one_in(4)
def test_rewired_it_has_the_same_gates(mapped: MappedNetlist, library: Library, tmp_path: Path) -> None:
    made = rewire(mapped.json, library, tmp_path, plan=RewiringPlan(2))
    assert made.proved
    assert made.json.count("CLKGATE_X1") == mapped.cells["CLKGATE_X1"]
