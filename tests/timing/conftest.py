from collections.abc import Callable
from pathlib import Path

import pytest

from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

PDK = Path(__file__).parents[3] / "shared" / "pdk"


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
