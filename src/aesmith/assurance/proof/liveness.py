"""That what is begun also ends: bounds on waiting, read off the states of a walk.

A core waits for ever if and only if the walk has a cycle of clocks in which nothing is moved though all that the core
can ask for is given. Without such a cycle the longest chain of such clocks is the exact bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aesmith.assurance.proof.automaton import Automaton, Shape, Stimulus, Transfers
from aesmith.assurance.proof.explore import Edge, Violation, Walk

Waits = Callable[[Automaton, Shape, Stimulus, Transfers], bool]
"""Whether a clock out of a state is one of waiting."""

LOOP_SHOWN = 3


@dataclass(frozen=True)
class Bound:
    """The most clocks that something can take, or the endless wait that was found."""

    what: str
    clocks: int
    violation: Violation | None = None


def unanswered(state: Automaton, shape: Shape, stimulus: Stimulus, moved: Transfers) -> bool:
    """Whether a whole block waits for the end of its result, and the receiver is ready."""
    whole = bool(state.jobs) and state.jobs[0].taken == shape.block_beats
    leaves = moved.result is not None and moved.result.left == shape.block_beats - 1
    return whole and stimulus.block_ready and not leaves


def block_refused(state: Automaton, _shape: Shape, stimulus: Stimulus, moved: Transfers) -> bool:
    """Whether a block waits to be taken, and nothing else does."""
    given = stimulus.block_valid and stimulus.block_ready and not stimulus.key_valid
    return given and state.key is not None and state.arriving is None and moved.block is None


def key_refused(state: Automaton, shape: Shape, stimulus: Stimulus, moved: Transfers) -> bool:
    """Whether a key waits to be taken, and nothing else does."""
    given = stimulus.key_valid and stimulus.block_ready and not stimulus.block_valid
    whole = not state.jobs or state.jobs[-1].taken == shape.block_beats
    return given and whole and moved.key is None


WAITS: dict[str, Waits] = {
    "from a whole block to the end of its result, when the receiver is ready": unanswered,
    "a block waits to be taken, when the receiver is ready and no key comes": block_refused,
    "a key waits to be taken, when the receiver is ready and no block comes": key_refused,
}


def bounds(walk: Walk, shape: Shape) -> tuple[Bound, ...]:
    """Bounds on a block under way, on a block that waits to be taken, and on a key that does."""
    return tuple(_bound(walk, shape, waits, what) for what, waits in WAITS.items())


def _bound(walk: Walk, shape: Shape, waits: Waits, what: str) -> Bound:
    """The longest chain of waiting clocks, by depth-first search, plus the clock that ends it."""
    longest: dict[int, int] = {}
    for start in range(len(walk.automata)):
        if start in longest:
            continue
        trail: list[tuple[int, list[Edge], int]] = [(start, _waiting(walk, shape, start, waits), 0)]
        taken: list[Edge] = []
        on_trail = {start}
        while trail:
            state, edges, depth = trail.pop()
            if not edges:
                longest[state] = depth
                on_trail.discard(state)
                if trail:
                    above, rest, so_far = trail.pop()
                    taken.pop()
                    trail.append((above, rest, max(so_far, depth + 1)))
                continue
            edge = edges.pop()
            if edge.target in on_trail:
                states = [item[0] for item in trail] + [state]
                loop = [*taken, edge][states.index(edge.target) :]
                stimuli = [step.stimulus for step in [*taken, edge, *loop * LOOP_SHOWN]]
                return Bound(what, 0, walk.violation_after(f"for ever: {what}", start, stimuli))
            if edge.target in longest:
                trail.append((state, edges, max(depth, longest[edge.target] + 1)))
                continue
            trail.append((state, edges, depth))
            trail.append((edge.target, _waiting(walk, shape, edge.target, waits), 0))
            taken.append(edge)
            on_trail.add(edge.target)
    return Bound(what, max(longest.values(), default=0) + 1)


def _waiting(walk: Walk, shape: Shape, state: int, waits: Waits) -> list[Edge]:
    return [edge for edge in walk.edges[state] if waits(walk.automata[state], shape, edge.stimulus, edge.moved)]
