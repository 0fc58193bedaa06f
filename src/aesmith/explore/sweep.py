"""Sweeps: every point of a space that the store does not have yet, measured once, by any number of workers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from aesmith.errors import RequestError
from aesmith.explore.design_space import Condition, SpaceDesigns
from aesmith.explore.outline import Outline
from aesmith.explore.runs import DONE, FAILED, begin_run, forget_failures, put_point, statuses
from aesmith.explore.store import Store
from aesmith.explore.task import Effort, NamedLibrary, Task, point_key, request_key, row_of, run_task
from aesmith.explore.workers import IDLE, Event, RunTask, connected, work
from aesmith.technology.library import Library


@dataclass(frozen=True)
class SweepPoint:
    """A point of a sweep: what it is, and its keys (see `task.point_key` and `task.request_key`)."""

    outline: Outline
    library: NamedLibrary
    condition: Condition
    key: str
    request: str

    @property
    def label(self) -> str:
        """Design and condition in a few words."""
        return f"{self.outline.design} {self.condition.label}"


@dataclass(frozen=True)
class SweepPlan:
    """All points of a sweep, and what became of those that were tried before, by key."""

    space: str
    points: tuple[SweepPoint, ...]
    effort: Effort
    known: Mapping[str, str]

    @property
    def waiting(self) -> tuple[SweepPoint, ...]:
        """The points still to be tried."""
        return tuple(point for point in self.points if point.key not in self.known)


@dataclass
class Status:
    """How far a sweep is: what became of each point by key, what each worker does, and seconds spent on finished ones.

    `began` and `now` are monotonic seconds.
    """

    plan: SweepPlan
    states: dict[str, str]
    workers: dict[str, tuple[SweepPoint, str, float]] = field(default_factory=dict)
    latest: list[tuple[SweepPoint, str, float]] = field(default_factory=list)
    spent: dict[str, list[float]] = field(default_factory=dict)
    began: float = 0.0
    now: float = 0.0

    @property
    def count(self) -> Counter[str]:
        """Number of points by what became of them."""
        return Counter(self.states.values())

    def left_s(self) -> float | None:
        """Seconds still to go: the mean time of a family's points, for each point left, shared by the workers."""
        every = [seconds for times in self.spent.values() for seconds in times]
        if not every or not self.workers:
            return None
        mean = sum(every) / len(every)
        means = {family: sum(times) / len(times) for family, times in self.spent.items()}
        left = [means.get(p.outline.family, mean) for p in self.plan.points if p.key not in self.states]
        return sum(left) / len(self.workers)


@dataclass(frozen=True)
class Swept:
    """What a sweep came to. `run` is its name in the store; `from_store` counts the points that were there before."""

    run: str
    points: int
    done: int
    failed: int
    from_store: int
    seconds: float


Watch = Callable[[Status], None]
"""Called every half second, and at the end."""


def plan_sweep(
    found: SpaceDesigns, libraries: Sequence[Library], effort: Effort, store: Store, *, retry: bool = False
) -> SweepPlan:
    """All points of a space in these libraries; with `retry` those that failed before are tried again.

    Raises RequestError without libraries.
    """
    if not libraries:
        raise RequestError("library: a sweep needs at least one")
    points: dict[str, SweepPoint] = {}
    for library in libraries:
        named = NamedLibrary.of(library)
        for design, conditions in found.designs.items():
            for condition in conditions:
                key = point_key(design, library, condition, effort)
                request = request_key(design, library, condition)
                points.setdefault(key, SweepPoint(design, named, condition, key, request))
    if retry:
        forget_failures(store, list(points))
    return SweepPlan(found.space.name, tuple(points.values()), effort, statuses(store, list(points)))


def sweep(
    plan: SweepPlan,
    store: Store,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    watch: Watch | None = None,
    run: RunTask = run_task,
) -> Swept:
    """Do what is waiting, on `workers` processes here (default: one a core) or the cluster at `scheduler`.

    Every point is kept as soon as it is known: a sweep that is interrupted, in whatever way, goes on where it stopped.
    Workers open the store by its location, so a cluster needs one that all its machines reach.
    Raises ToolError if no scheduler answers, or if the workers have other code or libraries than this process.
    """
    began = time.monotonic()
    name = begin_run(store, plan.space, [(point.key, point.request) for point in plan.points])
    status = Status(plan, dict(plan.known), began=began, now=began)
    show = watch or _unseen
    tasks = _tasks(plan, store.location)
    if tasks:
        with connected(scheduler, workers if workers is None else min(workers, len(tasks))) as pool:
            by_key = {point.key: point for point in plan.points}

            def tick() -> None:
                status.now = time.monotonic()
                here = pool.addresses()
                status.workers = {worker: doing for worker, doing in status.workers.items() if worker in here}
                show(status)

            def left(task: Task) -> int:
                return len(task.points) - len(statuses(store, [key for key, _ in task.points]))

            def take(event: Event) -> None:
                _take(status, by_key, event)

            for lost in work(pool, tasks, take, left=left, run=run, tick=tick):
                for key, condition in lost.task.points:
                    row = row_of(lost.task.outline, lost.task.library, condition)
                    put_point(store, key, row | {"key": key, "status": FAILED, "error": lost.reason})
    status.states = statuses(store, [point.key for point in plan.points])
    status.now = time.monotonic()
    status.workers.clear()
    show(status)
    count = status.count
    return Swept(name, len(plan.points), count[DONE], count[FAILED], len(plan.known), time.monotonic() - began)


def _unseen(_status: Status) -> None:
    """Nobody watches."""


def _tasks(plan: SweepPlan, store: str) -> list[Task]:
    """The points that wait, those of one design in one library together; architectures take turns, and modes.

    So a sweep that is looked at before it has ended shows something of all of them.
    """
    groups: dict[tuple[Outline, NamedLibrary], list[tuple[str, Condition]]] = {}
    for point in plan.waiting:
        groups.setdefault((point.outline, point.library), []).append((point.key, point.condition))
    tasks: dict[tuple[str, str], list[Task]] = {}
    for (design, library), points in groups.items():
        task = Task(design, library, plan.effort, tuple(points), store)
        tasks.setdefault((design.family, design.architecture), []).append(task)
    return [task for turn in zip_longest(*tasks.values()) for task in turn if task is not None]


def _take(status: Status, points: Mapping[str, SweepPoint], event: Event) -> None:
    """Take in what a worker tells."""
    now = time.monotonic()
    point = points.get(event.key)
    if point is None:  # another sweep on the same cluster
        return
    if event.state == IDLE:
        status.workers.pop(event.worker, None)
        return
    if event.state not in (DONE, FAILED):
        before = status.workers.get(event.worker)
        since = before[2] if before is not None and before[0] is point else now
        status.workers[event.worker] = (point, event.state, since)
        return
    status.states[event.key] = event.state
    seconds = 0.0
    if event.worker in status.workers:
        seconds = now - status.workers[event.worker][2]
        status.spent.setdefault(point.outline.family, []).append(seconds)
    status.latest = [*status.latest[-7:], (point, event.state, seconds)]
