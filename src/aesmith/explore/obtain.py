"""Measure through the store: what is known is read, what is not is measured or simulated once and kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from aesmith.cores.design import CoreDesign, Design
from aesmith.cores.leaf import LeafDesign
from aesmith.explore.claims import found_or_claimed
from aesmith.explore.store import Store
from aesmith.flow.measure import measure, measurement_key
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.placement.placed import PlacementPlan, TurnProgress, measure_placed, placement_key
from aesmith.flow.placement.technology import PhysicalTechnology
from aesmith.flow.power import PowerProgress, measure_power, power_key
from aesmith.flow.recipes import SynthesisPlan
from aesmith.modes.engine import StreamEngine
from aesmith.progress import Progress
from aesmith.technology.library import Library
from aesmith.timing.power.figures import PowerPlan, clock_of


@dataclass(frozen=True)
class Obtained:
    """A measurement, and whether it was in the store."""

    measurement: Measurement
    from_store: bool


def obtain(
    design: Design,
    library: Library,
    optimise: Optimise,
    work_dir: Path,
    store: Store | None,
    *,
    plan: SynthesisPlan | None = None,
    refresh: bool = False,
    progress: Progress | None = None,
    jobs: int | None = None,
    cancel: threading.Event | None = None,
) -> Obtained:
    """The measurement of `design`, from the store if it is there and not to be refreshed; `plan` as in `measure`.

    While another process measures the same, this one waits for its result; if that process dies, this one measures.
    Raises what `measure` and the store raise.
    """
    key = measurement_key(design, library, optimise, plan)

    def waiting(what: str) -> None:
        if progress is not None:
            progress(what, 0, 1)

    with _known(key, library, store, refresh=refresh, waiting=waiting, cancel=cancel) as known:
        if known is not None:
            return Obtained(known, True)
        measurement = measure(
            design, library, optimise, work_dir, plan=plan, progress=progress, jobs=jobs, cancel=cancel
        )
        if store is not None:
            store.put(key, measurement)
    return Obtained(measurement, False)


def obtain_power(
    design: CoreDesign | LeafDesign | StreamEngine,
    library: Library,
    measurement: Measurement,
    *,
    plan: PowerPlan,
    work_dir: Path,
    store: Store | None,
    modules: bool = True,
    made: Path | None = None,
    synthesis: SynthesisPlan | None = None,
    refresh: bool = False,
    progress: PowerProgress | None = None,
    cancel: threading.Event | None = None,
) -> Obtained:
    """`measurement` of `design` with its power, from the store if it is there and not to be refreshed.

    Power with modules serves where it is asked for without. While another process measures the same, this one waits for
    its result; if that process dies, this one measures.
    `made` is where the measurement was made, if its files are still there; `synthesis` is the plan it was made by, if
    not its condition's own. Raises what `measure_power` and the store raise.
    """
    clock_of(plan, measurement.period_with_ports_ns)
    key, richer = (
        power_key(design, library, measurement.optimise, plan, modules=which, synthesis=synthesis)
        for which in (modules, True)
    )
    if store is not None and not refresh and not modules and store.get(richer) is not None:
        key = richer

    with _known(key, library, store, refresh=refresh, waiting=progress, cancel=cancel) as known:
        if known is not None:
            return Obtained(known, True)
        powered = measure_power(
            design, library, measurement, plan, work_dir, modules=modules, made=made, progress=progress, cancel=cancel
        )
        if store is not None:
            store.put(key, powered)
    return Obtained(powered, False)


def obtain_placed(
    design: Design,
    library: Library,
    measurement: Measurement,
    technology: PhysicalTechnology,
    *,
    plan: PlacementPlan,
    work_dir: Path,
    store: Store | None,
    made: Path | None = None,
    synthesis: SynthesisPlan | None = None,
    refresh: bool = False,
    progress: TurnProgress | None = None,
    waiting: Callable[[str], None] | None = None,
) -> Obtained:
    """`measurement` of `design` with its figures placed, from the store if they are there and not to be refreshed.

    While another process places the same, this one waits for its result. `made` and `synthesis` are as in
    `obtain_power`. Raises what `measure_placed` and the store raise.
    """
    key = placement_key(design, library, measurement.optimise, technology, plan, synthesis=synthesis)
    with _known(key, library, store, refresh=refresh, waiting=waiting, cancel=None) as known:
        if known is not None:
            return Obtained(replace(measurement, placed=known.placed), True)
        placed, _ = measure_placed(
            design, library, measurement, technology, plan=plan, work_dir=work_dir, made=made, progress=progress
        )
        if store is not None:
            store.put(key, placed)
    return Obtained(placed, False)


@contextmanager
def _known(
    key: str,
    library: Library,
    store: Store | None,
    *,
    refresh: bool,
    waiting: Callable[[str], None] | None,
    cancel: threading.Event | None,
) -> Iterator[Measurement | None]:
    """What the store has under `key`; or None, and then the key is claimed while the body measures and keeps it.

    `waiting` is told while another process has the claim. Raises what the store raises, and Cancelled.
    """
    if store is None:
        yield None
        return

    def look() -> Measurement | None:
        return None if refresh else store.get(key)

    def told() -> None:
        if waiting is not None:
            waiting("another process is measuring this: waiting")

    with found_or_claimed(store, key, look, waiting=told, cancel=cancel) as known:
        # The key knows a library by its contents: it may go by another name here.
        yield None if known is None else replace(known, library=library.name)
