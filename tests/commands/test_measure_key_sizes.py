"""A core with several key sizes: what `aesmith measure` says of each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from aesmith.api.measuring import key_size_figures
from aesmith.cores.specification import build_design, presets

FIGURES: Any = SimpleNamespace(period_ns=2.0, area_ge=10_000.0)


@pytest.mark.parametrize(
    ("preset", "clocks"),
    [("ueno2020-encdec-selectable", {128: 12, 192: 14, 256: 16}), ("ueno2020-enc", {})],
)
def test_each_key_size_has_its_clocks_and_its_throughput(preset: str, clocks: dict[int, int]) -> None:
    design = build_design(presets()[preset], "core", preset)
    found = key_size_figures(design, FIGURES)
    least = design.cycles_per_block - 4 if clocks else 0
    expected = {bits: least + 2 * number for number, bits in enumerate(clocks)}
    assert {bits: of["cycles_per_block"] for bits, of in found.items()} == expected
    for bits, of in found.items():
        assert of["throughput_gbps"] == pytest.approx(128 / (2.0 * expected[bits]))
        assert of["efficiency_kbps_per_ge"] == pytest.approx(1e2 * (of["throughput_gbps"] or 0))
