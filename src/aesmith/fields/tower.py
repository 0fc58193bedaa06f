"""Bases of a binary field over GF(2), and the tower fields inside the AES field that published inverters work in.

An isomorphism from the AES field to a tower field *is* a change of basis: a tower field with its basis, reached by one
of the isomorphisms, is a list of elements of the AES field. So all towers and all isomorphisms are bases here, the
redundant ones included.
"""

from __future__ import annotations

from dataclasses import dataclass

from aesmith.errors import RequestError
from aesmith.fields.aes import FIELD
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.galois import BinaryField


@dataclass(frozen=True)
class Basis:
    """A list of field elements that spans the field; bit i of a word stands for `elements[i]`.

    With as many elements as the field has bits, every element has one word. With more, the basis is redundant (RRB:
    several words stand for one element); then only the way to the field is a map. Raises RequestError if the elements
    do not span the field.
    """

    field: BinaryField
    elements: tuple[int, ...]
    name: str = ""

    def __post_init__(self) -> None:
        rank = self.to_field.rank()
        if rank != self.field.degree:
            raise RequestError(
                f"basis {self.name}: {len(self.elements)} elements of rank {rank} do not span "
                f"GF(2^{self.field.degree}); the map to the field would be singular"
            )

    @property
    def width(self) -> int:
        """Number of bits of a word."""
        return len(self.elements)

    @property
    def is_redundant(self) -> bool:
        """Whether several words stand for one element."""
        return self.width > self.field.degree

    @property
    def to_field(self) -> BitMatrix:
        """Δ': words of this basis to elements in polynomial basis (degree × width)."""
        return BitMatrix.from_columns(self.elements, self.field.degree)

    @property
    def from_field(self) -> BitMatrix:
        """Δ: elements in polynomial basis to words of this basis. Raises RequestError for a redundant basis."""
        if self.is_redundant:
            raise RequestError(f"basis {self.name}: it is redundant; an element has several words")
        return self.to_field.inverse()

    def decode(self, word: int) -> int:
        """The element that a word stands for."""
        return self.to_field.apply(word)

    def encode(self, element: int) -> int:
        """The word of an element; not for a redundant basis."""
        return self.from_field.apply(element)


@dataclass(frozen=True)
class NormalTower:
    """GF((2^4)^2) by α and β, both elements of the AES field: a = h·α + l·α^16.

    The normal basis is {α, α^16} over GF(2^4), and GF(2^4) is on a root β of the all-one polynomial
    x^4 + x^3 + x^2 + x + 1, so that β^5 = 1: NB {β, β^2, β^3, β^4}, and RRB {1, β, β^2, β^3, β^4}, in which a word and
    its complement stand for the same element (Ueno et al., CHES 2015).

    Word formats, most significant bit left: NB h4 h3 h2 h1 l4 l3 l2 l1 (8 bits), RRB p4 p3 p2 p1 p0 q4 q3 q2 q1 q0
    (10 bits: p is the coefficient of α, q that of α^16; the index is the exponent of β). Raises RequestError if β has
    not order 5 or α and α^16 are dependent over GF(2^4).
    """

    alpha: int
    beta: int

    def __post_init__(self) -> None:
        if not self.beta or FIELD.element_order(self.beta) != 5:
            raise RequestError(f"tower: β must be an element of order 5, not {self.beta:#04x}")
        if self.mu == 0:
            raise RequestError(f"tower: α must lie outside GF(2^4), not {self.alpha:#04x}")

    @property
    def mu(self) -> int:
        """μ = α + α^16, an element of GF(2^4)."""
        return self.alpha ^ FIELD.power(self.alpha, 16)

    @property
    def nu(self) -> int:
        """ν = α^17, an element of GF(2^4)."""
        return FIELD.power(self.alpha, 17)

    @property
    def nb(self) -> Basis:
        """The 8-bit normal basis."""
        return Basis(FIELD, self._elements(range(1, 5)), "NB")

    @property
    def rrb(self) -> Basis:
        """The 10-bit redundantly represented basis."""
        return Basis(FIELD, self._elements(range(5)), "RRB")

    def _elements(self, exponents: range) -> tuple[int, ...]:
        return tuple(
            FIELD.multiply(generator, FIELD.power(self.beta, exponent))
            for generator in (FIELD.power(self.alpha, 16), self.alpha)
            for exponent in exponents
        )


def normal_towers() -> tuple[NormalTower, ...]:
    """All ordered (α, β): 240 values of α outside GF(2^4) times 4 values of β, α ascending."""
    betas = [a for a in range(1, 256) if FIELD.element_order(a) == 5]
    subfield = set(FIELD.subfield(4))
    return tuple(NormalTower(a, b) for a in range(1, 256) if a not in subfield for b in betas)


@dataclass(frozen=True)
class PolynomialTower:
    """GF(2^8) as a ground field GF(2)[x] / `ground` with quadratic extensions y^2 + l·y + c, all in polynomial bases.

    `extensions` are the pairs (l, c), each of elements of the field below. An element is a word: the low half is the
    coefficient of 1, the high half that of y. Raises RequestError for a reducible polynomial, or degrees that do not
    give GF(2^8).
    """

    ground: int
    extensions: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        degree = BinaryField(self.ground).degree
        for level, (linear, constant) in enumerate(self.extensions):
            size = 1 << degree
            if not (0 <= linear < size and 0 <= constant < size):
                raise RequestError(
                    f"tower: the coefficients of extension {level + 1} must be elements of GF(2^{degree}), "
                    f"not {linear:#x} and {constant:#x}"
                )
            for y in range(size):
                if self._multiply(y, y, level) ^ self._multiply(linear, y, level) == constant:
                    raise RequestError(
                        f"tower: y^2 + {linear:#x}·y + {constant:#x} is reducible over GF(2^{degree}), "
                        f"{y:#x} is a root; a field needs an irreducible polynomial"
                    )
            degree *= 2
        if degree != 8:
            raise RequestError(f"tower: the extensions must lead to GF(2^8), not GF(2^{degree})")

    def multiply(self, a: int, b: int) -> int:
        """Product of two elements."""
        return self._multiply(a, b, len(self.extensions))

    def isomorphisms(self) -> tuple[Basis, ...]:
        """All eight isomorphisms, as bases: the AES field elements that bits 0 to 7 of a word stand for.

        They are in ascending order of their elements.
        """
        field = BinaryField(self.ground)
        roots = [x for x in range(FIELD.order) if _value(self.ground, x) == 0]
        images = [tuple(FIELD.power(root, i) for i in range(field.degree)) for root in roots]
        for linear, constant in self.extensions:
            images = [
                (*image, *(FIELD.multiply(y, x) for x in image))
                for image in images
                for y in range(FIELD.order)
                if FIELD.multiply(y, y) ^ FIELD.multiply(_image(linear, image), y) == _image(constant, image)
            ]
        return tuple(Basis(FIELD, image, "PB") for image in sorted(images))

    def isomorphism(self, x_image: int) -> Basis:
        """The isomorphism that takes x (0x02) of the AES field to the word `x_image`.

        Raises RequestError, naming the words that are possible, if there is none.
        """
        found = {basis.encode(2): basis for basis in self.isomorphisms()}
        if x_image not in found:
            valid = ", ".join(f"{word:#04x}" for word in sorted(found))
            raise RequestError(f"isomorphism: 0x02 must go to one of {valid}, not {x_image:#04x}")
        return found[x_image]

    def _multiply(self, a: int, b: int, level: int) -> int:
        if level == 0:
            return BinaryField(self.ground).multiply(a, b)
        linear, constant = self.extensions[level - 1]
        half = (self.ground.bit_length() - 1) << (level - 1)
        mask = (1 << half) - 1
        high = self._multiply(a >> half, b >> half, level - 1)
        low = self._multiply(a & mask, b & mask, level - 1)
        cross = self._multiply((a >> half) ^ (a & mask), (b >> half) ^ (b & mask), level - 1) ^ high ^ low
        return (cross ^ self._multiply(high, linear, level - 1)) << half | (
            low ^ self._multiply(high, constant, level - 1)
        )


SATOH = PolynomialTower(ground=0b111, extensions=((1, 0b10), (1, 0b1100)))
"""GF(((2^2)^2)^2) by x^2+x+1, x^2+x+φ with φ = 10 and x^2+x+λ with λ = 1100: the tower of Satoh et al. (ASIACRYPT
2001), Zhang and Parhi (2004) and Lin et al.; the latter two take 0x02 to 0x5f."""


def _value(polynomial: int, x: int) -> int:
    total = 0
    for i in range(polynomial.bit_length()):
        if polynomial >> i & 1:
            total ^= FIELD.power(x, i)
    return total


def _image(word: int, image: tuple[int, ...]) -> int:
    total = 0
    for bit, element in enumerate(image):
        if word >> bit & 1:
            total ^= element
    return total
