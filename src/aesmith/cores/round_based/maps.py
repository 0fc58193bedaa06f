"""Leaf circuits that every round-based core has: maps between ports and registers, and round constants."""

from __future__ import annotations

from collections.abc import Sequence

from aesmith.circuits.circuit import Circuit, CircuitBuilder
from aesmith.cores.round_based.assembly import Leaf
from aesmith.cores.round_based.kept_maps import shallow
from aesmith.fields.aes import FIELD
from aesmith.fields.basis import Basis
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.offset import OffsetMaps
from aesmith.sboxes import table

AES_BASIS = Basis(FIELD, tuple(1 << i for i in range(8)), "PB")
"""The AES field's own basis."""

AES_FIELD = OffsetMaps(AES_BASIS, AES_BASIS, 1)
"""Cores that work in the AES field: their maps at the ports are wires."""

ROUNDS = {128: 10, 192: 12, 256: 14}
"""Rounds by key size in bits (FIPS-197 figure 4)."""


def port_maps(maps: OffsetMaps, what: str) -> tuple[Leaf, Leaf]:
    """The maps from the AES field to register words and back; `what` says what they are."""
    into, out = shallow(maps.delta), shallow(maps.delta_inverse)
    return (
        Leaf("pre_round_map", into.circuit("pre_round_map"), f"AES field to register words: {what}."),
        Leaf("post_round_map", out.circuit("post_round_map"), f"Register words to AES field: {what}."),
    )


def encryption_constants(maps: OffsetMaps, last: int = 10) -> Circuit:
    """Round counter (4 bits, 0 to `last`) to the constant of the key-schedule step in that clock.

    A block is loaded at round 0 (idle) or `last` (a result leaves); both begin the key schedule.
    """
    return _lookup(maps, [_step(round_, last) for round_ in range(16)])


def two_way_constants(maps: OffsetMaps, last: int = 10) -> Circuit:
    """{decrypt, round counter} (5 bits) to the constant of the key-schedule step in that clock."""
    forwards = [_step(round_, last) for round_ in range(16)]
    return _lookup(maps, forwards + [step and 11 - step for step in forwards])


def _step(round_: int, last: int) -> int:
    """Number of the step, 1 to 10, or 0 for none; a counter up to 10 or more begins again in its last clock."""
    if last >= 10 and round_ == last:
        return 1
    return round_ + 1 if round_ < min(last + 1, 10) else 0


def _lookup(maps: OffsetMaps, steps: Sequence[int]) -> Circuit:
    return table.lookup("round_constants", [maps.round_constant(step) if step else 0 for step in steps], 8)


def sbox_around(inverter: Circuit, matrix: BitMatrix, constant: int) -> Circuit:
    """x → matrix·inverter(x) + constant: the forward S-box in the inverter's own bases."""
    builder = CircuitBuilder("key_sbox")
    wires = builder.instance(inverter, x=builder.input("x", 8))["y"]
    with builder.block("affine map"):
        builder.output("y", shallow(matrix).place(builder, wires, constant))
    return builder.build()
