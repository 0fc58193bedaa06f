"""Truth tables as sums of products, the form in which gates are evaluated 64 cases at a time.

A table over n variables is an integer: bit i is the value where variable k is bit k of i.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

Cube = tuple[tuple[int, bool], ...]
"""A product of literals (variable, whether inverted)."""


@dataclass(frozen=True)
class Cover:
    """A function as the OR of `cubes`, or (`parity`) as the XOR of the literals of its only cube; then inverted if
    `inverted`. No cube is the constant 0; a cube without literals is 1."""

    cubes: tuple[Cube, ...]
    parity: bool
    inverted: bool

    @property
    def literals(self) -> int:
        """Number of literals, the measure of what an evaluation costs."""
        return sum(len(cube) for cube in self.cubes)


@lru_cache(maxsize=4096)
def cover(table: int, count: int) -> Cover:
    """The cheaper of the irredundant covers of a function of `count` variables and of its complement."""
    ones = (1 << (1 << count)) - 1
    if parity := _parity(table, count, ones):
        return parity
    plain = Cover(_irredundant(table, table, count), False, False)
    inverted = Cover(_irredundant(ones ^ table, ones ^ table, count), False, True)
    return min(plain, inverted, key=lambda found: (found.literals, len(found.cubes), found.inverted))


def column(variable: int, count: int) -> int:
    """The table of one variable."""
    return sum(1 << case for case in range(1 << count) if case >> variable & 1)


def _parity(table: int, count: int, ones: int) -> Cover | None:
    """The function as a XOR, if it is one of two variables or more."""
    support = [k for k in range(count) if (table & column(k, count)) >> (1 << k) != table & ~column(k, count) & ones]
    if len(support) < 2:
        return None
    value = 0
    for k in support:
        value ^= column(k, count)
    if table not in (value, ones ^ value):
        return None
    return Cover((tuple((k, False) for k in support),), True, table != value)


def _irredundant(lower: int, upper: int, count: int) -> tuple[Cube, ...]:
    """Cubes that cover `lower` within `upper`, none of them superfluous (Minato and Morreale's recursion)."""
    return _cover_between(lower, upper, count, count)[0]


def _cover_between(lower: int, upper: int, variables: int, count: int) -> tuple[tuple[Cube, ...], int]:
    """The cubes over the first `variables` variables, and the table of what they cover."""
    ones = (1 << (1 << count)) - 1
    if lower == 0:
        return (), 0
    if upper == ones:
        return ((),), ones
    k = variables - 1
    high, step = column(k, count), 1 << k

    def at_zero(table: int) -> int:
        kept = table & ~high & ones
        return kept | kept << step

    def at_one(table: int) -> int:
        kept = table & high
        return kept | kept >> step

    low_0, low_1, up_0, up_1 = at_zero(lower), at_one(lower), at_zero(upper), at_one(upper)
    zero_cubes, zero_table = _cover_between(low_0 & ~up_1, up_0, k, count)
    one_cubes, one_table = _cover_between(low_1 & ~up_0, up_1, k, count)
    rest = low_0 & ~zero_table | low_1 & ~one_table
    both_cubes, both_table = _cover_between(rest, up_0 & up_1, k, count)
    cubes = (
        *(((k, True), *cube) for cube in zero_cubes),
        *(((k, False), *cube) for cube in one_cubes),
        *both_cubes,
    )
    return cubes, (zero_table & ~high & ones) | one_table & high | both_table
