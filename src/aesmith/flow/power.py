"""Power of a measured core or engine, and where it goes.

The netlist is made once more, recognised by its figures, and simulated. For the share of each module, every module is
mapped by itself on a second netlist, so that each cell belongs to one.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.leaf import LeafDesign
from aesmith.errors import RequestError
from aesmith.flow.measure import measured_netlist, measurement_key
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.recipes import GATED, KEEP, SynthesisPlan
from aesmith.flow.synthesis import clock_gate_source, gating_commands, inline_script, shared_modules_commands, unpack
from aesmith.flow.yosys import run_script
from aesmith.modes.engine import StreamEngine
from aesmith.processes import Cancelled
from aesmith.technology.library import Library
from aesmith.timing.netlist import read_netlist
from aesmith.timing.power.figures import PowerPlan, PowerShare
from aesmith.timing.power.report import PowerMeter
from aesmith.timing.static import analyse

PowerProgress = Callable[[str], None]
"""Called with what is being done."""


def power_key(
    design: CoreDesign | LeafDesign | StreamEngine,
    library: Library,
    optimise: Optimise,
    plan: PowerPlan,
    *,
    modules: bool,
    synthesis: SynthesisPlan | None = None,
) -> str:
    """SHA-256 (hex) of everything `measure_power` depends on; `synthesis` is the plan of `measure`, if not its own."""
    parts = {
        "measurement": measurement_key(design, library, optimise, synthesis),
        "plan": plan.identity,
        "directions": None if isinstance(design, LeafDesign) else design.directions,
        "modules": modules,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def measure_power(
    design: CoreDesign | LeafDesign | StreamEngine,
    library: Library,
    measurement: Measurement,
    plan: PowerPlan,
    work_dir: Path,
    *,
    modules: bool = True,
    made: Path | None = None,
    progress: PowerProgress | None = None,
    cancel: threading.Event | None = None,
) -> Measurement:
    """`measurement` of `design` in `library`, with the power of its netlist in each direction of the design.

    `modules` also measures where power goes, on a second netlist. `made` is the folder `measure` worked in,
    if its netlists are still there: then nothing is synthesised again, nor if `work_dir` was used for the same before.
    Raises CheckError if the netlist computes wrongly, ToolError if the synthesis fails or does not give the netlist
    that was measured, RequestError for a core or netlist that cannot be simulated,
    Cancelled once `cancel` is set.
    """
    report = progress or _silent

    def go_on(_samples: int, _interval: float) -> None:
        if cancel is not None and cancel.is_set():
            raise Cancelled("power simulation was cancelled")

    report("netlist")
    _, timing = measured_netlist(design, library, measurement, work_dir / "netlist", made=made, cancel=cancel)
    meter = PowerMeter(design, timing)
    powers = []
    for direction in meter.directions:
        report(f"simulation, {direction}" if direction else "simulation")
        powers.append(meter.measure(direction, plan, go_on).power)
    if modules and not isinstance(design, LeafDesign):
        report("modules")
        gated = GATED in measurement.recipe
        shares = module_power(design, library, plan, work_dir / "modules", gated=gated, cancel=cancel)
        powers = [replace(power, by_module=shares[power.direction]) for power in powers if power.direction]
    return replace(measurement, power=tuple(powers))


def _silent(_what: str) -> None:
    """Report nothing."""


REGISTERS = "registers"
_MARK = "~"
_MODULE = re.compile(r"^module\s+(\w+)", re.MULTILINE)


def module_power(
    design: CoreDesign | StreamEngine,
    library: Library,
    plan: PowerPlan,
    work_dir: Path,
    *,
    gated: bool = False,
    cancel: threading.Event | None = None,
) -> Mapping[Direction, tuple[PowerShare, ...]]:
    """Power at 100 MHz by module, for each direction of the design, the largest first.

    A module's share is that of its own logic, all instances together, the modules inside it left out; flip-flops of all
    modules are one share, `registers`. With `gated` clock gates hold them, as in a recipe. Files go to `work_dir`.
    Raises what `measure_power` raises.
    """
    netlist = _hierarchical_netlist(design, library, work_dir, gated=gated, cancel=cancel)
    timing = analyse(read_netlist(netlist, design.top), library)
    meter = PowerMeter(design, timing)
    bound = timing.graph.bound

    def module_of(index: int) -> str:
        if bound.is_register(index):
            return REGISTERS
        module, mark, _ = bound.netlist.instances[index].name.rpartition(".")[2].rpartition(_MARK)
        return module.removeprefix(f"{design.top}_") if mark else design.top

    # This netlist is another than that which was measured, and may be slower.
    try:
        meter.clock_mhz(plan)
    except RequestError:
        plan = replace(plan, clock_mhz=None)
    return {direction: meter.measure(direction, plan).shares(module_of) for direction in design.directions}


def _hierarchical_netlist(
    design: CoreDesign | StreamEngine,
    library: Library,
    work_dir: Path,
    *,
    gated: bool,
    cancel: threading.Event | None,
) -> Path:
    """A flat netlist in which a cell's name ends in the name of its module, a mark and a number."""
    work_dir.mkdir(parents=True, exist_ok=True)
    cells_file = unpack(library, work_dir).name
    forbidden = "".join(f" -dont_use {cell}" for cell in KEEP.forbidden_cells(library))
    read = shared_modules_commands(design, work_dir, clock_gate_source(design, library), cancel=cancel)
    modules = _MODULE.findall((work_dir / "modules.v").read_text())
    high, low = library.tie_high, library.tie_low
    ties = (f" -hicell {high.cell.name} {high.pin}" if high else "") + (
        f" -locell {low.cell.name} {low.pin}" if low else ""
    )
    commands = [
        f"read_liberty -overwrite -lib -ignore_miss_func {cells_file}",
        *read,
        f"synth -top {design.top} -noabc -nofsm -latches error",
        *(gating_commands(library, work_dir) if gated else []),
        f"dfflibmap -liberty {cells_file}{forbidden}",
        "opt",
        f"abc -liberty {cells_file} -script {inline_script(KEEP.abc_script(None))}{forbidden}",
        "opt_clean -purge",
        *(f"rename -enumerate -pattern {module}{_MARK}% {module}/c:*" for module in modules),
        "flatten",
        "opt_clean -purge",
        "setundef -zero",
        *([f"hilomap -singleton{ties}"] if ties else []),
        f"rename -hide {design.top}/w:* {design.top}/i:* %d {design.top}/o:* %d",
        "opt_clean -purge",
        "splitnets",
        "check -mapped -assert",
        "write_json netlist.json",
    ]
    run_script(commands, work_dir / "modules.log", cancel=cancel)
    return work_dir / "netlist.json"
