"""Calls a compiler, and keeps for the tests what it makes of Verilator's own library: one for all cores.

Verilator's makefiles put the command in `OBJCACHE` before the compiler's. What users start builds everything anew; the
tests that start it the same way need not.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from aesmith.cache import ENVIRONMENT

VERILATED = "verilated"
"""Of the cache, the folder that outlives a run."""


def object_cache() -> dict[str, str]:
    """The variables of the environment that make Verilator's makefiles call this."""
    return {"OBJCACHE": f"{sys.executable} {Path(__file__)}"}


def main(command: list[str]) -> int:
    """Run the compiler's command, or do without; returns its exit code."""
    source = Path(command[-1])
    if not source.name.startswith("verilated") or "-o" not in command:
        return subprocess.call(command)
    made = Path(command[command.index("-o") + 1])
    tools = (Path(shutil.which(command[0]) or command[0]), source.with_name("verilated.h"))
    stamps = [f"{path.resolve()} {path.stat().st_mtime_ns}" for path in tools]
    # The library includes nothing of the folders that a model names: they are others each time.
    asked = [word for word in command if not word.startswith("-I") or word.startswith(f"-I{source.parent}")]
    name = hashlib.sha256("\0".join([*asked, *stamps]).encode() + source.read_bytes()).hexdigest()
    kept = Path(os.environ[ENVIRONMENT]) / VERILATED / f"object-{name}"
    if kept.is_file():
        shutil.copyfile(kept, made)
        return 0
    code = subprocess.call(command)
    if code == 0:
        kept.parent.mkdir(parents=True, exist_ok=True)
        whole = kept.with_suffix(f".{os.getpid()}")
        shutil.copyfile(made, whole)
        whole.replace(kept)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
