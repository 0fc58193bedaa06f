"""Where a command works, and how it writes: folders for the time of the work, files that appear as a whole.

A folder holds a file with a lock, which ends with the process that made it, in whatever way that ends. So the next
command knows which folders nobody is using any more, and removes them.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aesmith.errors import EXHAUSTED, AesmithError, RequestError, ToolError, explained

_PREFIX, _MARK = "aesmith-", ".aesmith-in-use"
_LEFT_S, _KEPT_S = 600.0, 7 * 86400.0


@contextmanager
def work_folder(purpose: str = "") -> Iterator[Path]:
    """A folder for intermediate files, gone afterwards, but kept for a week if an error's message names a file in it.

    Raises ToolError if it cannot be made, or can no longer be written or read; then, too, it is gone.
    """
    named = os.environ.get("TMPDIR")
    try:
        # Python passes over a TMPDIR that cannot be used, and takes another folder without a word.
        parent = Path(named or tempfile.gettempdir()).resolve()
        prune(parent)
        folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose and purpose + '-'}", dir=parent))
        # Without a buffer: on a full disk its contents would fail again when the file is closed.
        mark = (folder / _MARK).open("wb", buffering=0)
    except OSError as error:
        where = f"temporary folder: cannot be made{' in ' * bool(named)}{named or ''}"
        raise ToolError(f"{where} ({error.strerror or error}); set TMPDIR to another") from error
    kept = False
    with mark:
        try:
            fcntl.flock(mark, fcntl.LOCK_EX)
            yield folder
        except AesmithError as error:
            files = re.findall(rf"{re.escape(str(folder))}[^\s,;:()'\"]*", str(error))
            kept = any(Path(name.rstrip(".")).is_file() for name in files)
            if kept:
                with suppress(OSError):
                    mark.write(b"kept")
            raise
        except OSError as error:
            if error.errno not in EXHAUSTED and not str(error.filename).startswith(str(folder)):
                raise
            what = f"temporary folder {folder}: the work there cannot go on"
            raise ToolError(f"{what} ({error.strerror or error}); set TMPDIR to a folder on another disk") from error
        finally:
            if not kept:
                shutil.rmtree(folder, ignore_errors=True)


def prune(parent: Path) -> None:
    """Remove work folders in `parent` that were left: by a process that was killed, or kept more than a week ago."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                _prune(Path(entry.path))


def _prune(folder: Path) -> None:
    with suppress(OSError), (folder / _MARK).open(encoding="ascii") as mark:
        status = os.fstat(mark.fileno())
        if status.st_uid != os.geteuid() or time.time() - status.st_mtime < (_KEPT_S if mark.read() else _LEFT_S):
            return
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)


def write_whole(path: Path, content: str | bytes, what: str) -> None:
    """Write a file beside its place and put it there in one step, so that nobody ever reads half of it.

    A link is followed; what is no ordinary file (/dev/stdout) is written to as it is. Raises RequestError that begins
    with `what` if the file cannot be written, ToolError if the disk is full.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        _write_whole(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise explained(error, f"{what}: {path} cannot be written") from error


def check_place(path: Path | None, what: str) -> None:
    """Raise RequestError that begins with `what`, before any work, if a file cannot be written to this path."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        reason = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise RequestError(f"{what}: {path} cannot be written ({reason})")


def _write_whole(target: Path, data: bytes) -> None:
    if target.exists() and (not target.is_file() or not os.access(target, os.W_OK)):
        with target.open("wb") as file:
            file.write(data)
        return
    beside = target.with_name(f".aesmith-{os.urandom(6).hex()}")
    try:
        with beside.open("xb") as file:
            file.write(data)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def user_folder(variable: str, default: str) -> Path:
    """The folder that an XDG variable names, else `default` in the user's home. Raises RequestError without a home."""
    if named := os.environ.get(variable):
        return Path(named)
    home = Path(os.path.expanduser("~"))
    if not home.is_absolute():
        raise RequestError(f"home: this user has no home folder; set HOME, or {variable}")
    return home / default


def expanded(path: str | Path) -> Path:
    """The path with `~` or `~NAME` as the home folder it stands for. Raises RequestError if nobody has that name."""
    found = os.path.expanduser(path)
    if found.startswith("~"):
        raise RequestError(f"{found}: there is no user {found.partition('/')[0][1:] or 'with a home folder'}")
    return Path(found)


def absolute(path: str | Path) -> Path:
    """The path as `expanded` gives it, from the root on, without links. Raises RequestError for links in a circle."""
    try:
        return expanded(path).resolve()
    except RuntimeError as error:
        raise RequestError(f"{path}: is a link that leads back to itself") from error
