"""From a set of linear forms to a program: put them in an order, shallowest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aesmith.circuits.linear.program import LinearProgram, input_levels
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix


def schedule(forms: Iterable[int], matrix: BitMatrix, arrivals: Sequence[int] | None = None) -> LinearProgram:
    """The program of the matrix whose signals are `forms` (bit j = input j; input forms may be among them).

    Each form is made at its earliest level, from two others of the set or inputs; forms that no output needs are
    left out. Raises RequestError if a row of the matrix cannot be reached by sums of two forms of the set.
    """
    width = matrix.width
    levels = input_levels(width, arrivals)
    units = [1 << j for j in range(width)]
    waiting = dict.fromkeys(form for form in forms if form.bit_count() > 1)
    made: dict[int, tuple[int, int]] = {}
    ready: list[int] = []
    available: set[int] = set()
    level_of = dict(zip(units, levels, strict=True))
    level = -1
    while True:
        level += 1
        entering = [form for form, at in level_of.items() if at == level]
        if not entering and level > max(level_of.values()):
            break
        for form in entering:
            for other in ready:
                total = form ^ other
                if total in waiting and total not in level_of:
                    level_of[total] = level + 1
                    made[total] = (other, form)
            ready.append(form)
            available.add(form)
    targets = [row for row in matrix.rows if row]
    if missing := [row for row in targets if row not in level_of]:
        raise RequestError(f"linear program: the forms do not reach row {matrix.rows.index(missing[0])} of the matrix")
    live = set(targets)
    for form in reversed(list(made)):
        if form in live:
            live.update(made[form])
    signal = {form: j for j, form in enumerate(units)}
    sums: list[tuple[int, ...]] = []
    for form, (a, b) in made.items():
        if form in live:
            signal[form] = width + len(sums)
            sums.append((signal[a], signal[b]))
    return LinearProgram(width, tuple(sums), tuple(signal[row] if row else None for row in matrix.rows))
