"""Libraries by name: the embedded one, those the user registered once, or a file by its path."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from aesmith.errors import RequestError, explained, meant
from aesmith.scratch import absolute, expanded, user_folder, write_whole
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

EMBEDDED = "generic45"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def registered_libraries() -> dict[str, Path]:
    """All libraries known by name with their file, of several the first; the embedded one first, the others by name.

    The others are kept in `$XDG_CONFIG_HOME/aesmith/libraries.json` (default: `~/.config`). Raises RequestError if
    that file is damaged.
    """
    return {name: files[0] for name, files in registered_files().items()}


def registered_files() -> dict[str, tuple[Path, ...]]:
    """As `registered_libraries`, with all files of each library in the order in which they were given."""
    return {EMBEDDED: (embedded_path(),)} | dict(sorted(_load().items()))


def embedded_path() -> Path:
    """The Liberty file of the embedded library."""
    return Path(str(files("aesmith.technology") / "data" / f"{EMBEDDED}.lib"))


def register(name: str, *files: Path) -> Library:
    """Give a library a name, once its Liberty files have been read and found fit for synthesis. They are not copied.

    Raises RequestError for a name that is taken by the embedded library or not made of letters, digits, `_`, `-` and
    `.`, and for files that will not do.
    """
    if not _NAME.fullmatch(name) or name == EMBEDDED:
        raise RequestError(
            f"library name: must be letters, digits, '_', '-' and '.', begin with a letter or digit, and not be "
            f"{EMBEDDED}, not {name!r}"
        )
    paths = tuple(absolute(file) for file in files)
    library = _read(paths, name)
    _save(_load() | {name: paths})
    return library


def remove(name: str) -> None:
    """Forget a registered library; its file stays. Raises RequestError if it is not registered."""
    known = _load()
    if name not in known:
        raise RequestError(
            f"library: {name!r} is not registered; registered are: {', '.join(sorted(known)) or 'none'}"
            f"{meant(name, known)}"
        )
    _save({key: path for key, path in known.items() if key != name})


def library_by(name_or_path: str | Path | Sequence[str | Path]) -> Library:
    """The library of this name, or else in this file or these files, read and found fit for synthesis.

    Raises RequestError if there is neither, or the files will not do.
    """
    if not isinstance(name_or_path, str | Path):
        return _read(tuple(expanded(str(file)).resolve() for file in name_or_path), None)
    known = registered_files()
    text = str(name_or_path)
    if text in known:
        return _read(known[text], text)
    path = expanded(text)
    if not path.is_file():
        raise RequestError(
            f"library: {text!r} is neither a known name nor a file; known names: {', '.join(known)}; "
            f"register more with `aesmith library add NAME FILE`{meant(text, known)}"
        )
    return _read((path.resolve(),), None)


def _read(files: tuple[Path, ...], name: str | None) -> Library:
    library = read_library(files, name)
    library.check_for_synthesis()
    return library


def _config() -> Path:
    return user_folder("XDG_CONFIG_HOME", ".config") / "aesmith" / "libraries.json"


def _load() -> dict[str, tuple[Path, ...]]:
    file = _config()
    if not file.exists():
        return {}
    try:
        entries = json.loads(file.read_text())
        return {
            str(name): tuple(map(Path, paths)) if isinstance(paths, list) else (Path(paths),)
            for name, paths in entries.items()
        }
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise RequestError(f"{file}: must be a JSON object of names and paths ({error}); mend or delete it") from error


def _save(entries: dict[str, tuple[Path, ...]]) -> None:
    """Replace the file in one step, so that nobody ever reads half of it."""
    file = _config()
    paths = {name: [str(path) for path in files] for name, files in sorted(entries.items())}
    # One file alone, as older versions had it.
    text = json.dumps({name: of[0] if len(of) == 1 else of for name, of in paths.items()}, indent=2) + "\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explained(error, f"libraries: {file.parent} cannot be made") from error
    write_whole(file, text, "libraries")
