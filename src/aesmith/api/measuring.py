"""One core measured in one library under one condition, step by step: area and speed, power, placement, netlist.

    with work_folder() as folder:
        work = Measuring(design, library, Optimise.AREA, folder)
        found = work.area_and_speed().measurement
        found = work.power(found, PowerPlan()).measurement

Each step reads what the store has and keeps what it measures. Steps that need the netlist of an earlier one find it in
the work folder, or synthesise it once more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aesmith import __version__
from aesmith.assurance.proof.prove import Mapped
from aesmith.cores.design import CoreDesign, Direction
from aesmith.drawing.placement import picture
from aesmith.errors import RequestError
from aesmith.explore.obtain import Obtained, obtain, obtain_placed, obtain_power
from aesmith.explore.store import Store
from aesmith.explore.task import keep_foreign
from aesmith.flow.measure import measured_netlist
from aesmith.flow.measurement import (
    MOST_REWIRED,
    MOST_REWIRED_THOROUGHLY,
    Measurement,
    Optimise,
    chosen_plan,
    efficiency_kbps_per_ge,
    throughput_gbps,
)
from aesmith.flow.placement.exchange import design_exchange, spef, verilog
from aesmith.flow.placement.place import check_placer
from aesmith.flow.placement.placed import (
    MOST_TURNS,
    STANDS,
    UTILISATION,
    PlacedNetlist,
    PlacementPlan,
    Turn,
    measure_placed,
    power_with_wires,
)
from aesmith.flow.placement.technology import PhysicalTechnology, technology_of
from aesmith.flow.recipes import SynthesisPlan
from aesmith.flow.rewiring.rewire import FOR_AREA, FOR_SPEED
from aesmith.flow.synthesis import check_cells
from aesmith.flow.yosys import require_yosys
from aesmith.modes.engine import StreamEngine
from aesmith.progress import Progress
from aesmith.scratch import write_whole
from aesmith.technology.library import Library
from aesmith.timing.power.activity import check_power
from aesmith.timing.power.figures import DirectionPower, PowerPlan

__all__ = [
    "FOR_AREA",
    "FOR_SPEED",
    "MOST_REWIRED",
    "MOST_REWIRED_THOROUGHLY",
    "STANDS",
    "UTILISATION",
    "Mapped",
    "Measuring",
    "Obtained",
    "PlacedCore",
    "PlacementPlan",
    "Placing",
    "check_cells",
    "check_power",
    "chosen_plan",
    "key_size_figures",
    "placing",
]


@dataclass(frozen=True)
class Placing:
    """How and in which rows and wires cells are to be placed."""

    technology: PhysicalTechnology
    plan: PlacementPlan


def placing(
    library: Library, plan: PlacementPlan | None = None, technology: Path | None = None, lef: Sequence[Path] = ()
) -> Placing:
    """A plan in the process of a library, or in the one that the file `technology` or LEF files describe.

    Raises RequestError if nothing is known of the process, ToolError if the placer is not installed.
    """
    process = technology_of(library, technology, lef)
    check_placer()
    return Placing(process, plan or PlacementPlan())


@dataclass(frozen=True)
class Measuring:
    """A design to be measured in `library`, in `folder`: by `synthesis` (`chosen_plan`), or the condition's own plan.

    Cancelled is raised soon after `cancel` is set. Raises ToolError if Yosys is missing, RequestError for a library
    that lacks what the design or its synthesis needs.
    """

    design: CoreDesign | StreamEngine
    library: Library
    optimise: Optimise
    folder: Path
    store: Store | None = None
    refresh: bool = False
    synthesis: SynthesisPlan | None = None
    jobs: int | None = None
    cancel: threading.Event | None = None

    def __post_init__(self) -> None:
        require_yosys()
        check_cells(self.design.measured, self.library, self.synthesis)

    @property
    def _made(self) -> Path:
        return self.folder / f"measure-{self.optimise}"

    @property
    def area_and_speed(self) -> partial[Obtained]:
        """Measures area, period, latency, throughput; of an adapted design without the adapter. Takes `progress`."""
        return partial(
            obtain,
            self.design.measured,
            self.library,
            self.optimise,
            self._made,
            self.store,
            plan=self.synthesis,
            refresh=self.refresh,
            jobs=self.jobs,
            cancel=self.cancel,
        )

    def report(self, measurement: Measurement) -> None:
        """Put a third-party design among the points of the store, where reports find it; ours come by sweeps."""
        if self.store is not None and isinstance(self.design, CoreDesign) and self.design.inner is not None:
            keep_foreign(self.store, self.design, self.library, measurement, self.synthesis)

    def power(self, measurement: Measurement, plan: PowerPlan, progress: Progress | None = None) -> Obtained:
        """The measurement with power in each direction, glitches included. Raises RequestError for a stimulus that the
        design does not take."""
        total = len(self.design.directions) + 2
        begun: list[str] = []

        def report(what: str) -> None:
            if what not in begun:
                begun.append(what)
            if progress is not None:
                progress(what, min(begun.index(what), total), total)

        return obtain_power(
            self.design,
            self.library,
            measurement,
            plan=plan,
            work_dir=self.folder / "power",
            made=self._made,
            synthesis=self.synthesis,
            store=self.store,
            refresh=self.refresh,
            progress=report,
            cancel=self.cancel,
        )

    def placed(self, measurement: Measurement, where: Placing, progress: Progress | None = None) -> Measurement:
        """The measurement with its figures placed, from the store if they are there."""
        return obtain_placed(
            self.design.measured,
            self.library,
            measurement,
            where.technology,
            plan=where.plan,
            work_dir=self.folder / f"placed-{self.optimise}",
            store=self.store,
            made=self._made,
            synthesis=self.synthesis,
            refresh=self.refresh,
            progress=_turns(progress),
        ).measurement

    def placement(self, measurement: Measurement, where: Placing, progress: Progress | None = None) -> PlacedCore:
        """The placed netlist itself, with the measurement that has its figures; no store has netlists."""
        found, laid = measure_placed(
            self.design.measured,
            self.library,
            measurement,
            where.technology,
            plan=where.plan,
            work_dir=self.folder / f"placed-{self.optimise}",
            made=self._made,
            progress=_turns(progress),
        )
        return PlacedCore(self.design, found, laid)

    def netlist(self, measurement: Measurement) -> Mapped:
        """The netlist that was measured, as what is to be proved."""
        folder, _ = measured_netlist(self.design, self.library, measurement, self.folder / "proved", made=self._made)
        return Mapped(folder / "netlist.v", self.library)


def _turns(progress: Progress | None) -> Callable[[Turn], None]:
    done = 0

    def turned(turn: Turn) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(f"turn {done}, {turn.longest_ns:.3f} ns", done, MOST_TURNS)

    return turned


@dataclass(frozen=True)
class PlacedCore:
    """A placed design: its measurement, whose `placed` are the figures with wires, and its netlist in place."""

    design: CoreDesign | StreamEngine
    measurement: Measurement
    laid: PlacedNetlist

    def power(self, plan: PowerPlan | None = None) -> Iterator[tuple[Direction, DirectionPower]]:
        """Power on the loads and delays of the wires, a direction after the other.

        Raises CheckError if the netlist computes anything that AES does not, or the engine's model.
        """
        return power_with_wires(self.design, self.laid, plan or PowerPlan())

    @property
    def picture(self) -> str:
        """The placement as SVG."""
        return picture(self.laid, self.design.name)

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write Verilog, DEF, SPEF and a picture, which go together. Raises RequestError for no such folder."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RequestError(f"placement-dir: {folder} cannot be made ({error.strerror or error})") from error
        laid, name = self.laid, self.design.name
        texts = {
            folder / f"{name}.v": verilog(laid.netlist),
            folder / f"{name}.def": design_exchange(laid.bound, laid.placement),
            folder / f"{name}.spef": spef(laid.bound, laid.placement, laid.routes, __version__),
            folder / f"{name}.svg": self.picture,
        }
        for path, text in texts.items():
            write_whole(path, text, "placement-dir")
        return tuple(texts)


def core_of(design: CoreDesign | StreamEngine, what: str) -> CoreDesign:
    """The design, if it is a core. Raises RequestError for an engine, of which `what` is not there."""
    if not isinstance(design, CoreDesign):
        raise RequestError(
            f"{what}: of cores only, and {design.preset} is an engine; its core is {design.core.preset}. "
            "Engines are verified, measured, with their power, and placed"
        )
    return design


def key_size_figures(design: CoreDesign | StreamEngine, measurement: Measurement) -> dict[int, dict[str, float | None]]:
    """Clocks per block, throughput (Gbit/s) and efficiency (Kbps/GE) for each key size of a core with several; other
    figures are for the longest. Empty for a core of one."""
    if isinstance(design, StreamEngine) or len(design.key_bits) == 1:
        return {}
    found: dict[int, dict[str, float | None]] = {}
    for bits in design.key_bits:
        clocks, period = design.measured_clocks(bits), measurement.period_ns
        found[bits] = {
            "cycles_per_block": clocks,
            "throughput_gbps": None if period is None else throughput_gbps(period, clocks),
            "efficiency_kbps_per_ge": (
                None if period is None else efficiency_kbps_per_ge(period, clocks, measurement.area_ge)
            ),
        }
    return found
