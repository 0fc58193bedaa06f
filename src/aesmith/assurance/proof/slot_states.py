"""States, cases and outcome of the slot proof, and the two ways in which it ends early."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from aesmith.assurance.proof.automaton import Automaton, Stimulus
from aesmith.assurance.proof.explore import Violation
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
