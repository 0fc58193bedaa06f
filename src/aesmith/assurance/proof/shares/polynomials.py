"""Polynomials over GF(2), none with a square: sets of products, each a set of factors, which may be of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from aesmith.assurance.proof.netlist import NetlistOp

T = TypeVar("T")


def one() -> frozenset[frozenset[T]]:
    """The product without factors. 0 is the empty set, and a sum the symmetric difference."""
    return frozenset((frozenset(),))


def times(a: frozenset[frozenset[T]], b: frozenset[frozenset[T]]) -> frozenset[frozenset[T]]:
    """The product."""
    total: set[frozenset[T]] = set()
    for left in a:
        for right in b:
            total ^= {left | right}
    return frozenset(total)


def of_gate(op: NetlistOp, args: Sequence[frozenset[frozenset[T]]]) -> frozenset[frozenset[T]]:
    """What a gate makes of its inputs' polynomials."""
    match op:
        case NetlistOp.NOT:
            return args[0] ^ one()
        case NetlistOp.XOR:
            return args[0] ^ args[1]
        case NetlistOp.AND:
            return times(args[0], args[1])
        case NetlistOp.OR:
            return args[0] ^ args[1] ^ times(args[0], args[1])
        case NetlistOp.MUX:
            return args[1] ^ times(args[0], args[1] ^ args[2])
