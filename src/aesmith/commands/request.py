"""From what the user names to what it means: designs, libraries, stores, points; and where work for it is done.

First the arguments and options that verbs share, with their help; then what is read of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aesmith.api import (
    Core,
    Engine,
    asks_for_engine,
    core,
    engine,
    engine_presets,
    libraries,
    presets,
    sbox_names,
    without_clock_gates,
)
from aesmith.api.designs import DEFAULT_LIBRARY, library_by
from aesmith.commands.console import Display
from aesmith.commands.typeset import TableFormat
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import default_name, families, read_fields
from aesmith.errors import RequestError, not_one_of
from aesmith.flow.measurement import Optimise
from aesmith.foreign.description import ForeignSource, RtlSettings, is_description
from aesmith.lazy import LazyModule
from aesmith.modes.buses import BUSES
from aesmith.modes.self_test import SELF_TESTS
from aesmith.publish.descriptions import Build, read_build
from aesmith.scratch import absolute, work_folder
from aesmith.technology.library import Library

if TYPE_CHECKING:
    import pandas as pd

    from aesmith.api import measuring
    from aesmith.explore import points
    from aesmith.explore import store as results
    from aesmith.foreign import design as foreign
    from aesmith.foreign import given as foreign_given
    from aesmith.modes.engine import StreamEngine
else:
    measuring = LazyModule("aesmith.api.measuring")
    points = LazyModule("aesmith.explore.points")
    results = LazyModule("aesmith.explore.store")
    foreign = LazyModule("aesmith.foreign.design")
    foreign_given = LazyModule("aesmith.foreign.given")


def rtl_settings(
    *, include: Includes = None, defines: Macros = None, parameters: TopParameters = None, verilog: Verilog2005 = False
) -> RtlSettings:
    """What the options say of reading sources. Raises RequestError for a parameter that is no whole number."""
    values = {}
    for text in parameters or ():
        name, equals, value = text.partition("=")
        if not equals or not value.removeprefix("-").isdecimal():
            raise RequestError(f"-G: must be NAME=VALUE with a whole number, not {text}")
        values[name] = int(value)
    macros = {name: value or "1" for name, _, value in (text.partition("=") for text in defines or ())}
    folders = tuple(absolute(folder) for folder in include or ())
    return RtlSettings(folders, macros, values, "verilog-2005" if verilog else "systemverilog")


def foreign_source(
    *,
    rtl: RtlFiles = None,
    top: TopModule = None,
    cycles_per_block: CyclesPerBlock = None,
    ports: PortsFile = None,
    include: Includes = None,
    defines: Macros = None,
    parameters: TopParameters = None,
    verilog: Verilog2005 = False,
) -> ForeignSource | None:
    """What the options say of a third-party design; None if they name none.

    Raises RequestError for options that need others.
    """
    others = {"--top": top, "--cycles-per-block": cycles_per_block, "--ports": ports, "-I": include, "-D": defines}
    others |= {"-G": parameters, "--verilog-2005": verilog or None}
    if not rtl:
        if given := [option for option, value in others.items() if value]:
            raise RequestError(f"{given[0]}: belongs to a third-party design; give --rtl FILE too")
        return None
    if top is None:
        raise RequestError("rtl: give --top MODULE too")
    settings = rtl_settings(include=include, defines=defines, parameters=parameters, verilog=verilog)
    files = tuple(absolute(file) for path in rtl for file in foreign_given.files_in(path))
    return ForeignSource(files, top, settings, cycles_per_block, None if ports is None else absolute(ports))


def gathering(options: Callable[..., object]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What makes a verb of a function: in place of its parameter `theirs` the verb has the options of another function,
    whose value `theirs` gets."""

    def gathered(command: Callable[..., None]) -> Callable[..., None]:
        own = dict(signature(command, eval_str=True).parameters)
        added = signature(options, eval_str=True).parameters
        del own["theirs"]

        @wraps(command)
        def verb(**given: Any) -> None:
            theirs = options(**{name: given.pop(name) for name in added})
            command(**given, theirs=theirs)

        kinds = sorted((*own.values(), *added.values()), key=lambda parameter: parameter.kind)
        verb.__dict__["__signature__"] = Signature(kinds)
        verb.__annotations__ = {parameter.name: parameter.annotation for parameter in kinds}
        return verb

    return gathered


def named_folder(text: str) -> Path:
    """A folder that a user names to be written to. An empty name is refused: to Python it is the folder we are in."""
    if not text:
        raise typer.BadParameter("must name a folder, as . names this one")
    return Path(text)


def name_for(folder: Path, otherwise: str) -> str:
    """The build's name for a folder that it goes to: the folder's, with `_` for what a module's name cannot have."""
    called = default_name(folder.resolve().name)
    return called if called[:1].isalpha() else otherwise


def completing(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What a shell is offered for a name that is being typed: those that begin so."""
    return lambda incomplete: [name for name in names() if name.startswith(incomplete)]


class Gating(StrEnum):
    """Whether clock gates hold registers, those of the specification and those that synthesis could put in."""

    ON = "on"
    OFF = "off"


ClockGates = Annotated[
    Gating | None,
    typer.Option(
        "--clock-gates",
        help="on: use clock gates instead of enables in all netlists. off: use none, not even those of the preset or "
        "specification.",
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value for machines; errors are JSON on stderr.")]
Format = Annotated[
    TableFormat | None,
    typer.Option("--format", help="Print tables for a paper (LaTeX with booktabs) or a spreadsheet (CSV)."),
]
Specification = Annotated[
    str,
    typer.Argument(
        metavar="SPEC",
        autocompletion=completing(lambda: [*presets(), *engine_presets()]),
        help="A preset (see `aesmith list cores`, `list engines`) or a TOML file with the same fields.",
    ),
]
SpecificationOrBuild = Annotated[
    str | None,
    typer.Argument(
        metavar="SPEC|DIR",
        autocompletion=completing(lambda: [*presets(), *engine_presets()]),
        help="A preset, a TOML specification, the folder of a build, or a TOML file of a third-party design.",
    ),
]
Includes = Annotated[list[Path] | None, typer.Option("-I", "--include", metavar="DIR", help="Folder of include files.")]
Macros = Annotated[list[str] | None, typer.Option("-D", "--define", metavar="NAME[=VALUE]", help="Preprocessor macro.")]
TopParameters = Annotated[
    list[str] | None, typer.Option("-G", "--parameter", metavar="NAME=VALUE", help="Parameter of the top module.")
]
Verilog2005 = Annotated[
    bool, typer.Option("--verilog-2005", help="Read as Verilog-2005, in which a port may be called `do`.")
]
RtlFiles = Annotated[
    list[Path] | None,
    typer.Option("--rtl", metavar="FILE|DIR", help="Sources of a third-party design, instead of SPEC."),
]
TopModule = Annotated[str | None, typer.Option("--top", metavar="MODULE", help="Its top module.")]
CyclesPerBlock = Annotated[
    float | None,
    typer.Option("--cycles-per-block", metavar="N", help="Its cycles per block. [default: its latency]"),
]
PortsFile = Annotated[
    Path | None,
    typer.Option("--ports", metavar="FILE", help="Its port map, from `aesmith ports`. [default: guessed]"),
]
LibraryName = Annotated[
    str | None,
    typer.Option(
        "--library",
        metavar="NAME",
        autocompletion=completing(libraries),
        help="A library by name (see `aesmith list libraries`).",
    ),
]
LibertyFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--liberty",
        metavar="FILE",
        help="A Liberty file, plain or gzip, instead of a named library; repeat it for a library of several files.",
    ),
]
Condition = Annotated[
    Optimise,
    typer.Option(
        "--optimise",
        help="area: least area; area-speed: most throughput per GE; speed: shortest period; -kept: every module mapped "
        "separately, without flattening.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", metavar="N", min=1, help="Parallel syntheses. [default: one per processor core]"),
]
StoreLocation = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="FILE|URL",
        help="The result store. [default: $AESMITH_STORE, else results.sqlite in the user's data folder]",
    ),
]
NoStore = Annotated[bool, typer.Option("--no-store", help="Neither read nor write the result store.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Measure again, and replace stored results.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the simulation.")]
RandomPairs = Annotated[
    int,
    typer.Option(
        "--random",
        metavar="N",
        min=1,
        max=1_000_000,
        help="Number of random key/block pairs, run without stalls and with them.",
    ),
]
PointsFile = Annotated[
    str | None,
    typer.Option(
        "--points",
        metavar="FILE|NAME",
        help="Exported points (CSV or Parquet), or an export shipped with aesmith, instead of a store.",
    ),
]
SpaceName = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Only points of the last sweep of this design space.")
]
RunName = Annotated[str | None, typer.Option("--run", metavar="NAME", help="Only points of this sweep.")]


@dataclass(frozen=True)
class Request:
    """A design; if it is that of a build, the build, and the files edited since."""

    design: CoreDesign | StreamEngine
    changed: tuple[str, ...] = ()
    build: Build | None = None

    def core(self, what: str) -> CoreDesign:
        """The design, if it is a core. Raises RequestError for an engine, of which `what` is not there."""
        return measuring.core_of(self.design, what)

    @property
    def package(self) -> Core | Engine:
        """What can be done with the design."""
        return Core(self.design) if isinstance(self.design, CoreDesign) else Engine(self.design)

    @property
    def one_file(self) -> Path | None:
        """Where the one-file Verilog of a build stands."""
        return None if self.build is None else self.build.folder / f"{self.design.name}.v"


def read_request(
    request: str | None,
    theirs: ForeignSource | None = None,
    display: Display | None = None,
    gating: Gating | None = None,
) -> Request:
    """The design of a preset, of a TOML specification, in the folder of a build, or of somebody else's description or
    sources; of a specification without its clock gates if `gating` is off.

    Raises RequestError if it is none of them, or two.
    """
    if theirs is not None:
        if request is not None:
            raise RequestError(f"rtl: give {request} or --rtl, not both")
        return _read_source(theirs, display or Display(as_json=False))
    if request is None:
        raise RequestError("SPEC: is missing: a preset, a TOML file, the folder of a build, or --rtl FILE --top MODULE")
    folder = Path(request)
    if request not in {*presets(), *engine_presets()} and not request.endswith(".toml") and folder.is_dir():
        if gating is Gating.OFF:
            raise RequestError(f"clock-gates: {request} is built; build it anew with --clock-gates off")
        build = read_build(folder)
        return Request(build.design, build.changed, build)
    if request.endswith(".toml") and is_description(folder):
        return Request(foreign.read_foreign(folder, default_name(request)))
    return read_specification(request, gating=gating)


def named_engine(name: str) -> StreamEngine:
    """The engine of a preset, a TOML file, or the folder of a build. Raises RequestError for none, or a core."""
    package = read_request(name).package
    if not isinstance(package, Engine):
        raise RequestError(
            f"{name}: is a core, and vectors are of messages: name an engine (aesmith list engines), "
            f"one of ECB for blocks, or leave it out with --model"
        )
    return package.design


def _read_source(source: ForeignSource, display: Display) -> Request:
    with work_folder() as folder, display.progress(f"reading {source.top}") as steps:
        design = foreign_given.given_design(source, default_name(source.top), folder, steps.done)
    if source.ports is None:
        latency = design.measured.latency_cycles
        display.note(
            f"note: {source.top}: ports guessed; published vectors passed through them, latency {latency} clocks"
        )
    return Request(design)


def check_vectors(design: CoreDesign | StreamEngine, folder: Path, display: Display) -> None:
    """Raises CheckError for a third-party design through whose ports the published vectors do not pass."""
    if isinstance(design, CoreDesign) and design.inner is not None:
        with display.progress(f"published vectors through {design.name}") as steps:
            foreign_given.check_vectors(design, folder, steps.done)


BusName = Annotated[
    str | None,
    typer.Option(
        "--bus",
        metavar="BUS",
        autocompletion=completing(lambda: BUSES),
        help=f"For an engine: bus registers instead of streams: {', '.join(BUSES)}.",
    ),
]
SelfTestName = Annotated[
    str | None,
    typer.Option(
        "--self-test",
        metavar="WHEN",
        autocompletion=completing(lambda: SELF_TESTS),
        help=f"With --bus: when the hardware tests itself with known answers: {', '.join(SELF_TESTS)}.",
    ),
]
DataStreams = Annotated[
    bool,
    typer.Option("--data-streams", help="With --bus: AXI4-Stream of 32 bits in addition to the registers, for DMA."),
]


def register_fields(bus: str | None, self_test: str | None, *, data_streams: bool) -> dict[str, object]:
    """The fields of a specification that the options of registers set, the bus first."""
    given = {"bus": bus, "self_test": self_test, "data_streams": data_streams or None}
    return {name: value for name, value in given.items() if value is not None}


def read_specification(
    request: str,
    name: str | None = None,
    gating: Gating | None = None,
    registers: Mapping[str, object] | None = None,
) -> Request:
    """The design of a preset or a TOML specification, by default under its own name; without its clock gates if
    `gating` is off, an engine with the fields of `registers` if there are any. Raises RequestError for others."""
    if request.endswith(".toml") and is_description(Path(request)):
        raise RequestError(f"{request}: describes a third-party design: verify or measure it; it cannot be built")
    _check_named(request)
    fields = without_clock_gates(request) if gating is Gating.OFF else {}
    if asks_for_engine(request):
        return Request(engine(request, name=name, **fields, **(registers or {})).design)
    if registers:
        field = next(iter(registers))
        raise RequestError(f"{field}: of engines only (see `aesmith list engines`), and {request} is a core")
    return Request(core(request, name=name, **fields).design)


def _check_named(request: str) -> None:
    """Raise RequestError for a name that is neither a core's nor an engine's, whatever list it is like one of."""
    what, given = "core or engine", request
    more = ", or a specification file that ends in .toml (see `aesmith list cores`, `aesmith list engines`)"
    if request.endswith(".toml"):
        preset = read_fields(request).get("preset")
        if not isinstance(preset, str):
            return
        what, given, more = f"specification {request}: preset", preset, ""
    every = [*presets(), *engine_presets()]
    if given not in every:
        raise not_one_of(what, given, every, more, {"an S-box": sbox_names(), "a family": families()})


def read_named_library(name: str | None, files: Sequence[Path] | None, display: Display) -> Library:
    """The library of `--library` or of the files of `--liberty`, by default the embedded one.

    Cells that are set aside are noted. Raises RequestError if both are given, or what is given will not do.
    """
    if name is not None and files:
        raise RequestError("library: give --library NAME or --liberty FILE, not both")
    for file in files or ():
        if not file.is_file():
            raise RequestError(f"liberty: {file} is {'no file' if file.exists() else 'not there'}; give a Liberty file")
    library = library_by(tuple(files)) if files else library_by(DEFAULT_LIBRARY if name is None else name)
    for note in library.notes:
        display.remark(note)
    return library


@contextmanager
def result_store(
    location: str | None, display: Display, *, no_store: bool = False, refresh: bool = False
) -> Iterator[results.Store | None]:
    """The result store that the options name; None with --no-store, or where the default one cannot be written.

    Raises RequestError for options that contradict each other and for a store that will not do.
    """
    if no_store and (location is not None or refresh):
        raise RequestError("no-store: there is nothing to use --store or --refresh for; leave one of them out")
    if no_store:
        yield None
        return
    if (
        location is None
        and not os.environ.get(results.ENVIRONMENT)
        and not results.can_be_written(results.default_location())
    ):
        display.note(f"note: {results.default_location()} cannot be written, so results are not kept; see --store")
        yield None
        return
    with results.open_store(location) as store:
        yield store


def measured_points(
    display: Display,
    *,
    file: str | None,
    store: str | None,
    space: str | None,
    run: str | None,
) -> pd.DataFrame:
    """The points that the options name. Raises RequestError for options that contradict each other, and none at all."""
    if file is not None:
        others = {"--store": store, "--run": run}
        if used := [option for option, value in others.items() if value is not None]:
            raise RequestError(f"points: give --points FILE or {used[0]}, not both")
        frame = points.points_by(file)
        return frame if space is None else frame[frame["space"].eq(space)]
    with results.open_store(store, existing=True) as opened:
        display.note(f"note: points of {opened.where}")
        return points.points(opened, space=space, run=run)
