"""`aesmith leakage`: exit status, table, JSON and picture, and requests that are refused before work starts."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.cores.specification import build_design, load_specification
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.technology.registry import library_by


def test_a_leak_is_status_1_with_a_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plot = tmp_path / "t.svg"
    assert run(["leakage", "masked-sbox", "--zero-fresh", "--traces", "2000", "--plot", str(plot), "--json"]) == 1
    printed = capsys.readouterr()
    value = json.loads(printed.out)
    assert value["verdict"] == "leak"
    assert value["strongest"]["class"] == "00"
    assert value["found_after"]["1"] == value["traces"] < 1000
    assert len(value["t"]["1"]["00"]) == 2
    assert len(value["t"]["1"]["00"][0]) == value["clocks"] * value["parts"]
    assert "fixed class 00 leaks at order 1" in json.loads(printed.err.splitlines()[-1])["error"]["message"]
    drawn = ET.parse(plot).getroot()
    words = [element.text for element in drawn.iter() if element.text]
    assert any("order 2, above the order of protection" in word for word in words)
    assert sum(element.tag.endswith("circle") for element in drawn.iter()) == 2 * 3 * value["clocks"]


def test_too_few_traces_are_status_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["leakage", "masked-sbox", "--traces", "600"]) == 4
    printed = capsys.readouterr()
    assert "too few traces in 768 traces of 5 clocks" in printed.out
    assert "above the order of protection, not judged" in printed.out
    assert "of 2,000 at least" in printed.err


@pytest.mark.thorough
def test_a_mapped_netlist_is_assessed_and_a_wrong_one_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The netlist may be Verilog; one in which a gate is exchanged computes wrongly."""
    design = build_design(load_specification("ueno2020-enc"), "ueno2020_enc", "ueno2020-enc")
    mapped = synthesise(design, library_by("generic45"), KEEP, None, tmp_path / "synthesis")
    arguments = ["leakage", "ueno2020-enc", "--traces", "1000", "--netlist"]
    assert run([*arguments, str(mapped.netlist)]) == 1
    assert "leaks at order 1" in capsys.readouterr().err
    wrong = tmp_path / "wrong.v"
    wrong.write_text(mapped.netlist.read_text().replace("XOR2_X1", "XNOR2_X1", 1))
    assert run([*arguments, str(wrong)]) == 1
    assert "of 64 blocks wrong" in capsys.readouterr().err


@pytest.mark.thorough
def test_an_unprotected_core_loses_its_key_by_correlation(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plot = tmp_path / "ranks.svg"
    arguments = ["leakage", "serial-shared-enc", "--attack", "--traces", "4096", "--plot", str(plot), "--json"]
    assert run(arguments) == 1
    printed = capsys.readouterr()
    value = json.loads(printed.out)
    assert value["found"] >= 8
    assert min(count for count in value["found_after"] if count is not None) <= 512
    assert value["looks"] == [256, 512, 1024, 2048, 4096]
    assert "key bytes are found" in json.loads(printed.err.splitlines()[-1])["error"]["message"]
    drawn = ET.parse(plot).getroot()
    assert sum(element.tag.endswith("circle") for element in drawn.iter()) == 16 * 5


@pytest.mark.thorough
@pytest.mark.one_in(3)
@pytest.mark.slow
def test_a_masked_core_does_not_in_as_many_traces(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["leakage", "masked-round-enc", "--attack", "--traces", "4096", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["found"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("masked-sbox", "--attack"), "attack: it is of cores, with random blocks, and has no use for masked-sbox"),
        (("ueno2020-enc", "--attack", "--all-traces"), "has no use for --all-traces"),
        (("ueno2020-enc", "--order", "2"), "order: --order and --sbox-clocks are of masked-sbox"),
        (("masked-sbox", "--key", "00"), "masked-sbox: has no key"),
        (("masked-sbox", "--fixed", "0g"), "fixed: must be bytes in hexadecimal, not '0g'"),
        (("masked-sbox", "--netlist", "x.v"), "netlist: of cores only"),
        (("masked-sbox", "--parts", "2000"), "parts: must be 1 to 1000, not 2000"),
        (("ueno2020-enc", "--netlist", "absent.v"), "netlist: absent.v is not there"),
        (("ueno2020-en",), "did you mean"),
        (("gcm-10g",), "leakage: of cores only"),
        (("masked-sbox", "--plot", "absent/t.svg"), "absent"),
    ],
)
def test_impossible_requests_are_refused(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(["leakage", *arguments]) == 2
    assert message in capsys.readouterr().err
