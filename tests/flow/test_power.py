"""Power belongs to the netlist that was measured, by direction and by module, and is kept with the measurement."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.specification import build_design, load_specification
from aesmith.drawing.charts import power_picture
from aesmith.errors import ToolError
from aesmith.explore.obtain import obtain_power
from aesmith.explore.store import open_store
from aesmith.flow import measure as measuring
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.flow.power import REGISTERS, measure_power, power_key
from aesmith.flow.recipes import KEEP
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.power.activity import ActivityProgress
from aesmith.timing.power.figures import DirectionPower, PowerPlan
from aesmith.timing.power.report import PowerMeter, PowerResult

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def design() -> CoreDesign:
    return build_design(load_specification("ueno2020-enc"), "core", "ueno2020-enc")


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def plain(design: CoreDesign, library: Library, tmp_path_factory: pytest.TempPathFactory) -> Measurement:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(measuring.PLANS, Optimise.AREA, measuring.SynthesisPlan((KEEP,)))
        return measuring.measure(design, library, Optimise.AREA, tmp_path_factory.mktemp("measure"))


@pytest.fixture(scope="module")
def netlists() -> list[DirectionPower]:
    """The powers of whole netlists that `measured` was made of: the core's, and that of its modules apart."""
    return []


@pytest.fixture(scope="module")
def measured(
    design: CoreDesign,
    library: Library,
    plain: Measurement,
    netlists: list[DirectionPower],
    tmp_path_factory: pytest.TempPathFactory,
) -> Measurement:
    measure = PowerMeter.measure

    def noting(
        meter: PowerMeter, direction: Direction | None, plan: PowerPlan, progress: ActivityProgress | None = None
    ) -> PowerResult:
        found = measure(meter, direction, plan, progress)
        netlists.append(found.power)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PowerMeter, "measure", noting)
        return measure_power(design, library, plain, PowerPlan(), tmp_path_factory.mktemp("power"))


@pytest.mark.thorough
def test_power_stands_by_direction(measured: Measurement, plain: Measurement) -> None:
    assert plain.power == ()
    (power,) = measured.power
    values = json.loads(json.dumps(measured.to_json()))
    assert values["power_uw_at_100mhz"] == {"encrypt": power.power_uw_at_100mhz}
    assert values["glitch_fraction"] == {"encrypt": power.glitch_fraction}
    assert values["energy_pj_per_block"] == {"encrypt": power.energy_pj_per_block}
    assert measured.latency_ns is not None
    assert values["power_latency_product"]["encrypt"] == pytest.approx(power.power_uw_at_100mhz * measured.latency_ns)
    assert Measurement.from_json(values) == measured
    assert Measurement.from_json(plain.to_json()) == plain


@pytest.mark.thorough
def test_every_module_has_its_share(measured: Measurement, netlists: list[DirectionPower]) -> None:
    shares = {share.name: share for share in measured.power[0].by_module}
    # The shell itself is registers and wires.
    named = {"inverter", "unified_affine", "post_round_map", "round_sequencer"}
    assert {REGISTERS} | named <= set(shares)
    assert shares[REGISTERS].cells == measured.flip_flops
    assert shares["inverter"].cells % 20 == 0
    assert shares["round_sequencer"].total_uw < shares["inverter"].total_uw
    # Modules are looked at on a netlist of their own; of it, nothing is left out and nothing counted twice.
    core, apart = netlists
    assert core.power_uw_at_100mhz == measured.power[0].power_uw_at_100mhz
    assert sum(share.cells for share in shares.values()) == sum(share.cells for share in apart.by_depth)
    assert sum(share.total_uw for share in shares.values()) == pytest.approx(
        apart.power_uw_at_100mhz - apart.port_uw, rel=1e-9
    )


@pytest.mark.thorough
def test_another_netlist_is_not_taken_for_the_measured_one(
    design: CoreDesign, library: Library, plain: Measurement, tmp_path: Path
) -> None:
    with pytest.raises(ToolError, match="synthesis gave another netlist than the one measured"):
        measure_power(design, library, replace(plain, area_ge=plain.area_ge + 1), PowerPlan(), tmp_path, modules=False)


@pytest.mark.thorough
def test_power_is_kept_under_its_plan(
    design: CoreDesign, library: Library, measured: Measurement, tmp_path: Path
) -> None:
    plan = PowerPlan()
    key = power_key(design, library, Optimise.AREA, plan, modules=True)
    assert key != power_key(design, library, Optimise.AREA, PowerPlan(seed=2), modules=True)
    with open_store(tmp_path / "store.sqlite") as store:
        store.put(key, measured)
        kept = obtain_power(design, library, measured, plan=plan, work_dir=tmp_path / "work", store=store)
    assert kept.from_store
    assert kept.measurement == measured
    assert not (tmp_path / "work").exists()


@pytest.mark.thorough
def test_the_picture_shows_modules_and_depth(measured: Measurement) -> None:
    (power,) = measured.power
    picture = power_picture(measured.design, power, measured.library)
    assert picture.startswith("<svg ")
    assert all(share.name in picture for share in power.by_module)
    assert "with glitches" in picture
    assert f"{power.power_uw_at_100mhz:,.0f} µW at 100 MHz" in picture
    without = power_picture(measured.design, replace(power, by_module=()), measured.library)
    assert "by module" not in without
