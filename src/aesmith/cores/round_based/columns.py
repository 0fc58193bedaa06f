"""Leaf circuits of one column: MixColumns, InvMixColumns, and both in one, in any field.

Ports x and y have 32 bits; bit 8·r + i is bit i of the byte in row r.
"""

from __future__ import annotations

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import LinearProgram, linear_map, shallow
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.offset import OffsetMaps


def in_field(maps: OffsetMaps, matrix: BitMatrix) -> BitMatrix:
    """A map of bytes of the AES field, as a map of register words."""
    return maps.delta @ matrix @ maps.delta_inverse


def column_program(maps: OffsetMaps, coefficients: tuple[int, ...], levels: int | None) -> LinearProgram:
    """The circulant map of a column with at most `levels` XOR levels."""
    return linear_map(_column(maps, coefficients), levels, quick=True)


def mix_columns(maps: OffsetMaps, levels: int | None) -> Circuit:
    """MixColumns."""
    return column_program(maps, aes.MIX_COLUMNS, levels).circuit("mix_columns")


def inverse_mix_columns(maps: OffsetMaps, levels: int | None) -> Circuit:
    """InvMixColumns."""
    return column_program(maps, aes.INVERSE_MIX_COLUMNS, levels).circuit("inverse_mix_columns")


def both_mix_columns(maps: OffsetMaps, levels: int | None) -> Circuit:
    """MixColumns, or to decrypt InvMixColumns: the circulant (5, 0, 4, 0) before MixColumns.

    a_i + 4·(a_i + a_(i+2)): AND gates take the second term away to encrypt.
    """
    builder = CircuitBuilder("both_mix_columns")
    x, decrypt = builder.input("x", 32), builder.input("decrypt", 1)[0]
    rows = [x[8 * i : 8 * i + 8] for i in range(4)]
    four = shallow(in_field(maps, aes.FIELD.multiplication(4)))
    with builder.block("to decrypt: the circulant (5, 0, 4, 0)"):
        terms = []
        for i in range(2):
            multiple = four.place(builder, _sum(builder, rows[i], rows[i + 2]))
            terms.append([builder.and_(bit, decrypt) for bit in multiple])
        wires = [wire for i in range(4) for wire in _sum(builder, rows[i], terms[i % 2])]
    with builder.block("MixColumns"):
        builder.output("y", column_program(maps, aes.MIX_COLUMNS, levels).place(builder, wires))
    return builder.build()


def _sum(builder: CircuitBuilder, a: list[Wire], b: list[Wire]) -> list[Wire]:
    return [builder.xor(x, y) for x, y in zip(a, b, strict=True)]


def _column(maps: OffsetMaps, coefficients: tuple[int, ...]) -> BitMatrix:
    byte = [in_field(maps, aes.FIELD.multiplication(c)) for c in coefficients]
    rows = []
    for i in range(4):
        for bit in range(8):
            rows.append(sum(byte[(e - i) % 4].rows[bit] << 8 * e for e in range(4)))
    return BitMatrix(tuple(rows), 32)
