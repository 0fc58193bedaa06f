"""The linear maps of AES and of its published S-boxes, by name, with the gate counts that were published for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aesmith.circuits.linear.program import LinearProgram
from aesmith.circuits.linear.store import linear_map
from aesmith.errors import not_one_of
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.fields.families import inverter_bases
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.tower import SATOH, NormalTower


@dataclass(frozen=True)
class Published:
    """A published circuit of a map: XOR gates and depth in XOR levels (None: not stated), and where it is stated.

    "Not re-counted" marks figures known from citations, for which no netlist has been counted.
    """

    xors: int
    depth: int | None
    source: str


@dataclass(frozen=True)
class NamedMap:
    """A linear map; bit i of a byte is the coefficient of x^i, or of element i of its basis."""

    name: str
    title: str
    make: Callable[[], BitMatrix]
    published: tuple[Published, ...] = ()

    @property
    def matrix(self) -> BitMatrix:
        """Its matrix, rows and columns from bit 0 up."""
        return self.make()

    def program(self, depth: int | None = None) -> LinearProgram:
        """The smallest known program of at most `depth` XOR levels; see `linear_map`."""
        return linear_map(self.matrix, depth)


_SATOH_BASIS = SATOH.isomorphism(0x5F)
_ZHANG = "Zhang and Parhi (2004), section III"
_LIN = "Lin et al. (2023), section III"


def _offset_with_lightest_maps() -> OffsetMaps:
    """α = 0xfe, γ = 0x43: the lightest maps for the inverter of Ueno et al."""
    return inverter_bases("ueno2015")[0].maps(0x43)


def _encryption_core() -> OffsetMaps:
    tower = NormalTower(0x09, 0x50)
    return OffsetMaps(tower.nb, tower.rrb, 0x69)


def _unified_affine() -> BitMatrix:
    maps = _offset_with_lightest_maps()
    return stack([maps.omega(1), maps.phi, *(maps.lambda_(k) for k in range(4))])


def _lin_input(encryption: int, decryption: int) -> BitMatrix:
    return stack(
        [
            _SATOH_BASIS.from_field @ aes.FIELD.multiplication(encryption),
            _SATOH_BASIS.from_field @ aes.FIELD.multiplication(decryption) @ aes.INVERSE_AFFINE,
        ]
    )


def _lin_output(encryption: int, decryption: int) -> BitMatrix:
    return stack(
        [
            aes.AFFINE @ aes.FIELD.multiplication(encryption) @ _SATOH_BASIS.to_field,
            aes.FIELD.multiplication(decryption) @ _SATOH_BASIS.to_field,
        ]
    )


_MAPS = (
    NamedMap(
        "mixcolumns",
        "MixColumns of one column; bit 8·r + i is bit i of the byte in row r",
        lambda: aes.column_matrix(aes.MIX_COLUMNS),
        (
            Published(108, 3, "Zhang and Parhi (2004), equation 11"),
            Published(97, 8, "Kranz et al. (ToSC 2017)"),
            Published(94, 6, "Tan and Peyrin (TCHES 2020), not re-counted"),
            Published(92, 6, "Maximov (2019)"),
            Published(91, 7, "Lin et al. (CT-RSA 2021), not re-counted"),
            Published(103, 3, "Liu et al. (ToSC 2022), not re-counted"),
            Published(99, 3, "Shi, Feng and Xu (ToSC 2023), not re-counted"),
            Published(97, 4, "Osvik and Canright (ePrint 2024/1076), not re-counted"),
            Published(94, 5, "Osvik and Canright (ePrint 2024/1076), not re-counted"),
            Published(89, None, "Sun, Yang and Li (ePrint 2025/1493), not re-counted"),
            Published(88, 7, "Jean (ePrint 2026/1481), not re-counted"),
            Published(97, 3, "aes-mixcolumns-xor-circuits (public repository, 2026), not re-counted"),
            Published(91, 4, "aes-mixcolumns-xor-circuits (public repository, 2026), not re-counted"),
            Published(88, 5, "aes-mixcolumns-xor-circuits (public repository, 2026), not re-counted"),
        ),
    ),
    NamedMap(
        "invmixcolumns",
        "InvMixColumns of one column; bit 8·r + i is bit i of the byte in row r",
        lambda: aes.column_matrix(aes.INVERSE_MIX_COLUMNS),
        (
            Published(193, 7, "Zhang and Parhi (2004), figure 8"),
            Published(155, None, "Kranz et al. (ToSC 2017), not re-counted"),
            Published(92, None, "an in-place MixColumns program of 92 XORs (Xiang et al., ToSC 2020) run backwards"),
        ),
    ),
    NamedMap("affine", "A, the linear part of the affine map of the S-box (FIPS-197)", lambda: aes.AFFINE),
    NamedMap("inverse-affine", "A', the linear part of the inverse affine map", lambda: aes.INVERSE_AFFINE),
    NamedMap(
        "zhang2004-delta",
        "δ, AES field to tower",
        lambda: _SATOH_BASIS.from_field,
        (Published(12, 4, _ZHANG),),
    ),
    NamedMap(
        "zhang2004-delta-inverse-affine",
        "A·δ^-1, tower to AES field and affine map",
        lambda: aes.AFFINE @ _SATOH_BASIS.to_field,
        (Published(19, 4, _ZHANG),),
    ),
    NamedMap(
        "zhang2004-inverse-affine-delta",
        "δ·A', inverse affine map and AES field to tower",
        lambda: _SATOH_BASIS.from_field @ aes.INVERSE_AFFINE,
        (Published(17, 4, _ZHANG),),
    ),
    NamedMap(
        "zhang2004-delta-inverse",
        "δ^-1, tower to AES field",
        lambda: _SATOH_BASIS.to_field,
        (Published(14, 3, _ZHANG),),
    ),
    NamedMap(
        "lin2023-input-without-offset",
        "equations 3 and 4: δ above δ·A', both of one byte",
        lambda: _lin_input(1, 1),
        (Published(27, None, _LIN),),
    ),
    NamedMap(
        "lin2023-input",
        "equations 7 and 8: δ·[88] above δ·[50]·A', both of one byte",
        lambda: _lin_input(88, 50),
        (Published(24, None, _LIN),),
    ),
    NamedMap(
        "lin2023-output",
        "equations 14 and 15: A·[88]·δ^-1 above [50]·δ^-1, both of one byte",
        lambda: _lin_output(88, 50),
        (Published(21, None, _LIN),),
    ),
    NamedMap(
        "ueno2020-unified-affine",
        "Ω1, Φ, Λ0 to Λ3 of one inverter output (10 bits RRB), α = 0xfe, γ = 0x43",
        _unified_affine,
    ),
    NamedMap(
        "ueno2020-enc-unified-affine",
        "Φ and Ω1 of one inverter output (10 bits RRB) in the core ueno2020-enc",
        lambda: stack([_encryption_core().phi, _encryption_core().omega(1)]),
    ),
)

NAMED = {entry.name: entry for entry in _MAPS}


def named_map(name: str) -> NamedMap:
    """The map of that name. Raises RequestError, listing all names, for an unknown one."""
    if name not in NAMED:
        raise not_one_of("map", name, NAMED)
    return NAMED[name]
