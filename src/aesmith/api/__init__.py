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

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aesmith.api.designs import DEFAULT_LIBRARY, MeasuredDesign, library_by
from aesmith.cores import wrapper
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import (
    build_design,
    default_name,
    load_specification,
    parse_specification,
    presets,
)
from aesmith.errors import AesmithError, RequestError, not_one_of
from aesmith.lazy import LazyModule
from aesmith.progress import Progress
from aesmith.scratch import work_folder

if TYPE_CHECKING:
    import pandas as pd

    from aesmith.api import assessing, listing, search
    from aesmith.api import recommending as _recommended
    from aesmith.assurance import formal, simulation, simulator
    from aesmith.assurance import plan as plans
    from aesmith.assurance.engines import prove as engine_proofs
    from aesmith.assurance.leakage.plan import LeakagePlan, LeakageReport
    from aesmith.assurance.plan import SimulationPlan, SimulationReport
    from aesmith.assurance.probing import sampling, structure
    from aesmith.assurance.probing import sampling_plan as sampling_plans
    from aesmith.assurance.probing.sampling_plan import SamplingPlan, SamplingReport
    from aesmith.assurance.probing.structure import CoreProbing
    from aesmith.assurance.proof import prove as proofs
    from aesmith.assurance.proof.report import Limits, ProofReport
    from aesmith.assurance.streams import check as streams
    from aesmith.assurance.streams.check import StreamPlan
    from aesmith.explore import api as spaces
    from aesmith.explore import points
    from aesmith.explore import store as stores
    from aesmith.explore.api import Place
    from aesmith.explore.recommend import choice
    from aesmith.explore.recommend import requirement as requirements
    from aesmith.explore.recommend.choice import Recommendation
    from aesmith.modes import specification as engines
    from aesmith.modes.engine import StreamEngine
    from aesmith.sboxes import catalogue
    from aesmith.sboxes.entry import SBox
    from aesmith.technology import registry
    from aesmith.technology.library import Library
else:
    assessing = LazyModule("aesmith.api.assessing")
    listing = LazyModule("aesmith.api.listing")
    _recommended = LazyModule("aesmith.api.recommending")
    search = LazyModule("aesmith.api.search")
    formal = LazyModule("aesmith.assurance.formal")
    plans = LazyModule("aesmith.assurance.plan")
    sampling = LazyModule("aesmith.assurance.probing.sampling")
    sampling_plans = LazyModule("aesmith.assurance.probing.sampling_plan")
    structure = LazyModule("aesmith.assurance.probing.structure")
    simulator = LazyModule("aesmith.assurance.simulator")
    simulation = LazyModule("aesmith.assurance.simulation")
    streams = LazyModule("aesmith.assurance.streams.check")
    engines = LazyModule("aesmith.modes.specification")
    engine_proofs = LazyModule("aesmith.assurance.engines.prove")
    proofs = LazyModule("aesmith.assurance.proof.prove")
    spaces = LazyModule("aesmith.explore.api")
    points = LazyModule("aesmith.explore.points")
    stores = LazyModule("aesmith.explore.store")
    choice = LazyModule("aesmith.explore.recommend.choice")
    requirements = LazyModule("aesmith.explore.recommend.requirement")
    catalogue = LazyModule("aesmith.sboxes.catalogue")
    registry = LazyModule("aesmith.technology.registry")

__all__ = [
    "AesmithError",
    "Core",
    "Engine",
    "core",
    "engine",
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


@dataclass(frozen=True)
class Core(MeasuredDesign):
    """A core under its build's name. `design` has all that is known of it: sources, ports, clocks, citation."""

    design: CoreDesign

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
        return proofs.prove(
            self.design, Path(folder), limits, progress, mapped=netlist, one_file=one_file, simulated=True
        )

    def check_simulator(self) -> None:
        """Raise RequestError for a core that no test bench is made for, ToolError if a tool of `verify` is missing."""
        for bits in self.design.key_bits:
            plans.facts_of(wrapper.with_one_key_size(self.design, bits))
        simulator.find_tools()

    def probe(self, order: int | None = None, netlist: proofs.Mapped | None = None) -> CoreProbing:
        """Check the probing security of a masked core against `order` probes, by default one less than its shares.

        With a netlist, also check that it reveals no more than the sources. The report says whether it is `shown`.
        Raises RequestError for an order that the shares do not allow, CheckError for a structure that breaks a rule or
        a netlist that reveals more, ToolError without Yosys.
        """
        with work_folder() as work:
            return structure.check_core(self.design, work / "probing", order, netlist)

    def sample_probes(
        self,
        plan: SamplingPlan | None = None,
        netlist: proofs.Mapped | None = None,
        *,
        progress: Progress | None = None,
    ) -> SamplingReport:
        """Test whether probes of a masked core, or of its netlist, distinguish fixed from random secrets.

        The report says whether there is a `leak`; finding none proves nothing. Raises RequestError for a core that is
        not masked, CheckError for a netlist with more than one clock, ToolError without Yosys.
        """
        with work_folder() as work:
            return sampling.sample_core(
                self.design, plan or sampling_plans.SamplingPlan(), work / "sampling", netlist, progress
            )

    def leakage(
        self,
        plan: LeakagePlan | None = None,
        library: str | Path | Library = DEFAULT_LIBRARY,
        *,
        netlist: Path | None = None,
        progress: Progress | None = None,
    ) -> LeakageReport:
        """Test if its power, simulated with glitches, tells fixed blocks from random ones; the report has a `verdict`.

        It is synthesised, or the mapped `netlist` is taken. Raises RequestError for a plan that it does not allow,
        ToolError without Yosys.
        """
        return assessing.assess_core(self.design, plan, library, netlist=netlist, progress=progress)

    def export(self, folder: str | Path, bounds: Mapping[str, int] | None = None) -> Sequence[Path]:
        """Write it and its rules for model checkers; waits are bounded by `bounds`, as a certificate has them.

        Raises OSError if the folder cannot be written, ToolError without Yosys.
        """
        return formal.export_formal(self.design, Path(folder), bounds or {})


def core(specification: str | Path, *, name: str | None = None, **fields: object) -> Core:
    """The core of a preset or a TOML file, with `fields` in the place of those it has: `core("ueno2020-enc", gamma=1)`.

    `name` is the build's, by default that of the preset or file. Raises RequestError for a preset, field or value that
    there is not, with the valid ones.
    """
    text = str(specification)
    if text in engines.engine_presets():
        raise RequestError(f"core: {text} is an engine; see aesmith.engine")
    wanted = load_specification(text)
    if fields:
        wanted = parse_specification(wanted.model_dump() | fields)
    preset = text if text in presets() else Path(text).name
    return Core(build_design(wanted, default_name(text) if name is None else name, preset))


@dataclass(frozen=True)
class Engine(MeasuredDesign):
    """An engine of a mode of operation under its build's name."""

    design: StreamEngine

    def check_simulator(self) -> None:
        """Raise ToolError if a tool of `verify` is missing."""
        simulator.find_tools()

    def verify(
        self, plan: StreamPlan | None = None, *, folder: str | Path | None = None, progress: Progress | None = None
    ) -> SimulationReport:
        """Simulate it against the mode's model and published vectors; the report says whether it `passed`.

        The simulator is built in `folder`, else in one that is deleted again. An engine that fails is no error. Raises
        ToolError if a tool is missing or fails.
        """
        with ExitStack() as stack:
            place = stack.enter_context(work_folder()) / "verify" if folder is None else Path(folder)
            return streams.verify_engine(self.design, place, plan, progress)

    def prove(
        self, folder: str | Path, limits: Limits | None = None, *, progress: Progress | None = None
    ) -> ProofReport:
        """Prove an engine whose mode has a proof, for all messages and stalls, and its core; the report says
        whether it is `proved`.

        The files of the proof are left in `folder`. An engine that is refuted is no error. Raises RequestError for an
        engine of another mode, ToolError if Yosys or ABC is missing or fails.
        """
        return engine_proofs.prove_engine(self.design, Path(folder), limits, progress, simulated=True)

    def check_provable(self) -> None:
        """Raise RequestError for an engine whose mode has no proof."""
        engine_proofs.check_claimed(self.design)


def engine(specification: str | Path, *, name: str | None = None, **fields: object) -> Engine:
    """The engine of a preset or a TOML file, with `fields` in the place of those it has: `engine("gcm-10g", cores=4)`.

    `name` is the build's, by default that of the preset or file. Raises RequestError for a preset, field or value that
    there is not, with the valid ones.
    """
    text = str(specification)
    wanted = engines.engine_specification(text)
    if fields:
        wanted = engines.parse_engine(wanted.model_dump() | fields)
    called = text if text in engines.engine_presets() else Path(text).name
    return Engine(engines.build_engine(wanted, default_name(text) if name is None else name, called))


def without_clock_gates(specification: str | Path) -> dict[str, object]:
    """The fields that take the clock gates out of a core or an engine: `core(name, **without_clock_gates(name))`.

    None for one that has no clock gates. Raises RequestError for a preset or file that will not do.
    """
    text = str(specification)
    if engines.asks_for_engine(text):
        return engines.without_clock_gates(engines.engine_specification(text))
    return {"clock_gates": False} if getattr(load_specification(text), "clock_gates", False) else {}


def engine_presets() -> list[str]:
    """The names of all presets of engines."""
    return list(engines.engine_presets())


def asks_for_engine(specification: str) -> bool:
    """Whether a preset or TOML file is one of an engine: it names a mode."""
    return engines.asks_for_engine(specification)


def sbox(name: str) -> SBox:
    """An S-box of the catalogue: circuits, figures, citation. Raises RequestError for another name."""
    known = catalogue.catalogue()
    if name not in known:
        raise not_one_of("sbox", name, known, elsewhere={"a core": presets(), "an engine": engines.engine_presets()})
    return known[name]


def sbox_names() -> list[str]:
    """The names of all S-boxes of the catalogue."""
    return list(catalogue.catalogue())


def library(name_or_file: str | Path | Sequence[str | Path]) -> Library:
    """A cell library by its registered name, its Liberty file, or its several files. Its `notes` say what is set aside.

    Raises RequestError for one that will not do.
    """
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
    among: str | Path | pd.DataFrame | None = None,
    library: str | Path | Library | None = None,
    measure: bool = False,
    budget: str = "10min",
    store: Place = None,
    core: bool = False,
    **limits: str,
) -> Recommendation:
    """The engine of a mode, or with `core` the AES core alone, that meets all limits and is best by one figure.

    `limits` are those of `aesmith recommend`: `min_throughput="1Gbps"`, `max_area="12kGE"`, `minimise="area"`. Where
    nothing meets them, `chosen` is None and `closest` what misses by least; where nothing that was measured fits,
    `nearest` is the design that comes nearest. Candidates are all known points of the library: those shipped with
    aesmith and those of the result store. `among` names an export, a file or a frame of one library instead. With
    `measure`, promising unknown candidates are measured within the `budget`. Raises RequestError for impossible limits.
    """
    wanted = requirements.requirement(mode, directions, key, core=core, **limits)  # type: ignore[arg-type]
    if among is not None:
        if measure:
            raise RequestError("measure: among points that are given nothing is measured; leave one of them out")
        frame = points_of(among) if isinstance(among, str | Path) else among
        name = library if library is None or isinstance(library, str) else library_by(library).name
        return choice.recommend(points.points_in(frame, name), wanted)
    if not measure:
        return _recommended.answer_known(wanted, library, store).found
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
