"""Of tests marked `one_in` a run takes a part, and runs with seeds in a row take everything."""

from __future__ import annotations

import pytest
from tests.conftest import left_out

MARKED = [(f"test_a.py::test_many[{number}]", 3) for number in range(7)]
MARKED += [(f"test_a.py::test_few[{name}]", 4) for name in ("one", "two")]
MARKED += [("test_b.py::test_without_cases", 3), ("test_b.py::test_of_one_case[here]", 5)]


@pytest.mark.parametrize("first", [0, 5, 0x2FFFD])
def test_runs_in_a_row_take_every_case(first: int) -> None:
    left = [left_out(MARKED, first + seed) for seed in range(4)]
    assert not set.intersection(*left)
    assert set.union(*left) == {name for name, _ in MARKED if "of_one_case" not in name}


@pytest.mark.parametrize("seed", range(12))
def test_a_run_takes_a_part_of_a_tests_cases_and_never_none(seed: int) -> None:
    left = left_out(MARKED, seed)
    for test, most in (("test_many", 3), ("test_few", 1), ("test_of_one_case", 1)):
        taken = sum(f"::{test}[" in name for name, _ in MARKED if name not in left)
        assert 1 <= taken <= most, test


def test_a_test_without_cases_is_in_one_of_three_runs() -> None:
    assert sum("test_b.py::test_without_cases" not in left_out(MARKED, seed) for seed in range(9)) == 3
