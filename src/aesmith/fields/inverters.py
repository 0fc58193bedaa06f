"""The towers of published inverters, as bases of the search: an inverter's circuit fits all conjugates of one tower."""

from __future__ import annotations

from aesmith.errors import RequestError
from aesmith.fields.aes import FIELD
from aesmith.fields.families import TowerBasis, tower_bases
from aesmith.fields.polynomial_tower import SATOH


def inverters() -> tuple[str, ...]:
    """Names of the inverters, as in the catalogue of S-boxes."""
    return tuple(_BASES)


def inverter_bases(name: str) -> tuple[TowerBasis, ...]:
    """The bases that an inverter fits: its tower by each isomorphism. Raises RequestError for an unknown name."""
    if name not in _BASES:
        raise RequestError(f"inverter: must be one of {', '.join(inverters())}, not {name!r}")
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
