"""The slot proof's states and outcome, the two ways in which it ends early, and what happens at a pipeline's end.

At the end results leave the pipeline; some may wait there, and hold it up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER
from aesmith.assurance.proof.automaton import Automaton, Stimulus
from aesmith.assurance.proof.explore import Violation
from aesmith.assurance.proof.liveness import EndlessError, longest_chains
from aesmith.assurance.proof.symbolic import Numbers


class BrokenRuleError(Exception):
    """A rule that is broken, after the way to a place and a last stimulus."""

    def __init__(self, rule: str, way: Way, stimulus: Stimulus) -> None:
        super().__init__(rule)
        self.rule, self.way, self.stimulus = rule, way, stimulus

    def violation(self) -> Violation:
        """With the stimuli from reset on."""
        steps = [self.stimulus, *self.way.back()]
        return Violation(self.rule, tuple(reversed(steps)))


class BeyondError(Exception):
    """What this proof cannot decide, and why."""


@dataclass(frozen=True, eq=False)
class Way:
    """How a state was reached first."""

    before: Way | None
    stimulus: Stimulus | None

    def back(self) -> Iterator[Stimulus]:
        way: Way | None = self
        while way is not None and way.stimulus is not None:
            yield way.stimulus
            way = way.before


@dataclass(frozen=True)
class Context:
    """A state of the context walk. `control` has UNKNOWN as negative numbers; of blocks the specification has none.

    `waiting` is how many results have left the pipeline and were not taken.
    """

    control: Numbers
    data: int
    specification: Automaton
    waiting: int = 0


@dataclass(frozen=True)
class Travel:
    """A state of the block walk: `age` is how often the pipeline has moved since, `held` if it has left the pipeline.

    `waiting` results wait to be taken: of those before it, once it is held.
    """

    age: int
    control: Numbers
    data: int
    decrypt: bool
    held: bool
    waiting: int


@dataclass(frozen=True)
class Case:
    """One clock with what was unknown to handshakes tried: the levels tried, those shown, and what decides after it."""

    tried: tuple[tuple[int, int], ...]
    levels: Numbers
    moves: bool
    after: tuple[tuple[int, int], ...]


@dataclass
class SlotProof:
    """What was found. `moves` is N and `period` L, if the proof came that far; `seconds` has the parts that hold.

    `gaps` says for each place what is known of a slot without block, by index in `control_names`.
    """

    contexts: int = 0
    context_clocks: int = 0
    travels: int = 0
    moves: int = 0
    period: int = 0
    result_bound: int = 0
    block_bound: int = 0
    key_bound: int = 0
    violation: Violation | None = None
    open_reason: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    control_names: tuple[str, ...] = ()
    context_states: list[tuple[Numbers, int, str]] = field(default_factory=list)
    gaps: list[dict[int, int]] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The invariants: contexts, and gaps by place."""
        return {
            "control": list(self.control_names),
            "contexts": [
                {
                    "control": "".join("-" if level < 0 else str(level) for level in control),
                    "data": data,
                    "specification": specification,
                }
                for control, data, specification in self.context_states
            ],
            "moves": self.moves,
            "period": self.period,
            "gaps": [{self.control_names[i]: level for i, level in gap.items()} for gap in self.gaps],
        }


MOST_WAITING = 16
"""Results that may wait at a pipeline's end."""


@dataclass(frozen=True)
class PipelineEnd:
    """Whether a result leaves, by the levels of what stands at the end: the registers of control `registers`.

    It is learned while no result waits, when what leaves is offered at once.
    """

    registers: tuple[int, ...]
    leaves: dict[Numbers, bool] = field(default_factory=dict)

    def left(self, control: Numbers, case: Case, waiting: int) -> bool:
        """Whether a result leaves in this clock, to be offered at once or, if `waiting` results are, to wait.

        Raises BeyondError where that is not decided by what stands at the end.
        """
        tried = dict(case.tried)
        at_end = tuple(tried.get(i, control[i]) for i in self.registers)
        if waiting:
            if not case.moves:
                return False
            if at_end not in self.leaves:
                raise BeyondError("what leaves the pipeline is not seen while no result waits")
            return self.leaves[at_end]
        offered = case.levels[2] != 0
        if not case.moves:
            if offered:
                raise BeyondError("a result is offered that neither waits nor leaves the pipeline")
            return False
        if self.leaves.setdefault(at_end, offered) != offered:
            raise BeyondError("whether a result leaves depends on more than what is at the pipeline's end")
        return offered

    def may_leave(self, control: Sequence[int]) -> bool:
        """Whether a result may leave, by what is known of control."""
        levels = [control[i] for i in self.registers]
        return any(
            leaves and all(a in (b, UNKNOWN_NUMBER) for a, b in zip(levels, at_end, strict=True))
            for at_end, leaves in self.leaves.items()
        )


def still_waiting(waiting: int, left: bool, taken: bool) -> int:
    """How many results wait after a clock. Raises BeyondError for more than MOST_WAITING."""
    after = waiting + left - taken
    if after > MOST_WAITING:
        raise BeyondError(f"more than {MOST_WAITING} results may wait at the pipeline's end")
    return after


@dataclass(frozen=True)
class QueueStep:
    """A clock of a queue of results: whether the pipeline moves, the queue after it, and whether the clock counts."""

    moves: bool
    after: Numbers
    counts: int


def most_clocks(following: Mapping[Numbers, Collection[QueueStep]], starts: Collection[Numbers], moves: int) -> int:
    """The most clocks that count until a pipeline has moved so often, from any of `starts`.

    Raises BeyondError if it may stand still for ever.
    """
    clocks = dict.fromkeys(following, 0)
    still = {
        queue: [(step.after, step.counts) for step in steps if not step.moves] for queue, steps in following.items()
    }
    for _ in range(moves):
        ends = {
            queue: max((step.counts + clocks[step.after] for step in steps if step.moves), default=0)
            for queue, steps in following.items()
        }
        try:
            clocks = longest_chains(still, ends)
        except EndlessError as endless:
            raise BeyondError("the pipeline may stand still for ever") from endless
    return max(clocks[start] for start in starts)
