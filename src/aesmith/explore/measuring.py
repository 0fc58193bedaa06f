"""Measure through the store: what is known is read, what is not is measured once and kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.errors import ToolError
from aesmith.explore.store import LEASE_S, Store
from aesmith.flow.measure import Progress, measure, measurement_key
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
    refresh: bool = False,
    progress: Progress | None = None,
    jobs: int | None = None,
    cancel: threading.Event | None = None,
) -> Obtained:
    """The measurement of `design`, from the store if it is there and not to be refreshed.

    While another process measures the same, this one waits for its result; if that process dies, this one measures.
    Raises what `measure` and the store raise.
    """
    if store is None:
        return Obtained(
            measure(design, library, optimise, work_dir, progress=progress, jobs=jobs, cancel=cancel), False
        )
    key = measurement_key(design, library, optimise)
    stop = cancel or threading.Event()
    while True:
        known = None if refresh else store.get(key)
        if known is not None:
            # The key knows a library by its contents: it may go by another name here.
            return Obtained(replace(known, library=library.name), True)
        if store.claim(key):
            break
        if progress is not None:
            progress("another process is measuring this: waiting", 0, 1)
        if stop.wait(_POLL_S):
            raise Cancelled("measuring was cancelled")
    with _held(store, key):
        known = None if refresh else store.get(key)
        if known is not None:  # the other process finished between our look and our claim
            return Obtained(replace(known, library=library.name), True)
        measurement = measure(design, library, optimise, work_dir, progress=progress, jobs=jobs, cancel=cancel)
        store.put(key, measurement)
    return Obtained(measurement, False)


@contextmanager
def _held(store: Store, key: str) -> Iterator[None]:
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
