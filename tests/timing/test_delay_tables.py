import numpy as np

from aesmith.technology.cell import CellTable
from aesmith.timing.graph import TableBank


def test_many_lookups_at_once_are_those_of_each_table() -> None:
    rng = np.random.default_rng(1)
    tables = [
        CellTable(np.cumsum(rng.random(rows)), np.cumsum(rng.random(columns)), rng.random((rows, columns)))
        for rows, columns in ((7, 7), (3, 3), (1, 4), (5, 1), (1, 1), (2, 7))
    ]
    bank = TableBank()
    numbers = [bank.add(table) for table in tables]
    which = rng.integers(0, len(tables), 2000)
    rows, columns = rng.uniform(-2, 6, (2, 2000))
    got = bank.look_up(np.array(numbers)[which], rows, columns)
    expected = [tables[k].at(row, column) for k, row, column in zip(which, rows, columns, strict=True)]
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_a_point_of_the_table_is_met_exactly() -> None:
    table = CellTable(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([[5.0, 6.0], [7.0, 8.0]]))
    bank = TableBank()
    number = bank.add(table)
    assert bank.add(table) == number
    got = bank.look_up(np.full(4, number), np.array([1.0, 1.0, 2.0, 2.0]), np.array([3.0, 4.0, 3.0, 4.0]))
    assert list(got) == [5, 6, 7, 8]
