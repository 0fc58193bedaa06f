"""All that a core can ever do, from reset on, for all keys and blocks: an exhaustive walk over its states.

A state is the value of every register, control as constants and data as forms of the keys and blocks that matter,
together with the specification automaton in lockstep. Control does not depend on data, so there are few states, and
each stands for all keys and blocks at once. The walk takes every handshake in every state until nothing new comes: the
states found are an inductive invariant that holds after any number of clocks, and nobody had to write it down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from aesmith.assurance.proof.algebra import UNKNOWN, Form
from aesmith.assurance.proof.automaton import (
    Automaton,
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
from aesmith.assurance.proof.cipher import State
from aesmith.assurance.proof.evaluate import compile_forms, compile_forms_of
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.ports import HANDSHAKES, BlockPorts
from aesmith.assurance.proof.tokens import Tokens

Progress = Callable[[int, int], None]
"""Called with (states looked at, states known)."""


@dataclass(frozen=True)
class Limits:
    """When to give up. A walk that gives up has proved nothing."""

    states: int = 200_000
    seconds: float = 3600.0
    blocks: int = 96


@dataclass(frozen=True)
class Edge:
    """One clock of the walk: from which state, under which stimulus, to which, and what it moved."""

    stimulus: Stimulus
    target: int
    moved: Transfers
    shakes: Handshakes


@dataclass(frozen=True)
class Violation:
    """A rule that is broken after the stimuli of `path`, in the clock of its last."""

    rule: str
    path: tuple[Stimulus, ...]


@dataclass
class Walk:
    """The states found and the clocks between them. `violation` is None and `open_reason` empty if all was seen."""

    automata: list[Automaton] = field(default_factory=list)
    edges: list[list[Edge]] = field(default_factory=list)
    parents: list[tuple[int, Stimulus] | None] = field(default_factory=list)
    registers: list[tuple[Form, ...]] = field(default_factory=list)
    violation: Violation | None = None
    open_reason: str = ""
    seconds: float = 0.0

    def path_to(self, state: int, last: Stimulus | None = None) -> tuple[Stimulus, ...]:
        """The stimuli from reset to a state, the shortest there are, then `last`."""
        steps = [] if last is None else [last]
        parent = self.parents[state]
        while parent is not None:
            state, stimulus = parent
            steps.append(stimulus)
            parent = self.parents[state]
        return tuple(reversed(steps))

    @property
    def transitions(self) -> int:
        """Number of clocks looked at."""
        return sum(len(edges) for edges in self.edges)


class Explorer:
    """The walk over one netlist. `polite` has senders keep the handshake's rules; without, they may do anything.

    Walks that share `tokens` share what was computed of them.
    """

    def __init__(
        self, netlist: Netlist, ports: BlockPorts, tokens: Tokens | None = None, *, polite: bool = True
    ) -> None:
        self._netlist, self._ports, self._polite = netlist, ports, polite
        self._tokens = tokens or Tokens()
        algebra = self._tokens.algebra
        self._shakes = compile_forms_of(netlist, ports.handshake_nets, algebra.conjunction, algebra.select, UNKNOWN)
        self._step = compile_forms(netlist, algebra.conjunction, algebra.select, UNKNOWN)
        self._stimuli = tuple(_stimuli(ports))
        self._interned: dict[Form, Form] = {}
        self._images: dict[Hashable, dict[int, int]] = {}

    def run(self, limits: Limits, progress: Progress | None = None) -> Walk:
        """The whole walk, or as far as the limits let it go, or to the first violation."""
        began = time.monotonic()
        walk = Walk()
        start = tuple(UNKNOWN if r.reset is None else r.reset for r in self._netlist.registers)
        known: dict[tuple[Any, ...], int] = {}
        self._add(walk, known, start, Automaton(), None)
        current = 0
        while current < len(walk.automata) and walk.violation is None:
            if len(walk.automata) > limits.states:
                walk.open_reason = f"more than {limits.states} states"
            elif time.monotonic() - began > limits.seconds:
                walk.open_reason = f"no end after {limits.seconds:g} s, at {len(walk.automata)} states"
            elif len(walk.automata[current].jobs) > limits.blocks:
                walk.open_reason = f"more than {limits.blocks} blocks under way"
            if walk.open_reason:
                break
            if progress is not None:
                progress(current, len(walk.automata))
            self._leave(walk, known, current)
            current += 1
        walk.seconds = time.monotonic() - began
        return walk

    def _add(
        self,
        walk: Walk,
        known: dict[tuple[Any, ...], int],
        registers: tuple[Form, ...],
        automaton: Automaton,
        parent: tuple[int, Stimulus] | None,
    ) -> int:
        key = (registers, automaton)
        number = known.get(key)
        if number is None:
            number = known[key] = len(walk.automata)
            walk.automata.append(automaton)
            walk.registers.append(registers)
            walk.parents.append(parent)
            walk.edges.append([])
        return number

    def _leave(self, walk: Walk, known: dict[tuple[Any, ...], int], current: int) -> None:
        """All clocks out of one state."""
        state, registers = walk.automata[current], walk.registers[current]
        offers: dict[Stimulus, bool] = {}
        for stimulus in self._stimuli:
            if self._polite and not permitted(state, stimulus):
                continue
            found = self._clock(state, registers, stimulus)
            if isinstance(found, str):
                walk.violation = Violation(found, walk.path_to(current, stimulus))
                return
            shakes, moved, following_registers, automaton = found
            other = Stimulus(
                stimulus.key_valid, stimulus.block_valid, not stimulus.block_ready, stimulus.decrypt, stimulus.key_bits
            )
            if offers.get(other, shakes.block_valid) != shakes.block_valid:
                walk.violation = Violation("block_valid_o waits for block_ready_i", walk.path_to(current, stimulus))
                return
            offers[stimulus] = shakes.block_valid
            target = self._add(walk, known, following_registers, automaton, (current, stimulus))
            walk.edges[current].append(Edge(stimulus, target, moved, shakes))

    def _clock(
        self, state: Automaton, registers: tuple[Form, ...], stimulus: Stimulus
    ) -> str | tuple[Handshakes, Transfers, tuple[Form, ...], Automaton]:
        """One clock; the rule that it breaks, if it does."""
        shape = self._ports.shape
        levels = self._shakes(self._ports.words(stimulus, None, None, UNKNOWN), registers)
        for name, level in zip(HANDSHAKES, levels, strict=True):
            if level is UNKNOWN or level > 1:
                return f"{name} depends on key, data, or what was in a register before reset"
        shakes = Handshakes(*(bool(level) for level in levels))
        broken = broken_rule(state, shape, stimulus, shakes)
        if broken:
            return broken
        moved = transfers(state, shape, stimulus, shakes)
        automaton = following(state, shape, stimulus, shakes, moved, polite=self._polite)
        key = (
            None
            if moved.key is None
            else self._beat(self._tokens.key(moved.key), moved.key_beat, shape.key_beats(moved.key.bits))
        )
        block = (
            None
            if moved.block is None
            else self._beat(self._tokens.block(moved.block), moved.block_beat, shape.block_beats)
        )
        # The bytes that S-boxes will work on must be known before the core meets them.
        if moved.key is not None:
            self._tokens.round_keys(moved.key)
        if automaton.jobs:
            self._tokens.result(automaton.jobs[-1])
        outputs, after = self._step(self._ports.words(stimulus, key, block, UNKNOWN), registers)
        if moved.result is not None:
            expected = self._beat(self._tokens.result(moved.result), moved.result.left, shape.block_beats)
            offered = self._ports.result_bytes(outputs)
            if any(
                o is UNKNOWN or o != e
                for a, b in zip(offered, expected, strict=True)
                for o, e in zip(a, b, strict=True)
            ):
                return "the result offered is not that of AES"
        dead = 0
        for number in state.keys | ({moved.key.number} if moved.key else set()):
            if number not in automaton.keys:
                dead |= self._tokens.of_keys(number)
        for number in state.blocks | ({moved.block} if moved.block is not None else set()):
            if number not in automaton.blocks:
                dead |= self._tokens.of_blocks(number)
        alive = tuple(UNKNOWN if form is UNKNOWN or form & dead else form for form in after)
        return shakes, moved, *self._renumbered(alive, automaton)

    def _renumbered(self, registers: tuple[Form, ...], automaton: Automaton) -> tuple[tuple[Form, ...], Automaton]:
        """The state under the numbers that its keys and blocks get by age."""
        keys, blocks = in_order_of_age(automaton)
        changed = any(old != new for numbers in (keys, blocks) for old, new in numbers.items())
        kept = self._interned
        if not changed:
            return tuple(UNKNOWN if form is UNKNOWN else kept.setdefault(form, form) for form in registers), automaton
        named = (tuple(keys.items()), tuple(blocks.items()))
        images = self._images.setdefault(named, {})
        renumber = self._tokens.renumbering(keys, blocks)
        renamed: list[Form] = []
        for form in registers:
            if form is UNKNOWN:
                renamed.append(form)
                continue
            if form not in images:
                images[form] = form if form < 2 else renumber(form)
            renamed.append(kept.setdefault(images[form], images[form]))
        return tuple(renamed), renumbered(automaton, keys, blocks)

    @staticmethod
    def _beat(state: State, beat: int, beats: int) -> State:
        width = len(state) // beats
        return state[width * beat : width * (beat + 1)]


def _stimuli(ports: BlockPorts) -> Iterator[Stimulus]:
    directions = (False, True) if ports.has_direction else (ports.decrypts,)
    sizes = ports.shape.key_bits if ports.has_key_size else (0,)
    for key_valid, block_valid, ready in product((False, True), repeat=3):
        for direction, size in product(directions, sizes):
            yield Stimulus(key_valid, block_valid, ready, direction, size)
