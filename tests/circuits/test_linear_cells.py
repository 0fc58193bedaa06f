"""Three-input XOR cells."""

import random

import pytest

from aesmith.circuits.linear import LinearProgram, best, paar
from aesmith.circuits.linear.cells_walk import anneal_cells, search_cells
from aesmith.circuits.linear.heuristics import with_three_input_cells
from aesmith.circuits.linear.named import NAMED, named_map
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix


@pytest.mark.parametrize("xor3_cost", [1.2, 1.4, 1.65])
@pytest.mark.parametrize("depth", [None, 4])
def test_cells_change_the_cost_and_not_the_map(xor3_cost: float, depth: int | None) -> None:
    before = named_map("mixcolumns").program(depth)
    after = with_three_input_cells(before, xor3_cost, depth)
    assert after.matrix == before.matrix
    assert after.cost(xor3_cost) <= before.cost(xor3_cost)
    assert depth is None or after.depth <= depth
    if depth is None:
        assert after.cells[1] > 0


def test_a_sum_used_once_is_absorbed() -> None:
    program = LinearProgram(3, ((0, 1), (2, 3)), (4,))
    assert with_three_input_cells(program, 1.9) == LinearProgram(3, ((0, 1, 2),), (3,))


def test_a_sum_used_twice_is_absorbed_only_where_that_pays() -> None:
    program = LinearProgram(4, ((0, 1), (2, 4), (3, 4)), (5, 6))
    assert with_three_input_cells(program, 1.4).cells == (0, 2)
    assert with_three_input_cells(program, 1.6).cells == (3, 0)


def test_a_sum_that_is_an_output_stays() -> None:
    program = LinearProgram(3, ((0, 1), (2, 3)), (3, 4))
    assert with_three_input_cells(program, 1.4) == program


def test_a_cell_as_dear_as_two_is_never_used() -> None:
    program = best(NAMED["zhang2004-delta"].matrix)
    assert with_three_input_cells(program, 2.0) == program


@pytest.mark.parametrize("cost", [1.0, 0.5, 2.1])
def test_other_costs_are_refused(cost: float) -> None:
    with pytest.raises(RequestError, match="xor3_cost: must be above 1 and at most 2"):
        with_three_input_cells(LinearProgram(1, (), (0,)), cost)


@pytest.mark.thorough
def test_annealing_finds_cheaper_cells_for_the_same_map() -> None:
    matrix = NAMED["mixcolumns"].matrix
    start = with_three_input_cells(named_map("mixcolumns").program(), 1.4)
    found = search_cells(start, matrix, 1.4, rounds=1, seed=1)
    assert found.matrix == matrix
    assert found.cost(1.4) < start.cost(1.4)


@pytest.mark.thorough
def test_annealing_finds_the_same_for_the_same_seed() -> None:
    matrix = NAMED["affine"].matrix
    first, second = (search_cells(paar(matrix), matrix, 1.4, rounds=1, seed=1) for _ in range(2))
    assert first == second


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("seed", range(4))
def test_annealing_keeps_to_the_map_whatever_it_is(seed: int) -> None:
    source = random.Random(seed)
    matrix = BitMatrix((*(source.randrange(1 << 9) for _ in range(7)), 0, 1, 1), 9)
    start = paar(matrix)
    found = anneal_cells(start, matrix, 1.5, 3000, seed)
    assert found.matrix == matrix
    assert found.cost(1.5) <= start.cost(1.5)


def test_an_interrupt_of_annealing_gives_the_best_so_far() -> None:
    def interrupt(_done: int, _best: LinearProgram) -> None:
        raise KeyboardInterrupt

    matrix = NAMED["affine"].matrix
    assert search_cells(paar(matrix), matrix, 1.4, rounds=100, progress=interrupt).matrix == matrix


def test_annealing_begins_with_a_program_of_the_map() -> None:
    with pytest.raises(RequestError, match="does not compute the matrix"):
        anneal_cells(paar(NAMED["affine"].matrix), NAMED["inverse-affine"].matrix, 1.4, 10)
