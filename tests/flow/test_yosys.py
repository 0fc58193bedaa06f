"""A Yosys script runs in a process that may die; the caller gets an error with the reason, and no process is left."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from aesmith.errors import ToolError
from aesmith.flow.yosys import run_script, yosys_version
from aesmith.processes import Cancelled

# Not solvable in the time of a test: the product of two 40-bit factors.
ENDLESS = ["read_verilog endless.v", "hierarchy -top hard", "prep", "sat -verify -prove ok 1 hard"]
HARD = """module hard(input [39:0] a, b, output ok);
  wire [79:0] p = a * b;
  assign ok = p != 80'd604462909806215075725313 || a == 1 || b == 1;
endmodule
"""

_WAIT_S = 60.0


def _alive(marker: Path) -> list[int]:
    """Processes whose working directory is `marker`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if Path(os.readlink(entry / "cwd")) == marker:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def _gone(marker: Path) -> bool:
    deadline = time.monotonic() + _WAIT_S
    while time.monotonic() < deadline:
        if not _alive(marker):
            return True
        time.sleep(0.02)
    return False


def _begun(marker: Path) -> bool:
    """Whether a process came to work in a folder."""
    deadline = time.monotonic() + _WAIT_S
    while time.monotonic() < deadline:
        if _alive(marker):
            return True
        time.sleep(0.02)
    return False


def test_commands_run_in_order_in_the_folder_of_the_log(tmp_path: Path) -> None:
    (tmp_path / "a.v").write_text("module a(input x, output y); assign y = ~x; endmodule\n")
    seconds = run_script(["read_verilog a.v", "write_verilog b.v"], tmp_path / "run.log")
    assert "module a" in (tmp_path / "b.v").read_text()
    assert "read_verilog a.v" in (tmp_path / "run.ys").read_text()
    assert seconds > 0


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["no_such_command"], "No such command: no_such_command"),
        (["read_verilog missing.v"], "missing.v"),
        (["read_slang wrong.sv"], "use of undeclared identifier 'nowhere'"),
        (["read_verilog -sv wrong.sv", "check -assert"], "Found 1 problems"),
    ],
)
def test_the_error_has_the_reason_and_the_log(tmp_path: Path, lines: list[str], reason: str) -> None:
    (tmp_path / "wrong.sv").write_text("module wrong(output logic y); assign y = nowhere; endmodule\n")
    with pytest.raises(ToolError) as caught:
        run_script(lines, tmp_path / "run.log")
    assert reason in str(caught.value)
    assert str(tmp_path / "run.log") in str(caught.value)


def test_a_missing_wheel_is_an_error_that_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ToolError, match="pip install pyosys"):
        run_script(["help"], tmp_path / "run.log")


def test_a_run_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    (tmp_path / "endless.v").write_text(HARD)
    with pytest.raises(ToolError, match="stopped after 1 s"):
        run_script(ENDLESS, tmp_path / "run.log", timeout_s=1)
    assert _gone(tmp_path)


def test_a_cancelled_run_is_killed(tmp_path: Path) -> None:
    (tmp_path / "endless.v").write_text(HARD)
    cancel = threading.Event()

    def call_off() -> None:
        assert _begun(tmp_path)
        cancel.set()

    threading.Thread(target=call_off).start()
    with pytest.raises(Cancelled):
        run_script(ENDLESS, tmp_path / "run.log", cancel=cancel)
    assert _gone(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_a_caller_that_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "endless.v").write_text(HARD)
    program = (
        "import sys; from pathlib import Path; from aesmith.flow.yosys import run_script;"
        f"run_script({ENDLESS!r}, Path(sys.argv[1]) / 'run.log')"
    )
    caller = subprocess.Popen([sys.executable, "-c", program, str(work)], cwd=tmp_path, stderr=subprocess.DEVNULL)
    assert _begun(work)
    caller.send_signal(number)
    assert caller.wait(_WAIT_S) != 0
    assert _gone(work)


def test_the_version_is_the_wheels() -> None:
    assert yosys_version()[0].isdigit()
