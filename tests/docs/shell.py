"""A shell for the pages: `aesmith` runs in a fork of a process that has imported it, everything else in `sh`.

Importing what all verbs need takes longer than most commands of the pages. A fork has the command's own folder,
environment, output and exit status, and enters the command line where the installed program does.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

PROGRAM = "aesmith"
OTHERS = ("numba", "pandas", "scipy.optimize", "scipy.special")
"""What verbs import when they need it."""

_MORE_THAN_WORDS = re.compile(r"[|&;<>()$`*?]")


@dataclass(frozen=True)
class Ran:
    """What a command came to."""

    status: int
    out: str
    err: str


class Shell:
    """Runs command lines; what they print goes through files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._out, self._err = folder / "out", folder / "err"

    def __enter__(self) -> Self:
        command = [sys.executable, "-P", __file__]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.communicate()

    def run(self, command: str, here: Path, environment: Mapping[str, str]) -> Ran:
        """Runs a command line in a folder."""
        words = shlex.split(command)
        if words[0] != PROGRAM or _MORE_THAN_WORDS.search(command):
            return in_sh(command, here, environment)
        order = (words, str(here), dict(environment), str(self._out), str(self._err))
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(json.dumps(order), file=self._server.stdin, flush=True)
        status = int(self._server.stdout.readline())
        return Ran(status, self._out.read_text(encoding="utf-8"), self._err.read_text(encoding="utf-8"))


def in_sh(command: str, here: Path, environment: Mapping[str, str]) -> Ran:
    """Runs a command line as a reader does."""
    ran = subprocess.run(command, shell=True, cwd=here, env=environment, capture_output=True, text=True, check=False)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def serve() -> None:
    """Runs the orders of stdin, a line each, and answers each with its exit status."""
    cli = importlib.import_module("aesmith.cli")
    for verb in cli.VERBS.values():
        verb.load()
    for name in OTHERS:
        importlib.import_module(name)
    for order in sys.stdin:
        child = os.fork()
        if not child:
            sys.argv, here, environment, *files = json.loads(order)
            _become(here, environment, files)
            cli.main()
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(here: str, environment: Mapping[str, str], files: list[str]) -> None:
    """Takes over a command's folder, environment and output; of its Python path, what the server's has not."""
    os.chdir(here)
    os.environ.clear()
    os.environ.update(environment)
    sys.path += [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path not in sys.path]
    importlib.invalidate_caches()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, file in enumerate(files, start=1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)


if __name__ == "__main__":
    serve()
