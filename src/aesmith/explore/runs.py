"""Sweeps in the store: which points a sweep is of, what became of each, and what changed between two of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from aesmith.errors import RequestError
from aesmith.explore.facts import digest_of
from aesmith.explore.store import POINTS, RUN_POINTS, RUNS, Store
from aesmith.lazy import LazyModule

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

DONE, FAILED = "done", "failed"
"""What becomes of a point."""

REQUEST = ("design", "specification", "library", "optimise", "asked")
"""What makes two points the same request; `asked` is the recipe, where one was asked for."""

FIGURES = ("area_ge", "period_ns", "latency_ns", "throughput_gbps", "efficiency_kbps_per_ge",
           "power_uw_at_100mhz_encrypt", "power_uw_at_100mhz_decrypt")  # fmt: skip
"""What is compared."""

SAME, CHANGED, ONLY_BEFORE, ONLY_AFTER = "same", "changed", "only before", "only after"


@dataclass(frozen=True)
class SweepRun:
    """A sweep: of `size` points `done` are measured and `failed` were tried in vain. `started`: seconds since 1970."""

    name: str
    space: str
    started: float
    size: int
    done: int
    failed: int


def begin_run(store: Store, space: str, points: Sequence[tuple[str, str]]) -> str:
    """Note a sweep of these points, each a key and what was asked for; returns the run's name, SPACE-NUMBER.

    The same points again are the same run.
    """
    digest = digest_of(space, [key for key, _ in points])
    for _ in range(20):
        try:
            with store.transaction() as connection:
                known = connection.execute(select(RUNS.c.name).where(RUNS.c.digest == digest)).scalar_one_or_none()
                if known is not None:
                    return str(known)
                number = (connection.execute(select(func.max(RUNS.c.number))).scalar_one() or 0) + 1
                of_space = connection.execute(
                    select(func.count()).select_from(RUNS).where(RUNS.c.space == space)
                ).scalar_one()
                name = f"{space}-{of_space + 1}"
                connection.execute(
                    insert(RUNS).values(number=number, name=name, space=space, digest=digest, started=time.time())
                )
                rows = [
                    {"run": number, "position": position, "key": key, "request": request}
                    for position, (key, request) in enumerate(points)
                ]
                connection.execute(insert(RUN_POINTS), rows)
                return name
        except IntegrityError:  # another process has begun a run between our statements
            continue
    raise RequestError(f"store: {store.where} does not let a run begin; try again")


def put_point(store: Store, key: str, row: Mapping[str, Any]) -> None:
    """Keep what became of a point: a row as `aesmith.explore.points` describes it. It replaces what was there."""
    text = json.dumps(row, sort_keys=True)
    values = {"status": str(row["status"]), "point": text, "digest": digest_of(text)}
    for _ in range(2):
        try:
            with store.transaction() as connection:
                if not connection.execute(update(POINTS).where(POINTS.c.key == key).values(**values)).rowcount:
                    connection.execute(insert(POINTS).values(key=key, **values))
            return
        except IntegrityError:  # another process has put it between our two statements: now there is a row
            continue


def statuses(store: Store, keys: Sequence[str]) -> dict[str, str]:
    """What became of these points, by key; a point that was not tried is not in it."""
    found: dict[str, str] = {}
    with store.transaction() as connection:
        for start in range(0, len(keys), 500):
            chosen = select(POINTS.c.key, POINTS.c.status).where(POINTS.c.key.in_(keys[start : start + 500]))
            found |= {row.key: row.status for row in connection.execute(chosen)}
    return found


def forget_failures(store: Store, keys: Sequence[str]) -> None:
    """Forget those of these points that failed, so that they are tried again."""
    with store.transaction() as connection:
        for start in range(0, len(keys), 500):
            chosen = POINTS.c.key.in_(keys[start : start + 500])
            connection.execute(delete(POINTS).where(chosen, POINTS.c.status == FAILED))


def runs(store: Store) -> tuple[SweepRun, ...]:
    """All sweeps, the oldest first."""
    states = (
        select(RUN_POINTS.c.run, POINTS.c.status, func.count().label("count"))
        .select_from(RUN_POINTS.outerjoin(POINTS, POINTS.c.key == RUN_POINTS.c.key))
        .group_by(RUN_POINTS.c.run, POINTS.c.status)
    )
    with store.transaction() as connection:
        listed = connection.execute(select(RUNS).order_by(RUNS.c.number)).all()
        counts: dict[int, dict[str | None, int]] = {}
        for row in connection.execute(states):
            counts.setdefault(row.run, {})[row.status] = int(row[2])
    return tuple(
        SweepRun(
            run.name,
            run.space,
            run.started,
            sum(counts[run.number].values()),
            counts[run.number].get(DONE, 0),
            counts[run.number].get(FAILED, 0),
        )
        for run in listed
    )


def point_rows(store: Store, *, space: str | None = None, run: str | None = None) -> Iterator[dict[str, Any]]:
    """The rows of points, in the order in which they were asked for.

    Of a run, or of the last run of a space, exactly its points; otherwise the newest of those that differ only in the
    code that made them. Raises RequestError for a run or space that is not in the store, and for a damaged store.
    """
    with store.transaction() as connection:
        number = _number(connection, store, space, run)
        chosen: Select[Any] = (
            select(RUN_POINTS.c.run, RUN_POINTS.c.request, POINTS.c.point, POINTS.c.digest, RUNS.c.space)
            .join(POINTS, POINTS.c.key == RUN_POINTS.c.key)
            .join(RUNS, RUNS.c.number == RUN_POINTS.c.run)
            .order_by(RUN_POINTS.c.run, RUN_POINTS.c.position)
        )
        if number is not None:
            chosen = chosen.where(RUN_POINTS.c.run == number)
        rows = connection.execute(chosen).all()
    # A dictionary keeps the place of a request's first row, and takes the values of its last.
    newest = {row.request: row for row in rows}
    for row in newest.values():
        if digest_of(row.point) != row.digest:
            raise RequestError(
                f"store: {store.where} is damaged (a point's digest is another); give another with --store"
            )
        yield json.loads(row.point) | {"space": row.space}


def _number(connection: Connection, store: Store, space: str | None, run: str | None) -> int | None:
    if run is not None:
        number = connection.execute(select(RUNS.c.number).where(RUNS.c.name == run)).scalar_one_or_none()
        what, given, column = "run", run, RUNS.c.name
    elif space is not None:
        number = connection.execute(select(func.max(RUNS.c.number)).where(RUNS.c.space == space)).scalar_one()
        what, given, column = "space", space, RUNS.c.space
    else:
        return None
    if number is None:
        names = dict.fromkeys(connection.execute(select(column).order_by(RUNS.c.number)).scalars())
        raise RequestError(f"{what}: {store.where} has {', '.join(names) or 'no sweeps at all'}, not {given!r}")
    return int(number)


def diff(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Compare two frames of points: a row a request, the columns of `REQUEST`, `what` (`same`, `changed`, `only
    before`, `only after`), and for each of `FIGURES` its value `_before` and `_after` and the relative `_change`.

    A point that failed has no figures. The change is after / before - 1, so -0.02 is two per cent less.
    """
    left, right = _figures(before), _figures(after)
    joined = left.merge(
        right, on=list(REQUEST), how="outer", suffixes=("_before", "_after"), indicator=True, sort=False
    )
    result = joined[list(REQUEST)].copy()
    changed = pd.Series(False, index=joined.index)
    for figure in FIGURES:
        old, new = joined[f"{figure}_before"], joined[f"{figure}_after"]
        result[f"{figure}_before"], result[f"{figure}_after"] = old, new
        result[f"{figure}_change"] = new / old - 1
        changed |= (old != new).fillna(False) | (old.isna() ^ new.isna())
    only = joined["_merge"].map({"left_only": ONLY_BEFORE, "right_only": ONLY_AFTER, "both": ""}).astype("string")
    what = pd.Series(CHANGED, index=joined.index, dtype="string").where(changed, SAME)
    result.insert(len(REQUEST), "what", only.where(only != "", what))
    return result


def _figures(frame: pd.DataFrame) -> pd.DataFrame:
    done = frame.copy()
    done["asked"] = done["recipe"].where(done["optimise"] == "recipe", "").astype("string")
    done.loc[done["status"] != DONE, list(FIGURES)] = pd.NA
    return done[[*REQUEST, *FIGURES]]
