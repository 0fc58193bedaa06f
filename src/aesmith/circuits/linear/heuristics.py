"""The published heuristics, baselines and starts of the search: Paar's (ISIT 1997), and Boyar and Peralta's (SEA 2010).

Paar's greedy algorithm shares the pair of signals that most rows have in common, without cancellation, within a depth.

Boyar and Peralta's allows cancellation and has no depth bound. The base is the set of signals made so far; the distance
of a row is the number of sums that it still needs if the base did not grow. Each step adds the sum of two signals that
lowers the total of the distances most. If a row is the sum of m signals but of no fewer, the sum of a and b lowers its
distance exactly if a and b are among the m signals of one such representation; so all shortest representations of each
row are kept, and every candidate is read off them.

With three-input XOR cells, sums of a finished program become part of the sums that use them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from aesmith.circuits.linear.program import LinearProgram, check_depth, input_levels
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix

HEAVIEST_ROW = 10
"""Rows of more ones have too many representations for the heuristic to end in reasonable time."""

Representation = frozenset[int]


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


def boyar_peralta(matrix: BitMatrix, seed: int = 0, tries: int = 1) -> LinearProgram:
    """The best of `tries` runs: fewest XORs, then least depth. Deterministic for a seed.

    Ties between sums go to the largest Euclidean norm of the distances, further ties to the first sum in the first
    try and to a random one in later tries. Raises RequestError if a row has more than `HEAVIEST_ROW` ones.
    """
    heaviest = max(matrix.row_weights, default=0)
    if heaviest > HEAVIEST_ROW:
        raise RequestError(
            f"boyar-peralta: rows must have at most {HEAVIEST_ROW} ones, not {heaviest}; paar and walk take any row"
        )
    source = random.Random(seed)
    programs = [_Base(matrix).run(source if attempt else None) for attempt in range(tries)]
    return min(programs, key=lambda program: (program.xors, program.depth))


class _Base:
    """The growing base and, for each row still to be made, its shortest representations as sets of forms."""

    def __init__(self, matrix: BitMatrix) -> None:
        self.matrix = matrix
        self.forms = [1 << j for j in range(matrix.width)]
        self.signal = {form: j for j, form in enumerate(self.forms)}
        self.sums: list[tuple[int, ...]] = []
        rows = dict.fromkeys(row for row in matrix.rows if row.bit_count() > 1)
        self.waiting: dict[int, set[Representation]] = {
            row: {frozenset(form for form in self.forms if form & row)} for row in rows
        }

    def run(self, source: random.Random | None) -> LinearProgram:
        while self.waiting:
            self._add(*self._choose(source))
        outputs = tuple(self.signal[row] if row else None for row in self.matrix.rows)
        return LinearProgram(self.matrix.width, tuple(self.sums), outputs)

    def _choose(self, source: random.Random | None) -> tuple[int, int]:
        near: dict[int, set[int]] = defaultdict(set)
        pair_of: dict[int, tuple[int, int]] = {}
        for row, representations in self.waiting.items():
            for representation in representations:
                for a, b in combinations(sorted(representation, key=self.signal.__getitem__), 2):
                    near[a ^ b].add(row)
                    pair_of.setdefault(a ^ b, (a, b))
        distance = {row: len(next(iter(found))) - 1 for row, found in self.waiting.items()}
        finished = [row for row, left in distance.items() if left == 1]
        if finished:
            return pair_of[finished[0]]

        def merit(form: int) -> tuple[int, int]:
            return len(near[form]), -sum(2 * distance[row] - 1 for row in near[form])

        most = max(merit(form) for form in near)
        equal = [form for form in near if merit(form) == most]
        return pair_of[source.choice(equal) if source else equal[0]]

    def _add(self, a: int, b: int) -> None:
        form = a ^ b
        self.sums.append((self.signal[a], self.signal[b]))
        self.signal[form] = len(self.forms)
        table = _SumTable(self.forms)
        self.forms.append(form)
        self.waiting.pop(form, None)
        for row, representations in self.waiting.items():
            size = len(next(iter(representations)))
            shorter = {
                (representation - {c, d}) | {form}
                for representation in representations
                for c, d in combinations(representation, 2)
                if c ^ d == form
            }
            if shorter:
                self.waiting[row] = shorter
            else:
                representations.update(rest | {form} for rest in table.representations(row ^ form, size - 1))


class _SumTable:
    """All ways to write a form as the sum of a given number of different signals, by meeting in the middle."""

    def __init__(self, forms: list[int]) -> None:
        self._forms = forms
        self._sums: dict[int, dict[int, list[Representation]]] = {}

    def representations(self, form: int, size: int) -> set[Representation]:
        small = size // 2
        found = set()
        left, right = self._of_size(small), self._of_size(size - small)
        for total, parts in left.items():
            for other in right.get(total ^ form, ()):
                for part in parts:
                    if not part & other:
                        found.add(part | other)
        return found

    def _of_size(self, size: int) -> dict[int, list[Representation]]:
        if size not in self._sums:
            sums: dict[int, list[Representation]] = defaultdict(list)
            for parts in combinations(self._forms, size):
                total = 0
                for part in parts:
                    total ^= part
                sums[total].append(frozenset(parts))
            self._sums[size] = sums
        return self._sums[size]


def check_cell_cost(xor3_cost: float) -> None:
    """Raises RequestError for a cost of the three-input cell that is not above 1 and at most 2 two-input cells."""
    if not 1 < xor3_cost <= 2:
        raise RequestError(
            f"xor3_cost: must be above 1 and at most 2 (the cost of a three-input XOR cell in two-input ones), "
            f"not {xor3_cost:g}"
        )


def with_three_input_cells(
    program: LinearProgram, xor3_cost: float, depth: int | None = None, arrivals: Sequence[int] | None = None
) -> LinearProgram:
    """The program with sums of two made into sums of three where that lowers the cost.

    A sum t = a + b that no output needs goes if each of its n users can add a and b itself: n two-input cells become
    three-input ones, which saves 1 - n·(xor3_cost - 1). The largest saving goes first, of equal ones that nearest to
    the inputs. With `depth`, a change that takes an output above the bound is not made; a three-input cell counts as
    two levels. Raises RequestError for a cost that is not above 1 and at most 2.
    """
    check_cell_cost(xor3_cost)
    width = program.width
    sums: list[tuple[int, ...] | None] = list(program.sums)
    needed = {out for out in program.outputs if out is not None}
    users: dict[int, list[int]] = {}
    for i, operands in enumerate(program.sums):
        for signal in operands:
            users.setdefault(signal, []).append(i)

    def saving(i: int) -> float:
        return 1 - len(users.get(width + i, ())) * (xor3_cost - 1)

    for i in sorted(range(len(sums)), key=lambda i: (-saving(i), i)):
        pair = sums[i]
        consumers = users.get(width + i, [])
        if saving(i) <= 1e-9 or width + i in needed or pair is None or len(pair) != 2 or not consumers:
            continue
        widened = {c: _widen(sums[c], width + i, pair) for c in consumers}
        if any(result is None for result in widened.values()):
            continue
        changed = [widened.get(c, kept) for c, kept in enumerate(sums)]
        changed[i] = None
        if depth is not None and max(_pack(program, changed).levels(arrivals), default=0) > depth:
            continue
        sums = changed
        for signal in pair:
            users[signal] = [user for user in users[signal] if user != i] + consumers
    return _pack(program, sums)


def _widen(operands: tuple[int, ...] | None, gone: int, by: tuple[int, ...]) -> tuple[int, ...] | None:
    """A sum with one of its two signals replaced by the two that it is made of; None if that is no sum of three."""
    if operands is None or len(operands) != 2:
        return None
    other = operands[0] if operands[1] == gone else operands[1]
    return None if other in by else (*by, other)


def _pack(program: LinearProgram, sums: Sequence[tuple[int, ...] | None]) -> LinearProgram:
    """The program of those sums that are left, renumbered."""
    number = {j: j for j in range(program.width)}
    packed: list[tuple[int, ...]] = []
    for i, operands in enumerate(sums):
        if operands is not None:
            number[program.width + i] = program.width + len(packed)
            packed.append(tuple(number[signal] for signal in operands))
    outputs = tuple(None if out is None else number[out] for out in program.outputs)
    return LinearProgram(program.width, tuple(packed), outputs)
