"""One column of a round as a circuit: S-boxes, MixColumns and AddRoundKey, with what first and last units need.

A column enters after ShiftRows, which is wiring. Bit 8·i + b of a 32-bit port is bit b of the byte in row i. Decryption
is in the order of the equivalent inverse cipher (Zhang and Parhi, 2004, figure 1b), so that both directions have the
same sequence of transformations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.linear.named import named_map
from aesmith.cores.design import Direction
from aesmith.sboxes.catalogue import sbox_circuit
from aesmith.sboxes.entry import Function

ENCRYPT = (Direction.ENCRYPT,)
DECRYPT = (Direction.DECRYPT,)
JOINT = (Direction.ENCRYPT, Direction.DECRYPT)

ADD_ROUND_KEY = "AddRoundKey"
MIX_COLUMNS = "MixColumns"
ENTRY_KEY = "initial AddRoundKey"
ENTRY_CHOICE = "a new block, or the loop's"
NO_MIX = "the last round has no MixColumns"
SKIPPED = "a round that a shorter key does not have"
INVERSE_PART_TIMES_4 = "what InvMixColumns adds to MixColumns (part II of figure 8): X4Time"
INVERSE_PART_SUM = "what InvMixColumns adds to MixColumns (part II of figure 8), to decrypt only"

MIX_COLUMNS_DEPTH = 3
INVERSE_MIX_COLUMNS_DEPTH = 5


class Mix(Enum):
    """Whether a round unit has MixColumns: in every round, never (the last round), or unless the input `last` is 1."""

    ALWAYS = "always"
    NEVER = "never"
    UNLESS_LAST = "unless last"


class Entry(Enum):
    """What a round unit takes: a state; a new block, to which it adds the initial key; or, by `entering`, either."""

    STATE = "state"
    BLOCK = "block"
    EITHER = "either"


@dataclass(frozen=True)
class Column:
    """Which circuit a column is; one that `skips` passes the state unchanged instead, by an input."""

    entry: Entry
    mix: Mix
    directions: tuple[Direction, ...]
    sbox: str
    skips: bool = False

    def circuit(self, subbytes: Circuit | None = None) -> Circuit:
        """The circuit, with the same ports for every kind of entry but STATE, which has no ports for blocks.

        `subbytes` stands in for the catalogue's circuit of the S-box.

        Inputs: `state`; for blocks `block`, `initial_key`, and `entering` (1 bit); to skip, `held` (the column as it is
        without ShiftRows) and `skip` (1 bit); `decrypt` and `last` (1 bit); `key`.
        Output: `next`. Raises RequestError if the S-box does not serve the directions.
        """
        function = sbox_function(self.directions)
        subbytes = subbytes or sbox_circuit(self.sbox, function)
        builder = CircuitBuilder("column")
        pins = {name: builder.input(name, width) for name, width in self.ports.items()}
        state = pins["state"]
        if self.entry is not Entry.STATE:
            with builder.block(ENTRY_KEY):
                block = [builder.xor(*pair) for pair in zip(pins["block"], pins["initial_key"], strict=True)]
            if self.entry is Entry.EITHER:
                with builder.block(ENTRY_CHOICE):
                    state = [builder.mux(pins["entering"][0], old, new) for old, new in zip(state, block, strict=True)]
            else:
                state = block
        substituted: list[Wire] = []
        for row in range(4):
            ports = {"x": state[8 * row : 8 * row + 8]}
            if function is Function.COMBINED:
                ports["decrypt"] = pins["decrypt"]
            substituted += builder.instance(subbytes, **ports)["y"]
        following = self._place_after_sboxes(builder, substituted, pins)
        if self.skips:
            with builder.block(SKIPPED):
                following = [builder.mux(pins["skip"][0], n, h) for n, h in zip(following, pins["held"], strict=True)]
        builder.output("next", following)
        return builder.build()

    def after_sboxes(self) -> Circuit:
        """What follows the S-boxes alone. Inputs: `substituted`, `decrypt`, `last`, `key`. Output: `next`."""
        builder = CircuitBuilder("after_sboxes")
        widths = {"substituted": 32} | {name: self.ports[name] for name in ("decrypt", "last", "key")}
        pins = {name: builder.input(name, width) for name, width in widths.items()}
        builder.output("next", self._place_after_sboxes(builder, pins["substituted"], pins))
        return builder.build()

    @property
    def ports(self) -> Mapping[str, int]:
        """The inputs of the circuit and their widths, in order."""
        blocks = {} if self.entry is Entry.STATE else {"block": 32, "initial_key": 32, "entering": 1}
        skipped = {"held": 32, "skip": 1} if self.skips else {}
        return {"state": 32} | blocks | skipped | {"decrypt": 1, "last": 1, "key": 32}

    def _place_after_sboxes(
        self, builder: CircuitBuilder, substituted: list[Wire], pins: Mapping[str, list[Wire]]
    ) -> list[Wire]:
        mixed = substituted
        if self.mix is not Mix.NEVER:
            mixed = place_mix(builder, substituted, self.directions, pins["decrypt"][0])
        if self.mix is Mix.UNLESS_LAST:
            with builder.block(NO_MIX):
                mixed = [builder.mux(pins["last"][0], m, s) for m, s in zip(mixed, substituted, strict=True)]
        with builder.block(ADD_ROUND_KEY):
            return [builder.xor(m, k) for m, k in zip(mixed, pins["key"], strict=True)]


def sbox_function(directions: tuple[Direction, ...]) -> Function:
    """Which function of an S-box the data of these directions go through."""
    if directions == ENCRYPT:
        return Function.FORWARD
    return Function.INVERSE if directions == DECRYPT else Function.COMBINED


def place_mix(
    builder: CircuitBuilder, column: Sequence[Wire], directions: tuple[Direction, ...], decrypt: Wire
) -> list[Wire]:
    """MixColumns, InvMixColumns, or both by `decrypt`, of a column of 32 wires."""
    if directions == DECRYPT:
        with builder.block("InvMixColumns"):
            return named_map("invmixcolumns").program(INVERSE_MIX_COLUMNS_DEPTH).place(builder, column)
    with builder.block(MIX_COLUMNS):
        mixed = named_map("mixcolumns").program(MIX_COLUMNS_DEPTH).place(builder, column)
    if directions == ENCRYPT:
        return mixed
    more = place_inverse_part(builder, column)
    with builder.block(INVERSE_PART_SUM):
        return [builder.xor(m, builder.and_(extra, decrypt)) for m, extra in zip(mixed, more, strict=True)]


def place_inverse_part(builder: CircuitBuilder, column: Sequence[Wire]) -> list[Wire]:
    """InvMixColumns + MixColumns of a column (Zhang and Parhi, equation 12): {08}(S0+S1+S2+S3) + {04}(Si+Si+2)."""
    rows = [list(column[8 * row : 8 * row + 8]) for row in range(4)]
    with builder.block(INVERSE_PART_TIMES_4):
        even = _times_4(builder, [builder.xor(a, b) for a, b in zip(rows[0], rows[2], strict=True)])
        odd = _times_4(builder, [builder.xor(a, b) for a, b in zip(rows[1], rows[3], strict=True)])
    with builder.block(INVERSE_PART_SUM):
        common = times_2(builder, [builder.xor(a, b) for a, b in zip(even, odd, strict=True)])
        sums = [[builder.xor(a, b) for a, b in zip(common, half, strict=True)] for half in (even, odd)]
    return sums[0] + sums[1] + sums[0] + sums[1]


def times_2(builder: CircuitBuilder, s: Sequence[Wire]) -> list[Wire]:
    """XTime: {02}·s, 3 XOR."""
    return [s[7], builder.xor(s[0], s[7]), s[1], builder.xor(s[2], s[7]), builder.xor(s[3], s[7]), s[4], s[5], s[6]]


def _times_4(builder: CircuitBuilder, s: Sequence[Wire]) -> list[Wire]:
    """X4Time: {04}·s, 5 XOR in 2 levels, s6 + s7 shared."""
    top = builder.xor(s[6], s[7])
    middle = [builder.xor(s[0], s[7]), builder.xor(s[1], s[6]), builder.xor(s[2], top), builder.xor(s[3], s[7])]
    return [s[6], top, *middle, s[4], s[5]]
