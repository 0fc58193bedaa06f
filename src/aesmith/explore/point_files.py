"""Points as files, CSV or Parquet: written for other programs, and read again, checked column by column."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from aesmith.errors import RequestError
from aesmith.explore.points import COLUMNS
from aesmith.lazy import LazyModule
from aesmith.scratch import write_whole

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

_DATA = "aesmith.explore"
READ, WRITTEN = (".csv", ".csv.gz", ".parquet"), (".csv", ".parquet")
"""What the names of files end with."""


def shipped_points() -> dict[str, Path]:
    """The exports that come with aesmith, by name: what was measured of its own design spaces."""
    folder = Path(str(files(_DATA) / "data"))
    return {path.stem: path for path in sorted(folder.glob("*.csv"))}


def points_by(request: str) -> pd.DataFrame:
    """The points of the export of this name that comes with aesmith, or else in this file. Raises as `read_points`."""
    shipped = shipped_points()
    if request in shipped:
        return read_points(shipped[request])
    if not request.endswith(READ):
        names = ", ".join(shipped) or "none"
        raise RequestError(f"points: must be an export that comes with aesmith ({names}) or a file, not {request!r}")
    return read_points(Path(request))


def read_points(file: Path) -> pd.DataFrame:
    """The frame of points in a file; columns are `points.COLUMNS`, others are left out.

    Raises RequestError for a file that cannot be read, lacks a column, or has a value that is none of its column.
    """
    if not file.name.endswith(READ):
        raise RequestError(f"points: must be a file that ends in {', '.join(READ)}, not {file}")
    try:
        # Pandas guesses types, which would take a design named 1e3 for a number: they are given below.
        read = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file, dtype="string")
    except OSError as error:
        raise RequestError(f"points: {file} cannot be read ({error.strerror or error})") from error
    except ValueError as error:
        raise RequestError(f"points: {file} is no table of points ({str(error).splitlines()[0]})") from error
    lacking = [column.name for column in COLUMNS if column.name not in read.columns]
    if lacking:
        raise RequestError(f"points: {file} lacks the column {lacking[0]}; it must be an export of a result store")
    columns = {}
    for column in COLUMNS:
        try:
            numbers = read[column.name] if column.dtype == "string" else pd.to_numeric(read[column.name])
            columns[column.name] = numbers.astype(column.dtype)
        except (ValueError, TypeError) as error:
            raise RequestError(f"points: {file}: column {column.name}: {error}") from error
    return pd.DataFrame(columns)


def export(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as CSV or Parquet, by the ending of the file's name; in Parquet every column keeps its type.

    Raises RequestError for another ending, or a file that cannot be written.
    """
    check_export(path)
    content = frame.to_csv(index=False) if path.suffix == ".csv" else frame.to_parquet(index=False)
    write_whole(path, content, "file")


def check_export(path: Path) -> None:
    """Raise RequestError for a file whose name says of no format that `export` writes, or whose folder is not there."""
    if path.suffix not in WRITTEN:
        raise RequestError(f"file: must end in {' or '.join(WRITTEN)}, not {path.suffix or path.name!r}")
    if not path.parent.is_dir():
        raise RequestError(f"file: there is no folder {path.parent}")
