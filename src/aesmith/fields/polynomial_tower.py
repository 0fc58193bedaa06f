"""Tower fields given by polynomials, and their isomorphisms to the AES field."""

from __future__ import annotations

from dataclasses import dataclass

from aesmith.errors import RequestError
from aesmith.fields.aes import FIELD
from aesmith.fields.basis import Basis
from aesmith.fields.galois import BinaryField


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
