"""What tools made and would make again the same: kept as files in the user's cache folder, for all processes.

A file's name is a digest of all that it was made from, so a file found is the right one, and one that nobody asks for
any more goes with time. The folder may be deleted at any moment.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aesmith.errors import RequestError
from aesmith.scratch import user_folder

ENVIRONMENT = "AESMITH_CACHE"
"""Environment variable: the cache folder; empty, nothing is kept."""

MOST_BYTES = 2 << 30
MOST_DAYS = 30.0
_IN_USE_SECONDS = 3600.0
_DAY_SECONDS = 86400.0


def default_folder() -> Path | None:
    """`$AESMITH_CACHE`, else `$XDG_CACHE_HOME/aesmith` (default: `~/.cache`). None if nothing is to be kept."""
    named = os.environ.get(ENVIRONMENT)
    if named is not None:
        return Path(named) if named else None
    try:
        return user_folder("XDG_CACHE_HOME", ".cache") / "aesmith"
    except RequestError:
        return None


def subfolder(name: str) -> Path | None:
    """The folder of one kind of kept files. None if nothing is to be kept."""
    folder = default_folder()
    return None if folder is None else folder / name


def digest(parts: Iterable[str]) -> str:
    """SHA-256 (hex) of the parts, their borders, and the kind of machine."""
    found = hashlib.sha256()
    for part in (platform.system(), platform.machine(), *parts):
        text = part.encode()
        found.update(len(text).to_bytes(8, "little") + text)
    return found.hexdigest()


@dataclass(frozen=True)
class Cache:
    """One kind of kept files. What cannot be written or read is not kept: no method fails for that.

    Files used longest ago are deleted from `most_bytes` on, and any after `most_days` without use; never one that was
    used within the hour, because somebody may be about to run it.
    """

    folder: Path | None
    most_bytes: int = MOST_BYTES
    most_days: float = MOST_DAYS

    def find(self, name: str) -> Path | None:
        """The kept file of this name, which counts as used now."""
        if self.folder is None:
            return None
        path = self.folder / name
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    def find_all(self, prefix: str) -> list[Path]:
        """The kept files whose names begin so."""
        if self.folder is None:
            return []
        found = (self.find(path.name) for path in sorted(self.folder.glob(f"{prefix}*")))
        return [path for path in found if path is not None]

    def keep(self, name: str, file: Path) -> Path:
        """Keep a copy of `file`, whole or not at all; returns it, or `file` itself if it cannot be kept."""

        def copy(new: str) -> None:
            shutil.copyfile(file, new)
            shutil.copymode(file, new)

        return self._place(name, copy) or file

    def keep_text(self, name: str, text: str) -> None:
        """Keep a text as a file, whole or not at all."""
        self._place(name, lambda new: Path(new).write_text(text, encoding="utf-8"))

    def _place(self, name: str, fill: Callable[[str], object]) -> Path | None:
        """A file of this name that `fill` writes under another; None if that could not be."""
        if self.folder is None:
            return None
        temporary = None
        try:
            handle, temporary = tempfile.mkstemp(dir=self._made(), prefix=".new-")
            os.close(handle)
            fill(temporary)
            os.replace(temporary, self.folder / name)
        except OSError:
            return None
        finally:
            # Gone already if it was kept; there if it could not be, or if somebody interrupts.
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
        self._prune()
        return self.folder / name

    @contextlib.contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Only one process at a time is in here with this name; the others wait. The lock ends with the process."""
        try:
            file = (self._made() / f".lock-{name[:2]}").open("w") if self.folder is not None else None
        except OSError:
            file = None
        if file is None:
            yield
            return
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _made(self) -> Path:
        assert self.folder is not None
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.folder

    def _prune(self) -> None:
        assert self.folder is not None
        now, size = time.time(), 0
        with contextlib.suppress(OSError):
            files = [(entry.stat(), Path(entry.path)) for entry in os.scandir(self.folder) if entry.is_file()]
            for status, path in sorted(files, key=lambda entry: -entry[0].st_mtime):
                unused = now - status.st_mtime
                size += status.st_size
                too_old = unused > self.most_days * _DAY_SECONDS
                too_many = size > self.most_bytes and unused > _IN_USE_SECONDS
                if (too_old or too_many) and not path.name.startswith(".lock-"):
                    path.unlink(missing_ok=True)
