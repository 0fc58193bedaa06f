"""The round of a ring of slots as circuits that the pipeliner cuts: a column of data, and a step of the key schedule.

Both are cut into as many stages as there are blocks in flight. A block is loaded, and its round key added, in the last
stage of a round, which is the first of a key step: so the key runs one stage ahead of its block all the way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op, Wire
from aesmith.circuits.cost import LEVELS, CostModel
from aesmith.circuits.linear import shallow
from aesmith.circuits.pipeline import Arrival, StagedCircuit, pipeline, shortest_stage
from aesmith.cores.round_based.maps import encryption_constants
from aesmith.fields.bitmatrix import stack
from aesmith.fields.offset import OffsetMaps
from aesmith.sboxes import ueno2015

GATES = CostModel(
    "cells",
    delay=dict(LEVELS.delay) | {Op.XOR: 2.5, Op.XNOR: 2.5, Op.XOR3: 5.0, Op.MUX: 2.0, Op.NAND3: 1.5, Op.NOR3: 1.5},
    area=LEVELS.area,
    register_area=LEVELS.register_area,
    delay_unit="T_NAND",
    area_unit="GE",
)
"""Delays as cells of usual libraries have them, in those of a NAND gate: rounded from NanGate's 45 nm, slow corner."""

SPREAD = 3.0
"""T_NAND that a select of a whole column or key takes to all its selectors."""

SPARE = 1.0
"""T_NAND by which the longest stage may be longer than it must: a gate, for far fewer registers."""


def _sum(builder: CircuitBuilder, a: Sequence[Wire], b: Sequence[Wire]) -> list[Wire]:
    return [builder.xor(x, y) for x, y in zip(a, b, strict=True)]


def _masked(builder: CircuitBuilder, word: Sequence[Wire], mask: Wire) -> list[Wire]:
    return [builder.and_(bit, mask) for bit in word]


def _rotated(word: list[Wire]) -> list[Wire]:
    """RotWord: byte 1 comes first."""
    return word[8:] + word[:8]


def _with_constant(builder: CircuitBuilder, word: list[Wire], constant: Sequence[Wire]) -> list[Wire]:
    """The round constant is added to byte 0."""
    return [*_sum(builder, word[:8], constant), *word[8:]]


@dataclass(frozen=True)
class SlotCircuits:
    """The circuits of encryption in the field of `maps`, for `stages` blocks in flight and one size of key."""

    maps: OffsetMaps
    stages: int
    key_bits: int = 128

    def column_circuit(self) -> Circuit:
        """A column of a round, Ueno et al., TC 2020, figures 7 to 9.

        Inputs: `state`, the column after ShiftRows; `key`, of its round key; `block` and `load` (1 bit), what to take
        instead. Outputs: `next`; `post`, the column without MixColumns.
        """
        builder = CircuitBuilder("round_column")
        state, key, block = (builder.input(name, 32) for name in ("state", "key", "block"))
        load = builder.input("load", 1)[0]
        joint = shallow(stack([self.maps.phi, self.maps.omega(1)]))
        phi: list[list[Wire]] = []
        omega: list[list[Wire]] = []
        for row in range(4):
            inverted = ueno2015.place_inverter(builder, state[8 * row : 8 * row + 8], sums_twice=True)
            with builder.block("Φ with its constant, and Ω1"):
                both = joint.place(builder, inverted, self.maps.phi_constant)
            phi.append(both[:8])
            omega.append(both[8:])
        following: list[Wire] = []
        post: list[Wire] = []
        with builder.block("MixColumns, AddRoundKey, and selection"):
            for row in range(4):
                keyed = _sum(builder, phi[row], key[8 * row : 8 * row + 8])
                mixed = _sum(builder, omega[row], omega[(row + 1) % 4])
                others = _sum(builder, phi[(row + 2) % 4], phi[(row + 3) % 4])
                following += _sum(builder, _sum(builder, mixed, others), keyed)
                post += keyed
            builder.output("next", [builder.mux(load, *bits) for bits in zip(following, block, strict=True)])
        builder.output("post", post)
        return builder.build()

    @cached_property
    def column(self) -> StagedCircuit:
        """The column in stages nearly as short as can be."""
        last = self.stages - 1
        late = dict.fromkeys(("key", "block"), Arrival(last)) | {"load": Arrival(last, SPREAD)}
        return pipeline(self.column_circuit(), stages=self.stages, model=GATES, arrivals=late, relax=SPARE)

    def key_step_circuit(self) -> Circuit:
        """A step of the key schedule from the initial key, if `load` is 1, or from a window of the expanded key.

        Inputs: `initial` and `key`, as wide as the key (bit 32·w + 8·i + b is bit b of byte i of word w); `load`; and
        `round` (4 bits), 0 to load. Output: `next`, the window four words on.
        """
        builder = CircuitBuilder("key_step")
        initial, key = (builder.input(name, self.key_bits) for name in ("initial", "key"))
        load, number = builder.input("load", 1)[0], builder.input("round", 4)
        with builder.block("the initial key, or a window of the expanded key"):
            source = [builder.mux(load, k, i) for k, i in zip(key, initial, strict=True)]
        words = [source[i : i + 32] for i in range(0, self.key_bits, 32)]
        constants = builder.instance(encryption_constants(self.maps, self.key_bits), x=number)["y"]
        constant, at = constants[:8], constants[8:]  # of 192 bits where SubWord is: at the first word, at the third
        seed, rotated = words[-1], _rotated(words[-1])
        if at:
            with builder.block("what SubWord is of"):
                seed = _sum(builder, seed, _masked(builder, _sum(builder, words[0], words[1]), at[1]))
            rotated = _rotated(seed)
        elif self.key_bits == 256:
            with builder.block("RotWord in every other step"):
                rotated = [builder.mux(number[0], *bits) for bits in zip(rotated, seed, strict=True)]
        expanded: list[Wire] = []
        affine = shallow(self.maps.phi)
        for place in range(0, 32, 8):
            inverted = ueno2015.place_inverter(builder, rotated[place : place + 8], sums_twice=True)
            with builder.block("Φ with its constant"):
                expanded += affine.place(builder, inverted, self.maps.phi_constant)
        with builder.block("the sums of words, beside SubWord"):
            if not at:
                sums = [_with_constant(builder, words[0], constant)]
                for word in words[1:4]:
                    sums.append(_sum(builder, sums[-1], word))
                masks: list[Wire | None] = [None] * 4
            else:
                before = _masked(builder, words[5], builder.not_(at[0]))
                first = _sum(builder, words[0], _with_constant(builder, before, _masked(builder, constant, at[0])))
                second = _sum(builder, first, words[1])
                third = _sum(builder, words[2], _masked(builder, second, builder.not_(at[1])))
                third = _with_constant(builder, third, _masked(builder, constant, at[1]))
                sums = [first, second, third, _sum(builder, third, words[3])]
                masks = [at[0], at[0], *[builder.or_(*at)] * 2]
        with builder.block("the next words"):
            following = [bit for word in words[4:] for bit in word]
            for total, mask in zip(sums, masks, strict=True):
                added = expanded if mask is None else _masked(builder, expanded, mask)
                following += _sum(builder, total, added)
            builder.output("next", following)
        return builder.build()

    @cached_property
    def key_step(self) -> StagedCircuit:
        """The key step, whose stages may be as long as the column's."""
        circuit = self.key_step_circuit()
        arrivals = {"load": Arrival(0, SPREAD)}
        longest = max(self.column.stage_delays(GATES))
        spare = longest - shortest_stage(circuit, self.stages, GATES, arrivals, {})
        return pipeline(circuit, stages=self.stages, model=GATES, arrivals=arrivals, relax=max(0.0, spare))
