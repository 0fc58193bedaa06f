"""S-boxes for round-based cores: those of the catalogue, and those of a polynomial tower in or around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import LinearProgram, shallow
from aesmith.cores.round_based.maps import in_field
from aesmith.fields import aes
from aesmith.fields.offset import OffsetMaps
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.sboxes.quadratic_tower import QuadraticTower


@dataclass(frozen=True)
class TowerSboxes:
    """S-boxes around the inverter of GF((2^4)^2) with x^2 + α·x + β; `image` is what 0x02 of the AES field goes to.

    Raises RequestError for reducible polynomials, or an `image` that no isomorphism has.
    """

    ground: int
    linear: int
    constant: int
    image: int

    def __post_init__(self) -> None:
        self.tower.tower.isomorphism(self.image)

    @cached_property
    def tower(self) -> QuadraticTower:
        """The field."""
        return QuadraticTower(self.ground, self.linear, self.constant)

    @cached_property
    def maps(self) -> OffsetMaps:
        """The maps of a core that works in the tower."""
        basis = self.tower.tower.isomorphism(self.image)
        return OffsetMaps(basis, basis, 1)

    def text(self) -> str:
        """The tower in words."""
        ground = "x^4 + " + " + ".join(("1", "x", "x^2", "x^3")[i] for i in (3, 2, 1, 0) if self.ground >> i & 1)
        return (
            f"GF((2^4)^2) by x^2 + {self.linear:x}·x + {self.constant:x} over {ground}, 0x02 going to {self.image:#04x}"
        )

    def mapped(self) -> Circuit:
        """The S-box of the AES field: Δ, inversion, A·Δ'."""
        out = aes.AFFINE @ self.maps.delta_inverse
        return self._forward(shallow(self.maps.delta), shallow(out), aes.AFFINE_CONSTANT)

    def native(self) -> Circuit:
        """The S-box on words of the tower: inversion, Δ·A·Δ'."""
        return self._forward(None, shallow(in_field(self.maps, aes.AFFINE)), self._constant(aes.AFFINE_CONSTANT))

    def native_both(self) -> Circuit:
        """The S-box or its inverse on words of the tower: selectors before and behind the inversion."""
        builder = CircuitBuilder("both_sbox")
        x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
        with builder.block("inverse affine map, and selection"):
            inverse = shallow(in_field(self.maps, aes.INVERSE_AFFINE))
            mapped = inverse.place(builder, x, self._constant(aes.INVERSE_AFFINE_CONSTANT))
            inner = _select(builder, decrypt, x, mapped)
        inner = self.tower.place(builder, inner)
        with builder.block("affine map, and selection"):
            affine = shallow(in_field(self.maps, aes.AFFINE))
            mapped = affine.place(builder, inner, self._constant(aes.AFFINE_CONSTANT))
            builder.output("y", _select(builder, decrypt, mapped, inner))
        return builder.build()

    def _constant(self, value: int) -> int:
        return self.maps.delta.apply(value)

    def _forward(self, into: LinearProgram | None, out: LinearProgram, constant: int) -> Circuit:
        builder = CircuitBuilder("sbox")
        wires = builder.input("x", 8)
        if into is not None:
            with builder.block("Δ, AES field to tower"):
                wires = into.place(builder, wires)
        wires = self.tower.place(builder, wires)
        with builder.block("affine map"):
            builder.output("y", out.place(builder, wires, constant))
        return builder.build()


def _select(builder: CircuitBuilder, decrypt: Wire, encrypted: Sequence[Wire], decrypted: Sequence[Wire]) -> list[Wire]:
    return [builder.mux(decrypt, e, d) for e, d in zip(encrypted, decrypted, strict=True)]


def catalogue_both(name: str) -> Circuit:
    """The S-box of the catalogue for both directions; where it has two circuits, both with a selector.

    Raises RequestError for an S-box without a forward and an inverse function.
    """
    entry = sbox(name)
    if Function.COMBINED in entry.functions:
        return entry.circuit(Function.COMBINED)
    builder = CircuitBuilder("both_sbox")
    x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
    encrypted = builder.instance(entry.circuit(Function.FORWARD), x=x)["y"]
    decrypted = builder.instance(entry.circuit(Function.INVERSE), x=x)["y"]
    with builder.block("selection"):
        builder.output("y", _select(builder, decrypt, encrypted, decrypted))
    return builder.build()


def catalogue_about(name: str) -> str:
    """The S-box in words, with its publication."""
    return f"S-box {name} of the AES field: {sbox(name).publication}."
