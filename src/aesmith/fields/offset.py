"""The merged maps of an AES round computed in another basis with a multiplicative offset.

Ueno et al., TC 2020, sections 3.2 and 3.3, with the printed errors corrected. The state register of encryption holds
Δ(γm), that of decryption Δ(γ⁻¹s); inversion turns one offset into the other, and every map between two registers
corrects it. The equations hold for any basis and any γ other than 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.tower import Basis


@dataclass(frozen=True)
class OffsetMaps:
    """All linear maps and constants of AES in `register` basis with offset γ.

    `register` is the basis of state and key words (not redundant); `inverted` is the basis of the inverter's output,
    which may be redundant. Rows are bits of the register basis, columns bits of the map's own input.
    Raises RequestError if γ is not 1 to 255.
    """

    register: Basis
    inverted: Basis
    gamma: int

    def __post_init__(self) -> None:
        if not 1 <= self.gamma <= 255:
            raise RequestError(f"gamma: the multiplicative offset must be 1 to 255, not {self.gamma}")

    @cached_property
    def _offset(self) -> BitMatrix:
        return aes.FIELD.multiplication(self.gamma)

    @cached_property
    def _inverse_offset(self) -> BitMatrix:
        return aes.FIELD.multiplication(aes.FIELD.inverse(self.gamma))

    @cached_property
    def delta(self) -> BitMatrix:
        """Δγ: AES field to register words; pre-round map of data and key (figure 5)."""
        return self.register.from_field @ self._offset

    @cached_property
    def delta_inverse(self) -> BitMatrix:
        """Δ'γ⁻¹: register words to AES field; post-round map (figure 5)."""
        return self._inverse_offset @ self.register.to_field

    def omega(self, k: int) -> BitMatrix:
        """Ω_k = Δ·γ·u_k·A·γ·Δ' on the inverter's output (equation 14), k = 0 to 3; Ω2 = Ω3 = Φ."""
        coefficient = aes.FIELD.multiplication(aes.MIX_COLUMNS[k % 4])
        return self.delta @ coefficient @ aes.AFFINE @ self._offset @ self.inverted.to_field

    @cached_property
    def phi(self) -> BitMatrix:
        """Φ = Δ·γ·A·γ·Δ', the affine map of the S-box on the inverter's output, without its constant."""
        return self.omega(2)

    @cached_property
    def phi_constant(self) -> int:
        """Δ(γc), the constant of Φ."""
        return self.delta.apply(aes.AFFINE_CONSTANT)

    def round_constant(self, number: int) -> int:
        """Δ(γ·Rcon) of key-schedule step `number`, 1 the first."""
        return self.delta.apply(aes.round_constant(number))

    def lambda_(self, k: int) -> BitMatrix:
        """Λ_k = Δ·γ⁻¹·A'·v_k·γ⁻¹·Δ' on the inverter's output (equation 15), k = 0 to 3."""
        coefficient = aes.FIELD.multiplication(aes.INVERSE_MIX_COLUMNS[k % 4])
        unmapped = self._inverse_offset @ self.inverted.to_field
        return self.register.from_field @ self._inverse_offset @ aes.INVERSE_AFFINE @ coefficient @ unmapped

    @cached_property
    def lambda_constant(self) -> int:
        """Δ(γ⁻¹c'). The paper prints Δ(γc') in equation 15, which is wrong unless γ = 1."""
        return (self.register.from_field @ self._inverse_offset).apply(aes.INVERSE_AFFINE_CONSTANT)

    @cached_property
    def decryption_load(self) -> BitMatrix:
        """Δ·γ⁻¹·A'·γ⁻¹·Δ': the map before the first decryption round, applied to Δγ(ciphertext) + last round key."""
        unmapped = self._inverse_offset @ self.register.to_field
        return self.register.from_field @ self._inverse_offset @ aes.INVERSE_AFFINE @ unmapped

    @cached_property
    def redundancy_removed(self) -> BitMatrix:
        """The map from words of `inverted` to words of `register` (the identity if the two are one basis)."""
        return self.register.from_field @ self.inverted.to_field
