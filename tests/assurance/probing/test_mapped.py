"""Netlists of masked circuits show probes no more than their sources; each one that does is refused by name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.assurance.clock_gate import with_gates

from aesmith.assurance.probing.mapped import check_mapped
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import Channel, Meaning, Payload, PayloadKind, PortDirection
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError, RequestError
from aesmith.flow.measurement import PLANS, Optimise
from aesmith.flow.recipes import Recipe, recipe_by_name
from aesmith.flow.synthesis import synthesise, unpack
from aesmith.flow.yosys import run_script, write_sources
from aesmith.masking.sbox import masked_sbox
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path

pytestmark = pytest.mark.one_in(3)

KEPT = [recipe for goal in (Optimise.AREA_KEPT, Optimise.AREA_SPEED_KEPT) for recipe in PLANS[goal].first]


@pytest.fixture(scope="module")
def library() -> Library:
    return read_library(embedded_path())


def sbox(change: tuple[str, str] = ("", "")) -> CoreDesign:
    """The masked S-box of two shares and four clocks alone, its ports those of a design; with a change at its pins."""
    masked = masked_sbox(1, 4)
    inner = staged_systemverilog(masked.staged, "Masked S-box.", "shares")
    head = inner[inner.index("(") + 1 : inner.index(");")].strip("\n")
    ports = [line.strip(" ,") for line in head.splitlines()]
    names = [port.split()[-1] for port in ports]
    pins = ", ".join(f".{name}({name})" for name in names).replace(*change)
    lines = ["module sbox (", "  input  logic rst_ni,", head, ");"]
    lines += [f"  shares u_sbox ({pins});", "  logic unused;", "  assign unused = rst_ni;", "endmodule"]

    def payload(name: str) -> Payload:
        kind = PayloadKind.RANDOM if name.startswith("random") else PayloadKind.SHARE
        declared = next(port for port in ports if port.endswith(name))
        found = re.search(r"\[(\d+):0\]", declared)
        return Payload(name, int(found[1]) + 1 if found else 1, Meaning.VALUE, kind)

    given = tuple(payload(name) for name in names if name.endswith("_i") and name != "clk_i")
    results = tuple(payload(name) for name in names if name.endswith("_o"))
    core = build_design(parse_specification({"preset": "masked-round-gated-enc"}), "sbox", "masked-round-gated-enc")
    channels = (Channel("given", PortDirection.INPUT, given), Channel("results", PortDirection.OUTPUT, results))
    sources = (SourceFile("shares.sv", inner), SourceFile("sbox.sv", "\n".join(lines) + "\n"))
    return replace(core, name="sbox", ports=replace(core.ports, channels=channels), sources=sources)


@pytest.fixture(scope="module")
def netlist(library: Library, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("keep")
    return synthesise(sbox(), library, recipe_by_name("keep-modules"), None, folder).netlist.read_text()


def checked(text: str, library: Library, folder: Path, design: CoreDesign | None = None) -> str:
    (folder / "netlist.v").write_text(text)
    return str(check_mapped(design or sbox(), library, folder / "netlist.v", folder / "check"))


@pytest.mark.thorough(but=("compress-modules",))
@pytest.mark.parametrize("recipe", KEPT, ids=lambda recipe: recipe.name)
def test_each_recipe_that_keeps_modules_leaves_probes_what_they_read(
    recipe: Recipe, library: Library, tmp_path: Path
) -> None:
    target = 900.0 if recipe.targets else None
    text = synthesise(sbox(), library, recipe, target, tmp_path).netlist.read_text()
    assert checked(text, library, tmp_path).startswith("140 flip-flops are registers of the sources")


def test_registers_that_abc_moves_are_refused_by_name(library: Library, tmp_path: Path) -> None:
    """`abc -dff`, which merges registers and moves logic over them."""
    design = sbox()
    files = " ".join(write_sources(design, tmp_path))
    unpack(library, tmp_path)
    commands = [f"read_verilog -sv {files}", "synth -top sbox -flatten -noabc", "abc -dff -liberty library.lib"]
    commands += ["dfflibmap -liberty library.lib", "abc -liberty library.lib", "clean", "write_verilog -noattr moved.v"]
    run_script(commands, tmp_path / "moved.log")
    with pytest.raises(CheckError, match=r"\w+(, \S+)* (and \d+ more are|are|is) no register of the sources"):
        checked((tmp_path / "moved.v").read_text(), library, tmp_path)


def test_fresh_bits_that_are_tied_in_synthesis_are_refused_by_name(library: Library, tmp_path: Path) -> None:
    tied = sbox((".random_1_i(random_1_i)", ".random_1_i('0)"))
    text = synthesise(tied, library, recipe_by_name("keep-modules"), None, tmp_path).netlist.read_text()
    with pytest.raises(CheckError, match="no register of the sources"):
        checked(text, library, tmp_path)
    # The netlist is that of what was synthesised: what leaks is in its sources, which the exact check refuses.
    assert "flip-flops are registers" in checked(text, library, tmp_path, tied)


SUM = "wire odd, back; XOR2_X1 there (.A(x_0_i[0]), .B({other}), .Z(odd));"
BACK = f"{SUM} XOR2_X1 again (.A(odd), .B({{other}}), .Z(back));"
"""Cells that sum two bits, and take the second off again: of no effect on what registers hold."""


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("cells", "data", "other", "told"),
    [
        (BACK, "back", "x_1_i[0]", r"D of _\w+_ reads more than any wire of the sources, such as x_\d_i\[0\]"),
        (BACK, "back", "x_0_i[1]", ""),
        (SUM, "x_0_i[0]", "x_1_i[0]", "odd, which nothing reads, reads more than any wire of the sources"),
        (SUM, "x_0_i[0]", "x_0_i[1]", ""),
    ],
)
def test_a_wire_of_both_shares_is_refused_though_nothing_changes(
    cells: str, data: str, other: str, told: str, *, netlist: str, library: Library, tmp_path: Path
) -> None:
    text = netlist.replace(".D(x_0_i[0])", f".D({data})").rstrip()
    assert text.endswith("endmodule")
    text = text.removesuffix("endmodule") + cells.format(other=other) + "\nendmodule\n"
    if told:
        with pytest.raises(CheckError, match=told):
            checked(text, library, tmp_path)
    else:
        assert "140 flip-flops are registers" in checked(text, library, tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        ("two bits of a share exchanged", ".D(x_0_i[0])", ".D(x_0_i[1])"),
        ("shares of a bit exchanged", ".D(x_0_i[0])", ".D(x_1_i[0])"),
        ("a register that holds a constant", ".D(x_0_i[0])", ".D(1'b0)"),
    ],
    ids=lambda change: change[0].replace(" ", "-"),
)
def test_a_netlist_with_other_registers_is_refused(
    change: tuple[str, str, str], netlist: str, library: Library, tmp_path: Path
) -> None:
    _, old, new = change
    assert old in netlist
    with pytest.raises(CheckError, match=r"no register of the sources|is not shown to be the core"):
        checked(netlist.replace(old, new), library, tmp_path)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_whole_core_behind_clock_gates_shows_no_more(library: Library, tmp_path: Path) -> None:
    core = build_design(parse_specification({"preset": "masked-round-gated-enc"}), "core", "masked-round-gated-enc")
    made = synthesise(core, library, recipe_by_name("keep-modules"), None, tmp_path / "made")
    found = check_mapped(core, library, made.netlist, tmp_path / "check")
    assert found.registers == made.flip_flops == 3329


def test_a_core_with_clock_gates_needs_a_library_that_has_some(tmp_path: Path) -> None:
    (tmp_path / "plain.lib").write_text(with_gates())
    core = build_design(parse_specification({"preset": "masked-round-gated-enc"}), "core", "masked-round-gated-enc")
    with pytest.raises(RequestError, match="library generic45 has no integrated clock gate"):
        synthesise(core, read_library(tmp_path / "plain.lib"), recipe_by_name("keep-modules"), None, tmp_path)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["keep-modules", "shrink-modules"])
def test_a_core_and_its_generator_show_no_more(recipe: str, library: Library, tmp_path: Path) -> None:
    """The netlist of both; one with a flip-flop without data, or a wire that reads seed and share, is refused."""
    fields = {"preset": "masked-serial-enc", "prng": "trivium"}
    core = build_design(parse_specification(fields), "core", "masked-serial-enc")
    made = synthesise(core, library, recipe_by_name(recipe), None, tmp_path / "made")
    found = check_mapped(core, library, made.netlist, tmp_path / "check")
    assert found.registers == made.flip_flops == 1268
    text = made.netlist.read_text().rstrip()
    cell = "wire odd; XOR2_X1 there (.A(seed_i[0]), .B(block_i[0]), .Z(odd));"
    with pytest.raises(CheckError, match="odd, which nothing reads, reads more than any wire of the sources"):
        checked(f"{text.removesuffix('endmodule')}{cell}\nendmodule\n", library, tmp_path, core)
    tied = re.sub(r"\.D\(\w+\)", ".D(1'b0)", text, count=1)
    assert tied != text
    with pytest.raises(CheckError, match=r"no register of the sources|is not shown to be the core|is none that an"):
        checked(tied, library, tmp_path, core)
