import numpy as np
import pytest

from aesmith.technology.cell import CellTable

GRID = CellTable(np.array([1.0, 2.0, 4.0]), np.array([10.0, 30.0]), np.array([[1.0, 2.0], [3.0, 6.0], [5.0, 5.0]]))


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (1, 10, 1),
        (2, 30, 6),
        (4, 30, 5),
        (1.5, 20, (1 + 2 + 3 + 6) / 4),
        (3, 10, 4),
        (1, 50, 3),
        (1, 0, 0.5),
        (0, 10, -1),
        (6, 30, 4),
        (6, 50, 1),
    ],
)
def test_between_and_beyond_the_points_a_table_is_bilinear(row: float, column: float, value: float) -> None:
    assert GRID.at(row, column) == pytest.approx(value)


def test_an_axis_of_one_point_does_not_matter() -> None:
    only_rows = CellTable(np.array([1.0, 2.0]), np.zeros(1), np.array([[5.0], [7.0]]))
    only_columns = CellTable(np.array([3.0]), np.array([1.0, 2.0]), np.array([[5.0, 7.0]]))
    scalar = CellTable(np.zeros(1), np.zeros(1), np.array([[9.0]]))
    assert only_rows.at(1.5, 1e9) == 6
    assert only_columns.at(-4, 3) == 9
    assert scalar.at(1, 2) == 9
