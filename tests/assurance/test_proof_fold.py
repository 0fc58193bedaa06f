"""A choice among bits of a share is a sum of them where no two of its flags are ever both 1, and else refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aesmith.assurance.proof.netlist import TRUE, Gate, Netlist, NetlistOp, Register
from aesmith.assurance.proof.shares.exclusive import exclusive
from aesmith.assurance.proof.shares.fold import Shared, fold
from aesmith.errors import CheckError

AND, OR, NOT = NetlistOp.AND, NetlistOp.OR, NetlistOp.NOT
TURN, FIRST = 2, 3
"""Inputs that say which of three bits of a share is meant."""

Flags = Sequence[Sequence[int]]
"""For each choice the nets of which it is the AND; a negative one is its complement."""

APART: Flags = ((TURN,), (-TURN, FIRST), (-TURN, -FIRST))


def choosing(flags: Flags) -> tuple[Netlist, Shared, list[int]]:
    """One of three bits of a share, and the same in a second share: (f0 & x) | (f1 & y) | (f2 & z). And the flags."""
    inputs = {"control": (TURN, FIRST), "of_0": (4, 5, 6), "of_1": (7, 8, 9)}
    gates = [Gate(NOT, (TURN,), 10), Gate(NOT, (FIRST,), 11)]

    def gate(op: NetlistOp, *read: int) -> int:
        gates.append(Gate(op, read, 10 + len(gates)))
        return gates[-1].output

    chosen = []
    for factors in flags:
        net = TRUE
        for factor in factors:
            net = gate(AND, net, factor if factor > 0 else 8 - factor)
        chosen.append(net)
    results = []
    for name in ("of_0", "of_1"):
        terms = [gate(AND, flag, bit) for flag, bit in zip(chosen, inputs[name], strict=True)]
        results.append(gate(OR, gate(OR, terms[0], terms[1]), terms[2]))
    outputs = {"result": tuple(results)}
    netlist = Netlist("choice", inputs, outputs, tuple(gates), (), {})
    entering = [{("x", i): net for i, net in enumerate(inputs[name])} for name in ("of_0", "of_1")]
    leaving = [{("result", 0): net} for net in results]
    return netlist, Shared(entering, leaving, frozenset()), chosen


def test_flags_that_are_apart_make_a_sum() -> None:
    netlist, shared, _ = choosing(APART)
    assert fold(netlist, shared).leaving.keys() == {("result", 0)}


@pytest.mark.parametrize(
    "flags", [(APART[0], APART[1], (-TURN,)), (APART[0], (FIRST,), APART[2]), (APART[0], APART[1], (-FIRST,))]
)
def test_each_two_flags_that_can_meet_make_a_product(flags: Flags) -> None:
    with pytest.raises(CheckError, match="is a product of two bits of share 0"):
        fold(*choosing(flags)[:2])


def test_flags_are_apart_by_their_gates_whatever_registers_hold() -> None:
    netlist, _, (turn, first, other) = choosing(APART)
    pairs = {(turn, first), (first, other), (turn, turn)}
    assert exclusive(netlist, pairs) == {(turn, first), (first, other)}


def test_flags_that_are_apart_in_each_state_that_is_reached() -> None:
    """Two registers change places; reset makes them unlike, or does not."""
    for reset, shown in ((0, {(2, 3)}), (None, set())):
        registers = (Register("a", 3, 2, 1), Register("b", 2, 3, reset))
        netlist = Netlist("turn", {}, {"both": (2, 3)}, (), registers, {})
        assert exclusive(netlist, {(2, 3)}) == shown
