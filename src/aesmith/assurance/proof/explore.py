"""All that a core can ever do, after reset, for all keys and blocks: an exhaustive walk over its states.

A state is the value of every register, control as constants and data as forms of the keys and blocks that matter,
together with the specification automaton in lockstep. Control does not depend on data, so there are few states, and
each stands for all keys and blocks at once. The walk takes every handshake in every state until nothing new comes: the
states found are an inductive invariant that holds after any number of clocks, and nobody had to write it down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER, Algebra, FormNumbers
from aesmith.assurance.proof.data import DataStates, Interned, Renaming, Tokens
from aesmith.assurance.proof.interface import (
    HANDSHAKES,
    IDLE_CODES,
    RESULT,
    Automaton,
    BlockPorts,
    Handshakes,
    Stimulus,
    Transfers,
    broken_rule,
    following,
    in_order_of_age,
    permitted,
    renumbered,
    transfers,
)
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.partition import timing_independence
from aesmith.assurance.proof.report import Limits
from aesmith.assurance.proof.symbolic import Numbers, SymbolicNetlist

StatesProgress = Callable[[int, int], None]
"""Called with (states looked at, states known)."""


BEFORE_RESET = "depends on key, data, an undefined level, or what was in a register before reset"
SHOWS_KEY = "block_o shows bits of a key while nothing is offered"
FREE_REGISTERS = 10


@dataclass(frozen=True)
class Edge:
    """One clock of the walk: from which state, under which stimulus, to which, and what it moved."""

    stimulus: Stimulus
    target: int
    moved: Transfers
    shakes: Handshakes


@dataclass(frozen=True)
class Violation:
    """A rule that is broken after the stimuli of `path`, in the clock of its last.

    `start` are levels that registers have before the first clock, by index; those not named may have any. Of an endless
    wait the last `loop` stimuli come round for ever.
    """

    rule: str
    path: tuple[Stimulus, ...]
    start: Mapping[int, int] = field(default_factory=dict)
    loop: int = 0


@dataclass
class Walk:
    """The states found and the clocks between them. `violation` is None and `open_reason` empty if all was seen.

    States without parents are those after reset, the first of all; `begins` says for each which levels it stands for of
    registers that reset leaves alone. `control` are the levels of the control registers, UNKNOWN as negative numbers;
    `data` numbers the forms that the data registers hold.
    """

    automata: list[Automaton] = field(default_factory=list)
    edges: list[list[Edge]] = field(default_factory=list)
    parents: list[tuple[int, Stimulus] | None] = field(default_factory=list)
    begins: list[Mapping[int, int]] = field(default_factory=list)
    control_names: tuple[str, ...] = ()
    control: list[Numbers] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    violation: Violation | None = None
    open_reason: str = ""
    seconds: float = 0.0

    def violation_after(self, rule: str, state: int, stimuli: Sequence[Stimulus]) -> Violation:
        """A rule that is broken after the shortest way there is from reset to a state, and then some stimuli."""
        steps = list(reversed(stimuli))
        parent = self.parents[state]
        while parent is not None:
            state, stimulus = parent
            steps.append(stimulus)
            parent = self.parents[state]
        return Violation(rule, tuple(reversed(steps)), self.begins[state])

    def as_json(self) -> dict[str, object]:
        """The states found: levels of control registers, the specification automaton, and the states after each."""
        return {
            "control": list(self.control_names),
            "states": [
                {
                    "control": "".join("-" if level < 0 else str(level) for level in control),
                    "data": data,
                    "specification": str(automaton),
                    "next": sorted({edge.target for edge in edges}),
                }
                for control, data, automaton, edges in zip(
                    self.control, self.data, self.automata, self.edges, strict=True
                )
            ],
        }

    @property
    def transitions(self) -> int:
        """Number of clocks looked at."""
        return sum(len(edges) for edges in self.edges)


@dataclass(frozen=True)
class _Move:
    """What one clock is for the specification: what it moves and where it leads, under which numbers by age.

    `key`, `block` and `expected` are the numbers of the forms of the ports, bit 0 first.
    """

    moved: Transfers
    automaton: int
    renaming: Renaming
    key: Numbers
    block: Numbers
    expected: Numbers | None


class StateSpace:
    """What a netlist can hold and what its clocks are given: forms in data registers, levels of control, stimuli.

    Engines that share `tokens` share what was computed of them.
    """

    def __init__(self, netlist: Netlist, ports: BlockPorts, tokens: Tokens | None = None) -> None:
        self._ports, self._tokens = ports, tokens or Tokens()
        self._symbolic = SymbolicNetlist(netlist, self._tokens.clusters)
        self._data = DataStates(self._symbolic, ports, self._tokens)
        self._stimuli = tuple(stimuli(ports))
        self.idle = IdleOutput(self._tokens, sum(width for name, width in ports.outputs if name == RESULT))

    @property
    def algebra(self) -> Algebra:
        """What the variables of forms are."""
        return self._tokens.algebra

    @property
    def numbers(self) -> FormNumbers:
        """The numbers of forms."""
        return self._tokens.numbers

    @property
    def data_registers(self) -> tuple[int, ...]:
        """The registers, by index, that `data_of` has the forms of."""
        return self._symbolic.data_registers

    def data_of(self, number: int) -> Numbers:
        """The numbers of the forms that the data registers hold."""
        return tuple(self._data.held(number))


class Explorer(StateSpace):
    """The walk over one netlist. `polite` has senders keep the handshake's rules; without, they may do anything."""

    def __init__(
        self, netlist: Netlist, ports: BlockPorts, tokens: Tokens | None = None, *, polite: bool = True
    ) -> None:
        super().__init__(netlist, ports, tokens)
        self._polite = polite
        self._control_registers = self._symbolic.control_registers
        self._control_names = tuple(netlist.registers[i].name for i in self._control_registers)
        after_reset = [UNKNOWN_NUMBER if r.reset is None else r.reset for r in netlist.registers]
        self._after_reset = after_reset
        self._data_after_reset = tuple(after_reset[i] for i in self._symbolic.data_registers)
        self._cone = timing_independence(netlist).registers
        self._undefined = {name: _undefined_in(netlist, name) for name in HANDSHAKES}
        self._levels = [ports.levels(stimulus) for stimulus in self._stimuli]
        self._other_ready = [self._stimuli.index(_with_other_ready(stimulus)) for stimulus in self._stimuli]
        self._automata = Interned[Automaton]()
        self._moves: dict[tuple[int, int, Numbers], _Move | str] = {}

    def run(self, limits: Limits, progress: StatesProgress | None = None) -> Walk:
        """The whole walk, or as far as the limits let it go, or to the first violation.

        Registers that reset leaves alone hold UNKNOWN at first. If a handshake depends on it, and it depends on few
        registers of control, the walk begins again from every level they can have.
        """
        walk = self._run([{}], limits, progress)
        if walk.violation is not None and BEFORE_RESET in walk.violation.rule:
            free = [i for i in self._cone if self._after_reset[i] == UNKNOWN_NUMBER]
            if 0 < len(free) <= FREE_REGISTERS:
                starts = [dict(zip(free, levels, strict=True)) for levels in product((0, 1), repeat=len(free))]
                return self._run(starts, limits, progress)
        return walk

    def _run(self, starts: Sequence[Mapping[int, int]], limits: Limits, progress: StatesProgress | None) -> Walk:
        began = time.monotonic()
        walk = Walk(control_names=self._control_names)
        known: dict[tuple[Numbers, int, int], int] = {}
        data = self._data.number(self._data_after_reset)
        for start in starts:
            control = tuple(start.get(i, self._after_reset[i]) for i in self._control_registers)
            self._add(walk, known, (control, data, self._automata.number(Automaton())), None)
            walk.begins.append(start)
        current = 0
        while current < len(walk.automata) and walk.violation is None:
            walk.open_reason = limits.exceeded(len(walk.automata), time.monotonic() - began)
            if len(walk.automata[current].jobs) > limits.blocks:
                walk.open_reason = f"more than {limits.blocks} blocks under way"
            if walk.open_reason:
                break
            if progress is not None and current % 64 == 0:
                progress(current, len(walk.automata))
            try:
                self._leave(walk, known, current)
            except MemoryError:
                walk.open_reason = f"out of memory, at {len(walk.automata)} states"
                break
            current += 1
        walk.seconds = time.monotonic() - began
        return walk

    def unknown_factors(self, violation: Violation) -> list[list[int]]:
        """For each clock on the way to a violation, the known factors of products that are unknown."""
        control = tuple(violation.start.get(i, self._after_reset[i]) for i in self._control_registers)
        place = (control, self._data.number(self._data_after_reset), self._automata.number(Automaton()))
        found: list[list[int]] = []
        for stimulus in violation.path:
            self._tokens.algebra.unknown_factors = []
            after = self._clock(place, self._stimuli.index(stimulus))
            found.append(self._tokens.algebra.unknown_factors)
            if isinstance(after, str):
                break
            place = after[2]
        self._tokens.algebra.unknown_factors = None
        return found

    def _add(
        self,
        walk: Walk,
        known: dict[tuple[Numbers, int, int], int],
        state: tuple[Numbers, int, int],
        parent: tuple[int, Stimulus] | None,
    ) -> int:
        number = known.get(state)
        if number is None:
            number = known[state] = len(walk.automata)
            walk.control.append(state[0])
            walk.data.append(state[1])
            walk.automata.append(self._automata[state[2]])
            walk.parents.append(parent)
            walk.edges.append([])
        return number

    def _leave(self, walk: Walk, known: dict[tuple[Numbers, int, int], int], current: int) -> None:
        """All clocks out of one state."""
        state = walk.automata[current]
        place = (walk.control[current], walk.data[current], self._automata.number(state))
        offers: dict[int, bool] = {}
        for index, stimulus in enumerate(self._stimuli):
            if self._polite and not permitted(state, self._ports.shape, stimulus):
                continue
            found = self._clock(place, index)
            if isinstance(found, str):
                walk.violation = walk.violation_after(found, current, [stimulus])
                return
            shakes, moved, following_state = found
            if offers.get(self._other_ready[index], shakes.block_valid) != shakes.block_valid:
                walk.violation = walk.violation_after("block_valid_o waits for block_ready_i", current, [stimulus])
                return
            offers[index] = shakes.block_valid
            target = self._add(walk, known, following_state, (current, stimulus))
            walk.edges[current].append(Edge(stimulus, target, moved, shakes))

    def _clock(
        self, place: tuple[Numbers, int, int], index: int
    ) -> str | tuple[Handshakes, Transfers, tuple[Numbers, int, int]]:
        """One clock; the rule that it breaks, if it does."""
        control, data, automaton = place
        levels, boundary, control_after = self._symbolic.control(self._levels[index], control)
        if not self._symbolic.levels_are_control:
            outputs, _ = self._data.step(data, boundary)
            levels = outputs[-len(HANDSHAKES) :]
        for name, level in zip(HANDSHAKES, levels, strict=True):
            if not 0 <= level <= 1:
                return f"{name} {BEFORE_RESET}{self._undefined[name]}"
        move = self._moves.get((automaton, index, levels))
        if move is None:
            move = self._moves[automaton, index, levels] = self._move(automaton, index, levels)
        if isinstance(move, str):
            return move
        outputs, data_after = self._data.step(data, boundary, move.key, move.block)
        if move.expected is not None and move.expected != outputs[: len(move.expected)]:
            return "the result offered is not that of AES"
        if not levels[2] and self.idle.shows_key(outputs):
            return SHOWS_KEY
        renamed = self._data.renamed(data_after, move.renaming)
        return _HANDSHAKES[levels], move.moved, (control_after, renamed, move.automaton)

    def _move(self, automaton: int, index: int, levels: Numbers) -> _Move | str:
        """What a clock is for the specification; the rule of the handshakes that it breaks, if it does."""
        state, stimulus, shape, tokens = (
            self._automata[automaton],
            self._stimuli[index],
            self._ports.shape,
            self._tokens,
        )
        shakes = _HANDSHAKES[levels]
        broken = broken_rule(state, shape, stimulus, shakes)
        if broken:
            return broken
        moved = transfers(state, shape, stimulus, shakes)
        after = following(state, shape, stimulus, shakes, moved, polite=self._polite)
        key: Numbers = ()
        block: Numbers = ()
        expected: Numbers | None = None
        if moved.key is not None:
            beats = shape.key_beats(moved.key.bits)
            key = self._data.beat(tokens.key(moved.key), moved.key_beat, beats)
        if moved.block is not None:
            block = self._data.beat(tokens.block(moved.block), moved.block_beat, shape.block_beats)
        # The bytes that S-boxes will work on must be known before the core meets them.
        if moved.key is not None:
            tokens.round_keys(moved.key)
        if after.jobs:
            tokens.result(after.jobs[-1])
        if moved.result is not None:
            expected = self._data.beat(tokens.result(moved.result), moved.result.left, shape.block_beats)
        keys, blocks = in_order_of_age(after)
        dead_keys = (state.keys | ({moved.key.number} if moved.key else set())) - after.keys
        dead_blocks = (state.blocks | ({moved.block} if moved.block is not None else set())) - after.blocks
        renaming = (tuple(keys.items()), tuple(blocks.items()), tuple(sorted(dead_keys)), tuple(sorted(dead_blocks)))
        return _Move(moved, self._automata.number(renumbered(after, keys, blocks)), renaming, key, block, expected)


class IdleOutput:
    """What stands on `block_o` in clocks in which no result is offered: all of it that was seen.

    A bit of it may be a sum of bits of a key, which no core is to show; a function of a key alone, such as a bit of a
    round key; or have to do with a block.
    """

    def __init__(self, tokens: Tokens, width: int) -> None:
        self._tokens, self._width = tokens, width
        self._seen: dict[Numbers, bool] = {}
        self._found: set[str] = set()

    def shows_key(self, outputs: Numbers) -> bool:
        """Looks at `block_o`, the first of `outputs`; whether a bit of it is a sum of bits of keys."""
        bits = outputs[: self._width]
        found = self._seen.get(bits)
        if found is None:
            forms = [self._tokens.numbers.form(number) for number in bits if number > 1]
            of_keys = [form for form in forms if not form & self._tokens.of_all_blocks()]
            if of_keys:
                self._found.add("functions of a key alone")
            if len(of_keys) < len(forms):
                self._found.add("intermediate states of blocks")
            if any(number < 0 for number in bits):
                self._found.add("levels that are not known")
            if 1 in bits:
                self._found.add("constants")
            found = self._seen[bits] = any(self._tokens.algebra.input_bits(form) is not None for form in of_keys)
        return found

    @property
    def text(self) -> str:
        """What was seen, as the end of a sentence."""
        if not self._found:
            return "holds"
        return f"does not hold: there are {', '.join(sorted(self._found))}"


def _undefined_in(netlist: Netlist, name: str) -> str:
    """The undefined levels that a handshake reads within a clock, for a message; empty if it reads none."""
    nets = netlist.outputs[name]
    read = set(nets) | {net for gate in netlist.cone(nets) for net in gate.inputs}
    places = sorted({place for net, place in netlist.free.items() if net in read})
    return f" (undefined levels in its logic: {', '.join(places)})" if places else ""


_HANDSHAKES = {levels: Handshakes(*map(bool, levels)) for levels in product((0, 1), repeat=len(HANDSHAKES))}


def _with_other_ready(stimulus: Stimulus) -> Stimulus:
    return replace(stimulus, block_ready=not stimulus.block_ready)


def stimuli(ports: BlockPorts) -> Iterator[Stimulus]:
    """Every level of the control inputs; any code on `key_bits_i` while no key is offered, else those of the core."""
    directions = (False, True) if ports.has_direction else (ports.decrypts,)
    withheld = (False, True) if ports.waits_for_fresh else (False,)
    for key_valid, block_valid, ready in product((False, True), repeat=3):
        sizes = (0,) if not ports.has_key_size else ports.shape.key_bits if key_valid else IDLE_CODES
        for direction, size, without in product(directions, sizes, withheld):
            yield Stimulus(key_valid, block_valid, ready, direction, size, without)
