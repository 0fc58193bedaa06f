"""The S-box as a plain table (FIPS-197 figures 7 and 14): a reduced decision diagram of multiplexers.

The synthesiser finds its own structure; this is what a `case` statement over 256 entries gives it.
"""

from __future__ import annotations

from collections.abc import Sequence

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.fields import aes
from aesmith.publications import FIPS_197
from aesmith.sboxes.entry import Function, SBox


def lookup(name: str, table: Sequence[int], width: int) -> Circuit:
    """A circuit x → y for a table of 2^n words of `width` bits: y = table[x]."""
    size = (len(table) - 1).bit_length()
    builder = CircuitBuilder(name)
    x = builder.input("x", size)
    zero, one = builder.zero(), builder.one()

    def decide(values: tuple[int, ...], top: int) -> Wire:
        if not any(values):
            return zero
        if all(values):
            return one
        half = len(values) // 2
        low, high = decide(values[:half], top - 1), decide(values[half:], top - 1)
        if low == high:
            return low
        if (low, high) == (zero, one):
            return x[top]
        if (low, high) == (one, zero):
            return builder.not_(x[top])
        return builder.mux(x[top], low, high)

    builder.output("y", [decide(tuple(v >> bit & 1 for v in table), size - 1) for bit in range(width)])
    return builder.build()


def _combined() -> Circuit:
    wide = lookup("table_combined", aes.SBOX + aes.INVERSE_SBOX, 8)
    builder = CircuitBuilder("table_combined")
    x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)
    builder.output("y", builder.instance(wide, x=x + decrypt)["y"])
    return builder.build()


ENTRY = SBox(
    name="table",
    publication=FIPS_197,
    summary="look-up table; the synthesiser finds the logic",
    circuits={
        Function.FORWARD: lambda: lookup("table_forward", aes.SBOX, 8),
        Function.INVERSE: lambda: lookup("table_inverse", aes.INVERSE_SBOX, 8),
        Function.COMBINED: _combined,
    },
)
