"""`aesmith reproduce` and the result store, as a user meets them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from aesmith.cli import run
from aesmith.commands.console import Display
from aesmith.commands.request import result_store
from aesmith.commands.typeset import latex_text
from aesmith.cores.design import Design
from aesmith.explore.obtain import Obtained
from aesmith.explore.store import ENVIRONMENT
from aesmith.flow.measurement import MOST_REWIRED, Candidate, Optimise
from aesmith.flow.recipes import SynthesisPlan
from aesmith.tables.catalogue import FPGA_TABLES, TABLES, table_by_name
from aesmith.technology.library import Library

from .test_typeset import check


def test_a_table_is_measured_once_and_read_the_second_time(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "mine.sqlite")]
    assert run(["reproduce", "zhang-table2", "--json", *store]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["measurements"], first["from_store"]) == (3, 0)
    assert [row["figures"]["xor"]["published"] for row in first["rows"]] == [54, 17, 14]
    assert all(row["figures"]["area"]["measured"] > 10 for row in first["rows"])

    assert run(["reproduce", "zhang-table2", "--markdown", *store]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("## zhang-table2: ")
    assert "3 of 3 measurements are from the result store" in printed.err

    assert run(["reproduce", "zhang-table2", *store]) == 0
    assert "XOR in critical path, published" in capsys.readouterr().out

    assert run(["reproduce", "zhang-table2", "--format", "latex", *store]) == 0
    paper = capsys.readouterr().out
    figures, *_ = check(paper)
    labels = [row["label"] for row in first["rows"]]
    assert [row[0] for row in figures[1:]] == [latex_text(label) for label in labels]
    assert all(f"% {note}" in paper for note in first["notes"])
    assert run(["reproduce", "zhang-table2", "--format", "csv", *store]) == 0
    frames = [pd.read_csv(io.StringIO(text), comment="#") for text in capsys.readouterr().out.split("\n\n")]
    assert all(list(frame["design"]) == labels for frame in frames)
    published = [list(frame[column]) for frame in frames for column in frame if column.endswith(", published")]
    assert [54, 17, 14] in published


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lin-table9",), "table: must be one of ueno-table1, "),
        (("lin-table1", "--optimise", "area"), "lin-table1 compares at equal speed"),
        (("zhang-table2", "--seeds", "2"), "seeds: zhang-table2 is measured in a cell library, which has no --seeds"),
        (("zhang-table2", "--placed"), "placed: zhang-table2 does not compare throughput per area under one condition"),
        (("zhang-table3", "--placed"), "placed: zhang-table3 is placed on an FPGA, which has no --placed"),
        (("zhang-table3", "--power"), "power: zhang-table3 is placed on an FPGA, which has no --power"),
        (("zhang-table3", "--device", "spartan"), "device: must be one of ecp5-25k, "),
        (("zhang-table3", "--speed", "9"), "speed: must be one of 6, 7, 8 for ecp5-85k, not '9'"),
        (("zhang-table2", "--front", "f.svg"), "front: zhang-table2 does not compare throughput per area"),
        (("ueno-table1", "--front", "f.svg", "--optimise", "area"), "front: it is drawn over two conditions"),
        (("ueno-table1", "--front", "/nosuch/f.svg"), "front: "),
        (("zhang-table3", "--rewire"), "rewire: zhang-table3 is placed on an FPGA, which has no --rewire"),
        (("ueno-table3", "--rewire", "--front", "f.svg"), "front: it is drawn of netlists that are not rewired"),
        (("zhang-table3", "--front", "f.svg"), "front: zhang-table3 is placed on an FPGA, which has no --front"),
        (("zhang-table2", "--json", "--markdown"), "give --markdown or --json, not both"),
        (("zhang-table2", "--no-store", "--refresh"), "no-store: there is nothing to use"),
        (("zhang-table2", "--store", "/"), "store: / is not a file that can be written"),
        (("zhang-table2", "--store", "nosuch://x"), "store: must be a file, or a database as postgresql"),
        (("zhang-table2", "--library", "nosuch"), "'nosuch' is neither a known name nor a file"),
    ],
)
def test_a_wrong_request_is_refused_before_work(
    arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_fronts_are_drawn_and_told_of_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def obtain(_design: Design, _library: Library, optimise: Optimise, *_: object, **__: object) -> Obtained:
        area, period = (9e3, 4.0) if optimise.kept else (10e3, 3.0)
        figures = {"area_ge": area, "period_ns": period, "latency_ns": 11 * period, "fmax_mhz": 1e3 / period}
        figures |= {"throughput_gbps": 12.8 / period, "efficiency_kbps_per_ge": 1e6 * 12.8 / (area * period)}
        said = {"recipe": "keep", "corner": "typical", "tool_versions": {}, "power": (), "latency_cycles": 11}
        tried = [Candidate("keep", None, area, period, None, 0.0)]
        measured = SimpleNamespace(**figures, **said, optimise=optimise, candidates=tried)
        return Obtained(measured, False)  # type: ignore[arg-type]

    monkeypatch.setattr("aesmith.tables.reproduce.obtain", obtain)
    picture = tmp_path / "front.svg"
    asked = ["reproduce", "ueno-table3", "--front", str(picture), "--no-store"]
    assert run([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["optimise"] == ["area"]
    assert [point["optimise"] for point in found["fronts"]["ueno2020-enc"]] == ["area-kept", "area"]
    assert picture.read_text().count("<circle") == 2 * len(found["rows"])
    assert run([*asked, "--markdown"]) == 0
    section = capsys.readouterr().out.partition(
        "\n## ueno-table3: AES-128 encryption, area optimisation, under both; "
    )[2]
    assert section.startswith(
        "generic45, typical\n\n| design | published | area-kept | area | front | area (GE), front |"
    )
    assert "| This work (2020) | 1.64 | 1.00 | 1.00 | 1.00 | 10,000 | 33.00 | keep |" in section


def test_ratios_with_wires_stand_beside_those_without(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wires that cost one core a fifth of its throughput per area, and the others half of it."""

    @dataclass(frozen=True)
    class Stand:
        power: tuple[()] = ()
        area_ge: float = 10e3
        period_ns: float = 3.0
        latency_ns: float = 33.0
        fmax_mhz: float = 333.0
        throughput_gbps: float = 4.0
        efficiency_kbps_per_ge: float = 400.0
        latency_cycles: int = 11
        recipe: str = "keep"
        corner: str = "typical"
        tool_versions: Mapping[str, str] = field(default_factory=dict)
        placed: object = None

    def obtain_placed(design: Design, _library: Library, measurement: Any, *_: object, **__: object) -> Obtained:
        period = 3.75 if design.name.startswith("ueno2020") else 6.0
        return Obtained(replace(measurement, placed=SimpleNamespace(area_ge=10e3, period_ns=period)), False)

    monkeypatch.setattr("aesmith.tables.reproduce.obtain", lambda *_, **__: Obtained(Stand(), False))  # type: ignore[arg-type]
    monkeypatch.setattr("aesmith.tables.reproduce.obtain_placed", obtain_placed)
    monkeypatch.setattr("aesmith.commands.reproduce.check_placer", lambda: None)
    assert run(["reproduce", "ueno-table3", "--placed", "--no-store", "--markdown"]) == 0
    section = capsys.readouterr().out.partition(", placed: measured with wires")[2]
    assert "| This work (2020) | 10,000 | 3.750 | 320.0 | 1.64 | 1.00 | 1.60 | keep |" in section
    assert run(["reproduce", "ueno-table3", "--placed", "--no-store", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["placed"]["ueno2020-enc"]["period_ns"] == 3.75


def test_rows_are_rewired_alike_and_stand_beside_what_they_were(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rewiring that wins one core a tenth of its area, and the others nothing: of two, what counts is what was best."""
    asked: list[tuple[int, Optimise]] = []

    def obtain(
        design: Design, _library: Library, optimise: Optimise, *_: object, plan: SynthesisPlan | None, **__: object
    ) -> Obtained:
        assert plan is not None
        asked.append((plan.rewired, optimise))
        after = 9e3 if design.name.startswith("ueno2020") else 10.1e3
        tried = [("keep", 10e3), ("keep+rewired", after), ("shrink", 11e3), ("shrink+rewired", 10.9e3)]
        found = tuple(Candidate(recipe, None, area, 3.0, 4e6 / area, 0.0) for recipe, area in tried)
        best = min(found, key=lambda candidate: candidate.area_ge or 0.0)
        stand = SimpleNamespace(
            area_ge=best.area_ge,
            recipe=best.label,
            candidates=found,
            period_ns=3.0,
            latency_ns=33.0,
            fmax_mhz=333.0,
            throughput_gbps=4.0,
            efficiency_kbps_per_ge=best.efficiency_kbps_per_ge,
            latency_cycles=11,
            corner="typical",
            tool_versions={},
            power=(),
        )
        return Obtained(stand, False)  # type: ignore[arg-type]

    monkeypatch.setattr("aesmith.tables.reproduce.obtain", obtain)
    assert run(["reproduce", "ueno-table3", "--rewire", "--no-store", "--markdown"]) == 0
    section = capsys.readouterr().out
    assert set(asked) == {(MOST_REWIRED, Optimise.AREA)}
    assert section.startswith("## ueno-table3: AES-128 encryption, area optimisation, under rewired; generic45,")
    assert "rewired: the 2 best netlists of every row, by as many moves a cell for all" in section
    before_and_after = section.partition("Before and after rewiring:")[2]
    assert "| This work (2020) | 10,000 | 3.000 | 9,000 | 3.000 | 10.0 | keep | keep+rewired |" in before_and_after
    assert before_and_after.count("| 10,000 | 3.000 | 10,000 | 3.000 | 0.0 | keep | keep |") == len(
        [row for row in table_by_name("ueno-table3").rows if row.parts and row.name != "ueno2020-enc"]
    )
    assert run(["reproduce", "ueno-table3", "--rewire", "--no-store", "--json"]) == 0
    (own,) = (each for each in json.loads(capsys.readouterr().out)["rewired"] if each["row"] == "ueno2020-enc")
    assert own["gain"] == pytest.approx(0.1)
    assert run(["reproduce", "ueno-table3", "--rewire", "--no-store"]) == 0
    assert "before and after rewiring" in capsys.readouterr().out


def test_a_damaged_store_is_named_and_can_be_done_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "results.sqlite"
    file.write_text("not a database " * 100)
    monkeypatch.setenv(ENVIRONMENT, str(file))
    assert run(["reproduce", "zhang-table2"]) == 2
    assert f"{file} is not a result store, or is damaged" in capsys.readouterr().err


def test_where_the_users_folder_cannot_be_written_results_are_not_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ENVIRONMENT)
    monkeypatch.setenv("XDG_DATA_HOME", "/proc/version")
    with result_store(None, Display(as_json=False)) as store:
        assert store is None
    assert "results are not kept" in capsys.readouterr().err


def test_the_tables_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "tables", "--json"]) == 0
    assert [table["name"] for table in json.loads(capsys.readouterr().out)] == [*TABLES, *FPGA_TABLES]
