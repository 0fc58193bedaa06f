"""Programs that aesmith starts: one way to start them, and one place that ends them.

Each gets a process group of its own. A Ctrl-C at the terminal reaches aesmith alone, which then ends the group and with
it what the program has started in turn: the compilers of `make`, the program behind Verilator's Perl script. On Linux
whoever loses its parent on the way becomes a child of the command line's process and ends with it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import resource
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aesmith.errors import ToolError

_POLL_S = 0.05
_TICK_S = 1.0
_END_S = 10.0
_GROUP_S = 2.0
_GROUP_POLL_S = 0.005
_QUERY_S = 60.0
_PR_SET_CHILD_SUBREAPER = 36
_LITTLE_BYTES = 1 << 16
_FULL = re.compile(r"No space left on device|Disk quota exceeded|File too large", re.IGNORECASE)

Command = Sequence[str | Path]


class Cancelled(Exception):  # noqa: N818 - it is an event, not an error
    """The work was called off by the caller's `cancel` event."""


@dataclass(frozen=True)
class Ended:
    """How a program ended: its exit status (minus the number of the signal that killed it), and the log it left."""

    status: int
    log: Path

    @property
    def said(self) -> str:
        """All that it wrote."""
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def started(
    command: Command, folder: Path, log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A program at work in `folder`, its output in `log`. However the body ends, it and all it has started end too.

    Raises ToolError if it cannot be started.
    """
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            if not folder.is_dir():
                raise
            reason = error.strerror or error
            raise ToolError(f"{Path(command[0]).name}: cannot be started ({reason})") from error
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _await_end(process.pid)


def _await_end(group: int) -> None:
    """Wait until no process of a killed group is left: a large one holds its folder and its memory for a while yet.

    Those that became this process's children are reaped; whoever adopts orphans elsewhere may leave them as zombies,
    so that the wait has an end.
    """
    deadline = time.monotonic() + _GROUP_S
    while time.monotonic() < deadline:
        with suppress(ChildProcessError):
            while os.waitpid(-group, os.WNOHANG)[0]:
                pass
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(_GROUP_POLL_S)


def run(
    command: Command,
    folder: Path,
    log: Path,
    *,
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    cancel: threading.Event | None = None,
    tick: Callable[[], None] | None = None,
) -> Ended:
    """Run a program to its end in `folder`, its output in `log`; `tick` is called about once a second meanwhile.

    Raises ToolError if it cannot be started, or fails for want of space on the disk; subprocess.TimeoutExpired after
    `timeout_s` seconds; Cancelled once `cancel` is set.
    """
    began = ticked = time.monotonic()
    with started(command, folder, log, environment) as process, _watched(process) as within:
        while not within(_POLL_S):
            if tick is not None and time.monotonic() - ticked >= _TICK_S:
                ticked = time.monotonic()
                tick()
            if cancel is not None and cancel.is_set():
                raise Cancelled
            if timeout_s is not None and time.monotonic() - began > timeout_s:
                raise subprocess.TimeoutExpired(str(command[0]), timeout_s)
        ended = Ended(process.wait(), log)
    if ended.status:
        check_space(Path(command[0]).name, ended)
    return ended


@contextmanager
def _watched(process: subprocess.Popen[bytes]) -> Iterator[Callable[[float], bool]]:
    """What waits for the end of a program, for some seconds at most, and says whether it has ended.

    Where the kernel has a handle for that, it wakes at once; Python's own wait looks again and again.
    """
    try:
        handle = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        handle = None
    ending = select.poll() if handle is not None else None

    def within(seconds: float) -> bool:
        if ending is not None:
            return bool(ending.poll(seconds * 1000))
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return process.returncode is not None

    if ending is not None and handle is not None:
        ending.register(handle, select.POLLIN)
    try:
        yield within
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def waiting_threads(count: int, cancel: threading.Event) -> Iterator[ThreadPoolExecutor]:
    """A pool of at most `count` threads that wait for programs. If the body raises, `cancel` is set, what has not begun
    never does, and what has begun is waited for.

    The executor alone does not do that. An interrupt while it starts a thread leaves this thread out of its list, and
    then nobody waits for it: it would write into a folder that is being removed. Such a thread is waited for by its
    name, for as long as a cancelled program may take to end, so that a thread that never ends holds nobody up.
    """
    name = f"aesmith-{uuid.uuid4().hex}"
    with ThreadPoolExecutor(count, thread_name_prefix=name) as pool:
        try:
            yield pool
        except BaseException:
            cancel.set()
            pool.shutdown(cancel_futures=True)
            deadline = time.monotonic() + _END_S
            while any(thread.name.startswith(name) for thread in threading.enumerate()):
                if time.monotonic() > deadline:
                    break
                time.sleep(_GROUP_POLL_S)
            raise


def query(command: Command) -> str:
    """What a program says of itself, such as its version. Raises ToolError if it does not answer."""
    try:
        asked = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_QUERY_S, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{Path(command[0]).name}: does not answer ({error})") from error
    return asked.stdout + asked.stderr


def check_space(program: str, ended: Ended) -> None:
    """Raise ToolError if the disk of the log is full, or a file beside it as large as files may be, or what failed says
    so: the log is often cut off then, and a program that reads half a file complains of what is in it."""
    largest, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if largest != resource.RLIM_INFINITY:
        for path, _, files in os.walk(ended.log.parent):
            for file in files:
                with suppress(OSError):
                    if os.lstat(os.path.join(path, file)).st_size >= largest:
                        raise ToolError(
                            f"{program}: {file} has the {largest:,} bytes that files may have; raise the limit on the "
                            "size of files (ulimit -f)"
                        )
    with suppress(OSError):
        disk = os.statvfs(ended.log.parent)
        full = disk.f_bavail * disk.f_frsize < _LITTLE_BYTES
        if full or (ended.status and _FULL.search(ended.said)):
            raise ToolError(
                f"{program}: there is no space left on the disk of {ended.log.parent}; free some, or set TMPDIR to a "
                f"folder on another disk (its log: {ended.log})"
            ) from OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def adopt_orphans() -> None:
    """Become the parent of every process below this one that loses its own, so that `end_children` finds it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_children() -> None:
    """End all processes below this one, and wait for them. Only for a process that is about to end itself."""
    deadline = time.monotonic() + _END_S
    while (living := children()) and time.monotonic() < deadline:
        for child in living:
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        for child in living:
            with suppress(OSError):
                os.waitpid(child, 0)


def children() -> list[int]:
    """The numbers of the processes that any thread of this one started; those of a child that ends become its own.

    Threads may end while this looks at them: what is not there any more has no children.
    """
    found: list[int] = []
    tasks = Path("/proc/self/task")
    with suppress(OSError):
        for thread in os.listdir(tasks):
            with suppress(OSError):
                found += map(int, (tasks / thread / "children").read_text().split())
    return found
