"""No test reads or writes the result store of whoever runs the tests; libraries that the project may not ship."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aesmith.explore.store import ENVIRONMENT
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

PDK = Path(__file__).parents[2] / "shared" / "pdk"


@pytest.fixture(scope="session", autouse=True)
def _store_for_shared_fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ENVIRONMENT, str(tmp_path_factory.mktemp("store") / "results.sqlite"))
        yield


@pytest.fixture(autouse=True)
def _store_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store for each test, outside its `tmp_path`: what one test measured, another must measure again."""
    folder = Path(os.environ[ENVIRONMENT]).parent
    monkeypatch.setenv(ENVIRONMENT, str(folder / os.urandom(8).hex() / "results.sqlite"))


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
