"""Resubstitution by products: a gate becomes an AND of two nets near it, with whichever levels inverted.

Where circuits are made of AND gates, as S-boxes from a table are, moves of a few gates do not see what don't-cares
allow: that a gate's net is the AND of two others that it is not made of. Candidates are the nets of a window around the
gate, those that drive it and those that read what drives it; by their signatures most are no operands, since a product
implies both. What signatures suggest is shown and kept as in `resubstitution.py`.
"""

from __future__ import annotations

import numpy as np

from aesmith.flow.rewiring.cell_arrays import FAMILY, INPUT_COUNT, OUTPUT_COUNT, PINS, CellArrays, Floats, Indices
from aesmith.flow.rewiring.edit_kernel import (
    ARRIVAL,
    FANIN,
    HEAD,
    KIND,
    LEVEL,
    LOGIC,
    NEXT,
    READERS,
    WEIGHT,
    NetlistArrays,
    Words,
)
from aesmith.flow.rewiring.resubstitution import may_be_another, most_gain, reads, won
from aesmith.flow.rewiring.signatures import WORDS, readable, signatures
from aesmith.lazy import compiled, compiled_with_arrays

_WINDOW = 256
"""Nets of a window, at most."""
_MOST_READERS = 16
"""What reads a net that more than these read is not in a window by that."""
_OPERANDS = 64
"""Nets that may be an operand of a product, at most."""
_MOST_PRODUCTS = 8
"""Products that are tried for one gate, at most."""
_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled_with_arrays
def become_products(cells: CellArrays, net: NetlistArrays, step: float, factor: float) -> Floats:
    """Make gates the products of two other nets where that costs less: how many were tried, how many won, and how much
    (GE).

    Figures are to be those of `refresh`, and are afterwards those of `propagate` with this `step`. No load becomes more
    than `factor` times its limit.
    """
    order = np.argsort(net.slots[:, LEVEL], kind="mergesort")
    words = signatures(cells, net, order)
    products = product_cells(cells)
    tally = np.zeros(3)
    if products.size == 0:
        return tally
    seen = np.full(2 * net.slots.shape[0], -1, dtype=np.int64)
    window = np.empty(_WINDOW, dtype=np.int64)
    operands, counts = np.empty((4, _OPERANDS), dtype=np.int64), np.empty(4, dtype=np.int64)
    wires = np.empty(3, dtype=np.int64)
    for at in range(order.size):
        slot = order[at]
        if may_be_another(cells, net, slot) and most_gain(cells, net, slot) >= cells.areas[products[0]]:
            count = _window(net, slot, window, seen)
            _find_operands(net, words, window[:count], slot, operands, counts)
            wires[0] = 2 * slot
            _become_product(cells, net, words, products, operands, counts, wires, step, factor, tally)
    return tally


@compiled_with_arrays
def product_cells(cells: CellArrays) -> Indices:
    """The smallest cell of each function of two inputs that is an AND, with levels inverted; in order of area."""
    found = np.empty(cells.member_first.size, dtype=np.int64)
    count = 0
    for family in range(cells.member_first.size - 1):
        variant = cells.members[cells.member_first[family]]
        of_two = cells.variants[variant, INPUT_COUNT] == 2 and cells.variants[variant, OUTPUT_COUNT] == 1
        if of_two and product_of(int(cells.function[family])) >= 0:
            at = count
            while at > 0 and cells.areas[found[at - 1]] > cells.areas[variant]:
                found[at] = found[at - 1]
                at -= 1
            found[at] = variant
            count += 1
    return found[:count]


@compiled
def product_of(table: int) -> int:
    """Of a truth table of two inputs that is an AND what is inverted: the result (4), the first input (2), the second
    (1); -1 if it is none."""
    for inverted in range(2):
        for row in range(4):
            if table ^ (15 * inverted) == 1 << row:
                return 4 * inverted + 2 * (1 - (row & 1)) + 1 - (row >> 1)
    return -1


@compiled
def _window(net: NetlistArrays, slot: int, window: Indices, seen: Indices) -> int:
    """The nets around a gate and below it, nearest first, and how many: what drives it, what reads that, and so on.

    `seen[net]` is the last slot in whose window it was.
    """
    count, level = 0, net.slots[slot, LEVEL]
    seen[2 * slot] = seen[2 * slot + 1] = slot
    at = -1
    while at < count < window.size:
        driver = slot if at < 0 else window[at] >> 1
        if net.slots[driver, KIND] == LOGIC:
            for p in range(PINS):
                wire = net.slots[driver, FANIN + p]
                if wire >= 0 and seen[wire] != slot and count < window.size:
                    seen[wire] = slot
                    window[count] = wire
                    count += 1
        if at >= 0 and net.nets[window[at], READERS] <= _MOST_READERS:
            pin = net.nets[window[at], HEAD]
            while pin >= 0 and count < window.size:
                wire = 2 * (pin // PINS)
                if net.slots[wire >> 1, KIND] == LOGIC and net.slots[wire >> 1, LEVEL] < level and seen[wire] != slot:
                    seen[wire] = slot
                    window[count] = wire
                    count += 1
                pin = net.pins[pin, NEXT]
        at += 1
    return count


@compiled
def _find_operands(  # noqa: PLR0917 - compiled code takes no keyword arguments
    net: NetlistArrays, words: Words, window: Indices, slot: int, operands: Indices, counts: Indices
) -> None:
    """The nets of a window that a product which the slot's net is, or its inverse, may have as operands.

    `operands[2 i + j]` gets the first nets whose level XOR j is 1 wherever that of the slot's net XOR i is, and
    `counts` how many these are. If the slot is on a path that is worth speed, they are earlier than its net.
    """
    wire = 2 * slot
    latest = max(net.waves[wire, ARRIVAL], net.waves[wire, ARRIVAL + 1]) if net.waves[wire, WEIGHT] > 0.0 else np.inf
    counts[:] = 0
    for k in range(window.size):
        other = window[k]
        early = max(net.waves[other, ARRIVAL], net.waves[other, ARRIVAL + 1]) < latest
        if not early or not readable(net, other) or net.slots[other >> 1, LEVEL] >= net.slots[slot, LEVEL]:
            continue
        for how in range(4):
            flip, inverse = _ONES * np.uint64(how >> 1), _ONES * np.uint64(how & 1)
            w = 0
            while w < WORDS and (words[wire, w] ^ flip) & ~(words[other, w] ^ inverse) == np.uint64(0):
                w += 1
            if w == WORDS and counts[how] < operands.shape[1]:
                operands[how, counts[how]] = other
                counts[how] += 1


@compiled
def _is_product(words: Words, wire: int, how: int, first: int, second: int) -> bool:
    """Whether by the signatures a net is the product of two others, inverted as `product_of` says."""
    result, one, other = _ONES * np.uint64(how >> 2), _ONES * np.uint64(how >> 1 & 1), _ONES * np.uint64(how & 1)
    w = 0
    while w < WORDS and words[wire, w] ^ result == (words[first, w] ^ one) & (words[second, w] ^ other):
        w += 1
    return w == WORDS


@compiled
def _become_product(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays,
    net: NetlistArrays,
    words: Words,
    products: Indices,
    operands: Indices,
    counts: Indices,
    wires: Indices,
    step: float,
    factor: float,
    tally: Floats,
) -> bool:
    """Make the gate of `wires[0]` a product of two of its operands, the first one that wins, if any does."""
    tries = 0
    for k in range(products.size):
        how = product_of(int(cells.function[cells.variants[products[k], FAMILY]]))
        ones, others = 2 * (how >> 2) + (how >> 1 & 1), 2 * (how >> 2) + (how & 1)
        for i in range(counts[ones]):
            for j in range(i + 1 if ones == others else 0, counts[others]):
                first, second = operands[ones, i], operands[others, j]
                if first == second or reads(cells, net, wires[0] >> 1, first, second):
                    continue
                if not _is_product(words, wires[0], how, first, second):
                    continue
                if tries == _MOST_PRODUCTS:
                    return False
                tries += 1
                wires[1], wires[2] = first, second
                if won(cells, net, wires, products[k], step, factor, tally):
                    return True
    return False
