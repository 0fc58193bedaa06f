"""Leaf circuits of round-based cores in any field: maps at the ports, round constants, MixColumns, S-boxes.

Ports x and y of a column have 32 bits; bit 8·r + i is bit i of the byte in row r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear import LinearProgram, linear_map, shallow
from aesmith.cores.ports import SIZE_CODES
from aesmith.cores.round_based.assembly import Leaf
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.tower import Basis
from aesmith.sboxes import table
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.sboxes.quadratic_tower import QuadraticTower

AES_BASIS = Basis(aes.FIELD, tuple(1 << i for i in range(8)), "PB")
"""The AES field's own basis."""

AES_FIELD = OffsetMaps(AES_BASIS, AES_BASIS, 1)
"""Cores that work in the AES field: their maps at the ports are wires."""


Levels = int | Literal["factored"] | None
"""What MixColumns is made of: the smallest known program, of at most so many XOR levels if it is a number; "factored"
is what publications have (`factored_mix_columns`), in the AES field only."""


def port_maps(maps: OffsetMaps, what: str) -> tuple[Leaf, Leaf]:
    """The maps from the AES field to register words and back; `what` says what they are."""
    into, out = shallow(maps.delta), shallow(maps.delta_inverse)
    return (
        Leaf("pre_round_map", into.circuit("pre_round_map"), f"AES field to register words: {what}."),
        Leaf("post_round_map", out.circuit("post_round_map"), f"Register words to AES field: {what}."),
    )


def encryption_constants(maps: OffsetMaps, key_bits: int = 128, last: int | None = None) -> Circuit:
    """Round counter (4 bits, 0 to `last`) to what the key-schedule step in that clock needs (`step_word`).

    A block is loaded at round 0 (idle) or `last` (a result leaves); both begin the key schedule. `last` is the number
    of rounds if it is not given.
    """
    steps = _steps(key_bits, last)
    return _lookup([step_word(maps, key_bits, step) for step in steps], key_bits)


def two_way_constants(maps: OffsetMaps, key_bits: int = 128, last: int | None = None) -> Circuit:
    """{decrypt, round counter} (5 bits) to what the key-schedule step in that clock needs."""
    forwards = _steps(key_bits, last)
    backwards = [step and aes.rounds(key_bits) + 1 - step for step in forwards]
    return _lookup([step_word(maps, key_bits, step) for step in forwards + backwards], key_bits)


def selectable_constants(maps: OffsetMaps) -> Circuit:
    """{key size, decrypt, round counter} (7 bits; size 0, 1, 2 for 128, 192, 256) to what the key-schedule step needs.

    Bits 9:0 are `step_word`; bit 10 is set where KeyEx has no RotWord. All counters end at 14, so that of a shorter key
    begins later; 0 and 14 are the first step.
    """
    words = []
    for key_bits in SIZE_CODES:
        rounds = aes.rounds(key_bits)
        skipped = 14 - rounds
        steps = [counter - skipped + 1 if skipped < counter < 14 else 0 for counter in range(16)]
        steps[0] = steps[14] = 1
        for step in steps + [step and rounds + 1 - step for step in steps]:
            plain = 0x400 if key_bits == 256 and step % 2 == 0 else 0
            words.append(step_word(maps, key_bits, step) | plain)
    return table.lookup("round_constants", words + [0] * 32, 11)


def step_word(maps: OffsetMaps, key_bits: int, step: int) -> int:
    """The round constant of a step that makes four words, 1 the first, in bits 7:0; 0 for step 0, which is none.

    AES-192 needs to know where KeyEx stands: bit 8 is set if at the first of the four words, bit 9 if at the third.
    AES-256 has a constant in every other step.
    """
    if not step:
        return 0
    if key_bits == 128:
        return maps.round_constant(step)
    if key_bits == 256:
        return maps.round_constant((step + 1) // 2) if step % 2 else 0
    number, phase = divmod(step - 1, 3)
    return (maps.round_constant(2 * number + 1 + phase) | 0x100 << phase) if phase < 2 else 0


def _steps(key_bits: int, last: int | None) -> list[int]:
    """Number of the step for each value of the round counter; a counter that passes all begins again in its last."""
    rounds = aes.rounds(key_bits)
    end = rounds if last is None else last
    steps = [counter + 1 if counter < min(end + 1, rounds) else 0 for counter in range(16)]
    if end >= rounds:
        steps[end] = 1
    return steps


def _lookup(words: list[int], key_bits: int) -> Circuit:
    return table.lookup("round_constants", words, 10 if key_bits == 192 else 8)


def sbox_around(inverter: Circuit, matrix: BitMatrix, constant: int) -> Circuit:
    """x → matrix·inverter(x) + constant: the forward S-box in the inverter's own bases."""
    builder = CircuitBuilder("key_sbox")
    wires = builder.instance(inverter, x=builder.input("x", 8))["y"]
    with builder.block("affine map"):
        builder.output("y", shallow(matrix).place(builder, wires, constant))
    return builder.build()


def in_field(maps: OffsetMaps, matrix: BitMatrix) -> BitMatrix:
    """A map of bytes of the AES field, as a map of register words."""
    return maps.delta @ matrix @ maps.delta_inverse


def factored_mix_columns() -> LinearProgram:
    """MixColumns as y_i = 2·(x_i + x_(i+1)) + x_(i+1) + (x_(i+2) + x_(i+3)), each sum of two bytes formed once.

    108 XOR in 3 levels: so it stands in the SASEBO macros (AIST, 2007), and in Zhang and Parhi (2004), equation 11.
    """
    sums: list[tuple[int, int]] = [(8 * i + bit, 8 * ((i + 1) % 4) + bit) for i in range(4) for bit in range(8)]

    def pair(row: int, bit: int) -> int:
        return 32 + 8 * (row % 4) + bit

    outputs = []
    for i in range(4):
        for bit in range(8):
            sums.append((8 * ((i + 1) % 4) + bit, pair(i + 2, bit)))
            plain, doubled = 31 + len(sums), pair(i, (bit - 1) % 8)
            if 0x1A >> bit & 1:  # x^8 = x^4 + x^3 + x + 1, of which x^0 is where bit 7 goes by itself
                sums.append((doubled, pair(i, 7)))
                doubled = 31 + len(sums)
            sums.append((plain, doubled))
            outputs.append(31 + len(sums))
    return LinearProgram(32, tuple(sums), tuple(outputs))


def column_program(maps: OffsetMaps, coefficients: tuple[int, ...], levels: int | None) -> LinearProgram:
    """The circulant map of a column with at most `levels` XOR levels."""
    return linear_map(_column(maps, coefficients), levels, quick=True)


def mix_columns(maps: OffsetMaps, levels: Levels) -> Circuit:
    """MixColumns."""
    return _mix_columns_program(maps, levels).circuit("mix_columns")


def inverse_mix_columns(maps: OffsetMaps, levels: Levels) -> Circuit:
    """InvMixColumns; factored, the circulant (5, 0, 4, 0) before MixColumns."""
    if levels != "factored":
        return column_program(maps, aes.INVERSE_MIX_COLUMNS, levels).circuit("inverse_mix_columns")
    builder = CircuitBuilder("inverse_mix_columns")
    _place_mix_columns(builder, maps, levels, builder.input("x", 32), None)
    return builder.build()


def both_mix_columns(maps: OffsetMaps, levels: Levels) -> Circuit:
    """MixColumns, or to decrypt InvMixColumns: the circulant (5, 0, 4, 0) before MixColumns.

    a_i + 4·(a_i + a_(i+2)): AND gates take the second term away to encrypt.
    """
    builder = CircuitBuilder("both_mix_columns")
    x, decrypt = builder.input("x", 32), builder.input("decrypt", 1)[0]
    _place_mix_columns(builder, maps, levels, x, decrypt)
    return builder.build()


def _place_mix_columns(
    builder: CircuitBuilder, maps: OffsetMaps, levels: Levels, x: list[Wire], decrypt: Wire | None
) -> None:
    """MixColumns behind (5, 0, 4, 0), which is InvMixColumns; where there is a `decrypt`, only while it is 1."""
    rows = [x[8 * i : 8 * i + 8] for i in range(4)]
    four = shallow(in_field(maps, aes.FIELD.multiplication(4)))
    with builder.block("to decrypt: the circulant (5, 0, 4, 0)"):
        terms = []
        for i in range(2):
            multiple = four.place(builder, _sum(builder, rows[i], rows[i + 2]))
            terms.append(multiple if decrypt is None else [builder.and_(bit, decrypt) for bit in multiple])
        wires = [wire for i in range(4) for wire in _sum(builder, rows[i], terms[i % 2])]
    with builder.block("MixColumns"):
        builder.output("y", _mix_columns_program(maps, levels).place(builder, wires))


def _mix_columns_program(maps: OffsetMaps, levels: Levels) -> LinearProgram:
    if levels != "factored":
        return column_program(maps, aes.MIX_COLUMNS, levels)
    assert maps is AES_FIELD
    return factored_mix_columns()


def _sum(builder: CircuitBuilder, a: list[Wire], b: list[Wire]) -> list[Wire]:
    return [builder.xor(x, y) for x, y in zip(a, b, strict=True)]


def _column(maps: OffsetMaps, coefficients: tuple[int, ...]) -> BitMatrix:
    byte = [in_field(maps, aes.FIELD.multiplication(c)) for c in coefficients]
    rows = []
    for i in range(4):
        for bit in range(8):
            rows.append(sum(byte[(e - i) % 4].rows[bit] << 8 * e for e in range(4)))
    return BitMatrix(tuple(rows), 32)


@dataclass(frozen=True)
class TowerSboxes:
    """S-boxes around the inverter of GF((2^4)^2) with x^2 + α·x + β; `image` is what 0x02 of the AES field goes to.

    Raises RequestError for reducible polynomials, or an `image` that no isomorphism has.
    """

    ground: int
    linear: int
    constant: int
    image: int

    def __post_init__(self) -> None:
        self.tower.tower.isomorphism(self.image)

    @cached_property
    def tower(self) -> QuadraticTower:
        """The field."""
        return QuadraticTower(self.ground, self.linear, self.constant)

    @cached_property
    def maps(self) -> OffsetMaps:
        """The maps of a core that works in the tower."""
        basis = self.tower.tower.isomorphism(self.image)
        return OffsetMaps(basis, basis, 1)

    def text(self) -> str:
        """The tower in words."""
        ground = "x^4 + " + " + ".join(("1", "x", "x^2", "x^3")[i] for i in (3, 2, 1, 0) if self.ground >> i & 1)
        return (
            f"GF((2^4)^2) by x^2 + {self.linear:x}·x + {self.constant:x} over {ground}, 0x02 going to {self.image:#04x}"
        )

    def mapped(self) -> Circuit:
        """The S-box of the AES field: Δ, inversion, A·Δ'."""
        out = aes.AFFINE @ self.maps.delta_inverse
        return self._forward(shallow(self.maps.delta), shallow(out), aes.AFFINE_CONSTANT)

    def native(self) -> Circuit:
        """The S-box on words of the tower: inversion, Δ·A·Δ'."""
        return self._forward(None, shallow(in_field(self.maps, aes.AFFINE)), self._constant(aes.AFFINE_CONSTANT))

    def native_both(self) -> Circuit:
        """The S-box or its inverse on words of the tower: selectors before and behind the inversion."""
        builder = CircuitBuilder("both_sbox")
        x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
        with builder.block("inverse affine map, and selection"):
            inverse = shallow(in_field(self.maps, aes.INVERSE_AFFINE))
            mapped = inverse.place(builder, x, self._constant(aes.INVERSE_AFFINE_CONSTANT))
            inner = _select(builder, decrypt, x, mapped)
        inner = self.tower.place(builder, inner)
        with builder.block("affine map, and selection"):
            affine = shallow(in_field(self.maps, aes.AFFINE))
            mapped = affine.place(builder, inner, self._constant(aes.AFFINE_CONSTANT))
            builder.output("y", _select(builder, decrypt, mapped, inner))
        return builder.build()

    def _constant(self, value: int) -> int:
        return self.maps.delta.apply(value)

    def _forward(self, into: LinearProgram | None, out: LinearProgram, constant: int) -> Circuit:
        builder = CircuitBuilder("sbox")
        wires = builder.input("x", 8)
        if into is not None:
            with builder.block("Δ, AES field to tower"):
                wires = into.place(builder, wires)
        wires = self.tower.place(builder, wires)
        with builder.block("affine map"):
            builder.output("y", out.place(builder, wires, constant))
        return builder.build()


def _select(builder: CircuitBuilder, decrypt: Wire, encrypted: Sequence[Wire], decrypted: Sequence[Wire]) -> list[Wire]:
    return [builder.mux(decrypt, e, d) for e, d in zip(encrypted, decrypted, strict=True)]


def catalogue_both(name: str) -> Circuit:
    """The S-box of the catalogue for both directions; where it has two circuits, both with a selector.

    Raises RequestError for an S-box without a forward and an inverse function.
    """
    entry = sbox(name)
    if Function.COMBINED in entry.functions:
        return entry.circuit(Function.COMBINED)
    builder = CircuitBuilder("both_sbox")
    x, decrypt = builder.input("x", 8), builder.input("decrypt", 1)[0]
    encrypted = builder.instance(entry.circuit(Function.FORWARD), x=x)["y"]
    decrypted = builder.instance(entry.circuit(Function.INVERSE), x=x)["y"]
    with builder.block("selection"):
        builder.output("y", _select(builder, decrypt, encrypted, decrypted))
    return builder.build()


def catalogue_about(name: str) -> str:
    """The S-box in words, with its publication."""
    return f"S-box {name} of the AES field: {sbox(name).publication}."
