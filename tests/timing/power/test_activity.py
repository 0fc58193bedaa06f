"""The interval is Student's, on independent stimuli."""

from __future__ import annotations

import numpy as np
import pytest

from aesmith.timing.power.activity import relative_interval


def test_the_interval_holds_the_mean_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    within = 0
    for _ in range(2000):
        samples = random.normal(100, 5, 64)
        within += abs(samples.mean() - 100) <= relative_interval(samples) * samples.mean()
    assert within / 2000 == pytest.approx(0.95, abs=0.015)


def test_what_does_not_differ_has_no_interval() -> None:
    assert relative_interval(np.full(64, 7.0)) == 0
    assert relative_interval(np.zeros(64)) == 0
