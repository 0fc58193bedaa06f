"""Kept files are whole, found again under their name only, and go when nobody has used them for long."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from aesmith import cache
from aesmith.cache import Cache, digest

DAY = 86400.0


def file_of(folder: Path, size: int, name: str = "made") -> Path:
    path = folder / name
    path.write_bytes(b"x" * size)
    return path


def used(cache_: Cache, name: str, seconds_ago: float) -> None:
    assert cache_.folder is not None
    moment = time.time() - seconds_ago
    os.utime(cache_.folder / name, (moment, moment))


def test_a_digest_changes_with_every_part_and_with_the_borders_between_them() -> None:
    names = {digest(parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["ab", "c", ""], ["c", "ab"])}
    assert len(names) == 5
    assert digest(["ab", "c"]) == digest(iter(["ab", "c"]))


def test_the_machine_is_part_of_a_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    here = digest(["a"])
    monkeypatch.setattr("platform.machine", lambda: "another")
    assert digest(["a"]) != here


def test_a_kept_file_is_found_as_it_was_also_after_the_original_changed(tmp_path: Path) -> None:
    kept = Cache(tmp_path / "cache")
    original = file_of(tmp_path, 3)
    original.chmod(0o755)
    path = kept.keep("one", original)
    original.write_text("another")
    assert kept.find("one") == path
    assert path.read_bytes() == b"xxx"
    assert os.access(path, os.X_OK)
    assert kept.find("two") is None
    assert kept.find_all("o") == [path]


def test_a_file_that_cannot_be_kept_is_used_where_it_is(tmp_path: Path) -> None:
    original = file_of(tmp_path, 3)
    for unusable in (Cache(None), Cache(original / "below")):
        with unusable.alone("one"):
            assert unusable.keep("one", original) == original
        assert unusable.find("one") is None
        assert unusable.find_all("") == []


def test_what_is_interrupted_while_it_is_kept_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    kept = Cache(tmp_path / "cache")
    monkeypatch.setattr("shutil.copymode", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept.keep("one", file_of(tmp_path, 3))
    assert kept.find("one") is None
    assert list((tmp_path / "cache").iterdir()) == []


def test_old_files_go_and_those_used_longest_ago_when_there_are_too_many_bytes(tmp_path: Path) -> None:
    kept = Cache(tmp_path / "cache", most_bytes=250, most_days=10)
    for name, days in (("old", 11), ("longest", 9), ("lately", 1)):
        kept.keep(name, file_of(tmp_path, 100))
        used(kept, name, days * DAY)
    kept.keep("now", file_of(tmp_path, 100))
    assert [name for name in ("old", "longest", "lately", "now") if kept.find(name)] == ["lately", "now"]


def test_a_file_just_used_stays_whatever_the_size(tmp_path: Path) -> None:
    kept = Cache(tmp_path / "cache", most_bytes=50)
    kept.keep("one", file_of(tmp_path, 100))
    kept.keep("two", file_of(tmp_path, 100))
    assert kept.find("one") is not None


def _work(folder: str, log: str) -> None:
    with Cache(Path(folder)).alone("one"):
        for event in ("in", "out"):
            with open(log, "a", encoding="utf-8") as file:
                file.write(f"{event}\n")
            time.sleep(0.02)


def test_processes_wait_for_one_another(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    log = tmp_path / "log"
    workers = [context.Process(target=_work, args=(str(tmp_path / "cache"), str(log))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert log.read_text().split() == ["in", "out"] * 3


def test_the_folder_is_the_users_unless_another_or_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(cache.ENVIRONMENT)
    assert cache.default_folder() == tmp_path / "aesmith"
    monkeypatch.setenv(cache.ENVIRONMENT, str(tmp_path / "mine"))
    assert cache.default_folder() == tmp_path / "mine"
    monkeypatch.setenv(cache.ENVIRONMENT, "")
    assert cache.default_folder() is None
