"""Three-input XOR cells: which sums of a program to make part of the sums that use them."""

from __future__ import annotations

from collections.abc import Sequence

from aesmith.circuits.linear.program import LinearProgram
from aesmith.errors import RequestError


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
