import gzip
import json
from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.technology.registry import embedded_path, library_by, register, registered_libraries, remove


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "aesmith" / "libraries.json"


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    file = tmp_path / "mine.lib.gz"
    file.write_bytes(gzip.compress(embedded_path().read_bytes()))
    return file


def test_the_embedded_library_is_always_there() -> None:
    assert list(registered_libraries()) == ["generic45"]
    assert library_by("generic45").name == "generic45"


def test_a_registered_library_is_found_by_name(packed: Path, config: Path) -> None:
    assert register("mine", packed).name == "mine"
    assert registered_libraries() == {"generic45": embedded_path(), "mine": packed}
    assert library_by("mine").path == packed
    assert json.loads(config.read_text()) == {"mine": str(packed)}
    assert [file.name for file in config.parent.iterdir()] == ["libraries.json"]


def test_a_relative_path_is_kept_as_an_absolute_one(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(packed.parent)
    register("mine", Path(packed.name))
    monkeypatch.chdir("/")
    assert library_by("mine").path == packed


def test_a_library_is_found_by_path(packed: Path) -> None:
    assert library_by(packed).title == "generic45"
    assert library_by(str(packed)).path == packed


def test_a_removed_library_is_gone_and_its_file_stays(packed: Path) -> None:
    register("mine", packed)
    remove("mine")
    assert list(registered_libraries()) == ["generic45"]
    assert packed.exists()
    with pytest.raises(RequestError, match="'mine' is not registered; registered are: none"):
        remove("mine")


@pytest.mark.parametrize("name", ["generic45", "", "a b", "-x", "a/b"])
def test_a_bad_name_is_refused(name: str, packed: Path) -> None:
    with pytest.raises(RequestError, match="library name: must be"):
        register(name, packed)
    assert list(registered_libraries()) == ["generic45"]


def test_a_file_that_will_not_do_is_not_registered(tmp_path: Path) -> None:
    (tmp_path / "bad.lib").write_text("nonsense")
    with pytest.raises(RequestError, match="not a Liberty file"):
        register("bad", tmp_path / "bad.lib")
    assert list(registered_libraries()) == ["generic45"]


def test_an_unknown_name_lists_the_known_ones(packed: Path) -> None:
    register("mine", packed)
    with pytest.raises(RequestError, match="'yours' is neither a known name nor a file; known names: generic45, mine"):
        library_by("yours")


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_a_damaged_list_is_named(text: str, config: Path) -> None:
    config.parent.mkdir(parents=True)
    config.write_text(text)
    with pytest.raises(RequestError, match=r"libraries\.json: must be a JSON object"):
        registered_libraries()
