"""Matrices over GF(2)."""

import random

import pytest

from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix, stack


def some_matrix(seed: int, height: int = 8, width: int = 8) -> BitMatrix:
    source = random.Random(seed)
    return BitMatrix(tuple(source.randrange(1 << width) for _ in range(height)), width)


def test_text_has_column_0_leftmost() -> None:
    matrix = BitMatrix.parse("1 1 0  # row 0\n\n011\n")
    assert matrix == BitMatrix((0b011, 0b110), 3)
    assert BitMatrix.parse(str(matrix)) == matrix


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("110\n01\n", "line 2 has 2 columns where the rows above have 3"),
        ("110\n0x1\n", "line 2 must be made of 0 and 1, not '0x1'"),
        ("# nothing\n", "there is no row in it"),
    ],
)
def test_a_text_that_is_no_matrix_is_refused(text: str, reason: str) -> None:
    with pytest.raises(RequestError, match=reason):
        BitMatrix.parse(text)


def test_the_product_applies_the_right_map_first() -> None:
    a, b = some_matrix(1, 5, 6), some_matrix(2, 6, 8)
    assert all((a @ b).apply(x) == a.apply(b.apply(x)) for x in range(256))
    assert all((b + b).apply(x) == 0 for x in range(256))


@pytest.mark.parametrize("seed", range(20))
def test_a_matrix_has_an_inverse_exactly_if_its_rank_is_full(seed: int) -> None:
    matrix = some_matrix(seed)
    images = {matrix.apply(x) for x in range(256)}
    assert len(images) == 1 << matrix.rank()
    if matrix.rank() == 8:
        assert matrix.inverse() @ matrix == matrix @ matrix.inverse() == BitMatrix.identity(8)
    else:
        with pytest.raises(RequestError, match=f"singular \\(rank {matrix.rank()}\\)"):
            matrix.inverse()


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RequestError, match="5x6 cannot follow 5x6"):
        some_matrix(1, 5, 6) @ some_matrix(2, 5, 6)
    with pytest.raises(RequestError, match="differ in shape"):
        some_matrix(1, 5, 6) + some_matrix(1, 6, 5)
    with pytest.raises(RequestError, match="must be square"):
        some_matrix(1, 5, 6).inverse()
    with pytest.raises(RequestError, match="must have one width"):
        stack([some_matrix(1, 5, 6), some_matrix(1, 5, 7)])
    with pytest.raises(RequestError, match="row 1 must have 2 bits"):
        BitMatrix((1, 4), 2)


def test_weights_count_ones() -> None:
    matrix = BitMatrix.parse("1110\n0000\n0101")
    assert (matrix.row_weights, matrix.weight) == ((3, 0, 2), 5)
    assert matrix.transpose().row_weights == (1, 2, 1, 1)
