"""Correlation: the right key bytes come first where energy follows the S-box, and not where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from aesmith.assurance.leakage.benches import Batch
from aesmith.assurance.leakage.correlation import Attack, Correlations
from aesmith.assurance.leakage.plan import BYTES, AttackReport
from aesmith.cores.design import Direction
from aesmith.fields import aes

KEY = bytes(range(16))
ONES = np.array([value.bit_count() for value in range(256)], dtype=np.float64)


def attacked(direction: Direction, *, masked: bool) -> AttackReport:
    """Each byte has a point of its own, with noise; masked, a byte that is drawn is added to what the S-box gives."""
    random = np.random.default_rng(1)
    box = np.array(aes.SBOX if direction is Direction.ENCRYPT else aes.INVERSE_SBOX)
    right = np.frombuffer(aes.round_keys(KEY)[0 if direction is Direction.ENCRYPT else -1], dtype=np.uint8)
    attack = Attack(direction, KEY, BYTES)
    for _ in range(8):
        blocks = random.integers(0, 256, (256, 16), dtype=np.uint8)
        results = box[blocks ^ right] ^ (random.integers(0, 256, (256, 16)) if masked else 0)
        traces = ONES[results] + random.normal(0, 2, (256, 16))
        attack.take(Batch(np.zeros(256, dtype=np.int64), traces, blocks))
    return attack.report("toy", (), interrupted=False, seconds=0.0)


@pytest.mark.parametrize("direction", list(Direction))
def test_the_right_bytes_come_first_unless_they_are_masked(direction: Direction) -> None:
    plain = attacked(direction, masked=False)
    assert plain.looks == (256, 512, 1024, 2048)
    assert plain.found == BYTES
    assert attacked(direction, masked=True).found == 0


def test_a_correlation_is_that_of_numpy() -> None:
    random = np.random.default_rng(2)
    blocks = random.integers(0, 256, (500, 16), dtype=np.uint8)
    traces = random.normal(5, 1, (500, 3)) + ONES[blocks[:, :1]]
    kept = Correlations(3)
    kept.add(blocks[:200], traces[:200])
    kept.add(blocks[200:], traces[200:])
    wanted = max(abs(np.corrcoef(ONES[blocks[:, 4]], traces[:, point])[0, 1]) for point in range(3))
    assert kept.of(4, ONES[None, :])[0] == pytest.approx(wanted)
    assert kept.of(0, np.ones((1, 256)))[0] == 0.0


def test_a_byte_is_found_if_it_comes_first_at_three_looks_to_the_end() -> None:
    def report(*ranks: int) -> AttackReport:
        rows = tuple({"weight": (rank,) + (9,) * 15, "distance": (9,) * 16} for rank in ranks)
        return AttackReport("toy", (), tuple(2**k for k in range(len(ranks))), rows, interrupted=False, seconds=0.0)

    assert report(1, 1, 1).found_after(0) == 1
    assert report(7, 1, 1, 1).found_after(0) == 2
    assert report(1, 1, 1, 2).found_after(0) is None
    assert report(5, 1, 1).found_after(0) is None
    assert report(1, 1, 1).found == 1
