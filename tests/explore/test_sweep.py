"""A sweep measures every point once, whatever is killed meanwhile; what fails is kept with its error."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.explore.sweeping import DEADLY, SPACE, cluster, history, planned, remember_all_that_is_stored, swept

from aesmith.errors import RequestError, ToolError
from aesmith.explore import workers
from aesmith.explore.points import COLUMNS, points
from aesmith.explore.runs import DONE, FAILED, runs, statuses
from aesmith.explore.store import open_store
from aesmith.explore.sweep import Status
from aesmith.explore.task import Task, run_task
from aesmith.explore.workers import ending_in_points

KILLS = int(os.environ.get("AESMITH_KILLS", "1"))
"""How often something is killed. The whole test: `AESMITH_KILLS=20 pytest tests/explore/test_sweep.py -k killed`."""
SEED = int(os.environ.get("AESMITH_KILL_SEED", str(time.time_ns() % 10_000)))


@pytest.fixture
def space(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SPACE)
    return path


def begun(log: Path) -> list[tuple[str, int]]:
    """(key, process) of all work that was begun."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [(key, int(process)) for key, _, process in (line.partition(" ") for line in lines)]


def is_at_work(process: int) -> bool:
    """Whether there is such a process, and it is not one that has ended and that nobody has asked after."""
    with suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    return False


def test_every_point_is_done_once_by_a_cluster_and_then_read(tmp_path: Path, space: Path) -> None:
    log, both, seen = tmp_path / "log", tmp_path / "both", list[Status]()

    def watch(status: Status) -> None:
        """No point ends before two workers are seen at two points: who ends with another is seen by chance only."""
        seen.append(status)
        if len({point.key for point, _, _ in status.workers.values()}) == 2:
            both.touch()

    with open_store(tmp_path / "s.sqlite") as store, cluster(2) as address:
        first = swept(store, space, log, scheduler=address, seconds=0.0, watch=watch, go=both)
        assert (first.run, first.points, first.done, first.failed, first.from_store) == ("small-1", 16, 15, 1, 0)
        assert len({key for key, _ in begun(log)}) == len(begun(log)) == 16
        assert both.exists(), "both workers worked"
        assert seen[-1].count == {DONE: 15, FAILED: 1}

        again = swept(store, space, log, scheduler=address)
        assert (again.run, again.done, again.failed, again.from_store) == ("small-1", 15, 1, 16)
        assert len(begun(log)) == 16

        frame = points(store)
        assert list(frame.columns) == [column.name for column in COLUMNS]
        assert list(frame["design"][:5]) == ["hamalainen2006-enc"] * 4 + ["hamalainen2006-enc-boyar2010-derived"]
        assert list(frame["recipe"][:4]) == ["keep", "shrink", "compress", "delay"]
        assert set(frame["family"]) == {"byte-serial"}
        failed = frame[frame["status"] == FAILED]
        assert list(failed["error"]) == ["ValueError: no such netlist"]
        assert failed["area_ge"].isna().all()
        assert frame["area_ge"].notna().sum() == 15

        retried = swept(store, space, log, scheduler=address, retry=True)
        assert (retried.failed, len(begun(log))) == (1, 17)
        assert [(run.name, run.size, run.done, run.failed) for run in runs(store)] == [("small-1", 16, 15, 1)]


@pytest.mark.parametrize("told", ["by the system", "by a tool"])
def test_a_full_disk_ends_the_sweep_and_is_no_points_failure(tmp_path: Path, space: Path, told: str) -> None:
    def full(*_: object) -> dict[str, Any]:
        said = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise said if told == "by the system" else ToolError("yosys: there is no space left on the disk") from said

    with open_store(tmp_path / "s.sqlite") as store:
        plan = planned(store, space)
        point = plan.points[0]
        task = Task(point.outline, point.library, plan.effort, ((point.key, point.condition),), store.location)
        with pytest.raises(ToolError, match="space left on"):
            run_task(task, lambda *_: None, full)
        assert statuses(store, [key for key, _ in task.points]) == {}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_point_that_workers_die_of_is_given_up_alone(
    tmp_path: Path, space: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_ATTEMPTS", 1)
    monkeypatch.setattr(workers, "_ATTEMPTS_ALONE", 1)
    with open_store(tmp_path / "s.sqlite") as store:
        result = swept(store, space, tmp_path / "log", seconds=DEADLY)
        frame = points(store)
        deadly = frame[frame["error"].str.startswith("every worker that did it died").fillna(False)]
        assert list(deadly["design"] + " " + deadly["recipe"]) == ["hamalainen2006-enc shrink"]
        assert (result.done, result.failed) == (14, 2)


@pytest.mark.parametrize(
    ("last", "order"),
    [(0, ["abc", "de", "f"]), (2, ["abc", "d", "f", "e"]), (9, ["a", "d", "f", "b", "e", "c"])],
)
def test_a_sweep_ends_point_by_point(last: int, order: list[str]) -> None:
    def task(keys: str) -> Task:
        point: Any = None
        return Task(point, point, point, tuple((key, point) for key in keys), "")

    tasks = ending_in_points([task("abc"), task("de"), task("f")], last)
    assert ["".join(key for key, _ in task.points) for task in tasks] == order


@pytest.mark.thorough
def test_two_sweeps_of_one_process_have_workers_both(tmp_path: Path) -> None:
    """In a process of its own, where nothing has imported dask before. Nor do two at once warn of each other."""
    script = """
from aesmith.explore.workers import connected

if __name__ == "__main__":
    with connected(None, 1) as first:
        assert len(first.addresses()) == 1
    with connected(None, 1) as second, connected(None, 1) as third:
        assert len(second.addresses()) == len(third.addresses()) == 1
"""
    (tmp_path / "twice.py").write_text(script)
    subprocess.run([sys.executable, "-W", "error::UserWarning", tmp_path / "twice.py"], check=True, timeout=120)


def test_where_no_worker_can_be_the_error_says_so(tmp_path: Path, space: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_CONNECT_S", 0.5)
    with open_store(tmp_path / "s.sqlite") as store:
        with pytest.raises(ToolError, match=r"scheduler: no dask scheduler answers at tcp://127.0.0.1:9"):
            swept(store, space, tmp_path / "log", scheduler="tcp://127.0.0.1:9")
        with pytest.raises(RequestError, match="workers: the cluster at --scheduler has its own"):
            swept(store, space, tmp_path / "log", scheduler="tcp://127.0.0.1:9", workers=2)
        with pytest.raises(RequestError, match="workers: must be 1 or more, not 0"):
            swept(store, space, tmp_path / "log", workers=0)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_killed_worker_costs_its_point_a_second_attempt_and_nothing_else(tmp_path: Path, space: Path) -> None:
    """As many sweeps as it takes: each may end before its workers were killed often enough."""
    choose, kills, number = random.Random(SEED), 0, 0
    print("seed", SEED)
    while kills < KILLS:
        number += 1
        folder = tmp_path / str(number)
        folder.mkdir()
        killed = _sweep_with_killed_workers(folder, space, choose, KILLS - kills)
        assert killed, "no worker was killed"
        kills += killed
    assert kills == KILLS


def _sweep_with_killed_workers(folder: Path, space: Path, choose: random.Random, most: int) -> int:
    """Sweep from an empty store while workers are killed at random moments; returns how many were, at most `most`."""
    location, log = folder / "s.sqlite", folder / "log"
    killed, over = list[str](), threading.Event()

    def kill() -> None:
        while len(killed) < most and not over.wait(0.01):
            for key, process in begun(log)[-1:]:
                time.sleep(choose.uniform(0, 0.9))
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed.append(key)
                    while begun(log)[-1][1] == process and not over.wait(0.02):
                        pass

    killer = threading.Thread(target=kill)
    with open_store(location) as store:
        remember_all_that_is_stored(location)
        killer.start()
        try:
            result = swept(store, space, log, workers=2, seconds=0.3)
        finally:
            over.set()
            killer.join()
        assert (result.done, result.failed) == (15, 1), "no point is lost"
        assert sorted(history(location)) == sorted(statuses(store, [p.key for p in planned(store, space).points]))
        assert 16 <= len(begun(log)) <= 16 + 2 * len(killed), "only what was under way is begun again"
    return len(killed)


@pytest.mark.slow
def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path: Path, space: Path) -> None:
    location, log = tmp_path / "s.sqlite", tmp_path / "log"
    choose = random.Random(SEED)
    print("seed", SEED)
    with open_store(location) as store:
        keys = [point.key for point in planned(store, space).points]
        remember_all_that_is_stored(location)
        command = [
            sys.executable,
            str(Path(__file__).with_name("sweeping.py")),
            str(location),
            str(log),
            str(space),
            "1",
        ]
        for _ in range(KILLS):
            before = len(begun(log))
            process = subprocess.Popen(command, start_new_session=True)
            while len(begun(log)) == before and process.poll() is None:
                time.sleep(0.01)
            time.sleep(choose.uniform(0, 0.5))
            process.kill()
            process.wait()
            worker = begun(log)[-1][1]
            deadline = time.monotonic() + 60
            while is_at_work(worker):
                assert time.monotonic() < deadline, "a worker outlives its sweep"
                time.sleep(0.05)
        result = swept(store, space, log)
        assert (result.done, result.failed) == (15, 1), "no point is lost"
        assert sorted(history(location)) == sorted(keys), "no point is stored twice"
        assert len(begun(log)) <= 16 + KILLS, "only what was under way is begun again"
