"""Moments in one pass are those of all traces, and the t-test finds what differs and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from aesmith.assurance.leakage.statistics import Moments, welch


def test_joined_moments_are_those_of_all() -> None:
    random = np.random.default_rng(1)
    traces = random.gamma(2.0, 30.0, (1000, 3)) + 1e6
    joined = Moments.of(traces[:0])
    for part in np.split(traces, [1, 7, 300, 301, 640]):
        joined = joined.joined(Moments.of(part))
    above = traces - traces.mean(axis=0)
    assert joined.count == 1000
    assert np.allclose(joined.mean, traces.mean(axis=0))
    for power, found in ((2, joined.second), (3, joined.third), (4, joined.fourth)):
        assert np.allclose(found, (above**power).sum(axis=0), rtol=1e-6)


def test_welch_is_scipys() -> None:
    from scipy import stats  # noqa: PLC0415 - a second of every process that collects

    random = np.random.default_rng(2)
    a, b = random.normal(0.1, 1, (800, 4)), random.normal(0, 2, (500, 4))
    expected = stats.ttest_ind(a, b, equal_var=False).statistic
    assert np.allclose(welch(Moments.of(a), Moments.of(b), 1), expected, rtol=2e-3)
    squares = [(x - x.mean(axis=0)) ** 2 for x in (a, b)]
    expected = stats.ttest_ind(*squares, equal_var=False).statistic
    assert np.allclose(welch(Moments.of(a), Moments.of(b), 2), expected, rtol=2e-3)


@pytest.mark.parametrize("order", [1, 2])
def test_each_order_finds_its_difference(order: int) -> None:
    random = np.random.default_rng(3)
    plain = random.normal(0, 1, (20_000, 1))
    other = random.normal(0.1, 1, (20_000, 1)) if order == 1 else random.normal(0, 1.1, (20_000, 1))
    for tested in (1, 2):
        t = abs(welch(Moments.of(other), Moments.of(plain), tested)[0])
        assert (t > 4.5) == (tested == order)


def test_samples_without_any_spread() -> None:
    same = Moments.of(np.ones((10, 2)))
    assert (welch(same, same, 1) == 0).all()
    assert np.isinf(welch(same, Moments.of(np.full((10, 2), 2.0)), 1)).all()
    assert (welch(same, Moments.of(np.ones((0, 2))), 1) == 0).all()
