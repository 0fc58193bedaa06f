"""Programs of three levels, annealed: every way of writing a row, counted right, and the smallest found where known."""

import random
from itertools import combinations, product

import numpy as np
import pytest

from aesmith.circuits.linear import search_program
from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.search import LinearSearch
from aesmith.circuits.linear.three_levels import annealed, is_three_levels, operands, ways_of
from aesmith.fields.bitmatrix import BitMatrix

MIX_COLUMNS = NAMED["mixcolumns"].matrix


def some_matrix(seed: int, height: int, width: int, weights: tuple[int, ...]) -> BitMatrix:
    source = random.Random(seed)
    rows = (sum(1 << j for j in source.sample(range(width), source.choice(weights))) for _ in range(height))
    return BitMatrix(tuple(rows), width)


@pytest.mark.parametrize("weight", range(5, 9))
def test_rows_of_five_ones_or_more_are_the_sum_of_two_forms_in_these_ways_only(weight: int) -> None:
    width = 10
    row = sum(1 << j for j in random.Random(weight).sample(range(width), weight))
    forms = [sum(1 << j for j in ones) for size in range(1, 5) for ones in combinations(range(width), size)]
    every = {(a, row ^ a) for a in forms if a < row ^ a and (row ^ a).bit_count() <= 4}
    assert set(operands(row, width)) == every
    assert len(list(operands(row, width))) == len(every)


@pytest.mark.parametrize("weight", range(3, 9))
def test_forms_of_two_levels_are_written_in_every_way(weight: int) -> None:
    width = 8
    row = (1 << weight) - 1
    sums = {sum(1 << j for j in ones) for size in (1, 2) for ones in combinations(range(width), size)}

    def written(form: int) -> set[frozenset[int]]:
        if form in sums:
            return {frozenset({form} - {1 << j for j in range(width)})}
        return {
            frozenset({form, *(part for part in (a, form ^ a) if part.bit_count() == 2)})
            for a in sums
            if form ^ a in sums
        }

    ways = ways_of(BitMatrix((row,), width))
    assert ways is not None
    found = {frozenset(ways.forms[form] for form in used if form >= 0) for used in ways.used}
    assert found == {one | other for a, b in operands(row, width) for one in written(a) for other in written(b)}


def test_each_way_makes_its_row_in_three_levels() -> None:
    matrix = some_matrix(0, 4, 7, (3, 4, 5, 6, 7))
    ways = ways_of(matrix)
    assert ways is not None
    for way, row in enumerate(ways.row_of):
        used = {ways.forms[form] for form in ways.used[way] if form >= 0}
        levels = {0: {1 << j for j in range(7)}}
        for level in (1, 2):
            known = set().union(*levels.values())
            levels[level] = {form for form in used if any(form ^ a in known for a in known)}
        known = set().union(*levels.values())
        assert used <= known
        assert any(ways.forms[row] ^ a in known for a in known)


def test_the_ways_that_use_a_form_are_listed_under_it() -> None:
    ways = ways_of(MIX_COLUMNS)
    assert ways is not None
    for form in random.Random(1).sample(range(len(ways.forms)), 50):
        users = ways.users[ways.start[form] : ways.start[form + 1]]
        assert sorted(users) == sorted(np.nonzero((ways.used == form).any(axis=1))[0])


@pytest.mark.parametrize("seed", range(6))
def test_no_choice_of_ways_takes_fewer_gates(seed: int) -> None:
    matrix = some_matrix(seed, 2, 6, (4, 5))
    ways = ways_of(matrix)
    assert ways is not None
    rows = set(range(len(ways.first) - 1))
    used = [
        {frozenset(form for form in ways.used[way] if form >= 0) for way in range(a, b)}
        for a, b in zip(ways.first, ways.first[1:], strict=False)
    ]
    fewest = min(len(rows.union(*choice)) for choice in product(*used))
    assert annealed(matrix, ways, random.Random(seed)).xors == fewest


@pytest.mark.parametrize("seed", range(4))
def test_annealed_programs_compute_the_matrix_in_three_levels(seed: int) -> None:
    matrix = some_matrix(seed, 12, 9, (1, 2, 3, 4, 5, 6, 7, 8))
    ways = ways_of(matrix)
    assert ways is not None
    first, again = (annealed(matrix, ways, random.Random(seed)) for _ in range(2))
    assert first == again
    assert first.matrix == matrix
    assert first.depth <= 3


@pytest.mark.thorough
def test_mixcolumns_takes_97_xors_at_three_levels() -> None:
    """Two fewer than the best paper of 2023."""
    ways = ways_of(MIX_COLUMNS)
    assert ways is not None
    program = annealed(MIX_COLUMNS, ways, random.Random(92))
    assert program.matrix == MIX_COLUMNS
    assert (program.xors, program.depth) == (97, 3)


def test_matrices_without_a_sum_have_nothing_to_anneal() -> None:
    matrix = BitMatrix((0b01, 0b00, 0b11, 0b10), 2)
    ways = ways_of(matrix)
    assert ways is not None
    assert annealed(matrix, ways, random.Random(0)).xors == 1
    ways = ways_of(BitMatrix((0b01, 0b00), 2))
    assert ways is not None
    assert annealed(BitMatrix((0b01, 0b00), 2), ways, random.Random(0)).xors == 0


def test_only_three_levels_of_inputs_that_come_together_are_annealed() -> None:
    assert is_three_levels(3, (0, 0))
    assert not is_three_levels(3, (0, 1))
    assert not is_three_levels(4, (0, 0))
    assert not is_three_levels(None, (0, 0))
    assert ways_of(BitMatrix((0b111111111,), 9)) is None


def test_later_starts_of_a_search_are_annealed_and_resumed_as_if_never_interrupted() -> None:
    matrix = some_matrix(3, 6, 8, (5, 6))
    whole = LinearSearch(matrix, 3, seed=1)
    while whole.starts < 3:
        whole.advance()
        if whole.starts == 1:
            saved = whole.snapshot()
    resumed = LinearSearch(matrix, 3, seed=1)
    resumed.resume(saved)
    while resumed.starts < 3:
        resumed.advance()
    assert resumed.snapshot() == whole.snapshot()
    assert search_program(matrix, 3, seed=1, steps=whole.steps).xors <= LinearSearch(matrix, 3).best.xors
