"""Where tasks run: worker processes on this machine, or any dask.distributed cluster by its address. The same code."""

from __future__ import annotations

import logging
import os
import queue
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from itertools import zip_longest
from typing import TYPE_CHECKING

from aesmith.errors import RequestError, ToolError
from aesmith.explore.task import Report, Task, run_task
from aesmith.lazy import LazyModule
from aesmith.scratch import work_folder

if TYPE_CHECKING:
    import dask
    import distributed
else:
    dask, distributed = LazyModule("dask"), LazyModule("distributed")

TOPIC, IDLE = "aesmith-sweep", "idle"
_HERE = {
    # A worker that died starts anew; where that takes longer than this, dask would go on without it for good.
    "distributed.deploy.lost-worker-timeout": "24h",
    # Deaths are counted below, and only for the task that was being done: none waits at a worker.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.worker-saturation": 1.0,
    # What watches the workers takes processor time from them: no samples of where they are, no web page, few looks. And
    # there is nothing to steal from one who has a single task.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.scheduler.work-stealing": False,
}
_CONNECT_S = 20.0
_LOOK_EVERY_S = 0.5
_ATTEMPTS, _ATTEMPTS_ALONE = 3, 5
_DESERTED_S = 120.0

RunTask = Callable[[Task, Report], int]
"""What a worker does with a task: `run_task`, but in tests."""


@dataclass(frozen=True)
class Event:
    """A point's state as a worker tells it (see `task.Report`), or IDLE after a task; `worker` is its address."""

    worker: str
    key: str
    state: str


@dataclass(frozen=True)
class Lost:
    """A task given up because the workers that did it kept dying."""

    task: Task
    reason: str


@dataclass
class Pool:
    """The workers: a client of their cluster, and the cluster itself if it is of this process, of `size` workers."""

    client: distributed.Client
    cluster: distributed.LocalCluster | None = None
    size: int = 0
    deserted: float | None = None

    def addresses(self) -> set[str]:
        """The addresses of the workers that are there now."""
        return set(self.client.nthreads())

    def mend(self) -> None:
        """Start workers anew here if there has been none for long: they start themselves anew, but that may fail too.

        A cluster elsewhere is left alone: it may be waiting for machines.
        """
        if self.cluster is None or self.addresses():
            self.deserted = None
        elif self.deserted is None:
            self.deserted = time.monotonic()
        elif time.monotonic() - self.deserted > _DESERTED_S:
            self.deserted = None
            self.cluster.scale(0)
            self.cluster.scale(self.size)


@contextmanager
def connected(scheduler: str | None, workers: int | None) -> Iterator[Pool]:
    """The workers of the cluster at `scheduler`, or `workers` processes here (default: one a core), ended afterwards.

    Raises RequestError for a number of workers with an address or below 1, ToolError if no scheduler answers.
    """
    if scheduler is not None:
        if workers is not None:
            raise RequestError("workers: the cluster at --scheduler has its own; leave one of them out")
        try:
            client = distributed.Client(scheduler, timeout=_CONNECT_S)
        except (OSError, ValueError) as error:
            raise ToolError(f"scheduler: no dask scheduler answers at {scheduler} ({error})") from error
        with client:
            _check(client, scheduler)
            yield Pool(client)
        return
    if workers is not None and workers < 1:
        raise RequestError(f"workers: must be 1 or more, not {workers}")
    size = workers or os.cpu_count() or 1
    # Imported before the settings are set: what its import adds to them would be gone when they are set back.
    local_cluster = distributed.LocalCluster
    with (
        work_folder("workers") as folder,
        dask.config.set(_HERE | {"temporary-directory": str(folder)}),
        local_cluster(
            n_workers=size,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            # Yosys works in processes of its own; what they take must not end the worker.
            memory_limit=0,
            local_directory=str(folder),
            # What a worker that is killed leaves goes with this folder.
            env={"TMPDIR": str(folder)},
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield Pool(client, cluster, size)


def work(
    pool: Pool,
    tasks: Sequence[Task],
    tell: Callable[[Event], None],
    *,
    left: Callable[[Task], int],
    run: RunTask = run_task,
    tick: Callable[[], None] = lambda: None,
) -> list[Lost]:
    """Run all tasks; returns those that were given up. `tick` is called every half second.

    A task whose worker dies runs again elsewhere and goes on where that one stopped. If workers keep dying of it and
    `left`, the number of its points that are not done, does not fall, each of its points becomes a task, and one that
    workers still die of is given up.
    Raises what a task raises: that is no point's failure, but something that would meet every point.
    """
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def told(event: tuple[float, dict[str, str]]) -> None:
        events.put(Event(**event[1]))

    client = pool.client
    client.subscribe_topic(TOPIC, told)
    attempts: dict[Task, tuple[int, int]] = {}
    lost: list[Lost] = []
    workers = max(pool.size, len(pool.addresses()))
    # Of tasks submitted at once dask would choose by their names.
    waiting = {
        _submit(client, run, task, priority=-number): task
        for number, task in enumerate(ending_in_points(tasks, 2 * workers))
    }
    try:
        while waiting:
            done = _finished(waiting)
            while not events.empty():
                tell(events.get())
            tick()
            pool.mend()
            for future in done:
                task = waiting.pop(future)
                try:
                    future.result()
                except distributed.KilledWorker as error:
                    still = left(task)
                    before, count = attempts.get(task, (still, 0))
                    attempts[task] = (still, count + 1 if still == before else 1)
                    if attempts[task][1] < (_ATTEMPTS if len(task.points) > 1 else _ATTEMPTS_ALONE):
                        waiting[_submit(client, run, task)] = task
                    elif len(task.points) > 1:
                        waiting |= {_submit(client, run, part): part for part in task.alone()}
                    else:
                        lost.append(Lost(task, f"every worker that did it died ({error.task})"))
    finally:
        client.cancel(list(waiting))
        client.unsubscribe_topic(TOPIC)
    while not events.empty():
        tell(events.get())
    return lost


def _check(client: distributed.Client, scheduler: str) -> None:
    """Raise ToolError if a worker that is there has no aesmith: of a task it could not read nothing would be heard."""
    try:
        client.run(metadata.version, "aesmith")
    except metadata.PackageNotFoundError as error:
        raise ToolError(f"scheduler: a worker of {scheduler} has no aesmith; install the same version there") from error


def ending_in_points(tasks: Sequence[Task], last: int) -> Iterator[Task]:
    """The tasks, the `last` of them point by point: so that no worker is left with many points when others have none.

    Their points take turns, for those of one core would wait for each other's verification.
    """
    whole = max(len(tasks) - last, 0)
    yield from tasks[:whole]
    for turn in zip_longest(*(task.alone() for task in tasks[whole:])):
        yield from (task for task in turn if task is not None)


def _submit(client: distributed.Client, run: RunTask, task: Task, priority: int = 0) -> distributed.Future:
    # Not pure: what a task gives depends on the store.
    key = f"{task.outline.design}-{os.urandom(4).hex()}"
    return client.submit(_in_worker, run, task, pure=False, key=key, priority=priority)


def _finished(waiting: dict[distributed.Future, Task]) -> list[distributed.Future]:
    try:
        return list(distributed.wait(list(waiting), timeout=_LOOK_EVERY_S, return_when="FIRST_COMPLETED").done)
    except TimeoutError:
        return []


def _in_worker(run: RunTask, task: Task) -> int:
    worker = distributed.get_worker()

    def report(key: str, state: str) -> None:
        worker.log_event(TOPIC, {"worker": worker.address, "key": key, "state": state})

    try:
        return run(task, report)
    finally:
        report(task.points[0][0], IDLE)
