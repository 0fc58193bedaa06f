"""Moments of traces in one pass, and Welch's t-test on them at orders 1 and 2.

Moments after Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order Statistical
Moments" (Sandia, 2008), equations 2.1 and following for sets that are joined; the test at order 2, on the centred
squares of samples, after Schneider and Moradi, "Leakage Assessment Methodology" (CHES 2015), section 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ORDERS = (1, 2)


@dataclass(frozen=True, eq=False)
class Moments:
    """Of `count` traces the mean of each point, and sums of the second to fourth powers of what is above it."""

    count: int
    mean: Floats
    second: Floats
    third: Floats
    fourth: Floats

    @classmethod
    def of(cls, traces: Floats) -> Moments:
        """The moments of traces, a row each."""
        count, points = traces.shape
        if not count:
            return cls(0, *(np.zeros(points) for _ in range(4)))
        mean = traces.mean(axis=0)
        above = traces - mean
        square = above * above
        return cls(count, mean, square.sum(axis=0), (square * above).sum(axis=0), (square * square).sum(axis=0))

    def joined(self, other: Moments) -> Moments:
        """The moments of both sets together."""
        if not self.count or not other.count:
            return self if self.count else other
        a, b = self.count, other.count
        n = a + b
        d = other.mean - self.mean
        return Moments(
            n,
            self.mean + d * b / n,
            self.second + other.second + d**2 * a * b / n,
            self.third + other.third + d**3 * a * b * (a - b) / n**2 + 3 * d * (a * other.second - b * self.second) / n,
            self.fourth
            + other.fourth
            + d**4 * a * b * (a * a - a * b + b * b) / n**3
            + 6 * d**2 * (a * a * other.second + b * b * self.second) / n**2
            + 4 * d * (a * other.third - b * self.third) / n,
        )

    def level(self, order: int) -> tuple[Floats, Floats]:
        """Mean and variance of what is compared: at order 1 the samples, at 2 their centred squares."""
        variance = self.second / self.count
        return (self.mean, variance) if order == 1 else (variance, self.fourth / self.count - variance**2)


def welch(first: Moments, second: Moments, order: int) -> Floats:
    """Welch's t of each point. Where neither set varies it is 0 if they are equal, else infinite."""
    if not first.count or not second.count:
        return np.zeros_like(first.mean)
    (mean, variance), (other, other_variance) = first.level(order), second.level(order)
    difference = mean - other
    spread = np.sqrt(np.maximum(variance / first.count + other_variance / second.count, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0.0, 0.0, difference / spread)
