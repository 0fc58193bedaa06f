"""The unit of a sweep's work: one design in one library, with every point of it. Runs in a worker, wherever that is."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from aesmith.cores.design import CoreDesign
from aesmith.errors import AesmithError, RequestError, ToolError, is_full_disk
from aesmith.explore.claims import found_once
from aesmith.explore.design_space import Condition
from aesmith.explore.facts import digest_of
from aesmith.explore.obtain import obtain, obtain_power
from aesmith.explore.outline import Outline
from aesmith.explore.points import DIRECTIONS, FOREIGN, POWER_FIGURES, blocks_in_flight
from aesmith.explore.runs import DONE, FAILED, begin_run, put_point, statuses
from aesmith.explore.store import Store, open_store
from aesmith.explore.verifying import Verifier
from aesmith.flow.measure import measurement_key
from aesmith.flow.measurement import Measurement
from aesmith.flow.power import power_key
from aesmith.flow.recipes import SynthesisPlan, one_recipe
from aesmith.modes.engine import StreamEngine
from aesmith.progress import Progress
from aesmith.scratch import work_folder
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import EMBEDDED, library_by
from aesmith.timing.power.figures import PowerPlan

_MEASURED = ("area_ge", "logic_area_ge", "register_area_ge", "flip_flops", "period_ns", "period_with_ports_ns",
             "fmax_mhz", "latency_ns", "throughput_gbps", "efficiency_kbps_per_ge", "recipe", "corner")  # fmt: skip


@dataclass(frozen=True)
class Effort:
    """What is done for a point besides synthesis and timing: verification, and power if there is a plan."""

    verifier: Verifier
    power: PowerPlan | None = None


@dataclass(frozen=True)
class NamedLibrary:
    """Where a worker finds a library: its name, its files (none for the embedded one), and the digest it must have."""

    name: str
    files: tuple[str, ...]
    digest: str

    @classmethod
    def of(cls, library: Library) -> NamedLibrary:
        """The library as this process has it."""
        files = () if library.name == EMBEDDED else tuple(str(file.resolve()) for file in library.files)
        return cls(library.name, files, library.digest)

    def read(self) -> Library:
        """The library. Raises RequestError if it is not there, ToolError if it is another."""
        library = _library(self)
        if library.digest != self.digest:
            raise ToolError(f"library {self.name}: {', '.join(self.files) or EMBEDDED} is another one on this worker")
        return library


@dataclass(frozen=True)
class Task:
    """One core or engine in one library: its points by their keys. `store` is the store's place; `effort` what is to be
    done."""

    outline: Outline
    library: NamedLibrary
    effort: Effort
    points: tuple[tuple[str, Condition], ...]
    store: str

    def alone(self) -> tuple[Task, ...]:
        """A task for each point."""
        return tuple(Task(self.outline, self.library, self.effort, (point,), self.store) for point in self.points)


Report = Callable[[str, str], None]
"""Called with a point's key and what becomes of it: `verifying: …` and `measuring: …` with the step that is under way,
`done` or `failed`."""


@dataclass
class PointBench:
    """Where the points of one task are done. The design is built when it is first needed."""

    task: Task
    library: Library
    store: Store
    folder: Path
    report: Report

    @property
    def design(self) -> CoreDesign | StreamEngine:
        """The core or engine."""
        return _built(self.task.outline)


@lru_cache(maxsize=16)
def _built(outline: Outline) -> CoreDesign | StreamEngine:
    """A design that this process has built; the points of one may come as several tasks."""
    return outline.build()


Measure = Callable[[PointBench, str, Condition], dict[str, Any]]
"""Finds the figures of the point with a key: `measured`, but in tests."""


def point_key(outline: Outline, library: Library, condition: Condition, effort: Effort) -> str:
    """SHA-256 (hex) of everything a point depends on."""
    # Of a design, keys need no more than an outline has.
    design, plan = cast(CoreDesign, outline), _plan(condition)
    power = effort.power and power_key(design, library, condition.optimise, effort.power, modules=False, synthesis=plan)
    return digest_of(
        outline.specification,
        library.name,
        measurement_key(design, library, condition.optimise, plan),
        effort.verifier.key(outline),
        power,
    )


def request_key(outline: Outline, library: Library, condition: Condition) -> str:
    """SHA-256 (hex) of what was asked for, whatever code makes it."""
    return digest_of(outline.specification, library.name, condition.optimise, condition.recipe)


def row_of(outline: Outline, library: NamedLibrary, condition: Condition) -> dict[str, Any]:
    """What is known of a point before it is measured, as columns of `aesmith.explore.points`."""
    return {
        "design": outline.design,
        "specification": outline.specification,
        "family": outline.family,
        "architecture": outline.architecture,
        "core": outline.core,
        "cores": outline.cores,
        "directions": "+".join(outline.directions),
        "key_bits": max(outline.key_bits),
        "block_width": outline.block_width,
        "sbox": outline.sbox,
        "stages": outline.stages,
        "units": outline.units,
        "library": library.name,
        "library_digest": library.digest,
        "optimise": "recipe" if condition.recipe else str(condition.optimise),
        "recipe": condition.recipe,
        "cycles_per_block": outline.cycles_per_block,
        "latency_cycles": outline.latency_cycles,
        "blocks_in_flight": blocks_in_flight(outline.cycles_per_block, outline.latency_cycles),
    }


def run_task(task: Task, report: Report, measure: Measure | None = None) -> int:
    """Do what is still to be done of a task; every point is kept as soon as it is known. Returns how many were done.

    `measure` takes the place of `measured`. A point that fails is kept with its error. Raises ToolError if this process
    has another version of the code or of the library than the one that asks, or the disk it works on is full, and what
    the store raises.
    """
    library = task.library.read()
    with open_store(task.store) as store, work_folder("sweep") as folder:
        state = statuses(store, [key for key, _ in task.points])
        waiting = [(key, condition) for key, condition in task.points if key not in state]
        if not waiting:
            return 0
        for key, condition in waiting:
            if point_key(task.outline, library, condition, task.effort) != key:
                raise ToolError(
                    "worker: has another version of aesmith or of its tools than the process that sweeps; install the "
                    "same on both"
                )
        bench = PointBench(task, library, store, folder, report)
        return sum(_do(bench, key, condition, measure or measured) for key, condition in waiting)


def _do(bench: PointBench, key: str, condition: Condition, measure: Measure) -> bool:
    """Do one point, unless another process has done it or does it now: then wait for what becomes of it."""
    store = bench.store

    def find() -> str:
        row = row_of(bench.task.outline, bench.task.library, condition)
        try:
            row |= measure(bench, key, condition) | {"status": DONE}
        except Exception as error:  # a point that fails in whatever way must not end the sweep
            if is_full_disk(error) or (isinstance(error, AesmithError) and str(error).startswith("store:")):
                raise
            words = str(error) if isinstance(error, AesmithError) else f"{type(error).__name__}: {error}"
            row |= {"status": FAILED, "error": words}
        put_point(store, key, row | {"key": key})
        return str(row["status"])

    status, known = found_once(store, digest_of("point", key), lambda: statuses(store, [key]).get(key), find)
    if not known:
        bench.report(key, status)
    return not known


def measured(bench: PointBench, key: str, condition: Condition) -> dict[str, Any]:
    """Verify, synthesise and time a point, and simulate its power if that is asked for; returns columns of its row."""
    effort, store = bench.task.effort, bench.store
    verified = effort.verifier.verify(
        bench.task.outline,
        lambda: bench.design,
        bench.folder / "verify",
        store,
        progress=_stages(bench, key, "verifying"),
    )
    report = _stages(bench, key, "measuring")
    design, plan = bench.design, _plan(condition)
    if isinstance(design, StreamEngine):
        design = design.measured
    began, folder = _processor_seconds(), bench.folder / condition.label.replace("@", "-")
    measurement = obtain(
        design, bench.library, condition.optimise, folder, store, plan=plan, jobs=1, progress=report
    ).measurement
    if effort.power is not None:
        measurement = obtain_power(
            design,
            bench.library,
            measurement,
            plan=effort.power,
            work_dir=folder / "power",
            store=store,
            modules=False,
            made=folder,
            synthesis=plan,
        ).measurement
    return figures(measurement) | {"verified": verified, "seconds": round(_processor_seconds() - began, 3)}


def _stages(bench: PointBench, key: str, state: str) -> Progress:
    """Reports the state at once, and with each step that is another than the one before."""
    told = [state]
    bench.report(key, state)

    def step(what: str, _done: int, _total: int) -> None:
        if told[-1] != (words := f"{state}: {what}"):
            told.append(words)
            bench.report(key, words)

    return step


def figures(measurement: Measurement) -> dict[str, Any]:
    """The columns of `aesmith.explore.points` that a measurement gives."""
    values: dict[str, Any] = {name: getattr(measurement, name) for name in _MEASURED}
    for power in measurement.power:
        assert power.direction in DIRECTIONS
        values |= {f"{name}_{power.direction}": getattr(power, name) for name in POWER_FIGURES}
    return values


def keep_foreign(
    store: Store, design: CoreDesign, library: Library, measurement: Measurement, plan: SynthesisPlan | None = None
) -> str:
    """Keep what was measured of a third-party design (its `inner`) as a point; returns the name of its run.

    Each design and condition is a run of the space `FOREIGN`.
    """
    inner, origin = design.measured, str(design.parameters["origin"])
    optimise, clocks = measurement.optimise, inner.cycles_per_block
    key = digest_of(FOREIGN, measurement_key(inner, library, optimise, plan))
    fields = {
        "architecture": FOREIGN,
        "key_bits": list(design.key_bits),
        "origin": origin,
        "output": "bare",
        "top": str(design.parameters["top"]),
    }
    row = figures(measurement) | {
        "key": key,
        "status": DONE,
        "design": design.name,
        "specification": json.dumps(fields, sort_keys=True),
        "family": FOREIGN,
        "architecture": fields["top"],
        "directions": "+".join(design.directions),
        "key_bits": max(design.key_bits),
        "block_width": inner.block_bits,
        "library": library.name,
        "library_digest": library.digest,
        "optimise": str(optimise),
        "cycles_per_block": clocks,
        "latency_cycles": inner.latency_cycles,
        "blocks_in_flight": blocks_in_flight(clocks, inner.latency_cycles),
        "verified": FOREIGN_VERIFIED,
        "space": FOREIGN,
    }
    put_point(store, key, row)
    return begin_run(store, FOREIGN, [(key, digest_of(FOREIGN, origin, fields["top"], library.name, str(optimise)))])


FOREIGN_VERIFIED = "known answers"
"""What `verified` says of third-party designs: the published vectors passed."""


def _plan(condition: Condition) -> SynthesisPlan | None:
    return None if condition.recipe is None else one_recipe(condition.recipe)


@lru_cache(maxsize=8)
def _library(named: NamedLibrary) -> Library:
    if not named.files:
        return library_by(EMBEDDED)
    if missing := [file for file in named.files if not Path(file).is_file()]:
        raise RequestError(f"library {named.name}: there is no file {missing[0]} on this worker")
    return read_library(tuple(map(Path, named.files)), named.name)


def _processor_seconds() -> float:
    """Processor time of this process and of those it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)
