"""Forward, inverse and combined S-box of a `NormTower`: forms, norm, inversion in GF(2^4), products, output map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import linear_map
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.sboxes.entry import Function
from aesmith.sboxes.norm_tower import NormTower, forms

PlaceInverse4 = Callable[[CircuitBuilder, Sequence[Wire]], list[Wire]]
PlaceNorm = Callable[[CircuitBuilder, NormTower, Sequence[Wire], Sequence[Wire]], list[Wire]]
"""Puts the norm's four forms into a circuit, from the nine forms of a and the nine of b."""

DECRYPTED = (aes.INVERSE_AFFINE, aes.INVERSE_AFFINE_CONSTANT)


@dataclass(frozen=True)
class NormSbox:
    """The circuits of one architecture, named `name`_*function*, each with the tower that suits it.

    `combined_offset` is γ of the combined S-box's inverse direction: it inverts γ·(A'x + c') and multiplies by γ.
    `input_levels` bounds the XOR levels of the forms; `output_levels` the levels from the norm to the output, of which
    the inverter takes `inverse_levels` to its four outputs and a product takes one.
    """

    name: str
    forward_tower: NormTower
    inverse_tower: NormTower
    combined_tower: NormTower
    place_norm: PlaceNorm
    place_inverse_4: PlaceInverse4
    combined_offset: int = 1
    input_levels: int | None = None
    output_levels: int | None = None
    inverse_levels: tuple[int, ...] = (0, 0, 0, 0)

    def circuits(self) -> Mapping[Function, Callable[[], Circuit]]:
        """Forward, inverse and combined."""
        return {Function.FORWARD: self.forward, Function.INVERSE: self.inverse, Function.COMBINED: self.combined}

    def forward(self) -> Circuit:
        """S-box."""
        builder = CircuitBuilder(f"{self.name}_forward")
        x = builder.input("x", 8)
        wires = self._forms(builder, self.forward_tower.input_forms, x)
        products = self._products(builder, self.forward_tower, wires)
        with builder.block("output map: products to A·x^-1 + c"):
            matrix = self.forward_tower.outputs(aes.AFFINE)
            builder.output("y", self._outputs(builder, self.forward_tower, matrix, products, aes.AFFINE_CONSTANT))
        return builder.build()

    def inverse(self) -> Circuit:
        """Inverse S-box."""
        builder = CircuitBuilder(f"{self.name}_inverse")
        x = builder.input("x", 8)
        matrix, constant = DECRYPTED
        into = self.inverse_tower.input_forms
        wires = self._forms(builder, into @ matrix, x, into.apply(constant))
        products = self._products(builder, self.inverse_tower, wires)
        with builder.block("output map: products to x^-1"):
            matrix = self.inverse_tower.outputs(BitMatrix.identity(8))
            builder.output("y", self._outputs(builder, self.inverse_tower, matrix, products))
        return builder.build()

    def combined(self) -> Circuit:
        """Both around one inversion: the eight forms that all others are sums of are selected, and the outputs."""
        builder = CircuitBuilder(f"{self.name}_combined")
        x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
        tower, offset = self.combined_tower, aes.FIELD.multiplication(self.combined_offset)
        chosen = independent(tower)
        base = forms([(tower.a + tower.b)[k] for k in chosen])
        matrix, constant = DECRYPTED
        with builder.block("eight input forms of both directions, and selection"):
            both = stack([base, base @ offset @ matrix])
            wires = linear_map(both).place(builder, x, (base @ offset).apply(constant) << 8)
            selected = [builder.mux(decrypt, wires[k], wires[8 + k]) for k in range(8)]
        with builder.block("all 18 input forms"):
            wires = linear_map(tower.input_forms @ base.inverse()).place(builder, selected)
        products = self._products(builder, tower, wires)
        with builder.block("output maps of both directions, and selection"):
            both = stack([tower.outputs(aes.AFFINE), tower.outputs(offset)])
            wires = self._outputs(builder, tower, both, products, aes.AFFINE_CONSTANT)
            builder.output("y", [builder.mux(decrypt, wires[k], wires[8 + k]) for k in range(8)])
        return builder.build()

    def _forms(self, builder: CircuitBuilder, matrix: BitMatrix, x: list[Wire], constant: int = 0) -> list[Wire]:
        with builder.block("18 input forms"):
            return linear_map(matrix, self.input_levels).place(builder, x, constant)

    def _products(self, builder: CircuitBuilder, tower: NormTower, wires: Sequence[Wire]) -> list[Wire]:
        """The 18 products, complemented."""
        with builder.block("norm N = x^17 in GF(2^4)"):
            norm = self.place_norm(builder, tower, wires[:9], wires[9:])
        with builder.block("N^-1 in GF(2^4)"):
            inverse = self.place_inverse_4(builder, norm)
        with builder.block("nine forms of N^-1"):
            spread = linear_map(tower.spread).place(builder, inverse)
        with builder.block("18 products"):
            return [builder.nand(d, x) for half in (wires[:9], wires[9:]) for d, x in zip(spread, half, strict=True)]

    def _outputs(
        self,
        builder: CircuitBuilder,
        tower: NormTower,
        matrix: BitMatrix,
        products: Sequence[Wire],
        constant: int = 0,
    ) -> list[Wire]:
        """The map on complemented products: a row with an odd number of them is complemented once more."""
        odd = sum((weight & 1) << i for i, weight in enumerate(matrix.row_weights))
        arrivals = None
        if self.output_levels is not None:
            arrivals = 2 * tuple(level + 1 for level in linear_map(tower.spread).levels(self.inverse_levels))
        return linear_map(matrix, self.output_levels, arrivals).place(builder, products, constant ^ odd)


def independent(tower: NormTower) -> tuple[int, ...]:
    """Numbers of eight input forms that all 18 are sums of: four of a, four of b, the first of each that do."""
    chosen: list[int] = []
    for k in range(18):
        candidate = forms([(tower.a + tower.b)[i] for i in (*chosen, k)])
        if candidate.rank() == len(chosen) + 1:
            chosen.append(k)
    return tuple(chosen)
