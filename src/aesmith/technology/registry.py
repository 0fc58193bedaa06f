"""Libraries by name: the embedded one, those the user registered once, or a file by its path."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

from aesmith.errors import RequestError, explained, meant
from aesmith.scratch import absolute, expanded, user_folder, write_whole
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

EMBEDDED = "generic45"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def registered_libraries() -> dict[str, Path]:
    """All libraries known by name, the embedded one first, the others by name.

    The others are kept in `$XDG_CONFIG_HOME/aesmith/libraries.json` (default: `~/.config`). Raises RequestError if
    that file is damaged.
    """
    return {EMBEDDED: embedded_path()} | dict(sorted(_load().items()))


def embedded_path() -> Path:
    """The Liberty file of the embedded library."""
    return Path(str(files("aesmith.technology") / "data" / f"{EMBEDDED}.lib"))


def register(name: str, file: Path) -> Library:
    """Give a Liberty file a name, once it has been read and found fit for synthesis. The file is not copied.

    Raises RequestError for a name that is taken by the embedded library or not made of letters, digits, `_`, `-` and
    `.`, and for a file that will not do.
    """
    if not _NAME.fullmatch(name) or name == EMBEDDED:
        raise RequestError(
            f"library name: must be letters, digits, '_', '-' and '.', begin with a letter or digit, and not be "
            f"{EMBEDDED}, not {name!r}"
        )
    path = absolute(file)
    library = _read(path, name)
    _save(_load() | {name: path})
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


def library_by(name_or_path: str | Path) -> Library:
    """The library of this name, or else in this file, read and found fit for synthesis.

    Raises RequestError if there is neither, or the file will not do.
    """
    known = registered_libraries()
    text = str(name_or_path)
    if text in known:
        return _read(known[text], text)
    path = expanded(text)
    if not path.is_file():
        raise RequestError(
            f"library: {text!r} is neither a known name nor a file; known names: {', '.join(known)}; "
            f"register more with `aesmith library add NAME FILE`{meant(text, known)}"
        )
    return _read(path.resolve(), None)


def _read(path: Path, name: str | None) -> Library:
    library = read_library(path, name)
    library.check_for_synthesis()
    return library


def _config() -> Path:
    return user_folder("XDG_CONFIG_HOME", ".config") / "aesmith" / "libraries.json"


def _load() -> dict[str, Path]:
    file = _config()
    if not file.exists():
        return {}
    try:
        entries = json.loads(file.read_text())
        return {str(name): Path(path) for name, path in entries.items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise RequestError(f"{file}: must be a JSON object of names and paths ({error}); mend or delete it") from error


def _save(entries: dict[str, Path]) -> None:
    """Replace the file in one step, so that nobody ever reads half of it."""
    file = _config()
    text = json.dumps({name: str(path) for name, path in sorted(entries.items())}, indent=2) + "\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explained(error, f"libraries: {file.parent} cannot be made") from error
    write_whole(file, text, "libraries")
