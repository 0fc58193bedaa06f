"""The register cuts of Zhang and Parhi (2004, figures 10 and 11) in a column of a round, for 3 and for 7 stages.

A round of both directions has one more cut than the encryptor of 3 stages, between the two parts of InvMixColumns; of 7
stages it is the dummy one that goes there. The publication's rounds are unrolled; in a loop, what a round takes is
chosen in the first stage, and MixColumns is left out in the stage that has it.
"""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.pipeline import Arrival, StagedCircuit, from_stages
from aesmith.cores.design import Direction
from aesmith.cores.subpipelined.columns import (
    ADD_ROUND_KEY,
    ENTRY_CHOICE,
    ENTRY_KEY,
    INVERSE_PART_SUM,
    INVERSE_PART_TIMES_4,
    JOINT,
    MIX_COLUMNS,
    NO_MIX,
    Column,
    sbox_function,
)
from aesmith.errors import RequestError
from aesmith.sboxes import zhang2004
from aesmith.sboxes.around_inverter import AroundInverter
from aesmith.sboxes.polynomial_tower import BASIS, sum_

SBOX = "zhang2004"

_INTO = "isomorphic mapping δ"
_SUM = "sh + sl"
_NORM = "sh^2·λ + sl·(sh + sl), figure 3"
_INVERSION = "Θ: inversion in GF(2^4), figure 5"
_PRODUCTS = "sh·Θ and (sh + sl)·Θ, equation 9"

_THREE = {_INTO: 0, _SUM: 0, _NORM: 0, _INVERSION: 1, _PRODUCTS: 1}
_SEVEN = {_INTO: 0, _SUM: 0, _NORM: 1, _INVERSION: 2, _PRODUCTS: 3}


def paper_stages(directions: tuple[Direction, ...]) -> tuple[int, ...]:
    """The numbers of stages for which the publication has cuts; none for decryption alone."""
    if directions == JOINT:
        return (4, 7)
    return (3, 7) if directions == (Direction.ENCRYPT,) else ()


def paper_key_stage(directions: tuple[Direction, ...], stages: int) -> int:
    """The stage in which the round key is added: a dummy register follows it in the encryptor of 7 stages."""
    return stages - 1 if stages == 3 or directions == JOINT else stages - 2


def paper_column(column: Column, stages: int) -> StagedCircuit:
    """The column of a round, cut as in figure 10 or, with both directions, figure 11.

    Raises RequestError if the publication has no such cuts.
    """
    allowed = paper_stages(column.directions)
    if stages not in allowed or column.sbox != SBOX:
        numbers = " or ".join(map(str, allowed))
        rule = f"needs stages {numbers} and S-box {SBOX}" if allowed else "needs encryption, or both directions"
        raise RequestError(f"cuts: paper {rule}, not {stages} stages with S-box {column.sbox}")
    circuit = column.circuit(_subbytes(column))
    key_stage = paper_key_stage(column.directions, stages)
    stage_of = _stages_by_label(circuit, column, stages, key_stage)
    inputs = [key_stage if port.name == "key" else 0 for port in circuit.inputs for _ in range(port.width)]
    arrival = [Arrival(stage) for stage in inputs]
    return from_stages(circuit, [*inputs, *(stage_of[circuit.blocks[g.block]] for g in circuit.gates)], stages, arrival)


def _stages_by_label(circuit: Circuit, column: Column, stages: int, key_stage: int) -> Mapping[str, int]:
    inner = _SEVEN if stages == 7 else _THREE
    affine = 4 if stages == 7 else 2
    mix = 5 if stages == 7 else 2
    both = column.directions == JOINT
    tail = {MIX_COLUMNS: mix, INVERSE_PART_TIMES_4: mix, INVERSE_PART_SUM: stages - 1, ADD_ROUND_KEY: key_stage}
    tail |= {ENTRY_KEY: 0, ENTRY_CHOICE: 0, NO_MIX: stages - 1 if both else mix}
    into = f"{_INTO} of both directions, and selection" if both else _INTO
    out_of = [label for label in circuit.blocks if label.startswith("inverse isomorphic mapping")]
    return inner | tail | {into: 0, **dict.fromkeys(out_of, affine)}


def _subbytes(column: Column) -> Circuit:
    """The S-box with the sum of sh and sl in a block of its own, which the first stage of seven has."""
    place = zhang2004.inverter_with(zhang2004.inverse_4_direct)

    def place_with_sum(builder: CircuitBuilder, s: list[Wire]) -> list[Wire]:
        with builder.block(_SUM):
            sum_(builder, s[4:], s[:4])
        return place(builder, s)

    # With both directions the two maps share XORs so well that they grow deeper than the publication's four levels.
    shallow = column.directions == JOINT
    out_of = "inverse isomorphic mapping δ^-1"
    around = AroundInverter("paper", BASIS, BASIS, place_with_sum, shallow=shallow, into=_INTO, out_of=out_of)
    return around.circuits()[sbox_function(column.directions)]()
