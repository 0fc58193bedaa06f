"""What can be done with every design, core or engine: what it is made of, area, speed, placement, its package."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aesmith.cores import sources
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import not_one_of
from aesmith.lazy import LazyModule
from aesmith.progress import Progress
from aesmith.scratch import work_folder

if TYPE_CHECKING:
    from aesmith.api import measuring as _measured
    from aesmith.api.measuring import PlacedCore
    from aesmith.assurance.plan import SimulationReport
    from aesmith.explore import store as stores
    from aesmith.explore.api import Place
    from aesmith.flow import measurement as measurements
    from aesmith.flow.measurement import Measurement
    from aesmith.flow.placement.placed import PlacementPlan
    from aesmith.modes.engine import StreamEngine
    from aesmith.publish import datasheet, descriptions, output, package
    from aesmith.publish.descriptions import Evidence
    from aesmith.publish.project.boards import Board
    from aesmith.technology import registry
    from aesmith.technology.library import Library
    from aesmith.timing.power import figures as powers
    from aesmith.timing.power.figures import PowerPlan
else:
    _measured = LazyModule("aesmith.api.measuring")
    stores = LazyModule("aesmith.explore.store")
    measurements = LazyModule("aesmith.flow.measurement")
    registry = LazyModule("aesmith.technology.registry")
    powers = LazyModule("aesmith.timing.power.figures")
    datasheet = LazyModule("aesmith.publish.datasheet")
    descriptions = LazyModule("aesmith.publish.descriptions")
    output = LazyModule("aesmith.publish.output")
    package = LazyModule("aesmith.publish.package")

DEFAULT_LIBRARY = "generic45"
"""The cell library that comes with aesmith: a model of a 45-nm class process."""


def library_by(name_or_file: str | Path | Sequence[str | Path] | Library) -> Library:
    """As `library`; one that is read already is itself."""
    return registry.library_by(name_or_file) if isinstance(name_or_file, str | Path | Sequence) else name_or_file


class _Synthesis(NamedTuple):
    """What `chosen_plan` is asked for beside the condition."""

    rewire: bool
    clock_gates: bool
    moves: int | None
    thorough: bool
    recipe: str | None


@dataclass(frozen=True)
class MeasuredDesign:
    """A design under its build's name. `design` has all that is known of it: sources, ports, clocks, citation."""

    design: CoreDesign | StreamEngine

    @property
    def name(self) -> str:
        """Name of the build and of its top module."""
        return self.design.name

    @property
    def has_clock_gates(self) -> bool:
        """Whether clock gates are among its modules."""
        return sources.has_clock_gates(self.design)

    @property
    def sources(self) -> Sequence[SourceFile]:
        """SystemVerilog files in compile order, each with `name` and `text`."""
        return self.design.sources

    def measure(
        self,
        library: str | Path | Library = DEFAULT_LIBRARY,
        *,
        optimise: str = "area",
        power: bool | PowerPlan = False,
        placed: bool | PlacementPlan = False,
        technology: Path | None = None,
        rewire: bool = False,
        moves: int | None = None,
        thorough: bool = False,
        clock_gates: bool = False,
        recipe: str | None = None,
        store: Place = None,
        refresh: bool = False,
        jobs: int | None = None,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> Measurement:
        """Synthesise it and measure area (GE), period and latency (ns), throughput (Gbit/s), with `power` also power.

        With `placed` the cells are placed and sized again with their wires: `found.placed` has those figures.
        `library` is a name, a Liberty file or one that is read; `optimise` is as after `aesmith measure --optimise`,
        `rewire`, `moves`, `thorough` and `clock_gates` as there; `technology` is a file of rows and wires, where none
        are known.
        With `recipe` that one is tried, not all; Cancelled is raised soon after `cancel` is set.
        Results are kept in `store` (a file, a URL, or one that is open; None is the default one), and read there unless
        `refresh`. Raises RequestError for a library or condition that will not do, ToolError if a tool fails.
        """
        cells = library_by(library)
        where = None
        if placed:
            where = _measured.placing(cells, None if placed is True else placed, technology)
        synthesis = _Synthesis(rewire, clock_gates, moves, thorough, recipe)
        with self._measuring(cells, optimise, store, synthesis, refresh=refresh, jobs=jobs, cancel=cancel) as work:
            found: Measurement = work.area_and_speed(progress=progress).measurement
            if power:
                plan = powers.PowerPlan() if power is True else power
                found = work.power(found, plan, progress).measurement
            return found if where is None else work.placed(found, where, progress)

    def place(
        self,
        folder: str | Path,
        library: str | Path | Library = DEFAULT_LIBRARY,
        *,
        optimise: str = "area",
        plan: PlacementPlan | None = None,
        technology: Path | None = None,
        rewire: bool = False,
        moves: int | None = None,
        thorough: bool = False,
        clock_gates: bool = False,
        recipe: str | None = None,
        store: Place = None,
        jobs: int | None = None,
        progress: Progress | None = None,
    ) -> PlacedCore:
        """Measure it, place it, and write the placement to `folder` as Verilog, DEF, SPEF and a picture.

        `measurement.placed` of what is returned are the figures with wires, `power()` is power with them. Arguments and
        errors are those of `measure`; `plan` says how full the core is, of which shape, and the placer's seed.
        """
        cells = library_by(library)
        where = _measured.placing(cells, plan, technology)
        synthesis = _Synthesis(rewire, clock_gates, moves, thorough, recipe)
        with self._measuring(cells, optimise, store, synthesis, jobs=jobs) as work:
            placement = work.placement(work.area_and_speed(progress=progress).measurement, where, progress)
        placement.write(Path(folder))
        return placement

    def files(
        self,
        evidence: Evidence,
        work_dir: Path,
        progress: Callable[[str], None],
        boards: Sequence[Board] = (),
    ) -> dict[str, str]:
        """All files of its package, path -> text, with a datasheet that shows the evidence and a project for each of
        `boards`; nothing is written."""
        bench = package.testbench_of(self.design)
        return package.package_files(self.design, bench, evidence, work_dir, progress, boards=boards)

    def build(
        self,
        folder: str | Path | None = None,
        *,
        measured: Sequence[Measurement] = (),
        verified: SimulationReport | None = None,
        force: bool = False,
    ) -> Path:
        """Write its package to `folder`, by default the name, and return where: sources, test bench, datasheet.

        The datasheet shows what was `measured` and `verified` before. An untouched earlier build is replaced, one with
        edited files only with `force`, anything else never. Raises RequestError for a folder that is not free.
        """
        out = Path(folder or self.name)
        text = "" if verified is None else datasheet.verification_text(verified, datasheet.cases_of(self.design))
        with output.output_folder(out, force=force) as place, work_folder() as work:
            evidence = descriptions.Evidence(tuple(measured), text)
            package.write_files(self.files(evidence, work, lambda _: None), place)
        return out

    @contextmanager
    def _measuring(
        self,
        cells: Library,
        optimise: str,
        store: Place,
        synthesis: _Synthesis,
        *,
        refresh: bool = False,
        jobs: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[_measured.Measuring]:
        if optimise not in tuple(measurements.Optimise):
            raise not_one_of("optimise", optimise, tuple(measurements.Optimise))
        condition = measurements.Optimise(optimise)
        with ExitStack() as stack:
            kept = store if isinstance(store, stores.Store) else stack.enter_context(stores.open_store(store))
            folder = stack.enter_context(work_folder())
            plan = _measured.chosen_plan(condition, **synthesis._asdict())
            yield _measured.Measuring(self.design, cells, condition, folder, kept, refresh, plan, jobs, cancel)
