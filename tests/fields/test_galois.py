"""Field arithmetic, bases and linear algebra against `galois`, an independent library; known values of FIPS-197."""

import galois
import numpy as np
import pytest

from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.families import tower_bases
from aesmith.fields.galois import BinaryField, carryless_product, is_irreducible

pytestmark = pytest.mark.slow


def to_numpy(matrix: BitMatrix) -> np.ndarray:
    return np.array([[row >> j & 1 for j in range(matrix.width)] for row in matrix.rows])


def test_products_inverses_traces_and_orders_of_the_aes_field() -> None:
    other = galois.GF(2**8, irreducible_poly="x^8 + x^4 + x^3 + x + 1")
    elements = other(np.arange(256))
    products = np.array([[aes.FIELD.multiply(a, b) for b in range(256)] for a in range(256)])
    assert np.array_equal(products, np.multiply.outer(elements, elements))
    assert [aes.FIELD.inverse(a) for a in range(1, 256)] == list(elements[1:] ** -1)
    assert [aes.FIELD.trace(a) for a in range(256)] == list(elements.field_trace())
    assert [aes.FIELD.element_order(a) for a in range(1, 256)] == list(elements[1:].multiplicative_order())


@pytest.mark.parametrize("degree", [2, 3, 4, 8])
def test_irreducible_polynomials(degree: int) -> None:
    ours = [p for p in range(1 << degree, 2 << degree) if is_irreducible(p)]
    assert ours == [int(p) for p in galois.irreducible_polys(2, degree)]


def test_bases_and_inverses_of_matrices() -> None:
    gf2 = galois.GF(2)
    for basis in tower_bases()[::2111]:
        to_field = to_numpy(basis.register.to_field)
        assert np.linalg.matrix_rank(gf2(to_field)) == 8
        assert np.array_equal(np.linalg.inv(gf2(to_field)), to_numpy(basis.register.from_field))


def test_normal_bases_are_normal() -> None:
    field = galois.GF(2**4, irreducible_poly="x^4 + x + 1")
    normal = sum(1 for a in field.elements[1:] if np.linalg.matrix_rank(_conjugates(a)) == 4)
    # Each basis is counted once for each of its four elements.
    assert normal == 4 * len({basis.lower for basis in tower_bases("PB/NB")})


def _conjugates(element: galois.FieldArray) -> galois.FieldArray:
    return galois.GF(2)(np.array([(element ** (2**k)).vector() for k in range(4)]))


def test_the_s_box_and_its_inverse() -> None:
    assert (aes.SBOX[0x00], aes.SBOX[0x53], aes.SBOX[0xFF]) == (0x63, 0xED, 0x16)
    assert all(aes.INVERSE_SBOX[aes.SBOX[x]] == x for x in range(256))
    assert [aes.round_constant(r) for r in range(1, 11)] == [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1B, 0x36]


def test_other_fields_and_what_is_no_field() -> None:
    field = BinaryField(0b10011)
    assert (field.degree, field.order, field.subfield(2)) == (4, 16, (0, 1, 6, 7))
    assert carryless_product(0b111, 0b11) == 0b1001
    with pytest.raises(RequestError, match="modulus: 0x101 is reducible"):
        BinaryField(0x101)
    with pytest.raises(RequestError, match="the degree must be 2 to 16, not 17"):
        BinaryField(1 << 17 | 9)
    with pytest.raises(RequestError, match="the degree must divide 8, not 3"):
        aes.FIELD.subfield(3)
    with pytest.raises(RequestError, match="0 has no multiplicative order"):
        aes.FIELD.element_order(0)
