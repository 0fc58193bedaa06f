"""`aesmith measure --power`, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.flow import measure as measuring
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import KEEP

CORE = "hamalainen2006-enc"
FIGURES = ("power_uw_at_100mhz", "glitch_fraction", "energy_pj_per_block", "power_latency_product")


@pytest.mark.slow
def test_power_is_measured_once_and_read_the_second_time(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(measuring.PLANS, Optimise.AREA, measuring.SynthesisPlan((KEEP,)))
    picture = tmp_path / "power.svg"
    command = ["measure", CORE, "--power", "--precision", "2", "--store", str(tmp_path / "s.sqlite")]
    assert run([*command, "--json", "--power-picture", str(picture)]) == 0
    values = json.loads(capsys.readouterr().out)
    assert all(list(values[figure]) == ["encrypt"] for figure in FIGURES)
    (power,) = values["power"]
    glitches = sum(share["glitch_uw"] for share in power["by_depth"])
    transitions = power["power_uw_at_100mhz"] - power["leakage_uw"]
    assert values["glitch_fraction"]["encrypt"] == pytest.approx(glitches / transitions, rel=1e-9)
    assert glitches > 0
    clocks = values["cycles_per_block"]
    assert values["energy_pj_per_block"]["encrypt"] == pytest.approx(power["power_uw_at_100mhz"] * clocks / 100)
    product = power["power_uw_at_100mhz"] * values["latency_ns"]
    assert values["power_latency_product"]["encrypt"] == pytest.approx(product)
    assert power["interval"] <= 0.02
    assert power["annotated_nets"] == power["nets"] > 1000
    modules = {share["name"] for share in power["by_module"]}
    assert {"sbox", "serial_hamalainen2006_sequencer", "serial_hamalainen2006_key_expansion", "registers"} <= modules
    drawn = picture.read_text()
    assert "by module" in drawn
    assert "logic by its depth" in drawn
    assert all(f">{kind}<" in drawn for kind in ("functional", "glitch", "leakage"))

    assert run(command) == 0
    printed = capsys.readouterr()
    assert "power was measured before" in printed.err
    assert f"{power['power_uw_at_100mhz']:,.1f} µW" in printed.out
    assert f"delays on {power['nets']} of {power['nets']} nets; results equal to AES" in printed.out
    assert "Power by module at 100 MHz, encrypt" in printed.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--clock", "50"), "power: the options for power need --power"),
        (("--zero-delay",), "power: the options for power need --power"),
        (("--power", "--stimulus", "listed"), "stimulus: 'listed' needs --blocks FILE"),
        (("--power", "--stimulus", "idle", "--blocks", "x"), "stimulus: with --blocks it is the list, not idle"),
        (("--power", "--blocks", "nosuch.txt"), "blocks: nosuch.txt cannot be read"),
        (("--power", "--clock", "0"), "clock_mhz: must be 0.001 to 100000, not 0"),
        (("--power", "--precision", "80"), "precision: must be 0.01 % to 50 %, not 80 %"),
        (("--power", "--power-picture", "nosuch/p.svg"), "power-picture: there is no folder nosuch"),
    ],
)
def test_a_wrong_request_is_refused_before_work(
    options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["measure", CORE, *options]) == 2
    assert words in capsys.readouterr().err
