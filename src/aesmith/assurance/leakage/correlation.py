"""Correlation power analysis of simulated traces: how many it takes until the key bytes of a core are known.

After Brier, Clavier and Olivier, "Correlation Power Analysis with a Leakage Model" (CHES 2004). An illustration: the
simulated traces have no noise. Of each byte of the first round key every value is tried; what it predicts is the number
of ones in a byte of round 1, or how many of its bits the S-box changes. The guess whose prediction has the largest
|correlation| with the energy at some point of the trace comes first; the *rank* of the right byte is its place, from 1.

What a guess predicts depends on one byte of the block alone. So sums of traces by the value of each byte are kept, and
all guesses and both models come out of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aesmith.assurance.leakage.benches import Batch
from aesmith.assurance.leakage.plan import BYTES, MODELS, AttackReport
from aesmith.assurance.leakage.statistics import Floats
from aesmith.cores.design import Direction
from aesmith.fields import aes

VALUES = 256
_ROUNDING = 1e-12
"""What varies less, relative to its square, does not vary."""


class Correlations:
    """Sums of traces by the value of each byte of their blocks."""

    def __init__(self, points: int) -> None:
        self.count = np.zeros((BYTES, VALUES))
        self.sums = np.zeros((BYTES, VALUES, points))
        self.squares: Floats = np.zeros(points)

    def add(self, blocks: NDArray[np.uint8], traces: Floats) -> None:
        """Add traces, a row each, of these blocks."""
        for byte in range(BYTES):
            np.add.at(self.count[byte], blocks[:, byte], 1.0)
            np.add.at(self.sums[byte], blocks[:, byte], traces)
        self.squares += (traces**2).sum(axis=0)

    def of(self, byte: int, predicted: Floats) -> Floats:
        """The largest |correlation| at any point for each row of `predicted`, a column for each value of a byte."""
        count, sums = self.count[byte], self.sums[byte]
        total = count.sum()
        mean, energy = predicted @ count / total, sums.sum(axis=0) / total
        joint = predicted @ sums / total - mean[:, None] * energy
        spread = predicted**2 @ count / total - mean**2
        varied = self.squares / total - energy**2
        spread = np.where(spread > _ROUNDING * mean**2, spread, np.inf)
        varied = np.where(varied > _ROUNDING * energy**2, varied, np.inf)
        found: Floats = (abs(joint) / np.sqrt(spread[:, None] * varied)).max(axis=1)
        return found


class Attack:
    """An attack on a key whose right bytes are known to it, so that it can tell their ranks."""

    def __init__(self, direction: Direction, key: bytes, points: int) -> None:
        self._right = aes.round_keys(key)[0 if direction is Direction.ENCRYPT else -1]
        self._models = _predictions(direction)
        self._kept = Correlations(points)
        self._looks: list[tuple[int, dict[str, tuple[int, ...]]]] = []
        self.traces = 0

    @property
    def known(self) -> int:
        """Key bytes of rank 1 at the last look, by the better model."""
        return (
            max((sum(r == 1 for r in ranks) for ranks in self._looks[-1][1].values()), default=0) if self._looks else 0
        )

    def take(self, batch: Batch) -> None:
        """Add traces, and look each time that they have doubled."""
        self._kept.add(batch.blocks, batch.traces)
        self.traces += len(batch.traces)
        if self.traces & (self.traces - 1) == 0:
            self._look()

    def report(self, target: str, conditions: tuple[str, ...], *, interrupted: bool, seconds: float) -> AttackReport:
        """What was found."""
        if self.traces and (not self._looks or self._looks[-1][0] != self.traces):
            self._look()
        looks, ranks = zip(*self._looks, strict=True) if self._looks else ((), ())
        return AttackReport(target, conditions, tuple(looks), tuple(ranks), interrupted, seconds)

    def _look(self) -> None:
        ranks = {
            model: tuple(self._rank(byte, predicted) for byte in range(BYTES))
            for model, predicted in self._models.items()
        }
        self._looks.append((self.traces, ranks))

    def _rank(self, byte: int, predicted: Floats) -> int:
        """The place of the right byte; one that is not better than another is behind it."""
        found = self._kept.of(byte, predicted)
        right = self._right[byte]
        return int((np.delete(found, right) >= found[right]).sum()) + 1


def _predictions(direction: Direction) -> dict[str, Floats]:
    """By model, what each guess (a row) predicts for each value of a byte of the block."""
    box = np.array(aes.SBOX if direction is Direction.ENCRYPT else aes.INVERSE_SBOX)
    entering = np.arange(VALUES)[:, None] ^ np.arange(VALUES)
    ones = np.array([value.bit_count() for value in range(VALUES)], dtype=np.float64)
    return dict(zip(MODELS, (ones[box[entering]], ones[box[entering] ^ entering]), strict=True))
