"""Engines as designs by name: lists, specifications, verify, measure, and what knows cores only."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.modes.engine_bench import wrong_engine

import aesmith
from aesmith.assurance.streams.check import SCENARIOS, StreamPlan, message_clocks
from aesmith.cli import run
from aesmith.errors import RequestError
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.modes.specification import build_engine, engine_presets, engine_specification, parse_engine

SMALL = StreamPlan(messages=60, vectors=20, resets=3, most=100)


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = run([*arguments])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_every_preset_is_listed_with_the_clocks_of_its_design(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _run(capsys, "list", "engines", "--json")
    listed = {engine["name"]: engine for engine in json.loads(out)}
    assert listed.keys() == engine_presets().keys()
    for name, specification in engine_presets().items():
        design = build_engine(specification, "engine", name)
        assert listed[name]["cycles_per_block"] == design.cycles_per_block
        assert listed[name]["specification"] == json.loads(specification.model_dump_json())
        assert design.preset == name


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"mode": "gcm", "core": "ueno2020-enc", "digit": 3}, "digit: must be 1, 2, 4"),
        ({"mode": "gcm", "core": "ueno2020-enc", "depth": 3}, "depth: there is no such field"),
        ({"mode": "gcm"}, "core: must be a text or a table, and is not given"),
        ({"mode": "gcm", "core": "serial-small-enc"}, "must take blocks of 128 bits at once"),
        ({"mode": "gcm", "core": "nothing"}, "preset: must be one of"),
        ({"mode": "eax", "core": "ueno2020-enc"}, r"mode: must be one of ctr, cfb8, .* in all\), not 'eax'"),
        ({"mode": "gcm-sv", "core": "ueno2020-enc"}, "mode: must be one of .*gcm-siv.* did you mean gcm-siv"),
        ({"mode": "xts", "core": "ueno2020-enc"}, "tweak_core: must be a text or a table, and is not given"),
        ({"mode": "xts", "core": "ueno2020-enc", "tweak_core": "nothing"}, "preset: must be one of"),
        ({"preset": "ueno2020-enc"}, "preset: must be one of ctr-pipeline"),
        ({"mode": "ctr", "core": "ueno2020-enc", "cores": 11}, "at most 10"),
        ({"mode": "cbc", "core": "ueno2020-enc", "cores": 2}, "must be 1, not 2: .* side by side need an engine each"),
        ({"mode": "cbc", "core": "ueno2020-enc", "chain": "direct"}, "chain: there is no such field; omit it"),
        ({"mode": "ccm", "core": "ueno2020-enc", "buffer_beats": 8}, "buffer_beats: .* say memory_beats, a power of"),
        (
            {"mode": "ccm", "core": "serial-shared-small-enc"},
            "release: must be cut-through, not verified, in an engine",
        ),
        ({"modes": ["ccm", "ctr"], "core": "serial-shared-small-enc"}, "as column-gated-enc does; .* takes 8"),
        ({"mode": "ccm", "core": "ueno2020-enc", "clear": True}, "release: must be cut-through"),
        ({"mode": "ofb", "core": "ueno2020-enc", "modes": ["cbc"]}, "mode: must be multi or omitted where .* not ofb"),
    ],
)
def test_what_no_engine_can_be_is_refused_by_field_and_rule(fields: dict[str, object], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        parse_engine(fields)


@pytest.mark.parametrize("mode", ["ecb", "cbc", "cfb128", "ofb", "ccm"])
def test_a_mode_without_engines_of_its_own_is_served_by_one_of_several_built_for_it(mode: str, tmp_path: Path) -> None:
    """All that could be said of the engines of these modes before is taken but what is refused above."""
    file = tmp_path / "own.toml"
    file.write_text(f'mode = "{mode}"\ncore = "ueno2020-encdec"\nkey_slots = 4\nbus = "apb"\nbyte_order = "big"\n')
    design = aesmith.engine(file).design
    assert (type(design), design.modes, design.mode) == (MultiModeEngine, (mode,), mode)
    of_modes = {"modes": [mode], "core": "ueno2020-encdec", "key_slots": 4, "bus": "apb", "byte_order": "big"}
    assert parse_engine(of_modes) == engine_specification(str(file))
    assert parse_engine({"preset": "gcm-compact", "mode": mode}).modes == (mode,)


def test_a_file_that_names_a_mode_is_an_engine_and_may_begin_with_a_preset(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('mode = "gcm"\npreset = "gcm-10g"\ncores = 4\n')
    design = aesmith.engine(file).design
    assert (design.name, design.cores, design.cycles_per_block) == ("own", 4, 4)
    assert aesmith.engine("gcm-10g", cores=4).design.module_parameters == design.module_parameters


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "cfb8-compact", "--prove"),
        ("verify", "gcm-compact", "--probing"),
        ("verify", "gcm-compact", "--export", "x"),
        ("measure", "gcm-compact", "--prove"),
    ],
)
def test_what_knows_cores_only_says_so(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _run(capsys, *arguments)
    assert code == 2
    assert f"{arguments[1]} is an engine; its core is ueno2020-enc" in err


@pytest.mark.thorough(but=("cmac-small",))
@pytest.mark.parametrize("preset", ["cmac-small", "gcm-10g"])
def test_an_engine_passes_all_scenarios(preset: str, tmp_path: Path) -> None:
    plan = SMALL if preset == "gcm-10g" else StreamPlan(messages=8, vectors=4, resets=1, most=40)
    report = aesmith.engine(preset).verify(plan, folder=tmp_path / "right")
    assert report.passed, report.failures
    assert [scenario.name for scenario in report.scenarios] == list(SCENARIOS)
    assert all(scenario.cases for scenario in report.scenarios)


@pytest.mark.thorough
@pytest.mark.usefixtures("bench")
def test_a_wrong_engine_fails_with_message_and_clock(tmp_path: Path) -> None:
    right = aesmith.engine("gcm-10g", release="verified")
    changed = ("tagged_release", "wrong(tag, tag_keep_q) & ~given_up_i", "1'b0 & wrong(tag, tag_keep_q)")
    wrong = aesmith.Engine(wrong_engine(right.design, "wrong", *changed))
    found = wrong.verify(SMALL, folder=tmp_path / "wrong")
    assert [scenario.name for scenario in found.scenarios] == list(SCENARIOS)
    assert {scenario.name for scenario in found.failures} >= {"vectors", "messages", "pauses"}
    assert "clock" in found.failures[1].failure


@pytest.mark.thorough
@pytest.mark.one_in(3)
@pytest.mark.parametrize("preset", ["ctr-pipeline", "gcm-10g"])
@pytest.mark.parametrize("cores", [1, 5, 7])
def test_clocks_are_those_of_the_formula_for_any_number_of_cores(
    preset: str, cores: int, bench: Any, stand_ins: Any, tmp_path: Path
) -> None:
    design = replace(aesmith.engine(preset, core="ueno2020-enc").design, core=stand_ins[0](10, 11), cores=cores)
    model = bench(design, tmp_path / "model")
    for headers, texts, encrypt in design.kinds():
        seen, _ = message_clocks(design, model.run, headers, texts, encrypt=encrypt)
        assert seen == design.message_cycles(headers, texts, encrypt=encrypt), (headers, texts, encrypt)


@pytest.mark.thorough
@pytest.mark.usefixtures("bench")
def test_a_hang_is_told(tmp_path: Path) -> None:
    right = aesmith.engine("gcm-10g")
    changed = ("gcm_engine", "(~with_iv | (at_beat & fault == '0 & (kind != Iv | iv_put_q)))", "1'b1")
    held = aesmith.Engine(wrong_engine(right.design, "held", *changed))
    found = held.verify(SMALL, folder=tmp_path / "held")
    assert "takes" in found.failures[0].failure
    assert "and in 4000 clocks no other" in found.failures[0].failure
    assert not found.passed


@pytest.mark.thorough
def test_an_engine_is_measured_as_a_core_is() -> None:
    found = aesmith.engine("gcm-compact").measure("generic45", recipe="keep")
    core = aesmith.core("ueno2020-enc").measure("generic45", recipe="keep")
    assert found.area_ge > core.area_ge
    assert found.cycles_per_block == 11
    assert found.throughput_gbps == pytest.approx(128 / 11 / (found.period_ns or 0))
