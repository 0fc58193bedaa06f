"""What is lacking for a requirement is measured, answered in the words of `recommend`, and can be built from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands.test_recommend import row

from aesmith.api import Engine
from aesmith.errors import RequestError
from aesmith.explore.outline import engine_outline
from aesmith.explore.points import export, frame, points_by
from aesmith.processes import Cancelled
from aesmith.serve.queue import Work
from aesmith.serve.tasks import Tasks, points_to_show


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of all cores elsewhere, a small one and a large one are known."""
    small = row("serial-small-enc", 2600, 3.0, optimise="recipe", recipe="compress", block_width=8, latency_cycles=840)
    file = tmp_path / "known.csv"
    export(frame([small | {"cycles_per_block": 832}, row("ueno2020-enc", 11000, 1.6)]), file)
    monkeypatch.setattr("aesmith.explore.points.shipped_points", lambda: {"known": file})
    return file


ASKED = {"kind": "requirement", "library": "generic45", "requirement": {"max_area": "4kGE"}, "minutes": 20}


@pytest.mark.usefixtures("known")
def test_what_is_lacking_is_measured_and_can_be_built(tmp_path: Path) -> None:
    store = str(tmp_path / "s.sqlite")
    tasks = Tasks(points_by("known"), store, 1)
    title, task = tasks.of(ASKED)
    assert title == "requirement in generic45: ECB encryption, key 128; area ≤ 4,000 GE; least area"
    work = Work(title)
    found = task(work).values
    chosen = found["chosen"]
    assert isinstance(chosen, dict)
    assert chosen["design"] == "serial-small-enc"
    lines = found["lines"]
    assert isinstance(lines, list)
    assert any(line.startswith("area ≤ 4,000 GE: holds with") for line in lines)
    assert found["searched"] == "searched: 2 points measured in generic45, 2 of them now", "with clock gates, too"
    title, _ = tasks.of({"kind": "core", "point": chosen["point"], "library": "generic45"})
    assert title in ("serial_small_enc in generic45, compress", "serial_small_enc in generic45, compress+gated")
    shown = points_to_show(None, store)
    assert (shown.source, shown.points["design"].tolist()) == (None, ["serial-small-enc"] * 2)


@pytest.mark.usefixtures("known")
def test_what_is_called_off_is_not_answered(tmp_path: Path) -> None:
    title, task = Tasks(points_by("known"), str(tmp_path / "s.sqlite"), 1).of(ASKED)
    work = Work(title)
    work.call_off()
    with pytest.raises(Cancelled):
        task(work)


@pytest.mark.usefixtures("known")
def test_what_nothing_meets_is_said(tmp_path: Path) -> None:
    asked = ASKED | {"requirement": {"min_throughput": "9Tbps", "block_width": 8, "key": [128]}, "minutes": 0.001}
    title, task = Tasks(points_by("known"), str(tmp_path / "s.sqlite"), 1).of(asked)
    found = task(Work(title)).values
    assert found["chosen"] is None
    assert "none of the 0 points fits: there are none" in str(found["lines"])


def test_an_engine_of_the_page_is_measured_as_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specification = engine_outline({"mode": "cmac", "core": "serial-small-enc"}).specification
    fields = {"specification": specification, "family": "cmac", "core": "serial-small-enc", "cores": 1}
    known = row("serial-small-enc", 1e4, 3.0, optimise="recipe", recipe="keep")
    point = known | fields | {"design": "cmac-serial-small-enc", "key": "c" * 64}
    measured: list[str] = []

    def measure(engine: Engine, *_: object, **__: object) -> None:
        measured.append(engine.design.mode + (f" on {engine.design.bus}" if engine.design.bus else ""))
        raise Cancelled

    monkeypatch.setattr(Engine, "measure", measure)
    asked = {"kind": "core", "point": "c" * 12, "library": "generic45"}
    tasks = Tasks(frame([point]), str(tmp_path / "s.sqlite"), 1)
    for bus, where in (("none", ""), ("apb", " on apb")):
        title, task = tasks.of(asked | {"bus": bus})
        assert title == f"cmac_serial_small_enc{where} in generic45, keep"
        with pytest.raises(Cancelled):
            task(Work(title))
    assert measured == ["cmac", "cmac on apb"]
    with pytest.raises(RequestError, match="bus: must be one of none, apb"):
        tasks.of(asked | {"bus": "avalon"})


@pytest.mark.usefixtures("known")
def test_a_core_has_no_registers(tmp_path: Path) -> None:
    tasks = Tasks(points_by("known"), str(tmp_path / "s.sqlite"), 1)
    asked = {"kind": "core", "point": str(points_by("known").iloc[0]["key"]), "library": "generic45"}
    with pytest.raises(RequestError, match=r"bus: of engines only, and serial-small-enc is a core"):
        tasks.of(asked | {"bus": "apb"})
    tasks.of(asked | {"bus": "none"})
