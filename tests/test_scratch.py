"""Work folders go, whatever happens, but for one that an error's message names; files appear as a whole or not."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aesmith import scratch
from aesmith.errors import RequestError, ToolError
from aesmith.scratch import prune, user_folder, work_folder, write_whole


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of this test."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def failing(error: BaseException) -> None:
    with work_folder() as folder:
        (folder / "log").write_text("what happened")
        error.args = tuple(str(argument).format(folder=folder) for argument in error.args)
        raise error


@pytest.mark.parametrize("error", [ValueError("x"), ToolError("g++: broke"), KeyboardInterrupt(), SystemExit(143)])
def test_a_folder_goes_with_the_work(here: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        failing(error)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("kind", [ToolError, RequestError])
def test_a_folder_whose_log_is_named_is_kept(here: Path, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        failing(kind("g++: broke; its log is {folder}/log"))
    assert Path(str(caught.value).rpartition(" ")[2]).read_text() == "what happened"
    prune(here)
    assert len(list(here.iterdir())) == 1


def test_a_folder_of_which_nothing_is_left_but_its_name_goes(here: Path) -> None:
    with pytest.raises(ToolError):
        failing(ToolError("temporary folder {folder}/aesmith-inner: the work there cannot go on"))
    assert list(here.iterdir()) == []


def test_an_error_goes_through_though_the_folder_cannot_be_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk not even the mark can be written; who closes its file must not hear of it."""
    monkeypatch.setattr(scratch, "_MARK", "/dev/full")
    with pytest.raises(ToolError, match=r"g\+\+: broke"):
        failing(ToolError("g++: broke; its log is {folder}/log"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EMFILE])
def test_a_machine_that_cannot_go_on_is_the_reason_given(here: Path, number: int) -> None:
    error = OSError(number, os.strerror(number))
    with pytest.raises(ToolError, match=f"the work there cannot go on \\({os.strerror(number)}\\); set TMPDIR"):
        failing_with_errno(error)
    assert list(here.iterdir()) == []


def failing_with_errno(error: OSError) -> None:
    with work_folder():
        raise error


def test_a_folder_that_is_taken_away_is_the_reason_given() -> None:
    with pytest.raises(ToolError, match="the work there cannot go on \\(No such file or directory\\)"):
        taken_away()


def taken_away() -> None:
    with work_folder() as folder:
        (folder / ".aesmith-in-use").unlink()
        folder.rmdir()
        (folder / "netlist.v").write_text("module")


def test_a_file_of_the_request_is_no_matter_of_the_work_folder() -> None:
    with pytest.raises(FileNotFoundError):
        failing_with_errno(FileNotFoundError(errno.ENOENT, "No such file", "/mine"))


def test_a_temporary_folder_that_will_not_do_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/dev/null/tmp")
    with pytest.raises(
        ToolError, match=r"temporary folder: cannot be made in /dev/null/tmp \(Not a directory\); set TMPDIR"
    ):
        work_folder().__enter__()


def age(folder: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(folder / ".aesmith-in-use", (then, then))


def test_what_a_killed_process_left_is_removed_and_what_is_in_use_is_not(here: Path) -> None:
    program = (
        "import os; from aesmith.scratch import work_folder;"
        "work = work_folder('dead'); print(work.__enter__(), flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True,
                            text=True, check=False, env={**os.environ, "TMPDIR": str(here)})  # fmt: skip
    left = Path(killed.stdout.strip())
    assert left.is_dir()
    (here / "aesmith-results").mkdir()  # a folder of the user's
    with work_folder("live") as live:
        age(live, 1e6)
        prune(here)
        assert left.is_dir()  # too young: it could be about to be locked
        age(left, 1e4)
        prune(here)
        assert not left.exists()
        assert live.is_dir()
    assert [path.name for path in here.iterdir()] == ["aesmith-results"]


def test_a_folder_that_was_kept_goes_after_a_week(here: Path) -> None:
    with pytest.raises(ToolError):
        failing(ToolError("{folder}/log"))
    kept = next(here.iterdir())
    for days, there in ((6, True), (8, False)):
        age(kept, days * 86400)
        prune(here)
        assert kept.exists() == there


def test_a_file_is_written_whole_or_not_at_all(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = here / "report.html"
    target.write_text("old")
    target.chmod(0o640)
    write_whole(target, "new", "out")
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o640)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(scratch.shutil, "copymode", full)
    with pytest.raises(ToolError, match=r"report.html cannot be written \(No space left on device\); free some"):
        write_whole(target, "newer", "out")
    assert [(path.name, path.read_text()) for path in here.iterdir()] == [("report.html", "new")]


def test_links_are_followed_and_devices_written_to(here: Path) -> None:
    (here / "link").symlink_to(here / "target")
    write_whole(here / "link", b"text", "out")
    assert (here / "link").is_symlink()
    assert (here / "target").read_bytes() == b"text"
    write_whole(Path("/dev/null"), "text", "out")
    with pytest.raises(ToolError, match="out: /dev/full cannot be written \\(No space left on device\\)"):
        write_whole(Path("/dev/full"), "text", "out")
    for path, reason in (
        (here, "Is a directory"),
        (here / "no" / "where", "No such file or directory"),
        (here / "target" / "below", "Not a directory"),
        (Path("/proc/aesmith"), "No such file or directory"),
        (here / ("x" * 300), "File name too long"),
    ):
        with pytest.raises(RequestError, match=f"cannot be written \\({reason}\\)"):
            write_whole(path, "text", "out")


def test_without_a_home_the_variable_to_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(RequestError, match="home: this user has no home folder; set HOME, or XDG_DATA_HOME"):
        user_folder("XDG_DATA_HOME", ".local/share")
