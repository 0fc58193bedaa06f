"""A program ends with the call that started it, and with it everything that it has started in turn."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import aesmith
from aesmith.errors import ToolError
from aesmith.flow.yosys import run_script
from aesmith.processes import Cancelled, check_space, children, query, run, started, waiting_threads

FAMILY = "sleep 60 & echo $! > grandchild; sleep 60 & wait"
"""A program that starts two others, as make starts compilers."""


def ended(pid: int) -> bool:
    """Whether a process is gone, or only waited for by whoever adopts orphans here."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def read_when_there(file: Path) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists() and file.read_text().strip():
            return int(file.read_text())
        time.sleep(0.02)
    raise AssertionError(f"{file} was not written")


def test_a_program_runs_in_its_folder_and_leaves_its_words(tmp_path: Path) -> None:
    done = run(["sh", "-c", "pwd; echo wrong >&2; exit 3"], tmp_path, tmp_path / "log")
    assert (done.status, done.said) == (3, f"{tmp_path.resolve()}\nwrong\n")


def test_all_that_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    with started(["sh", "-c", FAMILY], tmp_path, tmp_path / "log") as process:
        grandchild = read_when_there(tmp_path / "grandchild")
    assert process.returncode == -signal.SIGKILL
    assert ended(grandchild)


LARGE = (
    "import mmap, time; m = mmap.mmap(-1, 400 << 20); m[:: 4096] = bytes(102400); open('grandchild', 'w').write('1')"
)


def test_a_large_program_has_ended_when_the_call_returns(tmp_path: Path) -> None:
    """It takes the kernel a while to end a process of much memory; until then it has its folder and its files."""
    script = f'{sys.executable} -c "{LARGE}; time.sleep(60)" & wait'
    with started(["sh", "-c", script], tmp_path, tmp_path / "log") as process:
        read_when_there(tmp_path / "grandchild")
    living = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit() and group_of(entry) == process.pid]
    assert not living


def group_of(process: Path) -> int | None:
    """The process group of a process that has not ended."""
    try:
        state, _, group = (process / "stat").read_text().rpartition(")")[2].split()[:3]
    except OSError:
        return None
    return int(group) if state != "Z" else None


def test_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands still until all that the program starts is there."""
    there = tmp_path / "grandchild"

    def clock() -> float:
        return time.monotonic() if there.exists() and there.read_text().strip() else 0.0

    monkeypatch.setattr("aesmith.processes.time", SimpleNamespace(monotonic=clock, sleep=time.sleep))
    with pytest.raises(subprocess.TimeoutExpired):
        run(["sh", "-c", FAMILY], tmp_path, tmp_path / "log", timeout_s=0.001)
    assert ended(read_when_there(there))


def test_who_waits_for_a_program_can_look_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aesmith.processes._TICK_S", 0.0)
    looks: list[bool] = []

    def look() -> None:
        looks.append((tmp_path / "seen").exists())
        (tmp_path / "seen").touch()

    waits = f"while [ ! -e {tmp_path}/seen ]; do sleep 0.01; done; sleep 0.3"
    assert run(["sh", "-c", waits], tmp_path, tmp_path / "log", tick=look).status == 0
    assert looks[0] is False
    assert looks[-1] is True


def test_work_is_called_off(tmp_path: Path) -> None:
    cancel = threading.Event()

    def call_off() -> None:
        read_when_there(tmp_path / "grandchild")
        cancel.set()

    threading.Thread(target=call_off).start()
    with pytest.raises(Cancelled):
        run(["sh", "-c", FAMILY], tmp_path, tmp_path / "log", cancel=cancel)
    assert ended(read_when_there(tmp_path / "grandchild"))


def test_a_thread_is_waited_for_though_the_interrupt_came_while_it_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, cancel = threading.Event(), threading.Event()
    ended = []
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        begun.wait()
        raise KeyboardInterrupt

    def work() -> None:
        begun.set()
        cancel.wait()
        time.sleep(0.1)
        ended.append("work")

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), waiting_threads(2, cancel) as pool:
        pool.submit(work)
    assert ended == ["work"]


def test_an_interrupt_cancels_what_has_not_begun() -> None:
    cancel, ended = threading.Event(), []

    def work(number: int) -> None:
        cancel.wait()
        ended.append(number)

    def interrupted() -> None:
        with waiting_threads(1, cancel) as pool:
            for number in range(3):
                pool.submit(work, number)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert cancel.is_set()
    assert ended in ([], [0])


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no-such-tool: cannot be started"):
        run(["/no/where/no-such-tool"], tmp_path, tmp_path / "log")
    with pytest.raises(ToolError, match="no-such-tool: does not answer"):
        query(["/no/where/no-such-tool", "--version"])


@pytest.mark.parametrize("said", ["cc1: fatal error: No space left on device", "write failed: Disk quota exceeded"])
def test_a_full_disk_is_the_reason_given(tmp_path: Path, said: str) -> None:
    log = tmp_path / "log"
    with pytest.raises(ToolError, match=f"make: there is no space left on the disk of .* set TMPDIR .*{log}"):
        run([_named(tmp_path, "make", f"echo '{said}'; exit 1")], tmp_path, log)
    assert said in log.read_text()


def test_a_full_disk_is_seen_though_the_program_ended_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Yosys ends with status 0 after half a netlist."""
    monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_bavail=0, f_frsize=4096))
    with pytest.raises(ToolError, match="yosys: there is no space left on the disk of"):
        run_script(["read_verilog /dev/null"], tmp_path / "log")


@pytest.mark.parametrize("status", [0, 1])
def test_a_file_that_may_not_grow_is_the_reason_given(
    tmp_path: Path, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What reads half a file complains of what is in it, if it complains."""
    monkeypatch.setattr("resource.getrlimit", lambda _: (1 << 16, 1 << 16))
    script = f"head -c 65536 /dev/zero > half; echo 'half: Syntax error'; exit {status}"
    with pytest.raises(ToolError, match=r"make: half has the 65,536 bytes that files may have; .* \(ulimit -f\)"):
        check_space("make", run([_named(tmp_path, "make", script)], tmp_path, tmp_path / "log"))


def _named(folder: Path, name: str, script: str) -> Path:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def aesmith_with(folder: Path, module: str, text: str, *arguments: str) -> subprocess.Popen[str]:
    """The program `aesmith`, with a module of its own that is imported before the one of that name."""
    (folder / f"{module}.py").write_text(text)
    source = str(Path(aesmith.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), source))}
    command = [sys.executable, "-m", "aesmith", *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_during_imports_gives_no_traceback(tmp_path: Path, number: int, status: int) -> None:
    program = aesmith_with(tmp_path, "typer", f"import os\nos.kill(os.getpid(), {number:d})\n", "list", "cores")
    assert (program.communicate()[1], program.returncode) == ("", status)


LOSES = """
import os, subprocess, sys, time
from pathlib import Path
# A tool that leaves its group, and whose parent ends: nothing that aesmith started by itself.
subprocess.run(["sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & echo $! > {pid}"], check=True)
Path("{ready}").touch()
{then}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux only")
@pytest.mark.parametrize(
    ("then", "number", "status", "told"),
    [
        ("time.sleep(60)", signal.SIGTERM, 143, ""),
        ("time.sleep(60)", signal.SIGINT, 130, "aesmith: interrupted; nothing was left half-written\n"),
        ("raise KeyError('a fault')", None, 3, "KeyError('a fault'): this is a fault of aesmith itself"),
    ],
)
def test_no_process_outlives_the_command_line(
    tmp_path: Path, then: str, number: signal.Signals | None, status: int, told: str
) -> None:
    # In the place of a verb's module, which is imported when the verb is called.
    text = LOSES.format(pid=tmp_path / "pid", ready=tmp_path / "ready", then=then)
    program = aesmith_with(tmp_path, "sitecustomize", _STANDIN.format(text=text), "report")
    orphan = read_when_there(tmp_path / "pid")
    while number is not None and not (tmp_path / "ready").exists():
        time.sleep(0.02)
    if number is not None:
        program.send_signal(number)
    _, err = program.communicate(timeout=60)
    assert program.returncode == status, err
    assert told in err
    assert ("Traceback" in err) == (number is None)
    assert ended(orphan)


_STANDIN = """
import sys, types
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "aesmith.commands.explore_results":
            import importlib.util
            return importlib.util.spec_from_loader(name, self)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile({text!r}, 'report.py', 'exec'), module.__dict__)
sys.meta_path.insert(0, Finder())
"""


def test_children_are_found_though_a_thread_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends between the list of threads and the look at its own: that once ended the whole run of the tests."""
    ended = threading.Thread(target=lambda: None)
    ended.start()
    ended.join()
    listed = os.listdir

    def before_it_ended(path: Path) -> list[str]:
        return [str(ended.native_id), *listed(path)] if path.name == "task" else listed(path)

    monkeypatch.setattr(os, "listdir", before_it_ended)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert child.pid in children()
    child.communicate(b"\n")
    assert child.pid not in children()


OF_A_SUITE = """
from pathlib import Path
from aesmith.processes import run

def test_it():
    run(["sh", "-c", "sleep 100 & echo $! > sleeper; wait"], Path({folder!r}), Path({folder!r}, "log"))
"""


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_test_run_that_is_ended_leaves_no_program_behind(workers: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(OF_A_SUITE.format(folder=str(tmp_path)))
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-n", workers]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    sleeper = tmp_path / "sleeper"
    with subprocess.Popen([*command, "test_it.py"], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as suite:
        while not (sleeper.is_file() and sleeper.read_text()):
            assert suite.poll() is None
            time.sleep(0.05)
        suite.terminate()
    assert ended(int(sleeper.read_text()))
