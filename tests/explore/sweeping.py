"""Sweeps that cost next to nothing: small spaces, and a stand-in for measuring that says what it does.

    python sweeping.py STORE LOG SPACE WORKERS

sweeps a space with the stand-in, in a process that a test may kill.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import cloudpickle
import distributed

from aesmith.explore.design_space import Condition, enumerate_designs, load_space
from aesmith.explore.store import Store, open_store
from aesmith.explore.sweep import SweepPlan, Swept, Watch, plan_sweep, sweep
from aesmith.explore.task import Effort, PointBench, run_task
from aesmith.explore.verifying import Extent, verifier
from aesmith.technology.registry import library_by

# Workers cannot import this file: what is in it goes to them as it is, if it is reached by a lambda.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SPACE = """
recipe = ["keep", "shrink", "compress", "delay"]

[[cores]]
architecture = "hamalainen2006-enc"
sbox = ["canright2005", "boyar2010-derived", "boyar2012-derived", "reyhani2018"]
"""
"""Four cores, sixteen points."""


DEADLY = -1.0
"""In place of seconds: the second point of the space kills its worker."""


_WAIT_S = 60.0


def stand_in(
    log: str, seconds: float, bench: PointBench, key: str, condition: Condition, *, go: str | None = None
) -> dict[str, Any]:
    """Figures made up from the request, after some time and not before there is a file `go` (None: at once).

    `log` gets a line KEY PROCESS at the beginning.
    """
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{key} {os.getpid()}\n")
    bench.report(key, "measuring")
    if seconds == DEADLY and condition.recipe == "shrink" and bench.task.outline.sbox == "canright2005":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(max(0.0, seconds))
    deadline = time.monotonic() + _WAIT_S
    while go is not None and not os.path.exists(go):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nobody has made {go}")
        time.sleep(0.01)
    if condition.recipe == "delay" and bench.task.outline.sbox == "boyar2012-derived":
        raise ValueError("no such netlist")
    return {"area_ge": 1000.0 + len(bench.task.outline.design), "recipe": condition.recipe, "seconds": seconds}


def planned(store: Store, space: Path, *, retry: bool = False) -> SweepPlan:
    """The sweep of a space in the embedded library, without verification."""
    cores = enumerate_designs(load_space(str(space)), store)
    return plan_sweep(cores, [library_by("generic45")], Effort(verifier(Extent.NONE)), store, retry=retry)


def swept(
    store: Store,
    space: Path,
    log: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    seconds: float = 0.05,
    retry: bool = False,
    watch: Watch | None = None,
    go: Path | None = None,
) -> Swept:
    """Sweep it with the stand-in, on one worker here unless another number or a cluster is given."""
    measure = partial(stand_in, str(log), seconds, go=None if go is None else str(go))
    return sweep(
        planned(store, space, retry=retry),
        store,
        workers=1 if workers is None and scheduler is None else workers,
        scheduler=scheduler,
        run=lambda *given: run_task(*given, measure),
        watch=watch,
    )


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of a dask cluster, whose workers are threads of this process: they start at once."""
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as started:
        yield started.scheduler_address


def remember_all_that_is_stored(location: Path) -> None:
    """Have the database itself write down each time a point is put or replaced."""
    with sqlite3.connect(location) as connection:
        connection.execute("CREATE TABLE history (key TEXT)")
        for change in ("INSERT", "UPDATE"):
            connection.execute(
                f"CREATE TRIGGER on_{change} AFTER {change} ON points BEGIN INSERT INTO history VALUES (NEW.key); END"
            )


def history(location: Path) -> list[str]:
    """The keys of the points in the order in which they were stored, each time."""
    with sqlite3.connect(location) as connection:
        return [row[0] for row in connection.execute("SELECT key FROM history")]


def main(location: str, log: str, space: str, workers: str) -> None:
    """See above."""
    with open_store(location) as store:
        swept(store, Path(space), Path(log), workers=int(workers), seconds=0.2)


if __name__ == "__main__":
    main(*sys.argv[1:])
