"""The end of a pipeline in the slot proof: what leaves there, how many results wait, how long they hold it up."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from aesmith.assurance.proof.forms import UNKNOWN_NUMBER
from aesmith.assurance.proof.liveness import EndlessError, longest_chains
from aesmith.assurance.proof.slot_states import BeyondError, Case
from aesmith.assurance.proof.symbolic import Numbers

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
