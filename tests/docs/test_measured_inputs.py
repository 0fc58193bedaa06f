"""The measured tables of the docs are of the designs, recipes, library and tools of today, and say so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from aesmith.cores.design import SourceFile
from aesmith.cores.specification import build_design, load_specification
from aesmith.flow.measurement import Optimise
from aesmith.own_code import GENERATOR, code_digest
from aesmith.technology.registry import embedded_path

from .scripts import ROOT
from .scripts import script as script_of

PDK = ROOT.parent / "shared" / "pdk"
OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")

SECTION = """## ueno-table2: toys; wood-slow, slow (0.95 V, 125 °C)

| design | area (GE), measured | recipe |
|---|---:|---|
| First | 1,200 | keep |
| Second | 1,500 | shrink, compress-modules |
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return script_of("measured_inputs")


def file_of(library: str) -> Path | None:
    """A library's file, None where it is not here."""
    files = [embedded_path(), OSU018, *PDK.glob("*.lib.gz")]
    return next((file for file in files if file.exists() and file.name.partition(".")[0] in named(library)), None)


def named(library: str) -> tuple[str, str]:
    return library, library.replace("-", "_")


@pytest.mark.thorough
def test_every_figure_is_of_what_would_be_measured_today(script: ModuleType) -> None:
    """If not, its section is to be measured again, or, if only names changed, stamped."""
    # Of the designs that take a search, one at a time, another when code of the generator has changed; often none.
    turn = int(code_digest(GENERATOR), 16) % 12
    searched = script.SEARCHED[2 * turn : 2 * turn + 2]
    stale = []
    for section in script.measured_sections():
        assert section.stamp is not None, f"{section.label} does not say what it was measured of"
        file = file_of(section.library)
        found = script.inputs(section, file, searched)
        unknown = set(section.stamp) if file is None else set(script.SEARCHED) - set(searched)
        stale += [
            f"{section.label}: {name}: {script.command(section)}"
            for name in script.others(section, found, left_out=unknown)
        ]
    assert stale == [], "or python benchmarks/measured_inputs.py --stamp REVISION, if the circuits are the same"


def test_the_clock_of_a_section_with_power_is_that_of_its_slowest_row(script: ModuleType) -> None:
    """Where each row reaches 100 MHz, that is what all were simulated at."""
    with_power = [section for section in script.measured_sections() if section.power]
    assert {script.simulated(section).clock_mhz for section in with_power} == {100.0}
    (slow,) = script.sections(
        "## ueno-table2: toys; wood-slow, slow (0.95 V, 125 °C)\n\n"
        "| design | max. freq. (MHz), measured | power at 100 MHz (µW), measured |\n|---|---:|---:|\n"
        "| First | 1,200.0 | 3.0 |\n| Second | 78.91* | 2.0 |\n"
    )
    assert slow.power
    assert script.simulated(slow).clock_mhz == pytest.approx(78.9)


def test_what_measures_a_section_again_is_told(script: ModuleType) -> None:
    (other,) = script.sections(SECTION.replace("toys;", "toys, under area;"))
    assert script.command(other).endswith("--table ueno-table2 --library wood-slow --optimise area")
    (fronts,) = script.sections(SECTION.replace("toys;", "toys, under both;"))
    assert script.command(fronts).endswith("--table ueno-table2 --library wood-slow --front")


def test_what_is_stamped_anew_keeps_what_could_not_be_known(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The digest of a library that is not at hand stays, and that of a design that is not made; not of what is gone."""
    section = next(found for found in script.measured_sections() if found.label == "ueno-table3/nangate45-slow")
    then = {"flow": "f1", "ueno2020-enc": "d1"}
    monkeypatch.setattr(script, "inputs", lambda *_: dict(then))
    old = section.stamped({"library": "l0", "flow": "f0", "gone": "g0", "sasebo-table-enc": "s0", "ueno2020-enc": "d0"})
    new = script.stamp_revision(old, "a revision", tmp_path, dict(then), None, {})
    assert new.stamp == {"library": "l0", "flow": "f1", "sasebo-table-enc": "s0", "ueno2020-enc": "d1"}


def test_what_changed_is_named(script: ModuleType) -> None:
    (section,) = script.sections(SECTION)
    stamped = section.stamped({"pyosys": "0.70", "library": "0a", "first": "01", "second": "02"})
    assert script.others(stamped, {"pyosys": "0.70", "library": "0a", "first": "01", "second": "02"}) == []
    assert script.others(stamped, {"pyosys": "0.70", "first": "01", "second": "03"}) == ["second"]
    assert script.others(stamped, {"pyosys": "0.71", "library": "0b", "first": "01"}) == ["pyosys", "library", "second"]
    assert script.others(stamped, {"pyosys": "0.70", "first": "01", "third": "03"}, left_out=["second"]) == ["third"]


def test_a_comment_is_no_part_of_what_is_measured_and_every_word_is(script: ModuleType) -> None:
    def digest(*texts: str) -> str:
        return str(script.plain([SourceFile(f"{number}.sv", text) for number, text in enumerate(texts)]))

    text = "module a; // why\n  assign b = /* not\n c */ d;\nendmodule\n"
    assert digest(text) == digest("// another\nmodule a;\n\n    assign b = d;\nendmodule")
    assert digest(text) != digest(text.replace("= /", "= ~ /"))
    assert digest(text, "") != digest(text, "module e; endmodule")


TOY = """
module toy_part (input logic clk_i, input logic [3:0] a_i, output logic [3:0] q_o);
  always_ff @(posedge clk_i) q_o <= (a_i & {q_o[0], q_o[3:1]}) ^ {4{a_i[2]}};
endmodule
module toy #(parameter bit Late = 1'b0) (input logic clk_i, input logic [3:0] a_i, output logic [3:0] q_o);
  logic [3:0] part;
  toy_part u_part (.clk_i, .a_i, .q_o(part));
  always_ff @(posedge clk_i) q_o <= part | a_i;
endmodule
"""
REGISTER = "  always_ff @(posedge clk_i) q_o <= part | a_i;"


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("module toy #", "// Another comment.\nmodule toy #", (True, True)),
        (REGISTER, f"  if (Late) begin : gen_late\n  end else begin : gen_now\n{REGISTER}\n  end", (True, True)),
        ("part | a_i", "Late ? part : part | a_i", (True, True)),
        ("part | a_i", "part & a_i", (False, False)),
        ("{4{a_i[2]}}", "{4{a_i[1]}}", (False, False)),
    ],
    ids=["comment", "generate", "constant", "gate", "pin"],
)
def test_the_same_gates_in_the_same_order_are_told_from_others(
    script: ModuleType, old: str, new: str, same: tuple[bool, bool]
) -> None:
    """Flat, and with hierarchy."""
    core = build_design(load_specification("ueno2020-enc"), "toy", "ueno2020-enc")

    def gates(text: str) -> list[str]:
        found: list[str] = script.generic_gates(replace(core, sources=(SourceFile("toy.sv", text),)))
        return found

    assert TOY.count(old) == 1
    assert tuple(a == b for a, b in zip(gates(TOY), gates(TOY.replace(old, new)), strict=True)) == same


def test_generic_gates_are_not_asked_of_a_core_with_a_librarys_clock_gate(script: ModuleType) -> None:
    assert script.generic_gates(build_design(load_specification("ueno2020-gated-enc"), "core", "")) is None


@pytest.mark.thorough
def test_the_flow_gives_the_figures_that_stand_in_the_page(script: ModuleType) -> None:
    """The sample is a row; what is combinational, and how recipes are chosen, is looked at in tests/tables."""
    section = next(found for found in script.measured_sections() if found.label == "wang-table4/generic45")
    row = section.rows["1 stage"]
    stated = f"{row['S-box (GE), measured']} | {row['S-box (MHz), measured']}"
    assert stated in [script.sample()[recipe] for recipe in section.recipes("1")]


def test_what_every_recipe_does_can_be_in_the_digest(script: ModuleType) -> None:
    every = {recipe.name for plan in script.PLANS.values() for recipe in plan.first}
    assert {script._sampled(name) for name in every} <= set(script.sample())
    timed = {recipe.name for recipe in script.PLANS[Optimise.AREA_SPEED].first if recipe.targets}
    assert {script._sampled(f"{name}@1231") for name in timed} <= set(script.sample())
    assert script._sampled("keep-timed-modules+noxor2@1231") == f"keep-timed+noxor2@{script.TARGET_PS}"
