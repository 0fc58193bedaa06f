"""A counterexample as it happens: the netlist with real keys and blocks, against the reference, as a waveform.

The walk says after which handshakes a rule breaks, for keys and blocks in general. Here they get values, and the same
specification automaton watches the bytes. Runs go side by side, each a bit of the words that gates compute on.

Random values seldom show a core that is wrong for one value only. Such a core has a product of bits of different
bytes, which no core of AES needs: the engine does not know it. On the way to the broken rule the known factors of such
products are noted, clock by clock. Where they are sums of bits of key and block, a key and a block that make them all
1, a *trigger*, are the solution of linear equations.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice, repeat

import numpy as np

from aesmith.assurance.proof.algebra import Algebra
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.explore import SHOWS_KEY, Explorer, Violation
from aesmith.assurance.proof.interface import (
    IDLE_CODES,
    Automaton,
    BlockPorts,
    Handshakes,
    Shape,
    Stimulus,
    Transfers,
    broken_rule,
    following,
    in_order_of_age,
    renumbered,
    transfers,
)
from aesmith.assurance.proof.liveness import PROMISES
from aesmith.assurance.proof.netlist import Counterexample, Netlist, Step, compile_words
from aesmith.assurance.proof.partition import timing_independence
from aesmith.reference import golden

MOST = 16
"""Triggers made for one violation."""

_BLOCK = 8 * 32
"""The number of the first bit of the block in the equations: the longest key comes before it."""


@dataclass(frozen=True)
class Trigger:
    """A key of the longest size, of which shorter ones are the beginning, and a block."""

    key: bytes
    block: bytes


def triggers(netlist: Netlist, ports: BlockPorts, violation: Violation, seed: int = 1) -> Iterator[Trigger]:
    """For each clock on the way to the violation that has such products, the last first."""
    tokens = Tokens()
    chance = random.Random(seed)
    clocks = Explorer(netlist, ports, tokens).unknown_factors(violation)
    for factors in [factors for factors in reversed(clocks) if factors][:MOST]:
        bits = _solution([_equation(tokens.algebra, factor) for factor in factors], chance)
        yield Trigger(_packed(bits[:_BLOCK]), _packed(bits[_BLOCK:]))


def _equation(algebra: Algebra, factor: int) -> int:
    """`factor` = 1 in the bits of a key, a block and (bit 0) a constant, as what must be 0; 0 if it has others.

    All keys of the run are one, and all blocks.
    """
    bits = algebra.input_bits(factor)
    if bits is None:
        return 0
    equation = (factor & 1) ^ 1
    for (what, *_), index in bits:
        equation ^= 1 << 1 + index + (_BLOCK if what == "block" else 0)
    return equation


def _solution(equations: Sequence[int], chance: random.Random) -> list[int]:
    """Bits that solve the equations, of which those that contradict the ones before are left out."""
    rows: dict[int, int] = {}
    for equation in equations:
        rest = equation
        while rest > 1 and rest.bit_length() in rows:
            rest ^= rows[rest.bit_length()]
        if rest > 1:
            rows[rest.bit_length()] = rest
    known = 1
    for place in range(1, _BLOCK + 129):
        row = rows.get(place + 1)
        bit = chance.getrandbits(1) if row is None else (row & known).bit_count() & 1
        known |= bit << place
    return [known >> place & 1 for place in range(1, _BLOCK + 129)]


def _packed(bits: Sequence[int]) -> bytes:
    return bytes(sum(bit << i for i, bit in enumerate(bits[8 * n : 8 * n + 8])) for n in range(len(bits) // 8))


UNDEFINED_WAYS = ("0", "1", "any", "new in each clock")
"""What a level that the sources leave undefined is, in one run after the other: hardware may have either."""

TRIES = 24
"""Runs tried along a violation, and most that go side by side."""
_WORD_BYTES = 4
AFTER = 400


def settled(netlist: Netlist, way: str) -> Netlist:
    """The netlist with its undefined levels settled in one of UNDEFINED_WAYS, for good."""
    chance = random.Random(way)
    return netlist.settled(lambda: int(way) if way.isdigit() else chance.getrandbits(1))


@dataclass(frozen=True)
class _Clock:
    """What a clock of a run is for the specification."""

    state: Automaton
    stimulus: Stimulus
    shakes: Handshakes
    moved: Transfers


_Said = tuple[list[int], list[int], list[int]]
"""What the core makes of a clock's inputs, as words: the outputs, the handshakes among them, the registers before."""


class _Run:
    """A run among others side by side: bit `place` of each word.

    `course` gives the input bits of each clock, a byte each, and takes what the core makes of them. `rule` is what the
    last clock breaks, if anything. In a patient run a key or block that has begun goes on, whatever is wished for.
    """

    def __init__(self, place: int, registers: list[int]) -> None:
        self.place, self.start = place, registers
        self.course: Generator[bytes, _Said, None]
        self.patient = False
        self.rule = ""
        self.inputs: list[bytes] = []
        self.clocks: list[_Clock] = []

    def levels(self, words: Iterable[int]) -> list[int]:
        """Its levels in words that have those of all runs."""
        return [word >> self.place & 1 for word in words]


class Replayer:
    """Runs of one netlist."""

    def __init__(self, netlist: Netlist, ports: BlockPorts) -> None:
        self._netlist, self._ports = netlist, ports
        self._ways = UNDEFINED_WAYS if netlist.free else UNDEFINED_WAYS[:1]
        self._step: Step = compile_words(netlist, (1 << TRIES) - 1)
        self._levels = cache(ports.levels)
        independence = timing_independence(netlist)
        self._times = independence.registers if independence.holds else ()

    def show(self, violation: Violation, seed: int = 1) -> Counterexample | None:
        """A run that breaks a rule: along the violation's path with random values, then on at random.

        An endless wait is shown by the path as it stands, if the registers that time depends on come round with it.
        None if no run tried breaks any rule.
        """
        if violation.rule == SHOWS_KEY:
            return self._show_key(violation, seed)

        begun = (self._along(violation, seed, attempt) for attempt in range(TRIES))
        return self._first(begun, lambda run: run.rule or self._comes_round(violation, run))

    def _along(self, violation: Violation, seed: int, attempt: int, keys: int = 0) -> Callable[[int], _Run]:
        chance = random.Random(f"{seed} along {attempt}")
        more = () if violation.loop or violation.rule == SHOWS_KEY else islice(self._any(chance), AFTER)
        stimuli = chain(violation.path, more)
        return partial(self._run, attempt, stimuli, chance, violation.start, keys=keys)

    def _show_key(self, violation: Violation, seed: int) -> Counterexample | None:
        """Two runs that differ in keys only, and in what stands on `block_o` while nothing is offered: the second."""
        for attempt in range(TRIES):
            both = [self._along(violation, seed, attempt, keys)(keys) for keys in range(2)]
            self._side_by_side(both, lambda _: "")
            first, second = (self._counterexample(run, run.rule or violation.rule) for run in both)
            if both[1].rule:
                return second
            shown = [self._step(found.inputs[-1], found.registers[-1])[0] for found in (first, second)]
            idle = not both[1].clocks[-1].shakes.block_valid
            if idle and self._ports.result_bytes(shown[0]) != self._ports.result_bytes(shown[1]):
                return second
        return None

    def _comes_round(self, violation: Violation, run: _Run) -> str:
        """The violation's rule, if the loop at the run's end repeats for ever and keeps a promise unkept."""
        if not violation.loop or not self._times:
            return ""
        promise = PROMISES[violation.rule.removeprefix("for ever: ")]
        last = len(run.inputs) - violation.loop
        first = last - violation.loop
        if first < 0:
            return ""
        seen = self._counterexample(run, violation.rule).registers
        then, now = ([seen[clock][i] for i in self._times] for clock in (first, last))
        shape = self._ports.shape
        weights = [promise(c.state, shape, c.stimulus, c.shakes, c.moved) for c in run.clocks[last:]]
        same = _by_age(run.clocks[first].state) == _by_age(run.clocks[last].state)
        return violation.rule if then == now and same and None not in weights and 1 in weights else ""

    def show_with(self, violation: Violation, tried: Iterable[Trigger], seed: int = 1) -> Counterexample | None:
        """As `show`, with a trigger's key and block for all keys and blocks; each trigger that is tried in turn."""

        def begin(trigger: Trigger, attempt: int) -> Callable[[int], _Run]:
            chance = random.Random(f"{seed} with {attempt}")
            stimuli = chain(violation.path, islice(self._any(chance), AFTER))
            return partial(self._run, attempt, stimuli, chance, violation.start, trigger=trigger)

        begun = (begin(trigger, attempt) for trigger in tried for attempt in range(len(self._ways)))
        return self._first(begun, lambda run: run.rule)

    def hunt(self, runs: int, clocks: int, seed: int = 1) -> Counterexample | None:
        """The first of `runs` random runs of `clocks` clocks from reset that breaks a rule, or a patient one."""

        def begun() -> Iterator[Callable[[int], _Run]]:
            for attempt in sorted({0, len(self._ways) - 1}):
                chance = random.Random(f"{seed} patient {attempt}")
                yield partial(self._run, attempt, self._patient(clocks), chance, {}, patient=True)
            for attempt in range(runs):
                chance = random.Random(f"{seed} hunt {attempt}")
                yield partial(self._run, attempt, islice(self._any(chance), clocks), chance, {})

        return self._first(begun(), lambda run: run.rule)

    def _first(self, begun: Iterator[Callable[[int], _Run]], broken: Callable[[_Run], str]) -> Counterexample | None:
        """The first run, in their order, of which `broken` names a rule. The first goes alone: it shows most."""
        together = 1
        while runs := [begin(place) for place, begin in enumerate(islice(begun, together))]:
            if found := self._side_by_side(runs, broken):
                return found
            together = TRIES
        return None

    def _side_by_side(self, runs: Sequence[_Run], broken: Callable[[_Run], str]) -> Counterexample | None:
        """The first of the runs, in their order, of which `broken` names a rule at its end."""
        going, said = list(runs), None
        found: tuple[_Run, str] | None = None
        registers = _words([bytes(run.start) for run in runs], range(len(runs)))
        while going:
            still = []
            for run in going:
                try:
                    run.inputs.append(run.course.send(said) if said else next(run.course))
                except StopIteration:
                    if rule := broken(run):
                        found = run, rule
                        break
                else:
                    still.append(run)
            going = still
            if going:
                words = _words([run.inputs[-1] for run in going], [run.place for run in going])
                outputs, after = self._step(words, registers)
                said = outputs, self._ports.handshakes(outputs), registers
                registers = after
        return found and self._counterexample(*found)

    def _counterexample(self, run: _Run, rule: str) -> Counterexample:
        """A run to its end, with what its registers held."""
        registers, seen = run.start, []
        for inputs in run.inputs:
            seen.append(tuple(registers))
            _, after = self._step(inputs, registers)
            registers = [word & 1 for word in after]
        return Counterexample(rule, self._netlist, tuple(map(tuple, run.inputs)), tuple(seen))

    def _patient(self, clocks: int) -> Iterator[Stimulus]:
        """Each channel alone and all at once, so long that an endless wait comes round to where it was.

        A key or block that has begun must go on beside them: a core that waits for the rest of one keeps no promise.
        With a receiver that is ready, and with one that waits for valid.
        """
        key = Stimulus(True, False, True, self._ports.decrypts, self._ports.shape.key_bits[0])
        block = replace(key, key_valid=False, block_valid=True)
        both = replace(key, block_valid=True)
        unready = [replace(stimulus, block_ready=False) for stimulus in (block, both)]
        idle = replace(key, key_valid=False)
        order = (key, block, key, block, unready[0], idle, both, unready[1])
        return chain.from_iterable(repeat(stimulus, clocks // 4) for stimulus in order)

    def _any(self, chance: random.Random) -> Iterator[Stimulus]:
        """Random handshakes; each run has its own share of stalls and key changes."""
        key, block, ready = (
            chance.choice((0.02, 0.1, 0.5)),
            chance.choice((0.3, 0.9, 1.0)),
            chance.choice((0.3, 0.9, 1.0)),
        )
        sized = self._ports.has_key_size
        withheld = chance.choice((0.0, 0.1, 0.6)) if self._ports.waits_for_fresh else 0.0
        while True:
            direction = chance.random() < 0.5 if self._ports.has_direction else self._ports.decrypts
            key_valid = chance.random() < key
            sizes = (0,) if not sized else self._ports.shape.key_bits if key_valid else IDLE_CODES
            offered = key_valid, chance.random() < block, chance.random() < ready
            yield Stimulus(*offered, direction, chance.choice(sizes), withheld > 0 and chance.random() < withheld)

    def _free_levels(self, way: str, chance: random.Random) -> Iterator[bytes]:
        """The levels of the netlist's free nets, clock by clock."""
        count = len(self._netlist.free)
        levels = bytes(int(way) if way.isdigit() else chance.getrandbits(1) for _ in range(count))
        while True:
            yield levels
            if way == UNDEFINED_WAYS[-1]:
                levels = bytes(chance.getrandbits(1) for _ in range(count))

    def _run(
        self,
        attempt: int,
        stimuli: Iterator[Stimulus],
        chance: random.Random,
        start: Mapping[int, int],
        place: int,
        *,
        trigger: Trigger | None = None,
        keys: int = 0,
        patient: bool = False,
    ) -> _Run:
        """A run from reset, about to begin."""
        free = self._free_levels(self._ways[attempt % len(self._ways)], chance)
        key_chance = random.Random(f"{chance.random()} {keys}")
        run = _Run(
            place,
            [
                start.get(i, chance.getrandbits(1)) if r.reset is None else r.reset
                for i, r in enumerate(self._netlist.registers)
            ],
        )
        run.patient = patient
        run.course = self._course(run, stimuli, (key_chance, chance), free, trigger)
        return run

    def _course(
        self,
        run: _Run,
        stimuli: Iterator[Stimulus],
        chances: tuple[random.Random, random.Random],
        free: Iterator[bytes],
        trigger: Trigger | None,
    ) -> Generator[bytes, _Said, None]:
        """The run, clock by clock, with the specification beside it; of `chances` are the keys, and the blocks."""
        shape = self._ports.shape
        state = Automaton()
        known_keys: dict[int, bytearray] = {}
        blocks: dict[int, bytearray] = {}
        key_bytes, block_bytes = shape.key_width // 8, 16 // shape.block_beats
        before: Stimulus | None = None
        waited: set[tuple[int, ...]] = set()
        for wished in stimuli:
            stimulus = _kept(state, shape, _begun(state, shape, wished) if run.patient else wished)
            key, block = chances[0].randbytes(key_bytes), chances[1].randbytes(block_bytes)
            if trigger is not None:
                taken = state.jobs[-1].taken % shape.block_beats if state.jobs else 0
                key = trigger.key[key_bytes * state.arrived :][:key_bytes]
                block = trigger.block[block_bytes * taken :][:block_bytes]
            levels = self._ports.input_levels(self._levels(stimulus), key, block)
            outputs, handshakes, registers = yield levels + next(free)
            shakes = Handshakes(*map(bool, run.levels(handshakes)))
            run.rule = broken_rule(state, shape, stimulus, shakes)
            if run.rule:
                return
            moved = transfers(state, shape, stimulus, shakes)
            run.clocks.append(_Clock(state, stimulus, shakes, moved))
            if moved.key is not None:
                known_keys[moved.key.number] = (known_keys[moved.key.number] if moved.key_beat else bytearray()) + key
            if moved.block is not None:
                blocks[moved.block] = (blocks[moved.block] if moved.block_beat else bytearray()) + block
            if moved.result is not None:
                job = moved.result
                cipher = golden.decrypt if job.decrypt else golden.encrypt
                whole = cipher(bytes(known_keys[job.key.number][: job.key.bits // 8]), bytes(blocks[job.block]))
                expected = whole[block_bytes * job.left : block_bytes * (job.left + 1)]
                offered = _bytes(self._ports.result_bytes(run.levels(outputs)))
                if offered != expected:
                    run.rule = f"the result offered is {offered.hex()}, that of AES is {expected.hex()}"
                    return
            then = following(state, shape, stimulus, shakes, moved, polite=True)
            if stimulus != before or _without_waits(then) != _without_waits(state):
                waited.clear()
            elif self._times:
                # Time does not depend on data: where control is as it was, it will be so again.
                control = tuple(run.levels(registers[i] for i in self._times))
                if control in waited:
                    unkept = (n for n, weight in PROMISES.items() if weight(state, shape, stimulus, shakes, moved))
                    run.rule = next((f"for ever: {name}" for name in unkept), "")
                if run.rule:
                    return
                waited.add(control)
            before = stimulus
            state = then


def _words(runs: Sequence[bytes], places: Sequence[int]) -> list[int]:
    """What each run has of each bit, a byte each, as words that have all of them, each in its place."""
    if tuple(places) == (0,):
        return list(runs[0])
    levels = np.zeros((8 * _WORD_BYTES, len(runs[0])), np.uint8)
    levels[list(places)] = np.frombuffer(b"".join(runs), np.uint8).reshape(len(runs), -1)
    packed = np.ascontiguousarray(np.packbits(levels, axis=0, bitorder="little").T)
    found: list[int] = packed.view(f"<u{_WORD_BYTES}")[:, 0].tolist()
    return found


def _by_age(state: Automaton) -> Automaton:
    return renumbered(state, *in_order_of_age(state))


def _without_waits(state: Automaton) -> tuple[object, ...]:
    return state.key, state.arriving, state.arrived, state.jobs


def _begun(state: Automaton, shape: Shape, wished: Stimulus) -> Stimulus:
    """The stimulus, with the next beat of a key and of a block that have begun."""
    block = bool(state.jobs) and state.jobs[-1].taken < shape.block_beats
    return replace(
        wished,
        key_valid=wished.key_valid or state.arriving is not None,
        block_valid=wished.block_valid or block,
    )


def _kept(state: Automaton, shape: Shape, wished: Stimulus) -> Stimulus:
    """The stimulus, with what must stay valid kept valid, and one direction or size for all beats of a block or key."""
    key, block = state.key_waits, state.block_waits
    if state.jobs and state.jobs[-1].taken < shape.block_beats:
        wished = replace(wished, decrypt=state.jobs[-1].decrypt)
    if state.arriving is not None and wished.key_valid and wished.key_bits:
        wished = replace(wished, key_bits=state.arriving.bits)
    if key is not None:
        wished = replace(wished, key_valid=True, key_bits=key.key_bits)
    if block is not None:
        wished = replace(wished, block_valid=True, decrypt=block.decrypt)
    return wished


def _bytes(bits: Sequence[Sequence[int]]) -> bytes:
    return bytes(sum(bit << i for i, bit in enumerate(byte)) for byte in bits)
