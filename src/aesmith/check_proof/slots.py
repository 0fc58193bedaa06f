"""The check of a certificate of a pipeline: three invariants, what each leaves to the next, and ranks.

A clock in which the pipeline moves is a *move*; a result *leaves* in a move in which the registers at the pipeline's
end have some of the levels that are listed as `leaves`. Results that have left and were not taken *wait*.

- A *context* is what is known in a clock whatever is in the pipeline, how many results wait among it. Its clocks show
  that results are offered exactly while some wait or one leaves, and that blocks are taken in moves only.
- A *block state* is what is known between taking a block and taking its result, whatever else is in the pipeline. Its
  clocks show that it leaves in the N-th move after it was taken, and how many results it finds waiting.
- A *gap* is what is known of the travelling registers when a slot at a place has no block in it.

docs/certificate.md says why the three suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from aesmith.check_proof.circuit import CheckedCircuit
from aesmith.check_proof.clock import LEVELS, Levels, Payloads, as_index, at_place, few, one_beat, run_gates
from aesmith.check_proof.forms import Form
from aesmith.check_proof.interface import SHOWN, CoreClaim, Given, InterfaceState
from aesmith.check_proof.pipeline_clock import (
    BlockState,
    ContextState,
    ListedRanks,
    ListedRows,
    PipelineClock,
    Row,
    covers,
    every_level,
    numbers,
    pick,
    with_levels,
)
from aesmith.errors import CheckError

SLOT_PROMISES = (
    "a block until its result is offered",
    "a key until it is taken",
    "a block until it or a key is taken",
)
NOTHING: frozenset[str] = frozenset()
BLOCK = frozenset(("block_valid_i", "decrypt_i"))
KEY = frozenset(("key_valid_i", "key_bits_i"))

Listed = dict[Hashable, dict[tuple[str, int], int]]
"""States by what is always known in them; then the numbers of those with these levels of control and this row."""


class TriedClock(NamedTuple):
    """One clock with levels tried for what is not known: those levels, by place; the handshakes; whether it is a move,
    whether a result leaves, and whether one stands at the pipeline's end; the registers that decide after it; and the
    levels that `block_o` is made of.
    """

    tried: tuple[tuple[int, str], ...]
    shown: Levels
    moves: bool
    leaves: bool
    stands: bool
    after: str
    output: Levels


class ClockFacts(NamedTuple):
    """What clocks of contexts and of block states leave to the rest of the check: the queue before and after a clock of
    a context, whether it is a move, and what it counts; the travelling registers where a result leaves; and inputs with
    which a block is taken in the first clock of a key.
    """

    queue_steps: set[tuple[str, bool, int, str]]
    left: set[str]
    late: set[Given]


class SlotCheck:
    """A circuit, what it is said to be, and the certificate of a slot proof."""

    def __init__(
        self,
        circuit: CheckedCircuit,
        claim: CoreClaim,
        certificate: Mapping[str, Any],
        clock: PipelineClock | None = None,
    ) -> None:
        """`clock`, kept from another check of the same registers and forms, saves the time to find what it knows."""
        if claim.width < 128:
            raise CheckError("slots are of pipelines that take keys and blocks in one beat")
        self._clock = clock or PipelineClock(circuit, claim, certificate)
        self._claim, self._certificate = claim, certificate
        self._sizes, forms = claim.key_bits, self._clock.forms
        # The bytes that AES substitutes must be known before the core meets them.
        for bits in self._sizes:
            forms.schedule(1, bits)
        ways = [(bits, way) for bits in self._sizes for way in (False, True)]
        self._results = [one_beat(forms.result(0, 0, bits, way), 0, 1) for bits, way in ways]
        self._read_registers(certificate["registers"])
        self._read_states()
        self._move, self._moving = self._find_move()
        shown, registers = self._clock.shown, self._clock.control
        decided = [registers[i].d for i in self._deciding]
        self._output = self._rows.output_levels
        cone = [*shown, self._move, *decided, *self._output]
        self._cone = self._clock.gates_to(cone)
        self._reads = tuple(sorted(self._clock.sources(cone) | {*self._end, *self._deciding}))
        self._read = self._clock.sources([*shown, self._move]) | set(self._end)
        self._read_at_exit = self._clock.sources([shown[2], self._move]) | set(self._end)
        self._read_while_idle = self._read | self._clock.sources(self._output)
        self._read_by_ready = self._clock.sources(shown[1:2])
        self._read_by_move = self._clock.sources([self._move])
        # Where the end decides about moves, it offers a result until it is accepted.
        self._stands = bool(self._read_by_move & set(self._end))
        self._travel_gates = self._clock.gates_to([*shown, *(registers[i].d for i in self._travelling)])
        self._control_clock, self._data_clock = self._clock.control_clock, cache(self._run_data)
        self._cases_of = cache(self._try_levels)
        self.facts = ClockFacts(set(), set(), set())

    def _read_registers(self, named: Mapping[str, Sequence[str]]) -> None:
        names = self._clock.names["control"]
        parts = ("travelling", "deciding", "at_exit", "queue", "end")
        for part in parts:
            for name in named[part]:
                if name not in names:
                    raise CheckError(f"{name} is listed as {part}, and is no register of control")
        places = [tuple(map(names.index, named[part])) for part in parts]
        self._travelling, self._deciding, self._at_exit, self._queue, self._end = places
        for part, places_of, within in (
            ("at_exit", self._at_exit, self._deciding),
            ("queue", self._queue, self._deciding),
            ("end", self._end, self._travelling),
        ):
            for place in places_of:
                if place not in within:
                    raise CheckError(f"{names[place]} is listed as {part}, and not among what that is part of")

    def _read_states(self) -> None:
        """Rows, contexts, block states and gaps, and which there are by what is always known in them."""
        found, clock = self._certificate, self._clock
        self._leaves = {tuple(text) for text in found["leaves"]}
        self._rows = ListedRows(clock, found["parts"], found["data"])
        self._contexts = [ContextState(clock.check_control(row[0]), *numbers(row)) for row in found["contexts"]]
        self._blocks = [BlockState(clock.check_control(row[0]), *numbers(row)) for row in found["blocks"]]
        sizes_known = all(max(context[2:4]) <= len(self._sizes) for context in self._contexts)
        if not sizes_known or any(block.way >= len(self._results) for block in self._blocks):
            raise CheckError("a state is of a key size or a direction that the core does not have")
        self._moves, self._gaps = as_index(found["moves"]), [str(gap) for gap in found["gaps"]]
        self._contexts_listed: Listed = {}
        self._blocks_listed: Listed = {}
        for number, context in enumerate(self._contexts):
            known = (pick(context.control, self._deciding), *context[2:])
            self._contexts_listed.setdefault(known, {})[context[:2]] = number
        for number, block in enumerate(self._blocks):
            known_of_block = (pick(block.control, self._at_exit), *block[2:])
            self._blocks_listed.setdefault(known_of_block, {})[block[:2]] = number
        for place, gap in enumerate(self._gaps):
            if len(gap) != len(self._travelling) or gap.strip("01-"):
                raise CheckError(f"gap {place + 1} has other levels than 0, 1 and -, or another number of them")
        if not self._gaps or self._moves % len(self._gaps) or not self._moves:
            raise CheckError(f"{self._moves} moves are no multiple of the {len(self._gaps)} places")

    def _find_move(self) -> tuple[int, int]:
        """The net under which all travelling registers move, and its level when they do; else they hold theirs."""
        nets = [self._clock.control[place].d for place in self._travelling]
        driver = {gate.output: gate for gate in self._clock.gates_to(nets)}
        found: dict[tuple[int, int], str] = {}
        for place in self._travelling:
            register, name = self._clock.control[place], self._clock.names["control"][place]
            gate = driver.get(register.d)
            if gate is None or gate.kind != "MUX" or register.q not in gate.inputs[1:]:
                raise CheckError(f"{name} is listed as travelling, and no net decides whether it holds its level")
            found.setdefault((gate.inputs[0], int(gate.inputs[1] == register.q)), name)
        if len(found) != 1:
            raise CheckError(f"travelling registers do not all move together: {few(list(found.values()))}")
        return next(iter(found))

    def check(self) -> tuple[int, int, dict[str, int]]:
        """The states, the clocks, and the bounds. Raises CheckError, naming it, for what does not hold."""
        clocks = self.check_contexts() + self.check_blocks()
        self.check_gaps()
        bounds = dict(zip(SLOT_PROMISES, self.check_waiting(), strict=True))
        if self._certificate["bounds"] != bounds:
            raise CheckError(f"the bounds claimed are not those of the ranks, {bounds}")
        return len(self._contexts) + len(self._blocks), clocks, bounds

    def check_contexts(self) -> int:
        """The contexts: after reset, and from each on. Returns the clocks."""
        row = self._rows.row((None,) * len(self._clock.data))
        start = "".join("-" if register.reset is None else str(register.reset) for register in self._clock.control)
        start = with_levels(start, [(place, "-") for place in self._travelling])
        for decided in every_level(pick(start, self._deciding), self._deciding):
            self._require_context(with_levels(start, decided), row, (0, 0, 0, 0), "after reset")
        clocks, inputs = 0, list(self._claim.inputs())
        for number, context in enumerate(self._contexts):
            waits = InterfaceState(key_waits=(0, *self._sizes)[context.key_waits], block_waits=context.block_waits)
            valid: dict[Hashable, Form] = {}
            for given in inputs:
                if waits.may_get(given, self._claim):
                    clocks += 1
                    with at_place(f"context {number}", given):
                        self._check_context(context, given, valid)
        return clocks

    def _check_context(self, context: ContextState, given: Given, valid: dict[Hashable, Form]) -> None:
        for case in self._cases(context.control, given, NOTHING, self._read_while_idle):
            if case.shown[2] == 0:
                key = self._key(given, given.key_valid and case.shown[0] == 1)
                if self._clock.shows_key(self._rows.output(self._rows.rows[context.row], case.output, key)):
                    raise CheckError("block_o shows bits of a key while no result is offered")
        blind = given._replace(block_valid=False, decrypt=False)
        _, read, control_after = self._control_clock(context.control, blind, BLOCK)
        for case in self._cases(context.control, given, NOTHING, self._read):
            for name, level in zip(SHOWN, case.shown, strict=True):
                if level is None:
                    raise CheckError(f"{name} is not known from what the context lists")
            key_ready, block_ready, offered = case.shown
            if (offered == 1) != (context.waiting > 0 or case.leaves or case.stands):
                raise CheckError("block_valid_o is not 1 exactly while a result waits, leaves or is at the end")
            if case.stands and not context.waiting and given.ready:
                raise CheckError("a result that is taken stays at the pipeline's end")
            if valid.setdefault((given._replace(ready=False), case.tried), offered) != offered:
                raise CheckError("block_valid_o waits for block_ready_i")
            if block_ready and not case.moves:
                raise CheckError("a block may be taken while the pipeline is stalled")
            key_taken, block_taken = given.key_valid and key_ready == 1, given.block_valid and block_ready == 1
            if block_taken and not context.key:
                raise CheckError("a block is taken before there is a key")
            if block_taken and given.key_valid and not key_taken:
                if context.key_waits:
                    raise CheckError("a block may be taken while a key waits")
                self.facts.late.add(given)
            _, row_after = self._data_clock(context.row, read, self._key(given, key_taken))
            waiting = context.waiting + case.leaves - (offered == 1 and given.ready)
            comes = 1 + self._sizes.index(given.size) if given.key_valid else 0
            block_waits = 1 + given.decrypt if given.block_valid and not block_taken else 0
            counts = int(given.ready or not offered)
            known = (comes if key_taken else context.key, 0 if key_taken else comes, block_waits, waiting)
            for decided in every_level(case.after, self._deciding):
                after = with_levels(self._held(control_after, context.control, case), decided)
                self._require_context(after, row_after, known, "that follows")
                queues = pick(context.control, self._queue), pick(after, self._queue)
                self.facts.queue_steps.add((queues[0], case.moves, counts, queues[1]))
            if block_taken:
                self._check_entry(context, given, case, waiting)

    def _held(self, after: str, control: str, case: TriedClock) -> str:
        """Control after a clock; where the pipeline stands still, with the levels at its end, which hold."""
        if not self._stands or case.moves:
            return after
        tried = with_levels(control, case.tried)
        return with_levels(after, [(place, tried[place]) for place in self._end])

    def _check_entry(self, context: ContextState, given: Given, case: TriedClock, waiting: int) -> None:
        """The block is taken in this clock: known is what the context has, and what must hold for it to be taken."""
        control = with_levels(context.control, [pair for pair in case.tried if pair[0] in self._read_by_ready])
        _, read, after = self._control_clock(control, given, NOTHING)
        _, row_after = self._data_clock(context.row, read, (("block_i", 0, 128, 0),))
        self._require_block(after, row_after, case, (1, 2 * (context.key - 1) + given.decrypt, waiting))

    def check_blocks(self) -> int:
        """The block states, from each on. Returns the clocks."""
        for number, block in enumerate(self._blocks):
            for ready in (False, True):
                given = Given(False, 0, False, False, ready)
                with at_place(f"block state {number}", given):
                    self._check_block(block, given)
        return 2 * len(self._blocks)

    def _check_block(self, block: BlockState, given: Given) -> None:
        for case in self._cases(block.control, given, KEY | BLOCK, self._read_at_exit):
            fixed = with_levels(block.control, [pair for pair in case.tried if pair[0] in self._read_by_move])
            _, read, after = self._control_clock(fixed, given, KEY | BLOCK)
            output, row_after = self._data_clock(block.row, read, ())
            last = block.age == self._moves and case.moves
            if last:
                self.facts.left.add(pick(block.control, self._travelling))
            if last and not case.leaves:
                raise CheckError(f"the result does not leave in move {self._moves}")
            stands = block.age == self._moves and case.stands and not block.waiting
            if stands and output != self._results[block.way]:
                raise CheckError("a result at the pipeline's end is not known to be that of AES")
            if last or block.age > self._moves:
                # Those before it are taken first; then it is offered, until it is taken.
                if not block.waiting and output != self._results[block.way]:
                    raise CheckError("a result that is offered is not known to be that of AES")
                if not block.waiting and given.ready:
                    continue
                known = (self._moves + 1, block.way, block.waiting - given.ready)
            else:
                if case.moves and block.age % len(self._gaps) == 0 and (case.leaves or case.shown[1] != 0):
                    raise CheckError(f"another block may be taken in move {block.age}, or a result leave")
                offered = block.waiting > 0 or case.leaves
                waiting = block.waiting + case.leaves - (offered and given.ready)
                known = (block.age + case.moves, block.way, waiting)
            self._require_block(after, row_after, case, known)

    def check_gaps(self) -> None:
        """A slot with no block in it offers nothing, and is a gap at the next place after a move."""
        for place, gap in enumerate(self._gaps):
            for register, level in zip(self._travelling, gap, strict=True):
                if level not in ("-", str(self._clock.control[register].reset)):
                    raise CheckError(f"{self._clock.names['control'][register]}: gap {place + 1} is not so after reset")
        last = dict(zip(self._travelling, self._gaps[-1], strict=True))
        for leaving in self._leaves:
            if all(last[place] in ("-", level) for place, level in zip(self._end, leaving, strict=True)):
                raise CheckError(f"a slot with no block in it, gap {len(self._gaps)}, may offer a result")
        for place, gap in enumerate(self._gaps[:-1]):
            self._check_moved(f"gap {place + 1}", gap, 1 + place, at_entry=False)
        for levels in [self._gaps[-1], *sorted(self.facts.left)]:
            self._check_moved("at the entry", levels, 0, at_entry=True)

    def _check_moved(self, what: str, levels: str, place: int, *, at_entry: bool) -> None:
        """That a slot with these levels is a gap at a place after any move, at the entry if no block is put in."""
        names, nothing = self._clock.names["control"], "-" * len(self._clock.control)
        text = with_levels(nothing, zip(self._travelling, levels, strict=True))
        gates = [gate for gate in self._travel_gates if gate.output != self._move]
        move_gates = self._clock.gates_to([self._move])
        unknown = KEY if at_entry else KEY | BLOCK
        inputs = {
            given._replace(key_valid=False, size=0)
            for given in self._claim.inputs()
            if at_entry or not given.block_valid
        }
        for deciding in sorted({pick(context.control, self._deciding) for context in self._contexts}):
            control = with_levels(text, zip(self._deciding, deciding, strict=True))
            for given in sorted(inputs):
                level = self._clock.levels(control, given, unknown)
                run_gates(move_gates, level, self._clock.forms)
                if level[self._move] == 1 - self._moving:
                    continue
                level[self._move] = self._moving
                run_gates(gates, level, self._clock.forms)
                if at_entry and given.block_valid and level[self._clock.shown[1]] == 1:
                    continue
                for register, known in zip(self._travelling, self._gaps[place], strict=True):
                    if known != "-" and level[self._clock.control[register].d] != LEVELS[known]:
                        told = f"{names[register]} is not known to be {known}, as gap {place + 1} has it"
                        raise CheckError(f"{what}: after a move {told}")

    def check_waiting(self) -> tuple[int, int, int]:
        """The bounds, from the ranks."""
        clocks = {queue: list(map(as_index, most)) for queue, most in self._certificate["queue"]}
        for before, moves, counts, after in sorted(self.facts.queue_steps):
            most, then = clocks[before], clocks[after]
            if len(most) != self._moves:
                raise CheckError(f"queue {before} has clocks for another number of moves than {self._moves}")
            for number, bound in enumerate(most):
                rest = then[number] if not moves else then[number - 1] if number else 0
                if bound < counts + rest:
                    raise CheckError(f"queue {before}: {number + 1} moves may take more than {bound} clocks that count")
        emptied = max(most[-1] for most in clocks.values())
        waiting = max((block.waiting for block in self._blocks if block.age > self._moves), default=0)
        key, block = self._check_ranks(of_key=True), self._check_ranks(of_key=False)
        return emptied + 1 + waiting, emptied + bool(self.facts.late) + 1 + key, emptied + 1 + block

    def _check_ranks(self, *, of_key: bool) -> int:
        """The highest rank of a wait in an empty pipeline. In a clock that takes nothing it falls by the count."""
        what = "key_ranks" if of_key else "block_ranks"
        listed = ListedRanks(self._clock, self._certificate[what])

        def require(control: str, waits: Row, most: int | None) -> None:
            rank = listed.lowest(control, waits)
            if rank is None:
                raise CheckError(f"{what}: a state of an empty pipeline is not listed: {control}, waiting {waits}")
            if most is not None and rank > most:
                raise CheckError(f"{what}: the rank does not fall as it must, to {most}: {control}, waiting {waits}")

        empty: dict[int, str] = {}
        for gap in self._gaps:
            for place, level in zip(self._travelling, gap, strict=True):
                if level != "-" and empty.setdefault(place, level) != level:
                    raise CheckError(f"{self._clock.names['control'][place]}: gaps have it with both levels")
        for context in self._contexts:
            offered: Row = (context.block_waits,) if of_key else (context.block_waits, int(context.key_waits > 0))
            if context.key_waits if of_key else context.block_waits and context.key:
                require(with_levels(context.control, empty.items()), offered, None)
        inputs = list(self._claim.inputs())
        for control, waits, rank in listed.states:
            for given in inputs:
                block_same = not waits[0] or (given.block_valid and 1 + given.decrypt == waits[0])
                if block_same and (given.key_valid or not (of_key or waits[1])):
                    with at_place(f"{what}, {control}", given):
                        self._check_wait(control, rank, given, of_key, require)
        return max((rank for _, _, rank in listed.states), default=0)

    def _check_wait(
        self, control: str, rank: int, given: Given, of_key: bool, require: Callable[[str, Row, int], None]
    ) -> None:
        for case in self._cases(control, given, NOTHING, self._read):
            if None in case.shown:
                raise CheckError("a handshake is not known from what a state of an empty pipeline lists")
            key_taken, block_taken = given.key_valid and case.shown[0] == 1, given.block_valid and case.shown[1] == 1
            if key_taken or (block_taken and not of_key):
                continue
            if block_taken:
                raise CheckError("a block may be taken while a key waits and the pipeline is empty")
            pending = 1 + given.decrypt if given.block_valid else 0
            waits = (pending,) if of_key else (pending, int(given.key_valid))
            after = self._clock.run_timed(with_levels(control, case.tried), given)
            for decided in every_level(case.after, self._deciding):
                require(with_levels(after, decided), waits, rank - int(given.ready or not case.shown[2]))

    def _cases(self, control: str, given: Given, unknown: frozenset[str], read: set[int]) -> tuple[TriedClock, ...]:
        """All that a clock can be: what is unknown of the registers `read` is tried."""
        return self._cases_of(pick(control, self._reads), given, unknown, frozenset(read))

    def _try_levels(
        self, known: str, given: Given, unknown: frozenset[str], read: frozenset[int]
    ) -> tuple[TriedClock, ...]:
        text = with_levels("-" * len(self._clock.control), zip(self._reads, known, strict=True))
        free = tuple(place for place in sorted(read) if text[place] == "-")
        cases = []
        for tried in every_level("-" * len(free), free):
            control = with_levels(text, tried)
            level = self._clock.levels(control, given, unknown)
            run_gates(self._cone, level, self._clock.forms)
            if level[self._move] is None:
                raise CheckError("it is not known whether the pipeline moves")
            moves = level[self._move] == self._moving
            at_end = tuple(pick(control, self._end)) in self._leaves
            decided = [level[self._clock.control[place].d] for place in self._deciding]
            after = "".join("-" if known is None else str(known) for known in decided)
            shown = tuple(level[net] for net in self._clock.shown)
            cases.append(
                TriedClock(
                    tuple(tried),
                    shown,
                    moves,
                    at_end and moves,
                    at_end and not moves and self._stands,
                    after,
                    tuple(level[net] for net in self._output),
                )
            )
        return tuple(cases)

    def _run_data(self, row: int, read: Levels, payloads: Payloads) -> tuple[Levels, Row]:
        """`block_o`, and the row after the clock; a key that came is key 0 then."""
        return self._rows.after(self._rows.rows[row], read, payloads)

    def _key(self, given: Given, taken: bool) -> Payloads:
        return (("key_i", 1, given.size, 0),) if taken else ()

    def _require_context(self, control: str, row: Row, known: tuple[int, ...], which: str) -> None:
        listed = self._contexts_listed.get((pick(control, self._deciding), *known), {})
        if not self._covered(listed, control, row):
            raise CheckError(f"the context {which} is not listed: {self._nearest(listed, 'context', control, row)}")

    def _require_block(self, control: str, row: Row, case: TriedClock, known: tuple[int, ...]) -> None:
        """That block states cover what follows, with any levels that registers at the exit may get."""
        deciding = dict(zip(self._deciding, case.after, strict=True))
        for decided in every_level("".join(deciding[place] for place in self._at_exit), self._at_exit):
            after = with_levels(control, decided)
            listed = self._blocks_listed.get((pick(after, self._at_exit), *known), {})
            if not self._covered(listed, after, row):
                why = self._nearest(listed, "block state", after, row)
                raise CheckError(f"the block state that follows is not listed, of age {known[0]}: {why}")

    def _covered(self, listed: Mapping[tuple[str, int], int], control: str, row: Row) -> bool:
        """Whether some listed state has nothing but what is so."""
        number = self._rows.numbers.get(row)
        if number is not None and (control, number) in listed:
            return True
        return any(covers(known, control) and self._rows.covers(number, row) for known, number in listed)

    def _nearest(self, listed: Mapping[tuple[str, int], int], what: str, control: str, row: Row) -> str:
        """How the listed state with the fewest other levels differs."""
        if not listed:
            return "none has its levels of deciding registers, its waiting blocks and its age"
        like = min(listed, key=lambda state: sum(a not in ("-", b) for a, b in zip(state[0], control, strict=True)))
        known, held = self._rows.held(self._rows.rows[like[1]]), self._rows.held(row)
        names = self._clock.differing("control", like[0], control, "-")
        names += self._clock.differing("data", known, held, None)
        return f"{what} {listed[like]} is like it but for {few(names)}"
