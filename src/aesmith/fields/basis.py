"""Bases of a binary field over GF(2), redundant ones included: how bits stand for field elements.

An isomorphism from the AES field to a tower field *is* a change of basis: a tower field with its basis, reached by one
of the isomorphisms, is a list of elements of the AES field. So all towers and all isomorphisms are bases here.
"""

from __future__ import annotations

from dataclasses import dataclass

from aesmith.errors import RequestError
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
