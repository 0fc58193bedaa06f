"""No test reads or writes the result store of whoever runs the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from aesmith.explore.store import ENVIRONMENT


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
