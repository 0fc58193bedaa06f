"""Claims: of several processes that want the same result, one finds it and the others wait for it.

A claim is named after its owner, so that others on the same machine can tell whether that process still lives. It is
renewed while its owner works, and lapses soon after the owner has died.
"""

from __future__ import annotations

import hashlib
import os
import platform
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from aesmith.errors import ToolError
from aesmith.processes import Cancelled

_T = TypeVar("_T")

LEASE_S = 60.0
_POLL_S = 0.5


class Claims(Protocol):
    """Where claims are kept: a result store, or what stands for one."""

    def claim(self, key: str, lease_s: float = LEASE_S) -> bool:
        """Whether the claim is one's own now, for `lease_s` seconds; one's own is renewed."""
        ...

    def release(self, key: str) -> None:
        """Give up a claim of one's own."""
        ...


@contextmanager
def found_or_claimed(
    claims: Claims,
    key: str,
    look: Callable[[], _T | None],
    *,
    waiting: Callable[[], None] | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[_T | None]:
    """What `look` sees; or None, and then `key` is claimed while the body runs, which finds the result and keeps it.

    While another process has the claim, this one waits, says so by `waiting`, and looks again; if that process dies,
    this one gets the claim. Raises what the functions and the store raise, and Cancelled if `cancel` is set while it
    waits.
    """
    stop = cancel or threading.Event()
    known = look()
    while known is None and not claims.claim(key):
        if waiting is not None:
            waiting()
        if stop.wait(_POLL_S):
            raise Cancelled("the work was cancelled")
        known = look()
    if known is not None:
        yield known
        return
    with held(claims, key):
        yield look()  # the other process may have finished between our look and our claim


def found_once(
    claims: Claims,
    key: str,
    look: Callable[[], _T | None],
    find: Callable[[], _T],
    *,
    cancel: threading.Event | None = None,
) -> tuple[_T, bool]:
    """What `look` sees, or else what `find` finds and keeps, `key` claimed meanwhile; and whether it was there.

    Waits and raises as `found_or_claimed` does.
    """
    with found_or_claimed(claims, key, look, cancel=cancel) as known:
        return (find(), False) if known is None else (known, True)


@contextmanager
def held(claims: Claims, key: str) -> Iterator[None]:
    """Renew a claim while the body runs; give it up afterwards."""
    done = threading.Event()

    def renew() -> None:
        while not done.wait(LEASE_S / 3):
            try:
                claims.claim(key)
            except ToolError:  # locked for a moment; if it stays so, keeping the result says it
                continue

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        claims.release(key)


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
