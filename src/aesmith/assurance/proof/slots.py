"""A pipeline that moves as one, proved block by block: the slot proof.

A walk over all states of a pipeline of 70 places would see every pattern of blocks and gaps. But each clock in which
the pipeline moves, one *slot* enters and one leaves, and a slot has a block in it or none. So three walks do, in each
of which everything that is not known is UNKNOWN:

- The *context* walk: what decides about moving, blocks and keys, and the key registers, whatever is in the pipeline.
- The *block* walk: one block, taken in any state of the context, under the last key accepted before. Whatever other
  blocks there are or not, it leaves as AES makes it after N clocks in which the pipeline moves. It is offered, until it
  is taken, when all results that left before it and waited have been taken.
- The *gap* walk: a slot that no block was put in, or that a block has left. It offers nothing, and after L moves is
  back at the entry, as empty as before.

N is a multiple of L, and after each L moves short of N a block is at the entry and no other is taken. So at each move
each of L slots is in one known state of its walk, exactly one is at the exit, and what it offers is what its walk says:
results come in the order of their blocks, none lost, none repeated, none invented.

Where what stands at the exit decides about moving, a result is offered there while the pipeline stands still, and moves
on when it is taken: then no result ever waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER
from aesmith.assurance.proof.data import Renaming, Tokens
from aesmith.assurance.proof.explore import SHOWS_KEY
from aesmith.assurance.proof.interface import (
    Automaton,
    BlockPorts,
    Key,
    Stimulus,
    permitted,
    stimulus_of_block,
    stimulus_of_key,
)
from aesmith.assurance.proof.liveness import EndlessError, longest_chains
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.partition import Pipeline
from aesmith.assurance.proof.report import Limits
from aesmith.assurance.proof.slot_clocks import (
    MOST_UNKNOWN,
    BeyondError,
    BrokenRuleError,
    Case,
    Context,
    PipelineClocks,
    SlotProof,
    Travel,
    Waiting,
    Way,
    counts,
    in_both,
    still_waiting,
    with_levels,
)
from aesmith.assurance.proof.symbolic import Numbers
from aesmith.progress import Progress

_Refused = Callable[[Waiting, Way], Iterator[tuple[Waiting, int]]]

_NEW_KEY: Renaming = (((1, 0),), (), (0,), ())


class SlotProver(PipelineClocks):
    """The slot proof of one netlist."""

    def __init__(self, netlist: Netlist, ports: BlockPorts, pipeline: Pipeline, tokens: Tokens | None = None) -> None:
        super().__init__(netlist, ports, pipeline, tokens)
        registers = [netlist.registers[i] for i in self._symbolic.control_registers]
        self._contexts: dict[Context, Way] = {}
        self._of_block: dict[int, bool] = {}
        self._accepts: dict[int, bool] = {}
        self._offers: dict[int, bool] = {}
        self._leaving: set[Numbers] = set()
        self.found = SlotProof(control_names=tuple(register.name for register in registers))

    def register_names(self) -> dict[str, list[str]]:
        """The registers of control by the part that they have in the proof, as certificates name them."""
        parts = {
            "travelling": self.travelling,
            "deciding": self._deciding,
            "at_exit": self._decides_exit,
            "queue": self._queue,
            "end": self._end.registers,
        }
        return {part: [self.found.control_names[i] for i in places] for part, places in parts.items()}

    def run(self, limits: Limits, progress: Progress | None = None) -> SlotProof:
        """The whole proof, or as far as the limits let it go, or to the first violation."""
        found = self.found
        self._began = time.monotonic()
        self._limits, self._progress = limits, progress
        try:
            for name, part in (
                ("context", self._walk_contexts),
                ("blocks", self._walk_blocks),
                ("order", self._walk_gaps),
                ("progress", self._bound_waiting),
            ):
                began = time.monotonic()
                part()
                found.seconds[name] = time.monotonic() - began
        except BrokenRuleError as broken:
            found.violation = broken.violation()
        except BeyondError as beyond:
            found.open_reason = str(beyond)
        except MemoryError:
            found.open_reason = "out of memory"
        found.contexts = len(self._contexts)
        found.context_states = list(self._contexts)
        return found

    def _spend(self, what: str, done: int, known: int) -> None:
        reason = self._limits.exceeded(known, time.monotonic() - self._began)
        if reason:
            raise BeyondError(f"{what}: {reason}")
        if self._progress is not None and done % 16 == 0:
            self._progress(what, done, known)

    def _rules(self, context: Context, case: Case, way: Way, stimulus: Stimulus) -> None:
        """What holds in every clock."""
        specification = context.specification
        _, block_ready, block_valid = case.levels
        if stimulus.block_valid and block_ready and specification.key is None:
            raise BrokenRuleError("a block is accepted before there is a key", way, stimulus)
        if specification.offered and not block_valid:
            raise BrokenRuleError("a result was offered and not taken, and is no longer offered", way, stimulus)
        if block_ready and not case.moves:
            raise BeyondError("a block may be taken while the pipeline is stalled")
        other = replace(stimulus, block_ready=not stimulus.block_ready)
        if any(c.levels[2] != block_valid for c in self._cases(with_levels(context.control, case.tried), other, way)):
            raise BrokenRuleError("block_valid_o waits for block_ready_i", way, stimulus)

    def _walk_contexts(self) -> None:
        start = list(self._reset)
        for i in self.travelling:
            start[i] = UNKNOWN_NUMBER
        free = [i for i in self._deciding if start[i] < 0]
        if len(free) > MOST_UNKNOWN:
            raise BeyondError("too many registers that decide are not reset")
        unknown = self._data.number([UNKNOWN_NUMBER] * len(self._symbolic.data_registers))
        for levels in product((0, 1), repeat=len(free)):
            for i, level in zip(free, levels, strict=True):
                start[i] = level
            self._contexts[Context(tuple(start), unknown, Automaton())] = Way(None, None)
        waiting = list(self._contexts)
        for done, context in enumerate(waiting):
            self._spend("contexts", done, len(waiting))
            way = self._contexts[context]
            for stimulus in self._stimuli:
                if not permitted(context.specification, self._ports.shape, stimulus):
                    continue
                self.found.context_clocks += 1
                for following in self._contexts_after(context, stimulus, way):
                    if following not in self._contexts:
                        self._contexts[following] = Way(way, stimulus)
                        waiting.append(following)

    def _contexts_after(self, context: Context, stimulus: Stimulus, way: Way) -> Iterator[Context]:
        specification = context.specification
        after: dict[bool, tuple[Numbers, int]] = {}
        self._check_idle(context, stimulus, way)
        for case in self._cases(context.control, stimulus, way):
            self._rules(context, case, way, stimulus)
            key_ready, block_ready, block_valid = map(bool, case.levels)
            left = self._end.left(context.control, case, context.waiting)
            if block_valid and stimulus.block_ready and not (left or context.waiting):
                raise BrokenRuleError("a result that is taken is offered again", way, stimulus)
            waiting = still_waiting(context.waiting, left, block_valid and stimulus.block_ready)
            taken = stimulus.key_valid and key_ready
            if taken not in after:
                after[taken] = self._context_clock(context, stimulus, taken)
            control, data = after[taken]
            following = Automaton(
                Key(0, self._key_bits(stimulus)) if taken else specification.key,
                offered=waiting > 0 or (block_valid and not stimulus.block_ready),
                key_waits=stimulus_of_key(stimulus) if stimulus.key_valid and not key_ready else None,
                block_waits=stimulus_of_block(stimulus) if stimulus.block_valid and not block_ready else None,
            )
            held = self._end.held(context.control, case) if self._end.stands else ()
            for decided in self._decided(case, self._deciding):
                yield Context(with_levels(control, [*held, *decided]), data, following, waiting)

    def _key_bits(self, stimulus: Stimulus) -> int:
        return stimulus.key_bits or self._ports.shape.key_bits[0]

    def _check_idle(self, context: Context, stimulus: Stimulus, way: Way) -> None:
        """No key is on a bare `block_o` while nothing is offered, whatever control chooses in this clock."""
        inputs = self._levels(stimulus)
        for case in () if self._ports.quiet else self._tried(context.control, inputs, self._read_while_idle):
            if case.levels[2] == 0:
                payload = self._arriving(stimulus) if stimulus.key_valid and case.levels[0] else ()
                control = with_levels(context.control, case.tried)
                if self.idle.shows_key(self._after(inputs, control, context.data, payload)[0]):
                    raise BrokenRuleError(SHOWS_KEY, way, stimulus)

    def _arriving(self, stimulus: Stimulus) -> Numbers:
        """The key that is taken, which has number 1 in its clock."""
        key = Key(1, self._key_bits(stimulus))
        self._tokens.round_keys(replace(key, number=0))
        self._tokens.round_keys(key)
        return self._data.beat(self._tokens.key(key), 0, 1)

    def _context_clock(self, context: Context, stimulus: Stimulus, taken: bool) -> tuple[Numbers, int]:
        """Control and data after a clock, nothing being known of blocks; a key taken becomes key 0."""
        payload = self._arriving(stimulus) if taken else ()
        _, control, data = self._after(self._blind[stimulus], context.control, context.data, payload)
        return control, self._data.renamed(data, _NEW_KEY) if taken else data

    def _walk_blocks(self) -> None:
        ways: dict[Travel, Way] = {}
        for context, way in self._contexts.items():
            for stimulus in self._stimuli:
                known = stimulus.block_valid and context.specification.key is not None
                if known and permitted(context.specification, self._ports.shape, stimulus):
                    for travel in self._entered(context, stimulus, way):
                        ways.setdefault(travel, Way(way, stimulus))
        self._cases_known.clear()
        self._find_moves(ways)
        waiting = list(ways)
        for done, travel in enumerate(waiting):
            self._spend("blocks", done, len(waiting))
            way = ways[travel]
            if self.found.moves and travel.age > self.found.moves and not travel.held:
                raise BrokenRuleError("the result offered is not that of AES", way, Stimulus(False, False, False))
            if not self._has_block(travel.data):
                raise BeyondError(f"after {travel.age} moves nothing in the pipeline is known to be of the block")
            for ready in (False, True):
                stimulus = Stimulus(False, False, ready)
                for following in self._travelled(travel, stimulus, way):
                    if following not in ways:
                        ways[following] = Way(way, stimulus)
                        waiting.append(following)
        self.found.travel_states, self.found.travels = waiting, len(ways)
        if not self.found.moves:
            raise BeyondError("no block is taken, or none comes to an end")

    def _find_moves(self, ways: Mapping[Travel, Way]) -> None:
        """N: how often the pipeline moves until a block is offered that nothing delays."""
        found, waiting = dict(ways), list(ways)
        taking = Stimulus(False, False, True)
        for done, travel in enumerate(waiting):
            self._spend("moves", done, len(waiting))
            if self.found.moves or not self._has_block(travel.data):
                break
            for following in self._travelled(travel, taking, found[travel]):
                if following not in found:
                    found[following] = Way(found[travel], taking)
                    waiting.append(following)

    def _has_block(self, data: int) -> bool:
        """Whether any data register holds a form of the tracked block."""
        if data not in self._of_block:
            block, numbers = self._tokens.of_blocks(0), self._tokens.numbers
            held = {number for number in self._data.held(data) if number > 1}
            self._of_block[data] = any(numbers.form(number) & block for number in held)
        return self._of_block[data]

    def _entered(self, context: Context, stimulus: Stimulus, way: Way) -> Iterator[Travel]:
        """The tracked block is taken, if it can be in this clock."""
        inputs, key = self._levels(stimulus), context.specification.key
        assert key is not None
        start = Travel(1, (), context.data, key.bits, stimulus.decrypt, held=False, waiting=0)
        self._tokens.result(start.job)
        block = self._data.beat(self._tokens.block(0), 0, 1)
        for case in self._cases(context.control, stimulus, way):
            if not case.levels[1]:
                continue
            # Only what must hold for the block to be taken is known.
            tried = with_levels(context.control, [pair for pair in case.tried if pair[0] in self._read_by_ready])
            _, control, data = self._after(inputs, tried, context.data, (), block)
            for decided in self._decided(case, self._decides_exit):
                left = self._end.left(context.control, case, context.waiting)
                waiting = still_waiting(context.waiting, left, bool(case.levels[2]) and stimulus.block_ready)
                yield replace(start, control=with_levels(control, decided), data=data, waiting=waiting)

    def _travelled(self, travel: Travel, stimulus: Stimulus, way: Way) -> Iterator[Travel]:
        """One clock of the tracked block's way, nothing being known of other blocks and keys."""
        inputs = self._without(stimulus, "block_valid_i", "decrypt_i", "key_valid_i")
        result = self._data.beat(self._tokens.result(travel.job), 0, 1)
        for case in self._tried(travel.control, inputs, self._read_at_exit):
            # Of unknown values, only those count that must hold for the pipeline to move or to stall.
            fixed = [pair for pair in case.tried if pair[0] in self._read_by_move]
            outputs, control, data = self._after(inputs, with_levels(travel.control, fixed), travel.data)
            right = outputs == result
            _, block_ready, block_valid = case.levels
            taken = block_valid == 1 and stimulus.block_ready
            waiting, held, left = travel.waiting, travel.held, False
            if not held:
                left = self._end.left(travel.control, case, waiting)
                if case.moves and not waiting and right and left and not self.found.moves:
                    self.found.moves = travel.age
                if case.moves and travel.age == self.found.moves:
                    held = True
                    self._leaving.add(tuple(travel.control[i] for i in self.travelling))
                elif case.moves:
                    self._accepts[travel.age] = self._accepts.get(travel.age, False) or block_ready != 0
                    self._offers[travel.age] = self._offers.get(travel.age, False) or left
                elif block_valid == 1 and travel.age == self.found.moves and not (waiting or right):
                    raise BrokenRuleError("the result offered is not that of AES", way, stimulus)
            if held:
                # Those before it are taken first; then it is offered, until it is taken.
                if block_valid != 1 or not (left or travel.held) or not (waiting or right):
                    raise BrokenRuleError("the result offered is not that of AES", way, stimulus)
                if taken and not waiting:
                    continue
                waiting -= taken
            else:
                waiting = still_waiting(waiting, left, taken)
            age = travel.age + (case.moves and not travel.held)
            for decided in self._decided(case, self._decides_exit):
                after = with_levels(control, decided)
                yield replace(travel, age=age, control=after, data=data, held=held, waiting=waiting)

    def _walk_gaps(self) -> None:
        moves = self.found.moves
        refused = [age for age in range(1, moves) if not self._accepts.get(age, False)]
        period = self.found.period = min(refused, default=moves)
        if moves % period or refused != list(range(period, moves, period)):
            raise BeyondError("blocks on their way let others in at no regular distance")
        if any(self._offers.get(age, False) for age in refused):
            raise BeyondError("a block offers a result before its end")
        deciding = sorted(
            {(tuple(context.control[i] for i in self._showing), context.waiting > 0) for context in self._contexts}
        )
        reset = tuple(self._reset[i] for i in self.travelling)
        left = [self._gap_moved(slot, deciding, at_entry=True, empty=False) for slot in self._leaving]
        gaps = [reduce(in_both, left, reset)] * (period + 1)
        while True:
            before = list(gaps)
            for place in range(1, period):
                self._spend("gaps", place, period)
                gaps[place + 1] = in_both(reset, self._gap_moved(gaps[place], deciding, at_entry=False))
            gaps[1] = in_both(gaps[1], self._gap_moved(gaps[period], deciding, at_entry=True))
            if gaps == before:
                break
        self.found.gaps = [
            {i: level for i, level in zip(self.travelling, gap, strict=True) if level >= 0} for gap in gaps[1:]
        ]

    def _gap_moved(
        self, gap: Numbers, deciding: Sequence[tuple[Numbers, bool]], *, at_entry: bool, empty: bool = True
    ) -> Numbers:
        """What is known of a slot after a move, whatever decides; at the entry, if no block is put in."""
        moved: Numbers | None = None
        control = [UNKNOWN_NUMBER] * len(self._reset)
        for i, level in zip(self.travelling, gap, strict=True):
            control[i] = level
        for levels, waits in deciding:
            for i, level in zip(self._showing, levels, strict=True):
                control[i] = level
            for stimulus in self._stimuli:
                others = () if at_entry else ("block_valid_i", "decrypt_i")
                inputs = self._without(stimulus, "key_valid_i", *others)
                for case in self._tried(tuple(control), inputs, self._read_by_move):
                    if not case.moves:
                        continue
                    slot = with_levels(control, case.tried)
                    shown, _, after = self._symbolic.control(inputs, slot)
                    if at_entry:
                        if empty and (self._end.may_leave(slot) if waits else shown[2] != 0):
                            raise BeyondError("a slot with no block in it may offer a result")
                        if shown[1] < 0:
                            raise BeyondError("a slot with no block in it may refuse a block or not")
                        if stimulus.block_valid and shown[1]:
                            continue
                    known = tuple(max(after[i], UNKNOWN_NUMBER) for i in self.travelling)
                    moved = known if moved is None else in_both(moved, known)
        return gap if moved is None else moved

    def _bound_waiting(self) -> None:
        """How long a result, a key or a block waits. After N moves without a block taken, every slot is a gap."""
        found = self.found
        queues = {tuple(context.control[i] for i in self._queue) for context in self._contexts}
        found.queue_clocks = self._clocks_of_queue(queues, found.moves)
        emptied = max(found.queue_clocks[queue][-1] for queue in queues)
        # A result that has left waits for those before it, each of which is taken in one clock that counts.
        found.result_bound = (
            emptied + 1 + max((travel.waiting for travel in found.travel_states if travel.held), default=0)
        )
        known: dict[int, int] = {}
        for i, level in (pair for gap in self.found.gaps for pair in gap.items()):
            if known.setdefault(i, level) != level:
                raise BeyondError("what is known of a slot without block differs from place to place")
        empty = sorted(known.items())
        self._cases_known.clear()
        late = self._taken_before_a_key()
        self._cases_known.clear()
        key_starts: dict[Waiting, Way] = {}
        block_starts: dict[Waiting, Way] = {}
        for context, way in self._contexts.items():
            key, block = context.specification.key_waits, context.specification.block_waits
            control = self._of_time(with_levels(context.control, empty))
            if key is not None:
                key_starts.setdefault((control, block), way)
            if block is not None and context.specification.key is not None:
                block_starts.setdefault((control, replace(block, key_valid=key is not None)), way)
        found.key_ranks = self._ranks(key_starts, self._key_refused)
        found.block_ranks = self._ranks(block_starts, self._block_refused)
        found.key_bound = emptied + late + 1 + max(found.key_ranks.values(), default=0)
        found.block_bound = emptied + 1 + max(found.block_ranks.values(), default=0)

    def _taken_before_a_key(self) -> bool:
        """Whether a block may be taken in the first clock of a key that is not; in a later one nothing is decided."""
        late = False
        for context, way in self._contexts.items():
            for stimulus in self._stimuli:
                offered = stimulus.key_valid and stimulus.block_valid
                if not offered or not permitted(context.specification, self._ports.shape, stimulus):
                    continue
                if any(case.levels[1] and not case.levels[0] for case in self._cases(context.control, stimulus, way)):
                    if context.specification.key_waits is not None:
                        raise BeyondError("blocks may be taken while a key waits, and the pipeline never be empty")
                    late = True
        return late

    def _ranks(self, starts: Mapping[Waiting, Way], refused: _Refused) -> dict[Waiting, int]:
        """The most that chains of clocks of waiting count, from each state that they have with the pipeline empty."""
        edges: dict[Waiting, list[tuple[Waiting, int]]] = {}
        waiting = list(starts.items())
        for place, way in waiting:
            if place not in edges:
                edges[place] = list(refused(place, way))
                waiting += [(target, way) for target, _ in edges[place] if target not in edges]
        try:
            return longest_chains(edges, {})
        except EndlessError as endless:
            raise BeyondError("a key or block may wait for ever when the pipeline is empty") from endless

    def _key_refused(self, place: Waiting, way: Way) -> Iterator[tuple[Waiting, int]]:
        """Where control may be after a clock in which a key is offered and not taken, and what the clock counts."""
        control, block = place
        for stimulus in self._stimuli:
            if not stimulus.key_valid or not (block is None or stimulus_of_block(stimulus) == block):
                continue
            for case in self._cases(control, stimulus, way):
                if case.levels[0]:
                    continue
                if stimulus.block_valid and case.levels[1]:
                    raise BeyondError("a block may be taken while a key waits and the pipeline is empty")
                offered = stimulus_of_block(stimulus) if stimulus.block_valid else None
                for after in self._timed_after(case):
                    yield (after, offered), counts(case, stimulus)

    def _block_refused(self, place: Waiting, way: Way) -> Iterator[tuple[Waiting, int]]:
        """As `_key_refused`, for a block that is offered, while no key is taken either."""
        control, block = place
        assert block is not None
        for stimulus in self._stimuli:
            same = stimulus.block_valid and stimulus.decrypt == block.decrypt
            if not same or (block.key_valid and not stimulus.key_valid):
                continue
            for case in self._cases(control, stimulus, way):
                if not case.levels[1] and not (stimulus.key_valid and case.levels[0]):
                    for after in self._timed_after(case):
                        yield (after, replace(block, key_valid=stimulus.key_valid)), counts(case, stimulus)
