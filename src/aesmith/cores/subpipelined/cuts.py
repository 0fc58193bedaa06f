"""Where the pipeline registers of a round unit and of the key expansion stand.

All cuts are the project's own pipeliner's, or, for 3 and for 7 stages, those of Zhang and Parhi (2004, figures 10 and
11), or an S-box has its own publication's cuts, and the pipeliner cuts what follows it. The unit that takes blocks has
more than a round in it, so the pipeliner cuts it for the same clock, unless it is the only one.

In the publication a round of both directions has one more cut than the encryptor of 3 stages, between the two parts of
InvMixColumns; of 7 stages it is the dummy one that goes there. The publication's rounds are unrolled; in a loop, what a
round takes is chosen in the first stage, and MixColumns is left out in the stage that has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Wire
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.pipeline import (
    Arrival,
    Required,
    StagedCircuit,
    from_stages,
    lut_depth,
    pipeline,
    pipeline_luts,
    possible_stages,
    shortest_stage,
)
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
    Entry,
    sbox_function,
)
from aesmith.cores.subpipelined.key_steps import flowing_key_step, key_step, selectable_key_step
from aesmith.cores.subpipelined.tables import cut_after_tables
from aesmith.errors import RequestError
from aesmith.sboxes import zhang2004
from aesmith.sboxes.around_inverter import AroundInverter
from aesmith.sboxes.catalogue import sbox as sbox_entry
from aesmith.sboxes.zhang2004 import BASIS, sum_

STAGES = range(1, 11)

PAPER_SBOX = "zhang2004"

_INTO = "isomorphic mapping δ"
_SUM = "sh + sl"
_NORM = "sh^2·λ + sl·(sh + sl), figure 3"
_INVERSION = "Θ: inversion in GF(2^4), figure 5"
_PRODUCTS = "sh·Θ and (sh + sl)·Θ, equation 9"

_THREE = {_INTO: 0, _SUM: 0, _NORM: 0, _INVERSION: 1, _PRODUCTS: 1}
_SEVEN = {_INTO: 0, _SUM: 0, _NORM: 1, _INVERSION: 2, _PRODUCTS: 3}


@dataclass(frozen=True)
class UnitPlan:
    """When the keys come to a round unit of `stages` stages.

    `key_stage` is the stage in which the round key is added (0 is the first); it comes `key_time` gate levels after
    that stage begins, a new block and its initial key `block_time` levels after the first stage begins. With
    `agile` the key flows with its block; with `selectable` keys have any size. With `tables` what is cut of a column is
    what follows its S-boxes. With `luts` levels are of look-up tables, not of gates.
    """

    stages: int
    key_stage: int
    key_time: int
    block_time: int
    paper: bool
    agile: bool = False
    tables: bool = False
    luts: bool = False
    selectable: bool = False


@dataclass(frozen=True)
class Cuts:
    """The staged columns of the round units, by kind, and the staged step of the key expansion.

    `lut_levels` are the LUTs on the longest path of any stage, where the cuts are by them.
    """

    columns: Mapping[Column, StagedCircuit]
    key_step: StagedCircuit
    lut_levels: int | None = None

    @property
    def levels(self) -> int:
        """Gate levels of the longest stage."""
        circuits = (*self.columns.values(), self.key_step)
        return round(max(max(staged.stage_delays(LEVELS)) for staged in circuits))


@cache
def cut(columns: tuple[Column, ...], key_words: int, plan: UnitPlan) -> Cuts:
    """Cut everything for the same clock: no stage longer than the longest must be, and then the fewest registers.

    Raises RequestError for more stages than a column's longest path has gates.
    """
    sbox = columns[0].sbox
    if plan.luts:
        return _cut_by_luts(columns, key_words, plan)
    paper = {
        column: plan.paper and not column.skips and (column.entry is Entry.STATE or len(columns) == 1)
        for column in columns
    }
    key = Arrival(plan.key_stage, plan.key_time)
    fixed = {column: paper_column(column, plan.stages) for column in columns if paper[column]}
    if plan.tables:
        fixed |= {column: cut_after_tables(column, plan.stages, key) for column in columns if not paper[column]}
    free = {column: _column_to_cut(column, plan, key) for column in columns if column not in fixed}
    steps = _steps_to_cut(key_words, sbox, plan)
    limit = max(
        *(_longest(staged) for staged in fixed.values()),
        *(each.shortest for each in free.values()),
        min(each.shortest for each in steps),
    )
    step = next(each for each in steps if each.shortest <= limit)
    return Cuts({column: fixed.get(column) or free[column].cut(limit) for column in columns}, step.cut(limit))


@dataclass(frozen=True)
class _ToCut:
    """A circuit, its stages, and when its inputs come and its outputs are taken."""

    circuit: Circuit
    stages: int
    arrivals: Mapping[str, Arrival]
    required: Mapping[str, Required] = field(default_factory=dict)

    @cached_property
    def shortest(self) -> int:
        """Gate levels that its longest stage needs."""
        return round(shortest_stage(self.circuit, self.stages, LEVELS, self.arrivals, self.required))

    def cut(self, limit: int) -> StagedCircuit:
        """The fewest registers with at most `limit` gate levels a stage."""
        return pipeline(
            self.circuit,
            stages=self.stages,
            model=LEVELS,
            arrivals=self.arrivals,
            required=self.required,
            relax=limit - self.shortest,
        )


def _cut_by_luts(columns: tuple[Column, ...], key_words: int, plan: UnitPlan) -> Cuts:
    sbox = columns[0].sbox
    key = Arrival(plan.key_stage, plan.key_time)
    entering = dict.fromkeys(("block", "initial_key"), Arrival(0, plan.block_time))

    def column(kind: Column, levels: int) -> tuple[StagedCircuit, int]:
        arrivals = {"key": key} | (entering if kind.entry is not Entry.STATE else {})
        return pipeline_luts(kind.circuit(), plan.stages, arrivals=arrivals, levels=levels)

    def step(levels: int) -> tuple[StagedCircuit, int]:
        if plan.agile:
            late = dict.fromkeys(("form", "constant"), Arrival(plan.stages - 1))
            return pipeline_luts(flowing_key_step(key_words, sbox), plan.stages, arrivals=late, levels=levels)
        # A multiplexer follows, for a new key; words come as late as the levels allow.
        circuit, needs = key_step(key_words, sbox), {"next": Required(time=1)}
        found = []
        for stage in range(plan.stages - 1, max(-1, plan.stages - 4), -1):
            late = dict.fromkeys(("words", "form", "constant"), Arrival(stage))
            found.append(pipeline_luts(circuit, plan.stages, arrivals=late, required=needs, levels=levels))
        return min(found, key=lambda cut: (cut[1], cut[0].register_bits))

    _check_lut_stages(columns, plan.stages)
    limit = max(levels for _, levels in (*(column(kind, 0) for kind in columns), step(0)))
    return Cuts({kind: column(kind, limit)[0] for kind in columns}, step(limit)[0], limit)


def _check_lut_stages(columns: tuple[Column, ...], stages: int) -> None:
    possible = min(lut_depth(kind.circuit()) for kind in columns)
    if stages > possible:
        raise RequestError(
            f"stages: must be 1 to {possible} with S-box {columns[0].sbox} cut by LUTs (the longest path of its round "
            f"has {possible}), not {stages}"
        )


def _longest(staged: StagedCircuit) -> int:
    return round(max(staged.stage_delays(LEVELS)))


def _column_to_cut(column: Column, plan: UnitPlan, key: Arrival) -> _ToCut:
    arrivals = {"key": key}
    if column.entry is not Entry.STATE:
        arrivals |= {port: Arrival(0, plan.block_time) for port in ("block", "initial_key")}
    if column.skips:
        # The initial key is added before them. What is skipped is the same for all blocks on their way.
        arrivals |= {"state": Arrival(0, 1), "held": Arrival(0, 1), "skip": Arrival(plan.stages - 1)}
    circuit = column.circuit()
    _check_stages(circuit, plan.stages, column.sbox)
    return _ToCut(circuit, plan.stages, arrivals)


def _check_stages(circuit: Circuit, stages: int, sbox: str) -> None:
    possible = possible_stages(circuit, LEVELS)
    if stages > possible[-1]:
        raise RequestError(
            f"stages: must be 1 to {possible[-1]} with S-box {sbox} (the longest path of its round has "
            f"{possible[-1]} gates), not {stages}"
        )


def _steps_to_cut(key_words: int, sbox: str, plan: UnitPlan) -> list[_ToCut]:
    """The step of the key expansion, by when its words come: best first."""
    last = plan.stages - 1
    if plan.agile:
        # What a step adds, and where, is a constant of its unit: it needs no registers.
        late = dict.fromkeys(("form", "constant"), Arrival(last))
        return [_ToCut(flowing_key_step(key_words, sbox), plan.stages, late)]
    # The window is held meanwhile, so `words` come in any stage without registers: as late as the period allows,
    # for then fewest sums are registered. A multiplexer follows, for a new key, and where keys have any size another.
    circuit = selectable_key_step(sbox) if plan.selectable else key_step(key_words, sbox)
    return [
        _ToCut(
            circuit,
            plan.stages,
            dict.fromkeys(("words", "form", "constant"), Arrival(stage)),
            {"next": Required(time=1 + plan.selectable)},
        )
        for stage in range(last, max(-1, plan.stages - 4), -1)
    ]


def paper_stages(directions: tuple[Direction, ...], sbox: str) -> tuple[int, ...]:
    """The numbers of stages for which publications have cuts of a round with this S-box; none for decryption alone.

    An S-box whose own cuts compute every gate once has them, and leaves a stage at least to the rest of the round.
    """
    if sbox != PAPER_SBOX:
        function, entry = sbox_function(directions), sbox_entry(sbox)
        if function not in entry.stagings:
            return ()
        staged = entry.staging(function)
        return tuple(STAGES[staged.stages :]) if staged.gate_count == len(staged.circuit.gates) else ()
    if directions == JOINT:
        return (4, 7)
    return (3, 7) if directions == (Direction.ENCRYPT,) else ()


def paper_key_stage(directions: tuple[Direction, ...], stages: int, sbox: str) -> int:
    """The stage in which the round key is added: a dummy register follows it in Zhang and Parhi's encryptor of 7."""
    return stages - 1 if stages == 3 or directions == JOINT or sbox != PAPER_SBOX else stages - 2


def paper_column(column: Column, stages: int) -> StagedCircuit:
    """The column of a round, cut as in figure 10 or, with both directions, figure 11; or by its S-box's own cuts.

    Raises RequestError if no publication has such cuts.
    """
    allowed = paper_stages(column.directions, column.sbox)
    if stages not in allowed:
        named = column.sbox if allowed else PAPER_SBOX
        numbers = " or ".join(map(str, paper_stages(column.directions, named)))
        rule = f"needs stages {numbers} and S-box {named}" if numbers else "needs encryption, or both directions"
        raise RequestError(f"cuts: paper {rule}, not {stages} stages with S-box {column.sbox}")
    own = column.sbox != PAPER_SBOX
    circuit = column.circuit(_own_staging(column).circuit if own else _subbytes(column))
    key_stage = paper_key_stage(column.directions, stages, column.sbox)
    if own:
        gates = _stages_by_sbox(circuit, column, stages)
    else:
        stage_of = _stages_by_label(circuit, column, stages, key_stage)
        gates = [stage_of[circuit.blocks[gate.block]] for gate in circuit.gates]
    inputs = [key_stage if port.name == "key" else 0 for port in circuit.inputs for _ in range(port.width)]
    return from_stages(circuit, [*inputs, *gates], stages, [Arrival(stage) for stage in inputs])


def _own_staging(column: Column) -> StagedCircuit:
    """The S-box of a column in its own publication's stages."""
    return sbox_entry(column.sbox).staging(sbox_function(column.directions))


def _stages_by_sbox(circuit: Circuit, column: Column, stages: int) -> list[int]:
    """The stage of each gate: of an S-box's block the one that its publication has it in, of what follows the S-boxes
    one that the pipeliner finds, with the fewest registers for stages no longer than the S-box's longest."""
    staged = _own_staging(column)
    first, width = staged.stages, staged.circuit.input_width
    stage_of = {ENTRY_KEY: 0, ENTRY_CHOICE: 0}
    for stage, nodes in enumerate(staged.gates):
        stage_of |= {staged.circuit.blocks[staged.circuit.gates[node - width].block]: stage for node in nodes}
    rest = column.after_sboxes()
    # Where only AddRoundKey follows, it is in the last stage, when its key comes.
    used = min(stages - first, possible_stages(rest, LEVELS)[-1])
    after = _ToCut(rest, used, {"key": Arrival(used - 1)})
    followed = after.cut(max(after.shortest, _longest(staged)))
    stage_after = {node: stages - used + at for at, nodes in enumerate(followed.gates) for node in nodes}
    following = (stage_after[rest.input_width + number] for number in range(len(rest.gates)))
    return [
        stage_of[label] if (label := circuit.blocks[gate.block]) in stage_of else next(following)
        for gate in circuit.gates
    ]


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
