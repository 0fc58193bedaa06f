"""A core of a sweep is verified once; one that is not AES has no figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.explore.sweeping import cluster

from aesmith.errors import CheckError
from aesmith.explore import api
from aesmith.explore import verifying as subject
from aesmith.explore.outline import Outline, outline
from aesmith.explore.store import open_store
from aesmith.explore.task import PointBench, _stages
from aesmith.explore.verifying import Extent, Verifier, verifier


@pytest.fixture(scope="module")
def core() -> Outline:
    return outline({"preset": "serial-small-enc"})


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the cores that were simulated, which takes no time here; a core with another S-box fails."""
    names: list[str] = []

    def simulate(design: Any, *_: object) -> SimpleNamespace:
        names.append(design.name)
        failures = [SimpleNamespace(name="known-answers", failure="block 1 is wrong")] * ("boyar" in design.name)
        return SimpleNamespace(passed=not failures, failures=failures)

    monkeypatch.setattr(subject, "simulate", simulate)
    return names


def test_what_was_verified_is_not_verified_again(tmp_path: Path, core: Outline, simulated: list[str]) -> None:
    short = Verifier(Extent.SHORT, (("verilator", "5"),))
    with open_store(tmp_path / "s.sqlite") as store:
        for _ in range(2):
            assert short.verify(core, core.build, tmp_path, store) == "simulation (short)"
        assert len(simulated) == 1
        assert replace(short, extent=Extent.FULL).verify(core, core.build, tmp_path, store) == "simulation"
        assert len(simulated) == 2
        assert Verifier(Extent.NONE, ()).verify(core, core.build, tmp_path, store) is None


def test_a_core_that_failed_fails_again_without_a_simulation(
    tmp_path: Path, core: Outline, simulated: list[str]
) -> None:
    wrong = replace(core, design="serial-small-enc-boyar2010-derived")
    with open_store(tmp_path / "s.sqlite") as store:
        for _ in range(2):
            with pytest.raises(CheckError, match="verification: known-answers: block 1 is wrong"):
                Verifier(Extent.SHORT, ()).verify(wrong, wrong.build, tmp_path, store)
    assert len(simulated) == 1


def test_the_key_is_of_all_that_the_result_depends_on(core: Outline) -> None:
    short = Verifier(Extent.SHORT, (("verilator", "5"),))
    others = [
        short.key(replace(core, source_hash="0" * 64)),
        short.key(replace(core, latency_cycles=core.latency_cycles + 1)),
        replace(short, tools=(("verilator", "6"),)).key(core),
        replace(short, extent=Extent.FULL).key(core),
        replace(short, extent=Extent.PROVE).key(core),
        short.key(core),
    ]
    assert len(set(others)) == len(others)
    assert Verifier(Extent.NONE, ()).key(core) is None
    assert dict(verifier(Extent.SHORT).tools).keys() >= {"verilator", "cocotb"}


def test_points_of_a_core_that_is_not_aes_fail_and_the_others_do_not(tmp_path: Path, simulated: list[str]) -> None:
    space: dict[str, object] = {
        "recipe": ["keep", "shrink"],
        "cores": [{"architecture": "serial-small-enc", "sbox": ["reyhani2018", "boyar2010-derived"]}],
    }
    with cluster(1) as address:
        frame = api.sweep(space, store=tmp_path / "s.sqlite", scheduler=address)
    assert sorted(simulated) == ["serial_small_enc", "serial_small_enc_boyar2010_derived"]
    assert list(frame["status"]) == ["done", "done", "failed", "failed"]
    assert list(frame["verified"].fillna("")) == ["simulation (short)"] * 2 + [""] * 2
    assert set(frame["error"].dropna()) == {"verification: known-answers: block 1 is wrong"}
    assert frame["area_ge"].isna().tolist() == [False, False, True, True]


def test_a_worker_tells_each_stage_once() -> None:
    told: list[tuple[str, str]] = []
    bench = PointBench(None, None, None, Path(), lambda *state: told.append(state))  # type: ignore[arg-type]
    step = _stages(bench, "point", "verifying")
    for done in range(3):
        step("build: C++", done, 3)
    step("messages", 0, 100)
    stages = ["verifying", "verifying: build: C++", "verifying: messages"]
    assert told == [("point", stage) for stage in stages], "how many units are done is not told to the scheduler"
