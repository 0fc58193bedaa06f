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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, OperationalError

from aesmith.errors import AesmithError, RequestError, ToolError
from aesmith.explore.claims import LEASE_S, has_ended, new_owner
from aesmith.flow.measurement import Measurement
from aesmith.scratch import absolute, expanded, user_folder

_T = TypeVar("_T")

LOCK_TIMEOUT_S = 30.0
ENVIRONMENT = "AESMITH_STORE"
_POSTGRESQL = ("postgresql", "postgres")
_MIGRATING = 0x6165736D697468

METADATA = MetaData()

SCHEMA = Table("aesmith_schema", METADATA, Column("version", Integer, nullable=False))
"""One row: the schema's version."""

MEASUREMENTS = Table(
    "measurements",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("design", String(200), nullable=False),
    Column("library", String(200), nullable=False),
    Column("optimise", String(20), nullable=False),
    Column("measurement", Text, nullable=False),
    Column("digest", String(64), nullable=False),
)
"""A measurement as JSON under the key of everything it depends on; `digest` is the JSON's SHA-256."""

CLAIMS = Table(
    "claims",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("until", Float, nullable=False),
)
"""Who is measuring what; `until` (seconds since 1970) is when the claim lapses unless it is renewed."""

FPGA_RUNS = Table(
    "fpga_runs",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("design", String(200), nullable=False),
    Column("device", String(40), nullable=False),
    Column("run", Text, nullable=False),
    Column("digest", String(64), nullable=False),
)
"""What a design takes on a device, or one placement of it, as JSON under the key of everything it depends on."""

FACTS = Table(
    "facts",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("fact", Text, nullable=False),
    Column("digest", String(64), nullable=False),
)
"""What need not be found out twice (what a specification gives, that a core was verified), as JSON under its key."""

POINTS = Table(
    "points",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("status", String(20), nullable=False),
    Column("point", Text, nullable=False),
    Column("digest", String(64), nullable=False),
)
"""A finished or failed point of a design space as JSON, under the key of everything it depends on."""

RUNS = Table(
    "runs",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("name", String(120), nullable=False, unique=True),
    Column("space", String(100), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("started", Float, nullable=False),
)
"""Sweeps: `digest` is that of the keys of all points, so what is asked for again is the same run; `started` counts
seconds since 1970."""

RUN_POINTS = Table(
    "run_points",
    METADATA,
    Column("run", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("key", String(64), nullable=False, index=True),
    Column("request", String(64), nullable=False),
)
"""The points of a run in their order; `request` is what the user named, whatever code makes it."""


def default_location() -> str:
    """`$AESMITH_STORE`, else `$XDG_DATA_HOME/aesmith/results.sqlite` (default: `~/.local/share`)."""
    if given := os.environ.get(ENVIRONMENT):
        return given
    return str(user_folder("XDG_DATA_HOME", ".local/share") / "aesmith" / "results.sqlite")


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

    def placed(self) -> list[Measurement]:
        """All measurements with figures of a placement. Raises as `get` does."""
        with self.transaction() as connection:
            named = select(MEASUREMENTS.c.key).where(MEASUREMENTS.c.measurement.like('%"placed": {%'))
            keys = list(connection.execute(named.order_by(MEASUREMENTS.c.key)).scalars())
        return [measurement for key in keys if (measurement := self.get(key)) is not None]

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
def open_store(location: str | Path | None = None, *, existing: bool = False) -> Iterator[Store]:
    """The store at a path or URL (default: `default_location()`), made or brought to the newest schema if need be.

    For who only reads, `existing`: then a file that is not there is an error, and nothing is made.
    Raises RequestError for a file that is no store, a folder that cannot be written, an unknown kind of URL or a store
    of a newer aesmith; ToolError for one that stays locked, or whose server cannot be reached.
    """
    text = str(location) if location is not None else default_location()
    url = text if "://" in text else f"sqlite:///{_file(expanded(text), existing=existing)}"
    try:
        address = make_url(url)
        if address.drivername in _POSTGRESQL:
            address = address.set(drivername="postgresql+psycopg")
        where = address.render_as_string(hide_password=True).removeprefix("sqlite:///")
        a_file = address.drivername == "sqlite" and address.database not in (None, "", ":memory:")
        if not a_file and address.drivername != "postgresql+psycopg":
            raise RequestError(f"store: must be a file, or a database as postgresql://HOST/NAME, not {where or text}")
        if not a_file and find_spec("psycopg") is None:
            raise ToolError("psycopg: not installed; install it with `pip install 'psycopg[binary]'`")
        engine = create_engine(address)
    except ArgumentError as error:
        raise RequestError(f"store: must be a file, or a database as postgresql://HOST/NAME, not {text!r}") from error
    if engine.dialect.name == "sqlite":
        _shared_sqlite(engine)
    store = Store(engine, where, text if "://" in text else str(absolute(text)))
    try:
        with store.transaction() as connection:
            migrate(connection, where)
        yield store
    finally:
        store.close()


Migration = Callable[[Connection], None]
"""Takes a store from one version to the next, inside a transaction."""


def _with_fpga_runs(connection: Connection) -> None:
    FPGA_RUNS.create(connection, checkfirst=True)


def _with_sweeps(connection: Connection) -> None:
    METADATA.create_all(connection, [FACTS, POINTS, RUNS, RUN_POINTS])


MIGRATIONS: tuple[Migration, ...] = (METADATA.create_all, _with_fpga_runs, _with_sweeps)
"""Migration k takes a store of version k to version k+1; an empty database has version 0."""


def migrate(connection: Connection, where: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the store on this connection to the newest schema, within its transaction.

    Raises RequestError, naming the store as `where`, for one that a newer aesmith wrote, or another program.
    """
    if connection.dialect.name == "postgresql":
        # Of several that open an empty database at once, one makes the tables; SQLite has begun with a lock.
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATING})")
    known = set(inspect(connection).get_table_names())
    version = 0
    if SCHEMA.name in known:
        version = connection.execute(select(SCHEMA.c.version)).scalar_one()
    elif known:
        raise RequestError(
            f"store: {where} is a database of something else (it has the tables {', '.join(sorted(known))}); "
            "give another with --store"
        )
    if version > len(migrations):
        raise RequestError(
            f"store: {where} was written by a newer aesmith (schema {version}; this one knows up to "
            f"{len(migrations)}); update aesmith, or give another store with --store"
        )
    if version == len(migrations):
        return
    for migration in migrations[version:]:
        migration(connection)
    if version:
        connection.execute(update(SCHEMA).values(version=len(migrations)))
    else:
        SCHEMA.create(connection, checkfirst=True)
        connection.execute(insert(SCHEMA).values(version=len(migrations)))


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


def is_there(location: str) -> bool:
    """Whether there is a store to be read at a path; of a URL, which only its server can tell, yes."""
    return "://" in location or expanded(location).exists()


def can_be_written(location: str) -> bool:
    """Whether a store in a file at `location` can be opened or made there."""
    file = expanded(location)
    existing = next(folder for folder in (file, *file.parents) if folder.exists())
    return not file.is_dir() and (existing == file or existing.is_dir()) and os.access(existing, os.W_OK)


def _file(file: Path, *, existing: bool) -> Path:
    if existing and not is_there(str(file)):
        raise RequestError(f"store: there is no {file}; sweep or measure something first, or give another with --store")
    if not can_be_written(str(file)):
        raise RequestError(
            f"store: {file} is not a file that can be written; give another with --store, or do without: --no-store"
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _explained(error: DatabaseError, where: str) -> AesmithError:
    reason = " ".join(str(error.orig).split())
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
