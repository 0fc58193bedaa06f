"""`aesmith search`: JSON for machines, errors that name what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.program import parse_program
from aesmith.commands.search import app
from aesmith.errors import RequestError


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    return json.loads(result.stdout)


def refusal(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, RequestError)
    assert result.stdout == ""
    return str(result.exception)


def test_the_offset_search_reports_alpha_gamma_and_weights() -> None:
    found = run("offset", "--inverter", "ueno2015", "--objective", "hamming")
    own, every = found["inverter_towers"], found["all_towers"]
    assert (own["towers"], every["towers"]) == (4, 120)
    assert (own["without_offset"]["best"]["score"], own["with_offset"]["best"]["score"]) == (4416, 4016)
    assert (every["without_offset"]["best"]["score"], every["with_offset"]["best"]["score"]) == (4232, 3896)
    best = own["with_offset"]["best"]
    assert (best["alpha"], best["gamma"]) == ("0xfe", "0x43")
    assert best["weights"]["delta"] == 26
    assert len(own["with_offset"]["ranked"]) == 10


def test_the_offset_search_keeps_to_a_constraint() -> None:
    found = run("offset", "--inverter", "ueno2015", "--constraint", "phi-depth=2", "--top", "1")
    assert found["all_towers"]["without_offset"] == {"candidates": 120, "solutions": 0, "best": None, "ranked": []}
    assert found["all_towers"]["with_offset"]["solutions"] == 155


@pytest.mark.thorough
def test_xor_gates_can_be_the_objective() -> None:
    found = run(
        "offset", "--inverter", "ueno2015", "--objective", "xors", "--depth", "3", "--shortlist", "1", "--top", "1"
    )
    assert found["inverter_towers"]["with_offset"]["best"]["score"] == 50


def test_an_objective_can_be_a_function_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def score(weights):\n    return weights.weight('phi') + weights.weight('delta')\n")
    best = run("offset", "--family", "NB/NB", "--objective", f"{file}:score")["all_towers"]["with_offset"]["best"]
    assert best["score"] == best["weights"]["phi"] + best["weights"]["delta"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--inverter", "x"), "inverter: must be one of ueno2015"),
        (("--family", "x"), "family: must be one of PB/PB"),
        (("--objective", "x"), "objective: must be hamming, row, xors or FILE.py:FUNCTION, not 'x'"),
        (("--objective", "missing.py:f"), "there is no file missing.py"),
        (("--constraint", "psi-depth=2"), "constraint: must be MAP-depth=N"),
        (("--constraint", "phi-depth=x"), "the depth of phi must be 0 to 10, not x"),
        (("--multiplicity", "phi"), "multiplicity: must be MAP=N"),
    ],
)
def test_a_wrong_offset_request_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    assert reason in refusal("offset", *arguments)


def test_the_linear_search_reports_xors_and_depth_and_writes_the_program(tmp_path: Path) -> None:
    output = tmp_path / "program.slp"
    found = run("linear", "ueno2020-enc-unified-affine", "--depth", "2", "--steps", "20000", "--output", str(output))
    assert (found["xors"], found["depth"], found["smallest_depth"]) == (24, 2, 2)
    program, facts = parse_program(output.read_text())
    assert program.matrix == NAMED["ueno2020-enc-unified-affine"].matrix
    assert facts["xors"] == "24"
    again = run("linear", "ueno2020-enc-unified-affine", "--depth", "2", "--steps", "0", "--start", str(output))
    assert again["xors"] == 24


def test_a_matrix_comes_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "matrix.txt"
    file.write_text("1100\n1110\n1111\n0111\n")
    assert run("linear", str(file), "--seconds", "5")["xors"] == 4
    late = run("linear", str(file), "--arrivals", "3,0,0,0", "--depth", "4", "--steps", "20000")
    assert (late["xors"], late["depth"]) == (5, 4)


@pytest.mark.parametrize(("method", "xors"), [("paar", 108), ("boyar-peralta", 98)])
def test_the_published_heuristics_can_be_chosen(method: str, xors: int) -> None:
    name = "mixcolumns" if method == "paar" else "zhang2004-delta"
    found = run("linear", name, "--method", method)
    assert found["xors"] <= xors
    assert found["method"] == method


@pytest.mark.thorough
def test_three_input_cells_have_their_price() -> None:
    found = run("linear", "mixcolumns", "--from-stored", "--steps", "0", "--xor3-cost", "1.4")
    cells = found["cells"]
    assert found["cost"] == pytest.approx(cells["xor2"] + 1.4 * cells["xor3"])
    assert found["cost"] < found["stored"]["xors"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("mixcolumns", "--depth", "2"), "depth: must be at least 3 XOR levels"),
        (("nothing",), "map: must be a file with a matrix or one of mixcolumns"),
        (("mixcolumns", "--arrivals", "1,x"), "arrivals: must be whole numbers"),
        (("mixcolumns", "--arrivals", "1,2"), "arrivals: must be 32 levels"),
        (("mixcolumns", "--xor3-cost", "3"), "xor3_cost: must be above 1 and at most 2"),
        (("ueno2020-unified-affine", "--from-stored"), "no stored program"),
        (("affine", "--output", "/nowhere/at/all.slp"), "output: the folder /nowhere/at does not exist"),
        (("ueno2020-unified-affine", "--method", "paar", "--from-stored"), "no stored program"),
        (("mixcolumns", "--method", "boyar-peralta", "--depth", "3"), "boyar-peralta has no depth bound"),
    ],
)
def test_a_wrong_linear_request_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    assert reason in refusal("linear", *arguments)


@pytest.mark.parametrize("content", [b"11\n1\n", b"12\n", b"", b"\xff\xfe\x00"])
def test_a_file_that_is_no_matrix_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "matrix.txt"
    file.write_bytes(content)
    assert "map" in (reason := refusal("linear", str(file))) or "matrix" in reason
