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
from aesmith.circuits.pipeline import Arrival, Required, StagedCircuit, pipeline, shortest_stage
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

_KEY_PORTS = (("initial", 128), ("key", 128))


def _sum(builder: CircuitBuilder, a: Sequence[Wire], b: Sequence[Wire]) -> list[Wire]:
    return [builder.xor(x, y) for x, y in zip(a, b, strict=True)]


@dataclass(frozen=True)
class SlotCircuits:
    """The circuits of encryption in the field of `maps`, for `stages` blocks in flight and keys of 128 bits.

    Each block has its round key, or with `shared_key` all have one.
    """

    maps: OffsetMaps
    stages: int
    shared_key: bool = False

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
        """The column in stages as short as can be."""
        last = self.stages - 1
        late = dict.fromkeys(("key", "block"), Arrival(last)) | {"load": Arrival(last, SPREAD)}
        return pipeline(self.column_circuit(), stages=self.stages, model=GATES, arrivals=late)

    def key_step_circuit(self) -> Circuit:
        """A step of the key schedule of 128 bits from the initial key, if `load` is 1, or from a round key.

        Inputs: `initial` and `key`, of which bit 32·w + 8·i + b is bit b of byte i of word w; `load`; `round` (4 bits).
        Where the key is shared, words are ports: `seed` is the word that SubWord is of, already chosen; `high_…` are of
        words 2 and 3, and of the sum of words 0 and 1 that goes into them, `low_…` of words 0 and 1. Output: `next`.
        """
        builder = CircuitBuilder("key_step")
        if self.shared_key:
            seed = builder.input("seed", 32)
            high = [builder.input(f"high_{name}", width) for name, width in _KEY_PORTS]
            high.append(builder.input("high_load", 2))
            low = [builder.input(f"low_{name}", 64) for name, _ in _KEY_PORTS]
            low.append(builder.input("low_load", 1))
        else:
            whole = [builder.input(name, width) for name, width in (*_KEY_PORTS, ("load", 1))]
        number = builder.input("round", 4)

        def chosen(initial: list[Wire], key: list[Wire], load: list[Wire]) -> list[list[Wire]]:
            selects = [load[-1 if bit >= 64 else 0] for bit in range(len(key))]
            with builder.block("the initial key, or a round key"):
                source = [builder.mux(*bits) for bits in zip(selects, key, initial, strict=True)]
            return [source[i : i + 32] for i in range(0, len(key), 32)]

        constant = builder.instance(encryption_constants(self.maps), x=number)["y"]
        if not self.shared_key:
            words = chosen(*whole)
            seed = words[3]
        expanded: list[Wire] = []
        affine = shallow(self.maps.phi)
        for row in range(4):
            place = 8 * ((row + 1) % 4)
            inverted = ueno2015.place_inverter(builder, seed[place : place + 8], sums_twice=True)
            with builder.block("Φ with its constant"):
                expanded += affine.place(builder, inverted, self.maps.phi_constant)
        with builder.block("the sums of words, beside SubWord"):
            if self.shared_key:
                # So that all sums are as late as they can be, and short.
                expanded[:8] = _sum(builder, expanded[:8], constant)
                sums, last = chosen(*low), chosen(*high)
                sums[1] = _sum(builder, *sums)
                pair = _sum(builder, last[0], last[1])
                sums += [_sum(builder, pair, last[2]), _sum(builder, pair, _sum(builder, last[2], last[3]))]
            else:
                sums = [[*_sum(builder, words[0][:8], constant), *words[0][8:]]]
                for word in words[1:]:
                    sums.append(_sum(builder, sums[-1], word))
        with builder.block("the next words"):
            made = [_sum(builder, word, expanded) for word in sums]
            builder.output("next", [bit for word in made for bit in word])
            if self.shared_key:
                builder.output("next_seed", made[3])
        return builder.build()

    @cached_property
    def key_step(self) -> StagedCircuit:
        """The key step, whose stages may be as long as the column's.

        Of a shared key what SubWord is added to comes as late as that allows: it stands still until then.
        """
        circuit = self.key_step_circuit()
        longest = max(self.column.stage_delays(GATES))
        last = self.stages - 1
        choices = [_key_arrivals()]
        required = {}
        if self.shared_key:
            # The chains of selects in aesmith_batch_key_schedule are as long as these stages let them be.
            choices = [_late_arrivals(last, last)] + [_late_arrivals(last - 1, last)] * (last > 1)
            required = {"next_seed": Required(time=GATES.delay[Op.MUX])}
        for arrivals in choices:
            shortest = shortest_stage(circuit, self.stages, GATES, arrivals, required)
            if shortest <= longest:
                break
        return pipeline(
            circuit,
            stages=self.stages,
            model=GATES,
            arrivals=arrivals,
            required=required,
            relax=max(0.0, longest - shortest),
        )


def _key_arrivals() -> dict[str, Arrival]:
    return {"load": Arrival(0, SPREAD)}


def _late_arrivals(high: int, low: int) -> dict[str, Arrival]:
    """Words 2 and 3 come in stage `high`, words 0 and 1 in stage `low`, and their selects."""
    found: dict[str, Arrival] = {}
    for what, stage in (("high", high), ("low", low)):
        found |= {f"{what}_{name}": Arrival(stage) for name, _ in _KEY_PORTS}
        found[f"{what}_load"] = Arrival(stage, SPREAD)
    return found
