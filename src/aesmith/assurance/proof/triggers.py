"""Keys and blocks on which a core is likely to be wrong, where random ones show nothing.

A core that is wrong for one value only has a product of bits of different bytes, which no core of AES needs: the engine
does not know it. On the way to the broken rule the known factors of such products are noted, clock by clock. Where they
are sums of bits of key and block, a key and a block that make them all 1 are the solution of linear equations.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aesmith.assurance.proof.algebra import Algebra
from aesmith.assurance.proof.explore import Explorer, Violation
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.ports import BlockPorts
from aesmith.assurance.proof.tokens import Tokens

MOST = 16
"""Triggers made for one violation."""

_BLOCK = 8 * 32
"""The number of the first bit of the block in the equations: the longest key comes before it."""


@dataclass(frozen=True)
class Trigger:
    """A key of the longest size, of which shorter ones are the beginning, and a block."""

    key: bytes
    block: bytes


def triggers(netlist: Netlist, ports: BlockPorts, violation: Violation, seed: int = 1) -> Iterator[Trigger]:
    """For each clock on the way to the violation that has such products, the last first."""
    tokens = Tokens()
    chance = random.Random(seed)
    clocks = Explorer(netlist, ports, tokens).unknown_factors(violation)
    for factors in [factors for factors in reversed(clocks) if factors][:MOST]:
        bits = _solution([_equation(tokens.algebra, factor) for factor in factors], chance)
        yield Trigger(_bytes(bits[:_BLOCK]), _bytes(bits[_BLOCK:]))


def _equation(algebra: Algebra, factor: int) -> int:
    """`factor` = 1 in the bits of a key, a block and (bit 0) a constant, as what must be 0; 0 if it has others.

    All keys of the run are one, and all blocks.
    """
    bits = algebra.input_bits(factor)
    if bits is None:
        return 0
    equation = (factor & 1) ^ 1
    for (what, *_), index in bits:
        equation ^= 1 << 1 + index + (_BLOCK if what == "block" else 0)
    return equation


def _solution(equations: Sequence[int], chance: random.Random) -> list[int]:
    """Bits that solve the equations, of which those that contradict the ones before are left out."""
    rows: dict[int, int] = {}
    for equation in equations:
        rest = equation
        while rest > 1 and rest.bit_length() in rows:
            rest ^= rows[rest.bit_length()]
        if rest > 1:
            rows[rest.bit_length()] = rest
    known = 1
    for place in range(1, _BLOCK + 129):
        row = rows.get(place + 1)
        bit = chance.getrandbits(1) if row is None else (row & known).bit_count() & 1
        known |= bit << place
    return [known >> place & 1 for place in range(1, _BLOCK + 129)]


def _bytes(bits: Sequence[int]) -> bytes:
    return bytes(sum(bit << i for i, bit in enumerate(bits[8 * n : 8 * n + 8])) for n in range(len(bits) // 8))
