"""Sweeps in the store: a run is its points; of a request's points the newest counts; nothing damaged is a result."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from aesmith.errors import RequestError
from aesmith.explore.claims import has_ended, machine, new_owner
from aesmith.explore.facts import fact, find_once, keep_facts, known_facts
from aesmith.explore.points import blocks_in_flight, export, frame, points
from aesmith.explore.runs import DONE, FAILED, begin_run, diff, forget_failures, point_rows, put_point, runs, statuses
from aesmith.explore.store import FACTS, POINTS, RUN_POINTS, RUNS, SCHEMA, Store, open_store

OLD, NEW, OTHER = "1" * 64, "2" * 64, "3" * 64


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "s.sqlite") as opened:
        yield opened


def row(design: str, area_ge: float | None, **values: object) -> dict[str, object]:
    known = {"specification": "{}", "library": "a", "optimise": "recipe", "recipe": "keep", "status": DONE}
    return known | {"design": design, "area_ge": area_ge} | values


def put(store: Store, key: str, values: dict[str, object]) -> None:
    put_point(store, key, values | {"key": key})


def test_a_run_is_its_points_and_the_newest_of_a_request_counts(store: Store) -> None:
    assert begin_run(store, "s", [(OLD, "r1"), (OTHER, "r2")]) == "s-1"
    assert begin_run(store, "s", [(OLD, "r1"), (OTHER, "r2")]) == "s-1", "the same points are the same run"
    assert begin_run(store, "s", [(NEW, "r1"), (OTHER, "r2")]) == "s-2", "after the code has changed"
    for key, area in ((OLD, 10.0), (OTHER, 20.0), (NEW, 9.0)):
        put(store, key, row("x", area))
    assert list(points(store)["area_ge"]) == [9.0, 20.0]
    assert list(points(store, run="s-1")["area_ge"]) == [10.0, 20.0]
    assert list(points(store, space="s")["area_ge"]) == [9.0, 20.0]
    assert set(points(store)["space"]) == {"s"}
    assert points(store, library="b").empty
    assert [(run.name, run.size, run.done) for run in runs(store)] == [("s-1", 2, 2), ("s-2", 2, 2)]
    for asked, message in (
        ({"run": "s-3"}, "run: .* has s-1, s-2, not 's-3'"),
        ({"space": "t"}, "space: .* has s, not"),
    ):
        with pytest.raises(RequestError, match=message):
            points(store, **asked)


def test_failures_can_be_forgotten_and_what_is_done_stays(store: Store) -> None:
    begin_run(store, "s", [(OLD, "r1"), (NEW, "r2")])
    put(store, OLD, row("x", None, status=FAILED, error="no"))
    put(store, NEW, row("y", 3.0))
    assert statuses(store, [OLD, NEW, OTHER]) == {OLD: FAILED, NEW: DONE}
    assert points(store)["area_ge"].isna().tolist() == [True, False]
    forget_failures(store, [OLD, NEW, OTHER])
    assert statuses(store, [OLD, NEW, OTHER]) == {NEW: DONE}


def test_a_damaged_point_is_not_a_result(store: Store) -> None:
    begin_run(store, "s", [(OLD, "r1")])
    put(store, OLD, row("x", 12.5))
    with sqlite3.connect(store.location) as connection:
        connection.execute("UPDATE points SET point = replace(point, '12.5', '1.25')")
    with pytest.raises(RequestError, match="is damaged"):
        list(point_rows(store))


def test_a_fact_is_found_once_and_a_damaged_one_is_refused(store: Store) -> None:
    asked: list[int] = []

    def find() -> dict[str, object]:
        asked.append(1)
        return {"passed": True}

    assert find_once(store, "kind", OLD, find) == ({"passed": True}, False)
    assert find_once(store, "kind", OLD, find) == ({"passed": True}, True)
    assert len(asked) == 1
    keep_facts(store, "kind", {NEW: {"n": 1}, OLD: {"passed": False}})
    assert known_facts(store, "kind") == {NEW: {"n": 1}, OLD: {"passed": False}}
    assert known_facts(store, "other") == {}
    with sqlite3.connect(store.location) as connection:
        connection.execute("UPDATE facts SET fact = replace(fact, 'false', 'true')")
    with pytest.raises(RequestError, match="is damaged"):
        fact(store, OLD)


def test_a_store_from_before_sweeps_gets_a_place_for_them(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    with open_store(file) as old, old.engine.begin() as connection:
        for table in (FACTS, POINTS, RUNS, RUN_POINTS):
            table.drop(connection)
        connection.execute(SCHEMA.update().values(version=2))
    with open_store(file) as store:
        begin_run(store, "s", [(OLD, "r1")])
        put(store, OLD, row("x", 1.0))
        assert len(points(store)) == 1


def test_a_claim_of_a_process_that_was_killed_is_void_at_once(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    claim = (
        "import sys, os, signal\nfrom aesmith.explore.store import open_store\n"
        "with open_store(sys.argv[1]) as store:\n"
        "    assert store.claim('k'); print(store.owner, flush=True); sys.stdin.read(1)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", claim, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    owner = other.stdout.readline().strip()
    with open_store(file) as store:
        assert not has_ended(owner)
        assert not store.claim("k")
        other.communicate("x")
        assert has_ended(owner)
        assert store.claim("k")
    assert not has_ended(new_owner())
    assert not has_ended("of-another-machine:1.1:x"), "of other machines nothing is known"
    assert machine()


def test_files_hold_what_the_frame_holds(tmp_path: Path) -> None:
    wanted = frame([row("x", 12.5, key_bits=128, verified="simulation"), row("y", None, status=FAILED, error="a, b")])
    for name in ("p.csv", "p.parquet"):
        export(wanted, tmp_path / name)
    assert pd.read_parquet(tmp_path / "p.parquet").equals(wanted)
    read = pd.read_csv(tmp_path / "p.csv", dtype={c: str(t) for c, t in wanted.dtypes.items()})
    assert read.equals(wanted)
    for name, message in (("p.xlsx", "must end in .csv or .parquet, not '.xlsx'"), ("no/p.csv", "there is no folder")):
        with pytest.raises(RequestError, match=message):
            export(wanted, tmp_path / name)


def test_a_difference_says_what_changed_and_what_is_new() -> None:
    before = frame([row("same", 10.0), row("less", 10.0), row("gone", 5.0), row("failed", 7.0)])
    after = frame([row("less", 8.0), row("same", 10.0), row("new", 5.0), row("failed", 7.0, status=FAILED)])
    found = diff(before, after).set_index("design")
    assert dict(found["what"]) == {
        "same": "same", "less": "changed", "gone": "only before", "new": "only after", "failed": "changed",
    }  # fmt: skip
    assert found.loc["less", "area_ge_change"] == pytest.approx(-0.2)
    assert found.loc["same", "area_ge_change"] == 0
    assert found["area_ge_change"].isna().sum() == 3
    assert diff(before, before)["what"].eq("same").all()


def test_the_best_recipe_may_change_but_not_the_one_asked_for() -> None:
    best = {"optimise": "area"}
    before = frame([row("x", 10.0, **best), row("x", 11.0)])
    after = frame([row("x", 9.0, recipe="compress", **best), row("x", 9.0, recipe="compress")])
    assert sorted(diff(before, after)["what"]) == ["changed", "only after", "only before"]


@pytest.mark.parametrize(
    ("cycles_per_block", "latency_cycles", "blocks"), [(10, 11, 1), (10, 21, 2), (1, 31, 30), (5, 31, 6), (832, 353, 1)]
)
def test_blocks_in_flight_follow_from_the_schedule(cycles_per_block: int, latency_cycles: int, blocks: int) -> None:
    assert blocks_in_flight(cycles_per_block, latency_cycles) == blocks
