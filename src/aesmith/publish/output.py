"""What this room writes: templates filled in, and a folder put in its place as a whole.

The user sees either all of a build or what was there before.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aesmith.errors import RequestError
from aesmith.templates import templates

MANIFEST = "manifest.json"
GENERATOR = "aesmith"
_WORK = re.compile(
    r"(tb|cocotb)/(obj_[^/]+|__pycache__)/|tb/tb_[^/]+\.vvp$|system/build/|build/|rust/(target/|Cargo\.lock$)"
    r"|linux/(\..*\.cmd|[^/]+\.(o|ko|mod|mod\.c)|Module\.symvers|modules\.order)$"
)


def render(template: str, **values: object) -> str:
    """The text of `templates/<template>.j2` with `values`; a name that is not given is an error."""
    return templates("aesmith.publish").get_template(f"{template}.j2").render(**values)


@contextmanager
def output_folder(path: Path, *, force: bool = False) -> Iterator[Path]:
    """A folder to fill, which takes the name `path` when the body ends well, and is gone when it does not.

    An untouched earlier build at `path` is replaced. One with edited or further files is replaced only with `force`;
    anything else never is. Raises RequestError, before the body runs, if `path` cannot be written or must not be.
    """
    # What a link leads to is meant, and a folder has a name of its own to be replaced under.
    path = Path(os.path.realpath(path))
    check_replaceable(path, force=force)
    created = _missing_parents(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        _remove_empty(created)
        blocking = next((parent for parent in path.parents if parent.exists() and not parent.is_dir()), None)
        reason = f"{blocking} is not a folder" if blocking else error.strerror or error
        raise RequestError(f"output folder {path}: cannot be written ({reason}); choose another with --out") from error
    try:
        new = staging / "new"
        new.mkdir()
        yield new
        check_replaceable(path, force=force)
        if path.exists():
            path.rename(staging / "old")
        try:
            new.rename(path)
        except OSError as error:
            if (staging / "old").exists():
                (staging / "old").rename(path)
            raise RequestError(f"output folder {path}: cannot be written ({error.strerror or error})") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        _remove_empty(created)


def is_work(path: str) -> bool:
    """Whether a path within a package is what its own make files, FuseSoC or a kernel's build leave there."""
    return _WORK.match(path) is not None


def check_replaceable(path: Path, *, force: bool = False) -> None:
    """Raises RequestError unless `path` is free, an empty folder, or a build that may be replaced."""
    path = Path(os.path.realpath(path))
    try:
        if not path.exists():
            return
        if not path.is_dir():
            raise RequestError(f"output folder {path}: is not a folder; choose another with --out")
        found = sorted(str(file.relative_to(path)) for file in path.rglob("*") if not file.is_dir())
        if not found:
            return
        known = _listed_files(path)
        if known is None:
            raise RequestError(
                f"output folder {path}: holds files that are no earlier build ({some(found)}); choose another with "
                "--out, or empty it yourself"
            )
        own = [file for file in found if file != MANIFEST and not is_work(file)]
        changed = [file for file in own if file not in known or _sha256(path / file) != known[file]]
    except OSError as error:
        raise RequestError(
            f"output folder {path}: cannot be used ({error.strerror or error}); choose another with --out"
        ) from error
    if changed and not force:
        raise RequestError(
            f"output folder {path}: holds a build with files that were edited or added since ({some(changed)}); "
            "--force replaces the folder and deletes them, --out chooses another"
        )


def _listed_files(path: Path) -> dict[str, str] | None:
    """File -> SHA-256 from the manifest of a build; None if the folder is no build."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        if manifest["generator"] != GENERATOR:
            return None
        return {str(entry["path"]): str(entry["sha256"]) for entry in manifest["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def some(files: list[str]) -> str:
    """The first three of these, and how many more."""
    return ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")


def _missing_parents(path: Path) -> list[Path]:
    try:
        return [parent for parent in path.parents if not parent.exists()]
    except OSError:
        return []


def _remove_empty(folders: list[Path]) -> None:
    """Removes the folders that were made for nothing, innermost first."""
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:
            return
