"""The result store: measurements under the hash of everything they depend on, shared by any number of processes.

SQLite by default; PostgreSQL, or whatever else SQLAlchemy has a driver for, by its URL. One measurement is one row,
written in one transaction: a process that is killed leaves the row or none. Claims keep two processes from measuring
the same; a claim lapses soon after its owner has died.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, Engine, Table, create_engine, delete, event, func, insert, select, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, NoSuchModuleError, OperationalError

from aesmith.errors import AesmithError, RequestError, ToolError
from aesmith.explore.owner import has_ended, new_owner
from aesmith.explore.schema import CLAIMS, FPGA_RUNS, MEASUREMENTS, migrate
from aesmith.flow.measurement import Measurement

_T = TypeVar("_T")

LOCK_TIMEOUT_S = 30.0
LEASE_S = 60.0
ENVIRONMENT = "AESMITH_STORE"
_POSTGRESQL = ("postgresql", "postgres")


def default_location() -> str:
    """`$AESMITH_STORE`, else `$XDG_DATA_HOME/aesmith/results.sqlite` (default: `~/.local/share`)."""
    if given := os.environ.get(ENVIRONMENT):
        return given
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(home) / "aesmith" / "results.sqlite")


@dataclass(frozen=True)
class Store:
    """An open store. `where` is what errors call it, `location` the path or URL that opens it again, in any process;
    `owner` is who claims are made by, one for each opening."""

    engine: Engine
    where: str
    location: str
    owner: str = field(default_factory=new_owner)

    def get(self, key: str) -> Measurement | None:
        """The measurement under this key, or None.

        Raises RequestError if the row is damaged, ToolError if the store stays locked.
        """
        return self._read(MEASUREMENTS, MEASUREMENTS.c.measurement, key, Measurement.from_json)

    def put(self, key: str, measurement: Measurement) -> None:
        """Keep a measurement under its key; one that is there already is replaced. Ends a claim of the key.

        Raises ToolError if the store stays locked or cannot be written.
        """
        text = json.dumps(measurement.to_json(), sort_keys=True)
        values = {
            "design": measurement.design,
            "library": measurement.library,
            "optimise": str(measurement.optimise),
            "measurement": text,
            "digest": _digest(text),
        }
        self._write(MEASUREMENTS, key, values)

    def get_fpga_run(self, key: str) -> dict[str, Any] | None:
        """The plain values kept of an FPGA run under this key, or None. Raises as `get` does."""
        return self._read(FPGA_RUNS, FPGA_RUNS.c.run, key, dict)

    def put_fpga_run(self, key: str, design: str, device: str, run: Mapping[str, Any]) -> None:
        """Keep the plain values of an FPGA run under its key, as `put` does."""
        text = json.dumps(run, sort_keys=True)
        self._write(FPGA_RUNS, key, {"design": design, "device": device, "run": text, "digest": _digest(text)})

    def claim(self, key: str, lease_s: float = LEASE_S) -> bool:
        """Whether this process may measure `key` now: nobody else does, or who did has ended, or not renewed its claim.

        A claim of one's own is renewed. It holds for `lease_s` seconds. That a process has ended is seen at once on the
        same machine; elsewhere its claims lapse.
        """
        now = time.time()
        values = {"owner": self.owner, "until": now + lease_s}
        try:
            with self.transaction() as connection:
                held = connection.execute(select(CLAIMS.c.owner, CLAIMS.c.until).where(CLAIMS.c.key == key)).first()
                if held is None:
                    connection.execute(insert(CLAIMS).values(key=key, **values))
                    return True
                if held.owner != self.owner and held.until >= now and not has_ended(held.owner):
                    return False
                same = (CLAIMS.c.key == key, CLAIMS.c.owner == held.owner, CLAIMS.c.until == held.until)
                return bool(connection.execute(update(CLAIMS).where(*same).values(**values)).rowcount)
        except IntegrityError:  # another process has claimed it between our two statements
            return False

    def release(self, key: str) -> None:
        """Give up a claim of one's own, so that others need not wait for it to lapse."""
        with self.transaction() as connection:
            connection.execute(delete(CLAIMS).where(CLAIMS.c.key == key, CLAIMS.c.owner == self.owner))

    def __len__(self) -> int:
        """Number of measurements."""
        with self.transaction() as connection:
            return int(connection.execute(select(func.count()).select_from(MEASUREMENTS)).scalar_one())

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _read(self, table: Table, column: Column[str], key: str, parse: Callable[[Any], _T]) -> _T | None:
        with self.transaction() as connection:
            row = connection.execute(select(column, table.c.digest).where(table.c.key == key)).one_or_none()
        if row is None:
            return None
        text, digest = row
        try:
            if _digest(text) != digest:
                raise ValueError("its digest is another")
            return parse(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RequestError(
                f"store: {self.where} holds a damaged measurement ({error}); measure anew with --refresh, or delete "
                "the store"
            ) from error

    def _write(self, table: Table, key: str, values: Mapping[str, str]) -> None:
        for _ in range(2):
            try:
                with self.transaction() as connection:
                    changed = connection.execute(update(table).where(table.c.key == key).values(values))
                    if not changed.rowcount:
                        connection.execute(insert(table).values(key=key, **values))
                    connection.execute(delete(CLAIMS).where(CLAIMS.c.key == key))
                return
            except IntegrityError:  # another process has put it between our two statements: now there is a row
                continue

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection whose statements take effect together, at the end of the body, or not at all.

        Raises IntegrityError of SQLAlchemy as it is, any other failure as `get` does.
        """
        try:
            with self.engine.begin() as connection:
                yield connection
        except IntegrityError:
            raise
        except DatabaseError as error:
            raise _explained(error, self.where) from error


@contextmanager
def open_store(location: str | Path | None = None) -> Iterator[Store]:
    """The store at a path or URL (default: `default_location()`), made or brought to the newest schema if need be.

    Raises RequestError for a file that is no store, a folder that cannot be written, an unknown kind of URL or a store
    of a newer aesmith; ToolError for one that stays locked, or whose server cannot be reached.
    """
    text = str(location) if location is not None else default_location()
    url = text if "://" in text else f"sqlite:///{_writable(Path(text).expanduser())}"
    try:
        address = make_url(url)
        if address.drivername in _POSTGRESQL:
            address = address.set(drivername="postgresql+psycopg")
        where = address.render_as_string(hide_password=True).removeprefix("sqlite:///")
        engine = create_engine(address)
    except (ArgumentError, NoSuchModuleError) as error:
        raise RequestError(f"store: must be a file or a database URL such as postgresql://…, not {text!r}") from (error)
    except ModuleNotFoundError as error:
        raise ToolError(f"store: {text} needs the Python package {error.name}; install it with pip") from error
    if engine.dialect.name == "sqlite":
        _shared_sqlite(engine)
    store = Store(engine, where, text if "://" in text else str(Path(text).expanduser().resolve()))
    try:
        with store.transaction() as connection:
            migrate(connection, where)
        yield store
    finally:
        store.close()


def _shared_sqlite(engine: Engine) -> None:
    """Make SQLite wait for other processes, and begin transactions by itself: the driver begins them too late."""

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {LOCK_TIMEOUT_S * 1000:.0f}")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        # A transaction that reads first and writes later could find another writer in between.
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def can_be_written(location: str) -> bool:
    """Whether a store in a file at `location` can be opened or made there."""
    file = Path(location).expanduser()
    existing = next(folder for folder in (file, *file.parents) if folder.exists())
    return not file.is_dir() and (existing == file or existing.is_dir()) and os.access(existing, os.W_OK)


def _writable(file: Path) -> Path:
    if not can_be_written(str(file)):
        raise RequestError(
            f"store: {file} is not a file that can be written; give another with --store, or do without: --no-store"
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _explained(error: DatabaseError, where: str) -> AesmithError:
    reason = str(error.orig)
    if "locked" in reason or "busy" in reason:
        return ToolError(
            f"store: {where} has been locked by another program for {LOCK_TIMEOUT_S:.0f} s; end that program, give "
            "another store with --store, or do without: --no-store"
        )
    if "not a database" in reason or "malformed" in reason:
        return RequestError(
            f"store: {where} is not a result store, or is damaged ({reason}); move it away, give another with --store, "
            "or do without: --no-store"
        )
    if isinstance(error, OperationalError):
        return ToolError(f"store: {where} cannot be used ({reason}); give another with --store")
    return ToolError(f"store: {where} failed ({reason})")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
