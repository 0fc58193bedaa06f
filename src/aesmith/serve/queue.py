"""Work that is done one piece after the other, told of while it is done, and cancelled when it is no longer wanted."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aesmith.errors import AesmithError, RequestError
from aesmith.processes import Cancelled

MOST_WAITING = 8
MOST_KEPT = 24
"""Pieces of work, of those that ended, whose results are still to be had."""

_END_S = 20.0


class State(StrEnum):
    """What has become of a piece of work."""

    WAITING = "waiting"
    AT_WORK = "at work"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = (State.DONE, State.FAILED, State.CANCELLED)


@dataclass(frozen=True)
class WorkResult:
    """What a piece of work gives: plain JSON values, and a package, if it makes one, as a zip file of this name."""

    values: Mapping[str, object]
    file: str = ""
    content: bytes = b""


@dataclass
class Work:
    """A piece of work. `cancel` is set once it is to stop: because its time is up, or because it is
    `unwanted`. `error` says in words why it failed."""

    title: str
    identity: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = State.WAITING
    cancel: threading.Event = field(default_factory=threading.Event)
    unwanted: bool = False
    step: str = ""
    done: int = 0
    of: int = 0
    error: str = ""
    outcome: WorkResult | None = None

    def progress(self, step: str, done: int, of: int) -> None:
        """Says how far it is. Raises Cancelled once it is not wanted."""
        self.step, self.done, self.of = step, done, of
        if self.unwanted:
            raise Cancelled

    def call_off(self) -> None:
        """It is not wanted any more."""
        self.unwanted = True
        self.cancel.set()

    def as_values(self, before: int) -> dict[str, object]:
        """All that is told of it, as plain JSON values; `before` pieces of work come before it."""
        return {
            "id": self.identity,
            "title": self.title,
            "state": str(self.state),
            "before": before,
            "step": self.step,
            "done": self.done,
            "of": self.of,
            "error": self.error,
            "result": None if self.outcome is None else dict(self.outcome.values),
            "file": "" if self.outcome is None else self.outcome.file,
        }


Task = Callable[[Work], WorkResult]


class WorkQueue:
    """One thread that does the work, in the order in which it was asked for: synthesis takes all processors by itself.

    As a context it ends with its body: what is at work is cancelled, and waited for.
    """

    def __init__(self) -> None:
        self._jobs: dict[str, Work] = {}
        self._tasks: dict[str, Task] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="aesmith-serve-work", daemon=True)

    def __enter__(self) -> WorkQueue:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._closed = True
            for job in self._jobs.values():
                job.call_off()
            self._changed.notify_all()
        self._thread.join(_END_S)

    def add(self, title: str, task: Task) -> dict[str, object]:
        """Take in a piece of work, and tell of it. Raises RequestError if too many wait already."""
        with self._changed:
            waiting = sum(job.state == State.WAITING for job in self._jobs.values())
            if waiting >= MOST_WAITING:
                raise RequestError(f"work: {waiting} pieces of work wait already; cancel some, or wait for them")
            job = Work(title)
            self._jobs[job.identity], self._tasks[job.identity] = job, task
            for old in [one for one in self._jobs.values() if one.state in ENDED][:-MOST_KEPT]:
                del self._jobs[old.identity]
            self._changed.notify_all()
            return self._told(job)

    def told(self) -> list[dict[str, object]]:
        """All pieces of work, the latest first."""
        with self._changed:
            return [self._told(job) for job in reversed(self._jobs.values())]

    def find(self, identity: str) -> Work | None:
        """A piece of work, if it is known (still)."""
        with self._changed:
            return self._jobs.get(identity)

    def cancel(self, job: Work) -> dict[str, object]:
        """Call a piece of work off. One that ended stays as it is."""
        with self._changed:
            job.call_off()
            if job.state == State.WAITING:
                job.state = State.CANCELLED
                self._tasks.pop(job.identity, None)
            return self._told(job)

    def _told(self, job: Work) -> dict[str, object]:
        before = 0
        if job.state == State.WAITING:
            order = list(self._jobs.values())
            before = sum(one.state not in ENDED for one in order[: order.index(job)])
        return job.as_values(before)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._closed and not self._tasks:
                    self._changed.wait()
                if self._closed:
                    return
                identity = next(iter(self._tasks))
                job, task = self._jobs[identity], self._tasks.pop(identity)
                job.state = State.AT_WORK
            state, error, outcome = _done(job, task)
            with self._changed:
                job.state, job.error, job.outcome = state, error, outcome


def _done(job: Work, task: Task) -> tuple[State, str, WorkResult | None]:
    """Do a piece of work. Whatever goes wrong in it is said, and ends nothing else."""
    try:
        return State.DONE, "", task(job)
    except Cancelled:
        return State.CANCELLED, "", None
    except AesmithError as error:
        return (State.CANCELLED, "", None) if job.unwanted else (State.FAILED, str(error), None)
    except Exception as error:
        return State.FAILED, f"{error!r}: this is a fault of aesmith itself; please report it", None
