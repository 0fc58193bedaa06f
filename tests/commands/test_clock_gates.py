"""`--clock-gates` on and off: what is measured, and what a library without clock gates is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.assurance.clock_gate import with_gates
from typer.testing import CliRunner

from aesmith.cli import app, run
from aesmith.commands.request import Gating, read_request

GATED = ("serial-shared-small-enc", "ueno2020-gated-enc", "masked-round-gated-enc", "cmac-small", "xts-disk")


@pytest.mark.parametrize("preset", GATED)
def test_off_takes_them_out_of_cores_and_engines(preset: str) -> None:
    assert read_request(preset).package.has_clock_gates
    assert read_request(preset, gating=Gating.ON).package.has_clock_gates
    assert not read_request(preset, gating=Gating.OFF).package.has_clock_gates


@pytest.mark.parametrize("preset", ["boyar2010-enc", "ctr-pipeline"])
def test_off_changes_nothing_where_there_are_none(preset: str) -> None:
    assert read_request(preset, gating=Gating.OFF).design.sources == read_request(preset).design.sources


@pytest.mark.parametrize(
    "text",
    [
        'preset = "hamalainen2006-enc"\nclock_gates = true\n',
        'preset = "cmac-small"\n[core]\npreset = "hamalainen2006-enc"\nclock_gates = true\n',
    ],
)
def test_off_is_for_specifications_in_files_too(text: str, tmp_path: Path) -> None:
    file = tmp_path / "wanted.toml"
    file.write_text(text)
    assert read_request(str(file)).package.has_clock_gates
    assert not read_request(str(file), gating=Gating.OFF).package.has_clock_gates


@pytest.mark.parametrize("verb", ["measure", "build"])
def test_a_library_without_gates_is_refused_with_the_way_out(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plain.lib").write_text(with_gates())
    out = ["--out", str(tmp_path / "out")] if verb == "build" else []
    request = [verb, "cmac-small", "--no-store", "--liberty", str(tmp_path / "plain.lib"), *out]
    assert run(request) == 2
    assert "choose a library that has one, or --clock-gates off" in capsys.readouterr().err
    assert run([verb, "boyar2010-enc", *request[2:], "--clock-gates"]) == 2
    assert "has one, or leave out --clock-gates" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_it_is_for_is_said() -> None:
    help_text = " ".join(CliRunner().invoke(app, ["measure", "--help"]).output.split())
    assert "on: use clock gates instead of enables in all netlists" in help_text
    assert run(["measure", "boyar2010-enc", "--clock-gates", "maybe"]) == 2
    assert run(["build", "boyar2010-enc", "--no-measure", "--clock-gates", "on"]) == 2


def test_an_fpga_has_enables_in_their_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As synthesised; a package is placed as it was built, or refused."""
    counts = ["--device", "xc7", "--no-store"]
    assert run(["fpga", "serial-shared-small-enc", *counts]) == 0
    said = capsys.readouterr()
    assert "clock enables instead of clock gates" in said.err
    assert "LUTs" in said.out
    assert run(["build", "serial-shared-small-enc", "--no-measure", "--out", str(tmp_path / "built")]) == 0
    assert run(["fpga", str(tmp_path / "built"), *counts]) == 2
    assert "build it with --clock-gates off" in capsys.readouterr().err
