"""Libraries of other people at the command line: several files, cells set aside, power that is not there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.technology.registry import embedded_path, library_by

WHOLE = embedded_path().read_text()
XOR = "  cell (XOR2_X2) {\n    area : "
MEASURE = ["measure", "serial-small-enc", "--optimise", "area", "--no-store", "--liberty"]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def parts(tmp_path: Path) -> list[str]:
    """The embedded library in two files."""
    head, *cells = WHOLE.rstrip().removesuffix("}").split("  cell (")
    logic = [cell for cell in cells if not cell.startswith("DFF")]
    flops = [cell for cell in cells if cell.startswith("DFF")]
    files = [tmp_path / "logic.lib", tmp_path / "flops.lib"]
    for file, kept in zip(files, (logic, flops), strict=True):
        inside = "".join(f"  cell ({cell}" for cell in kept).rstrip()
        file.write_text(f"{head}{inside}\n}}\n")
    return [str(file) for file in files]


def test_a_library_of_several_files_is_registered_and_shown(
    parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["library", "add", "mine", *parts]) == 0
    capsys.readouterr()
    assert run(["library", "show", "mine", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["files"] == parts
    assert facts["cells"] == len(library_by("generic45").cells)
    assert library_by("mine").digest == facts["digest"]
    assert run(["library", "show", *parts, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cells"] == facts["cells"]
    assert run(["library", "show", parts[0]]) == 2
    assert "logic.lib (library generic45) lacks a D flip-flop" in capsys.readouterr().err


def test_what_is_set_aside_is_noted_once_and_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "odd.lib"
    file.write_text(WHOLE.replace(XOR, XOR + "nan; was : "))
    verb = ["pipeline", "boyar2010", "--stages", "2", "--liberty", str(file)]
    assert run(verb) == 0
    err = capsys.readouterr().err
    told = "set aside 1 of 65 cells: XOR2_X2 (area: must be a finite number, not 'nan')"
    assert err.count(told) == 1
    assert run([*verb, "--json"]) == 0
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    assert note.endswith(told)
    assert run([*verb[:4], "--library", "generic45", "--json"]) == 0
    assert "notes" not in json.loads(capsys.readouterr().out)
    assert run(["library", "show", str(file)]) == 0
    assert re.search(r"XOR2_X2 +cell +area: must be a finite number, not 'nan'", capsys.readouterr().out)
    assert run(["library", "show", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["set_aside"] == {"XOR2_X2": "area: must be a finite number, not 'nan'"}


def test_a_file_that_is_not_there_is_named(parts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MEASURE, parts[0], "--liberty", "gone.lib"]) == 2
    assert "liberty: gone.lib is not there" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [("leakage",), pytest.param(("verify", "--prove"), marks=pytest.mark.thorough)])
def test_a_netlist_with_a_cell_set_aside_is_refused(
    verb: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd.lib").write_text(WHOLE.replace(XOR, XOR + "nan; was : "))
    netlist = tmp_path / "netlist.v"
    netlist.write_text("module m (input a, input b, output z); XOR2_X2 u (.A(a), .B(b), .Z(z)); endmodule\n")
    options = ["--netlist", str(netlist), "--liberty", str(tmp_path / "odd.lib")]
    assert run([verb[0], "ueno2020-enc", *verb[1:], *options]) == 2
    assert "has cell XOR2_X2, which is set aside in library generic45: area: must be" in capsys.readouterr().err


@pytest.mark.thorough
def test_the_same_library_in_parts_and_in_other_names_measures_the_same(
    parts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = re.sub(r"cell \((\w+?)_X(\d)\)", r"cell (\1-X[\2])", WHOLE).replace("pin (A)", "pin (A[0])")
    odd = odd.replace("related_pin : A;", 'related_pin : "A[0]";').replace("pin (Z)", "pin (Z.1)")
    odd = re.sub(
        r'((?:function|when) : )"([^"]*)"', lambda found: found[1] + '"' + re.sub(r"\bA\b", "A[0]", found[2]) + '"', odd
    )
    (tmp_path / "odd.lib").write_text(odd)
    figures = []
    for files in ([str(embedded_path())], parts, [str(tmp_path / "odd.lib")]):
        options = [option for file in files[1:] for option in ("--liberty", file)]
        assert run([*MEASURE, files[0], *options, "--json"]) == 0
        printed = capsys.readouterr()
        assert "set aside" not in printed.err
        found = json.loads(printed.out)
        figures.append((found["area_ge"], found["period_ns"], len(found["candidates"])))
    assert figures[1] == pytest.approx(figures[0])
    assert figures[2] == pytest.approx(figures[0])


@pytest.mark.thorough
def test_power_of_a_cell_set_aside_is_refused_only_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "powerless.lib"
    file.write_text(WHOLE.replace("rise_power (energy)", "rise_power (other)"))
    _, *cells = re.split(r"\bcell *\(", WHOLE)
    count = sum("rise_power (energy)" in cell for cell in cells)
    assert run([*MEASURE, str(file)]) == 0
    assert f"set aside the power of {count} cells: INV_X1 (pin A, internal_power: rise_power: its template" in (
        capsys.readouterr().err
    )
    assert run([*MEASURE, str(file), "--power"]) == 2
    assert "whose power is set aside in library generic45: pin " in capsys.readouterr().err


@pytest.mark.thorough
def test_power_is_simulated_at_a_clock_that_the_netlist_reaches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten times slower than the embedded library, the core needs more than 10 ns."""
    file = tmp_path / "slow.lib"
    file.write_text(WHOLE.replace('time_unit : "1ns"', 'time_unit : "10ns"'))
    assert run([*MEASURE, str(file), "--power", "--clock", "100"]) == 2
    refused = re.search(
        r"clock: 100 MHz is a period of 10 ns, but the netlist needs ([\d.]+) ns; give ([\d.]+) MHz or less",
        capsys.readouterr().err,
    )
    assert refused
    assert float(refused[2]) == pytest.approx(1e3 / float(refused[1]), rel=0.01)
    assert run([*MEASURE, str(file), "--power"]) == 0
    printed = capsys.readouterr()
    assert f"power is simulated at {refused[2]} MHz, the highest clock of this netlist" in printed.err
    assert f"blocks at {refused[2]} MHz" in printed.out
