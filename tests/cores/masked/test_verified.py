"""Masked cores do what the datasheet says, behind the bench that shares for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.probing.bench import with_surroundings
from aesmith.assurance.simulation import simulate
from aesmith.cores.specification import build_design, parse_specification

PLAN = SimulationPlan(random_pairs=4, scenarios=("timing", "random-stalls", "stalled-output"))


ONCE = "\n  /* verilator no_inline_module */\nendmodule"


@pytest.mark.slow
def test_a_masked_core_encrypts_while_everything_stalls(tmp_path: Path) -> None:
    preset = "masked-round-gated-enc"
    design = build_design(parse_specification({"preset": preset}), "masked", preset)
    # Verilator's code of the S-box stands once, not in each of 20 instances.
    once = (
        replace(s, text=s.text.replace("\nendmodule", ONCE) if "x_0_i," in s.text else s.text) for s in design.sources
    )
    design = replace(design, sources=tuple(once))
    report = simulate(design, tmp_path, PLAN)
    assert report.passed, [scenario.failure for scenario in report.failures]
    assert (report.latency_cycles, report.cycles_per_block) == (design.latency_cycles, design.cycles_per_block)


def test_the_bench_alone_adds_up_shares() -> None:
    design = build_design(parse_specification({"preset": "masked-round-enc"}), "masked", "masked-round-enc")
    outside = with_surroundings(design)
    assert {payload.shares for payload in design.ports.payloads if payload.port != "random_i"} == {2}
    assert {payload.shares for payload in outside.ports.payloads} == {1}
    assert outside.ports == outside.block_interface
