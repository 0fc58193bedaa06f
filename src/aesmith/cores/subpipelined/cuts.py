"""Where the pipeline registers of a round unit and of the key expansion stand.

All cuts are the project's own pipeliner's, or, for 3 and 7 stages, those of Zhang and Parhi (2004, figure 10) in the
round units that have nothing but a round in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.pipeline import pipeline, possible_stages
from aesmith.circuits.staged import Arrival, Required, StagedCircuit
from aesmith.cores.subpipelined.columns import Column, Entry
from aesmith.cores.subpipelined.key_steps import flowing_key_step, key_step
from aesmith.cores.subpipelined.paper_cuts import paper_column
from aesmith.errors import RequestError


@dataclass(frozen=True)
class Plan:
    """When the keys come to a round unit of `stages` stages.

    `key_stage` is the stage in which the round key is added (0 is the first); it comes `key_time` gate levels after
    that stage begins, a new block and its initial key `block_time` levels after the first stage begins. With
    `agile` the key flows with its block.
    """

    stages: int
    key_stage: int
    key_time: int
    block_time: int
    paper: bool
    agile: bool = False


@dataclass(frozen=True)
class Cuts:
    """The staged columns of the round units, by kind, and the staged step of the key expansion."""

    columns: Mapping[Column, StagedCircuit]
    key_step: StagedCircuit

    @property
    def levels(self) -> int:
        """Gate levels of the longest stage."""
        circuits = (*self.columns.values(), self.key_step)
        return round(max(max(staged.stage_delays(LEVELS)) for staged in circuits))


@cache
def cut(columns: tuple[Column, ...], key_words: int, plan: Plan) -> Cuts:
    """Cut everything for the same clock: no stage longer than the longest must be, and then the fewest registers.

    Raises RequestError for more stages than a column's longest path has gates.
    """
    sbox = columns[0].sbox
    exact = {column: _cut_column(column, plan, 0) for column in columns}
    step = _cut_any_key_step(key_words, sbox, plan, 0)
    limit = max(_longest(staged) for staged in (*exact.values(), step))
    relaxed = {column: _relaxed(staged, limit, column, plan) for column, staged in exact.items()}
    if _longest(step) < limit:
        step = _cut_any_key_step(key_words, sbox, plan, limit)
    return Cuts(relaxed, step)


def _longest(staged: StagedCircuit) -> int:
    return round(max(staged.stage_delays(LEVELS)))


def _relaxed(staged: StagedCircuit, limit: int, column: Column, plan: Plan) -> StagedCircuit:
    room = limit - _longest(staged)
    return _cut_column(column, plan, room) if room else staged


def _cut_column(column: Column, plan: Plan, room: int) -> StagedCircuit:
    if plan.paper and column.entry is Entry.STATE:
        return paper_column(column, plan.stages)
    arrivals = {"key": Arrival(plan.key_stage, plan.key_time)}
    if column.entry is not Entry.STATE:
        arrivals |= {port: Arrival(0, plan.block_time) for port in ("block", "initial_key")}
    circuit = column.circuit()
    _check_stages(circuit, plan.stages, column.sbox)
    return pipeline(circuit, stages=plan.stages, model=LEVELS, arrivals=arrivals, relax=room)


def _check_stages(circuit: Circuit, stages: int, sbox: str) -> None:
    possible = possible_stages(circuit, LEVELS)
    if stages > possible[-1]:
        raise RequestError(
            f"stages: must be 1 to {possible[-1]} with S-box {sbox} (the longest path of its round has "
            f"{possible[-1]} gates), not {stages}"
        )


def _cut_any_key_step(key_words: int, sbox: str, plan: Plan, limit: int) -> StagedCircuit:
    if not plan.agile:
        return _cut_key_step(key_step(key_words, sbox), plan.stages, limit)
    # What a step adds, and where, is a constant of its unit: it needs no registers.
    late = dict.fromkeys(("form", "constant"), Arrival(plan.stages - 1))
    circuit = flowing_key_step(key_words, sbox)
    exact = pipeline(circuit, stages=plan.stages, model=LEVELS, arrivals=late)
    room = limit - _longest(exact)
    return pipeline(circuit, stages=plan.stages, model=LEVELS, arrivals=late, relax=room) if room > 0 else exact


def _cut_key_step(circuit: Circuit, stages: int, limit: int) -> StagedCircuit:
    """The step in `stages` stages; the window stands still meanwhile, so `words` come in any stage without registers.

    They come as late as the period allows, for then fewest sums are registered. A multiplexer follows, for a new key.
    """
    best: StagedCircuit | None = None
    for stage in range(stages - 1, max(-1, stages - 4), -1):
        late = dict.fromkeys(("words", "form", "constant"), Arrival(stage))
        needs = {"next": Required(time=1)}
        found = pipeline(circuit, stages=stages, model=LEVELS, arrivals=late, required=needs)
        room = limit - _longest(found)
        if room > 0:
            found = pipeline(circuit, stages=stages, model=LEVELS, arrivals=late, required=needs, relax=room)
        if best is None or _longest(found) < _longest(best):
            best = found
        if _longest(best) <= limit:
            break
    assert best is not None
    return best
