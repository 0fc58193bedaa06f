"""An S-box around an inverter: the changes of basis, the affine maps and the offset, for any inverter.

S(x) = A·x^-1 + c is AΔ'γ · inv(Δγ·x) + c for every offset γ, since γ·(γx)^-1 = x^-1; and S^-1 puts the inverse affine
map before the inverter. Where both share one inverter, a multiplexer stands on each side of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import linear_map, smallest_depth
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.fields.tower import Basis
from aesmith.sboxes.entry import Function

PlaceInverter = Callable[[CircuitBuilder, list[Wire]], list[Wire]]
"""Puts an inverter into a circuit: takes its 8 input wires, returns its output wires, bit 0 first."""


@dataclass(frozen=True)
class AroundInverter:
    """Forward, inverse and combined S-box of one inverter, as circuits named `name`_*function*.

    `source` and `target` are the inverter's bases. The offsets are γ of each direction. `shallow` bounds every linear
    map to the fewest XOR levels that it can have; otherwise it has the fewest XORs. `into` and `out_of` label the
    blocks before and after the inverter.
    """

    name: str
    source: Basis
    target: Basis
    place: PlaceInverter
    forward_offset: int = 1
    inverse_offset: int = 1
    shallow: bool = False
    into: str = "change of basis"
    out_of: str = "change of basis"

    @property
    def forward_in(self) -> BitMatrix:
        """Δγ."""
        return self.source.from_field @ aes.FIELD.multiplication(self.forward_offset)

    @property
    def forward_out(self) -> BitMatrix:
        """Aγ·Δ', to which c is added."""
        return aes.AFFINE @ aes.FIELD.multiplication(self.forward_offset) @ self.target.to_field

    @property
    def inverse_in(self) -> BitMatrix:
        """Δγ·A'."""
        return self.source.from_field @ aes.FIELD.multiplication(self.inverse_offset) @ aes.INVERSE_AFFINE

    @property
    def inverse_in_constant(self) -> int:
        """Δγ·c'."""
        unmapped = self.source.from_field @ aes.FIELD.multiplication(self.inverse_offset)
        return unmapped.apply(aes.INVERSE_AFFINE_CONSTANT)

    @property
    def inverse_out(self) -> BitMatrix:
        """γ·Δ'."""
        return aes.FIELD.multiplication(self.inverse_offset) @ self.target.to_field

    def circuits(self) -> Mapping[Function, Callable[[], Circuit]]:
        """All four functions."""
        return {
            Function.FORWARD: self.forward,
            Function.INVERSE: self.inverse,
            Function.COMBINED: self.combined,
            Function.INVERTER: self.inverter,
        }

    def inverter(self) -> Circuit:
        """x in the source basis, y in the target basis."""
        builder = CircuitBuilder(f"{self.name}_inverter")
        builder.output("y", self.place(builder, builder.input("x", 8)))
        return builder.build()

    def forward(self) -> Circuit:
        """S-box."""
        builder = CircuitBuilder(f"{self.name}_forward")
        x = builder.input("x", 8)
        with builder.block(self.into):
            inner = self._place(builder, self.forward_in, x)
        inner = self.place(builder, inner)
        with builder.block(f"{self.out_of} and affine map"):
            builder.output("y", self._place(builder, self.forward_out, inner, aes.AFFINE_CONSTANT))
        return builder.build()

    def inverse(self) -> Circuit:
        """Inverse S-box."""
        builder = CircuitBuilder(f"{self.name}_inverse")
        x = builder.input("x", 8)
        with builder.block(f"{self.into} after the inverse affine map"):
            inner = self._place(builder, self.inverse_in, x, self.inverse_in_constant)
        inner = self.place(builder, inner)
        with builder.block(self.out_of):
            builder.output("y", self._place(builder, self.inverse_out, inner))
        return builder.build()

    def combined(self) -> Circuit:
        """S-box and inverse S-box around one inverter; both maps of a side share their XORs."""
        builder = CircuitBuilder(f"{self.name}_combined")
        x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
        inner = self.place(builder, self.place_selected_in(builder, x, decrypt))
        builder.output("y", self.place_selected_out(builder, inner, decrypt))
        return builder.build()

    def place_selected_in(self, builder: CircuitBuilder, x: list[Wire], decrypt: Wire) -> list[Wire]:
        """The inverter's input in the combined S-box: Δγ·x, or Δγ·(A'x + c') to decrypt."""
        with builder.block(f"{self.into} of both directions, and selection"):
            into = stack([self.forward_in, self.inverse_in])
            return self._select(builder, into, x, decrypt, self.inverse_in_constant << 8)

    def place_selected_out(self, builder: CircuitBuilder, inner: list[Wire], decrypt: Wire) -> list[Wire]:
        """The combined S-box's output from that of the inverter: AγΔ' + c, or γΔ' to decrypt."""
        with builder.block(f"{self.out_of} of both directions, and selection"):
            out_of = stack([self.forward_out, self.inverse_out])
            return self._select(builder, out_of, inner, decrypt, aes.AFFINE_CONSTANT)

    def _place(self, builder: CircuitBuilder, matrix: BitMatrix, x: list[Wire], constant: int = 0) -> list[Wire]:
        depth = smallest_depth(matrix) if self.shallow else None
        return linear_map(matrix, depth).place(builder, x, constant)

    def _select(
        self, builder: CircuitBuilder, matrix: BitMatrix, x: list[Wire], decrypt: Wire, constant: int
    ) -> list[Wire]:
        wires = self._place(builder, matrix, x, constant)
        half = len(wires) // 2
        pairs = zip(wires[:half], wires[half:], strict=True)
        return [forward if forward == inverse else builder.mux(decrypt, forward, inverse) for forward, inverse in pairs]
