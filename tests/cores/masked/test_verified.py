"""Masked cores do what the datasheet says, behind the bench that shares for them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.probing.bench import with_surroundings
from aesmith.assurance.simulation import simulate
from aesmith.cores.ports import PayloadKind
from aesmith.cores.specification import build_design, parse_specification

pytestmark = pytest.mark.one_in(4)

SCENARIOS = ("timing", "random-stalls", "stalled-output", "withheld-block", "keys-without-blocks")
PRESETS = (
    "masked-round-gated-enc",
    "masked-round-gated-trivium-enc",
    "masked-serial-gated-enc",
    "masked-serial-keyed-gated-enc",
)


REPEATED = re.compile(r"^module \w+(_sbox_shares|_key_stream)\b", re.MULTILINE)
ONCE = "\n  /* verilator no_inline_module */\nendmodule"


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_a_masked_core_encrypts_while_everything_stalls(preset: str, tmp_path: Path) -> None:
    design = build_design(parse_specification({"preset": preset}), "masked", preset)
    # Verilator's code of S-boxes and key streams stands once, not in each of their instances.
    once = (
        replace(source, text=source.text.replace("\nendmodule", ONCE)) if REPEATED.search(source.text) else source
        for source in design.sources
    )
    design = replace(design, sources=tuple(once))
    scenarios = SCENARIOS[:3] if "round" in preset else SCENARIOS
    report = simulate(design, tmp_path, SimulationPlan(random_pairs=4, scenarios=scenarios))
    assert report.passed, [scenario.failure for scenario in report.failures]
    assert (report.latency_cycles, report.cycles_per_block) == (design.latency_cycles, design.cycles_per_block)


@pytest.mark.parametrize("prng", ["none", "bivium"])
def test_the_bench_alone_adds_up_shares(prng: str) -> None:
    specification = parse_specification({"preset": "masked-round-enc", "prng": prng})
    design = build_design(specification, "masked", "masked-round-enc")
    outside = with_surroundings(design)
    assert {payload.shares for payload in design.ports.payloads if payload.kind is PayloadKind.SHARE} == {2}
    assert {payload.shares for payload in outside.ports.payloads} == {1}
    assert outside.ports == outside.block_interface
