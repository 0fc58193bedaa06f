"""Work is done one piece after the other; what is called off ends, and what goes wrong ends nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from aesmith.errors import RequestError, ToolError
from aesmith.serve.queue import MOST_KEPT, MOST_WAITING, Task, Work, WorkQueue, WorkResult


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def state(queue: WorkQueue, told: dict[str, object]) -> str:
    job = queue.find(str(told["id"]))
    assert job is not None
    return str(job.state)


def gated(gate: threading.Event, seen: list[str]) -> Task:
    def task(job: Work) -> WorkResult:
        seen.append(job.title)
        while not gate.wait(0.01):
            job.progress("waiting at the gate", 1, 2)
        return WorkResult({"kind": "core"}, "x.zip", b"zip")

    return task


def failing(error: Exception) -> Task:
    def task(_: Work) -> WorkResult:
        raise error

    return task


def test_two_pieces_at_once_are_done_in_turn() -> None:
    gate, seen = threading.Event(), list[str]()
    with WorkQueue() as queue:
        first, second = (queue.add(name, gated(gate, seen)) for name in ("first", "second"))
        until(lambda: state(queue, first) == "at work")
        assert [(one["title"], one["state"], one["before"]) for one in queue.told()] == [
            ("second", "waiting", 1),
            ("first", "at work", 0),
        ]
        assert seen == ["first"]
        gate.set()
        until(lambda: state(queue, second) == "done")
        assert seen == ["first", "second"]


def test_what_is_called_off_ends_and_the_next_begins() -> None:
    gate, seen = threading.Event(), list[str]()
    with WorkQueue() as queue:
        first, second, third = (queue.add(name, gated(gate, seen)) for name in "abc")
        until(lambda: state(queue, first) == "at work")
        for told in (second, first):
            job = queue.find(str(told["id"]))
            assert job is not None
            queue.cancel(job)
        until(lambda: state(queue, third) == "at work")
        assert (state(queue, first), state(queue, second)) == ("cancelled", "cancelled")
        assert seen == ["a", "c"]


def test_time_that_is_up_calls_nothing_off() -> None:
    def task(job: Work) -> WorkResult:
        job.cancel.set()
        job.progress("the best of what is known", 0, 0)
        return WorkResult({})

    with WorkQueue() as queue:
        told = queue.add("in time", task)
        until(lambda: state(queue, told) == "done")


def test_what_fails_says_why_and_the_next_is_done() -> None:
    gate = threading.Event()
    gate.set()
    with WorkQueue() as queue:
        wrong = queue.add("wrong", failing(ToolError("yosys: not there")))
        fault = queue.add("fault", failing(ZeroDivisionError("x")))
        last = queue.add("last", gated(gate, []))
        until(lambda: state(queue, last) == "done")
        texts = {str(one["title"]): str(one["error"]) for one in queue.told()}
        assert texts["wrong"] == "yosys: not there"
        assert "this is a fault of aesmith itself" in texts["fault"]
        assert (state(queue, wrong), state(queue, fault)) == ("failed", "failed")


def test_there_is_an_end_to_what_waits_and_to_what_is_kept() -> None:
    gate = threading.Event()
    with WorkQueue() as queue:
        first = queue.add("0", gated(gate, []))
        until(lambda: state(queue, first) == "at work")
        for index in range(MOST_WAITING):
            queue.add(str(index), gated(gate, []))
        with pytest.raises(RequestError, match="8 pieces of work wait already"):
            queue.add("one too many", gated(gate, []))
        gate.set()
        until(lambda: all(one["state"] == "done" for one in queue.told()))
        for _ in range(MOST_KEPT + 4):
            told = queue.add("more", gated(gate, []))
            until(lambda told=told: state(queue, told) == "done")  # type: ignore[misc]
        assert len(queue.told()) <= MOST_KEPT + 1


def test_the_end_of_the_queue_calls_off_what_is_at_work() -> None:
    gate = threading.Event()
    with WorkQueue() as queue:
        told = queue.add("endless", gated(gate, []))
        until(lambda: state(queue, told) == "at work")
    assert state(queue, told) == "cancelled"
    assert not [thread for thread in threading.enumerate() if thread.name == "aesmith-serve-work"]
