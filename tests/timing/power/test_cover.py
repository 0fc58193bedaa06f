"""A cover is the function, and the cheap forms are found."""

from __future__ import annotations

import random

import pytest

from aesmith.timing.power.cell_model import Cover, column, cover


def _value(found: Cover, case: int) -> bool:
    literals = [[bool(case >> k & 1) != negated for k, negated in cube] for cube in found.cubes]
    result = sum(literals[0]) % 2 == 1 if found.parity else any(all(cube) for cube in literals)
    return result != found.inverted


@pytest.mark.parametrize("count", range(7))
def test_a_cover_has_the_values_of_its_table(count: int) -> None:
    source = random.Random(count)
    for _ in range(40):
        table = source.getrandbits(1 << count)
        found = cover(table, count)
        assert sum(_value(found, case) << case for case in range(1 << count)) == table


def test_gates_cost_a_literal_an_input() -> None:
    a, b, c, d = (column(k, 4) for k in range(4))
    ones = 0xFFFF
    for table in (ones ^ a & b & c & d, ones ^ (a | b) & (c | d), a & b | c & d, a ^ b ^ c ^ d, ones ^ a ^ b ^ c ^ d):
        assert cover(table, 4).literals == 4
    assert cover(a ^ b, 4).parity
    assert cover(ones ^ a, 4).literals == 1
