"""The end of a pipeline in the slot proof: what leaves there, how many results wait, how long they hold it up."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from aesmith.assurance.proof.forms import UNKNOWN_NUMBER
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


def most_clocks(
    following: Mapping[Numbers, Collection[tuple[bool, Numbers]]], starts: Collection[Numbers], moves: int
) -> int:
    """The most clocks that so many moves take from any of `starts`.

    `following` has for each state of the queue whether the pipeline moves in a clock, and the state after it. Raises
    BeyondError if it may never move.
    """
    clocks = dict.fromkeys(following, 0)
    for _ in range(moves):
        # To the state after the next move: first from those that move at once, then from those that get there.
        reached: dict[Numbers, int] = {}
        for _ in following:
            for queue, after in following.items():
                if all(moved or found in reached for moved, found in after):
                    reached[queue] = 1 + max(clocks[found] if moved else reached[found] for moved, found in after)
            if len(reached) == len(following):
                break
        else:
            raise BeyondError("the pipeline may stand still for ever")
        clocks = reached
    return max(clocks[start] for start in starts)
