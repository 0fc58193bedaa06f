"""That what is begun also ends: promises on waiting, decided on the states of a walk.

A clock is *excused* if the core waits for its environment: a result is offered and not taken, a block or key was
begun and its next beat does not come, or a masked core is offered no fresh bits. It then counts for nothing, else for
one. Take the clocks in which a promise is still unkept. A core can keep it waiting for ever, whatever is offered on the
other channels and whenever the receiver is ready, if and only if some cycle of them has a clock that counts. Without
one, the most that a chain of them counts, and one for the clock that ends it, is the exact bound.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from aesmith.assurance.proof.explore import Edge, Violation, Walk
from aesmith.assurance.proof.interface import Automaton, Handshakes, Shape, Stimulus, Transfers

Unkept = Callable[[Automaton, Shape, Stimulus, Handshakes, Transfers], int | None]
"""What a clock counts for a promise: 0 or 1 while it is unkept, None where it is kept or none is open."""

T = TypeVar("T", bound=Hashable)

LOOP_SHOWN = 3


@dataclass(frozen=True)
class Bound:
    """The most clocks, not counting those that are excused, that something can take, or the endless wait found.

    `ranks` is the most that can still count from each state, 0 for those without an entry.
    """

    what: str
    clocks: int
    violation: Violation | None = None
    ranks: Mapping[int, int] = field(default_factory=dict)


def excused(state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes) -> bool:
    """Whether the core waits for its environment."""
    stalled = shakes.block_valid and not stimulus.block_ready
    block_begun = bool(state.jobs) and state.jobs[-1].taken < shape.block_beats
    return (
        stimulus.withheld
        or stalled
        or (block_begun and not stimulus.block_valid)
        or (state.arriving is not None and not stimulus.key_valid)
    )


def _whole(state: Automaton, shape: Shape) -> bool:
    return bool(state.jobs) and state.jobs[0].taken == shape.block_beats


def not_offered(
    state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes, _moved: Transfers
) -> int | None:
    """The oldest block is whole, and its result is not offered. Every clock counts in which there are fresh bits: valid
    waits for nothing else."""
    return int(not stimulus.withheld) if _whole(state, shape) and not shakes.block_valid else None


def not_ended(state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes, moved: Transfers) -> int | None:
    """The oldest block is whole, and the last beat of its result has not left."""
    last = moved.result is not None and moved.result.left == shape.block_beats - 1
    if not _whole(state, shape) or (last and stimulus.block_ready):
        return None
    return int(not excused(state, shape, stimulus, shakes))


def key_refused(state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes, moved: Transfers) -> int | None:
    """A key is offered and not taken, whatever else is."""
    return None if not stimulus.key_valid or moved.key else int(not excused(state, shape, stimulus, shakes))


def block_refused(
    state: Automaton, shape: Shape, stimulus: Stimulus, shakes: Handshakes, moved: Transfers
) -> int | None:
    """A block is offered after a key and not taken, and no key is taken either, though one may be offered."""
    if not stimulus.block_valid or state.key is None or moved.block is not None or moved.key is not None:
        return None
    return int(not excused(state, shape, stimulus, shakes))


PROMISES: dict[str, Unkept] = {
    "a whole block until its result is offered": not_offered,
    "a whole block until the end of its result": not_ended,
    "a key until it is taken": key_refused,
    "a block until it or a key is taken": block_refused,
}


def bounds(walk: Walk, shape: Shape) -> tuple[Bound, ...]:
    """A bound, or an endless wait, for each promise."""
    return tuple(_bound(walk, shape, unkept, what) for what, unkept in PROMISES.items())


class EndlessError(Exception):
    """A cycle that counts: from `place` over the edge with index `edge` and back."""

    def __init__(self, place: Hashable, edge: int) -> None:
        super().__init__()
        self.place, self.edge = place, edge


def longest_chains(edges: Mapping[T, Sequence[tuple[T, int]]], ends: Mapping[T, int]) -> dict[T, int]:
    """The most that chains of weighted edges count from each place, by strongly connected components.

    `ends` is what a chain that ends in a place counts there (0 for those not named); places without an entry in
    `edges` have no edges. Raises EndlessError if a cycle counts.
    """
    count: dict[T, int] = {}
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    component: list[T] = []
    on_stack: set[T] = set()
    for start in edges:
        if start in index:
            continue
        trail: list[tuple[T, int]] = [(start, 0)]
        while trail:
            place, done = trail.pop()
            if not done:
                index[place] = low[place] = len(index)
                component.append(place)
                on_stack.add(place)
            out = edges.get(place, ())
            for number in range(done, len(out)):
                target = out[number][0]
                if target not in index:
                    trail += [(place, number + 1), (target, 0)]
                    break
                if target in on_stack:
                    low[place] = min(low[place], index[target])
            else:
                if low[place] == index[place]:
                    _close(place, component, on_stack, edges=edges, ends=ends, count=count)
                if trail:
                    above = trail[-1][0]
                    low[above] = min(low[above], low[place])
    return count


def _close(
    root: T,
    component: list[T],
    on_stack: set[T],
    *,
    edges: Mapping[T, Sequence[tuple[T, int]]],
    ends: Mapping[T, int],
    count: dict[T, int],
) -> None:
    """Takes the component of `root` off the stack, and counts for it: those that it leads to have been."""
    members: list[T] = []
    while not members or members[-1] != root:
        members.append(component.pop())
    inside = set(members)
    on_stack -= inside
    most = max(ends.get(place, 0) for place in members)
    for place in members:
        for number, (target, weight) in enumerate(edges.get(place, ())):
            if target not in inside:
                most = max(most, weight + count[target])
            elif weight:
                raise EndlessError(place, number)
    count.update(dict.fromkeys(members, most))


def _bound(walk: Walk, shape: Shape, unkept: Unkept, what: str) -> Bound:
    waiting: dict[int, list[tuple[Edge, int]]] = {}
    for state, (automaton, edges) in enumerate(zip(walk.automata, walk.edges, strict=True)):
        for edge in edges:
            weight = unkept(automaton, shape, edge.stimulus, edge.shakes, edge.moved)
            if weight is not None:
                waiting.setdefault(state, []).append((edge, weight))
    graph = {state: [(edge.target, weight) for edge, weight in out] for state, out in waiting.items()}
    try:
        longest = longest_chains(graph, {})
    except EndlessError as endless:
        state = next(state for state in graph if state == endless.place)
        first = waiting[state][endless.edge][0]
        loop = [first.stimulus, *_way(waiting, first.target, state)]
        found = walk.violation_after(f"for ever: {what}", state, loop * LOOP_SHOWN)
        return Bound(what, 0, replace(found, loop=len(loop)))
    return Bound(what, max(longest.values(), default=0) + 1, ranks=longest)


def _way(waiting: Mapping[int, Sequence[tuple[Edge, int]]], start: int, end: int) -> list[Stimulus]:
    """The shortest way from one state to another over waiting clocks."""
    came: dict[int, tuple[int, Stimulus]] = {}
    queue = deque([start])
    while queue and end not in came and start != end:
        state = queue.popleft()
        for edge, _ in waiting.get(state, ()):
            if edge.target not in came:
                came[edge.target] = (state, edge.stimulus)
                queue.append(edge.target)
    steps: list[Stimulus] = []
    while end != start:
        end, stimulus = came[end]
        steps.append(stimulus)
    return steps[::-1]
