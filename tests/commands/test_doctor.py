"""`aesmith doctor` looks for each tool where the verbs look, and says how to get it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from aesmith.cli import VERBS, run
from aesmith.commands.doctor import TOOLS


def examined(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, object]], str]:
    capsys.readouterr()
    status = run(["doctor", "--json"])
    out, err = capsys.readouterr()
    return status, {tool["name"]: tool for tool in json.loads(out)["tools"]}, err


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_a_machine_that_runs_the_tests_has_all_that_the_verbs_need(capsys: pytest.CaptureFixture[str]) -> None:
    status, tools, err = examined(capsys)
    assert (status, err) == (0, "")
    assert all(tool["there"] for tool in tools.values() if not tool["optional"])
    assert all(tools[name]["version"] for name in ("python", "pyosys", "verilator", "g++", "make", "perl"))


def test_a_missing_program_is_named_with_who_needs_it_and_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    status, tools, err = examined(capsys)
    assert status == 3
    assert tools["g++"]["there"] is False
    message = json.loads(err)["error"]["message"]
    assert "g++ (needed by verify, build --verify, demo): apt install g++" in message
    assert "iverilog" not in message, "only tests need it"


def test_a_missing_wheel_is_named_too(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "pyosys" else find(name))
    status, tools, err = examined(capsys)
    assert (status, tools["pyosys"]["there"]) == (3, False)
    assert "pip install pyosys" in err


def test_a_library_whose_file_is_gone_is_named(capsys: pytest.CaptureFixture[str], configuration: Path) -> None:
    (configuration / "config" / "aesmith").mkdir(parents=True)
    gone = json.dumps({"mine": str(configuration / "gone.lib")})
    (configuration / "config" / "aesmith" / "libraries.json").write_text(gone)
    status, _, err = examined(capsys)
    assert status == 3
    assert "library mine" in err


def test_what_needs_a_tool_is_a_verb() -> None:
    named = {part.split()[0] for tool in TOOLS if not tool.optional for part in tool.needed_by.split(", ")}
    assert {"build", "measure", "explore", "verify"} <= named
    assert named - VERBS.keys() == {"everything", "Parquet"}
