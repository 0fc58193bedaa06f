"""Circuits as straight-line programs in the notation of Boyar and Peralta.

A program is a text of statements `Z=X+Y`, `Z=X&Y` and `Z=X#Y` (XOR, AND, XNOR), apart by white space, each of signals
that are there before it. Inputs are U0 to U7 and outputs are eight signals; number 0 is the most significant bit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.errors import RequestError

_STATEMENT = re.compile(r"(\w+)=(\w+)([+&#])(\w+)")


def straight_line(name: str, program: str, outputs: Sequence[str]) -> Circuit:
    """The program as a circuit from `x` to `y` (8 bits each), a gate a statement.

    Raises RequestError for what is no statement, and for a signal that is not there or is given twice.
    """
    builder = CircuitBuilder(name)
    signals = {f"U{7 - bit}": wire for bit, wire in enumerate(builder.input("x", 8))}
    for statement in program.split():
        parts = _STATEMENT.fullmatch(statement)
        if parts is None:
            raise RequestError(f"{name}: {statement!r} is not a statement such as T1=U0+U3")
        target, left, operator, right = parts.groups()
        if target in signals or left not in signals or right not in signals:
            raise RequestError(f"{name}: {statement}: a signal is given twice, or not there")
        gate = {"+": builder.xor, "&": builder.and_, "#": builder.xnor}[operator]
        signals[target] = gate(signals[left], signals[right])
    builder.output("y", [signals[output] for output in reversed(outputs)])
    return builder.build()
