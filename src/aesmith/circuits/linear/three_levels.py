"""Programs of at most three XOR levels, by simulated annealing over how each row is written.

In three levels a row is the sum of two forms of at most two levels; such a form has at most four inputs and is one of
them, the sum of two, or the sum of two forms that are. So a program is a choice for each row, of two forms and of how
each of these is written, and costs a gate for every different form in use. An input outside the row may be in both
forms, where it cancels. Rows of five ones or more can be written in no other way, so that where all rows have as many,
these choices are all programs of three levels; lighter rows could cancel two inputs or more, which is left out.

The state is a choice for each row and the number of rows that use each form. Of the changes proposed half are of any
row to any way; the others are to a way that uses a form which some row uses already, since sharing is what saves gates.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aesmith.circuits.linear.node_set import Ints, Words, below
from aesmith.circuits.linear.program import LinearProgram, schedule
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.lazy import compiled

LEVELS = 3
HEAVIEST_FORM, HEAVIEST_ROW = 4, 8
"""Most inputs of a form of two levels, and of three."""

MOST_WAYS = 200_000
"""Maps whose rows can be written in more ways than that, all together, are not annealed."""

CHANGES_A_WAY = 400
HOTTEST, COLDEST = 0.8, 0.2
"""Temperatures in gates, the first and the last of a geometric series of `STAGES`."""

STAGES = 1000
_MOST_FORMS = 6
_CHANCES = 1 << 31

Indices = NDArray[np.int32]


@dataclass(frozen=True)
class Ways:
    """How each different row of two ones or more can be written. Bit j of a form is set if input j is in it.

    `forms` begins with the rows. Way w is of row `row_of[w]` and uses the forms `used[w]`, indices into `forms`, -1
    where there are fewer than six; the ways of row r are `first[r]` to `first[r + 1]` - 1, and those that use form f
    are `users[start[f] : start[f + 1]]`.
    """

    forms: tuple[int, ...]
    row_of: Indices
    used: Indices
    first: Indices
    users: Indices
    start: Indices


def ways_of(matrix: BitMatrix) -> Ways | None:
    """All ways of writing the rows of two ones or more; None if a row has more than eight, or there are too many."""
    rows = sorted({row for row in matrix.rows if row.bit_count() > 1})
    if any(row.bit_count() > HEAVIEST_ROW for row in rows):
        return None
    found: dict[int, int] = {row: index for index, row in enumerate(rows)}
    first, used = [0], []
    for row in rows:
        for forms in _ways(row, matrix.width):
            numbers = [found.setdefault(form, len(found)) for form in forms]
            used.append(numbers + [-1] * (_MOST_FORMS - len(numbers)))
        if len(used) > MOST_WAYS:
            return None
        first.append(len(used))
    table = np.array(used, np.int32).reshape(-1, _MOST_FORMS)
    ways, places = np.nonzero(table >= 0)
    order = np.argsort(table[ways, places], kind="stable")
    counts = np.bincount(table[ways, places], minlength=len(found))
    return Ways(
        tuple(found),
        np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(first)),
        table,
        np.array(first, np.int32),
        ways[order].astype(np.int32),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
    )


def _ways(row: int, width: int) -> Iterator[tuple[int, ...]]:
    """The forms of two ones or more that each way of writing a row uses."""
    if row.bit_count() == 2:
        yield ()
        return
    for a, b in operands(row, width):
        for below_a in _pairs(a):
            for below_b in _pairs(b):
                yield tuple(dict.fromkeys((*(form for form in (a, b) if form.bit_count() > 1), *below_a, *below_b)))


def operands(row: int, width: int) -> Iterator[tuple[int, int]]:
    """The pairs of forms of at most four inputs whose sum is the row, with at most one input that cancels."""
    outside = [0, *(1 << j for j in range(width) if not row >> j & 1)]
    part = row
    while part:
        part = (part - 1) & row
        for extra in outside:
            a, b = part | extra, (row ^ part) | extra
            if 0 < a < b and max(a.bit_count(), b.bit_count()) <= HEAVIEST_FORM:
                yield a, b


def _pairs(form: int) -> list[tuple[int, ...]]:
    """The ways of writing a form in two levels: the sums of two inputs that each uses."""
    inputs = [1 << j for j in range(form.bit_length()) if form >> j & 1]
    if len(inputs) < 3:
        return [()]
    lowest, *others = inputs
    if len(inputs) == 3:
        return [(form ^ single,) for single in inputs]
    return [(lowest | other, form ^ lowest ^ other) for other in others]


def annealed(matrix: BitMatrix, ways: Ways, source: random.Random) -> LinearProgram:
    """A program of `matrix` of at most three levels, inputs being at level 0, from its `ways_of`.

    `CHANGES_A_WAY` changes are proposed for each way. The same for the same state of `source` on every machine.
    """
    chances = np.array([_chances(stage / (STAGES - 1)) for stage in range(STAGES)], np.int64)
    state = np.array([source.randrange(1, 1 << 64)], np.uint64)
    sizes = np.diff(ways.first)
    chosen = np.array(
        [first + source.randrange(int(size)) for first, size in zip(ways.first, sizes, strict=False)], np.int64
    )
    uses = np.zeros(len(ways.forms), np.int64)
    uses[: len(chosen)] = 1  # the rows are there anyway
    for way in chosen:
        for form in ways.used[way]:
            uses[form] += form >= 0
    best = chosen.copy()
    changes = -(-CHANGES_A_WAY * len(ways.row_of) // STAGES)
    if len(chosen):
        _anneal(ways.used, ways.row_of, ways.first, ways.users, ways.start, chosen, uses, best, chances, state, changes)
    forms = {ways.forms[form] for way in best for form in ways.used[way] if form >= 0}
    return schedule([*(1 << j for j in range(matrix.width)), *sorted(forms | set(ways.forms[: len(best)]))], matrix)


def _chances(part: float) -> list[int]:
    """For 0 to six gates more, in how many of 2^31 cases a change is kept, at this part of the series.

    Whole numbers, so that it is the same on every machine.
    """
    temperature = HOTTEST * (COLDEST / HOTTEST) ** part
    return [round(_CHANCES * math.exp(-gates / temperature)) for gates in range(_MOST_FORMS + 1)]


@compiled
def _anneal(  # noqa: PLR0917 - compiled code takes no keyword arguments
    used: Indices,
    row_of: Indices,
    first: Indices,
    users: Indices,
    start: Indices,
    chosen: Ints,
    uses: Ints,
    best: Ints,
    chances: Ints,
    source: Words,
    changes: int,
) -> None:
    """Propose `changes` in each stage; `best` becomes the cheapest of all choices seen."""
    height = chosen.size
    gates, fewest = 0, 0
    for stage in range(chances.shape[0]):
        for _ in range(changes):
            row = below(source, height)
            if below(source, 2) == 0:
                way = first[row] + below(source, first[row + 1] - first[row])
            else:
                form = used[chosen[row], below(source, used.shape[1])]
                if form < 0:
                    continue
                way = users[start[form] + below(source, start[form + 1] - start[form])]
                row = row_of[way]
            old = chosen[row]
            if way == old:
                continue
            more = _count(used, old, uses, -1) + _count(used, way, uses, 1)
            if more > 0 and below(source, 1 << 31) >= chances[stage, more]:
                _count(used, way, uses, -1)
                _count(used, old, uses, 1)
                continue
            chosen[row] = way
            gates += more
            if gates < fewest:
                fewest = gates
                for i in range(height):
                    best[i] = chosen[i]


@compiled
def _count(used: Indices, way: int, uses: Ints, step: int) -> int:
    """Count a way's forms as used once more (`step` 1) or less (-1); returns by how many gates the program grows."""
    grown = 0
    for place in range(used.shape[1]):
        form = used[way, place]
        if form >= 0:
            uses[form] += step
            if step > 0 and uses[form] == 1:
                grown += 1
            elif step < 0 and uses[form] == 0:
                grown -= 1
    return grown


def is_three_levels(depth: int | None, arrivals: Sequence[int]) -> bool:
    """Whether a request is for what is annealed here."""
    return depth == LEVELS and not any(arrivals)
