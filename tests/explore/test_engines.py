"""Engines are points like cores: enumerated, named, verified and measured once, and told from cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from tests.explore.sweeping import cluster

from aesmith.errors import CheckError, RequestError
from aesmith.explore import api
from aesmith.explore import verifying as subject
from aesmith.explore.design_space import enumerate_designs, parse_space
from aesmith.explore.obtain import obtain
from aesmith.explore.outline import Outline, engine_name, engine_outline, rtl_digest, with_named_cores
from aesmith.explore.points import frame, how_to_make, quiet_core, read_points, with_marks
from aesmith.explore.recommend.requirement import requirement
from aesmith.explore.recommend.serving import NOT_VERIFIED, serve
from aesmith.explore.store import open_store
from aesmith.explore.sweep import plan_sweep
from aesmith.explore.task import Effort, NamedLibrary, row_of
from aesmith.explore.verifying import Extent, Verifier, verifier
from aesmith.flow.measure import measurement_key
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.modes.cmac_engine import CmacSpecification
from aesmith.modes.engine import StreamEngine
from aesmith.modes.family import EngineSpecification
from aesmith.modes.gcm_engine import GcmSpecification
from aesmith.modes.specification import build_engine, engine_presets, engine_specification, parse_engine
from aesmith.modes.xts_engine import XtsSpecification
from aesmith.technology.library import Library

ONE_POINT: dict[str, Any] = {
    "name": "tags",
    "recipe": "keep",
    "engines": [{"mode": "cmac", "core": "serial-small-enc"}],
}


def designs_of(**fields: Any) -> Sequence[Outline]:
    return list(enumerate_designs(parse_space({"engines": [fields]}, "x")).designs)


def row(fields: dict[str, Any], **figures: object) -> dict[str, object]:
    """A point of an engine, done, with these figures."""
    (condition,) = parse_space({"recipe": "keep", "engines": [fields]}, "x").blocks[0].conditions
    known = row_of(engine_outline(fields), NamedLibrary("generic45", (), "0" * 64), condition)
    return known | {"status": "done", "space": "x", "key": rtl_digest(str(known["specification"]))} | figures


def test_what_no_engine_can_be_is_left_out_and_counted_by_rule() -> None:
    found = enumerate_designs(
        parse_space(
            {
                "cores": [{"preset": "serial-small-enc"}],
                "engines": [
                    {"mode": "ctr", "core": ["ueno2020-enc", "serial-small-enc"], "cores": [2, 11, 12, 2]},
                    {"preset": "cmac-small", "digit": [8, 16]},
                ],
            },
            "x",
        )
    )
    assert [design.design for design in found.designs] == ["serial-small-enc", "ctr-ueno2020-enc-cores2"]
    assert (found.combinations, found.repeated) == (1 + 2 * 4 + 2, 1)
    assert found.refused.pop("cores: must be at most 10") == 2
    assert (
        found.refused.pop(
            "core: must take blocks of 128 bits at once, as column-gated-enc does; serial-small-enc takes 8"
        )
        == 4
    )
    ((rule, count),) = found.refused.items()
    assert rule.startswith("digit: there is no such field; the fields are alarm, bus, byte_order, chain, clear, core")
    assert count == 2


def test_a_core_inside_may_have_several_values_of_its_own() -> None:
    core = {
        "preset": "serial-small-enc",
        "sbox": ["canright2005"],
        "together": [{"output": "bare"}, {"output": "quiet"}],
    }
    block = {"mode": "cmac", "core": ["serial-small-enc", core], "stream_bits": {"from": 64, "to": 128, "step": 64}}
    choices = parse_space({"engines": [block]}, "x").blocks[0].choices.combinations()
    inside = {"preset": "serial-small-enc", "sbox": "canright2005"}
    assert [(each["core"], each["stream_bits"]) for each in choices] == [
        (core, bits)
        for core in ("serial-small-enc", {"output": "bare"} | inside, {"output": "quiet"} | inside)
        for bits in (64, 128)
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"engines": []}, "engines: there must be at least one table"),
        ({"engines": [{"core": "ueno2020-enc"}]}, "engines 1: there must be a mode or a preset"),
        (
            {"engines": [{"mode": "gcm", "depth": 3}]},
            "engines 1: depth: there is no such field; .*, bus",
        ),
        (
            {"engines": [{"mode": "gcm", "sbox": "a"}]},
            r"sbox: is a field of cores; it belongs in a table \[\[cores\]\]",
        ),
        ({"cores": [{"mode": "gcm"}]}, r"cores 1: mode: is a field of engines; it belongs in a table \[\[engines\]\]"),
        ({"engines": [{"mode": "gcm", "core": {"preset": "a", "depth": 3}}]}, "engines 1: core: depth: there is no"),
        ({"engines": [{"mode": "gcm", "core": {"sbox": "a"}}]}, "core: there must be an architecture or a preset"),
    ],
)
def test_a_space_of_engines_that_will_not_do_says_why(content: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse_space(content, "x")


def test_a_space_in_which_no_engine_can_be_says_so() -> None:
    with pytest.raises(RequestError, match=r"no combination is an engine \(1 times: preset: must be one of ctr-pipe"):
        designs_of(preset="ueno2020-enc")


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "ctr", "core": "ueno2020-enc", "cores": 4, "stream_bits": 256},
        {"mode": "ccm", "core": "column-gated-enc", "key_slots": 2, "stream_bits": 32},
        {"mode": "cmac", "core": {"preset": "serial-shared-small-enc", "clear": True}, "clear": True},
    ],
)
def test_an_outline_says_of_an_engine_what_the_engine_says_itself(fields: dict[str, Any]) -> None:
    found, engine = engine_outline(fields), build_engine(parse_engine(fields), "engine", "engine")
    assert (found.family, found.cores, found.block_width) == (engine.mode, engine.cores, engine.stream_bits)
    assert (found.cycles_per_block, found.latency_cycles) == (engine.cycles_per_block, engine.latency_cycles)
    assert (found.key_bits, found.directions) == (engine.key_bits, engine.directions)
    assert (found.source_hash, found.sources) == (found.build().source_hash, found.build().sources)
    assert rtl_digest(found.specification) == build_engine(parse_engine(fields), "core", "").source_hash
    assert Outline.from_json(found.to_json()) == found


def test_names_of_engines_tell_them_apart_and_the_same_engine_has_one() -> None:
    variants: list[EngineSpecification] = [
        GcmSpecification(core="ueno2020-enc", **one)
        for one in ({"digit": 16}, {"digit": 1, "entries": 6}, {"cores": 2}, {"key_slots": 2}, {"ring": "memory"},
                    {"release": "cut-through"}, {"clear": True}, {"stream_bits": 64})
    ]  # fmt: skip
    variants += [
        XtsSpecification(core="ueno2020-encdec", tweak_core=core) for core in ("ueno2020-enc", "serial-small-enc")
    ]
    variants += [
        CmacSpecification(core={"preset": "serial-small-enc", "output": output}) for output in ("bare", "quiet")
    ]
    every = [with_named_cores(specification) for specification in (*engine_presets().values(), *variants)]
    names = [engine_name(specification) for specification in every]
    assert names[: len(engine_presets())] == list(engine_presets())
    assert len(set(names)) == len(names)
    assert {"gcm-ueno2020-enc-digit16", "gcm-ueno2020-enc-release-cut-through"} <= set(names)
    assert names[-2:] == ["cmac-serial-small-enc-bare", "cmac-serial-small-enc"]
    assert every[-1] == CmacSpecification(core="serial-small-enc")
    cleared = [
        CmacSpecification(core=core, clear=True)
        for core in ("serial-small-enc", {"preset": "serial-small-enc", "clear": True})
    ]
    assert len({engine_name(with_named_cores(specification)) for specification in cleared}) == 1


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Names of the engines that were simulated, with how many messages: no time here; one with two cores fails."""
    done: list[tuple[str, int]] = []

    def verify_engine(design: Any, _folder: Path, plan: Any, _progress: Any) -> SimpleNamespace:
        done.append((design.name, plan.messages))
        failures = [SimpleNamespace(name="messages", failure="message 3, clock 9: must be 1")] * (design.cores == 2)
        return SimpleNamespace(passed=not failures, failures=failures)

    monkeypatch.setattr(subject, "verify_engine", verify_engine)
    return done


def test_an_engine_is_verified_with_messages_once(tmp_path: Path, simulated: list[tuple[str, int]]) -> None:
    right = engine_outline({"mode": "cmac", "core": "serial-small-enc"})
    wrong = engine_outline({"mode": "ctr", "core": "ueno2020-enc", "cores": 2})
    unproved = engine_outline({"mode": "cfb8", "core": "ueno2020-enc"})
    short, full = Verifier(Extent.SHORT, ()), Verifier(Extent.FULL, ())
    with open_store(tmp_path / "s.sqlite") as store:
        for _ in range(2):
            assert short.verify(right, right.build, tmp_path, store) == "simulation (short)"
            with pytest.raises(CheckError, match="verification: messages: message 3, clock 9"):
                short.verify(wrong, wrong.build, tmp_path, store)
        assert full.verify(right, right.build, tmp_path, store) == "simulation"
        with pytest.raises(RequestError, match="cfb8"):
            Verifier(Extent.PROVE, ()).verify(unproved, unproved.build, tmp_path, store)
    assert simulated == [(right.name, 100), (wrong.name, 100), (right.name, 500)]
    others = [
        replace(right, source_hash="0" * 64),
        replace(right, specification="{}"),
        replace(right, cycles_per_block=1),
    ]
    assert len({short.key(each) for each in (right, *others)} | {full.key(right)}) == len(others) + 2


@pytest.mark.thorough
def test_an_engine_is_measured_and_kept_under_its_sources(tmp_path: Path, library: Library) -> None:
    location = tmp_path / "s.sqlite"
    wanted = api.candidates(ONE_POINT, store=location)
    assert list(wanted["design"]) == ["cmac-serial-small-enc"]
    with cluster(1) as address:
        found = api.sweep(ONE_POINT, store=location, verify="none", scheduler=address)
    point = found.iloc[0]
    assert (point["status"], point["family"], point["core"], point["cores"]) == (
        *("done", "cmac", "serial-small-enc", 1),
    ), point["error"]
    assert point["throughput_gbps"] == pytest.approx(128 / (point["cycles_per_block"] * point["period_ns"]))
    assert point["efficiency_kbps_per_ge"] == pytest.approx(1e6 * point["throughput_gbps"] / point["area_ge"])
    engine = engine_outline(ONE_POINT["engines"][0]).build()
    with open_store(location) as store:
        again = obtain(engine, library, Optimise.AREA, tmp_path, store, plan=one_recipe("keep"))
        assert again.from_store
        assert again.measurement.area_ge == point["area_ge"]
        effort = Effort(verifier(Extent.NONE))
        assert not plan_sweep(enumerate_designs(parse_space(ONE_POINT, "x")), [library], effort, store).waiting
        assert isinstance(engine, StreamEngine)
        changed = replace(engine, shipped=[*engine.sources[:-1], replace(engine.sources[-1], text="// another")])
        assert store.get(measurement_key(changed, library, Optimise.AREA, one_recipe("keep"))) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"preset": "gcm-compact"},
        {"mode": "cmac", "core": "serial-small-enc", "key_slots": 2, "clear": True},
        {"mode": "ctr", "core": {"preset": "ueno2020-enc", "gamma": 1, "key_bits": 256}},
    ],
)
def test_what_is_said_to_make_an_engine_makes_it(fields: dict[str, Any], tmp_path: Path) -> None:
    found = engine_outline(fields)
    comment, *lines = how_to_make(found.design, found.specification).splitlines()
    name = comment.split()[-1].strip("`")
    if lines:
        (tmp_path / name).write_text("\n".join(lines))
        name = str(tmp_path / name)
    again = engine_outline(engine_specification(name).model_dump())
    assert (again.design, again.specification) == (found.design, found.specification)


def test_points_of_engines_are_written_and_read(tmp_path: Path) -> None:
    fields = {"mode": "ctr", "core": "ueno2020-enc", "cores": 4}
    points = frame([row(fields, area_ge=5e4)])
    points.to_csv(tmp_path / "points.csv", index=False)
    read = read_points(tmp_path / "points.csv")
    assert read.equals(points)
    assert (read["cycles_per_block"].iloc[0], read["design"].iloc[0]) == (2.5, "ctr-ueno2020-enc-cores4")
    text = read["specification"].iloc[0]
    assert quiet_core("ctr-ueno2020-enc-cores4", text) == ("ctr-ueno2020-enc-cores4", text)
    proved = read.assign(verified="proof")
    assert with_marks(read, proved)["verified"].iloc[0] == "proof"
    older = proved.assign(specification=text.replace('"cores": 4', '"cores": 2'))
    assert pd.isna(with_marks(read, older)["verified"].iloc[0])


def test_a_requirement_for_a_core_is_not_answered_with_an_engine() -> None:
    points = frame(
        row(
            {"mode": "cmac", "core": "serial-small-enc"},
            verified=verified,
            area_ge=1.0,
            fmax_mhz=9e3,
            period_ns=0.1,
            latency_ns=0.1,
        )
        for verified in ("simulation (short)", None)
    )
    for need in (requirement(mode="ecb", directions="enc"), requirement(mode="cmac", directions="enc", core=True)):
        served = serve(points, need)
        assert served.frame.empty
        assert served.left_out == {NOT_VERIFIED: 1, "of engines": 1}
    assert len(serve(points, requirement(mode="cmac", directions="enc")).frame) == 1, "for the mode it is an answer"
