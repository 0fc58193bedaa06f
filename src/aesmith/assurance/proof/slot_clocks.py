"""The slot proof's states and outcome, and clocks of a pipeline of which not all is known.

At the pipeline's end results leave it; some may wait there, and hold it up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.explore import BEFORE_RESET, StateSpace, Violation
from aesmith.assurance.proof.interface import HANDSHAKES, PAYLOADS, RESULT, Automaton, BlockPorts, Job, Key, Stimulus
from aesmith.assurance.proof.liveness import EndlessError, longest_chains
from aesmith.assurance.proof.netlist import Netlist, Register
from aesmith.assurance.proof.partition import Pipeline, timing_independence
from aesmith.assurance.proof.symbolic import Numbers


class BrokenRuleError(Exception):
    """A rule that is broken, after the way to a place and a last stimulus."""

    def __init__(self, rule: str, way: Way, stimulus: Stimulus) -> None:
        super().__init__(rule)
        self.rule, self.way, self.stimulus = rule, way, stimulus

    def violation(self) -> Violation:
        """With the stimuli after reset."""
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

    `waiting` results wait to be taken: of those before it, once it is held. Its key has `key_bits`.
    """

    age: int
    control: Numbers
    data: int
    key_bits: int
    decrypt: bool
    held: bool
    waiting: int

    @property
    def job(self) -> Job:
        """The block, number 0 under key 0."""
        return Job(0, Key(0, self.key_bits), self.decrypt, 1)


Waiting = tuple[Numbers, Stimulus | None]
"""A state in which a key or block waits and the pipeline is empty: control, and what else must stay offered."""


def as_text(levels: Sequence[int]) -> str:
    """Levels as 0 and 1, and - where nothing is known."""
    return "".join("-" if level < 0 else str(level) for level in levels)


@dataclass(frozen=True)
class Case:
    """One clock with what was unknown to handshakes tried: the levels tried, those shown, and control after it."""

    tried: tuple[tuple[int, int], ...]
    levels: Numbers
    moves: bool
    after: Numbers


@dataclass
class SlotProof:
    """What was found. `moves` is N and `period` L, if the proof came that far; `seconds` has the parts that hold.

    `gaps` says for each place what is known of a slot without block, by index in `control_names`; `queue_clocks` for
    each state of the queue the most clocks that count until the pipeline has moved once, twice, …; the ranks how many
    more can count while a key or block waits, from each state in which the pipeline is empty.
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
    context_states: list[Context] = field(default_factory=list)
    travel_states: list[Travel] = field(default_factory=list)
    gaps: list[dict[int, int]] = field(default_factory=list)
    queue_clocks: dict[Numbers, list[int]] = field(default_factory=dict)
    key_ranks: dict[Waiting, int] = field(default_factory=dict)
    block_ranks: dict[Waiting, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """The invariants: contexts, and gaps by place."""
        return {
            "control": list(self.control_names),
            "contexts": [
                {
                    "control": as_text(context.control),
                    "data": context.data,
                    "specification": str(context.specification),
                }
                for context in self.context_states
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

    It is learned while no result waits, when what leaves is offered at once. Where a result `stands` at the end it is
    offered there while the pipeline stands still, and leaves when it is taken.
    """

    registers: tuple[int, ...]
    stands: bool = False
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
                raise BeyondError("the output of the pipeline is not seen while no result waits")
            return self.leaves[at_end]
        offered = case.levels[2] != 0
        if not case.moves and not self.stands:
            if offered:
                raise BeyondError("a result is offered that neither waits nor leaves the pipeline")
            return False
        if self.leaves.setdefault(at_end, offered) != offered:
            raise BeyondError("whether a result leaves depends on more than what is at the pipeline's end")
        return offered and case.moves

    def held(self, control: Numbers, case: Case) -> tuple[tuple[int, int], ...]:
        """The levels at the end after a clock, as (register, level), where the pipeline stands still."""
        tried = dict(case.tried)
        return () if case.moves else tuple((i, tried.get(i, control[i])) for i in self.registers)

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
    if after < 0:
        raise BeyondError("a result is taken that stays at the pipeline's end")
    if after > MOST_WAITING:
        raise BeyondError(f"more than {MOST_WAITING} results may wait at the pipeline's end")
    return after


@dataclass(frozen=True)
class QueueStep:
    """A clock of a queue of results: whether the pipeline moves, the queue after it, and whether the clock counts."""

    moves: bool
    after: Numbers
    counts: int


def most_clocks(following: Mapping[Numbers, Collection[QueueStep]], moves: int) -> dict[Numbers, list[int]]:
    """The most clocks that count until a pipeline has moved once, twice, and so often, from each state of its queue.

    Raises BeyondError if it may stand still for ever.
    """
    clocks = dict.fromkeys(following, 0)
    still = {
        queue: [(step.after, step.counts) for step in steps if not step.moves] for queue, steps in following.items()
    }
    found: dict[Numbers, list[int]] = {queue: [] for queue in following}
    for _ in range(moves):
        ends = {
            queue: max((step.counts + clocks[step.after] for step in steps if step.moves), default=0)
            for queue, steps in following.items()
        }
        try:
            clocks = longest_chains(still, ends)
        except EndlessError as endless:
            raise BeyondError("the pipeline may stall for ever") from endless
        for queue, most in clocks.items():
            found[queue].append(most)
    return found


MOST_UNKNOWN = 8
"""Registers whose levels are tried in one clock."""


class PipelineClocks(StateSpace):
    """Clocks of a pipeline of which not all is known: what each can be for the handshakes, and what follows it."""

    def __init__(self, netlist: Netlist, ports: BlockPorts, pipeline: Pipeline, tokens: Tokens | None = None) -> None:
        super().__init__(netlist, ports, tokens)
        own = self._symbolic.control_registers
        registers = [netlist.registers[i] for i in own]
        self._boundary_move = self._symbolic.partition.boundary.index(pipeline.move)
        self._moving = pipeline.moving
        self.travelling = tuple(i for i, n in enumerate(own) if n in pipeline.travelling)
        self._showing = tuple(i for i, n in enumerate(own) if n in pipeline.deciding)
        decide = pipeline.deciding | pipeline.leaving
        self._deciding = tuple(i for i, n in enumerate(own) if n in decide)
        nets = [netlist.outputs[name][0] for name in HANDSHAKES]
        self._read = _reads(netlist, registers, [*nets, pipeline.move])
        self._read_while_idle = _reads(netlist, registers, [*nets, pipeline.move, *netlist.outputs[RESULT]])
        self._read_by_ready = frozenset(_reads(netlist, registers, nets[1:2]))
        self._read_at_exit = _reads(netlist, registers, [nets[2], pipeline.move])
        self._read_by_move = _reads(netlist, registers, [pipeline.move])
        at_end = tuple(i for i in self._read_at_exit if own[i] in pipeline.travelling)
        self._end = PipelineEnd(at_end, stands=any(i in self._read_by_move for i in at_end))
        self._queue = tuple(i for i, n in enumerate(own) if n in pipeline.leaving)
        self._decides_exit = tuple(sorted(set(self._showing) & set(self._read_at_exit) | set(self._queue)))
        self._reset = tuple(UNKNOWN_NUMBER if r.reset is None else r.reset for r in registers)
        cone = set(timing_independence(netlist).registers)
        self._times = tuple(i in cone for i in own)
        self._levels, self._without = cache(ports.levels), cache(self._find_without)
        self._blind = {s: self._without(s, "block_valid_i", "decrypt_i") for s in self._stimuli}
        self._cases_known: dict[tuple[Numbers, Numbers, Numbers], tuple[Case, ...]] = {}

    @property
    def leaves(self) -> Mapping[Numbers, bool]:
        """Whether a result leaves, by the levels of the registers at the pipeline's end."""
        return self._end.leaves

    @property
    def stands(self) -> bool:
        """Whether a result that is not taken stands at the pipeline's end, and the pipeline with it."""
        return self._end.stands

    def _find_without(self, stimulus: Stimulus, *unknown: str) -> Numbers:
        """The control inputs, some of them unknown; with whether a key comes the size that it then has."""
        if "key_valid_i" in unknown:
            unknown += ("key_bits_i",)
        names = [name for name, width in self._ports.inputs if name not in PAYLOADS for _ in range(width)]
        levels = zip(names, self._levels(stimulus), strict=True)
        return tuple(UNKNOWN_NUMBER if name in unknown else level for name, level in levels)

    def _cases(self, control: Numbers, stimulus: Stimulus, way: Way) -> tuple[Case, ...]:
        """All that a clock can be for the handshakes. Levels of unknown registers that they read are tried."""
        cases = self._tried(control, self._levels(stimulus), self._read)
        for case in cases:
            for name, level in zip(HANDSHAKES, case.levels, strict=True):
                if not 0 <= level <= 1:
                    raise BrokenRuleError(f"{name} {BEFORE_RESET}", way, stimulus)
        return cases

    def _tried(self, control: Numbers, inputs: Numbers, read: Numbers) -> tuple[Case, ...]:
        asked = (control, inputs, read)
        found = self._cases_known.get(asked)
        if found is not None:
            return found
        free = [i for i in read if control[i] < 0]
        if len(free) > MOST_UNKNOWN:
            raise BeyondError(f"the handshakes read {len(free)} registers that may have any level")
        cases = []
        for levels in product((0, 1), repeat=len(free)):
            tried = tuple(zip(free, levels, strict=True))
            shown, boundary, after = self._symbolic.control(inputs, with_levels(control, tried))
            moves = boundary[self._boundary_move]
            if moves < 0:
                raise BeyondError("when the pipeline moves depends on what was in a register before reset")
            cases.append(Case(tried, shown, moves == self._moving, after))
        found = self._cases_known[asked] = tuple(cases)
        return found

    @staticmethod
    def _decided(case: Case, deciding: Collection[int]) -> Iterator[tuple[tuple[int, int], ...]]:
        """The levels that registers that decide may get, as (register, level)."""
        levels = [[(i, 0), (i, 1)] if case.after[i] < 0 else [(i, case.after[i])] for i in deciding]
        if sum(len(pair) - 1 for pair in levels) > MOST_UNKNOWN:
            raise BeyondError("too many registers that decide may get any level")
        yield from product(*levels)

    def _after(
        self, inputs: Numbers, control: Numbers, data: int, key: Numbers = (), block: Numbers = ()
    ) -> tuple[Numbers, Numbers, int]:
        """`block_o`, and control and data after a clock."""
        _, boundary, after = self._symbolic.control(inputs, control)
        outputs, data_after = self._data.step(data, boundary, key, block)
        return outputs, tuple(max(level, UNKNOWN_NUMBER) for level in after), data_after

    def _clocks_of_queue(self, starts: Collection[Numbers], moves: int) -> dict[Numbers, list[int]]:
        """The most clocks that count until the pipeline has moved so often, whenever the receiver is ready."""
        following: dict[Numbers, list[QueueStep]] = {}
        waiting = list(starts)
        for queue in waiting:
            if queue in following:
                continue
            control = with_levels([UNKNOWN_NUMBER] * len(self._reset), list(zip(self._queue, queue, strict=True)))
            after = following[queue] = []
            for ready in (False, True):
                stimulus = Stimulus(False, False, ready)
                inputs = self._without(stimulus, "block_valid_i", "decrypt_i", "key_valid_i")
                for case in self._tried(control, inputs, self._read_at_exit):
                    for decided in self._decided(case, self._decides_exit):
                        levels = dict(decided)
                        found = tuple(levels[i] for i in self._queue)
                        after.append(QueueStep(case.moves, found, counts(case, stimulus)))
                        waiting.append(found)
        return most_clocks(following, moves)

    def _timed_after(self, case: Case) -> Iterator[Numbers]:
        """What is known of control after a clock, of registers that handshakes ever depend on."""
        known = self._of_time(case.after)
        for decided in self._decided(case, self._deciding):
            yield with_levels(known, decided)

    def _of_time(self, control: Numbers) -> Numbers:
        """What is known of registers that handshakes ever depend on."""
        return tuple(
            level if timed and level >= 0 else UNKNOWN_NUMBER for level, timed in zip(control, self._times, strict=True)
        )


def counts(case: Case, stimulus: Stimulus) -> int:
    """1, or 0 for a clock in which a result is offered and not taken, or may be."""
    return int(stimulus.block_ready or case.levels[2] == 0)


def _reads(netlist: Netlist, registers: Sequence[Register], nets: Sequence[int]) -> tuple[int, ...]:
    """Which registers nets depend on within a clock."""
    read = set(nets) | {net for gate in netlist.cone(nets) for net in gate.inputs}
    return tuple(i for i, register in enumerate(registers) if register.q in read)


def with_levels(control: Sequence[int], levels: Sequence[tuple[int, int]]) -> Numbers:
    """Control with other levels of some registers."""
    changed = list(control)
    for i, level in levels:
        changed[i] = level
    return tuple(changed)


def in_both(a: Numbers, b: Numbers) -> Numbers:
    """What is known in both."""
    return tuple(x if x == y else UNKNOWN_NUMBER for x, y in zip(a, b, strict=True))
