"""Points as files that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aesmith.errors import RequestError

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".csv", ".parquet")


def export(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as CSV or Parquet, by the ending of the file's name; in Parquet every column keeps its type.

    Raises RequestError for another ending, or a file that cannot be written.
    """
    check_export(path)
    try:
        if path.suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path, index=False)
    except OSError as error:
        raise RequestError(f"file: {path} cannot be written ({error.strerror or error})") from error


def check_export(path: Path) -> None:
    """Raise RequestError for a file whose name says of no format that `export` writes, or whose folder is not there."""
    if path.suffix not in SUFFIXES:
        raise RequestError(f"file: must end in {' or '.join(SUFFIXES)}, not {path.suffix or path.name!r}")
    if not path.parent.is_dir():
        raise RequestError(f"file: there is no folder {path.parent}")
