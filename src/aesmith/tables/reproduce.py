"""Measure a published table: every row of it, in one library, by one flow."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

from aesmith.cores.design import CoreDesign, Design
from aesmith.cores.leaf import LeafDesign
from aesmith.errors import RequestError
from aesmith.explore.obtain import Obtained, obtain, obtain_placed, obtain_power
from aesmith.explore.store import Store
from aesmith.flow.measure import best_candidate, measurement_key
from aesmith.flow.measurement import Candidate, Measurement, Optimise, chosen_plan
from aesmith.flow.placement.placed import PlacementPlan
from aesmith.flow.placement.technology import PhysicalTechnology, technology_of
from aesmith.flow.recipes import SynthesisPlan, one_recipe
from aesmith.processes import waiting_threads
from aesmith.progress import Progress
from aesmith.tables.model import Figure, Gap, Row, Table, TableFindings
from aesmith.technology.library import Library
from aesmith.timing.power.figures import PowerPlan


@dataclass(frozen=True)
class TableCell:
    """One figure of one row, published and measured; None where there is none, `gap` says why it is not measured.

    Ratios are to the base rows; `printed` is set where `published` corrects it.
    """

    published: float | None
    printed: float | None
    measured: float | None
    gap: str
    published_ratio: float | None
    measured_ratio: float | None


@dataclass(frozen=True)
class Reproduction:
    """A table as measured. `base` names the rows that published and measured ratios are to, None if there is none."""

    table: Table
    findings: TableFindings
    cells: Mapping[str, Mapping[str, TableCell]]
    base: tuple[str | None, str | None]
    recipes: Mapping[str, str]
    measured: int
    from_store: int

    @property
    def any_measurement(self) -> Measurement | None:
        """One of the measurements: corner and tools are the same for all."""
        every = (m for parts in self.findings.measurements.values() for ms in parts.values() for m in ms.values())
        return next(every, None)


def conditions_for(table: Table, optimise: Optimise | None) -> tuple[Optimise, ...]:
    """What a table is measured under: its own conditions, or the one asked for.

    Raises RequestError if the table needs its own.
    """
    if optimise is None or (optimise,) == table.optimise:
        return table.optimise
    if len(table.optimise) > 1:
        own = ", ".join(table.optimise)
        raise RequestError(f"optimise: {table.name} compares at equal speed, for which it measures under {own}")
    return (optimise,)


def conditions_of_fronts(table: Table) -> tuple[Optimise, Optimise]:
    """The conditions over which fronts are drawn: with the hierarchy kept, and restructured.

    Raises RequestError for a table that is not measured under one condition with which both are possible.
    """
    goal = table.optimise[0].goal
    kept = next((optimise for optimise in Optimise if optimise.kept and optimise.goal is goal), None)
    if kept is None or len(table.optimise) > 1 or table.base_by != "efficiency":
        raise RequestError(
            f"front: {table.name} does not compare throughput per area under a condition that can keep the hierarchy"
        )
    return kept, goal


@dataclass(frozen=True)
class FrontPoint:
    """A netlist that no other of its row beats in both area and latency; `efficiency` is as the table has it."""

    area_ge: float
    latency_ns: float
    efficiency: float
    optimise: Optimise
    recipe: str


def fronts(ways: Sequence[Reproduction]) -> dict[str, tuple[FrontPoint, ...]]:
    """For each row of a table measured in several ways, the front of all netlists tried, the smallest first."""
    return {row.name: _front([point for found in ways for point in _tried(found, row)]) for row in ways[0].table.rows}


def _tried(found: Reproduction, row: Row) -> Iterator[FrontPoint]:
    """Every netlist of a row. Throughput per area goes with area × period, whatever a block takes."""
    measurement = found.findings.measurement(row)
    efficiency = found.cells[row.name][found.table.base_by].measured
    if isinstance(measurement, Gap) or efficiency is None or measurement.period_ns is None:
        return
    product = measurement.area_ge * measurement.period_ns
    for tried in measurement.candidates:
        if tried.area_ge is not None and tried.period_ns is not None:
            yield FrontPoint(
                tried.area_ge,
                tried.period_ns * measurement.latency_cycles,
                efficiency * product / (tried.area_ge * tried.period_ns),
                measurement.optimise,
                tried.label,
            )


def _front(points: Iterable[FrontPoint]) -> tuple[FrontPoint, ...]:
    found: list[FrontPoint] = []
    for point in sorted(points, key=lambda point: (point.area_ge, point.latency_ns)):
        if not found or point.latency_ns < found[-1].latency_ns:
            found.append(point)
    return tuple(found)


def best_of_sets(found: Reproduction) -> dict[str, str | None]:
    """The best row measured of each set of base rows, by what the set is called; None where none was measured."""
    table = found.table
    by = table.figure(table.base_by)
    return {
        called: _best(by, {name: found.cells[name][by.name].measured for name in names})
        for called, names in table.base_sets.items()
    }


@dataclass(frozen=True)
class PlacedRow:
    """A row with its wires: `by` is the figure by which base rows are compared; None where there is none."""

    area_ge: float | None = None
    period_ns: float | None = None
    by: float | None = None


def placed_rows(found: Reproduction) -> dict[str, PlacedRow]:
    """What is left of each row's throughput per area once wires are there: as area × period with wires to that
    without, whatever a block takes."""
    rows = {}
    for row in found.table.rows:
        measurement, bare = found.findings.measurement(row), found.cells[row.name][found.table.base_by].measured
        rows[row.name] = PlacedRow()
        if not isinstance(measurement, Gap) and measurement.placed is not None:
            area, period = measurement.placed.area_ge, measurement.placed.period_ns
            if period is not None and measurement.period_ns is not None and bare is not None:
                left = measurement.area_ge * measurement.period_ns / (area * period)
                rows[row.name] = PlacedRow(area, period, bare * left)
    return rows


@dataclass(frozen=True)
class RewiredRow:
    """A design of a row, under a condition: area (GE), period (ns) and recipe of the netlist that counts, `before` of
    those that were not rewired, and `after` of all."""

    row: str
    part: str
    optimise: Optimise
    before: Candidate
    after: Candidate

    @property
    def gain(self) -> float | None:
        """By which share area × period fell; where either counts for nothing, None."""
        old, new = ((c.area_ge or 0.0) * (c.period_ns or 0.0) for c in (self.before, self.after))
        return 1 - new / old if old else None


def rewired_rows(found: Reproduction) -> tuple[RewiredRow, ...]:
    """What rewiring made of each design of a table measured with it; rows without a measurement are left out."""
    rows = []
    for row, parts in found.findings.measurements.items():
        for part, measurements in parts.items():
            for condition, measurement in measurements.items():
                plain = [c for c in measurement.candidates if not c.rewired]
                before, after = (best_candidate(tried, condition) for tried in (plain, measurement.candidates))
                rows.append(RewiredRow(row, part, condition, before, after))
    return tuple(rows)


def check_placeable(table: Table) -> None:
    """Raise RequestError for a table that has no throughput per area, or measures under several conditions."""
    if table.base_by != "efficiency" or len(table.optimise) > 1:
        raise RequestError(f"placed: {table.name} does not compare throughput per area under one condition")


def with_power(table: Table, power: bool) -> Table:
    """The table with its figures of power, or without. Raises RequestError if it has none and they are asked for."""
    if power and not any(figure.power for figure in table.figures):
        raise RequestError(f"power: {table.name} has no figures of power")
    return replace(table, figures=tuple(figure for figure in table.figures if power or not figure.power))


def reproduce(
    table: Table,
    library: Library,
    work_dir: Path,
    store: Store | None,
    *,
    optimise: Optimise | None = None,
    power: bool = False,
    placed: bool = False,
    rewire: bool = False,
    refresh: bool = False,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Reproduction:
    """Measure all rows of `table`, with `power` their power and with `placed` their figures with wires, too; what the
    store has is not measured again. With `rewire` the best netlists of every row are rewired, by as many moves a cell.

    A row none of whose designs exists here becomes a gap with its reason. `jobs` designs are measured at a time
    (default: one a processor core). Raises RequestError for a condition that does not suit the table, ToolError if a
    tool fails.
    """
    table = with_power(table, power)
    conditions = conditions_for(table, optimise)
    absent: dict[str, str] = {row.name: row.gap for row in table.rows if not row.parts}
    designs: dict[str, dict[str, Design]] = {}
    for row in table.rows:
        designs[row.name] = {}
        for part, make in row.parts.items():
            try:
                designs[row.name][part] = make(library)
            except RequestError as error:
                reason = str(error)
        if row.parts and not designs[row.name]:
            absent[row.name] = reason
    # Rows may share a design: it is measured once for all of them.
    jobs_to_do: dict[str, tuple[Design, Optimise, SynthesisPlan | None]] = {}
    places: dict[str, list[tuple[str, str]]] = {}
    for row_name, parts in designs.items():
        for part, design in parts.items():
            for condition in conditions:
                plan = chosen_plan(condition, rewire=True) if rewire else None
                key = measurement_key(design, library, condition, plan)
                jobs_to_do[key] = (design, condition, plan)
                places.setdefault(key, []).append((row_name, part))
    measurements: dict[str, dict[str, dict[Optimise, Measurement]]] = {
        row: {part: {} for part in parts} for row, parts in designs.items()
    }
    workers = max(1, min(jobs or os.cpu_count() or 1, len(jobs_to_do)))
    bench = _TableBench(
        library,
        store,
        power and table.powered is None,
        refresh,
        (jobs or os.cpu_count() or 1) // workers,
        technology_of(library) if placed else None,
    )
    from_store = 0
    if progress is not None:
        progress(f"{workers} designs at a time", 0, len(jobs_to_do))
    # The threads wait for Yosys or run kernels, both of which leave the interpreter to the others.
    with waiting_threads(workers, bench.cancel) as pool:
        running = {
            pool.submit(bench.obtain, design, condition, work_dir / key, plan): key
            for key, (design, condition, plan) in jobs_to_do.items()
        }
        for number, future in enumerate(as_completed(running), 1):
            key = running[future]
            design, condition, _ = jobs_to_do[key]
            obtained = future.result()
            for row_name, part in places[key]:
                measurements[row_name][part][condition] = obtained.measurement
            from_store += obtained.from_store
            if progress is not None:
                progress(f"{design.name} ({condition}) is done", number, len(jobs_to_do))
    if progress is not None:
        progress("done", len(jobs_to_do), len(jobs_to_do))
    findings = TableFindings(table, library, conditions, designs, measurements, absent, rewired=rewire)
    if power and table.powered is not None:
        findings = replace(findings, powered=_powered(findings, replace(bench, power=True), work_dir, progress))
    cells, base = _cells(findings)
    recipes = {row.name: _recipe(findings, row) for row in table.rows}
    return Reproduction(table, findings, cells, base, recipes, len(jobs_to_do), from_store)


@dataclass(frozen=True)
class _TableBench:
    """Where the designs of a table are measured, several at a time; `jobs` syntheses of each at a time."""

    library: Library
    store: Store | None
    power: bool
    refresh: bool
    jobs: int
    technology: PhysicalTechnology | None = None
    cancel: threading.Event = field(default_factory=threading.Event)

    def obtain(self, design: Design, condition: Optimise, folder: Path, plan: SynthesisPlan | None = None) -> Obtained:
        """The measurement, made in `folder`, with power if the table has it; by another `plan` than the condition's."""
        obtained = obtain(
            design,
            self.library,
            condition,
            folder,
            self.store,
            refresh=self.refresh,
            jobs=self.jobs,
            cancel=self.cancel,
            plan=plan,
        )
        if self.technology is not None:
            placed = obtain_placed(
                design,
                self.library,
                obtained.measurement,
                self.technology,
                plan=PlacementPlan(),
                work_dir=folder / "placed",
                made=folder,
                store=self.store,
                synthesis=plan,
                refresh=self.refresh,
            )
            obtained = Obtained(placed.measurement, obtained.from_store and placed.from_store)
        if not self.power or not isinstance(design, CoreDesign | LeafDesign):
            return obtained
        with_power = obtain_power(
            design,
            self.library,
            obtained.measurement,
            plan=PowerPlan(),
            work_dir=folder / "power",
            made=folder,
            store=self.store,
            modules=False,
            synthesis=plan,
            refresh=self.refresh,
            cancel=self.cancel,
        )
        found = with_power.measurement
        if self.technology is not None:
            found = replace(found, placed=obtained.measurement.placed)
        return Obtained(found, obtained.from_store and with_power.from_store)


def _powered(
    findings: TableFindings, bench: _TableBench, work_dir: Path, progress: Progress | None
) -> dict[str, dict[str, Measurement]]:
    """By row and part, the netlist that the table chooses, with its power."""
    assert findings.table.powered is not None
    found: dict[str, dict[str, Measurement]] = {row.name: {} for row in findings.table.rows}
    places = [(row, part) for row in findings.table.rows for part in findings.designs[row.name]]
    for number, (row, part) in enumerate(places, 1):
        chosen = findings.table.powered(findings, row, part)
        if not isinstance(chosen, Gap):
            design, plan = findings.designs[row.name][part], one_recipe(chosen.label)
            condition = findings.optimise[0]
            folder = work_dir / measurement_key(design, findings.library, condition, plan)
            found[row.name][part] = bench.obtain(design, condition, folder, plan).measurement
        if progress is not None:
            progress(f"power of {row.label} is done", number, len(places))
    return found


def _recipe(findings: TableFindings, row: Row) -> str:
    if findings.table.recipe is not None:
        return findings.table.recipe(findings, row)
    chosen = [ms[findings.optimise[0]].recipe for ms in findings.measurements[row.name].values()]
    return ", ".join(dict.fromkeys(chosen))


def _cells(findings: TableFindings) -> tuple[dict[str, dict[str, TableCell]], tuple[str | None, str | None]]:
    table = findings.table
    values = {row.name: {f.name: _value(findings, row, f) for f in table.figures} for row in table.rows}
    published_base, measured_base = _bases(findings, values)
    cells: dict[str, dict[str, TableCell]] = {}
    for row in table.rows:
        cells[row.name] = {}
        for figure in table.figures:
            value = values[row.name][figure.name]
            stated, printed = row.stated(figure.name), row.published.get(figure.name)
            found = _number(value)
            bases = (
                table.row(published_base).stated(figure.name) if published_base else None,
                _number(values[measured_base][figure.name]) if measured_base else None,
            )
            cells[row.name][figure.name] = TableCell(
                published=stated,
                printed=printed if printed != stated else None,
                measured=found,
                gap=value.reason if isinstance(value, Gap) else "",
                published_ratio=ratio_of(stated, bases[0]) if figure.ratio else None,
                measured_ratio=ratio_of(found, bases[1]) if figure.ratio else None,
            )
    return cells, (published_base, measured_base)


def _bases(findings: TableFindings, values: Mapping[str, Mapping[str, float | Gap]]) -> tuple[str | None, str | None]:
    """The rows that published and measured ratios are to: the only one there is, or the best of several."""
    table = findings.table
    if len(table.base) == 1:
        only = table.base[0]
        return only, None if only in findings.absent else only
    by = table.figure(table.base_by)
    return (
        _best(by, {name: table.row(name).stated(by.name) for name in table.base}),
        _best(by, {name: _number(values[name][by.name]) for name in table.base}),
    )


def _value(findings: TableFindings, row: Row, figure: Figure) -> float | Gap:
    return Gap("not measured here") if figure.measured is None else figure.measured(findings, row)


def _number(value: float | Gap) -> float | None:
    return None if isinstance(value, Gap) else value


def ratio_of(value: float | None, base: float | None) -> float | None:
    """One figure over another; None where either is missing."""
    return value / base if value is not None and base else None


def _best(figure: Figure, values: Mapping[str, float | None]) -> str | None:
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return None
    return (min if figure.best == "least" else max)(known, key=lambda name: known[name])
