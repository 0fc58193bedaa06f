"""All bases of the AES field that come from its tower fields, in 14 families: 24,840 bases.

GF(2^8) over GF(2^4) has a polynomial basis PB {1, α} or a normal one NB {α^16, α}. Below it, GF(2^4) has over GF(2)
a PB {1, θ, θ^2, θ^3}, a NB {θ, θ^2, θ^4, θ^8} or the redundant RRB {1, β, β^2, β^3, β^4} with β^5 = 1; or it is a
tower itself, a PB {1, θ} or NB {θ, θ^4} over GF(2^2) with a PB {1, ω} or NB {ω, ω^2}. α and θ run over all elements,
so a tower appears with each of its isomorphisms to the AES field, which is what its conjugates are. Bases that differ
in the order of their elements alone count once, since that only permutes the rows and columns of a matrix.

The circuit of a published inverter fits all conjugates of one tower: `inverter_bases`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aesmith.errors import not_one_of
from aesmith.fields.aes import FIELD
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.tower import SATOH, Basis


@dataclass(frozen=True)
class TowerBasis:
    """One basis of a family: α, and a basis of GF(2^4) as elements of the AES field.

    `upper` are the multiples of the two halves of a word, low half first: (1, α) for PB, (α^16, α) for NB. `lower` is
    the basis of state words, `lower_inverted` that of the inverter's output (they differ in the RRB families). Bit i of
    a half-word stands for element i.
    """

    family: str
    upper: tuple[int, int]
    lower: tuple[int, ...]
    lower_inverted: tuple[int, ...]

    @property
    def alpha(self) -> int:
        """α, the generator of GF(2^8) over GF(2^4)."""
        return self.upper[1]

    @property
    def register_elements(self) -> tuple[int, ...]:
        """The eight elements that the bits of a state word stand for."""
        return tuple(FIELD.multiply(u, x) for u in self.upper for x in self.lower)

    @property
    def inverted_elements(self) -> tuple[int, ...]:
        """The eight or ten elements that the bits of the inverter's output stand for."""
        return tuple(FIELD.multiply(u, x) for u in self.upper for x in self.lower_inverted)

    @property
    def register(self) -> Basis:
        """The basis of state words."""
        return Basis(FIELD, self.register_elements, self.family)

    @property
    def inverted(self) -> Basis:
        """The basis of the inverter's output."""
        return Basis(FIELD, self.inverted_elements, self.family)

    def maps(self, gamma: int) -> OffsetMaps:
        """All merged maps of AES in this basis with offset γ."""
        return OffsetMaps(self.register, self.inverted, gamma)

    def conjugates(self) -> tuple[TowerBasis, ...]:
        """The same tower by each of its isomorphisms: the distinct images under squaring, this basis first.

        An inverter is a circuit in the tower, so it serves for all of these and for no other basis.
        """
        found: dict[frozenset[int], TowerBasis] = {}
        basis = self
        for _ in range(FIELD.degree):
            found.setdefault(frozenset(basis.inverted_elements), basis)
            basis = TowerBasis(
                basis.family, _squared_pair(basis), _squares(basis.lower), _squares(basis.lower_inverted)
            )
        return tuple(found.values())


def tower_families() -> tuple[str, ...]:
    """Names of the 14 families: upper, lower (and lowest) basis, for example `NB/RRB` and `PB/PB/NB`."""
    return tuple(f"{upper}/{lower}" for upper in ("PB", "NB") for lower in _LOWER)


def tower_bases(family: str | None = None) -> tuple[TowerBasis, ...]:
    """All bases of a family, or of all of them. Raises RequestError for an unknown family."""
    if family is None:
        return tuple(basis for name in tower_families() for basis in tower_bases(name))
    if family not in tower_families():
        raise not_one_of("family", family, tower_families())
    upper, lower = family.split("/", 1)
    pairs = _upper_normal() if upper == "NB" else [(1, alpha) for alpha in _outside(4)]
    return tuple(TowerBasis(family, pair, *halves) for pair in pairs for halves in _LOWER[lower])


def _upper_normal() -> list[tuple[int, int]]:
    return [(c, a) for a in _outside(4) if a < (c := FIELD.power(a, 16))]


def _outside(degree: int, within: int = 8) -> list[int]:
    """Elements of GF(2^within) that are not in GF(2^degree), ascending."""
    inside = FIELD.subfield(degree)
    return [a for a in FIELD.subfield(within) if a not in inside]


def _powers(element: int, exponents: Sequence[int]) -> tuple[int, ...]:
    return tuple(FIELD.power(element, exponent) for exponent in exponents)


def _squares(elements: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(FIELD.power(element, 2) for element in elements)


def _squared_pair(basis: TowerBasis) -> tuple[int, int]:
    """The squares of the two multiples, of a normal pair the one with the larger number first."""
    low, high = _squares(basis.upper)
    return (low, high) if low == 1 or low > high else (high, low)


def _lower_bases() -> Iterator[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    for theta in _outside(2, within=4):
        powers = _powers(theta, range(4))
        yield "PB", powers, powers
    seen = set()
    for theta in _outside(2, within=4):
        conjugates = _powers(theta, (1, 2, 4, 8))
        if frozenset(conjugates) not in seen and BitMatrix.from_columns(conjugates, 8).rank() == 4:
            seen.add(frozenset(conjugates))
            yield "NB", conjugates, conjugates
    beta = min(a for a in range(1, 256) if FIELD.element_order(a) == 5)
    yield "RRB", _powers(beta, range(1, 5)), _powers(beta, range(5))
    omega, omega_squared = _outside(1, within=2)
    lowest = (("PB", (1, omega)), ("PB", (1, omega_squared)), ("NB", (omega, omega_squared)))
    for theta in _outside(2, within=4):
        conjugate = FIELD.power(theta, 4)
        for upper, pair in (("PB", (1, theta)), ("NB", (conjugate, theta))):
            if upper == "NB" and theta > conjugate:
                continue
            for lower, smallest in lowest:
                elements = tuple(FIELD.multiply(u, x) for u in pair for x in smallest)
                yield f"{upper}/{lower}", elements, elements


def _grouped() -> dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    groups: dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    for name, lower, inverted in _lower_bases():
        groups.setdefault(name, []).append((lower, inverted))
    return groups


_LOWER = _grouped()


def inverters() -> tuple[str, ...]:
    """Names of the inverters, as in the catalogue of S-boxes."""
    return tuple(_BASES)


def inverter_bases(name: str) -> tuple[TowerBasis, ...]:
    """The bases that an inverter fits: its tower by each isomorphism. Raises RequestError for an unknown name."""
    if name not in _BASES:
        raise not_one_of("inverter", name, inverters())
    family, upper, lower = _BASES[name]
    basis = next(basis for basis in tower_bases(family) if (set(basis.upper), set(basis.lower)) == (upper, lower))
    return basis.conjugates()


_SATOH_BASIS = SATOH.isomorphism(0x5F).elements

_BASES: dict[str, tuple[str, set[int], set[int]]] = {
    # Ueno et al. do not print μ and ν of the inverter that they search with. Of the 30 classes of towers, the one with
    # μ = 1 and ν = 1 + β^i alone gives both weights that they publish, by the multiplicities of `DATA_PATH`.
    "ueno2015": ("NB/RRB", {0xFE, 0xFF}, {0x0C, 0x50, 0xB0, 0xED}),
    # d = 0xff, α^2 = 0x5c, Ω = 0xbd: case 4 of the publication.
    "canright2005": (
        "NB/NB/NB",
        {0xFE, 0xFF},
        {FIELD.multiply(a, omega) for a in (0x5C, 0x5D) for omega in (0xBC, 0xBD)},
    ),
    # 0x02 goes to 0x5f.
    "zhang2004": ("PB/PB/PB", {1, _SATOH_BASIS[4]}, set(_SATOH_BASIS[:4])),
}
