"""`--rtl` and `--ports`: designs of somebody else's named by their files, as a user meets them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.cores.design import Design
from aesmith.errors import RequestError
from aesmith.explore.obtain import Obtained

from ..foreign.standins import DESCRIPTION, write_standin

MAP = DESCRIPTION[DESCRIPTION.index("latency_cycles") :]
READ = ("-I", "include", "-G", "ROUNDS=10", "--verilog-2005")
THEIRS = ("--rtl", "strobe.v", "--top", "strobe", *READ)
BROKEN = ("74_dd_e8_c6", "74_dd_e9_c6")
"""An entry of the S-box with a wrong bit."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Design]:
    """The designs that were to be measured; none is."""
    designs: list[Design] = []

    def noted(design: Design, *_: object, **__: object) -> Obtained:
        designs.append(design)
        raise RequestError("measured: not here")

    monkeypatch.setattr("aesmith.api.measuring.obtain", noted)
    return designs


def test_it_is_measured_with_guessed_ports_and_with_stated_ones_alike(
    asked: list[Design], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(write_standin(tmp_path / "standin").parent)
    Path("map.toml").write_text(MAP)
    for options in ((), ("--cycles-per-block", "20", "--ports", "map.toml")):
        assert run(["measure", *THEIRS, "--no-store", *options]) == 2
        guessed = "ports guessed; published vectors passed through them, latency 12 clocks"
        assert (guessed in capsys.readouterr().err) == (not options)
    assert [(design.cycles_per_block, design.latency_cycles) for design in asked] == [(12, 12), (20, 12)]
    assert len({design.source_hash for design in asked}) == 1


@pytest.mark.thorough
def test_a_reset_whose_name_does_not_say_that_it_is_low_is_guessed_all_the_same(
    asked: list[Design], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_standin(tmp_path / "standin", ("if (rst)", "if (!rst)")).parent)
    assert run(["measure", *THEIRS, "--no-store"]) == 2
    assert [design.latency_cycles for design in asked] == [12]


@pytest.mark.thorough
@pytest.mark.parametrize("options", [(), ("--ports", "map.toml")], ids=["guessed ports", "stated ports"])
def test_a_broken_sbox_is_not_measured(
    options: tuple[str, ...],
    asked: list[Design],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(write_standin(tmp_path / "standin", BROKEN).parent)
    Path("map.toml").write_text(MAP)
    assert run(["measure", *THEIRS, "--no-store", *options]) == 1
    assert re.search("strobe.*: is not AES.*expected", capsys.readouterr().err)
    assert not asked


@pytest.mark.parametrize(
    ("edit", "arguments", "told"),
    [
        (None, ("--top", "strobe"), "--top: belongs to a third-party design; give --rtl FILE too"),
        (None, ("ueno2020-enc", *THEIRS), "rtl: give ueno2020-enc or --rtl, not both"),
        (None, (), "SPEC: is missing: a preset, a TOML file, the folder of a build, or --rtl FILE --top MODULE"),
        (None, ("--rtl", "strobe.v"), "rtl: give --top MODULE too"),
        (None, ("--rtl", "gone.v", "--top", "x"), "rtl: there is no file gone.v"),
        (None, ("--rtl", "include", "--top", "x"), "rtl: there is no Verilog in include"),
        (None, (*THEIRS, "-G", "W=x"), "-G: must be NAME=VALUE with a whole number, not W=x"),
        (None, (*THEIRS, "--ports", "gone.toml"), "gone.toml: cannot be read"),
        (None, (*THEIRS, "--ports", "wrong.toml"), "ports.clock: there is no port klc; the ports are"),
        (
            ("input  [127:0] key, do;", "input  [126:0] key, do;"),
            THEIRS,
            "ports.key.data: could not be guessed; write the ports down",
        ),
        (
            ("assign #`TD final = state;", "reg [127:0] held; always @* if (ld) held = state; assign final = held;"),
            THEIRS,
            "is a latch",
        ),
    ],
)
def test_what_is_wrong_is_told_by_name(  # noqa: PLR0917 - fixtures
    edit: tuple[str, str] | None,
    arguments: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(write_standin(tmp_path / "standin", *([edit] if edit else [])).parent)
    Path("wrong.toml").write_text(MAP.replace('"clk"', '"klc"'))
    assert run(["measure", *arguments]) == 2
    assert told in capsys.readouterr().err
