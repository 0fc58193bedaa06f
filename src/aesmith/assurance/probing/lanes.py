"""Kernels of sampling: a netlist 64 cases a word and many words at a time, without delays, and tables of what is seen.

`level[n]` are the words of net n; of probes, rows after the nets' are sources in the clock before. Words have classes,
the kind of secrets that their cases have.
"""

from __future__ import annotations

import numpy as np

from aesmith.lazy import compiled, compiled_with_arrays
from aesmith.timing.power.arrays import Bytes, Ints, Longs, Shorts, Words

NOT, AND, OR, XOR, MUX = range(5)

_PLANES = 10
_LOW_HALF, _LOW_QUARTERS, _LOW_EIGHTHS = (
    np.uint64(0x00000000FFFFFFFF),
    np.uint64(0x0000FFFF0000FFFF),
    np.uint64(0x00FF00FF00FF00FF),
)
_BY_1, _BY_2, _BY_4 = np.uint64(0x00AA00AA00AA00AA), np.uint64(0x0000CCCC0000CCCC), np.uint64(0x00000000F0F0F0F0)
_S7, _S14, _S28 = np.uint64(7), np.uint64(14), np.uint64(28)
_S8, _S16, _S32 = np.uint64(8), np.uint64(16), np.uint64(32)
_FIVES, _THREES, _NIBBLES, _EACH = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)
_BYTE, _NONE = np.uint64(255), np.uint64(0)


@compiled
def settle(gates: Shorts, level: Words) -> None:
    """Compute the gates in their order: a row has operation, inputs, output."""
    words = level.shape[1]
    for g in range(gates.shape[0]):
        op = gates[g, 0]
        a, b, c, out = level[gates[g, 1]], level[gates[g, 2]], level[gates[g, 3]], level[gates[g, 4]]
        if op == XOR:
            for w in range(words):
                out[w] = a[w] ^ b[w]
        elif op == AND:
            for w in range(words):
                out[w] = a[w] & b[w]
        elif op == OR:
            for w in range(words):
                out[w] = a[w] | b[w]
        elif op == NOT:
            for w in range(words):
                out[w] = ~a[w]
        else:
            for w in range(words):
                out[w] = b[w] ^ (a[w] & (b[w] ^ c[w]))


@compiled_with_arrays
def _spread(rows: Words, count: int, index: Ints) -> None:
    """Set `index[l]` to bit l of rows 0 to count - 1, row 0 the least significant: a matrix of bits transposed."""
    for l in range(64):  # noqa: E741
        index[l] = 0
    x = np.zeros(8, dtype=np.uint64)
    for first in range(0, count, 8):
        for k in range(8):
            x[k] = rows[first + k] if first + k < count else _NONE
        for k in range(4):
            t = ((x[k] >> _S32) ^ x[k + 4]) & _LOW_HALF
            x[k] ^= t << _S32
            x[k + 4] ^= t
        for k in (0, 1, 4, 5):
            t = ((x[k] >> _S16) ^ x[k + 2]) & _LOW_QUARTERS
            x[k] ^= t << _S16
            x[k + 2] ^= t
        for k in (0, 2, 4, 6):
            t = ((x[k] >> _S8) ^ x[k + 1]) & _LOW_EIGHTHS
            x[k] ^= t << _S8
            x[k + 1] ^= t
        for k in range(8):
            y = x[k]
            t = (y ^ (y >> _S7)) & _BY_1
            y ^= t ^ (t << _S7)
            t = (y ^ (y >> _S14)) & _BY_2
            y ^= t ^ (t << _S14)
            t = (y ^ (y >> _S28)) & _BY_4
            y ^= t ^ (t << _S28)
            for l in range(8):  # noqa: E741
                index[8 * k + l] |= np.int64((y >> np.uint64(8 * l)) & _BYTE) << first


@compiled
def _ones(x: np.uint64) -> np.uint32:
    """How many bits of a word are 1."""
    x -= (x >> np.uint64(1)) & _FIVES
    x = (x & _THREES) + ((x >> np.uint64(2)) & _THREES)
    x = (x + (x >> np.uint64(4))) & _NIBBLES
    return np.uint32((x * _EACH) >> np.uint64(56))


@compiled_with_arrays
def tally(  # noqa: PLR0917 - compiled code takes no keyword arguments
    level: Words,
    classes: Bytes,
    probes: Ints,
    elements: Ints,
    rows: Shorts,
    size: int,
    counts: Longs,
) -> None:
    """Add what is seen in a clock to `counts`.

    A probe is a row of first and last element, 1 if they are weighed, and its place in the counts of a class, which
    are `size`; element e is the sum of the rows of `level` in `rows[elements[e] : elements[e + 1]]`.
    """
    words = level.shape[1]
    index = np.zeros(64, dtype=np.int64)
    seen = np.zeros((_PLANES + 1, words), dtype=np.uint64)
    waiting = np.zeros((_PLANES, words), dtype=np.uint64)
    waits = np.zeros(_PLANES, dtype=np.bool_)
    carry = np.zeros(words, dtype=np.uint64)
    column = np.zeros(_PLANES + 1, dtype=np.uint64)
    for p in range(probes.shape[0]):
        first, last, weighed, place = probes[p, 0], probes[p, 1], probes[p, 2], probes[p, 3]
        count = last - first
        if weighed:
            # Two elements and what a plane has make its new bit and a carry (a full adder); one waits for the other.
            count = 1
            while (1 << count) <= last - first:
                count += 1
            seen[:count] = 0
            waits[:] = False
        for e in range(first, last):
            target = carry if weighed else seen[e - first]
            target[:] = level[rows[elements[e]]]
            for k in range(elements[e] + 1, elements[e + 1]):
                other = level[rows[k]]
                for w in range(words):
                    target[w] ^= other[w]
            plane = 0
            while weighed:
                if not waits[plane]:
                    waiting[plane] = carry
                    waits[plane] = True
                    break
                own, kept = seen[plane], waiting[plane]
                for w in range(words):
                    a, b, c = own[w], kept[w], carry[w]
                    both = a ^ b
                    own[w] = both ^ c
                    carry[w] = (a & b) | (both & c)
                waits[plane] = False
                plane += 1
        if weighed:
            for start in range(count):
                if not waits[start]:
                    continue
                carry[:] = waiting[start]
                for plane in range(start, count):
                    own = seen[plane]
                    for w in range(words):
                        a = own[w]
                        own[w] = a ^ carry[w]
                        carry[w] &= a
        for w in range(words):
            base = classes[w] * size + place
            if count <= 2 and not weighed:
                # Few values are counted by words.
                a = seen[0, w]
                b = seen[1, w] if count == 2 else _NONE
                high, second, both = _ones(a), _ones(b), _ones(a & b)
                counts[base] += np.uint32(64) - high - second + both
                counts[base + 1] += high - both
                if count == 2:
                    counts[base + 2] += second - both
                    counts[base + 3] += both
                continue
            for k in range(count):
                column[k] = seen[k, w]
            _spread(column, count, index)
            for l in range(64):  # noqa: E741
                counts[base + index[l]] += np.uint32(1)


@compiled
def count_ones(level: Words, classes: Bytes, nets: Ints, ones: Longs) -> None:
    """Add to `ones[class, 2 * k]` the cases in which net `nets[k]` is 0, to the next those in which it is 1."""
    for k in range(len(nets)):
        row = level[nets[k]]
        for w in range(len(row)):
            high = _ones(row[w])
            ones[classes[w], 2 * k] += np.uint32(64) - high
            ones[classes[w], 2 * k + 1] += high


@compiled_with_arrays
def compare(counts: Longs, places: Ints, sizes: Ints, least: float, found: np.ndarray) -> None:
    """G of each table of `counts[class]`, and its degrees of freedom, into `found[table]`.

    Cells of which fewer than `least` cases are expected in some class are taken together, and with the next smallest
    cell if they are too few even so. A table with one cell left has no degree of freedom.
    """
    classes = counts.shape[0]
    rows = np.zeros(classes)
    pool = np.zeros(classes)
    for t in range(len(places)):
        start, end = places[t], places[t] + sizes[t]
        rows[:] = 0
        pool[:] = 0
        for c in range(classes):
            for cell in range(start, end):
                rows[c] += counts[c, cell]
        total = rows.sum()
        share = rows.min() / total if total > 0 else 0.0
        g, cells = 0.0, 0
        for cell in range(start, end):
            column = 0.0
            for c in range(classes):
                column += counts[c, cell]
            if column * share < least:
                for c in range(classes):
                    pool[c] += counts[c, cell]
                continue
            cells += 1
            for c in range(classes):
                if counts[c, cell] > 0:
                    g += counts[c, cell] * np.log(counts[c, cell] * total / (column * rows[c]))
        pooled = pool.sum()
        if pooled * share >= least:
            cells += 1
            for c in range(classes):
                if pool[c] > 0:
                    g += pool[c] * np.log(pool[c] * total / (pooled * rows[c]))
        elif pooled > 0 and cells > 0:
            # Too few to be a cell: they are left out, and with them what they add to the sums of the others.
            g = 0.0
            kept = total - pooled
            for cell in range(start, end):
                column = 0.0
                for c in range(classes):
                    column += counts[c, cell]
                if column * share < least:
                    continue
                for c in range(classes):
                    if counts[c, cell] > 0:
                        g += counts[c, cell] * np.log(counts[c, cell] * kept / (column * (rows[c] - pool[c])))
        found[t, 0] = max(2.0 * g, 0.0)
        found[t, 1] = (classes - 1) * max(cells - 1, 0)
