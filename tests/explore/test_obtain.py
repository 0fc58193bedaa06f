"""What was measured once is not measured again, by this process or by another at the same time."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aesmith.cores.design import Design
from aesmith.cores.leaf import LeafDesign
from aesmith.explore import claims
from aesmith.explore import obtain as subject
from aesmith.explore.obtain import obtain, obtain_placed
from aesmith.explore.store import open_store
from aesmith.flow.measure import measurement_key
from aesmith.flow.measurement import Measurement, Optimise, PlacedFigures
from aesmith.flow.placement.placed import PlacementPlan
from aesmith.flow.placement.technology import PhysicalTechnology, technology_of
from aesmith.processes import Cancelled
from aesmith.technology.library import Library


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, figures: Measurement) -> list[str]:
    """Names of the designs measured, each of which takes no time."""
    names: list[str] = []

    def measure(design: LeafDesign, *_: object, **__: object) -> Measurement:
        names.append(design.name)
        return replace(figures, area_ge=float(len(names)))

    monkeypatch.setattr(subject, "measure", measure)
    return names


def test_measuring_twice_measures_once(tmp_path: Path, small: LeafDesign, library: Library) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        first = obtain(small, library, Optimise.AREA, tmp_path / "1", store)
        again = obtain(small, library, Optimise.AREA, tmp_path / "2", store)
    assert (first.from_store, again.from_store) == (False, True)
    assert again.measurement == first.measurement
    assert not (tmp_path / "2").exists()


def test_another_condition_is_another_measurement(
    tmp_path: Path, small: LeafDesign, library: Library, counted: list[str]
) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        for optimise in (Optimise.AREA, Optimise.SPEED, Optimise.AREA):
            obtain(small, library, optimise, tmp_path, store)
    assert len(counted) == 2


def test_refreshing_measures_and_replaces(
    tmp_path: Path, small: LeafDesign, library: Library, counted: list[str]
) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        for refresh in (False, True, False):
            obtained = obtain(small, library, Optimise.AREA, tmp_path, store, refresh=refresh)
        assert obtained.from_store
        assert obtained.measurement.area_ge == 2
    assert len(counted) == 2


def test_without_a_store_everything_is_measured(
    tmp_path: Path, small: LeafDesign, library: Library, counted: list[str]
) -> None:
    assert not any(obtain(small, library, Optimise.AREA, tmp_path, None).from_store for _ in range(2))
    assert len(counted) == 2


def test_a_library_goes_by_the_name_it_has_now(
    tmp_path: Path, small: LeafDesign, library: Library, counted: list[str]
) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        obtain(small, library, Optimise.AREA, tmp_path, store)
        obtained = obtain(small, replace(library, name="mine"), Optimise.AREA, tmp_path, store)
    assert obtained.from_store
    assert obtained.measurement.library == "mine"
    assert len(counted) == 1


def test_one_waits_for_what_another_is_measuring(
    tmp_path: Path, small: LeafDesign, library: Library, counted: list[str], figures: Measurement
) -> None:
    key = measurement_key(small, library, Optimise.AREA)
    with open_store(tmp_path / "s.sqlite") as store, open_store(tmp_path / "s.sqlite") as other:
        assert other.claim(key)
        said: list[str] = []

        def waiting(words: str, _done: int, _total: int) -> None:
            if not said:
                other.put(key, replace(figures, area_ge=99))
            said.append(words)

        obtained = obtain(small, library, Optimise.AREA, tmp_path, store, progress=waiting)
    assert obtained.measurement.area_ge == 99
    assert obtained.from_store
    assert counted == []
    assert "another process" in said[0]


def test_waiting_can_be_cancelled(tmp_path: Path, small: LeafDesign, library: Library, counted: list[str]) -> None:
    cancel = threading.Event()
    cancel.set()
    with open_store(tmp_path / "s.sqlite") as store, open_store(tmp_path / "s.sqlite") as other:
        assert other.claim(measurement_key(small, library, Optimise.AREA))
        with pytest.raises(Cancelled):
            obtain(small, library, Optimise.AREA, tmp_path, store, cancel=cancel)
    assert counted == []


def test_an_interrupted_measurement_leaves_no_claim(
    tmp_path: Path, small: LeafDesign, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> Measurement:
        raise KeyboardInterrupt

    monkeypatch.setattr(subject, "measure", interrupted)
    with open_store(tmp_path / "s.sqlite") as store, open_store(tmp_path / "s.sqlite") as other:
        with pytest.raises(KeyboardInterrupt):
            obtain(small, library, Optimise.AREA, tmp_path, store)
        assert other.claim(measurement_key(small, library, Optimise.AREA))


def test_a_long_measurement_keeps_its_claim(
    tmp_path: Path, small: LeafDesign, library: Library, figures: Measurement, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "LEASE_S", 0.15)
    key = measurement_key(small, library, Optimise.AREA)
    with open_store(tmp_path / "s.sqlite") as store, open_store(tmp_path / "s.sqlite") as other:
        renewed = threading.Event()
        claim = type(store).claim

        def counting(self: object, name: str, lease_s: float = 60.0) -> bool:
            held = claim(self, name, lease_s)  # type: ignore[arg-type]
            if self is store and started.is_set():
                renewed.set()
            return held

        started = threading.Event()
        monkeypatch.setattr(type(store), "claim", counting)

        def slow(*_: object, **__: object) -> Measurement:
            started.set()
            assert renewed.wait(60)
            assert not other.claim(key)
            return figures

        monkeypatch.setattr(subject, "measure", slow)
        assert obtain(small, library, Optimise.AREA, tmp_path, store).measurement == figures


def test_what_was_placed_is_not_placed_again_unless_it_would_be_another_placement(  # noqa: PLR0917 - fixtures
    tmp_path: Path,
    small: LeafDesign,
    library: Library,
    figures: Measurement,
    with_wires: PlacedFigures,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans: list[PlacementPlan] = []

    def place(
        _design: Design, _library: Library, measurement: Measurement, _technology: PhysicalTechnology, **how: Any
    ) -> tuple[Measurement, None]:
        plans.append(how["plan"])
        return replace(measurement, placed=replace(with_wires, seed=how["plan"].seed)), None

    monkeypatch.setattr(subject, "measure_placed", place)
    technology = technology_of(library)
    asked = [
        (technology, PlacementPlan()),
        (technology, PlacementPlan()),
        (technology, PlacementPlan(seed=2)),
        (technology, PlacementPlan(utilisation=0.5)),
        (replace(technology, resistance_ohm_per_um=9.0), PlacementPlan()),
    ]
    with open_store(tmp_path / "s.sqlite") as store:
        found = [
            obtain_placed(small, library, figures, process, plan=plan, work_dir=tmp_path, store=store)
            for process, plan in asked
        ]
    assert [each.from_store for each in found] == [False, True, False, False, False]
    assert len(plans) == 4
    assert found[1].measurement == found[0].measurement == replace(figures, placed=with_wires)
    assert Measurement.from_json(found[0].measurement.to_json()) == found[0].measurement
