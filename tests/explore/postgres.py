"""A PostgreSQL server of a test's own: Debian's package, data in a folder that goes away, reached by a socket in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_FAST = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c listen_addresses="
_USER = "postgres"


def programs() -> Path:
    """The folder of `initdb` and `pg_ctl`; skips the test where they are not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: int(path.parts[-3]))
    if not found:
        pytest.skip("needs the Debian package postgresql: apt install postgresql")
    return found[-1].parent


def _somebody(folder: Path) -> list[str]:
    """What root puts before a command so that it is not root, which the server refuses to be, and owns `folder`.

    The package's own user where that can use /dev/null, which is not so in every container; else a namespace in which
    root is called otherwise.
    """
    runuser, namespace = ["runuser", "-u", _USER, "--"], ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    for choice in (runuser, namespace):
        try:
            ran = subprocess.run([*choice, "sh", "-c", ": > /dev/null"], capture_output=True, check=False)
        except FileNotFoundError:
            continue
        if ran.returncode == 0:
            if choice is runuser:
                shutil.chown(folder, _USER, _USER)
            return choice
    pytest.skip("runs as root, and can run the server neither as its own user nor in a user namespace")


@contextmanager
def server() -> Iterator[str]:
    """The URL of an empty database of a server that runs while the body does."""
    binaries = programs()
    folder = Path(tempfile.mkdtemp(prefix="aesmith-pg-"))
    as_user = _somebody(folder) if os.geteuid() == 0 else []

    def call(*command: str) -> None:
        ran = subprocess.run([*as_user, *command], cwd=folder, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{command}: {ran.stdout}{ran.stderr}"

    data = str(folder / "data")
    try:
        call(str(binaries / "initdb"), "-D", data, "-U", "tester", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
        control = (str(binaries / "pg_ctl"), "-D", data, "-w", "-s")
        call(*control, "-l", str(folder / "log"), "-o", f"-k {folder} {_FAST}", "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            call(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
