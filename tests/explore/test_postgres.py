"""The result store on a PostgreSQL server: what holds of a file holds there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from tests.explore.postgres import server
from tests.explore.sweeping import SPACE, cluster, swept

from aesmith.errors import RequestError, ToolError
from aesmith.explore.points import points
from aesmith.explore.runs import runs
from aesmith.explore.store import MIGRATIONS, SCHEMA, open_store
from aesmith.flow.measurement import Measurement

KEY = "a" * 64


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with server() as location:
        yield location


def test_processes_that_open_an_empty_database_together_make_one_store(url: str) -> None:
    open_it = f"from aesmith.explore.store import open_store\nwith open_store({url!r}) as store: print(len(store))"
    started = [subprocess.Popen([sys.executable, "-c", open_it], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0] for process in started] == ["0\n"] * 3
    with open_store(url) as store, store.transaction() as connection:
        assert connection.execute(SCHEMA.select()).scalars().all() == [len(MIGRATIONS)]


def test_what_was_put_is_there_when_the_store_is_opened_again(url: str, figures: Measurement) -> None:
    with open_store(url) as store:
        before = len(store)
        store.put(KEY, figures)
        store.put(KEY, replace(figures, area_ge=13.0))
    with open_store(url) as store:
        assert store.get(KEY) == replace(figures, area_ge=13.0)
        assert len(store) == before + 1


def test_of_many_that_claim_one_key_one_gets_it(url: str) -> None:
    with open_store(url) as store, ThreadPoolExecutor(8) as pool:
        others = [replace(store, owner=f"elsewhere:1.{number}:x") for number in range(8)]
        for key in ("c1", "c2", "c3"):
            assert sum(pool.map(lambda other, key=key: other.claim(key, lease_s=60), others)) == 1
        assert sum(pool.map(lambda other: other.claim("lapsed", lease_s=-1), others)) >= 1
        assert sum(pool.map(lambda other: other.claim("lapsed", lease_s=60), others)) == 1


def test_two_workers_sweep_into_it(url: str, tmp_path: Path) -> None:
    space, log = tmp_path / "small.toml", tmp_path / "log"
    space.write_text(SPACE)
    with open_store(url) as store, cluster(2) as address:
        result = swept(store, space, log, scheduler=address, seconds=0.1)
        assert (result.done, result.failed) == (15, 1)
        assert swept(store, space, log, scheduler=address).from_store == 16
        assert len(log.read_text().splitlines()) == 16
        assert len(points(store, run=result.run)) == 16
        assert [(run.name, run.done, run.failed) for run in runs(store)] == [("small-1", 15, 1)]


def test_a_server_that_is_not_there_and_a_database_of_another_program_are_named(url: str, tmp_path: Path) -> None:
    with (
        pytest.raises(ToolError, match=r"store: postgresql.* cannot be used"),
        open_store(f"postgresql://tester@/postgres?host={tmp_path}"),
    ):
        pass
    with (
        open_store(url) as store,
        store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        connection.exec_driver_sql("CREATE DATABASE bookmarks")
    bookmarks = url.replace("/postgres?", "/bookmarks?")
    with psycopg.connect(bookmarks, autocommit=True) as raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(RequestError, match=r"something else .*bookmarks"), open_store(bookmarks):
        pass
