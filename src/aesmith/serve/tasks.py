"""What the page may ask for: to measure a core and pack it, and to measure what a requirement lacks. Nothing else.

Everything asked is checked before it is work: fields by name, cores among the points that are known, libraries among
those that are registered, requirements by the rules of `recommend`. No file is named by who asks.
"""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aesmith import api
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import default_name
from aesmith.errors import RequestError, not_one_of
from aesmith.explore.outline import build_specified
from aesmith.explore.points import condition_of, is_engine, placements, points, points_by, quiet_core
from aesmith.explore.recommend.choice import recommend
from aesmith.explore.recommend.needed import measure_in_time
from aesmith.explore.recommend.requirement import FIGURES, LIMITS, Requirement, requirement
from aesmith.explore.recommend.serving import with_registers
from aesmith.explore.recommend.words import failures, point_count, reasons
from aesmith.explore.store import open_store
from aesmith.flow.measurement import (
    FMAX,
    FMAX_WITH_PORTS,
    PERIOD,
    PERIOD_WITH_PORTS,
    Measurement,
    Optimise,
    PlacedFigures,
)
from aesmith.lazy import LazyModule
from aesmith.modes.buses import BUSES
from aesmith.publish.descriptions import Evidence
from aesmith.publish.report.page import PointSet, further_sets
from aesmith.scratch import work_folder
from aesmith.serve.queue import Task, Work, WorkResult

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

AS_POINT = "as the point"
"""Synthesis under what was asked for the point, a single recipe if it was one."""

NO_BUS = "none"
"""What is chosen for an engine with its streams, and for a core."""

SHIPPED = "presets"
"""The points that are shown where there are none of one's own."""

_TEXTS = ("mode", "directions", "clock", "minimise", "maximise", "max_latency", "protected", *LIMITS)
_NUMBERS = ("block_width", "streams")
_FIGURES = (
    ("area", "area", "area_ge"),
    (PERIOD, "latency", "period_ns"),
    (PERIOD_WITH_PORTS, "latency", "period_with_ports_ns"),
    (FMAX, "fmax", "fmax_mhz"),
    (FMAX_WITH_PORTS, "fmax", "fmax_with_ports_mhz"),
    ("throughput", "throughput", "throughput_gbps"),
    ("latency", "latency", "latency_ns"),
    ("efficiency", "efficiency", "efficiency_kbps_per_ge"),
)
"""Of what is told of a measurement: its name, the figure of requirements that has its unit, the attribute."""

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
LONGEST_MIN = 240


@dataclass(frozen=True)
class ShownPoints:
    """The points of the page; `source` is the export they are of, None for those of a store."""

    points: pd.DataFrame
    source: str | None


def points_to_show(export: str | None, store: str | None) -> ShownPoints:
    """The points of an export; without one those of the store, or if it has none those of all presets."""
    if export is not None:
        return ShownPoints(points_by(export), export)
    with open_store(store) as kept:
        own = points(kept)
    if own["status"].eq("done").any():
        return ShownPoints(own, None)
    return ShownPoints(points_by(SHIPPED), SHIPPED)


@dataclass
class Tasks:
    """The points that cores are chosen from, more of them as they are measured; where results are kept."""

    points: pd.DataFrame
    store: str | None = None
    jobs: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _further: tuple[PointSet, ...] | None = None

    def further(self) -> tuple[PointSet, ...]:
        """The points that come with aesmith, of the kinds that the others lack."""
        with self._lock:
            if self._further is None:
                self._further = further_sets(self.points)
            return self._further

    def choices(self) -> dict[str, object]:
        """What may be asked for, as plain JSON values."""
        optimise = [AS_POINT, *map(str, Optimise)]
        return {"libraries": list(api.libraries()), "optimise": optimise, "buses": [NO_BUS, *BUSES]}

    def placed(self) -> Mapping[str, PlacedFigures]:
        """The figures with wires that the store has of the points."""
        with open_store(self.store) as kept:
            return placements(kept, self.points)

    def of(self, asked: Mapping[str, Any]) -> tuple[str, Task]:
        """The title of what is asked, and how it is done. Raises RequestError, naming the field, for what cannot be."""
        match asked.get("kind"):
            case "core":
                return self._core(_fields(asked, ("kind", "point", "library", "optimise", "bus")))
            case "requirement":
                return self._requirement(_fields(asked, ("kind", "requirement", "library", "minutes")))
            case kind:
                raise RequestError(f"kind: must be core or requirement, not {kind!r}")

    def _core(self, asked: Mapping[str, Any]) -> tuple[str, Task]:
        row = self._row(asked.get("point"))
        library = _library(asked.get("library"))
        optimise = asked.get("optimise", AS_POINT)
        if optimise not in (AS_POINT, *Optimise):
            raise not_one_of("optimise", str(optimise), (AS_POINT, *Optimise))
        condition = condition_of(row)
        recipe = condition.recipe if optimise == AS_POINT else None
        wanted = str(condition.optimise) if optimise == AS_POINT else str(optimise)
        name, text = quiet_core(str(row["design"]), str(row["specification"]))
        bus = asked.get("bus", NO_BUS)
        if bus not in (NO_BUS, *BUSES):
            raise not_one_of("bus", str(bus), (NO_BUS, *BUSES))
        if bus != NO_BUS:
            if not is_engine(text):
                raise RequestError(f"bus: of engines only, and {name} is a core")
            text = with_registers(text, (("bus", bus),))
        built = build_specified(text, default_name(name), name)

        def task(job: Work) -> WorkResult:
            core = api.Core(built) if isinstance(built, CoreDesign) else api.Engine(built)
            measured = core.measure(
                library,
                optimise=wanted,
                recipe=recipe,
                store=self.store,
                jobs=self.jobs,
                cancel=job.cancel,
                progress=lambda step, done, of: job.progress(f"measuring in {library}: {step}", done, of),
            )
            # A package states what the whole set of recipes gives: of a single one it would say too little.
            evidence = Evidence((measured,) if recipe is None else (), "")
            with work_folder() as work:
                files = core.files(evidence, work, lambda step: job.progress(f"building the package: {step}", 0, 0))
            values = {"kind": "core", "design": core.name, "figures": _figures(measured), "conditions": _said(measured)}
            return WorkResult(values, f"{core.name}.zip", _zipped(core.name, files))

        where = "" if bus == NO_BUS else f" on {bus}"
        return f"{default_name(name)}{where} in {library}, {recipe or wanted}", task

    def _requirement(self, asked: Mapping[str, Any]) -> tuple[str, Task]:
        wanted = _wanted(asked.get("requirement"))
        library = _library(asked.get("library"))
        minutes = asked.get("minutes", 10)
        if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not 0 < minutes <= LONGEST_MIN:
            raise RequestError(f"minutes: must be above 0 and at most {LONGEST_MIN}, not {minutes!r}")

        def task(job: Work) -> WorkResult:
            cells = api.library(library)
            with open_store(self.store) as kept, work_folder() as folder:
                needed = measure_in_time(
                    wanted,
                    cells,
                    kept,
                    folder,
                    seconds=60.0 * minutes,
                    jobs=self.jobs,
                    cancel=job.cancel,
                    progress=job.progress,
                )
            job.progress("choosing", 0, 0)
            self._learn(needed.points)
            found = recommend(needed.points, wanted)
            chosen = found.chosen
            lines = failures(found) if chosen is None else reasons(found)
            lines += [f"not measured: {point_count(count)}, {reason}" for reason, count in needed.unmeasured.items()]
            values = {
                "kind": "requirement",
                "required": str(wanted),
                "chosen": None if chosen is None else {"design": chosen.design, "point": str(chosen.row["key"])},
                "figures": [] if chosen is None else _chosen_figures(chosen.figures),
                "lines": lines,
                "searched": f"searched: {point_count(len(needed.points))} measured in {library}, "
                f"{needed.measured} of them now",
            }
            return WorkResult(values)

        return f"requirement in {library}: {wanted}", task

    def _row(self, point: object) -> Mapping[str, object]:
        """The point whose key begins so."""
        if not isinstance(point, str) or len(point) < 8 or not point.isalnum():
            raise RequestError(f"point: must be the id of a point of the page, not {point!r}")
        for known in self._known():
            found = known[known["key"].str.startswith(point).fillna(False).astype(bool)]
            if found["key"].nunique() == 1:
                return {str(name): None if pd.isna(value) else value for name, value in found.iloc[0].items()}
        raise RequestError(f"point: there is no point {point!r} among those of the page")

    def _known(self) -> Iterator[pd.DataFrame]:
        """All points of the page that can be measured in a library."""
        yield self.points
        yield from (each.points for each in self.further() if not each.device)

    def _learn(self, measured: pd.DataFrame) -> None:
        """Points that were measured now are known, too."""
        with self._lock:
            new = measured[~measured["key"].isin(self.points["key"])]
            self.points = pd.concat([self.points, new], ignore_index=True)
            self._further = None


def _fields(asked: Mapping[str, Any], known: tuple[str, ...]) -> Mapping[str, Any]:
    for name in asked:
        if name not in known:
            raise not_one_of("field", str(name), known)
    return asked


def _library(name: object) -> str:
    known = api.libraries()
    if not isinstance(name, str) or name not in known:
        raise not_one_of("library", str(name), known)
    return name


_KINDS = {"core": "true or false", "key": "a list of sizes"}


def _wanted(given: object) -> Requirement:
    """A requirement from texts, named as the arguments of `requirement`; `key` is a list of sizes, `core` a truth."""
    if not isinstance(given, Mapping):
        raise RequestError(f"requirement: must be fields with their values, not {given!r}")
    _fields(given, (*_TEXTS, *_NUMBERS, "core", "key"))
    for name, value in given.items():
        number = isinstance(value, int) and not isinstance(value, bool)
        keys = isinstance(value, list) and all(isinstance(bits, int) for bits in value)
        fits = keys if name == "key" else number if name in _NUMBERS else isinstance(value, str) and len(value) < 80
        if name == "core":
            fits = isinstance(value, bool)
        if not fits:
            what = _KINDS.get(name, "a whole number" if name in _NUMBERS else "a text")
            raise RequestError(f"{name}: must be {what}, not {value!r}")
    key = tuple(given.get("key", (128,)))
    return requirement(key=key, **{name: value for name, value in given.items() if name != "key"})


def _figures(measured: Measurement) -> list[list[object]]:
    """Names and values with units, for people."""
    found = ((name, figure, getattr(measured, attribute)) for name, figure, attribute in _FIGURES)
    return [[name, FIGURES[figure].text(value)] for name, figure, value in found if value is not None]


def _chosen_figures(figures: Mapping[str, float | None]) -> list[list[object]]:
    return [[name, FIGURES[name].text(value)] for name, value in figures.items() if value is not None]


def _said(measured: Measurement) -> str:
    return f"library {measured.library}, {measured.corner}; optimised for {measured.optimise}, recipe {measured.recipe}"


def _zipped(name: str, files: Mapping[str, str]) -> bytes:
    """The package in a folder of its name. The same files give the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(f"{name}/{path}", _ZIP_TIME), files[path], zipfile.ZIP_DEFLATED)
    return content.getvalue()
