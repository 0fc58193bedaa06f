"""No test touches the store or the cache of whoever runs the tests; libraries that the project may not ship."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from aesmith.explore.store import ENVIRONMENT as STORE
from aesmith.flow.cache import ENVIRONMENT as CACHE
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

PDK = Path(__file__).parents[2] / "shared" / "pdk"

TIMES = "AESMITH_TEST_TIMES"
"""Environment variable: a file to which each test adds a line *processor seconds, wall seconds, test*."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Durations on a busy machine mislead: seconds of processor, of this process and of all it waited for, do not."""
    before = os.times()
    outcome = yield
    if TIMES in os.environ:
        after = os.times()
        with open(os.environ[TIMES], "a", encoding="utf-8") as file:
            file.write(f"{sum(after[:4]) - sum(before[:4]):.2f}\t{after[4] - before[4]:.2f}\t{item.nodeid}\n")
    return outcome


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the whole run: all processes of pytest-xdist have the same."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session", autouse=True)
def _apart_from_the_user(tmp_path_factory: pytest.TempPathFactory, run_folder: Path) -> Iterator[None]:
    """A store for shared fixtures, and an empty cache of compiled simulators for the whole run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STORE, str(tmp_path_factory.mktemp("store") / "results.sqlite"))
        patch.setenv(CACHE, str(run_folder / "cache"))
        yield


@pytest.fixture(autouse=True)
def _store_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store for each test, outside its `tmp_path`: what one test measured, another must measure again."""
    folder = Path(os.environ[STORE]).parent
    monkeypatch.setenv(STORE, str(folder / os.urandom(8).hex() / "results.sqlite"))


@pytest.fixture(scope="session")
def pdk() -> Callable[[str], Path]:
    """The file of a library that is not part of the project; the test is skipped where it is missing."""

    def path(name: str) -> Path:
        file = PDK / f"{name}.lib.gz"
        if not file.is_file():
            pytest.skip(f"the library {file.name} is not in {PDK.name}/ beside the checkout")
        return file

    return path


@pytest.fixture(scope="session")
def pdk_library(pdk: Callable[[str], Path]) -> Callable[[str], Library]:
    """A library that is not part of the project, read once a session."""
    read: dict[str, Library] = {}

    def library(name: str) -> Library:
        if name not in read:
            read[name] = read_library(pdk(name))
        return read[name]

    return library
