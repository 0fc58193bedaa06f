"""Measure through the store: what is known is read, what is not is measured once and kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.errors import ToolError
from aesmith.explore.store import LEASE_S, Store
from aesmith.flow.measure import Plan, Progress, measure, measurement_key
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.yosys import Cancelled
from aesmith.technology.library import Library

_POLL_S = 0.5


@dataclass(frozen=True)
class Obtained:
    """A measurement, and whether it was in the store."""

    measurement: Measurement
    from_store: bool


def obtain(
    design: Design,
    library: Library,
    optimise: Optimise,
    work_dir: Path,
    store: Store | None,
    *,
    plan: Plan | None = None,
    refresh: bool = False,
    progress: Progress | None = None,
    jobs: int | None = None,
    cancel: threading.Event | None = None,
) -> Obtained:
    """The measurement of `design`, from the store if it is there and not to be refreshed; `plan` as in `measure`.

    While another process measures the same, this one waits for its result; if that process dies, this one measures.
    Raises what `measure` and the store raise.
    """
    key = measurement_key(design, library, optimise, plan)

    def find() -> Measurement:
        return measure(design, library, optimise, work_dir, plan=plan, progress=progress, jobs=jobs, cancel=cancel)

    def waiting(what: str) -> None:
        if progress is not None:
            progress(what, 0, 1)

    return once(key, library, find, store, refresh=refresh, waiting=waiting, cancel=cancel)


def once(
    key: str,
    library: Library,
    find: Callable[[], Measurement],
    store: Store | None,
    *,
    refresh: bool = False,
    waiting: Callable[[str], None] | None = None,
    cancel: threading.Event | None = None,
) -> Obtained:
    """What the store has under `key`, or else what `find` finds, kept under it and claimed meanwhile.

    `waiting` is told while another process has the claim. Raises what `find` and the store raise, and Cancelled.
    """
    if store is None:
        return Obtained(find(), False)
    stop = cancel or threading.Event()
    while True:
        known = None if refresh else store.get(key)
        if known is not None:
            # The key knows a library by its contents: it may go by another name here.
            return Obtained(replace(known, library=library.name), True)
        if store.claim(key):
            break
        if waiting is not None:
            waiting("another process is measuring this: waiting")
        if stop.wait(_POLL_S):
            raise Cancelled("measuring was cancelled")
    with held(store, key):
        known = None if refresh else store.get(key)
        if known is not None:  # the other process finished between our look and our claim
            return Obtained(replace(known, library=library.name), True)
        measurement = find()
        store.put(key, measurement)
    return Obtained(measurement, False)


@contextmanager
def held(store: Store, key: str) -> Iterator[None]:
    """Renew a claim while the body runs; give it up afterwards."""
    done = threading.Event()

    def renew() -> None:
        while not done.wait(LEASE_S / 3):
            try:
                store.claim(key)
            except ToolError:  # locked for a moment; if it stays so, putting the measurement says it
                continue

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        store.release(key)
