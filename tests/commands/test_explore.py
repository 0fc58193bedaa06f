"""`aesmith explore`: count, sweep, look, export and compare, as a user does; errors say what is possible."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

from aesmith.cli import run
from aesmith.commands.console import Display
from aesmith.commands.explore import SweepTable, drawn
from aesmith.explore.design_space import Condition, enumerate_designs, parse_space
from aesmith.explore.points import COLUMNS
from aesmith.explore.store import open_store
from aesmith.explore.sweep import Status, SweepPlan, SweepPoint
from aesmith.explore.task import Effort, NamedLibrary
from aesmith.explore.verifying import Extent, verifier
from aesmith.flow import measure as measuring
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import KEEP

SPACE = """
title = "two byte-serial cores"
[[cores]]
preset = ["serial-small-enc", "hamalainen2006-enc"]
recipe = ["keep", "shrink"]
[[cores]]
preset = "wang2010-s3-enc"
stages = 9
"""


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> Any:
    assert run(["explore", *arguments, "--json"]) == status
    return json.loads(capsys.readouterr().out)


@pytest.mark.thorough
def test_a_space_is_counted_swept_shown_exported_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.toml").write_text(SPACE)

    counted = answer(capsys, "points", "two.toml")
    assert (counted["combinations"], counted["cores"], counted["points"]) == (3, 2, 4)
    assert list(counted["refused"].values()) == [1]

    swept = answer(capsys, "run", "two.toml", "--verify", "none", "--workers", "1", "--power", "--precision", "20")
    assert (swept["run"], swept["done"], swept["failed"], swept["from_store"]) == ("two-1", 4, 0, 0)
    assert answer(capsys, "run", "two.toml", "--verify", "none", "--power", "--precision", "20")["from_store"] == 4

    rows = answer(capsys, "show", "--sort", "area_ge")
    assert [row["recipe"] for row in rows].count("keep") == 2
    assert rows[0]["design"] == "serial-small-enc"
    assert all(row["power_uw_at_100mhz_encrypt"] > 0 and row["verified"] is None for row in rows)

    monkeypatch.setitem(measuring.PLANS, Optimise.AREA, measuring.SynthesisPlan((KEEP,)))
    measured = json.loads(_measured(capsys, "serial-small-enc"))
    smallest = next(c for c in measured["candidates"] if c["recipe"] == "keep")
    assert next(r for r in rows if r["recipe"] == "keep")["area_ge"] == pytest.approx(smallest["area_ge"])

    assert run(["explore", "export", "points.parquet"]) == 0
    assert len(pd.read_parquet("points.parquet")) == 4
    capsys.readouterr()

    compared = answer(capsys, "diff", "two-1", "two-1", "--limit", "0")
    assert {row["what"] for row in compared} == {"same"}
    listed = answer(capsys, "list")
    assert [run["name"] for run in listed["runs"]] == ["two-1"]
    assert "families" in {space["name"] for space in listed["spaces"]}


def _measured(capsys: pytest.CaptureFixture[str], preset: str) -> str:
    assert run(["measure", preset, "--json"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("points", "everything"),
            "space: must be one of engines, families, presets, or a file that ends in .toml, not 'everything'",
        ),
        (("points", "absent.toml"), "space absent.toml: cannot be read"),
        (("run", "families", "--library", "nothing"), "library: 'nothing' is neither a known name nor a file"),
        (("show", "--run", "x-1"), "run: "),
        (("show", "--run", "x-1", "--space", "x"), "run: give --run or --space, not both"),
        (
            ("show", "--sort", "colour"),
            f"sort: must be one of core, … ({len(COLUMNS)} in all), not 'colour'; did you mean core?",
        ),
        (("export", "points.xls"), "file: must end in .csv or .parquet"),
        (("diff", "a-1", "a-2"), "diff: 'a-1' is neither a run (there are none)"),
        (("diff", "a-1", "a-2", "--figure", "colour"), "figure: must be one of area_ge"),
    ],
)
def test_impossible_requests_say_what_is_possible(
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AESMITH_STORE", str(tmp_path / "s.sqlite"))
    with open_store():
        pass
    assert run(["explore", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("verb", [("show",), ("list",), ("export", "x.csv"), ("diff", "a-1", "a-2")])
def test_looking_at_a_store_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["explore", *verb, "--store", "no/where/s.sqlite"]) == 2
    assert "there is no no/where/s.sqlite" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_any_store_the_spaces_are_listed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AESMITH_STORE", str(tmp_path / "s.sqlite"))
    listed = answer(capsys, "list")
    assert (len(listed["spaces"]) > 0, listed["runs"]) == (True, [])
    assert list(tmp_path.iterdir()) == []


def test_the_live_table_says_what_is_done_and_how_long_it_will_take() -> None:
    cores = enumerate_designs(parse_space({"cores": [{"preset": "hamalainen2006-enc"}]}, "x")).designs
    (core,) = cores
    library = NamedLibrary("generic45", (), "")
    points = tuple(
        SweepPoint(core, library, Condition(Optimise.AREA, r), r, r) for r in ("keep", "shrink", "delay", "compress")
    )
    status = Status(SweepPlan("x", points, Effort(verifier(Extent.NONE)), {}), {"keep": "done", "shrink": "failed"})
    status.began, status.now = 100.0, 190.0
    status.workers = {"tcp://a": (points[2], "measuring", 170.0), "tcp://b": (points[3], "verifying", 180.0)}
    status.latest = [(points[0], "done", 30.0), (points[1], "failed", 60.0)]
    status.spent = {"byte-serial": [30.0, 60.0]}
    assert status.left_s() == 45.0
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(drawn(status))
    text = console.export_text()
    assert "2 of 4 points, 1 done, 1 failed, 00:01:30 so far, about 00:00:45 left" in text
    for words in ("hamalainen2006-enc delay", "measuring", "20", "hamalainen2006-enc shrink"):
        assert words in text


def test_who_watches_no_terminal_is_told_what_a_sweep_is_at(capsys: pytest.CaptureFixture[str]) -> None:
    """The point that takes longest, and the stage it is in."""
    (core,) = enumerate_designs(parse_space({"cores": [{"preset": "hamalainen2006-enc"}]}, "x")).designs
    points = tuple(
        SweepPoint(core, NamedLibrary("generic45", (), ""), Condition(Optimise.AREA, r), r, r)
        for r in ("keep", "delay")
    )
    status = Status(SweepPlan("x", points, Effort(verifier(Extent.NONE)), {}), {}, began=100.0, now=190.0)
    status.workers = {
        "tcp://a": (points[0], "verifying: build: C++", 180.0),
        "tcp://b": (points[1], "measuring", 120.0),
    }
    with SweepTable(Display(as_json=False)) as table:
        table.show(status)
        status.now, status.workers = 300.0, {"tcp://a": status.workers["tcp://a"]}
        table.show(status)
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("; hamalainen2006-enc delay: measuring, 70 s, and 1 more")
    assert second.endswith("; hamalainen2006-enc keep: verifying: build: C++, 120 s")
