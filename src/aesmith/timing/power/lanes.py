"""Blocks in lanes: 64 blocks at a time as words for the bits of a port, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aesmith.timing.power.arrays import ALL_LANES, LANES, Words

Blocks = NDArray[np.uint8]


def to_words(blocks: Blocks) -> Words:
    """Words for the bits of a port, bit 0 first, from bytes (64, n): row l for lane l, most significant byte first."""
    bits = np.unpackbits(np.ascontiguousarray(blocks), axis=1)[:, ::-1]
    return np.packbits(bits.T, axis=1, bitorder="little").view("<u8").ravel().astype(np.uint64)


def to_blocks(words: Words) -> Blocks:
    """The inverse of `to_words`."""
    bits = np.unpackbits(words.astype("<u8").reshape(-1, 1).view(np.uint8), axis=1, bitorder="little")
    return np.packbits(bits.T[:, ::-1], axis=1)


def everywhere(level: bool) -> Words:
    """The word of a one-bit port that has the same level in all lanes."""
    return np.array([ALL_LANES if level else 0], dtype=np.uint64)


def lane_mask(lanes: NDArray[np.bool_]) -> np.uint64:
    """The word with a 1 for each of the 64 lanes that is true."""
    return np.uint64(sum(1 << lane for lane in range(LANES) if lanes[lane]))
