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

Migration = Callable[[Connection], None]
"""Takes a store from one version to the next, inside a transaction."""

MIGRATIONS: tuple[Migration, ...] = (METADATA.create_all,)
"""Migration k takes a store of version k to version k+1; an empty database has version 0."""


def migrate(connection: Connection, where: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the store on this connection to the newest schema, within its transaction.

    Raises RequestError, naming the store as `where`, for one that a newer aesmith wrote, or another program.
    """
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
