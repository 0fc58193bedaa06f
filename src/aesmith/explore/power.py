"""Power through the store: what is known is read, what is not is simulated once and kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.explore.measuring import Obtained
from aesmith.explore.store import Store
from aesmith.flow.measurement import Measurement
from aesmith.flow.power import PowerProgress, measure_power, power_key
from aesmith.technology.library import Library
from aesmith.timing.power.plan import PowerPlan


def obtain_power(
    design: CoreDesign,
    library: Library,
    measurement: Measurement,
    *,
    plan: PowerPlan,
    work_dir: Path,
    store: Store | None,
    modules: bool = True,
    refresh: bool = False,
    progress: PowerProgress | None = None,
) -> Obtained:
    """`measurement` of `design` with its power, from the store if it is there and not to be refreshed.

    Raises what `measure_power` and the store raise.
    """
    key = power_key(design, library, measurement.optimise, plan, modules=modules)
    known = store.get(key) if store is not None and not refresh else None
    if known is not None:
        # The key knows a library by its contents: it may go by another name here.
        return Obtained(replace(known, library=library.name), True)
    found = measure_power(design, library, measurement, plan, work_dir, modules=modules, progress=progress)
    if store is not None:
        store.put(key, found)
    return Obtained(found, False)
