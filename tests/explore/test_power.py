"""Power that was measured once is not measured again, by this process or by another at the same time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, load_specification
from aesmith.explore import obtain as subject
from aesmith.explore.obtain import obtain_power
from aesmith.explore.store import open_store
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.power import power_key
from aesmith.technology.library import Library
from aesmith.timing.power.figures import PowerPlan, PowerStimulus

PLAN = PowerPlan(precision=0.02)
LISTED = [PowerPlan(stimulus=PowerStimulus.LISTED, listed=((bytes(16), bytes([block] * 16)),)) for block in (1, 2, 1)]


@pytest.fixture(scope="module")
def core() -> CoreDesign:
    return build_design(load_specification("serial-small-enc"), "core", "serial-small-enc")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, figures: Measurement) -> list[bool]:
    """Whether modules were asked for, for each power measured, which takes no time."""
    asked: list[bool] = []

    def measure_power(*_: object, modules: bool, **__: object) -> Measurement:
        asked.append(modules)
        return replace(figures, area_ge=float(len(asked)))

    monkeypatch.setattr(subject, "measure_power", measure_power)
    return asked


def test_the_same_plan_is_simulated_once(
    tmp_path: Path, core: CoreDesign, library: Library, figures: Measurement, counted: list[bool]
) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        found = [
            obtain_power(core, library, figures, plan=plan, work_dir=tmp_path, store=store)
            for plan in (PLAN, PLAN, replace(PLAN, clock_mhz=200.0), PLAN, *LISTED)
        ]
    assert [power.from_store for power in found] == [False, True, False, True, False, False, True]
    assert found[3].measurement == found[0].measurement
    assert len(counted) == 4


def test_power_with_modules_serves_where_it_is_asked_for_without(
    tmp_path: Path, core: CoreDesign, library: Library, figures: Measurement, counted: list[bool]
) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        for modules in (True, False):
            obtain_power(core, library, figures, plan=PLAN, work_dir=tmp_path, store=store, modules=modules)
    assert counted == [True]


def test_one_waits_for_the_power_another_is_measuring(
    tmp_path: Path, core: CoreDesign, library: Library, figures: Measurement, counted: list[bool]
) -> None:
    key = power_key(core, library, Optimise.AREA, PLAN, modules=True)
    with open_store(tmp_path / "s.sqlite") as store, open_store(tmp_path / "s.sqlite") as other:
        assert other.claim(key)

        def waiting(_words: str) -> None:
            other.put(key, replace(figures, area_ge=99))

        obtained = obtain_power(core, library, figures, plan=PLAN, work_dir=tmp_path, store=store, progress=waiting)
        assert obtained.from_store
        assert obtained.measurement.area_ge == 99
        assert counted == []


def test_power_that_cannot_be_had_leaves_no_claim(
    tmp_path: Path, core: CoreDesign, library: Library, figures: Measurement, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> Measurement:
        raise KeyboardInterrupt

    monkeypatch.setattr(subject, "measure_power", interrupted)
    key = power_key(core, library, Optimise.AREA, PLAN, modules=True)
    with open_store(tmp_path / "s.sqlite") as store, open_store(tmp_path / "s.sqlite") as other:
        with pytest.raises(KeyboardInterrupt):
            obtain_power(core, library, figures, plan=PLAN, work_dir=tmp_path, store=store)
        assert other.claim(key)
