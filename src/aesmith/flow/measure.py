"""Measure a core under a synthesis condition: try a plan of recipes, take the best, keep a record of all.

*Area*: the smallest netlist of a few recipes that restructure more or less; every one of them buffers. Among
netlists whose areas are within two per cent of the smallest the one with the least area × period counts. *Area-speed*:
the netlist with the best throughput per gate equivalent, over recipes and, for the most promising of them, over targets
from the shortest delay the recipe reaches to a multiple of it. *Speed*: the netlist with the shortest period, whatever
its area. *Kept*: the same with every recipe on each module by itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from aesmith import __version__
from aesmith.cores.design import Design
from aesmith.errors import RequestError, ToolError
from aesmith.flow.measurement import (
    PLANS,
    Candidate,
    Measurement,
    Optimise,
    conditions,
    efficiency_kbps_per_ge,
    fmax_mhz,
    gaps,
    throughput_gbps,
)
from aesmith.flow.recipes import (
    EASE,
    GATED,
    REWIRING_STEPS,
    Recipe,
    Rewiring,
    SynthesisPlan,
    recipe_by_name,
    rewired_recipe,
)
from aesmith.flow.synthesis import MappedNetlist, check_cells, elaborate, resized, rewired, synthesise, unpack
from aesmith.flow.yosys import yosys_version
from aesmith.own_code import MEASUREMENT, code_digest
from aesmith.processes import waiting_threads
from aesmith.progress import Progress
from aesmith.technology.library import Library
from aesmith.timing.netlist import read_netlist
from aesmith.timing.static import TimingReport, analyse

_T = TypeVar("_T")
_SAME = 1e-9
"""Figures that differ by this fraction are those of one netlist, summed in another order."""


@dataclass(frozen=True)
class _Tried:
    candidate: Candidate
    recipe: Recipe
    netlist: MappedNetlist | None = None
    timing: TimingReport | None = None
    error: ToolError | None = None


def tool_versions() -> dict[str, str]:
    """Versions of everything a measurement comes from. Raises ToolError if Yosys is missing."""
    return {"aesmith": __version__, "pyosys": yosys_version()}


def measurement_key(design: Design, library: Library, optimise: Optimise, plan: SynthesisPlan | None = None) -> str:
    """SHA-256 (hex) of everything `measure` depends on: sources, schedule, library, plan, tools, own code."""
    parts = {
        "top": design.top,
        "sources": design.source_hash,
        "schedule": [design.cycles_per_block, design.latency_cycles, design.block_bits],
        "library": library.digest,
        "optimise": optimise,
        "plan": asdict(plan or PLANS[optimise]),
        "tools": tool_versions(),
        "code": code_digest(MEASUREMENT),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def measure(
    design: Design,
    library: Library,
    optimise: Optimise,
    work_dir: Path,
    *,
    plan: SynthesisPlan | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
    cancel: threading.Event | None = None,
) -> Measurement:
    """Measure `design`; a pure function of what `measurement_key` hashes.

    `plan` takes the place of the condition's own. Every candidate has a folder in `work_dir`, named after its recipe
    and target, with its script, log and netlist.
    `jobs` syntheses run at a time (default: one a core). Steps of `progress` are elaborations, mappings and sizings; a
    rewiring is `REWIRING_STEPS`. Raises RequestError for a library that lacks what synthesis needs, ToolError if no
    recipe gives a netlist, and Cancelled once `cancel` is set.
    """
    if jobs is not None and jobs < 1:
        raise RequestError(f"jobs: must be 1 or more, not {jobs}")
    plan = plan or PLANS[optimise]
    check_cells(design, library, plan)
    work_dir.mkdir(parents=True, exist_ok=True)
    choices = [*((recipe, None) for recipe in plan.first), *plan.aimed]
    rewiring = plan.rewired * REWIRING_STEPS
    work = _Work(progress or _silent, _steps(choices) + plan.finalists * len(plan.factors) + rewiring)
    bench = _Bench(design, library, work_dir, unpack(library, work_dir), optimise, work, cancel or threading.Event())
    first: list[_Tried] = []
    second: list[_Tried] = []
    # Threads only wait here: the work is done in a process for each, which is killed if this block is left early.
    with waiting_threads(jobs or os.cpu_count() or 1, bench.cancel) as pool:
        for future in as_completed([pool.submit(bench.tried, recipe, target) for recipe, target in choices]):
            first.append(future.result())
        targets = _targets(plan, first, optimise)
        work.total = work.done + len(targets) + rewiring
        for future in as_completed([pool.submit(bench.tried, recipe, target) for recipe, target in targets]):
            second.append(future.result())
        done = first + second
        netlists = sorted(
            (entry for entry in done if entry.netlist), key=lambda entry: _rank(entry.candidate, optimise)
        )
        chosen = netlists[: plan.rewired]
        work.total = work.done + len(chosen) * REWIRING_STEPS
        for future in as_completed([pool.submit(bench.rewired, entry, plan.rewiring) for entry in chosen]):
            done.append(future.result())
    every = sorted(done, key=lambda entry: entry.candidate.label)
    counts = best_candidate([entry.candidate for entry in every], optimise)
    best = next(entry for entry in every if entry.candidate is counts)
    if best.netlist is None or best.timing is None:
        raise next(entry.error for entry in every if entry.error is not None)
    return _measurement(design, library, optimise, best, every)


def _silent(_what: str, _done: int, _total: int) -> None:
    """Report nothing."""


@dataclass
class _Work:
    """What several threads are at: each says what it works on, and the steps that ended are counted."""

    report: Progress
    total: int
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, words: str) -> None:
        """Say what is worked on."""
        self.report(words, self.done, self.total)

    @contextmanager
    def step(self, words: str, steps: int = 1) -> Iterator[Callable[[str, int], None]]:
        """The body is a step, or several: it may say what it is at, and how many of them have ended. All count when it
        has ended, and when a tool has failed in it."""
        told = 0

        def count(ended: int) -> None:
            nonlocal told
            with self.lock:
                self.done += ended - told
            told = ended

        def tell(stage: str, ended: int) -> None:
            count(ended)
            self.at(f"{words}: {stage}")

        self.at(words)
        try:
            yield tell
        except ToolError:
            count(steps)
            self.at(words)
            raise
        count(steps)
        self.at(words)


_Mapping = tuple[str, bool, bool, bool]
"""What a mapping depends on: ABC's script; whether modules stay, XOR2 cells are allowed, clock gates hold registers."""


def _mapping(recipe: Recipe, target_ps: float | None) -> _Mapping:
    mapping, target = (recipe.mapping, None) if recipe.timed else (recipe, target_ps)
    return mapping.abc_script(target), mapping.hierarchical, mapping.xor2, mapping.gated


def _steps(choices: Iterable[tuple[Recipe, float | None]]) -> int:
    """What these recipes take: an elaboration for each kind of them, each mapping once, a sizing where one follows."""
    recipes = [recipe for recipe, _ in choices]
    elaborations = {(recipe.hierarchical, recipe.gated) for recipe in recipes}
    return len(elaborations) + len({_mapping(*choice) for choice in choices}) + sum(recipe.timed for recipe in recipes)


@dataclass(frozen=True)
class _Bench:
    """Where candidates of one design and library are tried, by several threads.

    Of the threads that need the same elaboration or mapping, the first makes it, and the others wait for what becomes
    of it.
    """

    design: Design
    library: Library
    work_dir: Path
    liberty: Path
    optimise: Optimise
    work: _Work
    cancel: threading.Event
    elaborations: dict[tuple[bool, bool], Future[Path]] = field(default_factory=dict)
    mappings: dict[_Mapping, Future[MappedNetlist]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def tried(self, recipe: Recipe, target_ps: float | None) -> _Tried:
        """What comes of a recipe with a target in ps. Raises Cancelled."""
        label = recipe.label(target_ps)
        try:
            if recipe.timed:
                mapped, folder = self._mapped(recipe, None), _folder(self.work_dir, label)
                with self.work.step(f"{label}: sizing"):
                    netlist = resized(mapped, self.library, recipe, target_ps, folder)
            else:
                netlist = replace(self._mapped(recipe, target_ps), recipe=recipe.name)
        except ToolError as error:
            return _Tried(Candidate(recipe.name, target_ps, None, None, None, 0.0, str(error)), recipe, error=error)
        return self._timed(netlist, recipe)

    def _timed(self, netlist: MappedNetlist, recipe: Recipe) -> _Tried:
        """A candidate with its figures."""
        self.work.at(f"{netlist.recipe}: timing")
        timing = analyse(read_netlist(netlist.json, netlist.top), self.library)
        period = timing.period_ns
        cycles, bits = self.design.cycles_per_block, self.design.block_bits
        efficiency = None if period is None else efficiency_kbps_per_ge(period, cycles, netlist.area_ge, bits)
        candidate = Candidate(netlist.recipe, netlist.target_ps, netlist.area_ge, period, efficiency, netlist.seconds)
        return _Tried(candidate, recipe, netlist, timing)

    def rewired(self, entry: _Tried, how: Rewiring) -> _Tried:
        """What comes of a candidate's netlist. Raises Cancelled, and CheckError if it is not proved to be the same."""
        assert entry.netlist is not None
        label = entry.candidate.label.replace(entry.netlist.recipe, entry.netlist.recipe + how.suffix)
        with self.work.step(label, REWIRING_STEPS) as tell:
            netlist = rewired(
                entry.netlist,
                self.library,
                self.optimise,
                _folder(self.work_dir, label),
                how,
                progress=tell,
                cancel=self.cancel,
            )
        return self._timed(netlist, entry.recipe)

    def _mapped(self, recipe: Recipe, target_ps: float | None) -> MappedNetlist:
        """The netlist as ABC leaves it; recipes that differ only in what they size it to share it."""
        what = _mapping(recipe, target_ps)
        with self.lock:
            first = what not in self.mappings
            made = self.mappings.setdefault(what, Future())
        if first:
            with _kept_in(made):
                elaborated = self._elaborated(recipe.hierarchical, recipe.gated)
                with self.work.step(f"{recipe.label(target_ps)}: mapping"):
                    netlist = synthesise(
                        self.design,
                        self.library,
                        recipe.mapping,
                        target_ps,
                        _folder(self.work_dir, recipe.mapping.label(target_ps)),
                        liberty=self.liberty,
                        elaborated=elaborated,
                        cancel=self.cancel,
                    )
                made.set_result(netlist)
        return made.result()

    def _elaborated(self, hierarchical: bool, gated: bool) -> Path:
        """What the recipes start from, flat or with modules, with clock gates for enables or without."""
        with self.lock:
            first = (hierarchical, gated) not in self.elaborations
            made = self.elaborations.setdefault((hierarchical, gated), Future())
        if first:
            with _kept_in(made):
                folder = self.work_dir / (("modules" if hierarchical else "flat") + GATED * gated)
                with self.work.step(f"elaborating, {'by modules' if hierarchical else 'flat'}"):
                    path = elaborate(
                        self.design,
                        self.library,
                        folder,
                        hierarchical=hierarchical,
                        gated=gated,
                        liberty=self.liberty,
                        cancel=self.cancel,
                    )
                made.set_result(path)
        return made.result()


@contextmanager
def _kept_in(made: Future[_T]) -> Iterator[None]:
    """Whatever the body raises becomes the outcome of `made`, so that nobody waits for it in vain."""
    try:
        yield
    except BaseException as error:
        made.set_exception(error)


def _folder(work_dir: Path, label: str) -> Path:
    """Where the candidate of a label has its files."""
    return work_dir / re.sub(r"[^\w.+@-]", "_", label)


def measured_netlist(
    design: Design,
    library: Library,
    measurement: Measurement,
    work_dir: Path,
    *,
    made: Path | None = None,
    cancel: threading.Event | None = None,
) -> tuple[Path, TimingReport]:
    """The folder of the netlist that was measured, which has it as netlist.v and netlist.json; and its timing.

    It is recognised by its figures. `made` is the folder `measure` worked in, if its netlists are still there; where
    neither that nor `work_dir` has the netlist, it is synthesised once more in `work_dir`. Raises ToolError if that
    fails, or gives another netlist.
    """
    for folder in (work_dir, *([] if made is None else [_folder(made, measurement.recipe)])):
        if (folder / "netlist.json").is_file():
            timing = analyse(read_netlist(folder / "netlist.json", design.top), library)
            if _difference(timing, library, measurement) is None:
                return folder, timing
    name, _, target = measurement.recipe.partition("@")
    mapping, how = rewired_recipe(name)
    recipe, target_ps = recipe_by_name(mapping), float(target) if target else None
    if how is not None:
        plain = synthesise(design, library, recipe, target_ps, work_dir / "mapped", cancel=cancel)
        mapped = rewired(plain, library, measurement.optimise, work_dir, how, cancel=cancel)
    else:
        mapped = synthesise(design, library, recipe, target_ps, work_dir, cancel=cancel)
    timing = analyse(read_netlist(mapped.json, mapped.top), library)
    difference = _difference(timing, library, measurement)
    if difference is not None:
        raise ToolError(
            f"{design.name}: synthesis gave another netlist than the one measured ({difference}); measure it anew "
            "(--refresh)"
        )
    return work_dir, timing


def _difference(timing: TimingReport, library: Library, measurement: Measurement) -> str | None:
    """What tells a netlist from the one that was measured; None for the same figures."""
    area = sum(library.area_ge(cell.name) for cell in timing.graph.bound.cells)
    for name, found, measured in (
        ("area", area, measurement.area_ge),
        ("period", timing.period_ns, measurement.period_ns),
    ):
        if found != measured and (found is None or measured is None or abs(found - measured) > _SAME * measured):
            return f"{name} {found}, not {measured}"
    return None


def _targets(plan: SynthesisPlan, first: list[_Tried], optimise: Optimise) -> list[tuple[Recipe, float]]:
    """The second round: targets for the most promising recipes, from the delay that each reached by itself."""
    able = sorted(
        (entry for entry in first if entry.recipe.targets and entry.netlist and entry.candidate.target_ps is None),
        key=lambda entry: _rank(entry.candidate, optimise),
    )
    return [
        (entry.recipe, round(entry.netlist.abc_delay_ps * factor))
        for entry in able[: plan.finalists]
        if entry.netlist is not None and entry.netlist.abc_delay_ps is not None
        for factor in plan.factors
    ]


def best_candidate(every: Iterable[Candidate], optimise: Optimise) -> Candidate:
    """The one of at least one that counts. For area: of those that need at most `EASE` more than the smallest, whose
    area differs by no more than chance, the one with the least product of area and period."""
    ranked = sorted(every, key=lambda candidate: _rank(candidate, optimise))
    smallest = ranked[0]
    if optimise.goal is not Optimise.AREA or smallest.area_ge is None or smallest.period_ns is None:
        return smallest
    limit = smallest.area_ge * (1 + EASE)
    alike = [candidate for candidate in ranked if candidate.area_ge is not None and candidate.area_ge <= limit]
    return min(alike, key=lambda candidate: _rank(candidate, Optimise.AREA_SPEED))


def _rank(candidate: Candidate, optimise: Optimise) -> tuple[bool, float, float, str]:
    """Sort key, best first; what has no netlist last. Equal figures: the other figure, then the name, decides."""
    area = candidate.area_ge or 0.0
    period = candidate.period_ns or 0.0
    merit = {
        Optimise.AREA: area,
        Optimise.AREA_SPEED: -(candidate.efficiency_kbps_per_ge or 0.0),
        Optimise.SPEED: period,
    }[optimise.goal]
    return candidate.area_ge is None, merit, area if optimise is Optimise.SPEED else period, candidate.label


def _measurement(
    design: Design,
    library: Library,
    optimise: Optimise,
    best: _Tried,
    tried: list[_Tried],
) -> Measurement:
    netlist, timing = best.netlist, best.timing
    assert netlist is not None
    assert timing is not None
    period = timing.period_ns
    missing = gaps(timing)
    cycles, bits = design.cycles_per_block, design.block_bits
    corner = library.corner
    return Measurement(
        design=design.name,
        area_ge=netlist.area_ge,
        logic_area_ge=netlist.logic_area_ge,
        register_area_ge=netlist.register_area_ge,
        period_ns=period,
        fmax_mhz=None if period is None else fmax_mhz(period),
        cycles_per_block=cycles,
        latency_cycles=design.latency_cycles,
        latency_ns=None if period is None else design.latency_cycles * period,
        throughput_gbps=None if period is None else throughput_gbps(period, cycles, bits),
        efficiency_kbps_per_ge=None
        if period is None
        else efficiency_kbps_per_ge(period, cycles, netlist.area_ge, bits),
        input_to_register_ns=timing.input_to_register_ns,
        register_to_output_ns=timing.register_to_output_ns,
        flip_flops=netlist.flip_flops,
        cells=netlist.cells,
        critical_path=timing.critical_path,
        library=library.name,
        library_digest=library.digest,
        corner=f"{corner.name} ({corner.voltage:g} V, {corner.temperature:g} °C)",
        optimise=optimise,
        recipe=netlist.recipe if netlist.target_ps is None else f"{netlist.recipe}@{netlist.target_ps:.0f}",
        tool_versions=tool_versions(),
        conditions=conditions(library, optimise, len(tried), timing),
        candidates=tuple(entry.candidate for entry in tried),
        gaps=missing,
        block_bits=bits,
        input_to_output_ns=timing.input_to_output_ns,
    )
