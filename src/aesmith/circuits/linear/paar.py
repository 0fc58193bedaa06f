"""Paar's greedy algorithm: the published baseline, and the start of the search."""

from __future__ import annotations

import random
from collections.abc import Sequence

from aesmith.circuits.linear.program import LinearProgram, check_depth, input_levels
from aesmith.fields.bitmatrix import BitMatrix


def paar(
    matrix: BitMatrix,
    depth: int | None = None,
    seed: int = 0,
    tries: int = 1,
    arrivals: Sequence[int] | None = None,
) -> LinearProgram:
    """Paar's greedy algorithm (ISIT 1997): share the pair of signals that most rows have in common, repeatedly.

    Cancellation-free. The first try takes the first of equal pairs, later ones a random one, so several `tries` help;
    the fewest XORs win, then the least depth. With `depth`, no output has more XOR levels, inputs starting at their
    `arrivals`: a row may use a pair only while the sum of 2^level of its signals stays within 2^depth. Deterministic
    for a seed. Raises RequestError for a depth that no program can meet.
    """
    check_depth(matrix, depth, arrivals)
    levels = input_levels(matrix.width, arrivals)
    source = random.Random(seed)
    programs = [greedy(matrix, depth, levels, source if attempt else None) for attempt in range(tries)]
    return min(programs, key=lambda program: (program.xors, max(program.levels(levels), default=0)))


def greedy(
    matrix: BitMatrix, depth: int | None, arrivals: Sequence[int], source: random.Random | None
) -> LinearProgram:
    """One run of `paar`: ties go to the first pair, or to a random one of `source`."""
    columns = list(matrix.transpose().rows)
    levels = list(arrivals)
    budget = None
    if depth is not None:
        loads = [sum(1 << levels[j] for j in range(matrix.width) if row >> j & 1) for row in matrix.rows]
        budget = [(1 << depth) - load for load in loads]
    sums: list[tuple[int, int]] = []
    while True:
        best = 0
        pairs: list[tuple[int, int, int]] = []
        for b in range(len(columns)):
            if not columns[b]:
                continue
            for a in range(b):
                common = columns[a] & columns[b]
                if common.bit_count() < max(best, 1):
                    continue
                if budget is not None:
                    common = _affordable(common, _extra(levels[a], levels[b]), budget)
                    if common.bit_count() < max(best, 1):
                        continue
                if common.bit_count() > best:
                    best, pairs = common.bit_count(), []
                pairs.append((a, b, common))
        if not pairs:
            break
        a, b, common = source.choice(pairs) if source else pairs[0]
        if budget is not None:
            extra = _extra(levels[a], levels[b])
            for row in range(matrix.height):
                if common >> row & 1:
                    budget[row] -= extra
        columns[a] &= ~common
        columns[b] &= ~common
        columns.append(common)
        levels.append(max(levels[a], levels[b]) + 1)
        sums.append((a, b))
    outputs: list[int | None] = [None] * matrix.height
    for signal, rows in enumerate(columns):
        for row in range(matrix.height):
            if rows >> row & 1:
                outputs[row] = signal
    return LinearProgram(matrix.width, tuple(sums), tuple(outputs))


def _extra(a: int, b: int) -> int:
    """What adding signals of levels a and b costs a row's depth budget, in units of 2^level."""
    return (2 << max(a, b)) - (1 << a) - (1 << b)


def _affordable(rows: int, extra: int, budget: list[int]) -> int:
    if not extra:
        return rows
    return sum(1 << row for row, left in enumerate(budget) if rows >> row & 1 and left >= extra)
