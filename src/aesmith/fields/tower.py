"""Tower fields inside the AES field: the bases of the published inverters.

GF((2^4)^2) with the normal basis {α, α^16} over GF(2^4), and GF(2^4) on a root β of the all-one polynomial
x^4 + x^3 + x^2 + x + 1, so that β^5 = 1: NB {β, β^2, β^3, β^4}, and RRB {1, β, β^2, β^3, β^4}, in which a word and its
complement stand for the same element (Ueno et al., CHES 2015).
"""

from __future__ import annotations

from dataclasses import dataclass

from aesmith.errors import RequestError
from aesmith.fields.aes import FIELD
from aesmith.fields.basis import Basis


@dataclass(frozen=True)
class NormalTower:
    """GF((2^4)^2) by α and β, both elements of the AES field: a = h·α + l·α^16.

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
