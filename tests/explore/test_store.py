"""A result store loses nothing, repeats nothing, is shared by processes, and explains itself when it cannot be used."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, inspect, text

from aesmith.errors import RequestError, ToolError
from aesmith.explore import store as subject
from aesmith.explore.store import ENVIRONMENT, FPGA_RUNS, MIGRATIONS, SCHEMA, default_location, migrate, open_store
from aesmith.flow.measurement import Measurement

KEY, OTHER = "a" * 64, "b" * 64


def test_what_was_put_is_there_when_the_store_is_opened_again(tmp_path: Path, figures: Measurement) -> None:
    with open_store(tmp_path / "new" / "results.sqlite") as store:
        assert store.get(KEY) is None
        store.put(KEY, figures)
    with open_store(tmp_path / "new" / "results.sqlite") as store:
        assert store.get(KEY) == figures
        assert store.get(OTHER) is None
        assert len(store) == 1


def test_the_last_one_put_under_a_key_counts(tmp_path: Path, figures: Measurement) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        store.put(KEY, figures)
        store.put(KEY, replace(figures, area_ge=13.0))
        store.put(OTHER, figures)
        assert (store.get(KEY), store.get(OTHER)) == (replace(figures, area_ge=13.0), figures)
        assert len(store) == 2


def test_the_place_is_the_environments_else_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, "postgresql://somewhere/results")
    assert default_location() == "postgresql://somewhere/results"
    monkeypatch.delenv(ENVIRONMENT)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_location() == str(tmp_path / "aesmith" / "results.sqlite")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_location().endswith("/.local/share/aesmith/results.sqlite")


def test_a_claim_keeps_others_away_until_it_is_given_up_or_lapses(tmp_path: Path, figures: Measurement) -> None:
    with open_store(tmp_path / "s.sqlite") as one, open_store(tmp_path / "s.sqlite") as two:
        assert one.claim(KEY)
        assert not two.claim(KEY)
        assert two.claim(OTHER)
        assert one.claim(KEY), "renewing one's own claim"
        two.release(KEY)
        assert not two.claim(KEY), "nobody releases another's claim"
        one.release(KEY)
        assert two.claim(KEY, lease_s=-1.0)
        assert one.claim(KEY), "a lapsed claim is anyone's"
        one.put(KEY, figures)
        assert two.claim(KEY), "what was put is no longer claimed"


WRITER = """
import sys
from dataclasses import replace
from aesmith.explore.store import open_store
location, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open_store(location) as store:
    figures = store.get("seed")
    print("ready", flush=True)
    sys.stdin.readline()
    for i in range(count):
        store.put(f"{name}{i}", replace(figures, area_ge=float(i)))
        store.put("both", replace(figures, design=name))
        print(i, flush=True)
"""


def start(location: Path, name: str, count: int) -> subprocess.Popen[str]:
    """A process that is about to put `count` measurements, and waits to be told so."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(location), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_two_processes_share_a_store(tmp_path: Path, figures: Measurement) -> None:
    location = tmp_path / "s.sqlite"
    with open_store(location) as store:
        store.put("seed", figures)
        writers = {name: start(location, name, 30) for name in ("x", "y")}
        for writer in writers.values():
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers.values():
            writer.communicate()
            assert writer.returncode == 0
        assert len(store) == 62
        assert all(store.get(f"{name}{i}") == replace(figures, area_ge=float(i)) for name in "xy" for i in range(30))
        both = store.get("both")
        assert both is not None
        assert both.design in writers


def test_a_process_killed_in_the_middle_loses_nothing_that_it_had_put(tmp_path: Path, figures: Measurement) -> None:
    location = tmp_path / "s.sqlite"
    with open_store(location) as store:
        store.put("seed", figures)
    writer = start(location, "x", 100_000)
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write("go\n")
    writer.stdin.flush()
    while writer.stdout.readline() != "20\n":
        pass
    os.kill(writer.pid, signal.SIGKILL)
    put = 20 + len(writer.stdout.read().splitlines())
    writer.wait()
    writer.stdin.close()
    writer.stdout.close()
    with open_store(location) as store:
        assert len(store) >= put + 3
        assert all(store.get(f"x{i}") == replace(figures, area_ge=float(i)) for i in range(put + 1))
        store.put(OTHER, figures)


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    file.write_text("This is a letter, not a database. " * 100)
    with (
        pytest.raises(RequestError, match=r"s\.sqlite is not a result store, or is damaged .*--no-store"),
        open_store(file),
    ):
        pass
    assert file.read_text().startswith("This is a letter"), "it is left alone"


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "bookmarks.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(RequestError, match=r"something else .*bookmarks"), open_store(file):
        pass
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]


def test_a_locked_store_says_so(tmp_path: Path, figures: Measurement, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "LOCK_TIMEOUT_S", 0.1)
    file = tmp_path / "s.sqlite"
    with open_store(file) as store:
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ToolError, match="locked by another program"):
            store.put(KEY, figures)
        other.execute("ROLLBACK")
        other.close()
        store.put(KEY, figures)
        assert len(store) == 1


def test_a_damaged_measurement_is_not_a_result(tmp_path: Path, figures: Measurement) -> None:
    file = tmp_path / "s.sqlite"
    with open_store(file) as store:
        store.put(KEY, figures)
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE measurements SET measurement = replace(measurement, '12.5', '1.25')")
        with pytest.raises(RequestError, match=r"damaged measurement .*--refresh"):
            store.get(KEY)
        store.put(KEY, figures)
        assert store.get(KEY) == figures


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("nosuch://host/x", "file, or a database as postgresql"),
        ("/proc/version/s.sqlite", "not a file that can be written"),
        ("/", "not a file that can be written"),
    ],
)
def test_a_place_that_cannot_be_is_refused(location: str, words: str) -> None:
    with pytest.raises(RequestError, match=words), open_store(location):
        pass


def test_who_only_reads_makes_nothing(tmp_path: Path) -> None:
    with (
        pytest.raises(RequestError, match=r"there is no .*/a/b\.sqlite; sweep or measure something first"),
        open_store(tmp_path / "a" / "b.sqlite", existing=True),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["mysql://x/y", "oracle://x/y", "sqlite://", "nix://x"])
def test_a_database_that_will_not_do_says_what_does(url: str) -> None:
    with pytest.raises(RequestError, match=f"must be a file, or a database as postgresql://HOST/NAME, not '?{url}"):
        open_store(url).__enter__()


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(RequestError, match=r"not mysql://me:\*\*\*@x/y"):
        open_store("mysql://me:secret@x/y").__enter__()


def test_an_older_store_is_migrated_and_a_newer_one_refused(tmp_path: Path, figures: Measurement) -> None:
    def add_column(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE measurements ADD COLUMN remark VARCHAR"))

    file = tmp_path / "s.sqlite"
    with open_store(file) as store:
        store.put(KEY, figures)
    engine = create_engine(f"sqlite:///{file}")
    for _ in range(2):
        with engine.begin() as connection:
            migrate(connection, str(file), (*MIGRATIONS, add_column))
    with engine.begin() as connection:
        assert "remark" in {column["name"] for column in inspect(connection).get_columns("measurements")}
    engine.dispose()
    newer = rf"newer aesmith \(schema {len(MIGRATIONS) + 1}; this one knows up to {len(MIGRATIONS)}\)"
    with pytest.raises(RequestError, match=newer), open_store(file):
        pass


def test_a_store_from_before_fpga_runs_gets_a_place_for_them(tmp_path: Path, figures: Measurement) -> None:
    file = tmp_path / "s.sqlite"
    with open_store(file) as store:
        store.put(KEY, figures)
        with store.engine.begin() as connection:
            FPGA_RUNS.drop(connection)
            connection.execute(SCHEMA.update().values(version=1))
    with open_store(file) as store:
        assert store.get_fpga_run(KEY) is None
        store.put_fpga_run(KEY, "core", "ecp5-85k", {"fmax_mhz": 171.5})
        store.put_fpga_run(KEY, "core", "ecp5-85k", {"fmax_mhz": 172.5})
        assert (store.get_fpga_run(KEY), store.get(KEY)) == ({"fmax_mhz": 172.5}, figures)
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE fpga_runs SET run = replace(run, '172', '272')")
        with pytest.raises(RequestError, match="damaged"):
            store.get_fpga_run(KEY)


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path, figures: Measurement) -> None:
    def broken(connection: Connection) -> None:
        connection.execute(text("DELETE FROM measurements"))
        raise OSError("power cut")

    file = tmp_path / "s.sqlite"
    with open_store(file) as store:
        store.put(KEY, figures)
        with pytest.raises(OSError, match="power cut"), store.engine.begin() as connection:
            migrate(connection, str(file), (*MIGRATIONS, broken))
        assert store.get(KEY) == figures
