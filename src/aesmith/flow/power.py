"""Power of a measured core: its netlist is made once more, recognised by its figures, and simulated."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.errors import ToolError
from aesmith.flow.measure import measurement_key
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.module_power import module_power
from aesmith.flow.recipes import recipe_by_name
from aesmith.flow.synthesis import synthesise
from aesmith.technology.library import Library
from aesmith.timing.power.plan import PowerPlan
from aesmith.timing.power.report import PowerMeter
from aesmith.timing.static import analyse
from aesmith.timing.verilog import read_netlist

PowerProgress = Callable[[str], None]
"""Called with what is being done."""
_SAME = 1e-9


def power_key(design: CoreDesign, library: Library, optimise: Optimise, plan: PowerPlan, *, modules: bool) -> str:
    """SHA-256 (hex) of everything `measure_power` depends on."""
    folder = files("aesmith.timing.power")
    code = [entry.read_text() for entry in sorted(folder.iterdir(), key=str) if entry.name.endswith(".py")]
    listed = [(key.hex(), block.hex()) for key, block in plan.listed]
    parts = {
        "measurement": measurement_key(design, library, optimise),
        "plan": asdict(replace(plan, listed=())) | {"listed": listed},
        "directions": design.directions,
        "modules": modules,
        "code": code,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def measure_power(
    design: CoreDesign,
    library: Library,
    measurement: Measurement,
    plan: PowerPlan,
    work_dir: Path,
    *,
    modules: bool = True,
    progress: PowerProgress | None = None,
    cancel: threading.Event | None = None,
) -> Measurement:
    """`measurement` of `design` in `library`, with the power of its netlist in each direction of the core.

    `modules` also measures where power goes, on a second netlist. Raises CheckError if the netlist computes wrongly,
    ToolError if the synthesis fails or does not give the netlist that was measured, RequestError for a core or netlist
    that cannot be simulated.
    """
    report = progress or _silent
    recipe, _, target = measurement.recipe.partition("@")
    report("netlist")
    folder = work_dir / "netlist"
    netlist = synthesise(
        design, library, recipe_by_name(recipe), float(target) if target else None, folder, cancel=cancel
    )
    timing = analyse(read_netlist(netlist.netlist, netlist.top), library)
    for name, found, measured in (
        ("area", netlist.area_ge, measurement.area_ge),
        ("period", timing.period_ns, measurement.period_ns),
    ):
        if found is None or measured is None or abs(found - measured) > _SAME * measured:
            raise ToolError(
                f"power of {design.name}: synthesis gave another netlist than the one measured ({name} {found}, "
                f"not {measured}); measure it anew (--refresh)"
            )
    meter = PowerMeter(design, timing)
    powers = []
    for direction in design.directions:
        report(f"simulation, {direction}")
        powers.append(meter.measure(direction, plan).power)
    if modules:
        report("modules")
        shares = module_power(design, library, plan, work_dir / "modules", cancel=cancel)
        powers = [replace(power, by_module=shares[power.direction]) for power in powers]
    return replace(measurement, power=tuple(powers))


def _silent(_what: str) -> None:
    """Report nothing."""
