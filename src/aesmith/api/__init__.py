"""What `import aesmith` gives: cores, S-boxes, libraries, points, each with what can be done with it.

    import aesmith

    core = aesmith.core("ueno2020-enc", gamma=0x69)
    core.prove("checked").proved
    core.measure("generic45").area_ge
    core.build("my_core")

Names and files are as on the command line, which calls the same functions. Errors are those of `aesmith.errors`, all of
them `AesmithError`. What takes long to import is imported when it is used: the package itself in a few milliseconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aesmith.cores import wrapper
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.specification import (
    build_design,
    default_name,
    load_specification,
    parse_specification,
    presets,
)
from aesmith.errors import AesmithError, not_one_of
from aesmith.lazy import LazyModule
from aesmith.scratch import work_folder

if TYPE_CHECKING:
    import pandas as pd

    from aesmith.api import listing, search
    from aesmith.api import measuring as _measured
    from aesmith.api import recommending as _recommended
    from aesmith.api.measuring import PlacedCore
    from aesmith.assurance import formal, simulation, simulator, standalone
    from aesmith.assurance import plan as plans
    from aesmith.assurance.plan import SimulationPlan, SimulationReport
    from aesmith.assurance.probing import structure
    from aesmith.assurance.probing.structure import CoreProbing
    from aesmith.assurance.proof import prove as proofs
    from aesmith.assurance.proof.report import Limits, ProofReport
    from aesmith.explore import api as spaces
    from aesmith.explore import points
    from aesmith.explore import store as stores
    from aesmith.explore.api import Place
    from aesmith.explore.recommend import choice, needed
    from aesmith.explore.recommend import requirement as requirements
    from aesmith.explore.recommend.choice import Recommendation
    from aesmith.flow import measurement as measurements
    from aesmith.flow.measurement import Measurement
    from aesmith.flow.placement.placed import PlacementPlan
    from aesmith.publish import datasheet, descriptions, output, package
    from aesmith.publish.descriptions import Evidence
    from aesmith.sboxes import catalogue
    from aesmith.sboxes.entry import SBox
    from aesmith.technology import registry
    from aesmith.technology.library import Library
    from aesmith.timing.power import figures as powers
    from aesmith.timing.power.figures import PowerPlan
else:
    listing = LazyModule("aesmith.api.listing")
    _measured = LazyModule("aesmith.api.measuring")
    _recommended = LazyModule("aesmith.api.recommending")
    search = LazyModule("aesmith.api.search")
    formal = LazyModule("aesmith.assurance.formal")
    plans = LazyModule("aesmith.assurance.plan")
    structure = LazyModule("aesmith.assurance.probing.structure")
    simulator = LazyModule("aesmith.assurance.simulator")
    simulation = LazyModule("aesmith.assurance.simulation")
    standalone = LazyModule("aesmith.assurance.standalone")
    proofs = LazyModule("aesmith.assurance.proof.prove")
    spaces = LazyModule("aesmith.explore.api")
    points = LazyModule("aesmith.explore.points")
    stores = LazyModule("aesmith.explore.store")
    choice = LazyModule("aesmith.explore.recommend.choice")
    needed = LazyModule("aesmith.explore.recommend.needed")
    requirements = LazyModule("aesmith.explore.recommend.requirement")
    measurements = LazyModule("aesmith.flow.measurement")
    datasheet = LazyModule("aesmith.publish.datasheet")
    descriptions = LazyModule("aesmith.publish.descriptions")
    output = LazyModule("aesmith.publish.output")
    package = LazyModule("aesmith.publish.package")
    catalogue = LazyModule("aesmith.sboxes.catalogue")
    registry = LazyModule("aesmith.technology.registry")
    powers = LazyModule("aesmith.timing.power.figures")

__all__ = [
    "AesmithError",
    "Core",
    "core",
    "libraries",
    "library",
    "listing",
    "points_of",
    "presets",
    "recommend",
    "sbox",
    "sbox_names",
    "search",
    "sweep",
]

DEFAULT_LIBRARY = "generic45"
"""The cell library that comes with aesmith: a model of a 45-nm class process."""

Progress = Callable[[str, int, int], None]
"""Called with a step, how many are done, and how many there are."""


@dataclass(frozen=True)
class Core:
    """A core under its build's name. `design` has all that is known of it: sources, ports, clocks, citation."""

    design: CoreDesign

    @property
    def name(self) -> str:
        """Name of the build and of its top module."""
        return self.design.name

    @property
    def sources(self) -> Sequence[SourceFile]:
        """SystemVerilog files in compile order, each with `name` and `text`."""
        return self.design.sources

    def verify(
        self,
        plan: SimulationPlan | None = None,
        *,
        folder: str | Path | None = None,
        progress: Progress | None = None,
    ) -> SimulationReport:
        """Simulate it against the standard's vectors and a golden model; the report says whether it `passed`.

        The simulator is built in `folder`, else in one that is deleted again. A core that fails is no error. Raises
        ToolError if a tool is missing or fails.
        """
        with ExitStack() as stack:
            place = stack.enter_context(work_folder()) / "verify" if folder is None else Path(folder)
            return simulation.simulate(self.design, place, plan, progress)

    def prove(
        self,
        folder: str | Path,
        limits: Limits | None = None,
        *,
        netlist: proofs.Mapped | None = None,
        one_file: Path | None = None,
        progress: Progress | None = None,
    ) -> ProofReport:
        """Prove it for all keys, blocks and stalls; the report says whether it is `proved`, part by part.

        The files of the proof, its certificate among them, are left in `folder`. With `netlist`, library cells too are
        proved to be the core, with `one_file` a Verilog file. A core that is refuted is no error. Raises ToolError if
        Yosys is missing or fails.
        """
        return proofs.prove(self.design, Path(folder), limits, progress, mapped=netlist, one_file=one_file)

    def check_simulator(self) -> None:
        """Raise RequestError for a core that no test bench is made for, ToolError if a tool of `verify` is missing."""
        for bits in self.design.key_bits:
            plans.facts_of(wrapper.with_one_key_size(self.design, bits))
        simulator.find_tools()

    def probe(self, order: int | None = None) -> CoreProbing:
        """Check that a masked core is composed of parts that `order` probes, by default one less than its shares, learn
        nothing from; the report says whether it is `shown`.

        Raises RequestError for an order that the shares do not allow, CheckError for a structure that breaks a rule,
        ToolError without Yosys.
        """
        with work_folder() as work:
            return structure.check_core(self.design, work / "probing", order)

    def export(self, folder: str | Path, bounds: Mapping[str, int] | None = None) -> Sequence[Path]:
        """Write it and its rules for model checkers; waits are bounded by `bounds`, as a certificate has them.

        Raises OSError if the folder cannot be written, ToolError without Yosys.
        """
        return formal.export_formal(self.design, Path(folder), bounds or {})

    def measure(
        self,
        library: str | Path | Library = DEFAULT_LIBRARY,
        *,
        optimise: str = "area",
        power: bool | PowerPlan = False,
        placed: bool | PlacementPlan = False,
        technology: Path | None = None,
        rewire: bool = False,
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
        `rewire` as there; `technology` is a file of rows and wires, for a process of which none are known.
        With `recipe` that one is tried, not all; Cancelled is raised soon after `cancel` is set.
        Results are kept in `store` (a file, a URL, or one that is open; None is the default one), and read there unless
        `refresh`. Raises RequestError for a library or condition that will not do, ToolError if a tool fails.
        """
        cells = library_by(library)
        where = None
        if placed:
            where = _measured.placing(cells, None if placed is True else placed, technology)
        with self._measuring(
            cells, optimise, store, refresh=refresh, rewire=rewire, jobs=jobs, recipe=recipe, cancel=cancel
        ) as work:
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
        with self._measuring(cells, optimise, store, rewire=rewire, recipe=recipe, jobs=jobs) as work:
            placement = work.placement(work.area_and_speed(progress=progress).measurement, where, progress)
        placement.write(Path(folder))
        return placement

    @contextmanager
    def _measuring(
        self,
        cells: Library,
        optimise: str,
        store: Place,
        *,
        refresh: bool = False,
        rewire: bool = False,
        jobs: int | None = None,
        recipe: str | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[_measured.Measuring]:
        if optimise not in tuple(measurements.Optimise):
            raise not_one_of("optimise", optimise, tuple(measurements.Optimise))
        condition = measurements.Optimise(optimise)
        with ExitStack() as stack:
            kept = store if isinstance(store, stores.Store) else stack.enter_context(stores.open_store(store))
            folder = stack.enter_context(work_folder())
            yield _measured.Measuring(
                self.design, cells, condition, folder, kept, refresh, rewire, jobs, recipe=recipe, cancel=cancel
            )

    def files(self, evidence: Evidence, work_dir: Path, progress: Callable[[str], None]) -> dict[str, str]:
        """All files of its package, path -> text, with a datasheet that shows the evidence; nothing is written."""
        return package.package_files(
            self.design, standalone.standalone_testbench(self.design), evidence, work_dir, progress
        )

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
        text = "" if verified is None else datasheet.verification_text(verified)
        with output.output_folder(out, force=force) as place, work_folder() as work:
            evidence = descriptions.Evidence(tuple(measured), text)
            package.write_files(self.files(evidence, work, lambda _: None), place)
        return out


def core(specification: str | Path, *, name: str | None = None, **fields: object) -> Core:
    """The core of a preset or a TOML file, with `fields` in the place of those it has: `core("ueno2020-enc", gamma=1)`.

    `name` is the build's, by default that of the preset or file. Raises RequestError for a preset, field or value that
    there is not, with the valid ones.
    """
    text = str(specification)
    wanted = load_specification(text)
    if fields:
        wanted = parse_specification(wanted.model_dump() | fields)
    preset = text if text in presets() else Path(text).name
    return Core(build_design(wanted, default_name(text) if name is None else name, preset))


def sbox(name: str) -> SBox:
    """An S-box of the catalogue: circuits, figures, citation. Raises RequestError for another name."""
    return catalogue.sbox(name)


def sbox_names() -> list[str]:
    """The names of all S-boxes of the catalogue."""
    return list(catalogue.catalogue())


def library_by(name_or_file: str | Path | Library) -> Library:
    """As `library`; one that is read already is itself."""
    if isinstance(name_or_file, str | Path):
        return registry.library_by(name_or_file)
    return name_or_file


def library(name_or_file: str | Path) -> Library:
    """A cell library by its registered name, or a Liberty file. Raises RequestError for one that will not do."""
    return registry.library_by(name_or_file)


def libraries() -> dict[str, Path]:
    """The libraries that are known by name, with their files."""
    return registry.registered_libraries()


def points_of(name_or_file: str | Path) -> pd.DataFrame:
    """Measured points, one row each: an export that comes with aesmith (presets, families), or a CSV or Parquet file.

    Columns and units are those of `aesmith.explore.points`. Raises RequestError for a file that has others.
    """
    return points.points_by(str(name_or_file))


def recommend(
    mode: str = "ecb",
    directions: str = "enc",
    key: int | tuple[int, ...] = 128,
    *,
    among: str | Path | pd.DataFrame | None = "presets",
    library: str | Path | Library | None = None,
    budget: str = "10min",
    store: Place = None,
    **limits: str,
) -> Recommendation:
    """The core that meets all limits and is best by one figure, `among` measured points, of one `library`.

    `limits` are those of `aesmith recommend`: `min_throughput="1Gbps"`, `max_area="12kGE"`, `minimise="area"`. Where
    nothing meets them, `chosen` is None and `closest` what misses by least. With `among=None` the points are those of
    the result store, and what is promising and not known is measured in the library, within the `budget`; else nothing
    is measured. Raises RequestError for limits that cannot be.
    """
    wanted = requirements.requirement(mode, directions, key, **limits)  # type: ignore[arg-type]
    if among is not None:
        frame = points_of(among) if isinstance(among, str | Path) else among
        name = library if library is None or isinstance(library, str) else library_by(library).name
        return choice.recommend(needed.points_in(frame, name), wanted)
    seconds = requirements.DURATION.parse(budget, "budget")
    with ExitStack() as stack:
        kept = store if isinstance(store, stores.Store) else stack.enter_context(stores.open_store(store))
        folder = stack.enter_context(work_folder())
        cells = library_by(DEFAULT_LIBRARY if library is None else library)
        return _recommended.answer_measuring(wanted, cells, kept, folder, seconds=seconds).found


def sweep(
    space: str | Path | Mapping[str, object], *, library: str | Path | None = None, store: Place = None
) -> pd.DataFrame:
    """Measure what is not known yet of a design space, and return all its points; `aesmith.explore.api` has more."""
    given = dict(space) if isinstance(space, Mapping) else space
    return spaces.sweep(given, library=library, store=store)
