"""What is measured of a design of somebody else's stands in the store's report, beside ours."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.explore.points import points
from aesmith.explore.recommend.requirement import requirement
from aesmith.explore.recommend.serving import serve
from aesmith.explore.store import open_store
from aesmith.explore.task import keep_foreign
from aesmith.flow.measure import measure
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.recipes import KEEP, SynthesisPlan
from aesmith.foreign.design import read_foreign
from aesmith.technology.registry import EMBEDDED, library_by

from .standins import write_standin


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_standin(tmp_path_factory.mktemp("theirs") / "standin")


@pytest.fixture(scope="module")
def found(description: Path, tmp_path_factory: pytest.TempPathFactory) -> Measurement:
    design = read_foreign(description, "theirs")
    folder = tmp_path_factory.mktemp("measure")
    return measure(design.measured, library_by(EMBEDDED), Optimise.AREA, folder, plan=SynthesisPlan((KEEP,)))


@pytest.mark.thorough
def test_a_point_has_the_figures_and_says_whose_it_is(description: Path, found: Measurement, tmp_path: Path) -> None:
    design, library = read_foreign(description, "theirs"), library_by(EMBEDDED)
    with open_store(tmp_path / "store.sqlite") as store:
        assert keep_foreign(store, design, library, found) == "foreign-1"
        smaller = replace(found, area_ge=found.area_ge / 2)
        assert keep_foreign(store, design, library, smaller) == "foreign-1", "the same again is the same point"
        table = points(store)
    assert len(table) == 1
    row = table.iloc[0]
    assert row["area_ge"] == smaller.area_ge
    assert row["throughput_gbps"] == found.throughput_gbps
    assert (row["family"], row["design"], row["architecture"]) == ("foreign", "theirs", "strobe")
    assert row["verified"] == "known answers"
    assert row["cycles_per_block"] == 11.05, "a mean is no whole number"


@pytest.mark.thorough
def test_measured_into_a_store_it_stands_in_the_report(
    description: Path, found: Measurement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aesmith.explore.obtain.measure", lambda *_, **__: found)
    store, page = str(tmp_path / "store.sqlite"), tmp_path / "report.html"
    assert run(["measure", str(description), "--store", store]) == 0
    assert run(["report", "--store", store, "--out", str(page)]) == 0
    data = json.loads(re.findall(r"(?s)<script[^>]*application/json[^>]*>(.*?)</script>", page.read_text())[0])
    assert data["columns"]["design"]["words"] == ["strobe_design"]
    assert data["columns"]["family"]["words"] == ["foreign"]
    assert "strobe of a stand-in: `aesmith measure`" in data["columns"]["make"]["words"][0]


@pytest.mark.thorough
def test_nothing_of_theirs_is_recommended(description: Path, found: Measurement, tmp_path: Path) -> None:
    with open_store(tmp_path / "store.sqlite") as store:
        keep_foreign(store, read_foreign(description, "theirs"), library_by(EMBEDDED), found)
        theirs = points(store)
    core = requirement(mode="ctr", minimise="area", core=True)
    for need in (core, requirement(mode="ctr", minimise="area")):
        served = serve(theirs, need)
        assert served.frame.empty
        assert dict(served.left_out) == {"of somebody else": 1}
    ours = theirs.assign(family="round-based")
    assert len(serve(ours, core).frame) == 1


def test_it_is_no_design_space(description: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explore", "points", str(description)]) == 2
    assert "describes a third-party design, which has no fields to sweep" in capsys.readouterr().err
