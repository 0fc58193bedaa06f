"""That what is begun also ends: bounds on waiting, read off the states of a walk.

A core waits for ever if and only if the walk has a cycle of clocks in which nothing is moved though all that the core
can ask for is given. Without such a cycle the longest chain of such clocks is the exact bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aesmith.assurance.proof.automaton import Automaton, Shape
from aesmith.assurance.proof.explore import Edge, Violation, Walk

Waits = Callable[[Automaton, Edge], bool]
"""Whether a clock out of a state is one of waiting."""

LOOP_SHOWN = 3


@dataclass(frozen=True)
class Bound:
    """The most clocks that something can take, or the endless wait that was found."""

    what: str
    clocks: int
    violation: Violation | None = None


def bounds(walk: Walk, shape: Shape) -> tuple[Bound, ...]:
    """Bounds on a block under way, on a block that waits to be taken, and on a key that does."""

    def unanswered(state: Automaton, edge: Edge) -> bool:
        whole = bool(state.jobs) and state.jobs[0].taken == shape.block_beats
        result = edge.moved.result
        leaves = result is not None and result.left == shape.block_beats - 1
        return whole and edge.stimulus.block_ready and not leaves

    def block_refused(state: Automaton, edge: Edge) -> bool:
        given = edge.stimulus.block_valid and edge.stimulus.block_ready and not edge.stimulus.key_valid
        return given and state.key is not None and state.arriving is None and edge.moved.block is None

    def key_refused(state: Automaton, edge: Edge) -> bool:
        given = edge.stimulus.key_valid and edge.stimulus.block_ready and not edge.stimulus.block_valid
        whole = not state.jobs or state.jobs[-1].taken == shape.block_beats
        return given and whole and edge.moved.key is None

    return (
        _bound(walk, unanswered, "from a whole block to the end of its result, when the receiver is ready"),
        _bound(walk, block_refused, "a block waits to be taken, when the receiver is ready and no key comes"),
        _bound(walk, key_refused, "a key waits to be taken, when the receiver is ready and no block comes"),
    )


def _bound(walk: Walk, waits: Waits, what: str) -> Bound:
    """The longest chain of waiting clocks, by depth-first search, plus the clock that ends it."""
    longest: dict[int, int] = {}
    for start in range(len(walk.automata)):
        if start in longest:
            continue
        trail: list[tuple[int, list[Edge], int]] = [(start, _waiting(walk, start, waits), 0)]
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
            trail.append((edge.target, _waiting(walk, edge.target, waits), 0))
            taken.append(edge)
            on_trail.add(edge.target)
    return Bound(what, max(longest.values(), default=0) + 1)


def _waiting(walk: Walk, state: int, waits: Waits) -> list[Edge]:
    return [edge for edge in walk.edges[state] if waits(walk.automata[state], edge)]
