"""Power through the store: what is known is read, what is not is simulated once and kept."""

from __future__ import annotations

import threading
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.cores.leaf import LeafDesign
from aesmith.explore.measuring import Obtained, once
from aesmith.explore.store import Store
from aesmith.flow.measure import Plan
from aesmith.flow.measurement import Measurement
from aesmith.flow.power import PowerProgress, measure_power, power_key
from aesmith.technology.library import Library
from aesmith.timing.power.plan import PowerPlan


def obtain_power(
    design: CoreDesign | LeafDesign,
    library: Library,
    measurement: Measurement,
    *,
    plan: PowerPlan,
    work_dir: Path,
    store: Store | None,
    modules: bool = True,
    made: Path | None = None,
    synthesis: Plan | None = None,
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
    key, richer = (
        power_key(design, library, measurement.optimise, plan, modules=which, synthesis=synthesis)
        for which in (modules, True)
    )
    if store is not None and not refresh and not modules and store.get(richer) is not None:
        key = richer

    def find() -> Measurement:
        return measure_power(
            design, library, measurement, plan, work_dir, modules=modules, made=made, progress=progress, cancel=cancel
        )

    return once(key, library, find, store, refresh=refresh, waiting=progress, cancel=cancel)
