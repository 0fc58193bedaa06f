"""What stands in the registers of the bit-serial core, clock by clock: a model beside its SystemVerilog.

A block and a key stand in R0 … R15 and K0 … K15 when the rounds begin. A clock moves a bit, the first of a byte first,
and a slot is eight clocks. The model runs the rounds and brings the key back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from aesmith.fields import aes

SWAPS = {13: 4, 1: 4, 5: 4, 7: 4, 14: 8, 2: 8, 3: 8, 15: 12}
"""Slots in which the byte that leaves R4 changes places with one so many bytes behind it."""
LAST = 10


@dataclass
class BitRing:
    """The registers: `state[n]` is Rn, `key[n]` is Kn. The result is whole in `state` after the rounds."""

    state: list[int]
    key: list[int]
    first: list[int] = field(default_factory=lambda: [0] * 4)
    """The first bit of each row's sum with the next."""

    def rounds(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """State and key at the beginning of each clock of the rounds."""
        for number in range(LAST + 1):
            for slot in range(16):
                yield from self._data_slot(number, slot)
            if number < LAST:
                yield from self._turn(number, unchain=False)

    def back(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """State and key at the beginning of each clock in which the key comes back."""
        for number in reversed(range(LAST)):
            yield from self._turn(number, unchain=True)
            yield from self._turn(number, unchain=False)

    def _now(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(self.state), tuple(self.key)

    def _data_slot(self, number: int, slot: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        active = number < LAST if slot >= 12 else number > 0
        for bit in range(8):
            yield self._now()
            tops = [byte >> 7 for byte in self.state]
            moved = [*tops[1:], 0]
            if slot % 4 == 0 and 0 < number < LAST:
                *moved[:3], leaving = self._mixed(bit)
            else:
                leaving = tops[0]
            tops.append(leaving ^ self.key[0] >> 7)
            moved[15] = tops[16]
            if active and slot in SWAPS:
                apart = SWAPS[slot]
                moved[3], moved[3 + apart] = tops[4 + apart], tops[4]
            if bit == 0:
                self.first = [tops[r] ^ tops[(r + 1) % 4] for r in range(4)]
            self.state = [(byte << 1 | into) & 255 for byte, into in zip(self.state, moved, strict=True)]
            if active and bit == 7:
                self.state[3] = aes.SBOX[self.state[3]]
            heads = [byte >> 7 for byte in self.key]
            turned = [*heads[1:], heads[0]]
            if number > 0 and slot < 12:
                turned[3] ^= heads[0]
            self.key = [(byte << 1 | into) & 255 for byte, into in zip(self.key, turned, strict=True)]

    def _mixed(self, bit: int) -> list[int]:
        """A bit of rows 1, 2, 3 and 0 of the column in R0 … R3 behind MixColumns."""
        here, following = ([byte >> by & 1 for byte in self.state[:4]] for by in (7, 6))
        out = []
        for row in (1, 2, 3, 0):
            after = (row + 1) % 4
            twice = (following[row] ^ following[after] if bit < 7 else 0) ^ self.first[row] * (0x1B >> 7 - bit & 1)
            out.append(twice ^ here[after] ^ here[(row + 2) % 4] ^ here[(row + 3) % 4])
        return out

    def _turn(self, number: int, *, unchain: bool) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        for slot in range(4):
            for bit in range(8):
                yield self._now()
                heads = [byte >> 7 for byte in self.key]
                moved = [*heads[1:], 0]
                for word in range(4):
                    before = heads[4 * word - 4] if unchain and word else 0
                    moved[4 * word + 3] = heads[4 * word] ^ before
                if slot == 0 and not unchain:
                    moved[3] ^= aes.round_constant(number + 1) >> 7 - bit & 1
                self.key = [(byte << 1 | into) & 255 for byte, into in zip(self.key, moved, strict=True)]
            if not unchain:
                self.key[2] ^= aes.SBOX[self.key[15]]
