"""Facts through the store: what was found out once, by whichever process, is not found out again."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError

from aesmith.errors import RequestError
from aesmith.explore.claims import found_once
from aesmith.explore.store import FACTS, Store

Fact = dict[str, Any]
"""Plain JSON values by name."""


def digest_of(*parts: object) -> str:
    """SHA-256 (hex) of plain values, as JSON."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def known_facts(store: Store, kind: str) -> dict[str, Fact]:
    """All facts of a kind by their keys. Raises RequestError for a damaged one."""
    with store.transaction() as connection:
        rows = connection.execute(select(FACTS.c.key, FACTS.c.fact, FACTS.c.digest).where(FACTS.c.kind == kind)).all()
    return {row.key: _checked(store, row.fact, row.digest) for row in rows}


def fact(store: Store, key: str) -> Fact | None:
    """The fact under a key, or None. Raises RequestError for a damaged one."""
    with store.transaction() as connection:
        row = connection.execute(select(FACTS.c.fact, FACTS.c.digest).where(FACTS.c.key == key)).one_or_none()
    return None if row is None else _checked(store, row.fact, row.digest)


def keep_facts(store: Store, kind: str, facts: Mapping[str, Fact]) -> None:
    """Keep facts under their keys, in one transaction; what is there already stays or is replaced by its equal."""
    rows = [
        {"key": key, "kind": kind, "fact": text, "digest": digest_of(text)}
        for key, text in ((key, json.dumps(value, sort_keys=True)) for key, value in facts.items())
    ]
    for _ in range(2):
        try:
            with store.transaction() as connection:
                for start in range(0, len(rows), 500):
                    part = rows[start : start + 500]
                    connection.execute(delete(FACTS).where(FACTS.c.key.in_([row["key"] for row in part])))
                    connection.execute(insert(FACTS), part)
            return
        except IntegrityError:  # another process has put one of them between our two statements
            continue


def find_once(
    store: Store, kind: str, key: str, find: Callable[[], Fact], *, cancel: threading.Event | None = None
) -> tuple[Fact, bool]:
    """The fact under `key`, or else what `find` finds, kept and claimed meanwhile; and whether it was known.

    While another process looks, this one waits; if that process dies, this one looks. Raises what `find` and the store
    raise, and Cancelled.
    """

    def find_and_keep() -> Fact:
        found = find()
        keep_facts(store, kind, {key: found})
        return found

    return found_once(store, key, lambda: fact(store, key), find_and_keep, cancel=cancel)


def _checked(store: Store, text: str, digest: str) -> Fact:
    if digest_of(text) != digest:
        raise RequestError(f"store: {store.where} is damaged (a fact's digest is another); give another with --store")
    value: Fact = json.loads(text)
    return value
