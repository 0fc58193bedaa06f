"""Who makes a claim: named so that others on the same machine can tell whether that process still lives."""

from __future__ import annotations

import hashlib
import os
import platform
import uuid
from functools import cache
from pathlib import Path


@cache
def machine() -> str:
    """16 hexadecimal digits for what shares process numbers: this boot of this machine or container.

    Empty where there is no `/proc`: there nothing can be told of other processes.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        numbers = os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
    return hashlib.sha256(f"{platform.node()}\0{boot}\0{numbers}".encode()).hexdigest()[:16]


def process(pid: int) -> str:
    """Number and start of a process: no other process ever has the same. Empty if it has ended, or cannot be seen."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # The program's name, in parentheses, may hold spaces and parentheses itself.
    state, *fields = text.rpartition(")")[2].split()
    return "" if state in "ZX" else f"{pid}.{fields[18]}"


def new_owner() -> str:
    """A name for something in this process that makes claims: machine, process, and 12 random digits."""
    return f"{machine()}:{process(os.getpid())}:{uuid.uuid4().hex[:12]}"


def has_ended(owner: str) -> bool:
    """Whether the process of an owner has surely ended: it ran on this machine, and there is no such process now."""
    where, _, rest = owner.partition(":")
    which, _, _ = rest.partition(":")
    return bool(where and which) and where == machine() and process(int(which.partition(".")[0])) != which
