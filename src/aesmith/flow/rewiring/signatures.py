"""Signatures of nets, their levels in 4,096 random states: they tell of which nets a gate could be made.

Where a net is the XOR of two others, its signature is that of theirs, so for each first net a table tells the second
one, if there is any. Where it is an AND, with whichever levels inverted, it implies both, which few nets do.
"""

from __future__ import annotations

import numpy as np

from aesmith.flow.rewiring.cell_arrays import COMPLEMENTARY, FAMILY, INPUT_COUNT, OUTPUT_COUNT, CellArrays, Indices
from aesmith.flow.rewiring.edit_kernel import (
    ARRIVAL,
    FANIN,
    KIND,
    LEVEL,
    LOGIC,
    NOTHING,
    OUTPUT,
    READERS,
    REGISTER,
    VARIANT,
    NetlistArrays,
    Words,
    is_gate,
    next_word,
)
from aesmith.lazy import compiled, compiled_with_arrays

WORDS = 64
"""Words of 64 states in a signature."""
_MOST_ALIKE = 64
"""Places of the table that are looked at for one first net."""
_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
LEVELS_OF_LEAVES = np.array(
    [
        0xAAAAAAAAAAAAAAAA,
        0xCCCCCCCCCCCCCCCC,
        0xF0F0F0F0F0F0F0F0,
        0xFF00FF00FF00FF00,
        0xFFFF0000FFFF0000,
        0xFFFFFFFF00000000,
    ],
    dtype=np.uint64,
)
"""Levels of six variables in all 64 cases: bit c of word k is bit k of c."""


@compiled
def readable(net: NetlistArrays, wire: int) -> bool:
    """Whether a net is driven, and read by somebody."""
    return bool(net.slots[wire >> 1, KIND] not in (NOTHING, OUTPUT) and net.nets[wire, READERS] > 0)


@compiled
def known(cells: CellArrays, net: NetlistArrays, slot: int) -> bool:
    """Whether the function of a slot's only output is known."""
    variant = net.slots[slot, VARIANT]
    return bool(
        is_gate(net, slot)
        and cells.variants[variant, OUTPUT_COUNT] == 1
        and cells.variants[variant, INPUT_COUNT] <= 6
        and cells.function[cells.variants[variant, FAMILY]] != 0
    )


@compiled
def evaluated(table: np.uint64, inputs: Words, count: int) -> np.uint64:
    """64 values of a function at once; `table` is its truth table, `inputs` its inputs' values."""
    found = np.uint64(0)
    for row in range(1 << count):
        if (table >> np.uint64(row)) & np.uint64(1):
            term = _ONES
            for p in range(count):
                term &= inputs[p] if (row >> p) & 1 else ~inputs[p]
            found |= term
    return found


@compiled_with_arrays
def signatures(cells: CellArrays, net: NetlistArrays, order: Indices) -> Words:
    """For each net its levels in random states; `order` has the slots by their levels, lowest first."""
    words = np.zeros((2 * net.slots.shape[0], WORDS), dtype=np.uint64)
    state = net.random.copy()
    inputs = np.empty(6, dtype=np.uint64)
    for k in range(order.size):
        slot = order[k]
        kind = net.slots[slot, KIND]
        if kind in (NOTHING, OUTPUT):
            continue
        if kind == LOGIC and known(cells, net, slot):
            variant = net.slots[slot, VARIANT]
            count, table = cells.variants[variant, INPUT_COUNT], cells.function[cells.variants[variant, FAMILY]]
            for w in range(WORDS):
                for p in range(count):
                    inputs[p] = words[net.slots[slot, FANIN + p], w]
                words[2 * slot, w] = evaluated(table, inputs, count)
            continue
        mirrored = kind == REGISTER and cells.variants[net.slots[slot, VARIANT], COMPLEMENTARY] == 1
        for w in range(WORDS):
            words[2 * slot, w] = next_word(state)
            words[2 * slot + 1, w] = ~words[2 * slot, w] if mirrored else next_word(state)
    return words


@compiled_with_arrays
def digests_of(words: Words) -> Words:
    """A word for each signature, the sum of all its words turned by their number: that of a sum is the sum of both, and
    that of the inverse is the same, since they are even in number."""
    found = words[:, 0].copy()
    for wire in range(words.shape[0]):
        for w in range(1, WORDS):
            found[wire] ^= (words[wire, w] << np.uint64(w)) | (words[wire, w] >> np.uint64(64 - w))
    return found


@compiled
def place_of(digest: np.uint64, mask: int) -> int:
    """Where the search for a signature begins."""
    key = (digest ^ (digest >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    return int(key >> np.uint64(40)) & mask


@compiled_with_arrays
def indexed(net: NetlistArrays, digests: Words, order: Indices) -> Indices:
    """A table of all nets that are driven and read, by their signatures: -1 where there is none."""
    size = 1 << 10
    while size < 6 * order.size:
        size *= 2
    table = np.full(size, -1, dtype=np.int64)
    for k in range(order.size):
        for o in range(2):
            wire = 2 * order[k] + o
            if not readable(net, wire):
                continue
            at = place_of(digests[wire], size - 1)
            while table[at] >= 0:
                at = (at + 1) & (size - 1)
            table[at] = wire
    return table


@compiled
def second_of(  # noqa: PLR0917 - compiled code takes no keyword arguments
    net: NetlistArrays, words: Words, digests: Words, table: Indices, slot: int, first: int
) -> tuple[int, bool]:
    """The earliest net that is the slot's net, XOR the first one if that is not negative, and whether it is the inverse
    of it; -1 if there is none below the slot."""
    wire = 2 * slot
    mask = table.size - 1
    digest = digests[wire] ^ (digests[first] if first >= 0 else np.uint64(0))
    word = words[wire, 0] ^ (words[first, 0] if first >= 0 else np.uint64(0))
    at, best, inverse, earliest = place_of(digest, mask), -1, False, 0.0
    for _ in range(_MOST_ALIKE):
        other = table[at]
        if other < 0:
            break
        at = (at + 1) & mask
        if digests[other] != digest:
            continue
        if not readable(net, other) or other == first or net.slots[other >> 1, LEVEL] >= net.slots[slot, LEVEL]:
            continue
        difference = words[other, 0] ^ word
        if difference not in (np.uint64(0), _ONES):
            continue
        same = True
        for w in range(1, WORDS):
            found = words[other, w] ^ words[wire, w] ^ (words[first, w] if first >= 0 else np.uint64(0))
            if found != difference:
                same = False
                break
        if same:
            arrival = max(net.waves[other, ARRIVAL], net.waves[other, ARRIVAL + 1])
            if best < 0 or arrival < earliest:
                best, inverse, earliest = other, difference != np.uint64(0), arrival
    return best, inverse
