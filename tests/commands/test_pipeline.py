"""`aesmith pipeline`: the table, one module, and requests outside what is possible."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aesmith.cli import run


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run(["pipeline", *arguments, "--json"]) == 0
    value: dict[str, object] = json.loads(capsys.readouterr().out)
    return value


def test_stages_of_canrights_s_box_are_as_short_as_they_can_be(capsys: pytest.CaptureFixture[str]) -> None:
    rows = answer(capsys, "canright2005")["stages"]
    assert isinstance(rows, list)
    assert [row["period"] for row in rows[:7]] == [23, 12, 8, 6, 5, 4, 4]
    assert all(row["register_bits"] <= most for row, most in zip(rows, (0, 26, 45, 61, 64, 88, 96), strict=False))


def test_a_period_decides_the_number_of_stages(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = answer(capsys, "canright2005", "--function", "combined", "--period", "10")["stages"]  # type: ignore[misc]
    assert row["stages"] == 3
    assert max(row["stage_delays"]) <= 10


def test_the_module_is_written_with_the_ports_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "sbox.sv"
    answer(capsys, "boyar2012", "--stages", "4", "--enable", "--valid", "--name", "my_sbox", "--out", str(path))
    text = path.read_text()
    assert "module my_sbox (" in text
    for port in ("clk_i", "rst_ni", "enable_i", "valid_i", "valid_o", "x_i", "y_o"):
        assert port in text


def test_delays_may_be_a_librarys(capsys: pytest.CaptureFixture[str]) -> None:
    value = answer(capsys, "canright2005", "--stages", "2", "--library", "generic45")
    assert value["delay_unit"] == "ps"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("canright",), "sbox: must be one of table"),
        (("ueno2015", "--function", "forward"), "function: S-box ueno2015 has inverter, not 'forward'"),
        (("canright2005", "--stages", "40"), "must be 1 to 23"),
        (("canright2005", "--stages", "0"), "must be 1 to 23"),
        (("canright2005", "--period", "0.5"), "period"),
        (("canright2005", "--stages", "2", "--period", "8"), "stages"),
        (("canright2005", "--out", "x.sv"), "out: say with --stages or --period"),
        (("canright2005", "--stages", "2", "--out", "absent/x.sv"), "out: absent/x.sv cannot be written"),
    ],
)
def test_impossible_requests_say_what_is_possible(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pipeline", *arguments]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_the_masked_s_box_is_checked_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "masked.sv"
    assert run(["mask", "--order", "1", "--check", "--out", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["shares"], told["clocks"], told["fresh_bits"]) == (2, 4, 30)
    assert told["probing"]["verdict"] == "secure"
    assert "input  logic [7:0] random_1_i" in file.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--order", "0"], "order: must be 1 or more"),
        (["--order", "6"], "shares: must be 2 to 6"),
        (["--clocks", "2"], "takes 3 or 4"),
        (["maximov2019", "--clocks", "4"], "gate by gate they are as few"),
        (["ueno2015"], "has inverter, not"),
    ],
)
def test_a_masked_s_box_that_there_is_not(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mask", *arguments]) == 2
    assert said in capsys.readouterr().err
