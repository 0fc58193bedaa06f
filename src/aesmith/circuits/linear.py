"""Linear circuits: a bit matrix as a straight-line program of XOR gates.

A program is a list of pair sums. Signals 0 to width-1 are the inputs, signal width+i is the i-th sum; row r of the
matrix is one signal (or the constant 0).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix


@dataclass(frozen=True)
class LinearProgram:
    """XOR straight-line program: `sums[i]` are the two signals that signal width+i adds; `outputs[r]` is the signal of
    row r, or None for a row of zeros."""

    width: int
    sums: tuple[tuple[int, int], ...]
    outputs: tuple[int | None, ...]

    @property
    def xors(self) -> int:
        """Number of XOR gates."""
        return len(self.sums)

    @property
    def depths(self) -> tuple[int, ...]:
        """XOR levels of each output; inputs and zeros have 0."""
        levels = [0] * self.width
        for a, b in self.sums:
            levels.append(max(levels[a], levels[b]) + 1)
        return tuple(0 if out is None else levels[out] for out in self.outputs)

    @property
    def depth(self) -> int:
        """Most XOR levels of any output."""
        return max(self.depths, default=0)

    @property
    def matrix(self) -> BitMatrix:
        """The matrix that the program computes."""
        forms = [1 << j for j in range(self.width)]
        for a, b in self.sums:
            forms.append(forms[a] ^ forms[b])
        return BitMatrix(tuple(0 if out is None else forms[out] for out in self.outputs), self.width)

    def place(self, builder: CircuitBuilder, inputs: Sequence[Wire], constant: int = 0) -> list[Wire]:
        """Put the program into a circuit; returns the output wires, those of ones in `constant` complemented.

        A complemented output whose last gate drives nothing else becomes an XNOR; otherwise it gets an inverter.
        """
        uses = [0] * (self.width + self.xors)
        for a, b in self.sums:
            uses[a] += 1
            uses[b] += 1
        for out in self.outputs:
            if out is not None:
                uses[out] += 1
        flipped = {
            out
            for r, out in enumerate(self.outputs)
            if out is not None and constant >> r & 1 and out >= self.width and uses[out] == 1
        }
        wires = list(inputs)
        for i, (a, b) in enumerate(self.sums):
            make = builder.xnor if self.width + i in flipped else builder.xor
            wires.append(make(wires[a], wires[b]))
        result = []
        for r, out in enumerate(self.outputs):
            complement = bool(constant >> r & 1)
            if out is None:
                result.append(builder.one() if complement else builder.zero())
            elif complement and out not in flipped:
                result.append(builder.not_(wires[out]))
            else:
                result.append(wires[out])
        return result

    def circuit(self, name: str, constant: int = 0) -> Circuit:
        """A circuit of its own with ports x and y."""
        builder = CircuitBuilder(name)
        x = builder.input("x", self.width)
        builder.output("y", self.place(builder, x, constant))
        return builder.build()


def smallest_depth(matrix: BitMatrix) -> int:
    """The fewest XOR levels that any program for the matrix can have: a row of weight w needs ceil(log2 w)."""
    return max((max(weight - 1, 0).bit_length() for weight in matrix.row_weights), default=0)


def paar(matrix: BitMatrix, depth: int | None = None, seed: int = 0, tries: int = 1) -> LinearProgram:
    """Paar's greedy algorithm (ISIT 1997): share the pair of signals that most rows have in common, repeatedly.

    Cancellation-free, ties broken at random, so several `tries` help; the fewest XORs win, then the least depth.
    With `depth`, no output has more XOR levels: a row may use a pair only while the sum of 2^level of its signals stays
    within 2^depth. Deterministic for a seed. Raises RequestError for a depth that no program can meet.
    """
    least = smallest_depth(matrix)
    if depth is not None and depth < least:
        heaviest = max(matrix.row_weights)
        raise RequestError(f"depth: must be at least {least} (a row has {heaviest} ones), not {depth}")
    source = random.Random(seed)
    programs = (_paar_once(matrix, depth, source if attempt else None) for attempt in range(tries))
    return min(programs, key=lambda program: (program.xors, program.depth))


def _paar_once(matrix: BitMatrix, depth: int | None, source: random.Random | None) -> LinearProgram:
    columns = list(matrix.transpose().rows)
    levels = [0] * matrix.width
    budget = None if depth is None else [(1 << depth) - weight for weight in matrix.row_weights]
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
