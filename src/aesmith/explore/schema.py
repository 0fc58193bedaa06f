"""The tables of a result store, and how a store of an older schema becomes one of this."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
    update,
)

from aesmith.errors import RequestError

METADATA = MetaData()
_MIGRATING = 0x6165736D697468

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
