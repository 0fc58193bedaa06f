"""A build appears as a whole, replaces only builds, and leaves nothing when it fails."""

import hashlib
import json
from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.publish.output import output_folder


def put(path: Path, text: str = "content", *, force: bool = False) -> None:
    with output_folder(path, force=force) as folder:
        (folder / "file").write_text(text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        manifest = {"generator": "aesmith", "files": [{"path": "file", "sha256": digest}]}
        (folder / "manifest.json").write_text(json.dumps(manifest))


def everything(folder: Path) -> dict[str, str]:
    return {str(f.relative_to(folder)): f.read_text() for f in sorted(folder.rglob("*")) if f.is_file()}


def test_a_new_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    put(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / "file").read_text() == "content"
    assert [entry.name for entry in (tmp_path / "a").iterdir()] == ["b"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    put(tmp_path / "out")
    assert (tmp_path / "out" / "file").exists()


def test_an_untouched_build_is_replaced(tmp_path: Path) -> None:
    put(tmp_path / "out", "old")
    put(tmp_path / "out", "new")
    assert (tmp_path / "out" / "file").read_text() == "new"


@pytest.mark.parametrize("change", ["file", "more"])
def test_an_edited_build_is_replaced_only_by_force(tmp_path: Path, change: str) -> None:
    put(tmp_path / "out")
    (tmp_path / "out" / change).write_text("mine")
    with pytest.raises(RequestError, match=f"edited or added since \\({change}\\).*--force"):
        put(tmp_path / "out", "new")
    assert (tmp_path / "out" / change).read_text() == "mine"
    put(tmp_path / "out", "new", force=True)
    assert set(everything(tmp_path / "out")) == {"file", "manifest.json"}


def test_what_its_make_files_left_does_not_keep_a_build_from_being_replaced(tmp_path: Path) -> None:
    put(tmp_path / "out")
    for made in ("tb/obj_core/Vcore.cpp", "tb/tb_core.vvp", "linux/core_crypto.o", "system/build/firmware.elf"):
        (tmp_path / "out" / made).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / made).touch()
    put(tmp_path / "out", "new")
    assert set(everything(tmp_path / "out")) == {"file", "manifest.json"}


@pytest.mark.parametrize("manifest", [None, "{}", "not json", '{"generator": "other", "files": []}'])
@pytest.mark.parametrize("force", [False, True])
def test_foreign_files_are_never_replaced(tmp_path: Path, manifest: str | None, force: bool) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    if manifest is not None:
        (tmp_path / "out" / "manifest.json").write_text(manifest)
    before = everything(tmp_path)
    with pytest.raises(RequestError, match="no earlier build"):
        put(tmp_path / "out", force=force)
    assert everything(tmp_path) == before


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(RequestError, match="is not a folder"):
        put(tmp_path / "out")
    with pytest.raises(RequestError, match="out is not a folder"):
        put(tmp_path / "out" / "below")


def test_a_folder_that_cannot_be_made_is_an_error_of_the_request() -> None:
    with pytest.raises(RequestError, match="cannot be written"):
        put(Path("/proc/aesmith/out"))


def interrupted_by(error: BaseException, path: Path) -> None:
    with output_folder(path) as folder:
        (folder / "half").write_text("written")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    put(tmp_path / "out", "old")
    before = everything(tmp_path)
    with pytest.raises(error):
        interrupted_by(error(), tmp_path / "out")
    assert everything(tmp_path) == before


def test_a_failure_removes_the_parents_made_for_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted_by(KeyboardInterrupt(), tmp_path / "a" / "b" / "c")
    assert list(tmp_path.iterdir()) == []


def put_while_another_writes(path: Path) -> None:
    with output_folder(path):
        path.mkdir()
        (path / "theirs").write_text("kept")


def test_what_others_write_meanwhile_is_not_deleted(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no earlier build"):
        put_while_another_writes(tmp_path / "out")
    assert everything(tmp_path) == {"out/theirs": "kept"}


def test_a_link_to_an_empty_folder_is_filled_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    put(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "file").read_text() == "content"
