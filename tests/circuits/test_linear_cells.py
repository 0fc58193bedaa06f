"""Three-input XOR cells."""

import pytest

from aesmith.circuits.linear import LinearProgram, best, stored
from aesmith.circuits.linear.cells import with_three_input_cells
from aesmith.circuits.linear.named import NAMED
from aesmith.errors import RequestError


@pytest.mark.parametrize("xor3_cost", [1.2, 1.4, 1.65])
@pytest.mark.parametrize("depth", [None, 4])
def test_cells_change_the_cost_and_not_the_map(xor3_cost: float, depth: int | None) -> None:
    before = stored("mixcolumns", depth)
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
