"""How a row is measured does not depend on whose it is: the same recipes, targets, library, goal and stimuli for all.

The flow itself runs, for every table; only what calls Yosys, times a netlist or simulates it is replaced, by something
whose figures depend on the recipe and the target alone. Then all rows must have tried the same, and must have the same
figures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aesmith.cores.design import Direction
from aesmith.explore import obtain as obtaining
from aesmith.flow import measure as measuring
from aesmith.flow.fpga.devices import DEVICES
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import KEEP_SIZED, Recipe, SynthesisPlan, one_recipe
from aesmith.flow.synthesis import MappedNetlist
from aesmith.tables import reproduce as reproducing
from aesmith.tables.catalogue import FPGA_TABLES, TABLES
from aesmith.tables.fpga import reproduce_on
from aesmith.tables.model import Row, Table
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.power.figures import DirectionPower, PowerPlan, PowerStimulus

SEVERAL = {"lin2023-fewer"}
"""Rows of several designs, the best of which counts: cuts that are longer by more or less, of one circuit."""

POWER = DirectionPower(
    Direction.ENCRYPT, PowerStimulus.RANDOM, False, 100, 300, 300, 0, 0, 0, 0, 0.5, 30, 5000, 0.01, 1, 11, 9, 9, ()
)


@dataclass(frozen=True)
class Toy:
    """A design that is nothing but a name: of its row, and of the part."""

    name: str
    row: str
    cycles_per_block: int = 10
    latency_cycles: int = 11
    block_bits: int = 128
    sources: tuple[object, ...] = ()

    @property
    def top(self) -> str:
        return self.name

    @property
    def source_hash(self) -> str:
        return self.name


class Bench:
    """Stands for the tools, and keeps what they were asked for: by row and part, one entry a call."""

    def __init__(self) -> None:
        self.asked: dict[tuple[str, str], list[tuple[object, ...]]] = {}

    def note(self, design: Toy, *what: object) -> None:
        self.asked.setdefault((design.row, design.name), []).append(what)

    def measure(self, design: Toy, library: Library, optimise: Optimise, folder: Path, **more: Any) -> Any:
        limits = {name: value for name, value in more.items() if name not in ("progress", "cancel")}
        self.note(design, "measured", library.digest, optimise, tuple(limits.items()))
        return self.real_measure(design, library, optimise, folder, **more)  # type: ignore[arg-type]

    real_measure = staticmethod(measuring.measure)

    def elaborate(self, design: Toy, library: Library, folder: Path, *, hierarchical: bool, **_: object) -> Path:
        self.note(design, "elaborated", library.digest, hierarchical)
        return folder

    def synthesise(
        self, design: Toy, library: Library, recipe: Recipe, target: float | None, folder: Path, **_: object
    ) -> MappedNetlist:
        self.note(design, "synthesised", library.digest, recipe, target)
        return _netlist(design.name, recipe, target, folder)

    def resized(
        self, mapped: MappedNetlist, library: Library, recipe: Recipe, target: float | None, folder: Path
    ) -> MappedNetlist:
        row = next(row for row, design in self.asked if design == mapped.top)
        self.note(Toy(mapped.top, row), "resized", mapped.recipe, library.digest, recipe, target)
        return _netlist(mapped.top, recipe, target, folder)

    def obtain_power(
        self, design: Toy, library: Library, measurement: Any, *, plan: PowerPlan, modules: bool, **_: object
    ) -> Any:
        self.note(design, "simulated", library.digest, measurement.recipe, plan, modules)
        directions = (Direction.ENCRYPT, Direction.DECRYPT, None)
        power = tuple(replace(POWER, direction=direction) for direction in directions)
        return SimpleNamespace(measurement=replace(measurement, power=power), from_store=False)


def _netlist(top: str, recipe: Recipe, target: float | None, folder: Path) -> MappedNetlist:
    area = 1000.0 + _number(recipe.label(target), 300)
    return MappedNetlist(
        top, folder, folder / "netlist.json", recipe.name, target, area, area, 100.0, {}, 8, area, folder, 0.0
    )  # fmt: skip


def _number(text: str, below: int) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % below


def _timing(folder: str, _: Library) -> Any:
    period = 1.0 + _number(folder, 1000) / 1000
    fields = ("period_ns", "input_to_register_ns", "register_to_output_ns", "input_to_output_ns")
    surroundings = SimpleNamespace(input_slew_ns=0.1, output_load_ff=1.0)
    graph = SimpleNamespace(bound=SimpleNamespace(netlist=SimpleNamespace(ports={}), cells=()))
    about = {"critical_path": (), "conditions": surroundings, "overloaded": (), "graph": graph}
    return SimpleNamespace(**dict.fromkeys(fields, period), **about)


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench()
    for tool in ("elaborate", "synthesise", "resized"):
        monkeypatch.setattr(measuring, tool, getattr(bench, tool))
    monkeypatch.setattr(measuring, "unpack", lambda _, folder: folder)
    monkeypatch.setattr(measuring, "read_netlist", lambda path, _: path.parent.name)
    monkeypatch.setattr(measuring, "analyse", _timing)
    monkeypatch.setattr(obtaining, "measure", bench.measure)
    monkeypatch.setattr(reproducing, "obtain_power", bench.obtain_power)
    monkeypatch.setattr(reproducing, "CoreDesign", Toy)
    return bench


def toys(table: Table) -> Table:
    """The table, with a design for each part that differs from the others in its name only."""

    def toy(row: Row) -> Row:
        parts = {part: partial(_made, Toy(f"{row.name}/{part}", row.name)) for part in row.parts}
        return replace(row, parts=parts, circuit=None)

    return replace(table, rows=tuple(map(toy, table.rows)))


def _made(design: Toy, _: Library) -> Any:
    return design


def treated_otherwise(
    table: Table, library: Library, folder: Path, bench: Bench, optimise: Optimise | None = None
) -> set[str]:
    """Rows that are not measured as the first one is, or that have other figures for the same netlists."""
    power = any(figure.power for figure in table.figures)
    found = reproducing.reproduce(toys(table), library, folder, None, optimise=optimise, power=power, jobs=1)
    assert len(bench.asked) == sum(len(row.parts) for row in table.rows), "every design is measured"
    ways = {key: sorted(map(repr, asked)) for key, asked in bench.asked.items()}
    measured = [row for row in table.rows if row.parts]
    first = next(way for (row, _), way in ways.items() if row == measured[0].name)
    others = {row for (row, _), way in ways.items() if way != first}
    others |= {row.name for row in measured if len(row.parts) != len(measured[0].parts) and row.name not in SEVERAL}
    figures = {row.name: {name: cell.measured for name, cell in found.cells[row.name].items()} for row in measured}
    others |= {name for name, cells in figures.items() if cells != figures[measured[0].name]}
    return others | {row.name for row in measured if found.recipes[row.name] != found.recipes[measured[0].name]}


@pytest.mark.thorough(but=6)
@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_a_table_has_the_same_plan(name: str, library: Library, tmp_path: Path, bench: Bench) -> None:
    table = TABLES[name]
    assert treated_otherwise(table, library, tmp_path, bench) == set()
    steps = [step for asked in bench.asked.values() for step in asked]
    tried = {step[-2].name for step in steps if step[0] in ("synthesised", "resized")}  # type: ignore[attr-defined]
    assert tried >= {recipe.name for condition in table.optimise for recipe in measuring.PLANS[condition].first}
    assert any(step[0] == "simulated" for step in steps) == any(figure.power for figure in table.figures)


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize("name", ["lin-table1", "lin-table3"])
def test_power_at_one_frequency_is_of_the_netlist_whose_area_counts(
    name: str, library: Library, tmp_path: Path
) -> None:
    found = reproducing.reproduce(toys(TABLES[name]), library, tmp_path, None, power=True, jobs=1)
    for row in found.table.rows:
        for part, powered in found.findings.powered[row.name].items():
            assert powered.candidates[0].label == found.recipes[row.name], part
            own = {c.label: c for m in found.findings.measurements[row.name][part].values() for c in m.candidates}
            assert (powered.area_ge, powered.period_ns) == (
                own[found.recipes[row.name]].area_ge,
                own[found.recipes[row.name]].period_ns,
            )


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("optimise", Optimise)
def test_every_row_has_the_same_plan_under_each_condition(
    optimise: Optimise, library: Library, tmp_path: Path, bench: Bench
) -> None:
    assert treated_otherwise(TABLES["ueno-table1"], library, tmp_path, bench, optimise) == set()


@pytest.mark.parametrize("name", FPGA_TABLES)
def test_every_row_on_an_fpga_is_placed_alike(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[tuple[object, ...]]()

    def measure_on(_design: object, device: object, _folder: Path, **more: Any) -> Any:
        del more["progress"]
        asked.append((device, more))

    monkeypatch.setattr("aesmith.tables.fpga.measure_on", measure_on)
    monkeypatch.setattr("aesmith.tables.fpga.build_design", lambda *_: None)
    table = FPGA_TABLES[name]
    reproduce_on(table, DEVICES["ecp5-85k"], tmp_path, None, seeds=3, speed="8")
    assert len(asked) == sum(row.specification is not None for row in table.rows) > 1
    assert all(way == asked[0] for way in asked)


def _ours(design: Toy) -> bool:
    return design.row.startswith("ueno2020")


def _other_plan(plan: SynthesisPlan) -> Callable[..., Any]:
    def obtain(design: Any, *rest: Any, **more: Any) -> Any:
        return obtaining.obtain(design, *rest, **more | ({"plan": plan} if _ours(design) else {}))

    return obtain


def _other_condition(design: Any, library: Library, condition: Optimise, *rest: Any, **more: Any) -> Any:
    wanted = Optimise.AREA_SPEED if _ours(design) else condition
    return obtaining.obtain(design, library, wanted, *rest, **more)


_USUAL = measuring.PLANS[Optimise.AREA]
PLANTED: dict[str, Callable[..., Any]] = {
    "another recipe": _other_plan(one_recipe("delay")),
    "one recipe more": _other_plan(replace(_USUAL, first=(*_USUAL.first, *one_recipe("shrink-timed").first))),
    "a target": _other_plan(replace(_USUAL, aimed=((KEEP_SIZED, 900.0),))),
    "another goal": _other_condition,
}


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("planted", PLANTED)
def test_an_unequal_plan_is_found(
    planted: str, library: Library, tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproducing, "obtain", PLANTED[planted])
    assert treated_otherwise(TABLES["ueno-table1"], library, tmp_path, bench) == {"ueno2020-encdec"}


def test_other_stimuli_for_one_row_are_found(
    library: Library, tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fewer(design: Toy, *rest: Any, plan: PowerPlan, **more: Any) -> Any:
        return bench.obtain_power(design, *rest, plan=replace(plan, zero_delay=_ours(design)), **more)

    monkeypatch.setattr(reproducing, "obtain_power", fewer)
    assert treated_otherwise(TABLES["ueno-table3"], library, tmp_path, bench) == {"ueno2020-enc"}


def test_a_figure_that_favours_a_row_is_found(library: Library, tmp_path: Path, bench: Bench) -> None:
    table = TABLES["ueno-table4"]
    (area, *others) = table.figures
    assert area.measured is not None
    plain = area.measured

    def favoured(findings: Any, row: Row) -> Any:
        return 0.98 * plain(findings, row) if row.name == "ueno2020-enc" else plain(findings, row)  # type: ignore[operator]

    table = replace(table, figures=(replace(area, measured=favoured), *others))
    assert treated_otherwise(table, library, tmp_path, bench) == {"ueno2020-enc"}


def test_more_designs_for_one_row_are_found(library: Library, tmp_path: Path, bench: Bench) -> None:
    """In some tables the best of several counts: then a row with more of them is treated better."""
    table = TABLES["lin-table4"]
    more = replace(table.row("lin2023"), parts=dict.fromkeys(("design", "again"), table.row("lin2023").parts["design"]))
    rows = tuple(more if row.name == more.name else row for row in table.rows)
    assert treated_otherwise(replace(table, rows=rows), library, tmp_path, bench) == {"lin2023"}
