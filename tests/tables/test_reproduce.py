"""A reproduced table has both figures side by side, ratios to its base, and gaps that say why."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aesmith.cores.design import Design, Direction
from aesmith.errors import RequestError, ToolError
from aesmith.explore import obtain as obtaining
from aesmith.explore.store import open_store
from aesmith.flow.measurement import Optimise
from aesmith.processes import Cancelled
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.tables.catalogue import TABLES, table_by_name
from aesmith.tables.designs import core
from aesmith.tables.figures import critical_path
from aesmith.tables.lin2023 import LONGER, REGISTER_BITS, counted_bits, our_cuts
from aesmith.tables.model import DESIGN, Row
from aesmith.tables.render import COLUMNS, NOTHING, footnotes, grids, json_values, markdown
from aesmith.tables.reproduce import Reproduction, best_of_sets, conditions_for, reproduce, with_power
from aesmith.technology.cost import cost_model
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.power.figures import DirectionPower, PowerStimulus


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def found(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """Three inverters in GF(2^4), and a row that nothing can be measured for."""
    table = TABLES["zhang-table2"]
    missing = Row("missing", "a core nobody wrote", {"xor": 1.0}, {DESIGN: core("nobody1999-enc")})
    ratios = tuple(replace(figure, ratio=figure.name in ("xor", "area")) for figure in table.figures)
    folder = tmp_path_factory.mktemp("zhang")
    with open_store(folder / "s.sqlite") as store:
        changed = replace(table, rows=(*table.rows, missing), figures=ratios)
        first = reproduce(changed, library, folder / "1", store, jobs=1)
        again = reproduce(changed, library, folder / "2", store, jobs=1)
    assert (first.measured, first.from_store, again.from_store) == (3, 0, 3)
    assert again.cells == first.cells
    return first


def test_published_and_measured_stand_side_by_side(found: Reproduction) -> None:
    xors = {row: cells["xor"] for row, cells in found.cells.items()}
    assert [xors[row].published for row in ("powers", "decomposed", "direct")] == [54, 17, 14]
    assert [xors[row].measured for row in ("powers", "decomposed", "direct")] == [50, 15, 13]
    gates, areas = grids(found)[:2]
    assert gates.columns[:3] == ("design", ">XOR, published", ">XOR, measured")
    assert gates.rows[0][:3] == ("1: square and multiply", "54", "50")
    assert areas.columns == ("design", ">area (GE), measured", ">delay (ns), measured", "recipe"), "the paper has none"


def test_tables_are_narrow_and_every_figure_stands_in_one(library: Library, tmp_path: Path) -> None:
    """With all that can be shown: power, and the ratios of everything that has one."""
    for table in TABLES.values():
        rows = tuple(replace(row, gap="not now", parts={}) for row in table.rows)
        has_power = any(figure.power for figure in table.figures)
        found = reproduce(replace(table, rows=rows), library, tmp_path, None, power=has_power)
        every = grids(found)
        assert max(len(grid.columns) for grid in every) <= COLUMNS
        figures = [grid for grid in every if ", ratios to" not in grid.title]
        columns = [column for grid in figures for column in grid.columns if column != "design"]
        assert len(columns) == len(set(columns))
        assert {column.removeprefix(">").rpartition(", ")[0] for column in columns if column != "recipe"} == {
            figure.title for figure in table.figures
        }
        assert columns.count("recipe") == 1
        ratios = sum(len(grid.columns) - 1 for grid in every if grid not in figures)
        assert ratios == 2 * sum(figure.ratio for figure in table.figures) + len(table.base_sets)


def test_ratios_are_to_the_base_row_each_in_its_own_column(found: Reproduction) -> None:
    assert found.base == ("direct", "direct")
    xors = found.cells["powers"]["xor"]
    assert xors.published_ratio == pytest.approx(54 / 14)
    assert xors.measured_ratio == pytest.approx(50 / 13)
    area = found.cells["decomposed"]["area"]
    direct = found.cells["direct"]["area"].measured
    assert area.published_ratio is None
    assert area.measured is not None
    assert direct is not None
    assert area.measured_ratio == pytest.approx(area.measured / direct)
    assert [grid.title for grid in grids(found)[2:]] == [
        "gates, ratios to 3: direct equations (10)",
        "area and delay, ratios to 3: direct equations (10)",
    ]


def test_what_cannot_be_measured_is_a_gap_with_its_reason(found: Reproduction) -> None:
    cell = found.cells["missing"]["area"]
    assert cell.measured is None
    assert cell.gap == "there is no core nobody1999-enc"
    assert grids(found)[0].rows[-1].count(NOTHING) >= 3
    assert "a core nobody wrote: not measured: there is no core nobody1999-enc" in footnotes(found)


def test_areas_and_delays_are_of_the_bare_circuit(found: Reproduction) -> None:
    measurement = found.findings.measurement(found.table.row("direct"))
    assert not hasattr(measurement, "reason")
    assert measurement.flip_flops == 0  # type: ignore[union-attr]
    assert found.cells["direct"]["delay"].measured == measurement.input_to_output_ns  # type: ignore[union-attr]


def test_conditions_of_both_are_told(found: Reproduction) -> None:
    text = "\n".join(footnotes(found))
    assert "table II; gates of the circuit" in text
    assert "generic45, typical (1.1 V, 25 °C)" in text
    assert "pyosys" in text


def test_json_has_what_the_table_has(found: Reproduction) -> None:
    values = json.loads(json.dumps(json_values(found)))
    assert values["base"] == {"published": "direct", "measured": "direct"}
    first = values["rows"][0]
    assert first["figures"]["xor"] == {
        "published": 54.0,
        "measured": 50.0,
        "published_ratio": pytest.approx(54 / 14),
        "measured_ratio": pytest.approx(50 / 13),
    }
    assert first["recipe"] in {"keep", "shrink", "compress", "compress-modules"}
    assert values["rows"][-1]["figures"]["area"]["gap"] == "there is no core nobody1999-enc"


def test_markdown_is_tables_of_one_width(found: Reproduction) -> None:
    text = markdown(found)
    assert text.startswith(
        "## zhang-table2: three inverters in GF(2^4); generic45, typical (1.1 V, 25 °C)\n\n| design |"
    )
    for block in text.split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") for line in block.splitlines()}) == 1
    assert "\nArea and delay:\n" in text
    assert "\nGates, ratios to 3: direct equations (10):\n" in text


def test_a_condition_that_is_not_the_tables_own_stands_in_the_heading(found: Reproduction) -> None:
    other = replace(found, findings=replace(found.findings, optimise=(Optimise.AREA_KEPT,)))
    assert markdown(other).startswith(
        "## zhang-table2: three inverters in GF(2^4), under area-kept; generic45, typical"
    )


def test_the_flow_gives_the_figures_that_stand_in_the_page(found: Reproduction) -> None:
    """If not: python benchmarks/reproduce_page.py, all of it. What is between registers is in tests/docs."""
    page = (Path(__file__).parents[2] / "docs" / "tables" / "zhang-table2.md").read_text(encoding="utf-8")
    section = page.partition("## zhang-table2: three inverters in GF(2^4); generic45")[2].partition("\n## ")[0]
    shown = [row for row in found.table.rows if row.name != "missing"]
    table = replace(found.table, rows=tuple(shown), figures=TABLES["zhang-table2"].figures)
    table = replace(table, figures=tuple(figure for figure in table.figures if not figure.power))
    lines = [line for line in section.splitlines() if line.startswith("|")]
    assert len(lines) == 2 * (2 + len(shown))
    assert lines == [line for line in markdown(replace(found, table=table)).splitlines() if line.startswith("|")]


def test_a_slip_is_marked_and_explained(library: Library, tmp_path: Path) -> None:
    table = TABLES["wang-table4"]
    unmeasured = tuple(replace(row, gap="not now", parts={}) for row in table.rows)
    found = reproduce(replace(table, rows=unmeasured), library, tmp_path, None)
    per_area = grids(found)[0].columns.index(">throughput/area (of 4 stages), published")
    assert [row[per_area] for row in grids(found)[0].rows] == ["0.40", "0.68*", "0.83", "1.00", "1.10"]
    assert any(
        line.startswith("* 2 stages, throughput/area") and "printed as 0.65" in line for line in footnotes(found)
    )
    assert "\n- \\* 2 stages" in markdown(found)
    assert found.base == ("4", None)


def test_the_critical_path_is_the_one_with_most_gates() -> None:
    assert critical_path(sbox("canright2005").circuit(Function.FORWARD)) == (19, 4)


def test_a_table_that_compares_at_equal_speed_has_its_own_conditions() -> None:
    assert conditions_for(TABLES["ueno-table1"], None) == (Optimise.AREA,)
    assert conditions_for(TABLES["ueno-table1"], Optimise.SPEED) == (Optimise.SPEED,)
    with pytest.raises(RequestError, match="lin-table1 compares at equal speed"):
        conditions_for(TABLES["lin-table1"], Optimise.AREA)


def test_an_unknown_table_is_refused_with_the_list() -> None:
    with pytest.raises(RequestError, match=r"lin-table1, .*; did you mean lin-table4\?"):
        table_by_name("lin-table5")


@pytest.mark.parametrize("longer", [0.0, *LONGER])
def test_our_seven_stages_are_shorter_than_the_publications(library: Library, longer: float) -> None:
    model = cost_model(library)
    theirs = sbox("lin2023").staging(Function.COMBINED)
    ours = our_cuts("lin2023", library, longer)
    assert counted_bits(theirs) == REGISTER_BITS
    assert ours.stages == theirs.stages == 7
    assert ours.period(model) <= theirs.period(model)
    assert counted_bits(ours) <= REGISTER_BITS or not longer


def test_power_of_a_table_without_figures_of_it_is_refused() -> None:
    table = TABLES["zhang-table2"]
    plain = replace(table, figures=tuple(figure for figure in table.figures if not figure.power))
    with pytest.raises(RequestError, match="power: zhang-table2 has no figures of power"):
        with_power(plain, True)


def test_a_circuit_has_power_too(library: Library, tmp_path: Path) -> None:
    table = TABLES["ueno-inverters"]
    only = replace(table, rows=(table.row("ueno2015"),), base=("ueno2015",))
    cells = reproduce(only, library, tmp_path, None, power=True, jobs=1).cells["ueno2015"]
    at_10, delay, product = (cells[name].measured for name in ("power", "delay", "power_delay"))
    assert at_10 is not None
    assert delay is not None
    assert product == pytest.approx(at_10 * delay)
    assert cells["power"].published == 19.3
    assert (cells["power_100"].measured or 0) > 5 * at_10


def test_power_joins_its_published_figures_on_demand(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    power = DirectionPower(
        Direction.ENCRYPT, PowerStimulus.RANDOM, False, 100, 300, 300, 0, 0, 0, 0, 0.5, 30, 5000, 0.01, 1, 11, 9, 9, ()
    )
    table = TABLES["ueno-table3"]
    only = replace(table, rows=(table.row("ueno2020-enc"),), base=("ueno2020-enc",))
    measured = SimpleNamespace(
        area_ge=1e4, latency_ns=20.0, fmax_mhz=500.0, throughput_gbps=6.0, efficiency_kbps_per_ge=600.0, power=(power,)
    )
    fields = {"recipe": "keep", "corner": "typical", "tool_versions": {}}
    obtained = SimpleNamespace(measurement=SimpleNamespace(**vars(measured), **fields), from_store=False)
    monkeypatch.setattr("aesmith.tables.reproduce.obtain", lambda *_, **__: obtained)
    monkeypatch.setattr("aesmith.tables.reproduce.obtain_power", lambda *_, **__: obtained)
    without = reproduce(only, library, tmp_path, None)
    assert "power" not in without.cells["ueno2020-enc"]
    cells = reproduce(only, library, tmp_path, None, power=True).cells["ueno2020-enc"]
    assert (cells["power"].published, cells["power"].measured) == (295, 300)
    assert (cells["power_latency"].published, cells["power_latency"].measured) == (5127, 5000)
    assert (cells["energy"].published, cells["energy"].measured) == (None, 30)


def _named(name: str, _: Library) -> Any:
    return SimpleNamespace(name=name)


def test_a_failure_ends_what_is_measured_beside_it(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three designs at a time: one fails once the others are under way. They stop, and its error is the one raised."""
    under_way, stopped = threading.Barrier(3), list[str]()

    def obtain(design: Design, *_: object, cancel: threading.Event, **__: object) -> None:
        under_way.wait(60)
        if design.name == table.rows[0].name:
            raise ToolError("the first fails")
        assert cancel.wait(60)
        stopped.append(design.name)
        raise Cancelled

    table = replace(TABLES["zhang-table2"], rows=TABLES["zhang-table2"].rows[:3])
    rows = tuple(replace(row, parts={DESIGN: partial(_named, row.name)}) for row in table.rows)
    monkeypatch.setattr("aesmith.tables.reproduce.obtain", obtain)
    monkeypatch.setattr("aesmith.tables.reproduce.measurement_key", lambda design, *_: design.name)
    with pytest.raises(ToolError, match="the first fails"):
        reproduce(replace(table, rows=rows), library, tmp_path, None, jobs=3)
    assert sorted(stopped) == sorted(row.name for row in table.rows[1:])


@pytest.mark.thorough
def test_a_design_of_several_rows_is_measured_once(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_rows = list[str]()
    real = obtaining.obtain

    def obtain(design: Design, *rest: Any, **more: Any) -> Any:
        from_rows.append(design.name)
        return real(design, *rest, **more)

    table = TABLES["zhang-table2"]
    first = table.rows[0]
    rows = (first, replace(first, name="again"), *table.rows[1:])
    monkeypatch.setattr("aesmith.tables.reproduce.obtain", obtain)
    found = reproduce(replace(table, rows=rows), library, tmp_path, None, jobs=3)
    assert len(from_rows) == len(set(from_rows)) == found.measured == len(table.rows)
    assert found.cells["again"]["xor"].measured == found.cells[first.name]["xor"].measured


def test_ratios_are_given_to_the_best_of_other_sets_of_baselines_too(found: Reproduction) -> None:
    """Of inverters: the smallest of the two that are larger, and all three."""
    sets = {"older": ("powers", "decomposed"), "all": ("powers", "decomposed", "direct"), "none": ("missing",)}
    table = replace(found.table, base_sets=sets)
    again = replace(found, table=table)
    assert best_of_sets(again) == {"older": "decomposed", "all": "direct", "none": None}
    grid = grids(again)[-1]
    assert grid.columns == ("design", ">older", ">all", ">none")
    area = {row: cells["area"].measured or 0 for row, cells in found.cells.items()}
    older, smallest = area["decomposed"], area["direct"]
    assert grid.rows[0][1:] == (f"{area['powers'] / older:.2f}", f"{area['powers'] / smallest:.2f}", NOTHING)
    assert grid.rows[1][1] == "1.00"
    assert any(line.endswith("Measured best: 3: direct equations (10)") for line in footnotes(again))
    assert json_values(again)["base_sets"] == {
        "older": {"rows": sets["older"], "measured": "decomposed"},
        "all": {"rows": sets["all"], "measured": "direct"},
        "none": {"rows": sets["none"], "measured": None},
    }


def test_a_reconstruction_decides_no_ratio_by_itself() -> None:
    """Liu et al.'s core as published stands in one set of baselines, and not in the other two."""
    for table in (TABLES["ueno-table1"], TABLES["ueno-table2"]):
        reconstructed = [name for name, rows in table.base_sets.items() if "liu2009-encdec-as-published" in rows]
        assert reconstructed == ["as published"]
        assert "liu2009-encdec-as-published" not in table.base
        assert "reconstruction" in table.row("liu2009-encdec-as-published").note
        assert next(iter(table.base_sets.values())) == table.base
        assert all(len(rows) == len(table.base) for rows in table.base_sets.values())
