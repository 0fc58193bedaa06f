"""Row weights of all merged maps for many bases and offsets at once: the inner loop of the search, compiled.

A column of a merged map Δ·M·Δ' is the word of one field element, so the weights of a map's eight rows are the sum of
eight to ten table entries: for each element, its word with every bit spread to a byte of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aesmith.fields import aes
from aesmith.fields.families import TowerBasis
from aesmith.lazy import compiled

MAPS = (
    "delta",
    "delta_inverse",
    "omega0",
    "omega1",
    "phi",
    "lambda0",
    "lambda1",
    "lambda2",
    "lambda3",
    "decryption_load",
)
"""Δγ, Δ'γ⁻¹, Ω0, Ω1, Φ (= Ω2 = Ω3), Λ0 to Λ3 and the map before the first decryption round, as in `OffsetMaps`."""

_FROM_FIELD, _FROM_REGISTER, _FROM_INVERTED = 0, 1, 2
_SOURCES = np.array(
    [_FROM_FIELD, _FROM_REGISTER] + [_FROM_INVERTED] * 7 + [_FROM_REGISTER],
    dtype=np.int64,
)
_TO_FIELD = 1


@dataclass(frozen=True)
class MapWeights:
    """Weights of the maps of some bases at some offsets; every array has the shape (bases, offsets)."""

    weights: NDArray[np.uint8]
    heaviest: NDArray[np.uint8]

    def weight(self, name: str) -> NDArray[np.int64]:
        """Hamming weight (number of ones) of a map of `MAPS`."""
        return self.weights[:, :, MAPS.index(name)].astype(np.int64)

    def heaviest_row(self, name: str) -> NDArray[np.int64]:
        """Weight of the heaviest row of a map of `MAPS`; a row of weight w needs ceil(log2 w) XOR levels."""
        return self.heaviest[:, :, MAPS.index(name)].astype(np.int64)


@dataclass(frozen=True)
class MapTables:
    """For each offset and map, the image of each field element before it is expressed in the register basis."""

    images: NDArray[np.uint8]

    @classmethod
    def of(cls, gammas: Sequence[int]) -> MapTables:
        """Tables for these offsets (1 to 255)."""
        elements = range(256)
        product = np.array([[aes.FIELD.multiply(a, b) for b in elements] for a in elements], dtype=np.uint8)
        affine = np.array([aes.AFFINE.apply(a) for a in elements], dtype=np.uint8)
        inverse_affine = np.array([aes.INVERSE_AFFINE.apply(a) for a in elements], dtype=np.uint8)
        images = np.empty((len(gammas), len(MAPS), 256), dtype=np.uint8)
        for g, gamma in enumerate(gammas):
            by, back = product[gamma], product[aes.FIELD.inverse(gamma)]
            images[g, 0] = by
            images[g, 1] = back
            for k in range(3):
                images[g, 2 + k] = by[product[aes.MIX_COLUMNS[k]][affine[by]]]
            for k in range(4):
                images[g, 5 + k] = back[inverse_affine[product[aes.INVERSE_MIX_COLUMNS[k]][back]]]
            images[g, 9] = back[inverse_affine[back]]
        return cls(images)


def map_weights(bases: Sequence[TowerBasis], tables: MapTables) -> MapWeights:
    """Weights of all maps for every basis and every offset of the tables."""
    register = np.array([basis.register_elements for basis in bases], dtype=np.uint8)
    inverted = np.zeros((len(bases), 10), dtype=np.uint8)
    for row, basis in zip(inverted, bases, strict=True):
        elements = basis.inverted_elements
        row[: len(elements)] = elements
    shape = (len(bases), tables.images.shape[0], len(MAPS))
    weights, heaviest = np.empty(shape, np.uint8), np.empty(shape, np.uint8)
    _weigh(register, inverted, tables.images, _SOURCES, weights, heaviest)
    return MapWeights(weights, heaviest)


@compiled
def _spread(word: int) -> np.uint64:
    total = np.uint64(0)
    for bit in range(8):
        if word >> bit & 1:
            total |= np.uint64(1) << np.uint64(8 * bit)
    return total


@compiled
def _weigh(  # noqa: PLR0917 - compiled code takes no keyword arguments
    register: NDArray[np.uint8],
    inverted: NDArray[np.uint8],
    images: NDArray[np.uint8],
    sources: NDArray[np.int64],
    weights: NDArray[np.uint8],
    heaviest: NDArray[np.uint8],
) -> None:
    spread_bits = np.zeros(256, np.uint64)
    for word in range(256):
        spread_bits[word] = _spread(word)
    spread_words = np.zeros(256, np.uint64)
    columns = np.zeros((3, 10), np.uint8)
    for j in range(8):
        columns[0, j] = 1 << j
    ones = np.uint64(0x0101010101010101)
    for b in range(register.shape[0]):
        for word in range(256):
            element = np.uint8(0)
            for bit in range(8):
                if word >> bit & 1:
                    element ^= register[b, bit]
            spread_words[element] = spread_bits[word]
        columns[1, :8] = register[b]
        columns[2] = inverted[b]
        for g in range(images.shape[0]):
            for m in range(images.shape[1]):
                spread = spread_bits if m == _TO_FIELD else spread_words
                source = sources[m]
                total = np.uint64(0)
                for j in range(10 if source == _FROM_INVERTED else 8):
                    total += spread[images[g, m, columns[source, j]]]
                weights[b, g, m] = (total * ones) >> np.uint64(56)
                most = np.uint64(0)
                for bit in range(8):
                    most = max(most, (total >> np.uint64(8 * bit)) & np.uint64(0xFF))
                heaviest[b, g, m] = most
